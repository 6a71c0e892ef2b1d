"""`kgneo serve --workers`: several processes at one address, and bounds that hold over all of them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from kgneo.cli.main import main
from kgneo.graph import Graph
from kgneo.serve.questions import Questions
from kgneo.serve.shared import Shared, offered, reached
from kgneo.serve.supervisor import SPAWN
from kgneo.server import RunningServer
from tests.conftest import set_address
from tests.test_team import TOKENS, by, digest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
CAPITAL = {"question": "what is the capital of [Ethiopia]?"}
RIGHT = ["Addis Ababa"]
LONGEST = 120.0
"""Seconds for what has to come on a machine that others use."""


@dataclass
class Served:
    """A server of several workers: the process that began them, its address and what it says."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    def workers(self) -> dict[int, psutil.Process]:
        """The workers by their process ids."""
        children = psutil.Process(self.process.pid).children()
        return {child.pid: child for child in children if _is_worker(child)}

    def by(self, pid: int, route: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """Status and body of a response by one worker: the others stand still until it has come."""
        others = [worker for each, worker in self.workers().items() if each != pid]
        for other in others:
            other.suspend()
        try:
            return sent(self.address, route, body, headers)
        finally:
            for other in others:
                other.resume()

    def by_each(self, route: str, body: Any = None, headers: dict[str, str] | None = None) -> list[tuple[int, Any]]:
        """The same by each worker, one after the other."""
        return [self.by(pid, route, body, headers) for pid in self.workers()]

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something is so."""
        until = time.monotonic() + LONGEST
        while not is_so():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < until, self.log.read_text()
            time.sleep(0.1)


def _is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return "multiprocessing.spawn" in " ".join(process.cmdline())
    return False


def sent(address: str, route: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
    """Status and body of the response to a request by a connection of its own."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=LONGEST)
    try:
        text = None if body is None else json.dumps(body).encode()
        connection.request(
            "GET" if body is None else "POST",
            f"/{route}",
            text,
            {"Content-Type": "application/json", **(headers or {})},
        )
        response = connection.getresponse()
        read = response.read().decode()
        return response.status, json.loads(read) if "json" in response.headers["Content-Type"] else read
    finally:
        connection.close()


@contextmanager
def served(folder: Path, *options: str, workers: int = 2) -> Iterator[Served]:
    """A server whose workers all answer, and which has ended with all of them behind the block."""
    log = folder / "log"
    command = [sys.executable, "-m", "kgneo", "serve", "--port", "0", "--workers", str(workers), *options]
    with log.open("w") as file:
        process = subprocess.Popen(command, stderr=file, env=os.environ, cwd=folder)
    server = Served(process, "", log)
    try:
        server.until(lambda: "Page: " in log.read_text())
        server.address = log.read_text().partition("Page: ")[2].split()[0]
        server.until(lambda: len(server.workers()) == workers)
        assert [status for status, _ in server.by_each("api/v1/health")] == [200] * workers
        yield server
    finally:
        children = psutil.Process(process.pid).children() if process.poll() is None else []
        process.terminate()
        process.wait(LONGEST)
        assert psutil.wait_procs(children, LONGEST)[1] == []
    assert "Traceback" not in log.read_text()


@pytest.fixture(scope="module")
def server(sample_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Two workers that answer questions about the sample."""
    with pytest.MonkeyPatch.context() as patch:
        set_address(patch, sample_server)
        with served(tmp_path_factory.mktemp("workers"), "--rate", "0") as found:
            yield found


# Answers -------------------------------------------------------------------------------------------------------------


def test_each_worker_answers_and_all_answer_alike(server: Served) -> None:
    found = server.by_each("api/v1/ask", CAPITAL)
    assert [(status, body["answers"]) for status, body in found] == [(200, RIGHT)] * 2


def test_figures_are_sums_over_all_workers(server: Served) -> None:
    def asked() -> list[float]:
        return [_figure(text, "/api/v1/ask") for _, text in server.by_each("api/v1/metrics")]

    before = asked()
    server.by_each("api/v1/ask", CAPITAL)
    assert before[0] == before[1]
    assert asked() == [before[0] + 2] * 2


def _figure(text: str, route: str) -> float:
    """The requests to a route that were answered with 200."""
    line = f'kgneo_requests_total{{method="POST",route="{route}",status="200"}} '
    return float(next((row.removeprefix(line) for row in text.splitlines() if row.startswith(line)), 0))


def test_a_worker_that_is_killed_comes_back_and_no_answer_is_wrong(server: Served) -> None:
    before, found, over = server.workers(), [], threading.Event()

    def ask() -> None:
        while not over.is_set():
            with suppress(OSError, http.client.HTTPException):  # what the killed one was at is cut off
                found.append(sent(server.address, "api/v1/ask", CAPITAL))

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    killed = next(iter(before))
    os.kill(killed, signal.SIGKILL)
    server.until(lambda: len(server.workers()) == 2 and killed not in server.workers())
    over.set()
    for thread in asking:
        thread.join()
    assert {(status, *body["answers"]) for status, body in found} == {(200, *RIGHT)}
    server.until(lambda: [status for status, _ in server.by_each("api/v1/ask", CAPITAL)] == [200, 200])
    assert f"(process {killed}) was ended by signal 9; another one begins." in server.log.read_text()


# Bounds --------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sample_graph")
def test_a_rate_of_an_address_holds_over_all_workers(tmp_path: Path) -> None:
    with served(tmp_path, "--rate", "1") as server:
        statuses = [status for _ in range(2) for status, _ in server.by_each("api/v1/strategies")]
    assert statuses == [200, 429, 429, 429]


def _allowed(address: Any, worker: int, name: str, minute: int) -> int:
    """How many of some requests, all at one time, are let through by a worker."""
    rate = reached(address, worker).rate(name, minute)
    return sum(rate.wait("10.0.0.5", 0.0) == 0 for _ in range(50))


def test_as_many_are_let_through_by_several_processes_as_by_one() -> None:
    alone = Shared().rate("requests", 30)
    once = sum(alone.wait("10.0.0.5", 0.0) == 0 for _ in range(150))
    with offered(Shared()) as address, Pool(3, context=SPAWN) as pool:
        found = pool.starmap(_allowed, [(address, worker, "requests", 30) for worker in (1, 2, 3)])
    assert sum(found) == once == 30


def test_questions_of_all_workers_count_together_and_those_of_one_that_has_gone_do_not() -> None:
    shared = Shared()
    questions = shared.questions("")
    assert [questions.begin(worker, 2) for worker in (1, 2, 1)] == [True, True, False]
    questions.take(2)
    assert (questions.running, questions.waiting) == (1, 1)
    shared.forget(2)
    questions.put(2)  # heard late
    questions.leave(2)
    assert (questions.running, questions.waiting) == (0, 1)
    assert questions.begin(1, 2)


def test_questions_are_counted_for_another_process() -> None:
    shared = Shared()
    with offered(shared) as address:
        other = reached(address, 1)
        assert other.questions("").begin(1, 1)
        assert not other.questions("").begin(1, 1)
        assert b"kgneo_questions_waiting 1.0" in other.metrics("").text()
    assert isinstance(shared.questions(""), Questions)


TEAM = """
[graphs.rivers]
uri = "{uri}"
password_env = "NEO4J_PASSWORD"
[users.ann]
token_sha256 = "{ann}"
graphs = ["rivers"]
rate = 1
[users.bob]
token_sha256 = "{bob}"
graphs = ["rivers"]
day_tokens = 1000
[audit]
file = "audit.jsonl"
"""


@pytest.fixture(scope="module")
def team(sample_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A team's server: Ann may ask once a minute, Bob's tokens of a day are bounded, and the model reads all of them
    for one answer."""
    folder = tmp_path_factory.mktemp("team")
    digests = {name: digest(TOKENS[name]) for name in ("ann", "bob")}
    (folder / "team.toml").write_text(TEAM.format(uri=sample_server.uri, **digests), encoding="utf-8")
    reply = {"match": ".", "reply": " ".join(["word"] * 1000)}
    (folder / "script").write_text(json.dumps(reply), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        set_address(patch, sample_server)
        patch.delenv("NEO4J_URI")
        patch.setenv("KGNEO_DATA_DIR", str(folder))
        with served(folder, "--team", "team.toml", "--llm", "scripted:script") as found:
            yield found


def test_a_rate_of_a_user_holds_over_all_workers(team: Served) -> None:
    found = team.by_each("g/rivers/api/v1/strategies", headers=by("ann"))
    assert [status for status, _ in found] == [200, 429]


def test_what_a_user_may_spend_on_a_day_holds_over_all_workers(team: Served) -> None:
    question = {"question": "why is the sea blue?", "strategy": "llm"}
    first, second = [body for _, body in team.by_each("g/rivers/api/v1/ask", question, by("bob"))]
    assert first["answer"].startswith("word")
    assert "1,000 tokens a day are allowed" in json.dumps(second)


def test_the_audit_log_has_a_line_for_each_request_of_all_workers(team: Served) -> None:
    file = team.log.with_name("audit.jsonl")
    refused = {"question": "x" * 1_900, "strategy": "none that there is"}

    def ask(_: int) -> int:
        return sent(team.address, "g/rivers/api/v1/ask", refused, by("bob"))[0]

    def lines() -> list[str]:
        """The lines of these requests: that of one before them may come only now."""
        text = file.read_text(encoding="utf-8")
        return [line for line in text.splitlines() if refused["question"] in line]

    with ThreadPoolExecutor(20) as asking:
        assert len(list(asking.map(ask, range(20)))) == 20
    team.until(lambda: len(lines()) >= 20)  # each is written behind its response
    assert [json.loads(line)["question"] for line in lines()] == [refused["question"]] * 20


# Beginning and end ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("sample_graph")
def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        children = psutil.Process(server.process.pid).children(recursive=True)
        for process in (server.process.pid, *server.workers()):  # a terminal sends it to all
            os.kill(process, signal.SIGINT)
        assert server.process.wait(LONGEST) == 130
        assert psutil.wait_procs(children, LONGEST)[1] == []
        assert "another one begins" not in server.log.read_text()


@pytest.mark.usefixtures("sample_graph")
def test_no_worker_is_left_over_by_a_server_that_was_killed(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        children = psutil.Process(server.process.pid).children(recursive=True)
        server.process.kill()
        assert psutil.wait_procs(children, LONGEST)[1] == []


def test_a_server_with_workers_is_announced_once_until_it_stops(
    sample_server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not sample_server.pid:
        pytest.skip("the sample is in no local store")
    monkeypatch.delenv("NEO4J_URI", raising=False)
    file = sample_server.store / "serve.json"
    with served(tmp_path, "--store", str(sample_server.store)) as server:
        assert json.loads(file.read_text(encoding="utf-8"))["pid"] == server.process.pid
        os.kill(next(iter(server.workers())), signal.SIGTERM)
        server.until(lambda: "another one begins" in server.log.read_text())
        assert file.exists()
    assert not file.exists()


def test_what_keeps_the_workers_from_answering_is_told_once(sample_graph: Graph, tmp_path: Path) -> None:
    assert sample_graph
    (tmp_path / "script").write_text('{"reply": "once"}', encoding="utf-8")
    command = ["serve", "--port", "0", "--workers", "2", "--llm", "scripted:script"]
    done = subprocess.run(
        [sys.executable, "-m", "kgneo", *command], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST
    )
    assert done.returncode == 2
    assert done.stderr.count("several workers cannot share") == 1
    assert "Traceback" not in done.stderr


def test_more_workers_than_wrong_logins_are_refused_where_the_database_knows_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    file = tmp_path / "team.toml"
    file.write_text('[graphs.people]\nuri = "bolt://127.0.0.1:1"\nlogin = "neo4j"\n', encoding="utf-8")
    assert main(["serve", "--port", "0", "--workers", "10", "--team", str(file)]) == 2
    assert "Expected fewer than 10" in capsys.readouterr().err
