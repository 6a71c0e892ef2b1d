"""Questions about property graphs that are no plain walk to a name: truth, the one of two, extremes, amounts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from kgneo.asking.question import ask, interpret, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import EntityNotFound
from kgneo.graph.statistics import HopStatistics
from kgneo.server import RunningServer
from kgneo.stages.complete import most_like
from kgneo.stages.offer_readings import run_graph
from tests.conftest import connect, wipe

CLUBS = """
CREATE (hafen:Club {name: 'Hafen 08', colour: 'red', nickname: 'The Ravens', founded: 1908,
        members: 4100, budget: '900'}),
       (union:Club {name: 'Union', colour: 'blue', founded: 1921, members: 9300, budget: '1200'}),
       (stella:Club {name: 'Stella', colour: 'blue', founded: 1899, members: 2500, budget: '85'}),
       (park:Stadium {name: 'Ravenpark', capacity: 21300, roofed: true, openedOn: date('1974-05-01')}),
       (moor:Stadium {name: 'Moorfeld', capacity: 7200, roofed: false, openedOn: date('1931-08-15')}),
       (ana:Player {name: 'Ana Sorel', born: date('1996-02-11'), heightCm: 178, firstCap: 2014}),
       (bea:Player {name: 'Bea Lind', born: date('2001-09-30'), heightCm: 171, firstCap: 2019}),
       (cai:Player {name: 'Cai Orme', born: date('1990-12-05'), heightCm: 183, firstCap: 2009}),
       (youth:Division {title: 'Youth Sides'}), (senior:Division {title: 'Senior Sides'}),
       (:Club {name: 'Kiel Juniors', dissolved: true})-[:inDivision]->(youth),
       (:Club {name: 'Elbe Colts', dissolved: false})-[:inDivision]->(youth), (hafen)-[:inDivision]->(senior),
       (hafen)-[:homeGround]->(park), (union)-[:homeGround]->(moor), (hafen)-[:rivalOf]->(stella),
       (ana)-[:playsFor {since: 2019}]->(hafen), (bea)-[:playsFor {since: 2021}]->(union),
       (cai)-[:playsFor {since: 2012}]->(hafen), (ana)-[:formerlyPlayedFor]->(stella),
       (cai)-[:formerlyPlayedFor]->(union), (bea)-[:formerlyPlayedFor]->(hafen)
"""


@pytest.fixture(scope="module")
def clubs(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """A graph of clubs as its owner made it, with what questions are answered with."""
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(CLUBS)
        yield open_context(graph, encoder=encoder)


FORMS = [
    ("Is the [Ravenpark] roofed?", {"yes"}),
    ("Is [Moorfeld] roofed?", {"no"}),
    ("Who is taller, [Ana Sorel] or [Bea Lind]?", {"Ana Sorel"}),
    ("Who is older, [Ana Sorel] or [Cai Orme]?", {"Cai Orme"}),
    ("Which club has fewer members, [Stella] or [Union]?", {"Stella"}),
    ("Who is the oldest player?", {"Cai Orme"}),
    ("Which club has the most members?", {"Union"}),
    ("Which club has the largest budget?", {"Union"}),
    ("How many clubs are there?", {"5"}),
    ("Which youth sides are dissolved?", {"Kiel Juniors"}),
    ("Which clubs were founded before 1910?", {"Hafen 08", "Stella"}),
    ("How many clubs were founded after 1900?", {"2"}),
    ("Which club does [Ana Sorel] play for?", {"Hafen 08"}),
    ("Which stadium is the home ground of [The Ravens]?", {"Ravenpark"}),
    ("Which club did [Ana Sorel] formerly play for?", {"Stella"}),
    ("Who is the rival of [Hafen 08]?", {"Stella"}),
    ("How big is the home ground of [Hafen 08]?", {"21300"}),
    ("How many players does [Hafen 08] have?", {"2"}),
    ("Which players of [Hafen 08] had their first cap before 2016?", {"Ana Sorel", "Cai Orme"}),
    ("Which players of [Hafen 08] are taller than 180 cm?", {"Cai Orme"}),
    ("What is the smallest height of the players of [Hafen 08]?", {"178"}),
    ("Which player of [Hafen 08] has the smallest height?", {"Ana Sorel"}),
]


@pytest.mark.parametrize("question", [question for question, _ in FORMS])
def test_the_first_reading_that_is_offered_gives_the_answer(clubs: Context, question: str) -> None:
    first, answer = interpret(clubs, question)[0], ask(clubs, question)
    assert set(run_graph(clubs, first.graph, limit=1000).result.answers) == set(answer.answers)
    assert first.wording == answer.steps[0].question


@pytest.mark.parametrize(("question", "expected"), FORMS)
def test_the_answer_has_the_form_that_is_asked_for(clubs: Context, question: str, expected: set[str]) -> None:
    answer = ask(clubs, question)
    assert set(answer.answers) == expected
    assert answer.cypher
    assert clubs.graph.read(answer.cypher, **answer.cypher_parameters)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Does Sorel play for Hafen?", {"yes"}),
        ("Which players of Hafen are taller than 180 cm?", {"Cai Orme"}),
        ("How many players that play for Hafen were born before 1993?", {"1"}),
    ],
)
def test_names_in_part_are_conditions(clubs: Context, question: str, expected: set[str]) -> None:
    assert set(ask(clubs, question).answers) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who else plays for the same club as Ana Sorel?", {"Cai Orme"}),
        ("Which clubs are in the same division as the Kiel Juniors?", {"Elbe Colts"}),
        ("Which other clubs have the same colour as Union?", {"Stella"}),
        ("Which clubs do not have the same colour as Union?", {"Hafen 08"}),
        ("Do Ana Sorel and Cai Orme play for the same club?", {"yes"}),
        ("Do Ana Sorel and Bea Lind play for the same club?", {"no"}),
    ],
)
def test_what_shares_something_with_a_named_thing(clubs: Context, question: str, expected: set[str]) -> None:
    assert set(ask(clubs, question).answers) == expected


def test_an_answer_that_leaves_out_what_is_the_same_is_not_sure(clubs: Context) -> None:
    assert (ask(clubs, "Which clubs have the same sponsor as Union?").confidence or 0.0) < 0.5


def test_a_name_of_which_the_graph_has_a_word_in_others_is_not_found(clubs: Context) -> None:
    with pytest.raises(EntityNotFound, match="Baltic Juniors"):
        ask(clubs, "Who plays for Baltic Juniors?", strategy="paths")


def test_a_property_of_the_node_is_compared_before_one_of_its_relationships(clubs: Context) -> None:
    own = HopStatistics("lengthKm", True, ("Line",), 5, 1.0, 1.0, ("31.5",), {}, value=True)
    of_stops = HopStatistics("SERVES@km", True, ("Line",), 9, 3.0, 1.0, ("2.5",), {}, value=True)
    best = most_like(
        clubs, [of_stops, own], preferred=[of_stops, own], words=["lines", "longer", "km"], phrase="longer"
    )
    assert best is own


def test_an_extreme_over_a_label_rests_on_its_value(clubs: Context) -> None:
    answer = ask(clubs, "Who is the oldest player?")
    rests_on = [item.triple.text for item in answer.evidence if not item.role]
    assert rests_on == ["(Cai Orme, born, 1990-12-05)"]


def test_what_is_excluded_does_not_count(clubs: Context) -> None:
    clubs.graph.write("MATCH (p:Player {name: 'Cai Orme'}) SET p:Hidden")
    shape = replace(clubs.shape, excluded=("Hidden",))
    try:
        knowledge = replace(clubs.knowledge, record=replace(clubs.record, shape=shape))
        without = replace(clubs, knowledge=knowledge)
        assert ask(without, "Who is the oldest player?").answers == ("Ana Sorel",)
        assert ask(without, "How many players are there?").answers == ("2",)
    finally:
        clubs.graph.write("MATCH (p:Hidden) REMOVE p:Hidden")


def test_a_label_does_not_answer_what_it_cannot_explain(clubs: Context) -> None:
    with pytest.raises(EntityNotFound):
        ask(clubs, "Who is the oldest player with green shoes?", strategy="paths")


def test_the_value_that_most_nodes_have_rests_on_these_nodes(clubs: Context) -> None:
    answer = ask(clubs, "Which colour do the most clubs have?")
    assert answer.answers == ("blue",)
    assert {(item.triple.subject, item.triple.object) for item in answer.evidence} == {
        ("Union", "blue"),
        ("Stella", "blue"),
    }
