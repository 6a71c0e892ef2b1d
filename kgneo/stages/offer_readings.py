"""Offer readings: the ways to read a question, each as a query graph that can be shown, changed and run.

Comes in: interpretations of a question, or ranked relation paths, and which of them answers. Goes out: readings, the
one that answers first, then the others, best first. A relation path from a named node is a query graph, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kgneo.context import Context
from kgneo.graph.run import Result, evidence_of
from kgneo.model import Evidence
from kgneo.query.compile import Compiled, compile_query
from kgneo.query.graph import QueryGraph
from kgneo.reading.read import Interpretation
from kgneo.stages.choose_reading import RankedReading
from kgneo.stages.complete import Completed, graphs_along
from kgneo.stages.interpret import keys_of, run_query
from kgneo.stages.run_readings import Answered

MOST = 8
"""Readings that are given."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a query graph found, and the triples behind it."""

    result: Result
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """A reading: its query graph, its meaning in English, its score among the others, the words of the question that it
    leaves out, the names of the nodes that it begins at, where it is a path, what it found, where it was run, and the
    probability that what no word tells apart is meant so (`decided`)."""

    graph: QueryGraph
    wording: str
    score: float
    ignored: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    ran: Ran | None = field(default=None, compare=False)
    decided: float = 1.0


def of_interpretations(
    understood: Sequence[Interpretation], answered: Answered | None, evidence: tuple[Evidence, ...] = ()
) -> tuple[Offered, ...]:
    """The interpretations of a question as readings, the one that answers it (None: none does), with its evidence,
    before the others."""
    every = [
        Offered(item.graph, item.wording, item.score, _left_out(item), decided=item.decided) for item in understood
    ]
    if answered is not None:
        best = answered.interpretation
        ran = Ran(answered.result, evidence)
        every.insert(0, Offered(best.graph, best.wording, best.score, _left_out(best), (), ran, best.decided))
    return _told_apart(every)


def of_completed(context: Context, found: Completed) -> tuple[Offered, ...]:
    """The query graph that answers a question, and the relation paths that it was chosen before."""
    best = found.readings[0]
    ran = Ran(found.result, found.evidence)
    chosen = Offered(found.graph, found.wording, best.score, entities=best.linked.names, ran=ran)
    return _told_apart([chosen, *(_of_path(context, item) for item in found.readings)])


def of_paths(context: Context, ranked: Sequence[RankedReading]) -> tuple[Offered, ...]:
    """Ranked relation paths as readings."""
    return _told_apart(_of_path(context, item) for item in ranked)


def leaving_out(offered: Sequence[Offered], words: Iterable[str]) -> tuple[Offered, ...]:
    """The readings, of which the first says nothing of `words`."""
    return (replace(offered[0], ignored=tuple(words)), *offered[1:])


def _left_out(item: Interpretation) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*item.ignored, *item.unsaid]))


def _of_path(context: Context, item: RankedReading) -> Offered:
    graph = next(graphs_along(context, item.linked, item.path))
    return Offered(graph, item.wording, item.score, entities=item.linked.names)


def _told_apart(readings: Iterable[Offered]) -> tuple[Offered, ...]:
    """The best of those whose meaning is told in the same words, and leaves out the same."""
    found: dict[object, Offered] = {}
    for item in readings:
        found.setdefault((item.wording, item.ignored, item.entities), item)
        if len(found) == MOST:
            break
    return tuple(found.values())


def compiled_graph(context: Context, graph: QueryGraph) -> Compiled:
    """The Cypher of a query graph, as it is run."""
    return compile_query(graph, keys=keys_of(context), hidden=context.shape.left_out, told=context.shape.told)


def run_graph(context: Context, graph: QueryGraph, *, limit: int) -> Ran:
    """Run a query graph that was checked. Raises GraphTimeout and GraphError."""
    result = run_query(context, graph, limit=limit)
    return Ran(result, evidence_of(context.knowledge, graph, result))
