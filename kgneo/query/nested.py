"""Nested: numbers over all of something as query graphs of their own within a query graph.

Comes in: a query graph whose names are declared. Goes out: one that means the same, where each aggregate without `per`
that a condition or a calculation compares is a `Whole`: "products that cost more than the average" has the products as
one query graph, and the average as another one. What follows compiles, words and runs each of them as what it is. The
relationship that comes first by a property is the one with the highest, or lowest, value of all, told in the same way.

Variables belong to the answer where edges or comparisons of their own values join them to it. An aggregate over
others is measured once, over all that they can be. One over the answer's own variables stands in calculations that are
the answer ("how many more X than Y"), and in tests of a "yes or no" ("are there more X than Y"): there, too, all
matches together are measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Expression,
    Number,
    QueryGraph,
    Selection,
    Value,
    Whole,
    aggregates_of,
    matched_values,
    values_of,
)


def nested(graph: QueryGraph) -> QueryGraph:
    """The query graph with numbers over all as parts of their own, and `different` and selections at edges as
    conditions."""
    graph = _with_first_edges(graph)
    pairs = combinations(graph.different, 2)
    told = tuple(Condition(Value(one), "<>", Value(other)) for one, other in pairs)
    return _Pieces(replace(graph, conditions=(*graph.conditions, *told), different=())).nested()


def _with_first_edges(graph: QueryGraph) -> QueryGraph:
    """The query graph with a condition in place of each selection at an edge."""
    edges = {edge.name for edge in graph.edges if edge.name}
    rest = replace(graph, selections=tuple(item for item in graph.selections if item.variable not in edges))
    first = tuple(
        Condition(item.by, "=", _extreme(rest, item.by, highest=item.descending))
        for item in graph.selections
        if item.variable in edges and isinstance(item.by, Value)
    )
    return replace(rest, conditions=(*rest.conditions, *first))


def _extreme(graph: QueryGraph, value: Value, *, highest: bool) -> Whole:
    """The highest or lowest value of all that a query graph matches."""
    extreme = Aggregate("maximum" if highest else "minimum", value)
    return Whole(nested(replace(graph, answer=extreme, columns=())))


def compares_wholes(item: Condition) -> bool:
    """Whether a condition compares numbers over all, and nothing else."""
    right = () if isinstance(item.right, tuple) else values_of(item.right)
    return not values_of(item.left) and not right


class _Pieces:
    """The variables in pieces, each known by its first variable."""

    def __init__(self, graph: QueryGraph) -> None:
        self._graph = graph
        self._pieces = {item.name: item.name for item in graph.variables}
        for edge in graph.edges:
            self._join((edge.subject, edge.object, *edge.avoiding))
        for condition in graph.every_condition():
            self._join_compared((condition.left, condition.right))
        for options in graph.alternatives:
            self._join(name for option in options for item in option for name in _places(item))
        for selection in graph.selections:
            self._join_compared((Value(selection.variable), selection.by))
        self._join_compared((Value(graph.root), graph.answer, *graph.columns))
        self._main = self._pieces[graph.root]

    def nested(self) -> QueryGraph:
        graph = self._graph
        answer = self._side(graph.answer, everywhere=isinstance(graph.answer, Arithmetic))
        return replace(
            self._piece(self._main),
            answer=answer,
            columns=tuple(self._side(item) for item in graph.columns),
            conditions=tuple(
                self._test(item) for item in graph.conditions if self._belongs(item, self._main) or not _places(item)
            ),
            alternatives=tuple(
                tuple(tuple(self._test(item) for item in option) for option in options)
                for options in self._piece(self._main).alternatives
            ),
            selections=tuple(self._selection(item) for item in self._piece(self._main).selections),
        )

    def _test(self, item: Condition) -> Condition:
        """With numbers over all; a test of nothing else is one of a "yes or no", which measures the answer's, too."""
        answer = self._graph.answer
        everywhere = not _places(item) and isinstance(answer, Aggregate) and answer.function == "exists"
        right = item.right if isinstance(item.right, tuple) else self._side(item.right, everywhere)
        return replace(item, left=self._side(item.left, everywhere), right=right)

    def _join(self, names: Iterable[str]) -> None:
        """One piece of those that have these variables."""
        joined = [self._pieces[self._graph.owner(name)] for name in names]
        for name, piece in self._pieces.items():
            if piece in joined:
                self._pieces[name] = joined[0]

    def _join_compared(self, sides: Iterable[object]) -> None:
        """What is compared for each match is of one piece; what is measured over all is of one for itself."""
        together: list[str] = []
        for side in sides:
            for item in aggregates_of(side):
                self._join(value.of for value in values_of(item))
            together += [value.of for value in matched_values(side)]
        self._join(together)

    def _is_of(self, name: str, piece: str) -> bool:
        return self._pieces[self._graph.owner(name)] == piece

    def _belongs(self, item: Condition, piece: str) -> bool:
        places = _places(item)
        return bool(places) and self._is_of(places[0], piece)

    def _piece(self, piece: str) -> QueryGraph:
        """What is said of the variables of a piece alone."""
        graph = self._graph
        return replace(
            graph,
            variables=tuple(item for item in graph.variables if self._pieces[item.name] == piece),
            edges=tuple(item for item in graph.edges if self._is_of(item.subject, piece)),
            conditions=tuple(item for item in graph.conditions if self._belongs(item, piece)),
            selections=tuple(item for item in graph.selections if self._is_of(item.variable, piece)),
            alternatives=tuple(
                options
                for options in graph.alternatives
                if any(self._belongs(item, piece) for option in options for item in option)
            ),
            columns=(),
        )

    def _whole(self, item: Aggregate) -> Whole:
        piece = self._piece(self._pieces[self._graph.owner(item.value.of)])
        return Whole(nested(replace(piece, answer=item)))

    def _side(self, part: Expression, everywhere: bool = False) -> Expression:
        if isinstance(part, Arithmetic):
            return self._arithmetic(part, everywhere)
        if not isinstance(part, Aggregate) or part.per is not None:
            return part
        return self._whole(part) if everywhere or not self._is_of(part.value.of, self._main) else part

    def _arithmetic(self, part: Arithmetic, everywhere: bool = False) -> Arithmetic:
        left, right = (self._operand(item, everywhere) for item in (part.left, part.right))
        return replace(part, left=left, right=right)

    def _operand(self, part: Expression | Number, everywhere: bool) -> Expression | Number:
        return part if isinstance(part, int | float) else self._side(part, everywhere)

    def _selection(self, item: Selection) -> Selection:
        return item if item.by is None else replace(item, by=self._side(item.by))


def _places(item: Condition) -> list[str]:
    return [value.of for side in (item.left, item.right) for value in matched_values(side)]
