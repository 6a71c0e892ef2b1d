"""Moment: query graphs of what holds at a time, where relationships say from when to when.

Comes in: a question, and how the rest of it is read. Goes out: the same with the time as conditions on the periods of
the relationships in it: begun by then, and not over. Where a graph keeps what no longer holds, a question about now is
asked of what does.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from kgneo.context import Context
from kgneo.english.moment import AS_OF, AT, Moment, Timed, is_about_now, timed
from kgneo.graph.shape import Shape
from kgneo.graph.vocabulary import kind_of
from kgneo.query.graph import Condition, Edge, Operator, QueryGraph, Scalar, Value
from kgneo.reading.read import Interpretation


def moment_of(context: Context, question: str) -> Timed | None:
    """The time that a question asks for, and the rest of it; None where it asks for none, or the graph tells none."""
    shape = context.shape
    if not shape.periods:
        return None
    found = timed(question, (AS_OF, AT) if shape.supersedes else (AS_OF,))
    if found is None and shape.supersedes and is_about_now(question):
        today = datetime.now(UTC).date().isoformat()
        return Timed(question, Moment(today, today))
    return found


def at_moment(context: Context, item: Interpretation, moment: Moment) -> Interpretation:
    """An interpretation of what holds at that time; itself where nothing in it has a period."""
    graph = holding(context, item.graph, moment)
    same = graph == item.graph
    return item if same else replace(item, graph=graph, meant=item.meant or item.graph, at=str(moment))


def holding(context: Context, graph: QueryGraph, moment: Moment) -> QueryGraph:
    """A query graph of what holds at that time."""
    edges, alternatives = [], list(graph.alternatives)
    for number, edge in enumerate(graph.edges):
        period = _period(context.shape, edge)
        if period is None or _says(graph, edge, period):
            edges.append(edge)
            continue
        named = replace(edge, name=edge.name or f"h{number}")
        begin, end = period
        alternatives.append(_open_or(context, named, begin, "<=", moment.last))
        alternatives.append(_open_or(context, named, end, ">=", moment.first))
        edges.append(named)
    return replace(graph, edges=tuple(edges), alternatives=tuple(alternatives))


def _period(shape: Shape, edge: Edge) -> tuple[str, str] | None:
    """The period that all types of an edge have, where it is one relationship that must be there."""
    if edge.is_way or edge.absent or edge.optional:
        return None
    found = {shape.periods.get(relation) for relation in edge.relations}
    return found.pop() if len(found) == 1 else None


def _says(graph: QueryGraph, edge: Edge, period: tuple[str, str]) -> bool:
    """Whether a query graph speaks of the period of an edge itself."""
    return bool(edge.name) and any(value.of == edge.name and value.key in period for value in graph.values())


def _open_or(context: Context, edge: Edge, key: str, operator: Operator, day: str) -> tuple[tuple[Condition, ...], ...]:
    """That a date is before or after a day, or not told."""
    relations = {item.name: item for item in context.knowledge.schema.relations}
    found = next(item for item in relations[edge.relations[0]].properties if item.key == key)
    kind, form = kind_of(found)
    day_or_year: Scalar = int(day[:4]) if kind == "date" and not form else day
    value = Value(edge.name, key, form)
    return (Condition(value, "missing"),), (Condition(value, operator, (day_or_year,)),)
