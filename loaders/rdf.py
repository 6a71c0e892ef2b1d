"""RDF in N-Triples, N-Quads, Turtle, TriG, RDF/XML and JSON-LD, parsed by pyoxigraph; what is done here is naming.

    source → quads → names → triples

Names. An IRI becomes its local name (what follows the last "#" or "/", percent signs decoded). Two IRIs never
share a name: the first one in the file keeps the local name, a later one is written with its prefix
(ex:Paris), or as the whole IRI where the file declares no prefix for it. Which IRI has which name is kept in
a temporary table on disk, so that memory does not grow with the file. Relations are named in the same way,
among themselves. Literals become their lexical form, without language and datatype. A blank node is named
after the file and its own name there: `_:people.ttl:b0`; a nameless one is numbered. Names of graphs are left out.

`rdf:type` with an IRI is passed on as a triple like any other, and also as a label of its subject.
"""

from __future__ import annotations

import re
import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO, NoReturn
from urllib.parse import unquote
from xml.parsers import expat

from kgneo.errors import DataError
from kgneo.loader import (
    LONGEST_LINE,
    BadLine,
    Head,
    LoadedTriple,
    LoadOptions,
    OnBadLine,
    Source,
    scratch_database,
    text_fault,
    text_lines,
)
from kgneo.model import Triple

if TYPE_CHECKING:
    from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuadParser
    from pyoxigraph import Triple as TripleTerm

    Term = NamedNode | BlankNode | Literal | TripleTerm

__all__ = ["RdfLoader"]

FORMATS = {
    "N_TRIPLES": ("nt", "ntriples"),
    "N_QUADS": ("nq", "nquads"),
    "TURTLE": ("turtle", "ttl"),
    "TRIG": ("trig",),
    "RDF_XML": ("rdfxml", "owl"),
    "JSON_LD": ("jsonld", "json-ld"),
}
"""pyoxigraph's names of the formats, with ours, which are file extensions as well."""
BY_NAME = {name: found for found, names in FORMATS.items() for name in names}
BY_SUFFIX = {f".{name}": found for name, found in BY_NAME.items()} | {".rdf": "RDF_XML"}
LINES = ("N_TRIPLES", "N_QUADS")
"""Formats of one statement a line, which are read on behind an error."""
SHOWN = {"N_TRIPLES": "N-Triples", "N_QUADS": "N-Quads", "TURTLE": "Turtle", "TRIG": "TriG", "RDF_XML": "RDF/XML",
         "JSON_LD": "JSON-LD"}  # fmt: skip
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
BASE = "file:///"
"""Relative IRIs are read against this, so that their names do not depend on where the file lies."""

STATEMENT_LINE = re.compile(r"\s*(?:<[^>]+>|_:\S+)\s+<[^>]+>\s+\S.*\.\s*(?:#.*)?$")
TURTLE_START = re.compile(r"\s*(?:@prefix|@base|prefix|base)\s", re.IGNORECASE)
NAMELESS = re.compile(r"[a-f][0-9a-f]{20,31}")
"""How pyoxigraph names blank nodes that have no name: a number of 128 bits by chance, without its leading zeros."""
PLACE = re.compile(r"^Parser error at .*?: ")
REMOTE_CONTEXT = "LoadDocumentCallback"
NAMES_IN_MEMORY = 50_000


class RdfLoader:
    """Reads the formats of RDF; which of them is told by `format`, the extension or the content."""

    name = "rdf"
    aliases = tuple(BY_NAME)

    def recognises(self, head: Head) -> float:
        """High for the extensions of RDF, and for content that is unmistakable."""
        return 0.9 if _format(head) else 0.0

    def read(self, source: Source, *, options: LoadOptions, on_bad_line: OnBadLine) -> Iterator[LoadedTriple]:
        """The triples, in the order of the source. A bad line of N-Triples and N-Quads can be left out; the other
        formats cannot be read on behind a syntax error, so that there it is a DataError in any case."""
        found = BY_NAME.get(options.format or "") or _format(source.head) or "TURTLE"
        parser = _Lines(source, found, on_bad_line) if found in LINES else _Stream(source, found)
        with closing(_Naming(source.head.name, options, parser.prefixes)) as naming:
            for quad, line in parser.quads():
                if not _in_language(quad.object, options.language):
                    continue
                if fault := _fault(quad):
                    on_bad_line(BadLine(line, fault, str(quad)))
                    continue
                yield _loaded(quad, line, naming)


def _format(head: Head) -> str:
    """The format of a source by its extension, else by its content, "" where it is none of RDF's."""
    if head.suffix in BY_SUFFIX:
        return BY_SUFFIX[head.suffix]
    lines = [line for line in head.lines if not line.lstrip().startswith("#")]
    if not lines:
        return ""
    if TURTLE_START.match(lines[0]):
        return "TRIG"  # which reads Turtle, too
    if STATEMENT_LINE.match(lines[0]):
        return "N_QUADS" if all(map(STATEMENT_LINE.match, lines)) else "TURTLE"
    start = "\n".join(lines)
    if start.lstrip().startswith("<") and "<rdf:RDF" in start:
        return "RDF_XML"
    return "JSON_LD" if start.lstrip().startswith(("{", "[")) and ('"@context"' in start or '"@id"' in start) else ""


def _in_language(term: Term, language: str | None) -> bool:
    tag = getattr(term, "language", None)
    if not language or not tag:
        return True
    wanted = language.lower()
    return bool(tag.lower() == wanted or tag.lower().startswith(f"{wanted}-"))


def _fault(quad: Quad) -> str:
    from pyoxigraph import Triple as TripleTerm

    return "the object is itself a triple, which no graph can hold" if isinstance(quad.object, TripleTerm) else ""


def _loaded(quad: Quad, line: int, naming: _Naming) -> LoadedTriple:
    from pyoxigraph import NamedNode

    triple = Triple(naming.node(quad.subject), naming.relation(quad.predicate), naming.node(quad.object))
    is_type = quad.predicate.value == RDF_TYPE and isinstance(quad.object, NamedNode)
    return LoadedTriple(triple, (triple.object,) if is_type else (), (), line)


# Parsing


class _Lines:
    """One statement a line, each parsed by itself, so that it is known where each is."""

    def __init__(self, source: Source, format_: str, on_bad_line: OnBadLine) -> None:
        self._source = source
        self._format = format_
        self._on_bad_line = on_bad_line

    def prefixes(self) -> Mapping[str, str]:
        """None: these formats have no prefixes."""
        return {}

    def quads(self) -> Iterator[tuple[Quad, int]]:
        """The statements with their lines."""
        from pyoxigraph import RdfFormat, parse

        format_ = getattr(RdfFormat, self._format)
        for number, line in text_lines(self._source, self._on_bad_line):
            try:
                found = list(parse(line.encode(), format_))
            except SyntaxError as error:
                reason = f"no {SHOWN[self._format]} statement: {_reason(error)}"
                self._on_bad_line(BadLine(number, reason, line))
                continue
            for quad in found:
                yield quad, number


class _Stream:
    """Any other format, as one stream. pyoxigraph does not say in which line a statement was: 0."""

    def __init__(self, source: Source, format_: str) -> None:
        self._source = source
        self._format = format_
        self._parser: QuadParser | None = None

    def prefixes(self) -> Mapping[str, str]:
        """The prefixes that the file has declared so far."""
        return self._parser.prefixes if self._parser else {}

    def quads(self) -> Iterator[tuple[Quad, int]]:
        """The statements. Raises DataError at the first that does not parse."""
        from pyoxigraph import RdfFormat, parse

        format_ = getattr(RdfFormat, self._format)
        with self._source.open() as opened:
            plain = _Unmarked(opened)
            stream = _Declared(plain, self._source.name) if self._format == "RDF_XML" else plain
            try:
                self._parser = parse(stream, format_, base_iri=BASE)  # type: ignore[arg-type]
                for quad in self._parser:
                    yield quad, 0
            except SyntaxError as error:
                self._refuse(error)
            except MemoryError as error:  # the parser's own bound
                raise _too_long(self._source.name) from error

    def _refuse(self, error: SyntaxError) -> NoReturn:
        shown = SHOWN[self._format]
        if REMOTE_CONTEXT in str(error):
            message = "its @context is an address, and nothing is fetched from the network"
            raise DataError(message, file=self._source.name, hint="Write the context itself into the file.") from error
        column = f", column {error.offset}" if error.offset else ""
        message = f"no {shown}{column}: {_reason(error)}"
        hint = f"{shown} cannot be read on behind an error: mend it, or turn the file into N-Triples."
        line = error.lineno or (_xml_line(self._source) if self._format == "RDF_XML" else None)
        raise DataError(message, file=self._source.name, line=line, hint=hint) from error


def _xml_line(source: Source) -> int | None:
    """Where XML is not well-formed, which pyoxigraph does not say."""
    try:
        with source.open() as stream:
            expat.ParserCreate().ParseFile(stream)
    except expat.ExpatError as error:
        return error.lineno
    return None


class _Unmarked:
    """A stream without its byte order mark."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._begun = False

    def read(self, size: int = -1) -> bytes:
        """As a file's."""
        data = self._stream.read(size)
        if not self._begun:
            self._begun = True
            if data.startswith(b"\xef\xbb\xbf"):
                return data[3:] or self._stream.read(size)
        return data


DECLARATION = b"<!ENTITY"
DECLARED = re.compile(rb"""<!ENTITY\s+([^\s"'<>&%]{1,200})\s+"([^"<&%]{0,1000})"\s*>""")
REFERENCE = re.compile(rb"&([^\s;&#]{1,200});")
LONGEST_DECLARATION = 2_000
MOST_DECLARED = 1_000
MOST_EXPANDED = 2**24
EXPANDED_PER_BYTE = 10
BLOCK = 2**16


class _Declared:
    """A stream of RDF/XML whose entities cannot grow: short texts without references to others, few of them, used not
    too often. Files of OWL abbreviate namespaces so; anything else is refused before the parser, which would expand it,
    has seen it.

    Neither can a single text: the parser would keep it whole, however long it is.

    The parser looks for declarations in places where XML has none (comments, the middle of the file), so that all of
    the file is looked through, whatever stands around them.
    """

    def __init__(self, stream: _Unmarked, name: str) -> None:
        self._stream = stream
        self._name = name
        self._unseen = b""
        self._seen = b""
        self._ended = False
        self._values: dict[bytes, int] = {}
        self._declared = 0
        self._text = 0
        self._room = MOST_EXPANDED

    def read(self, size: int = -1) -> bytes:
        """As a file's. Raises DataError."""
        while not self._ended and (size < 0 or len(self._seen) < size):
            block = self._stream.read(BLOCK)
            self._ended = not block
            self._look_through(self._unseen + block)
        end = len(self._seen) if size < 0 else size
        data, self._seen = self._seen[:end], self._seen[end:]
        return data

    def _look_through(self, data: bytes) -> None:
        """Pass on `data`, but for a declaration at its end that goes on behind it."""
        end = 0
        while (start := data.find(DECLARATION, end)) >= 0:
            found = DECLARED.match(data, start)
            if found is None:
                if self._ended or len(data) - start > LONGEST_DECLARATION:
                    self._refuse("it declares an entity that is no short text in double quotes, without & and %")
                break
            self._values[found[1]] = max(len(found[2]), self._values.get(found[1], 0))
            self._declared += 1
            if self._declared > MOST_DECLARED:
                self._refuse(f"it declares more than {MOST_DECLARED:,} entities")
            end = found.end()
        if start < 0:
            start = len(data) if self._ended else _last_whole(data)
        self._pass_on(data[:start])
        self._unseen = data[start:]

    def _pass_on(self, data: bytes) -> None:
        self._seen += data
        tag = data.rfind(b"<")
        self._text = self._text + len(data) if tag < 0 else len(data) - tag
        if self._text > LONGEST_LINE:
            raise _too_long(self._name)
        if not self._values:
            return
        self._room += EXPANDED_PER_BYTE * len(data) - sum(self._values.get(name, 0) for name in REFERENCE.findall(data))
        if self._room < 0:
            self._refuse("its entities make it many times as long as it is")

    def _refuse(self, what: str) -> NoReturn:
        raise DataError(
            f"{what}: what is named so can grow without end, and is not read",
            file=self._name,
            hint="Write the texts themselves in place of such entities, or turn the file into Turtle or N-Triples.",
        )


def _too_long(name: str) -> DataError:
    return DataError(
        f"it holds a single text of more than {LONGEST_LINE:,} bytes, which can be no name",
        file=name,
        hint="Leave it out, or cut it.",
    )


def _last_whole(data: bytes) -> int:
    """Where, at the end of `data`, a declaration may begin."""
    for length in range(len(DECLARATION) - 1, 0, -1):
        if data.endswith(DECLARATION[:length]):
            return len(data) - length
    return len(data)


def _reason(error: SyntaxError) -> str:
    """What is wrong, in one line, without the place."""
    return " ".join(PLACE.sub("", str(error.msg)).split())[:160]


# Names


class _Naming:
    """Names of terms within one pass over a file; the same in every pass."""

    def __init__(self, file: str, options: LoadOptions, prefixes: Prefixes) -> None:
        self._file = file
        self._whole = options.names == "iri"
        self._database = scratch_database()
        self._nodes = _Names(self._database, "nodes", lambda iri: _possible_names(iri, prefixes))
        self._relations = _Names(self._database, "relations", lambda iri: _possible_names(iri, prefixes))
        self._nameless = _Names(self._database, "nameless", self._numbers)
        self._numbered = 0

    def close(self) -> None:
        """Remove the table of names."""
        self._database.close()

    def node(self, term: Term) -> str:
        """The name of a subject or object."""
        from pyoxigraph import BlankNode, NamedNode

        if isinstance(term, NamedNode):
            return term.value if self._whole else self._nodes[term.value]
        if isinstance(term, BlankNode):
            name = self._nameless[term.value] if NAMELESS.fullmatch(term.value) else term.value
            return f"_:{self._file}:{name}"
        return str(term.value)  # type: ignore[union-attr]

    def relation(self, term: NamedNode) -> str:
        """The name of a predicate."""
        return term.value if self._whole else self._relations[term.value]

    def _numbers(self, _name: str) -> Iterator[str]:
        self._numbered += 1
        yield f"[{self._numbered}]"


Prefixes = Callable[[], Mapping[str, str]]


class _Names:
    """Text → name, different for different texts: the first of the `possible` names that is free."""

    def __init__(self, database: sqlite3.Connection, table: str, possible: Callable[[str], Iterator[str]]) -> None:
        self._database = database
        self._possible = possible
        self._recent: OrderedDict[str, str] = OrderedDict()
        database.execute(f"CREATE TABLE {table} (text TEXT PRIMARY KEY, name TEXT UNIQUE) WITHOUT ROWID")
        self._find = f"SELECT name FROM {table} WHERE text = ?"  # noqa: S608
        self._claim = f"INSERT OR IGNORE INTO {table} VALUES (?, ?)"  # noqa: S608

    def __getitem__(self, text: str) -> str:
        name = self._recent.get(text)
        if name is None:
            name = self._stored(text)
            self._recent[text] = name
            if len(self._recent) > NAMES_IN_MEMORY:
                self._recent.popitem(last=False)
        return name

    def _stored(self, text: str) -> str:
        row = self._database.execute(self._find, (text,)).fetchone()
        if row is not None:
            return str(row[0])
        for name in self._possible(text):
            if self._database.execute(self._claim, (text, name)).rowcount:
                return name
        return text


def _possible_names(iri: str, prefixes: Prefixes) -> Iterator[str]:
    """Local name, prefixed name, IRI."""
    local = _local_name(iri)
    if local:
        yield local
    # The longest namespace leaves the shortest name.
    for prefix, namespace in sorted(prefixes().items(), key=lambda pair: -len(pair[1])):
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
