"""Try readings: the likeliest readings of a question are run, so that each can be told with what it finds.

Comes in: readings, best first. Goes out: those that can be run, each with its answer. Readings that find the same are
told once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.errors import GraphError
from kgneo.model import Answer, Choice, Step
from kgneo.query.json import to_json
from kgneo.stages.agree import answered_names
from kgneo.stages.offer_readings import Offered, Ran, run_graph
from kgneo.stages.write_query import Attempt, found_of

NAMES = 3
"""Answers by which a reading is told."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A reading with what it found."""

    offered: Offered
    ran: Ran

    @property
    def told(self) -> str:
        """Its words, how many answers it has, and the first of them."""
        result = self.ran.result
        number = len(result.answers) + result.more
        first = ", ".join(result.answers[:NAMES]) + (", …" if number > NAMES else "")
        counted = "no answer" if not number else f"{number} answer{'s' if number > 1 else ''}: {first}"
        return f"{self.offered.wording} ({counted})"


def try_readings(context: Context, offered: Sequence[Offered], *, most: int) -> tuple[Tried, ...]:
    """The first readings that can be run and find different things, at most so many."""
    found: dict[object, Tried] = {}
    for item in offered:
        if len(found) == most:
            break
        try:
            ran = item.ran or run_graph(context, item.graph, limit=context.options.limit)
        except GraphError:
            continue
        found.setdefault((ran.result.answers, ran.result.more), Tried(item, ran))
    return tuple(found.values())


def answer_of(question: str, strategy: str, tried: Tried, *, limit: int) -> Answer:
    """A reading with what it found, as an answer."""
    result, evidence = tried.ran.result, tried.ran.evidence
    text = result.text or "none"
    return Answer(
        question,
        strategy,
        text,
        answers=result.answers,
        more=result.more,
        steps=(Step(tried.offered.wording, text, result.answers, evidence),),
        evidence=evidence,
        cypher=result.compiled.text,
        cypher_parameters={"limit": limit, **result.compiled.parameters},
        query_graph=to_json(tried.offered.graph),
        picture=result.compiled.picture,
        grounded=True,
        answer_nodes=result.nodes,
        table=result.table,
        unused=tried.offered.ignored,
    )


def choices_of(question: str, strategy: str, tried: Sequence[Tried], *, limit: int) -> tuple[Choice, ...]:
    """Readings among which a user is to choose."""
    return tuple(Choice(item.offered.wording, answer_of(question, strategy, item, limit=limit)) for item in tried)


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    return answered_names(one) == answered_names(other)


def attempt_of(tried: Tried, *, limit: int) -> Attempt:
    """A reading that was tried, as what a model may take instead of writing a query."""
    offered, ran = tried.offered, tried.ran
    found = found_of(offered.graph, ran.result, ran.evidence, offered.wording, limit=limit)
    return Attempt(json.dumps(to_json(offered.graph), ensure_ascii=False), None, found)
