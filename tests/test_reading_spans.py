"""Time between two dates, differences, units, and how people begin and type a question."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
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
        Key("Skipper", "born", "date", distinct=39),
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
         "months from launched of boat with name Petrel that licensed at harbours to "
         "licensed of the relation “licensed at”"),
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


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("How many times as many kilowatts does Petrel have as Curlew?",
         "engine kw of boat with name Petrel divided by engine kw of boat with name Curlew"),
        ("What is the ratio of the fee of Petrel to that of Curlew?",
         "fee eur of boat with name Petrel divided by fee eur of boat with name Curlew"),
    ],
)  # fmt: skip
def test_a_ratio_is_one_number_divided_by_another(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_the_only_other_date_is_the_other_end_of_a_span(fits: Fits) -> None:
    found = read("How many days did H-17 last, from its start to its return?", fits, VALUES)[0]
    assert wording(found.graph) == "days from due of hire with code H-17 to returned of that hire"


@pytest.mark.parametrize(
    ("question", "kind", "noun"),
    [
        ("Are there any boats with a steel hull? Please list them.", "things", "there"),
        ("Is there a steel boat, and if so, which ones?", "things", "there"),
        ("Is there a steel boat?", "exists", "there"),
        ("Of the boats that are steel, which two are the oldest?", "things", "the"),
    ],
)
def test_what_is_asked_for_is_said_before_or_behind(question: str, kind: str, noun: str) -> None:
    words = words_of(question)
    form = form_of(words)
    assert (form.kind, words[form.at].plain) == (kind, noun)


def test_of_those_that_are_named_first_as_many_are_asked_for_as_stands_behind_which() -> None:
    [extreme] = form_of(words_of("Of the boats that are steel, which two are the oldest?")).extremes
    assert extreme.limit == 2


@pytest.mark.parametrize(
    "question",
    ["What did it cost, in thousands of euros?", "What did it earn on top of its fee?", "boats in thousands of bays"],
)
def test_what_only_tells_in_what_to_answer_bounds_nothing(question: str) -> None:
    form = form_of(words_of(question))
    assert not form.comparisons
    assert not form.extremes


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Wich boats came out in 2010", ["which", "boats", "released", "out", "in", "2010"]),
        ("the trail looked good", ["the", "trail", "looked", "good"]),
        ("who looked into it", ["who", "investigated", "into", "it"]),
    ],
)
def test_a_word_stands_for_what_it_means(typed: str, meant: list[str]) -> None:
    assert [word.plain for word in words_of(typed)] == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("skpipers on a part-time contract", "skippers with contract PART_TIME"),
        ("harbours where Petrel is moored", "harbours that boats with name Petrel moored at"),
    ],
)
def test_two_letters_the_wrong_way_round_are_put_right(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which is more expensive, Petrel or Curlew?", "the boat with name Petrel or Curlew with the highest fee eur"),
        ("Which is older, Petrel or Curlew?", "the boat with name Petrel or Curlew with the lowest launched"),
    ],
)
def test_of_alternatives_the_first_by_a_measure_is_asked_for(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_an_age_is_that_of_who_is_named_when_something_else_was(fits: Fits) -> None:
    found = read("How old was Ada Lind when H-17 was returned?", fits, VALUES)[0]
    assert wording(found.graph).startswith("years from born of skipper with name Ada Lind to returned of hire")
