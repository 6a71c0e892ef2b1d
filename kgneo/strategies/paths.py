"""`paths`: answers without a language model.

The relation paths that leave the topic entity are put into words and ranked against the question; the best one
that leads anywhere is run as one Cypher pattern. Its end is the answer, its triples the evidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Clock, Context
from kgneo.graph.shape import Shape
from kgneo.graph.walks import Followed, follow, shown_query
from kgneo.model import Answer, Reading, Step, TopicEntity
from kgneo.stages.choose_reading import RankedReading, rank_readings
from kgneo.stages.forms import Formed, answer_in_form
from kgneo.stages.link import LinkedQuestion, readings

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
            linked = readings(context.graph, question, entities=entities)
        with clock.stage("form"):
            formed = answer_in_form(context, linked[0])
        if formed is not None and (formed.joins or formed.confidence >= context.options.min_confidence):
            return _in_form(question, linked[0], formed, clock)
        with clock.stage("select"):
            ranked = rank_readings(context, linked)
        with clock.stage("answer"):
            best, followed, alive = _first_that_leads(context, ranked)
        if best is None or followed is None or best.confidence < context.options.min_confidence:
            return _not_found(question, linked[0].topics, alive, clock)
        return _found(question, best, followed, alive, clock, context.shape)


def _in_form(question: str, linked: LinkedQuestion, formed: Formed, clock: Clock) -> Answer:
    return Answer(
        question,
        "paths",
        formed.text,
        answers=formed.answers,
        entities=linked.topics,
        steps=(Step(formed.wording, formed.text, formed.answers, formed.evidence),),
        evidence=formed.evidence,
        cypher=formed.cypher,
        cypher_parameters=formed.parameters,
        confidence=formed.confidence,
        grounded=True,
        timings_ms=clock.milliseconds,
        readings=_shown(formed.readings),
    )


def _first_that_leads(
    context: Context, ranked: Sequence[RankedReading]
) -> tuple[RankedReading | None, Followed | None, list[RankedReading]]:
    """The best reading whose path ends somewhere, where it ends, and the readings without those that end nowhere.

    What ends nowhere cannot be meant, so its probability goes to the others in proportion."""
    dead = 0.0
    for number, candidate in enumerate(ranked[:TRIES]):
        followed = follow(
            context.graph,
            candidate.linked.entity_ids,
            candidate.path,
            limit=context.options.limit,
            shape=context.shape,
        )
        if followed.total:
            confidence = min(candidate.confidence / max(1.0 - dead, 1e-6), 1.0)
            return replace(candidate, confidence=confidence), followed, list(ranked[number:])
        dead += candidate.confidence
    return None, None, list(ranked)


def _not_found(question: str, topics: tuple[TopicEntity, ...], alive: Sequence[RankedReading], clock: Clock) -> Answer:
    return Answer(
        question,
        "paths",
        "not found",
        entities=alive[0].linked.topics if alive else topics,
        confidence=alive[0].confidence if alive else 0.0,
        timings_ms=clock.milliseconds,
        readings=_shown(alive),
    )


def _found(
    question: str, best: RankedReading, followed: Followed, alive: Sequence[RankedReading], clock: Clock, shape: Shape
) -> Answer:
    answers = tuple(found.entity.name for found in followed.found)
    topics = [topic.entity for topic in best.linked.topics]
    cypher, parameters = shown_query(best.path, topics, shape=shape)
    text = ", ".join(answers[:20]) + (f" and {followed.total - 20} more" if followed.total > 20 else "")
    return Answer(
        question,
        "paths",
        text,
        answers=answers,
        entities=best.linked.topics,
        steps=(Step(best.ranked.wording, text, answers, followed.evidence),),
        evidence=followed.evidence,
        cypher=cypher,
        cypher_parameters=parameters,
        confidence=best.confidence,
        grounded=True,
        timings_ms=clock.milliseconds,
        readings=_shown(alive),
        more=followed.total - len(answers),
    )


def _shown(alive: Sequence[RankedReading]) -> tuple[Reading, ...]:
    """The best readings; of several entities each one's best comes first, so that other choices are seen."""
    first: dict[tuple[str, ...], RankedReading] = {}
    for item in alive:
        first.setdefault(item.linked.entity_ids, item)
    best = alive[:1]
    others = sorted(
        [*alive[1:READINGS], *(item for item in first.values() if item not in alive[:READINGS])],
        key=lambda item: -item.score,
    )
    return tuple(
        Reading(item.ranked.wording, str(item.path), item.score, item.linked.names)
        for item in [*best, *others][:READINGS]
    )
