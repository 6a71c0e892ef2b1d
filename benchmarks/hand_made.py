"""Questions about hand-made graphs, through a real Neo4j, without examples and with the default threshold.

    python -m benchmarks.hand_made [FOLDER …]

A folder has `graph.cypher` (a property graph, asked as its owner made it, without an index) or a `.tsv` of triples
(loaded and indexed), and questions in `questions*.jsonl`; without folders, all of tests/graphs and benchmarks/graphs
that have any. For each kind of question its share of right answers: of those in `questions-special.jsonl` the whole set
has to be right, of the others the first answer. What went wrong is written to standard error.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.common import empty, report, scratch_graph, table
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.graph.attach import loaded_shape
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.schema import read_relations
from kgneo.loader import open_source, read_triples

HERE = Path(__file__).resolve().parent
GRAPHS = (HERE.parent / "tests" / "graphs", HERE / "graphs")
FILES = ("questions.jsonl", "questions-unbracketed.jsonl", "questions-special.jsonl")
HEADER = ("graph", "questions", "kind", "number", "right", "median ms", "opening s")
TOGETHER = 20
"""Statements that are sent as one query: planning each alone takes most of the time."""
Results = dict[str, list[tuple[bool, float]]]


def main() -> None:
    """Measure and print."""
    folders = [Path(name) for name in sys.argv[1:]]
    folders = folders or graph_folders()
    rows: list[tuple[object, ...]] = []
    with scratch_graph("hand-made") as graph:
        for folder in folders:
            report(f"{folder.name} …")
            empty(graph)
            fill(graph, folder)
            start = time.perf_counter()
            context = open_context(graph)
            opening = f"{time.perf_counter() - start:.1f}"
            for file in FILES:
                if (folder / file).exists():
                    rows += rows_of(context, folder, file, opening)
    table(HEADER, rows)


def graph_folders() -> list[Path]:
    """The folders of the graphs that have questions of these kinds; others have some for query graphs alone."""
    every = (path for graphs in GRAPHS for path in graphs.iterdir())
    return sorted(path for path in every if any((path / file).exists() for file in FILES))


def fill(graph: Graph, folder: Path) -> None:
    """The folder's graph into an empty database: as it is, or loaded and indexed where it is triples."""
    statements = folder / "graph.cypher"
    if statements.exists():
        lines = [line.rstrip().rstrip(";") for line in statements.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line.strip()]
        for start in range(0, len(lines), TOGETHER):
            graph.write("\nWITH count(*) AS done\n".join(lines[start : start + TOGETHER]))
        return
    file = next(folder.glob("*.tsv"))
    load(graph, read_triples(open_source(file)), name=folder.name)
    build(graph, load_encoder(), shape=loaded_shape(read_relations(graph)))


def rows_of(context: Context, folder: Path, file: str, opening: str) -> list[tuple[object, ...]]:
    """A row for each kind of question in a file, and one for all."""
    special = file == FILES[2]
    results: Results = defaultdict(list)
    for line in (folder / file).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        start = time.perf_counter()
        answers, reading = answered(context, record["question"])
        taken = (time.perf_counter() - start) * 1000
        right = is_right(answers, record, special=special)
        for kind in {record.get("kind", "plain"), "all"}:
            results[kind].append((right, taken))
        if not right:
            expected = f"{', '.join(record['answers'][:4])} by {record.get('path', '?')}"
            got = f"{', '.join(answers[:4])} {reading}"
            print(f"{folder.name}: {record['question']} → {got} ({expected})", file=sys.stderr)
    name = file.removesuffix(".jsonl")
    return [
        (
            folder.name,
            name,
            kind,
            len(rights),
            sum(right for right, _ in rights) / len(rights),
            f"{statistics.median(taken for _, taken in rights):.0f}",
            opening,
        )
        for kind, rights in results.items()
    ]


def answered(context: Context, question: str) -> tuple[tuple[str, ...], str]:
    """The answers, or what was said instead, and how the question was read."""
    try:
        answer = ask(context, question, strategy="paths")
    except KgneoError as error:
        return (f"[{error.message}]",), ""
    read = f"{answer.readings[0].path}, {answer.confidence or 0.0:.2f}" if answer.readings else "nothing"
    return answer.answers, f"by {read}"


def is_right(answers: tuple[str, ...], record: dict[str, Any], *, special: bool) -> bool:
    """Whether all answers (of special questions) or the first (of others) are right."""
    if special:
        return set(answers) == set(record["answers"])
    return bool(answers) and answers[0] in record["answers"]


if __name__ == "__main__":
    main()
