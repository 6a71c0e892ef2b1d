"""People: what tells that nodes are people, their names in two properties, their sex, and when something was so."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.graph.schema import Property
from kgneo.graph.vocabulary import kind_of
from kgneo.query.graph import Value
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

NAMES = ("Marta Lindqvist", "Owen Pryce", "Ingrid Solbakken", "Hugo Tremblay", "Daniel Okafor", "Helen Marsh")
FIRST = ("Marta", "Owen", "Ingrid", "Hugo", "Daniel", "Helen")
STABLE = Vocabulary(
    labels={"Groom": 30, "Owner": 25, "Horse": 60, "Yard": 6},
    keys=(
        Key("Groom", "name", unique=True, distinct=30, examples=NAMES),
        Key("Groom", "wage", "number", distinct=20, examples=("12", "14", "18.5")),
        Key("Owner", "first_name", distinct=20, examples=FIRST),
        Key("Owner", "last_name", distinct=24, examples=("Lind", "Pryce", "Marsh", "Okafor")),
        Key("Owner", "sex", distinct=2, examples=("F", "M")),
        Key("Owner", "head_count", "number", distinct=9, examples=("1", "2", "9")),
        Key("Horse", "name", unique=True, distinct=60, examples=("Tempest", "Grey Rock", "Bluebell", "Morning Frost")),
        Key("Horse", "weight_kg", "number", distinct=50, examples=("420", "480", "515")),
        Key("Yard", "name", unique=True, distinct=6, examples=("North Yard", "Mill Yard")),
        Key("OWNS", "since", "date", of_edge=True, distinct=9, examples=("2015", "2019", "2021")),
        Key("REACTS_TO", "severity", of_edge=True, distinct=3),
        Key("VISITED", "device", of_edge=True, distinct=3),
    ),
    links=(
        Link("Owner", "OWNS", "Horse", 60),
        Link("Groom", "FEEDS", "Horse", 90),
        Link("Horse", "REACTS_TO", "Horse", 8),
        Link("Horse", "KEPT_AT", "Yard", 60),
        Link("Owner", "VISITED", "Yard", 60),
        Link("Owner", "MENTORS", "Owner", 9),
    ),
    display={"Groom": ("name",), "Owner": ("first_name", "last_name"), "Horse": ("name",), "Yard": ("name",)},
)
VALUES = Values(
    {
        "ingrid": [Entry("Owner", "first_name", False, "Ingrid", "Ingrid", 1)],
        "marsh": [Entry("Owner", "last_name", False, "Marsh", "Marsh", 1)],
        "f": [Entry("Owner", "sex", False, "F", "F", 12)],
        "tempest": [Entry("Horse", "name", False, "Tempest", "Tempest", 1)],
        "bluebell": [Entry("Horse", "name", False, "Bluebell", "Bluebell", 1)],
        "severe": [Entry("REACTS_TO", "severity", True, "SEVERE", "SEVERE", 3)],
        "phone": [Entry("VISITED", "device", True, "PHONE", "PHONE", 30)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(STABLE, RankingCache(encoder))


@pytest.mark.parametrize(("label", "are"), [("Groom", True), ("Owner", True), ("Horse", False), ("Yard", False)])
def test_nodes_with_names_of_people_are_people_whatever_their_label(label: str, are: bool, fits: Fits) -> None:
    assert (fits.people[label] > 0.3) is are


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("people who feed Tempest", "grooms that feed horses with name Tempest"),
        ("women who own a horse", "owners with sex F that own horses"),
        ("Which horses react severely to Bluebell?",
         "horses that react to horses with name Bluebell (severity SEVERE)"),
        ("Since when has Ingrid Marsh owned Tempest?",
         "since with which an owner with last name Marsh and with first name Ingrid owns a horse with name Tempest"),
        ("How many kilos does Tempest weigh?", "weight kg of horses with name Tempest"),
    ],
)  # fmt: skip
def test_what_people_are_and_do_is_read(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


def test_names_side_by_side_are_one_persons(fits: Fits) -> None:
    [first, *_] = read("Who is mentored by Ingrid Marsh?", fits, VALUES)
    values = [item.left for item in first.graph.conditions if isinstance(item.left, Value)]
    assert len({value.of for value in values if value.key in ("first_name", "last_name")}) == 1


def test_a_value_before_number_is_a_part_of_a_propertys_name(fits: Fits) -> None:
    found = read("What is Ingrid Marsh's phone number?", fits, VALUES)
    assert all("device PHONE" not in wording(item.graph) for item in found)


@pytest.mark.parametrize(
    ("key", "examples", "kind"),
    [
        ("since", ("2015", "2019"), "date"),
        ("established", ("1850", "1999"), "date"),
        ("sold", ("12", "2019"), "number"),
        ("weight", ("1999", "2001"), "number"),
    ],
)
def test_whole_numbers_are_years_by_their_name_and_size(key: str, examples: tuple[str, ...], kind: str) -> None:
    assert kind_of(Property(key, "INTEGER", 1.0, 9, examples=examples))[0] == kind
