"""Where the tests get a Neo4j from: one that is given, one in a container, or a local one.

`KGNEO_TEST_URI` (with KGNEO_TEST_USERNAME and KGNEO_TEST_PASSWORD) gives one; nothing on it is wiped, so that only
an empty database can be used. Else a container of the version is started where a Docker engine answers, and a local
server where none does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgneo.server import RunningServer, start, stop

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
        running = start(store, version=version, heap="600m", page_cache="200m")
        try:
            yield running
        finally:
            stop(store)


@contextmanager
def _container(version: str) -> Iterator[RunningServer]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer(IMAGES.get(version, f"neo4j:{version}")) as container:
        yield _elsewhere(container.get_connection_url(), container.username, container.password)
