"""Questions cut into words, what is asked for, and signs of sharing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgneo.english.question import TOPIC, MaskedQuestion, QuestionParts, question_parts
from tests.path_questions import masked


def parts(text: str) -> QuestionParts:
    return question_parts(masked(text))


def head(text: str) -> list[str]:
    found = parts(text)
    return [found.words[index] for index in found.head]


def test_the_topic_entity_stands_as_one_word_however_long_its_name() -> None:
    found = parts("who painted [The Night Watch]?")
    assert found.words == ("who", "painted", TOPIC)
    assert found.topic == 2


def test_words_without_a_meaning_of_their_own_are_left_out() -> None:
    found = parts("who are the students of [Max Born]")
    assert [found.words[index] for index in found.content] == ["students"]


def test_the_noun_after_which_is_what_is_asked_for() -> None:
    assert head("which cities lie on the [Rhine]") == ["cities"]


def test_the_noun_is_found_at_the_end_of_a_question_too() -> None:
    assert head("[Max Born] studied at which universities") == ["universities"]


def test_of_a_compound_the_last_noun_is_asked_for() -> None:
    assert head("what are the phone numbers of [Quill]") == ["numbers"]
    assert head("which phone number does [Quill] have") == ["number"]


def test_a_verb_after_the_noun_is_not_asked_for() -> None:
    assert head("which person founded [Quill]") == ["person"]
    assert head("list the companies founded by [Ada Novak]") == ["companies"]
    assert head("list all services using [log-all]") == ["services"]


def test_a_request_names_what_is_asked_for() -> None:
    assert head("list all rivers of [Poland]") == ["rivers"]


def test_a_relative_which_is_not_the_question() -> None:
    assert head("What currencies are used along the river on which [Cologne] lies?") == ["currencies"]


def test_who_asks_at_the_end_as_at_the_start() -> None:
    assert parts("[Quill] was founded by who").asked == "who"
    assert parts("who founded [Quill]").asked == "who"


def test_words_of_sharing_are_seen() -> None:
    assert parts("which bands have the same singer as [Queen]").sharing
    assert parts("who were the teammates of [Brian May]").sharing
    assert not parts("which bands has [Brian May] been in").sharing


def test_a_question_without_an_entity_puts_it_at_the_end() -> None:
    found = question_parts(MaskedQuestion("which rivers are there"))
    assert found.topic == len(found.words)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_can_be_cut(text: str) -> None:
    found = question_parts(MaskedQuestion(text))
    assert all(0 <= index < len(found.words) for index in (*found.content, *found.head))
