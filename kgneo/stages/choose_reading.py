"""Choose: which entity and which relation path a question means, decided together.

Comes in: the readings of a question, each with its topic entities. Goes out: pairs of a reading and a relation path
that leaves its entities, best first. A reading is good when the piece of the text looks like the entity's name and
the rest of the question is explained by the path: "director" is the name of something, too, but then nothing
explains the other words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgneo.context import Context
from kgneo.graph.walks import first_hops_of_each, leaving
from kgneo.model import RelationPath
from kgneo.stages.link import LinkedQuestion
from kgneo.stages.question_parts import MaskedQuestion
from kgneo.stages.rank_paths import RankedPath, rank_paths
from kgneo.stages.ranking import ranking

NAME_WEIGHT = 4.0
"""What a factor of e in a reading's score is worth in points of a path's score."""
TEMPERATURE = 0.4
LEAST = 0.6
"""Readings under this share of the best one's score are not looked at."""


@dataclass(frozen=True, slots=True)
class RankedReading:
    """A reading with a path from its entities: `score` for both together, `confidence` (0..1) among all pairs."""

    linked: LinkedQuestion
    ranked: RankedPath
    score: float
    confidence: float

    @property
    def path(self) -> RelationPath:
        """The relation path."""
        return self.ranked.path


def rank_readings(context: Context, readings: Sequence[LinkedQuestion]) -> list[RankedReading]:
    """Pairs of a reading and a path, best first; one reading's paths keep the order of their ranking."""
    likely = [linked for linked in readings if linked.score >= LEAST * readings[0].score]
    rows = [
        (linked, ranked) for linked, paths in paths_of(context, likely) for ranked in _ranked(context, linked, paths)
    ]
    if not rows:
        return []
    scores = np.array([ranked.score + NAME_WEIGHT * math.log(linked.score) for linked, ranked in rows])
    weights = np.exp((scores - scores.max()) / TEMPERATURE)
    weights /= weights.sum()
    order = sorted(range(len(rows)), key=lambda row: (-scores[row], len(rows[row][1].path)))
    return [RankedReading(*rows[row], float(scores[row]), float(weights[row])) for row in order]


def paths_of(context: Context, readings: Sequence[LinkedQuestion]) -> list[tuple[LinkedQuestion, list[RelationPath]]]:
    """For each reading, the relation paths that leave its entities; one query for all of them."""
    options = context.options
    entities = list(dict.fromkeys(id_ for linked in readings for id_ in linked.entity_ids))
    hops = first_hops_of_each(context.graph, entities, direction=options.direction)
    result = []
    for linked in readings:
        first = list(dict.fromkeys(hop for id_ in linked.entity_ids for hop in hops.get(id_, ())))
        paths = leaving(first, context.record.statistics, hops=options.hops, direction=options.direction)
        result.append((linked, paths))
    return result


def _ranked(context: Context, linked: LinkedQuestion, paths: Sequence[RelationPath]) -> list[RankedPath]:
    cache, statistics = ranking(context)
    return rank_paths(masked(linked), paths, encoder=context.encoder, statistics=statistics, cache=cache)


def masked(linked: LinkedQuestion) -> MaskedQuestion:
    """The question with the places of its topic entities."""
    spans = tuple((mention.start, mention.end) for mention in linked.mentions if mention is not None)
    labels = linked.topics[0].entity.labels if linked.topics else ()
    return MaskedQuestion(linked.text, spans, labels)
