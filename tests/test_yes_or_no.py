"""Questions for yes or no, comparisons with what is named, the first of each group, and what is said of two things."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['Aare', 288, 'Alps'], ['Inn', 517, 'Alps'], ['Spree', 382, 'Lusatia']] AS row
MERGE (m:Region {name: row[2]}) CREATE (:River {name: row[0], lengthKm: row[1]})-[:RISES_IN]->(m)
WITH count(*) AS done
UNWIND [['Rita', 1990, 'Bern'], ['Sven', 1985, 'Berlin'], ['Tove', 1999, 'Berlin']] AS row
CREATE (:Rower {name: row[0], born: row[1], town: row[2]})
WITH count(*) AS done
UNWIND [['Lynx', 1600, 0, date('2023-05-01')], ['Otter', 2400, 3, date('2024-06-01')],
        ['Heron', 900, 5, date('2022-01-01')]] AS row
CREATE (:Canoe {name: row[0], price: row[1], stock: row[2], launched: row[3]})
WITH count(*) AS done
UNWIND [['Rita', 'Aare', 'Lynx'], ['Rita', 'Inn', 'Otter'], ['Sven', 'Aare', 'Otter'],
        ['Tove', 'Spree', 'Otter']] AS row
MATCH (r:Rower {name: row[0]}), (w:River {name: row[1]}), (c:Canoe {name: row[2]})
CREATE (r)-[:PADDLED]->(w) MERGE (r)-[:OWNS]->(c)
WITH count(*) AS done
UNWIND [['Rita', 'Lynx', 4], ['Rita', 'Otter', 2], ['Sven', 'Otter', 5]] AS row
MATCH (r:Rower {name: row[0]}), (c:Canoe {name: row[1]})
CREATE (r)-[:WROTE]->(:Report {marks: row[2]})-[:CONCERNS]->(c)
"""
YES_OR_NO = [
    ("Is the Inn the longest river?", "yes"),
    ("Is the Aare the longest river?", "no"),
    ("Is the longest river in Lusatia?", "no"),
    ("Does the oldest rower live in Berlin?", "yes"),
    ("Does the youngest rower live in Bern?", "no"),
    ("Is Sven the oldest rower?", "yes"),
    ("Is Tove an older rower than Rita?", "no"),
    ("Is Rita older than Tove?", "yes"),
    ("Did Rita paddle more rivers than Sven?", "yes"),
    ("Did Sven paddle more rivers than Rita?", "no"),
    ("Did Sven paddle as many rivers as Tove?", "yes"),
    ("Did every rower paddle the Aare?", "no"),
    ("Did every rower paddle a river?", "yes"),
    ("Do all canoes cost more than 800?", "yes"),
    ("Do all canoes cost more than 1000?", "no"),
    ("Are all rowers from Berlin?", "no"),
    ("Are there more than two rowers?", "yes"),
    ("Are there more than five rowers?", "no"),
    ("Are there more rivers than rowers?", "no"),
    ("Was the Heron launched before the Lynx?", "yes"),
    ("Was the Otter launched before the Lynx?", "no"),
    ("Did Rita and Sven paddle together?", "yes"),
    ("Did Sven and Tove paddle together?", "no"),
    ("Did Sven paddle with Rita?", "yes"),
    ("Did Rita review the Lynx and the Otter?", "yes"),
]
"""Each with its answer; "review" names no relationship, but reports are the only way from a rower to a second canoe."""
OTHERS = [
    ("Who paddled more rivers than Sven?", {"Rita"}),
    ("Which rowers paddled every river?", set()),
    ("Which canoes were launched after the Lynx?", {"Otter"}),
    ("How many rowers are older than Tove?", {"2"}),
    ("How much older is Sven than Rita?", {"5"}),
    ("Which rowers own as many canoes as Sven?", {"Tove"}),
    ("What is the longest river of each region?", {"Inn: Alps", "Spree: Lusatia"}),
    ("What is the greatest length in each region?", {"Alps: 517", "Lusatia: 382"}),
    ("Who wrote reports that concern the Lynx and the Otter?", {"Rita"}),
    ("Who paddled with Rita?", {"Sven"}),
    ("Which rowers paddled only the Aare?", {"Sven"}),
    ("Who only owns the Otter?", {"Sven", "Tove"}),
    ("Which canoes are out of stock?", {"Lynx"}),
    ("Which canoes are in stock?", {"Otter", "Heron"}),
    ("Which rowers besides Sven live in Berlin?", {"Tove"}),
    ("Which canoes apart from the Otter are there?", {"Lynx", "Heron"}),
    ("Which canoes were launched on 1 May 2023?", {"Lynx"}),
    ("Which canoes were launched on 2 May 2023?", set()),
]


@pytest.fixture(scope="module")
def rowers(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answer"), YES_OR_NO)
def test_a_yes_or_no_is_asked_of_what_the_question_names(rowers: Context, question: str, answer: str) -> None:
    assert ask(rowers, question).answers == (answer,)


@pytest.mark.parametrize(("question", "answers"), OTHERS)
def test_a_question_that_says_two_things_of_a_part_is_answered(
    rowers: Context, question: str, answers: set[str]
) -> None:
    found = ask(rowers, question)
    assert ({*found.answers}, found.outcome) == (answers, "answer")
