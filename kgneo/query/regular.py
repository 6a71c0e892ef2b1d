"""Regular expressions: which of them no text takes long to match.

A pattern is tried in all the ways in which its parts can divide a text. So allowed are single characters and classes of
them, two of which may be repeated without a bound, and few choices besides; no repetition of what repeats or chooses.
"""

from __future__ import annotations

import re

MOST_REPEATED = 2
MOST_CHOICES = 1_000
_ONE = r"(?:\\[pP]\{\w+\}|\\.|\.|\[\^?\]?(?:[^\[\]&\\]|\\.)*\]|[^\\.\[\](){}|*+?^$])"
_REPEATED = r"[?*+]|\{\d{1,3}(?:,\d{0,3})?\}"
_BEGIN = re.compile(r"(?:\(\?[imsu]+\))?\^?")
_PART = re.compile(
    rf"(?P<one>{_ONE})(?:(?P<often>{_REPEATED})[?+]?)?|\((?:\?:)?(?P<choice>{_ONE}*(?:\|{_ONE}*)*)\)(?P<optional>\??)",
    re.DOTALL,
)


def takes_long(pattern: str) -> bool:
    """Whether there may be a text that takes long to match."""
    begin = _BEGIN.match(pattern)
    place = begin.end() if begin else 0
    end = len(pattern) - (pattern.endswith("$") and not pattern.endswith("\\$"))
    repeated, choices = 0, 1
    while place < end:
        part = _PART.match(pattern, place, end)
        if part is None:
            return True
        repeated += _unbound(part["often"] or "")
        choices *= _choices(part)
        place = part.end()
    return repeated > MOST_REPEATED or choices > MOST_CHOICES


def _unbound(often: str) -> bool:
    return often in ("*", "+") or often.endswith(",}")


def _choices(part: re.Match[str]) -> int:
    """In how many ways a part can be matched from one place on, where that has a bound."""
    if part["choice"] is not None:
        return int(part["choice"].count("|")) + 1 + bool(part["optional"])
    often = part["often"] or ""
    if _unbound(often) or not often:
        return 1
    least, _, most = "0,1".partition(",") if often == "?" else often.strip("{}").partition(",")
    return int(most or least) - int(least) + 1
