"""Property graphs from files: which files make up a graph, and its nodes and relationships, checked.

    open_graph_files(paths) → GraphFiles     files, folders and zip archives; None where they hold triples
    check_graph(files)      → GraphCheck     first pass: everything is validated, nothing is kept
    read_graph(files)                        second pass: all nodes, then all relationships

Both passes keep the ids of the nodes in a temporary table on disk: no id may occur twice, and both ends of every
relationship must be there. What begins with `kgneo` in a source is left out: it belongs to the graph that was exported.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar, cast

from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from kgneo.errors import DataError, UsageError
from kgneo.graph.shape import is_own
from kgneo.loader import (
    PROGRESS_EVERY,
    BadLine,
    BadLines,
    GraphLoader,
    LoadedNode,
    LoadedRelationship,
    LoadOptions,
    NodeKey,
    OnBadLine,
    Source,
    detect,
    loaders,
    open_source,
    scratch_database,
    text_fault,
    text_only,
)

__all__ = ["GraphCheck", "GraphFiles", "check_graph", "open_graph_files", "property_fault", "read_graph"]

LARGEST_INTEGER = 2**63 - 1
SCALARS = (bool, int, float, str, bytes, Date, DateTime, Duration, Time, Point, date, time)
ROWS_SUFFIXES = (".csv", ".tsv")
HEADLESS = (
    "Its first row, or a file FILE-header.csv beside it, names its columns: :ID, :LABEL, :START_ID, :END_ID, :TYPE."
)


@dataclass(frozen=True)
class GraphFiles:
    """The files of one property graph: which loader reads which, what they are called together, and the files of a
    folder or archive that were passed over."""

    name: str
    readers: tuple[tuple[GraphLoader, tuple[Source, ...]], ...]
    passed_over: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[Source, ...]:
        """All files that are read."""
        return tuple(source for _, sources in self.readers for source in sources)

    def digest(self) -> str:
        """Names the graph by the bytes of its files, whatever they are called."""
        content = hashlib.blake2b(digest_size=16)
        for source in self.sources:
            part = hashlib.blake2b(digest_size=16)
            with source.open() as stream:
                while block := stream.read(1 << 20):
                    part.update(block)
            content.update(part.digest())
        return content.hexdigest()


@dataclass(frozen=True, slots=True)
class GraphCheck:
    """What a first pass found: how many nodes and relationships, how many bad lines were left out."""

    nodes: int
    relationships: int
    bad_lines: int = 0


# Files


def open_graph_files(paths: Sequence[str], *, format: str | None = None) -> GraphFiles | tuple[Source, ...]:  # noqa: A002
    """The property graph that the paths hold together, or their sources one by one, where they hold triples.

    A path is what `open_source` takes, a folder or a zip archive. Raises DataError for a folder or archive without a
    property graph, UsageError where some paths hold triples and some a property graph.
    """
    containers = [path for path in paths if _is_container(path)]
    members = [source for path in containers for source in _members(Path(path))]
    alone = [open_source(path) for path in paths if path not in containers]
    sources = sorted([*members, *alone], key=lambda source: source.name)
    graph_loaders = {found.name: found for source in sources if (found := _graph_loader(source, format))}
    if not graph_loaders and not containers:
        return tuple(alone)
    forced = alone if format else []  # what was named is not asked what it is
    readers = tuple(
        (loader, tuple(dict.fromkeys((*loader.takes(sources), *forced)))) for _, loader in sorted(graph_loaders.items())
    )
    name = ", ".join(Path(path).name or path for path in paths)
    files = GraphFiles(name, readers)
    rest = [source for source in sources if source not in files.sources]
    if not readers:
        message = f"no file of this {_kind(containers[0])} holds nodes or relationships of a property graph"
        hint = f"{HEADLESS} JSON lines are known by their type. Files of triples are named one by one."
        raise DataError(message, file=containers[0], hint=hint)
    for source in rest:
        if source in alone:
            hint = "Load them one after the other, each into a store of its own (--store NAME)."
            raise UsageError(f"{source.name} holds triples, and other files hold a property graph.", hint=hint)
        if source.head.suffix in ROWS_SUFFIXES:
            raise DataError("the file has no header", file=source.name, line=1, hint=HEADLESS)
    return replace(files, passed_over=tuple(source.name for source in rest))


def _graph_loader(source: Source, format_: str | None) -> GraphLoader | None:
    if format_ is not None:
        found = detect(source, format=format_)
        return found if isinstance(found, GraphLoader) else None
    scored = [(loader.recognises(source.head), loader) for loader in loaders()]
    score, best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best if isinstance(best, GraphLoader) and score > 0 else None


def _is_container(path: str) -> bool:
    try:
        return path != "-" and (Path(path).is_dir() or (Path(path).is_file() and zipfile.is_zipfile(path)))
    except (OSError, ValueError):
        return False  # whoever opens it says why


def _kind(path: str) -> str:
    return "folder" if Path(path).is_dir() else "archive"


def _members(path: Path) -> Iterator[Source]:
    """The text files of a folder or an archive, those that are hidden left out."""
    names = sorted(_names(path))
    for name in names:
        if any(part.startswith((".", "__MACOSX")) for part in Path(name).parts):
            continue
        try:
            yield text_only(_member(path, name))
        except DataError:
            if Path(name).suffix.lower() in ROWS_SUFFIXES:
                raise


def _names(path: Path) -> list[str]:
    if path.is_dir():
        return [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    try:
        with zipfile.ZipFile(path) as archive:
            return [item.filename for item in archive.infolist() if not item.is_dir()]
    except (zipfile.BadZipFile, OSError) as error:
        raise DataError(f"the archive cannot be read: {error}", file=str(path), hint="Fetch it again.") from error


def _member(path: Path, name: str) -> Source:
    if path.is_dir():
        return open_file(path / name)
    shown = f"{path}/{name}"

    def opened() -> BinaryIO:
        try:
            with zipfile.ZipFile(path) as archive:  # what is open in it stays open
                return cast(BinaryIO, archive.open(name))
        except (RuntimeError, NotImplementedError, zipfile.BadZipFile) as error:  # RuntimeError: it wants a password
            hint = "Unpack the archive, and load the folder."
            raise DataError(f"the file in the archive cannot be read: {error}", file=shown, hint=hint) from error

    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(name).file_size
    return Source(shown, size=size, open_raw=opened)


def open_file(path: Path) -> Source:
    """A file as a source, whatever it holds."""
    return Source(str(path), size=path.stat().st_size, open_raw=lambda: path.open("rb"))


# Passes


def check_graph(
    files: GraphFiles,
    *,
    options: LoadOptions | None = None,
    skip_bad_lines: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> GraphCheck:
    """Read all files to their end and keep nothing, so that nothing is written when some of it is bad.

    `on_progress` gets the number of nodes and relationships so far. Raises DataError as `read_graph` does, and for
    files without any node.
    """
    bad_lines = BadLines(files.name, skip_bad_lines, None)
    counts = {LoadedNode: 0, LoadedRelationship: 0}
    for done, item in enumerate(_read(files, options, bad_lines), 1):
        counts[type(item)] += 1
        if on_progress and done % PROGRESS_EVERY == 0:
            on_progress(done)
    if not counts[LoadedNode]:
        hint = f"The last bad line: {bad_lines.last.reason}." if bad_lines.last else "Check that it was written."
        raise DataError("it holds no nodes", file=files.name, hint=hint)
    return GraphCheck(counts[LoadedNode], counts[LoadedRelationship], bad_lines.count)


def read_graph(
    files: GraphFiles,
    *,
    options: LoadOptions | None = None,
    skip_bad_lines: bool = False,
    rejected: TextIO | None = None,
) -> Iterator[LoadedNode | LoadedRelationship]:
    """All nodes, then all relationships, each time in the same order.

    Raises DataError at the first bad line. With `skip_bad_lines` it is left out instead and, where `rejected` is
    given, written there as one line: file, line, reason and text with tabs in between.
    """
    return _read(files, options, BadLines(files.name, skip_bad_lines, rejected))


def _read(
    files: GraphFiles, options: LoadOptions | None, bad_lines: BadLines
) -> Iterator[LoadedNode | LoadedRelationship]:
    options = options or LoadOptions()
    try:
        with closing(_Ids()) as ids:
            for loader, sources in files.readers:
                for node in loader.read_nodes(sources, options=options, on_bad_line=bad_lines):
                    if fault := _labels_fault(node.labels) or property_fault(node.properties) or ids.add(node):
                        bad_lines(BadLine(node.line, fault, file=node.file))
                    elif not any(map(is_own, node.labels)):
                        yield _theirs(node)
            for loader, sources in files.readers:
                for item in loader.read_relationships(sources, options=options, on_bad_line=bad_lines):
                    if _usable(item, ids, bad_lines):
                        yield _theirs(item)
    finally:
        for source in files.sources:
            source.end_pass()


Item = TypeVar("Item", LoadedNode, LoadedRelationship)


def _theirs(item: Item) -> Item:
    """Without what kgneo wrote into the graph that was exported."""
    if any(map(is_own, item.properties)):
        return replace(item, properties={key: value for key, value in item.properties.items() if not is_own(key)})
    return item


def _usable(item: LoadedRelationship, ids: _Ids, on_bad_line: OnBadLine) -> bool:
    fault = "" if item.relation.strip() else "the relationship's type is empty"
    fault = fault or text_fault(item.relation) or property_fault(item.properties)
    hint = ""
    for role, key in (("start", item.start), ("end", item.end)):
        if not fault and key not in ids:
            fault = f"the {role} of the relationship is node {key}, which is not among the nodes"
            hint = (
                "Name the files of nodes and of relationships in one command, or leave such relationships out with "
                "--skip-bad-lines."
            )
    if fault:
        on_bad_line(BadLine(item.line, fault, hint=hint, file=item.file))
    return not fault


class _Ids:
    """The keys of the nodes of one pass and where they were, in a table on disk."""

    def __init__(self) -> None:
        self._database = scratch_database()
        self._database.execute("CREATE TABLE nodes (key BLOB PRIMARY KEY, file INT, line INT) WITHOUT ROWID")
        self._files: dict[str, int] = {}

    def add(self, node: LoadedNode) -> str:
        """Remember a node; returns why it cannot be one, where another has its key."""
        if node.key is None:
            return ""
        file = self._files.setdefault(node.file, len(self._files))
        row = (_key(node.key), file, node.line)
        if self._database.execute("INSERT OR IGNORE INTO nodes VALUES (?, ?, ?)", row).rowcount:
            return ""
        file, line = self._database.execute("SELECT file, line FROM nodes WHERE key = ?", row[:1]).fetchone()
        return f"the id {node.key} is that of another node, in {list(self._files)[file]}:{line}"

    def __contains__(self, key: NodeKey) -> bool:
        return self._database.execute("SELECT 1 FROM nodes WHERE key = ?", (_key(key),)).fetchone() is not None

    def close(self) -> None:
        """Remove the table."""
        self._database.close()


def _key(key: NodeKey) -> bytes:
    text = f"{key.space}\0{key.id}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _labels_fault(labels: Sequence[str]) -> str:
    if not all(label.strip() for label in labels):
        return "a label is empty"
    return next((fault for label in labels if (fault := text_fault(label))), "")


def property_fault(properties: Mapping[str, Any]) -> str:
    """Why a graph cannot hold some property, "" where it can hold all."""
    for key, value in properties.items():
        fault = text_fault(key) if key.strip() else "its name is empty"
        if fault or (fault := value_fault(value)):
            return f"the property {key!r}: {fault}"
    return ""


def value_fault(value: Any) -> str:
    """Why a value can be no property, "" where it can."""
    if isinstance(value, str):
        return text_fault(value)
    if isinstance(value, int) and not -LARGEST_INTEGER - 1 <= value <= LARGEST_INTEGER:
        return f"{value} is no integer of 64 bits"
    if isinstance(value, list):
        kinds = {type(item) for item in value}
        if len(kinds) > 1:
            return f"a list holds values of one type, found {', '.join(sorted(kind.__name__ for kind in kinds))}"
        if kinds & {list, dict, type(None)}:
            return "a list that holds lists, maps or nothing, which no property can be"
        return next((fault for item in value if (fault := value_fault(item))), "")
    return "" if isinstance(value, SCALARS) else f"a {type(value).__name__}, which no property can be"
