"""How often something is done, what is missing or un-, what somebody gave, times of the day, types called passive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english import lacking, restating
from kgneo.english.lacking import with_not
from kgneo.english.restating import Restating, restated
from kgneo.server import RunningServer
from tests.conftest import asked_on

RESTATED = (*restating.CONSTRUCTIONS, *lacking.CONSTRUCTIONS)
FILL = """
UNWIND [['Ada Roth', 1980, '555-1'], ['Bert Kohl', 1991, null], ['Cleo Pfau', 1975, '555-3']] AS row
CREATE (:Member {name: row[0], born: row[1], phone: row[2]})
WITH count(*) AS done
MATCH (ada:Member {name: 'Ada Roth'}) SET ada:Chair
WITH count(*) AS done
UNWIND [['Swing', '18:30', 12], ['Tango', '20:00', 15], ['Waltz', '21:15', 10], ['Polka', '17:00', 8]] AS row
CREATE (:Dance {name: row[0], startsAt: row[1], price: row[2]})
WITH count(*) AS done
UNWIND [['Oak Hall', 120], ['Elm Hall', 80]] AS row CREATE (:Venue {name: row[0], places: row[1]})
WITH count(*) AS done
UNWIND [['Ada Roth', 'Swing', '2024-01-10'], ['Ada Roth', 'Swing', '2024-02-10'], ['Ada Roth', 'Tango', '2024-03-01'],
        ['Bert Kohl', 'Tango', '2024-03-02'], ['Cleo Pfau', 'Waltz', '2024-03-03']] AS row
MATCH (m:Member {name: row[0]}), (d:Dance {name: row[1]}) CREATE (m)-[:ATTENDED {on: date(row[2])}]->(d)
WITH count(*) AS done
UNWIND [['Ada Roth', 'Oak Hall', 300], ['Ada Roth', 'Elm Hall', 200], ['Cleo Pfau', 'Oak Hall', 50]] AS row
MATCH (m:Member {name: row[0]}), (v:Venue {name: row[1]}) CREATE (m)-[:DONATED_TO {amount: row[2]}]->(v)
WITH count(*) AS done
UNWIND [['Tango', 'Swing'], ['Waltz', 'Swing'], ['Polka', 'Waltz']] AS row
MATCH (a:Dance {name: row[0]}), (b:Dance {name: row[1]}) CREATE (a)-[:INSPIRED_BY]->(b)
WITH count(*) AS done
UNWIND [['Ada Roth', 'Bert Kohl'], ['Cleo Pfau', 'Ada Roth']] AS row
MATCH (a:Member {name: row[0]}), (b:Member {name: row[1]}) CREATE (a)-[:MENTORS]->(b)
WITH count(*) AS done
MATCH (m:Member {name: 'Ada Roth'}), (d:Dance {name: 'Swing'}) CREATE (m)-[:INSURED_FOR]->(d)
"""
QUESTIONS = [
    ("How often did Ada Roth attend Swing?", {"2"}),
    ("How many times did Ada Roth attend a dance?", {"3"}),
    ("Who attended Swing twice?", {"Ada Roth"}),
    ("Which members attended more than once?", {"Ada Roth"}),
    ("Which members attended only once?", {"Bert Kohl", "Cleo Pfau"}),
    ("Which members attended exactly 3 times?", {"Ada Roth"}),
    ("Whose phone is missing?", {"Bert Kohl"}),
    ("members whose phone is unknown", {"Bert Kohl"}),
    ("Which members are missing a phone?", {"Bert Kohl"}),
    ("uninsured members", {"Bert Kohl", "Cleo Pfau"}),
    ("Which members are uninsured?", {"Bert Kohl", "Cleo Pfau"}),
    ("How many uninsured members are there?", {"2"}),
    ("How much did Ada Roth donate in total?", {"500"}),
    ("How much did Ada Roth give to Elm Hall?", {"200"}),
    ("How much is the Tango?", {"15"}),
    ("Which dances start after 20:30?", {"Waltz"}),
    ("Which dances start before 6 pm?", {"Polka"}),
    ("Which dances start between 18:00 and 20:00?", {"Swing", "Tango"}),
    ("Which dances were inspired by Swing?", {"Tango", "Waltz"}),
    ("What inspired Polka?", {"Waltz"}),
    ("Which dance was Tango inspired by?", {"Swing"}),
    ("Who is the mentor of Bert Kohl?", {"Ada Roth"}),
    ("Who was born before 1985?", {"Ada Roth", "Cleo Pfau"}),
    ("Which members attended two dances?", {"Ada Roth"}),
    ("Is there a member without a phone? Which one?", {"Bert Kohl"}),
    ("List the dances by price, cheapest first", {"Swing", "Tango", "Waltz", "Polka"}),
    ("How many members do we have on record?", {"3"}),
]


@pytest.fixture(scope="module")
def club(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_it_is_answered(club: Context, question: str, answers: set[str]) -> None:
    assert set(ask(club, question).answers) == answers


@pytest.mark.parametrize("item", RESTATED, ids=[item.example for item in RESTATED])
def test_each_construction_becomes_what_its_example_says(item: Restating) -> None:
    assert restated(item.example, [item]) == item.becomes


@pytest.mark.parametrize(
    ("question", "becomes"),
    [
        ("unpaid invoices of Ann", "invoices of Ann that are not paid"),
        ("How many unpaid invoices are there?", "How many invoices are there that are not paid?"),
        ("Is the invoice unpaid?", "Is the invoice not paid?"),
        ("Who is in the United Nations?", "Who is in the United Nations?"),
        ("undated letters", "undated letters"),
    ],
)
def test_a_word_is_denied_by_its_beginning_where_the_graph_has_the_rest(question: str, becomes: str) -> None:
    assert with_not(question, {"paid", "nations"}.__contains__) == becomes
