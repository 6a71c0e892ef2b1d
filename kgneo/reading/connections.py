"""Connections: what a question asks of ways between two things, near one, or above and below it.

Comes in: a question with its names in brackets or without. Goes out: the constructions that it may be, each with the
pieces of text in its slots, best first. Whether the pieces name anything is for who looks names up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kgneo.english.connections import (
    ALONG,
    AT_ANY_DEPTH,
    AT_MOST,
    AVOIDED,
    CONSTRUCTIONS,
    NUMBERS,
    Asks,
    Construction,
)

TOGETHER = re.compile(r"\b(?:they|them|these(?: two)?|those two|the two|both of them|each other)\b", re.IGNORECASE)
"""Words for things that were named elsewhere."""
JOINED = re.compile(r"\s+(?:and|to|with|from)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks of `one` and, it may be, of `other`; `kind` are the words for what is asked for, `verb` those
    for how it is joined to both, `steps` the least and the most steps (0: not said), `avoided` what a way is not to
    touch, `along` what it is to lead along."""

    asks: Asks
    one: str
    other: str = ""
    kind: str = ""
    verb: str = ""
    steps: tuple[int, int] = (0, 0)
    avoided: str = ""
    along: str = ""


def asked_of(question: str) -> Iterator[Asked]:
    """What a question may ask of connections. Where a name may hold an "and", every place to part is tried."""
    for text, tail in _tails(question.strip()):
        for construction in CONSTRUCTIONS:
            for found in _matches(construction, text):
                yield _filled(construction, found, tail)


def _tails(question: str) -> Iterator[tuple[str, Asked]]:
    """The question without what is said behind it of the ways, and as it is."""
    plain = Asked("ways", "")
    without = AVOIDED.search(question)
    if without:
        rest = question[: without.start()]
        for text, tail in _tails(rest):
            yield text, replace(tail, avoided=without["avoided"])
        return
    bounded = AT_MOST.search(question)
    if bounded and not re.search(r"\bof\b", question[bounded.start() :]):
        yield question[: bounded.start()], replace(plain, steps=(1, _number(bounded["number"])))
    yield question, plain
    along = ALONG.search(question)
    if along:
        yield question[: along.start()], replace(plain, along=along["along"])


def _matches(construction: Construction, text: str) -> Iterator[re.Match[str]]:
    """The ways to fill a construction: names are as short as they can be first, then each longer first name."""
    found = construction.expression.fullmatch(text)
    if not found:
        return
    yield found
    if "other" not in found.groupdict() or "[" in text:
        return
    for joint in JOINED.finditer(text, found.end("name") + 1):
        marked = f"{text[: found.start('name')]}[{text[found.start('name') : joint.start()]}]{text[joint.start() :]}"
        longer = construction.expression.fullmatch(marked)
        if longer:
            yield longer


def _filled(construction: Construction, found: re.Match[str], tail: Asked) -> Asked:
    slots = {name: (text or "").strip() for name, text in found.groupdict().items()}
    steps = tail.steps
    if slots.get("number"):
        most = _number(slots["number"])
        steps = (most if slots.get("exact") is not None and "exact" in slots else 1, most)
    return replace(
        tail,
        asks=construction.asks,
        one=slots["name"],
        other=slots.get("other", ""),
        kind=slots.get("kind", ""),
        verb=slots.get("verb", ""),
        steps=steps,
    )


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
