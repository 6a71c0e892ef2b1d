"""Places: how far things are apart, what is near, told from points or from latitudes and longitudes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.english.cue import Cue
from kgneo.english.places import CUES, metres
from kgneo.graph.attach import Choices
from kgneo.graph.open import known_shape
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
CREATE (:Station {name: 'Harbour Square', place: point({latitude: 60.39, longitude: 5.32})})
CREATE (:Station {name: 'Cable Car', place: point({latitude: 60.40, longitude: 5.33})})
CREATE (:Station {name: 'Airport Terminal', place: point({latitude: 60.29, longitude: 5.22})})
CREATE (:Hotel {name: 'Grey Whale', lat: 60.391, lng: 5.321, stars: 4})
CREATE (:Hotel {name: 'Blue Barn', lat: 60.30, lng: 5.22, stars: 3})
CREATE (:Hotel {name: 'Nowhere Inn', stars: 2})
CREATE (:Guest {name: 'Ada Brook'})-[:STAYED_AT]->(:Hotel {name: 'Old Mill', lat: 60.41, lng: 5.34, stars: 5})
"""


@pytest.fixture(scope="module")
def town(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: cue.example)
def test_each_construction_is_found_in_its_example(cue: Cue[Any]) -> None:
    capitals = re.sub(r"\b[a-z]\w*|[?]|\b[A-Z][a-z]+\b", "", cue.example).split()
    said = cue.expression.search(cue.example)
    assert said is not None
    assert {*said[0].split()} >= {word for word in capitals if word not in "XY"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How far is Harbour Square from Airport Terminal?", ("12.4 km",)),
        ("What is the distance between Cable Car and Harbour Square?", ("1.24 km",)),
        ("How many miles are there between Harbour Square and Airport Terminal?", ("7.72 miles",)),
        ("Which hotels are within 2 km of Harbour Square?", ("Grey Whale",)),
        ("hotels within 4km of Harbour Square", ("Grey Whale", "Old Mill")),
        ("How many hotels are within 4 km of Harbour Square?", ("2",)),
        ("What is the nearest hotel to Airport Terminal?", ("Blue Barn",)),
        ("Which station is closest to Grey Whale?", ("Harbour Square",)),
        ("the 2 stations nearest to Grey Whale", ("Harbour Square", "Cable Car")),
    ],
)
def test_distances_are_computed(town: Context, question: str, answers: tuple[str, ...]) -> None:
    assert ask(town, question).answers == answers


def test_the_table_says_how_far_each_is(town: Context) -> None:
    found = ask(town, "hotels within 4 km of Harbour Square")
    assert found.table is not None
    assert found.table.columns == ("name", "km")
    assert found.table.rows == (("Grey Whale", 0.12), ("Old Mill", 2.48))


def test_the_places_are_the_evidence(town: Context) -> None:
    found = ask(town, "What is the nearest hotel to Airport Terminal?")
    assert ("Blue Barn", "lat", "60.3") in {
        (item.triple.subject, item.triple.relation, item.triple.object) for item in found.evidence
    }


def test_what_has_no_place_is_not_near(town: Context) -> None:
    assert "Nowhere Inn" not in ask(town, "hotels nearest to Harbour Square").answers


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which hotels with 5 stars are within 4 km of Harbour Square?", ("Old Mill",)),
        ("Which hotels with 5 stars are within 2 km of Harbour Square?", ()),
        ("hotels with less than 5 stars nearest to Harbour Square", ("Grey Whale", "Blue Barn")),
    ],
)
def test_other_conditions_hold_beside_a_distance(town: Context, question: str, answers: tuple[str, ...]) -> None:
    assert ask(town, question).answers == answers


def test_units_are_read() -> None:
    assert metres("1,000", "m") == metres("a", "kilometre") == 1000
    assert metres("2", "miles") == pytest.approx(3218.688)


JOINED = """
CREATE (:Museum {name: 'Ship Museum', spot: point({latitude: 60.39, longitude: 5.32})})
CREATE (:Cinema {name: 'Odeon', seats: 300})-[:LOCATED_AT]->
       (:Address {street: 'Quay 1', spot: point({latitude: 60.40, longitude: 5.33})})
CREATE (savoy:Cinema {name: 'Savoy', seats: 80})-[:LOCATED_AT]->
       (:Address {street: 'Hill Road 9', spot: point({latitude: 60.29, longitude: 5.22})})
CREATE (savoy)-[:SPONSORED_BY]->(:Shop {name: 'Corner', spot: point({latitude: 60.39, longitude: 5.32})})
CREATE (:Cinema {name: 'Nomad', seats: 20})
WITH savoy MATCH (odeon:Cinema {name: 'Odeon'})
CREATE (odeon)-[:SHOWS]->(:Film {title: 'Night Tide'}), (savoy)-[:SHOWS]->(:Film {title: 'Salt'})
"""


@pytest.fixture(scope="module")
def cinemas(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, JOINED) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which cinemas are within 5 km of Ship Museum?", ("Odeon",)),
        ("Which cinemas with more than 100 seats are within 50 km of Ship Museum?", ("Odeon",)),
        ("the 2 cinemas nearest to Ship Museum", ("Odeon", "Savoy")),
        ("How many cinemas are within 100 km of Odeon?", ("1",)),
        ("How far is Odeon from Savoy?", ("13.7 km",)),
        ("Which museum is closest to Savoy?", ("Ship Museum",)),
    ],
)
def test_what_has_no_place_has_that_of_its_address(cinemas: Context, question: str, answers: tuple[str, ...]) -> None:
    found = ask(cinemas, question)
    assert found.answers == answers
    assert found.confidence is not None
    assert found.confidence > 0.9


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which films are shown in cinemas within 5 km of Ship Museum?", ("Night Tide",)),
        ("How many films are shown in cinemas that are within 50 km of Ship Museum?", ("2",)),
    ],
)
def test_what_is_joined_to_near_things_is_found(cinemas: Context, question: str, answers: tuple[str, ...]) -> None:
    found = ask(cinemas, question)
    assert found.answers == answers
    assert ("Odeon", "SHOWS") in {(item.triple.subject, item.triple.relation) for item in found.evidence}


def test_the_way_to_the_place_is_evidence_and_said(cinemas: Context) -> None:
    found = ask(cinemas, "Which cinemas are within 5 km of Ship Museum?")
    triples = {(item.triple.subject, item.triple.relation) for item in found.evidence}
    assert {("Odeon", "LOCATED_AT"), ("Ship Museum", "spot")} <= triples
    assert found.readings[0].text.endswith("as the crow flies, by the place of their address")


def test_of_two_things_with_a_place_neither_is_taken(newest_server: RunningServer) -> None:
    with asked_on(newest_server, JOINED.replace("LOCATED_AT", "OWNED_BY").replace("Address", "Firm")) as context:
        assert not ask(context, "Which cinemas are within 5 km of Ship Museum?").answers


def test_a_place_that_is_left_out_tells_no_distance(newest_server: RunningServer) -> None:
    with asked_on(newest_server, FILL) as context:
        known_shape(context.graph, choices=Choices(exclude=("Hotel.lat",)))
        hiding = open_context(context.graph)
        assert ask(hiding, "Which hotels are within 2 km of Harbour Square?").answers != ("Grey Whale",)
