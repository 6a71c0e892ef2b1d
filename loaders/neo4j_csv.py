"""Property graphs as CSV files with neo4j-admin's headers: `personId:ID(Person)`, `born:date`, `:LABEL`.

A file of nodes has a column `:ID` or `:LABEL`, one of relationships `:START_ID`, `:END_ID` and `:TYPE`. The header is
the first row of a file, or a file of its own beside it: `movies-header.csv` for `movies.csv` and `movies-part1.csv`.
An empty field is no value.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from kgneo.errors import DataError
from kgneo.loader import (
    BadLine,
    Head,
    LoadedNode,
    LoadedRelationship,
    LoadOptions,
    NodeKey,
    OnBadLine,
    Source,
)

from .csv_values import TYPES, Converter, converter
from .delimited import SEPARATORS, Row, chosen_separator, dialect, rows, shown_separator

__all__ = ["Neo4jCsvLoader"]

COLUMN = re.compile(
    r"(?P<name>.*?)(?::(?P<type>\w*)(?P<list>\[\])?(?:\((?P<space>[^)]*)\))?(?:\{(?P<options>[^}]*)\})?)?", re.DOTALL
)
ROLES = ("ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE")
TELLING = {"ID", "LABEL", "START_ID", "END_ID"}
"""Roles that no other kind of file has in its first row."""
HEADER_FILE = re.compile(r"(?P<data>.+?)[-_. ]?headers?", re.IGNORECASE)
LABEL_SEPARATOR = ";"

Item = TypeVar("Item", LoadedNode, LoadedRelationship)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a header: its role ("" for a property), the property that it fills ("" for none), the id space, and
    what turns a field into a value."""

    role: str
    name: str
    space: str
    convert: Converter


@dataclass(frozen=True, slots=True)
class Header:
    """The columns of a file, and where (0-based) those with a role are."""

    columns: tuple[Column, ...]
    separator: str

    def place(self, role: str) -> int | None:
        """Where the column of a role is."""
        return next((index for index, column in enumerate(self.columns) if column.role == role), None)

    @property
    def holds_relationships(self) -> bool:
        """Whether the rows are relationships."""
        return self.place("START_ID") is not None or self.place("END_ID") is not None


@dataclass(frozen=True, slots=True)
class _Table:
    """A file with its header, which may stand in another file."""

    source: Source
    header: Header
    own_header: bool


class Neo4jCsvLoader:
    """Reads what `neo4j-admin database import` reads, and what Neo4j's data importer writes."""

    name = "neo4j-csv"
    aliases = ("neo4j",)

    def recognises(self, head: Head) -> float:
        """0.97 where the first row has a column `:ID`, `:LABEL`, `:START_ID` or `:END_ID`."""
        return 0.97 if _telling_separator(head) else 0.0

    def takes(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """The files with a header, and those that a header file stands beside."""
        return tuple(source for source in sources if self.recognises(source.head) or _header_file(source, sources))

    def read_nodes(
        self, sources: Sequence[Source], *, options: LoadOptions, on_bad_line: OnBadLine
    ) -> Iterator[LoadedNode]:
        """One node a row of the files that hold nodes."""
        for table in _tables(sources, options):
            if not table.header.holds_relationships:
                yield from _read(table, options, on_bad_line, _node(table))

    def read_relationships(
        self, sources: Sequence[Source], *, options: LoadOptions, on_bad_line: OnBadLine
    ) -> Iterator[LoadedRelationship]:
        """One relationship a row of the files that hold relationships."""
        for table in _tables(sources, options):
            if table.header.holds_relationships:
                yield from _read(table, options, on_bad_line, _relationship(table))


# Headers


def _telling_separator(head: Head) -> str:
    """The separator of a first row that is a header, "" where it is none."""
    rated = [(_telling(head.lines[0], separator), separator) for separator in SEPARATORS if head.lines]
    (columns, _), separator = max(rated, default=((0, 0), ""))
    return separator if columns else ""


def _telling(line: str, separator: str) -> tuple[int, int]:
    """How many columns have a role that only headers know, and how many there are."""
    fields = _split(line, separator)
    matches = [match for field in fields if (match := COLUMN.fullmatch(field.strip()))]
    return sum(match["type"] in TELLING for match in matches), len(fields)


def _split(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], **{**dialect(separator, '"'), "strict": False}))
    except csv.Error:
        return []


def _header_file(source: Source, sources: Sequence[Source]) -> Source | None:
    """The file beside `source` that has its header: `movies-header.csv`, of several the one with the longest name."""
    stem, found = _stem(source), []
    for other in sources:
        match = HEADER_FILE.fullmatch(_stem(other))
        beside = Path(other.name).parent == Path(source.name).parent
        if (
            match
            and other is not source
            and beside
            and _telling_separator(other.head)
            and stem.startswith(match["data"])
        ):
            found.append((len(match["data"]), other))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _stem(source: Source) -> str:
    return Path(source.head.name).stem


def _tables(sources: Sequence[Source], options: LoadOptions) -> Iterator[_Table]:
    """The files with rows, those that only hold a header for others left out."""
    headed = {source: other for source in sources if (other := _foreign_header(source, sources, options))}
    for source in sources:
        if source in headed.values():
            continue
        at = headed.get(source, source)
        yield _Table(source, _header(at, options), own_header=at is source)


def _foreign_header(source: Source, sources: Sequence[Source], options: LoadOptions) -> Source | None:
    if _telling_separator(source.head) and options.header != "no":
        return None
    return _header_file(source, sources)


def _header(source: Source, options: LoadOptions) -> Header:
    """Raises DataError for a header that says too little, or what there is not."""

    def refuse(bad: BadLine) -> None:
        raise DataError(bad.reason, file=source.name, line=bad.line, hint=bad.hint)

    found = options.separator and chosen_separator(source.head, options)
    separator = found or _telling_separator(source.head) or chosen_separator(source.head, options)
    try:
        row = next(rows(source, separator, options.quote, refuse), Row([], 1, ""))
    finally:
        source.end_pass()
    header = Header(tuple(_column(field.strip(), source, row.line) for field in row.fields), separator)
    _check_header(header, source, row.line)
    return header


def _column(text: str, source: Source, line: int) -> Column:
    match = COLUMN.fullmatch(text)
    name, type_ = (match["name"], match["type"] or "") if match else (text, "")
    options = _options(match["options"] or "") if match else {}
    space = match["space"] or "" if match else ""
    if type_ in ROLES:
        kind = options.get("id-type", "string") if type_ == "ID" else "string"
        return Column(type_, name if type_ == "ID" else "", space, _converter(kind, False, {}, text, source, line))
    is_list = bool(match and match["list"])
    return Column(
        "" if name else "IGNORE", name, "", _converter(type_ or "string", is_list, options, text, source, line)
    )


def _converter(
    type_: str, is_list: bool, options: Mapping[str, str], text: str, source: Source, line: int
) -> Converter:
    if type_.lower() not in TYPES:
        message = f"the column {text!r} has the type {type_!r}, expected one of: {', '.join((*TYPES, *ROLES))}"
        raise DataError(message, file=source.name, line=line, hint="Lists are written with [] behind the type.")
    return converter(type_, is_list=is_list, options=options)


def _options(text: str) -> dict[str, str]:
    """The options of a type: {crs:WGS-84}, {timezone:Europe/Stockholm}."""
    pairs = (part.partition(":") for part in text.split(",") if part.strip())
    return {key.strip().lower(): value.strip().strip("'\"") for key, _, value in pairs}


def _check_header(header: Header, source: Source, line: int) -> None:
    names = [column.name or f":{column.role}" for column in header.columns if column.role != "IGNORE"]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(f"two columns are called {twice[0]}, expected one", file=source.name, line=line)
    if header.holds_relationships:
        missing = [f":{role}" for role in ("START_ID", "END_ID", "TYPE") if header.place(role) is None]
        if missing:
            message = f"the header has no column {' and none '.join(missing)}, which files of relationships need"
            raise DataError(message, file=source.name, line=line, hint="Add it to the header and to every row.")
    elif not header.columns or (header.place("ID") is None and header.place("LABEL") is None):
        message = "the header has no column :ID, :LABEL, :START_ID or :END_ID"
        raise DataError(message, file=source.name, line=line, hint="Write one as neo4j-admin has it: id:ID,name,:LABEL")


# Rows


def _read(table: _Table, options: LoadOptions, on_bad_line: OnBadLine, make: Callable[[Row], Item]) -> Iterator[Item]:
    source, header = table.source, table.header

    def report(bad: BadLine) -> None:
        on_bad_line(replace(bad, file=source.name))

    skip = table.own_header
    for row in rows(source, header.separator, options.quote, report):
        if skip:
            skip = False
            continue
        if len(row.fields) != len(header.columns):
            found = f"found {len(row.fields)} field{'s' if len(row.fields) != 1 else ''}"
            reason = f"{found}, expected {len(header.columns)} (separated by {shown_separator(header.separator)})"
            report(BadLine(row.line, reason, row.text))
            continue
        try:
            item = make(row)
        except ValueError as error:
            report(BadLine(row.line, str(error), row.text))
            continue
        yield item


def _node(table: _Table) -> Callable[[Row], LoadedNode]:
    header, file = table.header, table.source.name
    id_at, label_at = header.place("ID"), header.place("LABEL")

    def make(row: Row) -> LoadedNode:
        key = None if id_at is None else _key(header, id_at, row)
        labels = () if label_at is None else _labels(row.fields[label_at])
        return LoadedNode(key, labels, _properties(header, row), row.line, file)

    return make


def _relationship(table: _Table) -> Callable[[Row], LoadedRelationship]:
    header, file = table.header, table.source.name
    start, end, type_ = (header.place(role) or 0 for role in ("START_ID", "END_ID", "TYPE"))

    def make(row: Row) -> LoadedRelationship:
        ends = (_key(header, start, row), _key(header, end, row))
        return LoadedRelationship(ends[0], row.fields[type_], ends[1], _properties(header, row), row.line, file)

    return make


def _key(header: Header, at: int, row: Row) -> NodeKey:
    if not row.fields[at]:
        raise ValueError(f"the field of :{header.columns[at].role} is empty")
    return NodeKey(row.fields[at], header.columns[at].space)


def _labels(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for part in text.split(LABEL_SEPARATOR) if (label := part.strip())))


def _properties(header: Header, row: Row) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for column, text in zip(header.columns, row.fields, strict=True):
        if column.name and text and column.role in ("", "ID"):
            try:
                found[column.name] = column.convert(text)
            except ValueError as error:
                raise ValueError(f"the column {column.name!r}: {error}") from error
    return found
