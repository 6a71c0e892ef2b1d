"""Times that are told from today."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context, Options
from kgneo.english.relative_times import told, with_dates
from kgneo.server import RunningServer
from tests.conftest import asked_on

TODAY = date(2024, 3, 31)
TEXTS = [
    ("What came in last month?", "What came in February 2024?"),
    ("What was sent in the last 30 days?", "What was sent since 2024-03-01?"),
    ("parcels of the last three months", "parcels since 2023-12-31"),
    ("Who joined since last year?", "Who joined since 2023?"),
    ("parcels before this month", "parcels before March 2024"),
    ("What was sent today?", "What was sent on 2024-03-31?"),
    ("yesterday's parcels", "2024-03-30 parcels"),
    ("What was sent last week?", "What was sent between 2024-03-18 and 2024-03-24?"),
    ("What is due next quarter?", "What is due between 2024-04-01 and 2024-06-30?"),
    ("What was sent two years ago?", "What was sent in 2022?"),
    ("What was sent more than a month ago?", "What was sent before 2024-02-29?"),
    ("What is due in the next 7 days?", "What is due between 2024-03-31 and 2024-04-07?"),
]
LEFT = [
    "What was the last year with a loss?",
    "Who sang Yesterday?",
    "Who sang [yesterday]?",
    "Who directed Last Year at Marienbad?",
    "Which were the last 3 parcels?",
    "Who won in the last year of the war?",
]
FILL = """
UNWIND [['P1', '2024-02-10'], ['P2', '2024-03-20'], ['P3', '2023-06-01']] AS row
CREATE (:Parcel {code: row[0], sent: date(row[1])})
WITH count(*) AS done
CREATE (:Song {title: 'today', year: 1999})
"""


@pytest.mark.parametrize(("question", "dated"), TEXTS)
def test_a_time_told_from_today_is_a_date(question: str, dated: str) -> None:
    assert with_dates(question, told(question, TODAY)) == dated


@pytest.mark.parametrize("question", LEFT)
def test_what_is_no_time_is_left_as_it_is(question: str) -> None:
    assert told(question, TODAY) == []


@pytest.fixture(scope="module")
def parcels(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield replace(context, options=Options(today=TODAY))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which parcels were sent last month?", {"P1"}),
        ("Which parcels were sent in the last 30 days?", {"P2"}),
        ("Which parcels were sent last year?", {"P3"}),
        ("Which parcels were sent this week?", set()),
        ("How many parcels were sent this year?", {"2"}),
    ],
)
def test_a_question_about_a_time_told_from_today_is_answered(
    parcels: Context, question: str, answers: set[str]
) -> None:
    found = ask(parcels, question)
    assert ({*found.answers}, found.outcome, found.question) == (answers, "answer", question)
    assert found.warnings[0].startswith("Read ")


def test_a_word_for_a_day_that_names_something_in_the_graph_is_left(parcels: Context) -> None:
    assert ask(parcels, "In which year was the song today?").warnings == ()
