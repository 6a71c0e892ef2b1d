"""Loading into a real Neo4j, on every version."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgneo.cli.main import main
from kgneo.errors import GraphError, KgneoError
from kgneo.graph import Graph
from kgneo.graph import load as load_module
from kgneo.graph import load_graph as load_graph_module
from kgneo.graph.attach import is_loaded
from kgneo.graph.cypher import literal
from kgneo.graph.load import load
from kgneo.graph.load_graph import GraphLoadReport, load_graph
from kgneo.graph.removal import remove
from kgneo.loader import LoadedNode, LoadedRelationship, LoadedTriple, NodeKey
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


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.lists(TEXTS, min_size=8, max_size=12))
def test_any_text_is_quoted_right_as_a_type_and_as_a_literal(graph: Graph, names: list[str]) -> None:
    load(graph, loaded(*(("subject", name, "object") for name in names)), name="types")
    assert set(names) <= {row["relation"] for row in graph.read(ALL)}
    assert graph.read(f"RETURN [{', '.join(map(literal, names))}] AS texts") == [{"texts": names}]


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


# Property graphs

OWN = "MATCH (n) WHERE any(key IN keys(n) WHERE key STARTS WITH 'kgneo') OR n:KgneoLoading RETURN count(n) AS n"


def people(count: int = 25) -> list[LoadedNode | LoadedRelationship]:
    nodes = [
        LoadedNode(NodeKey(str(number)), ("Person",), {"name": f"p{number}", "age": number}) for number in range(count)
    ]
    knows = [
        LoadedRelationship(NodeKey(str(number)), "KNOWS", NodeKey("0"), {"since": 1900 + number})
        for number in range(1, count)
    ]
    return [*nodes, *knows]


def held(graph: Graph) -> tuple[int, int]:
    nodes = graph.read("MATCH (n) WHERE NOT n:KgneoLoad RETURN count(n) AS n")[0]["n"]
    return nodes, graph.read("MATCH ()-[r]->() RETURN count(r) AS n")[0]["n"]


def test_a_property_graph_is_loaded_as_it_is_and_nothing_else(graph: Graph) -> None:
    items: list[LoadedNode | LoadedRelationship] = [
        LoadedNode(NodeKey("1"), ("A", "with `quotes`"), {"na`me": "x", "list": [1, 2]}),
        LoadedNode(NodeKey("1", "other"), (), {}),
        LoadedNode(None, ("A",), {"name": "nobody joins it"}),
        LoadedRelationship(NodeKey("1"), "T`", NodeKey("1", "other"), {"p": True}),
        LoadedRelationship(NodeKey("1"), "T`", NodeKey("1", "other"), {"p": True}),
    ]
    assert load_graph(graph, items, name="a.zip", digest="d") == GraphLoadReport(3, 2)
    rows = graph.read("MATCH (n) WHERE NOT n:KgneoLoad RETURN labels(n) AS labels, properties(n) AS properties")
    assert sorted(rows, key=str) == sorted(
        [
            {"labels": ["A", "with `quotes`"], "properties": {"na`me": "x", "list": [1, 2]}},
            {"labels": [], "properties": {}},
            {"labels": ["A"], "properties": {"name": "nobody joins it"}},
        ],
        key=str,
    )
    assert (
        graph.read("MATCH ()-[r]->() RETURN type(r) AS type, properties(r) AS properties")
        == [{"type": "T`", "properties": {"p": True}}] * 2
    )
    assert graph.read(OWN) == [{"n": 0}]
    assert graph.schema("SHOW CONSTRAINTS YIELD name RETURN name") == []


def test_loading_a_property_graph_twice_changes_nothing(graph: Graph) -> None:
    load_graph(graph, people(), name="a.zip", digest="d")
    report = load_graph(graph, people(), name="under another name.zip", digest="d")
    assert report == GraphLoadReport(25, 24, loaded_before=True)
    assert held(graph) == (25, 24)


def test_a_graph_that_was_emptied_is_loaded_anew(graph: Graph) -> None:
    load_graph(graph, people(), name="a.zip", digest="d")
    graph.write("MATCH (n:Person) DETACH DELETE n")
    assert not load_graph(graph, people(), name="a.zip", digest="d").loaded_before
    assert held(graph) == (25, 24)


@pytest.mark.parametrize("stop", [7, 32])
def test_an_interrupted_property_graph_goes_on_with_the_result_of_an_uninterrupted_one(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    monkeypatch.setattr(load_graph_module, "BATCH_ITEMS", 5)

    def broken() -> Iterator[LoadedNode | LoadedRelationship]:
        yield from people()[:stop]
        raise Interrupted

    with pytest.raises(Interrupted):
        load_graph(graph, broken(), name="a.zip", digest="d")
    remove(graph)  # takes away nothing that the load needs
    report = load_graph(graph, people(), name="a.zip", digest="d")
    assert report.resumed == stop // 5 * 5
    assert held(graph) == (25, 24)
    assert graph.read(OWN) == [{"n": 0}]


def test_an_interruption_while_the_traces_are_removed_is_made_good(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise Interrupted

    with monkeypatch.context() as patch:
        patch.setattr(load_graph_module, "finish_load", broken)
        with pytest.raises(Interrupted):
            load_graph(graph, people(), name="a.zip", digest="d")
    graph.write("MATCH (n:Person {age: 3}) REMOVE n:KgneoLoading SET n.kgneo_id = null")
    assert load_graph(graph, people(), name="a.zip", digest="d").resumed == 49
    assert (held(graph), graph.read(OWN)) == ((25, 24), [{"n": 0}])


def test_other_files_wait_until_an_interrupted_load_is_finished(graph: Graph) -> None:
    def broken() -> Iterator[LoadedNode | LoadedRelationship]:
        yield from people()
        raise Interrupted

    with pytest.raises(Interrupted):
        load_graph(graph, broken(), name="a.zip", digest="d")
    with pytest.raises(GraphError, match=r"Loading a\.zip into this graph was interrupted"):
        load_graph(graph, people(), name="b.zip", digest="e")


def test_a_changed_file_of_the_same_name_is_refused(graph: Graph) -> None:
    load_graph(graph, people(), name="a.zip", digest="d")
    with pytest.raises(GraphError, match="has changed since"):
        load_graph(graph, people(30), name="a.zip", digest="e")
    assert held(graph) == (25, 24)


def test_two_property_graphs_with_the_same_ids_stay_apart(graph: Graph) -> None:
    load_graph(graph, people(), name="a.zip", digest="d")
    load_graph(graph, people(), name="b.zip", digest="e")
    assert held(graph) == (50, 48)


def test_a_property_graph_is_not_mixed_with_triples(graph: Graph) -> None:
    load(graph, loaded(("a", "r", "b")), name="triples")
    with pytest.raises(GraphError, match="holds triples that kgneo loaded"):
        load_graph(graph, people(), name="a.zip", digest="d")
    graph.write("MATCH (n) DETACH DELETE n")
    load_graph(graph, people(), name="a.zip", digest="d")
    assert not is_loaded(graph)
    with pytest.raises(GraphError, match=r"holds a property graph \(nodes :Person\)"):
        load(graph, loaded(("a", "r", "b")), name="triples")


def test_a_folder_is_loaded_and_its_schema_shown(
    graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text("id:ID,name,born:int,:LABEL\n1,Ada,1815,Person\n2,Mary,1797,Person\n")
    (tmp_path / "knows.csv").write_text(":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n")
    assert main(["load", str(tmp_path)]) == 0
    assert "Next: kgneo schema" in capsys.readouterr().out
    assert main(["schema"]) == 0
    assert "2 nodes, 1 relationships" in capsys.readouterr().out
    assert main(["ask", "who does [Ada] know?", "--quiet"]) == 0
    assert capsys.readouterr().out.strip() == "Mary"
    assert graph.read(OWN) == [{"n": 0}]


def test_a_bad_row_of_a_property_graph_writes_nothing(
    graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text(":ID,born:int\n1,1815\n2,early\n")
    assert main(["load", str(tmp_path)]) == 1
    assert f"{tmp_path / 'people.csv'}:3: the column 'born': 'early' is no int" in capsys.readouterr().err
    assert held(graph) == (0, 0)
    rejected = tmp_path / "rejected.tsv"
    assert main(["load", str(tmp_path), "--skip-bad-lines", "--rejected", str(rejected)]) == 0
    assert held(graph) == (1, 0)
    assert rejected.read_text().startswith(f"{tmp_path / 'people.csv'}\t3\t")


def test_nothing_is_written_where_the_disk_of_the_store_has_no_room(graph: Graph, tmp_path: Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    graph.store = tmp_path
    try:
        with pytest.raises(KgneoError, match=r"^1 MB are free on the disk of .* and 67 MB are needed") as caught:
            load(graph, loaded(("a", "is", "b")), name="full")
    finally:
        graph.store = None
        subprocess.run(["umount", "--lazy", str(tmp_path)], check=True)
    assert "run the same command again" in caught.value.hint
    assert stored(graph) == set()
