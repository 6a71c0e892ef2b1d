"""Periods and parts of years, places in an order, what was done, and what stands in a relationship."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.english.names import same_root
from kgneo.graph.dictionary import Entry
from kgneo.query.graph import Aggregate, Condition, Value
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

HARBOUR = Vocabulary(
    labels={"Boat": 40, "Skipper": 30, "Yard": 6, "Repair": 80, "Part": 50, "Museum": 4},
    keys=(
        Key("Boat", "name", unique=True, distinct=40),
        Key("Boat", "entered_service", "date", "date", distinct=38),
        Key("Boat", "value", "number", distinct=36, examples=("12000", "88000")),
        Key("Boat", "insured_from", "date", "date", distinct=30),
        Key("Boat", "insured_to", "date", "date", distinct=30),
        Key("Boat", "motorised", "truth", distinct=2),
        Key("Skipper", "name", unique=True, distinct=30),
        Key("Skipper", "hired_on", "date", "date", distinct=28),
        Key("Skipper", "birth_year", "number", distinct=25, examples=("1961", "1990")),
        Key("Skipper", "tier", distinct=3),
        Key("Yard", "name", unique=True, distinct=6),
        Key("Repair", "title", unique=True, distinct=80),
        Key("Repair", "finished_on", "date", "date", share=0.7, distinct=50),
        Key("Part", "name", unique=True, distinct=50),
        Key("Museum", "name", unique=True, distinct=4),
        Key("NEEDED", "quantity", "number", of_edge=True, distinct=9, examples=("1", "4", "12")),
        Key("INSPECTED", "inspected_on", "date", "date", of_edge=True, distinct=30),
        Key("WORKS_AT", "post", of_edge=True, distinct=3),
    ),
    links=(
        Link("Skipper", "SAILS", "Boat", 40),
        Link("Boat", "HAD", "Repair", 80),
        Link("Repair", "DONE_AT", "Yard", 80),
        Link("Repair", "NEEDED", "Part", 200),
        Link("Skipper", "INSPECTED", "Boat", 60),
        Link("Skipper", "WORKS_AT", "Yard", 20),
        Link("Museum", "OWNS", "Boat", 9),
        Link("Boat", "TOWED", "Boat", 12),
    ),
    display={
        "Boat": ("name",), "Skipper": ("name",), "Yard": ("name",), "Repair": ("title",), "Part": ("name",),
        "Museum": ("name",),
    },
)  # fmt: skip
VALUES = Values(
    {
        "sea otter": [Entry("Boat", "name", False, "Sea Otter", "Sea Otter", 1)],
        "bilge pump": [Entry("Part", "name", False, "Bilge Pump", "Bilge Pump", 1)],
        "brass wolf": [Entry("Boat", "name", False, "Brass Wolf", "Brass Wolf", 1)],
        "gold": [Entry("Skipper", "tier", False, "Gold", "Gold", 5)],
        "rigger": [Entry("WORKS_AT", "post", True, "rigger", "rigger", 7)],
        "quay yard": [Entry("Yard", "name", False, "Quay Yard", "Quay Yard", 1)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(HARBOUR, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("When does the insurance of Sea Otter end?", "insured to of boats with name Sea Otter"),
        ("When did the insurance of Sea Otter start?", "insured from of boats with name Sea Otter"),
        ("Until when is Sea Otter insured?", "insured to of boats with name Sea Otter"),
        ("Which boats entered service in the second half of 2023?",
         "boats with entered service between 2023-07-01 and 2023-12-31"),
        ("boats that entered service in the first quarter of 2024",
         "boats with entered service between 2024-01-01 and 2024-03-31"),
        ("Which boats entered service between 1 March and 30 June 2022?",
         "boats with entered service between 2022-03-01 and 2022-06-30"),
        ("Which boat entered service third?", "the boat with the 3rd earliest entered service"),
        ("Who was hired first?", "the skipper with the earliest hired on"),
        ("What are the three most valuable boats?", "the 3 boats with the highest value"),
        ("gold captains", "skippers with tier Gold"),
        ("Which repairs that were finished were done at Quay Yard?",
         "repairs with any finished on that done at yards with name Quay Yard"),
        ("What is the most frequently towed boat?", "the boat with the most boats that towed them, each time counted"),
        ("repairs not carried out at any yard", "repairs, but none that done at yards"),
        ("How much is the most valuable boat worth?", "value of the boat with the highest value"),
        ("How much was the largest need for a Bilge Pump?",
         "highest quantity with which a repair needed a part with name Bilge Pump"),
        ("Which boats run motorised?", "boats that are motorised"),
    ],
)  # fmt: skip
def test_times_and_deeds_are_read(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_how_many_of_a_named_thing_adds_up_what_its_relationships_say(fits: Fits) -> None:
    found = read("How many Bilge Pumps were needed?", fits, VALUES)[0]
    assert found.graph.answer == Aggregate("sum", Value("r0", "quantity"))


def test_names_in_the_plural_may_end_otherwise(fits: Fits) -> None:
    found = read("skippers of Brass Wolves", fits, VALUES)[0]
    assert Condition(Value("x1", "name"), "=", ("Brass Wolf",)) in found.graph.conditions


def test_what_a_thing_is_in_a_relationship_asks_for_it(fits: Fits) -> None:
    found = read("Who are the riggers at Quay Yard?", fits, VALUES)[0]
    assert found.graph.variables[0].labels == ("Skipper",)
    assert Condition(Value("r0", "post"), "=", ("rigger",)) in found.graph.conditions


def test_a_day_is_compared_with_the_date_of_what_the_verb_says(fits: Fits) -> None:
    found = read("boats that a skipper inspected between 1 May 2021 and 3 May 2021", fits, VALUES)[0]
    assert [item.left for item in found.graph.conditions] == [Value("r0", "inspected_on", "date")]


def test_what_stands_between_a_name_and_a_kind_is_no_chain_from_the_name(fits: Fits) -> None:
    found = read("Which boats that had repairs at Quay Yard are owned by a museum?", fits, VALUES)[0]
    assert {edge.relations[0] for edge in found.graph.edges} >= {"HAD", "DONE_AT", "OWNS"}
    assert not found.plain_chain


def test_a_city_is_not_cited() -> None:
    assert not same_root("cited", "city")


def test_a_part_of_a_longer_name_is_no_other_property(encoder: OnnxEncoder) -> None:
    keys = (
        Key("Item", "shelfEntryId", "number", unique=True, distinct=9),
        Key("Item", "shelfEntryName", distinct=9),
        Key("Item", "height", "number", distinct=9),
    )
    fits = Fits(Vocabulary({"Item": 9}, keys, ()), RankingCache(encoder))
    for question in (
        "What is the shelf entry name of the item with the highest height?",
        "Give me the shelf entry names of the items.",
    ):
        best = read(question, fits, Values({}))[0]
        assert isinstance(best.graph.answer, Value)
        assert best.graph.answer.key == "shelfEntryName"
