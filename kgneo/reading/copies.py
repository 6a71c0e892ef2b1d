"""Copies: query graphs in which a part stands twice, since the question says two things of it.

Comes in: a query graph as a tree of the question's mentions is read. Goes out: one with a copy of a part, where

- a "yes or no" asks something of the first of something, or of all of a kind: "is Spain the largest country" is not
  about the largest of what is called Spain, and "do all students take Logic" not about whether any does. What is asked
  is the name of the thing itself, or else a comparison, or else the value that is named last ("does the oldest player
  live IN ROME"), or of all of a kind where nothing is named what they are joined to;
- as much of something is compared with what another has: "more films than Ann";
- the first is asked for of each group: "the oldest player of each team";
- something is joined to what is named and to nothing else: "who takes only Logic";
- a thing that is joined to one only is said to be joined to two: who "reviewed A and B" wrote two reviews.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Operator,
    QueryGraph,
    Selection,
    Value,
    Variable,
    with_names,
)
from kgneo.query.tree import tree_of

ALL, OTHER = "all", "other"
"""Begin the names of those of which something is asked, and of what something is compared with."""
Single = Callable[[str, str, bool], bool]
"""Whether nodes of a label have no more than one relationship of a type each, which leaves them or not."""


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


def of_all(graph: QueryGraph, thing: str, counted: str) -> QueryGraph:
    """The query graph in which a `thing` is joined to all there are of what is `counted`, and not to any: "who takes
    EVERY COURSE"."""
    every = f"{ALL}{counted}"
    test = Condition(Aggregate("count", Value(counted), Value(thing)), "=", Aggregate("count", Value(every)))
    known = with_names(
        QueryGraph((graph.variable(counted),), Value(counted), (), graph.conditions_of(counted)), {counted: every}
    )
    return replace(
        graph,
        variables=(*graph.variables, *known.variables),
        conditions=(*graph.conditions, test, *known.conditions),
    )


def and_no_other(graph: QueryGraph, end: str) -> QueryGraph:
    """The query graph in which what the first variable is joined to at `end` by the way that is there is what is named,
    and nothing else."""
    root, parents = graph.variables[0].name, tree_of(graph).parents
    way = [end]
    while parents.get(way[-1]):
        way.append(parents[way[-1]])
    edges = [edge for edge in graph.edges if {edge.subject, edge.object} <= {*way}]
    named = [item for item in graph.conditions_of(end) if item.operator == "="]
    if way[-1] != root or len(way) < 2 or not named or any(edge.absent for edge in edges):
        return graph
    names = {name: f"{OTHER}{name}" for name in (*way[:-1], *(edge.name for edge in edges))} | {root: root}
    inside = [item for name in names for item in graph.conditions_of(name) if name not in (root, end)]
    others = QueryGraph(tuple(map(graph.variable, way)), Value(end), tuple(
        replace(edge, absent=root in (edge.subject, edge.object)) for edge in edges), (
        *inside, *(replace(item, operator="<>") for item in named)))  # fmt: skip
    others = with_names(others, names)
    return replace(
        graph,
        variables=(*graph.variables, *(item for item in others.variables if item.name != root)),
        edges=(*graph.edges, *others.edges),
        conditions=(*graph.conditions, *others.conditions),
    )


def more_than(graph: QueryGraph, label: str, operator: Operator) -> QueryGraph:
    """The query graph that asks whether there are more, or fewer, of the first variable than nodes of a label."""
    root = graph.variables[0].name
    test = Condition(Aggregate("count", Value(root)), operator, Aggregate("count", Value(f"{OTHER}{root}")))
    return replace(
        graph, variables=(*graph.variables, Variable(f"{OTHER}{root}", (label,))), conditions=(*graph.conditions, test)
    )


def first_of_each(graph: QueryGraph, group: str) -> QueryGraph:
    """The query graph that asks for the first of each `group` that the first variable is joined to, and for that group
    beside it, where it asks for the first of all: nothing else of the group comes before it."""
    first, root = _alone(graph), graph.variables[0]
    edges = graph.edges_of(root.name)
    apart = first is None or first.variable != root.name or len(edges) != 1 or edges[0].other(root.name) != group
    if first is None or apart or not isinstance(first.by, Value) or first.by.of != root.name or edges[0].absent:
        return graph
    if graph.answer == first.by:  # "the highest price in each category"
        extreme = Aggregate("maximum" if first.descending else "minimum", first.by, Value(group))
        return replace(graph, answer=extreme, selections=())
    names = {root.name: f"{OTHER}{root.name}", group: group, edges[0].name: f"{OTHER}{edges[0].name}"}
    other = QueryGraph(
        (root, graph.variable(group)), first.by, (replace(edges[0], absent=True),), graph.conditions_of(root.name)
    )
    other = with_names(other, names)
    ahead = Condition(other.answer, ">" if first.descending else "<", first.by)
    return replace(
        graph,
        variables=(*graph.variables, other.variables[0]),
        edges=(*graph.edges, *other.edges),
        conditions=(*graph.conditions, *other.conditions, ahead),
        selections=(),
        columns=graph.columns or (Value(group),),
    )


def parted(graph: QueryGraph, is_single: Single) -> QueryGraph:
    """The query graph with a copy of each variable that is joined to two named things by a relationship of which nodes
    of its label have one only (`is_single`, of a label, a relationship type, and whether that leaves the nodes)."""
    if len(graph.edges) < 2:
        return graph
    graph = _from_its_end(graph, is_single)
    parents = tree_of(graph).parents
    for variable in graph.variables:
        parent = parents.get(variable.name, "")
        for edge in _again(graph, variable, parent, is_single) if parent else ():
            graph = _with_copy(graph, variable, parent, edge)
    return graph


def _again(graph: QueryGraph, variable: Variable, parent: str, is_single: Single) -> list[Edge]:
    """The edges by which a variable is joined once more to something named, where it can be so once."""
    named = [edge for edge in graph.edges_of(variable.name) if edge.other(variable.name) != parent
             and not edge.absent and _is_named(graph, edge.other(variable.name))]  # fmt: skip
    return [edge for number, edge in enumerate(named) if any(_is_alike(edge, other, variable.name)
            for other in named[:number]) and len(edge.relations) == len(variable.labels) == 1
            and is_single(variable.labels[0], edge.relations[0], edge.subject == variable.name)]  # fmt: skip


def _from_its_end(graph: QueryGraph, is_single: Single) -> QueryGraph:
    """A "yes or no" about something that is joined twice to what it is joined to once, as one about what else it is
    joined to: about Ann of "did Ann review A and B"."""
    root = graph.variables[0]
    exists = isinstance(graph.answer, Aggregate) and graph.answer == Aggregate("exists", Value(root.name))
    again = _again(graph, root, "", is_single) if exists else []
    ends = [edge.other(root.name) for edge in graph.edges_of(root.name)
            if not edge.absent and not any(_is_alike(edge, other, root.name) for other in again)]  # fmt: skip
    return replace(graph, answer=Aggregate("exists", Value(ends[0]))) if again and ends else graph


def _is_named(graph: QueryGraph, name: str) -> bool:
    """Whether a variable has a value that the question names."""
    return any(item.operator == "=" and isinstance(item.right, tuple) for item in graph.conditions_of(name))


def _is_alike(one: Edge, other: Edge, variable: str) -> bool:
    """Whether two edges leave a variable the same way."""
    return one.relations == other.relations and (one.subject == variable) == (other.subject == variable)


def _with_copy(graph: QueryGraph, variable: Variable, parent: str, edge: Edge) -> QueryGraph:
    """The query graph with a copy of a variable, in whose place that is what an edge leads from."""
    way = next(item for item in graph.edges_of(variable.name) if item.other(variable.name) == parent)
    own = [name for name in (variable.name, way.name) if name]
    names = {name: f"{name}{edge.name}" for name in own} | {parent: parent}
    known = tuple(item for name in own for item in graph.conditions_of(name))
    copy = with_names(QueryGraph((variable, graph.variable(parent)), Value(variable.name), (way,), known), names)
    ends = {variable.name: names[variable.name]}
    moved = replace(edge, subject=ends.get(edge.subject, edge.subject), object=ends.get(edge.object, edge.object))
    return replace(
        graph,
        variables=(*graph.variables, copy.variables[0]),
        edges=(*(moved if item == edge else item for item in graph.edges), *copy.edges),
        conditions=(*graph.conditions, *copy.conditions),
    )


def _first(graph: QueryGraph) -> Selection | None:
    """What comes first in a "yes or no"; None where several things do, or none."""
    exists = isinstance(graph.answer, Aggregate) and graph.answer.function == "exists"
    return _alone(graph) if exists else None


def _alone(graph: QueryGraph) -> Selection | None:
    """The one that comes first, where a query graph asks for one."""
    alone = graph.selections[0] if len(graph.selections) == 1 else None
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
