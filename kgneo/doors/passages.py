"""Passages: what frameworks that retrieve texts get of a graph: the answer first, then the triples that it rests on.

A question whose entity is not in the graph, or that finds nothing, has no passages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.errors import EntityNotFound
from kgneo.model import Answer, Evidence
from kgneo.query.compile import parameters_to_show

MOST = 30
"""Triples of one question at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, and what it is made of in plain values; `kind` there is "answer" or "triple"."""

    text: str
    metadata: dict[str, Any] = field(default_factory=dict)


def passages(
    context: Context, question: str, *, strategy: str | None = None, entities: Sequence[str] = (), most: int = MOST
) -> list[Passage]:
    """The answer of `question` and at most `most` triples behind it. Raises what `kgneo.ask` raises, but for a name
    that is not in the graph."""
    try:
        answer = ask(context, question, strategy=strategy, entities=entities)
    except EntityNotFound:
        return []
    if not answer.answers:
        return []
    return [_answer(answer), *(_triple(item) for item in answer.evidence[:most])]


def _answer(answer: Answer) -> Passage:
    read_as = answer.steps[0].question if answer.steps else answer.question
    metadata = {
        "kind": "answer",
        "answers": list(answer.answers),
        "confidence": answer.confidence,
        "grounded": answer.grounded,
        "cypher": answer.cypher,
        "parameters": parameters_to_show(answer.cypher_parameters),
        "warnings": list(answer.warnings),
    }
    return Passage(f"{read_as}: {answer.answer}", metadata)


def _triple(item: Evidence) -> Passage:
    triple = item.triple
    metadata = {"subject": triple.subject, "relation": triple.relation, "object": triple.object, "hop": item.hop}
    return Passage(triple.text, {"kind": "triple", **metadata})
