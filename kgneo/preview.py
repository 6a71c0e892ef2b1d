"""Preview: what loading files would make, found by the loaders themselves; nothing is written.

Comes in: paths, and how they are to be read. Goes out: which loader reads which file and how its first lines look, how
many nodes and relationships there would be, their labels, types and properties, the first of them, and what would be
left out and why. What is counted once, as the graph has it once, is counted in a temporary table on disk.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from kgneo.loader import (
    PROGRESS_EVERY,
    GraphLoader,
    LoadedNode,
    LoadedRelationship,
    LoadedTriple,
    Loader,
    LoadOptions,
    Source,
    TableLoader,
    detect,
    read_triples,
    scratch_database,
)
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph

FIRST = 8
"""Lines, triples, nodes, relationships and bad lines that are shown."""
LISTED = 50
"""Labels, types and properties that are listed."""
WRITTEN = 50_000
"""Hashes that are written at a time."""
CHARACTERS = 200
"""Characters of a line, a name or a value that are shown."""

OnProgress = Callable[[int], None]
Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PreviewedFile:
    """A file: its name, the loader that reads it, its first lines as they are, and the fields of its first row, where
    it is delimited text."""

    name: str
    loader: str
    lines: tuple[str, ...]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listed:
    """Kinds of things with how many there are of each, the most frequent first; of `total` kinds, some are listed.
    `number` is how many there are of all kinds."""

    total: int
    names: Counts
    number: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Lines that cannot be used: how many, and of the first ones the file, the line, the reason and the text."""

    total: int
    first: tuple[tuple[str, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What files would make. `kind` is "triples" or "property graph"; `rows` are the triples, or the nodes and
    relationships, that the files have. `properties` are by label and relationship type. Of the first nodes, labels and
    properties are given."""

    kind: str
    files: tuple[PreviewedFile, ...]
    rows: int
    nodes: int
    relationships: int
    labels: Listed
    relations: Listed
    properties: Mapping[str, tuple[str, ...]]
    first_nodes: tuple[tuple[tuple[str, ...], Mapping[str, str]], ...]
    first_triples: tuple[tuple[str, str, str], ...]
    left_out: LeftOut
    passed_over: tuple[str, ...] = ()


def preview(
    paths: Sequence[str],
    *,
    format: str | None = None,  # noqa: A002
    options: LoadOptions | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Preview:
    """Read files to their end, and tell what loading them would make.

    Lines that cannot be used are left out, and told. `on_progress` gets how many rows are read, every 1,000 of them; it
    may raise to end this. Raises DataError and UsageError for files that cannot be loaded at all.
    """
    options = options or LoadOptions()
    found = open_graph_files(paths, format=format)
    if isinstance(found, GraphFiles):
        return _of_graph(found, options, on_progress)
    return _of_triples(found, format, options, on_progress)


class _Left(io.StringIO):
    """Takes what the reader writes of bad lines (`kgneo.loader.BadLines`): file, line, reason and text."""

    def __init__(self) -> None:
        super().__init__()
        self.total = 0
        self.first: list[tuple[str, str, str, str]] = []

    def write(self, text: str) -> int:
        self.total += 1
        if len(self.first) < FIRST:
            file, line, reason, shown = text.rstrip("\n").split("\t", 3)
            self.first.append((file, line, reason, _shown(shown)))
        return len(text)

    def told(self) -> LeftOut:
        return LeftOut(self.total, tuple(self.first))


class _Distinct:
    """Counts what is there once, by kind, in a table on disk. Two of the same hash (of 64 bits) count as one."""

    def __init__(self) -> None:
        self._database = scratch_database()
        self._database.execute("CREATE TABLE seen (kind INT, key INT, PRIMARY KEY (kind, key)) WITHOUT ROWID")
        self._kinds: dict[tuple[str, str], int] = {}
        self._waiting: set[tuple[int, int]] = set()

    def add(self, what: str, kind: str, key: int) -> None:
        """Count what has the hash `key`, unless it was counted of that kind."""
        self._waiting.add((self._kinds.setdefault((what, kind), len(self._kinds)), key))
        if len(self._waiting) >= WRITTEN:
            self._write()

    def listed(self, what: str) -> Listed:
        """The kinds of this, with how many there are of each."""
        self._write()
        numbers = dict(self._database.execute("SELECT kind, count(*) FROM seen GROUP BY kind"))
        return _listed(Counter({kind: numbers[id_] for (of, kind), id_ in self._kinds.items() if of == what}))

    def close(self) -> None:
        """Remove the table."""
        self._database.close()

    def _write(self) -> None:
        self._database.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?)", sorted(self._waiting))
        self._waiting.clear()


def _of_triples(
    sources: Sequence[Source], format_: str | None, options: LoadOptions, on_progress: OnProgress
) -> Preview:
    first: list[tuple[str, str, str]] = []
    left, rows = _Left(), 0
    with closing(_Distinct()) as distinct:
        for source in sources:
            read = read_triples(source, format=format_, options=options, skip_bad_lines=True, rejected=left)
            for loaded in read:
                rows += 1
                if rows % PROGRESS_EVERY == 0:
                    on_progress(rows)
                if len(first) < FIRST:
                    triple = loaded.triple
                    first.append((_shown(triple.subject), _shown(triple.relation), _shown(triple.object)))
                _count(distinct, loaded)
        return Preview(
            "triples",
            tuple(_file(source, detect(source, format=format_), options) for source in sources),
            rows,
            distinct.listed("node").number,
            distinct.listed("relationship").number,
            distinct.listed("label"),
            distinct.listed("relationship"),
            {},
            (),
            tuple(first),
            left.told(),
        )


def _count(distinct: _Distinct, loaded: LoadedTriple) -> None:
    triple = loaded.triple
    ends = ((triple.subject, loaded.subject_labels), (triple.object, loaded.object_labels))
    for name, labels in ends:
        key = hash(name)
        distinct.add("node", "", key)
        for label in labels:
            distinct.add("label", label, key)
    distinct.add("relationship", triple.relation, hash((triple.subject, triple.object)))


@dataclass
class _Counted:
    """What a property graph has, as far as it is read."""

    number: Counter[type] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    relations: Counter[str] = field(default_factory=Counter)
    properties: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    nodes: list[tuple[tuple[str, ...], Mapping[str, str]]] = field(default_factory=list)
    triples: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, item: LoadedNode | LoadedRelationship) -> None:
        """Count a node or a relationship."""
        self.number[type(item)] += 1
        if isinstance(item, LoadedNode):
            self.labels.update(item.labels)
            self._add_keys(item.labels or ("",), item.properties)
            if len(self.nodes) < FIRST:
                self.nodes.append((item.labels, {key: _shown(value) for key, value in item.properties.items()}))
        else:
            self.relations[item.relation] += 1
            self._add_keys((item.relation,), item.properties)
            if len(self.triples) < FIRST:
                self.triples.append((_shown(item.start.id), _shown(item.relation), _shown(item.end.id)))

    def _add_keys(self, owners: Iterable[str], properties: Mapping[str, Any]) -> None:
        for owner in owners:
            self.properties[owner].update(dict.fromkeys(properties))


def _of_graph(files: GraphFiles, options: LoadOptions, on_progress: OnProgress) -> Preview:
    left, counted = _Left(), _Counted()
    for done, item in enumerate(read_graph(files, options=options, skip_bad_lines=True, rejected=left), 1):
        counted.add(item)
        if done % PROGRESS_EVERY == 0:
            on_progress(done)
    owners = list(counted.properties.items())[:LISTED]
    return Preview(
        "property graph",
        tuple(_file(source, loader, options) for loader, sources in files.readers for source in sources),
        counted.number.total(),
        counted.number[LoadedNode],
        counted.number[LoadedRelationship],
        _listed(counted.labels),
        _listed(counted.relations),
        {_shown(owner): tuple(map(_shown, list(keys)[:LISTED])) for owner, keys in owners if keys},
        tuple(counted.nodes),
        tuple(counted.triples),
        left.told(),
        files.passed_over,
    )


def _listed(counts: Counter[str]) -> Listed:
    names = tuple((_shown(name), count) for name, count in counts.most_common(LISTED))
    return Listed(len(counts), names, counts.total())


def _file(source: Source, loader: Loader | GraphLoader, options: LoadOptions) -> PreviewedFile:
    lines = tuple(map(_shown, source.head.lines[:FIRST]))
    fields = loader.fields(source, options=options) if isinstance(loader, TableLoader) else ()
    return PreviewedFile(source.name, loader.name, lines, tuple(map(_shown, fields)))


def _shown(value: object) -> str:
    """A value as text that is short enough to be shown."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= CHARACTERS else f"{text[: CHARACTERS - 1]}…"
