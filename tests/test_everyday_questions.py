"""Everyday questions: several properties at once, how many more, best and worst, by a type, kinds before names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.graph.attach import Choices
from kgneo.graph.counterparts import with_counterparts
from kgneo.graph.open import open_knowledge
from kgneo.server import RunningServer
from kgneo.stages.link import readings
from tests.conftest import asked_on

FILL = """
UNWIND [['Ann Ash', 31, 'female', 'DORM', '555-01', 1], ['Bo Birch', 27, 'male', 'FLAT', '555-02', 2],
        ['Cy Cedar', 45, 'male', 'FLAT', '555-03', 3], ['Di Dale', 22, 'female', 'FLAT', '555-04', 4],
        ['Ed Elm', 38, 'male', 'DORM', '555-05', 5]] AS row
CREATE (:Guest {name: row[0], age: row[1], gender: row[2], housingTypeCode: row[3], phoneNumber: row[4], id: row[5]})
WITH count(*) AS done
UNWIND [['Lakeside', 4, 2], ['Old Mill', 5, 3], ['Harbour', 2, 1]] AS row
CREATE (:Inn {name: row[0], stars: row[1], rank: row[2]})
WITH count(*) AS done
UNWIND [[1, 'Ann Ash', 'Lakeside', 120, 'card'], [2, 'Ann Ash', 'Old Mill', 300, 'cash'],
        [3, 'Bo Birch', 'Harbour', 80, 'card'], [4, 'Cy Cedar', 'Old Mill', 260, 'card']] AS row
MATCH (guest:Guest {name: row[1]}), (inn:Inn {name: row[2]})
CREATE (guest)-[:MADE]->(:Stay {stayId: row[0], amountPaid: row[3], paymentMethodCode: row[4]})-[:AT]->(inn)
"""


@pytest.fixture(scope="module")
def lodgings(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("name and age of the oldest guest", {("Cy Cedar", 45)}),
        ("What are the phone number and age of Ann Ash?", {("555-01", 31)}),
        (
            "names, ages and phone numbers of guests older than 35",
            {("Cy Cedar", 45, "555-03"), ("Ed Elm", 38, "555-05")},
        ),
        ("List the inns with their stars", {("Lakeside", 4), ("Old Mill", 5), ("Harbour", 2)}),
        (
            "male guests with their age and phone number",
            {("Bo Birch", 27, "555-02"), ("Cy Cedar", 45, "555-03"), ("Ed Elm", 38, "555-05")},
        ),
        (
            "List the guests older than 35, with the age and the phone number",
            {("Cy Cedar", 45, "555-03"), ("Ed Elm", 38, "555-05")},
        ),
        (
            "For every guest older than 35 give the name, their age and their phone number",
            {("Cy Cedar", 45, "555-03"), ("Ed Elm", 38, "555-05")},
        ),
        ("inns and their stars", {("Lakeside", 4), ("Old Mill", 5), ("Harbour", 2)}),
        (
            "stays with their amount paid and inn",
            {("1", 120, "Lakeside"), ("2", 300, "Old Mill"), ("3", 80, "Harbour"), ("4", 260, "Old Mill")},
        ),
        (
            "List the stays with their guests",
            {("1", "Ann Ash"), ("2", "Ann Ash"), ("3", "Bo Birch"), ("4", "Cy Cedar")},
        ),
    ],
)
def test_several_properties_are_asked_for_at_once(
    lodgings: Context, question: str, rows: set[tuple[object, ...]]
) -> None:
    found = ask(lodgings, question)
    assert found.table is not None
    assert {*found.table.rows} == rows


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many more male guests than female guests are there?", {"1"}),
        ("How many guests are there by housing type?", {"DORM: 2", "FLAT: 3"}),
        ("Total amount paid for each payment method", {"card: 460", "cash: 300"}),
        ("Which inn has the best rank?", {"Harbour"}),
        ("Which inn has the best stars?", {"Old Mill"}),
        ("Which inn has the worst stars?", {"Harbour"}),
        ("Is there an inn with stars of 3?", {"no"}),
        ("guests above the average age who are not male", set()),
        ("male guests above the average age", {"Cy Cedar", "Ed Elm"}),
        ("How many guests have more than 30 as age?", {"3"}),
    ],
)
def test_everyday_questions_are_answered(lodgings: Context, question: str, answers: set[str]) -> None:
    assert {*ask(lodgings, question).answers} == answers


def test_the_noun_before_a_name_says_whose_it_is(lodgings: Context) -> None:
    found = readings(lodgings.knowledge, "Where was stay [1]?")
    assert found[0].topics[0].entity.labels == ("Stay",)


ROWERS = """
UNWIND [[11, 'Ann Ash', 1.82, 71, 56.5], [12, 'Bo Birch', 1.97, 88, 58.25], [13, 'Cy Cedar', 1.75, 93, 57.0]] AS row
CREATE (:Rower {stroke: row[4], power: row[4] + 1})-[:HAS_PERSON]->
       (:Person {personId: row[0], name: row[1], height: row[2], weight: row[3]})
WITH count(*) AS done
MATCH (person:Person) WHERE person.personId < 13
CREATE (:Note {sent: date('2024-05-0' + (person.personId - 10))})-[:ABOUT]->(person)
CREATE (:Note {sent: date('2024-06-0' + (person.personId - 10))})-[:ABOUT]->(person)
"""


@pytest.fixture(scope="module")
def rowers(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, ROWERS) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "name"), [("Tallest person?", "Bo Birch"), ("Who is the heaviest person?", "Cy Cedar")]
)
def test_a_number_that_only_tells_things_apart_is_no_measure(rowers: Context, question: str, name: str) -> None:
    assert ask(rowers, question).answers == (name,)


@pytest.mark.parametrize("question", ["average weight per person", "What is the average weight per person?"])
def test_an_average_per_what_has_the_number_itself_is_one_average(rowers: Context, question: str) -> None:
    assert ask(rowers, question).answers == ("84",)


def test_a_node_without_a_name_is_called_as_the_one_that_it_stands_for(rowers: Context) -> None:
    answer = ask(rowers, "Which rower has the highest stroke?")
    assert answer.answers == ("Bo Birch",)
    assert answer.answer_nodes[0].labels == ("Rower",)


def test_a_node_is_not_called_as_one_that_others_are_joined_to_as_well(rowers: Context) -> None:
    assert "Ann Ash" not in ask(rowers, "Which note was sent first?").answers[0]


def test_a_counterpart_that_is_left_out_names_nothing(rowers: Context) -> None:
    node = replace(ask(rowers, "Which rower has the highest stroke?").answer_nodes[0], names=("stroke 58.25",))
    assert with_counterparts(rowers.knowledge, [node])[0].names[0] == "Bo Birch"
    hiding = open_knowledge(rowers.graph, choices=Choices(exclude=("Person",)))
    assert with_counterparts(hiding, [node]) == (node,)
