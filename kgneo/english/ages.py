"""Ages: who is "over 12" was born before the day twelve years ago.

Comes in: a question, and the day on which it is asked. Goes out: what it says of somebody's age, with dates of birth in
its place ("born before 2014-11-29"). It is for graphs that know when people were born, and not how old they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from kgneo.english.relative_times import Told, years_before

_N = r"(?P<number>\d{1,3})"
_YEARS = r"(?: years?(?: old| of age)?)?"
_END = r"(?=\W*$|[,;]|\s+(?:and|or|but|who|whom|that|which|with|without|in|at|on|from|does|do|have|has|is|are|there)\b)"
_BE = r"(?P<be>(?:is|are|was|were|be|am|anyone|anybody|people|persons|children|kids|everyone|those|somebody|someone) )"
_PATTERNS: tuple[tuple[str, str], ...] = (
    (rf"older than {_N}{_YEARS}", "before"),
    (rf"younger than {_N}{_YEARS}", "after"),
    (rf"(?:aged |over the age of )(?:over |above )?{_N}(?: years)? (?:or|and) (?:over|above|older|up)", "before"),
    (rf"aged (?:over|above) {_N}{_YEARS}", "before"),
    (rf"(?:over|above) the age of {_N}", "before"),
    (rf"(?:under|below) the age of {_N}", "after"),
    (rf"aged (?:under|below) {_N}{_YEARS}", "after"),
    (rf"(?:over|above|more than|at least) {_N} years (?:old|of age)", "before"),
    (rf"(?:under|below|less than) {_N} years (?:old|of age)", "after"),
    (rf"{_BE}(?:over|above) {_N}{_END}", "before"),
    (rf"{_BE}(?:under|below) {_N}{_END}", "after"),
)
"""What is said of an age, and whether who is so was born before the day so many years ago, or after it."""
AGES = tuple((re.compile(rf"\b{pattern}\b".replace(" ", r"\s+"), re.IGNORECASE), side)
             for pattern, side in _PATTERNS)  # fmt: skip
OLDEST = 130
"""Years beyond which a number is nobody's age."""


def ages_told(question: str, today: date) -> Iterator[Told]:
    """What a question says of ages, with dates of birth; of what overlaps the first."""
    end = 0
    found = [(match, side) for pattern, side in AGES for match in pattern.finditer(question)]
    for match, side in sorted(found, key=lambda pair: pair[0].start()):
        if match.start() >= end and int(match["number"]) <= OLDEST:
            before = match.groupdict().get("be") or ""
            yield Told(match.start(), match[0], f"{before}born {side} {years_before(today, int(match['number']))}")
            end = match.end()
