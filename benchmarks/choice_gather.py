"""Gathering for the choice among readings: what each reading of a question finds, and whether that is right.

Comes in: a graph with questions. Goes out: a record a question, which `benchmarks.choice_fit` reads back. Besides the
questions that a graph has, of databases there are three kinds that it cannot answer, and that nobody wrote: questions
of another database (crossed), those in which a name is another database's (swapped), and those about a kind of thing
that was left out when the graph was loaded (ablated).
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks import databases
from benchmarks.reading import answered
from kgneo.context import Context
from kgneo.errors import GraphError
from kgneo.evaluation.metrics import score
from kgneo.graph import Graph
from kgneo.graph.run import Result
from kgneo.model import Answer
from kgneo.query.json import to_json
from kgneo.questions import Question
from kgneo.reading.read import Interpretation
from kgneo.stages.interpret import run_query
from kgneo.stages.run_readings import Answered, likeness, run_readings

LONGEST = 1.5
"""Seconds that a reading may take."""
SHOWN = 30
"""Answers of each that are kept."""
WEIGHED = 12
"""Readings, best first by the reader, that are kept."""
KEPT = ("score", "silent", "nouns", "named", "loose", "measured", "plain_chain", "bare", "kind", "vacuous", "spelt",
        "order", "along", "means", "against")  # fmt: skip
"""What is kept of a reading as it is."""
COUNTED = ("ignored", "unsaid", "mentions", "open_names")
"""Of these it is kept how many they are."""
NAMES = re.compile(r"= '([A-Z][^'%]{3,30})'")
"""Values in gold queries that are names."""
TABLES = re.compile(r"\b(?:from|join)\s+[`\"]?(\w+)", re.IGNORECASE)


def record_of(context: Context, question: Question, kind: str) -> dict[str, Any]:
    """A question with what is answered, and its readings, each with what it finds and whether that is right."""
    readings: list[Interpretation] = []
    results: dict[int, Result] = {}

    def recorded(
        context: Context, text: str, given: Sequence[Interpretation], known: Mapping[int, Result] | None = None
    ) -> Answered | None:
        readings[:] = given
        results.clear()
        results.update(known or {})
        return run_readings(context, text, given, known)

    with patch("kgneo.strategies.paths.run_readings", recorded):  # an answer does not tell its readings
        answer = answered(context, question.text)
    kept = distinct(readings)[:WEIGHED]
    return {
        "question": question.text,
        "kind": kind,
        "gold": len(question.gold),
        "exact": score(answer, question).exact,
        "confidence": answer.confidence,
        "outcome": answer.outcome,
        "answers": list(answer.answers[:SHOWN]),
        "readings": [_reading(context, question, readings[place], results.get(place)) for place in kept],
    }


def distinct(readings: Sequence[Interpretation]) -> list[int]:
    """The places of the readings, of those with the same query graph the first."""
    first: dict[object, int] = {}
    for place, item in enumerate(readings):
        first.setdefault((item.graph, item.along is None), place)
    return list(first.values())


def _reading(context: Context, question: Question, item: Interpretation, result: Result | None) -> dict[str, Any]:
    kept = {name: getattr(item, name) for name in KEPT} | {name: len(getattr(item, name)) for name in COUNTED}
    kept |= {"graph": to_json(item.meant or item.graph)}
    try:
        found = result or run_query(context, item.graph, timeout=LONGEST, whole=False)
    except GraphError:
        return {**kept, "late": True, "right": False}
    text = ", ".join(found.answers) or "none"
    answer = Answer(question.text, "paths", text, answers=found.answers, answer_nodes=found.nodes, confidence=1.0)
    like = 0.0 if item.along is not None else likeness(context.encoder, question.text, item.wording)
    known = {"answers": list(found.answers[:SHOWN]), "found": len(found.answers), "empty": found.empty}
    right = bool(question.gold and score(answer, question).exact)
    return {**kept, **known, "likeness": like, "late": False, "right": right}


# Questions that a graph cannot answer --------------------------------------------------------------------------------


def without_answer(question: Question, text: str = "") -> Question:
    """The question, in another text where one is given, of a graph that holds no answer."""
    return replace(question, text=text or question.text, answers=(), nodes=())


def crossed(at: Path, other: Path, *, each: int, seed: int) -> list[Question]:
    """Questions of another database that speak of no label of this one."""
    labels = labels_of(at)
    found = [item for item in _every(other) if not any(_speaks(item.text, label) for label in labels)]
    draw = random.Random(seed)  # noqa: S311
    return [without_answer(item) for item in draw.sample(found, min(each, len(found)))]


def swapped(at: Path, other: Path, *, each: int, seed: int) -> list[Question]:
    """Questions in which a name stands that is another database's, and not in this one, in place of their own."""
    text = "".join(file.read_text(encoding="utf-8", errors="ignore") for file in sorted((at / "graph").glob("*.csv")))
    own, others = _names_of(at), [name for name in _names_of(other) if name not in text]
    draw = random.Random(seed)  # noqa: S311
    named = [(item, name) for item in _every(at) if (name := next((name for name in own if name in item.text), ""))]
    drawn = draw.sample(named, min(each, len(named))) if others else []
    return [without_answer(item, item.text.replace(name, draw.choice(others))) for item, name in drawn]


def ablated(at: Path, *, each: int, seed: int) -> tuple[str, list[Question]]:
    """A label, and questions that cannot be answered without it; nothing where there is but one."""
    gold, labels = _gold(at), labels_of(at)
    uses = {
        label: [item for item in _every(at) if any(_is_of(table, label) for table in TABLES.findall(gold[item.text]))]
        for label in labels
    }
    used = [label for label in labels if uses[label]]
    if len(labels) < 2 or not used:
        return "", []
    draw = random.Random(seed)  # noqa: S311
    label = draw.choice(used)
    return label, [without_answer(item) for item in draw.sample(uses[label], min(each, len(uses[label])))]


def fill_without(graph: Graph, at: Path, label: str) -> None:
    """A database without the nodes of a label and their relationships, in place of what is there."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / at.name
        (place / "graph").mkdir(parents=True)
        for file in (at / "graph").glob("*.csv"):
            head = file.read_text(encoding="utf-8").partition("\n")[0]
            if file.stem != label and label not in re.findall(r"_ID\(([^)]*)\)", head):
                shutil.copy(file, place / "graph" / file.name)
        databases.fill(graph, place)


def labels_of(at: Path) -> list[str]:
    """The labels of a database: its files of nodes."""
    return sorted(file.stem for file in (at / "graph").glob("*.csv") if "-" not in file.stem)


def _every(at: Path) -> Sequence[Question]:
    return databases.questions(at, each=0, seed=0, other_words=False)


def _gold(at: Path) -> dict[str, str]:
    """The gold query of each question."""
    return {record["question"]: record["sql"] for record in _records(at)}


def _records(at: Path) -> Iterator[dict[str, Any]]:
    for line in (at / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _names_of(at: Path) -> list[str]:
    return sorted({name for sql in _gold(at).values() for name in NAMES.findall(sql)})


def _speaks(text: str, label: str) -> bool:
    words = re.findall(r"[A-Z][a-z]+|[a-z]+", label)
    return any(word.lower()[:-1] in text.lower() for word in words if len(word) > 2)


def _is_of(table: str, label: str) -> bool:
    return label.lower()[:-1] in table.lower().replace("_", "")
