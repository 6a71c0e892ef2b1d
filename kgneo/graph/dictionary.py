"""Dictionary: the values by which a graph's nodes and relationships can be spoken of, in a file on this machine.

Comes in: a graph with its vocabulary. Goes out: for pieces of a question, the properties that hold such a value, with
the value as the graph has it. Texts are compared without regard to case and accents, dates under all the ways in which
people write them. What is too much to be read is said in `left_out`, and is looked for in the database.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgneo.folders import whole
from kgneo.graph.connection import Graph
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts
from kgneo.query.graph import Scalar
from kgneo.query.quoting import quote
from kgneo.reading.vocabulary import Key, Vocabulary
from kgneo.text import fold

MOST_VALUES = 200_000
"""Different values of one property that are read."""
FEW = 60
"""Different values up to which a property is one of kinds or states, which people also say in other words."""
VERSION = 3
"""Of the file's format."""
TIMEOUT = 600.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of a property: `owner` is a label or a relationship type, `times` how many nodes have it."""

    owner: str
    key: str
    of_edge: bool
    value: Scalar
    text: str
    times: int
    id: str = ""


class Dictionary:
    """Values by their folded text, and by pieces of three letters, which bears typing errors."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._base = sqlite3.connect(file, check_same_thread=False)
        self._base.execute("PRAGMA query_only = ON")
        self._phrases: tuple[Entry, ...] | None = None
        self.left_out = tuple(row[0] for row in self._base.execute("SELECT name FROM left_out"))

    @classmethod
    def build(cls, graph: Graph, vocabulary: Vocabulary, file: Path, shape: Shape) -> Dictionary:
        """Read the values of `graph` into `file`, without what `shape` leaves out; the old one stays until the new one
        is whole."""
        with whole(file) as draft, closing(sqlite3.connect(draft)) as base:
            base.executescript(
                "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                "CREATE TABLE entries (folded TEXT, owner TEXT, key TEXT, edge INTEGER, value TEXT, text TEXT, "
                "times INTEGER, id TEXT);"
                "CREATE TABLE left_out (name TEXT);"
                "CREATE VIRTUAL TABLE pieces USING fts5(folded, tokenize = 'trigram', content = '');"
            )
            for key in vocabulary.keys:
                if (key.kind == "truth" and not key.flags) or (key.kind == "number" and not key.distinct):
                    continue
                _fill(base, graph, key, shape)
            base.execute("CREATE INDEX by_folded ON entries (folded)")
            base.commit()
        return cls(file)

    def lookup(self, pieces: Iterable[str]) -> dict[str, list[Entry]]:
        """The entries whose folded text is one of `pieces` (folded, too), by that text."""
        found: dict[str, list[Entry]] = {}
        wanted = list(dict.fromkeys(pieces))
        for start in range(0, len(wanted), 900):
            batch = wanted[start : start + 900]
            places = ", ".join("?" * len(batch))
            for folded, *rest in self._base.execute(
                f"SELECT folded, owner, key, edge, value, text, times, id FROM entries WHERE folded IN ({places})",  # noqa: S608
                batch,
            ):
                found.setdefault(folded, []).append(_entry(rest))
        return found

    def similar(self, text: str, *, limit: int = 40) -> list[Entry]:
        """Entries whose text shares pieces of three letters with `text`, those that share most first."""
        words = fold(text).split()
        pieces = dict.fromkeys(word[start : start + 3] for word in words for start in range(len(word) - 2))
        if not pieces:
            return []
        expression = " OR ".join('"' + piece.replace('"', '""') + '"' for piece in list(pieces)[:60])
        rows = self._base.execute(
            "SELECT owner, key, edge, value, text, times, id FROM pieces JOIN entries ON entries.rowid = pieces.rowid "
            "WHERE pieces MATCH ? ORDER BY pieces.rank LIMIT ?",
            [expression, limit],
        )
        return [_entry(row) for row in rows]

    def holding(self, text: str, keys: Collection[tuple[str, str]], *, limit: int) -> list[Entry]:
        """Entries of some properties (owner and name) whose folded text holds `text` (folded, of three letters or
        more)."""
        if len(text) < 3 or not keys:
            return []
        places = ", ".join("(?, ?)" for _ in keys)
        rows = self._base.execute(
            "SELECT owner, key, edge, value, text, times, id FROM pieces JOIN entries ON entries.rowid = pieces.rowid "  # noqa: S608
            f"WHERE pieces MATCH ? AND (owner, key) IN (VALUES {places}) LIMIT ?",
            ['"' + text.replace('"', '""') + '"', *(part for key in keys for part in key), limit],
        )
        return [_entry(row) for row in rows]

    def phrases(self) -> Sequence[Entry]:
        """The values of several words of properties that have few different ones."""
        if self._phrases is None:
            rows = self._base.execute(
                "SELECT owner, key, edge, value, text, times, id FROM entries WHERE folded LIKE '_% _% _%' AND "
                "(owner, key) IN (SELECT owner, key FROM entries GROUP BY owner, key HAVING count(*) <= ?)",
                [FEW],
            )
            self._phrases = tuple(_entry(row) for row in rows)
        return self._phrases


def _entry(row: Sequence[Any]) -> Entry:
    owner, key, edge, value, text, times, id_ = row
    return Entry(owner, key, bool(edge), json.loads(value), text, times, id_)


def _fill(base: sqlite3.Connection, graph: Graph, key: Key, shape: Shape) -> None:
    rows = list(_rows(graph, key, shape))
    if len(rows) > MOST_VALUES:
        base.execute("INSERT INTO left_out VALUES (?)", [f"{key.owner}.{key.key}"])
        rows = rows[:MOST_VALUES]
    for folded, value, text, times, id_ in rows:
        cursor = base.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [folded, key.owner, key.key, int(key.of_edge), json.dumps(value), text, times, id_],
        )
        base.execute("INSERT INTO pieces (rowid, folded) VALUES (?, ?)", [cursor.lastrowid, folded])


def _rows(graph: Graph, key: Key, shape: Shape) -> Iterator[tuple[str, Scalar, str, int, str]]:
    pattern = f"(subject)-[owner:{quote(key.owner)}]->(object)" if key.of_edge else f"(owner:{quote(key.owner)})"
    labels = "labels(subject) + labels(object)" if key.of_edge else "labels(owner)"
    others = shape.left_out.owners(key.key)
    hidden = [*shape.excluded, *(() if key.of_edge else others)]
    visible = f" AND none(label IN {labels} WHERE label IN $hidden)" if hidden else ""
    query = (
        f"MATCH {pattern} WHERE owner.{quote(key.key)} IS NOT NULL{visible}\n"
        f"RETURN owner.{quote(key.key)} AS value, count(*) AS times, head(collect(elementId(owner))) AS id\n"
        f"LIMIT {MOST_VALUES + 1}"
    )
    for row in graph.stream(query, timeout=TIMEOUT, hidden=hidden):
        value = row["value"]
        for item in value if isinstance(value, list) else [value]:
            for text in texts(item):
                plain = item if isinstance(item, str | int | float) else text
                for spelling in _spellings(fold(text)):
                    yield spelling, plain, text, row["times"], row["id"]


def _spellings(folded: str) -> tuple[str, ...]:
    """A text, and the part of it before a comma or a bracket: "springfield" for "springfield, ohio"."""
    short = folded.split(" (")[0].split(", ")[0]
    return (folded, short) if short != folded and len(short) > 2 else (folded,)
