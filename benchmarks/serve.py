"""`kgneo serve` with many clients: wrong answers, times, throughput, memory, Neo4j killed for a while, and its page.

    KGNEO_METAQA=… python -m benchmarks.serve [--clients 32] [--seconds 300] [--no-restart]
    python -m benchmarks.serve --quick
    python -m benchmarks.serve --quick --workers 2

Questions are MetaQA's dev questions of 1 to 3 hops, mixed; without KGNEO_METAQA, and with --quick (8 clients, 20 s),
those of the graph about geography beside this file. Each is asked twice by itself first: those answers are what the
others are compared with, those times what theirs are. Half way through, Neo4j is killed and started again. Then come
the first byte of a stream, `kgneo ask` as a process, which finds the server by itself, beside one that imports click
and an HTTP client, and, where there is a Chromium, the page: its weight, its first view, and how long it takes from an
answer to its text and to the picture of its triples. With --workers, a server of one worker and one of so many are
compared, in turns, and nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import itertools
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.common import empty, indexed_metaqa, metaqa_folder, report, table
from kgneo.server import start, status, stop, store_path

QUESTIONS = 150
LONGEST = 120.0
RECOVERY = 10.0
"""Seconds within which the server has to answer again once Neo4j does."""
ROUNDS = 15
TURNS = 5
GEOGRAPHY = Path(__file__).parent / "graphs" / "geography"
Rows = list[tuple[str, object]]
Found = tuple[int, list[str]]


@dataclass(frozen=True)
class Measured:
    """What is measured on: the store of a graph, and questions about it."""

    store: str
    questions: list[str]


@dataclass
class Seen:
    """What the clients saw: when each right answer came and after how many seconds, when there were errors, and the
    wrong answers."""

    answers: list[tuple[float, float]] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def times(self) -> list[float]:
        """Seconds of each right answer."""
        return [seconds for _, seconds in self.answers]


def metaqa() -> Measured:
    """MetaQA, and dev questions of each number of hops, mixed."""
    with indexed_metaqa():
        pass
    chosen: list[str] = []
    for hops in (1, 2, 3):
        lines = (metaqa_folder() / f"{hops}-hop" / "vanilla" / "qa_dev.txt").read_text(encoding="utf-8").splitlines()
        chosen += [line.split("\t")[0] for line in random.Random(7).sample(lines, QUESTIONS // 3)]  # noqa: S311
    random.Random(7).shuffle(chosen)  # noqa: S311
    return Measured("benchmark-metaqa", chosen)


def geography() -> Measured:
    """A graph of 264 triples, and its questions."""
    from kgneo.encoders.encoder import load_encoder
    from kgneo.graph.index import build
    from kgneo.graph.load import load
    from kgneo.graph.shape import LOADED
    from kgneo.loader import open_source, read_triples
    from kgneo.settings import Settings, open_graph

    store = "benchmark-serve"
    with open_graph(Settings(store=store), report=report, create=True) as graph:
        empty(graph)
        load(graph, read_triples(open_source(GEOGRAPHY / "triples.tsv")), name="benchmark")
        build(graph, load_encoder(report=report), shape=LOADED)
    lines = (GEOGRAPHY / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return Measured(store, [json.loads(line)["question"] for line in lines])


@contextmanager
def serving(store: str, port: int, *options: str) -> Iterator[psutil.Process]:
    """`kgneo serve` on the store, as a process, once it answers."""
    command = [sys.executable, "-m", "kgneo", "serve", "--store", store, "--port", str(port), "--rate", "0"]
    process = subprocess.Popen([*command, *options])
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
        return send(port, "GET", "/api/v1/health")[0] == 200
    except OSError:
        return False


def send(port: int, method: str, route: str, body: object = None) -> tuple[int, bytes]:
    """Status and body of the response to a request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    try:
        sent = None if body is None else json.dumps(body).encode()
        connection.request(method, route, sent, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def ask(port: int, question: str) -> Found:
    """Status and answers of a question."""
    code, body = send(port, "POST", "/api/v1/ask", {"question": question})
    return code, sorted(json.loads(body).get("answers", ()))


def timed(action: Callable[[], object]) -> float:
    """Seconds that an action takes."""
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def together(port: int, known: dict[str, Found], clients: int, over: Callable[[], bool]) -> Seen:
    """What `clients` see who ask until it is `over`."""
    seen = Seen()

    def client(number: int) -> None:
        order = list(known)
        random.Random(number).shuffle(order)  # noqa: S311
        for question in itertools.cycle(order):
            if over():
                return
            started = time.monotonic()
            try:
                found = ask(port, question)
            except (OSError, http.client.HTTPException) as error:
                found = (0, [type(error).__name__])
            ended = time.monotonic()
            if found == known[question]:
                seen.answers.append((ended, ended - started))
            elif found[0] == 200:
                seen.wrong.append(f"{question}: {found[1][:5]}, expected {known[question][1][:5]}")
            else:
                seen.errors.append(ended)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


def killed(store: str, after: float, moments: list[float]) -> None:
    """Kill Neo4j after so many seconds, start it again, and note when it was gone and when it was back."""
    time.sleep(after)
    running = status(store_path(store))
    assert running is not None
    moments.append(time.monotonic())
    process = psutil.Process(running.pid)
    process.kill()
    process.wait(30)
    start(store_path(store), report=report)
    moments.append(time.monotonic())


def load_rows(port: int, graph: Measured, process: psutil.Process, given: argparse.Namespace) -> Rows:
    """One client, then many, Neo4j killed while they ask."""
    known = {question: ask(port, question) for question in graph.questions}
    alone = [timed(lambda question=question: ask(port, question)) for question in graph.questions]  # type: ignore[misc]
    warm = time.monotonic() + given.seconds / 10
    together(port, known, given.clients, lambda: time.monotonic() > warm)
    before = process.memory_info().rss
    moments: list[float] = []
    if given.restart:
        threading.Thread(target=killed, args=(graph.store, given.seconds / 2, moments)).start()
    started = time.monotonic()

    def over() -> bool:
        recovered = not given.restart or (len(moments) > 1 and time.monotonic() > moments[1] + 2 * RECOVERY)
        return recovered and time.monotonic() > started + given.seconds

    seen = together(port, known, given.clients, over)
    gone, back = moments if given.restart else (time.monotonic(), time.monotonic())
    after = process.memory_info().rss
    for line in seen.wrong[:10]:
        report(f"wrong: {line}")
    undisturbed = [seconds for when, seconds in seen.answers if when < gone]
    many = f"{given.clients} clients"
    rows: Rows = [
        ("questions, of these answered", f"{len(known)}, {sum(code == 200 for code, _ in known.values())}"),
        ("one client: median, 95th percentile s", _pair(alone)),
        (f"{many}: right answers, wrong answers", f"{len(seen.answers)}, {len(seen.wrong)}"),
        (f"{many}: median, 95th percentile s, until Neo4j was gone", _pair(undisturbed)),
        ("95th percentile against one client's", round(_late(undisturbed) / _late(alone), 1)),
        ("throughput against one client's", round(len(undisturbed) / (gone - started) * statistics.mean(alone), 2)),
        ("memory MB before, after", f"{before / 1e6:.0f}, {after / 1e6:.0f}"),
    ]
    return rows + (_restart_rows(seen, gone, back) if given.restart else [("errors", len(seen.errors))])


def _restart_rows(seen: Seen, gone: float, back: float) -> Rows:
    early, late = [when for when in seen.errors if when < gone], [when for when in seen.errors if when > back]
    again = [when for when, _ in seen.answers if when > back]
    return [
        ("Neo4j killed: s without it", round(back - gone, 1)),
        ("errors before, meanwhile, later", f"{len(early)}, {len(seen.errors) - len(early) - len(late)}, {len(late)}"),
        (
            "last error, first answer: s after it was back",
            f"{max(late, default=back) - back:.1f}, {min(again) - back:.1f}",
        ),
    ]


def workers_rows(graph: Measured, given: argparse.Namespace) -> Rows:
    """One worker and several, in turns: right answers a second, the ratio of each two turns, memory, and time of the
    processor, which others on the machine change least."""
    ports = (given.port, given.port + 1)
    with (
        serving(graph.store, ports[0]) as one,
        serving(graph.store, ports[1], "--workers", str(given.workers)) as several,
    ):
        while len(several.children()) < given.workers:
            time.sleep(0.2)
        known = {question: ask(ports[0], question) for question in graph.questions}
        for port in ports:
            _turn(port, known, given)
        neo4j = status(store_path(graph.store))
        assert neo4j is not None
        processes = [one, several, psutil.Process(neo4j.pid)]
        before = [_processor(process) for process in processes]
        turns = [[_turn(port, known, given) for port in ports] for _ in range(TURNS)]
        spent = [_processor(process) - used for process, used in zip(processes, before, strict=True)]
        memory = [_memory(process) for process in (one, several)]
    seen = [[len(turn[side].answers) / given.seconds for turn in turns] for side in (0, 1)]
    ratios = [second / first for first, second in zip(*seen, strict=True)]
    wrong, errors = (sum(len(getattr(each, name)) for turn in turns for each in turn) for name in ("wrong", "errors"))
    late = [statistics.median(_late(turn[side].times) for turn in turns) for side in (0, 1)]
    answered = [sum(len(turn[side].answers) for turn in turns) for side in (0, 1)]
    costs = [1000 * used / number for used, number in zip(spent, [*answered, sum(answered)], strict=True)]
    return [
        (
            f"answers a second, {given.clients} clients: 1 worker, {given.workers}",
            _pair_of(map(statistics.median, seen)),
        ),
        ("ratio: median, least, most", f"{statistics.median(ratios):.2f}, {min(ratios):.2f}, {max(ratios):.2f}"),
        ("95th percentile s", _pair_of(late)),
        ("wrong answers, errors", f"{wrong}, {errors}"),
        (f"ms of processor an answer: 1 worker, {given.workers}, Neo4j", _pair_of(costs)),
        ("memory MB", _pair_of(memory)),
    ]


def _turn(port: int, known: dict[str, Found], given: argparse.Namespace) -> Seen:
    until = time.monotonic() + given.seconds
    return together(port, known, given.clients, lambda: time.monotonic() > until)


def _memory(process: psutil.Process) -> float:
    """That of a process and all that it began, in MB."""
    return float(sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))) / 1e6


def _processor(process: psutil.Process) -> float:
    """Seconds that a process and all that it began have computed."""
    times = [each.cpu_times() for each in (process, *process.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def _pair_of(figures: Iterable[float]) -> str:
    return ", ".join(f"{figure:.3g}" for figure in figures)


def _late(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def _pair(times: Sequence[float]) -> str:
    return f"{statistics.median(times):.3f}, {_late(times):.3f}"


def stream_rows(port: int, graph: Measured) -> Rows:
    """The first byte of a stream, and its first event."""
    first, events = [], []
    for question in graph.questions[:ROUNDS]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
        started = time.perf_counter()
        body = json.dumps({"question": question, "stream": True})
        connection.request("POST", "/api/v1/ask", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read(1)
        first.append(time.perf_counter() - started)
        while not response.readline().startswith(b"event:"):
            pass
        events.append(time.perf_counter() - started)
        response.read()
        connection.close()
    return [
        ("first byte of a stream: median, longest ms", _milliseconds(first)),
        ("its first event: median, longest ms", _milliseconds(events)),
    ]


def _milliseconds(times: Sequence[float]) -> str:
    return f"{statistics.median(times) * 1000:.0f}, {max(times) * 1000:.0f}"


def process_rows(graph: Measured) -> Rows:
    """`kgneo ask` as a process, in turn with one that imports click and an HTTP client; the shortest of some runs."""
    program = str(Path(sys.executable).with_name("kgneo"))
    ours = [program, "ask", "--quiet", "--store", graph.store, graph.questions[0]]
    least = [sys.executable, "-c", "import click, http.client"]
    pairs = [(_cost(ours), _cost(least)) for _ in range(ROUNDS)]
    best = [min(pair[side][column] for pair in pairs) for side in (0, 1) for column in (0, 1)]
    return [
        ("kgneo ask: s of processor, s", f"{best[0]:.3f}, {best[1]:.3f}"),
        ("import click, http.client: s of processor, s", f"{best[2]:.3f}, {best[3]:.3f}"),
        ("processor time against it", round(best[0] / best[2], 2)),
    ]


def _cost(command: list[str]) -> tuple[float, float]:
    """Seconds of processor and of the clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = timed(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds


def page_rows(port: int) -> Rows:
    """What the page weighs, and how long it works from an answer with 100 triples to their picture."""
    from kgneo.serve.application import page_paths

    paths = [path for path in page_paths() if path != "/index.html"]
    charts = [path for path in paths if path.startswith("/vega")]
    page_kb, charts_kb = (_kilobytes(port, some) for some in (set(paths) - set(charts), charts))
    rows: Rows = [("page: kB compressed", page_kb), ("charts, when one is opened: kB compressed", charts_kb)]
    driver, binary = shutil.which("chromedriver"), shutil.which("chromium") or shutil.which("google-chrome")
    if driver is None or binary is None:
        report("No chromium and chromedriver: the page is not drawn.")
        return rows
    with tempfile.TemporaryDirectory() as profile, browser(driver, binary, profile) as page:
        page.set_script_timeout(LONGEST)
        rows.append(("first view: first, median of the rest ms", _drawn([_first_view(page, port) for _ in range(5)])))
        rows.append(("answer to its text: first, median of the rest ms", _drawn(page.execute_async_script(TELL, 5))))
        for triples in (3, 100, 300, 3000):
            page.get(f"http://127.0.0.1:{port}/")
            times = page.execute_async_script(DRAW, triples, 5)
            rows.append((f"answer to picture of {triples} triples: first, median of the rest ms", _drawn(times)))
    return rows


def _first_view(page: Any, port: int) -> float:
    """Milliseconds from going to the page until it first shows something."""
    page.get(f"http://127.0.0.1:{port}/")
    return float(page.execute_async_script(VIEW))


def _kilobytes(port: int, paths: Iterable[str]) -> int:
    """What files weigh as they are sent."""
    return round(sum(len(gzip.compress(send(port, "GET", path)[1])) for path in paths) / 1000)


def _drawn(times: Sequence[float]) -> str:
    return f"{times[0]:.0f}, {statistics.median(times[1:]):.0f}"


VIEW = """
const [done] = arguments;
const seen = (entries) => entries.find((entry) => entry.name === 'first-contentful-paint');
const painted = () => seen(performance.getEntriesByType('paint'));
const wait = () => (painted() ? done(painted().startTime) : setTimeout(wait, 20));
wait();
"""
TELL = """
const [rounds, done] = arguments;
import('/card.js').then(async ({ Card }) => {
  const names = Array.from({ length: 20 }, (_, number) => `thing ${number}`);
  const evidence = names.map((name) => ({ subject: 'topic', relation: 'has_part', object: name }));
  const answer = { answer: names.join(', '), answers: names, answer_nodes: [],
    entities: [{ name: 'topic', labels: [] }], steps: [], warnings: [], unused: [], choices: [], evidence,
    cypher: null, cypher_parameters: {}, more: 0 };
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const card = new Card({ kind: 'ask', question: 'a question' }, { changed() {} }, { answer });
    document.querySelector('#thread').replaceChildren(card.node);
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    times.push(performance.now() - started);
    card.remove();
  }
  done(times);
});
"""
DRAW = """
const [triples, rounds, done] = arguments;
import('/card.js').then(async ({ Card }) => {
  const thread = { changed() {} };
  const evidence = Array.from({ length: triples }, (_, number) =>
    number % 3 ? { subject: `thing ${number - number % 3}`, relation: 'leads_to', object: `thing ${number}` }
      : { subject: 'topic', relation: 'has_part', object: `thing ${number}` });
  const answer = { answer: 'thing 0', answers: ['thing 0'], answer_nodes: [], entities: [{ name: 'topic', labels: [] }],
    steps: [], warnings: [], unused: [], choices: [], evidence, cypher: null, cypher_parameters: {}, more: 0 };
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    const card = new Card({ kind: 'ask', question: 'a question' }, thread, { answer });
    document.querySelector('#thread').replaceChildren(card.node);
    while (!card.node.querySelector('.picture')?.picture) await new Promise((next) => requestAnimationFrame(next));
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    times.push(performance.now() - started);
    card.remove();
  }
  done(times);
});
"""


@contextmanager
def browser(driver: str, binary: str, profile: str) -> Iterator[Any]:
    """A headless Chromium."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield found
    finally:
        found.quit()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--port", type=int, default=7599)
    parser.add_argument("--quick", action="store_true", help="8 clients, 20 s, on a small graph")
    parser.add_argument("--no-restart", dest="restart", action="store_false")
    parser.add_argument("--workers", type=int, default=1, help="compare one worker with so many")
    given = parser.parse_args()
    given.clients = given.clients or (8 if given.quick else 32)
    given.seconds = given.seconds or (20 if given.quick else 300)
    graph = geography() if given.quick or "KGNEO_METAQA" not in os.environ else metaqa()
    try:
        if given.workers > 1:
            rows = workers_rows(graph, given)
        else:
            with serving(graph.store, given.port) as process:
                rows = load_rows(given.port, graph, process, given)
                rows += stream_rows(given.port, graph) + process_rows(graph) + page_rows(given.port)
    finally:
        stop(store_path(graph.store))
    table(("what", "figure"), rows)


if __name__ == "__main__":
    main()
