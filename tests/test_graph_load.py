"""Loading into a real Neo4j, on every version."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgneo.graph import Graph
from kgneo.graph import load as load_module
from kgneo.graph.cypher import literal
from kgneo.graph.load import load
from kgneo.loader import LoadedTriple
from kgneo.model import Triple
from tests.conftest import load_file

NAMES = [
    "with \"double\" and 'single' quotes",
    "back`quotes``",
    "new\nline and\r\nmore",
    "emoji 🐘👩‍👩‍👧",
    "  leading and trailing  ",
    "back\\slash \\u0041 \\\\u0041",
    "x" * 10_000,
    "🐘" * 10_000,
    "$parameter {curly} /*comment*/ //",
]
RELATIONS = [name for name in NAMES if len(name) < 10_000] + ["r" * 10_000]
ALL = "MATCH (s)-[r]->(o) RETURN s.name AS subject, type(r) AS relation, o.name AS object"


def loaded(*triples: tuple[str, str, str]) -> list[LoadedTriple]:
    return [LoadedTriple(Triple(*triple)) for triple in triples]


def stored(graph: Graph) -> set[tuple[str, str, str]]:
    return {(row["subject"], row["relation"], row["object"]) for row in graph.read(ALL)}


def test_any_name_survives_the_way_into_the_graph_and_back(graph: Graph) -> None:
    triples = {(name, "is", NAMES[0]) for name in NAMES}
    load(graph, loaded(*sorted(triples)), name="names")
    assert stored(graph) == triples


def test_any_relation_survives_the_way_into_the_graph_and_back(graph: Graph) -> None:
    triples = {("a", relation, "b") for relation in RELATIONS}
    load(graph, loaded(*sorted(triples)), name="relations")
    assert stored(graph) == triples


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60))
def test_any_text_is_quoted_right_as_a_type_and_as_a_literal(graph: Graph, name: str) -> None:
    load(graph, loaded(("subject", name, "object")), name="types")
    assert name in {row["relation"] for row in graph.read(ALL)}
    assert graph.read(f"RETURN {literal(name)} AS text") == [{"text": name}]


def test_loading_twice_changes_nothing(graph: Graph) -> None:
    triples = loaded(("a", "r", "b"), ("a", "r", "c"), ("b", "q", "a"))
    load(graph, triples, name="once")
    report = load(graph, triples, name="once")
    assert (report.entities, report.relationships) == (0, 0)
    assert len(stored(graph)) == 3


def test_a_triple_that_is_there_twice_is_loaded_once(graph: Graph) -> None:
    load(graph, loaded(("a", "r", "b"), ("a", "r", "b")), name="repeated")
    assert graph.read("MATCH ()-[r]->() RETURN count(r) AS n") == [{"n": 1}]


def test_labels_that_the_data_implies_are_set_and_added_to(graph: Graph) -> None:
    first = LoadedTriple(Triple("Nile", "flows_into", "Sea"), ("River",), ("Water",))
    second = LoadedTriple(Triple("Nile", "named_in", "Song"), ("Theme",), ())
    load(graph, [first], name="one")
    load(graph, [second], name="two")
    rows = graph.read("MATCH (n:Entity {name: 'Nile'}) RETURN labels(n) AS labels")
    assert set(rows[0]["labels"]) == {"Entity", "River", "Theme"}


class Interrupted(Exception):
    """What stands for Ctrl-C in a loading."""


def test_an_interrupted_load_goes_on_with_the_result_of_an_uninterrupted_one(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "BATCH_TRIPLES", 10)
    triples = loaded(*[(f"s{number}", "r", f"o{number % 7}") for number in range(95)])

    def broken() -> Iterator[LoadedTriple]:
        yield from triples[:57]
        raise Interrupted

    with pytest.raises(Interrupted):
        load(graph, broken(), name="file")
    assert len(stored(graph)) == 50
    report = load(graph, triples, name="file")
    assert report.resumed == 50
    assert len(stored(graph)) == 95
    assert graph.read("MATCH (n:KgneoLoad) RETURN count(n) AS n") == [{"n": 0}]


def test_names_are_indexed_unless_one_is_too_long(graph: Graph) -> None:
    names = "SHOW INDEXES YIELD name WHERE name = 'kgneo_entity_name' RETURN count(*) AS n"
    load(graph, loaded(("short", "r", "also short")), name="short")
    assert graph.schema(names) == [{"n": 1}]
    load(graph, loaded(("x" * 9_000, "r", "short")), name="long")
    assert graph.schema(names) == [{"n": 0}]


def test_metaqa_loads_whole(metaqa_graph: Graph) -> None:
    assert metaqa_graph.read("MATCH (n:Entity) RETURN count(n) AS n") == [{"n": 43_234}]
    assert metaqa_graph.read("MATCH ()-[r]->() RETURN count(r) AS n") == [{"n": 133_582}]


def test_the_hand_made_graphs_load(graph: Graph) -> None:
    folder = Path(__file__).parent / "graphs"
    load_file(graph, folder / "music" / "triples.tsv")
    load_file(graph, folder / "people-paths" / "triples.tsv")
    lines = sum(
        len(set((folder / name / "triples.tsv").read_text(encoding="utf-8").splitlines()[1:]))
        for name in ("music", "people-paths")
    )
    assert len(stored(graph)) == lines
