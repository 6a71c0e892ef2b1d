"""Commands that are killed at any moment: run again, they end where a run that nobody disturbed ends."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from kgneo.graph import Graph
from tests.conftest import on_one_version, wipe
from tests.faults import ALL, SEED

TIMES = 10 if ALL else 1
"""Kills of each command."""
PEOPLE = 900
SETTLED = 15.0
"""Seconds within which Neo4j ends what a killed command left running, and has indexes online."""
OF_THE_RUN = ("at", "change", "written", "seal", "statistics")
"""Properties that tell of a run: when it was, and figures for the ranking, which are read within a time."""
OF_AN_ANSWER = ("timings_ms", "seconds", "ms")
"""The same of the record of an answer."""
DUMP = """
MATCH (n)
RETURN labels(n) AS labels, properties(n) AS own,
       COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), properties(m).name] } AS leaving
"""


def kgneo(arguments: Sequence[str], folder: Path | None = None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "kgneo", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder
    )


def done(arguments: Sequence[str], folder: Path | None = None) -> float:
    """Seconds that a command took, which did what it should, in a folder."""
    started = time.monotonic()
    process = kgneo(arguments, folder)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told.decode()
    return time.monotonic() - started


def killed(arguments: Sequence[str], after: float, folder: Path | None = None) -> bool:
    """Whether a command was killed so many seconds after it began, and not at its end already."""
    process = kgneo(arguments, folder)
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
    return False


@dataclass(frozen=True)
class Dump:
    """What a graph holds, whatever order it is stored in: a line for each node with its relationships and for each
    index, and the embeddings by what they are of. Embeddings are the same where they differ by rounding alone: an
    encoder rounds otherwise where a text stands in a batch with others."""

    lines: tuple[str, ...] = field(repr=False)
    vectors: dict[str, tuple[float, ...]] = field(repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dump) or self.lines != other.lines:
            return False
        keys = sorted(self.vectors)
        if keys != sorted(other.vectors) or not keys:
            return keys == sorted(other.vectors)
        one, two = ([found[key] for key in keys] for found in (self.vectors, other.vectors))
        return np.allclose(one, two, rtol=0, atol=1e-6)


def dump(graph: Graph) -> Dump:
    """What a graph holds."""
    vectors: dict[str, tuple[float, ...]] = {}

    def plain(of: object, properties: dict[str, object]) -> dict[str, object]:
        kept = {key: value for key, value in properties.items() if key not in OF_THE_RUN}
        for key in [key for key in kept if key.startswith("kgneo_embedding")]:
            vectors[f"{of} {key}"] = tuple(kept.pop(key))  # type: ignore[arg-type]
        return kept

    rows = []
    for row in graph.read(DUMP, timeout=120.0):
        name = row["own"].get("name") or row["own"].get("text")
        leaving = [[kind, plain((name, kind, end), own), end] for kind, own, end in row["leaving"]]
        parts = [sorted(row["labels"]), plain(name, row["own"]), sorted(map(_text, leaving))]
        rows.append(json.dumps(parts, sort_keys=True, default=str))
    indexes = graph.read("SHOW INDEXES YIELD name, type, state RETURN name, type, state ORDER BY name")
    return Dump((*sorted(rows), *map(str, indexes)), vectors)


def settled(graph: Graph, right: Dump) -> Dump:
    """What a graph holds once it holds what is right, or after a while."""
    until = time.monotonic() + SETTLED
    while (found := dump(graph)) != right and time.monotonic() < until:
        time.sleep(1.0)
    return found


def difference(one: Dump, other: Dump) -> str:
    """The first lines that one has and the other has not, and the other way round."""
    left, right = sorted({*one.lines} - {*other.lines}), sorted({*other.lines} - {*one.lines})
    return f"{left[:2]} instead of {right[:2]}"[:6000]


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def moments(number: int, seconds: float) -> list[float]:
    """When a command that takes so long is killed: from when it has been imported to its end."""
    chosen = random.Random(SEED)  # noqa: S311
    return [chosen.uniform(0.3, max(0.35, seconds)) for _ in range(number)]


def again_and_again(graph: Graph, before: Sequence[Sequence[str]], command: Sequence[str]) -> None:
    """Kill `command` at several moments on a graph that `before` made; run again, all is as after one whole run."""

    def prepared() -> None:
        wipe(graph)
        for step in before:
            done(step)

    prepared()
    seconds = done(command)
    right = dump(graph)
    for moment in moments(TIMES, seconds):
        prepared()
        there = killed(command, moment)
        done(command)
        found = settled(graph, right)
        told = f"killed after {moment:.2f} of {seconds:.2f} s (seed {SEED}): {there}"
        assert found == right, f"{told}: {difference(found, right)}"


def of_files(folder: Path, command: Sequence[str], read: Callable[[Path], object]) -> None:
    """Kill a command that writes into the folder in which it runs; run again, `read` finds what it finds after one
    whole run. The graph is only read."""
    whole = folder / "whole"
    whole.mkdir()
    done(command, whole)  # which makes what is kept of the graph, so that the next one is as quick as those killed
    shutil.rmtree(whole)
    whole.mkdir()
    seconds = done(command, whole)
    right = read(whole)
    assert right
    for number, moment in enumerate(moments(TIMES, seconds)):
        place = folder / str(number)
        place.mkdir()
        there = killed(command, moment, place)
        done(command, place)
        assert read(place) == right, f"killed after {moment:.2f} of {seconds:.2f} s (seed {SEED}): {there}"


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def results(folder: Path) -> list[str]:
    """What an evaluation found of each question, without what tells of the run."""
    return sorted(
        _text({key: value for key, value in json.loads(line).items() if key not in OF_AN_ANSWER})
        for file in (folder / "out" / "records").glob("*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()
    )


@pytest.fixture
def triples(tmp_path: Path) -> Path:
    file = tmp_path / "people.tsv"
    lines = [
        f"person {n}\tknows\tperson {(n * 7) % PEOPLE}\nperson {n}\tlives_in\ttown {n % 40}" for n in range(PEOPLE)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.fixture
def property_graph(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    people = [f"{n},Person {n},{20 + n % 60},Person" for n in range(PEOPLE)]
    (folder / "people.csv").write_text("\n".join(["id:ID,name,age:int,:LABEL", *people]), encoding="utf-8")
    knows = [f"{n},{(n * 7) % PEOPLE},{2000 + n % 20},KNOWS" for n in range(PEOPLE)]
    (folder / "knows.csv").write_text("\n".join([":START_ID,:END_ID,since:int,:TYPE", *knows]), encoding="utf-8")
    return folder


@on_one_version
def test_a_load_of_triples_that_was_killed_goes_on(graph: Graph, triples: Path) -> None:
    again_and_again(graph, [], ["load", str(triples)])


@on_one_version
def test_a_load_of_a_property_graph_that_was_killed_goes_on(graph: Graph, property_graph: Path) -> None:
    again_and_again(graph, [], ["load", str(property_graph)])


@on_one_version
def test_an_index_that_was_killed_is_finished(graph: Graph, triples: Path) -> None:
    again_and_again(graph, [["load", "--no-index", str(triples)]], ["index"])


@on_one_version
def test_an_index_that_was_killed_while_it_was_removed_is_removed(graph: Graph, triples: Path) -> None:
    again_and_again(graph, [["load", str(triples)]], ["index", "--remove"])


@on_one_version
def test_learning_query_graphs_that_was_killed_is_finished(graph: Graph, property_graph: Path, tmp_path: Path) -> None:
    asked = asked_in(tmp_path, "Whom does Person {} know?", "Person {}")
    again_and_again(graph, [["load", str(property_graph)]], ["learn", str(asked)])


@on_one_version
def test_learning_relation_paths_that_was_killed_is_finished(graph: Graph, triples: Path, tmp_path: Path) -> None:
    asked = asked_in(tmp_path, "whom does [person {}] know?", "person {}")
    again_and_again(graph, [["load", str(triples)]], ["learn", str(asked)])


@on_one_version
def test_an_evaluation_that_was_killed_goes_on(graph: Graph, property_graph: Path, tmp_path: Path) -> None:
    wipe(graph)
    done(["load", str(property_graph)])
    asked = asked_in(tmp_path, "Whom does Person {} know?", "Person {}")
    of_files(tmp_path, ["eval", "jsonl", str(asked), "--out", "out", "--no-figures"], results)


@on_one_version
@pytest.mark.parametrize(
    "command",
    [
        ["terms", "draft"],
        ["terms", "add", "friend", "--for", "KNOWS"],
        ["tune", "data", "--questions", "15", "--out", "o"],
    ],
    ids=["terms draft", "terms add", "tune data"],
)
def test_what_a_killed_command_wrote_is_written_anew(
    graph: Graph, property_graph: Path, tmp_path: Path, command: list[str]
) -> None:
    wipe(graph)
    done(["load", str(property_graph)])
    of_files(tmp_path, command, contents)


def asked_in(folder: Path, question: str, answer: str) -> Path:
    """A file of questions about whom people know, with their answers."""
    rows = [
        {"question": question.format(n), "answers": [answer.format((n * 7) % PEOPLE)]} for n in range(0, PEOPLE, 15)
    ]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


@on_one_version
@pytest.mark.parametrize("command", ["load", "index"])
def test_two_of_one_command_at_once_end_as_one_does(graph: Graph, triples: Path, command: str) -> None:
    before = ["load", "--no-index", str(triples)]
    arguments = before if command == "load" else ["index"]
    for step in [before, arguments]:
        done(step)
    right = dump(graph)
    wipe(graph)
    if command == "index":
        done(before)
    both = [kgneo(arguments), kgneo(arguments)]
    told = [process.communicate(timeout=300)[1].decode() for process in both]
    assert all(process.returncode in (0, 1) for process in both), told
    assert not any("Traceback" in text for text in told), told
    done(arguments)
    assert dump(graph) == right, told
