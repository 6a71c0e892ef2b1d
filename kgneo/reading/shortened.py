"""Shortened: names that a question says in part: "Cedar Hollow" for "Cedar Hollow Reservoir", a surname.

Comes in: the words of a question, and the names that hold some of them. Goes out: mentions of the nodes so named, of
every label that has some; which of these is meant shows when the question is put together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kgneo.english.names import name_words, same_root
from kgneo.english.words import FUNCTION_WORDS
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import Found, Lookup, Meaning, Mention, Word, has_telling_capitals, says_something, words_of
from kgneo.reading.vocabulary import Key
from kgneo.text import fold

HELD = 200
"""Names that hold a piece which are looked at."""
MOST = 5
"""Names of one label that a piece may be a part of; what more of them share names none of them."""
SHARED = 0.95
"""Score of a name's beginning, where others of its kind end as it does."""
BEGINNING = 0.8
END = 0.75
INSIDE = 0.6
"""Scores of other parts of a name."""
LONGEST = 4
"""Words of a part in lower case; one word alone is left to linking."""
EACH = 0.1
"""What a meaning loses for every other node that it may name as well."""


def shortened_mentions(
    text: str,
    words: Sequence[Word],
    mentions: Sequence[Mention],
    taken: Collection[int],
    dictionary: Lookup,
    fits: Fits,
) -> list[Mention]:
    """The mentions with those of names in part: of words with capitals that no mention has (`taken` are those of
    mentions, and of the question's form), with the words beside them; where there are no capitals, of several words."""
    found: list[Mention] = []
    for spans in _candidates(words, mentions, taken, fits):
        for first, last in spans:
            meanings = _meanings(text[words[first].start : words[last - 1].end], dictionary, fits)
            if meanings:
                found.append(Mention(first, last, meanings))
                break
    kept = [item for item in mentions if all(item.end <= one.start or one.end <= item.start for one in found)]
    return sorted([*kept, *found], key=lambda item: item.start)


def _candidates(
    words: Sequence[Word], mentions: Sequence[Mention], taken: Collection[int], fits: Fits
) -> Iterator[list[tuple[int, int]]]:
    """For each place where a name may be said in part the pieces that may be it, the likeliest first."""
    if any(word.text[0].isupper() and word.text != "I" for word in words[1:]):
        for start, end in _runs(words):
            yield _spans(words, start, end, mentions, taken, fits)
        return
    said = set(taken).difference(*(range(item.start, item.end) for item in mentions))
    said |= {index for index, word in enumerate(words) if word.plain in FUNCTION_WORDS}
    for start, end in _side_by_side([index for index in range(len(words)) if index not in said]):
        yield [
            (first, first + length)
            for length in range(min(end - start, LONGEST), 1, -1)
            for first in range(start, end - length + 1)
            if any(index not in taken and _is_open(words[index], fits) for index in range(first, first + length))
            and _is_whole(first, first + length, mentions)
        ]


def _side_by_side(indices: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of numbers that follow one another: the first, and the one behind the last."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        runs = [*runs[:-1], (runs[-1][0], index + 1)] if runs and runs[-1][1] == index else [*runs, (index, index + 1)]
    return runs


def _is_open(word: Word, fits: Fits) -> bool:
    """Whether a word is none of English alone, and none that names a part of the schema."""
    return word.plain not in FUNCTION_WORDS and not says_something(word.plain, fits)


def _runs(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Where words with capitals stand side by side."""
    runs: list[tuple[int, int]] = []
    for index, word in enumerate(words if has_telling_capitals(words) else ()):
        if not word.text[0].isupper() or word.text == "I":
            continue
        if runs and runs[-1][1] == index and not words[index - 1].text.endswith(("'s", "’s")):
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def _spans(
    words: Sequence[Word], start: int, end: int, mentions: Sequence[Mention], taken: Collection[int], fits: Fits
) -> list[tuple[int, int]]:
    """The pieces of a run that hold all of its open words, the longest first, and cut no mention in two."""
    open_ = [index for index in range(start, end) if index not in taken and _is_open(words[index], fits)]
    if not open_ or (open_ == [0] and len(words) == 1):
        return []
    spans = [(first, last) for first in range(start, open_[0] + 1) for last in range(open_[-1] + 1, end + 1)]
    return sorted((span for span in spans if _is_whole(*span, mentions)), key=lambda span: span[0] - span[1])


def _is_whole(first: int, last: int, mentions: Sequence[Mention]) -> bool:
    """Whether a piece cuts no mention in two."""
    return all(item.end <= first or last <= item.start or first <= item.start < item.end <= last for item in mentions)


def _meanings(piece: str, dictionary: Lookup, fits: Fits) -> tuple[Meaning, ...]:
    """The nodes that a piece may name in part, the likeliest label first."""
    named = {(key.owner, key.key): key for key in fits.keys if key.key in fits.vocabulary.display.get(key.owner, ())}
    own = [word.plain for word in words_of(fold(piece))]
    by_key: dict[Key, dict[str, Meaning]] = {}
    for entry in dictionary.holding(" ".join(own), named, limit=HELD):
        key = named[entry.owner, entry.key]
        score = _score(own, entry, key)
        if score:
            meaning = Meaning("value", key.owner, score, key, (entry.value,), entry.text, entry.times)
            by_key.setdefault(key, {})[entry.text] = meaning
    together = [_together(tuple(there.values())) for there in by_key.values()]
    return tuple(sorted((item for item in together if item), key=lambda item: -item.score))


def _together(meanings: Sequence[Meaning]) -> Meaning | None:
    """The best of the names of one label, all that are as good; None where they are too many."""
    best = max(item.score for item in meanings)
    equal = [item for item in meanings if item.score == best]
    if len(equal) > MOST:
        return None
    values = tuple(value for item in equal for value in item.values)
    first, times = equal[0], sum(item.times for item in equal)
    return Meaning("value", first.owner, best - EACH * (len(equal) - 1), first.key, values, first.text, times)


def _score(own: Sequence[str], entry: Found, key: Key) -> float:
    """How likely words are what people say of a name; 0 where it does not have them side by side, or is all of it."""
    whole = [word.plain for word in words_of(fold(entry.text))]
    at = next((at for at in range(len(whole) - len(own) + 1) if whole[at : at + len(own)] == list(own)), -1)
    if at < 0 or len(whole) == len(own):
        return 0.0
    rest = whole[len(own) :]
    if not at:
        return SHARED if _is_shared(rest, entry.text, key) else BEGINNING
    return END if at + len(own) == len(whole) else INSIDE


def _is_shared(rest: Sequence[str], text: str, key: Key) -> bool:
    """Whether others of a name's kind end as it does, or it ends with the noun for its kind."""
    if all(any(same_root(word, own) for own in name_words(key.owner)) for word in rest):
        return True
    others = ([word.plain for word in words_of(fold(one))] for one in key.examples if one != text)
    return any(other[-len(rest) :] == list(rest) for other in others)
