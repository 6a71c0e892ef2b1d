"""Flags: what a question says to be true or false in other words than the property's: "part-time" of `fullTime`.

Comes in: the words of a question, and what they fit. Goes out: where they say a property, and whether it is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english import opposites
from kgneo.english.names import name_words, same_root
from kgneo.english.words import FUNCTION_WORDS
from kgneo.reading.fits import Fits
from kgneo.reading.vocabulary import Key


@dataclass(frozen=True, slots=True)
class Flag:
    """Words `start` to `end` (exclusive) that say that a property is true, or false."""

    start: int
    end: int
    key: Key
    true: bool


def flags_said(plain: Sequence[str], fits: Fits) -> tuple[Flag, ...]:
    """The words of a question that say properties without their names; of those that begin at one place the longest."""
    names = {key: name_words(name) for key, name in fits.flags.items()}
    found: dict[int, list[Flag]] = {}
    for size in range(opposites.LONGEST, 0, -1) if names else ():
        for start in range(len(plain) - size + 1):
            words = plain[start : start + size]
            if start in found or FUNCTION_WORDS.issuperset(words):
                continue  # what stands OUTSIDE a shed is no boat for outdoors
            said = [(key, _says(words, name)) for key, name in names.items()]
            if own := [Flag(start, start + size, key, true) for key, true in said if true is not None]:
                found[start] = own
    return tuple(flag for own in found.values() for flag in own)


def _says(words: Sequence[str], name: Sequence[str]) -> bool | None:
    """Whether words say what a name says, or its opposite; None where they say neither, or are the name's own."""
    true = opposites.says(words, name)
    own = any(same_root(word, part) for word in words for part in name)
    return None if true and own else true
