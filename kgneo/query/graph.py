"""Query graphs: what a question means (Yih et al. 2015, staged query graph generation).

A query graph is a tree of variables that begins at the variable that is asked for. Edges join variables along
relationships, conditions bound the values of their properties, selections keep the first few by an order, and the
answer is a variable, a property of one, an aggregate or a calculation over them. All parts are plain values: two query
graphs that are equal mean the same, and nothing in here knows a database.

A part hangs below the variable through which it is joined to the answer. What hangs below an `absent` edge must not be
there; a selection at a variable looks at that variable and at what hangs below it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

Scalar = str | int | float | bool
Form = Literal["", "list", "number", "year", "date", "day first", "month first"]
"""How a value is to be compared: as it is; by the elements of a list; as a number that may be a text ("1,200"); by the
year of a date; as a date, whose text is year first, day first ("9/08/2017") or month first. Dates are compared with
literals such as "2017", "2017-08" or "2017-08-09", as far as these say."""
Operator = Literal["=", "<>", "<", "<=", ">", ">=", "between", "contains", "present", "missing"]
Function = Literal["count", "share", "sum", "average", "minimum", "maximum", "exists"]
Calculation = Literal["+", "-", "*", "/", "difference", "per cent", "years", "months", "days", "hours"]
SPANS: tuple[Calculation, ...] = ("years", "months", "days", "hours")
"""Calculations over two dates."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A node that is looked for. It has all of `labels`; it is one of the nodes `ids` (element ids), where there are
    any."""

    name: str
    labels: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """A relationship of one of the types `relations` from variable `subject` to variable `object`.

    `name` is what conditions call it. Without `directed` it may go either way; `absent`: there must be none.
    """

    subject: str
    relations: tuple[str, ...]
    object: str
    name: str = ""
    directed: bool = True
    absent: bool = False

    def other(self, variable: str) -> str:
        """The variable at the other end."""
        return self.object if variable == self.subject else self.subject


@dataclass(frozen=True, slots=True)
class Value:
    """The property `key` of a variable or of a named edge; without a key, the node itself."""

    of: str
    key: str = ""
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A function over `value`, once for each `per`, or once for all: the number of different values (of nodes or
    relationships, where it has no key), what per cent of all nodes with the variable's labels these are (`share`, as
    the answer alone), or the sum and average over the different nodes or relationships that have the property, so that
    two of them with the same value count twice. `over`: sum and average are over different nodes of another variable,
    where the value is that of a node which they share. `top`: what is asked for is not the number, but of the groups
    by a property those with the `top` greatest numbers, or the -`top` least; equal ones are kept, too."""

    function: Function
    value: Value
    per: Value | None = None
    over: Value | None = None
    top: int = 0


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A calculation over two values: "difference" is how far they are apart, "per cent" is 100 × left / right. Between
    two dates, "years", "months" and "days" are the whole ones from the date (or year) `right` to `left`, "hours" also
    parts of them between two times."""

    operator: Calculation
    left: Value
    right: Value


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of a value. `right` is another value, or literals: with "=" one of them must be equal, with "<>" none,
    with "between" they are the two bounds, both included; "contains" regards neither case; "present" and "missing"
    have none. Of an edge or a node without a key, "=" and "<>" compare identity."""

    left: Value | Aggregate
    operator: Operator = "="
    right: tuple[Scalar, ...] | Value = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Of the nodes that `variable` can be, those that come first by `by`: `limit` of them after `offset`.

    Nodes that are equal to the first or the last one that is kept are kept, too: a second place that is shared with the
    first is the first. By a value of what hangs below, a node is placed by its best one. Nodes without a value go out.
    """

    variable: str
    by: Value | Aggregate
    descending: bool = False
    limit: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """Variables, edges, conditions, selections, and what is asked for.

    `answer` is a `Value` (a node, where it has no key), an `Aggregate` or an `Arithmetic`.
    """

    variables: tuple[Variable, ...]
    answer: Value | Aggregate | Arithmetic
    edges: tuple[Edge, ...] = ()
    conditions: tuple[Condition, ...] = ()
    selections: tuple[Selection, ...] = ()

    @property
    def root(self) -> str:
        """The variable that the tree begins at: the one that is asked for."""
        asked = self.answer
        if isinstance(asked, Aggregate):
            asked = asked.value
        elif isinstance(asked, Arithmetic):
            asked = asked.left
        return self.owner(asked.of)

    @property
    def denies(self) -> bool:
        """Whether it says that something is not so."""
        return any(edge.absent for edge in self.edges) or any(
            item.operator in ("<>", "missing")
            or (isinstance(item.right, tuple) and any(value is False for value in item.right))
            for item in self.conditions
        )

    def owner(self, name: str) -> str:
        """The variable of that name, or the one at the far end of the edge of that name, seen from the root."""
        if any(variable.name == name for variable in self.variables):
            return name
        edge = self.edge(name)
        return edge.object

    def renamed(self) -> QueryGraph:
        """The same with the variables x0, x1, … and the edges r0, r1, … in their order, whatever they were called."""
        names = {variable.name: f"x{number}" for number, variable in enumerate(self.variables)}
        names |= {edge.name: f"r{number}" for number, edge in enumerate(self.edges) if edge.name}
        return _renamed(self, names)

    def variable(self, name: str) -> Variable:
        """The variable of that name. Raises KeyError."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise KeyError(name)

    def edge(self, name: str) -> Edge:
        """The edge of that name. Raises KeyError."""
        for edge in self.edges:
            if edge.name == name:
                return edge
        raise KeyError(name)

    def edges_of(self, variable: str) -> tuple[Edge, ...]:
        """The edges at a variable."""
        return tuple(edge for edge in self.edges if variable in (edge.subject, edge.object))

    def conditions_of(self, name: str) -> tuple[Condition, ...]:
        """The conditions whose left side is a property of that variable or edge."""
        return tuple(
            condition
            for condition in self.conditions
            if isinstance(condition.left, Value) and condition.left.of == name
        )

    def values(self) -> Iterator[Value]:
        """Every value that the graph speaks of."""
        parts: list[object] = [self.answer]
        for condition in self.conditions:
            parts += [condition.left, condition.right]
        parts += [selection.by for selection in self.selections]
        for part in parts:
            if isinstance(part, Value):
                yield part
            elif isinstance(part, Aggregate):
                yield part.value
                yield from (item for item in (part.per, part.over) if item is not None)
            elif isinstance(part, Arithmetic):
                yield part.left
                yield part.right


def _renamed(graph: QueryGraph, names: Mapping[str, str]) -> QueryGraph:
    return replace(
        graph,
        variables=tuple(replace(item, name=names[item.name]) for item in graph.variables),
        edges=tuple(
            replace(
                item, subject=names[item.subject], object=names[item.object], name=names[item.name] if item.name else ""
            )
            for item in graph.edges
        ),
        conditions=tuple(
            replace(
                item,
                left=_of(item.left, names),
                right=_of(item.right, names) if isinstance(item.right, Value) else item.right,
            )
            for item in graph.conditions
        ),
        selections=tuple(
            replace(item, variable=names[item.variable], by=_of(item.by, names)) for item in graph.selections
        ),
        answer=_of(graph.answer, names),
    )


Part = TypeVar("Part", Value, Aggregate, Arithmetic, Value | Aggregate, Value | Aggregate | Arithmetic)


def _of(part: Part, names: Mapping[str, str]) -> Part:
    """A part with the names of its variables and edges exchanged."""
    if isinstance(part, Value):
        return replace(part, of=names[part.of])
    if isinstance(part, Aggregate):
        per, over = (item and _of(item, names) for item in (part.per, part.over))
        return replace(part, value=_of(part.value, names), per=per, over=over)
    return replace(part, left=_of(part.left, names), right=_of(part.right, names))
