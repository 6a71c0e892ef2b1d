"""Otherwise: a question in the schema's words, where it has others: "clients" of a graph with Customers.

Comes in: a question, and what each of its words may mean (`kgneo.reading.likeness`). Goes out: the question with words
of the schema in the place of others, and the probability that these are meant, the likeliest first. All that is read
from names reads these as it reads the schema's own words. A word that shares its root with a name of the schema, or
that is a value of the graph or stands in one, stays as it is: "theft" in "Other theft" is no other word for "crime".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import plural, singular
from kgneo.english.thesaurus import Thesaurus
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
from kgneo.reading.fits import Fits
from kgneo.reading.form import form_of
from kgneo.reading.likeness import Likeness
from kgneo.reading.mentions import Lookup, Span, Word, has_root, has_telling_capitals, words_of
from kgneo.reading.phrases import phrase_mentions
from kgneo.text import fold

CLOSED = (
    FUNCTION_WORDS | ASKING | PARTING | PEOPLE | UNNAMED | NEGATIONS | AMOUNTS | IDENTIFYING
    | {"ids", *EXTREMES, *COMPARATIVES, *NUMERALS, *ORDINALS, *MEASURES}
)  # fmt: skip
"""Words that say how something is asked: what they mean is read from them."""
LONGEST = 3
"""Words of a phrase."""
LONGEST_VALUE = 6
"""Words of a value whose own words mean nothing else."""
FEWEST_LETTERS = 3
POSSIBLE = 0.03
"""Probability from which a term is read in the place of words."""
LEAST = 0.02
"""Probability that words mean none of the terms, at least."""
MOST = 4
"""Ways to read one question."""


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
        """The probability that the changes are right, that of a term once however often it stands."""
        return math.prod({item.term: item.probability for item in self.changes}.values())


def otherwise(question: str, fits: Fits, dictionary: Lookup) -> list[Otherwise]:
    """The likeliest ways to read a question, the best first; only as it stands where no word of it may mean another."""
    if fits.likeness is None:
        return [Otherwise(question)]
    words = words_of(question)
    ways = [Otherwise(question)]
    for text, spans in _places(words, fits, fits.likeness, dictionary).items():
        terms = [item for item in fits.likeness.of(text) if item.probability >= POSSIBLE]
        stays = max(1.0 - sum(item.probability for item in terms), LEAST)
        longer = [replace(way, probability=way.probability * stays) for way in ways]
        for item in terms:
            changes = tuple(Change(*span, item.term, item.probability) for span in spans)
            longer += [replace(way, changes=(*way.changes, *changes), probability=way.probability * item.probability)
                       for way in ways]  # fmt: skip
        ways = sorted(longer, key=lambda way: -way.probability)[:MOST]
    return [_changed(question, words, way) for way in ways]


def _places(words: Sequence[Word], fits: Fits, likeness: Likeness, dictionary: Lookup) -> dict[str, list[Span]]:
    """Where words stand that may mean others, by their text, without those inside ones that do so more likely."""
    inside = _in_values(words, fits, dictionary)
    spans = [span for span in _spans(words, fits, likeness.thesaurus) if inside.isdisjoint(range(*span))]
    likeness.prepare([_text(words, *span) for span in spans])
    values = dictionary.lookup(fold(_text(words, *span)) for span in spans)
    likely = {
        span: meant[0].probability
        for span in spans
        if fold(_text(words, *span)) not in values and (meant := likeness.of(_text(words, *span)))
        and meant[0].probability >= POSSIBLE
    }  # fmt: skip
    found: dict[str, list[Span]] = {}
    taken: set[int] = set()
    for start, end in sorted(likely, key=lambda span: (-likely[span], span[0] - span[1])):
        if taken.isdisjoint(range(start, end)):
            taken |= {*range(start, end)}
            found.setdefault(_text(words, start, end), []).append((start, end))
    return found


def _in_values(words: Sequence[Word], fits: Fits, dictionary: Lookup) -> set[int]:
    """The places of words that stand in values of several words, and in those that are said nearly whole."""
    ends = {(at, end) for at in range(len(words)) for end in range(at + 2, min(at + LONGEST_VALUE, len(words)) + 1)}
    known = dictionary.lookup({fold(_text(words, *span)) for span in ends})
    whole = [span for span in ends if fold(_text(words, *span)) in known]
    phrases = phrase_mentions(words, [], range(len(words)), dictionary, fits)
    return {at for span in (*whole, *((item.start, item.end) for item in phrases)) for at in range(*span)}


def _spans(words: Sequence[Word], fits: Fits, thesaurus: Thesaurus) -> list[Span]:
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


def _changed(question: str, words: Sequence[Word], way: Otherwise) -> Otherwise:
    """A way with its changes made in the text."""
    text, at = "", 0
    for item in sorted(way.changes, key=lambda item: item.start):
        text += question[at : words[item.start].start] + _inflected(item.term, words[item.end - 1].plain)
        at = words[item.end - 1].end
    return replace(way, text=text + question[at:])


def _inflected(term: str, word: str) -> str:
    """A term in the plural, where that is what the word is in whose place it stands."""
    many = singular(word) != word and singular(term) == term
    return plural(term) if many else term
