"""Who does what: the direction of a step from the place of its word in the question."""

from __future__ import annotations

import pytest

from kgneo.english.question import question_parts
from kgneo.english.voice import doer, doer_in_question, names_reached
from tests.path_questions import masked


@pytest.mark.parametrize(
    ("name", "end"),
    [
        *(("taught_by", "object"), ("TRAINED", "subject"), ("TEACHES_AT", "subject"), ("member_of", "subject")),
        *(("knows", "subject"), ("age", ""), ("boss", "")),
    ],
)
def test_a_relations_name_says_which_end_does_it(name: str, end: str) -> None:
    assert doer(name) == end


@pytest.mark.parametrize(
    ("text", "word", "end"),
    [
        ("who taught [Ann]?", "taught", "reached"),
        ("which person taught [Ann]?", "taught", "reached"),
        ("who has taught [Ann]?", "taught", "reached"),
        ("whom did [Ann] teach?", "teach", "source"),
        ("which people has [Ann] taught?", "taught", "source"),
        ("who was taught by [Ann]?", "taught", "source"),
        ("by whom was [Ann] taught?", "taught", ""),
        ("[Ann] was taught by this person", "taught", "reached"),
        ("[Ann] was taught by who?", "taught", "reached"),
        ("who was [Ann] taught by?", "taught", "reached"),
        ("the bands [Ann] joined", "joined", "source"),
        ("where was [Ann] raised?", "raised", ""),
    ],
)
def test_a_words_place_says_which_end_does_it(text: str, word: str, end: str) -> None:
    parts = question_parts(masked(text))
    start = parts.words.index(word)
    assert doer_in_question(parts, start, start + 1) == end


def test_a_noun_of_the_entity_names_what_is_reached() -> None:
    parts = question_parts(masked("who is the teacher of [Ann]?"))
    assert names_reached(parts, parts.words.index("teacher") + 1)


def test_a_noun_after_the_entity_names_the_entity() -> None:
    parts = question_parts(masked("[Ann] is the teacher of whom?"))
    assert not names_reached(parts, parts.words.index("teacher") + 1)
