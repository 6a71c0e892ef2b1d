"""Growth: the one grammar of query graphs, as the actions by which they grow (Yih et al. 2015, Pasupat and Liang 2015).

Comes in: a query graph, the catalogue of what a graph has, and the literals that may be compared with. Goes out: the
actions that lead to query graphs which `check` finds nothing wrong with. An action is one small change: join what a
relationship leads to, test a property, keep the first by an order, ask for something else. `apply` makes it. Whatever a
query graph can say is said by some action, and `Turn` and `Cut` take back what others did.

    graph = apply(None, Begin(("Film",)))
    graph = apply(graph, Join(Edge("p", ("DIRECTED",), "x0"), Variable("p", ("Person",))))
    graph = apply(graph, Where(Condition(Value("p", "name"), "=", ("Kurosawa",))))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar, cast

from kgneo.query.catalogue import Catalogue, Key
from kgneo.query.check import check
from kgneo.query.graph import (
    TEXTUAL,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Function,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
    values_of,
)

ORDERED: tuple[Operator, ...] = ("<", "<=", ">", ">=")
FIGURES: tuple[Function, ...] = ("sum", "average", "minimum", "maximum")
Part = TypeVar("Part", Edge, Condition, Selection)
NO_LITERALS: Mapping[tuple[str, str], Sequence[Scalar]] = {}


@dataclass(frozen=True, slots=True)
class Begin:
    """A query graph that asks for all nodes with these labels."""

    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """An edge, and the variable that it leads to; none where it joins two that are there."""

    edge: Edge
    variable: Variable | None = None

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        more = () if self.variable is None else (self.variable,)
        return replace(graph, variables=(*graph.variables, *more), edges=(*graph.edges, self.edge))


@dataclass(frozen=True, slots=True)
class Beside:
    """A variable that no edge joins, but a comparison: "players of the same age as …"."""

    variable: Variable
    condition: Condition

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        conditions = (*graph.conditions, self.condition)
        return replace(graph, variables=(*graph.variables, self.variable), conditions=conditions)


@dataclass(frozen=True, slots=True)
class Where:
    """A condition."""

    condition: Condition

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        return replace(graph, conditions=(*graph.conditions, self.condition))


@dataclass(frozen=True, slots=True)
class Either:
    """Lists of conditions of which one must hold as a whole."""

    options: tuple[tuple[Condition, ...], ...]

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        return replace(graph, alternatives=(*graph.alternatives, self.options))


@dataclass(frozen=True, slots=True)
class Order:
    """The first few by an order."""

    selection: Selection

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        return replace(graph, selections=(*graph.selections, self.selection))


@dataclass(frozen=True, slots=True)
class Ask:
    """Another answer: a node, a property, an aggregate (for each of something: a group), a calculation."""

    answer: Expression

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph that asks for it."""
        return replace(graph, answer=self.answer)


@dataclass(frozen=True, slots=True)
class Show:
    """What stands beside each answer."""

    column: Expression

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        return replace(graph, columns=(*graph.columns, self.column))


@dataclass(frozen=True, slots=True)
class Differ:
    """Variables that are different nodes."""

    variables: tuple[str, ...]

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with it."""
        return replace(graph, different=self.variables)


@dataclass(frozen=True, slots=True)
class Turn:
    """Another edge, condition or selection in place of one: an edge of another type, the other way, one that must not
    or need not be there."""

    old: Edge | Condition | Selection
    new: Edge | Condition | Selection

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph with the new one."""
        return replace(
            graph,
            edges=self._turned(graph.edges),
            conditions=self._turned(graph.conditions),
            selections=self._turned(graph.selections),
        )

    def _turned(self, parts: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(cast(Part, self.new) if part == self.old else part for part in parts)


@dataclass(frozen=True, slots=True)
class Cut:
    """A condition or a selection less; or a variable less, with all edges at it and all that is said of it."""

    part: Condition | Selection | Variable

    def on(self, graph: QueryGraph) -> QueryGraph:
        """The query graph without it."""
        if isinstance(self.part, Variable):
            return _without(graph, self.part.name)
        return replace(
            graph,
            conditions=tuple(item for item in graph.conditions if item != self.part),
            selections=tuple(item for item in graph.selections if item != self.part),
        )


Action = Begin | Join | Beside | Where | Either | Order | Ask | Show | Differ | Turn | Cut


def apply(graph: QueryGraph | None, action: Action) -> QueryGraph:
    """The query graph after an action. Raises ValueError where there is nothing yet that could grow."""
    if isinstance(action, Begin):
        return QueryGraph((Variable("x0", action.labels),), Value("x0"))
    if graph is None:
        raise ValueError(f"{action} needs a query graph: the first action is Begin.")
    return action.on(graph)


def grown(graph: QueryGraph | None, actions: Iterable[Action]) -> QueryGraph:
    """The query graph after several actions. Raises ValueError where there are none, and no query graph."""
    for action in actions:
        graph = apply(graph, action)
    if graph is None:
        raise ValueError("A query graph grows by at least one action.")
    return graph


def legal(
    graph: QueryGraph | None, catalogue: Catalogue, literals: Mapping[tuple[str, str], Sequence[Scalar]] = NO_LITERALS
) -> Iterator[Action]:
    """The actions after which `check` finds nothing wrong, in a fixed order; `literals` are those that a property, told
    by its label or relationship type and its key, may be compared with."""
    for action in _every(graph, catalogue, literals):
        if not check(apply(graph, action), catalogue):
            yield action


def fresh(graph: QueryGraph, stem: str = "x") -> str:
    """A name that no variable and no edge has: the stem with the first number that is free."""
    names = {item.name for item in graph.variables} | {item.name for item in graph.edges}
    number = len(graph.variables) if stem == "x" else len(graph.edges)
    while f"{stem}{number}" in names:
        number += 1
    return f"{stem}{number}"


def _without(graph: QueryGraph, name: str) -> QueryGraph:
    """Without a variable, the edges at it and what is said of it and them."""
    edges = graph.edges_of(name)
    gone = {name, *(edge.name for edge in edges if edge.name)}

    def stays(*sides: object) -> bool:
        return all(value.of not in gone for side in sides for value in values_of(side))

    return replace(
        graph,
        variables=tuple(item for item in graph.variables if item.name != name),
        edges=tuple(edge for edge in graph.edges if edge not in edges),
        conditions=tuple(item for item in graph.conditions if stays(item.left, item.right)),
        alternatives=tuple(
            options
            for options in graph.alternatives
            if all(stays(item.left, item.right) for option in options for item in option)
        ),
        selections=tuple(item for item in graph.selections if item.variable != name and stays(item.by)),
        columns=tuple(item for item in graph.columns if stays(item)),
        different=tuple(item for item in graph.different if item != name),
    )


# What actions there are ----------------------------------------------------------------------------------------------


def _every(
    graph: QueryGraph | None, catalogue: Catalogue, literals: Mapping[tuple[str, str], Sequence[Scalar]]
) -> Iterator[Action]:
    """Every action that may be legal."""
    if graph is None:
        yield from (Begin((label.name,)) for label in catalogue.labels)
        return
    known = _Known(graph, catalogue, literals)
    yield from known.joins()
    tests = list(known.tests())
    yield from map(Where, tests)
    yield from (Either(((one,), (other,))) for one, other in combinations(tests, 2) if one.left == other.left)
    yield from known.compared()
    yield from map(Order, known.orders())
    answers = list(known.answers())
    yield from (Ask(answer) for answer in answers if answer != graph.answer)
    yield from (Show(answer) for answer in answers if answer not in (graph.answer, *graph.columns))
    yield from (Differ(pair) for pair in combinations([item.name for item in graph.variables], 2))
    yield from known.turns()
    for parts in (graph.conditions, graph.selections, graph.variables[1:]):
        yield from map(Cut, parts)


@dataclass(frozen=True)
class _Known:
    """A query graph with what the schema has for it."""

    graph: QueryGraph
    catalogue: Catalogue
    literals: Mapping[tuple[str, str], Sequence[Scalar]]

    def keys(self) -> Iterator[tuple[Value, Key, Sequence[Scalar]]]:
        """Every property of what is there, with the literals that it may be compared with."""
        for variable in self.graph.variables:
            for key in self.catalogue.keys_of_labels(variable.labels):
                found = (self.literals.get((label, key.name), ()) for label in variable.labels)
                yield _value(variable.name, key), key, [literal for literals in found for literal in literals]
        for edge in self.graph.edges:
            for key in self.catalogue.keys_of_relations(edge.relations) if edge.name else ():
                found = (self.literals.get((relation, key.name), ()) for relation in edge.relations)
                yield _value(edge.name, key), key, [literal for literals in found for literal in literals]

    def joins(self) -> Iterator[Join]:
        name, edge = fresh(self.graph), fresh(self.graph, "r")
        for variable in self.graph.variables:
            for relation in self.catalogue.relations:
                for subject, object_ in relation.ends:
                    if subject in variable.labels:
                        yield Join(Edge(variable.name, (relation.name,), name, edge), Variable(name, (object_,)))
                    if object_ in variable.labels:
                        yield Join(Edge(name, (relation.name,), variable.name, edge), Variable(name, (subject,)))

    def tests(self) -> Iterator[Condition]:
        """Tests of properties, of how many there are, and of two properties."""
        for value, key, literals in self.keys():
            yield Condition(value, "present")
            yield Condition(value, "missing")
            for literal in literals:
                yield from (Condition(value, operator, (literal,)) for operator in ("=", "<>", *_operators(key)))
        for number in self.numbers():
            for literal in self.literals.get(("", ""), ()):
                yield from (Condition(number, operator, (literal,)) for operator in ("=", *ORDERED))
        for (one, key, _), (other, second, _) in combinations(list(self.keys()), 2):
            if key.kind == second.kind:
                operators = ("=", *(ORDERED if key.kind in ("number", "date") else ()))
                yield from (Condition(one, operator, other) for operator in operators)

    def compared(self) -> Iterator[Beside]:
        """Another node with the same value, and one that is not the same."""
        name = fresh(self.graph)
        for variable in self.graph.variables:
            for key in self.catalogue.keys_of_labels(variable.labels):
                value = _value(variable.name, key)
                yield Beside(Variable(name, variable.labels), Condition(value, "=", replace(value, of=name)))

    def numbers(self) -> Iterator[Aggregate]:
        """How many of one variable there are for each of another, or for each value of a property."""
        for one in self.graph.variables:
            for other in self.graph.variables:
                if one != other:
                    yield Aggregate("count", Value(other.name), Value(one.name))
            for key in self.catalogue.keys_of_labels(one.labels):
                group = Value(one.name, key.name)
                yield from (Aggregate("count", Value(other.name), group) for other in self.graph.variables)

    def orders(self) -> Iterator[Selection]:
        for value, key, _ in self.keys():
            if key.kind in ("number", "date"):
                yield from (Selection(self.graph.owner(value.of), value, down) for down in (True, False))
        for number in self.numbers():
            assert number.per is not None
            yield from (Selection(number.per.of, number, down) for down in (True, False))

    def answers(self) -> Iterator[Expression]:
        for variable in self.graph.variables:
            yield Value(variable.name)
            yield Aggregate("count", Value(variable.name))
            yield Aggregate("exists", Value(variable.name))
        numbers = []
        for value, key, _ in self.keys():
            yield replace(value, form="")
            yield Aggregate("count", value)
            if key.kind == "number":
                numbers.append(value)
                yield from (Aggregate(function, value) for function in FIGURES)
        yield from self.numbers()
        yield from (Arithmetic("-", one, other) for one, other in combinations(numbers, 2))

    def turns(self) -> Iterator[Turn]:
        for edge in self.graph.edges:
            yield Turn(edge, replace(edge, absent=not edge.absent))
            yield Turn(edge, replace(edge, optional=not edge.optional))
            yield Turn(edge, replace(edge, subject=edge.object, object=edge.subject))
            yield from (
                Turn(edge, replace(edge, relations=(relation.name,)))
                for relation in self.catalogue.relations
                if relation.name not in edge.relations
            )


def _value(name: str, key: Key) -> Value:
    return Value(name, key.name, "date" if key.kind == "date" else "list" if key.kind == "list" else "")


def _operators(key: Key) -> tuple[Operator, ...]:
    return {"number": ORDERED, "date": ORDERED, "text": TEXTUAL}.get(key.kind, ())
