"""Where the tests get a Neo4j from: one that is given, one in a container, or a local one.

`KGNEO_TEST_URI` (with NEO4J_USERNAME and NEO4J_PASSWORD) gives one; nothing on it is wiped, so that only an empty
database can be used. Else a container of the version is started where a Docker engine answers, and a local server
where none does.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from kgneo.server import start, stop

IMAGES = {"2026": "neo4j:2026.08.1-community", "5.26": "neo4j:5.26.19-community"}


@dataclass(frozen=True)
class Server:
    """A server for tests. `ours` is False for one whose content has to stay as it is."""

    uri: str
    username: str
    password: str = field(repr=False)
    ours: bool = True


def given() -> Server | None:
    """The server that the environment names."""
    uri = os.environ.get("KGNEO_TEST_URI")
    if not uri:
        return None
    username = os.environ.get("KGNEO_TEST_USERNAME", "neo4j")
    return Server(uri, username, os.environ.get("KGNEO_TEST_PASSWORD", ""), ours=False)


def engine_runs() -> bool:
    """Whether a Docker engine answers."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False, timeout=20).returncode == 0


@contextmanager
def server_of(version: str, store: Path) -> Iterator[Server]:
    """A server of a version for as long as the block lasts; `store` is where a local one keeps its data."""
    if (found := given()) is not None:
        yield found
    elif engine_runs():
        with _container(version) as found:
            yield found
    else:
        running = start(store, version=version, heap="600m", page_cache="200m")
        try:
            yield Server(running.uri, running.username, running.password)
        finally:
            stop(store)


@contextmanager
def _container(version: str) -> Iterator[Server]:
    from testcontainers.neo4j import Neo4jContainer

    with Neo4jContainer(IMAGES.get(version, f"neo4j:{version}")) as container:
        yield Server(container.get_connection_url(), container.username, container.password)


Open = Callable[[str], Server]
