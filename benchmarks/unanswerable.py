"""Questions that a graph cannot answer, without a language model: how many end as not in the graph or not understood.

    KGNEO_SPIDER=… python -m benchmarks.unanswerable [GRAPH …] [--strategy NAME]

The questions are in unanswerable.jsonl: about names, kinds and relations that a graph does not have, and about other
subjects. They were written from graph and schema alone, before anything was made that tells them. `sample` is kgneo's
own graph; the others are folders of KGNEO_SPIDER, see benchmarks.databases. Each question that is answered all the same
is told on standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.common import empty, report, scratch_graph, table
from benchmarks.databases import VARIABLE
from benchmarks.databases import fill as fill_database
from kgneo.asking.question import DEFAULT_STRATEGY, ask, open_context
from kgneo.encoders.encoder import load_encoder
from kgneo.errors import EntityNotFound
from kgneo.graph import Graph
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.shape import LOADED
from kgneo.loader import open_source, read_triples
from kgneo.sample import triples_path

FILE = Path(__file__).with_name("unanswerable.jsonl")
SAMPLE = "sample"
REFUSED = ("not_in_graph", "not_understood")


def written() -> list[dict[str, str]]:
    """The questions: each with its graph and its kind."""
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def about(name: str) -> list[str]:
    """The questions about the graph of that name."""
    return [item["question"] for item in written() if item["graph"] == name]


def fill(graph: Graph, name: str) -> None:
    """The graph of that name in place of what is there."""
    if name != SAMPLE:
        fill_database(graph, Path(os.environ[VARIABLE]) / name)
        return
    empty(graph)
    load(graph, read_triples(open_source(triples_path())), name=SAMPLE)
    build(graph, load_encoder(report=report), shape=LOADED)


def outcomes(graph: Graph, name: str, questions: list[dict[str, str]], strategy: str) -> Iterator[tuple[str, str]]:
    """The kind and the outcome of each question."""
    fill(graph, name)
    context = open_context(graph, report=report)
    for item in questions:
        try:
            answer = ask(context, item["question"], strategy=strategy)
        except EntityNotFound:
            yield item["kind"], "not_in_graph"
            continue
        if answer.outcome not in REFUSED:
            told = f"{name}: {item['question']} {answer.outcome} {answer.confidence or 0.0:.2f}: {answer.answer[:60]}"
            print(told, file=sys.stderr)
        yield item["kind"], answer.outcome


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Questions that a graph cannot answer.")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help="all of them where none is given")
    parser.add_argument("--strategy", default=DEFAULT_STRATEGY, help="how they are asked")
    options = parser.parse_args()
    records = written()
    names = options.graphs or list(dict.fromkeys(item["graph"] for item in records))
    if VARIABLE not in os.environ and set(names) != {SAMPLE}:
        sys.exit(f"Set {VARIABLE} to the folder of the databases, or name no graph but {SAMPLE}.")
    found: list[tuple[str, str, str]] = []
    with scratch_graph("unanswerable") as graph:
        for name in names:
            asked = [item for item in records if item["graph"] == name]
            found += [(name, *pair) for pair in outcomes(graph, name, asked, options.strategy)]
    rows = []
    for name in (*names, "all"):
        part = Counter(outcome for graph, _, outcome in found if name in ("all", graph))
        share = sum(part[outcome] for outcome in REFUSED) / max(sum(part.values()), 1)
        rows.append((name, sum(part.values()), part["not_in_graph"], part["not_understood"], part["choice"], share))
    table(("graph", "n", "not in the graph", "not understood", "choice", "refused"), rows)


if __name__ == "__main__":
    main()
