"""Triples from files: sources, loaders, the format of a file, and what happens to lines that cannot be used.

    open_source(path)  → Source        a file, a pipe or standard input, readable more than once
    check(source)      → Check         first pass: everything is validated, nothing is kept
    read_triples(source)               second pass: the triples, one at a time

A loader turns a source into `LoadedTriple`s; a graph loader turns several into `LoadedNode`s and
`LoadedRelationship`s, which `kgneo.property_graph` checks and reads. Loaders are found through the entry points of
the group `kgneo.loaders`, so that any installed package can add one; this module knows no format of its own.
Memory does not grow with the source: no pass keeps more than the line or statement at hand.
"""

from __future__ import annotations

import gzip
import sqlite3
import sys
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, Protocol, TextIO, cast, runtime_checkable

from kgneo.errors import DataError, UsageError
from kgneo.model import Triple

__all__ = [
    "BadLine",
    "BadLines",
    "Check",
    "GraphLoader",
    "Head",
    "LoadOptions",
    "LoadedNode",
    "LoadedRelationship",
    "LoadedTriple",
    "Loader",
    "NodeKey",
    "OnBadLine",
    "Source",
    "TableLoader",
    "check",
    "detect",
    "loaders",
    "open_source",
    "raw_lines",
    "read_triples",
    "scratch_database",
    "text_fault",
    "text_lines",
    "text_only",
]

ENTRY_POINTS = "kgneo.loaders"
HEAD_BYTES = 65_536
LONGEST_LINE = 16 * 1024 * 1024
"""Bytes. A longer line is a bad line: it bounds the memory that a file without line ends can take."""
SPOOL_BYTES = 8 * 1024 * 1024
"""Bytes of standard input kept in memory before the rest goes to a temporary file."""
PROGRESS_EVERY = 1_000
"""Triples between two calls of a progress callback."""
SHOWN_LINE = 120
"""Characters of a triple that are shown where its line is not known."""
SHOWN_CHARACTERS = 1_000
"""Characters of a bad line that are kept for the report."""


@dataclass(frozen=True, slots=True)
class LoadedTriple:
    """A triple as a source has it. Names are exactly those of the source, blanks and line ends included.

    `subject_labels` and `object_labels` are node labels that the data implies, `line` (1-based) is where the
    triple starts, 0 where the source has no lines; `relation_label` is what the relation means, where it is spelt
    as a code.
    """

    triple: Triple
    subject_labels: tuple[str, ...] = ()
    object_labels: tuple[str, ...] = ()
    line: int = 0
    relation_label: str = ""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A piece of a source that cannot be used: where it starts (1-based), why, the piece itself (its first
    1,000 characters), what the user can do about it, and which file, where several are read together."""

    line: int
    reason: str
    text: str = ""
    hint: str = ""
    file: str = ""


OnBadLine = Callable[[BadLine], None]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to read a source. Every loader takes those that concern it and passes over the others.

    Delimited text: `separator` (one character, or "tab"; None finds it), `columns` (subject, relation and
    object by header name or 1-based position), `header` and `quote` (None: quotes are plain characters).
    RDF: `names` ("local" names or whole "iri"s) and `language` (keeps only literals in it or in none).
    `format` is the one that was asked for, under the name that was used for it.
    """

    format: str | None = None
    separator: str | None = None
    columns: tuple[str, str, str] | None = None
    header: Literal["auto", "yes", "no"] = "auto"
    quote: str | None = '"'
    names: Literal["local", "iri"] = "local"
    language: str | None = None


@dataclass(frozen=True)
class Head:
    """The start of a source: its file name (without folder and ".gz") and its first 64 KiB, uncompressed."""

    name: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The extension of the name in lower case, with its dot: ".csv"."""
        return Path(self.name).suffix.lower()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines that are not blank, without line ends and byte order mark. A line cut by the end of the
        head is left out, unless it is the only one."""
        lines = self.data.decode("utf-8-sig", errors="replace").split("\n")
        if len(self.data) >= HEAD_BYTES and len(lines) > 1:
            lines.pop()
        return tuple(line.rstrip("\r") for line in lines if line.strip())


class Source:
    """A file or spooled standard input that can be read several times, one reader at a time.

    `name` is what messages call it, `size` its bytes as stored (None where unknown) and `position` how many
    of those the present pass has taken, so that `position / size` is the progress, compressed or not.
    """

    def __init__(
        self,
        name: str,
        *,
        size: int | None,
        open_raw: Callable[[], BinaryIO],
        close: Callable[[], object] | None = None,
    ) -> None:
        """`open_raw` gives the stored bytes from their beginning. With `close`, the stream stays open from
        one pass to the next, and `close` is called when the source goes."""
        self.name = name
        self.size = size
        self._open_raw = open_raw
        self._keep_open = close is not None
        if close is not None:
            weakref.finalize(self, close)
        self._raw: BinaryIO | None = None
        self._position = 0
        with self._raw_stream() as raw:
            self._compressed = raw.read(2) == b"\x1f\x8b"
        with self.open() as stream:
            self.head = Head(self.short_name.removesuffix(".gz"), stream.read(HEAD_BYTES))

    def __repr__(self) -> str:
        return f"Source({self.name!r}, size={self.size})"

    @property
    def short_name(self) -> str:
        """The name without its folder."""
        return Path(self.name).name

    @property
    def position(self) -> int:
        """Bytes of `size` that the pass under way (or the last one) has read."""
        if self._raw is not None and not self._raw.closed:
            self._position = self._raw.tell()
        return self._position

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes from the beginning, uncompressed. Raises DataError where a compressed file is damaged."""
        with self._raw_stream() as raw:
            if not self._compressed:
                yield raw
                return
            with gzip.open(raw, "rb") as stream:
                yield cast(BinaryIO, stream)

    def end_pass(self) -> None:
        """Close the file of the pass under way, however far it came."""
        _ = self.position  # remembered from here on
        if self._raw is not None and not self._keep_open:
            self._raw.close()

    @contextmanager
    def _raw_stream(self) -> Iterator[BinaryIO]:
        try:
            raw = self._open_raw()
        except OSError as error:
            raise _unreadable(self.name, error) from error
        self._raw = raw
        try:
            yield raw
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            message = f"the compressed data is damaged or cut off ({error})"
            raise DataError(message, file=self.name, hint="Fetch the file again.") from error
        finally:
            # A reader that was left behind may come here late, when another pass is under way.
            if raw is self._raw:
                self.end_pass()
            elif not self._keep_open:
                raw.close()


class Loader(Protocol):
    """One format. `name` (and each of `aliases`) is what `format` may call it."""

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    def recognises(self, head: Head) -> float:
        """How likely the source is of this format, 0 to 1."""
        ...

    def read(self, source: Source, *, options: LoadOptions, on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
        """The triples in the order of the source. What is no triple goes to `on_bad_line`, which may raise;
        when it returns, reading goes on behind it."""
        ...


@runtime_checkable
class TableLoader(Protocol):
    """A loader of rows of which columns are chosen (`LoadOptions.columns`)."""

    def fields(self, source: Source, *, options: LoadOptions) -> tuple[str, ...]:
        """The fields of the first row, be it a header or not."""
        ...


class NodeKey(NamedTuple):
    """What a source knows a node by: its id, and the id space that the id holds in ("" for the common one)."""

    id: str
    space: str = ""

    def __str__(self) -> str:
        return f"{self.id!r} (id space {self.space})" if self.space else repr(self.id)


@dataclass(frozen=True, slots=True)
class LoadedNode:
    """A node as a source has it. `key` is None where no relationship can name it; `properties` hold what the driver
    takes; `line` (1-based) of `file` is where it starts."""

    key: NodeKey | None
    labels: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    file: str = ""


@dataclass(frozen=True, slots=True)
class LoadedRelationship:
    """A relationship as a source has it, its ends by their keys."""

    start: NodeKey
    relation: str
    end: NodeKey
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0
    file: str = ""


@runtime_checkable
class GraphLoader(Protocol):
    """One format of property graphs. It reads several files together: what one of them says may stand for others.

    Nodes are read before relationships, whatever the order of the files. Bad lines name their file.
    """

    @property
    def name(self) -> str: ...

    @property
    def aliases(self) -> tuple[str, ...]: ...

    def recognises(self, head: Head) -> float:
        """How likely the source is of this format, 0 to 1."""
        ...

    def takes(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """Those of the sources that it reads when they are given together."""
        ...

    def read_nodes(
        self, sources: Sequence[Source], *, options: LoadOptions, on_bad_line: OnBadLine
    ) -> Iterator[LoadedNode]:
        """The nodes in the order of the sources. As `Loader.read` does, it goes on behind a bad line."""
        ...

    def read_relationships(
        self, sources: Sequence[Source], *, options: LoadOptions, on_bad_line: OnBadLine
    ) -> Iterator[LoadedRelationship]:
        """The relationships in the order of the sources."""
        ...


@dataclass(frozen=True, slots=True)
class Check:
    """What a first pass found: the loader's name, how many triples, how many bad lines were left out."""

    loader: str
    triples: int
    bad_lines: int = 0


def open_source(path: str | Path | BinaryIO) -> Source:
    """A source for a path, for "-" (standard input) or for an open binary stream.

    What cannot be read twice (standard input, a pipe) is copied to a temporary file first. Raises DataError
    for what is missing, a folder, unreadable, empty or plainly no text.
    """
    if not isinstance(path, str | Path):
        source = _spooled(getattr(path, "name", ""), path)
    elif str(path) == "-":
        source = _spooled("", sys.stdin.buffer)
    else:
        source = _from_path(str(path))
    return text_only(source)


def text_only(source: Source) -> Source:
    """The source itself. Raises DataError where it is empty or plainly no text."""
    if not source.head.data:
        raise DataError("the file is empty, expected triples", file=source.name, hint="Check that it was written.")
    if kind := _binary_kind(source.head.data):
        hint = "Write it again as UTF-8." if kind.startswith("UTF") else "Give a text file, or a zip archive of some."
        raise DataError(f"this is {kind}, expected UTF-8 text", file=source.name, line=1, hint=hint)
    return source


def _from_path(name: str) -> Source:
    path = Path(name)
    try:
        if path.is_dir():
            raise DataError("this is a folder, expected a file of triples", file=name, hint="Name the files in it.")
        size = path.stat().st_size
        if not path.is_file():
            with path.open("rb") as stream:
                return _spooled(name, stream)
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from error
    return Source(name, size=size, open_raw=lambda: path.open("rb"))


def _spooled(name: object, stream: BinaryIO) -> Source:
    # The spool lives as long as the source and is closed with it, hence no `with`.
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115
    # "<stdin>" is Python's own name for it.
    shown = name if isinstance(name, str) and name and not name.startswith("<") else "standard input"
    try:
        while block := stream.read(HEAD_BYTES):
            spool.write(block)
    except OSError as error:
        spool.close()
        raise _unreadable(shown, error) from error
    size = spool.tell()

    def rewound() -> BinaryIO:
        spool.seek(0)
        return cast(BinaryIO, spool)

    return Source(shown, size=size, open_raw=rewound, close=spool.close)


def _unreadable(name: str, error: OSError | ValueError) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError("there is no such file", file=name, hint="Check the path.")
    reason = getattr(error, "strerror", None) or str(error)
    return DataError(f"the file cannot be read: {reason}", file=name, hint="Check the path and its permissions.")


def _binary_kind(data: bytes) -> str:
    """What the data is when it is no text, else "". A stray NUL in text is left to the check of its line."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16 text"
    if b"\0" not in data:
        return ""
    control = sum(data.count(code) for code in range(32) if code not in b"\t\n\r\f\x1b")
    try:
        data[: data.rfind(b"\n") + 1].decode("utf-8")
    except UnicodeDecodeError:
        return "a binary file (it holds NUL bytes)"
    return "a binary file (it holds NUL bytes)" if control > len(data) * 0.3 else ""


def raw_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Number (1-based) and text of every line, line end included, byte order mark left out. Bytes that are
    not UTF-8 come as lone surrogates, which `text_fault` finds and words."""
    with source.open() as stream:
        number = 0
        while data := stream.readline(LONGEST_LINE):
            number += 1
            if len(data) == LONGEST_LINE and not data.endswith(b"\n"):
                _skip_line(stream)
            if number == 1:
                data = data.removeprefix(b"\xef\xbb\xbf")
            yield number, data.decode("utf-8", "surrogateescape")


def _skip_line(stream: BinaryIO) -> None:
    while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
        pass


def text_lines(source: Source, on_bad_line: OnBadLine) -> Iterator[tuple[int, str]]:
    """As `raw_lines`, without line ends and without lines that cannot be used: these go to `on_bad_line`."""
    for number, text in raw_lines(source):
        line = text.removesuffix("\n").removesuffix("\r")
        if fault := text_fault(text):
            on_bad_line(BadLine(number, fault, line))
        else:
            yield number, line


def scratch_database() -> sqlite3.Connection:
    """A database for one pass, in a temporary file, so that what is remembered takes no memory."""
    # An empty name is SQLite's temporary database: a bounded cache in memory, the rest on disk.
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    for setting in ("synchronous = OFF", "journal_mode = OFF", "cache_size = -32768"):  # KiB
        database.execute(f"PRAGMA {setting}")
    database.execute("BEGIN")
    return database


def text_fault(text: str) -> str:
    """Why a text can be no name or line ("" when it can): a NUL character, a lone surrogate or a byte that is
    not UTF-8, or too long."""
    if "\0" in text:
        return f"a NUL character at column {text.index(chr(0)) + 1}"
    if len(text) >= LONGEST_LINE // 4 and len(text.encode("utf-8", "surrogateescape")) >= LONGEST_LINE:
        return f"longer than {LONGEST_LINE:,} bytes"
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        code = ord(text[error.start])
        if 0xDC80 <= code <= 0xDCFF:
            offset = len(text[: error.start].encode("utf-8", "surrogateescape")) + 1
            return f"not UTF-8: byte 0x{code - 0xDC00:02x} at byte {offset} of the line"
        return f"a lone surrogate U+{code:04X} at column {error.start + 1}"
    return ""


@cache
def loaders() -> tuple[Loader | GraphLoader, ...]:
    """The installed loaders by name. A loader that cannot be imported raises DataError naming its package."""
    found: list[Loader | GraphLoader] = []
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            found.append(entry.load()())
        except Exception as error:
            message = f"the loader {entry.name!r} ({entry.value}) cannot be used: {error}"
            raise DataError(message, hint="Mend or uninstall the package that it comes from.") from error
    return tuple(found)


def detect(source: Source, *, format: str | None = None) -> Loader | GraphLoader:  # noqa: A002
    """The loader for a source: the one that `format` names, else the one that recognises it best.

    Raises UsageError for an unknown format and DataError when no loader recognises the source.
    """
    known = loaders()
    names = ", ".join(sorted({name for loader in known for name in (loader.name, *loader.aliases)}))
    if format is not None:
        for loader in known:
            if format.lower() in (loader.name, *loader.aliases):
                return loader
        raise UsageError(f"unknown format {format!r}, expected one of: {names}")
    scored = [(loader.recognises(source.head), loader) for loader in known]
    score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if best is None or score <= 0:
        tried = ", ".join(loader.name for loader in known) or "none is installed"
        message = f"the format cannot be told from name and content (tried: {tried})"
        raise DataError(message, file=source.name, line=1, hint=f"Name its format (--format), one of: {names}.")
    return best


def read_triples(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    options: LoadOptions | None = None,
    skip_bad_lines: bool = False,
    rejected: TextIO | None = None,
) -> Iterator[LoadedTriple]:
    """The triples of a source, in its order.

    Raises DataError at the first bad line. With `skip_bad_lines` it is left out instead and, where `rejected`
    is given, written there as one line: file, line, reason and text with tabs in between.
    """
    return _read(source, BadLines(source.name, skip_bad_lines, rejected), format, options)


def check(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    options: LoadOptions | None = None,
    skip_bad_lines: bool = False,
    rejected: TextIO | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Check:
    """Read a source to its end and keep nothing, so that nothing is written when some of it is bad.

    `on_progress` gets the position in bytes every 1,000 triples. Raises DataError as `read_triples` does, and
    for a source without any triple.
    """
    bad_lines = BadLines(source.name, skip_bad_lines, rejected)
    triples = 0
    for _ in _read(source, bad_lines, format, options):
        triples += 1
        if on_progress and triples % PROGRESS_EVERY == 0:
            on_progress(source.position)
    if not triples:
        found = f"none of its {bad_lines.count:,} lines can be used" if bad_lines.count else "it holds no triples"
        hint = (
            f"The last one: {bad_lines.last.reason}." if bad_lines.last else "Check the file and its format (--format)."
        )
        raise DataError(found, file=source.name, hint=hint)
    return Check(detect(source, format=format).name, triples, bad_lines.count)


class BadLines:
    """Raises on a bad line, or counts it and writes it down. `file` is named where the bad line itself names none."""

    def __init__(self, file: str, skip: bool, rejected: TextIO | None) -> None:
        self.file = file
        self.skip = skip
        self.rejected = rejected
        self.count = 0
        self.last: BadLine | None = None

    def __call__(self, bad: BadLine) -> None:
        if not self.skip:
            hint = bad.hint or "Mend the line, or leave out what cannot be used with --skip-bad-lines."
            raise DataError(bad.reason, file=bad.file or self.file, line=bad.line, hint=hint)
        self.count += 1
        self.last = bad
        if self.rejected is not None:
            text = _one_line(bad.text[:SHOWN_CHARACTERS])
            self.rejected.write(f"{_one_line(bad.file or self.file)}\t{bad.line}\t{_one_line(bad.reason)}\t{text}\n")


def _one_line(text: str) -> str:
    """The text with backslashes, control characters and lone surrogates escaped as in a Python string."""
    return "".join(
        char if char.isprintable() and char != "\\" else char.encode("unicode_escape").decode("ascii") for char in text
    )


def _read(
    source: Source,
    bad_lines: BadLines,
    format: str | None,  # noqa: A002
    options: LoadOptions | None,
) -> Iterator[LoadedTriple]:
    loader = detect(source, format=format)
    if isinstance(loader, GraphLoader):
        message = "the file holds nodes and relationships of a property graph, expected triples"
        raise DataError(message, file=source.name, hint="Load it with `kgneo load`, or as rows (--format csv).")
    options = replace(options or LoadOptions(), format=format.lower() if format else None)
    # A loader, above all somebody else's, may pass on what no graph can hold.
    return _usable(source, loader.read(source, options=options, on_bad_line=bad_lines), bad_lines)


def _usable(source: Source, triples: Iterator[LoadedTriple], on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
    try:
        for loaded in triples:
            if fault := _triple_fault(loaded.triple):
                triple = loaded.triple
                text = "\t".join((triple.subject, triple.relation, triple.object))
                where = "" if loaded.line else f", in the triple {_one_line(text[:SHOWN_LINE])}"
                on_bad_line(BadLine(loaded.line, fault + where, text))
            else:
                yield loaded
    finally:
        # An error keeps the frames of the loader alive, and with them its open file.
        source.end_pass()


def _triple_fault(triple: Triple) -> str:
    subject, relation, object_ = triple.subject, triple.relation, triple.object
    for role, name in (("subject", subject), ("relation", relation), ("object", object_)):
        if not name or name.isspace():
            return f"the {role} is empty"
        # One test of the whole is cheap enough to make for each of millions of names.
        if (not name.isascii() or "\0" in name) and (fault := text_fault(name)):
            return f"the {role} holds {fault}"
    return ""
