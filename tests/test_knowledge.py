"""What is known of a graph is one object: made once, never changed, and nothing is set on the connection."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from kgneo.asking.question import open_context
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.folders import alone
from kgneo.graph import Graph
from kgneo.graph import cache as local
from kgneo.graph.cache import LocalCache
from kgneo.graph.dictionary import Dictionary
from kgneo.graph.names import LocalNames
from kgneo.graph.open import open_knowledge
from kgneo.stages.interpret import reading
from kgneo.stages.retrieve import retrieve
from tests.conftest import on_one_version

SHIPS = (
    "UNWIND range(1, 60) AS number MERGE (company:Company {name: 'Line ' + number % 7}) "
    "CREATE (:Ship {name: 'Ship ' + number, length: number})-[:OWNED_BY]->(company)"
)


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder with nothing in it."""
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_opening_a_graph_sets_nothing_on_its_connection(graph: Graph, cache: Path) -> None:
    assert cache
    assert graph.login == "neo4j"  # asked for once, and kept
    graph.write("CREATE (:Person {name: 'Ann Lee', born: 1970})-[:LIVES_IN]->(:City {name: 'Oslo'})")
    before = dict(vars(graph))
    knowledge = open_knowledge(graph)
    assert vars(graph) == before
    assert (knowledge.embedded, knowledge.shape.loaded, knowledge.names.unique) == (False, False, False)
    assert {label.name for label in knowledge.schema.labels} == {"Person", "City"}
    with pytest.raises(FrozenInstanceError):
        knowledge.vectors = None  # type: ignore[misc]


def test_a_loaded_graph_has_a_schema_which_is_kept_on_this_machine(sample_graph: Graph, cache: Path) -> None:
    knowledge = open_knowledge(sample_graph)
    assert not list(cache.rglob("schema.json"))
    assert "has_capital" in {relation.name for relation in knowledge.schema.relations}
    assert list(cache.rglob("schema.json"))
    assert LocalCache(sample_graph).schema() == knowledge.schema
    assert (knowledge.embedded, knowledge.shape.loaded, knowledge.names.unique) == (True, True, True)


def test_retrieve_gives_what_the_options_ask_for(sample_context: Context) -> None:
    context = replace(sample_context, options=Options(hops=2, top_k=4, direction="out"))
    rhine = context.knowledge.names.by_name(["Rhine"])["Rhine"].entity
    found = retrieve("which countries does the Rhine cross?", [rhine.id], context)
    assert (found.reach.hops, found.reach.direction) == (2, "out")
    assert len(found.nearest) == 4
    assert {candidate.triple.subject for candidate in found.nearest if candidate.hop == 1} == {"Rhine"}


def test_retrieve_without_a_number_of_triples_encodes_nothing(sample_context: Context) -> None:
    context = replace(sample_context, encoder=None, options=Options(top_k=0))  # type: ignore[arg-type]
    assert retrieve("anything", ["x"], context).nearest == ()


@on_one_version
def test_of_many_first_questions_at_once_one_reads_the_graph_and_the_others_wait(
    graph: Graph, cache: Path, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.write(SHIPS)
    made: list[str] = []

    def counted(owner: object, name: str) -> None:
        make: Callable[..., object] = getattr(owner, name)

        def call(*arguments: object, **options: object) -> object:
            made.append(name)
            return make(*arguments, **options)

        monkeypatch.setattr(owner, name, call)

    counted(local, "read_schema")
    counted(LocalNames, "build")
    counted(Dictionary, "build")
    with ThreadPoolExecutor(16) as pool:
        known = list(pool.map(lambda _: reading(open_context(graph, encoder=encoder)), range(16)))
    assert sorted(made) == ["build", "build", "read_schema"]
    assert all(item and item.dictionary.lookup(["ship 1"]) for item in known)
    assert not [*cache.rglob(".*.sqlite.*"), *cache.rglob(".*.json.*")]


@on_one_version
def test_processes_that_ask_a_new_graph_at_once_all_answer(graph: Graph, cache: Path, encoder: OnnxEncoder) -> None:
    graph.write(SHIPS)
    (cache / "encoders").symlink_to(encoder.folder.parent)
    command = [sys.executable, "-m", "kgneo", "ask", "--quiet", "who owns [Ship 3]?"]
    asking = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    answers = [process.communicate() for process in asking]
    assert [answer for answer, _ in answers] == ["Line 3\n"] * 4, answers


def test_a_process_that_was_killed_while_it_made_a_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    file = tmp_path / "values.sqlite"
    program = (
        "import sys, time; from pathlib import Path; from kgneo.folders import alone, whole\n"
        "with alone(Path(sys.argv[1])), whole(Path(sys.argv[1])) as draft:\n"
        "    draft.touch(); print('begun', flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        assert len(list(tmp_path.glob(".values*"))) == 1
        process.kill()
    with alone(file):
        assert not list(tmp_path.glob(".values*"))
