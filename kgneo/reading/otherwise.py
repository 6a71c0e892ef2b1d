"""Otherwise: a question in the schema's words, where it has others: "clients" of a graph with Customers.

Comes in: a question, and what each of its words may mean (`kgneo.reading.likeness`). Goes out: the question with words
of the schema in the place of others, and the probability that these are meant, the likeliest first. All that is read
from names reads these as it reads the schema's own words. A word that shares its root with a name of the schema, or
that is a value of the graph, stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.names import plural, singular
from kgneo.english.words import (
    AMOUNTS,
    ASKING,
    COMPARATIVES,
    EXTREMES,
    FUNCTION_WORDS,
    IDENTIFYING,
    MEASURES,
    NEGATIONS,
    NUMERALS,
    ORDINALS,
    PARTING,
    PEOPLE,
    UNNAMED,
)
from kgneo.english.thesaurus import Thesaurus
from kgneo.reading.fits import Fits
from kgneo.reading.form import form_of
from kgneo.reading.likeness import Likeness
from kgneo.reading.mentions import Lookup, Word, has_root, has_telling_capitals, words_of
from kgneo.text import fold

CLOSED = (
    FUNCTION_WORDS | ASKING | PARTING | PEOPLE | UNNAMED | NEGATIONS | AMOUNTS | IDENTIFYING
    | {"ids", *EXTREMES, *COMPARATIVES, *NUMERALS, *ORDINALS, *MEASURES}
)  # fmt: skip
"""Words that say how something is asked: what they mean is read from them."""
LONGEST = 3
"""Words of a phrase."""
FEWEST_LETTERS = 3
LIKELY = 0.5
"""Probability from which words are taken to mean what they may."""
SURE, POSSIBLE = 0.9, 0.15
"""Probabilities between which they are read both ways."""


@dataclass(frozen=True, slots=True)
class Change:
    """Words `start` to `end` (exclusive) that mean `term` with a probability."""

    start: int
    end: int
    term: str
    probability: float


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A question in other words, the `changes` made, and the probability that these are right, and no others are."""

    text: str
    changes: tuple[Change, ...] = ()
    probability: float = 1.0

    @property
    def meant(self) -> float:
        """The probability that the changes are right."""
        return math.prod(item.probability for item in self.changes)


def otherwise(question: str, fits: Fits, dictionary: Lookup) -> list[Otherwise]:
    """The ways to read a question, the likeliest first; only as it stands where no word of it may mean another."""
    if fits.likeness is None:
        return [Otherwise(question)]
    words = words_of(question)
    changes = _changes(words, fits, fits.likeness, dictionary)
    chosen = [item for item in changes if item.probability >= LIKELY]
    sure = [item for item in changes if item.probability >= SURE]
    ways = {tuple(taken): _changed(question, words, taken, changes) for taken in (chosen, changes, sure)}
    return sorted(ways.values(), key=lambda way: -way.probability)


def _changes(words: Sequence[Word], fits: Fits, likeness: Likeness, dictionary: Lookup) -> list[Change]:
    """The changes that are possible, without those that share a word with a likelier one, in the text's order."""
    spans = _spans(words, fits, likeness.thesaurus)
    likeness.prepare([_text(words, *span) for span in spans])
    values = dictionary.lookup(fold(_text(words, *span)) for span in spans)
    found = [
        Change(*span, meant.term, meant.probability)
        for span in spans
        if fold(_text(words, *span)) not in values
        for meant in likeness.of(_text(words, *span))[:1]
        if meant.probability >= POSSIBLE
    ]
    kept: list[Change] = []
    for item in sorted(found, key=lambda item: (-item.probability, item.start - item.end)):
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


def _spans(words: Sequence[Word], fits: Fits, thesaurus: Thesaurus) -> list[tuple[int, int]]:
    """Where words stand that are none of the schema's, alone or side by side, and phrases of the thesaurus that have
    such a word."""
    telling, used = has_telling_capitals(words), form_of(words).used
    open_ = {
        index
        for index, word in enumerate(words)
        if index not in used and word.plain not in CLOSED and word.plain.isalpha() and len(word.plain) >= FEWEST_LETTERS
        and not (telling and index and word.text[:1].isupper())
    }  # fmt: skip
    new = {index for index in open_ if not has_root(words[index].plain, fits)}
    spans = [(at, end) for at in range(len(words)) for end in range(at + 1, min(at + LONGEST, len(words)) + 1)]
    return [
        (start, end)
        for start, end in spans
        if new.issuperset(range(start, end))
        or (new.intersection((start, end - 1)) and open_.issuperset((start, end - 1))
            and thesaurus.senses(_text(words, start, end)))
    ]  # fmt: skip


def _text(words: Sequence[Word], start: int, end: int) -> str:
    return " ".join(word.plain for word in words[start:end])


def _changed(question: str, words: Sequence[Word], taken: Sequence[Change], changes: Sequence[Change]) -> Otherwise:
    """The question with some of the changes made."""
    text, at, probability = "", 0, 1.0
    for item in changes:
        probability *= item.probability if item in taken else 1 - item.probability
    for item in taken:
        text += question[at : words[item.start].start] + _inflected(item.term, words[item.end - 1].plain)
        at = words[item.end - 1].end
    return Otherwise(text + question[at:], tuple(taken), probability)


def _inflected(term: str, word: str) -> str:
    """A term in the plural, where that is what the word is in whose place it stands."""
    many = singular(word) != word and singular(term) == term
    return plural(term) if many else term
