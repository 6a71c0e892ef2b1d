"""Passages: what the long texts of a graph say, in a file on this machine, found by words and by meaning.

Comes in: a graph with its schema. Goes out: for a few words, the passages that say most of them, or something like
them. A text is cut into passages between sentences; each has an embedding, and its words are in a full-text index.
Nothing is written into the graph: a passage is told by the node and the key of its text, and is looked up there again
before it is shown, so that a text that was changed meanwhile is not cited.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from kgneo.encoders.encoder import Encoder, Vectors
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import UsageError
from kgneo.folders import alone
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill
from kgneo.graph.embeddings import SCAN_TIMEOUT, text_digest
from kgneo.graph.schema import Property, Schema
from kgneo.graph.shape import Shape
from kgneo.unit_vectors import unit

VERSION = 1
"""Of the file's format."""
TEXT_FROM = 60
"""Characters that the texts of a property have on average, from which on it is taken to say something."""
WORDS_FROM = 5
"""Words that texts have at least, on average, that say something: addresses of pages, keys and codes have fewer."""
PASSAGE = 400
"""Characters of a passage, at most."""
BATCH = 256
"""Passages that are encoded and written together: an interruption loses so many."""
MOST = 5_000
"""Passages that are looked at more closely: the likest."""
GATHERED = 4_096
"""Embeddings that are scored at a time."""
FUSED = 60
"""Ranks are fused as 1 / (60 + rank) (Cormack et al. 2009)."""
LIKE = 0.5
"""A passage counts by its meaning where it is at least so like what is looked for as the likest one is."""
_SENTENCES = re.compile(r"(?<=[.!?…。！？])\s+")
_WORDS = re.compile(r"\w+")

OnProgress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class TextKey:
    """A property that holds texts: of the nodes of a label. `str()` gives "Review.text"."""

    label: str
    key: str

    def __str__(self) -> str:
        return f"{self.label}.{self.key}"


@dataclass(frozen=True, slots=True)
class PassagesRecord:
    """What passages were made of and with. `change` is the mark of the graph (`Graph.last_change`) then; `complete`:
    no text is missing."""

    encoder: str
    fingerprint: str
    keys: tuple[TextKey, ...]
    change: str = ""
    complete: bool = False
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class PassagesReport:
    """What was indexed: texts, passages, and how many of these were encoded now."""

    texts: int
    passages: int
    encoded: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of the text `key` of the node of that element id, with how like it is to what was looked for (a cosine,
    -1..1), whether it has all of its telling words, and what was looked for, if anything."""

    node: str
    key: str
    text: str
    likeness: float = 0.0
    literal: bool = False
    sought: str = ""


def fused(*ranks: int | None) -> float:
    """What ranks in several lists, from 0, are worth together; None where something is in no list."""
    return sum(1 / (FUSED + rank) for rank in ranks if rank is not None)


def text_keys(schema: Schema, shape: Shape, named: Sequence[str] = ()) -> tuple[TextKey, ...]:
    """The properties of nodes that hold texts: the `named` ones ("Review.text", or "text" of every label), else those
    whose texts are long. Raises UsageError where a named one is none, or none is long."""
    every = [
        (TextKey(label.name, item.key), item)
        for label in schema.labels
        if label.name not in shape.umbrellas
        for item in label.properties
        if item.type == "STRING" and not shape.left_out.hides(item.key, (label.name,))
    ]
    if named:
        found = [key for key, _ in every if {str(key), key.key} & set(named)]
        missing = [name for name in named if all(name not in (str(key), key.key) for key in found)]
        if missing:
            known = ", ".join(str(key) for key, _ in every[:20]) or "none"
            raise UsageError(
                f"No label has the text property {missing[0]!r}.", hint=f"Properties that hold texts: {known}."
            )
        return tuple(found)
    return tuple(key for key, item in every if _says_something(item))


def _says_something(item: Property) -> bool:
    words = [len(text.split()) for text in item.examples]
    return item.length >= TEXT_FROM and (not words or sum(words) >= WORDS_FROM * len(words))


def passages_of(text: str, longest: int = PASSAGE) -> list[str]:
    """A text in passages of so many characters at most, cut between sentences, and within one only where that alone is
    longer."""
    found: list[str] = []
    for sentence in _SENTENCES.split(" ".join(text.split())):
        for piece in _pieces(sentence, longest):
            if found and len(found[-1]) + 1 + len(piece) <= longest:
                found[-1] += f" {piece}"
            elif piece:
                found.append(piece)
    return found


def _pieces(sentence: str, longest: int) -> Iterator[str]:
    while len(sentence) > longest:
        cut = sentence.rfind(" ", longest // 2, longest) + 1 or longest
        yield sentence[:cut].rstrip()
        sentence = sentence[cut:]
    yield sentence


def telling_words(text: str) -> list[str]:
    """The words of a text that say what it is about, in lower case; all of them, where none does."""
    words = [word.lower() for word in _WORDS.findall(text)]
    return [word for word in words if word not in FUNCTION_WORDS] or words


_TABLES = """
CREATE TABLE IF NOT EXISTS record (fields TEXT);
CREATE TABLE IF NOT EXISTS texts (node TEXT, key TEXT, digest INTEGER, PRIMARY KEY (node, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passages (row INTEGER PRIMARY KEY, node TEXT, key TEXT, text TEXT, vector BLOB);
CREATE INDEX IF NOT EXISTS by_text ON passages (node, key);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  text, content = 'passages', content_rowid = 'row', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER IF NOT EXISTS added AFTER INSERT ON passages BEGIN
  INSERT INTO words (rowid, text) VALUES (new.row, new.text);
END;
CREATE TRIGGER IF NOT EXISTS removed AFTER DELETE ON passages BEGIN
  INSERT INTO words (words, rowid, text) VALUES ('delete', old.row, old.text);
END;
"""


class PassageFile:
    """The passages of one graph, in the SQLite database `file`."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read_record(self) -> PassagesRecord | None:
        """What the passages were made of and with; None where there are none that can be used."""
        if not self.file.is_file():
            return None
        try:
            with closing(self._open()) as base:
                fields = json.loads(base.execute("SELECT fields FROM record").fetchone()[0])
            keys = tuple(TextKey(**item) for item in fields.pop("keys"))
            record = PassagesRecord(keys=keys, **fields)
        except (sqlite3.Error, OSError, ValueError, TypeError, KeyError):
            return None
        return record if record.version == VERSION else None

    def remove(self) -> bool:
        """Delete the passages; whether there were any."""
        there = self.file.exists()
        self.file.unlink(missing_ok=True)
        return there

    def bring_up_to_date(
        self, graph: Graph, encoder: Encoder, keys: Sequence[TextKey], on_progress: OnProgress = lambda _: None
    ) -> PassagesReport:
        """Encode what is new or changed among the texts of `keys`, and forget the others. `on_progress` hears how many
        texts have been looked at. An interruption loses a batch at most."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with alone(self.file):
            before = self.read_record()
            if before is None or before.fingerprint != encoder.fingerprint:
                self.remove()
            change = graph.last_change()
            record = PassagesRecord(encoder.name, encoder.fingerprint, tuple(keys))
            with closing(self._open()) as base:
                base.executescript(_TABLES)
                _keep(base, record)
                seen, encoded = self._encode_changed(base, graph, encoder, keys, on_progress)
                _forget(base, seen)
                _keep(base, replace(record, change=change, complete=True))
                passages = int(base.execute("SELECT count(*) FROM passages").fetchone()[0])
        return PassagesReport(len(seen), passages, encoded)

    def _encode_changed(
        self,
        base: sqlite3.Connection,
        graph: Graph,
        encoder: Encoder,
        keys: Sequence[TextKey],
        on_progress: OnProgress,
    ) -> tuple[set[tuple[str, str]], int]:
        """Which texts there are, and how many passages were encoded."""
        known = {(node, key): digest for node, key, digest in base.execute("SELECT node, key, digest FROM texts")}
        seen: set[tuple[str, str]] = set()

        def changed() -> Iterator[tuple[str, str, int, str]]:
            for node, key, text in _scan(graph, keys):
                if (node, key) in seen:
                    continue  # a node of two labels
                seen.add((node, key))
                on_progress(len(seen))
                digest = text_digest(text, encoder)
                if known.get((node, key)) != digest:
                    yield from ((node, key, digest, passage) for passage in passages_of(text))

        encoded, waiting = 0, changed()
        for batch in _batches(waiting):
            _write(base, batch, encoder.encode([passage for *_, passage in batch]))
            encoded += len(batch)
        return seen, encoded

    def load(self) -> Passages:
        """All passages, to be searched."""
        base = self._open()
        rows = base.execute("SELECT row, node, key, text, vector FROM passages ORDER BY row").fetchall()
        vectors = np.stack([np.frombuffer(vector, dtype=np.float16) for *_, vector in rows]) if rows else _NONE
        return Passages(base, [row[0] for row in rows], [Passage(*row[1:4]) for row in rows], vectors)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.file, check_same_thread=False)


_NONE: NDArray[np.float16] = np.empty((0, 1), dtype=np.float16)


def _keep(base: sqlite3.Connection, record: PassagesRecord) -> None:
    with base:
        base.execute("DELETE FROM record")
        base.execute("INSERT INTO record VALUES (?)", [json.dumps(asdict(record), ensure_ascii=False)])


def _scan(graph: Graph, keys: Iterable[TextKey]) -> Iterator[tuple[str, str, str]]:
    for item in keys:
        rows = graph.stream(fill("texts_scan", label=item.label, key=item.key), timeout=SCAN_TIMEOUT)
        for row in rows:
            if isinstance(row["text"], str) and row["text"].strip():
                yield row["id"], item.key, row["text"]


def _batches(rows: Iterator[tuple[str, str, int, str]]) -> Iterator[list[tuple[str, str, int, str]]]:
    """Passages in batches, those of one text together."""
    batch: list[tuple[str, str, int, str]] = []
    for _, group in groupby(rows, key=lambda row: row[:2]):
        batch += group
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _write(base: sqlite3.Connection, batch: Sequence[tuple[str, str, int, str]], vectors: Vectors) -> None:
    """Keep a batch: all passages of its texts, or none."""
    texts = dict.fromkeys((node, key, digest) for node, key, digest, _ in batch)
    short = unit(vectors).astype(np.float16)
    with base:
        base.executemany("DELETE FROM passages WHERE node = ? AND key = ?", [row[:2] for row in texts])
        base.executemany(
            "INSERT INTO passages (node, key, text, vector) VALUES (?, ?, ?, ?)",
            [(node, key, text, row.tobytes()) for (node, key, _, text), row in zip(batch, short, strict=True)],
        )
        base.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", list(texts))


def _forget(base: sqlite3.Connection, seen: set[tuple[str, str]]) -> None:
    """Forget the texts that are gone."""
    gone = [row for row in base.execute("SELECT node, key FROM texts") if tuple(row) not in seen]
    with base:
        for table in ("passages", "texts"):
            base.executemany(f"DELETE FROM {table} WHERE node = ? AND key = ?", gone)  # noqa: S608


class Passages:
    """Passages in memory, two bytes a number of their embeddings, with an index of their words on disk."""

    def __init__(
        self, base: sqlite3.Connection, rows: Sequence[int], passages: Sequence[Passage], vectors: NDArray[np.float16]
    ) -> None:
        self._base, self._lock = base, Lock()
        self._places = {row: place for place, row in enumerate(rows)}
        self._passages, self._vectors = passages, vectors
        self._of: dict[str, list[int]] = {}
        for place, passage in enumerate(passages):
            self._of.setdefault(passage.node, []).append(place)

    def __len__(self) -> int:
        return len(self._passages)

    def nearest(
        self, text: str, vector: NDArray[np.float32], *, among: Iterable[str] | None = None, key: str = ""
    ) -> list[Passage]:
        """One passage of each node that says something like `text`, whose embedding is `vector`, best first: by their
        ranks by meaning and by words. `among` are the nodes that are looked at (element ids, None: all), `key` the
        property whose texts are (empty: all)."""
        places = self._places_of(among, key)
        if not len(places):
            return []
        likeness = self._likeness(places, vector)
        order = np.argsort(-likeness, kind="stable")[:MOST]
        likest = {int(places[number]): (rank, float(likeness[number])) for rank, number in enumerate(order)}
        worded = {place: rank for rank, place in enumerate(filter(likest.__contains__, self._by_words(text)))}
        least = LIKE * max(float(likeness.max()), 0.0)
        scores = {
            place: fused(rank, worded.get(place))
            for place, (rank, like) in likest.items()
            if like >= least or place in worded
        }
        best: dict[str, Passage] = {}
        for place in sorted(scores, key=lambda place: -scores[place]):
            item = self._passages[place]
            found = replace(item, likeness=round(likest[place][1], 3), literal=place in worded)
            best.setdefault(item.node, found)
        return list(best.values())

    def _likeness(self, places: NDArray[np.intp], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The cosines of the passages at some places, gathered a part at a time."""
        unit = vector / max(float(np.linalg.norm(vector)), 1e-12)
        parts = [places[start : start + GATHERED] for start in range(0, len(places), GATHERED)]
        return np.concatenate([self._vectors[part].astype(np.float32) @ unit for part in parts])

    def first(self, nodes: Iterable[str]) -> list[Passage]:
        """The first passage of each of some nodes that have one, in their order."""
        return [self._passages[self._of[node][0]] for node in nodes if node in self._of]

    def _places_of(self, among: Iterable[str] | None, key: str) -> NDArray[np.intp]:
        if among is None and not key:
            return np.arange(len(self._passages), dtype=np.intp)
        nodes = self._of if among is None else among
        places = (place for node in nodes for place in self._of.get(node, ()))
        return np.fromiter((place for place in places if key in ("", self._passages[place].key)), dtype=np.intp)

    def _by_words(self, text: str) -> list[int]:
        """The places of the passages that have all telling words of a text, best first."""
        quoted = [f'"{word}"' for word in dict.fromkeys(telling_words(text))]
        if not quoted:
            return []
        with self._lock:
            rows = self._base.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", [" AND ".join(quoted), MOST]
            ).fetchall()
        return [self._places[row] for (row,) in rows if row in self._places]
