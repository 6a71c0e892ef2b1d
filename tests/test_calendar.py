"""Days of the week and months of any year: tests by them, and groups."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.calendar import calendar_part_at, part_asked, unit_at
from kgneo.query.graph import MONTHS, WEEKDAYS
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
CREATE (:Sale {code: 'S-1', soldOn: date('2023-03-04'), deliveredOn: date('2023-03-06'), amount: 10})
CREATE (:Sale {code: 'S-2', soldOn: date('2023-03-06'), deliveredOn: date('2023-04-01'), amount: 20})
CREATE (:Sale {code: 'S-3', soldOn: date('2024-03-10'), deliveredOn: date('2024-03-12'), amount: 60})
CREATE (:Sale {code: 'S-4', soldOn: date('2024-05-13'), deliveredOn: date('2024-05-15'), amount: 30})
CREATE (:Shop {name: 'Corner', openOn: 'Monday'})
CREATE (:Shop {name: 'Market', openOn: 'Sunday'})
WITH 1 AS done MATCH (sale:Sale), (shop:Shop {name: 'Corner'}) CREATE (shop)-[:MADE]->(sale)
"""


@pytest.fixture(scope="module")
def sales(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("on weekends", WEEKDAYS[5:]),
        ("on a working day", WEEKDAYS[:5]),
        ("on mondays and fridays", ("Monday", "Friday")),
        ("every sunday", ("Sunday",)),
        ("in march", ("March",)),
        ("in july or august", MONTHS[6:8]),
    ],
)
def test_parts_of_the_calendar_are_told_by_their_names(text: str, names: tuple[str, ...]) -> None:
    found = calendar_part_at(text.split(), 0)
    assert found is not None
    assert (found.names, found.end) == (names, len(text.split()))


@pytest.mark.parametrize(
    "text", ["in march 2020", "in may of 2020", "on each weekday", "by march", "on time", "in monday"]
)
def test_a_month_of_one_year_and_other_words_are_no_part_of_the_calendar(text: str) -> None:
    assert calendar_part_at(text.split(), 0) is None


@pytest.mark.parametrize(("text", "form"), [("month", "month"), ("day of the week", "weekday"), ("years", "year")])
def test_dates_are_put_in_groups_by_a_part_of_them(text: str, form: str) -> None:
    found = unit_at(text.split(), 0)
    assert found is not None
    assert (found.form, found.end) == (form, len(text.split()))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which sales were sold on weekends?", {"S-1", "S-3"}),
        ("Which sales were sold on Mondays?", {"S-2", "S-4"}),
        ("Which sales were delivered in March?", {"S-1", "S-3"}),
        ("Which sales were delivered in March 2023?", {"S-1"}),
        ("How many sales were sold on a working day?", {"2"}),
        ("How many sales were sold per month?", {"March: 3", "May: 1"}),
        ("How many sales were delivered on each weekday?", {"Monday: 1", "Saturday: 1", "Tuesday: 1", "Wednesday: 1"}),
        ("What is the average amount of sales per year?", {"2023: 15", "2024: 45"}),
        ("Which shops are open on Sunday?", {"Market"}),
        ("In which month was sale S-2 delivered?", {"April"}),
        ("On which weekday was S-2 sold?", {"Monday"}),
        ("What day of the week was S-1 delivered?", {"Monday"}),
        ("In which year was S-4 sold?", {"2024"}),
        ("On which weekday were most sales delivered?", {"Monday", "Saturday", "Tuesday", "Wednesday"}),
        ("Which sales were not sold on weekends?", {"S-2", "S-4"}),
        ("Which sales were not sold in 2023?", {"S-3", "S-4"}),
        ("Which sales were not sold before 2024?", {"S-3", "S-4"}),
    ],
)
def test_questions_by_the_calendar_are_answered(sales: Context, question: str, answers: set[str]) -> None:
    assert {*ask(sales, question).answers} == answers


@pytest.mark.parametrize(
    ("question", "form", "text"),
    [
        ("In which month was it sold?", "month", "When           was it sold?"),
        ("What day of the week was it?", "weekday", "What date            was it?"),
        ("Which years had the most sales?", "year", "Which date  had the most sales?"),
    ],
)
def test_a_question_for_a_part_of_a_date_is_one_for_the_date(question: str, form: str, text: str) -> None:
    asked = part_asked(question)
    assert asked is not None
    assert (asked.form, asked.text) == (form, text)


@pytest.mark.parametrize("question", ["How many months?", "Who was born in the month of May?", "orders of the year"])
def test_other_questions_ask_for_no_part_of_a_date(question: str) -> None:
    assert part_asked(question) is None


@pytest.mark.parametrize("question", ["How many sales are from March?", "How many sales were there per month?"])
def test_where_no_word_tells_which_date_is_meant_the_question_is_given_back(sales: Context, question: str) -> None:
    found = ask(sales, question)
    assert found.outcome == "choice"
    assert found.confidence is not None
    assert found.confidence <= 0.5
    assert ["sold on" in item.text for item in found.choices] == [True, False]


def test_a_date_that_finds_the_same_is_no_choice(sales: Context) -> None:
    assert {*ask(sales, "Which sales are from 2024?").answers} == {"S-3", "S-4"}


def test_a_property_that_is_called_after_the_part_is_asked_for_itself(newest_server: RunningServer) -> None:
    author = "CREATE (:Author {name: 'Ida Vale', birthYear: 1950, joinedOn: date('1990-05-06')})"
    with asked_on(newest_server, author) as context:
        assert ask(context, "In which year was the birth of Ida Vale?").answers == ("1950",)


def test_the_month_of_most_is_asked_for(newest_server: RunningServer) -> None:
    orders = "UNWIND [3, 3, 5] AS m CREATE (:Order {number: 'O-' + rand(), orderedOn: date({year: 2023, month: m})})"
    with asked_on(newest_server, orders) as context:
        assert ask(context, "Which month had the most orders?").answers == ("March",)


def test_the_date_that_is_meant_is_told_by_the_word_that_the_label_shares_with_it(
    newest_server: RunningServer,
) -> None:
    orders = (
        "CREATE (:Order {number: 'O-1', orderedOn: date('2023-01-30'), shippedOn: date('2023-02-02')}) "
        "CREATE (:Order {number: 'O-2', orderedOn: date('2023-02-27'), shippedOn: date('2023-03-01')})"
    )
    with asked_on(newest_server, orders) as context:
        assert ask(context, "Which orders were ordered in February 2023?").answers == ("O-2",)
        assert ask(context, "Which orders were shipped in February 2023?").answers == ("O-1",)
