"""Where the graph is and how to reach it, from flags, environment and `kgneo.toml`, in that order of weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kgneo.defaults import RETRY_SECONDS, TIMEOUT
from kgneo.terms import FILE

if TYPE_CHECKING:
    from kgneo.graph import Graph


@dataclass(frozen=True, slots=True)
class Settings:
    """A Neo4j server by `uri`, or the local `store` whose server is started when it is needed.

    `token` is for bearer authentication. `timeout` is in seconds, for one transaction. `read_only` keeps kgneo from
    writing into the graph, whatever the command. `retry` is for how many seconds one that is gone is tried again.
    `terms` is the file that says what names and values mean; without one, `kgneo.terms.toml` of the working folder.
    """

    uri: str | None = None
    username: str = "neo4j"
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    database: str | None = None
    store: str | None = None
    timeout: float = TIMEOUT
    read_only: bool = False
    retry: float = RETRY_SECONDS
    terms: Path | None = None


def terms_file(given: Path | None) -> Path:
    """The whole path of the file of terms: the one that is given, else that of the working folder, there or not."""
    return (given or Path(FILE)).absolute()


@contextmanager
def open_graph(
    settings: Settings, *, report: Callable[[str], None] = lambda _: None, create: bool = False
) -> Iterator[Graph]:
    """The graph that `settings` names, closed at the end of the block.

    Without a URI the local store's server is started where it does not run, and `report` says so; a store that there
    is not is made where `create` says so. Raises UsageError or GraphEmpty for one that there is not, GraphUnavailable,
    GraphError or ServerError, and DataError for a file of terms that cannot be used.
    """
    with _opened(settings, report, create=create) as graph:
        yield graph


def open_store(name: str, *, report: Callable[[str], None] = lambda _: None) -> Graph:
    """The graph in a local store that `kgneo load FILE --store NAME` has filled, to be closed, or used as a block.

    The store's server is started where it does not run, which `report` is told, and stays until `kgneo server stop
    --store NAME`. A `kgneo.terms.toml` in the working folder is used. Raises UsageError or GraphEmpty where there is no
    such store, ServerError where its server does not start, and DataError for terms that cannot be used.
    """
    return _opened(Settings(store=name), report, create=False)


def _opened(settings: Settings, report: Callable[[str], None], *, create: bool) -> Graph:
    """The connected graph with its terms."""
    file = terms_file(settings.terms)
    terms = None
    if settings.terms or file.is_file():
        from kgneo.terms.file import read_terms  # and with it pydantic, for which nobody without terms must wait

        terms = read_terms(file)
    graph = _connect(settings, report, create=create)
    graph.terms, graph.terms_file = terms, file
    if graph.read_only:
        report(f"Read-only: nothing is written to {graph.address}.")
    return graph


def _connect(settings: Settings, report: Callable[[str], None], *, create: bool) -> Graph:
    from kgneo.graph import Graph  # imports the driver, which help and completion do not need

    if settings.uri:
        return Graph.connect(
            settings.uri,
            username=settings.username,
            password=settings.password,
            token=settings.token,
            database=settings.database,
            timeout=settings.timeout,
            read_only=settings.read_only,
            retry=settings.retry,
        )
    from kgneo.server import require_store, start, store_path

    if not create:
        require_store(settings.store)
    server = start(store_path(settings.store), report=report)
    if server.started:
        report(f"Started the local Neo4j of the store {server.store.name!r}; it runs until `kgneo server stop`.")
    graph = Graph.connect(
        server.uri,
        username=server.username,
        password=server.password,
        timeout=settings.timeout,
        read_only=settings.read_only,
        retry=settings.retry,
    )
    graph.store = server.store
    return graph
