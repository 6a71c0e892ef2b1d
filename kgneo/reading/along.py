"""Along: query graphs along relation paths.

Comes in: relation paths and the nodes that they begin at (by element id). Goes out: the query graph of what a path
leads to, and from it the ones that measure, test and order that, or join it to what other paths lead to. The variable
`END` is what the paths lead to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.model import Hop, RelationPath, split_value_relation
from kgneo.query.graph import Condition, Edge, Form, QueryGraph, Value, Variable

END = "x0"
MEASURE = "measure"


def along(path: RelationPath, ids: Sequence[str], *, ends: Sequence[str] = (), prefix: str = "") -> QueryGraph:
    """What `path` leads to from the nodes `ids`: nodes, of which it may be one of `ends`, or values. `prefix` begins
    the names of all variables but the end."""
    relation, key = _value_step(path.hops[-1])
    steps = [hop for hop in path.hops if not hop.value]
    if relation:
        steps.append(Hop(relation, path.hops[-1].forward))
    names = [f"{prefix}{name}" if number else name for number, name in enumerate(_names(len(steps)))]
    variables = [Variable(name) for name in names]
    variables[0] = replace(variables[0], ids=tuple(ends))
    variables[-1] = replace(variables[-1], ids=tuple(ids))
    edges = tuple(
        _edge(names[-number], hop, names[-number - 1], f"{prefix}r{len(steps) - number}")
        for number, hop in enumerate(steps, start=1)
    )
    return QueryGraph(tuple(variables), Value(edges[-1].name if relation else END, key), edges)


def without_its_beginning(graph: QueryGraph) -> QueryGraph:
    """The same without the nodes that the path begins at: "who else …"."""
    begins = [item.name for item in graph.variables if item.ids and item.name != END]
    same = tuple(Condition(Value(END), "<>", Value(name)) for name in begins)
    return replace(graph, conditions=(*graph.conditions, *same))


def joined(graphs: Sequence[QueryGraph]) -> QueryGraph:
    """What all of several paths lead to, whose variables have different names but for their end."""
    first = graphs[0]
    others = [item for graph in graphs[1:] for item in graph.variables if item.name != END]
    return replace(
        first,
        variables=(*first.variables, *others),
        edges=tuple(edge for graph in graphs for edge in graph.edges),
        conditions=tuple(item for graph in graphs for item in graph.conditions),
    )


def measured(graph: QueryGraph, hop: Hop, form: Form, name: str, *, at: str = MEASURE) -> tuple[QueryGraph, Value]:
    """The graph with a step from its end onto a value, and that value, to be compared as `form` says. `name` is the
    property that holds the text of a value that is a node; `at` what the variable for it is called."""
    relation, key = _value_step(hop)
    if hop.value and not relation:
        return graph, Value(END, key, form)
    walked = graph.edges[-1] if graph.edges else None
    if walked and walked.relations == (relation,) and (walked.subject == END) == hop.forward:
        return graph, Value(walked.name, key, form)  # of the very relationship that was walked
    step = Hop(relation, hop.forward) if relation else hop
    edge = _edge(END, step, at, f"to_{at}")
    more = replace(graph, variables=(*graph.variables, Variable(at)), edges=(*graph.edges, edge))
    return more, Value(edge.name, key, form) if relation else Value(at, name, form)


def _names(steps: int) -> list[str]:
    return [END, *(f"x{number}" for number in range(1, steps + 1))]


def _edge(start: str, hop: Hop, end: str, name: str) -> Edge:
    subject, target = (start, end) if hop.forward else (end, start)
    return Edge(subject, (hop.relation,), target, name)


def _value_step(hop: Hop) -> tuple[str, str]:
    """Relationship type and key of a step onto a value; a node's own property has no type."""
    return split_value_relation(hop.relation) if hop.value else ("", "")
