"""Template: a query graph with its grounded parts cut out, for other questions of the kind to fill.

Comes in: a query graph. Goes out: the same with numbered slots where literals and ids of nodes stood, its variables
named and its parts ordered by a walk from the root, so that graphs that mean the same but for these values, whatever
their variables are called and in whichever order they were written, give equal templates. Learning keeps it as text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.errors import DataError
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Form,
    Function,
    Operator,
    QueryGraph,
    Scalar,
    Value,
    values_of,
)
from kgneo.query.json import from_json, to_json

Values = tuple[Scalar, ...]
"""What fills a slot: the element ids of a variable, or the literals of a condition."""


@dataclass(frozen=True, slots=True)
class Slot:
    """What the values that were cut out were values of: the property `key` of nodes with `labels`, or of relationships
    of one of the types `relations`; without a key, nodes themselves (element ids).

    `operator` and `form` say how they are compared; with a `function`, they are compared with this aggregate.
    """

    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    key: str = ""
    operator: Operator = "="
    form: Form = ""
    function: Function | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """`graph` has the number of a slot wherever values were cut out."""

    graph: QueryGraph

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots by their numbers: those of variables, then those of conditions."""
        variables = [Slot(labels=variable.labels) for variable in self.graph.variables if variable.ids]
        conditions = [_slot(self.graph, condition) for condition in self.graph.conditions if _literals(condition)]
        return (*variables, *conditions)

    def to_text(self) -> str:
        """As JSON text."""
        return json.dumps(to_json(self.graph), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> Template:
        """The inverse of `to_text`. Raises DataError for another text."""
        try:
            record = json.loads(text)
        except ValueError as error:
            raise DataError(f"A template was expected as JSON text, and {text[:80]!r} is none: {error}.") from error
        return cls(from_json(record))


def template(graph: QueryGraph) -> Template:
    """The template of `graph`, all of whose names are declared."""
    variables, conditions, number = [], [], 0
    ordered = canonical(graph)
    for variable in ordered.variables:
        variables.append(replace(variable, ids=(str(number),)) if variable.ids else variable)
        number += bool(variable.ids)
    for condition in ordered.conditions:
        conditions.append(replace(condition, right=(number,)) if _literals(condition) else condition)
        number += bool(_literals(condition))
    return Template(replace(ordered, variables=tuple(variables), conditions=tuple(conditions)))


def grounded(graph: QueryGraph) -> tuple[Values, ...]:
    """The values that `template` cuts out of `graph`, in the order of the slots."""
    ordered = canonical(graph)
    ids = [variable.ids for variable in ordered.variables if variable.ids]
    return (*ids, *(literals for condition in ordered.conditions if (literals := _literals(condition))))


def fill(template: Template, values: Sequence[Values]) -> QueryGraph:
    """The query graph of a template with `values` in its slots, in their order. Raises ValueError for another number
    of values than there are slots, and for an empty one."""
    if len(values) != len(template.slots) or not all(values):
        raise ValueError(f"Found {len(values)} values {list(values)!r}, expected one for each of {template.slots!r}.")
    left = iter(values)
    graph = template.graph
    variables = tuple(
        replace(variable, ids=tuple(map(str, next(left)))) if variable.ids else variable for variable in graph.variables
    )
    conditions = tuple(
        replace(condition, right=tuple(next(left))) if _literals(condition) else condition
        for condition in graph.conditions
    )
    return replace(graph, variables=variables, conditions=conditions)


def _literals(condition: Condition) -> Values:
    """What is cut out; what a calculation is compared with belongs to it, as the 0 in "divisible by 5"."""
    is_cut = isinstance(condition.left, Value | Aggregate) and isinstance(condition.right, tuple)
    return condition.right if is_cut and isinstance(condition.right, tuple) else ()


def _slot(graph: QueryGraph, condition: Condition) -> Slot:
    left = condition.left
    value, function = (left.value, left.function) if isinstance(left, Aggregate) else (left, None)
    assert isinstance(value, Value)
    relations = next((edge.relations for edge in graph.edges if edge.name == value.of), ())
    labels = () if relations else graph.variable(value.of).labels
    return Slot(labels, relations, value.key, condition.operator, value.form, function)


# The order of a walk from the root -----------------------------------------------------------------------------------


def canonical(graph: QueryGraph) -> QueryGraph:
    """A query graph that means the same, the same for all orders and names in which it can be written: parts that
    cannot be told apart but for their values stay in the order in which they were written."""
    walk = _Walk(graph)
    nameless = Counter(_edge(edge, walk.variables, set()) for edge in walk.edges)
    twins = {edge.name for edge in walk.edges if nameless[_edge(edge, walk.variables, set())] > 1}
    used = twins | {value.of for value in graph.values()}
    ordered = replace(
        graph,
        variables=tuple(
            replace(graph.variable(name), labels=tuple(sorted(graph.variable(name).labels))) for name in walk.variables
        ),
        edges=tuple(_edge(edge, walk.variables, used) for edge in walk.edges),
    ).renamed()
    return replace(
        ordered,
        conditions=tuple(sorted(ordered.conditions, key=_condition_key)),
        selections=tuple(
            sorted(
                ordered.selections,
                key=lambda item: ordered.variables.index(ordered.variable(ordered.owner(item.variable))),
            )
        ),
    )


def _edge(edge: Edge, order: Sequence[str], used: set[str]) -> Edge:
    ends = (edge.subject, edge.object)
    subject, object_ = ends if edge.directed else sorted(ends, key=order.index)
    name = edge.name if edge.name in used else ""
    return replace(edge, subject=subject, object=object_, relations=tuple(sorted(edge.relations)), name=name)


def _condition_key(item: Condition) -> str:
    return repr((item.left, item.operator, None if _literals(item) else item.right, item.capitals))


class _Walk:
    """The variables and edges of a query graph in the order of a walk from the root, depth first, the ways from each
    variable ordered by all that lies along them but names and values."""

    def __init__(self, graph: QueryGraph) -> None:
        self._graph = graph
        self.variables: list[str] = []
        self.edges: list[Edge] = []
        self._visit(graph.root)
        while left := [item.name for item in graph.variables if item.name not in self.variables]:
            self._visit(min(left, key=lambda name: self._told(name, "")))

    def _visit(self, name: str) -> None:
        self.variables.append(name)
        for other, edges in self._ways(name):
            if other in self.variables:
                continue
            self.edges += edges
            self._visit(other)
        self.edges += [edge for edge in self._graph.edges_of(name) if edge not in self.edges and self._closed(edge)]

    def _closed(self, edge: Edge) -> bool:
        return edge.subject in self.variables and edge.object in self.variables

    def _ways(self, name: str) -> list[tuple[str, list[Edge]]]:
        edges = self._graph.edges_of(name)
        others = dict.fromkeys(edge.other(name) for edge in edges)
        ways = [(other, [edge for edge in edges if edge.other(name) == other]) for other in others]
        ways = [(other, sorted(joined, key=lambda edge: self._told_edge(edge, name))) for other, joined in ways]
        return sorted(
            ways, key=lambda way: (*(self._told_edge(edge, name) for edge in way[1]), self._told(way[0], name))
        )

    def _told(self, name: str, above: str) -> str:
        """All that is said of a variable and of what lies behind it, seen from `above`."""
        variable = self._graph.variable(name)
        beyond = sorted(
            self._told_edge(edge, name) + self._told(edge.other(name), name)
            for edge in self._graph.edges_of(name)
            if edge.other(name) != above
        )
        return repr((sorted(variable.labels), bool(variable.ids), self._roles(name), beyond))

    def _told_edge(self, edge: Edge, start: str) -> str:
        way = "any" if not edge.directed else "out" if edge.subject == start else "in"
        return repr(
            (sorted(edge.relations), way, edge.absent, edge.optional, self._roles(edge.name) if edge.name else [])
        )

    def _roles(self, name: str) -> list[str]:
        """What the answer, conditions and selections say of a variable or edge."""
        graph = self._graph
        parts: list[tuple[str, object]] = [("answer", graph.answer), *(("column", item) for item in graph.columns)]
        parts += [("different", Value(other)) for other in graph.different]
        for item in graph.every_condition():
            parts += [(f"if {item.operator} {bool(_literals(item))}", item.left), (f"than {item.operator}", item.right)]
        for order in graph.selections:
            told = f"{order.descending} {order.limit} {order.offset}"
            parts += [(f"by {told}", order.by), (f"first {told}", Value(order.variable))]
        return sorted(
            repr((tag, _function(part), place, value.key, value.form))
            for tag, part in parts
            for place, value in enumerate(values_of(part))
            if value.of == name
        )


def _function(part: object) -> str:
    if isinstance(part, Aggregate):
        return part.function
    return part.operator if isinstance(part, Arithmetic) else ""
