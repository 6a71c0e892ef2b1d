"""Entities by name: exact, without regard to case and accents, and by similar words.

`Names` is how the entities of a graph are found. A loaded graph has digests of its names and a full-text index
(`LoadedNames`); those of a graph that was there before kgneo are in `kgneo.graph.naming`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import query
from kgneo.graph.shape import own_labels
from kgneo.model import Entity
from kgneo.text import digest, fold

WORD = re.compile(r"\w+")
LIMIT = 200
"""Entities that are found at most by folded names."""


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity found by a name, with its number of relationships."""

    entity: Entity
    degree: int
    score: float = 1.0


class Names(Protocol):
    """How the entities of a graph are found by name. `unique` says that no two of them have the same name."""

    @property
    def unique(self) -> bool: ...

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """Entities whose name is exactly one of `names`, by name; of several the one with most triples."""
        ...

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """Entities whose folded name is that of one of `names`, by folded name, those with most triples first."""
        ...

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
        """Entities whose names hold words like those of `text` (one or two letters may differ), best first."""
        ...


class LoadedNames:
    """Names of a graph that kgneo loaded: through digests on its nodes and a full-text index."""

    unique = True

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """As `Names.by_name`."""
        rows = self._graph.read(query("entities_by_name"), keys=[digest(name) for name in names])
        return {row["name"]: _named(row) for row in rows}

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """As `Names.by_folded_name`."""
        folded = {digest(text): text for text in map(fold, names)}
        rows = self._graph.read(query("entities_by_folded_name"), keys=list(folded), limit=limit)
        found: dict[str, list[NamedEntity]] = {}
        for row in rows:
            found.setdefault(folded[row["key"]], []).append(_named(row))
        return found

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
        """As `Names.by_words`."""
        expression = lucene(text, fuzzy=fuzzy)
        if not expression:
            return []
        return [_named(row) for row in self._graph.read(query("entities_by_words"), words=expression, limit=limit)]


def exactly(names: Names, wanted: Iterable[str]) -> dict[str, NamedEntity]:
    """As `Names.by_name`, where only folded names can be looked up."""
    exact = frozenset(wanted)
    found = [named for entities in names.by_folded_name(exact).values() for named in entities]
    found.sort(key=lambda named: named.degree)
    return {named.entity.name: named for named in found if named.entity.name in exact}


def lucene(text: str, *, fuzzy: bool = True) -> str:
    """The words of `text` as a Lucene query, in which none of them is an operator; empty where it has no words."""
    return " ".join(_fuzzy(word) if fuzzy else word for word in WORD.findall(text)[:32])


def _fuzzy(word: str) -> str:
    """A Lucene term with as many edits allowed as the word's length bears. The quotes of an exact term keep AND,
    OR and NOT from being operators."""
    exact = f'"{word}"^2'
    return exact if len(word) < 3 else f"{exact} {word.lower()}~{1 if len(word) < 6 else 2}"


def _named(row: Row) -> NamedEntity:
    entity = Entity(row["name"], own_labels(row["labels"]), row["id"])
    return NamedEntity(entity, row["degree"], row.get("score", 1.0))


def names_of(entities: Sequence[NamedEntity]) -> tuple[str, ...]:
    """Just the names."""
    return tuple(dict.fromkeys(named.entity.name for named in entities))
