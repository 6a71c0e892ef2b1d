"""Commands that are killed at any moment: run again, they end where a run that nobody disturbed ends."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
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
DUMP = """
MATCH (n)
RETURN labels(n) AS labels, properties(n) AS own,
       COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), properties(m).name] } AS leaving
"""


def kgneo(arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "kgneo", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def done(arguments: Sequence[str]) -> float:
    """Seconds that a command took, which did what it should."""
    started = time.monotonic()
    process = kgneo(arguments)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told.decode()
    return time.monotonic() - started


def killed(arguments: Sequence[str], after: float) -> bool:
    """Whether a command was killed so many seconds after it began, and not at its end already."""
    process = kgneo(arguments)
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
        name = row["own"].get("name")
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
