"""Queries that a language model writes, beside the reader without one: how many answers are right, and how sure one is
of those that both find.

    [KGNEO_ZOGRASCOPE=…] [KGNEO_GEOQUERY=…] python -m benchmarks.cypher --model MODEL [SET …] [--limit N] [--free]

The sets are those of `benchmarks.reading`; N questions of each (200), drawn by the seed. Each is asked of `cypher`,
which does not see the other, and of `paths`. For each set: exact answer sets of both; the questions on which both found
the same names, and the share of these that is right; calls, tokens and seconds of `cypher`. What the model wrote in
vain is counted by the kind of its problem. Every question is written to OUT/records.jsonl (results/cypher) as soon as
it was asked, and is not asked again: a measurement that was stopped goes on. What went wrong is written to standard
error.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.common import Records, report, table
from benchmarks.reading import SETS, filled, folder_of, questions_of
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.errors import KgneoError
from kgneo.evaluation.metrics import score
from kgneo.llm import load_model
from kgneo.model import Answer
from kgneo.questions import Question
from kgneo.stages.agree import answered_names
from kgneo.strategies import Strategy, find_strategy

HEADER = ("set", "n", "cypher exact", "paths exact", "both the same", "of these right", "calls", "tokens", "s p50")
KINDS = ("syntax error", "unknown name", "refused", "timeout", "empty")


def asked(context: Context, question: Question, cypher: Strategy) -> dict[str, Any]:
    """What both readers made of a question."""
    start = time.perf_counter()
    written = _answer(context, question, cypher)
    seconds = time.perf_counter() - start
    read = _answer(replace(context, model=None), question, find_strategy("paths"))
    names = answered_names(written) if written.answers else frozenset()
    problems = [kind for warning in written.warnings for kind in KINDS if f"({kind})" in warning]
    return {
        "question": question.text,
        "cypher": bool(score(written, question).exact),
        "paths": bool(score(read, question).exact),
        "same": bool(names) and names == answered_names(read),
        "confidence": read.confidence,
        "calls": written.llm.calls if written.llm else 0,
        "tokens": written.llm.prompt_tokens + written.llm.completion_tokens if written.llm else 0,
        "seconds": round(seconds, 2),
        "problems": problems,
        "answers": list(written.answers[:5]),
        "gold": list(question.gold[:5]),
        "query": written.cypher or "; ".join(written.warnings),
    }


def _answer(context: Context, question: Question, strategy: Strategy) -> Answer:
    try:
        return ask(context, question.text, strategy=strategy)
    except KgneoError as error:
        return Answer(question.text, strategy.name, "not found", confidence=0.0, warnings=(error.message,))


def row_of(name: str, found: Sequence[Mapping[str, Any]]) -> tuple[object, ...]:
    """The figures of a set's records."""
    same = [item["cypher"] for item in found if item["same"]]
    return (
        name,
        len(found),
        float(statistics.mean(item["cypher"] for item in found)),
        float(statistics.mean(item["paths"] for item in found)),
        len(same),
        float(statistics.mean(same)) if same else "–",
        f"{statistics.mean(item['calls'] for item in found):.1f}",
        f"{statistics.mean(item['tokens'] for item in found):.0f}",
        f"{statistics.median(item['seconds'] for item in found):.1f}",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Queries that a language model writes, beside the reader without one.")
    parser.add_argument("sets", nargs="*", metavar="SET", help="zograscope, geoquery (default), or others of reading")
    parser.add_argument("--model", required=True, help="as for kgneo --llm: smollm2, llama:PATH.gguf, …")
    parser.add_argument("--adapter", type=Path, help="a LoRA adapter for it, as a GGUF file")
    parser.add_argument("--limit", type=int, default=200, help="questions of each set")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--free", action="store_true", help="the model writes Cypher instead of a query graph")
    parser.add_argument("--attempts", type=int, default=3, help="calls for a question at most")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for one call of the model")
    parser.add_argument("--out", type=Path, default=Path("results/cypher"), help="folder of the records")
    options = parser.parse_args(arguments)
    names = options.sets or ["zograscope", "geoquery"]
    if unknown := [name for name in names if name not in SETS]:
        parser.error(f"there is no set called {', '.join(unknown)}; there are {', '.join(SETS)}")
    model, records = (
        load_model(options.model, adapter=options.adapter, report=report),
        Records(options.out / "records.jsonl"),
    )
    cypher = find_strategy("cypher", free=options.free, attempts=options.attempts, compare=False)
    rows: list[tuple[object, ...]] = []
    problems: Counter[str] = Counter()
    for name in names:
        folder = folder_of(name)
        if folder is None:
            report(f"{name} is left out: {SETS[name].variable} names no folder.")
            continue
        key = {"set": name, "model": model.fingerprint, "free": options.free, "attempts": options.attempts}
        with filled(name, folder, purpose="cypher") as graph:
            asking = Options(seed=options.seed, llm_timeout=options.timeout)
            context = open_context(graph, model=model, options=asking, report=report)
            found = []
            for question in questions_of(folder / SETS[name].questions, limit=options.limit, seed=options.seed):
                found.append(records.of({**key, "id": question.id}, lambda: asked(context, question, cypher)))  # noqa: B023
                report(f"{name}: {len(found)} asked")
        rows.append(row_of(name, found))
        problems.update(kind for item in found for kind in item["problems"])
        for item in found:
            if not item["cypher"]:
                print(f"{name}: {item['question']}\n  gold {item['gold']}, got {item['answers']}", file=sys.stderr)
                print(f"  {' '.join(item['query'].split())}", file=sys.stderr)
    table(HEADER, rows)
    if problems:
        print("Written in vain: " + ", ".join(f"{kind} {problems[kind]}" for kind in KINDS) + ".")


if __name__ == "__main__":
    main()
