"""Tell: which language a question is in.

Comes in: a question. Goes out: the name of a language; English where nothing else is told. What stands in [brackets] or
quotation marks is a name, and tells nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from kgneo.english.words import ASKING, FUNCTION_WORDS, QUESTION_WORDS
from kgneo.languages.language import languages, others

ENGLISH = "English"
NAMES = re.compile(r"\[[^\]]*\]|\"[^\"]*\"|“[^”]*”|«[^»]*»")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
AMBIGUOUS = frozenset(
    ("a", "also", "am", "an", "are", "den", "des", "die", "e", "em", "er", "for", "hat", "her", "in", "is", "just",
     "los", "man", "me", "media", "medio", "met", "no", "o", "on", "os", "pro", "so", "son", "sur", "ten", "the", "to",
     "total", "u", "van", "var", "war", "was", "which", "who", "y", "je", "qui", "do", "da", "de", "du", "dos", "ma",
     "has", "ha", "el", "la", "le", "les", "las", "il", "von", "bis", "per", "pour", "und", "et", "del", "al", "di")
)  # fmt: skip
"""Words of several languages, or that stand in names of any: "El Salvador", "van Gogh"."""
ASKED = (FUNCTION_WORDS | ASKING | QUESTION_WORDS) - AMBIGUOUS
FEWEST = 2
"""Words of a language by which a question is told to be in it."""


def language_of(question: str) -> str:
    """The name of the language that a question is in: "German"; one of another alphabet is called by that."""
    text = NAMES.sub(" ", question)
    letters = _alphabet(text)
    if letters != "LATIN":
        return f"a language in {letters.title()} letters"
    first, *words = WORD.findall(text) or [""]
    said = [first.lower(), *(word.lower() for word in words if word.islower() or word.lower() in _nouns())]
    found = {name: _points(said, known) for name, known in _telling().items()}
    name = max(found, key=lambda item: found[item])
    english = _points(said, ASKED)
    return name if found[name] >= FEWEST and found[name] > english else ENGLISH


@cache
def _telling() -> Mapping[str, frozenset[str]]:
    """The words by which each language is told."""
    own = {**{item.name: item.vocabulary for item in languages()}, **others()}
    return {name: frozenset(words - AMBIGUOUS) for name, words in own.items()}


@cache
def _nouns() -> frozenset[str]:
    return frozenset(noun for item in languages() for noun in item.nouns)


def _points(said: Sequence[str], known: frozenset[str]) -> int:
    """How many words of a question are known to a language; the first one counts twice, since it is seldom a name."""
    return len(known.intersection(said)) + (said[0] in known)


def _alphabet(text: str) -> str:
    """The alphabet of most letters, in capitals as Unicode calls it."""
    found = Counter(unicodedata.name(letter, "LATIN").split()[0] for letter in text if letter.isalpha())
    return found.most_common(1)[0][0] if found else "LATIN"
