"""Unplaced: what stands in a claim as a name does, where nothing of the graph was found.

Comes in: a claim's text, the places where things of the graph stand in it, and the words of the graph's schema. Goes
out: the places of other names, as far as capitals tell them. A name goes as far as its capitals do: "Nova Berlin" is
not Berlin, and "Ridge of Thorns" is one name. Words of the schema, function words, and what only begins the sentence
are no names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgneo.english.claims import claimed_piece
from kgneo.english.names import is_past
from kgneo.english.words import ANYBODY, FUNCTION_WORDS, INDEFINITE, NEGATIONS, NUMERALS

_WORD = re.compile(r"[^\W_]+(?:[-.&'’][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_BETWEEN = frozenset(
    ("of", "the", "de", "la", "du", "des", "von", "van", "der", "del", "di", "da", "al", "el", "y", "&")
)
"""Words inside of names, between their capitals."""
_CLOSED = FUNCTION_WORDS | ANYBODY | INDEFINITE | NEGATIONS | NUMERALS.keys()
"""Words that are no names, whatever they are written like."""
Place = tuple[int, int, int]
"""Characters `start` to `end`, and the number of the thing that stands there."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a claim; `place` is the one that it stands in, `capital` says that it is written as a part of a name,
    `named` that nothing but a name is written so."""

    text: str
    start: int
    end: int
    place: Place | None
    capital: bool
    named: bool


def unplaced(text: str, places: Sequence[Place], is_said: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The characters of the names in `text` that stand at none of `places`, or reach beyond them; `is_said` tells words
    of the schema, in lower case."""
    start, end = claimed_piece(text, [(first, last) for first, last, _ in places])
    words = [word for word in _words(text, places, is_said, start) if start <= word.start and word.end <= end]
    return [_whole(run) for run in _runs(text, words) if any(word.named for word in run)]


def _whole(run: Sequence[_Word]) -> tuple[int, int]:
    """From where to where a name goes, with the places that it reaches into."""
    places = [word.place for word in run if word.place is not None]
    return min([run[0].start, *(place[0] for place in places)]), max([run[-1].end, *(place[1] for place in places)])


def _words(text: str, places: Sequence[Place], is_said: Callable[[str], bool], begin: int) -> list[_Word]:
    found: list[_Word] = []
    for match in _WORD.finditer(text):
        place = next((place for place in places if place[0] < match.end() and match.start() < place[1]), None)
        word = _POSSESSIVE.sub("", match[0])
        plain = word.lower()
        first = not text[begin : match.start()].strip(" \"'“”‘’([")
        begins = first and (is_past(plain) or plain.endswith(("ing", "ly")))
        capital = plain != word and (place is not None or not (plain in _CLOSED or begins))
        number = word.isdecimal() and bool(found) and found[-1].place is not None
        named = place is None and ((capital and not is_said(plain)) or number)
        found.append(_Word(word, match.start(), match.start() + len(word), place, capital, named))
    return found


def _runs(text: str, words: Sequence[_Word]) -> list[list[_Word]]:
    """Words that stand together as one name: with capitals, or at a place where something was found, and what joins
    them; those at places alone are among them."""
    runs: list[list[_Word]] = []
    at = 0
    while at < len(words):
        run = [words[at]] if words[at].capital else []
        following = at + 1
        while run and (longer := _longer(text, words, following)):
            run += words[following:longer]
            following = longer
        runs += [run] if run else []
        at = max(following, at + 1)
    return runs


def _longer(text: str, words: Sequence[_Word], at: int) -> int:
    """Where a name that goes on at `at` ends next; 0 where it does not go on."""
    ahead = at
    while ahead < len(words) and ahead - at < 3 and words[ahead].text in _BETWEEN and words[ahead].place is None:
        ahead += 1
    if ahead == len(words) or not all(
        _close(text, words[number - 1], words[number]) for number in range(at, ahead + 1)
    ):
        return 0
    last = words[ahead]
    if ahead > at:  # "Tower of Berlin" and "Ridge of Thorns": only to what was not found a name goes over a word
        return ahead + 1 if last.named else 0
    number = last.place is None and last.text.isdecimal()
    return ahead + 1 if last.capital or number else 0


def _close(text: str, first: _Word, second: _Word) -> bool:
    """Whether nothing but blanks stands between two words, or both at one place."""
    if first.place is not None and first.place == second.place:
        return True
    between = text[first.end : second.start]
    return between == " " * len(between)
