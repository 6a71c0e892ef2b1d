"""What a question asks for: people for "who", a relationship with both of its ends, what a thing is said of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.server import RunningServer
from tests.conftest import asked_on

TRAVEL = """
UNWIND [['CPH', 'Copenhagen', 3], ['OSL', 'Oslo', 2], ['KEF', 'Reykjavik', 2], ['TLL', 'Tallinn', 1]] AS row
CREATE (:Airport {code: row[0], city: row[1], runways: row[2]})
WITH count(*) AS done
UNWIND [['CPH', 'OSL', 517], ['OSL', 'CPH', 517], ['CPH', 'KEF', 2101], ['OSL', 'TLL', 811]] AS row
MATCH (one:Airport {code: row[0]}), (other:Airport {code: row[1]}) CREATE (one)-[:HAS_ROUTE {distance: row[2]}]->(other)
"""
HOMES = """
UNWIND [['1 Oak St', 'Ash', 3, 'Ida', 'Pia', 210], ['2 Elm Ave', 'Ash', 2, 'Ida', 'Quin', 180],
        ['3 Lake Rd', 'Birch', 5, 'Jon', 'Pia', 500]] AS row
MERGE (town:Town {name: row[1]}) MERGE (agent:Agent {name: row[3]}) MERGE (buyer:Buyer {name: row[4]})
CREATE (home:House {address: row[0], rooms: row[2]})-[:LOCATED_IN]->(town),
       (agent)-[:LISTS]->(home), (buyer)-[:BOUGHT {price: row[5]}]->(home)
WITH count(*) AS done
MATCH (pia:Buyer {name: 'Pia'}), (home:House {address: '1 Oak St'})
CREATE (pia)-[:WROTE]->(:Review {stars: 4, comment: 'Quiet street'})-[:ABOUT]->(home)
WITH count(*) AS done
UNWIND [['Hub', 'Norway', 'Bolt', 400], ['Depot', 'Estonia', 'Nut', 90]] AS row
CREATE (:Warehouse {title: row[0], country: row[1]})-[:STOCKS]->(:Part {label: row[2]})
WITH count(*) AS done
MATCH (bolt:Part {label: 'Bolt'}), (nut:Part {label: 'Nut'})
CREATE (fjord:Supplier {name: 'FjordCo', country: 'Norway'})-[:SUPPLIES]->(bolt),
       (fjord)-[:SUPPLIES]->(nut), (:Supplier {name: 'BaltWorks', country: 'Estonia'})-[:SUPPLIES]->(nut),
       (:Talk {title: 'Paths', minutes: 30}), (:Talk {title: 'Trees', minutes: 45})
WITH count(*) AS done
CREATE (fair:Fair {name: 'Spring Fair'}), (:Firm {name: 'Neo'})-[:SPONSORS {amount: 5}]->(fair),
       (:Firm {name: 'Geo'})-[:SPONSORS {amount: 7}]->(fair)
"""


@pytest.fixture(scope="module")
def travel(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, TRAVEL) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Is there a route from OSL to TLL?", {"yes"}),
        ("Is there a route from TLL to OSL?", {"no"}),
        ("Is there a route to KEF from CPH?", {"yes"}),
        ("How many routes are there from CPH?", {"2"}),
        ("How many routes to CPH are there?", {"1"}),
        ("How many routes does OSL have?", {"2"}),
        ("How many routes are there?", {"4"}),
        ("How far is it from CPH to KEF?", {"2101"}),
        ("What is the average number of runways?", {"2"}),
    ],
)
def test_a_relationship_between_like_things_has_both_of_its_ends(
    travel: Context, question: str, answers: set[str]
) -> None:
    answer = ask(travel, question)
    assert {*answer.answers} == answers
    assert (answer.confidence or 0.0) >= 0.5


@pytest.fixture(scope="module")
def homes(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, HOMES) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who lists the house that Quin bought?", {"Ida"}),
        ("Who reviewed 1 Oak St?", {"Pia"}),
        ("Who bought 3 Lake Rd?", {"Pia"}),
        ("In which town did Pia buy a house?", {"Ash", "Birch"}),
        ("Which warehouses are in the same country as FjordCo?", {"Hub"}),
        ("Which suppliers supply only one part?", {"BaltWorks"}),
        ("Which talks last 30 minutes?", {"Paths"}),
        ("What is the total amount of sponsorship of Spring Fair?", {"12"}),
    ],
)
def test_what_is_asked_for_is_of_its_kind(homes: Context, question: str, answers: set[str]) -> None:
    assert {*ask(homes, question).answers} == answers
