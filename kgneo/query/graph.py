"""Query graphs: what a question means (Yih et al. 2015, staged query graph generation).

A query graph is a tree of variables that begins at the variable that is asked for. Edges join variables along
relationships, conditions bound the values of their properties, selections keep the first few by an order, and the
answer is a variable, a property of one, an aggregate or a calculation over them. All parts are plain values: two query
graphs that are equal mean the same, and nothing in here knows a database.

A part hangs below the variable through which it is joined to the answer. What hangs below an `absent` edge must not be
there; a selection at a variable looks at that variable and at what hangs below it, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, cast

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
Scalar = str | int | float | bool
Form = Literal[
    "", "list", "number", "length", "seconds", "year", "month", "weekday", "date", "day first", "month first"
]  # fmt: skip
"""How a value is to be compared: as it is; by the elements of a list; as a number that may be a text ("1,200"); by the
number of characters of a text; by the seconds of a duration, or of a text that writes one ("PT2H"), a month being
30.44 days; by the year of a date, by the English name of its month or of its day of the week
("Sunday"); as a date, whose text is year first, day first ("9/08/2017") or month first. Dates are compared with
literals such as "2017", "2017-08" or "2017-08-09", as far as these say."""
NAMED_FORMS: Mapping[Form, tuple[str, ...]] = {"month": MONTHS, "weekday": WEEKDAYS}
"""The names that a date is compared by in a form, the first of the year or of the week first."""
Operator = Literal[
    "=", "<>", "<", "<=", ">", ">=", "between", "contains", "starts with", "ends with", "present", "missing", "about"
]  # fmt: skip
TEXTUAL: tuple[Operator, ...] = ("contains", "starts with", "ends with")
"""Operators that look for a text in a text."""
Function = Literal["count", "share", "sum", "average", "minimum", "maximum", "exists"]
Calculation = Literal["+", "-", "*", "/", "%", "difference", "per cent", "years", "months", "days", "hours"]
ONE_STEP = (1, 1)
"""The steps of an edge that is one relationship."""
ANY_DEPTH = (1, 0)
"""The steps of a way that has any number of them."""
MOST_STEPS = 20
"""Relationships of one way at most, where their number is bounded."""
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

    `name` is what conditions call it. Without `directed` it may go either way; `absent`: there must be none;
    `optional`: there may be none, and what hangs below it has no value then, and is counted as 0. Conditions on what
    hangs below an optional edge say what is looked at there.

    `steps` other than (1, 1) are the least and the most relationships (0: any number), one after the other, that lead
    from one end to the other: the edge is a way then, and without `relations` these may be of any type. Of all ways
    between two nodes a shortest one counts; the edge itself as the answer asks for all shortest ones. On a way there is
    no node that one of the variables `avoiding` can be, and none with more than `busiest` relationships (0: no bound);
    that is not said of its ends.
    """

    subject: str
    relations: tuple[str, ...]
    object: str
    name: str = ""
    directed: bool = True
    absent: bool = False
    optional: bool = False
    steps: tuple[int, int] = ONE_STEP
    avoiding: tuple[str, ...] = ()
    busiest: int = 0

    @property
    def is_way(self) -> bool:
        """Whether it may be several relationships, one after the other."""
        return self.steps != ONE_STEP

    def other(self, variable: str) -> str:
        """The variable at the other end."""
        return self.object if variable == self.subject else self.subject


@dataclass(frozen=True, slots=True)
class Value:
    """The property `key` of a variable or of a named edge; without a key, the node itself. Of an edge that is a way,
    the form "length" without a key is the number of its steps."""

    of: str
    key: str = ""
    form: Form = ""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A function over `value`, once for each `per` (a node, or a property's value), or once for all: the number of
    different values (of nodes or relationships, where it has no key), what per cent of all nodes with the variable's
    labels these are (`share`, as the answer alone), or the sum and average over the different nodes or relationships
    that have the property, so that two of them with the same value count twice.

    `over`: sum and average are over different nodes of another variable, where the value is that of a node which they
    share. `each`: the function is over the numbers of different `value` for each of these, as in "the average number
    of films for each director". `top`: what is asked for is not the number, but of the groups by a property those
    with the `top` greatest numbers, or the -`top` least; equal ones are kept, too."""

    function: Function
    value: Value
    per: Value | None = None
    over: Value | None = None
    top: int = 0
    each: Value | None = None


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A calculation over two expressions or numbers: "difference" is how far they are apart, "per cent" is
    100 × left / right, "%" the remainder of left / right. Between two dates, "years", "months" and "days" are the whole
    ones from the date (or year) `right` to `left`, "hours" also parts of them between two times."""

    operator: Calculation
    left: Expression | Number
    right: Expression | Number


@dataclass(frozen=True, slots=True)
class Whole:
    """The one number that another query graph asks for. It is not written: `kgneo.query.nested` makes it of an
    aggregate over variables that nothing joins to the answer."""

    graph: QueryGraph


Number = int | float
Expression = Value | Aggregate | Arithmetic | Whole
"""What is asked for, compared or ordered by."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of an expression. `right` is another expression, or literals: with "=" one of them must be equal, with
    "<>" none, with "between" they are the two bounds, both included; "contains", "starts with" and "ends with" look for
    one of them, and regard capitals only with `capitals`; "present" and "missing" have none. Of an edge or a node
    without a key, "=" and "<>" compare identity. "about" is one text: what a text of the node says (the one of the key,
    where there is one) is like it in words or in meaning, as `kgneo.graph.about` finds it; among the conditions alone,
    and neither among alternatives nor behind an absent edge.

    An aggregate `per` a variable is measured for each of its nodes, `per` a property for each group of nodes with the
    same value. Without `per`, it is over all that its variables can be, which nothing else joins to the answer's."""

    left: Expression
    operator: Operator = "="
    right: tuple[Scalar, ...] | Expression = ()
    capitals: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """Of the nodes that `variable` can be, those that come first by `by`: `limit` of them after `offset`.

    Nodes that are equal to the first or the last one that is kept are kept, too: a second place that is shared with the
    first is the first. By a value of what hangs below, a node is placed by its best one. Nodes without a value go out.
    By an aggregate `per` a property of the variable, groups of nodes with the same value are ordered and kept. Without
    `by`, any `limit` of them are kept, always the same ones. `variable` may be the name of an edge, too, of which those
    are kept whose own property `by` comes first of all; `limit` is 1 then.
    """

    variable: str
    by: Expression | None = None
    descending: bool = False
    limit: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """Variables, edges, conditions, selections, and what is asked for.

    `answer` is a `Value` (a node, where it has no key), an `Aggregate` or an `Arithmetic`; `columns` are what stands
    beside each answer, one number for each where they are aggregates. Of each of the `alternatives`, one of the lists
    of conditions must hold as a whole. The variables `different` are different nodes, each from each.
    """

    variables: tuple[Variable, ...]
    answer: Expression
    edges: tuple[Edge, ...] = ()
    conditions: tuple[Condition, ...] = ()
    selections: tuple[Selection, ...] = ()
    columns: tuple[Expression, ...] = ()
    alternatives: tuple[tuple[tuple[Condition, ...], ...], ...] = ()
    different: tuple[str, ...] = ()

    @property
    def root(self) -> str:
        """The variable that the tree begins at: the one that is asked for, or for which something is measured of what
        may be missing."""
        asked = self.answer
        each = (asked.per or asked.each) if isinstance(asked, Aggregate) else None
        if each and any(edge.optional for edge in self.edges):
            return self.owner(each.of)
        return self.owner(_first(asked).of)

    @property
    def denies(self) -> bool:
        """Whether it says that something is not so."""
        return any(edge.absent for edge in self.edges) or any(
            item.operator in ("<>", "missing")
            or (isinstance(item.right, tuple) and any(value is False for value in item.right))
            for item in self.every_condition()
        )

    @property
    def way(self) -> Edge | None:
        """The edge whose ways are asked for as such, or counted; None where something else is."""
        asked = self.answer.value if isinstance(self.answer, Aggregate) else self.answer
        if not isinstance(asked, Value) or asked.key or asked.form:
            return None
        return next((edge for edge in self.edges if edge.is_way and edge.name == asked.of), None)

    def is_distance(self, value: object) -> bool:
        """Whether a value is the number of steps of a way."""
        if not isinstance(value, Value) or value.key or value.form != "length":
            return False
        return any(edge.is_way and edge.name == value.of for edge in self.edges)

    @property
    def avoided(self) -> tuple[str, ...]:
        """The variables that only tell what a way is not to touch."""
        names = dict.fromkeys(name for edge in self.edges for name in edge.avoiding)
        return tuple(name for name in names if not self.edges_of(name))

    @property
    def about(self) -> tuple[Condition, ...]:
        """The conditions on what texts say."""
        return tuple(item for item in self.conditions if item.operator == "about")

    def every_condition(self) -> Iterator[Condition]:
        """The conditions, those of alternatives, too."""
        yield from self.conditions
        yield from (item for options in self.alternatives for option in options for item in option)

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
        return with_names(self, names)

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
        parts: list[object] = [self.answer, *self.columns]
        for condition in self.every_condition():
            parts += [condition.left, condition.right]
        parts += [selection.by for selection in self.selections]
        return (value for part in parts for value in values_of(part))


def values_of(part: object) -> tuple[Value, ...]:
    """The values that an answer, a side of a condition or an order speaks of; literals are none."""
    if isinstance(part, Aggregate):
        return tuple(item for item in (part.value, part.per, part.over, part.each) if item is not None)
    if isinstance(part, Arithmetic):
        return (*values_of(part.left), *values_of(part.right))
    return (part,) if isinstance(part, Value) else ()


def aggregates_of(part: object) -> tuple[Aggregate, ...]:
    """The aggregates in an answer, a side of a condition or an order."""
    if isinstance(part, Arithmetic):
        return (*aggregates_of(part.left), *aggregates_of(part.right))
    return (part,) if isinstance(part, Aggregate) else ()


def aggregates(graph: QueryGraph) -> tuple[Aggregate, ...]:
    """All aggregates of a query graph."""
    sides: list[object] = [graph.answer, *graph.columns, *(item.by for item in graph.selections)]
    sides += [side for item in graph.every_condition() for side in (item.left, item.right)]
    return tuple(part for side in sides for part in aggregates_of(side))


def is_duration(part: object) -> bool:
    """Whether an expression is a duration: a value in seconds, a sum or an average of some, their difference."""
    if isinstance(part, Arithmetic):
        return part.operator in ("+", "-", "difference") and is_duration(part.left) and is_duration(part.right)
    if isinstance(part, Aggregate):
        return part.function not in ("count", "share", "exists") and part.value.form == "seconds"
    return isinstance(part, Value) and part.form == "seconds"


def matched_values(part: object) -> tuple[Value, ...]:
    """The values in a part that each match has for itself; an aggregate has those for each of which it is measured."""
    if isinstance(part, Arithmetic):
        return (*matched_values(part.left), *matched_values(part.right))
    if isinstance(part, Aggregate):
        return (part.per,) if part.per else ()
    return (part,) if isinstance(part, Value) else ()


def _first(part: Expression | Number) -> Value:
    """The value that a part speaks of first."""
    if isinstance(part, Whole):
        return _first(part.graph.answer)
    if isinstance(part, Arithmetic):
        return _first(part.right if isinstance(part.left, int | float) else part.left)
    if isinstance(part, Aggregate):
        return part.value
    if isinstance(part, Value):
        return part
    raise ValueError("A calculation over numbers alone asks for nothing of the graph.")


def with_values(graph: QueryGraph, change: Callable[[Value], Value]) -> QueryGraph:
    """`graph` with other values in all of its conditions, orders and what is asked for."""
    return replace(
        graph,
        conditions=tuple(_test(item, change) for item in graph.conditions),
        alternatives=tuple(
            tuple(tuple(_test(item, change) for item in option) for option in options) for options in graph.alternatives
        ),
        selections=tuple(replace(item, by=changed(item.by, change)) for item in graph.selections),
        columns=tuple(changed(item, change) for item in graph.columns),
        answer=changed(graph.answer, change),
    )


def _test(item: Condition, change: Callable[[Value], Value]) -> Condition:
    right = item.right if isinstance(item.right, tuple) else changed(item.right, change)
    return replace(item, left=changed(item.left, change), right=right)


Part = TypeVar("Part")


def changed(part: Part, change: Callable[[Value], Value]) -> Part:
    """A part with other values."""
    if isinstance(part, Value):
        return cast(Part, change(part))
    if isinstance(part, Aggregate):
        names = ("value", "per", "over", "each")
        return replace(part, **{name: changed(getattr(part, name), change) for name in names})
    if isinstance(part, Arithmetic):
        return replace(part, left=changed(part.left, change), right=changed(part.right, change))
    return part


def with_names(graph: QueryGraph, names: Mapping[str, str]) -> QueryGraph:
    """`graph` with other names for its variables and edges, of which each has one in `names`."""
    graph = with_values(graph, lambda value: replace(value, of=names[value.of]))
    return replace(
        graph,
        variables=tuple(replace(item, name=names[item.name]) for item in graph.variables),
        edges=tuple(
            replace(
                item,
                subject=names[item.subject],
                object=names[item.object],
                name=names[item.name] if item.name else "",
                avoiding=tuple(names[name] for name in item.avoiding),
            )
            for item in graph.edges
        ),
        selections=tuple(replace(item, variable=names[item.variable]) for item in graph.selections),
        different=tuple(names[name] for name in graph.different),
    )
