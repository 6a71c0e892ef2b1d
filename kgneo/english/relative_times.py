"""Times that are told from today: "last month", "in the last 30 days", "two years ago".

Comes in: a question, and the day on which it is asked. Goes out: the question with dates in their place ("in October
2026"), and what was said for which. A name with capitals ("Last Year at Marienbad") and what stands in brackets are
left as they are.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from kgneo.english.words import NUMERALS
from kgneo.query.graph import MONTHS

_NUMBER = rf"\d{{1,4}}|{'|'.join(sorted(NUMERALS, key=len, reverse=True))}"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"
_BEFORE = r"(?:(?P<before>as of|in|on|over|during|within|for|from|of|since|before|after|until|till|by|across)\s+)?"
_AMOUNT = rf"(?P<number>{_NUMBER}|an?)"
BOUNDS = ("as of", "since", "before", "after", "until", "till", "by", "from")
"""Words that bound a time, and do not say that something lies within it."""
CHANGED = {"from": "since", "till": "until"}


@dataclass(frozen=True, slots=True)
class Told:
    """What a question says for a time, and the dates in its place; `start` is where it stands."""

    start: int
    said: str
    dates: str


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last day of a time, and its name where it has one: "2025", "October 2026"."""

    first: date
    last: date
    name: str = ""


def told(question: str, today: date) -> list[Told]:
    """The times that a question tells from today, in their order."""
    found: dict[int, Told] = {}
    for pattern, meant in _PATTERNS:
        for match in pattern.finditer(question):
            taken = any(
                match.start() < item.start + len(item.said) and item.start < match.end() for item in found.values()
            )
            dates = None if taken or _is_name(question, match) else meant(match, today)
            if dates:
                found[match.start()] = Told(match.start(), match[0], dates)
    return [found[start] for start in sorted(found)]


def years_before(day: date, years: int) -> date:
    """The day so many years before one."""
    return _moved(day, -years, "year")


def with_dates(question: str, times: list[Told]) -> str:
    """The question with dates in the place of times."""
    for item in reversed(times):
        question = f"{question[: item.start]}{item.dates}{question[item.start + len(item.said) :]}"
    return question


def _is_name(question: str, match: re.Match[str]) -> bool:
    """Whether what was found is written as a name, or stands in brackets."""
    inside = question[: match.start()].count("[") > question[: match.start()].count("]")
    capital = any(word[0].isupper() for word in match[0].split()[match.start() == 0 :])
    return inside or (capital and not question.isupper())


def _rolling(match: re.Match[str], today: date) -> str | None:
    """ "in the last 30 days": up to today; "in the next 30 days": from then on."""
    number, which = _number(match["number"] or "one"), match["which"].lower()
    if which in ("next", "coming"):
        return f"between {today} and {_moved(today, number, match['unit'])}"
    return f"since {_moved(today, -number, match['unit'])}"


def _calendar(match: re.Match[str], today: date) -> str | None:
    """ "last month", "since this year", "before next week"."""
    step = {"this": 0, "current": 0, "next": 1, "coming": 1}.get(match["which"].lower(), -1)
    span = _span(_moved(today, step, match["unit"]), match["unit"].lower())
    return span.name if match["own"] and span.name else _bounded((match["before"] or "").lower(), span)


def _day(match: re.Match[str], today: date) -> str | None:
    step = {"yesterday": -1, "today": 0, "tomorrow": 1}[match["day"].lower()]
    day = today + timedelta(days=step)
    return (
        str(day) if match["own"] else _bounded((match["before"] or "").lower(), Span(day, day, str(day)), within="on")
    )


def _ago(match: re.Match[str], today: date) -> str | None:
    """ "two years ago", "more than 30 days ago"."""
    day, bound = _moved(today, -_number(match["number"]), match["unit"]), (match["bound"] or "").lower()
    if bound:
        return f"{'after' if bound in ('less than', 'under') else 'before'} {day}"
    if match["unit"].lower() in ("day", "week"):
        return f"on {day}"
    return _bounded("", _span(day, match["unit"].lower()))


def _bounded(before: str, span: Span, *, within: str = "in") -> str:
    """A time behind the word that stands before it."""
    if before in BOUNDS:
        first = span.last if before == "after" else span.first
        return f"{CHANGED.get(before, before)} {span.name or first}"
    return f"{within} {span.name}" if span.name else f"between {span.first} and {span.last}"


def _span(day: date, unit: str) -> Span:
    """The week, month, quarter or year that a day lies in."""
    if unit == "year":
        return Span(date(day.year, 1, 1), date(day.year, 12, 31), str(day.year))
    if unit == "month":
        last = monthrange(day.year, day.month)[1]
        return Span(day.replace(day=1), day.replace(day=last), f"{MONTHS[day.month - 1]} {day.year}")
    if unit == "quarter":
        month = 3 * ((day.month - 1) // 3) + 1
        return Span(date(day.year, month, 1), date(day.year, month + 2, monthrange(day.year, month + 2)[1]))
    if unit == "week":
        first = day - timedelta(days=day.weekday())
        return Span(first, first + timedelta(days=6))
    return Span(day, day, str(day))


def _moved(day: date, number: int, unit: str) -> date:
    """A day so many days, weeks, months, quarters or years later; the last one of a shorter month."""
    unit = unit.lower()
    if unit in ("day", "week"):
        return day + timedelta(days=number * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + number * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = max(months // 12, 1), months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _number(text: str) -> int:
    text = text.lower()
    return int(text) if text.isdecimal() else NUMERALS.get(text, 1)


_WITHIN = r"(?:in|over|during|within|for|from|of|across)"
_PATTERNS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], str | None]], ...] = tuple(
    (re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), meant)
    for pattern, meant in (
        (rf"\b{_WITHIN} the (?P<which>last|past|previous|next|coming) (?:{_AMOUNT} )?{_UNIT}s?\b(?! of\b)", _rolling),
        (rf"\b(?:{_WITHIN} )?(?P<which>last|past|previous|next|coming) {_AMOUNT} {_UNIT}s?\b(?! of\b)", _rolling),
        (rf"\b(?:(?P<bound>more than|over|at least|less than|under) )?{_AMOUNT} {_UNIT}s? ago\b", _ago),
        (rf"(?<!the\x20)\b{_BEFORE}(?:the (?=current))?(?P<which>this|last|past|previous|next|current|coming) "
         rf"(?P<unit>week|month|quarter|year)(?P<own>['’]s)?\b(?! of\b)", _calendar),
        (rf"\b{_BEFORE}(?P<day>today|yesterday|tomorrow)(?P<own>['’]s)?\b", _day),
    )
)  # fmt: skip
