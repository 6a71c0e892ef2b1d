"""Compounds: what two names of the schema side by side mean, and a property that is called as its label is."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

HARBOUR = Vocabulary(
    labels={"Ferry": 40, "Pier": 12, "Captain": 30, "Sailor": 9, "Tide": 50},
    keys=(
        Key("Ferry", "name", unique=True, distinct=40, examples=("Selkie", "Kittiwake")),
        Key("Pier", "name", unique=True, distinct=12, examples=("North Pier", "Slip 4")),
        Key("Pier", "depth", "number", distinct=12, examples=("4.5", "7.0")),
        Key("Sailor", "sailor", distinct=7, examples=("Ada Finch", "Jo Maund")),
        Key("Sailor", "famousVoyage", unique=True, distinct=9, examples=("Round the Horn", "To the Ice")),
        Key("Captain", "name", unique=True, distinct=30, examples=("Iris Vance", "Omar Reyes")),
        Key("Tide", "tide", "number", distinct=40, examples=("3.4", "5.1")),
        Key("Tide", "year", "number", distinct=5, examples=("2001", "2002")),
    ),
    links=(
        Link("Ferry", "FERRY_PIER", "Pier", 60),
        Link("Captain", "STEERS", "Ferry", 40),
        Link("Sailor", "SERVES_ON", "Ferry", 30),
    ),
    display={"Ferry": ("name",), "Pier": ("name",), "Captain": ("name",), "Sailor": ("sailor",)},
)
NOTHING = Values({})


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(HARBOUR, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many ferry piers are there?", "number of piers"),
        ("What is the depth of all ferry piers?", "depth of piers"),
        ("Which ferries have piers?", "ferries with ferry piers"),
        ("How many sailors are there?", "number of sailors"),
        ("How many sailors serve on ferries?", "number of sailors that serve on ferries"),
        ("What are the names of the sailors?", "sailor of sailors"),
        ("What are the famous voyages of the sailors?", "famous voyage of sailors"),
    ],
)
def test_names_side_by_side_are_read_together(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, NOTHING)[0].graph) == meant


def test_a_number_that_is_called_as_its_label_is_an_amount(fits: Fits) -> None:
    found = read("How many tides, in total, are there in 2002?", fits, NOTHING)
    assert "sum of tide" in wording(found[0].graph) or "tide of" in wording(found[0].graph)
