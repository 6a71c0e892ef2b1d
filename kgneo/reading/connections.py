"""Connections: what a question asks of ways between two things, near one, or above and below it.

Comes in: a question and where it names something. Goes out: what is asked of which of the names, and the words that no
construction of `kgneo.english.connections` has. Whether these name anything is for who knows the graph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.connections import AT_ANY_DEPTH, AVOIDED, AVOIDING, CUES, NUMBERS, SAID_WITH, Asks
from kgneo.english.words import FUNCTION_WORDS

TOGETHER = re.compile(r"\b(?:they|them|these(?: two)?|those two|the two|both of them|each other)\b", re.IGNORECASE)
"""Words for things that were named elsewhere."""
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+")
NAME = "X"
MOST_UNSAID = 3
"""Words that a question may have beside the cues and what names something of the graph."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks of the names number `ends`; `avoided` is that of the one that a way is not to touch; `steps`
    the least and the most steps (0: not said); `rest` the words that may name what is asked for, or along what ways are
    to lead; `kinds`: what kinds of things, and not which."""

    asks: Asks
    ends: tuple[int, ...]
    avoided: int | None = None
    steps: tuple[int, int] = (0, 0)
    rest: tuple[str, ...] = ()
    kinds: bool = False


def asked_of(question: str, names: Sequence[Span]) -> Asked | None:
    """What a question that names something at `names` asks of connections; None where it has no cue for that."""
    text, places = _masked(question, names)
    avoided = _avoided(text, places) if len(places) > 1 else None
    ends = tuple(number for number in range(len(names)) if number != avoided)
    for cue in CUES:
        found = cue.expression.search(text)
        if not found or len(ends) != (1 if cue.asks == "within" else 2):
            continue
        slots = found.groupdict()
        most = _number(slots["number"]) if slots.get("number") else 0
        return Asked(cue.asks, ends, avoided, (most if slots.get("exact") else 1, most) if most else (0, 0),
                     _rest(text, places), bool(re.search(r"\b(?:kinds?|sorts?|types?) of\b", text, re.I)))  # fmt: skip
    return None


def _masked(question: str, names: Sequence[Span]) -> tuple[str, list[int]]:
    """The question with a letter for each name, and where these stand."""
    text, places, at = "", [], 0
    for start, end in names:
        text += question[at:start]
        places.append(len(text))
        text, at = text + NAME, end
    return text + question[at:], places


def _avoided(text: str, places: Sequence[int]) -> int | None:
    """The name that a way is not to touch: the first one behind a word that says so, with no other name between."""
    for number, place in reversed(list(enumerate(places))):
        before = text[places[number - 1] + 1 if number else 0 : place]
        if AVOIDING.search(before) or AVOIDED.match(text, place + 1):
            return number
    return None


def _rest(text: str, places: Sequence[int]) -> tuple[str, ...]:
    """The words that are no part of the cues."""
    spots = set(places)
    words = [match[0].lower() for match in WORD.finditer(text) if match.start() not in spots]
    words = [re.sub(r"['’](?:s|d|m|ll|re|ve)$", "", word) for word in words]
    said = SAID_WITH | FUNCTION_WORDS | {*NUMBERS}
    return tuple(word for word in words if word not in said and not word.isdecimal() and word != "s")


def _number(text: str) -> int:
    text = text.lower()
    if text in NUMBERS:
        return NUMBERS.index(text) + 1
    return int(text) if text.isdecimal() else 1


def with_names(question: str, names: tuple[str, ...]) -> str:
    """The question with names that were given besides in brackets: where it says them, or has a word for them."""
    if "[" in question or not names:
        return question
    missing = [name for name in names if name.casefold() not in question.casefold()]
    for name in sorted({*names} - {*missing}, key=len, reverse=True):
        begin = question.casefold().find(name.casefold())
        question = f"{question[:begin]}[{question[begin : begin + len(name)]}]{question[begin + len(name) :]}"
    if missing:
        question = TOGETHER.sub(" and ".join(f"[{name}]" for name in missing), question, count=1)
    return question


@dataclass(frozen=True, slots=True)
class Chained:
    """A question that asks for what is joined through others of its kind, without the words that say so."""

    text: str
    said: bool


def at_any_depth(question: str) -> Chained:
    """The question without "directly or indirectly" and the like; whether it had such words."""
    text = AT_ANY_DEPTH.sub(" ", question)
    return Chained(re.sub(r"\s+([?.!,])", r"\1", re.sub(r"\s{2,}", " ", text)).strip(), text != question)
