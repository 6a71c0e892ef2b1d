"""The words that were learned to stand for names of a graph."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph.dictionary import Entry
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.wording import wording
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.fits import Fits
from kgneo.reading.lexicon import LEAST, LIKELY, Lexicon, Name, learn_words
from kgneo.reading.parts import names_in
from kgneo.reading.read import read
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from tests.test_reading import Values

LESSONS: list[tuple[list[str], list[Name], int]] = [
    (["which", "crewmates", "sailed"], [("relation", "KN_C"), ("label", "Sailor"), ("relation", "ON")], 3),
    (["crewmates", "who", "rowed"], [("relation", "KN_C"), ("label", "Sailor"), ("relation", "ROWS")], 2),
    (["how", "many", "sailed"], [("label", "Sailor"), ("relation", "ON")], 4),
    (["who", "rowed"], [("label", "Sailor"), ("relation", "ROWS")], 4),
    (["crewmates", "sailed"], [("relation", "KN_C"), ("relation", "ON"), ("label", "Sailor")], 1),
]


def test_a_word_stands_for_what_no_other_word_explains() -> None:
    found = learn_words(LESSONS)
    assert found.names("relation", "crewmate") == found.names("relation", "crewmates") == {"KN_C"}
    assert found.names("relation", "sailed") == {"ON"}


def test_a_word_that_is_rare_stands_for_nothing() -> None:
    assert learn_words([(["crewmates"], [("relation", "KN_C")], 2)]) == Lexicon()


def test_function_words_stand_for_nothing() -> None:
    assert not learn_words(LESSONS).shares("relation", "who")


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["red", "blue", "green", "grey", "who"]), max_size=4),
            st.lists(st.sampled_from([("relation", "A"), ("label", "B"), ("key", "B.c")]), max_size=3, unique=True),
            st.integers(1, 5),
        ),
        max_size=8,
    )
)
def test_shares_are_shares_whatever_was_asked(lessons: list[tuple[list[str], list[Name], int]]) -> None:
    for words in learn_words(lessons).words.values():
        for names in words.values():
            assert all(LEAST <= share <= 1.001 for share in names.values())
            assert max(names.values()) >= LIKELY


def test_a_query_graph_says_its_relations_labels_and_properties() -> None:
    graph = QueryGraph(
        (Variable("x0", ("Sailor",)), Variable("x1", ("Sailor",))),
        Value("x0", "name"),
        (Edge("x0", ("KN_C",), "x1", "r0"),),
        (Condition(Value("r0", "since"), ">", (2010,)), Condition(Value("x1", "age"), "=", (40,))),
    )
    assert names_in(graph) == {
        ("relation", "KN_C"), ("label", "Sailor"), ("key", "Sailor.name"), ("key", "Sailor.age"), ("key", "KN_C.since"),
    }  # fmt: skip


SAILORS = Vocabulary(
    labels={"Sailor": 50, "Port": 20},
    keys=(
        Key("Sailor", "name", unique=True, distinct=50),
        Key("Sailor", "code_b", distinct=9),
        Key("Sailor", "birthplace", distinct=9),
        Key("Port", "name", unique=True, distinct=20),
    ),
    links=(Link("Sailor", "KNOWS_A", "Sailor", 80), Link("Sailor", "KNOWS_B", "Sailor", 90),
           Link("Sailor", "REL_C", "Port", 50), Link("Sailor", "REL_D", "Port", 50)),
    display={"Sailor": ("name",), "Port": ("name",)},
)  # fmt: skip
WORDS = Lexicon(
    {
        "relation": {"mate": {"KNOWS_A": 0.9}, "friend": {"KNOWS_A": 0.8}, "dwell": {"REL_D": 0.9, "REL_C": 0.1}},
        "key": {"origin": {"Sailor.code_b": 0.9}},
        "label": {"harbour": {"Port": 0.9}, "hand": {"Sailor": 1.0}},
    }
)


@pytest.fixture(scope="module")
def fits(encoder: OnnxEncoder) -> Fits:
    return Fits(SAILORS, RankingCache(encoder)).with_words(WORDS)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Which hands dwell in harbours?", "sailors with rel d ports"),
        ("Who are the friends of Ole?", "sailors that know a sailors with name Ole (either way)"),
        ("What is the origin of Ole?", "code b of sailors with name Ole"),
    ],
)
def test_learned_words_are_read_as_what_they_stand_for(question: str, meant: str, fits: Fits) -> None:
    values = Values({"ole": [entry("Ole")]})
    assert wording(read(question, fits, values)[0].graph) == meant


def test_what_was_not_learned_fits_as_before(fits: Fits) -> None:
    plain = Fits(SAILORS, fits.cache)
    assert [scores.tolist() for scores in fits.of("town")] == [scores.tolist() for scores in plain.of("town")]


def entry(name: str) -> Entry:
    return Entry("Sailor", "name", False, name, name, 1)


def test_a_relation_that_holds_both_ways_does_so_in_the_middle_of_a_chain(fits: Fits) -> None:
    found = read("In which harbours do the mates of Ole dwell?", fits, Values({"ole": [entry("Ole")]}))[0]
    assert {edge.relations[0]: edge.directed for edge in found.graph.edges} == {"REL_D": True, "KNOWS_A": False}
