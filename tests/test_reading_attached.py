"""Readings one edit away from another: what words attach, measure, deny and ask for otherwise."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.query.check import check
from kgneo.query.compile import compile_query
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.read import read
from tests.test_reading import DICTIONARY, VOCABULARY


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(VOCABULARY, RankingCache(encoder))


FIRST = {
    "Which films are longer than 120 or were released after 2015?": (
        "films, where length more than 120 or released after 2015"
    ),
    "Which films are comedies or longer than 120?": "films, where genre comedy or length more than 120",
    "films longer than the average": "films with length more than the average length of films",
    "What is the most common genre?": "the genre with the highest number of films",
    "What is the most popular studio?": "the studio with the most films that they produced",
    "Which studio is least popular?": "the studio with the fewest films that they produced",
    "Which genres do not have a film longer than 120?": "genre of films whose genre has highest length at most 120",
}
AMONG = {
    "Which studios have films that at least 2 people acted in?": (
        "studios with at least 2 people that acted in films that they produced"
    ),
    "How many genres of films are there?": "number of films",
    "Which people directed the longest film?": "the film that people directed with the highest length",
    "Which countries have at least 2 studios?": "country of studios whose country has at least 2 studios",
}


@pytest.mark.parametrize("question", FIRST)
def test_an_edit_that_says_more_comes_first(fits: Fits, question: str) -> None:
    assert read(question, fits, DICTIONARY)[0].wording == FIRST[question]


@pytest.mark.parametrize("question", AMONG)
def test_an_edit_that_says_no_more_stands_behind_what_it_was_made_of(fits: Fits, question: str) -> None:
    told = [item.wording for item in read(question, fits, DICTIONARY)]
    assert told.index(AMONG[question]) > 0


def test_every_edit_can_be_asked(fits: Fits) -> None:
    for question in (*FIRST, *AMONG):
        for item in read(question, fits, DICTIONARY):
            assert not check(item.graph, VOCABULARY.catalogue)
            assert compile_query(item.graph).text
