"""Words for properties beside others: of the thing they are said of, in names that end in what was done, in names of
nodes; which one a superlative means; bounds that belong to what is within them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['State', 'Ann Ash', 'Ohio', 51], ['Treasury', 'Bo Birch', 'Utah', 44],
        ['Health', 'Cy Cedar', 'Ohio', 39]] AS row
CREATE (:Ministry {name: row[0]})<-[:LEADS]-(:Minister {name: row[1], bornState: row[2], age: row[3]})
WITH count(*) AS done
UNWIND [['O1', '2021-03-04', 'D1', '2021-03-09', 'Kim', 'HKG'], ['O2', '2022-05-06', 'D2', '2022-05-20', 'Lee', 'PIT'],
        ['O3', '2023-07-08', 'D3', '2023-07-30', 'Fox', 'PIT']] AS row
CREATE (:Delivery {deliveryCode: row[2], deliveryDate: date(row[3])})-[:OF_ORDER]->
       (:Order {orderCode: row[0], datePlaced: date(row[1])})-[:BY_BUYER]->
       (:Buyer {firstName: 'Pat' + row[0], lastName: row[4], cityCode: row[5]})
WITH count(*) AS done
UNWIND [['Gala', 'Town Hall', 2004, ['Eva', 'Finn', 'Gil']], ['Ball', 'Old Barn', 2005, ['Eva', 'Finn']],
        ['Fête', 'Old Barn', 2006, ['Gil', 'Hal']], ['Rave', 'Old Barn', 2007, []]] AS row
CREATE (p:Party {theme: row[0], venue: row[1], heldIn: row[2]})
FOREACH (name IN row[3] | MERGE (h:Host {name: name}) MERGE (h)-[:HOSTS]->(p))
"""
QUESTIONS = [
    ("In which states were the ministers born?", {"Ohio", "Utah"}),
    ("How many ministers were born in the state of Ohio?", {"2"}),
    ("Who leads the State ministry?", {"Ann Ash"}),
    ("What is the date of each order?", {"2021-03-04", "2022-05-06", "2023-07-08"}),
    ('Find the dates of the orders by the buyer whose last name is "Kim".', {"2021-03-04"}),
    ("What is the date of each delivery?", {"2021-03-09", "2022-05-20", "2023-07-30"}),
    ('Which city does the buyer whose last name is "Kim" live in?', {"HKG"}),
    ("What is the venue of the party with the most hosts?", {"Town Hall"}),
    ("Which venue has the most parties?", {"Old Barn"}),
    ("Which parties were held in or after 2006?", {"Fête", "Rave"}),
    ("Which ministers have an age less than or equal to 44?", {"Bo Birch", "Cy Cedar"}),
    ("How many ministers are 44 years old or older?", {"2"}),
    ("Which orders were placed on or before 2022-05-06?", {"O1", "O2"}),
]


@pytest.fixture(scope="module")
def town(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS)
def test_a_word_for_a_property_is_read_where_it_stands(town: Context, question: str, answers: set[str]) -> None:
    assert {*ask(town, question).answers} == answers
