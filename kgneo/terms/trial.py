"""Trial: the verified questions asked as if nobody had verified them.

Comes in: a context, and its terms. Goes out: for each question whether the reader finds what the verified query graph
finds: what is changed in the file, or in the graph, is seen here before somebody is answered otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.graph.run import Result
from kgneo.query.graph import QueryGraph
from kgneo.query.wording import wording
from kgneo.stages.interpret import as_told, interpret, run_query
from kgneo.stages.run_readings import run_readings
from kgneo.terms.file import Terms


@dataclass(frozen=True, slots=True)
class Tried:
    """A verified question: whether it is answered the same, and how it was verified and is read, in words."""

    question: str
    same: bool
    verified: str
    told: str


def tried(context: Context, terms: Terms) -> Iterator[Tried]:
    """The verified questions of the terms, in their order."""
    for item in terms.questions:
        yield _tried(context, item.question, item.graph)


def _tried(context: Context, question: str, graph: QueryGraph) -> Tried:
    said = wording(graph, names=context.shape.names)
    try:
        wanted = run_query(context, graph)
    except KgneoError as error:
        return Tried(question, False, said, f"the verified query graph cannot be asked: {error.message}")
    try:
        readings = interpret(context, as_told(context, question))
        found = run_readings(context, question, readings)
    except KgneoError as error:
        return Tried(question, False, said, error.message)
    if found is None:
        return Tried(question, False, said, "nothing was read")
    return Tried(question, _finds(found.result) == _finds(wanted), said, found.interpretation.wording)


def _finds(result: Result) -> object:
    nodes = frozenset(node.id for node in result.nodes)
    return nodes or (frozenset(result.answers), result.table and replace(result.table))
