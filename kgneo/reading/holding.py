"""Holding: texts that are to hold a word: "reviews with the word QUIET in the title".

Comes in: the words of a question. Goes out: what is to be held, by which property, and the words that say so.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from kgneo.english.words import ARTICLES, FUNCTION_WORDS, OWNING, RELATIVES
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import SURE, Word

WITH = frozenset(("with", "have", "has", "having", "containing", "contain", "contains", "include", "including", "use"))
HOLDS = frozenset(("contain", "contains", "containing", "includes", "including", "mentions", "mentioning"))
WORDS = frozenset(("word", "words", "term", "phrase", "substring", "text", "string", "letter", "letters", "character"))
HAVING = WITH | HOLDS | {"include", "mention", "had"}
"""Verbs behind which "the word" says that a text holds one."""
IN_IT = frozenset(("in", "it", "them", "inside", "within"))
QUOTES = tuple("\"'”’")
LONGEST = 5
"""Words that are to be held, at most."""


@dataclass(frozen=True, slots=True)
class Holding:
    """Words `start` to `end` (exclusive) say that the property named by word `at` holds `text`."""

    start: int
    end: int
    text: str
    at: int


def holdings(text: str, words: Sequence[Word], fits: Fits, names: Container[int] = ()) -> tuple[Holding, ...]:
    """What texts are to hold, in the order of the question. `names`: the words with which names of texts end that are
    of several words, "FIRST NAME"."""
    found: list[Holding] = []
    for index in range(len(words)):
        item = _with(text, words, index, fits) or _holds(text, words, index, fits, names)
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


def _holds(text: str, words: Sequence[Word], index: int, fits: Fits, names: Container[int]) -> Holding | None:
    """ "whose title contains X", "titles mentioning the word X", "whose first name has the letter X in it"."""
    plain = [word.plain for word in words]
    first = _behind_word(plain, index + 1)
    said = first > index + 1  # "the word" is said
    if not index or first >= len(plain) or plain[index] not in (HAVING if said else HOLDS):
        return None
    end = _end(text, words, first)
    noun = _noun_before(plain, index, fits, names, reach=2 if said else 1)
    if noun is not None and end - first <= LONGEST:
        start = noun - (noun > 0 and plain[noun - 1] in RELATIVES | {"with"})
        return Holding(start, _behind_it(plain, end), _piece(text, words, first, end), noun)
    relative = said and index > 1 and plain[index - 1] in RELATIVES and plain[index] in HOLDS
    if relative and end - first <= LONGEST:  # "parks THAT contain the word X": in their names
        return Holding(index - 1, end, _piece(text, words, first, end), index - 2)
    return None


def _noun_before(plain: Sequence[str], index: int, fits: Fits, names: Container[int], *, reach: int) -> int | None:
    """The noun for a text that stands before a verb, up to `reach` words before it: "hometown address includes"."""
    for noun in range(index - 1, max(index - 1 - reach, -1), -1):
        if noun in names or names_text(plain[noun], fits):
            return noun
        if plain[noun] in FUNCTION_WORDS:
            return None
    return None


def _end(text: str, words: Sequence[Word], first: int) -> int:
    """Where the words that are to be held end: at the quotation mark that closes them, else before a word that serves
    the sentence."""
    if _is_quoted(text, words[first]):
        closed = (at for at in range(first, len(words)) if text[words[at].end :].lstrip(".,")[:1] in QUOTES)
        return next(closed, first) + 1
    return next((at for at in range(first + 1, len(words)) if words[at].plain in FUNCTION_WORDS), len(words))


def _behind_it(plain: Sequence[str], end: int) -> int:
    """The place behind words that only say "in it"."""
    return end + 2 if {*plain[end : end + 2]} <= IN_IT and len(plain[end : end + 2]) == 2 else end


def _behind_word(plain: Sequence[str], index: int) -> int:
    """The first word that is to be held: behind "the word", where that is said."""
    place = index + (plain[index : index + 1] == ["the"])
    return place + 1 if plain[place : place + 1] and plain[place] in WORDS else index


def _is_quoted(text: str, word: Word) -> bool:
    return word.start > 0 and text[word.start - 1] in "\"'“‘"


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
