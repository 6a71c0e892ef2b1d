"""Entities by name: exact, without regard to case and accents, and by similar words.

`Names` is how the entities of a graph are found, in four ways. `LoadedNames`, of a graph that kgneo loaded, uses the
digests and the full-text index that loading made, `IndexedNames` what `kgneo index` wrote into a graph that was there
before. `LocalNames` is a file on this machine, for graphs that are only read and for those that were not indexed yet.
`ScannedNames` has none of these and lets the database look through its labels, for large graphs that are asked before
they are indexed.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kgneo.folders import whole
from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import LOADED, Shape, is_own
from kgneo.model import Entity
from kgneo.text import digest, fold, folded_spellings

TRIGRAMS = 120
"""Pieces of three letters that are looked for at once."""
COMPLETED = 100
"""Names that are looked at to complete what was typed."""
LAST = "\U0010ffff"
WORD = re.compile(r"\w+")
JOINED = {"names_lookup": "names_lookup_joined", "names_containing": "names_containing_joined"}
"""The queries for labels whose nodes are named by several properties."""
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

    def beginning(self, text: str, *, limit: int = 10) -> list[NamedEntity]:
        """Entities whose names begin with `text`, as far as one has typed, or hold its words; whole names first."""
        ...


class LoadedNames:
    """Names of a graph that kgneo loaded: through digests on its nodes and a full-text index."""

    unique = True

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """As `Names.by_name`."""
        rows = self._graph.read(query("entities_by_name"), keys=[digest(name) for name in names])
        return {row["name"]: _named(row, LOADED) for row in rows}

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """As `Names.by_folded_name`."""
        folded = {digest(spelt): fold(name) for name in names for spelt in folded_spellings(name)}
        if not folded:
            return {}
        rows = self._graph.read(query("entities_by_folded_name"), keys=list(folded), limit=limit)
        found: dict[str, list[NamedEntity]] = {}
        for row in rows:
            found.setdefault(folded[row["key"]], []).append(_named(row, LOADED))
        return found

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
        """As `Names.by_words`."""
        expression = lucene(text, fuzzy=fuzzy)
        if not expression:
            return []
        rows = self._graph.read(query("entities_by_words"), words=expression, limit=limit)
        return [_named(row, LOADED) for row in rows]

    def beginning(self, text: str, *, limit: int = 10) -> list[NamedEntity]:
        """As `Names.beginning`."""
        expression = begun(text)
        if not expression:
            return []
        rows = self._graph.read(query("entities_by_words"), words=expression, limit=COMPLETED)
        return best_begun(text, (_named(row, LOADED) for row in rows), limit)


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


def begun(text: str) -> str:
    """A Lucene query for names that hold all words of `text`, of which the last may be the beginning of one; empty
    where it has no words."""
    *whole, last = WORD.findall(text)[:32] or [""]
    return " ".join([*(f'+"{word}"' for word in whole), f"+{last.lower()}*"]) if last else ""


def best_begun(text: str, entities: Iterable[NamedEntity], limit: int) -> list[NamedEntity]:
    """Entities, each once: those whose names begin with `text` first, of these the ones with most relationships."""
    each = {named.entity.id: named for named in entities}
    beginning = fold(text)
    ordered = sorted(each.values(), key=lambda item: (not fold(item.entity.name).startswith(beginning), -item.degree))
    return ordered[:limit]


def names_of(entities: Sequence[NamedEntity]) -> tuple[str, ...]:
    """Just the names."""
    return tuple(dict.fromkeys(named.entity.name for named in entities))


class IndexedNames:
    """Names through kgneo's own properties and indexes in the graph."""

    unique = False

    def __init__(self, graph: Graph, shape: Shape) -> None:
        self._graph = graph
        self._shape = shape

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """As `Names.by_name`."""
        return exactly(self, names)

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """Entities whose folded name is that of one of `names`, by folded name, those with most triples first."""
        keys = list({digest(spelt) for name in names for spelt in folded_spellings(name)})
        if not keys or not self._shape.display:
            return {}
        text = "\nUNION ALL\n".join(fill("names_folded", label=label) for label in self._shape.display)
        rows = self._graph.read(text, keys=keys, limit=limit, **self._shape.parameters)
        return by_folded((_named(row, self._shape) for row in rows), limit)

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:
        """Entities whose names hold words like those of `text`, best first."""
        expression = lucene(text, fuzzy=fuzzy)
        if not expression:
            return []
        rows = self._graph.read(query("names_words"), words=expression, limit=limit, **self._shape.parameters)
        return [_named(row, self._shape) for row in rows if row["name"] is not None]

    def beginning(self, text: str, *, limit: int = 10) -> list[NamedEntity]:
        """As `Names.beginning`."""
        expression = begun(text)
        if not expression:
            return []
        rows = self._graph.read(query("names_words"), words=expression, limit=COMPLETED, **self._shape.parameters)
        return best_begun(text, (_named(row, self._shape) for row in rows if row["name"] is not None), limit)


class ScannedNames:
    """Names found by looking through the display properties; as fast as the database is at that. What was found is
    remembered, since one question asks for a name several times."""

    unique = False

    def __init__(self, graph: Graph, shape: Shape) -> None:
        self._graph = graph
        self._shape = shape
        self._known: dict[str, list[NamedEntity]] = {}

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """As `Names.by_name`."""
        return exactly(self, names)

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """As `Names.by_folded_name`, but accents have to be as the graph writes them."""
        written = list(dict.fromkeys(names))
        new = [name for name in written if name not in self._known]
        if new:
            rows = self._rows("names_lookup", limit, names=new, lower=[name.lower() for name in new])
            found = by_folded((_named(row, self._shape) for row in rows), limit)
            self._known |= {name: found.get(fold(name), []) for name in new}
        return {fold(name): self._known[name] for name in written if self._known[name]}

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:  # noqa: ARG002
        """Entities whose names hold one of the longer words of `text`."""
        words = [word.lower() for word in WORD.findall(text) if len(word) > 3]
        rows = self._rows("names_containing", limit, words=words) if words else []
        return [_named(row, self._shape) for row in rows][:limit]

    def beginning(self, text: str, *, limit: int = 10) -> list[NamedEntity]:
        """As `Names.beginning`, for words of more than three letters."""
        return best_begun(text, self.by_words(text, limit=COMPLETED), limit)

    def _is_alone(self, keys: Sequence[str]) -> bool:
        """Whether a node's name is one property, whatever other labels it has."""
        return len(keys) == 1 and not self._shape.left_out.hides_anywhere(keys[0])

    def _rows(self, name: str, limit: int, **parameters: Any) -> list[Row]:
        parts = [
            fill(name, label=label, key=keys[0]) if self._is_alone(keys) else fill(JOINED[name], label=label)
            for label, keys in self._shape.display.items()
        ]
        if not parts:
            return []
        parameters |= self._shape.parameters
        return self._graph.read("\nUNION ALL\n".join(parts), limit=limit, **parameters)


class LocalNames:
    """Names in an SQLite file: by folded name, and by pieces of three letters, which bears typing errors."""

    unique = False

    def __init__(self, file: Path) -> None:
        self._file = file

    @classmethod
    def build(cls, graph: Graph, shape: Shape, file: Path) -> LocalNames:
        """Read every name of the graph into `file`; the old one stays until the new one is whole."""
        with whole(file) as draft, closing(sqlite3.connect(draft)) as base:
            base.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                "CREATE TABLE names (id TEXT, folded TEXT, name TEXT, labels TEXT, degree INTEGER);"
                "CREATE VIRTUAL TABLE pieces USING fts5(folded, tokenize = 'trigram', content = '');"
            )
            longest = max(graph.timeout, 600.0)
            with closing(graph.stream(query("names_scan"), timeout=longest, **shape.parameters)) as rows:
                for number, row in enumerate(rows, start=1):
                    folded = fold(row["name"])
                    labels = json.dumps(shape.own_labels(label for label in row["labels"] if not is_own(label)))
                    base.execute(
                        "INSERT INTO names (rowid, id, folded, name, labels, degree) VALUES (?, ?, ?, ?, ?, ?)",
                        (number, row["id"], folded, row["name"], labels, row["degree"]),
                    )
                    base.execute("INSERT INTO pieces (rowid, folded) VALUES (?, ?)", (number, folded))
            base.execute("CREATE INDEX by_folded ON names (folded)")
            base.commit()
        return cls(file)

    def by_name(self, names: Iterable[str]) -> dict[str, NamedEntity]:
        """As `Names.by_name`."""
        return exactly(self, names)

    def by_folded_name(self, names: Iterable[str], *, limit: int = LIMIT) -> dict[str, list[NamedEntity]]:
        """As `Names.by_folded_name`."""
        folded = list({spelt for name in names for spelt in folded_spellings(name)})
        if not folded:
            return {}
        places = ", ".join("?" * len(folded))
        rows = self._read(
            f"SELECT id, name, labels, degree, 1.0 FROM names WHERE folded IN ({places})",  # noqa: S608
            folded,
        )
        return by_folded(rows, limit)

    def by_words(self, text: str, *, limit: int = 20, fuzzy: bool = True) -> list[NamedEntity]:  # noqa: ARG002
        """As `Names.by_words`: by pieces of three letters that name and text share."""
        words = WORD.findall(fold(text))
        pieces = dict.fromkeys(word[start : start + 3] for word in words for start in range(len(word) - 2))
        if not pieces:
            return []
        expression = " OR ".join(f'"{piece}"' for piece in list(pieces)[:TRIGRAMS])
        return self._read(
            "SELECT names.id, names.name, names.labels, names.degree, -pieces.rank FROM pieces "
            "JOIN names ON names.rowid = pieces.rowid WHERE pieces MATCH ? ORDER BY pieces.rank LIMIT ?",
            [expression, limit],
        )

    def beginning(self, text: str, *, limit: int = 10) -> list[NamedEntity]:
        """As `Names.beginning`; a piece inside of names counts from three letters on."""
        folded = fold(text)
        if not folded:
            return []
        found = self._read(
            "SELECT id, name, labels, degree, 1.0 FROM names WHERE folded >= ? AND folded < ? "
            "ORDER BY degree DESC LIMIT ?",
            [folded, folded + LAST, COMPLETED],
        )
        if len(folded) > 2:
            piece = '"' + folded.replace('"', '""') + '"'
            found += self._read(
                "SELECT names.id, names.name, names.labels, names.degree, 1.0 FROM pieces "
                "JOIN names ON names.rowid = pieces.rowid WHERE pieces MATCH ? LIMIT ?",
                [piece, COMPLETED],
            )
        return best_begun(text, found, limit)

    def _read(self, text: str, parameters: Sequence[str | int]) -> list[NamedEntity]:
        with closing(sqlite3.connect(self._file)) as base:
            return [
                NamedEntity(Entity(name, tuple(json.loads(labels)), id_), degree, score)
                for id_, name, labels, degree, score in base.execute(text, parameters)
            ]


def by_folded(entities: Iterable[NamedEntity], limit: int) -> dict[str, list[NamedEntity]]:
    """Entities by folded name, each once, those with most triples first."""
    found: dict[str, list[NamedEntity]] = {}
    seen: set[str] = set()
    for named in sorted(entities, key=lambda item: (-item.degree, item.entity.name))[:limit]:
        if named.entity.id not in seen:
            seen.add(named.entity.id)
            found.setdefault(fold(named.entity.name), []).append(named)
    return found


def _named(row: Row, shape: Shape) -> NamedEntity:
    labels = shape.own_labels(label for label in row["labels"] if not is_own(label))
    return NamedEntity(Entity(row["name"], labels, row["id"]), row["degree"], row.get("score", 1.0))
