"""Where the tests get a Neo4j from: one that is given, one in a container, or a local one.

`KGNEO_TEST_URI` (with KGNEO_TEST_USERNAME and KGNEO_TEST_PASSWORD) gives one; nothing on it is wiped, so that only
an empty database can be used. Else a container of the version is started where a Docker engine answers, and a local
server where none does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from kgneo.server import RunningServer, start
from kgneo.server.configuration import EXTRA
from kgneo.server.process import find_process
from kgneo.server.stores import Store

PLANS_ARE_KEPT = "dbms.cypher.min_replan_interval=1h\n"
"""Graphs of tests come and go by the hundred, and Neo4j would plan each query anew for each: a fifth of its work."""
IMAGES = {"2026": "neo4j:2026.08.1-community", "5.26": "neo4j:5.26.19-community"}


def given() -> RunningServer | None:
    """The server that the environment names."""
    uri = os.environ.get("KGNEO_TEST_URI")
    if not uri:
        return None
    username = os.environ.get("KGNEO_TEST_USERNAME", "neo4j")
    return _elsewhere(uri, username, os.environ.get("KGNEO_TEST_PASSWORD", ""))


def _elsewhere(uri: str, username: str, password: str) -> RunningServer:
    """A server that is no local one of ours: without a store, a process and a page for Neo4j Browser."""
    return RunningServer(Path(), uri, "", username, password, pid=0, version="", started=False)


def engine_runs() -> bool:
    """Whether a Docker engine answers."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=20).returncode == 0


@contextmanager
def server_of(version: str, store: Path) -> Iterator[RunningServer]:
    """A server of a version for as long as the block lasts; `store` is where a local one keeps its data."""
    if (found := given()) is not None:
        yield found
    elif engine_runs():
        with _container(version) as found:
            yield found
    else:
        running = _start(store, version)
        try:
            yield running
        finally:
            _end(store)


@contextmanager
def shared_server(version: str, store: Path, fill: Callable[[RunningServer], None]) -> Iterator[RunningServer]:
    """A local server for as long as the block lasts, which several processes read: the first one starts and fills it,
    the last one ends it."""
    users = store.with_suffix(".users")
    with FileLock(store.with_suffix(".lock")):
        running = _start(store, version)
        if not users.exists():
            fill(running)
        _count(users, 1)
    try:
        yield running
    finally:
        with FileLock(store.with_suffix(".lock")):
            if _count(users, -1) == 0:
                _end(store)


def _count(file: Path, change: int) -> int:
    count = int(file.read_text(encoding="ascii") if file.exists() else 0) + change
    file.write_text(str(count), encoding="ascii")
    return count


def _start(store: Path, version: str) -> RunningServer:
    store.mkdir(parents=True, exist_ok=True)
    (store / EXTRA).write_text(PLANS_ARE_KEPT, encoding="utf-8")
    return start(store, version=version, heap="600m", page_cache="200m")


def _end(store: Path) -> None:
    """Kill a server whose data are thrown away. Another process may have started it, so nobody waits for its end."""
    if process := find_process(Store(store.resolve())):
        process.kill()


@contextmanager
def _container(version: str) -> Iterator[RunningServer]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer(IMAGES.get(version, f"neo4j:{version}")) as container:
        yield _elsewhere(container.get_connection_url(), container.username, container.password)
