"""CSV files for neo4j-admin: rows, and the nodes and relationships of a property graph with values of any type.

neo4j-admin reads one type a column, so that a property graph is spread over files: one for all nodes, or relationships,
that have the same properties of the same types.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from kgneo.errors import GraphError
from kgneo.graph.load_graph import key_digest
from kgneo.loader import LoadedNode, LoadedRelationship
from kgneo.server.importing import ImportFiles

KEPT_ROWS = 100
KEPT_CHARACTERS = 1_000_000
"""A file's rows are written at the first of the two: so many files of a graph need not be open at once."""
DELIMITER = "\x1f"
"""Separates labels and the elements of lists: ASCII's own for that."""
REFUSED_IN_KEYS = ':{}()"\n\r'
"""What the header of a column gives a meaning of its own."""


class CsvFile:
    """A file for neo4j-admin: every field in quotes, None for no value. `close` writes what is left."""

    def __init__(self, path: Path, header: Sequence[str]) -> None:
        self.name = path.name
        self.rows = 0
        self.longest = 0
        self.multiline = False
        self._path = path
        self._kept = [",".join(map(_quoted, header))]
        self._characters = 0

    def write(self, fields: Iterable[str | None]) -> None:
        """One row."""
        row = ",".join("" if field is None else _quoted(field) for field in fields)
        self._kept.append(row)
        self._characters += len(row)
        self.rows += 1
        self.longest = max(self.longest, len(row) if row.isascii() else len(row.encode()))
        self.multiline = self.multiline or "\n" in row or "\r" in row
        if len(self._kept) >= KEPT_ROWS or self._characters >= KEPT_CHARACTERS:
            self.close()

    def close(self) -> None:
        """Write what is kept. More rows may follow."""
        with self._path.open("a", encoding="utf-8", newline="") as stream:
            stream.writelines(f"{row}\n" for row in self._kept)
        self._kept, self._characters = [], 0


def _quoted(field: str) -> str:
    escaped = field.replace('"', '""')
    return f'"{escaped}"'


def unused_character(texts: Iterable[str]) -> str:
    """A character that none of the texts holds: neo4j-admin separates them by it."""
    used = {character for text in texts for character in text} | set('",\n\r')
    return next(character for character in map(chr, (ord(";"), *range(1, 0xD800))) if character not in used)


def import_files(nodes: Sequence[CsvFile], relationships: Sequence[CsvFile], delimiter: str) -> ImportFiles:
    """What neo4j-admin is told of files, which are closed."""
    files = [*nodes, *relationships]
    for file in files:
        file.close()
    return ImportFiles(
        nodes=tuple(file.name for file in nodes),
        relationships=tuple(file.name for file in relationships),
        array_delimiter=delimiter,
        longest=max((file.longest for file in files), default=0),
        multiline=any(file.multiline for file in files),
    )


class GraphWriter:
    """Writes a property graph into files of `folder`."""

    def __init__(self, folder: Path) -> None:
        self.nodes = 0
        self.relationships = 0
        self._folder = folder
        self._files: dict[tuple[str, ...], CsvFile] = {}

    def write(self, item: LoadedNode | LoadedRelationship) -> None:
        """One node or relationship. Raises GraphError where it has what neo4j-admin cannot read."""
        properties = {key: value for key, value in sorted(item.properties.items()) if value is not None}
        columns = tuple(_column(key, value) for key, value in properties.items())
        if isinstance(item, LoadedNode):
            self.nodes += 1
            key = f"#{self.nodes}" if item.key is None else key_digest(item.key)
            first: list[str | None] = [key, _joined("the labels", item.labels) if item.labels else None]
            header: tuple[str, ...] = (":ID", ":LABEL")
        else:
            self.relationships += 1
            first = [key_digest(item.start), item.relation, key_digest(item.end)]
            header = (":START_ID", ":TYPE", ":END_ID")
        self._file((*header, *columns)).write([*first, *(_field(key, value) for key, value in properties.items())])

    def _file(self, header: tuple[str, ...]) -> CsvFile:
        if header not in self._files:
            kind = "nodes" if header[0] == ":ID" else "relationships"
            self._files[header] = CsvFile(self._folder / f"{kind}-{len(self._files)}.csv", header)
        return self._files[header]

    def close(self) -> ImportFiles:
        """What neo4j-admin is to read."""
        nodes = [file for header, file in self._files.items() if header[0] == ":ID"]
        return import_files(nodes, [file for file in self._files.values() if file not in nodes], DELIMITER)


def _column(key: str, value: Any) -> str:
    if key != key.strip() or any(character in key for character in REFUSED_IN_KEYS):
        raise _refused(f"There is a property {key!r}, a name")
    if not isinstance(value, list):
        return f"{key}:{'byte[]' if isinstance(value, bytes) else _type(value)}"
    return f"{key}:{_type(value[0]) if value else 'string'}[]"


def _refused(what: str) -> GraphError:
    return GraphError(f"{what} which neo4j-admin cannot read.", hint="Leave --offline out to load this graph.")


TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "long",
    float: "double",
    str: "string",
    Date: "date",
    date: "date",
    Duration: "duration",
}


def _type(value: Any) -> str:
    """The name of a value's type in a header."""
    if isinstance(value, Point):
        return "point"
    if isinstance(value, DateTime | datetime):
        return "datetime" if value.tzinfo else "localdatetime"
    if isinstance(value, Time | time):
        return "time" if value.tzinfo else "localtime"
    if type(value) not in TYPES:
        raise _refused(f"There is a value of the type {type(value).__name__}")
    return TYPES[type(value)]


def _field(key: str, value: Any) -> str:
    if not isinstance(value, list | bytes):
        return _text(value)
    texts = [_text(item) for item in value] if isinstance(value, list) else list(map(_signed, value))
    if not any(texts):  # would be no value at all
        raise _refused(f"The property {key!r} is a list with nothing in it,")
    return _joined(f"the property {key!r}", texts)


def _signed(byte: int) -> str:
    return str(byte - 256 if byte > 127 else byte)


def _joined(what: str, texts: Sequence[str]) -> str:
    if any(DELIMITER in text for text in texts):
        raise _refused(f"There is the character U+{ord(DELIMITER):04X} in {what},")
    return DELIMITER.join(texts)


def _text(value: Any) -> str:
    """A value as neo4j-admin reads it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(value)]
    if isinstance(value, Point):
        axes = zip("xyz", value, strict=False)
        return f"{{{', '.join(f'{axis}: {number!r}' for axis, number in axes)}, srid: {value.srid}}}"
    if isinstance(value, DateTime | datetime):
        return _iso(value) + (f"[{zone}]" if (zone := _zone(value)) else "")
    return str(value) if isinstance(value, int | float | str) else _iso(value)


def _iso(value: Any) -> str:
    return str(value.iso_format() if hasattr(value, "iso_format") else value.isoformat())


def _zone(value: Any) -> str:
    """The name of a time's zone, where it has one and not only an offset."""
    return next((str(name) for kind in ("key", "zone") if (name := getattr(value.tzinfo, kind, None))), "")
