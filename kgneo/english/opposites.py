"""Opposites: what says that something is not so, without a "not": who is "part-time" is not full-time.

Comes in: the words of a question, and those of the name of what is true or false. Goes out: whether they say the one or
the other. The pairs are in opposites.txt beside this file, one a line: what says one thing, and what the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

FILE = "opposites.txt"
LONGEST = 4
"""Words of what is in the file, at most."""
Side = tuple[int, bool]
"""A line of the file, and whether something is on its left."""


@cache
def _sides() -> Mapping[str, set[Side]]:
    found: dict[str, set[Side]] = {}
    for number, line in enumerate(files(__package__).joinpath(FILE).read_text(encoding="utf-8").splitlines()):
        for left, side in zip((True, False), line.split(" | "), strict=True):
            for phrase in side.split(", "):
                found.setdefault(phrase.replace("-", " "), set()).add((number, left))
    return found


def says(words: Sequence[str], name: Sequence[str]) -> bool | None:
    """True where words mean what a name does, False where they mean its opposite, None where they mean neither."""
    said, named = (_sides().get(" ".join(text), set()) for text in (words, name))
    if said & named:
        return True
    return False if {(line, not left) for line, left in said} & named else None
