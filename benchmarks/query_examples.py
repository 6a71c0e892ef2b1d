"""Examples of writing query graphs for `kgneo tune train`, over all graphs of benchmarks/graphs.

    python -m benchmarks.query_examples FOLDER [--questions N] [GRAPH …]

For each graph: its own questions, where they bring their query or a reading gives exactly their answers, and N made
along relation paths and N over the schema (15). What is measured by `benchmarks.cypher` has other graphs. The folder
gets `train.jsonl` and `dev.jsonl`, as `kgneo tune data --task query_graph` writes them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import empty, report, scratch_graph
from benchmarks.hand_made import GRAPHS, fill
from kgneo.asking import open_context
from kgneo.questions import Question, read_labelled
from kgneo.tuning.data import Example, split, write_jsonl
from kgneo.tuning.from_graph import WRITTEN, from_graph
from kgneo.tuning.written import written

SEED = 0
FILES = ("questions-graphs.jsonl", "questions.jsonl")


def questions_about(folder: Path) -> Iterator[Question]:
    """All questions about a hand-made graph."""
    for name in FILES:
        if (folder / name).exists():
            yield from read_labelled(folder / name)


def main() -> None:
    """Make the examples, and say how many each graph gave."""
    parser = argparse.ArgumentParser(description="Examples of writing query graphs, over all graphs of this folder.")
    parser.add_argument("out", type=Path, metavar="FOLDER")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help="of benchmarks/graphs")
    parser.add_argument("--questions", type=int, default=15, help="made of each graph, of both kinds")
    options = parser.parse_args()
    names = options.graphs or sorted(folder.name for folder in GRAPHS[1].iterdir() if folder.is_dir())
    options.out.mkdir(parents=True, exist_ok=True)
    chats: list[Example] = []
    with scratch_graph("query-examples") as graph:
        for name in names:
            empty(graph)
            fill(graph, GRAPHS[1] / name)
            context = open_context(graph, report=report)
            own = [example for _, example in written(context, questions_about(GRAPHS[1] / name))]
            made = from_graph(context, questions=options.questions, seed=SEED, tasks=(WRITTEN,)).examples
            report(f"{name}: {len(own)} examples of its own questions, {len(made)} made")
            chats += [*own, *made]
            for part, file in zip(split(chats, SEED), ("train.jsonl", "dev.jsonl"), strict=True):
                write_jsonl(part, options.out / file)
    report(f"{len(chats)} examples, in {options.out}")


if __name__ == "__main__":
    main()
