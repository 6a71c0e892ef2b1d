"""Bind: templates of learned query graphs with the values of another question in their slots.

Comes in: templates, and the values that a question names. Goes out: query graphs. A slot takes any value of its label,
whatever its property: what was learned of a person with a surname is tried for one with a number, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, permutations, product

from kgneo.query.graph import Condition, QueryGraph, Value
from kgneo.reading.conditions import equal
from kgneo.reading.mentions import Meaning, Mention

MOST_SLOTS = 4
MEANINGS = 2
"""Meanings of each value that are tried."""
ORDERS = 6
"""Ways in which the values of a question are put into the slots of a template, at most."""


@dataclass(frozen=True)
class Templates:
    """Query graphs with how often each was learned; `named` are the conditions whose values questions name."""

    found: Mapping[tuple[str, ...], list[tuple[QueryGraph, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, graphs: Sequence[tuple[QueryGraph, int]]) -> Templates:
        """By the labels of their slots."""
        found: dict[tuple[str, ...], list[tuple[QueryGraph, int]]] = {}
        for graph, count in graphs:
            owners = [_owner(graph, condition) for condition in graph.conditions if is_slot(condition)]
            found.setdefault(tuple(sorted(owners)), []).append((graph, count))
        return cls(found)

    def bound(self, named: Sequence[Mention]) -> Iterator[tuple[QueryGraph, int]]:
        """Query graphs for a question that names these values, with how often their template was learned."""
        if len(named) > MOST_SLOTS:
            return
        for meanings in product(*(_likely(item) for item in named)):
            owners = tuple(sorted(meaning.owner for meaning in meanings))
            for graph, count in self.found.get(owners, ()):
                for order in islice(permutations(meanings), ORDERS):
                    filled = _filled(graph, order)
                    if filled is not None:
                        yield filled, count


def is_slot(condition: Condition) -> bool:
    """Whether the value of a condition was cut out: None of a template stands in for it."""
    return isinstance(condition.left, Value) and condition.operator == "=" and condition.right == (SLOT,)


SLOT = "\x00"
"""Stands where a value was cut out; no text of a graph is that."""


def cut(graph: QueryGraph, named: Sequence[Mention]) -> QueryGraph:
    """A query graph without the values that a question names."""
    known = {
        (meaning.owner, meaning.key.key, meaning.values)
        for item in named for meaning in item.meanings if meaning.key is not None
    }  # fmt: skip
    conditions = tuple(
        replace(item, right=(SLOT,))
        if isinstance(item.left, Value) and item.operator == "=" and not isinstance(item.right, Value)
        and (_owner(graph, item), item.left.key, item.right) in known else item
        for item in graph.conditions
    )  # fmt: skip
    return replace(graph, conditions=conditions)


def _likely(item: Mention) -> list[Meaning]:
    kept: dict[str, Meaning] = {}
    for meaning in item.meanings:
        if meaning.key is not None:
            kept.setdefault(meaning.owner, meaning)
    return list(kept.values())[:MEANINGS]


def _owner(graph: QueryGraph, condition: Condition) -> str:
    assert isinstance(condition.left, Value)
    name = condition.left.of
    for edge in graph.edges:
        if edge.name == name:
            return edge.relations[0]
    return next((variable.labels[0] for variable in graph.variables if variable.name == name and variable.labels), "")


def _filled(graph: QueryGraph, meanings: Sequence[Meaning]) -> QueryGraph | None:
    left = iter(meanings)
    conditions: list[Condition] = []
    for condition in graph.conditions:
        if not is_slot(condition):
            conditions.append(condition)
            continue
        meaning = next(left)
        if meaning.owner != _owner(graph, condition) or meaning.key is None:
            return None
        conditions.append(equal(condition.left.of, meaning.key, meaning.values))  # type: ignore[union-attr]
    return replace(graph, conditions=tuple(conditions))
