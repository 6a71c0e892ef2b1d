"""Verbs that tell what is asked for: who does something, what things do or cost, and nouns beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.heard import Heard
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

FERRIES = Vocabulary(
    labels={"Skipper": 40, "Yard": 12, "Outfit": 15, "Ferry": 60, "Island": 30, "Refit": 90, "Notice": 70, "Trip": 300},
    keys=(
        Key("Skipper", "name", unique=True, distinct=40),
        Key("Skipper", "hourly_wage", "number", distinct=30, examples=("18.5", "22", "31.5")),
        Key("Skipper", "hired_on", "date", distinct=40),
        Key("Skipper", "staff_code", unique=True, distinct=40),
        Key("Yard", "title", unique=True, distinct=12),
        Key("Yard", "founding_year", "date", distinct=12),
        Key("Outfit", "title", unique=True, distinct=15),
        Key("Ferry", "name", unique=True, distinct=60),
        Key("Ferry", "price", "number", distinct=50, examples=("18000", "220000", "31500")),
        Key("Ferry", "test_score", "number", distinct=50, examples=("3", "14", "44")),
        Key("Island", "name", unique=True, distinct=30),
        Key("Island", "population", "number", distinct=30, examples=("80", "1200", "45000")),
        Key("Refit", "issue", distinct=20),
        Key("Refit", "finished_on", "date", distinct=90),
        Key("Notice", "code", unique=True, distinct=70),
        Key("CALLS_AT", "trips_cancelled", "number", of_edge=True, distinct=9, examples=("1", "4", "9")),
    ),
    links=(
        Link("Skipper", "MAINTAINS", "Ferry", 90),
        Link("Outfit", "REPORTED", "Notice", 70),
        Link("Skipper", "MENTORS", "Skipper", 20),
        Link("Skipper", "LIVES_ON", "Island", 40),
        Link("Outfit", "LEASES", "Ferry", 60),
        Link("Ferry", "BUILT_BY", "Yard", 60),
        Link("Ferry", "CALLS_AT", "Island", 200),
        Link("Ferry", "HAD_REFIT", "Refit", 90),
        Link("Ferry", "MADE", "Trip", 300),
        Link("Notice", "CONCERNS", "Ferry", 70),
    ),
    display={
        "Skipper": ("name",), "Yard": ("title",), "Outfit": ("title",), "Ferry": ("name",), "Island": ("name",),
        "Notice": ("code",),
    },
)  # fmt: skip
VALUES = Values(
    {
        "tern": [Entry("Ferry", "name", False, "Tern", "Tern", 1)],
        "storr": [Entry("Island", "name", False, "Storr", "Storr", 1)],
        "overhaul": [Entry("Refit", "issue", False, "overhaul", "overhaul", 9)],
        "n-17": [Entry("Notice", "code", False, "N-17", "N-17", 1)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(FERRIES, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Who leases more than four ferries?", "outfits with more than 4 ferries that they lease"),
        ("Who was hired as a skipper before 2000?", "skippers with hired on less than 2000"),
        ("How much do skippers on Storr earn?", "hourly wage of skippers that live on islands with name Storr"),
        (
            "What do skippers on Storr earn per hour on average?",
            "average hourly wage of skippers that live on islands with name Storr",
        ),
        (
            "When was the issue overhaul of Tern over?",
            "finished on of refits with issue overhaul of ferries with name Tern",
        ),
    ],
)
def test_a_verb_tells_what_is_asked_for(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_who_asks_for_no_number(fits: Fits) -> None:
    found = read("Who tested and reported N-17?", fits, VALUES)[0]
    assert wording(found.graph).startswith("outfits that reported notices")


def test_a_noun_that_is_like_nothing_is_told_from_a_verb(fits: Fits) -> None:
    noun, verb = (read(f"How many {words}?", fits, VALUES)[0] for words in ("lawyers live on Storr", "skippers sing"))
    assert (noun.unsaid, noun.nouns) == (("lawyers",), 1)
    assert (verb.unsaid, verb.nouns) == (("sing",), 0)


def test_the_verb_that_says_of_what_when_asks_the_date_counts_as_a_noun(fits: Fits) -> None:
    found = read("When was Tern insured?", fits, VALUES)[0]
    assert (found.unsaid, found.nouns) == (("insured",), 1)


def test_a_number_that_tells_things_apart_is_not_compared_unless_it_is_named(encoder: OnnxEncoder) -> None:
    staff = Key("Skipper", "staff_no", "number", unique=True, distinct=40, examples=("101", "180", "220"))
    keys = tuple(staff if key.key == "staff_code" else key for key in FERRIES.keys)
    known = Fits(replace(FERRIES, keys=keys, _ways={}), RankingCache(encoder))
    taller, named = (
        read(f"Which skippers {words} 180?", known, VALUES)[0].graph
        for words in ("are taller than", "have a staff no above")
    )
    assert "staff_no" not in {value.key for value in taller.values()}
    assert "staff_no" in {value.key for value in named.values()}


def test_more_people_than_there_are_are_no_people_of_the_graph(fits: Fits) -> None:
    assert not Heard("islands with fewer than 5000 people on them", fits, VALUES).is_label(5)
    found = read("islands with fewer than 5000 people", fits, VALUES)
    assert wording(found[0].graph) == "islands with population less than 5000"
    assert not any(edge.relations == ("LIVES_ON",) for item in found[:2] for edge in item.graph.edges)


def test_a_noun_for_who_does_something_names_no_property(fits: Fits) -> None:
    assert max(fits.key("coders").values()) < 0.5
    assert max(fits.key("codes").values()) > 0.8


def test_the_words_of_a_property_may_stand_around_a_verb(fits: Fits) -> None:
    found = read("How many trips were cancelled by Tern at Storr?", fits, VALUES)[0]
    assert found.wording.startswith("trips cancelled with which")
    assert found.silent == 0


def test_what_is_added_all_together_is_a_sum(fits: Fits) -> None:
    found = read("How many trips were cancelled by Tern all together?", fits, VALUES)[0]
    assert wording(found.graph).startswith("total trips cancelled")
