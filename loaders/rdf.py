"""RDF: N-Triples and Turtle, parsed by rdflib one line or statement at a time.

    source → statements of rdflib terms → names → triples

Names. An IRI becomes its local name (what follows the last "#" or "/", percent signs decoded). Two IRIs never
share a name: the first one in the file keeps the local name, a later one is written with its prefix
(ex:Paris), or as the whole IRI where the file declares no prefix for it. Which IRI has which name is kept in
a temporary table on disk, so that memory does not grow with the file. Relations are named in the same way,
among themselves. Literals become their lexical form, without language and datatype. A blank node is named
after the file and its own name there: `_:people.ttl:b0`.

`rdf:type` with an IRI is passed on as a triple like any other, and also as a label of its subject.
"""

from __future__ import annotations

import re
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import closing
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from kgneo.errors import DataError
from kgneo.loader import (
    BadLine,
    Head,
    LoadedTriple,
    LoadOptions,
    OnBadLine,
    Source,
    raw_lines,
    text_fault,
    text_lines,
)
from kgneo.model import Triple

if TYPE_CHECKING:
    from rdflib.plugins.parsers.notation3 import SinkParser

__all__ = ["RdfLoader"]

N_TRIPLES = ("nt", "ntriples")
TURTLE = ("turtle", "ttl")
N_TRIPLES_SUFFIXES = (".nt", ".ntriples")
TURTLE_SUFFIXES = (".ttl", ".turtle")
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
BASE = "file:///"
"""Relative IRIs are read against this, so that their names do not depend on where the file lies."""

N_TRIPLES_LINE = re.compile(r"\s*(?:<[^>]+>|_:\S+)\s+<[^>]+>\s+\S.*\.\s*(?:#.*)?$")
TURTLE_START = re.compile(r"\s*(?:@prefix|@base|prefix|base)\s", re.IGNORECASE)
CHUNK_CHARACTERS = 65_536
LONGEST_STATEMENT = 16 * 1024 * 1024
"""Characters. What is not a whole statement after so many is taken for an error."""
TURTLE_HINT = "Turtle cannot be read on behind an error: mend it, or turn the file into N-Triples."
NAMES_IN_MEMORY = 50_000


class RdfLoader:
    """Reads N-Triples and Turtle; which of them is told by `format`, the extension or the content."""

    name = "rdf"
    aliases = (*N_TRIPLES, *TURTLE)

    def recognises(self, head: Head) -> float:
        """High for the extensions of RDF, and for content that is a Turtle directive or an N-Triples line."""
        if head.suffix in (*N_TRIPLES_SUFFIXES, *TURTLE_SUFFIXES):
            return 0.9
        lines = _statements_of(head)
        if lines and (TURTLE_START.match(lines[0]) or N_TRIPLES_LINE.match(lines[0])):
            return 0.9
        return 0.0

    def read(self, source: Source, *, options: LoadOptions, on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
        """The triples, statement by statement. In N-Triples a bad line can be left out; Turtle cannot be read
        on behind a syntax error, so that there it is a DataError in any case."""
        prefixes: dict[str, str] = {}
        if _is_n_triples(source.head, options):
            statements = _n_triples(source, on_bad_line)
        else:
            statements = _turtle(source, prefixes)
        with closing(_Naming(source.head.name, options, prefixes)) as naming:
            for statement in statements:
                if not _in_language(statement.object, options.language):
                    continue
                yield _loaded(statement, naming)


class _Iri(str):
    __slots__ = ()


class _Blank(str):
    __slots__ = ()


class _Text(NamedTuple):
    """A literal: its lexical form and language tag."""

    form: str
    language: str = ""


class _Statement(NamedTuple):
    subject: _Iri | _Blank | _Text
    predicate: _Iri | _Blank | _Text
    object: _Iri | _Blank | _Text
    line: int


def _statements_of(head: Head) -> list[str]:
    return [line for line in head.lines if not line.lstrip().startswith("#")]


def _is_n_triples(head: Head, options: LoadOptions) -> bool:
    if options.format in (*N_TRIPLES, *TURTLE):
        return options.format in N_TRIPLES
    if head.suffix in (*N_TRIPLES_SUFFIXES, *TURTLE_SUFFIXES):
        return head.suffix in N_TRIPLES_SUFFIXES
    return all(N_TRIPLES_LINE.match(line) for line in _statements_of(head))


def _in_language(term: _Iri | _Blank | _Text, language: str | None) -> bool:
    if not language or not isinstance(term, _Text) or not term.language:
        return True
    tag, wanted = term.language.lower(), language.lower()
    return tag == wanted or tag.startswith(f"{wanted}-")


def _loaded(statement: _Statement, naming: _Naming) -> LoadedTriple:
    triple = Triple(naming.node(statement.subject), naming.relation(statement.predicate), naming.node(statement.object))
    is_type = statement.predicate == RDF_TYPE and isinstance(statement.object, _Iri)
    return LoadedTriple(triple, (triple.object,) if is_type else (), (), statement.line)


# Names


class _Naming:
    """Names of terms within one pass over a file; the same in every pass."""

    def __init__(self, file: str, options: LoadOptions, prefixes: Mapping[str, str]) -> None:
        self._file = file
        self._whole = options.names == "iri"
        # An empty name is SQLite's temporary database: a bounded cache in memory, the rest on disk.
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA cache_size = -32768")  # KiB
        self._database.execute("BEGIN")
        self._nodes = _Names(self._database, "nodes", prefixes)
        self._relations = _Names(self._database, "relations", prefixes)

    def close(self) -> None:
        """Remove the table of names."""
        self._database.close()

    def node(self, term: _Iri | _Blank | _Text) -> str:
        """The name of a subject or object."""
        if isinstance(term, _Text):
            return term.form
        if isinstance(term, _Blank):
            return f"_:{self._file}:{term}"
        return str(term) if self._whole else self._nodes[str(term)]

    def relation(self, term: _Iri | _Blank | _Text) -> str:
        """The name of a predicate."""
        return str(term) if self._whole else self._relations[str(term)]


class _Names:
    """IRI → name, different for different IRIs: local name, prefixed name or IRI, the first that is free."""

    def __init__(self, database: sqlite3.Connection, table: str, prefixes: Mapping[str, str]) -> None:
        self._database = database
        self._prefixes = prefixes
        self._recent: OrderedDict[str, str] = OrderedDict()
        database.execute(f"CREATE TABLE {table} (iri TEXT PRIMARY KEY, name TEXT UNIQUE) WITHOUT ROWID")
        self._find = f"SELECT name FROM {table} WHERE iri = ?"  # noqa: S608
        self._claim = f"INSERT OR IGNORE INTO {table} VALUES (?, ?)"  # noqa: S608

    def __getitem__(self, iri: str) -> str:
        name = self._recent.get(iri)
        if name is None:
            name = self._stored(iri)
            self._recent[iri] = name
            if len(self._recent) > NAMES_IN_MEMORY:
                self._recent.popitem(last=False)
        return name

    def _stored(self, iri: str) -> str:
        if text_fault(iri):  # SQLite takes no lone surrogates; whoever checks names refuses this one
            return iri
        row = self._database.execute(self._find, (iri,)).fetchone()
        if row is not None:
            return str(row[0])
        for name in _possible_names(iri, self._prefixes):
            if self._database.execute(self._claim, (iri, name)).rowcount:
                return name
        return iri


def _possible_names(iri: str, prefixes: Mapping[str, str]) -> Iterator[str]:
    local = _local_name(iri)
    if local:
        yield local
    # The longest namespace leaves the shortest name.
    for prefix, namespace in sorted(prefixes.items(), key=lambda pair: -len(pair[1])):
        if prefix and namespace and iri.startswith(namespace) and len(iri) > len(namespace):
            yield f"{prefix}:{iri[len(namespace) :]}"
            break
    yield iri


def _local_name(iri: str) -> str:
    """What follows the last "#" or "/" (":" where there is neither), "" where nothing readable does."""
    trimmed = iri.rstrip("#/")
    _, colon, rest = trimmed.partition("://")
    if colon and "/" not in rest and "#" not in rest:
        return ""  # the name of a host says nothing about what is on it
    separator = max(trimmed.rfind("#"), trimmed.rfind("/"))
    local = trimmed[separator + 1 :] if separator >= 0 else trimmed.rpartition(":")[2]
    decoded = unquote(local, errors="replace")
    return local if "\ufffd" in decoded or text_fault(decoded) or not decoded.strip() else decoded


# N-Triples


def _n_triples(source: Source, on_bad_line: OnBadLine) -> Iterator[_Statement]:
    from rdflib.exceptions import ParserError
    from rdflib.plugins.parsers.ntriples import W3CNTriplesParser, r_literal, r_nodeid
    from rdflib.plugins.parsers.ntriples import unquote as unescape

    class Parser(W3CNTriplesParser):
        """Keeps literals and blank nodes as they are spelled."""

        def nodeid(self, bnode_context: Any = None) -> Any:  # noqa: ARG002
            return _Blank(self.eat(r_nodeid).group(1)) if self.peek("_") else False

        def uriref(self) -> Any:
            iri = super().uriref()
            return _Iri(iri) if iri else False

        def literal(self) -> Any:
            if not self.peek('"'):
                return False
            form, language, _ = self.eat(r_literal).groups()
            return _Text(unescape(form), language or "")

    found: list[tuple[Any, Any, Any]] = []

    class Sink:
        def triple(self, subject: Any, predicate: Any, object_: Any) -> None:
            found.append((subject, predicate, object_))

    parser = Parser(sink=Sink())  # type: ignore[arg-type]
    for number, line in text_lines(source, on_bad_line):
        parser.line = line
        found.clear()
        try:
            parser.parseline()
        except (ParserError, ValueError):
            # The parser's own words are regular expressions.
            on_bad_line(BadLine(number, "no N-Triples statement, expected: subject predicate object .", line))
            continue
        for subject, predicate, object_ in found:
            yield _Statement(subject, predicate, object_, number)


# Turtle


def _turtle(source: Source, prefixes: dict[str, str]) -> Iterator[_Statement]:
    """The statements of a Turtle file; `prefixes` is filled with those that it declares, as they come.

    rdflib's own entry point takes the whole text. Its parser can also read one statement at a place of a
    text, which is done here on a piece of the file: a statement that does not parse may only be cut off, so
    that more is read, twice as much each time, before it is called an error.
    """
    sink = _turtle_sink(prefixes)
    parser = _turtle_parser(sink)
    text = _Window(source)
    while True:
        end, error = _statement_end(parser, sink, text)
        # What ends where the window ends may go on behind it.
        cut_off = error is not None or end in (-1, len(text.window))
        if cut_off and not text.complete and len(text.window) - text.start < LONGEST_STATEMENT:
            text.grow()
            continue
        if error is not None:
            raise _turtle_error(source, text, error)
        if end == -1:
            return
        line = text.line_at(parser.skipSpace(text.window, text.start))
        for subject, predicate, object_ in sink.found:
            yield _Statement(subject, predicate, object_, line)
        text.start = end


class _Window:
    """A piece of a text file, of whole lines. `start` is where the next statement begins in it."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines = raw_lines(source)
        self.window = ""
        self.start = 0
        self.complete = False
        self._counted = 0
        self._line = 1
        self.grow()

    def grow(self) -> None:
        """Drop what lies before `start`, and read as much again as is left, at least 64 Ki characters.

        Raises DataError for a line that is not UTF-8 or holds a NUL character.
        """
        self.line_at(self.start)
        pieces = [self.window[self.start :]]
        wanted = max(CHUNK_CHARACTERS, len(pieces[0]))
        self.start = self._counted = 0
        while wanted > 0:
            number, line = next(self._lines, (0, ""))
            if not number:
                self.complete = True
                break
            if fault := text_fault(line):
                raise DataError(fault, file=self._source.name, line=number, hint=TURTLE_HINT)
            pieces.append(line)
            wanted -= len(line)
        self.window = "".join(pieces)

    def line_at(self, position: int) -> int:
        """The number of the line (1-based) at a position that is not before the last one asked for."""
        self._line += self.window.count("\n", self._counted, position)
        self._counted = position
        return self._line


def _statement_end(parser: SinkParser, sink: Any, text: _Window) -> tuple[int, Exception | None]:
    """Where the statement at the start of the window ends (-1: there is none), or why it does not parse."""
    from rdflib.exceptions import ParserError

    sink.found.clear()
    blanks = sink.blanks
    try:
        begin = parser.skipSpace(text.window, text.start)
        if begin < 0:
            return -1, None
        end = parser.directiveOrStatement(text.window, begin)
        if end >= 0:
            return end, None
        error: Exception = SyntaxError("expected a directive or a statement that ends with a full stop")
    # The parser trips over the end of a text in many ways.
    except (
        ParserError, SyntaxError, AssertionError, AttributeError, IndexError, ValueError, RecursionError
    ) as caught:  # fmt: skip
        error = caught
    sink.blanks = blanks
    return -1, error


def _turtle_error(source: Source, text: _Window, error: Exception) -> DataError:
    begin = len(text.window) - len(text.window[text.start :].lstrip())
    first = text.line_at(begin)
    place = getattr(error, "_i", -1)
    line = text.line_at(min(place, len(text.window))) if isinstance(place, int) and place > begin else first
    reason = getattr(error, "_why", None) or _reason(error)
    if isinstance(error, RecursionError):
        reason = "nested too deeply"
    since = f" in the statement that begins in line {first}" if first != line else ""
    return DataError(f"no Turtle{since}: {reason}", file=source.name, line=line, hint=TURTLE_HINT)


def _turtle_sink(prefixes: dict[str, str]) -> Any:
    from rdflib.plugins.parsers.notation3 import RDFSink

    class Sink(RDFSink):
        """Takes the parser's terms and statements without building a graph."""

        def __init__(self) -> None:
            self.found: list[tuple[Any, Any, Any]] = []
            self.blanks = 0

        def newSymbol(self, *args: str) -> Any:  # noqa: N802
            return _Iri(args[0])

        def newBlankNode(self, *args: Any, **keywords: Any) -> Any:  # noqa: ARG002, N802
            self.blanks += 1
            return _Blank(f"[{self.blanks}]")

        def newLiteral(self, s: str, dt: Any = None, lang: str | None = None) -> Any:  # noqa: ARG002, N802
            return _Text(s, lang or "")

        def makeStatement(self, quadruple: Any, why: Any = None) -> None:  # noqa: ARG002, N802
            _, predicate, subject, object_ = quadruple
            self.found.append((_term(subject), _term(predicate), _term(object_)))

        def setDefaultNamespace(self, *args: bytes) -> str:  # noqa: ARG002, N802
            return ""

        def bind(self, pfx: str, uri: bytes) -> None:
            prefixes[pfx] = uri.decode("ascii")

    return Sink()


def _turtle_parser(sink: Any) -> SinkParser:
    from rdflib.plugins.parsers.notation3 import SinkParser

    class Parser(SinkParser):
        """Keeps the names of blank nodes, and no table of them."""

        def anonymousNode(self, ln: str) -> Any:  # noqa: N802
            return _Blank(ln)

    return Parser(sink, baseURI=BASE, turtle=True)


def _term(value: Any) -> _Iri | _Blank | _Text:
    if isinstance(value, _Iri | _Blank | _Text):
        return value
    if isinstance(value, tuple):  # the parser's constants, such as rdf:type for "a"
        return _Iri(value[1])
    if isinstance(value, bool):
        return _Text(str(value).lower())
    return _Text(format(value, "f") if isinstance(value, Decimal) else str(value))


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:160] or type(error).__name__
