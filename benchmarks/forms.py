"""Counts, yes or no, extremes, comparisons and intersections on the hand-made graphs, through a real Neo4j.

    python -m benchmarks.forms

For each graph: the share of special questions whose answer set is right, by kind, and strict Hit@1 of the plain ones.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from benchmarks.common import empty, scratch_graph, table
from kgneo.asking import ask, open_context
from kgneo.context import Context
from kgneo.embedding import load_encoder
from kgneo.errors import KgneoError
from kgneo.graph.attach import loaded_shape
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.schema import read_schema
from kgneo.loader import open_source, read_triples

GRAPHS = Path(__file__).resolve().parent.parent / "tests" / "graphs"
NAMES = ("music", "science", "people-paths", "codes")


def main() -> None:
    """Measure and print."""
    rows: list[tuple[object, ...]] = []
    with scratch_graph("forms") as graph:
        for name in NAMES:
            empty(graph)
            file = next(file for file in (GRAPHS / name).glob("*.tsv"))
            load(graph, read_triples(open_source(file)), name=name)
            build(graph, load_encoder(), shape=loaded_shape(read_schema(graph)))
            context = open_context(graph)
            for kind, results in by_kind(context, GRAPHS / name).items():
                rows.append((name, kind, len(results), sum(results) / len(results)))
    table(("graph", "kind", "questions", "right"), rows)


def by_kind(context: Context, folder: Path) -> dict[str, list[bool]]:
    """Right or wrong for each question, by its kind."""
    results: dict[str, list[bool]] = defaultdict(list)
    for file in ("questions.jsonl", "questions-special.jsonl"):
        for line in (folder / file).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            try:
                answers = ask(context, record["question"]).answers
            except KgneoError as error:
                answers = (str(error),)
            special = "kind" in record
            right = (
                set(answers) == set(record["answers"]) if special else answers[:1] and answers[0] in record["answers"]
            )
            results[record.get("kind", "plain")].append(bool(right))
            if not right:
                print(folder.name, record["question"], answers[:5], "expected", record["answers"][:5], file=sys.stderr)
    return results


if __name__ == "__main__":
    main()
