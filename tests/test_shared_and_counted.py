"""What has the same as any other, relationships that are counted, nouns for the other end of one, and what answers
"who", "where", "when" and "how much"."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.words import OTHER_ENDS
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['Agda', 'Moe', '1950-01-02', true], ['Bror', 'Moe', '1975-03-04', false], ['Cleo', 'Moe', '1978-05-06', true],
        ['Dag', 'Lie', '2001-07-08', false]] AS row
CREATE (:Member {firstName: row[0], lastName: row[1], birthDate: date(row[2]), trained: row[3]})
WITH count(*) AS done
UNWIND [['Agda', 'Bror'], ['Agda', 'Cleo'], ['Cleo', 'Dag']] AS row
MATCH (a:Member {firstName: row[0]}), (b:Member {firstName: row[1]})
CREATE (a)-[:PARENT_OF]->(b) CREATE (b)-[:ANSWERS_TO]->(a)
WITH count(*) AS done
UNWIND [['Canoe', 'Agda', 'Quay House', '2020-02-02', 40.0], ['Kayak', 'Bror', 'Quay House', '2021-03-03', 55.0],
        ['Skiff', 'Dag', 'Mill Dock', '2022-04-04', 70.0]] AS row
MATCH (m:Member {firstName: row[1]})
MERGE (h:Harbour {companyName: row[2], harbourMaster: 'Mr ' + row[2], contactName: 'Desk of ' + row[2]})
CREATE (m)-[:OWNS]->(b:Boat {name: row[0]})-[:MOORED_AT]->(h)
CREATE (m)-[:MADE]->(:Payment {paymentId: 'P-' + row[0], amount: row[4], payer: m.lastName + row[0]})-[:TO]->(h)
WITH count(*) AS done
UNWIND [['Bror', 'Canoe', 4, '2023-06-01'], ['Cleo', 'Canoe', 5, '2023-07-01'],
        ['Cleo', 'Skiff', 2, '2023-08-01']] AS row
MATCH (m:Member {firstName: row[0]}), (b:Boat {name: row[1]})
MERGE (k:Kind {name: CASE row[1] WHEN 'Canoe' THEN 'Paddler' ELSE 'Rower' END}) MERGE (b)-[:IS_OF]->(k)
CREATE (m)-[:RATED {rating: row[2], ratedOn: date(row[3])}]->(b)
"""
QUESTIONS = [
    ("Which boats share a harbour?", {"Canoe", "Kayak"}),
    ("Which boats are moored at the same harbour?", {"Canoe", "Kayak"}),
    ("How many ratings does the Canoe have?", {"2"}),
    ("How many ratings are there?", {"3"}),
    ("Who are the children of Agda?", {"Bror Moe", "Cleo Moe"}),
    ("Who is the parent of Dag?", {"Cleo Moe"}),
    ("How many children does Cleo Moe have?", {"1"}),
    ("Who does Dag Lie answer to?", {"Cleo Moe"}),
    ("Who answers to Agda Moe?", {"Bror Moe", "Cleo Moe"}),
    ("When did Cleo rate the Skiff?", {"2023-08-01"}),
    ("Where is the Skiff moored?", {"Mill Dock"}),
    ("How much did Dag pay to Mill Dock?", {"70"}),
    ("Who is the parent of a trained member?", {"Agda Moe"}),
    ("Which payments did Bror make?", {"P-Kayak"}),
    ("Which rowers are there?", {"Skiff"}),
    ("Who rated a paddler?", {"Bror Moe", "Cleo Moe"}),
    ("Whose boat is moored at Mill Dock?", {"Dag Lie"}),
]


@pytest.fixture(scope="module")
def club(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS)
def test_a_question_of_a_club_is_answered(club: Context, question: str, answers: set[str]) -> None:
    assert {*ask(club, question).answers} == answers


def test_the_other_end_of_the_other_end_is_the_first() -> None:
    assert all(word in OTHER_ENDS[other] for word, others in OTHER_ENDS.items() for other in others)
