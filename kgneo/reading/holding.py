"""Holding: texts that are to hold a word: "reviews with the word QUIET in the title".

Comes in: the words of a question. Goes out: what is to be held, by which property, and the words that say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, FUNCTION_WORDS, OWNING, RELATIVES
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import SURE, Word

WITH = frozenset(("with", "have", "has", "having", "containing", "contain", "contains", "include", "including", "use"))
HOLDS = frozenset(("contain", "contains", "containing", "includes", "including", "mentions", "mentioning"))
WORDS = frozenset(("word", "words", "term", "phrase", "substring", "text", "string"))
LONGEST = 5
"""Words that are to be held, at most."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Words `start` to `end` (exclusive) say that the property named by word `at` holds `text`."""

    start: int
    end: int
    text: str
    at: int


def holdings(text: str, words: Sequence[Word], fits: Fits) -> tuple[Holding, ...]:
    """What texts are to hold, in the order of the question."""
    found: list[Holding] = []
    for index in range(len(words)):
        item = _with(text, words, index, fits) or _holds(text, words, index, fits)
        if item is not None and all(item.start >= other.end for other in found):
            found.append(item)
    return tuple(found)


def _with(text: str, words: Sequence[Word], index: int, fits: Fits) -> Holding | None:
    """ "with the word X in the title", "with X in its name"."""
    plain = [word.plain for word in words]
    if plain[index] not in WITH:
        return None
    first = _behind_word(plain, index + 1)
    for at in range(first + 1, min(first + 1 + LONGEST, len(plain) - 1)):
        if plain[at] != "in":
            continue
        noun = at + 1
        while noun < len(plain) and plain[noun] in ARTICLES | OWNING:
            noun += 1
        if at + 1 < noun < len(plain) and names_text(plain[noun], fits):
            said = first > index + 1 or _is_quoted(text, words[first])
            named = words[first].text[0].isupper() and names_text(plain[noun], fits, names=True)
            return Holding(index, noun + 1, _piece(text, words, first, at), noun) if said or named else None
    return None


def _holds(text: str, words: Sequence[Word], index: int, fits: Fits) -> Holding | None:
    """ "whose title contains X", "titles mentioning the word X"."""
    plain = [word.plain for word in words]
    first = _behind_word(plain, index + 1)
    noun = index - 1 - (index > 1 and first > index + 1 and plain[index - 1] in RELATIVES)
    if plain[index] not in HOLDS or not index or not (names_text(plain[noun], fits) or noun < index - 1):
        return None
    end = next((at for at in range(first, len(plain)) if at > first and plain[at] in FUNCTION_WORDS), len(plain))
    if first >= len(plain) or end - first > LONGEST:
        return None
    if noun < index - 1:  # "parks THAT contain the word X": in their names
        return Holding(noun + 1, end, _piece(text, words, first, end), noun)
    start = index - 1 - (index > 1 and plain[index - 2] in RELATIVES | {"with"})
    return Holding(start, end, _piece(text, words, first, end), index - 1)


def _behind_word(plain: Sequence[str], index: int) -> int:
    """The first word that is to be held: behind "the word", where that is said."""
    place = index + (plain[index : index + 1] == ["the"])
    return place + 1 if plain[place : place + 1] and plain[place] in WORDS else index


def _is_quoted(text: str, word: Word) -> bool:
    return text[max(word.start - 1, 0)] in "\"'“‘"


def _piece(text: str, words: Sequence[Word], first: int, end: int) -> str:
    return text[words[first].start : words[end - 1].end].strip("\"'“”‘’")


def names_text(word: str, fits: Fits, *, names: bool = False) -> bool:
    """Whether a word surely names a property that is a text; with `names` one by which nodes are told apart, which "in"
    is said of for no other reason: "with Ode in the NAME", but "with Ode in the position of"."""
    shown = fits.vocabulary.display
    return any(
        fit >= SURE and key.kind == "text" and (not names or key.unique or key.key in shown.get(key.owner, ()))
        for key, fit in fits.key(word).items()
    )
