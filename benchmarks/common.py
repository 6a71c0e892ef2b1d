"""What the measurements share: a graph of MetaQA in a store of its own, a table, and records that are kept."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kgneo.graph import Graph
from kgneo.graph.open import Knowledge, open_knowledge
from kgneo.settings import Settings, open_graph


def metaqa_folder() -> Path:
    """MetaQA's files, where KGNEO_METAQA says."""
    folder = os.environ.get("KGNEO_METAQA")
    if not folder:
        sys.exit("Set KGNEO_METAQA to the folder of MetaQA's kb.txt.")
    return Path(folder)


@contextmanager
def scratch_graph(name: str) -> Iterator[Graph]:
    """An empty graph in a store of its own, with its server stopped at the end."""
    from kgneo.server import stop, store_path

    store = f"benchmark-{name}"
    try:
        with open_graph(Settings(store=store, timeout=3600), report=report, create=True) as graph:
            empty(graph)
            yield graph
    finally:
        stop(store_path(store))


def kgneo(*arguments: str) -> list[str]:
    """The command line of a process of kgneo's."""
    return [sys.executable, "-m", "kgneo", *arguments]


@contextmanager
def indexed_metaqa() -> Iterator[Graph]:
    """A graph with MetaQA as a command in another process left it behind, with embeddings and mirror: the one at
    NEO4J_URI, which is only read, or a store of its own, which keeps it for the next measurement."""
    from kgneo.encoders.encoder import DEFAULT_ENCODER
    from kgneo.graph.record import count_triples

    uri, store = os.environ.get("NEO4J_URI"), "benchmark-metaqa"
    settings = Settings(uri=uri, password=os.environ.get("NEO4J_PASSWORD", ""), store=store, timeout=3600)
    with open_graph(settings, report=report, create=True) as graph:
        if uri is None and not _ready(graph):
            what = ("index",) if count_triples(graph) else ("load", str(metaqa_folder() / "kb.txt"))
            command = kgneo(*what, "--encoder", DEFAULT_ENCODER, "--store", store)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        yield graph


def _ready(graph: Graph) -> bool:
    """Whether a graph is indexed by the default encoder and mirrored as it is now."""
    from kgneo.encoders.encoder import load_encoder
    from kgneo.graph.candidates import fresh_mirror
    from kgneo.graph.record import read_record

    record = read_record(graph)
    if record is None or not record.complete or record.fingerprint != load_encoder(report=report).fingerprint:
        return False
    return fresh_mirror(open_knowledge(graph)) is not None


def without_mirror(knowledge: Knowledge) -> Knowledge:
    """What is known of the same graph on a machine that has no mirror of it."""
    from kgneo.graph.mirror import MirrorFolder

    found = replace(knowledge)
    found.__dict__["mirror"] = MirrorFolder(Path("no mirror"))
    return found


def empty(graph: Graph) -> None:
    """Take everything out of a graph of ours."""
    graph.schema("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS")
    for row in graph.schema("SHOW CONSTRAINTS YIELD name"):
        graph.schema(f"DROP CONSTRAINT `{row['name']}`")
    for row in graph.schema("SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'"):
        graph.schema(f"DROP INDEX `{row['name']}`")


@dataclass
class Records:
    """What was measured so far, by a key, in a file of JSON lines, so that a measurement that was stopped goes on.
    Without a file, nothing is kept."""

    file: Path | None = None
    found: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.file is not None and self.file.exists():
            for line in self.file.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError):  # the last line of a run that was ended while it wrote
                    record = json.loads(line)
                    self.found[self._name(record["key"])] = record

    def of(self, key: Mapping[str, object], measure: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """The record of `key`: the one that is kept, else what `measure` gives."""
        name = self._name(key)
        if name not in self.found:
            record = {"key": dict(key), **measure()}
            if self.file is not None:
                self.file.parent.mkdir(parents=True, exist_ok=True)
                with self.file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
            self.found[name] = record
        return self.found[name]

    @staticmethod
    def _name(key: Mapping[str, object]) -> str:
        return json.dumps(key, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table of `python -m benchmarks`: what is measured, against which reference in the same run, both
    in `unit`, and the `ratio` ours / theirs, which is to be at most (or, `at_least`, at least) `reach`."""

    what: str
    reference: str
    ours: float
    theirs: float
    unit: str
    ratio: float
    reach: float
    at_least: bool = False

    @property
    def reached(self) -> bool:
        """Whether the ratio is where it is to be."""
        return self.ratio >= self.reach if self.at_least else self.ratio <= self.reach


def seconds(action: Callable[[], object]) -> float:
    """How long `action` takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def paired(first: Callable[[], object], second: Callable[[], object], *, rounds: int) -> tuple[float, float, float]:
    """Median seconds of both, run in turn, and the median of the ratios first / second, pair by pair."""
    pairs = [(seconds(first), seconds(second)) for _ in range(rounds)]
    return (
        statistics.median(one for one, _ in pairs),
        statistics.median(two for _, two in pairs),
        statistics.median(one / two for one, two in pairs),
    )


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A Markdown table on standard output."""
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row) + " |")
    print(flush=True)


def report(message: str) -> None:
    """A line for whoever watches."""
    print(message, file=sys.stderr, flush=True)
