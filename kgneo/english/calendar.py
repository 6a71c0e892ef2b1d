"""Days of the week and months of any year: "on weekends", "on Mondays and Fridays", "in March".

Comes in: the words of a question in lower case. Goes out: by what form of a date they tell something, the names that
query graphs compare it with, and where their words end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, GROUPING, word_set
from kgneo.query.graph import MONTHS, WEEKDAYS, Form

BEFORE: dict[Form, frozenset[str]] = {
    "weekday": word_set("on at during over every"),
    "month": word_set("in during of every"),
}
"""The words that stand before a part of the calendar which tells when something was."""
GROUPS = {"weekend": WEEKDAYS[5:], "weekday": WEEKDAYS[:5], "workday": WEEKDAYS[:5]}
"""Words for several days of the week."""
PARTS: dict[str, tuple[Form, tuple[str, ...]]] = {
    **{name.lower(): ("month", (name,)) for name in MONTHS},
    **{f"{name.lower()}{ending}": ("weekday", (name,)) for name in WEEKDAYS for ending in ("", "s")},
    **{f"{name}{ending}": ("weekday", days) for name, days in GROUPS.items() for ending in ("", "s")},
}
"""What each word of the calendar stands for."""
UNITS: dict[str, Form] = {"year": "year", "month": "month", "weekday": "weekday"}
"""Nouns by which dates are put in groups: "orders per MONTH"."""
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
    while plain[at : at + 1] and plain[at] in ARTICLES | {"any", "every"}:
        at += 1
    if plain[at : at + 1] == ["weekday"] and plain[at - 1] in GROUPING:
        return None  # "on each weekday" asks for one after the other
    if plain[at : at + 1] == ["working"]:
        at += 1
        plain = [*plain[:at], *(word.replace("day", "workday") for word in plain[at : at + 1]), *plain[at + 1 :]]
    form, names, end = _one(plain, at)
    if not names or plain[index] not in BEFORE[form]:
        return None
    while plain[end : end + 1] and plain[end] in ("and", "or"):
        other, more, behind = _one(plain, end + 1)
        if other != form or not more:
            break
        names, end = (*names, *more), behind
    dated = end < len(plain) and (plain[end][:1].isdecimal() or plain[end] in ("of", "the"))
    return None if form == "month" and dated else CalendarPart(form, names, end)


def unit_at(plain: Sequence[str], index: int) -> CalendarPart | None:
    """By what part of dates groups are made, at a word; None for anything else."""
    if tuple(plain[index : index + 4]) == DAY_OF_WEEK:
        return CalendarPart("weekday", (), index + 4)
    unit = UNITS.get(plain[index].removesuffix("s")) if index < len(plain) else None
    return CalendarPart(unit, (), index + 1) if unit else None


def _one(plain: Sequence[str], index: int) -> tuple[Form, tuple[str, ...], int]:
    form, names = PARTS.get(plain[index], ("", ())) if index < len(plain) else ("", ())
    return form, names, index + 1
