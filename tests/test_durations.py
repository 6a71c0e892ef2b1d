"""Durations: compared, put in an order and measured, in whatever unit a question has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.graph.vocabulary import kind_of_texts
from kgneo.query.graph import Condition, QueryGraph, Value, Variable
from kgneo.query.wording import wording
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
CREATE (:Film {title: 'Night Tide', runningTime: duration('PT1H35M')})
CREATE (:Film {title: 'Glass Harbour', runningTime: duration('PT2H20M')})
CREATE (:Film {title: 'The Long Ferry', runningTime: duration('PT2H')})
CREATE (:Film {title: 'Salt', runningTime: duration('PT48M')})
CREATE (:Film {title: 'Unfinished'})
"""


@pytest.fixture(scope="module", params=["durations", "texts"])
def films(newest_server: RunningServer, request: pytest.FixtureRequest) -> Iterator[Context]:
    statement = FILL if request.param == "durations" else FILL.replace("duration(", "trim(")
    with asked_on(newest_server, statement) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which films run longer than 2 hours?", {"Glass Harbour"}),
        ("Which films are shorter than 1 hour?", {"Salt"}),
        ("Which films are not longer than 2 hours?", {"Night Tide", "Salt", "The Long Ferry"}),
        ("Which films have a running time of 120 minutes?", {"The Long Ferry"}),
        ("How many films have a running time of at least 90 minutes?", {"3"}),
        ("What is the longest film?", {"Glass Harbour"}),
        ("What is the shortest running time?", {"PT48M"}),
        ("What is the average running time of films?", {"PT1H40M45S"}),
        ("Which films are longer than Night Tide?", {"Glass Harbour", "The Long Ferry"}),
        ("Which films are longer than average?", {"Glass Harbour", "The Long Ferry"}),
    ],
)
def test_durations_are_compared_and_measured(films: Context, question: str, answers: set[str]) -> None:
    assert {*ask(films, question).answers} == answers


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(7200, "2 hours"), (5700, "95 minutes"), (86_400, "1 day"), (61, "61 seconds"), (0, "0 seconds")],
)
def test_seconds_are_worded_in_the_largest_unit_that_they_fill(seconds: int, told: str) -> None:
    test = Condition(Value("x0", "runningTime", "seconds"), ">", (seconds,))
    graph = QueryGraph((Variable("x0", ("Film",)),), Value("x0"), conditions=(test,))
    assert wording(graph) == f"films with running time more than {told}"


@pytest.mark.parametrize(
    ("examples", "kind"),
    [
        (("PT2H", "PT1H35M", "P1DT2H"), ("number", "seconds")),
        (("-P1Y2M", "P2W", "PT0.5S"), ("number", "seconds")),
        (("P", "PT", "Pier 9"), ("text", "")),
    ],
)
def test_texts_that_write_durations_are_told_from_others(examples: tuple[str, ...], kind: tuple[str, str]) -> None:
    assert kind_of_texts(examples) == kind
