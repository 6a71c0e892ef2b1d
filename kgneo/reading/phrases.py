"""Phrases: values of several words that a question says in other words, or in part.

Comes in: the words of a question, and the values of several words that the graph's kinds and states have. Goes out:
mentions: "closed with no suspect found" is the state "Closed; no suspect identified".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kgneo.english.names import same_root
from kgneo.english.words import FUNCTION_WORDS, NEGATIONS
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import Lookup, Meaning, Mention, Word, words_of

TELLING = 3
"""Telling words that a phrase has, and that a question must say of it, at least."""
SHARE = 0.7
"""Share of a phrase's telling words that a question must say."""
SCORE = 0.9
"""Score of a phrase of which all is said."""


def phrase_mentions(
    words: Sequence[Word], mentions: Sequence[Mention], free: Collection[int], dictionary: Lookup, fits: Fits
) -> list[Mention]:
    """The mentions with those of phrases that the `free` words say most of, in their order."""
    keys = {(key.owner, key.key): key for key in fits.keys}
    best: dict[tuple[int, int], Mention] = {}
    for entry in dictionary.phrases():
        span = _span(words, free, _telling(words_of(entry.text)))
        key = keys.get((entry.owner, entry.key))
        if span is None or key is None:
            continue
        start, end, share = span
        meaning = Meaning("value", key.owner, SCORE * share, key, (entry.value,), entry.text, entry.times)
        known = best.get((start, end))
        if known is None or known.meanings[0].score < meaning.score:
            best[start, end] = Mention(start, end, (meaning,))
    kept: list[Mention] = []
    for item in sorted(best.values(), key=lambda item: -item.meanings[0].score):
        if all(item.end <= other.start or other.end <= item.start for other in (*kept, *mentions)):
            kept.append(item)
    return sorted([*mentions, *kept], key=lambda item: item.start)


def _telling(words: Sequence[Word]) -> list[str]:
    return [word.plain for word in words if word.plain not in FUNCTION_WORDS or word.plain in NEGATIONS]


def _span(words: Sequence[Word], free: Collection[int], phrase: Sequence[str]) -> tuple[int, int, float] | None:
    """Where most of a phrase's words stand, one after the other, and how many of them."""
    if len(phrase) < TELLING:
        return None
    starts = [index for index in free if same_root(words[index].plain, phrase[0])]
    for start in starts:
        at, end, said = start, start, 0
        for part in phrase:
            near = range(at, min(at + TELLING + 1, len(words)))
            here = next((index for index in near if index in free and same_root(words[index].plain, part)), None)
            if here is not None:
                said, at, end = said + 1, here + 1, here + 1
        if said >= TELLING and said / len(phrase) >= SHARE:
            return start, end, said / len(phrase)
    return None
