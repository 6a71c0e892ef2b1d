"""Counting in `benchmarks.reading`."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reading import Asked, asked, questions_of, rows_of
from kgneo.asking.question import open_context
from kgneo.evaluation.metrics import score
from kgneo.graph import Graph
from kgneo.model import Answer
from kgneo.questions import Question

LINES = """\
{"question": "Which painters live in Lisbon?", "type": "value", "answers": ["Ines", "Rui"]}
{"question": "Which painters live in Porto?", "type": "value", "answers": ["Ines"]}
{"question": "Which painters live in Atlantis?", "type": "unanswerable", "answers": []}
"""


def answered(gold: tuple[str, ...], found: tuple[str, ...], confidence: float, kind: str = "value") -> Asked:
    """A question with an answer."""
    question = Question("1", "who?", gold, type=kind)
    answer = Answer("who?", "paths", ", ".join(found), answers=found, confidence=confidence)
    return Asked(question, answer, score(answer, question), 10.0)


@pytest.fixture
def painters(graph: Graph) -> Graph:
    graph.write("UNWIND ['Ines', 'Rui'] AS name CREATE (:Painter {name: name, city: 'Lisbon'})")
    graph.write("CREATE (:Painter {name: 'Zoe', city: 'Porto'})")
    return graph


def test_answers_over_a_graph_are_counted_by_type(painters: Graph, tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(LINES, encoding="utf-8")
    found = list(asked(open_context(painters), questions_of(file, limit=None, seed=0)))
    rows = {row[1]: row[2:5] for row in rows_of("painters", found)}
    assert rows == {"value": (2, 0.5, 0.5), "unanswerable": (1, 1.0, 1.0), "all": (3, 2 / 3, 2 / 3)}


def test_a_part_of_the_answers_is_not_exact_but_hits() -> None:
    [row] = rows_of("set", [answered(("Ada", "Ben"), ("Ada",), 0.5)])
    assert row[3:5] == (0.0, 1.0)


def test_only_answers_that_are_sure_count_as_sure() -> None:
    found = [answered(("Ada",), ("Ada",), 0.8), answered(("Ada",), ("Ben",), 0.9), answered(("Ada",), ("Ada",), 0.79)]
    [row] = rows_of("set", found)
    assert row[5:7] == (0.5, 2)


def test_an_answer_that_is_not_sure_is_right_where_the_graph_has_none() -> None:
    [row] = rows_of("set", [answered((), ("Ada",), 0.19), answered((), ("Ada",), 0.21)])
    assert row[3] == 0.5
