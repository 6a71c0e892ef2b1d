"""Days of the week and months of any year: "on weekends", "on Mondays and Fridays", "in March".

Comes in: the words of a question in lower case. Goes out: by what form of a date they tell something, the names that
query graphs compare it with, and where their words end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, GROUPING, word_set
from kgneo.query.graph import MONTHS, WEEKDAYS, Form

BEFORE: dict[Form, frozenset[str]] = {
    "weekday": word_set("on at during over every"),
    "month": word_set("in during of from every"),
}
"""The words that stand before a part of the calendar which tells when something was."""
GROUPS = {"weekend": WEEKDAYS[5:], **dict.fromkeys(("weekday", "workday", "working day"), WEEKDAYS[:5])}
"""Words for several days of the week."""
PARTS: dict[str, tuple[Form, tuple[str, ...]]] = {
    **{name.lower(): ("month", (name,)) for name in MONTHS},
    **{f"{name.lower()}{ending}": ("weekday", (name,)) for name in WEEKDAYS for ending in ("", "s")},
    **{f"{name}{ending}": ("weekday", days) for name, days in GROUPS.items() for ending in ("", "s")},
}
"""What each word of the calendar stands for."""
UNITS: dict[str, Form] = {"year": "year", "month": "month", "weekday": "weekday"}
"""Nouns by which dates are put in groups: "orders per MONTH"."""
ASKED = re.compile(
    r"\b(?P<when>(?:in|on|during)\s+)?(?P<what>which|what)\s+(?P<unit>day\s+of\s+the\s+week|weekday|month|year)s?\b",
    re.IGNORECASE,
)
"""Words that ask for a part of a date: "IN WHICH MONTH was it shipped?"."""
DAY_OF_WEEK = ("day", "of", "the", "week")
"""Another name of a weekday."""


@dataclass(frozen=True, slots=True)
class CalendarPart:
    """Which days or months are meant, by the form of a date, none for each of them; `end` is where their words end
    (exclusive)."""

    form: Form
    names: tuple[str, ...]
    end: int


def calendar_part_at(plain: Sequence[str], index: int) -> CalendarPart | None:
    """The days of the week or months that words tell from a preposition at `index` on; None for anything else, for a
    month of one year ("in March 2020"), and for a day of one ("on March 3")."""
    at = index + 1
    while plain[at : at + 1] and plain[at] in ARTICLES:
        at += 1
    if plain[at : at + 1] == ["weekday"] and plain[at - 1] in GROUPING:
        return None  # "on each weekday" asks for one after the other
    found = _one(plain, at)
    if found is None or plain[index] not in BEFORE[found.form]:
        return None
    while plain[found.end : found.end + 1] and plain[found.end] in ("and", "or"):
        other = _one(plain, found.end + 1)
        if other is None or other.form != found.form:
            break
        found = CalendarPart(found.form, (*found.names, *other.names), other.end)
    behind = plain[found.end] if found.end < len(plain) else ""
    dated = behind[:1].isdecimal() or behind in ("of", "the")
    return None if found.form == "month" and dated else found


def unit_at(plain: Sequence[str], index: int) -> CalendarPart | None:
    """By what part of dates groups are made, at a word; None for anything else."""
    if tuple(plain[index : index + 4]) == DAY_OF_WEEK:
        return CalendarPart("weekday", (), index + 4)
    unit = UNITS.get(plain[index].removesuffix("s")) if index < len(plain) else None
    return CalendarPart(unit, (), index + 1) if unit else None


@dataclass(frozen=True, slots=True)
class PartAsked:
    """A question for a part of a date by its form, as the question for the date: all else stays at its place."""

    form: Form
    text: str


def part_asked(question: str) -> PartAsked | None:
    """The part of a date that a question asks for; None where it asks for something else."""
    found = ASKED.search(question)
    if found is None:
        return None
    asked = "When" if found["when"] else f"{found['what']} date"
    start, end = found.span()
    text = f"{question[:start]}{asked.ljust(end - start)}{question[end:]}"
    return PartAsked(UNITS.get(found["unit"].lower(), "weekday"), text)


def _one(plain: Sequence[str], index: int) -> CalendarPart | None:
    """The part of the calendar that begins at a word, of one word or two."""
    for end in (index + 1, index + 2):
        found = PARTS.get(" ".join(plain[index:end]))
        if found:
            return CalendarPart(*found, end)
    return None
