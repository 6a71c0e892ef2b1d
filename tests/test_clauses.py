"""Questions about two things, cut into one about each."""

from __future__ import annotations

import pytest

from kgneo.english.clauses import clauses
from kgneo.english.question import TOPIC, MaskedQuestion
from tests.path_questions import masked


def both(text: str) -> tuple[str, str] | None:
    first, second = text.index("["), text.rindex("[")
    spans = ((first, text.index("]") + 1), (second, text.rindex("]") + 1))
    cut = clauses(MaskedQuestion(text, spans))
    return cut and (" ".join(cut[0]).replace(TOPIC, "X"), " ".join(cut[1]).replace(TOPIC, "Y"))


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Which works by [A] hang in the [B]?", "which works by X", "which works hang in the Y"),
        ("Who plays for [A] and comes from [B]?", "who plays for X", "who comes from Y"),
        ("What pictures does [A] own that hang in [B]?", "what pictures does X own", "what pictures hang in Y"),
        ("Which members of [A] live in [B]?", "which members of X", "which live in Y"),
        ("Which albums did [A] release in [B]?", "which albums did X release", "which albums release in Y"),
        ("Which films did [A] direct and [B] star in?", "which films did X direct", "which films did Y star in"),
    ],
)
def test_each_name_gets_the_words_that_speak_of_it(text: str, first: str, second: str) -> None:
    assert both(text) == (first, second)


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("Which films star [A] and [B]?", "which films star X", "which films star Y"),
        ("Which courses do both [A] and [B] take?", "which courses do X take", "which courses do Y take"),
    ],
)
def test_names_in_a_row_share_all_words(text: str, first: str, second: str) -> None:
    assert both(text) == (first, second)


def test_a_question_that_does_not_begin_with_what_it_asks_for_is_not_cut() -> None:
    assert both("[A] and [B] were directed by whom?") is None


def test_a_question_about_one_thing_is_not_cut() -> None:
    assert clauses(masked("Which films star [A]?")) is None
