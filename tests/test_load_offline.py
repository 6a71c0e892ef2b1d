"""Loading into stores that are stopped, against the ordinary load, on every version."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from kgneo.cli.main import main
from kgneo.errors import GraphError
from kgneo.graph import Graph
from kgneo.graph.import_files import GraphWriter, unused_character
from kgneo.graph.load_graph import load_graph
from kgneo.graph.load_offline import load_graph_offline, write_triples
from kgneo.loader import LoadedNode, LoadedRelationship, LoadedTriple, NodeKey
from kgneo.model import Triple
from kgneo.server import RunningServer, start, stop
from kgneo.server.stores import Store
from kgneo.text import digest
from tests.conftest import connect, wipe
from tests.servers import given as given_server

ROWS = [
    ("Nile", "River", "flows_into", "Sea", "Water;Salty", ""),
    ("Nile", "Theme", "flows_into", "Sea", "", ""),
    ("Nile", "", "named \"in'", "a;b,c|d", "x:y", "named in"),
    ("Nile", "", "named \"in'", "a;b,c|d", "", "is named in"),
    ("  leading and trailing ", " Padded label", "r`1", "new\nline and\r\nmore", "", ""),
    ('back\\slash \\" \\n', "", "r`1", "emoji 🐘👩‍👩‍👧", "Ländername", ""),
    ("Ça", "", "R", "ÇA", "", ""),
    *(("x" * 9_000, "", "of", f"o{number}", "", "") for number in range(3)),
]
"""Subject, its labels, relation, object, its labels, what the relation means."""
HEADER = ("subject", "subject_label", "relation", "object", "object_label", "relation_label")


@dataclass(frozen=True)
class Loaded:
    """A store loaded offline, after a try that was killed, and what the ordinary load made of the same file."""

    store: Path
    file: Path
    ordinary: dict[str, object]
    held_data_after_the_kill: bool
    left: list[str]


@pytest.fixture(scope="module")
def loaded(server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    if given_server() is not None:
        pytest.skip("an offline load needs a server of kgneo's own")
    folder = tmp_path_factory.mktemp("offline")
    file, store = folder / "rows.csv", folder / "a store+"
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([HEADER, *ROWS])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("KGNEO_HEAP", "512m"), ("KGNEO_PAGE_CACHE", "64m"), ("NEO4J_URI", server.uri)):
            patch.setenv(name, value)
        patch.setenv("NEO4J_PASSWORD", server.password)
        patch.setenv("KGNEO_NEO4J_VERSION", server.version)
        with connect(server) as graph:
            wipe(graph)
            assert main(["load", str(file), "--no-index"]) == 0
            ordinary = contents(graph)
        patch.delenv("NEO4J_URI")
        kill_on_the_way(file, store)
        held = Store(store).has_data
        assert main(offline(file, store)) == 0
        left = [path.name for path in store.glob("draft-*")]
        yield Loaded(store, file, ordinary, held, left)
        stop(store)


def offline(file: Path, store: Path) -> list[str]:
    return ["load", str(file), "--offline", "--no-index", "--store", str(store)]


def kill_on_the_way(file: Path, store: Path) -> None:
    """Begin an offline load, and kill it while neo4j-admin works."""
    command = [sys.executable, "-m", "kgneo", *offline(file, store)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next((line for line in process.stderr if line.startswith("Importing")), None)
        process.send_signal(signal.SIGKILL)
    assert said is not None


def contents(graph: Graph) -> dict[str, object]:
    """All that a graph holds, whatever its element ids are."""
    nodes = graph.read("MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties")
    relationships = graph.read(
        "MATCH (s)-[r]->(o) RETURN properties(s) AS s, type(r) AS type, properties(r) AS r, properties(o) AS o"
    )
    indexes = graph.schema("SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, options")
    constraints = graph.schema("SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties")
    return {
        "nodes": sorted(repr((sorted(row["labels"]), sorted(row["properties"].items()))) for row in nodes),
        "relationships": sorted(
            repr([sorted(item.items()) if isinstance(item, dict) else item for item in row.values()])
            for row in relationships
        ),
        "indexes": sorted(map(repr, indexes)),
        "constraints": sorted(map(repr, constraints)),
    }


def test_an_offline_load_refuses_a_store_with_a_graph(loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(offline(loaded.file, loaded.store)) == 1
    assert "holds a graph already" in capsys.readouterr().err


def test_an_offline_load_makes_the_graph_that_the_ordinary_one_makes(loaded: Loaded) -> None:
    # And the refused load before it changed nothing.
    with connect(start(loaded.store)) as graph:
        found = contents(graph)
    for part in ("nodes", "relationships", "indexes", "constraints"):
        assert found[part] == loaded.ordinary[part]


def test_a_load_that_was_killed_leaves_an_empty_store_and_the_next_one_nothing_of_it(loaded: Loaded) -> None:
    assert not loaded.held_data_after_the_kill
    assert loaded.left == []


def test_an_offline_load_refuses_a_store_whose_server_runs(loaded: Loaded, capsys: pytest.CaptureFixture[str]) -> None:
    start(loaded.store)
    assert main(offline(loaded.file, loaded.store)) == 1
    assert f"kgneo server stop --store {loaded.store}" in capsys.readouterr().err.replace("\n", " ")


def test_an_offline_load_refuses_a_remote_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "some.tsv"
    file.write_text("a\tr\tb\n", encoding="utf-8")
    assert main([*offline(file, tmp_path / "store"), "--uri", "neo4j://localhost:1"]) == 2
    assert "local store" in capsys.readouterr().err


# Property graphs

NODES = [
    LoadedNode(NodeKey("1"), ("Person", "Chef; Cook"), {"name": 'Ada "A"\nB', "age": 36, "born": Date(1815, 12, 10)}),
    LoadedNode(NodeKey("1", "films"), ("Film",), {"name": "", "rating": 7.25, "colour": True, "data": b"\x00\x7f\xff"}),
    LoadedNode(NodeKey("2"), ("Person",), {"name": 5, "times": [Time(1, 2, 3, 4), Time(0, 0, 0, 0)], "x": -0.0}),
    LoadedNode(None, (), {"a key, odd": "x", "flags": [True, False], "numbers": [1, -2], "words": ["a;b", "", " c"]}),
    LoadedNode(
        None,
        ("Temporal",),
        {
            "local": DateTime(1999, 12, 31, 23, 59, 59, 999_999_999),
            "offset": Time.from_iso_format("05:06:07-03:00"),
            "length": Duration(months=14, days=-3, seconds=61, nanoseconds=500_000_000),
        },
    ),
    LoadedNode(
        None,
        ("Spatial",),
        {
            "here": WGS84Point((12.5, 57.75)),
            "there": CartesianPoint((1.0, -2.0, 3.5)),
            "both": [WGS84Point((0.0, 1.0))],
        },
    ),
    LoadedNode(None, ("Odd",), {"infinite": float("-inf"), "large": 2**62, "small": 1e-300}),
]
RELATIONSHIPS = [
    LoadedRelationship(NodeKey("1"), "ACTED in `x`", NodeKey("1", "films"), {"roles": ["one", "two"]}),
    LoadedRelationship(NodeKey("1"), "ACTED in `x`", NodeKey("1", "films"), {"roles": ["one", "two"]}),
    LoadedRelationship(NodeKey("2"), "KNOWS", NodeKey("1"), {}),
    LoadedRelationship(NodeKey("2"), "KNOWS", NodeKey("1"), {"since": 1900}),
]


def test_a_property_graph_is_loaded_offline_as_it_is_otherwise(
    graph: Graph, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if given_server() is not None:
        pytest.skip("an offline load needs a server of kgneo's own")
    for name, value in (("KGNEO_HEAP", "512m"), ("KGNEO_PAGE_CACHE", "64m"), ("KGNEO_NEO4J_VERSION", server.version)):
        monkeypatch.setenv(name, value)
    [zoned] = graph.read("RETURN datetime('2020-07-01T12:30:01.000000005[Europe/Paris]') AS at")
    items: list[LoadedNode | LoadedRelationship] = [LoadedNode(None, ("Zoned",), zoned), *NODES, *RELATIONSHIPS]
    report = load_graph(graph, items, name="parts", digest="abc")
    done: list[int] = []
    store = tmp_path / "store"
    assert load_graph_offline(store, items, name="parts", digest="abc", on_percent=done.append) == report
    assert done == sorted(done)
    assert done[-1] == 100
    try:
        with connect(start(store)) as found:
            for part, expected in contents(graph).items():
                assert contents(found)[part] == expected
    finally:
        stop(store)


UNREADABLE = [
    {"a:b": 1},
    {" padded": 1},
    {"a (b)": 1},
    {"words": ["a\x1fb"]},
    {"none": []},
    {"blank": [""]},
    {"data": b""},
]


@pytest.mark.parametrize("properties", UNREADABLE)
def test_what_neo4j_admin_cannot_read_is_refused(properties: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="neo4j-admin cannot read"):
        GraphWriter(tmp_path).write(LoadedNode(None, ("Thing",), properties))


# Files


NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
LABELS = st.lists(NAMES, max_size=2).map(tuple)
TRIPLES = st.builds(
    LoadedTriple,
    st.builds(Triple, st.sampled_from("ab") | NAMES, st.sampled_from("rq") | NAMES, st.sampled_from("ab") | NAMES),
    LABELS,
    LABELS,
    relation_label=st.just("") | NAMES,
)


@given(st.lists(TRIPLES, max_size=12))
def test_files_hold_every_entity_and_every_triple_once(triples: list[LoadedTriple]) -> None:
    with TemporaryDirectory() as folder:
        report, files = write_triples(Path(folder), triples)
        nodes, relationships = (rows(Path(folder) / name) for name in (*files.nodes, *files.relationships))
    labels: dict[str, set[str]] = {}
    meanings: dict[tuple[str, str, str], str] = {}
    for item in triples:
        triple = item.triple
        for name, given_labels in ((triple.subject, item.subject_labels), (triple.object, item.object_labels)):
            labels.setdefault(name, {"Entity"}).update(given_labels)
        key = (digest(triple.subject), triple.relation, digest(triple.object))
        meanings[key] = item.relation_label or meanings.get(key, "")
    assert sorted(row[2] for row in nodes) == sorted(labels)
    assert {row[2]: set(row[3].split(files.array_delimiter)) for row in nodes} == labels
    assert all(row[0] == digest(row[2]) for row in nodes)
    assert sorted(map(tuple, relationships)) == sorted((*key, meaning) for key, meaning in meanings.items())
    assert (report.triples, report.entities, report.relationships) == (len(triples), len(nodes), len(relationships))


def rows(path: Path) -> list[list[str]]:
    """The rows of a file below its header, as any reader of CSV sees them."""
    csv.field_size_limit(1 << 26)
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))[1:]


def test_labels_are_separated_by_what_is_in_none_of_them() -> None:
    assert unused_character(["Film"]) == ";"
    assert unused_character(["a;b", "".join(map(chr, range(1, 128)))]) == "\x80"
    assert os.linesep not in unused_character([])
