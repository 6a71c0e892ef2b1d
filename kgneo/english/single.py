"""Single: whether a question asks for one thing only: "who is the skipper of X", "which berth is X at", "X's teacher".

Comes in: a question. Goes out: whether the noun for what it asks for stands in the singular, and definite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgneo.english.names import singular
from kgneo.english.words import FUNCTION_WORDS, GROUPING, PEOPLE

WORD = re.compile(r"[a-z0-9]+(?:['’-][a-z0-9]+)*")
BE = {"is", "was"}
SINGULAR_VERBS = BE | {"has", "does", "did"}
SEVERAL = GROUPING | {"or", "and", "list", "all", "both", "other", "others", "else", "different", "distinct"}
"""Words with which a noun in the singular may stand for several things."""
NEAR, LONGEST = 6, 3
"""Words before which a question's word stands, and words of a noun with what describes it."""


def asks_for_one(question: str) -> bool:
    """Whether a question asks for one thing only, as far as its words tell."""
    words = WORD.findall(question.lower())
    return SEVERAL.isdisjoint(words) and _is_singular(_asked(words))


def _asked(words: Sequence[str]) -> str:
    """The noun for what is asked for; empty where it is not told, or not definite."""
    for at, word in enumerate(words[:NEAR]):
        if word.replace("’", "'") in ("who's", "what's"):
            return _definite(words[at + 1 :])
        if word in ("who", "what", "which") and BE.issuperset(words[at + 1 : at + 2]):
            return _definite(words[at + 2 :])
        if word in ("what", "which"):
            return next((words[end - 1] for end in range(at + 2, at + 2 + LONGEST)
                         if words[end : end + 1] and words[end] in SINGULAR_VERBS), "")  # fmt: skip
    return ""


def _definite(words: Sequence[str]) -> str:
    """The noun behind "the", or behind the last owner: "X's boss"."""
    if words[:1] == ["the"]:
        return _head(words[1:])
    owners = [at for at, word in enumerate(words) if word.replace("’", "'").endswith(("'s", "s'"))]
    return _head(words[owners[-1] + 1 :]) if owners else ""


def _head(words: Sequence[str]) -> str:
    """The last word before one that only joins."""
    end = next((at for at, word in enumerate(words) if word in FUNCTION_WORDS), len(words))
    return words[end - 1] if end else ""


def _is_singular(noun: str) -> bool:
    return bool(noun) and noun not in FUNCTION_WORDS | PEOPLE and singular(noun) == noun
