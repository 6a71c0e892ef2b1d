"""The hand-made graphs and their questions agree: every gold path is walked here in plain Python."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kgneo.sample import questions_path, triples_path

GRAPHS = Path(__file__).parent / "graphs"
TRIPLE_FILES = {
    "sample": triples_path(),
    "music": GRAPHS / "music" / "triples.tsv",
    "science": GRAPHS / "science" / "triples.tsv",
    "people-paths": GRAPHS / "people-paths" / "triples.tsv",
    "codes": GRAPHS / "codes" / "relationships.tsv",
}
PROPERTY_GRAPHS = ("social", "orders")
SPECIAL_KINDS = {"count", "yes_no", "superlative", "comparison", "intersection"}

Question = Mapping[str, Any]
Node = tuple[str, str]  # label and display name; the label is empty in graphs of triples


@dataclass
class Graph:
    """Nodes with their properties and relationships as (start, type, end, properties)."""

    nodes: dict[Node, dict[str, Any]] = field(default_factory=dict)
    relationships: list[tuple[Node, str, Node, dict[str, Any]]] = field(default_factory=list)

    @property
    def types(self) -> set[str]:
        return {relationship[1] for relationship in self.relationships}

    def ways(self) -> dict[tuple[Node, str], list[tuple[Node, int]]]:
        found = defaultdict(list)
        for index, (start, name, end, _) in enumerate(self.relationships):
            found[start, name].append((end, index))
            found[end, "^" + name].append((start, index))
        return found


def answer_texts(value: Any) -> list[str]:
    """A property value as answers: lists element by element, numbers without trailing .0."""
    if isinstance(value, list):
        return [text for element in value for text in answer_texts(element)]
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, float) and value.is_integer():
        return [str(int(value))]
    return [str(value)]


def split_path(path: str, types: set[str]) -> list[str]:
    """Steps of a path; relation names may hold slashes, so the longest known name is taken."""
    steps: list[str] = []
    while path:
        known = [n for n in types if re.match(re.escape(n) + r"(@\w+)?(/|$)", path.removeprefix("^"))]
        match = re.match(r"\^?" + re.escape(max(known, key=len, default="")) + r"[^/]*", path)
        assert match, path
        steps.append(match[0])
        path = path[match.end() + 1 :]
    return steps


def walk(graph: Graph, start: Node, path: str, end: Node | None = None) -> set[str]:
    """Names or values that `path` reaches from `start`, no relationship walked twice."""
    ways, types = graph.ways(), graph.types
    reached: set[tuple[Node, tuple[int, ...]]] = {(start, ())}
    for step in split_path(path, types):
        relation, _, key = step.partition("@")
        if relation.removeprefix("^") not in types:
            return {t for node, _ in reached for t in answer_texts(graph.nodes[node].get(relation, []))}
        reached = {
            (node, (*used, index))
            for before, used in reached
            for node, index in ways.get((before, relation), [])
            if index not in used
        }
        if key:
            chosen = {used[-1] for node, used in reached if end is None or node == end}
            return {t for i in chosen for t in answer_texts(graph.relationships[i][3].get(key, []))}
    return {node[1] for node, _ in reached}


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t"))


@cache
def triple_graph(name: str) -> Graph:
    graph = Graph()
    for row in read_rows(TRIPLE_FILES[name]):
        start, end = ("", row["subject"]), ("", row["object"])
        graph.nodes |= {start: {}, end: {}}
        graph.relationships.append((start, row["relation"], end, {}))
    return graph


def read_properties(text: str) -> dict[str, Any]:
    pattern = r'(\w+): (date\("[^"]*"\)|\[[^\]]*\]|"(?:[^"\\]|\\.)*"|[^,]+)(?:, |$)'
    found = re.findall(pattern, text)
    assert ", ".join(f"{key}: {value}" for key, value in found) == text
    return {key: json.loads(re.sub(r"^date\((.*)\)$", r"\1", value)) for key, value in found}


@cache
def property_graph(name: str) -> Graph:
    graph = Graph()
    keys: dict[str, str] = {}
    for line in (GRAPHS / name / "graph.cypher").read_text(encoding="utf-8").splitlines():
        if match := re.fullmatch(r"CREATE \(:(\w+) \{(.*)\}\);", line):
            properties = read_properties(match[2])
            key = keys.setdefault(match[1], next(iter(properties)))
            assert (match[1], properties[key]) not in graph.nodes, line
            graph.nodes[match[1], properties[key]] = properties
            continue
        node = r'\({}:(\w+) \{{(\w+): "([^"]*)"\}}\)'
        pattern = f"MATCH {node.format('a')}, {node.format('b')} "
        pattern += r"CREATE \(a\)-\[:(\w+)(?: \{(.*)\})?\]->\(b\);"
        match = re.fullmatch(pattern, line)
        assert match, line
        start, end = (match[1], match[3]), (match[4], match[6])
        assert (keys[start[0]], keys[end[0]]) == (match[2], match[5])
        assert {start, end} <= set(graph.nodes), line
        graph.relationships.append((start, match[7], end, read_properties(match[8] or "")))
    return graph


def read_questions(path: Path) -> list[Question]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def question_files() -> list[tuple[str, Path]]:
    files = [(path.parent.name, path) for path in sorted(GRAPHS.glob("*/questions*.jsonl"))]
    return [("sample", questions_path()), *files]


def questions(*, special: bool) -> list[Any]:
    return [
        pytest.param(name, question, id=f"{name}-{path.stem}-{number}")
        for name, path in question_files()
        if path.stem.endswith("-special") == special
        for number, question in enumerate(read_questions(path), 1)
    ]


def graph_of(name: str) -> Graph:
    return property_graph(name) if name in PROPERTY_GRAPHS else triple_graph(name)


def topic_nodes(question: Question) -> list[Node]:
    labels = question.get("labels", [""] * len(question["entities"]))
    return list(zip(labels, question["entities"], strict=True))


def expected_special(graph: Graph, question: Question) -> set[str]:
    first, *others = topic_nodes(question)
    if question["kind"] == "intersection":
        reached = [walk(graph, n, p) for n, p in zip([first, *others], question["paths"], strict=True)]
        return set.intersection(*reached)
    names = walk(graph, first, question["path"])
    if question["kind"] == "count":
        return {str(len(names))}
    if question["kind"] == "yes_no":
        return {"yes" if others[0][1] in names else "no"}
    pairs = [(name, value) for name in names for value in walk(graph, ("", name), question["value_path"])]
    return compared(pairs, question)


def compared(pairs: list[tuple[str, str]], question: Question) -> set[str]:
    """Names whose value (a year or an ISO date) is the least or greatest, or whose year passes the test."""
    if question["kind"] == "superlative":
        best = {"min": min, "max": max}[question["pick"]](value for _, value in pairs)
        return {name for name, value in pairs if value == best}
    low, high = int(question["bounds"][0]), int(question["bounds"][-1])
    tests = {
        "before": lambda value: value < low,
        "after": lambda value: value > low,
        "between": lambda value: low <= value <= high,
    }
    return {name for name, value in pairs if tests[question["test"]](int(value[:4]))}


@pytest.mark.parametrize(("name", "question"), questions(special=False))
def test_the_answers_are_what_the_gold_path_reaches(name: str, question: Question) -> None:
    start, *others = topic_nodes(question)
    reached = walk(graph_of(name), start, question["path"], others[0] if others else None)
    assert question["answers"] == sorted(reached)
    assert reached
    assert len(split_path(question["path"], graph_of(name).types)) == question["hops"]


@pytest.mark.parametrize(("name", "question"), questions(special=True))
def test_the_answers_of_special_questions_follow_from_the_graph(name: str, question: Question) -> None:
    assert question["kind"] in SPECIAL_KINDS
    assert question["answers"] == sorted(expected_special(graph_of(name), question))
    assert question["answers"]


@pytest.mark.parametrize(("name", "path"), question_files(), ids=lambda value: Path(value).stem)
def test_every_topic_entity_is_in_the_graph(name: str, path: Path) -> None:
    nodes = graph_of(name).nodes
    missing = {node for question in read_questions(path) for node in topic_nodes(question)} - set(nodes)
    assert not missing


@pytest.mark.parametrize(("name", "path"), question_files(), ids=lambda value: Path(value).stem)
def test_brackets_hold_topic_entities_and_unbracketed_questions_have_none(name: str, path: Path) -> None:
    for question in read_questions(path):
        bracketed = re.findall(r"\[([^\]]+)\]", question["question"])
        expected = [] if path.stem.endswith("-unbracketed") else question["entities"]
        assert set(bracketed) == set(expected), (name, question["question"])


@pytest.mark.parametrize(("name", "path"), question_files(), ids=lambda value: Path(value).stem)
def test_no_question_is_asked_twice(name: str, path: Path) -> None:
    counts = Counter(question["question"] for question in read_questions(path))
    assert max(counts.values()) == 1, name


@pytest.mark.parametrize("name", TRIPLE_FILES)
def test_no_triple_stands_twice_and_no_field_is_empty(name: str) -> None:
    rows = read_rows(TRIPLE_FILES[name])
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    assert all(value and value == value.strip() for row in rows for value in row.values())


@pytest.mark.parametrize("name", PROPERTY_GRAPHS)
def test_property_graphs_have_no_entity_label_and_no_name_property(name: str) -> None:
    for (label, _), properties in property_graph(name).nodes.items():
        assert label != "Entity"
        assert "name" not in properties


@pytest.mark.parametrize("name", PROPERTY_GRAPHS)
def test_property_graph_questions_ask_for_entities_values_and_relationship_properties(name: str) -> None:
    kinds = Counter(question["kind"] for question in read_questions(GRAPHS / name / "questions.jsonl"))
    assert set(kinds) == {"entity", "value", "relationship-property"}
    assert sum(kinds.values()) >= 30
