"""Gathering for the choice among readings: what each reading of a question finds, and whether that is right.

Comes in: a graph with questions. Goes out: a record a question, which `benchmarks.choice_fit` reads back. Besides the
questions that a graph has, of databases there are three kinds that it cannot answer, and that nobody wrote: questions
of another database (crossed), those in which a name is another database's (swapped), and those about a kind of thing,
a relationship type or a property that was left out when the graph was loaded (ablated).
"""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
        "order", "along", "means", "against", "headless")  # fmt: skip
"""What is kept of a reading as it is."""
COUNTED = ("ignored", "unsaid", "mentions", "open_names")
"""Of these it is kept how many they are."""
NAMES = re.compile(r"= '([A-Z][^'%]{3,30})'")
"""Values in gold queries that are names."""
COLUMNS = re.compile(r"[`\"]?(\w+)")
"""Words of gold queries, among them the columns."""
ORDERED = re.compile(r"\border by\b.*", re.IGNORECASE)
"""What of a gold query only says the order of what it finds, where it has no limit."""
NAMING = re.compile(r"name|title|id$", re.IGNORECASE)
"""What columns are called by which a node is named."""
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
    like = likeness(context.encoder, question.text, item.wording)
    known = {"answers": list(found.answers[:SHOWN]), "found": len(found.answers), "empty": found.empty}
    right = bool(question.gold and score(answer, question).exact)
    return {**kept, **known, "likeness": like, "late": False, "right": right}


@dataclass(frozen=True)
class Part:
    """What is left out of a database: a file, or a `column` of it; of a file of relationships, the labels at their
    `ends`."""

    file: str
    column: str = ""
    ends: tuple[str, ...] = ()


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


def ablated(at: Path, kind: str, *, each: int, seed: int) -> tuple[Part | None, list[Question]]:
    """What is left out of a database, a "label", a "type" of relationships or a "property", and questions that cannot
    be answered without it; nothing where no question speaks of one."""
    gold, parts = _gold(at), _parts(at)[kind]
    uses = {part: [item for item in _every(at) if _is_used(part, gold[item.text])] for part in parts}
    used = [part for part in parts if uses[part]]
    if not used:
        return None, []
    draw = random.Random(seed)  # noqa: S311
    part = draw.choice(used)
    return part, [without_answer(item) for item in draw.sample(uses[part], min(each, len(uses[part])))]


def fill_without(graph: Graph, at: Path, part: Part) -> None:
    """A database without a part of it, in place of what is there: with a label go its relationships."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name) / at.name
        (place / "graph").mkdir(parents=True)
        for file in (at / "graph").glob("*.csv"):
            if part.column and file.stem == part.file:
                _copy_without(file, place / "graph" / file.name, part.column)
            elif part.column or (file.stem != part.file and part.file not in _ends(file)):
                shutil.copy(file, place / "graph" / file.name)
        databases.fill(graph, place)


def _copy_without(file: Path, to: Path, column: str) -> None:
    with file.open(encoding="utf-8", newline="") as source, to.open("w", encoding="utf-8", newline="") as target:
        rows = csv.reader(source)
        head = next(rows)
        kept = [place for place, name in enumerate(head) if name.partition(":")[0] != column]
        csv.writer(target).writerows([row[place] for place in kept] for row in (head, *rows))


def _parts(at: Path) -> dict[str, list[Part]]:
    """What may be left out of a database, by its kind: a label only where there is another one, and no property that
    names a node."""
    files = sorted((at / "graph").glob("*.csv"))
    nodes = [file for file in files if not _ends(file)]
    columns = [(file, name.partition(":")[0]) for file in files for name in _head(file).split(",")]
    return {
        "label": [Part(label) for label in labels_of(at)] if len(nodes) > 1 else [],
        "type": [Part(file.stem, ends=tuple(_ends(file))) for file in files if len(set(_ends(file))) == 2],
        "property": [Part(file.stem, name) for file, name in columns if name and not NAMING.search(name)],
    }


def _is_used(part: Part, sql: str) -> bool:
    """Whether what a gold query finds depends on a part; its order does not."""
    sql = sql if " LIMIT " in sql.upper() else ORDERED.sub("", sql)
    tables = TABLES.findall(sql)
    if part.ends:
        return all(any(_is_of(table, end) for table in tables) for end in part.ends)
    words = {word.replace("_", "").lower() for word in COLUMNS.findall(sql)}
    spoken = not part.column or part.column.lower() in words
    return spoken and any(_is_of(table, part.file.partition("-")[0]) for table in tables)


def _head(file: Path) -> str:
    with file.open(encoding="utf-8") as lines:
        return lines.readline().strip()


def _ends(file: Path) -> list[str]:
    """The labels that a file's relationships join; none where it has nodes."""
    return re.findall(r"(?:START|END)_ID\(([^)]*)\)", _head(file))


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
