"""The literals of a question: what of it may be compared with a property's values.

Comes in: a question, and values of the graph that were found in it. Goes out: these, its words, numbers and dates, and
whether it asks for something to be there, or not to be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgneo.english.dates import iso, parse_date
from kgneo.english.numbers import number_at
from kgneo.english.words import PRESENCE
from kgneo.query.grammar import Literals

WORD = re.compile(r"[^\s,;:?!()\[\]\"“”]+(?::\d+)*")
"""What punctuation does not part; a time of day is one word."""
POSSESSIVE = re.compile(r"['’]s?$")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
DATE = re.compile(r"\d{4}(-\d\d){0,2}")


def literals_of(question: str, known: Mapping[tuple[str, str], tuple[str, ...]] | None = None) -> Literals:
    """The words, numbers and dates of `question`, with the values that are `known` by owner and key."""
    found = list(WORD.finditer(question))
    words = tuple(POSSESSIVE.sub("", match[0]).rstrip(".") or match[0] for match in found)
    ends = (match.start() + len(word) for match, word in zip(found, words, strict=True))
    between = tuple(question[end : match.start()] for end, match in zip(ends, found[1:], strict=False))
    plain = [word.lower() for word in words]
    read = [item[0] for item in (number_at(plain, index) for index in range(len(plain))) if item]
    dates = [text for text in read if DATE.fullmatch(text)]
    dates += [iso(date) for date in map(parse_date, words) if date]
    numbers = [text for text in read if NUMBER.fullmatch(text)]
    presence = any(word in PRESENCE for word in plain)
    return Literals(words, between, tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(dates)), known or {}, presence)
