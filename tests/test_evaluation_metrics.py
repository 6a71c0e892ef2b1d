"""Scores of one answer, intervals of many, and tests of two."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.evaluation.compare import mcnemar, sign_flips
from kgneo.evaluation.metrics import Scores, bootstrap, percentile, score, spread, wilson
from kgneo.matching import fold
from kgneo.model import Answer
from kgneo.questions import Question

NAMES = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=12).filter(
    lambda name: fold(name) != ""
)


def scored(answers: list[str], gold: list[str], *, text: str = "", grounded: bool = False) -> Scores:
    return score(Answer("q", "paths", text, answers=tuple(answers), grounded=grounded), asked(gold))


def asked(gold: list[str]) -> Question:
    return Question("1", "q", tuple(gold))


def test_the_first_answer_alone_decides_hit_at_1() -> None:
    assert scored(["Ulm", "Bonn"], ["Ulm"]).hit_at_1 == 1
    assert scored(["Bonn", "Ulm"], ["Ulm"]).hit_at_1 == 0
    assert scored([], ["Ulm"]).hit_at_1 == 0


def test_precision_recall_and_f1_are_those_of_the_sets() -> None:
    found = scored(["Ulm", "Bonn", "Kiel"], ["Ulm", "Bonn", "Trier", "Jena"])
    assert (found.precision, found.recall) == (2 / 3, 2 / 4)
    assert found.f1 == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert scored(["Kiel"], ["Ulm"]).f1 == 0


def test_repeated_answers_count_once() -> None:
    assert scored(["Ulm", "ulm ", "ULM"], ["Ulm"]) == scored(["Ulm"], ["Ulm"])


def test_an_exact_set_has_all_answers_and_no_other() -> None:
    assert scored(["Bonn", "Ulm"], ["Ulm", "Bonn"]).exact == 1
    assert scored(["Ulm"], ["Ulm", "Bonn"]).exact == 0
    assert scored(["Ulm", "Bonn"], ["Ulm"]).exact == 0


def test_no_answer_is_unanswered_unless_a_strategy_answers_in_words_alone() -> None:
    assert scored([], ["Ulm"], text="not found").unanswered == 1
    words = Answer("q", "llm", "It is Ulm.")
    assert score(words, asked(["Ulm"]), in_words=True).unanswered == 0
    assert score(Answer("q", "llm", " "), asked(["Ulm"]), in_words=True).unanswered == 1


def test_grounded_is_what_the_answer_says() -> None:
    assert scored(["Ulm"], ["Ulm"], grounded=True).grounded == 1
    assert scored(["Ulm"], ["Ulm"]).grounded == 0


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("Brad Pitt", "The actor is brad  PITT.", True),
        ("Brad Pitt", "Pitt is the actor in question", False),
        ("It", "a film with it, and others", True),
        ("It", "a film without", False),
        ("196", "in 1967", False),
        ("1967", "(1967)", True),
        ("Straße", "STRASSE", True),
        ("Who?", "Who? And when?", True),
        ("C++", "C++", True),
        ("a", "ba a", True),
    ],
)
def test_a_gold_answer_is_found_in_the_text_as_whole_words(name: str, text: str, found: bool) -> None:
    assert scored([], [name], text=text).hit_at_1_text == found


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        (Answer("q", "paths", "not found", confidence=0.0), True),
        (Answer("q", "kg-rag", "Not in the graph."), True),
        (Answer("q", "paths", "Ulm", answers=("Ulm",), confidence=0.19), True),
        (Answer("q", "paths", "Ulm", answers=("Ulm",), confidence=0.2), False),
        (Answer("q", "kg-rag", "Ulm", answers=("Ulm",)), False),
        (Answer("q", "llm", "It is Ulm."), False),
    ],
)
def test_where_the_graph_holds_no_answer_saying_so_is_right(answer: Answer, right: bool) -> None:
    found = score(answer, asked([]))
    assert {found.hit_at_1, found.exact, found.f1} == {float(right)}


def test_any_gold_answer_in_the_text_is_a_hit() -> None:
    assert scored([], ["Ulm", "Bonn"], text="It is Bonn").hit_at_1_text == 1


@given(answers=st.lists(NAMES, max_size=6), gold=st.lists(NAMES, min_size=1, max_size=6), seed=st.randoms())
def test_scores_do_not_depend_on_case_white_space_or_the_order_of_the_rest(
    answers: list[str], gold: list[str], seed: object
) -> None:
    plain = scored(answers, gold)
    # Only names that come back from upper case as they went there: "ẞ" and "ß" do, "ŉ" does not.
    changed = [f"  {name.upper()}\t" if fold(name.upper()) == fold(name) else f"\n{name}  " for name in answers]
    rest = changed[1:]
    seed.shuffle(rest)  # type: ignore[attr-defined]
    again = list(reversed(gold))
    assert scored(changed[:1] + rest, again) == plain


@given(answers=st.lists(NAMES, max_size=8), gold=st.lists(NAMES, min_size=1, max_size=8))
def test_scores_agree_with_each_other(answers: list[str], gold: list[str]) -> None:
    found = scored(answers, gold)
    assert all(0 <= value <= 1 for value in found.to_dict().values())
    assert found.f1 <= max(found.precision, found.recall) + 1e-12
    assert (found.exact == 1) == (found.precision == found.recall == 1)
    assert found.hit_at_1 <= (found.recall > 0)


@given(NAMES)
def test_folding_twice_is_folding_once(name: str) -> None:
    assert fold(fold(name)) == fold(name)


@given(NAMES, st.text(max_size=20), st.text(max_size=20))
def test_a_name_between_blanks_is_found(name: str, before: str, after: str) -> None:
    assert scored([], [name], text=f"{before} {name} {after}").hit_at_1_text == 1


def test_intervals_hold_the_mean_and_are_the_same_for_the_same_seed() -> None:
    values = (np.arange(500)[:, None] % np.array([2, 4]) == 0).astype(float)
    ends = bootstrap(values, seed=4)
    assert np.all(ends[:, 0] <= values.mean(axis=0))
    assert np.all(values.mean(axis=0) <= ends[:, 1])
    assert np.array_equal(ends, bootstrap(values, seed=4))
    assert not np.array_equal(ends, bootstrap(values, seed=5))


def test_an_interval_is_as_wide_as_theory_says() -> None:
    values = (np.arange(1000)[:, None] % 2).astype(float)
    low, high = bootstrap(values)[0]
    assert high - low == pytest.approx(2 * 1.96 * math.sqrt(0.25 / 1000), rel=0.15)


def test_intervals_do_not_depend_on_the_block_size(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).random((70, 3))
    whole = bootstrap(values, resamples=50)
    monkeypatch.setattr("kgneo.evaluation.metrics.BLOCK", 70 * 7)
    assert np.allclose(bootstrap(values, resamples=50), whole)


def test_nothing_measured_gives_zeros() -> None:
    assert np.array_equal(bootstrap(np.zeros((0, 2))), np.zeros((2, 2)))
    assert np.array_equal(bootstrap(np.asarray([[0.5, 1.0]])), np.asarray([[0.5, 0.5], [1.0, 1.0]]))
    assert percentile(np.zeros(0), 0.5) == 0
    assert spread([0.3]) == 0
    assert wilson(0, 0) == (0, 1)


def test_the_wilson_interval_is_the_known_one() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.490, 0.943)


@pytest.mark.parametrize(("gained", "lost", "chance"), [(0, 0, 1.0), (5, 0, 2 / 32), (1, 4, 2 * 6 / 32), (3, 3, 1.0)])
def test_mcnemar_counts_splits_at_least_as_uneven(gained: int, lost: int, chance: float) -> None:
    assert mcnemar(gained, lost) == pytest.approx(chance)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_symmetric_and_a_probability(gained: int, lost: int) -> None:
    assert mcnemar(gained, lost) == mcnemar(lost, gained)
    assert 0 < mcnemar(gained, lost) <= 1


def test_mcnemar_takes_thousands() -> None:
    assert mcnemar(5000, 5000) == 1
    assert mcnemar(8000, 2000) < 1e-300


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=5, max_size=40))
def test_the_permutation_test_sees_a_difference_from_either_side(differences: list[float]) -> None:
    column = np.asarray(differences)[:, None]
    there, back = sign_flips(column, resamples=2000), sign_flips(-column, resamples=2000)
    assert there == pytest.approx(back, abs=0.1)
    assert 0 < there[0] <= 1


def test_equal_runs_differ_by_chance_and_a_large_difference_does_not() -> None:
    assert sign_flips(np.zeros((30, 1)))[0] == 1
    assert sign_flips(np.ones((1, 1)))[0] == 1
    assert sign_flips((np.arange(200)[:, None] % 4 != 0).astype(float))[0] < 0.001


def test_few_questions_are_tested_exactly() -> None:
    assert sign_flips(np.asarray([[1.0], [1.0], [1.0], [0.0]]))[0] == pytest.approx(2 / 8)
