"""A database that is killed again and again under clients: no wrong answer, nobody stuck, errors only while it is gone.

In process (`ask` with a context that is kept) and over HTTP. A change of leader is not simulated: there is no cluster.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.errors import GraphError
from kgneo.graph import Graph
from kgneo.server import RunningServer, start, status
from kgneo.server.process import find_process
from kgneo.server.stores import Store
from tests.conftest import VERSIONS, connect
from tests.faults import ALL, SEED
from tests.serving import listening

CLIENTS = 8
SECONDS, EVERY = (600.0, 30.0) if ALL else (20.0, 8.0)
"""How long it goes on, and how long after it is back the server is killed again."""
SLACK = 8.0
"""Seconds behind a server's return in which a connection may still be found broken."""
LONGEST = 90.0
"""Seconds that an answer or an error may take while the server is away."""
AGAIN = 5
"""Right answers that each client has behind the last return before it stops."""
FILL = """
UNWIND range(0, 199) AS n
CREATE (:Person {name: 'Person ' + n + 'x'})-[:LIVES_IN]->(:Town {name: 'Town ' + n + 'y'})
"""


@dataclass
class Log:
    """What clients got: when each error came, and which answers were wrong."""

    wrong: list[str] = field(default_factory=list)
    errors: list[tuple[float, float, str]] = field(default_factory=list)
    longest: float = 0.0
    gone: list[tuple[float, float]] = field(default_factory=list)

    def stray(self) -> list[tuple[float, float, str]]:
        """Errors of questions that were asked when the server was there, and answered before it went."""
        return [
            item
            for item in self.errors
            if not any(item[0] <= back + SLACK and item[1] >= left for left, back in self.gone)
        ]


Answer = Callable[[str], tuple[str, ...]]


def client(number: int, answer: Answer, back: threading.Event, log: Log) -> None:
    """Ask until the server has come back for the last time and some answers after that were right."""
    draw = random.Random(SEED * 100 + number)  # noqa: S311
    again = 0
    while again < AGAIN:
        person = draw.randrange(200)
        asked, returned = time.monotonic(), back.is_set()
        try:
            found = answer(f"where does Person {person}x live?")
        except (GraphError, httpx.HTTPStatusError) as error:
            log.errors.append((asked, time.monotonic(), str(error)[:200]))
        else:
            again += returned
            if found != (f"Town {person}y",):
                log.wrong.append(f"{person}: {found}")
        log.longest = max(log.longest, time.monotonic() - asked)
        time.sleep(0.01)


def kill_again_and_again(store: Path, until: float, log: Log) -> None:
    """Kill the server, start it at its address, wait, and so on; it is there at the end."""
    while time.monotonic() + EVERY < until:
        time.sleep(EVERY / 2)
        process = find_process(Store(store.resolve()))
        assert process is not None
        left = time.monotonic()
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
        start(store, heap="600m", page_cache="100m")
        log.gone.append((left, time.monotonic()))
        time.sleep(EVERY / 2)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server of its own, to be killed."""
    store = tmp_path_factory.mktemp("gone") / "store"
    running = start(store, version=VERSIONS[0], heap="600m", page_cache="100m")
    with connect(running) as graph:
        graph.write(FILL)
    yield running
    if status(store) is not None and (process := find_process(Store(store.resolve()))):
        process.kill()


def tried(killed: RunningServer, answer: Answer) -> Log:
    log, back = Log(), threading.Event()
    clients = [
        threading.Thread(target=client, args=(number, answer, back, log), daemon=True) for number in range(CLIENTS)
    ]
    for each in clients:
        each.start()
    try:
        kill_again_and_again(killed.store, time.monotonic() + SECONDS, log)
    finally:
        back.set()
    for each in clients:
        each.join(LONGEST)
    stuck = sum(each.is_alive() for each in clients)
    assert not stuck, f"{stuck} clients have no {AGAIN} answers {LONGEST:.0f} s behind the return: {log.errors[-3:]}"
    return log


def check(log: Log) -> None:
    print(f"wrong {len(log.wrong)}, errors {len(log.errors)}, killed {len(log.gone)}, longest {log.longest:.1f} s")
    assert log.gone
    assert log.wrong == []
    assert log.stray() == []
    assert log.longest < LONGEST


def test_clients_in_one_process_go_on_when_the_database_is_back(killed: RunningServer) -> None:
    graph = Graph.connect(killed.uri, username=killed.username, password=killed.password, retry=5.0)
    with graph:
        context: Context = open_context(graph)
        check(tried(killed, lambda question: ask(context, question).answers))


def test_clients_of_a_server_go_on_when_the_database_is_back(killed: RunningServer) -> None:
    graph = Graph.connect(killed.uri, username=killed.username, password=killed.password, retry=2.0)
    with graph, listening(open_context(graph)) as address:

        def answer(question: str) -> tuple[str, ...]:
            response = httpx.post(f"{address}/api/v1/ask", json={"question": question}, timeout=LONGEST)
            response.raise_for_status()
            return tuple(response.json()["answers"])

        check(tried(killed, answer))
