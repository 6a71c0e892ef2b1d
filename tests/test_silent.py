"""Words of a question of which the path that answers it says nothing."""

from __future__ import annotations

import pytest

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.heard import Heard
from kgneo.reading.silent import left_out
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

TOWN = Vocabulary(
    labels={"Person": 60, "Address": 40, "Company": 12},
    keys=(
        Key("Person", "name", unique=True, distinct=60),
        Key("Person", "shoe_size", "number", distinct=9),
        Key("Address", "street", unique=True, distinct=40),
        Key("Company", "title", unique=True, distinct=12),
    ),
    links=(Link("Person", "LIVES_AT", "Address", 60), Link("Person", "SUPPLIED_BY", "Company", 30)),
    display={"Person": ("name",), "Address": ("street",), "Company": ("title",)},
)
HOME = QueryGraph((Variable("x0"), Variable("x1")), Value("x0"), (Edge("x1", ("LIVES_AT",), "x0"),))
SUPPLIER = QueryGraph((Variable("x0"), Variable("x1")), Value("x0"), (Edge("x1", ("SUPPLIED_BY",), "x0"),))
SHOES = QueryGraph((Variable("x0"),), Value("x0", "shoe_size"))


@pytest.mark.parametrize(
    ("question", "graph", "left"),
    [
        ("What is the address of Ann Lee?", HOME, {}),
        ("What is the email address of Ann Lee?", HOME, {"email": True}),
        ("Which orchestra supplied Ann Lee?", SUPPLIER, {"orchestra": True}),
        ("Which companies gargled Ann Lee?", SUPPLIER, {"gargled": False}),
        ("Which companies does Ann Lee use?", SUPPLIER, {}),
        ("What is Ann Lee's shoe size?", SHOES, {}),
    ],
)
def test_words_that_are_like_nothing_of_a_path_are_left_out(
    question: str, graph: QueryGraph, left: dict[str, bool], encoder: OnnxEncoder
) -> None:
    heard = Heard(question, Fits(TOWN, RankingCache(encoder)), Values({}))
    found = left_out(heard, graph, ["Ann Lee"])
    assert {heard.words[index].text: index in found.nouns for index in found.places} == left
