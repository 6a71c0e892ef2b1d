"""A question about two things, cut into one about each.

Comes in: a question that names two topic entities. Goes out: for each of them the words that speak of it: "which works
by X hang in Y" gives "which works by X" and "which works hang in Y", "which films star X and Y" the same for both, and
"which members of X live in Y" lets members be of X alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgneo.english.question import TOPIC, MaskedQuestion, QuestionParts, question_parts
from kgneo.english.words import AUXILIARIES, FUNCTION_WORDS, SHARING

_JOINING = frozenset(["and", "but", "that", "which", "who", "whom", "whose", "while"])
_LEFT_OUT = SHARING | {"both"}
Words = tuple[str, ...]


def clauses(question: MaskedQuestion) -> tuple[Words, Words] | None:
    """The words about the first and about the second of two topic entities, each with `TOPIC` in its place; None where
    the question does not name two, or does not begin with what it asks for."""
    parts = question_parts(question)
    places = [index for index, word in enumerate(parts.words) if word == TOPIC]
    shared = _asked_until(parts)
    if len(places) != 2 or not 0 < shared <= places[0]:
        return None
    asked, before, between, after = (
        _kept(parts.words[start:end])
        for start, end in ((0, shared), (shared, places[0]), (places[0] + 1, places[1]), (places[1] + 1, None))
    )
    of_first, of_second = _divided(between, subject=bool(before) and before[-1] in AUXILIARIES)
    of_both = asked[: -len(parts.head)] if parts.head and before[:1] == ("of",) else asked
    if not _says_something(of_second):
        of_both = asked
        of_second = (*of_first, *of_second) if of_second and _says_something(of_first) else before
        of_first = of_first if _says_something(of_first) else after
    return (*asked, *before, TOPIC, *of_first), (*of_both, *of_second, TOPIC, *after)


def _asked_until(parts: QuestionParts) -> int:
    """Where the words end that say what is asked for."""
    if parts.head:
        return parts.head[-1] + 1
    return next((index + 1 for index, word in enumerate(parts.words[:2]) if word in ("who", "whom", "what")), 0)


def _kept(words: Sequence[str]) -> Words:
    return tuple(word for word in words if word not in _LEFT_OUT)


def _divided(words: Words, *, subject: bool) -> tuple[Words, Words]:
    """The words between two names: those of the first, and those of the second. After a `subject` ("does X own") a verb
    follows that belongs to it."""
    joints = [index for index, word in enumerate(words) if word in _JOINING]
    if joints:
        return words[: joints[0]], words[joints[0] + 1 :]
    return (words[:1], words[1:]) if subject else ((), words)


def _says_something(words: Words) -> bool:
    return any(word not in FUNCTION_WORDS for word in words)
