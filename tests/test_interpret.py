"""The form of answer that a question's text asks for."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.english.intent import Intent, interpret, plain_question
from kgneo.english.question import MaskedQuestion
from tests.path_questions import GRAPHS


def marked(text: str) -> MaskedQuestion:
    """A question with every topic entity in [brackets]."""
    plain = ""
    spans = []
    for piece in re.split(r"(\[.*?\])", text):
        inner = piece[1:-1] if piece.startswith("[") else piece
        if piece.startswith("["):
            spans.append((len(plain), len(plain) + len(inner)))
        plain += inner
    return MaskedQuestion(plain, tuple(spans))


def test_a_plain_question_asks_for_names() -> None:
    assert interpret(marked("who founded [Quill]?")) == Intent()


def test_how_many_asks_for_a_count() -> None:
    assert interpret(marked("how many songs did [Ann] write?")).kind == "count"


def test_two_entities_after_an_auxiliary_ask_for_yes_or_no() -> None:
    assert interpret(marked("Did [Ann] write [Rain]?")).kind == "yes_no"


def test_one_entity_after_an_auxiliary_does_not() -> None:
    assert interpret(marked("Is [Rain] any good?")).kind == "names"


def test_a_polite_request_is_no_question_of_yes_or_no() -> None:
    assert interpret(marked("can you name a song by [Ann] and [Bob]?")).kind == "names"


def test_the_latest_is_the_greatest_value() -> None:
    intent = interpret(marked("what is the latest song of [Ann]?"))
    assert (intent.kind, intent.direction, intent.extreme) == ("superlative", "greatest", "latest")


def test_the_oldest_has_the_least_date() -> None:
    assert interpret(marked("who is the oldest player of [Quill]?")).direction == "least"


def test_at_least_is_no_superlative() -> None:
    intent = interpret(marked("which songs of [Ann] have at least 3 verses?"))
    assert (intent.kind, intent.operator, intent.values) == ("comparison", ">=", ("3",))


def test_a_last_name_is_no_superlative() -> None:
    assert interpret(marked("what is the last name of [Ann]?")).kind == "names"


@pytest.mark.parametrize(
    ("text", "operator", "values"),
    [
        ("which songs did [Ann] write before 1990?", "<", ("1990",)),
        ("which songs did [Ann] write after 1990-05-01?", ">", ("1990-05-01",)),
        ("which songs did [Ann] write since the year 1990?", ">=", ("1990",)),
        ("which songs did [Ann] write between 1990 and 1995?", "between", ("1990", "1995")),
        ("which songs did [Ann] write from 1990 to 1995?", "between", ("1990", "1995")),
        ("which cities of [Peru] have more than 1,000,000 people?", ">", ("1000000",)),
        ("which songs did [Ann] write in 1990?", "=", ("1990",)),
    ],
)
def test_a_comparison_has_its_operator_and_values(text: str, operator: str, values: tuple[str, ...]) -> None:
    intent = interpret(marked(text))
    assert (intent.kind, intent.operator, intent.values) == ("comparison", operator, values)


def test_a_number_in_a_name_is_no_value() -> None:
    assert interpret(marked("what was released in [1990]?")).kind == "names"


def test_several_entities_are_told() -> None:
    assert interpret(marked("which songs did [Ann] and [Bob] write?")).several


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("how many songs did [Ann] write?", "which songs did Ann write?"),
        ("what is the number of songs by [Ann]?", "what are the songs by Ann?"),
        ("which songs did [Ann] write before 1990?", "which songs did Ann write ?"),
        ("what was the first song of [Ann]?", "what was the song of Ann?"),
        ("who wrote [The First Song]?", "who wrote The First Song?"),
    ],
)
def test_the_words_of_the_form_can_be_left_out(text: str, plain: str) -> None:
    assert plain_question(marked(text)).text == plain


def test_mentions_stay_marked_when_words_are_left_out() -> None:
    question = plain_question(marked("how many of the songs that [Ann] wrote are on [First Rain]?"))
    assert [question.text[start:end] for start, end in question.spans] == ["Ann", "First Rain"]


@pytest.mark.parametrize("name", ["music", "science", "codes", "people-paths"])
def test_the_questions_of_the_hand_made_graphs_are_understood(name: str) -> None:
    wrong = []
    for line in (GRAPHS / name / "questions-special.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        intent = interpret(marked(record["question"]))
        expected = "names" if record["kind"] == "intersection" else record["kind"]
        direction = {"min": "least", "max": "greatest"}.get(record.get("pick", ""), "")
        operator = {"before": "<", "after": ">", "between": "between"}.get(record.get("test", ""), "")
        found = (intent.kind, intent.direction, intent.operator, intent.values)
        if found != (expected, direction, operator, tuple(record.get("bounds", ()))):
            wrong.append((record["question"], found))
    assert not wrong


@given(st.text(max_size=80), st.integers(0, 80), st.integers(0, 80))
def test_any_text_is_interpreted_and_keeps_its_mention(text: str, first: int, second: int) -> None:
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    spans = ((start, end),) if end > start else ()
    question = MaskedQuestion(text, spans)
    interpret(question)
    kept = [plain_question(question).text[begin:stop] for begin, stop in plain_question(question).spans]
    assert kept == [text[begin:stop] for begin, stop in spans]
