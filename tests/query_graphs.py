"""Small property graphs, random query graphs over them, and an interpreter that answers a query graph naively."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import neo4j.time
from hypothesis import strategies as st

from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.compile import MONTH
from kgneo.query.graph import (
    ANY_DEPTH,
    MONTHS,
    NAMED_FORMS,
    SPANS,
    TEXTUAL,
    WEEKDAYS,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Form,
    QueryGraph,
    Selection,
    Value,
    Variable,
    Whole,
    aggregates_of,
    values_of,
)
from kgneo.query.nested import compares_wholes, nested
from kgneo.query.tree import tree_of

QUOTES = 'it\'s "a" `b` \\u0060) SET n.x = 1 //\n'
TEXT, COUNT, SIZE, TRUE, NUMERAL, DAY, LIST, DATE = QUOTES, "count", "si`ze", "true", "numeral\\", "day", "list", "date"
LENGTH = "length"
FILM, PERSON, ODD = "Film", "Person", "`Odd` \\u0060 DETACH DELETE n"
MADE, KNOWS, WORSE = "MADE", "KNOWS", "]-() CALL db.labels() `\\u0060"
KEYS = tuple(
    Key(name, type_)
    for name, type_ in (
        (TEXT, "STRING"),
        (COUNT, "INTEGER"),
        (SIZE, "FLOAT"),
        (TRUE, "BOOLEAN"),
        (NUMERAL, "STRING"),
        (DAY, "STRING"),
        (LIST, "LIST<STRING NOT NULL>"),
        (DATE, "DATE"),
        (LENGTH, "DURATION"),
    )
)
CATALOGUE = Catalogue(
    tuple(Label(name, KEYS) for name in (FILM, PERSON, ODD)),
    tuple(Relation(name, KEYS[:6]) for name in (MADE, KNOWS, WORSE)),
)
POOLS: Mapping[str, tuple[Any, ...]] = {
    TEXT: ("a", "B", QUOTES),
    COUNT: (1, 2, 3),
    SIZE: (1.0, 2.5),
    TRUE: (True, False),
    NUMERAL: ("7", "1,200", "none"),
    DAY: ("9/08/2017", "10/8/2017", "1/01/2018"),
    LIST: (["a"], ["a", "b"], ["c", QUOTES]),
    DATE: (neo4j.time.Date(2017, 8, 9), neo4j.time.Date(2018, 1, 1), neo4j.time.Date(2014, 8, 10)),
    LENGTH: tuple(map(neo4j.time.Duration.from_iso_format, ("PT90M", "PT2H", "P1DT1S", "P2M"))),
}
FORMS: Mapping[str, Form] = {NUMERAL: "number", DAY: "day first", LIST: "list", DATE: "date", LENGTH: "seconds"}
LITERALS: Mapping[str, tuple[Any, ...]] = {
    **POOLS,
    COUNT: (1, 2, 2.5),
    NUMERAL: (7, 1200.0),
    DAY: ("2017", "2017-08", "2017-08-10", "2018-01-01"),
    LIST: ("a", "b", QUOTES),
    DATE: ("2017", "2018-01", "2017-08-09"),
    LENGTH: (5400, 7200, 86401.0, 5_259_492),
}
OF_DATES: tuple[Form, ...] = ("date", "date", "year", "month", "weekday")
OF_FORMS: Mapping[Form, tuple[Any, ...]] = {
    "year": (2017, 2018),
    "month": ("January", "August"),
    "weekday": ("Sunday", "Monday", "Wednesday"),
}
NO_ANSWER = "no answer"


@dataclass(frozen=True)
class Node:
    id: str
    labels: tuple[str, ...]
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class Relationship:
    id: str
    type: str
    subject: Node
    object: Node
    properties: Mapping[str, Any]


@dataclass(frozen=True)
class Way:
    """Relationships one after the other, with the nodes that they join."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]

    @property
    def id(self) -> tuple[str, ...]:
        return (
            self.nodes[0].id,
            *(f"{item.id}>{node.id}" for item, node in zip(self.relationships, self.nodes[1:], strict=True)),
        )


@dataclass(frozen=True)
class World:
    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]


# Random graphs and query graphs --------------------------------------------------------------------------------------


def _properties(keys: Sequence[Key]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={key.name: st.sampled_from(POOLS[key.name]) for key in keys})


@st.composite
def worlds(draw: Callable[..., Any]) -> World:
    labels = st.sampled_from([(FILM,), (PERSON,), (ODD,), (FILM, ODD), ()])
    size = draw(st.integers(3, 9))
    nodes = tuple(Node(str(number), draw(labels), draw(_properties(KEYS))) for number in range(size))
    ends = st.sampled_from(nodes)
    relationships = tuple(
        Relationship(
            f"r{number}",
            draw(st.sampled_from((MADE, KNOWS, WORSE))),
            draw(ends),
            draw(ends),
            draw(_properties(KEYS[:6])),
        )
        for number in range(draw(st.integers(2, 12)))
    )
    return World(nodes, relationships)


@st.composite
def query_graphs(draw: Callable[..., Any]) -> QueryGraph:
    """A query graph that the check finds nothing wrong with: a tree, and of some parts those that it lets be added."""
    names = draw(st.permutations(["x1", "x0", "value", "r0", "kept"]))[: draw(st.integers(1, 4))]
    variables = tuple(_variable(draw, name) for name in names)
    edges: list[Edge] = []
    hidden: set[str] = set()
    for number, name in enumerate(names[1:], start=1):
        start = names[draw(st.integers(0, number - 1))]
        edge = _edge(draw, start, name, number)
        edges.append(replace(edge, absent=edge.absent and start not in hidden))
        if edge.absent or start in hidden:
            hidden.add(name)
    graph = QueryGraph(variables, Value(names[0]), tuple(edges))
    if draw(st.integers(0, 4)) == 0:
        graph = _with_loose(draw, graph)
    parts = (
        _parallel, _with_condition, _with_condition, _with_selection, _with_selection, _with_test, _with_test,
        _with_answer, _with_over_all, _with_alternatives, _with_optional, _with_columns, _with_different,
    )  # fmt: skip
    for _ in range(draw(st.integers(1, 8))):
        part = draw(st.sampled_from(parts))
        changed = part(draw, graph)
        graph = graph if check(changed, CATALOGUE) else changed
    return graph


@st.composite
def way_graphs(draw: Callable[..., Any]) -> QueryGraph:
    """A query graph with an edge of several steps: of what it leads to, of the ways themselves, or of their lengths."""
    names = [f"x{number}" for number in range(draw(st.integers(2, 3)))]
    variables = tuple(_variable(draw, name) for name in names)
    steps = draw(st.sampled_from([(1, 3), (2, 4), (2, 2), ANY_DEPTH, ANY_DEPTH]))
    edge = replace(_edge(draw, names[0], names[1], 1), absent=False, steps=steps)
    edge = replace(edge, relations=draw(st.sampled_from([edge.relations, ()])))
    if draw(st.booleans()):
        labels, ids = draw(st.sampled_from([((ODD,), ()), ((FILM,), ()), ((), ("1", "2"))]))
        variables = (*variables, Variable("avoided", labels, ids))
        edge = replace(edge, avoiding=("avoided",), busiest=draw(st.sampled_from([0, 3])))
    others = (_edge(draw, names[1], names[2], 2),) if len(names) > 2 else ()
    graph = QueryGraph(variables, Value(names[0]), (edge, *others))
    distance, node = Value(edge.name, form="length"), graph.answer
    kind = draw(st.sampled_from(["nodes", "ways", "distance", "furthest", "exists", "nearest"]))
    if kind == "nearest":
        graph = replace(graph, selections=(Selection(names[0], distance),))
    elif kind != "nodes":
        answers: dict[str, Any] = {
            "ways": Value(edge.name),
            "distance": distance,
            "furthest": Aggregate("maximum", distance),
            "exists": Aggregate("exists", Value(graph.root) if isinstance(node, Value) else distance),
        }
        graph = replace(graph, answer=answers[kind])
    changed = _with_condition(draw, graph)
    graph = graph if check(changed, CATALOGUE) else changed
    assert not check(graph, CATALOGUE)
    return graph


def _variable(draw: Callable[..., Any], name: str) -> Variable:
    labels = draw(st.sampled_from([(), (), (FILM,), (PERSON,), (ODD,), (FILM, ODD)]))
    ids = draw(st.sampled_from([(), (), (), ("0",), ("1", "2")]))
    return Variable(name, labels, ids)


def _edge(draw: Callable[..., Any], start: str, end: str, number: int) -> Edge:
    relations = draw(st.sampled_from([(MADE,), (KNOWS,), (WORSE,), (MADE, KNOWS), (WORSE, MADE, KNOWS)]))
    subject, object_ = draw(st.sampled_from([(start, end), (end, start)]))
    directed, absent = draw(st.sampled_from([(True, False), (True, False), (False, False), (True, True)]))
    return Edge(subject, relations, object_, f"edge{number}", directed, absent)


def _parallel(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    if not graph.edges:
        return graph
    edge = draw(st.sampled_from(graph.edges))
    number = len(graph.edges) + 1
    return replace(graph, edges=(*graph.edges, _edge(draw, edge.subject, edge.object, number)))


def _with_loose(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    """With a variable that a comparison alone joins to the others."""
    left = _value(draw, graph)
    operator = draw(st.sampled_from(["=", "<>", "<", ">="]))
    condition = Condition(left, operator, replace(left, of="loose"))
    changed = replace(
        graph,
        variables=(*graph.variables, _variable(draw, "loose")),
        conditions=(*graph.conditions, condition),
    )
    return graph if check(changed, CATALOGUE) else changed


def _value(draw: Callable[..., Any], graph: QueryGraph) -> Value:
    names = [item.name for item in graph.variables] + [item.name for item in graph.edges]
    key = draw(st.sampled_from(KEYS)).name
    form: Form = draw(st.sampled_from(OF_DATES)) if key == DATE else FORMS.get(key, "")
    return Value(draw(st.sampled_from(names)), key, form)


def _node(draw: Callable[..., Any], graph: QueryGraph) -> Value:
    return Value(draw(st.sampled_from(graph.variables)).name)


def _with_condition(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    left = _value(draw, graph)
    operators = ["=", "=", "<>", "<", "<=", ">", ">=", "between", *TEXTUAL, "present", "missing"]
    operator = draw(st.sampled_from(operators))
    right: Any = ()
    kind = draw(st.integers(0, 4))
    if kind == 0:
        left, right = _node(draw, graph), _node(draw, graph)
        operator = draw(st.sampled_from(["=", "<>"]))
    elif kind == 1:
        right = replace(left, of=_value(draw, graph).of)
    elif operator in TEXTUAL:
        right = tuple(draw(st.lists(st.sampled_from(["A", "2017", "it's", "//\n", "b"]), min_size=1, max_size=2)))
    elif operator not in ("present", "missing"):
        most = {"between": 2, "=": 2, "<>": 2}.get(operator, 1)
        pool = OF_FORMS.get(left.form, LITERALS[left.key])
        right = tuple(draw(st.lists(st.sampled_from(pool), min_size=2 if operator == "between" else 1, max_size=most)))
    condition = Condition(left, operator, right, capitals=operator in TEXTUAL and draw(st.booleans()))
    if kind == 2:
        operand = Value(left.of, draw(st.sampled_from([COUNT, SIZE])))
        calculation = draw(st.sampled_from(["+", "*", "%", "-"]))
        right = draw(st.sampled_from([(1,), (0, 1), Value(_value(draw, graph).of, COUNT)]))
        condition = Condition(Arithmetic(calculation, operand, draw(st.sampled_from([2, 3]))), "=", right)
    return replace(graph, conditions=(*graph.conditions, condition))


def _with_over_all(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    """With a comparison with a number over all that others can be."""
    if any(item.name == "all0" for item in graph.variables):
        return graph
    other = QueryGraph((_variable(draw, "all0"), _variable(draw, "all1")), Value("all0"),
                       (_edge(draw, "all0", "all1", 9),))  # fmt: skip
    other = other if draw(st.booleans()) else QueryGraph(other.variables[:1], Value("all0"))
    other = _with_condition(draw, other) if draw(st.booleans()) else other
    number = _aggregate(draw, replace(other, variables=other.variables[:1], edges=()))
    if other.edges and draw(st.booleans()):
        number = Aggregate(draw(st.sampled_from(["average", "maximum"])), Value("all0"), each=Value("all1"))
    left = draw(st.sampled_from([Value(_value(draw, graph).of, COUNT), _aggregate(draw, graph, _node(draw, graph))]))
    condition = Condition(left, draw(st.sampled_from(["<", ">=", "="])), number)
    together = replace(graph, variables=(*graph.variables, *other.variables), edges=(*graph.edges, *other.edges),
                       conditions=(*graph.conditions, *other.conditions))  # fmt: skip
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return replace(together, answer=Arithmetic("-", Aggregate("count", Value(graph.root)), number))
    if kind == 1:
        counted = Condition(Aggregate("count", Value(graph.root)), ">", number)
        together = replace(together, answer=Aggregate("exists", Value(graph.root)))
        return replace(together, conditions=(*together.conditions, counted))
    return replace(together, conditions=(*together.conditions, condition))


def _with_alternatives(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    items = [_with_condition(draw, replace(graph, conditions=())).conditions[0] for _ in range(3)]
    items += [Condition(Value(edge.name), "present") for edge in graph.edges if edge.optional]
    found = draw(st.permutations(items))
    return replace(graph, alternatives=(*graph.alternatives, ((found[0],), (found[1], found[2]))))


def _with_optional(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    if not graph.edges:
        return graph
    chosen = draw(st.sampled_from(graph.edges))
    edges = tuple(replace(edge, optional=True) if edge == chosen else edge for edge in graph.edges)
    return replace(graph, edges=edges)


def _with_columns(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    columns = [_value(draw, graph), _node(draw, graph), _aggregate(draw, graph)]
    columns = draw(st.permutations(columns))[: draw(st.integers(1, 2))]
    return replace(graph, columns=tuple(replace(i, form="") if isinstance(i, Value) else i for i in columns))


def _with_different(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    names = draw(st.lists(st.sampled_from([item.name for item in graph.variables]), max_size=3, unique=True))
    return replace(graph, different=tuple(names) if len(names) > 1 else ())


def _aggregate(draw: Callable[..., Any], graph: QueryGraph, per: Value | None = None) -> Aggregate:
    function = draw(st.sampled_from(["count", "count", "sum", "average", "minimum", "maximum"]))
    value = _node(draw, graph) if function == "count" and draw(st.booleans()) else _value(draw, graph)
    return Aggregate(function, value, per)


def _below(graph: QueryGraph, name: str) -> QueryGraph:
    """The part of a query graph that hangs below a variable, to draw values from."""
    inside = tree_of(graph).below(name) | {name}
    variables = tuple(item for item in graph.variables if item.name in inside)
    edges = tuple(item for item in graph.edges if {item.subject, item.object} <= inside)
    return replace(graph, variables=variables, edges=edges)


def _with_selection(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    at = _node(draw, graph).of
    inside = _below(graph, at)
    group = draw(st.sampled_from([None, None, replace(_value(draw, graph), of=at, form="")]))
    by: Any = _value(draw, inside) if group is None and draw(st.booleans()) else _aggregate(draw, inside, group)
    if draw(st.integers(0, 4)) == 0:
        operands = draw(st.sampled_from([(Value(at, COUNT), 2), (Value(at, COUNT), Value(at, SIZE)),
                                         (_aggregate(draw, inside), Value(at, COUNT))]))  # fmt: skip
        by = Arithmetic(draw(st.sampled_from(["+", "*"])), *operands)
    by = draw(st.sampled_from([by, by, by, by, None]))
    selection = Selection(at, by, draw(st.booleans()), draw(st.integers(1, 3)), draw(st.sampled_from([0, 0, 1])))
    return replace(graph, selections=(*graph.selections, selection))


def _with_test(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    per = _node(draw, graph)
    if draw(st.booleans()):
        per = replace(_value(draw, graph), of=per.of, form="")
    left = _aggregate(draw, _below(graph, per.of), per)
    operator = draw(st.sampled_from(["=", "<>", "<", ">="]))
    right = [(draw(st.integers(0, 3)),), _aggregate(draw, _below(graph, per.of), per), Value(per.of, COUNT)]
    return replace(graph, conditions=(*graph.conditions, Condition(left, operator, draw(st.sampled_from(right)))))


def _with_answer(draw: Callable[..., Any], graph: QueryGraph) -> QueryGraph:
    root = graph.root
    kind = draw(st.sampled_from(["value", "aggregate", "per", "arithmetic", "span", "share", "exists"]))
    value = replace(_value(draw, graph), of=root)
    answer: Any = value
    if kind == "aggregate":
        function = _aggregate(draw, graph).function
        over = _node(draw, graph) if function in ("sum", "average") and draw(st.booleans()) else None
        answer = Aggregate(function, value, over=over)
    elif kind == "per":
        per = _node(draw, graph) if draw(st.booleans()) else replace(_value(draw, graph), form="")
        top = draw(st.integers(-2, 2)) if per.key else 0
        answer = Aggregate("count", draw(st.sampled_from([value, Value(root)])), per, top=top)
    elif kind == "arithmetic":
        right = Value(_value(draw, graph).of, draw(st.sampled_from([COUNT, SIZE])))
        operators = st.sampled_from(["+", "-", "*", "/", "difference", "per cent"])
        answer = Arithmetic(draw(operators), Value(root, COUNT), right)
    elif kind == "span":
        dates = [Value(of, key, FORMS[key]) for of in (root, _node(draw, graph).of) for key in (DATE, DAY)]
        unit = draw(st.sampled_from(SPANS))
        answer = Arithmetic(unit, draw(st.sampled_from(dates[:2])), draw(st.sampled_from(dates[2:])))
    elif kind in ("share", "exists"):
        answer = Aggregate("share" if kind == "share" else "exists", Value(root))
    return replace(graph, answer=answer)


# The interpreter -----------------------------------------------------------------------------------------------------

Row = dict[str, Any]


class Interpreter:
    """Answers a query graph by trying everything; `ids` are what nodes are called where their order is that of ids."""

    def __init__(self, world: World, graph: QueryGraph, ids: Mapping[str, str] | None = None) -> None:
        self.world, self.graph, self.ids = world, nested(graph), ids or {}
        self.tree = tree_of(self.graph)
        self.allowed: dict[str, set[str]] = {}
        self.conditions = tuple(
            replace(item, left=self._known(item.left), right=self._known(item.right)) for item in self.graph.conditions
        )

    def answer(self) -> Any:
        """A set of nodes' ids, of values, or of pairs of a group and a number, or one value; with columns, a set of
        rows."""
        asked = self._known(self.graph.answer)
        if isinstance(asked, int | float | str | None):
            return {asked} - {None}
        closed = [item for item in self.graph.conditions if compares_wholes(item)]
        told = [holds_between(item, *(self._known(side) for side in (item.left, item.right))) for item in closed]
        names = {item.name for item in self.graph.variables}
        roots = {part.graph.root for item in closed for part in (item.left, item.right) if isinstance(part, Whole)}
        if closed and isinstance(asked, Aggregate) and asked.function == "exists" and roots & names:
            return all(told)
        rows = self._all_rows() if all(told) else []
        if self.graph.columns:
            return self._table(rows)
        if not isinstance(asked, Aggregate):
            return {plain(shown(row, asked)) for row in rows} - {None}
        if asked.function == "share":
            labels = set(self.graph.variable(self.graph.root).labels)
            every = [node for node in self.world.nodes if labels <= set(node.labels)]
            return 100.0 * len({row[self.graph.root].id for row in rows}) / len(every) if every else None
        if asked.each is not None:
            each = asked.each
            counted = Aggregate("count", asked.value)
            kinds = grouped(rows, lambda row: plain(raw(row, each)))
            numbers = [aggregated(rows, counted) for kind, rows in kinds.items() if kind is not None]
            return over_numbers(asked.function, numbers)
        if asked.per is None:
            return bool(rows) if asked.function == "exists" else plain(aggregated(rows, asked))
        per = asked.per
        groups = grouped(rows, lambda row: plain(raw(row, per)))
        found = {(group, plain(aggregated(rows, asked))) for group, rows in groups.items() if group is not None}
        if not asked.top:
            return found
        order = sorted((number for _, number in found if number is not None), reverse=asked.top > 0)
        kept = order[: abs(asked.top)]
        return {group for group, number in found if number in kept}

    def _table(self, rows: Sequence[Row]) -> Any:
        asked, columns = self._known(self.graph.answer), [self._known(item) for item in self.graph.columns]
        first = asked.per if isinstance(asked, Aggregate) else asked
        told = [item for item in (first, *columns) if item is not None and not isinstance(item, Aggregate)]
        numbers = [item for item in (asked, *columns) if isinstance(item, Aggregate)]
        if first is None:
            return {tuple(plain(aggregated(rows, item)) for item in numbers)}
        groups = grouped(rows, lambda row: tuple(plain(shown(row, item)) for item in told))
        table = set()
        for group, found in groups.items():
            left = dict(zip(told, group, strict=True))
            left |= {item: plain(aggregated(found, item)) for item in numbers}
            if group[0] is not None:
                table.add(tuple(left[item] for item in ([first] if first != asked else []) + [asked, *columns]))
        return table

    def _known(self, part: Any) -> Any:
        """A part with the numbers over all found."""
        if isinstance(part, Whole):
            found = Interpreter(self.world, part.graph, self.ids).answer()
            return found[1] if isinstance(found, tuple) else found
        if isinstance(part, Arithmetic):
            left, right = self._known(part.left), self._known(part.right)
            part = replace(part, left=left, right=right)
            return part if values_of(part) else calculated(part.operator, left, right)
        return part

    def _all_rows(self) -> list[Row]:
        for name in reversed(list(self.tree.parents)):
            if name not in self.tree.hidden:
                self._select(name)
        spoken = [value for part in (self.graph.answer, *self.graph.columns) for value in values_of(part)]
        gone = {below for name in self.allowed for below in self.tree.below(name) - {name}}
        whole = any(value.of not in self.tree.parents or value.of in gone for value in spoken)
        return self._rows(set(self.tree.parents), whole=whole)

    def _select(self, name: str) -> None:
        tests = [(item, found[0].per) for item in self.conditions
                 if (found := [*aggregates_of(item.left), *aggregates_of(item.right)])]  # fmt: skip
        orders = [(item, next((part.per for part in aggregates_of(item.by) if part.per), Value(item.variable)))
                  for item in self.graph.selections]  # fmt: skip
        kinds = {per for _, per in (*tests, *orders) if per is not None and per.of == name}
        for kind in sorted(kinds, key=lambda kind: bool(kind.key)):
            rows = [row for row in self._rows(set(self.tree.below(name)), again=name)
                    if plain(raw(row, kind)) is not None]  # fmt: skip
            groups = grouped(rows, lambda row: plain(raw(row, kind)))  # noqa: B023 - called at once
            for test in (item for item, per in tests if per == kind):
                groups = {id_: rows for id_, rows in groups.items()
                          if holds_between(test, measure(rows, test.left), measure(rows, test.right))}  # fmt: skip
            for selection in (item for item, per in orders if per == kind):
                ranked = {id_: self._ranked(rows, selection) for id_, rows in groups.items()}
                order = sorted((m for m in ranked.values() if m is not None), reverse=selection.descending)
                kept = order[selection.offset : selection.offset + selection.limit]
                groups = {id_: rows for id_, rows in groups.items() if ranked[id_] in kept}
            self.allowed[name] = {row[name].id for rows in groups.values() for row in rows}

    def _ranked(self, rows: Sequence[Row], selection: Selection) -> Any:
        if selection.by is None:
            return min(self.ids.get(row[selection.variable].id, row[selection.variable].id) for row in rows)
        return measured(rows, replace(selection, by=self._known(selection.by)))

    def _rows(self, names: set[str], *, whole: bool = False, again: str = "") -> list[Row]:
        """Every way to bind variables and present edges, without what hangs below variables that were selected, but
        where that is wanted, too (`whole`), or below the one that is selected `again`."""
        done = [name for name in self.allowed if name != again]
        gone = {below for name in done for below in self.tree.below(name) - {name} if name in names}
        names = names - self.tree.hidden - (set() if whole else gone)
        edges = [edge for edge in self.graph.edges if not edge.absent and {edge.subject, edge.object} <= names]
        inner = set(self.allowed) & names
        missing = {name for edge in edges if edge.optional for name in self._region(edge)}
        there = [edge for edge in edges if edge.name not in missing]
        rows = [
            row
            for row in self._bound({}, there, sorted(names - missing))
            if self._right(row, names - missing, inner, names)
        ]
        for edge in sorted((edge for edge in edges if edge.optional), key=lambda edge: self._depth(self._lower(edge))):
            rows = [longer for row in rows for longer in self._longer(row, edge, edges)]
        return [row for row in rows if self._late(row)]

    def _lower(self, edge: Edge) -> str:
        return self.tree.lower(edge)

    def _depth(self, name: str) -> int:
        return list(self.tree.parents).index(name)

    def _region(self, edge: Edge) -> set[str]:
        """What is missing with an optional edge, but for what is behind further ones."""
        names = set(self.tree.below(self._lower(edge))) - self.tree.hidden
        further = [self._lower(other) for other in self.graph.edges if other.optional and other is not edge]
        names -= {name for top in further if top in names for name in self.tree.below(top)}
        return {*names, edge.name, *(item.name for item in self.graph.edges if {item.subject, item.object} <= names)}

    def _longer(self, row: Row, edge: Edge, edges: Sequence[Edge]) -> list[Row]:
        """A row with each way in which what may be missing is there, or with nothing there."""
        region = self._region(edge)
        within = [item for item in edges if item.name in region]
        free = sorted(region - {item.name for item in self.graph.edges})
        if row[edge.other(self._lower(edge))] is not None:
            before = {name: found for name, found in row.items() if isinstance(found, Node | None)}
            ways = [{**row, **way} for way in self._bound(before, within, free, fresh=True)]
            ways = [way for way in ways if self._right(way, set(free), set(), {*row, *free})]
            if ways:
                return ways
        return [{**row, **dict.fromkeys(region)}]

    def _late(self, row: Row) -> bool:
        """The conditions that are tested when it is known what is missing."""
        late = [item for item in self.conditions if self._is_late(item)]
        if not all(self._passes(item, row) for item in late):
            return False
        told = [[item for option in options for item in option] for options in self.graph.alternatives]
        spoken = [
            {value.of for item in items for side in (item.left, item.right) for value in values_of(side)}
            for items in told
        ]
        return all(
            any(all(self._passes(item, row) for item in option) for option in options)
            for options, owners in zip(self.graph.alternatives, spoken, strict=True)
            if owners <= set(row)
        )

    def _is_late(self, item: Condition) -> bool:
        if not isinstance(item.left, Value) or item.left.key or item.right != ():
            return False
        regions = [self._region(edge) for edge in self.graph.edges if edge.optional]
        return any(item.left.of in region for region in regions)

    def _match(self, edge: Edge) -> str:
        """The selected variable below which an edge is matched; no relationship is twice in one match."""
        name = self.tree.parents[self.tree.lower(edge)]
        while name and name not in self.allowed:
            name = self.tree.parents[name]
        return name

    def _bound(self, row: Row, edges: Sequence[Edge], names: Sequence[str], *, fresh: bool = False) -> Iterator[Row]:
        if edges and edges[0].is_way:
            for longer in self._along(row, edges[0]):
                yield from self._bound(longer, edges[1:], names, fresh=fresh)
            return
        if edges:
            taken = [row[edge.name] for edge in self.graph.edges if row.get(edge.name) is not None
                     and (fresh or self._match(edge) == self._match(edges[0]))]  # fmt: skip
            for found in self.world.relationships:
                if found.type in edges[0].relations and not any(found is other for other in taken):
                    for longer in steps(row, edges[0], found):
                        yield from self._bound(longer, edges[1:], names, fresh=fresh)
            return
        free = [name for name in names if name not in row]
        if not free:
            yield row
        for node in self.world.nodes if free else ():
            yield from self._bound({**row, free[0]: node}, (), names)

    def _along(self, row: Row, edge: Edge) -> Iterator[Row]:
        """The row with a shortest way for each pair of ends, or with all of them where these are asked for."""
        every = self.graph.way is not None and self.graph.way == edge
        for start in self.world.nodes:
            if row.get(edge.subject, start) is not start:
                continue
            found: dict[str, list[Way]] = {}
            for way in self._ways(edge, Way((start,), ())):
                found.setdefault(way.nodes[-1].id, []).append(way)
            for ways in found.values():
                shortest = min(len(way.relationships) for way in ways)
                best = [way for way in ways if len(way.relationships) == shortest]
                for way in best if every else best[:1]:
                    end = way.nodes[-1]
                    if row.get(edge.object, end) is end:
                        yield {**row, edge.subject: start, edge.object: end, edge.name: way}

    def _ways(self, edge: Edge, way: Way) -> Iterator[Way]:
        least, most = edge.steps
        if len(way.relationships) >= least:
            yield way
        been = not most and way.nodes[-1] in way.nodes[:-1]  # a shortest way comes by nothing twice
        stopped = way.relationships and not self._may_pass(edge, way.nodes[-1])
        if len(way.relationships) == (most or -1) or been or stopped:
            return
        for found in self.world.relationships:
            ends = [(found.subject, found.object), *([] if edge.directed else [(found.object, found.subject)])]
            typed = not edge.relations or found.type in edge.relations
            for start, end in dict.fromkeys((one.id, two.id) for one, two in ends):
                if typed and start == way.nodes[-1].id and not any(found is other for other in way.relationships):
                    node = next(node for node in self.world.nodes if node.id == end)
                    yield from self._ways(edge, Way((*way.nodes, node), (*way.relationships, found)))

    def _may_pass(self, edge: Edge, node: Node) -> bool:
        """Whether a node may be on a way, and not only at its end."""
        degree = sum((item.subject is node) + (item.object is node) for item in self.world.relationships)
        degree -= sum(item.subject is item.object is node for item in self.world.relationships)
        busy = edge.busiest and degree > edge.busiest
        return not busy and not any(is_one(node, self.graph.variable(name)) for name in edge.avoiding)

    def _right(self, row: Row, names: set[str], inner: set[str], every: set[str]) -> bool:
        variables = [self.graph.variable(name) for name in names]
        if not all(is_one(row[item.name], item) for item in variables):
            return False
        if any(row[name].id not in self.allowed[name] for name in inner):
            return False
        if not all(self._passes(item, row) for item in self.conditions if not self._is_late(item)):
            return False
        absent = [edge for edge in self.graph.edges if edge.absent and {edge.subject, edge.object} & (names - inner)]
        absent = [edge for edge in absent if {edge.subject, edge.object} <= (every & set(row)) | self.tree.hidden]
        return not any(self._there(edge, row) for edge in absent)

    def _passes(self, item: Condition, row: Row) -> bool:
        """Whether a condition is met, as far as all that it speaks of is in the row."""
        values = [value for side in (item.left, item.right) for value in values_of(side)]
        tested = aggregates_of(item.left) or aggregates_of(item.right)
        if tested or not all(value.of in row for value in values):
            return True
        return holds_between(item, shown(row, item.left, compared=True), shown(row, item.right, compared=True))

    def _there(self, edge: Edge, row: Row) -> bool:
        """Whether what hangs behind an absent edge is there."""
        behind = {name for name in (edge.subject, edge.object) if name not in row}
        behind = {below for name in behind for below in self.tree.below(name)}
        edges = [
            edge,
            *(item for item in self.graph.edges if not item.absent and {item.subject, item.object} <= behind),
        ]
        nodes = {name: node for name, node in row.items() if isinstance(node, Node)}
        return any(
            all(is_one(found[name], self.graph.variable(name)) for name in behind)
            and all(self._passes(item, {**row, **found}) for item in self.conditions)
            for found in self._bound(nodes, edges, sorted(behind))
        )


def steps(row: Row, edge: Edge, found: Relationship) -> Iterator[Row]:
    """The row with an edge bound to a relationship, whichever way it fits."""
    for subject, object_ in [
        (found.subject, found.object),
        *([] if edge.directed else [(found.object, found.subject)]),
    ]:
        if row.get(edge.subject, subject) is subject and row.get(edge.object, object_) is object_:
            yield {**row, edge.subject: subject, edge.object: object_, edge.name: found}


def is_one(node: Node, variable: Variable) -> bool:
    return set(variable.labels) <= set(node.labels) and (not variable.ids or node.id in variable.ids)


def grouped(rows: Sequence[Row], key: Callable[[Row], Any]) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def measured(rows: Sequence[Row], selection: Selection) -> Any:
    if aggregates_of(selection.by):
        return measure(rows, selection.by)
    values = [value for row in rows if (value := shown(row, selection.by, compared=True)) is not None]
    return (max if selection.descending else min)(values, default=None)


def measure(rows: Sequence[Row], part: Any) -> Any:
    """What is measured of the rows of a group; beside aggregates stands what is the same in all of them."""
    if isinstance(part, Aggregate):
        return aggregated(rows, part)
    if isinstance(part, Arithmetic):
        return calculated(part.operator, measure(rows, part.left), measure(rows, part.right))
    return value_in(rows[0], part) if isinstance(part, Value) else part


def shown(row: Row, part: Any, *, compared: bool = False) -> Any:
    """A part of a row, as it stands in a column or as it is compared."""
    if isinstance(part, Arithmetic):
        return calculated(part.operator, shown(row, part.left, compared=True), shown(row, part.right, compared=True))
    if isinstance(part, Value):
        return value_in(row, part) if compared else raw(row, part)
    return part


def holds_between(item: Condition, left: Any, right: Any) -> bool:
    """Whether a condition is met by what its sides are worth."""
    if isinstance(item.right, tuple):
        return holds(item, left)
    if right is None or left is None:
        return False
    return holds(replace(item, right=(right,)), left, exact=True)


def over_numbers(function: str, numbers: Sequence[Any]) -> Any:
    if function == "sum":
        return float(sum(numbers))
    if not numbers:
        return None
    return {"average": sum(numbers) / len(numbers), "minimum": min(numbers), "maximum": max(numbers)}[function]


def aggregated(rows: Sequence[Row], item: Aggregate) -> Any:
    over = item.over or item.value
    there = [row for row in rows if row[over.of] is not None and row[item.value.of] is not None]
    owners = {(row[over.of].id, row[item.value.of].id): row[item.value.of] for row in there}.values()
    values = [value for owner in owners if (value := value_of(owner, item.value)) is not None]
    if item.function == "count":
        return len({plain(value) for value in values})
    if item.function == "sum":
        return float(sum(values))
    if not values:
        return None
    return {
        "average": lambda: sum(values) / len(values),
        "minimum": lambda: min(values),
        "maximum": lambda: max(values),
    }[item.function]()


def raw(row: Row, value: Value) -> Any:
    kept = value.form in ("length", "year") or value.form in NAMED_FORMS
    return value_of(row[value.of], value if kept else replace(value, form=""))


def value_in(row: Row, value: Value) -> Any:
    return value_of(row[value.of], value)


def value_of(owner: Node | Relationship | Way | None, value: Value) -> Any:
    """What a value is compared as; None where there is none."""
    if owner is None:
        return None
    if isinstance(owner, Way):
        return len(owner.relationships) if value.form == "length" else owner.id
    if not value.key:
        return owner.id
    found = owner.properties.get(value.key)
    if found is None or value.form in ("", "list"):
        return found
    if value.form == "number":
        return float(found.replace(",", "")) if found != "none" else None
    if value.form == "length":
        return len(str(found))
    if value.form == "year":
        return int(str(found)[:4])
    if value.form == "month":
        return MONTHS[found.month - 1]
    if value.form == "weekday":
        return WEEKDAYS[found.to_native().weekday()]
    if value.form == "seconds":
        return MONTH * found.months + 86_400.0 * found.days + found.seconds
    if value.form == "date":
        return str(found)[:10]
    day, month, year = found.split("/")
    return f"{int(year):04}-{int(month):02}-{int(day):02}"


def plain(value: Any) -> Any:
    """A value that equals what Cypher takes for the same, and only that."""
    if isinstance(value, list):
        return tuple(value)
    return ("truth", value) if isinstance(value, bool) else value


def holds(item: Condition, left: Any, *, exact: bool = False) -> bool:
    """Whether a condition on literals is met; nothing but "missing" is by no value."""
    if item.operator in ("present", "missing") or left is None:
        return (left is None) == (item.operator == "missing")
    form = item.left.form if isinstance(item.left, Value) else ""
    right = item.right
    assert isinstance(right, tuple)
    if item.operator in TEXTUAL:
        text, parts = str(left), [str(part) for part in right]
        if not item.capitals:
            text, parts = text.lower(), [part.lower() for part in parts]
        found = {"contains": lambda part: part in text, "starts with": text.startswith, "ends with": text.endswith}
        return any(found[item.operator](part) for part in parts)
    if form == "list" and not exact:
        return any(element in right for element in left) == (item.operator == "=")
    if form in ("date", "day first") and not exact:
        tests = {"=": any, "<>": all, "between": all}.get(item.operator, all)
        operators = (">=", "<=") if item.operator == "between" else (item.operator,) * len(right)
        return tests(COMPARE[one](left[: len(str(value))], value) for one, value in zip(operators, right, strict=True))
    if item.operator == "between":
        return bool(right[0] <= left <= right[1])
    if item.operator in ("=", "<>"):
        return any(plain(left) == plain(value) for value in right) == (item.operator == "=")
    return COMPARE[item.operator](left, right[0])


COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda left, right: bool(left == right),
    "<>": lambda left, right: bool(left != right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
}


def calculated(operator: str, left: Any, right: Any) -> Any:
    if left is None or right is None:
        return None
    if operator in SPANS:
        first, last = sorted([left, right])
        months = 12 * (int(last[:4]) - int(first[:4])) + int(last[5:7]) - int(first[5:7]) - (last[8:10] < first[8:10])
        days = (date.fromisoformat(last) - date.fromisoformat(first)).days
        whole = {"years": months // 12, "months": months, "days": days, "hours": 24.0 * days}
        return whole[operator] * (1 if left >= right else -1)
    if operator in ("/", "per cent"):
        return None if right == 0 else (100.0 if operator == "per cent" else 1.0) * left / right
    if operator == "%":
        return None if right == 0 else math.fmod(left, right)
    return {"+": left + right, "-": left - right, "*": left * right, "difference": abs(left - right)}[operator]
