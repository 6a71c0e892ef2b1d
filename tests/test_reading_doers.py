"""Nouns for those who do what a relationship says: "directors" are the people that directed something."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

STAGE = Vocabulary(
    labels={"Person": 60, "Play": 40},
    keys=(
        Key("Person", "name", unique=True, distinct=60),
        Key("Person", "born", "number", distinct=40),
        Key("Play", "title", unique=True, distinct=40),
    ),
    links=(
        Link("Person", "ACTED_IN", "Play", 120),
        Link("Person", "DIRECTED", "Play", 40),
        Link("Person", "TEACHES", "Person", 20),
        Link("Play", "REVIEWED_BY", "Person", 30),
    ),
    display={"Person": ("name",), "Play": ("title",)},
)
VALUES = Values(
    {
        "the glass hill": [Entry("Play", "title", False, "The Glass Hill", "The Glass Hill", 1)],
        "ada brook": [Entry("Person", "name", False, "Ada Brook", "Ada Brook", 1)],
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(STAGE, RankingCache(encoder))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which directors were born before 1940?", "people with born less than 1940 that directed plays"),
        ("Who are the actors of The Glass Hill?", "people that acted in plays with title The Glass Hill"),
        ("Which reviewers were born after 1970?", "people with born more than 1970 that plays were reviewed by"),
        ("Which plays have more than two directors?", "plays with more than 2 people that directed them"),
        ("actors who are also directors", "people that acted in plays and that directed plays"),
        (
            "How many plays did each actor direct?",
            "number of plays that people that acted in plays directed, for each person",
        ),
        ("Which people have no teacher?", "people, but none that people teach"),
    ],
)
def test_a_noun_for_doers_means_those_who_stand_in_the_relationship(question: str, meant: str, fits: Fits) -> None:
    names = [wording(item.graph) for item in read(question, fits, VALUES)]
    assert names[0] == meant


def test_behind_a_preposition_a_word_like_a_verb_is_a_noun(fits: Fits) -> None:
    graph = read("Who directed a drama with Ada Brook?", fits, VALUES)[0].graph
    assert {label for item in graph.variables for label in item.labels} == {"Person", "Play"}
