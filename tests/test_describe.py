"""What there is to know about one thing, and questions for reasons."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.describing import CUES, Describing
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
CREATE (a:Tram {number: '12', built: 1998})-[:STOPS_AT]->(:Stop {name: 'Mill Lane', zone: 2}),
       (a)-[:STOPS_AT]->(:Stop {name: 'Quayside', zone: 1}), (:Driver {name: 'Ines Roth', since: 2011})-[:DRIVES]->(a),
       (:Driver {name: 'Omar Voss', since: 2019}), (:Tram {number: '14', built: 2005})
"""
ABOUT = ["Tell me about Ines Roth.", "Who is Ines Roth?", "what do you know about ines roth", "Describe [Ines Roth]"]


@pytest.fixture(scope="module")
def trams(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize("question", ABOUT)
def test_a_thing_is_told_of_by_its_properties_and_what_it_is_joined_to(trams: Context, question: str) -> None:
    found = ask(trams, question)
    assert {*found.answers} == {"since: 2011", "tram that it drives: 12"}
    assert {item.triple.relation for item in found.evidence} == {"since", "DRIVES"}
    assert found.table is not None
    assert found.table.columns == ("what", "value")


def test_a_noun_for_its_kind_may_stand_before_the_name(trams: Context) -> None:
    assert "stop that it stops at: Mill Lane, Quayside" in {
        line.replace("Quayside, Mill Lane", "Mill Lane, Quayside")
        for line in ask(trams, "Tell me about tram 12").answers
    }


def test_a_question_that_says_more_than_a_name_is_no_description(trams: Context) -> None:
    assert ask(trams, "Who is the driver of tram 12?").answers == ("Ines Roth",)


def test_why_is_not_answered_by_what(trams: Context) -> None:
    found = ask(trams, "Why does tram 12 stop at Mill Lane?")
    assert (found.outcome, found.answers) == ("not_understood", ())


@pytest.mark.parametrize("cue", CUES, ids=[cue.example for cue in CUES])
def test_the_example_of_a_construction_is_one(cue: Describing) -> None:
    masked = cue.example.replace("the Kettle", "X").replace("Ann", "X")
    assert [other for other in CUES if other.is_asked(masked)] == [cue]
