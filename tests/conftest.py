"""Servers and graphs for the tests: real Neo4j, started here, stopped at the end, nobody else's touched.

`tests/servers.py` decides where a server comes from: a container where a Docker engine runs, else a local one. A given
one (`KGNEO_TEST_URI`) is used for the tests that write to a database of their own, and only when it is empty.

`graph` is an empty database, once on every version of Neo4j that kgneo supports; `emptied` is one with the indexes that
the tests before it made; `sample_graph` holds the sample, loaded and indexed, and is not to be changed; `metaqa_graph`
holds MetaQA's structure, where KGNEO_METAQA says where its files are. Each has the address of its server in the
environment of the test, so that `main([...])` finds it.

A server costs seconds to start and minutes until Java has compiled what it runs, so that there are few: with several
workers (`--dist loadgroup`), one does all that writes to the server of a version, and all read the same sample.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from neo4j import ManagedTransaction
from starlette.testclient import TestClient

from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import DEFAULT_ENCODER, OnnxEncoder
from kgneo.encoders.onnx import load_exported
from kgneo.folders import cache_folder, stores_folder
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.index import build
from kgneo.graph.load import load, source_digest
from kgneo.graph.shape import LOADED
from kgneo.loader import open_source, read_triples
from kgneo.sample import triples_path
from kgneo.server import RunningServer
from kgneo.server.process import find_process, kill
from kgneo.server.stores import Store
from tests.servers import engine_runs, given, server_of, shared_server
from tests.serving import client

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and the processes that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("the same", derandomize=True, deadline=None)
settings.load_profile("the same")
"""Property tests draw the same cases for the same code; `--hypothesis-profile default` draws others."""

LONGEST_FIRST = (
    "test_server", "test_attached_servers", "test_encoders", "test_kg_rag", "test_walks", "test_graph_load",
    "test_tuning_data", "test_evaluation_command", "test_command_line", "test_llm_transformers", "test_encoders_ray",
    "test_serve_workers",
)  # fmt: skip
"""Files that take longest, beside what they do on the servers that are written to."""
VERSIONS = os.environ.get("KGNEO_TEST_VERSIONS", "2026,5.26").split(",")
SERIAL = "-XX:-UseG1GC -XX:+UseSerialGC"
on_one_version = pytest.mark.parametrize("server", VERSIONS[:1], indirect=True)
"""For what stands on queries that other tests run on every version."""
StartServer = Callable[[str, str], RunningServer]
StartFilled = Callable[[str, Callable[[Graph], None]], RunningServer]


def group_of(name: str) -> str:
    """Whose tests run on one worker: those that write to the server of a version, which is among the parameters in
    their names, else those of one file."""
    file, _, test = name.partition("::")
    version = re.search(rf"[\[-]({'|'.join(map(re.escape, VERSIONS))})[]-]", test)
    return version[1] if version else Path(file).stem


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `--dist loadgroup`, a worker is given a group at a time."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = group_of
    return scheduler


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group by group, file by file, the longest first: workers side by side then end at about the same time, and what
    a file sets up once is not set up again for each version of Neo4j."""
    order = [*VERSIONS, *LONGEST_FIRST]

    def place(item: pytest.Item) -> tuple[int, str]:
        group = group_of(item.nodeid)
        return order.index(group) if group in order else len(order), str(item.path)

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the stores, or the server, of whoever runs it; Java starts fast instead of running fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGNEO_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        # The servers live for minutes: they are not worth the second compiler's work, which is half of their time.
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} -XX:TieredStopAtLevel=1".strip())
        # Their heaps are small, and what G1 does on every write of a reference is a quarter of the time of a server
        # that mostly plans queries. Read last, this is no conflict with the collector that kgneo names.
        patch.setenv("_JAVA_OPTIONS", f"{os.environ.get('_JAVA_OPTIONS', '')} {SERIAL}".strip())
        for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_USER", "NEO4J_PASSWORD", "NEO4J_DATABASE", "KGNEO_STORE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def own_stores(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Stores of this test alone, small and of the first version, whose servers end with it."""
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    for name, value in (("KGNEO_NEO4J_VERSION", VERSIONS[0]), ("KGNEO_HEAP", "400m"), ("KGNEO_PAGE_CACHE", "100m")):
        monkeypatch.setenv(name, value)
    yield
    for name in stores():
        if process := find_process(Store((stores_folder() / name).resolve())):
            kill(process)


def stores() -> list[str]:
    """The names of the stores that there are, or that are begun."""
    return sorted(item.name for item in stores_folder().iterdir()) if stores_folder().is_dir() else []


@pytest.fixture(scope="session")
def _start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """Starts a server of a version on a new store of a name, once; all end with the session."""
    running: dict[tuple[str, str], RunningServer] = {}
    folder = tmp_path_factory.mktemp("stores")
    with ExitStack() as stack:

        def start_once(name: str, version: str) -> RunningServer:
            if (name, version) not in running:
                if given() is not None and (name, version) != ("scratch", VERSIONS[0]):
                    pytest.skip("KGNEO_TEST_URI gives one database, and this test needs another")
                found = stack.enter_context(server_of(version, folder / f"{name}-{version}"))
                if given() is not None:
                    with connect(found) as graph:
                        if graph.read("MATCH (n) RETURN 1 AS one LIMIT 1"):
                            pytest.exit("The database at KGNEO_TEST_URI is not empty, and tests wipe nothing of others")
                running[name, version] = found  # from here on, all that it holds is of the tests
            return running[name, version]

        yield start_once
        if given() is not None:
            for found in running.values():
                with connect(found) as graph:
                    wipe(graph)


@pytest.fixture(scope="session")
def start_filled(_start_server: StartServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartFilled]:
    """Starts a server and fills it, once for all workers; not to be changed."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with ExitStack() as stack:

        def start_shared(name: str, fill: Callable[[Graph], None]) -> RunningServer:
            def fill_server(server: RunningServer) -> None:
                with connect(server) as graph:
                    fill(graph)

            if given() is None and not engine_runs():
                return stack.enter_context(shared_server(VERSIONS[0], folder / name, fill_server))
            server = _start_server(name, VERSIONS[0])
            fill_server(server)
            return server

        yield start_shared


def connect(server: RunningServer) -> Graph:
    """A connection to one of our servers."""
    return Graph.connect(server.uri, username=server.username, password=server.password)


def set_address(patch: pytest.MonkeyPatch, server: RunningServer) -> None:
    """The environment in which a command finds `server`."""
    patch.setenv("NEO4J_URI", server.uri)
    patch.setenv("NEO4J_USERNAME", server.username)
    patch.setenv("NEO4J_PASSWORD", server.password)


@pytest.fixture(scope="session", params=VERSIONS)
def server(request: pytest.FixtureRequest, _start_server: StartServer) -> RunningServer:
    """A server to write to, once of each version."""
    return _start_server("scratch", request.param)


@pytest.fixture(scope="session", params=VERSIONS[:1])
def newest_server(request: pytest.FixtureRequest, _start_server: StartServer) -> RunningServer:
    """The first of these alone, as a parameter too: by the version in their names, tests are grouped (`group_of`)."""
    return _start_server("scratch", request.param)


@pytest.fixture(scope="session", params=VERSIONS[1:])
def older_server(request: pytest.FixtureRequest, _start_server: StartServer) -> RunningServer:
    """The others, for what other tests ask of the first one more thoroughly."""
    return _start_server("scratch", request.param)


@pytest.fixture
def graph(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """An empty database on `server`."""
    set_address(monkeypatch, server)
    with connect(server) as graph:
        wipe(graph)
        yield graph


@pytest.fixture(scope="module")
def _wiped_server(server: RunningServer) -> RunningServer:
    with connect(server) as graph:
        wipe(graph)
    return server


@pytest.fixture
def emptied(_wiped_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """A database without nodes, with the constraints and indexes that the module's tests before it made: for tests that
    make the same ones. Each that is made or dropped has Neo4j plan all queries anew, which is most of such a test."""
    set_address(monkeypatch, _wiped_server)
    with connect(_wiped_server) as graph:
        remove_nodes(graph)
        yield graph


def wipe(graph: Graph) -> None:
    """Take everything out of a database of ours: nodes, constraints, indexes."""
    remove_nodes(graph)
    for row in graph.schema("SHOW CONSTRAINTS YIELD name"):
        graph.schema(f"DROP CONSTRAINT `{row['name']}`")
    for row in graph.schema("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        graph.schema(f"DROP INDEX `{row['name']}`")


def remove_nodes(graph: Graph) -> None:
    """Take all nodes out of a database of ours."""
    graph.schema("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")


@pytest.fixture(scope="session")
def encoder() -> OnnxEncoder:
    """The default encoder."""
    return load_exported(DEFAULT_ENCODER)


@pytest.fixture(scope="session")
def sample_server(start_filled: StartFilled, encoder: OnnxEncoder) -> RunningServer:
    """The server of the sample. Not to be changed."""

    def fill(graph: Graph) -> None:
        load_file(graph, triples_path())
        build(graph, encoder, shape=LOADED)

    return start_filled("sample", fill)


@pytest.fixture(scope="session")
def sample_context(sample_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """What questions about the sample are answered with. A test that changes it takes a copy with `replace`."""
    with connect(sample_server) as graph:
        yield open_context(graph, encoder=encoder)


@pytest.fixture
def sample_graph(sample_server: RunningServer, sample_context: Context, monkeypatch: pytest.MonkeyPatch) -> Graph:
    """The sample graph, loaded and indexed. Not to be changed."""
    set_address(monkeypatch, sample_server)
    return sample_context.graph


@pytest.fixture(scope="module")
def http(sample_context: Context) -> Iterator[TestClient]:
    """A client of a server of the sample, in this process."""
    with client(sample_context) as talking:
        yield talking


@pytest.fixture(scope="session")
def metaqa() -> Path:
    """The folder of MetaQA's files."""
    folder = os.environ.get("KGNEO_METAQA")
    if not folder:
        pytest.skip("KGNEO_METAQA does not say where MetaQA is")
    return Path(folder)


@pytest.fixture(scope="session")
def _metaqa_server(start_filled: StartFilled, metaqa: Path) -> RunningServer:
    return start_filled("metaqa", lambda graph: load_file(graph, metaqa / "kb.txt"))


@pytest.fixture
def metaqa_graph(_metaqa_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """MetaQA, loaded but not indexed: encoding it takes minutes. Not to be changed."""
    set_address(monkeypatch, _metaqa_server)
    with connect(_metaqa_server) as graph:
        yield graph


@contextmanager
def folder_of_commands(server: RunningServer, statement: str, factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A graph that a statement makes, and the folder in which commands about it run, with a cache of its own."""
    folder, cache = factory.mktemp("shop"), factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch, connect(server) as graph:
        wipe(graph)
        graph.write(statement)
        set_address(patch, server)
        (cache / "encoders").symlink_to(cache_folder() / "encoders")
        patch.setenv("KGNEO_CACHE_DIR", str(cache))
        patch.chdir(folder)
        yield folder


@contextmanager
def filled(graph: Graph, statement: str) -> Iterator[Graph]:
    """A database with what a statement makes; what kgneo keeps of it is taken away afterwards."""
    graph.write(statement)
    yield graph
    shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


@contextmanager
def asked_on(server: RunningServer, statement: str) -> Iterator[Context]:
    """A context of a server's database that has nothing but what a statement makes."""
    with connect(server) as graph:
        wipe(graph)
        with filled(graph, statement):
            yield open_context(graph)


def load_orders(graph: Graph) -> None:
    """Load the property graph of customers, orders and shippers, which has no index."""
    file = Path(__file__).parent / "graphs" / "orders" / "graph.cypher"
    statements = [line.rstrip(";") for line in file.read_text(encoding="utf-8").splitlines() if line]

    def run(transaction: ManagedTransaction) -> None:
        for result in [transaction.run(statement) for statement in statements]:
            result.consume()

    graph.write_all(run)


def load_file(graph: Graph, path: Path) -> None:
    """Load a file of triples, without an index."""
    source = open_source(path)
    load(graph, read_triples(source), name=source_digest(source))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium, driven by selenium."""
    driver = shutil.which("chromedriver")
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or binary is None:
        pytest.skip("no chromium and chromedriver on this machine")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,900"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield browser
    browser.quit()
