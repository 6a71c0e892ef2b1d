"""Gathering and fitting in `benchmarks.choice`: signs of readings, their probabilities, what is chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.choice import record_of, sure
from benchmarks.choice_fit import Gathered, Judged, Weights, fit, folds_of, left_out, likelihoods
from benchmarks.choice_fit import gathered as read_back
from benchmarks.choice_signs import Found, signs_of, signs_of_found
from kgneo.asking import open_context
from kgneo.graph import Graph
from kgneo.query.graph import Condition, QueryGraph, Value, Variable
from kgneo.questions import Question
from kgneo.reading.read import Interpretation

PAINTERS = QueryGraph((Variable("x0", ("Painter",)),), Value("x0"))
IN_PORTO = replace(PAINTERS, conditions=(Condition(Value("x0", "city"), "=", ("Porto",)),))
SOME = Found(("Ines",), 1, empty=False)
NONE = Found((), 0, empty=True)
ASKED = [Interpretation(IN_PORTO, 1.0), Interpretation(PAINTERS, 0.6, silent=0.5, unsaid=("Porto",))]


def whole_signs(found: Found, other: Found | None = None) -> list[dict[str, float]]:
    ran = [found, other]
    return [signs_of(ASKED, number) | signs_of_found(ASKED, ran, number) for number in range(2)]


def test_probabilities_leave_room_for_none_being_right() -> None:
    shares = Weights({"whole": 2.0}).probabilities(whole_signs(SOME))
    assert all(0.0 < share < 1.0 for share in shares)
    assert sum(shares) < 1.0
    assert Weights({}).probabilities([]) == []


@pytest.mark.parametrize("sign", ["empty", "silent", "unsaid"])
def test_signs_tell_what_speaks_against_a_reading(sign: str) -> None:
    found = [signs_of(ASKED, 0) | signs_of_found(ASKED, [SOME], 0), signs_of(ASKED, 1)]
    against = [signs_of(ASKED, 0) | signs_of_found(ASKED, [NONE], 0), signs_of(ASKED, 1)]
    place = 0 if sign == "empty" else 1
    assert against[place][sign] > found[0][sign] == 0.0


def test_readings_that_find_the_same_are_right_together() -> None:
    weights = Weights({"first": 1.0})
    signs = whole_signs(SOME, SOME)
    shares = weights.probabilities(signs)
    assert likelihoods(weights, signs, [SOME, SOME]) == pytest.approx([sum(shares)] * 2)
    assert likelihoods(weights, signs, [SOME, NONE]) == pytest.approx(shares)


def test_what_was_not_run_takes_its_share() -> None:
    weights = Weights({})
    assert likelihoods(weights, whole_signs(SOME), [SOME]) == pytest.approx([1 / 3])


def test_what_is_gathered_of_a_question_is_read_back(graph: Graph, tmp_path: Path) -> None:
    graph.write("CREATE (:Painter {name: 'Ines', city: 'Lisbon'}), (:Painter {name: 'Zoe', city: 'Porto'})")
    question = Question("1", "Which painters live in Lisbon?", ("Ines",))
    file = tmp_path / "painters.jsonl"
    file.write_text(json.dumps(record_of(open_context(graph), question), default=float) + "\n", encoding="utf-8")
    [found] = read_back(file)
    assert (found.name, found.exact, found.answerable, found.right[0]) == ("painters", True, True, True)
    assert found.readings[0].found == SOME


def gathered(name: str, right: tuple[bool, bool]) -> Gathered:
    empty = Judged(ASKED[0], NONE, right[0])
    return Gathered(name, (empty, Judged(ASKED[1], SOME, right[1])), exact=right[0], confidence=0.5, answerable=True)


def test_weights_are_fitted_to_what_is_right_and_to_how_often_nothing_is() -> None:
    signs = [{"whole": 1.0}, {"whole": 0.0}]
    weights = fit([(signs, [True, False])] * 60 + [(signs, [False, False])] * 40, ridge=0.01)
    assert weights.probabilities(signs)[0] == pytest.approx(0.6, abs=0.05)


def test_the_choice_for_a_graph_is_learned_from_others() -> None:
    questions = [gathered(name, (False, True)) for name in ("a", "b", "c", "d")]
    assert all(item.right and item.confidence > 0.4 for item in left_out(questions, folds=4))


def test_two_sets_about_one_graph_are_left_out_together() -> None:
    fold = folds_of(["geoquery", "geoquery-triples", "company"], 2)
    assert fold["geoquery"] == fold["geoquery-triples"] != fold["company"]


def test_sure_answers_are_told_with_what_they_cover() -> None:
    assert sure([(True, 0.9), (False, 0.8), (True, 0.7)], 0.8) == "0.50 of 2, 0.50"
    assert sure([(True, 0.7)], 0.8) == "–"
