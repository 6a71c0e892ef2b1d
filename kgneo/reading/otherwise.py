"""Otherwise: a question in the schema's words, where it has others: "clients" of a graph with Customers.

Comes in: a question, and what each of its words may mean, as people told it in the terms of the graph, or else by the
thesaurus and the encoder (`kgneo.reading.likeness`). Goes out: the question with words of the schema in the place of
others, and the probability that these are meant, the likeliest first. All that is read from names reads these as it
reads the schema's own words. A word that stands in a value of the graph stays as it is: "theft" in "Other theft" is no
other word for "crime". So does one of which nobody told anything and that shares its root with a name of the schema, or
is a value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import in_singular, plural, same_whole_root, singular
from kgneo.english.numbers import UNIT_SIZES
from kgneo.english.synonyms import others_of
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
    PLAIN_VERBS,
    UNNAMED,
)
from kgneo.reading.fits import Fits
from kgneo.reading.flags import flags_said
from kgneo.reading.form import form_of
from kgneo.reading.likeness import Likeness
from kgneo.reading.mentions import FEW, Lookup, Span, Word, has_root, has_telling_capitals, is_part
from kgneo.reading.phrases import phrase_mentions
from kgneo.reading.spelt import words_as_named
from kgneo.reading.vocabulary import Vocabulary
from kgneo.reading.vocabulary import Word as Meant
from kgneo.text import fold

CLOSED = (
    FUNCTION_WORDS | ASKING | PARTING | PEOPLE | UNNAMED | NEGATIONS | AMOUNTS | IDENTIFYING
    | {"ids", *EXTREMES, *COMPARATIVES, *NUMERALS, *ORDINALS, *MEASURES, *UNIT_SIZES}
)  # fmt: skip
"""Words that say how something is asked: what they mean is read from them."""
LONGEST = 3
"""Words of a phrase."""
LONGEST_NAME = 6
"""Words of a name of the schema."""
LONGEST_VALUE = 6
"""Words of a value whose own words mean nothing else."""
FEWEST_LETTERS = 3
POSSIBLE = 0.05
"""Probability from which a term is read in the place of words."""
LEAST = 0.02
"""Probability that words mean none of the terms, at least."""
MOST = 4
"""Ways to read one question in other words."""
CALLED = 0.5
"""The probability that a word means a value which people call by it, too."""
NAMED = 0.05
"""The probability that a word which says that something is true or false is a node's name."""


@dataclass(frozen=True, slots=True)
class Change:
    """Words `start` to `end` (exclusive) that mean `term` with a probability, in the number of the word in whose place
    it stands, unless that is a verb."""

    start: int
    end: int
    term: str
    probability: float
    verb: bool = False


@dataclass(frozen=True, slots=True)
class Otherwise:
    """A question in other words, the `changes` made, and the probability that these are right, and no others are."""

    text: str
    changes: tuple[Change, ...] = ()
    probability: float = 1.0
    spans: tuple[Span, ...] = ()
    """Where the names stand that the user marked."""

    @property
    def meant(self) -> float:
        """The probability that the changes are right, that of a term once however often it stands."""
        return math.prod({item.term: item.probability for item in self.changes}.values())


def otherwise(question: str, fits: Fits, dictionary: Lookup, given: Sequence[Span] = ()) -> list[Otherwise]:
    """The likeliest ways to read a question, the best first; only as it stands where no word of it may mean another.
    Names that the user marked (`given`, by their places) stay, and then only words that people told are changed."""
    ways = [Otherwise(question, spans=tuple(given))]
    if not fits.vocabulary.words and (given or fits.likeness is None):
        return ways
    words = words_as_named(question, fits)
    inside = values_in(words, fits, dictionary)
    told = _told(words, fits, inside, given)
    taken = {at for spans, _ in told for span in spans for at in range(*span)}
    for spans, meanings in (*told, *(() if given else _like(words, fits, dictionary, inside | taken))):
        left = 1.0 - sum(item.probability for item in meanings)
        surely = (spans, meanings) in told and left < LEAST
        longer = [] if surely else [replace(way, probability=way.probability * max(left, LEAST)) for way in ways]
        for item in meanings:
            changes = tuple(Change(one, end, item.instead, item.probability, item.verb) for one, end in spans)
            longer += [replace(way, changes=(*way.changes, *changes), probability=way.probability * item.probability)
                       for way in ways]  # fmt: skip
        ways = sorted(longer, key=lambda way: -way.probability)[:MOST]
    if not given and (spans := tuple(_of_flags(words, fits, dictionary))):
        ways.append(replace(ways[0], spans=spans, probability=NAMED * ways[0].probability))
    return [_changed(question, words, way) for way in ways]


def _of_flags(words: Sequence[Word], fits: Fits, dictionary: Lookup) -> Iterator[Span]:
    """Where a word says that something is true or false, and is a node's name, too: who learns the PIANO, where rooms
    have one."""
    likely = [word for word in words if word.text.islower() and singular(word.plain) in fits.flags.values()]
    entries = dictionary.lookup({fold(word.plain) for word in likely}) if likely else {}
    for word in likely:
        found = entries.get(fold(word.plain), ())
        if any(entry.key in fits.vocabulary.display.get(entry.owner, ()) for entry in found):
            yield word.start, word.end


def as_told(question: str, fits: Fits, dictionary: Lookup, given: Sequence[Span] = ()) -> str:
    """A question in the schema's words in the place of those of which people told one meaning, outside the names that
    the user marked (`given`, by their places)."""
    words = words_as_named(question, fits)
    told = _told(words, fits, values_in(words, fits, dictionary), given)
    changes = [
        Change(start, end, meant[0].instead, 1.0, meant[0].verb)
        for spans, meant in told if 1.0 - meant[0].probability < LEAST
        for start, end in spans
    ]  # fmt: skip
    return _changed(question, words, Otherwise(question, tuple(changes))).text if changes else question


Places = tuple[list[Span], Sequence[Meant]]
"""Where a piece of a question stands, and what it may mean."""


def _told(words: Sequence[Word], fits: Fits, inside: set[int], given: Sequence[Span]) -> list[Places]:
    """Where words stand that people told the meaning of, the longest first; none `inside` a value, or a marked name,
    and none that is a part of a longer name that the schema has: "email" of "email address"."""
    vocabulary = fits.vocabulary
    if not vocabulary.words:
        return []
    taken = {at for at, word in enumerate(words) if any(word.start < end and start < word.end for start, end in given)}
    taken |= inside
    names = _in_names(words, vocabulary)
    found: dict[str, tuple[list[Span], tuple[Meant, ...]]] = {}
    for start, end in ((at, at + length) for length in vocabulary.lengths for at in range(len(words) - length + 1)):
        part = any(is_part((start, end), name) for name in names)
        meant = _told_of(words, start, end, vocabulary) if not part and taken.isdisjoint(range(start, end)) else ()
        if meant:
            taken |= {*range(start, end)}
            found.setdefault(_text(words, start, end), ([], meant))[0].append((start, end))
    return list(found.values())


def _in_names(words: Sequence[Word], vocabulary: Vocabulary) -> list[Span]:
    """Where names of several words stand."""
    ends = [(at, end) for at in range(len(words)) for end in range(at + 2, min(at + LONGEST_NAME, len(words)) + 1)]
    return [
        (at, end) for at, end in ends
        if _in_singular(words, at, end) in vocabulary.long_names
    ]  # fmt: skip


def _told_of(words: Sequence[Word], start: int, end: int, vocabulary: Vocabulary) -> tuple[Meant, ...]:
    """What people told of words, as they stand, or of a form of the same verb; nothing of what is said of a noun before
    that noun."""
    behind = singular(words[end].plain) if end < len(words) else ""
    told, verbs = vocabulary.words, vocabulary.verbs
    whole = told.get(_in_singular(words, start, end), ())
    if not whole and end == start + 1:
        said = fold(words[start].plain)
        whole = tuple(
            item for phrase, items in verbs.get(said[:1], ()) if same_whole_root(said, phrase) for item in items
        )
    return tuple(item for item in whole if not behind or behind not in map(singular, item.noun.split()))


def _like(words: Sequence[Word], fits: Fits, dictionary: Lookup, inside: set[int]) -> Iterator[Places]:
    """Where words stand that may mean others by the thesaurus and the encoder; none `inside` what stays."""
    if fits.likeness is not None:
        yield from _places(words, fits, fits.likeness, dictionary, inside)


def _meant(text: str, fits: Fits, likeness: Likeness, dictionary: Lookup) -> list[Meant]:
    """What a piece may mean, the likeliest first: terms of the schema, and values."""
    found = [Meant(item.term, item.probability) for item in likeness.of(text) if item.probability >= POSSIBLE]
    return sorted([*found, *_values(text, fits, dictionary)], key=lambda item: -item.probability)


def _values(text: str, fits: Fits, dictionary: Lookup) -> list[Meant]:
    """The values that people call by other words, of properties that have few different ones: the SKIPPER of a graph
    whose roles have a captain."""
    few = {(key.owner, key.key) for key in fits.keys if key.kind == "text" and not key.unique and key.distinct <= FEW}
    if not few or text in PLAIN_VERBS:  # who "lives in" Kiel is in no state of living
        return []
    entries = dictionary.lookup({fold(other) for other in others_of(text, in_singular(text.split()))})
    found = {entry.text for known in entries.values() for entry in known if (entry.owner, entry.key) in few}
    return [Meant(value, CALLED / len(found)) for value in sorted(found)]


def _places(
    words: Sequence[Word], fits: Fits, likeness: Likeness, dictionary: Lookup, inside: set[int]
) -> list[Places]:
    """Where words stand that may mean others, without those inside ones that do so more likely, and without those
    `inside` what stays."""
    spans = [span for span in _spans(words, fits, likeness.thesaurus) if inside.isdisjoint(range(*span))]
    likeness.prepare([_text(words, *span) for span in spans])
    said = {span: (fold(_text(words, *span)), _in_singular(words, *span)) for span in spans}
    values = dictionary.lookup({text for both in said.values() for text in both})
    likely = {
        span: meant
        for span, both in said.items()
        if values.keys().isdisjoint(both) and (meant := _meant(_text(words, *span), fits, likeness, dictionary))
    }  # fmt: skip
    found: dict[str, Places] = {}
    taken: set[int] = set()
    for start, end in sorted(likely, key=lambda span: (-likely[span][0].probability, span[0] - span[1])):
        if taken.isdisjoint(range(start, end)):
            taken |= {*range(start, end)}
            found.setdefault(_text(words, start, end), ([], likely[start, end]))[0].append((start, end))
    return list(found.values())


def values_in(words: Sequence[Word], fits: Fits, dictionary: Lookup) -> set[int]:
    """The places of words that stand in values of several words, in those that are said nearly whole, and in what says
    that something is true or false."""
    ends = {(at, end) for at in range(len(words)) for end in range(at + 2, min(at + LONGEST_VALUE, len(words)) + 1)}
    known = dictionary.lookup({fold(_text(words, *span)) for span in ends})
    whole = [span for span in ends if fold(_text(words, *span)) in known]
    phrases = phrase_mentions(words, [], range(len(words)), dictionary, fits)
    spans = [*whole, *((item.start, item.end) for item in phrases)]
    spans += [(flag.start, flag.end) for flag in flags_said([word.plain for word in words], fits)]
    return {at for span in spans for at in range(*span)}


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


def _in_singular(words: Sequence[Word], start: int, end: int) -> str:
    return in_singular(fold(word.plain) for word in words[start:end])


def _text(words: Sequence[Word], start: int, end: int) -> str:
    return " ".join(word.plain for word in words[start:end])


def _changed(question: str, words: Sequence[Word], way: Otherwise) -> Otherwise:
    """A way with its changes made in the text."""
    text, at, spans = "", 0, list(way.spans)
    for item in sorted(way.changes, key=lambda item: item.start):
        start, end = words[item.start].start, words[item.end - 1].end
        instead = item.term if item.verb else _inflected(item.term, words[item.end - 1].plain)
        moved = len(instead) - (end - start)
        spans = [(one + moved, other + moved) if original[0] >= end else (one, other)
                 for (one, other), original in zip(spans, way.spans, strict=True)]  # fmt: skip
        text += question[at:start] + instead
        at = end
    return replace(way, text=text + question[at:], spans=tuple(spans))


def _inflected(term: str, word: str) -> str:
    """A term in the plural, where that is what the word is in whose place it stands."""
    many = singular(word) != word and singular(term) == term
    return plural(term) if many else term
