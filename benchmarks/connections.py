"""Questions about ways between things and levels, without a language model: exact answers by graph and kind.

    KGNEO_METAQA=… KGNEO_ZOGRASCOPE=… KGNEO_SPIDER=… python -m benchmarks.connections [GRAPH …] [--half odd|even]

The questions are those of benchmarks/connections.jsonl, written by somebody who saw the graphs alone: about MetaQA, the
graph POLE, two databases that join a label to itself, and two hierarchies that `benchmarks.hierarchies` makes. A
question about how two things are connected is answered exactly by all of the shortest ways, each by the names of its
nodes; others by all of their answers. Lines are counted from 1: nothing was mended by looking at the even ones. What
went wrong is told on standard error, for the odd lines as a whole, for the even ones only that it did.

Every way that is answered, and every number of steps, is held against what networkx finds in the graph as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import networkx
import numpy as np

from benchmarks import hierarchies
from benchmarks.common import empty, report, scratch_graph, table
from benchmarks.databases import fill as fill_database
from benchmarks.reading import fill_pole
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.evaluation.metrics import percentile
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.loader import open_source, read_triples
from kgneo.model import Answer
from kgneo.stages.connect import connect
from kgneo.text import fold

QUESTIONS = Path(__file__).resolve().parent / "connections.jsonl"
HEADER = ("graph", "half", "n", "exact", "median ms", "p95 ms")
KINDS = ("kind", "half", "n", "exact")
EDGES = "MATCH (a)-->(b) RETURN elementId(a) AS a, elementId(b) AS b"


@dataclass(frozen=True, slots=True)
class Line:
    """A question with its number in the file, from 1, and what is right."""

    number: int
    graph: str
    kind: str
    question: str
    answers: tuple[str, ...]
    ways: frozenset[tuple[str, ...]]

    @property
    def half(self) -> str:
        """Which half of the questions it is of."""
        return "even" if self.number % 2 == 0 else "odd"


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with whether its answer was exact, how long it took, and what was said."""

    line: Line
    exact: bool
    milliseconds: float
    said: str


def lines(file: Path = QUESTIONS) -> list[Line]:
    """The questions of a file."""
    found = []
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        record = json.loads(text)
        answers = record["answers"] if isinstance(record["answers"], list) else [record["answers"]]
        ways = frozenset(tuple(map(fold, way)) for way in record.get("paths") or ())
        answers_ = tuple(str(answer) for answer in answers if not isinstance(answer, list))
        found.append(Line(number, record["graph"], record.get("kind", ""), record["question"], answers_, ways))
    return found


def folder(variable: str) -> Path:
    """The folder that an environment variable names."""
    if variable not in os.environ:
        sys.exit(f"Set {variable} to the folder of the data; the module's docstring says of which.")
    return Path(os.environ[variable])


def fill(graph: Graph, name: str) -> None:
    """The graph of that name in place of what is there."""
    if name in hierarchies.MADE:
        with TemporaryDirectory() as made:
            hierarchies.write(Path(made) / "graph", *hierarchies.MADE[name]())
            fill_database(graph, Path(made))
    elif name == "metaqa":
        empty(graph)
        load(graph, read_triples(open_source(folder("KGNEO_METAQA") / "kb.txt")), name=name)
    elif name == "pole":
        empty(graph)
        fill_pole(graph, folder("KGNEO_ZOGRASCOPE"))
    else:
        fill_database(graph, folder("KGNEO_SPIDER") / name)


def answered(context: Context, line: Line) -> Scored:
    """Ask a question, and hold the answer against what is right."""
    start = time.perf_counter()
    try:
        answer = ask(context, line.question)
    except KgneoError as error:
        return Scored(line, False, (time.perf_counter() - start) * 1000, f"[{error.message}]")
    taken = (time.perf_counter() - start) * 1000
    words = answer.steps[0].question if answer.steps else ""
    said = f"{', '.join(answer.answers[:4]) or answer.answer} ({len(answer.answers)} by {words!r})"
    return Scored(line, is_exact(context, answer, line), taken, said)


def is_exact(context: Context, answer: Answer, line: Line) -> bool:
    """Whether an answer is right as a whole; a way is right in either direction."""
    if line.ways:
        connected = connect(context, line.question)
        ways = [[node.names for node in way.nodes] for way in connected.result.ways] if connected else []
        return len(ways) == len(line.ways) and all(
            any(_same_way(found, way) or _same_way(found[::-1], way) for found in ways) for way in line.ways
        )
    if answer.answer_nodes:
        named = [node.names for node in answer.answer_nodes]
        whole = len(named) + answer.more == len(line.answers)
        return whole and all(any(_is_called(names, text) for names in named) for text in line.answers)
    said = answer.answers or (answer.answer,)
    return {fold(text) for text in said} == {fold(text) for text in line.answers}


def _same_way(found: Sequence[Sequence[str]], way: Sequence[str]) -> bool:
    return len(found) == len(way) and all(_is_called(*pair) for pair in zip(found, way, strict=True))


def _is_called(names: Sequence[str], text: str) -> bool:
    """Whether a node's names have a text, or its words: a first and a last name."""
    folded = [fold(name) for name in names]
    return fold(text) in folded or {*fold(text).split()} <= {word for name in folded for word in name.split()}


def held_against(graph: Graph, context: Context, asked: Sequence[Line]) -> tuple[int, list[str]]:
    """How many questions are answered with ways, and for which networkx finds others in the whole graph."""
    whole = networkx.Graph()
    whole.add_edges_from((row["a"], row["b"]) for row in graph.stream(EDGES))
    number, wrong = 0, []
    for line in asked:
        connected = connect(context, line.question)
        if connected is None or not connected.result.ways:
            continue
        edge, number = connected.graph.edges[0], number + 1
        avoided = {id_ for name in edge.avoiding for id_ in connected.graph.variable(name).ids}
        allowed = whole.subgraph(set(whole) - avoided)
        found = {tuple(node.id for node in way.nodes) for way in connected.result.ways}
        one, two = next(iter(found))[0], next(iter(found))[-1]
        if not edge.relations and found != {tuple(way) for way in networkx.all_shortest_paths(allowed, one, two)}:
            wrong.append(line.question)
    return number, wrong


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Questions about ways and levels, without a language model.")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help="all of them where none is given")
    parser.add_argument("--half", choices=("odd", "even"), help="the lines to ask; both where it is not given")
    options = parser.parse_args()
    every = [line for line in lines() if options.half in (None, line.half)]
    names = options.graphs or list(dict.fromkeys(line.graph for line in every))
    scored: list[Scored] = []
    with scratch_graph("connections") as graph:
        for name in names:
            report(f"{name} …")
            fill(graph, name)
            context = open_context(graph)
            for line in (line for line in every if line.graph == name):
                scored.append(answered(context, line))
                tell(scored[-1])
            number, wrong = held_against(graph, context, [line for line in every if line.graph == name])
            report(f"networkx finds the same ways for {number - len(wrong)} of {number} questions")
    show(scored)


def tell(item: Scored) -> None:
    """What went wrong."""
    if not item.exact:
        what = f"{item.line.question} → {item.said}" if item.line.half == "odd" else "wrong"
        print(f"{item.line.graph} {item.line.number} ({item.line.kind}): {what}", file=sys.stderr, flush=True)


def show(scored: Sequence[Scored]) -> None:
    """Tables by graph and half, and by kind."""
    rows = []
    for (graph, half), found in _grouped(scored, lambda item: (item.line.graph, item.line.half)).items():
        rows.append((graph, half, *_figures(found)))
    for half, found in _grouped(scored, lambda item: item.line.half).items():
        rows.append(("all", half, *_figures(found)))
    table(HEADER, rows)
    kinds = _grouped(scored, lambda item: (item.line.kind, item.line.half))
    table(KINDS, [(*key, *_figures(found)[:2]) for key, found in sorted(kinds.items())])


def _grouped(scored: Sequence[Scored], key: Callable[[Scored], Any]) -> dict[Any, list[Scored]]:
    groups: dict[Any, list[Scored]] = defaultdict(list)
    for item in scored:
        groups[key(item)].append(item)
    return groups


def _figures(found: Sequence[Scored]) -> tuple[int, float, str, str]:
    times = np.array([item.milliseconds for item in found])
    exact = sum(item.exact for item in found) / len(found)
    return len(found), exact, f"{percentile(times, 0.5):.0f}", f"{percentile(times, 0.95):.0f}"


if __name__ == "__main__":
    main()
