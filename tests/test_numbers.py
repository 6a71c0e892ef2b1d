"""Numbers, dates and bounds as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.english.numbers import decade_at, is_number, multiple_of, number_at, part_of_year_at
from kgneo.reading.form import Comparison, form_of
from kgneo.reading.mentions import words_of


def plain(text: str) -> list[str]:
    return [word.plain for word in words_of(text)]


def bound(text: str) -> Comparison:
    [found] = form_of(words_of(text)).comparisons
    return found


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("40,000", "40000"), ("1.95", "1.95"), ("10 000", "10000"), ("2.5 million", "2500000"),
        ("a million", "1000000"), ("50k", "50000"), ("three", "3"), ("the year 1990", "1990"),
        ("fifteen", "15"), ("twenty-five", "25"), ("two hundred", "200"), ("thirty thousand", "30000"),
        ("3 May 2020", "2020-05-03"), ("August 2021", "2021-08"), ("May of 2020", "2020-05"),
    ],
)  # fmt: skip
def test_a_number_is_told_in_figures_and_a_date_by_its_parts(text: str, number: str) -> None:
    assert number_at(plain(text), 0) == (number, len(plain(text)))


@given(st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False))
def test_a_decimal_number_is_one_word(number: object) -> None:
    assert plain(f"more than {number:,} tons")[2] == f"{number}"
    assert is_number(f"{number}")


@pytest.mark.parametrize("text", ["5.26.1", "1.2.2020", "v2.0b", "…", "²"])
def test_what_only_has_figures_in_it_is_no_decimal_number(text: str) -> None:
    assert text not in [word for word in plain(text) if is_number(word)]


@given(st.text(max_size=30))
def test_any_text_has_words_and_a_form(text: str) -> None:
    form_of(words_of(text))


def test_a_decade_is_its_ten_years() -> None:
    assert decade_at(["the", "1990s"], 0) == ("1990", "1999", 2)


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("orders of 150 or more", ">="), ("hired in 2023 or later", ">="), ("films from 1980 or earlier", "<="),
        ("people aged 30 and over", ">="), ("5 or fewer rooms", "<="), ("more than 3 rooms", ">"),
    ],
)  # fmt: skip
def test_two_words_behind_a_number_make_a_bound_of_it(text: str, operator: str) -> None:
    assert bound(text).operator == operator


def test_a_short_unit_belongs_to_its_number() -> None:
    assert bound("players of at least 1.95 m in Rome").end == 6


def test_what_is_counted_in_millions_is_not_multiplied() -> None:
    assert multiple_of(["5", "million"], ["prevalence", "millions"]) == 1_000_000
    assert multiple_of(["5", "million"], ["prevalence"]) == 1


def test_numbers_are_turned_into_the_unit_of_a_property() -> None:
    assert multiple_of(["2", "hours"], ["delay", "minutes"]) == 1 / 60
    assert multiple_of(["2", "km"], ["length", "m"]) == 1 / 1_000
    assert multiple_of(["2", "hours"], ["delay"]) == 1
    assert multiple_of(["2", "hours"], ["length", "m"]) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [("two and a half hours", "2.5"), ("3 and a half stars", "3.5"), ("half an hour", "0.5"), ("2 and a", "2")],
)
def test_halves_are_numbers(text: str, number: str) -> None:
    found = number_at(text.split(), 0)
    assert found is not None
    assert found[0] == number


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the second half of 2023", ("2023-07-01", "2023-12-31")),
        ("first quarter of 2024", ("2024-01-01", "2024-03-31")),
        ("last half of 2020", ("2020-07-01", "2020-12-31")),
        ("third half of 2020", None),
        ("second half of the match", None),
    ],
)
def test_halves_and_quarters_of_a_year_are_days(text: str, days: tuple[str, str] | None) -> None:
    found = part_of_year_at(text.split(), 0)
    assert (found[:2] if found else None) == days
