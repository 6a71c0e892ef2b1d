"""Time between two dates, differences, units, and how people begin and type a question."""

from __future__ import annotations

import pytest

from kgneo.embedding import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.form import form_of
from kgneo.reading.mentions import words_of
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

BOATS = Vocabulary(
    labels={"Boat": 30, "Hire": 200, "Skipper": 40, "Harbour": 8},
    keys=(
        Key("Boat", "name", unique=True, distinct=30),
        Key("Boat", "engine_kw", "number", distinct=12, examples=("7.5", "15", "30")),
        Key("Boat", "fee_eur", "number", distinct=20, examples=("80", "120", "300")),
        Key("Boat", "launched", "date", distinct=28),
        Key("Boat", "hull", distinct=3),
        Key("Hire", "code", unique=True, distinct=200),
        Key("Hire", "due", "date", distinct=120),
        Key("Hire", "returned", "date", distinct=120),
        Key("Hire", "minutes", "number", distinct=40, examples=("60", "95", "240")),
        Key("Skipper", "name", unique=True, distinct=40),
        Key("Skipper", "contract", distinct=3),
        Key("Harbour", "name", unique=True, distinct=8),
        Key("OWNS", "share_pct", "number", of_edge=True, distinct=9, examples=("25", "50", "100")),
        Key("LICENSED_AT", "licensed", "date", of_edge=True, distinct=30),
    ),
    links=(
        Link("Hire", "OF_BOAT", "Boat", 200),
        Link("Hire", "LED_BY", "Skipper", 200),
        Link("Boat", "MOORED_AT", "Harbour", 30),
        Link("Boat", "LICENSED_AT", "Harbour", 30),
        Link("Skipper", "OWNS", "Boat", 50),
    ),
    display={"Boat": ("name",), "Hire": ("code",), "Skipper": ("name",), "Harbour": ("name",)},
)
VALUES = Values(
    {
        "petrel": [Entry("Boat", "name", False, "Petrel", "Petrel", 1)],
        "curlew": [Entry("Boat", "name", False, "Curlew", "Curlew", 1)],
        "h 17": [Entry("Hire", "code", False, "H-17", "H-17", 1)],
        "h-17": [Entry("Hire", "code", False, "H-17", "H-17", 1)],
        "part time": [Entry("Skipper", "contract", False, "PART_TIME", "PART_TIME", 9)],
        "ada lind": [Entry("Skipper", "name", False, "Ada Lind", "Ada Lind", 1)],
        "steel": [Entry("Boat", "hull", False, "STEEL", "STEEL", 9)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(BOATS, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many days after it was due was hire H-17 returned?",
         "days from due of hire with code H-17 to returned of that hire"),
        ("How many days passed between the due date of H-17 and its return?",
         "days from due of hire with code H-17 to returned of that hire"),
        ("How many months before it was licensed was Petrel launched?",
         "months from launched of boat with name Petrel that licensed at harbours to licensed of that boat"),
    ],
)  # fmt: skip
def test_the_time_between_two_dates_is_read(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_a_difference_has_no_sign(fits: Fits) -> None:
    found = read("What is the difference in fee between Petrel and Curlew?", fits, VALUES)[0]
    assert wording(found.graph).startswith("difference between fee eur")


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many kilowatts does Petrel have?", "engine kw of boats with name Petrel"),
        ("Which boats have more than 10 kilowatts?", "boats with engine kw more than 10"),
        ("Which boats cost more than 100 euros?", "boats with fee eur more than 100"),
        ("Which hires took more than 2 hours?", "hires with minutes more than 120"),
    ],
)
def test_a_unit_names_the_number_that_is_given_in_it(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("part-time skippers", "skippers with contract PART_TIME"),
        ("steel-hulled boats", "boats with hull STEEL"),
        ("I'm looking for boats that are moored at a harbour", "boats that moored at harbours"),
        ("I would like to know the hull of Petrel", "hull of boats with name Petrel"),
        ("whats the hull of Petrel", "hull of boats with name Petrel"),
        ("what is the diference in fee betwen Petrel and Curlew",
         "difference between fee eur of boat with name Petrel and fee eur of boat with name Curlew"),
    ],
)  # fmt: skip
def test_a_question_is_read_as_people_type_it(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


@pytest.mark.parametrize(
    "question", ["List all boats, cheapest first", "How long did hire H-17 last?", "boats by fee, largest first"]
)
def test_an_order_and_a_verb_ask_for_no_extreme(question: str) -> None:
    assert not form_of(words_of(question)).extremes


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What percentage of Petrel does Ada Lind own?",
         "share pct with which a skipper with name Ada Lind owns a boat with name Petrel"),
        ("What percentage of the boats are steel?", "per cent of all boats that are boats with hull STEEL"),
    ],
)  # fmt: skip
def test_a_share_of_one_thing_is_a_per_cent_that_the_graph_has(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant
