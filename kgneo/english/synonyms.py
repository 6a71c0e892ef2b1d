"""Synonyms: what one person calls a thing or a property and another calls otherwise: a price is what something costs.

Comes in: words or phrases in lower case. Goes out: the groups that they are in, of which all stand for one thing. A
thesaurus knows the senses of words; this knows what people call what is kept in databases. The groups are in
synonyms.txt beside this file, one a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

FILE = "synonyms.txt"


@cache
def _lines() -> tuple[tuple[str, ...], ...]:
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(tuple(line.split(", ")) for line in text.splitlines())


@cache
def _groups() -> Mapping[str, set[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_lines()):
        for phrase in line:
            found.setdefault(phrase, set()).add(number)
    return found


def others_of(*forms: str) -> tuple[str, ...]:
    """What else people call what they call by a word or phrase, in any of its forms: "captain" for "skipper"."""
    found = (phrase for number in sorted(groups_of(*forms)) for phrase in _lines()[number])
    return tuple(dict.fromkeys(phrase for phrase in found if phrase not in forms))


def groups_of(*forms: str) -> frozenset[int]:
    """The groups that a word or phrase is in, in any of its forms; empty for one that is in none."""
    known = _groups()
    return frozenset[int]().union(*(known.get(form, ()) for form in forms))
