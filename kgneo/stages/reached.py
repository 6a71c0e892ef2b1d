"""Entities that the work on a question has come to, and where a text names them.

The topic entities are the first; answers of steps come after them, each with its distance from the topic entities
and the kinds of node that the graph says it may be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kgneo.english.question import MaskedQuestion
from kgneo.text import fold

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Reached:
    """An entity, its database id, and `depth`: relationships between it and the nearest topic entity.

    A property value (`value`) can be an answer, too, and nothing leads on from it; its id is made up.
    """

    name: str
    id: str
    depth: int = 0
    labels: tuple[str, ...] = ()
    value: bool = False


@dataclass(frozen=True, slots=True)
class Named:
    """A name that stands in a text, characters `start` to `end`."""

    name: str
    start: int
    end: int


@lru_cache(maxsize=65536)
def words_of(name: str) -> tuple[str, ...]:
    """The folded words of a name, as they are compared with a text's."""
    return tuple(fold(word) for word in _WORD.findall(name))


def names_in(text: str, names: Iterable[str]) -> list[Named]:
    """Where `names` stand in `text` as whole words, in order, the longest name first at each place.

    Case, accents and punctuation do not matter, except that a name of one word must be written as it is.
    """
    wanted: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        if words_of(name):
            wanted.setdefault(words_of(name), []).append(name)
    if not wanted:
        return []
    lengths = sorted({len(words) for words in wanted}, reverse=True)
    spans = [(fold(match.group()), match.start(), match.end()) for match in _WORD.finditer(text)]
    words = [word for word, _, _ in spans]
    found: list[Named] = []
    index = 0
    while index < len(words):
        hit = _longest_at(words, index, lengths, wanted)
        if hit is not None:
            start, end = spans[index][1], spans[index + len(hit) - 1][2]
            spelt = text[start:end]
            same = [name for name in wanted[hit] if name == spelt]
            if same or len(hit) > 1 or any(char.isdecimal() for char in spelt):
                found.append(Named((same or wanted[hit])[0], start, end))
                index += len(hit)
                continue
        index += 1
    return found


def _longest_at(
    words: Sequence[str], index: int, lengths: Sequence[int], wanted: dict[tuple[str, ...], list[str]]
) -> tuple[str, ...] | None:
    for length in lengths:
        piece = tuple(words[index : index + length])
        if len(piece) == length and piece in wanted:
            return piece
    return None


def asked_about(text: str, groups: Sequence[tuple[Reached, ...]]) -> tuple[Reached, ...]:
    """The entities that a (sub-)question is about.

    `groups` are the topic entities, then the answers of each step. Of the topic entities those that are named count,
    of a step's answers all as soon as one is named, since a long list is not written out in a question. Where
    nothing is named: the last group that holds anything.
    """
    found: list[Reached] = []
    for number, group in enumerate(groups):
        named = {item.name for item in names_in(text, (entity.name for entity in group))}
        if named:
            found += [entity for entity in group if number or entity.name in named]
    if not found:
        found = list(next((group for group in reversed(groups) if group), ()))
    return tuple({entity.id: entity for entity in reversed(found)}.values())[::-1]


def mask(text: str, entities: Sequence[Reached]) -> MaskedQuestion:
    """The question with the places where entities are named; a whole list of names is one place."""
    spans: list[tuple[int, int]] = []
    for item in names_in(text, (entity.name for entity in entities)):
        between = text[spans[-1][1] : item.start] if spans else None
        if between is not None and re.fullmatch(r"[\s,;\"']*(?:and|or)?[\s,;\"']*", between):
            spans[-1] = (spans[-1][0], item.end)
        else:
            spans.append((item.start, item.end))
    if spans:
        rest = re.match(r",? (?:and|or) (?:\d+ )?(?:others|more)\b", text[spans[-1][1] :])
        if rest:
            spans[-1] = (spans[-1][0], spans[-1][1] + rest.end())
    labels = entities[0].labels if entities else ()
    return MaskedQuestion(text, tuple(spans), labels)
