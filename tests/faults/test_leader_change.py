"""A leader that changes while kgneo reads or writes, as a driver sees it; simulated, since there is no cluster."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from kgneo.asking.question import ask, open_context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.loader import open_source, read_triples
from kgneo.server import RunningServer
from tests.conftest import on_one_version, wipe
from tests.faults import ALL, SEED
from tests.faults.dump import dump
from tests.faults.leader import Cluster, no_leader

ASKED, LOADED = (60, 40) if ALL else (6, 4)
QUESTION = "which seas do the rivers of [Germany] flow into?"


@contextmanager
def behind(server: RunningServer, at: int) -> Iterator[tuple[Cluster, Callable[[], Graph]]]:
    """A server that is no leader once, and how one connects to it."""
    parts = urlsplit(server.uri)
    with no_leader(parts.hostname or "", parts.port or 0, at) as (cluster, port):
        yield (
            cluster,
            lambda: Graph.connect(
                f"bolt://127.0.0.1:{port}", username=server.username, password=server.password, timeout=5.0, retry=5.0
            ),
        )


def test_a_question_is_answered_rightly(sample_server: RunningServer, encoder: OnnxEncoder) -> None:
    def asked(connecting: Callable[[], Graph]) -> set[str]:
        with connecting() as graph:
            return set(ask(open_context(graph, encoder=encoder), QUESTION).answers)

    with behind(sample_server, 0) as (cluster, connecting):
        right, runs = asked(connecting), cluster.runs
    chosen = random.Random(SEED)  # noqa: S311
    for _ in range(ASKED):
        with behind(sample_server, chosen.randint(1, runs)) as (cluster, connecting):
            assert asked(connecting) == right, f"at query {cluster.at} (seed {SEED})"
            assert cluster.refused == 1


@on_one_version
def test_a_load_writes_all_of_it_once(server: RunningServer, graph: Graph, tmp_path: Path) -> None:
    file = tmp_path / "people.tsv"
    file.write_text("\n".join(f"person {n}\tknows\tperson {n * 7 % 400}" for n in range(400)), encoding="utf-8")

    def loaded(into: Graph) -> None:
        load(into, read_triples(open_source(file)), name="people")

    with behind(server, 0) as (cluster, connecting):
        with connecting() as through:
            loaded(through)
        right, runs = dump(graph), cluster.runs
    chosen = random.Random(SEED)  # noqa: S311
    ends = {"at once": 0, "run again": 0}
    for _ in range(LOADED):
        wipe(graph)
        with behind(server, chosen.randint(1, runs)) as (cluster, connecting):
            try:
                with connecting() as through:
                    loaded(through)
                ends["at once"] += 1
            except KgneoError:
                loaded(graph)
                ends["run again"] += 1
        assert cluster.refused == 1
        assert dump(graph) == right, f"at query {cluster.at} (seed {SEED})"
    print(f"\n{LOADED} loads with a change of leader: {ends}")
