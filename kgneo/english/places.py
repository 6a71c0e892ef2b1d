"""How people ask where things are from one another: constructions as data.

X and Y stand for names; each construction has an example, which is its test.
"""

from __future__ import annotations

import re
from typing import Literal

from kgneo.english.cue import Cue
from kgneo.english.words import word_set

Asks = Literal["distance", "within", "nearest"]
METRES: dict[str, float] = {
    "km": 1_000.0, "kilometer": 1_000.0, "kilometre": 1_000.0, "m": 1.0, "meter": 1.0, "metre": 1.0,
    "mi": 1_609.344, "mile": 1_609.344, "ft": 0.3048, "foot": 0.3048, "feet": 0.3048,
}  # fmt: skip
"""Metres of a unit, by its word in the singular."""
UNIT = "|".join(sorted((f"{word}s?" for word in METRES), key=len, reverse=True))
WORDS: dict[str, float] = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "twenty": 20}
_NUMBER = rf"(?P<number>\d[\d,]*(?:\.\d+)?|{'|'.join(WORDS)})"
_UNIT = rf"(?P<unit>{UNIT})\b"
_X, _Y = "(?:the )?X", "(?:the )?Y"
_UP_TO = (
    "not (?:more|further|farther) than|no (?:more|further|farther) than|less than|at most|up to|"
    "within(?: a (?:radius|distance) of)?|in a (?:radius|distance) of"
)
CUES: tuple[Cue[Asks], ...] = (
    Cue("distance", rf"how far (?:away |apart )?(?:is|are|was|were) (?:it from )?{_X} (?:away )?(?:from|to|and) {_Y}",
        "HOW FAR IS X FROM Y?"),
    Cue("distance", rf"how many {_UNIT} (?:is|are|lie|is it|are there) (?:between |from ){_X} (?:and|to|from) {_Y}",
        "HOW MANY KM ARE THERE BETWEEN X AND Y?"),
    Cue("distance", rf"(?:distance|beeline) (?:between|from) {_X} (?:and|to) {_Y}",
        "What is the DISTANCE BETWEEN X AND Y?"),
    Cue("within", rf"(?:{_UP_TO}) {_NUMBER}\s*{_UNIT}(?: away| distance)? (?:of|from|around|to) {_X}",
        "Which hotels are WITHIN 2 KM OF X?"),
    Cue("nearest", rf"(?:nearest|closest) (?:to|from) {_X}", "Which hotels are NEAREST TO X?"),
    Cue("nearest", rf"(?:nearest|closest)(?=.* (?:to|from) {_X}\b)", "What is the NEAREST hotel to X?"),
)  # fmt: skip
"""What words ask for, in the order in which they are looked for."""
JOINED_BY = word_set("located location address place placed site situated position venue at in lies lives based")
"""Words of relationships, and of kinds of nodes, that say where something is."""
LIKELY = re.compile(rf"\b(?:how far|distance|beeline|nearest|closest)\b|(?:\b|\d)(?:{UNIT})\b", re.IGNORECASE)
"""Words without which no question asks for distances."""
SAID_WITH = word_set(
    "located lie lies situated found one ones place places thing things away distance near to from of x y kilometres "
    "kilometers km miles metres meters which what list show give find name tell"
)
"""Words that need no explanation beside these cues."""


def metres(number: str, unit: str) -> float:
    """A distance in metres: 1609.344 for "a", "mile"."""
    word = unit.lower()
    factor = METRES.get(word) or METRES[word.removesuffix("s")]
    return factor * (WORDS[number.lower()] if number.lower() in WORDS else float(number.replace(",", "")))
