"""Formed: words made of names by an ending: "Bavarian" of Bavaria.

Comes in: the words of a question with its mentions, and the graph's dictionary. Goes out: the mentions with those of
what such words may be made of. A word that is a value itself (a language) may be made of a name as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kgneo.english.names import made_of
from kgneo.english.words import FUNCTION_WORDS
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import SURE, Found, Lookup, Meaning, Mention, Word, has_telling_capitals, people
from kgneo.reading.vocabulary import Key
from kgneo.text import fold

NAME = 0.85
"""Score of the name of a node that a word may be made of."""
VALUE = 0.8
"""The same of another value."""
MORE = 0.7
"""What it is worth more before a noun that is not what the word itself is a value of: "German clubs", a language."""
LIKELY_PERSON = 0.3
"""Share from which a label's nodes may be people."""


def formed_mentions(
    words: Sequence[Word], mentions: Sequence[Mention], taken: Collection[int], dictionary: Lookup, fits: Fits
) -> list[Mention]:
    """The mentions with those of words with capitals that are made of names; `taken` are those of mentions, and of the
    question's form."""
    found = {(item.start, item.end): item for item in mentions}
    for index, word in enumerate(words if has_telling_capitals(words) else ()):
        known = found.get((index, index + 1))
        if not word.text[0].isupper() or word.plain in FUNCTION_WORDS or (index in taken and known is None):
            continue
        owners = {meaning.owner for meaning in known.meanings} if known else set()
        meanings = [item for item in _meanings(word, dictionary, fits) if item.owner not in owners]
        if known is not None and meanings:
            more = MORE if _is_less(known.meanings[0], words[index + 1 : index + 2], fits) else 0.0
            both = [*known.meanings, *(replace(item, score=item.score + more) for item in meanings)]
            found[index, index + 1] = replace(known, meanings=tuple(sorted(both, key=lambda item: -item.score)))
        elif meanings:
            found[index, index + 1] = Mention(index, index + 1, tuple(meanings))
    return sorted(found.values(), key=lambda item: item.start)


def _is_less(known: Meaning, following: Sequence[Word], fits: Fits) -> bool:
    """Whether a value is not what a noun behind it is: it is one of another thing, or one of several."""
    labels = {label for word in following for label, fit in fits.label(word.plain).items() if fit >= SURE}
    return bool(labels) and (known.owner not in labels or (known.key is not None and known.key.listed))


def _meanings(word: Word, dictionary: Lookup, fits: Fits) -> list[Meaning]:
    """What a word may be made of, the best value of each property."""
    persons = {label for label, share in people(fits) if share > LIKELY_PERSON}  # "Rossi" is not made of "Ross"
    keys = {(key.owner, key.key): key for key in fits.keys if not (key.owner in persons and _shows(key, fits))}
    best: dict[Key, Found] = {}
    for entries in dictionary.lookup(made_of(fold(word.plain))).values():
        for entry in entries:
            key = keys.get((entry.owner, entry.key))
            if key is not None and key.kind == "text" and not key.of_edge and len(entry.text.split()) == 1:
                best.setdefault(key, entry)
    meanings = [
        Meaning("value", key.owner, NAME if _shows(key, fits) else VALUE, key, (entry.value,), entry.text, entry.times)
        for key, entry in best.items()
    ]
    return sorted(meanings, key=lambda item: -item.score)


def _shows(key: Key, fits: Fits) -> bool:
    return key.key in fits.vocabulary.display.get(key.owner, ())
