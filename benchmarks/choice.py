"""The choice among the readings of a question, and how far its confidence can be trusted, by graphs left out.

    [KGNEO_SPIDER=…] [KGNEO_ZOGRASCOPE=…] [KGNEO_GEOQUERY=…] python -m benchmarks.choice gather [SET …] [--each N]
    python -m benchmarks.choice table [--by-set]
    python -m benchmarks.choice fit

`gather` asks questions of each set of `benchmarks.reading` and each database of `benchmarks.databases` (`--each` of
each, drawn by `--seed`), runs the first 12 readings of each question, and keeps their signs, what they find and whether
that is right, a file a set in the folder of caches. Sets that are kept are not asked again; `--minutes` ends it before
the next set. Where the graph holds no answer, a reading is right that finds nothing.

`table` reads what is kept: for how many questions a reading is right among the first 12, the first reading, the answer
when it was gathered, and the one chosen by weights that were fitted to other graphs; and of the answers whose
confidence is at least 0.8 and 0.9, how many are right, and what share of all right answers these are. `fit` prints
the weights that are fitted to all that is kept, as JSON. kgneo itself does not choose by them yet: docs/decisions.md.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import databases, reading
from benchmarks.choice_fit import Chosen, Gathered, gathered, left_out, trained
from benchmarks.common import report, scratch_graph, table
from kgneo.asking import open_context
from kgneo.context import Context
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.evaluation.metrics import score
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.model import Answer
from kgneo.query.json import to_json
from kgneo.questions import Question
from kgneo.reading.read import Interpretation
from kgneo.stages.interpret import interpret, run_query

LONGEST = 1.0
"""Seconds that a reading may take."""
SHOWN = 30
"""Answers of each that are kept."""
KEPT = ("score", "silent", "nouns", "named", "loose", "measured", "plain_chain", "bare", "kind", "vacuous", "spelt")
WEIGHED = 12
"""Readings, best first by the reader, that are weighed."""
LEVELS = (0.8, 0.9)
HEADER = (
    "set", "n", f"one of {WEIGHED}", "first", "as gathered", "chosen",
    *(f"{what} ≥ {level}" for what in ("as gathered", "chosen") for level in LEVELS),
)  # fmt: skip
OF_HAND, OF_DATABASES = "hand-made", "databases"


def folder() -> Path:
    """Where the readings of each set are kept."""
    return cache_folder() / "benchmarks" / "readings"


# Gathering -----------------------------------------------------------------------------------------------------------


def record_of(context: Context, question: Question) -> dict[str, Any]:
    """A question with what is answered, and its readings, each with what it finds and whether that is right."""
    answer, understood = reading.answered(context, question.text), _understood(context, question.text)
    return {
        "question": question.text,
        "gold": len(question.gold),
        "exact": score(answer, question).exact,
        "confidence": answer.confidence,
        "answers": list(answer.answers[:SHOWN]),
        "readings": [_reading(context, question, item) for item in distinct(understood)[:WEIGHED]],
    }


def _understood(context: Context, question: str) -> list[Interpretation]:
    try:
        return interpret(context, question)
    except EntityNotFound:
        return []


def distinct(understood: Sequence[Interpretation]) -> list[Interpretation]:
    """The interpretations, of those with the same query graph the first."""
    return list({item.graph: item for item in reversed(understood)}.values())[::-1]


def _reading(context: Context, question: Question, item: Interpretation) -> dict[str, Any]:
    kept = {name: getattr(item, name) for name in KEPT}
    kept |= {"ignored": len(item.ignored), "unsaid": len(item.unsaid), "graph": to_json(item.meant or item.graph)}
    try:
        found = run_query(context, item.graph, timeout=LONGEST, whole=False)
    except GraphTimeout:
        return {**kept, "late": True, "right": False}
    text = ", ".join(found.answers) or "none"
    answer = Answer(question.text, "paths", text, answers=found.answers, answer_nodes=found.nodes, confidence=1.0)
    right = bool(score(answer, question).exact) if question.gold else found.empty
    known = {"answers": list(found.answers[:SHOWN]), "found": len(found.answers), "empty": found.empty}
    return {**kept, **known, "late": False, "right": right}


def _keep(name: str, graph: Graph, questions: Sequence[Question]) -> None:
    context = open_context(graph, report=report)
    records = [record_of(context, question) for question in questions]
    text = "".join(json.dumps(record, ensure_ascii=False, default=float) + "\n" for record in records)
    folder().mkdir(parents=True, exist_ok=True)
    (folder() / f"{name}.jsonl").write_text(text, encoding="utf-8")
    right = sum(item["exact"] for item in records)
    one = sum(any(found["right"] for found in item["readings"]) for item in records)
    report(f"{name}: {right:.0f} of {len(records)} right, {one} with a right reading")


def gather(names: Sequence[str], *, each: int, seed: int, minutes: float) -> None:
    """Keep the readings of each set that is not kept yet, until the time is over."""
    end = time.monotonic() + 60 * minutes
    left = [name for name in names if not (folder() / f"{name}.jsonl").exists()]
    for name in [name for name in left if name in reading.SETS and reading.folder_of(name)]:
        if time.monotonic() > end:
            return
        at = reading.folder_of(name) or Path()
        questions = reading.questions_of(at / reading.SETS[name].questions, limit=each or None, seed=seed)
        with reading.filled(name, at) as graph:
            _keep(name, graph, questions)
    _gather_databases([name for name in left if name not in reading.SETS], end, each=each, seed=seed)


def _gather_databases(names: Sequence[str], end: float, *, each: int, seed: int) -> None:
    if not names:
        return
    with scratch_graph("databases") as graph:
        for name in names:
            if time.monotonic() > end:
                return
            at = Path(os.environ[databases.VARIABLE]) / name
            databases.fill(graph, at)
            _keep(name, graph, databases.questions(at, each=each, seed=seed, other_words=False))


def every_set() -> list[str]:
    """The sets and databases that there are files of."""
    spider = os.environ.get(databases.VARIABLE)
    found = sorted(item.name for item in Path(spider).iterdir() if (item / "graph").is_dir()) if spider else []
    return [*(name for name in reading.SETS if reading.folder_of(name)), *found]


# Reading what is kept ------------------------------------------------------------------------------------------------


def kept() -> list[Gathered]:
    """All questions that are kept. Ends the process where there are none."""
    found = [item for file in sorted(folder().glob("*.jsonl")) for item in gathered(file)]
    if not found:
        sys.exit("No readings are kept. Gather some first: python -m benchmarks.choice gather")
    return found


def group_of(name: str) -> str:
    """The group of sets that a set is told with."""
    if name not in reading.SETS:
        return OF_DATABASES
    return name if reading.SETS[name].variable else OF_HAND


def rows_of(questions: Sequence[Gathered], chosen: Sequence[Chosen], *, by_set: bool) -> Iterator[tuple[object, ...]]:
    """A row for each group of sets, or each set, and one for all."""
    pairs = list(zip(questions, chosen, strict=True))
    names = [item.name if by_set else group_of(item.name) for item in questions]
    for name in [*dict.fromkeys(names), "all"]:
        part = [pair for pair, own in zip(pairs, names, strict=True) if name in ("all", own)]
        before = [(item.exact, item.confidence) for item, _ in part]
        after = [(item.right, item.confidence) for _, item in part]
        yield (
            name,
            len(part),
            sum(any(item.right) for item, _ in part),
            sum(item.right[:1] == [True] for item, _ in part),
            sum(right for right, _ in before),
            sum(right for right, _ in after),
            *(sure(found, level) for found in (before, after) for level in LEVELS),
        )


def sure(found: Sequence[tuple[bool, float]], level: float) -> str:
    """Of the answers of a confidence of at least `level`, the share that is right, and the share that these are of all
    right answers."""
    right = [own for own, likely in found if likely >= level]
    if not right:
        return "–"
    return f"{sum(right) / len(right):.2f} of {len(right)}, {sum(right) / max(sum(own for own, _ in found), 1):.2f}"


def main() -> None:
    """Gather, tell or fit."""
    parser = argparse.ArgumentParser(description="The choice among readings, by graphs left out.")
    parser.add_argument("what", choices=("gather", "table", "fit"))
    parser.add_argument("sets", nargs="*", metavar="SET", help="what to gather; all where none is given")
    parser.add_argument("--each", type=int, default=12, metavar="N", help="questions of each set; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no other set after so many")
    parser.add_argument("--by-set", action="store_true", help="tell each set, not groups of them")
    options = parser.parse_intermixed_args()
    if options.what == "gather":
        names = options.sets or every_set()
        gather(names, each=options.each, seed=options.seed, minutes=options.minutes)
    elif options.what == "table":
        questions = kept()
        table(HEADER, list(rows_of(questions, left_out(questions), by_set=options.by_set)))
    else:
        weights = {name: dict(found.by_name) for name, found in trained(kept()).items()}
        print(json.dumps(weights, indent=1))


if __name__ == "__main__":
    main()
