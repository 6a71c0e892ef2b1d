"""Choose: which entity and which relation path a question means, decided together.

Comes in: the readings of a question, each with its topic entities. Goes out: pairs of a reading and a relation path
that leaves its entities, best first. A reading is good when the piece of the text looks like the entity's name and
the rest of the question is explained by the path: "director" is the name of something, too, but then nothing
explains the other words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgneo.context import Context
from kgneo.english.names import name_words, path_wording
from kgneo.english.question import TOPIC, MaskedQuestion
from kgneo.graph.examples import SimilarExample, all_examples, nearest_examples, read_scorer
from kgneo.graph.value_walks import explained, joining
from kgneo.graph.walks import first_hops_of_each, leaving
from kgneo.model import Entity, HopKeys, RelationPath, path_keys
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.recall import Row, Scorer, features
from kgneo.ranking.value_steps import corrections
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.link import LinkedQuestion, Mention, word_before
from kgneo.stages.ranking import ranking
from kgneo.unit_vectors import unit

NAME_WEIGHT = 4.0
"""What a factor of e in a reading's score is worth in points of a path's score."""
TEMPERATURE = 0.4
"""Points of score that make a pair e times as likely, without examples."""
MASK = "X"
MEMORY = "examples"
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

    @property
    def wording(self) -> str:
        """The path in words, with the names that it begins at: "river that flows through Germany"."""
        return path_wording(self.path, topic=", ".join(self.linked.names), names=self.ranked.names)


@dataclass(frozen=True, slots=True)
class _Learned:
    """What the graph holds of examples: the scorer, and how many questions were learned for each path."""

    scorer: Scorer
    known: Counter[HopKeys]


def rank_readings(context: Context, readings: Sequence[LinkedQuestion], *, recall: bool = True) -> list[RankedReading]:
    """Pairs of a reading and a path, best first. With `recall`, learned examples have a say where there are any."""
    likely = [linked for linked in readings if linked.score >= LEAST * readings[0].score]
    pairs = [
        (number, path)
        for number, (linked, paths) in enumerate(paths_of(context, likely))
        for path in _ranked(context, linked, paths)
    ]
    return _weighed(context, likely, pairs, recall=recall)


Known = dict[tuple[str, tuple[str, ...], tuple[RelationPath, ...]], list[RankedPath]]


def rank_alone(context: Context, questions: Sequence[LinkedQuestion], known: Known) -> list[list[RankedReading]]:
    """The same for many questions of one reading each, without examples. Those that differ in nothing but their
    entity, and whose entities have the same relations, are ranked once, and kept in `known`."""
    result = []
    for linked, paths in paths_of(context, questions):
        key = (masked_text(linked), masked(linked).labels, tuple(paths))
        if key not in known or len(linked.topics) > 1:
            known[key] = _ranked(context, linked, paths)
        result.append(_weighed(context, [linked], [(0, path) for path in known[key]], recall=False))
    return result


def _weighed(
    context: Context, likely: Sequence[LinkedQuestion], pairs: Sequence[tuple[int, RankedPath]], *, recall: bool
) -> list[RankedReading]:
    """Pairs of a reading (its number) and a ranked path, with scores that compare across readings."""
    if not pairs:
        return []
    rows = [
        Row(number, ranked.path, ranked.score + NAME_WEIGHT * math.log(likely[number].score))
        for number, ranked in pairs
    ]
    scores = np.array([row.score for row in rows]) / TEMPERATURE
    learned = _learned(context) if recall else None
    if learned:
        scores = learned.scorer.scores(features(rows, _neighbours(context, likely), learned.known))
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    confidences = weights if learned else _calibrated(pairs, weights)
    order = sorted(range(len(rows)), key=lambda row: (-scores[row], len(rows[row].path)))
    return [
        RankedReading(likely[pairs[row][0]], pairs[row][1], float(scores[row]), float(confidences[row]))
        for row in order
    ]


def _calibrated(pairs: Sequence[tuple[int, RankedPath]], weights: NDArray[np.float64]) -> list[float]:
    """The probability of each pair without examples: that of its path, as the ranking was calibrated for one entity,
    times the part of all weight that its reading has."""
    share: Counter[int] = Counter()
    for (number, _), weight in zip(pairs, weights, strict=True):
        share[number] += weight
    return [ranked.confidence * share[number] for number, ranked in pairs]


def _learned(context: Context) -> _Learned | None:
    if MEMORY not in context.memory:
        context.memory[MEMORY] = _read_learned(context)
    learned = context.memory[MEMORY]
    return learned if isinstance(learned, _Learned) else None


def _read_learned(context: Context) -> _Learned | None:
    every = all_examples(context.graph, fingerprint=context.encoder.fingerprint)
    known: Counter[HopKeys] = Counter()
    for example in every:
        known[path_keys(example.path)] += example.count
    return _Learned(Scorer.from_dict(read_scorer(context.graph)), known) if every else None


def _neighbours(context: Context, readings: Sequence[LinkedQuestion]) -> list[list[SimilarExample]]:
    """The examples that are most like each reading."""
    encoder = context.encoder
    vectors = unit(encoder.encode([masked_text(linked) for linked in readings]))
    return nearest_examples(context.graph, vectors, fingerprint=encoder.fingerprint)


def masked_text(linked: LinkedQuestion) -> str:
    """The text of a question with a letter in place of its topic entities: what is compared with examples."""
    return masked(linked).masked.replace(TOPIC, MASK)


def paths_of(context: Context, readings: Sequence[LinkedQuestion]) -> list[tuple[LinkedQuestion, list[RelationPath]]]:
    """For each reading, the relation paths that leave its entities; one query for all of them."""
    options = context.options
    entities = list(dict.fromkeys(id_ for linked in readings for id_ in linked.entity_ids))
    hops = first_hops_of_each(context.knowledge, entities, direction=options.direction)
    result = []
    for linked in readings:
        first = list(dict.fromkeys(hop for id_ in linked.entity_ids for hop in hops.get(id_, ())))
        paths = leaving(first, context.record.statistics, hops=options.hops, direction=options.direction)
        result.append((linked, paths))
    return result


def _ranked(context: Context, linked: LinkedQuestion, paths: Sequence[RelationPath]) -> list[RankedPath]:
    cache, statistics = ranking(context)
    given = {path: found for found in paths if len(path := explained(found)) <= MAX_HOPS}
    question = masked(linked)
    correction = corrections(question, context.record.statistics, joining(context.knowledge, linked.entity_ids))
    ranked = rank_paths(
        question,
        list(given),
        encoder=context.encoder,
        statistics=statistics,
        cache=cache,
        correction=lambda path: correction(given[path]),
    )
    names = context.record.statistics.readable_names
    return [
        RankedPath(given[item.path], item.score, item.confidence, names, item.parts, item.evidence) for item in ranked
    ]


def masked(linked: LinkedQuestion) -> MaskedQuestion:
    """The question with the places of its topic entities."""
    spans = tuple(
        (_with_kind(linked.text, mention, topic.entity), mention.end)
        for mention, topic in zip(linked.mentions, linked.topics, strict=True)
        if mention is not None
    )
    labels = linked.topics[0].entity.labels if linked.topics else ()
    return MaskedQuestion(linked.text, spans, labels)


def _with_kind(text: str, mention: Mention, entity: Entity) -> int:
    """Where a mention begins together with the word for its kind, as in "order SO-1013"."""
    before = word_before(text, mention)
    kinds = {word for label in entity.labels for word in name_words(label)}
    return before.start() if before and before[1].lower() in kinds else mention.start
