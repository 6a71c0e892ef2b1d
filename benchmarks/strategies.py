"""Strategies beside each other, with a language model or without: exact answers, outcomes, calls and tokens by graph.

    python -m benchmarks.strategies [SET | DATABASE …] --strategy auto --strategy paths [--llm MODEL] [--llm-url URL]
        [--llm-adapter FILE] [--each N] [--seed S] [--workers W] [--llm-timeout S] [--out FOLDER]

The sets are those of `benchmarks.reading`, the databases the folders of KGNEO_SPIDER; N questions of each (20) are
drawn by the seed. A strategy may have options, as `auto,sure=0.8`. Every question is written to OUT/records.jsonl as
soon as it was answered and is not asked again; one for which the model did not reply in time is left out and told, and
asked the next time, so that a model that takes long (a person at a desk) is asked in rounds.

Exact: the whole answer set is right; of questions without an answer, that none is given with a confidence of 0.2 or
more. A choice counts as no answer; "exact or chosen" counts the first of its readings. Sure: a confidence of 0.8 or
more.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.common import Records, report, scratch_graph, table
from benchmarks.databases import VARIABLE, fill
from benchmarks.reading import SETS, SURE, filled, folder_of, questions_of
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.errors import KgneoError, ModelError
from kgneo.evaluation.metrics import score
from kgneo.graph import Graph
from kgneo.llm import LanguageModel, load_model
from kgneo.model import Answer
from kgneo.questions import Question
from kgneo.strategies import find_strategy, read_options

HEADER = (
    "set",
    "strategy",
    "n",
    "exact",
    "exact or chosen",
    "Hit@1",
    "answers",
    "choices",
    "sure",
    "sure and exact",
    "calls",
    "tokens",
)


@contextmanager
def graph_of(name: str, graph: Graph | None) -> Iterator[tuple[Graph, Path]]:
    """The graph of a set, or of a database, which takes the place of what is in `graph`; and its questions."""
    if name in SETS:
        folder = folder_of(name)
        if folder is None:
            sys.exit(f"{name}: set {SETS[name].variable} to the folder of its files.")
        with filled(name, folder, purpose="strategies") as own:
            yield own, folder / SETS[name].questions
        return
    folder = Path(os.environ[VARIABLE]) / name
    assert graph is not None
    fill(graph, folder)
    yield graph, folder / "questions.jsonl"


def answered(context: Context, question: str, strategy: str) -> Answer:
    """The answer of a strategy with its options; what went wrong is a warning of none. Raises ModelError where the
    model did not reply."""
    name, *settings = strategy.split(",")
    try:
        return ask(context, question, strategy=find_strategy(name, **read_options((name,), settings)))
    except ModelError:
        raise
    except KgneoError as error:
        return Answer(question, name, "not found", confidence=0.0, warnings=(error.message,))


def asked(context: Context, question: Question, strategy: str) -> dict[str, Any]:
    """What a strategy made of a question. Raises ModelError where the model did not reply."""
    answer = answered(context, question.text, strategy)
    scores = score(answer, question)
    first = score(answer.choices[0].answer, question).exact if answer.choices else scores.exact
    return {
        "question": question.text,
        "exact": bool(scores.exact),
        "chosen": bool(first),
        "hit": bool(scores.hit_at_1),
        "outcome": answer.outcome,
        "confidence": answer.confidence or 0.0,
        "calls": answer.llm.calls if answer.llm else 0,
        "tokens": answer.llm.prompt_tokens + answer.llm.completion_tokens if answer.llm else 0,
        "answers": list(answer.answers[:5]),
        "gold": list(question.gold[:5]),
        "how": list(answer.how),
        "query": answer.cypher or "; ".join(answer.warnings),
    }


def row_of(name: str, strategy: str, found: Sequence[Mapping[str, Any]]) -> tuple[object, ...]:
    """The figures of a set's records."""
    sure = [item["exact"] for item in found if item["confidence"] >= SURE and item["outcome"] == "answer"]
    mean = statistics.mean
    return (
        name,
        strategy,
        len(found),
        float(mean(item["exact"] for item in found)),
        float(mean(item["chosen"] for item in found)),
        float(mean(item["hit"] for item in found)),
        float(mean(item["outcome"] == "answer" for item in found)),
        float(mean(item["outcome"] == "choice" for item in found)),
        len(sure),
        float(mean(sure)) if sure else "–",
        f"{mean(item['calls'] for item in found):.2f}",
        f"{mean(item['tokens'] for item in found):.0f}",
    )


def measure(
    context: Context, key: Mapping[str, object], questions: Sequence[Question], records: Records, *, workers: int
) -> list[dict[str, Any]]:
    """Ask the questions, `workers` at once; the records of those that were answered."""

    def one(question: Question) -> dict[str, Any] | None:
        try:
            return records.of({**key, "id": question.id}, lambda: asked(context, question, str(key["strategy"])))
        except ModelError as error:
            report(f"{key['set']}: no reply for {question.text!r}: {error.message}")
            return None

    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(one, questions))
    return [item for item in found if item is not None]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Strategies beside each other, with a language model or without.")
    parser.add_argument("names", nargs="+", metavar="SET | DATABASE", help="sets of reading, databases of KGNEO_SPIDER")
    parser.add_argument("--strategy", action="append", required=True, help="repeatable; options after commas")
    parser.add_argument("--llm", help="as for kgneo ask")
    parser.add_argument("--llm-url", help="as for kgneo ask")
    parser.add_argument("--llm-adapter", type=Path, help="as for kgneo ask")
    parser.add_argument("--llm-timeout", type=float, default=600.0, help="seconds for one call of the model")
    parser.add_argument("--each", type=int, default=20, help="questions of each graph; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--workers", type=int, default=1, help="questions at once")
    parser.add_argument("--out", type=Path, default=Path("results/strategies"), help="folder of the records")
    options = parser.parse_args(arguments)
    model: LanguageModel | None = None
    if options.llm:
        model = load_model(options.llm, url=options.llm_url, adapter=options.llm_adapter, report=report)
    records = Records(options.out / "records.jsonl")
    found: dict[str, dict[str, list[dict[str, Any]]]] = {strategy: {} for strategy in options.strategy}
    with scratch_graph("strategies") as scratch:
        for name in options.names:
            with graph_of(name, scratch) as (graph, file):
                questions = questions_of(file, limit=options.each or None, seed=options.seed)
                for strategy in options.strategy:
                    asking = Options(seed=options.seed, llm_timeout=options.llm_timeout)
                    context = open_context(graph, model=model, options=asking, report=report)
                    key = {"set": name, "strategy": strategy, "model": model.fingerprint if model else None}
                    found[strategy][name] = measure(context, key, questions, records, workers=options.workers)
                    right = sum(item["exact"] for item in found[strategy][name])
                    report(f"{name}, {strategy}: {right} of {len(found[strategy][name])} exact")
    rows = [row_of(name, strategy, items) for strategy, sets in found.items() for name, items in sets.items() if items]
    for strategy, sets in found.items():
        if everything := [item for items in sets.values() for item in items]:
            rows.append(row_of("all", strategy, everything))
    table(HEADER, rows)


if __name__ == "__main__":
    main()
