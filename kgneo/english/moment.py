"""Times at which something is to hold: "as of June 2019", "in 2020", and whether a question is about now.

Comes in: a question. Goes out: the first and the last day of the time that it names, and the question without it.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass

from kgneo.english.dates import DATE, MONTHS, iso, month_of, parse_date
from kgneo.english.names import is_past
from kgneo.english.words import word_set

_MONTH = "|".join([*MONTHS, *(name[:3] for name in MONTHS)])
_TIME = rf"(?P<time>{DATE}|(?:(?:{_MONTH})\.?,?\s+)?\d{{4}})"
AS_OF = re.compile(rf"[\s,]*\b(?:as of|as at|at the time of)\s+(?:the\s+)?{_TIME}(?![\w-])", re.IGNORECASE)
"""What asks for how things were then."""
AT = re.compile(rf"[\s,]*\b(?:in|on|during)\s+{_TIME}(?![\w-])", re.IGNORECASE)
"""The same where a graph says from when to when something holds."""
PRESENT = word_set("is are am does do has have being currently now today")
FORMER = word_set("ever former formerly past previous previously once used")
_WORD = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Moment:
    """A time, by its first and its last day (year-month-day)."""

    first: str
    last: str

    def __str__(self) -> str:
        return f"as of {self.first}" if self.first == self.last else f"between {self.first} and {self.last}"


@dataclass(frozen=True, slots=True)
class Timed:
    """A question without the time that it names, and that time."""

    rest: str
    moment: Moment


def timed(question: str, cues: tuple[re.Pattern[str], ...] = (AS_OF,)) -> Timed | None:
    """The time at which something is to hold; None where a question names none."""
    for cue in cues:
        match = cue.search(question)
        moment = match and _moment(match["time"])
        if match and moment:
            rest = f"{question[: match.start()]}{question[match.end() :]}"
            return Timed(rest.strip(" ,"), moment)
    return None


def is_about_now(question: str) -> bool:
    """Whether a question is about what holds, and not about what was: by the tense of its verbs."""
    words = [word.lower() for word in _WORD.findall(question)]
    if any(word in FORMER for word in words):
        return False
    return any(word in PRESENT for word in words) or not any(is_past(word) or word == "did" for word in words)


def _moment(text: str) -> Moment | None:
    date = parse_date(text)
    if date is not None:
        return Moment(iso(date), iso(date))
    words = re.findall(r"\w+", text)
    year = int(words[-1])
    months = (month_of(words[0]),) * 2 if len(words) > 1 else (1, 12)
    first, last = months
    if first is None or last is None or year < 1:
        return None
    return Moment(iso((year, first, 1)), iso((year, last, monthrange(year, last)[1])))
