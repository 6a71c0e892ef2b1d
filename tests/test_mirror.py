"""The mirror of a graph on this machine: it finds what the graph finds, and is used for that version of it alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgneo.asking.question import open_context
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph, candidates
from kgneo.graph.cache import LocalCache
from kgneo.graph.candidates import Direction, Reach, bound, fresh_mirror, top_candidates
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.mirror import MIRRORED_UP_TO, Mirror
from kgneo.graph.open import Knowledge, open_knowledge
from kgneo.graph.shape import LOADED
from kgneo.loader import LoadedTriple
from kgneo.model import Candidate, Triple
from kgneo.sample import triples_path
from kgneo.server import RunningServer
from tests.conftest import connect, wipe
from tests.serving import client
from tests.test_graph_index import CountingEncoder

VECTOR = np.random.default_rng(3).normal(size=16).astype(np.float32)


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def random_server(server: RunningServer) -> RunningServer:
    """A random graph of 60 nodes and 150 triples, loaded and indexed. Tests that change it take a node of their own."""
    random = np.random.default_rng(7)
    rows = {(f"n{a}", f"t{t}", f"n{b}") for a, b, t in random.integers(0, [60, 60, 3], (150, 3)) if a != b}
    with connect(server) as graph:
        wipe(graph)
        load(graph, [LoadedTriple(Triple(*row)) for row in sorted(rows)], name="random")
        build(graph, CountingEncoder(), shape=LOADED)
    return server


@pytest.fixture
def mirrored(random_server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Knowledge]:
    """The random graph, mirrored as it is now."""
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    with connect(random_server) as graph:
        assert renew(graph)
        yield open_knowledge(graph)


def renew(graph: Graph) -> bool:
    return LocalCache(graph).mirror().renew(graph, CountingEncoder().dimensions)


def around(knowledge: Knowledge, name: str, hops: int, direction: Direction) -> list[Candidate]:
    rows = knowledge.graph.read("MATCH (n:Entity {name: $name}) RETURN elementId(n) AS id", name=name)
    return top_candidates(knowledge, Reach((rows[0]["id"],), hops, direction), VECTOR, top_k=20)


def mirror_of(knowledge: Knowledge) -> Mirror:
    mirror = knowledge.mirror.current()
    assert mirror is not None
    return mirror


@pytest.fixture
def database_alone(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls a function as it goes where there is no mirror."""

    def call(function: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(candidates, "_in_mirror", lambda *_: None)
            return function()

    return call


def kgneo_elsewhere(*arguments: str) -> None:
    """A command of kgneo's in a process of its own."""
    subprocess.run([sys.executable, "-m", "kgneo", *arguments], check=True, capture_output=True, text=True)


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the database was asked to choose")


@pytest.mark.parametrize("direction", ["both", "out"])
@pytest.mark.parametrize("hops", [1, 3])
def test_a_mirror_finds_what_the_graph_finds(
    mirrored: Knowledge, database_alone: Any, hops: int, direction: Direction, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = database_alone(lambda: around(mirrored, "n5", hops, direction))
    monkeypatch.setattr(candidates, "_in_graph", refuse)
    found = around(mirrored, "n5", hops, direction)
    assert [(item.triple, item.hop) for item in found] == [(item.triple, item.hop) for item in expected]
    assert [item.score for item in found] == pytest.approx([item.score for item in expected], rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("direction", ["both", "out"])
@pytest.mark.parametrize("most", [2, 20, 100, 149])
def test_a_mirror_keeps_as_many_candidates_as_are_allowed(
    mirrored: Knowledge, most: int, direction: Direction, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = mirrored.graph.read("MATCH (n:Entity {name: 'n5'}) RETURN elementId(n) AS id")
    whole = Reach((rows[0]["id"],), 3, direction, most=most)
    reach = bound(mirrored, whole)
    found, hop_of = mirror_of(mirrored).candidates(reach.entities, reach.hops, out=direction == "out", most=most)
    expected, expected_hops = mirror_of(mirrored).candidates(reach.entities, reach.hops, out=direction == "out")
    assert len(found) == min(most, len(expected))
    assert set(found) >= set(expected[expected_hops < reach.hops])
    assert dict(zip(found, hop_of, strict=True)).items() <= dict(zip(expected, expected_hops, strict=True)).items()
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "none"))
    assert bound(open_knowledge(mirrored.graph), whole) == reach


def test_a_mirror_may_look_at_more_candidates_than_the_database(
    mirrored: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "MOST", 5)
    rows = mirrored.graph.read("MATCH (n:Entity {name: 'n5'}) RETURN elementId(n) AS id")
    reach = Reach((rows[0]["id"],), 3)
    assert (bound(mirrored, reach).most, bound(mirrored, reach).cut) == (MIRRORED_UP_TO, False)
    mirrored.graph.write("CREATE (:Elsewhere)")
    assert (bound(mirrored, reach).most, bound(mirrored, reach).cut) == (5, True)


def test_after_a_change_the_mirror_is_passed_over(mirrored: Knowledge, database_alone: Any) -> None:
    assert around(mirrored, "n6", 1, "both")
    mirrored.graph.write("MATCH (:Entity {name: 'n6'})-[r]-() DELETE r")
    assert around(mirrored, "n6", 1, "both") == database_alone(lambda: around(mirrored, "n6", 1, "both")) == []


def test_a_mirror_of_a_graph_that_was_put_back_is_passed_over_although_its_mark_came_round_again(
    mirrored: Knowledge,
) -> None:
    assert fresh_mirror(mirrored) is not None
    file = mirrored.mirror.folder / "mirror.json"
    record = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(record | {"seal": "of the changes that were undone"}), encoding="utf-8")
    assert fresh_mirror(mirrored) is None
    assert renew(mirrored.graph)
    assert fresh_mirror(mirrored) is not None


def test_after_a_change_by_others_the_mirror_is_passed_over(
    mirrored: Knowledge, random_server: RunningServer, database_alone: Any
) -> None:
    with connect(random_server) as other:
        other.write("MATCH (:Entity {name: 'n2'})-[r]-() DELETE r")
    assert fresh_mirror(mirrored) is None
    assert around(mirrored, "n2", 1, "both") == database_alone(lambda: around(mirrored, "n2", 1, "both")) == []


def test_the_mark_of_a_graph_is_the_same_for_all_who_look_whatever_they_looked_at_before(
    random_server: RunningServer,
) -> None:
    with connect(random_server) as graph, connect(random_server) as other:
        before = other.last_change()
        assert graph.refuses_writes() == ""  # which looks at all databases of the server
        graph.explain("SHOW DATABASES")
        graph.read_once("SHOW CURRENT USER", rows=1, timeout=5.0)
        assert graph.last_change() == before
        graph.write("CREATE (:Elsewhere)")
        assert graph.last_change() == other.last_change() != before


def test_a_mirror_of_another_encoders_embeddings_is_passed_over(mirrored: Knowledge, database_alone: Any) -> None:
    expected = database_alone(lambda: around(mirrored, "n5", 1, "both"))
    for file in mirrored.mirror.folder.glob("*/vectors.npy"):
        np.save(file, np.ones((len(np.load(file)), 3), dtype=np.float32))
    assert around(mirrored, "n5", 1, "both") == expected


def test_a_renewed_mirror_has_what_was_added_and_reads_nothing_else(mirrored: Knowledge) -> None:
    read: list[tuple[int, int]] = []
    old = mirror_of(mirrored)
    load(mirrored.graph, [LoadedTriple(Triple("n7", "t0", "new"))], name="more")
    build(mirrored.graph, CountingEncoder(), shape=LOADED)
    assert LocalCache(mirrored.graph).mirror().renew(mirrored.graph, 16, lambda done, total: read.append((done, total)))
    assert read == [(1, 1)]
    assert len(mirror_of(mirrored).ids) == len(old.ids) + 1
    assert fresh_mirror(mirrored) is not None
    assert "new" in {item.triple.object for item in around(mirrored, "n7", 1, "out")}


def test_a_mirror_of_an_unchanged_graph_is_kept(mirrored: Knowledge) -> None:
    old = mirror_of(mirrored)
    assert renew(mirrored.graph)
    assert mirror_of(mirrored) is old


def test_several_that_renew_a_mirror_at_once_make_one(mirrored: Knowledge) -> None:
    graph = mirrored.graph
    graph.write("MATCH (n:Entity {name: 'n3'})-[r]-() SET r.kgneo_digest = r.kgneo_digest + 1")
    read: list[int] = []

    def renewed(_: int) -> bool:
        return LocalCache(graph).mirror().renew(graph, 16, lambda done, _: read.append(done))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(renewed, range(4)))
    assert len(read) == 1
    assert fresh_mirror(mirrored) is not None


def test_a_graph_that_is_changed_meanwhile_keeps_its_old_mirror(mirrored: Knowledge) -> None:
    graph = mirrored.graph
    old = mirror_of(mirrored)
    graph.write("MATCH (n:Entity {name: 'n8'})-[r]-() SET r.kgneo_digest = r.kgneo_digest + 1")
    folder = LocalCache(graph).mirror()

    def change(*_: int) -> None:
        graph.write("CREATE (:Elsewhere)")

    assert not folder.renew(graph, 16, change)
    assert mirror_of(mirrored).change == old.change
    assert len([entry for entry in folder.folder.iterdir() if entry.is_dir()]) == 1


def test_a_damaged_mirror_is_none(mirrored: Knowledge) -> None:
    folder = mirrored.mirror.folder
    next(folder.glob("*/vectors.npy")).unlink()
    assert Mirror.load(folder) is None
    assert LocalCache(mirrored.graph).mirror().current() is None


def test_relationships_without_an_embedding_are_walked_and_not_found(mirrored: Knowledge, database_alone: Any) -> None:
    mirrored.graph.write("MATCH (:Entity {name: 'n9'})-[r]-() REMOVE r.kgneo_embedding")
    assert renew(mirrored.graph)
    assert fresh_mirror(mirrored) is not None
    found = around(mirrored, "n9", 2, "both")
    assert found
    assert {item.hop for item in found} == {2}
    expected = database_alone(lambda: around(mirrored, "n9", 2, "both"))
    assert [item.id for item in found] == [item.id for item in expected]


def test_the_mirror_that_a_command_left_behind_answers_in_another_process(
    graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kgneo_elsewhere("load", str(triples_path()))
    monkeypatch.setattr(candidates, "_in_graph", refuse)
    command = ["retrieve", "which countries does the [Rhine] cross?", "--json"]
    assert main([*command, "--top-k", "5"]) == 0
    assert len(json.loads(capsys.readouterr().out)["triples"]) == 5
    graph.write("MATCH (:Entity {name: 'Rhine'})-[r:flows_through]->() SET r.since = 1")
    with pytest.raises(AssertionError, match="the database was asked to choose"):
        main(command)
    kgneo_elsewhere("index")
    assert main([*command, "--top-k", "5"]) == 0


def test_a_server_answers_from_the_mirror_that_a_command_left_behind(
    graph: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.asking.latest.SHARE", 0.0)
    kgneo_elsewhere("load", str(triples_path()))
    with client(open_context(graph, encoder=encoder)) as talking:
        graph.write("MATCH (:Entity {name: 'Rhine'})-[r:flows_through]->() SET r.since = 1")
        kgneo_elsewhere("index")
        monkeypatch.setattr(candidates, "_in_graph", refuse)
        found = talking.post("/api/v1/retrieve", json={"question": "which countries does the [Rhine] cross?"})
        assert found.json()["triples"]
