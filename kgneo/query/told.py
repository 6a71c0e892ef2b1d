"""Told types: relationship types that a property tells, of relationships that are all stored as one type.

Graphs that were made from texts often have `(:Entity)-[:RELATES_TO {name: "WORKS_AT"}]->(:Entity)`. Whoever asks speaks
of WORKS_AT, so it is a type of the schema like any other, and only the compiler knows how it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kgneo.query.quoting import quote


class ToldType(NamedTuple):
    """Where a relationship type stands: in the property `key` of relationships of the type `relation`."""

    relation: str
    key: str


Told = Mapping[str, ToldType]
"""The told types of a graph, by their names."""
NONE_TOLD: Told = {}


def stored(relations: Iterable[str], told: Told) -> tuple[str, ...]:
    """The types under which relationships of some types are stored."""
    return tuple(dict.fromkeys(told[name].relation if name in told else name for name in relations))


def owning(relation: str, place: ToldType | None) -> str:
    """The relationship `owner` of a type as a Cypher pattern; where it is told at a place, the parameter `$owner` has
    its name."""
    return _pattern("owner", relation, place, "$owner")


def step(number: int, relation: str, told: Told) -> str:
    """The relationship r1, r2, … of a walk as a Cypher pattern; of a told type, the parameter `$hops` has the names of
    all types of the walk."""
    return _pattern(f"r{number}", relation, told.get(relation), f"$hops[{number - 1}]")


def _pattern(name: str, relation: str, place: ToldType | None, value: str) -> str:
    if place is None:
        return f"[{name}:{quote(relation)}]"
    return f"[{name}:{quote(place.relation)} WHERE {name}.{quote(place.key)} = {value}]"
