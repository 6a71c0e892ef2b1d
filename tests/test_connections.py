"""What a relationship type joins, and which keys there are, on graphs larger than what is looked at first."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.asking.latest import latest
from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.catalogue import catalogue
from kgneo.graph.connections import COUNTED, Connection, Pair, estimate, kept
from kgneo.graph.dictionary import Dictionary
from kgneo.graph.open import known_shape, known_whole
from kgneo.graph.schema import Schema, read_schema, scan
from kgneo.graph.schema_text import prompt_text, table
from kgneo.graph.vocabulary import vocabulary
from kgneo.query.check import check
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.server import RunningServer
from tests.conftest import connect, on_one_version, set_address, wipe

MANY = COUNTED + 1_000
FILL = (
    *(f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{name}) ON (n.n)" for name in ("Person", "Town", "Club", "Firm")),
    "UNWIND range(1, 300) AS i CREATE (:Person {n: i, name: 'Person ' + i}), (:Town {n: i, name: 'Town ' + i})",
    # The first in storage order join people and towns; one joins a ship and a harbour, at the end.
    "UNWIND range(1, $many) AS i MATCH (a:Person {n: 1 + i % 300}), (b:Town {n: 1 + i % 299})"
    " CREATE (a)-[:SEEN_IN]->(b)",
    "CREATE (:Ship {name: 'Petrel'})-[:SEEN_IN]->(:Harbour {name: 'Lisle'})",
    # One label at one end, three at the other.
    "UNWIND range(1, $many) AS i MATCH (a:Person {n: 1 + i % 300}), (b:Town {n: 1 + i % 299})"
    " CREATE (a)-[:LIKES]->(b)",
    "MATCH (a:Person), (s:Ship) CREATE (a)-[:LIKES]->(s)",
    "MATCH (a:Person), (h:Harbour) WHERE a.name ENDS WITH '7' CREATE (a)-[:LIKES]->(h)",
    # Both ends shared by labels of many relationships, and two pairs that occur once.
    "UNWIND range(1, 300) AS i CREATE (:Club {n: i, name: 'Club ' + i}), (:Firm {n: i, name: 'Firm ' + i})",
    "UNWIND range(1, $many) AS i MATCH (a:Club {n: 1 + i % 300}), (b:Town {n: 1 + i % 299})"
    " CREATE (a)-[:PART_OF]->(b)",
    "UNWIND range(1, $many) AS i MATCH (a:Person {n: 1 + i % 300}), (b:Firm {n: 1 + i % 299})"
    " CREATE (a)-[:PART_OF]->(b)",
    "MATCH (a:Person {name: 'Person 7'}), (b:Town {name: 'Town 7'}) CREATE (a)-[:PART_OF]->(b)",
    # Later people have a badge, are officers besides, and one has a key of its own.
    "UNWIND range(1, 2000) AS i CREATE (:Person {name: 'Walker ' + i})",
    "UNWIND range(1, 50) AS i CREATE (:Person:Officer {name: 'Officer ' + i, badge: i})",
    "UNWIND range(1, 2000) AS i CREATE (:Person {name: 'Miller ' + i})",
    "MATCH (p:Person {name: 'Miller 700'}) SET p.nickname = 'Dusty'",
    "MATCH (o:Officer), (s:Ship) CREATE (o)-[:GUARDS]->(s)",
)  # fmt: skip


@pytest.fixture(scope="module")
def town_server(server: RunningServer) -> RunningServer:
    with connect(server) as graph:
        wipe(graph)
        for text in FILL:
            graph.write(text, many=MANY) if not text.startswith("CREATE INDEX") else graph.schema(text)
    return server


@pytest.fixture(autouse=True)
def _of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Graphs are looked at as large ones are."""
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 0)


@pytest.fixture
def town(
    town_server: RunningServer, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Graph]:
    """A graph in which types are shared by several labels, and a cache with nothing but the encoder. Not to be
    changed."""
    assert encoder.folder.is_dir()
    set_address(monkeypatch, town_server)
    (tmp_path / "encoders").symlink_to(cache_folder() / "encoders")
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    with connect(town_server) as graph:
        yield graph


def joined(schema: Schema, relation: str) -> dict[tuple[str, str], tuple[int, bool]]:
    """The pairs of a type with their numbers, and whether these are exact."""
    [found] = [item for item in schema.relations if item.name == relation]
    return {(":".join(item.subject), ":".join(item.object)): (item.times, item.exact) for item in found.connections}


def keys(schema: Schema, label: str) -> dict[str, float]:
    """The keys of a label, with their shares."""
    [found] = [item for item in schema.labels if item.name == label]
    return {item.key: item.share for item in found.properties}


def until(holds: Callable[[], bool], seconds: float = 30.0) -> bool:
    """Whether something holds before the time is over."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def test_a_pair_that_occurs_once_and_last_is_found(town: Graph) -> None:
    assert joined(read_schema(town), "SEEN_IN") == {("Person", "Town"): (MANY, True), ("Ship", "Harbour"): (1, True)}


def test_counters_give_each_pair_its_own_number_where_one_end_has_one_label(town: Graph) -> None:
    assert joined(read_schema(town), "LIKES") == {
        ("Person", "Town"): (MANY, True), ("Person", "Ship"): (300, True), ("Person", "Harbour"): (30, True),
    }  # fmt: skip


def test_numbers_that_counters_leave_open_are_about_and_add_up_to_them(town: Graph) -> None:
    found = joined(read_schema(town), "PART_OF")
    for pair in (("Club", "Town"), ("Person", "Firm")):
        about, exact = found[pair]
        assert about == pytest.approx(MANY, rel=0.01)
        assert not exact


def test_a_look_at_all_finds_a_pair_of_labels_that_both_have_many(town: Graph) -> None:
    assert joined(scan(town, read_schema(town)), "PART_OF") == {
        ("Club", "Town"): (MANY, True), ("Person", "Firm"): (MANY, True), ("Person", "Town"): (1, True),
    }  # fmt: skip


def test_of_a_graph_that_is_not_too_large_every_pair_is_counted(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 1_000_000)
    assert joined(read_schema(town), "PART_OF") == {
        ("Club", "Town"): (MANY, True), ("Person", "Firm"): (MANY, True), ("Person", "Town"): (1, True),
    }  # fmt: skip


def test_both_ways_of_looking_find_the_same_labels_types_and_keys(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = scan(town, read_schema(town))
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 1_000_000)
    whole = read_schema(town)
    assert [(item.name, item.nodes, keys(whole, item.name).keys()) for item in whole.labels] == [
        (item.name, item.nodes, keys(sampled, item.name).keys()) for item in sampled.labels
    ]
    assert [(item.name, item.relationships, item.back) for item in whole.relations] == [
        (item.name, item.relationships, item.back) for item in sampled.relations
    ]


def test_both_ways_of_reading_values_find_the_same(
    town: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    schema, shape = known_shape(town)
    entries = []
    for most in (0, 1_000_000):
        monkeypatch.setattr("kgneo.graph.dictionary.WHOLE_UP_TO", most)
        Dictionary.build(town, vocabulary(schema, shape), tmp_path / f"{most}.sqlite", shape)
        with closing(sqlite3.connect(tmp_path / f"{most}.sqlite")) as base:
            text = "SELECT folded, owner, key, edge, value, text, times FROM entries"
            entries.append(sorted(base.execute(text).fetchall()))
    assert entries[0] == entries[1]
    assert ("officer 7", "Officer", "name", 0, '"Officer 7"', "Officer 7", 1) in entries[0]


def test_a_rare_set_of_labels_has_its_keys_in_a_look_at_the_whole(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 1_000_000)
    assert 0 < keys(read_schema(town, sample=60), "Person")["badge"] < 0.1


def test_a_look_at_the_whole_leaves_nothing_to_find_out(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 1_000_000)
    schema = read_schema(town, sample=60)
    assert schema.whole
    assert [(item.name, item.properties) for item in scan(town, schema).labels] == [
        (item.name, item.properties) for item in schema.labels
    ]
    [person] = [label for label in schema.labels if label.name == "Person"]
    assert [item.examples for item in person.properties if item.key == "nickname"] == [("Dusty",)]


def test_every_label_that_a_counter_has_is_in_a_connection(town: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.connections.WALKED", 0)
    found = joined(read_schema(town), "SEEN_IN")
    assert {label for pair in found for label in pair} == {"Person", "Town", "Ship", "Harbour"}
    assert not any(exact for _, exact in found.values())


def test_a_key_that_the_first_thousand_nodes_lack_is_found(town: Graph) -> None:
    assert set(keys(read_schema(town), "Person")) >= {"name", "badge"}


def test_a_label_that_shares_nodes_with_another_has_the_keys_of_both(town: Graph) -> None:
    schema = read_schema(town, sample=60)
    assert 0 < keys(schema, "Person")["badge"] < 0.1
    assert joined(schema, "GUARDS") == {("Officer:Person", "Ship"): (50, True)}


def test_a_look_at_all_finds_a_key_of_one_node_with_its_values(town: Graph) -> None:
    schema = scan(town, read_schema(town))
    [person] = [label for label in schema.labels if label.name == "Person"]
    nickname = next(item for item in person.properties if item.key == "nickname")
    assert (nickname.type, nickname.examples) == ("STRING", ("Dusty",))
    assert nickname.share == pytest.approx(1 / 4_350, rel=0.01)


def test_what_a_look_at_all_found_is_known_to_the_next_process(town: Graph, town_server: RunningServer) -> None:
    whole = known_whole(town)
    assert whole.scanned
    with connect(town_server) as other:
        assert known_shape(other)[0] == whole


def test_a_schema_that_an_older_kgneo_kept_is_read_anew(town: Graph) -> None:
    cache = LocalCache(town)
    cache.schema()
    file = cache.folder / "schema.json"
    file.write_text(file.read_text(encoding="utf-8").replace('"version": 2', '"version": 1'), encoding="utf-8")
    assert joined(cache.schema(), "SEEN_IN")["Ship", "Harbour"] == (1, True)


@on_one_version
def test_a_question_over_a_rare_pair_is_answered_and_passes_the_check(town: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(town, encoder=encoder)
    meant = QueryGraph(
        (Variable("a", ("Ship",)), Variable("b", ("Harbour",))), Value("b", "name"), (Edge("a", ("SEEN_IN",), "b"),)
    )
    assert not check(meant, catalogue(context.knowledge.schema, context.shape))
    assert ask(context, "In which harbour was the ship Petrel seen?").answers == ("Lisle",)


@on_one_version
def test_an_open_context_looks_at_all_behind_its_first_question(
    town: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.asking.latest.SCAN_AFTER", 0.0)
    context = open_context(town, encoder=encoder)
    ask(context, "In which harbour was the ship Petrel seen?")
    assert not context.knowledge.schema.scanned
    assert until(lambda: latest(context).knowledge.schema.scanned)
    assert joined(latest(context).knowledge.schema, "PART_OF")["Person", "Town"] == (1, True)


def test_closing_the_graph_ends_the_look_at_all(town_server: RunningServer) -> None:
    started = threading.Event()
    ended: list[BaseException | None] = []

    def run() -> None:
        started.set()
        try:
            graph.read("UNWIND range(1, 1000000000) AS x WITH x ORDER BY rand() RETURN count(x)", timeout=600)
        except BaseException as error:
            ended.append(error)
            raise

    graph = connect(town_server)
    graph.behind(run, after=0.0, seconds=600.0)
    assert started.wait(10)
    time.sleep(0.5)
    graph.close()
    assert until(lambda: bool(ended), 10)
    with connect(town_server) as other:
        rows = other.read(
            "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS '1000000000' RETURN currentQuery"
        )
    assert not [row for row in rows if "SHOW TRANSACTIONS" not in row["currentQuery"]]


@on_one_version
def test_the_command_shows_each_pair_with_its_number(town: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--quick"]) == 0
    quick = capsys.readouterr().out
    assert "(:Ship)→(:Harbour)  1\n" in quick
    assert "(:Club)→(:Town)  about " in quick
    assert main(["schema"]) == 0
    assert f"(:Club)→(:Town)  {MANY:,}\n" in capsys.readouterr().out
    assert town is not None


def test_a_prompt_has_every_pair_with_its_own_number(town: Graph) -> None:
    schema, shape = known_shape(town)
    text = prompt_text(schema, shape, tokens=2_000)
    assert "(:Person)-[:LIKES]->(:Harbour)  30" in text
    assert "(:Person)-[:LIKES]->(:Ship)  300" in text
    assert "about" in table(schema, shape)


PAIRS = st.dictionaries(
    st.tuples(st.sampled_from("ABC"), st.sampled_from("XYZ")), st.integers(1, 1_000), min_size=1, max_size=9
)


@given(PAIRS, st.data())
def test_an_estimate_agrees_with_the_counters_and_lacks_no_label(
    there: dict[tuple[str, str], int], data: st.DataObject
) -> None:
    true: dict[Pair, int] = {((one,), (two,)): times for (one, two), times in there.items()}
    ends: list[dict[str, int]] = [{}, {}]
    for pair, times in true.items():
        for end in (0, 1):
            ends[end][pair[end][0]] = ends[end].get(pair[end][0], 0) + times
    met = {pair: 1 for pair in true if data.draw(st.booleans())}
    found = estimate(sum(true.values()), ends[0], ends[1], met)
    for end in (0, 1):
        assert {pair[end][0] for pair in found} == set(ends[end])
    if len(met) == len(true):
        for end in (0, 1):
            for label, times in ends[end].items():
                sums = sum(number for pair, number in found.items() if label in pair[end])
                assert sums == pytest.approx(times, rel=0.05, abs=4)


def test_of_very_many_connections_those_stay_that_join_what_no_other_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.connections.KEPT", 1)
    pairs: dict[Pair, int] = {(("A", "B"), ("X",)): 9, (("A",), ("X",)): 5, (("C",), ("X",)): 1}
    assert kept(pairs, exact=True) == (Connection(("A", "B"), ("X",), 9), Connection(("C",), ("X",), 1))


# These write to the server of the graph above: they come last.


def test_of_very_many_sets_of_keys_no_key_is_missed(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 1_000_000)
    graph.write("UNWIND range(1, 20) AS a UNWIND range(1, 20) AS b CREATE (n:Thing) SET n['k' + a] = 1, n['k' + b] = 2")
    schema = read_schema(graph, sample=10)
    assert len(keys(schema, "Thing")) == 20
    assert schema.labels[0].nodes == 400
    assert not schema.whole


def test_a_label_sharing_nodes_leaves_numbers_open_that_counters_alone_cannot_tell(graph: Graph) -> None:
    graph.write("UNWIND range(1, 100) AS i CREATE (:A:C {i: i}), (:B {i: i}), (:D {i: i})")
    graph.write(
        "UNWIND range(1, $n) AS i MATCH (a:A {i: 1 + i % 100}), (d:D {i: 1 + i % 99}) CREATE (a)-[:T]->(d)", n=MANY
    )
    graph.write(
        "UNWIND range(1, $n) AS i MATCH (a:B {i: 1 + i % 100}), (d:D {i: 1 + i % 99}) CREATE (a)-[:T]->(d)", n=MANY
    )
    assert {pair: about for pair, (about, _) in joined(read_schema(graph), "T").items()} == {
        ("A:C", "D"): pytest.approx(MANY, rel=0.01), ("B", "D"): pytest.approx(MANY, rel=0.01),
    }  # fmt: skip
    assert joined(scan(graph, read_schema(graph)), "T") == {("A:C", "D"): (MANY, True), ("B", "D"): (MANY, True)}


@on_one_version
def test_what_was_found_is_kept_when_the_graph_changes(
    graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    graph.write("UNWIND range(1, 3000) AS i CREATE (:Person {name: 'Person ' + i})")
    graph.write("MATCH (p:Person {name: 'Person 900'}) SET p.nickname = 'Dusty'")
    assert "nickname" in keys(known_whole(graph), "Person")
    graph.write("CREATE (:Person {name: 'Ida'})")
    schema = LocalCache(graph).schema()
    assert "nickname" in keys(schema, "Person")
    assert not schema.whole
