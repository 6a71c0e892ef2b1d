"""What a question's word may ask for, whatever else is like its words: who, where, how much, members, kinds of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.claim import verify
from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.words import COMPARATIVES, MEASURES
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['Ida Holm', '2011-04-01', 'senior'], ['Jon Vik', '2015-06-01', 'junior'], ['Kai Lund', '2019-09-01', 'junior']]
  AS row
CREATE (:Keeper {name: row[0], joined: date(row[1]), grade: row[2]})
WITH count(*) AS done
UNWIND [['Skerry', 31, 'working', 1901], ['Holmen', 22, 'damaged', 1874], ['Nordkap', 45, 'working', 1932]] AS row
CREATE (:Lighthouse {name: row[0], heightM: row[1], status: row[2], lit: row[3]})
WITH count(*) AS done
UNWIND [['Vardo', 40], ['Bodo', 90]] AS row CREATE (:Town {name: row[0], areaSqm: row[1]})
WITH count(*) AS done
UNWIND [['Storm', 'Ute Brahe'], ['Calm', 'Nils Ek']] AS row
CREATE (p:Picture {name: row[0]}), (p)-[:DONE_BY]->(:Painter {name: row[1]}),
  (p)-[:OWNED_BY]->(:Buyer {name: 'Fund ' + row[0]})
WITH count(*) AS done
UNWIND [['Ida Holm', 'Skerry'], ['Ida Holm', 'Holmen'], ['Jon Vik', 'Nordkap']] AS row
MATCH (k:Keeper {name: row[0]}), (l:Lighthouse {name: row[1]}) CREATE (k)-[:TENDS]->(l)
WITH count(*) AS done
UNWIND [['Skerry', 'Vardo'], ['Holmen', 'Bodo'], ['Nordkap', 'Bodo']] AS row
MATCH (l:Lighthouse {name: row[0]}), (t:Town {name: row[1]}) CREATE (l)-[:NEAR]->(t)
WITH count(*) AS done
UNWIND [['Kai Lund', 'Jon Vik'], ['Jon Vik', 'Ida Holm']] AS row
MATCH (a:Keeper {name: row[0]}), (b:Keeper {name: row[1]}) CREATE (a)-[:HAS_SUPERVISOR]->(b)
"""
QUESTIONS: tuple[tuple[str, set[str]], ...] = (
    ("Which member tends the most lighthouses?", {"Ida Holm"}),
    ("How many members are there at each grade?", {"junior: 2", "senior: 1"}),
    ("Besides Ida Holm, who tends a lighthouse?", {"Jon Vik"}),
    ("Who painted Storm?", {"Ute Brahe"}),
    ("Which kinds of picture are there?", {"Storm", "Calm"}),
    ("lighthouses per status", {"working: 2", "damaged: 1"}),
    ("towns bigger than 50 square metres", {"Bodo"}),
    ("List the lighthouses by height, tallest one first.", {"Skerry", "Holmen", "Nordkap"}),
    ("Who's the keeper of Nordkap?", {"Jon Vik"}),
)
NOTHING = ("how much is Ida Holm paid?", "Where is Ida Holm?")


@pytest.fixture(scope="module")
def coast(server: RunningServer) -> Iterator[Context]:
    with asked_on(server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_it_is_answered(coast: Context, question: str, answers: set[str]) -> None:
    assert set(ask(coast, question).answers) == answers


@pytest.mark.parametrize("question", NOTHING)
def test_a_word_that_cannot_ask_for_a_date_or_a_grade_is_not_answered_by_one(coast: Context, question: str) -> None:
    assert not {"2011-04-01", "senior"} & set(ask(coast, question).answers)


@pytest.mark.parametrize("claim", ["Skerry was lit in Denmark.", "Holmen stands 22 metres from France."])
def test_a_name_that_is_not_there_is_not_refuted_by_a_number(coast: Context, claim: str) -> None:
    assert verify(coast, claim).verdict == "not enough evidence"


def test_each_superlative_has_its_comparative() -> None:
    assert COMPARATIVES["dearer"] is True
    assert MEASURES["dearer"] == MEASURES["dearest"]
    assert "elder" not in COMPARATIVES
