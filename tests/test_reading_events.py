"""What happened, when and to whom: words for that it happened, who acts in a clause, and whom a name is said of."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.groups import group_words
from kgneo.reading.mentions import words_of
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

ROADS = Vocabulary(
    labels={"Accident": 500, "Road": 300, "Driver": 400, "Lorry": 90, "Inspector": 20, "Message": 800, "Box": 60},
    keys=(
        Key("Accident", "date", "date", distinct=200),
        Key("Accident", "duration", "number", distinct=100),
        Key("Road", "title", unique=True, distinct=300),
        Key("Driver", "name", distinct=150),
        Key("Driver", "surname", distinct=150),
        Key("Lorry", "plate", unique=True, distinct=90),
        Key("Inspector", "surname", distinct=20),
        Key("Message", "day", "date", distinct=200),
        Key("Box", "code", unique=True, distinct=60),
    ),
    links=(
        Link("Accident", "OCCURRED_ON", "Road", 500),
        Link("Driver", "LIVES_ON", "Road", 400),
        Link("Driver", "PARTY_TO", "Accident", 600),
        Link("Lorry", "INVOLVED_IN", "Accident", 150),
        Link("Accident", "INSPECTED_BY", "Inspector", 500),
        Link("Driver", "KNOWS", "Driver", 700),
        Link("Message", "MAILER", "Box", 800),
        Link("Message", "MAILED", "Box", 800),
    ),
    display={"Road": ("title",), "Driver": ("name",), "Lorry": ("plate",), "Inspector": ("surname",), "Box": ("code",)},
)
VALUES = Values(
    {
        "2021-05-04": [
            Entry("Accident", "date", False, "2021-05-04", "2021-05-04", 3),
            Entry("Message", "day", False, "2021-05-04", "2021-05-04", 3),
        ],
        "ottilie": [Entry("Driver", "name", False, "Ottilie", "Ottilie", 2)],
        "moss": [Entry("Driver", "surname", False, "Moss", "Moss", 4)],
        "long": [Entry("Driver", "surname", False, "Long", "Long", 4)],
        "quill": [Entry("Inspector", "surname", False, "Quill", "Quill", 1)],
        "mill lane": [Entry("Road", "title", False, "Mill Lane", "Mill Lane", 1)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(ROADS, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("When did the accident with Ottilie happen?", "date of accidents that drivers with name Ottilie party to"),
        (
            "Which drivers were in accidents that occurred on 2021-05-04?",
            "drivers that party to accidents with date 2021-05-04",
        ),
        ("Which accidents occurred on Mill Lane?", "accidents that occurred on roads with title Mill Lane"),
        (
            "Which drivers have a friend with the surname Moss?",
            "drivers that know drivers with surname Moss (either way)",
        ),
        (
            "What are the last names of the drivers on Mill Lane?",
            "surname of drivers that live on roads with title Mill Lane",
        ),
        ("What is the first name of the driver with the surname Moss?", "name of drivers with surname Moss"),
        (
            "What are the surnames of the friends of Ottilie?",
            "surname of drivers that know drivers with name Ottilie (either way)",
        ),
        ("List the surnames of the drivers on Mill Lane", "surname of drivers that live on roads with title Mill Lane"),
        (
            "How long was the accident on Mill Lane?",
            "duration of accidents that occurred on roads with title Mill Lane",
        ),
        ("Which boxes that mailed on 2021-05-04?", "boxes that are mailer of messages with day 2021-05-04"),
        ("Which boxes that were mailed on 2021-05-04?", "boxes that messages with day 2021-05-04 mailed"),
    ],
)
def test_what_happened_is_read_with_when_and_to_whom(question: str, meant: str, fits: Fits) -> None:
    assert wording(read(question, fits, VALUES)[0].graph) == meant


@pytest.mark.parametrize("verb", ["overseen", "rebuilt", "withdrawn", "known"])
def test_a_number_is_not_asked_for_each_of_those_who_did_it(verb: str) -> None:
    assert group_words(words_of(f"How many roads are {verb} by inspectors?")) == []


def test_a_negation_of_something_unknown_denies_nothing_behind_it(fits: Fits) -> None:
    graph = read("Which accidents on Mill Lane were closed with no culprit after inspection?", fits, VALUES)[0].graph
    assert not graph.denies


def test_who_something_is_with_is_involved_and_nothing_else(fits: Fits) -> None:
    graph = read("Which accidents on Mill Lane are there with Ottilie involved?", fits, VALUES)[0].graph
    assert "INVOLVED_IN" not in {relation for edge in graph.edges for relation in edge.relations}
