"""Servers and graphs for the tests: real Neo4j, started here, stopped at the end, nobody else's touched.

`tests/servers.py` decides where a server comes from: a container where a Docker engine runs, else a local one. A given
one (`KGNEO_TEST_URI`) is used for the tests that write to a database of their own, and only when it is empty.

`graph` is an empty database, once on every version of Neo4j that kgneo supports; `sample_graph` holds the sample,
loaded and indexed, and is not to be changed; `metaqa_graph` holds MetaQA's structure, where KGNEO_METAQA says where
its files are. Each has the address of its server in the environment of the test, so that `main([...])` finds it.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kgneo.asking import open_context
from kgneo.context import Context
from kgneo.embedding import DEFAULT_ENCODER, OnnxEncoder
from kgneo.embedding_onnx import load_exported
from kgneo.graph import Graph
from kgneo.graph.index import build
from kgneo.graph.load import load, source_digest
from kgneo.graph.shape import LOADED
from kgneo.loader import open_source, read_triples
from kgneo.sample import triples_path
from kgneo.server import RunningServer
from tests.servers import given, server_of
from tests.serving import client

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and the processes that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

COSTLY = {"server", "start_server", "chromium"}
"""Fixtures behind which servers and browsers stand."""
VERSIONS = os.environ.get("KGNEO_TEST_VERSIONS", "2026,5.26").split(",")
StartServer = Callable[[str, str], RunningServer]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """File by file, those with most tests on servers first: workers side by side then end at about the same time, and
    what a file sets up once is not set up again for each version of Neo4j."""
    costs = Counter(item.path for item in items if COSTLY & set(getattr(item, "fixturenames", ())))
    items.sort(key=lambda item: (-costs[item.path], item.path))


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test sees the stores, or the server, of whoever runs it; Java starts fast instead of running fast."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KGNEO_DATA_DIR", str(tmp_path_factory.mktemp("data")))
        # The servers live for minutes: they are not worth the second compiler's work, which is half of their time.
        patch.setenv("JDK_JAVA_OPTIONS", f"{os.environ.get('JDK_JAVA_OPTIONS', '')} -XX:TieredStopAtLevel=1".strip())
        for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_USER", "NEO4J_PASSWORD", "NEO4J_DATABASE", "KGNEO_STORE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def start_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartServer]:
    """Starts a server of a version on a new store of a name, once; all are stopped at the end of the session."""
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


def connect(server: RunningServer) -> Graph:
    """A connection to one of our servers."""
    return Graph.connect(server.uri, username=server.username, password=server.password)


def set_address(patch: pytest.MonkeyPatch, server: RunningServer) -> None:
    """The environment in which a command finds `server`."""
    patch.setenv("NEO4J_URI", server.uri)
    patch.setenv("NEO4J_USERNAME", server.username)
    patch.setenv("NEO4J_PASSWORD", server.password)


@pytest.fixture(scope="session", params=VERSIONS)
def server(request: pytest.FixtureRequest, start_server: StartServer) -> RunningServer:
    """A server to write to, once of each version."""
    return start_server("scratch", request.param)


@pytest.fixture
def graph(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """An empty database on `server`."""
    set_address(monkeypatch, server)
    with connect(server) as graph:
        wipe(graph)
        yield graph


def wipe(graph: Graph) -> None:
    """Take everything out of a database of ours: nodes, constraints, indexes."""
    graph.schema("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")
    for row in graph.schema("SHOW CONSTRAINTS YIELD name"):
        graph.schema(f"DROP CONSTRAINT `{row['name']}`")
    for row in graph.schema("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        graph.schema(f"DROP INDEX `{row['name']}`")


@pytest.fixture(scope="session")
def encoder() -> OnnxEncoder:
    """The default encoder."""
    return load_exported(DEFAULT_ENCODER)


@pytest.fixture(scope="session")
def _sample_server(start_server: StartServer, encoder: OnnxEncoder) -> RunningServer:
    server = start_server("sample", VERSIONS[0])
    with connect(server) as graph:
        load_file(graph, triples_path())
        build(graph, encoder, shape=LOADED)
    return server


@pytest.fixture
def sample_graph(_sample_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """The sample graph, loaded and indexed. Not to be changed."""
    set_address(monkeypatch, _sample_server)
    with connect(_sample_server) as graph:
        yield graph


@pytest.fixture(scope="session")
def sample_context(_sample_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """What questions about the sample are answered with."""
    with connect(_sample_server) as graph:
        yield open_context(graph, encoder=encoder)


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
def _metaqa_server(start_server: StartServer, metaqa: Path) -> RunningServer:
    server = start_server("metaqa", VERSIONS[0])
    with connect(server) as graph:
        load_file(graph, metaqa / "kb.txt")
    return server


@pytest.fixture
def metaqa_graph(_metaqa_server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Graph]:
    """MetaQA, loaded but not indexed: encoding it takes minutes. Not to be changed."""
    set_address(monkeypatch, _metaqa_server)
    with connect(_metaqa_server) as graph:
        yield graph


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
