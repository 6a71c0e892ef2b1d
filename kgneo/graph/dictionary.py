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
from itertools import islice
from pathlib import Path
from typing import Any

from kgneo.folders import whole
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.schema import WHOLE_UP_TO
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts
from kgneo.query.graph import Scalar
from kgneo.query.quoting import quote
from kgneo.query.told import owning
from kgneo.reading.mentions import Found, Lookup
from kgneo.reading.vocabulary import Key, Said, Vocabulary
from kgneo.text import fold

MOST_VALUES = 200_000
"""Different values of one property that are read."""
FEW = 60
"""Different values up to which a property is one of kinds or states, which people also say in other words."""
VERSION = 3
"""Of the file's format."""
TIMEOUT = 600.0

Value = tuple[Any, int, str]
"""A value, how many nodes or relationships have it, and the id of one of these."""


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
            for key, values in _values(graph, vocabulary, shape):
                _fill(base, key, values)
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


class SaidValues:
    """A dictionary with the words that people told for values: what they say for one is found as that value is."""

    def __init__(self, stored: Lookup, said: Sequence[Said]) -> None:
        self._stored = stored
        self._said: dict[str, list[Entry]] = {}
        for item in said:
            entry = Entry(item.key.owner, item.key.key, item.key.of_edge, item.value, item.text, 1)
            self._said.setdefault(item.folded, []).append(entry)

    def lookup(self, pieces: Iterable[str]) -> dict[str, list[Found]]:
        """As `Dictionary.lookup`."""
        wanted = list(dict.fromkeys(pieces))
        found = {piece: list(entries) for piece, entries in self._stored.lookup(wanted).items()}
        for piece in wanted:
            if piece in self._said:
                found[piece] = [*found.get(piece, ()), *self._said[piece]]
        return found

    def similar(self, text: str, *, limit: int = 40) -> Sequence[Found]:
        """As `Dictionary.similar`."""
        return self._stored.similar(text, limit=limit)

    def holding(self, text: str, keys: Collection[tuple[str, str]], *, limit: int) -> Sequence[Found]:
        """As `Dictionary.holding`."""
        return self._stored.holding(text, keys, limit=limit)

    def phrases(self) -> Sequence[Found]:
        """As `Dictionary.phrases`: people say what they told word for word."""
        return self._stored.phrases()


def _entry(row: Sequence[Any]) -> Entry:
    owner, key, edge, value, text, times, id_ = row
    return Entry(owner, key, bool(edge), json.loads(value), text, times, id_)


def _fill(base: sqlite3.Connection, key: Key, values: Iterable[Value]) -> None:
    rows = list(islice(_entries(values), MOST_VALUES + 1))
    if len(rows) > MOST_VALUES:
        base.execute("INSERT INTO left_out VALUES (?)", [f"{key.owner}.{key.key}"])
        rows.pop()
    [(last,)] = base.execute("SELECT coalesce(max(rowid), 0) FROM entries")
    base.executemany(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (folded, key.owner, key.key, int(key.of_edge), json.dumps(value), text, times, id_)
            for folded, value, text, times, id_ in rows
        ),
    )
    base.executemany(
        "INSERT INTO pieces (rowid, folded) VALUES (?, ?)",
        ((number, row[0]) for number, row in enumerate(rows, start=last + 1)),
    )


def _entries(values: Iterable[Value]) -> Iterator[tuple[str, Scalar, str, int, str]]:
    """What is looked up, the value, its text, how many have it and one of these; a list is each of its elements."""
    for value, times, id_ in values:
        for item in value if isinstance(value, list) else [value]:
            for text in texts(item):
                plain = item if isinstance(item, str | int | float) else text
                for spelling in _spellings(fold(text)):
                    yield spelling, plain, text, times, id_


def _values(graph: Graph, vocabulary: Vocabulary, shape: Shape) -> Iterator[tuple[Key, Iterable[Value]]]:
    """The values of each property that is kept, with how many have each, and the id of one of them: by two queries for
    all in a graph that is looked at as a whole, else by one for each, which the server plans for itself."""
    keys = [key for key in vocabulary.keys if _is_kept(key)]
    if sum(vocabulary.labels.values()) + sum(link.count for link in vocabulary.links) > WHOLE_UP_TO:
        yield from ((key, _values_of(graph, key, shape)) for key in keys)
        return
    for file, of_edge in (("values_of_nodes", False), ("values_of_relations", True)):
        wanted = [key for key in keys if key.of_edge == of_edge]
        found = _values_at_once(graph, file, wanted, shape) if wanted else {}
        yield from ((key, found.get((key.owner, key.key), ())) for key in wanted)


def _is_kept(key: Key) -> bool:
    """Whether questions may name a value of a property: not a truth without words for it, nor numbers alone."""
    if key.kind == "truth":
        return key.flags is not None and isinstance(key.flags[0], str)
    return key.kind != "number" or bool(key.distinct)


def _values_at_once(
    graph: Graph, file: str, keys: Sequence[Key], shape: Shape
) -> dict[tuple[str, str], Collection[Value]]:
    """The values of the properties of nodes, or of relationships, by owner and name of the property."""
    hidden = {(key.owner, key.key): _hidden(key, shape) for key in keys}
    found: dict[tuple[str, str], dict[str, Value]] = {name: {} for name in hidden}
    names = sorted({key.key for key in keys})
    for row in graph.stream(query(file), keys=names, told=shape.telling, timeout=TIMEOUT):
        labels = row["ends"] or row["owners"]
        for name in [(type_, row["key"]) for type_ in row["owners"] if (type_, row["key"]) in found]:
            if not hidden[name].intersection(labels):
                value, spelt = row["value"], repr(row["value"])
                _, times, id_ = found[name].get(spelt, (value, 0, row["id"]))
                found[name][spelt] = (value, times + row["times"], id_)
    return {name: values.values() for name, values in found.items()}


def _hidden(key: Key, shape: Shape) -> set[str]:
    """The labels that hide a property of what has them, or is joined to them."""
    return {*shape.excluded, *(() if key.of_edge else shape.left_out.owners(key.key))}


def _values_of(graph: Graph, key: Key, shape: Shape) -> Iterator[Value]:
    pattern = (
        f"(subject)-{owning(key.owner, shape.told.get(key.owner))}->(object)"
        if key.of_edge
        else f"(owner:{quote(key.owner)})"
    )
    labels = "labels(subject) + labels(object)" if key.of_edge else "labels(owner)"
    hidden = sorted(_hidden(key, shape))
    visible = f" AND none(label IN {labels} WHERE label IN $hidden)" if hidden else ""
    text = (
        f"MATCH {pattern} WHERE owner.{quote(key.key)} IS NOT NULL{visible}\n"
        f"RETURN owner.{quote(key.key)} AS value, count(*) AS times, elementId(head(collect(owner))) AS id\n"
        f"LIMIT {MOST_VALUES + 1}"
    )
    for row in graph.stream(text, timeout=TIMEOUT, hidden=hidden, owner=key.owner):
        yield row["value"], row["times"], row["id"]


def _spellings(folded: str) -> tuple[str, ...]:
    """A text, and the part of it before a comma or a bracket: "springfield" for "springfield, ohio"."""
    short = folded.split(" (")[0].split(", ")[0]
    return (folded, short) if short != folded and len(short) > 2 else (folded,)
