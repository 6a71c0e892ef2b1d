"""What form of answer a question's text asks for: names, a count, yes or no, an extreme, a comparison.

Comes in: a question with its topic entities marked. Goes out: an `Intent`, and the question without the words that
only serve that form, so that the rest can be read as a path: "how many songs did X write" is "which songs did X
write", counted. All of it rests on English function words and the closed class of words for counting, order and
size; there is no graph and no model in here. So the caller decides what the words cannot: "first" may belong to a
relation's name, "how many" may ask for a value that is a number, and a question with one entity that opens with
"is" may ask for a value, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from kgneo.english.question import MaskedQuestion
from kgneo.english.words import AGES, AUXILIARIES, BOUNDS, COMPARATIVES, EXTREMES, QUESTION_WORDS

Kind = Literal["names", "count", "yes_no", "superlative", "comparison"]
Operator = Literal["", "<", "<=", ">", ">=", "=", "between"]
Direction = Literal["", "least", "greatest"]

_NUMBER = r"(-?\d[\d,]*(?:\.\d+)?(?:-\d\d(?:-\d\d)?)?)(?![\w-])"
_YEAR = r"(?:the\s+)?(?:years?\s+)?"
_RANGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bbetween\s+{_YEAR}{_NUMBER}\s+(?:and|to)\s+{_NUMBER}",
        rf"\bfrom\s+{_YEAR}{_NUMBER}\s+(?:to|until|till|through)\s+{_NUMBER}",
    )
)
_FALLING, _RISING = ("|".join(word for word, more in COMPARATIVES.items() if more is up) for up in (False, True))
_BOUNDS: tuple[tuple[str, Operator], ...] = (
    *((words, cast(Operator, operator)) for words, operator in BOUNDS),
    (rf"(?:{_FALLING})\s+than", "<"),
    (rf"(?:{_RISING})\s+than", ">"),
    ("from", ">="),
    ("in|during", "="),
)
_LIMITS = tuple(
    (operator, re.compile(rf"\b(?:{words})\s+{_YEAR}{_NUMBER}", re.IGNORECASE)) for words, operator in _BOUNDS
)
_EXTREME = re.compile(
    rf"(?<!\bat )\b((?:most )?recently|most recent|{'|'.join(EXTREMES)})\b(?!\s+(?:names?|of)\b)", re.IGNORECASE
)
_COUNTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in (
        (r"\bhow many\s+(?:different\s+|of\s+(?:the|these|those)\s+)?", "which "),
        (r"\bwhat\s+(?:is|was)\s+the\s+(?:total\s+)?number\s+of\s+(?:different\s+)?", "what are the "),
        (r"\b(?:what|which)\s+number\s+of\s+", "which "),
        (r"^\s*count\s+(?:all\s+)?(?:the\s+)?", "list the "),
    )
)
_REQUEST = re.compile(r"^\s*(?:please\s+)?(?:can|could|will|would)\s+you\b", re.IGNORECASE)
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_FIRST_MARK = 0xE000
"""Private-use characters stand for the mentions while the text is searched."""


@dataclass(frozen=True, slots=True)
class Intent:
    """The form of answer that is asked for.

    `kind` is "names" unless the text says otherwise. `operator` and `values` are a comparison's, such as ">" and
    ("1990",) or "between" and ("1990", "1995"); values as written, without thousands separators. `direction` is a
    superlative's, "least" or "greatest" of the values, and `extreme` the word for it; words of age are taken as
    speaking of dates, so the oldest has the least. `several`: more than one topic entity is named, so outside yes
    or no the answers are those that belong to all of them.
    """

    kind: Kind = "names"
    operator: Operator = ""
    values: tuple[str, ...] = ()
    direction: Direction = ""
    extreme: str = ""
    several: bool = False


_CHOICE = re.compile(rf"{_PRIVATE.pattern}\s*,?\s*or\s+{_PRIVATE.pattern}", re.IGNORECASE)


def compared(question: MaskedQuestion) -> tuple[Direction, Direction] | None:
    """Of two things between which a question lets choose ("who is older, X or Y"), whether the one with the lesser or
    with the greater value is meant: where the values are numbers, and where they are dates."""
    text = _with_marks(question)
    words = [word for word in re.findall(r"[^\W_]+", text.lower()) if word in COMPARATIVES or word == "first"]
    if len(question.spans) != 2 or not words or not _CHOICE.search(text):
        return None
    more = COMPARATIVES.get(words[0], False)
    return _direction(more is not (words[0] in AGES)), _direction(more and words[0] != "longer")


def _direction(greater: bool) -> Direction:
    return "greatest" if greater else "least"


def asks_truth(question: MaskedQuestion) -> bool:
    """Whether a question opens like one of yes or no, whatever it asks about."""
    return _asks_yes_or_no(_with_marks(question))


def interpret(question: MaskedQuestion) -> Intent:
    """The form of answer that a question's text asks for."""
    return _read(question)[0]


def plain_question(question: MaskedQuestion) -> MaskedQuestion:
    """The question without the words that only serve its form, its mentions marked anew."""
    text = " ".join(_read(question)[1].split())
    mentions = [question.text[start:end] for start, end in sorted(question.spans)]
    spans: list[tuple[int, int]] = []
    pieces: list[str] = []
    for character in text:
        number = ord(character) - _FIRST_MARK
        piece = mentions[number] if 0 <= number < len(mentions) else character
        if piece is not character:
            start = sum(map(len, pieces))
            spans.append((start, start + len(piece)))
        pieces.append(piece)
    return MaskedQuestion("".join(pieces), tuple(spans), question.labels)


def _read(question: MaskedQuestion) -> tuple[Intent, str]:
    """The intent, and the text without the words that serve it, mentions as private characters."""
    text = _with_marks(question)
    several = len(question.spans) > 1
    if several and _asks_yes_or_no(text):
        return Intent("yes_no", several=True), text
    operator, values, rest = _comparison(text)
    for pattern, instead in _COUNTS:
        if pattern.search(text):
            plain = pattern.sub(instead, rest, count=1)
            return Intent("count", operator, values, several=several), plain
    extreme = _EXTREME.search(rest)
    if extreme is not None:
        word = " ".join(extreme[1].lower().split())
        rest = rest[: extreme.start()] + rest[extreme.end() :]
        return Intent("superlative", operator, values, _direction(EXTREMES[word.split()[-1]]), word, several), rest
    if operator:
        return Intent("comparison", operator, values, several=several), rest
    return Intent(several=several), text


def _with_marks(question: MaskedQuestion) -> str:
    text = _PRIVATE.sub(" ", question.text)
    spans = sorted(question.spans)
    for number, (start, end) in reversed(list(enumerate(spans))):
        text = text[:start] + chr(_FIRST_MARK + number) + text[end:]
    return text


def _asks_yes_or_no(text: str) -> bool:
    words: Sequence[str] = re.findall(r"[^\W_]+", text.lower())
    if _REQUEST.search(text) or not words or words[0] not in AUXILIARIES:
        return False
    return not any(word in QUESTION_WORDS - {"that"} for word in words[:3])


def _comparison(text: str) -> tuple[Operator, tuple[str, ...], str]:
    for pattern in _RANGES:
        match = pattern.search(text)
        if match:
            return "between", (_plain(match[1]), _plain(match[2])), text[: match.start()] + text[match.end() :]
    for operator, pattern in _LIMITS:
        match = pattern.search(text)
        if match:
            return operator, (_plain(match[1]),), text[: match.start()] + text[match.end() :]
    return "", (), text


def _plain(number: str) -> str:
    return number.replace(",", "")
