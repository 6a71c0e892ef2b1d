"""Dates as people write them, against dates as graphs store them."""

from __future__ import annotations

import re

from kgneo.query import graph
from kgneo.query.graph import Form

MONTHS = tuple(name.lower() for name in graph.MONTHS)
_MONTH = "|".join([*MONTHS, *(f"{name[:3]}\\.?" for name in MONTHS), "sept\\.?"])
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<month>{_MONTH})\s+{_DAY},?\s+{_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH}),?\s+{_YEAR}",
        r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})[/.-](?P<month>\d{1,2})[/.-](?P<year>\d{4})",
    )
)

DATE = "|".join(re.sub(r"\?P<\w+>", "?:", pattern.pattern) for pattern in _PATTERNS)
"""A regular expression for all that `parse_date` understands."""


def parse_date(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a date in words or figures (day first, unless that can be no date), None for anything
    else."""
    for pattern in _PATTERNS:
        match = pattern.fullmatch(text.strip())
        if match:
            named = match["month"].lower()
            month = int(named) if named.isdecimal() else _month(named)
            year, day = int(match["year"]), int(match["day"])
            if month > 12 >= day:
                month, day = day, month
            return (year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None
    return None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, start=1) if month.startswith(name[:3]))


def month_of(word: str) -> int | None:
    """The number of the month that a word is, also a shortened one; None for anything else."""
    return _month(word.lower()) if re.fullmatch(_MONTH, word, re.IGNORECASE) else None


def iso(date: tuple[int, int, int]) -> str:
    """A date as year-month-day."""
    return f"{date[0]:04}-{date[1]:02}-{date[2]:02}"


def date_texts(text: str) -> list[tuple[Form, str]]:
    """How a date that people wrote may stand in a graph, for each way of writing; nothing where it is no date."""
    date = parse_date(text)
    if date is None:
        return []
    year, month, day = date
    found: list[tuple[Form, str]] = [("date", iso(date))]
    for mark in "/.-":
        for days, months in {(f"{day}", f"{month}"), (f"{day:02}", f"{month:02}"), (f"{day}", f"{month:02}")}:
            found.append(("day first", f"{days}{mark}{months}{mark}{year}"))
            found.append(("month first", f"{months}{mark}{days}{mark}{year}"))
    return found
