"""`python -m benchmarks.attached`: questions about the two hand-made property graphs, without examples.

Hit@1 of `paths`, with names in brackets and without, on graphs that kgneo did not load and has not indexed.
The questions in brackets were looked at while the ranking of values was made; those without were not.
"""

from __future__ import annotations

import json
import statistics
import time
from pathlib import Path

from benchmarks.common import scratch_graph, table
from kgneo.asking import ask, open_context
from kgneo.context import Context
from kgneo.errors import KgneoError

GRAPHS = Path(__file__).parent.parent / "tests" / "graphs"
NAMES = ("social", "orders")
FILES = ("questions.jsonl", "questions-unbracketed.jsonl")


def main() -> None:
    """One row for each graph and file of questions, and the questions that went wrong."""
    rows = []
    for name in NAMES:
        with scratch_graph("attached") as graph:
            for statement in (GRAPHS / name / "graph.cypher").read_text(encoding="utf-8").splitlines():
                if statement.strip():
                    graph.write(statement.rstrip().rstrip(";"))
            start = time.perf_counter()
            context = open_context(graph)
            opened = time.perf_counter() - start
            for file in FILES:
                hits, milliseconds = measure(context, GRAPHS / name / file)
                total = len(milliseconds)
                rows.append(
                    (
                        name,
                        file,
                        total,
                        f"{hits / total:.3f}",
                        f"{statistics.median(milliseconds):.0f}",
                        f"{opened:.1f}",
                    )
                )
    table(("graph", "questions", "number", "Hit@1", "median ms", "opening s"), rows)


def measure(context: Context, file: Path) -> tuple[int, list[float]]:
    """How many first answers are right, and how long each question took, in milliseconds."""
    hits = 0
    taken: list[float] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        start = time.perf_counter()
        try:
            answers = ask(context, record["question"], strategy="paths").answers
        except KgneoError as error:
            answers = ()
            print(f"  {error.message}")
        taken.append((time.perf_counter() - start) * 1000)
        right = bool(answers) and answers[0] in record["answers"]
        hits += right
        if not right:
            print(f"  {record['question']} — expected {record['answers'][:3]}, got {list(answers[:3])}")
    return hits, taken


if __name__ == "__main__":
    main()
