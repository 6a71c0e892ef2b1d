"""What a question asks for, beyond the schema's words: one of two, a year, a place, what is false, what is denied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.opposites import says
from kgneo.english.single import asks_for_one
from kgneo.english.synonyms import others_of
from kgneo.server import RunningServer
from tests.conftest import asked_on

SCHOOL = """
UNWIND [['Ada Moor', true, 1970, date('2010-03-01')], ['Bo Falk', false, 1982, date('2015-09-12')],
        ['Cleo Hart', false, 1991, date('2020-01-20')]] AS row
CREATE (:Coach {name: row[0], fullTime: row[1], birthYear: row[2], hiredOn: date(row[3])})
WITH count(*) AS done
UNWIND [['North Shed', true, 40], ['South Shed', false, 25]] AS row
CREATE (:Boathouse {name: row[0], hasCrane: row[1], racks: row[2]})
WITH count(*) AS done
UNWIND [['Swift', 9.5, 4200, 'North Shed', 'Denmark'], ['Otter', 7.2, 2100, 'South Shed', 'Norway'],
        ['Heron', 8.1, 3900, 'South Shed', 'Denmark']] AS row
MERGE (land:Country {name: row[4]})
CREATE (boat:Boat {name: row[0], lengthM: row[1], priceEur: row[2]})-[:FLIES_FLAG_OF]->(land)
WITH row, boat MATCH (shed:Boathouse {name: row[3]}) CREATE (boat)-[:KEPT_IN]->(shed)
WITH count(*) AS done
UNWIND [['Ada Moor', 'North Shed'], ['Bo Falk', 'South Shed'], ['Cleo Hart', 'South Shed']] AS row
MATCH (coach:Coach {name: row[0]}), (shed:Boathouse {name: row[1]}) CREATE (coach)-[:TEACHES_IN]->(shed)
WITH count(*) AS done
UNWIND [['Eva Lund', 'Ada Moor', 'Swift', 'captain'], ['Finn Roe', 'Bo Falk', 'Swift', 'cook'],
        ['Gus Ware', 'Bo Falk', 'Otter', 'captain']] AS row
MATCH (coach:Coach {name: row[1]}), (boat:Boat {name: row[2]})
CREATE (rower:Rower {name: row[0], birthDate: date('2001-02-03')})-[:TRAINED_BY]->(coach),
       (rower)-[:SERVES_ON {role: row[3]}]->(boat)
CREATE (:Rower {name: row[0] + ' Jr', birthDate: date('2011-02-03')})
"""


@pytest.fixture(scope="module")
def school(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, SCHOOL) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which one is longer, Swift or Otter?", {"Swift"}),
        ("Which of Otter and Heron is the cheapest?", {"Otter"}),
        ("Is the Swift or the Heron cheaper?", {"Heron"}),
        ("Between Swift and Otter, which is shorter?", {"Otter"}),
        ("Who is older, Ada Moor or Bo Falk?", {"Ada Moor"}),
    ],
)
def test_which_of_two_is_asked_for_is_one_of_them(school: Context, question: str, answers: set[str]) -> None:
    assert {*ask(school, question).answers} == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("part-time coaches", {"Bo Falk", "Cleo Hart"}),
        ("Is Ada Moor part-time?", {"no"}),
        ("How many part-time coaches are there?", {"2"}),
        ("coaches who are not part-time", {"Ada Moor"}),
    ],
)
def test_what_is_false_is_asked_for_by_the_opposite_word(school: Context, question: str, answers: set[str]) -> None:
    assert {*ask(school, question).answers} == answers


def test_a_date_says_its_year_though_another_property_is_called_a_year(school: Context) -> None:
    assert ask(school, "In which year was Bo Falk hired?").answers == ("2015",)
    assert ask(school, "In which year was Bo Falk born?").answers == ("1982",)


def test_where_asks_for_no_people(school: Context) -> None:
    assert ask(school, "Where does the coach of Eva Lund teach?").answers == ("North Shed",)


def test_a_noun_for_no_people_asks_for_none(school: Context) -> None:
    assert "Ada Moor" not in ask(school, "Which school does Eva Lund go to?").answers


def test_a_word_stands_for_a_value_that_people_call_by_it(school: Context) -> None:
    assert ask(school, "Who's the skipper of the Swift?").answers == ("Eva Lund",)


def test_what_a_verb_is_done_with_is_the_other_end_of_its_relationship(school: Context) -> None:
    assert ask(school, "What is the flag of the Otter?").answers == ("Norway",)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which rowers have served on boats not kept in the North Shed?", {"Gus Ware"}),
        ("Which rowers have never served on a boat kept in the North Shed?",
         {"Gus Ware", "Eva Lund Jr", "Finn Roe Jr", "Gus Ware Jr"}),
    ],
)  # fmt: skip
def test_a_negation_denies_what_is_behind_it(school: Context, question: str, answers: set[str]) -> None:
    assert {*ask(school, question).answers} == answers


def test_the_order_of_the_first_few_is_said_twice(school: Context) -> None:
    assert ask(school, "What are the two priciest boats, most expensive first?").answers == ("Swift", "Heron")


def test_two_that_share_something_are_a_matter_of_yes_or_no(school: Context) -> None:
    assert ask(school, "Do Finn Roe and Gus Ware share a coach?").answers == ("yes",)


@pytest.mark.parametrize(
    ("words", "name", "true"),
    [("part time", "full time", False), ("full-time", "full time", True), ("unpaid", "roof", None)],
)
def test_words_say_a_name_or_its_opposite(words: str, name: str, true: bool | None) -> None:
    assert says(words.replace("-", " ").split(), name.split()) is true


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("Who is the skipper of the Swift?", True),
        ("Which boathouse does Ada teach in?", True),
        ("Tell me who is Finn's coach", True),
        ("Which boats are in the North Shed?", False),
        ("Who is the captain of each boat?", False),
        ("Which boat is longer, Swift or Otter?", False),
    ],
)
def test_a_definite_noun_in_the_singular_asks_for_one_thing(question: str, one: bool) -> None:
    assert asks_for_one(question) is one


def test_what_people_call_a_thing_besides_is_known() -> None:
    assert "captain" in others_of("skipper")


def test_an_age_is_told_from_the_date_of_birth(school: Context) -> None:
    told = replace(school, options=replace(school.options, today=date(2026, 6, 1)))
    answer = ask(told, "Which rowers are over 20?")
    assert {*answer.answers} == {"Eva Lund", "Finn Roe", "Gus Ware"}
    assert any("born before 2006-06-01" in text for text in answer.warnings)
    assert ask(told, "How many rowers are younger than 18?").answers == ("3",)


def test_things_that_nobody_was_born_as_have_no_date_of_birth(school: Context) -> None:
    assert not any("born" in text for text in ask(school, "Which boats are older than 20 years?").warnings)


def test_a_comparison_that_is_not_read_is_told(school: Context) -> None:
    assert (ask(school, "Which countries are over 12?").confidence or 0.0) < 0.5
