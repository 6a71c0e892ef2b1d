"""What a reading leaves open: words that it does not say, and things that it only seems to."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.graph import Aggregate
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import Interpretation, read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

CLINICS = Vocabulary(
    labels={"Doctor": 30, "Nurse": 20, "Address": 25, "Loan": 9},
    keys=(
        Key("Doctor", "name", unique=True, distinct=30),
        Key("Doctor", "languages", form="list", listed=True, distinct=5),
        Key("Nurse", "name", unique=True, distinct=20),
        Key("Nurse", "formerDoctor", "truth", distinct=2),
        Key("Address", "street", unique=True, distinct=25),
        Key("Loan", "number", unique=True, distinct=9),
    ),
    links=(
        Link("Doctor", "LIVES_AT", "Address", 30),
        Link("Nurse", "ASSISTS", "Doctor", 20),
        Link("Doctor", "HAS_LOAN", "Loan", 9),
    ),
    display={"Doctor": ("name",), "Nurse": ("name",), "Address": ("street",), "Loan": ("number",)},
)
VALUES = Values(
    {
        "vera lind": [Entry("Doctor", "name", False, "Vera Lind", "Vera Lind", 1)],
        "finnish": [Entry("Doctor", "languages", False, "Finnish", "Finnish", 4)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(CLINICS, RankingCache(encoder))


def best(question: str, fits: Fits) -> Interpretation:
    return read(question, fits, VALUES)[0]


def test_several_of_what_is_asked_for_are_of_a_class_though_a_property_is_like_it(fits: Fits) -> None:
    graph = best("Which physicians speak Finnish?", fits).graph
    assert graph.variable(graph.root).labels == ("Doctor",)
    assert not graph.edges


def test_a_noun_before_one_that_is_said_is_not_said_by_the_same_name(fits: Fits) -> None:
    assert best("What is the email address of Vera Lind?", fits).unsaid == ("email",)


def test_yes_or_no_is_asked_of_what_one_name_has(fits: Fits) -> None:
    found = best("Does Vera Lind have a loan?", fits)
    assert isinstance(found.graph.answer, Aggregate)
    assert (found.graph.answer.function, len(found.graph.edges)) == ("exists", 1)
    assert not found.plain_chain


def test_that_a_name_is_there_is_no_yes_to_what_else_was_asked(fits: Fits) -> None:
    assert best("Does Vera Lind have a parachute?", fits).vacuous


def test_how_many_there_are_of_a_name_is_no_answer_to_how_much_else_it_has(encoder: OnnxEncoder) -> None:
    vocabulary = Vocabulary(
        labels={"Customer": 9, "Loan": 12},
        keys=(Key("Customer", "name", distinct=8), Key("Loan", "number", unique=True, distinct=12)),
        links=(Link("Customer", "REPAYS", "Loan", 12),),
        display={"Customer": ("name",), "Loan": ("number",)},
    )
    values = Values({"tom pine": [Entry("Customer", "name", False, "Tom Pine", "Tom Pine", 1)]})
    found = read("How many parachutes does Tom Pine own?", Fits(vocabulary, RankingCache(encoder)), values)
    assert found[0].vacuous


STOCKED = Vocabulary(
    labels={"Part": 30},
    keys=(
        Key("Part", "name", unique=True, distinct=30),
        Key("Part", "unitsInStock", "number", distinct=30),
        Key("Part", "reorderLevel", "number", distinct=9),
        Key("Part", "orderedOn", "date", "date", distinct=30),
        Key("Part", "deliveredOn", "date", "date", distinct=30),
    ),
    display={"Part": ("name",)},
)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which parts have fewer units in stock than their reorder level?",
         "units in stock less than their reorder level"),
        ("parts whose reorder level is higher than the units in stock", "reorder level more than their units in stock"),
        ("Which parts were delivered earlier than they were ordered?", "delivered on before their ordered on"),
    ],
)  # fmt: skip
def test_one_property_is_compared_with_another(question: str, meant: str, encoder: OnnxEncoder) -> None:
    assert read(question, Fits(STOCKED, RankingCache(encoder)), Values())[0].wording == f"parts with {meant}"


LAMPS = Vocabulary(
    labels={"Lamp": 30, "Shop": 9},
    keys=(
        Key("Lamp", "name", unique=True, distinct=30),
        Key("Lamp", "colour", distinct=5),
        Key("Shop", "name", unique=True, distinct=9),
        Key("Shop", "country", distinct=3),
    ),
    links=(Link("Shop", "SELLS", "Lamp", 60),),
    display={"Lamp": ("name",), "Shop": ("name",)},
)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which country has the most shops?", "the country with the highest number of shops"),
        ("What is the most common colour of lamps?", "the colour with the highest number of lamps"),
        ("Which colour do the fewest lamps have?", "the colour with the lowest number of lamps"),
    ],
)
def test_a_property_can_be_asked_for_by_how_many_have_it(question: str, meant: str, encoder: OnnxEncoder) -> None:
    assert read(question, Fits(LAMPS, RankingCache(encoder)), Values())[0].wording == meant
