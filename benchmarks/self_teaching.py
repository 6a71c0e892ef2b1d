"""What a graph teaches itself with a language model, asked without one: exact answers before and after, by database.

    KGNEO_SPIDER=… python -m benchmarks.self_teaching DATABASE … --llm MODEL [--llm-url URL] [--llm-timeout S]
        [--count 100] [--terms FOLDER] [--lessons FOLDER]

For each database `count` query graphs are drawn, a model puts them into people's words, and what is read back becomes
lessons, as `kgneo learn --from-schema` does it. Then all questions of the database are asked without a model, in their
own words and in the other words that it has of them, with these lessons and without. No question is seen by what is
drawn. `--lessons FOLDER` keeps the questions that were made, one file a database, and learns those of a file that is
there instead of asking the model.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import report, scratch_graph, table
from benchmarks.databases import VARIABLE, fill, questions, terms_of
from benchmarks.reading import asked
from kgneo.asking.question import open_context
from kgneo.context import Clock, Context
from kgneo.graph import Graph
from kgneo.graph.lessons import DRAWN
from kgneo.learning.paths import learn_questions
from kgneo.learning.self_teaching import teach_self
from kgneo.llm import load_model
from kgneo.prompts import Prompts
from kgneo.query.json import from_json, to_json
from kgneo.questions import Question
from kgneo.stages.generate import ModelCalls
from kgneo.terms.file import read_terms

HEADER = (
    "database",
    "questions made",
    "read before",
    "learned",
    "own words",
    "before",
    "after",
    "other words",
    "before, in other words",
    "after, in other words",
)


def kept(file: Path) -> list[Question]:
    """The questions of a file that `keep` wrote."""
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Question(item["question"], item["question"], tuple(item["answers"]), query_graph=from_json(item["query_graph"]))
        for item in records
    ]


def keep(file: Path, made: Sequence[Question]) -> None:
    """Write questions with their query graphs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"question": item.text, "answers": item.answers, "query_graph": to_json(item.query_graph)})
        for item in made
        if item.query_graph is not None
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def right(context: Context, drawn: Sequence[Question]) -> int:
    """How many of the questions are answered exactly, in a context that knows what was learned."""
    context.memory.clear()
    return sum(bool(item.scores.exact) for item in asked(context, drawn))


def measure(graph: Graph, folder: Path, options: argparse.Namespace) -> tuple[object, ...]:
    """A row of the table."""
    fill(graph, folder)
    terms = terms_of(options.terms, folder.name)
    graph.terms = read_terms(terms) if terms else None
    sets = [questions(folder, each=0, seed=0, other_words=other) for other in (False, True)]
    context = open_context(graph, report=report)
    before = [right(context, drawn) for drawn in sets]
    file = options.lessons / f"{folder.name}.jsonl" if options.lessons else None
    if file is not None and file.is_file():
        made = kept(file)
        read: object = "–"
    else:
        model = load_model(options.llm, url=options.llm_url, report=report)
        calls = ModelCalls(model, Prompts(), Clock(), timeout=options.llm_timeout)
        told = teach_self(context, options.count, calls=calls, warn=report)
        made, read = list(told.kept), told.read
        report(f"{folder.name}: {told}"[:200])
        if file is not None:
            keep(file, made)
    learned = learn_questions(context, made, source=DRAWN)
    report(f"{folder.name}: {learned.learned} learned, accuracy {learned.accuracy}, kept {learned.trained}")
    after = [right(context, drawn) for drawn in sets]
    sizes = [len(drawn) for drawn in sets]
    return folder.name, len(made), read, learned.learned, sizes[0], before[0], after[0], sizes[1], before[1], after[1]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What a graph teaches itself, asked without a model.")
    parser.add_argument("databases", nargs="+", metavar="DATABASE")
    parser.add_argument("--llm", help="as for kgneo learn")
    parser.add_argument("--llm-url", help="as for kgneo learn")
    parser.add_argument("--llm-timeout", type=float, default=600.0, help="seconds for one call of the model")
    parser.add_argument("--count", type=int, default=100, help="query graphs that are drawn")
    parser.add_argument("--terms", type=Path, metavar="FOLDER", help="ask with DATABASE.toml of this folder")
    parser.add_argument("--lessons", type=Path, metavar="FOLDER", help="keep the questions that were made")
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        sys.exit(f"Set {VARIABLE} to the folder of the databases.")
    with scratch_graph("self-teaching") as graph:
        rows = [measure(graph, Path(os.environ[VARIABLE]) / name, options) for name in options.databases]
    table(HEADER, rows)


if __name__ == "__main__":
    main()
