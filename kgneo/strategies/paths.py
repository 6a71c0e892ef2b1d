"""`paths`: answers without a language model.

The relation paths that leave the topic entity are put into words and ranked against the question; the best one
that leads anywhere is run as one Cypher pattern. Its end is the answer, its triples the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Clock, Context
from kgneo.graph.statistics import Statistics
from kgneo.graph.walks import Followed, first_hops, follow, leaving, shown_query
from kgneo.model import Answer, Hop, Reading, Step
from kgneo.stages.link import LinkedQuestion, link
from kgneo.stages.question_parts import MaskedQuestion
from kgneo.stages.rank_paths import (
    HopStatistics,
    RankedPath,
    RankingCache,
    RelationStatistics,
    rank_paths,
)

READINGS = 3
TRIES = 25
"""Paths, best first, that are run until one leads somewhere."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The strategy that needs no model."""

    name: str = "paths"
    needs_model: bool = False

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Link, rank the paths that leave the topic entity, follow the best one."""
        clock = Clock()
        with clock.stage("link"):
            linked = link(context.graph, question, entities=entities)
        with clock.stage("retrieve"):
            first = first_hops(context.graph, linked.entity_ids, direction=context.options.direction)
            paths = leaving(
                first,
                context.record.statistics,
                hops=context.options.hops,
                direction=context.options.direction,
            )
        with clock.stage("select"):
            cache, statistics = _ranking(context)
            masked = _masked(linked)
            ranked = rank_paths(masked, paths, encoder=context.encoder, statistics=statistics, cache=cache)
        with clock.stage("answer"):
            best, followed, dead = _first_that_leads(context, linked, ranked)
        alive = [path for path in ranked if path not in dead]
        return _answer(question, linked, alive[:READINGS], best, followed, clock, context)


def _first_that_leads(
    context: Context, linked: LinkedQuestion, ranked: Sequence[RankedPath]
) -> tuple[RankedPath | None, Followed | None, list[RankedPath]]:
    """The best path that ends somewhere, where it ends, and those before it, which end nowhere."""
    dead: list[RankedPath] = []
    for candidate in ranked[:TRIES]:
        followed = follow(
            context.graph,
            linked.entity_ids,
            candidate.path,
            limit=context.options.limit,
            shape=context.shape,
        )
        if followed.total:
            return candidate, followed, dead
        dead.append(candidate)
    return None, None, dead


def _answer(
    question: str,
    linked: LinkedQuestion,
    readings: Sequence[RankedPath],
    best: RankedPath | None,
    followed: Followed | None,
    clock: Clock,
    context: Context,
) -> Answer:
    names = tuple(topic.entity.name for topic in linked.topics)
    shown = tuple(Reading(path.wording, str(path.path), path.score, names) for path in readings)
    found = best is not None and followed is not None and best.confidence >= context.options.min_confidence
    if not found or best is None or followed is None:
        return Answer(
            question,
            "paths",
            "not found",
            entities=linked.topics,
            confidence=best.confidence if best else 0.0,
            timings_ms=clock.milliseconds,
            readings=shown,
        )
    answers = tuple(found.entity.name for found in followed.found)
    cypher, parameters = shown_query(best.path, names[0])
    text = ", ".join(answers[:20]) + (f" and {followed.total - 20} more" if followed.total > 20 else "")
    return Answer(
        question,
        "paths",
        text,
        answers=answers,
        entities=linked.topics,
        steps=(Step(best.wording, text, answers, followed.evidence),),
        evidence=followed.evidence,
        cypher=cypher,
        cypher_parameters=parameters,
        confidence=best.confidence,
        grounded=True,
        timings_ms=clock.milliseconds,
        readings=shown,
        more=followed.total - len(answers),
    )


def _masked(linked: LinkedQuestion) -> MaskedQuestion:
    spans = tuple((mention.start, mention.end) for mention in linked.mentions if mention is not None)
    labels = linked.topics[0].entity.labels if linked.topics else ()
    return MaskedQuestion(linked.text, spans, labels)


def _ranking(context: Context) -> tuple[RankingCache, RelationStatistics]:
    kept = context.memory.get("rank_paths")
    if not isinstance(kept, tuple):
        kept = (RankingCache(context.encoder), relation_statistics(context.record.statistics))
        context.memory["rank_paths"] = kept
    return kept


def relation_statistics(statistics: Statistics) -> RelationStatistics:
    """The graph's statistics in the form that the ranking takes."""
    hop_of = {str(item.hop): item.hop for item in statistics.hops}
    return RelationStatistics(
        hops={
            (item.relation, item.forward): HopStatistics(
                count=item.triples,
                sources=round(item.triples / max(item.fan_out, 1)),
                targets=round(item.triples / max(item.fan_in, 1)),
                samples=item.names,
                next={_key(hop_of[name]): share for name, share in item.onward.items() if name in hop_of},
            )
            for item in statistics.hops
        }
    )


def _key(hop: Hop) -> tuple[str, bool]:
    return hop.relation, hop.forward
