"""Reading what is not there, what is true or false, and what a list holds, of a small graph of a library."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.server import RunningServer
from tests.conftest import connect, wipe

LIBRARY = """
CREATE (mona:Reader {name: 'Mona Feld', vip: true, email: 'mona@feld.example', born: 1980}),
       (nils:Reader {name: 'Nils Aker', vip: false, born: 1991}),
       (olga:Reader {name: 'Olga Brandt', vip: false, email: 'olga@brandt.example', born: 1975}),
       (dunes:Book {title: 'Dunes of Salt', genre: 'novel', subjects: ['sea', 'desert'], pages: 310,
                    has_index: false, loan_allowed: true}),
       (herons:Book {title: 'The Grey Herons', genre: 'essay', subjects: ['sea', 'birds'], pages: 120,
                     has_index: true, loan_allowed: true}),
       (atlas:Book {title: 'Atlas of Stones', genre: 'reference', subjects: ['desert', 'stones'], pages: 800,
                    has_index: true, loan_allowed: false}),
       (pia:Librarian {name: 'Pia Lund'}), (rolf:Librarian {name: 'Rolf Asmus'}), (sven:Librarian {name: 'Sven Ost'}),
       (mona)-[:BORROWED {renewed: true, day: 3}]->(dunes), (mona)-[:BORROWED {renewed: false, day: 9}]->(herons),
       (olga)-[:BORROWED {renewed: false, day: 4}]->(dunes), (nils)-[:RESERVED {day: 8}]->(herons),
       (pia)-[:SUPERVISES {since: 2019}]->(rolf), (rolf)-[:SUPERVISES {since: 2021}]->(sven),
       (shelf:Shelf {code: 'Hall A'}), (:Shelf {code: 'Hall B'})-[:TRANSFERRED_TO]->(shelf),
       (dunes)-[:STANDS_ON]->(shelf), (herons)-[:STANDS_ON]->(shelf), (atlas)-[:STANDS_ON]->(shelf),
       (pia)-[:CATALOGUED]->(dunes), (rolf)-[:CATALOGUED]->(herons),
       (pia)-[:REPAIRED]->(dunes), (rolf)-[:REPAIRED]->(dunes)
"""


@pytest.fixture(scope="module")
def library(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """A library with its readers, books and librarians."""
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(LIBRARY)
        yield open_context(graph, encoder=encoder)


def found(library: Context, question: str) -> set[str]:
    return set(ask(library, question).answers)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which readers never borrowed anything?", {"Nils Aker"}),
        ("Which readers haven't borrowed any books?", {"Nils Aker"}),
        ("books nobody has ever borrowed", {"Atlas of Stones"}),
        ("Which librarians have no supervisor?", {"Pia Lund"}),
        ("librarians who supervise nobody", {"Sven Ost"}),
        ("Which librarians don't supervise anyone?", {"Sven Ost"}),
        ("librarians not supervised by anyone", {"Pia Lund"}),
        ("shelves where no book stands", {"Hall B"}),
    ],
)
def test_a_relationship_that_is_denied_must_not_be_there(library: Context, question: str, expected: set[str]) -> None:
    assert found(library, question) == expected


def test_a_relationship_that_is_said_of_something_is_there_without_a_name_at_its_other_end(library: Context) -> None:
    assert found(library, "Which readers reserved something?") == {"Nils Aker"}


@pytest.mark.parametrize("question", ["Which readers borrowed more than one?", "readers with more than 1 borrowing"])
def test_a_number_behind_what_is_said_alone_counts_its_relationships(library: Context, question: str) -> None:
    assert found(library, question) == {"Mona Feld"}


def test_what_a_verb_says_of_something_unknown_is_not_said_of_all(library: Context) -> None:
    answer = ask(library, "Which readers never borrowed newspapers?")
    assert answer.outcome in ("not_in_graph", "not_understood")
    assert answer.answers == ()


def test_what_is_true_of_a_relationship_is_a_test_of_it(library: Context) -> None:
    assert found(library, "Which readers had a renewed loan?") == {"Mona Feld"}


@pytest.mark.parametrize("question", ["readers without an email", "Which readers have no email?"])
def test_a_property_that_is_denied_is_missing(library: Context, question: str) -> None:
    assert found(library, question) == {"Nils Aker"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which books have an index?", {"The Grey Herons", "Atlas of Stones"}),
        ("Which books don't have an index?", {"Dunes of Salt"}),
        ("books for which a loan is not allowed", {"Atlas of Stones"}),
        ("Does Dunes of Salt have an index?", {"no"}),
    ],
)
def test_words_of_there_is_and_may_are_no_part_of_what_is_true(
    library: Context, question: str, expected: set[str]
) -> None:
    assert found(library, question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which books are about the sea and the desert?", {"Dunes of Salt"}),
        ("Which books are about the sea or stones?", {"Dunes of Salt", "The Grey Herons", "Atlas of Stones"}),
        ("Which books are about the desert but not the sea?", {"Atlas of Stones"}),
        ("Which books are not novels?", {"The Grey Herons", "Atlas of Stones"}),
        ("Which books are neither novels nor essays?", {"Atlas of Stones"}),
        ("books other than essays", {"Dunes of Salt", "Atlas of Stones"}),
    ],
)
def test_values_are_held_or_denied_as_the_words_between_them_say(
    library: Context, question: str, expected: set[str]
) -> None:
    assert found(library, question) == expected


def test_all_before_a_participle_and_a_noun_is_no_word_for_people(library: Context) -> None:
    assert found(library, "give me all borrowed books") == {"Dunes of Salt", "The Grey Herons"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("give me all reserved books", {"The Grey Herons"}),
        ("all repaired books", {"Dunes of Salt"}),
        ("How many borrowed books are there?", {"2"}),
    ],
)
def test_a_participle_before_a_noun_says_a_relationship_of_it(
    library: Context, question: str, expected: set[str]
) -> None:
    assert found(library, question) == expected


def test_that_none_is_without_something_is_an_answer(library: Context) -> None:
    answer = ask(library, "Which books stand on no shelf?")
    assert (answer.answers, answer.answer) == ((), "none")


def test_a_negation_that_a_reading_says_nothing_about_is_told(library: Context) -> None:
    assert any("'not'" in warning for warning in ask(library, "Which novels are not glossy?").warnings)


def test_who_does_something_is_not_to_whom_it_is_done(library: Context) -> None:
    assert found(library, "Which librarians supervise somebody?") == {"Pia Lund", "Rolf Asmus"}


def test_a_noun_for_what_is_done_between_two_of_a_kind_is_neither_of_them(library: Context) -> None:
    assert found(library, "Which shelves never received a transfer?") == {"Hall B"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which librarians catalogued and repaired Dunes of Salt?", {"Pia Lund"}),
        ("Who catalogued or repaired Dunes of Salt?", {"Pia Lund", "Rolf Asmus"}),
        ("books catalogued or repaired by Rolf Asmus", {"Dunes of Salt", "The Grey Herons"}),
        ("Which readers either borrowed or reserved The Grey Herons?", {"Mona Feld", "Nils Aker"}),
        ("Which librarians repaired a book that they catalogued?", {"Pia Lund"}),
        ("Which librarians repaired a book that they did not catalogue themselves?", {"Rolf Asmus"}),
    ],
)
def test_two_verbs_join_the_same_two_things(library: Context, question: str, expected: set[str]) -> None:
    assert found(library, question) == expected
