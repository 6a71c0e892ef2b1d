"""Graphs that others' tools make from documents: 15 questions about each, without a language model.

    python -m benchmarks.from_documents [LAYOUT …]

The same invented world (benchmarks/documents) is built by neo4j-graphrag's pipeline, by graphiti with entity types and
without (extras: graphrag, documents), and by LightRAG, which gets an environment of its own, each with a scripted
model, and written as llm-graph-builder's queries write it. Right: the whole answer set; of a way, what must be on it
("~" in questions.tsv). The questions "own" are in the words of the documents, "other" in other words; nothing was
mended by looking at the latter.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.common import empty, report, table
from benchmarks.documents.apoc import add_apoc
from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.server import RunningServer, start, stop, store_path

QUESTIONS = Path(__file__).resolve().parent / "documents" / "questions.tsv"
TYPED = ", with entity types"
HEADER = ("made by", "own words", "of", "other words", "of")
Build = Callable[[str, str, str], None]


@dataclass(frozen=True, slots=True)
class Line:
    """A question of a set ("own" or "other" words) with its answers; "~" begins one that need only be among them."""

    set: str
    question: str
    answers: tuple[str, ...]

    def is_right(self, answers: Sequence[str]) -> bool:
        """Whether these are the answers."""
        if self.answers[0].startswith("~"):
            return any(self.answers[0][1:] in text for text in answers)
        return sorted(answers) == sorted(self.answers)


def layouts() -> dict[str, tuple[Build, str]]:
    """What builds the world, with the version of Neo4j on which it does."""
    from benchmarks.documents import with_graphiti, with_graphrag, with_lightrag, with_llm_graph_builder

    return {
        "neo4j-graphrag": (with_graphrag.build, "5.26"),
        "llm-graph-builder": (with_llm_graph_builder.build, "2026"),
        "LightRAG": (with_lightrag.build, "2026"),
        "graphiti": (with_graphiti.build, "2026"),
        f"graphiti{TYPED}": (partial(with_graphiti.build, typed=True), "2026"),
    }


def lines(layout: str) -> list[Line]:
    """The questions about a layout."""
    name = layout.removesuffix(TYPED)
    with QUESTIONS.open(encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [
            Line(row["set"], row["question"], tuple(row["answers"].split("|")))
            for row in rows
            if row["of"] in ("all", name)
        ]


def asked(context: Context, line: Line) -> tuple[bool, str]:
    """Whether a question is answered right, and what is answered."""
    try:
        answer = ask(context, line.question)
    except KgneoError as error:
        return False, str(error)
    return line.is_right(answer.answers), answer.answer


@contextmanager
def server_for(version: str) -> Iterator[RunningServer]:
    """A server on a store of its own; with APOC, where that is of the version."""
    store = store_path(f"benchmark-documents-{version}")
    if version == "5.26":
        add_apoc(store)
    try:
        yield start(store, version=version, report=report)
    finally:
        stop(store)


def measure(layout: str) -> tuple[object, ...]:
    """A row for a layout; what is wrong is told."""
    build, version = layouts()[layout]
    with (
        server_for(version) as server,
        Graph.connect(server.uri, username=server.username, password=server.password) as graph,
    ):
        empty(graph)
        build(server.uri, server.username, server.password)
        context = open_context(graph)
        right: dict[str, list[bool]] = {"own": [], "other": []}
        for line in lines(layout):
            is_right, said = asked(context, line)
            right[line.set].append(is_right)
            if not is_right:
                report(f"{layout}: {line.question} → {said}")
    return layout, sum(right["own"]), len(right["own"]), sum(right["other"]), len(right["other"])


def main() -> None:
    """Measure the layouts that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layouts", nargs="*", metavar="LAYOUT", help="all by default")
    every = layouts()
    names = parser.parse_args().layouts or list(every)
    if unknown := [name for name in names if name not in every]:
        sys.exit(f"Unknown: {', '.join(unknown)}. There are: {', '.join(every)}.")
    table(HEADER, [measure(name) for name in names])


if __name__ == "__main__":
    main()
