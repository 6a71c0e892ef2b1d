"""Examples of writing query graphs, and of taking readings, for `kgneo tune train`, over many graphs.

    [KGNEO_SPIDER=…] python -m benchmarks.query_examples FOLDER [--questions N] [GRAPH | DATABASE …]

The graphs are those of benchmarks/graphs (all of them where none is named), the databases folders of KGNEO_SPIDER. For
each: its own questions, where they bring their query or a reading gives exactly their answers, and N made along
relation paths and N over the schema (15). What is measured by `benchmarks.cypher` has other graphs. The folder gets
`train.jsonl` and `dev.jsonl`, as `kgneo tune data --task query_graph --task offered` writes them.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import empty, report, scratch_graph
from benchmarks.databases import VARIABLE
from benchmarks.databases import fill as fill_database
from benchmarks.hand_made import GRAPHS, fill
from kgneo.asking.question import open_context
from kgneo.graph import Graph
from kgneo.questions import Question, read_labelled
from kgneo.tuning.data import Example, split, write_jsonl
from kgneo.tuning.from_graph import OFFERED, WRITTEN, from_graph
from kgneo.tuning.written import offered, written

SEED = 0
FILES = ("questions-graphs.jsonl", "questions.jsonl")


def questions_about(folder: Path) -> Iterator[Question]:
    """All questions about a hand-made graph."""
    for name in FILES:
        if (folder / name).exists():
            yield from read_labelled(folder / name)


def filled(graph: Graph, name: str) -> Path:
    """The folder of a hand-made graph, or of a database, which takes the place of what is in `graph`."""
    own = GRAPHS[1] / name
    if own.is_dir():
        empty(graph)
        fill(graph, own)
        return own
    folder = Path(os.environ[VARIABLE]) / name
    fill_database(graph, folder)
    return folder


def main() -> None:
    """Make the examples, and say how many each graph gave."""
    parser = argparse.ArgumentParser(description="Examples of query graphs and readings, over many graphs.")
    parser.add_argument("out", type=Path, metavar="FOLDER")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH | DATABASE", help="benchmarks/graphs, KGNEO_SPIDER")
    parser.add_argument("--questions", type=int, default=15, help="made of each graph, of both kinds")
    options = parser.parse_args()
    names = options.graphs or sorted(folder.name for folder in GRAPHS[1].iterdir() if folder.is_dir())
    options.out.mkdir(parents=True, exist_ok=True)
    chats: list[Example] = []
    with scratch_graph("query-examples") as graph:
        for name in names:
            folder = filled(graph, name)
            context = open_context(graph, report=report)
            own = list(written(context, questions_about(folder)))
            choices = list(offered(context, own))
            made = from_graph(context, questions=options.questions, seed=SEED, tasks=(WRITTEN, OFFERED)).examples
            report(f"{name}: {len(own)} and {len(choices)} examples of its own questions, {len(made)} made")
            chats += [*(example for _, example in own), *choices, *made]
            for part, file in zip(split(chats, SEED), ("train.jsonl", "dev.jsonl"), strict=True):
                write_jsonl(part, options.out / file)
    report(f"{len(chats)} examples, in {options.out}")


if __name__ == "__main__":
    main()
