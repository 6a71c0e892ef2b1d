"""What is known of a graph is one object: made once, never changed, and nothing is set on the connection."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pytest

from kgneo.context import Context, Options
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.open import open_knowledge
from kgneo.stages.retrieve import retrieve


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder with nothing in it."""
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_opening_a_graph_sets_nothing_on_its_connection(graph: Graph, cache: Path) -> None:
    assert cache
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
