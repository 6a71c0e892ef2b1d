"""Entities by name: exact, without regard to case and accents, and by similar words.

A loaded graph has digests of its names and a full-text index; a graph that was there before kgneo is asked through
`graph.naming` (`kgneo.graph.naming`).
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


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity found by a name, with its number of relationships."""

    entity: Entity
    degree: int
    score: float = 1.0


class Naming(Protocol):
    """How the entities of a graph that was there before kgneo are found."""

    def by_folded_name(self, names: Iterable[str], *, limit: int = 200) -> dict[str, list[NamedEntity]]:
        """As the function of this name."""
        ...

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
        """As the function of this name."""
        ...


def by_name(graph: Graph, names: Iterable[str]) -> dict[str, NamedEntity]:
    """Entities whose name is exactly one of `names`, by name; of several the one with most triples."""
    if graph.naming is not None:
        wanted = frozenset(names)
        found = [named for entities in graph.naming.by_folded_name(wanted).values() for named in entities]
        found.sort(key=lambda named: named.degree)
        return {named.entity.name: named for named in found if named.entity.name in wanted}
    rows = graph.read(query("entities_by_name"), keys=[digest(name) for name in names])
    return {row["name"]: _named(row) for row in rows}


def by_folded_name(graph: Graph, names: Iterable[str], *, limit: int = 200) -> dict[str, list[NamedEntity]]:
    """Entities whose folded name is that of one of `names`, by folded name, those with most triples first."""
    if graph.naming is not None:
        return graph.naming.by_folded_name(names, limit=limit)
    folded = {digest(text): text for text in map(fold, names)}
    rows = graph.read(query("entities_by_folded_name"), keys=list(folded), limit=limit)
    found: dict[str, list[NamedEntity]] = {}
    for row in rows:
        found.setdefault(folded[row["key"]], []).append(_named(row))
    return found


def by_words(graph: Graph, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
    """Entities whose names hold words like those of `text` (one or two letters may differ), best first."""
    if graph.naming is not None:
        return graph.naming.by_words(text, limit=limit, fuzzy=fuzzy)
    expression = lucene(text, fuzzy=fuzzy)
    if not expression:
        return []
    return [_named(row) for row in graph.read(query("entities_by_words"), words=expression, limit=limit)]


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
