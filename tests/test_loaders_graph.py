"""Property graphs from files: which files make a graph, types of values, one clear message for what is of no use."""

from __future__ import annotations

import csv
import io
import json
import os
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j.spatial import CartesianPoint, WGS84Point
from neo4j.time import Date, DateTime, Duration, Time

from kgneo.errors import DataError, KgneoError, UsageError
from kgneo.loader import LoadedNode, LoadedRelationship, LoadOptions, NodeKey, check, open_source
from kgneo.property_graph import GraphCheck, GraphFiles, check_graph, open_graph_files, read_graph

PEOPLE = "id:ID,name,born:int,:LABEL\n1,Ada,1815,Person;Writer\n2,Charles,,Person\n"
KNOWS = ":START_ID,since:date,:END_ID,:TYPE\n1,1833-06-05,2,KNOWS\n"
JSON_NODE = {"type": "node", "id": "0", "labels": ["Person"], "properties": {"name": "Ada", "born": 1815}}
JSON_EDGE = {
    "id": "7",
    "type": "relationship",
    "label": "KNOWS",
    "properties": {"since": 1833},
    "start": {"id": "0", "labels": ["Person"]},
    "end": {"id": "0", "labels": ["Person"]},
}


def folder(path: Path, **files: str) -> Path:
    """A folder with files; "__" in a name stands for "-", and all end in .csv."""
    path.mkdir(exist_ok=True)
    for name, content in files.items():
        (path / f"{name.replace('__', '-')}.csv").write_text(content, encoding="utf-8")
    return path


def lines(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def opened(*paths: Path, **options: str) -> GraphFiles:
    found = open_graph_files([str(path) for path in paths], **options)
    assert isinstance(found, GraphFiles)
    return found


def items(*paths: Path, **options: Any) -> tuple[list[LoadedNode], list[LoadedRelationship]]:
    found = list(read_graph(opened(*paths), **options))
    nodes = [item for item in found if isinstance(item, LoadedNode)]
    return nodes, [item for item in found if isinstance(item, LoadedRelationship)]


def failure(*paths: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        check_graph(opened(*paths))
    return caught.value


# Files


def test_a_folder_of_csv_files_is_one_graph(tmp_path: Path) -> None:
    nodes, relationships = items(folder(tmp_path / "graph", people=PEOPLE, knows=KNOWS))
    assert [(node.key, node.labels, dict(node.properties)) for node in nodes] == [
        (NodeKey("1"), ("Person", "Writer"), {"id": "1", "name": "Ada", "born": 1815}),
        (NodeKey("2"), ("Person",), {"id": "2", "name": "Charles"}),
    ]
    assert [(item.start, item.relation, item.end, dict(item.properties)) for item in relationships] == [
        (NodeKey("1"), "KNOWS", NodeKey("2"), {"since": Date(1833, 6, 5)})
    ]


def test_a_zip_archive_gives_what_the_folder_gives(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE, knows=KNOWS)
    with zipfile.ZipFile(tmp_path / "graph.zip", "w") as archive:
        for file in path.iterdir():
            archive.write(file, f"inner/{file.name}")
    assert check_graph(opened(tmp_path / "graph.zip")) == check_graph(opened(path)) == GraphCheck(2, 1)


def test_files_given_one_by_one_are_one_graph_in_any_order(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE, knows=KNOWS)
    assert check_graph(opened(path / "knows.csv", path / "people.csv")) == GraphCheck(2, 1)


def test_a_header_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    header, rows = PEOPLE.split("\n", 1)
    first, second, _ = rows.split("\n")
    path = folder(tmp_path / "graph", people__header=header, people__part1=first, people__part2=second, knows=KNOWS)
    nodes, _ = items(path)
    assert [(node.properties["name"], node.line) for node in nodes] == [("Ada", 1), ("Charles", 1)]


def test_what_holds_no_graph_is_passed_over_and_told(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE)
    (path / "README.md").write_text("People.", encoding="utf-8")
    (path / ".hidden.csv").write_text("x", encoding="utf-8")
    (path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    found = opened(path)
    assert [Path(name).name for name in found.passed_over] == ["README.md"]
    assert check_graph(found) == GraphCheck(2, 0)


def test_a_csv_file_without_a_header_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"more\.csv:1: the file has no header"):
        opened(folder(tmp_path / "graph", people=PEOPLE, more="3,Mary,1797,Person\n"))


def test_a_folder_without_a_graph_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file of this folder"):
        opened(folder(tmp_path / "graph", triples="a,b,c\n"))


def test_an_archive_that_is_damaged_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "graph.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("people.csv", PEOPLE)
    path.write_bytes(path.read_bytes().replace(b"Charles", b"Charlie"))
    with pytest.raises(DataError, match="damaged"):
        check_graph(opened(path))


def test_triples_and_a_property_graph_together_are_refused(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE, triples="a,b,c\n")
    with pytest.raises(UsageError, match="holds triples"):
        opened(path / "people.csv", path / "triples.csv")


def test_triples_are_opened_as_triples(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", triples="a,b,c\n") / "triples.csv"
    found = open_graph_files([str(path)])
    assert not isinstance(found, GraphFiles)
    assert [source.name for source in found] == [str(path)]


def test_a_property_graph_read_as_triples_is_refused(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE) / "people.csv"
    with pytest.raises(DataError, match="property graph, expected triples"):
        check(open_source(path))


def test_the_bytes_name_the_graph_whatever_its_files_are_called(tmp_path: Path) -> None:
    one = folder(tmp_path / "one", a=PEOPLE, b=KNOWS)
    same = folder(tmp_path / "other", c=PEOPLE, d=KNOWS)
    changed = folder(tmp_path / "changed", c=PEOPLE, d=KNOWS + "\n")
    assert opened(one).digest() == opened(same).digest() != opened(changed).digest()


# Headers and values

VALUES = [
    ("int", "-7", -7),
    ("long", "9223372036854775807", 2**63 - 1),
    ("byte", "127", 127),
    ("short", "-32768", -32768),
    ("float", "1.5", 1.5),
    ("double", "1e3", 1000.0),
    ("boolean", "True", True),
    ("char", "x", "x"),
    ("string", " x ", " x "),
    ("date", "2015-07-30", Date(2015, 7, 30)),
    ("localtime", "21:40:32", Time(21, 40, 32)),
    ("localdatetime", "2015-07-30T21:40:32", DateTime(2015, 7, 30, 21, 40, 32)),
    ("duration", "P1DT2H", Duration(days=1, hours=2)),
    ("point", '"{latitude: 57.5, longitude: 12}"', WGS84Point((12.0, 57.5))),
    ("point", "\"{x: 1, y: 2, z: 3, crs: 'cartesian-3D'}\"", CartesianPoint((1.0, 2.0, 3.0))),
    ("point{crs:WGS-84}", '"{x: 12, y: 57.5}"', WGS84Point((12.0, 57.5))),
    ("int[]", "1;2", [1, 2]),
    ("string[]", "a;;b", ["a", "", "b"]),
    ("IGNORE", "x", None),
    ("int", "", None),
]


@pytest.mark.parametrize(("type_", "text", "value"), VALUES)
def test_a_field_becomes_a_value_of_its_type(tmp_path: Path, type_: str, text: str, value: object) -> None:
    path = folder(tmp_path / "graph", nodes=f":ID,key:{type_}\n1,{text}\n")
    (node,), _ = items(path)
    assert node.properties.get("key") == value
    assert type(node.properties.get("key")) is type(value)


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        ("time", "21:40:32+01:00", "21:40:32.000000000+01:00"),
        ("time", "21:40", "21:40:00.000000000+00:00"),
        ("datetime", "2015-07-30T21:40:32Z", "2015-07-30T21:40:32.000000000+00:00"),
        ("datetime{timezone:Europe/Stockholm}", "2015-07-30T21:40", "2015-07-30T21:40:00.000000000+02:00"),
        ("time{timezone:+02:00}", "21:40", "21:40:00.000000000+02:00"),
        ("datetime{timezone:+03:00}", "2015-07-30T21:40", "2015-07-30T21:40:00.000000000+03:00"),
        ("datetime", "2015-07-30T21:40[America/New_York]", "2015-07-30T21:40:00.000000000-04:00"),
        ("datetime", "2015-07-30T21:40+02:00[Europe/Paris]", "2015-07-30T21:40:00.000000000+02:00"),
    ],
)
def test_a_time_keeps_its_zone_or_gets_that_of_the_header(tmp_path: Path, type_: str, text: str, expected: str) -> None:
    (node,), _ = items(folder(tmp_path / "graph", nodes=f":ID,key:{type_}\n1,{text}\n"))
    assert node.properties["key"].iso_format() == expected


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        ("int", "1.5"), ("int", "2147483648"), ("byte", "128"), ("long", "1_000"), ("double", "one"),
        ("boolean", "yes"), ("char", "xy"), ("date", "30/07/2015"), ("localtime", "21:40+01:00"),
        ("datetime", "2015-07-30T21:40[Nowhere/Atall]"), ("duration", "a day"), ("point", "12"),
        ("point", '"{x: 1, latitude: 2}"'), ("int[]", "1;x"),
    ],
)  # fmt: skip
def test_a_field_that_is_no_value_of_its_type_is_a_bad_line(tmp_path: Path, type_: str, text: str) -> None:
    path = folder(tmp_path / "graph", nodes=f":ID,key:{type_}\n1,\n2,{text}\n")
    error = failure(path)
    assert (error.file, error.line) == (str(path / "nodes.csv"), 3)
    assert "the column 'key'" in error.message
    assert check_graph(opened(path), skip_bad_lines=True) == GraphCheck(1, 0, 1)


def test_id_spaces_keep_equal_ids_apart(tmp_path: Path) -> None:
    path = folder(
        tmp_path / "graph",
        actors="personId:ID(Actor),:LABEL\n1,Actor\n",
        films="filmId:ID(Film){id-type:int},:LABEL\n1,Film\n",
        roles=":START_ID(Actor),:END_ID(Film),:TYPE\n1,1,ACTED_IN\n",
    )
    nodes, (role,) = items(path)
    assert [(node.key, dict(node.properties)) for node in nodes] == [
        (NodeKey("1", "Actor"), {"personId": "1"}),
        (NodeKey("1", "Film"), {"filmId": 1}),
    ]
    assert (role.start, role.end) == (NodeKey("1", "Actor"), NodeKey("1", "Film"))


def test_an_id_without_a_name_is_no_property(tmp_path: Path) -> None:
    (node,), _ = items(folder(tmp_path / "graph", nodes=":ID,:LABEL\n1,A;B; A\n"))
    assert (dict(node.properties), node.labels) == ({}, ("A", "B"))


def test_the_separator_is_found_from_the_header_or_given(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", nodes=":ID\tname\t:LABEL\n1\tRome, city\tCity\n")
    assert items(path)[0][0].properties == {"name": "Rome, city"}
    other = folder(tmp_path / "other", nodes=":ID~name\n1~Rome\n")
    found = open_graph_files([str(other / "nodes.csv")], format="neo4j-csv")
    assert isinstance(found, GraphFiles)
    (node,) = read_graph(found, options=LoadOptions(separator="~"))
    assert isinstance(node, LoadedNode)
    assert node.properties == {"name": "Rome"}


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (":ID,key:text", "has the type 'text'"),
        (":START_ID,:END_ID", "no column :TYPE"),
        (":START_ID,:TYPE", "no column :END_ID"),
        (":ID,a,a", "two columns are called a"),
        (":ID,:ID", "two columns are called :ID"),
    ],
)
def test_a_header_that_cannot_be_used_is_an_error(tmp_path: Path, header: str, message: str) -> None:
    error = failure(folder(tmp_path / "graph", nodes=f"{header}\n"))
    assert (message in error.message, error.line) == (True, 1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("3,Mary,1797", "found 3 fields, expected 4"),
        ('3,"Mary,1797,Person', "broken quoting"),
        (",Mary,1797,Person", "the field of :ID is empty"),
        ("1,Mary,1797,Person", "the id '1' is that of another node, in"),
    ],
)
def test_a_row_of_nodes_that_cannot_be_used_is_named_or_left_out(tmp_path: Path, row: str, message: str) -> None:
    path = folder(tmp_path / "graph", people=f"{PEOPLE}{row}\n")
    error = failure(path)
    assert (message in error.message, error.line) == (True, 4)
    rejected = io.StringIO()
    assert len(list(read_graph(opened(path), skip_bad_lines=True, rejected=rejected))) == 2
    assert rejected.getvalue().startswith(f"{path / 'people.csv'}\t4\t")


def test_a_relationship_whose_end_is_missing_is_named_or_left_out(tmp_path: Path) -> None:
    path = folder(tmp_path / "graph", people=PEOPLE, knows=f"{KNOWS}1,,9,KNOWS\n")
    error = failure(path)
    assert "the end of the relationship is node '9', which is not among the nodes" in error.message
    assert error.line == 3
    assert check_graph(opened(path), skip_bad_lines=True) == GraphCheck(2, 1, 1)


def test_files_without_any_node_are_an_error(tmp_path: Path) -> None:
    assert "holds no nodes" in failure(folder(tmp_path / "graph", nodes=":ID,:LABEL\n")).message


def test_what_kgneo_wrote_into_an_exported_graph_is_left_out(tmp_path: Path) -> None:
    own = {"type": "node", "id": "1", "labels": ["KgneoIndex"], "properties": {}}
    theirs = {**JSON_NODE, "properties": {"name": "Ada", "kgneo_embedding": [0.5]}}
    (node,), _ = items(lines(tmp_path / "a.jsonl", own, theirs))
    assert node.properties == {"name": "Ada"}


# JSON lines


def test_json_lines_give_nodes_and_relationships_in_any_order(tmp_path: Path) -> None:
    (node,), (edge,) = items(lines(tmp_path / "a.json", JSON_EDGE, JSON_NODE))
    assert (node.key, node.labels, node.properties) == (NodeKey("0"), ("Person",), {"name": "Ada", "born": 1815})
    assert (edge.start, edge.relation, edge.end, edge.properties) == (
        NodeKey("0"), "KNOWS", NodeKey("0"), {"since": 1833},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        ([1, 2.5], [1.0, 2.5]),
        ({"crs": "wgs-84", "latitude": 57.5, "longitude": 12.0, "height": None}, WGS84Point((12.0, 57.5))),
    ],
)
def test_a_json_value_becomes_a_property(tmp_path: Path, value: object, expected: object) -> None:
    (node,), _ = items(lines(tmp_path / "a.json", {**JSON_NODE, "properties": {"key": value}}))
    assert node.properties.get("key") == expected


@pytest.mark.parametrize(
    "record",
    [
        {**JSON_NODE, "id": "1", "properties": {"key": {"a": 1}}},
        {**JSON_NODE, "id": "1", "properties": {"key": [1, "a"]}},
        {**JSON_NODE, "id": "1", "properties": {"key": [[1]]}},
        {**JSON_NODE, "id": "1", "properties": {"key": 2**63}},
        {**JSON_NODE, "id": "1", "properties": {"key": "a\0"}},
        {**JSON_NODE, "id": "1", "properties": {"": 1}},
        {**JSON_NODE, "id": "1", "labels": "Person"},
        {**JSON_NODE, "id": "1", "labels": [""]},
        {**JSON_NODE, "id": None},
        {**JSON_NODE, "type": "graph"},
        {**JSON_EDGE, "label": None},
        {**JSON_EDGE, "label": " "},
        {**JSON_EDGE, "end": {}},
        {**JSON_EDGE, "end": {"id": "1"}},
        [],
        JSON_NODE,
    ],
)
def test_a_json_line_that_cannot_be_used_is_named_or_left_out(tmp_path: Path, record: object) -> None:
    path = lines(tmp_path / "a.json", JSON_NODE, record, JSON_EDGE)
    assert failure(path).line == 2
    assert check_graph(opened(path), skip_bad_lines=True) == GraphCheck(1, 1, 1)


# Any text

TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)
KEYS = TEXTS.filter(lambda key: bool(key.strip()) and not key.lower().startswith("kgneo"))


@settings(deadline=None)
@given(values=st.lists(TEXTS, min_size=1, max_size=5))
def test_texts_in_csv_come_back_exactly(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([[":ID", "key"], *([str(number), value] for number, value in enumerate(values))])
    path = tmp_path_factory.mktemp("graph") / "nodes.csv"
    path.write_bytes(text.getvalue().encode())
    assert [node.properties["key"] for node in items(path)[0]] == values


@settings(deadline=None)
@given(properties=st.dictionaries(KEYS, TEXTS | st.integers(-(2**63), 2**63 - 1) | st.booleans(), max_size=4))
def test_properties_in_json_lines_come_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, properties: dict[str, Any]
) -> None:
    path = lines(tmp_path_factory.mktemp("graph") / "a.json", {**JSON_NODE, "properties": properties})
    assert items(path)[0][0].properties == properties


PIECES = [":ID", ":LABEL", ":START_ID", ":END_ID", ":TYPE", "a:int", "b:point", "1", "x", "{", "}", ",", '"', "\n", ";"]


@settings(deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_text_that_looks_like_a_header_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path = tmp_path_factory.mktemp("graph") / "a.csv"
    path.write_text(":ID," + "".join(pieces), encoding="utf-8")
    try:
        assert check_graph(opened(path)).nodes > 0
    except KgneoError as error:
        assert str(path.name) in error.message  # noqa: PT017


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_memory_does_not_grow_with_the_graph(tmp_path: Path, kind: str) -> None:
    peaks = []
    for count in (1_000, 6_000):
        path = tmp_path / f"{count}.{kind}"
        if kind == "csv":
            rows = "".join(f"{number},name {number},Thing\n" for number in range(count))
            path.write_text(f":ID,name,:LABEL\n{rows}", encoding="utf-8")
        else:
            lines(path, *({**JSON_NODE, "id": number} for number in range(count)))
        files = opened(path)
        check_graph(files)  # what imports and caches take is not the file's
        tracemalloc.start()
        check_graph(files)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.5


def test_an_archive_of_neo4j_s_data_importer_is_read_whole() -> None:
    place = os.environ.get("KGNEO_ZOGRASCOPE")
    if not place:
        pytest.skip("KGNEO_ZOGRASCOPE does not name the folder of the data set")
    assert check_graph(opened(Path(place) / "pole-data-importer.zip")) == GraphCheck(61_521, 105_840)
