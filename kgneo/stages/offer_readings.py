"""Offer readings: the ways to read a question, each as a query graph that can be shown, changed and run.

Comes in: a question. Goes out: readings, best first, in the order in which the strategy `paths` takes them; nothing is
run. A relation path from a named node is a query graph, too: its nodes are variables, its steps edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.graph.run import Result, evidence_of, run
from kgneo.model import Evidence, RelationPath, split_value_relation
from kgneo.query.compile import Compiled, compile_query
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.query.wording import wording
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.ask_kind import with_kind
from kgneo.stages.choose_reading import RankedReading, rank_readings
from kgneo.stages.interpret import by_graph, interpret, interpret_linked, joins, reading
from kgneo.stages.link import readings

MOST = 8
"""Readings that are given."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A reading: its query graph, its meaning in English, its score among the others, the words of the question that it
    leaves out, and the names of the nodes that it begins at, where it is a path."""

    graph: QueryGraph
    wording: str
    score: float
    ignored: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()


def offer_readings(context: Context, question: str, *, entities: Sequence[str] = ()) -> list[Offered]:
    """The readings of `question`, best first, at least one unless no relation leaves what it names.

    Raises EntityNotFound for a name that the graph does not have.
    """
    if entities or "[" in question:
        linked = readings(context.knowledge, question, entities=entities)
        found = interpret_linked(context, linked[0])
        graphs = bool(found) and joins(context, found[0])
    else:
        found = interpret(context, question)
        graphs = bool(found) and by_graph(context, found[0])
        linked = () if graphs else readings(context.knowledge, found[0].bracketed[0] if found else question)
    if graphs:
        return _told_apart(Offered(item.graph, item.wording, item.score, item.ignored) for item in found)
    ranked = rank_readings(context, linked)
    return _told_apart(_of_path(context, item) for item in ranked if len(item.path) <= MAX_HOPS + 1)


def _told_apart(readings: Iterable[Offered]) -> list[Offered]:
    """The best of those whose meaning is told in the same words, and leaves out the same."""
    found: dict[tuple[str, tuple[str, ...]], Offered] = {}
    for item in readings:
        found.setdefault((item.wording, item.ignored), item)
        if len(found) == MOST:
            break
    return list(found.values())


def _of_path(context: Context, item: RankedReading) -> Offered:
    graph = path_graph(item.path, item.linked.entity_ids[:1])
    graph = with_kind(context, item.linked, item.path, graph, end=f"x{len(graph.variables) - 1}")
    nodes = {topic.entity.id: topic.entity.name for topic in item.linked.topics}
    return Offered(
        graph, wording(graph, nodes=nodes, names=context.shape.names), item.score, entities=item.linked.names
    )


def path_graph(path: RelationPath, ids: Sequence[str]) -> QueryGraph:
    """A relation path that leaves one of the nodes `ids` as a query graph: x0 is that node, x1, x2, … what each step
    reaches; a last step onto a property asks for its value."""
    variables = [Variable("x0", ids=tuple(ids))]
    edges: list[Edge] = []
    answer = Value("x0")
    for hop in path.hops:
        relation, key = split_value_relation(hop.relation) if hop.value else (hop.relation, "")
        here = variables[-1].name
        if relation:
            there, name = f"x{len(variables)}", f"r{len(edges)}" if key else ""
            subject, object_ = (here, there) if hop.forward else (there, here)
            variables.append(Variable(there))
            edges.append(Edge(subject, (relation,), object_, name=name))
            answer = Value(name or there, key)
        else:
            answer = Value(here, key)
    return QueryGraph(tuple(variables), answer, tuple(edges))


def compiled_graph(context: Context, graph: QueryGraph) -> Compiled:
    """The Cypher of a query graph, as it is run."""
    known = reading(context)
    return compile_query(graph, keys=known.keys if known else {}, excluded=context.shape.excluded)


@dataclass(frozen=True, slots=True)
class Ran:
    """What a query graph found, and the triples behind it."""

    result: Result
    evidence: tuple[Evidence, ...]


def run_graph(context: Context, graph: QueryGraph, *, limit: int) -> Ran:
    """Run a query graph that was checked. Raises GraphTimeout and GraphError."""
    known = reading(context)
    keys, naming = (known.keys, known.naming) if known else ({}, {})
    result = run(context.knowledge, graph, keys=keys, naming=naming, limit=limit)
    return Ran(result, () if result.empty else evidence_of(context.knowledge, graph, result))
