"""Trial: the verified questions asked as if nobody had verified them.

Comes in: a context, and verified questions. Goes out: for each question whether the reader, with all the others, finds
what the verified query graph finds: what is changed in the file, or in the graph, is seen here before somebody is
answered otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.graph.run import Result
from kgneo.model import Answer
from kgneo.query.wording import wording
from kgneo.stages.interpret import run_query
from kgneo.strategies.paths import Paths
from kgneo.terms.file import VerifiedQuestion


@dataclass(frozen=True, slots=True)
class Tried:
    """A verified question: whether it is answered the same, and how it was verified and is read, in words."""

    question: str
    same: bool
    verified: str
    told: str


def tried(context: Context, questions: Sequence[VerifiedQuestion]) -> Iterator[Tried]:
    """The verified questions, in their order, each asked with the others alone."""
    for item in questions:
        yield tried_with(context, item, [other for other in questions if other is not item])


def tried_with(context: Context, item: VerifiedQuestion, others: Sequence[VerifiedQuestion]) -> Tried:
    """A verified question asked where only `others` were verified."""
    said = wording(item.graph, names=context.shape.names)
    try:
        wanted = run_query(context, item.graph)
    except KgneoError as error:
        return Tried(item.question, False, said, f"the verified query graph cannot be asked: {error.message}")
    try:
        answer = Paths().chosen(item.question, context, verified=others).answer
    except KgneoError as error:
        return Tried(item.question, False, said, error.message)
    told = answer.steps[0].question if answer.steps else "nothing was read"
    return Tried(item.question, _of_answer(answer) == _of_result(wanted), said, told)


def _of_result(result: Result) -> object:
    nodes = frozenset(node.id for node in result.nodes)
    return nodes or (frozenset(result.answers), result.table)


def _of_answer(answer: Answer) -> object:
    nodes = frozenset(node.id for node in answer.answer_nodes)
    return nodes or (frozenset(answer.answers), answer.table)
