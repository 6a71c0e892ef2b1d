"""Tested: what a "yes or no" asks of the first of something, or of all of a kind.

Comes in: the query graph of such a question, whose conditions all bound one thing: "is Spain the largest country", of
what is called Spain the largest; "do all students take Logic", whether any does. Goes out: one that tells apart what is
asked and of what it is asked: whether Spain has the largest area of all countries; whether as many students take Logic
as there are. What is asked is the name of the thing itself, or else a comparison, or else the value that is named last:
"does the oldest player live IN ROME"; of all of a kind where nothing is named, what they are joined to.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kgneo.query.graph import Aggregate, Condition, Operator, QueryGraph, Selection, Value, with_names
from kgneo.query.tree import tree_of

ALL, OTHER = "all", "other"
"""Begin the names of those of which something is asked, and of what something is compared with."""


def of_first(graph: QueryGraph, naming: Collection[Value], last: str) -> QueryGraph:
    """The query graph with what is asked held against the first of all others. `naming` are the values that are names
    of single things, `last` is the variable of the value that the question names last, and not as whose the first one
    is. Comes back as it is where nothing is asked of the first one, and asks for the first one itself where that is
    told by a number for each: no condition compares the films of one actor with those of the one with the most."""
    first = _first(graph)
    asked = _asked(graph, first.variable, naming, last) if first else ()
    if first is None or not asked:
        return graph
    if not isinstance(first.by, Value):
        return replace(graph, answer=Value(first.variable), conditions=_without(graph, asked))
    extreme = Aggregate("maximum" if first.descending else "minimum", first.by)
    return _held_against(graph, first.variable, asked, Condition(first.by, "=", extreme))


def of_every(graph: QueryGraph, last: str) -> QueryGraph:
    """The query graph that asks whether something is so of all that the first variable can be, and not of any."""
    root = graph.variables[0].name
    asked = _asked(graph, root, (), last)
    if not asked and not graph.edges:
        return graph
    every = Aggregate("count", Value(root))
    return _held_against(graph, root, asked, Condition(every, "=", every))


def outnumbers(
    graph: QueryGraph, thing: str, counted: str, known: Sequence[Condition], operator: Operator
) -> QueryGraph:
    """The query graph that compares how many of what is `counted` a `thing` has with how many another one has, of which
    `known` is told."""
    tree = tree_of(graph)
    way = [counted]
    while way[-1] not in (thing, ""):
        way.append(tree.parents[way[-1]])
    edges = [edge for edge in graph.edges if {edge.subject, edge.object} <= {*way}]
    inside = {*way, *(edge.name for edge in edges)} - {thing}
    other = replace(
        graph,
        variables=tuple(graph.variable(name) for name in way),
        answer=Value(counted),
        edges=tuple(edges),
        conditions=tuple(item for item in graph.conditions if isinstance(item.left, Value) and item.left.of in inside),
    )
    other = with_names(other, {name: f"{OTHER}{name}" for name in (*way, *(edge.name for edge in edges))})
    exists = isinstance(graph.answer, Aggregate) and graph.answer.function == "exists"
    left = Aggregate("count", Value(counted), None if exists else Value(thing))
    test = Condition(left, operator, Aggregate("count", Value(f"{OTHER}{counted}")))
    return replace(
        graph,
        variables=(*graph.variables, *other.variables),
        edges=(*graph.edges, *other.edges),
        conditions=(*graph.conditions, test, *other.conditions, *known),
    )


def _first(graph: QueryGraph) -> Selection | None:
    """What comes first in a "yes or no"; None where several things do, or none."""
    exists = isinstance(graph.answer, Aggregate) and graph.answer.function == "exists"
    alone = graph.selections[0] if exists and len(graph.selections) == 1 else None
    return alone if alone and (alone.limit, alone.offset) == (1, 0) else None


def _asked(graph: QueryGraph, variable: str, naming: Collection[Value], last: str) -> Sequence[Condition]:
    """The conditions that are asked of a variable."""
    names = [item for item in graph.conditions_of(variable) if item.left in naming]
    compared = [item for item in graph.conditions if item.operator not in ("=", "<>", "present", "missing")]
    return names or compared or graph.conditions_of(last)


def _without(graph: QueryGraph, asked: Sequence[Condition]) -> tuple[Condition, ...]:
    return tuple(item for item in graph.conditions if item not in asked)


def _held_against(graph: QueryGraph, variable: str, asked: Sequence[Condition], test: Condition) -> QueryGraph:
    """The query graph with a test whose right side is made over all that a variable can be without what is asked."""
    among = replace(graph, answer=Value(variable), conditions=_without(graph, asked), selections=())
    among = _without_ends(among, {variable, *_of(test)}, asked)
    names = {name: f"{ALL}{name}" for name in _names(among)}
    among = with_names(among, names)
    right = test.right
    assert isinstance(right, Aggregate)
    right = replace(right, value=replace(right.value, of=names[right.value.of]))
    return replace(
        graph,
        variables=(*graph.variables, *among.variables),
        edges=(*graph.edges, *among.edges),
        conditions=(*graph.conditions, replace(test, right=right), *among.conditions),
        selections=(),
    )


def _names(graph: QueryGraph) -> list[str]:
    """The names of its variables and edges."""
    return [*(item.name for item in graph.variables), *(item.name for item in graph.edges)]


def _of(test: Condition) -> set[str]:
    """The variables and edges whose values a test compares."""
    return {side.value.of if isinstance(side, Aggregate) else side.of for side in (test.left, test.right)
            if isinstance(side, Aggregate | Value)}  # fmt: skip


def _without_ends(graph: QueryGraph, kept: Collection[str], asked: Sequence[Condition]) -> QueryGraph:
    """The query graph without the ways that lead to nothing but what is asked, or, where no value is, to nothing."""
    ends = [item.left.of for item in asked if isinstance(item.left, Value)] or [item.name for item in graph.variables]
    parents = tree_of(graph).parents
    for name in ends:
        told = {*kept, *(value.of for value in graph.values())}
        while name not in told and len(graph.edges_of(name)) == 1 and graph.edges_of(name)[0].name not in told:
            edges, variables = graph.edges_of(name), [item for item in graph.variables if item.name != name]
            graph = replace(
                graph, variables=tuple(variables), edges=tuple(item for item in graph.edges if item not in edges)
            )
            name = parents[name]
    return graph
