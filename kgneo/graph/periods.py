"""Periods: the two properties of relationships that say from when to when something holds."""

from __future__ import annotations

from kgneo.english.names import name_words
from kgneo.graph.schema import Relation

BEGINNINGS = {"from": "to", "since": "until", "start": "end", "begin": "end", "started": "ended", "valid": "invalid"}
"""Words for a beginning, with those for the end that belongs to it."""
OTHERS = {("valid", "from"): (("valid", "to"), ("valid", "until"))}


def period_of(relation: Relation) -> tuple[str, str] | None:
    """The properties of the beginning and of the end, such as `since` and `until`, `start_date` and `end_date`,
    `valid_at` and `invalid_at`; None where there are not both."""
    keys = {name_words(item.key): item.key for item in relation.properties}
    for words, key in keys.items():
        for end in _ends(words):
            if end in keys and end != words:
                return key, keys[end]
    return None


def _ends(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What the property of the end may be called where the beginning has these words."""
    found = [ends for start, ends in OTHERS.items() if start == words]
    swapped = [tuple(BEGINNINGS.get(word, word) for word in words), *(end for ends in found for end in ends)]
    return [*swapped, *([("until",), ("to",)] if words in (("since",), ("from",)) else [])]
