"""Amounts, bounds and words inside texts: how much was paid, what is to hold a word, what a number is said of."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.graph import Condition, Value
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.heard import Heard
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

CHOIRS = Vocabulary(
    labels={"Choir": 20, "Singer": 90, "Listener": 80, "Concert": 60, "Song": 150, "Hall": 12, "Prize": 10, "Radio": 9},
    keys=(
        Key("Choir", "name", unique=True, distinct=20),
        Key("Choir", "ticket_revenue", "number", distinct=20, examples=("8000", "22000", "31500")),
        Key("Choir", "rank", distinct=4),
        Key("Singer", "name", unique=True, distinct=90),
        Key("Listener", "name", unique=True, distinct=80),
        Key("Concert", "title", unique=True, distinct=60),
        Key("Concert", "held_on", "date", distinct=50),
        Key("Concert", "minutes", "number", distinct=40, examples=("60", "75", "90")),
        Key("Concert", "applause_index", "number", share=0.8, distinct=40, examples=("1", "5", "9")),
        Key("Song", "title", unique=True, distinct=150),
        Key("Song", "minutes", "number", distinct=9, examples=("2", "4", "6")),
        Key("Hall", "name", unique=True, distinct=12),
        Key("Hall", "phone", unique=True, distinct=12),
        Key("Hall", "dog_friendly", "truth", distinct=2),
        Key("Prize", "name", unique=True, distinct=10),
        Key("Radio", "name", unique=True, distinct=9),
        Key("SANG_AT", "fee", "number", of_edge=True, distinct=30, examples=("40", "120", "300")),
        Key("SANG_AT", "booked_by", of_edge=True, distinct=3),
        Key("Song", "rating", "number", distinct=9, examples=("1", "3", "5")),
        Key("HEARD", "ticket_rate", "number", of_edge=True, distinct=10, examples=("10", "25", "40")),
        Key("HEARD", "points", "number", of_edge=True, distinct=10, examples=("1", "5", "9")),
        Key("ENTERED", "won", "truth", of_edge=True, distinct=2),
    ),
    links=(
        Link("Singer", "SANG_AT", "Concert", 300),
        Link("Singer", "MEMBER_OF", "Choir", 90),
        Link("Choir", "GAVE", "Concert", 60),
        Link("Choir", "ENTERED", "Prize", 30),
        Link("Concert", "HELD_IN", "Hall", 60),
        Link("Concert", "HAS_SONG", "Song", 150),
        Link("Concert", "BROADCAST_ON", "Radio", 25),
        Link("Listener", "HEARD", "Concert", 200),
    ),
    display={
        "Choir": ("name",), "Singer": ("name",), "Listener": ("name",), "Concert": ("title",), "Song": ("title",),
        "Hall": ("name",), "Prize": ("name",), "Radio": ("name",),
    },
)  # fmt: skip
VALUES = Values(
    {
        "ann ode": [Entry("Singer", "name", False, "Ann Ode", "Ann Ode", 1)],
        "evensong": [Entry("Concert", "title", False, "Evensong", "Evensong", 1)],
        "will": [Entry("Concert", "title", False, "Will", "Will", 1)],
        "larks": [Entry("Choir", "name", False, "Larks", "Larks", 1)],
        "golden fork": [Entry("Prize", "name", False, "Golden Fork", "Golden Fork", 1)],
        "corn hall": [Entry("Hall", "name", False, "Corn Hall", "Corn Hall", 1)],
        "phone": [Entry("SANG_AT", "booked_by", True, "phone", "phone", 90)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(CHOIRS, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        (
            "How much was Ann Ode paid for Evensong?",
            "fee with which a singer with name Ann Ode sang at a concert with title Evensong",
        ),
        (
            "What is the most Ann Ode has been paid?",
            "highest fee with which a singer with name Ann Ode sang at a concert",
        ),
        ("Which concerts took place between the start of 2015 and the end of 2018?",
         "concerts with held on between 2015 and 2018"),
        ("concerts since the beginning of 2015", "concerts with held on at least 2015"),
        ("average minutes of the Evensong songs",
         "average minutes of songs of concerts with title Evensong"),
        ("halls that accept dogs", "halls that are dog friendly"),
        ("What's the phone number of Corn Hall?", "phone of halls with name Corn Hall"),
        ("Who sang at the concert Will?", "singers that sang at concerts with title Will"),
        ("Can we hire halls that accept dogs?", "whether there are halls that are dog friendly"),
        ("songs with the word winter in the title", "songs with title containing winter"),
        ("Which singers have Ode in their name?", "singers with name containing Ode"),
        ("How many songs are there whose title contains the word rain?", "number of songs with title containing rain"),
        ("Which concerts have not been given an applause index yet?", "concerts with no applause index"),
        ("evenings in Corn Hall", "concerts that held in halls with name Corn Hall"),
        ("Which concerts were never on any broadcasting service?", "concerts, but none that broadcast on radios"),
    ],
)  # fmt: skip
def test_amounts_bounds_and_texts_are_read(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_a_bound_may_stand_behind_the_noun_of_its_number(fits: Fits) -> None:
    found = read("listeners who gave Evensong 8 points or more", fits, VALUES)[0]
    assert wording(found.graph) == "listeners that heard concerts with title Evensong (points at least 8)"


def test_a_verb_that_follows_no_rule_has_the_root_of_its_past(fits: Fits) -> None:
    found = read("Did Larks win the Golden Fork?", fits, VALUES)[0]
    assert Condition(Value("r0", "won"), "=", (True,)) in found.graph.conditions
    assert found.complete


def test_how_many_asks_for_no_date(fits: Fits) -> None:
    found = read("How many concerts were held on a day in May 2020?", fits, VALUES)[0]
    assert wording(found.graph).startswith("number of concerts")


def test_a_word_of_a_whole_name_is_no_other_property(fits: Fits) -> None:
    heard = Heard("the highest ticket rate of Evensong", fits, VALUES)
    named = {meaning.key.key for item in heard.key_mentions for meaning in item.meanings if meaning.key}
    assert named == {"ticket_rate"}


def test_a_property_is_not_said_by_two_words_that_are_only_like_it(fits: Fits) -> None:
    found = read("average applause of the crowds at Evensong", fits, VALUES)[0]
    assert "crowds" in found.unsaid or found.silent > 0


def test_what_is_in_a_property_that_is_no_name_is_not_held_by_it(fits: Fits) -> None:
    assert not Heard("choirs with Ann Ode in the rank", fits, VALUES).holdings
    assert Heard("choirs with the word first in the rank", fits, VALUES).holdings
