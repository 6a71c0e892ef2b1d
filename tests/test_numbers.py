"""Numbers, dates and bounds as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.english.numbers import decade_at, is_number, multiple_of, number_at
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
