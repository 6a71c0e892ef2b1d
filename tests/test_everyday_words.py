"""Everyday words: roles, verbs with particles, and kinds that the schema has in other words or beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context, Options
from kgneo.defaults import MIN_CONFIDENCE
from kgneo.reading.mentions import words_of
from kgneo.server import RunningServer
from kgneo.stages.outcome import least_of
from tests.conftest import asked_on

SCHOOLS = """
UNWIND [['Northfield', 1879, 900], ['Easton', 1890, 1200], ['Westbrook', 1918, 700]] AS row
CREATE (:School {school: row[0], founded: row[1], enrollment: row[2], dayOrBoarding: 'Day'})
WITH count(*) AS done
UNWIND [['Tigers', 'Northfield'], ['Auks', 'Easton'], ['Raiders', 'Westbrook']] AS row
MATCH (school:School {school: row[1]})
CREATE (:SchoolDetail {nickname: row[0]})-[:HAS_SCHOOL]->(school)
WITH count(*) AS done
UNWIND ['Chess', 'Choir', 'Rowing'] AS name CREATE (:Club {clubName: name})
WITH count(*) AS done
UNWIND [['Ann Ash', 'F', 'LDS', 'Catcher', 'Northfield', 'Chess'],
        ['Bo Birch', 'M', 'LDS', 'Pitcher', 'Easton', 'Chess'],
        ['Cy Cedar', 'M', 'YRK', 'Catcher', 'Easton', 'Choir'],
        ['Di Dale', 'F', 'LDS', 'Pitcher', 'Easton', null]] AS row
MATCH (school:School {school: row[4]})
CREATE (pupil:Pupil {name: row[0], sex: row[1], cityCode: row[2], position: row[3]})-[:HAS_SCHOOL]->(school)
WITH pupil, row MATCH (club:Club {clubName: row[5]}) CREATE (pupil)-[:MEMBER_OF_CLUB]->(club)
WITH count(*) AS done
CREATE (college:College {collegeName: 'Hill'})
WITH college MATCH (pupil:Pupil) WHERE pupil.name <> 'Di Dale' CREATE (pupil)-[:TRYOUT]->(college)
WITH count(*) AS done
UNWIND [['Alton', 40, 60], ['Barrow', 70, 20], ['Corby', 90, 30]] AS row
CREATE (:Airport {airportName: row[0], domesticPassengers: row[1], internationalPassengers: row[2]})
"""


@pytest.fixture(scope="module")
def schools(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, SCHOOLS) as context:
        yield context


@pytest.mark.parametrize("question", ["Which clubs have no members?", "Which clubs don't have any members?"])
def test_the_noun_in_a_relationships_name_is_who_it_begins_at(schools: Context, question: str) -> None:
    assert ask(schools, question).answers == ("Rowing",)


def test_those_who_are_called_by_a_relationship_are_counted_for_each_other_end(schools: Context) -> None:
    assert {*ask(schools, "How many members does each club have?").answers} >= {"Chess: 2", "Choir: 1"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many girls come from LDS?", {"2"}),
        ("Which schools are older than Westbrook?", {"Northfield", "Easton"}),
        ("Which airports have more domestic than international passengers?", {"Barrow", "Corby"}),
        ("catchers at Easton", {"Cy Cedar"}),
    ],
)
def test_words_that_the_schema_lacks_are_read_by_what_they_are_beside(
    schools: Context, question: str, answers: set[str]
) -> None:
    assert {*ask(schools, question).answers} == answers


def test_a_property_of_what_a_named_thing_is_joined_to_is_found_by_its_name(schools: Context) -> None:
    assert ask(schools, "What is the nickname of Westbrook?").answers == ("Raiders",)


def test_a_verb_with_its_particle_is_the_noun_of_both(schools: Context) -> None:
    assert ask(schools, "Which pupils never tried out?").answers == ("Di Dale",)


def test_where_something_comes_from_is_not_what_it_is() -> None:
    assert [word.plain for word in words_of("Where does it come from")][-2:] == ["come", "from"]


SERVICES = """
UNWIND ['checkout', 'billing', 'ledger', 'identity', 'gateway'] AS name CREATE (:Service {name: name})
WITH count(*) AS done
UNWIND [['checkout', 'ledger'], ['checkout', 'identity'], ['billing', 'ledger'], ['gateway', 'checkout']] AS row
MATCH (one:Service {name: row[0]}), (other:Service {name: row[1]}) CREATE (one)-[:DEPENDS_ON]->(other)
WITH count(*) AS done
UNWIND [['INC-1', 'billing'], ['INC-1', 'gateway'], ['INC-2', 'identity'], ['INC-2', 'gateway']] AS row
MERGE (incident:Incident {ref: row[0]})
WITH incident, row MATCH (service:Service {name: row[1]}) CREATE (incident)-[:AFFECTED]->(service)
WITH count(*) AS done
UNWIND [['Ann Ash', 'Money', 'INC-1'], ['Bo Birch', 'Money', null], ['Cy Cedar', 'Phones', 'INC-1']] AS row
MERGE (team:Team {teamName: row[1]})
CREATE (engineer:Engineer {fullName: row[0]})-[:MEMBER_OF]->(team)
WITH engineer, row MATCH (incident:Incident {ref: row[2]}) CREATE (engineer)-[:RESOLVED]->(incident)
"""


@pytest.fixture(scope="module")
def services(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, SERVICES) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What does checkout depend on?", {"ledger", "identity"}),
        ("Which services does checkout depend on?", {"ledger", "identity"}),
        ("What depends on checkout?", {"gateway"}),
    ],
)
def test_a_verb_behind_does_is_said_of_the_name_between(services: Context, question: str, answers: set[str]) -> None:
    assert {*ask(services, question).answers} == answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which services that depend on ledger were affected by an incident?", {"billing"}),
        ("Which services that depend on ledger had incidents?", {"billing"}),
        ("Which services that checkout depends on were affected by INC-2?", {"identity"}),
        ("Which engineers who are members of Money resolved INC-1?", {"Ann Ash"}),
        ("Which engineers that resolved INC-1 are members of Money?", {"Ann Ash"}),
    ],
)
def test_what_stands_behind_the_main_verb_is_said_of_the_first_noun(
    services: Context, question: str, answers: set[str]
) -> None:
    assert {*ask(services, question).answers} == answers


def test_the_usual_least_confidence_is_halved_for_marked_names_alone(schools: Context) -> None:
    plain, marked = "Where is Easton?", "Where is [Easton]?"
    assert (least_of(schools, plain, ()), least_of(schools, marked, ())) == (MIN_CONFIDENCE, 0.05)
    assert least_of(schools, plain, ("Easton",)) == 0.05
    strict = replace(schools, options=Options(min_confidence=0.3))
    assert least_of(strict, marked, ()) == 0.3
