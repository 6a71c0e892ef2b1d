"""Meaning: query graphs with what terms stand for in the place of the terms.

Comes in: a query graph that says of a variable that it is "active", or asks for its "revenue", as if these were
properties, and the query graphs that they stand for. Goes out: a query graph in which nothing is said that the graph
does not store, or nothing where it cannot be said: a denial of several things at once, for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Expression,
    Operator,
    QueryGraph,
    Selection,
    Value,
    Variable,
    changed,
    with_names,
)

Meanings = Mapping[tuple[str, str], QueryGraph]
"""What properties that are not stored stand for, by label and name."""
CONTRARY: Mapping[Operator, Operator] = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "present": "missing", "missing": "present"
}  # fmt: skip


def expanded(graph: QueryGraph, meanings: Meanings) -> QueryGraph | None:
    """`graph` with what its terms stand for; None where that cannot be said. One that has none is as it was."""
    if not any(_meaning(graph, value, meanings) for value in graph.values()):
        return graph
    return _Expansion(graph, meanings).expanded()


def _meaning(graph: QueryGraph, value: Value, meanings: Meanings) -> QueryGraph | None:
    label = next((label for item in graph.variables if item.name == value.of for label in item.labels), "")
    return meanings.get((label, value.key))


class _Unsaid(Exception):
    """A query graph that cannot be said."""


@dataclass
class _Expansion:
    graph: QueryGraph
    meanings: Meanings
    variables: list[Variable] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    _joined: dict[Value, Aggregate] = field(default_factory=dict)

    def expanded(self) -> QueryGraph | None:
        graph = self.graph
        try:
            kept = [item for item in graph.conditions if not self._joins(item)]
            conditions = [self._condition(item) for item in kept]
            alternatives = tuple(
                tuple(tuple(test for item in option for test in self._tests(item)) for option in options)
                for options in graph.alternatives
            )
            selections = tuple(self._selection(item) for item in graph.selections)
            answer = self._answer(graph.answer)
            columns = tuple(self._answer(item) for item in graph.columns)
        except _Unsaid:
            return None
        return replace(
            graph,
            variables=(*graph.variables, *self.variables),
            edges=(*graph.edges, *self.edges),
            conditions=(*conditions, *self.conditions),
            alternatives=alternatives,
            selections=selections,
            answer=answer,
            columns=columns,
        )

    # What is true of a node ------------------------------------------------------------------------------------------

    def _joins(self, item: Condition) -> bool:
        """Whether a condition says a term of a node, or denies it; what that stands for is a part of the graph then."""
        said = self._said(item)
        if said is None:
            return False
        meaning, of, true = said
        if true:
            self._join(meaning, of)
        elif not self._denied(meaning, of):
            raise _Unsaid
        return True

    def _said(self, item: Condition) -> tuple[QueryGraph, str, bool] | None:
        """The meaning of a term that a condition says or denies, and the variable that it is said of."""
        if not isinstance(item.left, Value):
            return None
        meaning = _meaning(self.graph, item.left, self.meanings)
        if meaning is None or isinstance(meaning.answer, Aggregate):
            return None
        truths = {"present": True, "missing": False}
        if item.operator in truths:
            return meaning, item.left.of, truths[item.operator]
        if item.operator not in ("=", "<>") or item.right not in ((True,), (False,)):
            raise _Unsaid
        return meaning, item.left.of, (item.right == (True,)) == (item.operator == "=")

    def _join(self, meaning: QueryGraph, of: str) -> QueryGraph:
        """Make what a term stands for a part of the graph, at the variable `of`."""
        own = self._named(meaning, of)
        if own.selections or own.columns:
            raise _Unsaid
        self.variables += [item for item in own.variables if item.name != of]
        self.edges += own.edges
        self.conditions += own.conditions
        if own.alternatives:
            raise _Unsaid
        return own

    def _denied(self, meaning: QueryGraph, of: str) -> bool:
        """Deny what a term stands for, where that is one test of a property, or one thing that there is: all that
        hangs below an edge that must not be there is denied with it."""
        own = self._named(meaning, of)
        if own.selections or own.alternatives:
            return False
        own_edges = own.edges_of(of)
        tested = own.conditions_of(of)
        if not own.edges and len(own.conditions) == 1 and tested and tested[0].operator in CONTRARY:
            self.conditions.append(replace(tested[0], operator=CONTRARY[tested[0].operator]))
            return True
        if len(own_edges) != 1 or tested or own_edges[0].absent:
            return False
        self.variables += [item for item in own.variables if item.name != of]
        self.edges += [replace(edge, absent=edge == own_edges[0]) for edge in own.edges]
        self.conditions += own.conditions
        return True

    def _tests(self, item: Condition) -> Sequence[Condition]:
        """A condition of an alternative: a term there can only stand for tests of the node's own properties."""
        said = self._said(item)
        if said is None:
            return [self._condition(item)]
        meaning, of, true = said
        own = self._named(meaning, of)
        if own.edges or own.alternatives or own.selections or not true:
            raise _Unsaid
        return own.conditions

    def _named(self, meaning: QueryGraph, of: str) -> QueryGraph:
        """The query graph of a term, with the name `of` for the variable that it asks for and new ones for others."""
        asked = meaning.answer.value if isinstance(meaning.answer, Aggregate) else meaning.answer
        assert isinstance(asked, Value)
        number = len(self.variables) + len(self.edges)
        names = {item.name: f"term{number}x{place}" for place, item in enumerate(meaning.variables)}
        names |= {edge.name: f"term{number}r{place}" for place, edge in enumerate(meaning.edges) if edge.name}
        return with_names(meaning, names | {asked.of: of})

    # What is measured of a node --------------------------------------------------------------------------------------

    def _answer(self, part: Expression) -> Expression:
        """What is asked for: of a measure the number of all, however it was said."""
        if isinstance(part, Value) and (measure := self._measure(part)):
            return measure
        return self._measured(part)

    def _condition(self, item: Condition) -> Condition:
        right = item.right if isinstance(item.right, tuple) else self._compared(item.right)
        return replace(item, left=self._compared(item.left), right=right)

    def _compared(self, part: Expression) -> Expression:
        """A side of a condition: the measure of a node that something else is asked for is that of all below each."""
        root = self.graph.root
        if isinstance(part, Value) and part.of != root and (measure := self._measure(part)):
            return replace(measure, per=Value(root))
        return self._measured(part)

    def _selection(self, item: Selection) -> Selection:
        if isinstance(item.by, Value) and item.by.of != item.variable and (measure := self._measure(item.by)):
            return replace(item, by=replace(measure, per=Value(item.variable)))
        return replace(item, by=None if item.by is None else self._measured(item.by))

    def _measured(self, part: Expression) -> Expression:
        """A part with the property that is measured in the place of a measure; a sum of sums is the sum."""
        if isinstance(part, Aggregate) and (measure := self._measure(part.value)):
            if part.function == "count":
                raise _Unsaid
            total = part.function == "sum"
            function = measure.function if total else part.function
            return replace(part, function=function, value=measure.value)
        return changed(part, self._stored)

    def _stored(self, value: Value) -> Value:
        """The property that a measure measures, in its place."""
        measure = self._measure(value)
        return value if measure is None else measure.value

    def _measure(self, value: Value) -> Aggregate | None:
        """The number that a value stands for."""
        meaning = _meaning(self.graph, value, self.meanings)
        if meaning is None:
            return None
        if value not in self._joined:
            own = self._join(meaning, value.of)
            if not isinstance(own.answer, Aggregate):
                raise _Unsaid
            self._joined[value] = own.answer
        return self._joined[value]
