"""`kgneo serve` with many clients on MetaQA: wrong answers, times, throughput, memory, and Neo4j gone for a while.

    KGNEO_METAQA=… python -m benchmarks.serve [--clients 32] [--seconds 300] [--no-restart]

Questions are the dev questions of 1 to 3 hops, mixed. Each is asked once by itself first; those answers are what the
others are compared with. Half way through, Neo4j is stopped and started again. Last, `kgneo ask --server` is timed as a
process, beside one that imports click and an HTTP client.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from benchmarks.common import indexed_metaqa, metaqa_folder, report, table
from kgneo.server import start, stop, store_path

STORE = "benchmark-metaqa"
QUESTIONS = 150
LONGEST = 60.0
ROUNDS = 7


@dataclass
class Seen:
    """What the clients saw: seconds of each answer, when which error came, how many answers were wrong."""

    times: list[float] = field(default_factory=list)
    errors: list[tuple[float, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def questions() -> list[str]:
    """Dev questions of each number of hops, mixed."""
    chosen: list[str] = []
    for hops in (1, 2, 3):
        lines = (metaqa_folder() / f"{hops}-hop" / "vanilla" / "qa_dev.txt").read_text(encoding="utf-8").splitlines()
        chosen += [line.split("\t")[0] for line in random.Random(7).sample(lines, QUESTIONS // 3)]  # noqa: S311
    random.Random(7).shuffle(chosen)  # noqa: S311
    return chosen


@contextmanager
def serving(port: int) -> Iterator[psutil.Process]:
    """`kgneo serve` on the store, as a process, once it answers."""
    command = [sys.executable, "-m", "kgneo", "serve", "--store", STORE, "--port", str(port), "--rate", "0"]
    process = subprocess.Popen(command)
    try:
        until = time.monotonic() + 300
        while not answers(port):
            if process.poll() is not None or time.monotonic() > until:
                sys.exit("kgneo serve did not start")
            time.sleep(0.2)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    """Whether the server is there."""
    try:
        return get(port, "/api/v1/health", LONGEST)[0] == 200
    except OSError:
        return False


def get(port: int, route: str, seconds: float) -> tuple[int, bytes]:
    """Status and body of a GET."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request("GET", route)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def ask(port: int, question: str) -> tuple[int, list[str]]:
    """Status and answers of a question."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2 * LONGEST)
    try:
        body = json.dumps({"question": question}).encode()
        connection.request("POST", "/api/v1/ask", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        record = json.loads(response.read())
        return response.status, sorted(record.get("answers", ()))
    finally:
        connection.close()


def alone(port: int, asked: list[str]) -> tuple[dict[str, tuple[int, list[str]]], list[float]]:
    """Each question's answer by itself, and the seconds of a second round."""
    known = {question: ask(port, question) for question in asked}
    times = []
    for question in asked:
        started = time.perf_counter()
        ask(port, question)
        times.append(time.perf_counter() - started)
    return known, times


def together(port: int, known: dict[str, tuple[int, list[str]]], clients: int, ends: float) -> Seen:
    """What `clients` see who ask until `ends`."""
    seen = Seen()

    def client(number: int) -> None:
        order = list(known)
        random.Random(number).shuffle(order)  # noqa: S311
        for question in itertools.cycle(order):
            if time.monotonic() > ends:
                return
            started = time.monotonic()
            try:
                found = ask(port, question)
            except OSError as error:
                seen.errors.append((time.monotonic(), type(error).__name__))
                continue
            if found == known[question]:
                seen.times.append(time.monotonic() - started)
            elif found[0] == 200:
                seen.wrong.append(question)
            else:
                seen.errors.append((time.monotonic(), str(found[0])))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def restarted(after: float, ready: list[float]) -> None:
    """Stop Neo4j after so many seconds, start it again, and note when it was gone and when it was back."""
    time.sleep(after)
    ready.append(time.monotonic())
    stop(store_path(STORE))
    start(store_path(STORE), report=report)
    ready.append(time.monotonic())


def process_seconds(command: list[str]) -> float:
    """The shortest of some runs of a process."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return min(times)


def measure(port: int, clients: int, seconds: float, *, restart: bool) -> list[tuple[str, object]]:
    """The figures."""
    asked = questions()
    with serving(port) as process:
        known, times = alone(port, asked)
        single, median = len(times) / sum(times), statistics.median(times)
        together(port, known, clients, time.monotonic() + seconds / 10)
        before = process.memory_info().rss
        times_of: list[float] = []
        helper = threading.Thread(target=restarted, args=(seconds / 2, times_of))
        if restart:
            helper.start()
        started = time.monotonic()
        seen = together(port, known, clients, started + seconds)
        taken = time.monotonic() - started
        after = process.memory_info().rss
        rows: list[tuple[str, object]] = [
            ("questions answered", len(seen.times)),
            ("wrong answers", len(seen.wrong)),
            ("one client: median s", round(median, 3)),
            (f"{clients} clients: median s", round(statistics.median(seen.times), 3)),
            (f"{clients} clients: 95th percentile s", round(statistics.quantiles(seen.times, n=20)[-1], 3)),
            ("throughput against one client", round(len(seen.times) / taken / single, 2)),
            ("memory MB before, after", f"{before / 1e6:.0f}, {after / 1e6:.0f}"),
        ]
        if restart:
            helper.join()
            gone, back = times_of
            rows.append(("seconds without Neo4j", round(back - gone, 1)))
            outside = [kind for moment, kind in seen.errors if not gone <= moment]
            late = max((moment - back for moment, _ in seen.errors), default=0.0)
            rows += [("errors", len(seen.errors)), ("errors before it was gone", len(outside))]
            rows.append(("last error, s after it was back", round(late, 1)))
        else:
            rows.append(("errors", len(seen.errors)))
        server = f"http://127.0.0.1:{port}"
        ours = process_seconds([sys.executable, "-m", "kgneo", "ask", "--quiet", "--server", server, asked[0]])
        least = process_seconds([sys.executable, "-c", "import click, http.client"])
        rows += [("kgneo ask --server: s", round(ours, 3)), ("import click, http.client: s", round(least, 3))]
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--port", type=int, default=7599)
    parser.add_argument("--no-restart", action="store_true")
    given = parser.parse_args()
    with indexed_metaqa():
        pass
    try:
        rows = measure(given.port, given.clients, given.seconds, restart=not given.no_restart)
    finally:
        stop(store_path(STORE))
    table(("what", "figure"), rows)


if __name__ == "__main__":
    main()
