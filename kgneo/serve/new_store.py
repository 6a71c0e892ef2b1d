"""A new store from files: checked, made, filled and, where they hold triples, indexed, as `kgneo load` does.

A store that is there is never written to: the folder of the new one is made here, which fails where there is one of
that name. Whatever ends this before all is loaded ends the store's server and deletes that folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgneo.cache_files import going_on
from kgneo.context import Context
from kgneo.defaults import MIRRORED_UP_TO
from kgneo.errors import KgneoError, UsageError
from kgneo.folders import check_room, store_path, stores_folder
from kgneo.graph import Graph
from kgneo.graph.attach import loaded_shape
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import ROOM
from kgneo.graph.index import Progress, build
from kgneo.graph.load import LEAST_BYTES, load, source_digest
from kgneo.graph.load_graph import load_graph
from kgneo.graph.schema import read_relations
from kgneo.loader import LoadOptions, Source, check, read_triples
from kgneo.property_graph import GraphFiles, check_graph, open_graph_files, read_graph
from kgneo.serve.failures import Refusal
from kgneo.server.process import find_process, kill
from kgneo.server.stores import Store
from kgneo.settings import Settings, open_graph

Tell = Callable[[str, int, int | None], None]
"""Is told of the stage that is worked on, how far it is, and of how much, where that is known; may raise to end it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read, as `kgneo load` has it."""

    format: str | None = None
    options: LoadOptions = field(default_factory=LoadOptions)
    skip_bad_lines: bool = False


@dataclass(frozen=True)
class Checked:
    """Files that can be loaded: how many `rows`, and what writes them into an empty graph."""

    rows: int
    write: Callable[[Graph], None]
    triples: bool


def check_name(name: str) -> Path:
    """The folder that a new store of this name will have. Raises UsageError for a name that can be none, and Refusal
    where there is such a store."""
    if not name or any(one in name for one in "/\\"):
        raise UsageError("A store needs a name.", hint="Expected letters, digits, '-', '_', '.' or blanks.")
    folder = store_path(name)
    if folder.exists():
        raise _taken(name)
    return folder


def _taken(name: str) -> Refusal:
    message = f"There is a store {name!r} already, and nothing is written into it."
    return Refusal(409, "NameTaken", message, "Choose another name.")


def checked_files(paths: Sequence[str], reading: Reading, tell: Tell) -> Checked:
    """Read files to their end. Raises DataError and UsageError where they cannot be loaded."""
    found = open_graph_files(paths, format=reading.format)
    return _graph(found, reading, tell) if isinstance(found, GraphFiles) else _triples(found, reading, tell)


def _graph(files: GraphFiles, reading: Reading, tell: Tell) -> Checked:
    how = {"options": reading.options, "skip_bad_lines": reading.skip_bad_lines}
    found = check_graph(files, **how, on_progress=lambda done: tell("checking", done, None))  # type: ignore[arg-type]
    rows = found.nodes + found.relationships

    def write(graph: Graph) -> None:
        items = read_graph(files, **how)  # type: ignore[arg-type]
        on_progress = _of("loading", rows, tell)
        load_graph(graph, items, name=files.name, digest=files.digest(), on_progress=on_progress)

    return Checked(rows, write, triples=False)


def _triples(sources: Sequence[Source], reading: Reading, tell: Tell) -> Checked:
    how = {"format": reading.format, "options": reading.options, "skip_bad_lines": reading.skip_bad_lines}
    rows = 0
    for source in sources:
        on_progress = _of("checking", source.size, tell)
        rows += check(source, **how, on_progress=on_progress).triples  # type: ignore[arg-type]

    def write(graph: Graph) -> None:
        before = 0
        for source in sources:
            triples = read_triples(source, **how)  # type: ignore[arg-type]
            on_progress = _of("loading", rows, tell, before)
            before += load(graph, triples, name=source_digest(source), on_progress=on_progress).triples

    return Checked(rows, write, triples=True)


def _of(stage: str, total: int | None, tell: Tell, before: int = 0) -> Callable[[int], None]:
    """What tells of a stage when it is told how far that is."""
    return lambda done: tell(stage, before + done, total)


def make_store(name: str, checked: Checked, settings: Settings, tell: Tell) -> None:
    """A new store with what the files hold. Raises Refusal where there is one of that name or the disk has no room,
    ServerError where its server does not start, and what loading raises; then, and where `tell` raises, there is none.
    """
    folder = check_name(name)
    try:
        check_room(stores_folder(), ROOM + LEAST_BYTES * checked.rows)
    except KgneoError as error:
        raise Refusal(507, "DiskFull", error.message, "Free some space, and load again.") from None
    tell("starting", 0, None)
    with _new(folder), open_store_of(name, settings, tell) as graph:
        checked.write(graph)


@contextmanager
def open_store_of(name: str, settings: Settings, tell: Tell) -> Iterator[Graph]:
    """The graph of a store that this process made, its server started where it does not run; without terms, which are
    those of the graph that this process began with."""
    own = replace(settings, uri=None, database=None, store=name, read_only=False)
    with open_graph(own, report=lambda _: tell("starting", 0, None), create=True) as graph:
        graph.terms, graph.terms_file = None, None
        yield graph


@contextmanager
def _new(folder: Path) -> Iterator[None]:
    """A new folder of a store, which is deleted, its server ended, where the block fails."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise _taken(folder.name) from None
    try:
        yield
    except BaseException:
        if (process := find_process(Store(folder))) is not None:
            kill(process)
        shutil.rmtree(folder, ignore_errors=True)
        raise


def index_store(context: Context, tell: Tell) -> None:
    """Give the triples of a store their embeddings; interrupted, `kgneo index` goes on."""

    def show(step: Progress) -> None:
        tell(step.stage, step.done, step.total)

    def show_mirror(done: int, total: int) -> None:
        tell("mirroring", done, total)

    graph, encoder = context.graph, context.triple_encoder
    report = build(graph, encoder, shape=loaded_shape(read_relations(graph)), on_progress=show)
    if report.triples <= MIRRORED_UP_TO:
        with going_on():
            LocalCache(graph).mirror().renew(graph, encoder.dimensions, show_mirror)
