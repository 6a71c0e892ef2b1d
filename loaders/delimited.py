"""Delimited text: CSV, TSV and the like, read by the standard library's csv module.

The separator is found from the first lines. A header is found by its column names; columns can also be chosen
by name or position. Quoted fields may hold separators, quotes (doubled) and line ends.
"""

from __future__ import annotations

import csv
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kgneo.errors import DataError, UsageError
from kgneo.loader import BadLine, Head, LoadedTriple, LoadOptions, OnBadLine, Source, raw_lines, text_fault
from kgneo.model import Triple

__all__ = ["SEPARATORS", "DelimitedLoader", "Row", "chosen_separator", "dialect", "rows", "shown_separator"]

ROLES = ("subject", "relation", "object")
SYNONYMS = {
    "subject": {"subject", "subj", "s", "head", "h", "source", "src", "from", "start", "node1", "entity1"},
    "relation": {
        "relation", "rel", "predicate", "pred", "p", "r", "type", "relationship", "relationtype",
        "relationshiptype", "edge", "edgetype", "property", "label",
    },
    "object": {"object", "obj", "o", "tail", "t", "target", "dst", "to", "end", "node2", "entity2", "value"},
}  # fmt: skip
ENDINGS = ("", "name", "entity", "node", "id")
"""Endings a column name of an end of the triple may carry: "source_name"."""
LABEL_ENDINGS = ("label", "labels", "type", "types", "kind", "class")
LABEL_SEPARATOR = ";"
SEPARATORS = ("\t", "|", ";", ",")
BY_SUFFIX = {".csv": ",;\t|", ".tsv": "\t", ".tab": "\t", ".psv": "|"}
BY_FORMAT = {"tsv": "\t", "tab": "\t"}
SPELLED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "blank": " ", "space": " "}
SAMPLED_ROWS = 200
LONGEST_FIELD = 2 * 1024 * 1024
"""Characters. It bounds what a quote that is never closed swallows."""
csv.field_size_limit(LONGEST_FIELD)  # there is no limit for one reader alone


@dataclass(frozen=True, slots=True)
class Columns:
    """Where in a row (0-based) the parts of a triple are, how many fields a row has, and whether the first
    row is a header. Label columns are None where there are none."""

    subject: int
    relation: int
    object: int
    width: int
    header: bool
    subject_labels: int | None = None
    object_labels: int | None = None
    relation_label: int | None = None


class DelimitedLoader:
    """Reads rows of fields between separators, three of which are a triple."""

    name = "delimited"
    aliases = ("csv", "tsv", "text")

    def recognises(self, head: Head) -> float:
        """0.6 where a separator splits the first lines evenly, less where only the name says so."""
        separator, evenness = _find_separator(head, quote='"', any_width=False)
        if evenness > 0.5:
            return 0.6
        if head.suffix in BY_SUFFIX:
            return 0.3
        return 0.1 if any(separator in line for line in head.lines[:1]) else 0.0

    def fields(self, source: Source, *, options: LoadOptions) -> tuple[str, ...]:
        """The fields of the first row that can be read."""
        try:
            first = next(rows(source, chosen_separator(source.head, options), options.quote, lambda _: None), None)
        finally:
            source.end_pass()
        return tuple(first.fields) if first else ()

    def read(self, source: Source, *, options: LoadOptions, on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
        """One triple a row; blank lines are passed over."""
        separator = chosen_separator(source.head, options)
        columns: Columns | None = None
        for row in rows(source, separator, options.quote, on_bad_line):
            if columns is None:
                columns = _columns(row, options, source.name, on_bad_line)
                if columns is None or columns.header:
                    continue
            if len(row.fields) != columns.width:
                found = f"{len(row.fields)} field{'s' if len(row.fields) != 1 else ''}"
                reason = f"found {found}, expected {columns.width} (separated by {shown_separator(separator)})"
                on_bad_line(BadLine(row.line, reason, row.text))
                continue
            yield _loaded(row, columns)


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of a row, the line (1-based) where it starts, and its text."""

    fields: list[str]
    line: int
    text: str


def _loaded(row: Row, columns: Columns) -> LoadedTriple:
    fields = row.fields
    triple = Triple(fields[columns.subject], fields[columns.relation], fields[columns.object])
    return LoadedTriple(
        triple,
        _labels(fields, columns.subject_labels),
        _labels(fields, columns.object_labels),
        row.line,
        "" if columns.relation_label is None else fields[columns.relation_label].strip(),
    )


def _labels(fields: Sequence[str], column: int | None) -> tuple[str, ...]:
    if column is None:
        return ()
    return tuple(label for part in fields[column].split(LABEL_SEPARATOR) if (label := part.strip()))


class _Feed:
    """Hands lines to the csv reader and remembers those of the record under way."""

    def __init__(self, source: Source) -> None:
        self._lines = raw_lines(source)
        self._again: deque[tuple[int, str]] = deque()
        self.record: list[tuple[int, str]] = []

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.record.append(line)
        return line[1]

    def push_back(self, lines: Sequence[tuple[int, str]]) -> None:
        """Have these lines read again, first one first."""
        self._again.extendleft(reversed(lines))

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.record).removesuffix("\n").removesuffix("\r")


def rows(source: Source, separator: str, quote: str | None, on_bad_line: OnBadLine) -> Iterator[Row]:
    """The rows of a source, blank ones left out. Broken quoting and what is no text goes to `on_bad_line`."""
    feed = _Feed(source)
    reader = csv.reader(feed, **dialect(separator, quote))
    while True:
        feed.record = []
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            _report_broken_record(feed, error, quote or "", on_bad_line)
            continue
        number = feed.record[0][0]
        faults = [(line, fault) for line, text in feed.record if (fault := text_fault(text))]
        if faults:
            on_bad_line(BadLine(faults[0][0], faults[0][1], feed.text))
        elif len(fields) > 1 or (fields and fields[0].strip()):
            yield Row(fields, number, feed.text)


def dialect(separator: str, quote: str | None) -> dict[str, Any]:
    """What the csv module is told. `quote` None: quotes are plain characters."""
    if quote is None:
        return {"delimiter": separator, "quoting": csv.QUOTE_NONE, "strict": True}
    return {"delimiter": separator, "quotechar": quote, "doublequote": True, "strict": True}


def _report_broken_record(feed: _Feed, error: csv.Error, quote: str, on_bad_line: OnBadLine) -> None:
    """A quote that is not closed swallows the lines behind it: leave out the line where it opened, and those
    whose own quotes do not pair up, and read the others again."""
    first, *rest = feed.record
    hint = f"Double a {quote} inside a quoted field, or load with quotes as plain characters (--no-quotes)."
    if len(first[1]) > LONGEST_FIELD and not rest:
        on_bad_line(BadLine(first[0], f"a field of more than {LONGEST_FIELD:,} characters", first[1].rstrip("\r\n")))
        return
    on_bad_line(BadLine(first[0], f"broken quoting ({error})", first[1].rstrip("\r\n"), hint))
    usable: list[tuple[int, str]] = []
    for number, text in rest:
        if quote and text.count(quote) % 2:
            on_bad_line(BadLine(number, f"broken quoting (since line {first[0]})", text.rstrip("\r\n"), hint))
        else:
            usable.append((number, text))
    feed.push_back(usable)


def chosen_separator(head: Head, options: LoadOptions) -> str:
    """The separator that the options name, else the one found. Raises UsageError for what can be none."""
    given = options.separator
    if given is None:
        by_format = BY_FORMAT.get(options.format or "")
        any_width = options.columns is not None
        return by_format or _find_separator(head, quote=options.quote, any_width=any_width)[0]
    separator = SPELLED.get(given.lower(), given)
    if len(separator) != 1 or separator in "\r\n\0":
        raise UsageError(f"the separator is {given!r}, expected one character, or tab")
    return separator


def _find_separator(head: Head, *, quote: str | None, any_width: bool) -> tuple[str, float]:
    """The separator that splits most of the first rows into the same number of fields, at least 3 (exactly 3
    without a header, unless `any_width`), and the share of rows that it does so for."""
    candidates = BY_SUFFIX.get(head.suffix, "".join(SEPARATORS))
    best, best_score = "", 0.0
    for separator in candidates:
        score = _evenness(head.lines[:SAMPLED_ROWS], separator, quote, any_width)
        if score > best_score:
            best, best_score = separator, score
    if not best:
        first = head.lines[0] if head.lines else ""
        best = max(candidates, key=first.count)
    return best, best_score


def _evenness(lines: Sequence[str], separator: str, quote: str | None, any_width: bool) -> float:
    rows: list[list[str]] = []
    reader = csv.reader((f"{line}\n" for line in lines), **{**dialect(separator, quote), "strict": False})
    with suppress(csv.Error):  # what was read up to there is sample enough
        rows.extend(reader)
    if not rows:
        return 0.0
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if width < 3 or (width > 3 and not any_width and _header_columns(rows[0]) is None):
        return 0.0
    return count / len(rows)


def _columns(row: Row, options: LoadOptions, file: str, on_bad_line: OnBadLine) -> Columns | None:
    """The columns of a source from its first row, None where that row is a bad line. Raises DataError where
    they cannot be had as the options have it."""
    first = row.fields
    named = None if options.header == "no" else _header_columns(first)
    if options.columns is not None:
        return _chosen_columns(row, options, named, file)
    if named is not None:
        return named
    if len(first) == 3:
        return Columns(0, 1, 2, 3, options.header == "yes")
    hint = "Say which columns to take with --columns, by header name or by position: --columns 1,2,3."
    names = ", ".join(first)[:200]
    message = f"found {len(first)} columns ({names}), expected 3, or a header that names them"
    if options.header == "yes":
        raise DataError(message, file=file, line=row.line, hint=hint)
    on_bad_line(BadLine(row.line, message, row.text, hint))
    return None


def _header_columns(row: Sequence[str]) -> Columns | None:
    """The columns of a header row, None when the row does not name all three parts of a triple."""
    plain = [_plain(name) for name in row]
    found = {role: _role_column(plain, role) for role in ROLES}
    subject, relation, object_ = found["subject"], found["relation"], found["object"]
    if subject is None or relation is None or object_ is None or len({subject, relation, object_}) != 3:
        return None
    return Columns(
        subject, relation, object_, len(row), True,
        _label_column(plain, "subject"), _label_column(plain, "object"), _readable_column(plain, relation),
    )  # fmt: skip


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _role_column(plain: Sequence[str], role: str) -> int | None:
    endings = ENDINGS if role != "relation" else ("", "name", "id")
    # The plain word wins over one with an ending: "source" over "source_id".
    for ending in endings:
        for index, name in enumerate(plain):
            if name.removesuffix(ending) in SYNONYMS[role] and name.endswith(ending):
                return index
    return None


def _label_column(plain: Sequence[str], role: str) -> int | None:
    wanted = {f"{word}{ending}" for word in SYNONYMS[role] for ending in LABEL_ENDINGS}
    return next((index for index, name in enumerate(plain) if name in wanted), None)


def _readable_column(plain: Sequence[str], relation: int) -> int | None:
    """A column that says what a relation means that is spelt as a code."""
    wanted = {"label", *(f"{word}label" for word in SYNONYMS["relation"])}
    return next((index for index, name in enumerate(plain) if name in wanted and index != relation), None)


def _chosen_columns(row: Row, options: LoadOptions, named: Columns | None, file: str) -> Columns:
    first = row.fields
    chosen = options.columns or ("", "", "")
    by_position = all(column.isdecimal() for column in chosen)
    if not by_position and options.header == "no":
        raise UsageError(f"columns {', '.join(chosen)} are names, and the file is said to have no header")
    subject, relation, object_ = (_place(column, first, file, row.line) for column in chosen)
    header = options.header == "yes" or not by_position or named is not None
    plain = [_plain(name) for name in first] if header else []
    return Columns(
        subject, relation, object_, len(first), header,
        _label_column(plain, "subject"), _label_column(plain, "object"), _readable_column(plain, relation),
    )  # fmt: skip


def _place(column: str, first: Sequence[str], file: str, line: int) -> int:
    if column in first:
        return list(first).index(column)
    if column.isdecimal() and 1 <= int(column) <= len(first):
        return int(column) - 1
    matches = [index for index, name in enumerate(first) if name.strip().lower() == column.strip().lower()]
    if len(matches) == 1:
        return matches[0]
    message = f"there is no column {column!r}, found {len(first)}: {', '.join(first)[:200]}"
    raise DataError(message, file=file, line=line, hint="Name columns as the header does, or by position.")


def shown_separator(separator: str) -> str:
    """A separator as messages show it."""
    return "tabs" if separator == "\t" else f'"{separator}"'
