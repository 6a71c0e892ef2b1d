"""Values that stand for what people say: codes of countries, one and nought; what is told of a kind; names like words
for measures of a network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['Alma Mode', 'DE', 1, 'on hold', 2.5], ['Beau Chapeau', 'FR', 0, 'open', 4.0],
        ['Cap & Co', 'GB', 1, 'open', 3.5], ['Dock Hats', 'KR', 0, 'closed', 1.0]] AS row
CREATE (:Supplier {name: row[0], countryCode: row[1], isPreferred: row[2], state: row[3], rating: row[4]})
WITH count(*) AS done
UNWIND [['B1', 'Alma Mode', 1800.0, '2022-03-01', 0], ['B2', 'Alma Mode', 2300.0, '2023-05-01', 1],
        ['B3', 'Cap & Co', 900.0, '2023-07-01', 1]] AS row
MATCH (s:Supplier {name: row[1]})
CREATE (:Bill {billNo: row[0], billAmount: row[2], billDate: date(row[3]), cancelled: row[4]})-[:FROM_SUPPLIER]->(s)
WITH count(*) AS done
UNWIND [['Crown', 'Hub'], ['Crown', 'Rim'], ['Hub', 'Pin'], ['Rim', 'Pin']] AS row
MERGE (a:Piece {name: row[0]}) MERGE (b:Piece {name: row[1]}) MERGE (a)-[:CONSISTS_OF]->(b)
WITH count(*) AS done
MATCH (p:Piece {name: 'Hub'}), (s:Supplier {name: 'Cap & Co'}) CREATE (s)-[:CUTS]->(p)
"""
QUESTIONS = [
    ("Which suppliers are from Germany?", {"Alma Mode"}),
    ("Which suppliers are in the United Kingdom?", {"Cap & Co"}),
    ("How many suppliers are there in South Korea?", {"1"}),
    ("Which suppliers are preferred?", {"Alma Mode", "Cap & Co"}),
    ("Which suppliers are not preferred?", {"Beau Chapeau", "Dock Hats"}),
    ("Which bills were cancelled?", {"B2", "B3"}),
    ("Which bills have an amount above 1000?", {"B1", "B2"}),
    ("What was the bill amount in 2022?", {"1800"}),
    ("Which bills are from 2023?", {"B2", "B3"}),
    ("Who cuts the Hub?", {"Cap & Co"}),
    ("Which pieces contain a Pin, directly or indirectly?", {"Hub", "Rim", "Crown"}),
    ("What does the Crown consist of, directly or indirectly?", {"Hub", "Rim", "Pin"}),
]


@pytest.fixture(scope="module")
def hats(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS)
def test_what_a_value_stands_for_is_asked_for_by_its_words(hats: Context, question: str, answers: set[str]) -> None:
    assert {*ask(hats, question).answers} == answers


def test_how_a_kind_is_is_no_property_that_is_asked_for(hats: Context) -> None:
    assert not {*ask(hats, "Which suppliers are stated?").answers} & {"open", "closed", "on hold"}


def test_a_country_that_no_node_has_is_not_found(hats: Context) -> None:
    assert not ask(hats, "Which suppliers are from Norway?").answers
