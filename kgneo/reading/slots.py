"""Slots: the query graph of one question with the values that another one names.

Comes in: a question whose query graph is known, and another question. Goes out: the query graph with the values, the
numbers and the dates of the other in the place of its own, and both questions with these cut out, which tells whether
they ask the same. "Which films of [1999] has X made?" is refilled by "Which films of [2003] has Y made?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from kgneo.english.names import name_words
from kgneo.english.numbers import number_at
from kgneo.english.words import ARTICLES
from kgneo.query.graph import TEXTUAL, Condition, QueryGraph, Scalar, Selection, Value
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning, Mention, words_of
from kgneo.text import number_of

QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
BLANK = "…"
"""Stands for a value whose kind has no name."""


@dataclass(frozen=True, slots=True)
class Literal:
    """What a query graph compares with: values of the property `key` (empty: a number that something is measured by) of
    nodes or relationships of one of the `owners`. What is tested for being a part of a text is `open` to any text."""

    owners: tuple[str, ...]
    key: str
    values: tuple[Scalar, ...]
    open: bool = False

    @property
    def value(self) -> Scalar:
        """The first of the values."""
        return self.values[0]


@dataclass(frozen=True, slots=True)
class Refilled:
    """A query graph with the values of another question, the words of both questions without their values, and how many
    values of the other have no place in it."""

    graph: QueryGraph
    known: tuple[str, ...]
    asked: tuple[str, ...]
    left: int


Place = tuple[int, int]
"""The first word of a value in a question, and the one behind its last."""


def refilled(graph: QueryGraph, known: Heard, asked: Heard) -> Refilled | None:
    """The query graph of the question `known` with the values of the question `asked`; None where one is missing."""
    filling = _Filling(graph, known, asked)
    return filling.done() if filling.fill() else None


def literals(graph: QueryGraph) -> Iterator[Literal]:
    """What a query graph compares with, and how many of something it asks for."""
    for item in graph.every_condition():
        yield from _of_condition(graph, item)
    yield from (Literal((), "", (item.limit,)) for item in graph.selections if item.limit > 1)


def _of_condition(graph: QueryGraph, item: Condition) -> Iterator[Literal]:
    """The literals of a condition: all that it has together, of which one is enough, and each alone."""
    if not isinstance(item.right, tuple) or any(isinstance(value, bool) for value in item.right):
        return
    owners = _owners(graph, item.left.of) if isinstance(item.left, Value) else ()
    key = item.left.key if isinstance(item.left, Value) else ""
    part = item.operator in TEXTUAL
    if len(item.right) > 1 and item.operator in ("=", "<>"):
        yield Literal(owners, key, item.right, part)
    yield from (Literal(owners, key, (value,), part) for value in item.right)


def _owners(graph: QueryGraph, name: str) -> tuple[str, ...]:
    for edge in graph.edges:
        if edge.name == name:
            return edge.relations
    return next((item.labels for item in graph.variables if item.name == name), ())


class _Filling:
    """The literals of a query graph with where they stand in its question, and what takes their places."""

    def __init__(self, graph: QueryGraph, known: Heard, asked: Heard) -> None:
        self.graph, self.known, self.asked = graph, known, asked
        vocabulary = known.fits.vocabulary
        self.kinds = {*vocabulary.labels, *vocabulary.relations}
        self.mentions = [item for item in asked.mentions if _named(item)]
        self.numbers = dict(_numbers(asked.plain))
        self.places: dict[Literal, Place] = {}
        self.taken: dict[Literal, Place] = {}
        self.values: dict[Literal, tuple[Scalar, ...]] = {}

    def fill(self) -> bool:
        """Find a value for each literal that the known question names; whether there is one."""
        found: dict[Literal, Place] = {}
        for item in dict.fromkeys(literals(self.graph)):
            place = _place(self.known, item)
            if place is not None and not any(_are_of(item, other) for other in found):
                found[item] = place
        self.places = dict(sorted(found.items(), key=lambda pair: pair[1]))
        named = sorted(self.places, key=lambda item: not isinstance(item.value, str))  # numbers are what is left
        return all(self._same(item) or self._named(item) or self._number(item) or self._beside(item) for item in named)

    def _take(self, item: Literal, place: Place, values: tuple[Scalar, ...]) -> bool:
        self.taken[item], self.values[item] = place, values
        return True

    def _is_free(self, place: Place) -> bool:
        return all(place[1] <= start or end <= place[0] for start, end in self.taken.values())

    def _same(self, item: Literal) -> bool:
        """The value that both questions name."""
        place = _place(self.asked, item)
        return place is not None and self._is_free(place) and self._take(item, place, item.values)

    def _named(self, item: Literal) -> bool:
        """A value of the same property, as the graph has it."""
        for mention in self.mentions:
            meaning = self._meaning(mention, item)
            if meaning and self._is_free((mention.start, mention.end)):
                return self._take(item, (mention.start, mention.end), meaning.values)
        return False

    def _meaning(self, mention: Mention, item: Literal) -> Meaning | None:
        """What a mention names of the property of a literal; entities of plain triples are of one kind."""
        if not isinstance(item.value, str) or item.open:
            return None
        owners = self.kinds.intersection(item.owners)
        for meaning in mention.meanings:
            if meaning.key is None or meaning.kind != "value" or not isinstance(meaning.values[0], str):
                continue
            if (not owners or meaning.owner in owners) and meaning.key.key == item.key:
                return meaning
        return None

    def _number(self, item: Literal) -> bool:
        """A number in the place of a number, a date in that of a date."""
        if len(item.values) > 1:
            return False
        for place, text in self.numbers.items():
            value = _as(text, item.value)
            if value is not None and self._is_free(place):
                return self._take(item, place, (value,))
        return False

    def _beside(self, item: Literal) -> bool:
        """The words between the same words, where the value may be any text."""
        if not item.open:
            return False
        start, end = self.places[item]
        match = SequenceMatcher(a=self.known.plain, b=self.asked.plain, autojunk=False)
        for tag, one, two, first, last in match.get_opcodes():
            if tag == "replace" and one == start and two == end and self._is_free((first, last)):
                words = self.asked.words[first:last]
                return self._take(item, (first, last), (self.asked.text[words[0].start : words[-1].end],))
        return False

    def done(self) -> Refilled:
        """The query graph with the values in their places."""
        known, asked = _cut(self.known, self.places), _cut(self.asked, self.taken)
        values = [(item.start, item.end) for item in self.mentions]
        left = {place for place in (*values, *self.numbers, *_quoted(self.asked)) if self._is_left(place)}
        return Refilled(_with(self.graph, self.values), known, asked, len(left))

    def _is_left(self, place: Place) -> bool:
        """Whether the words at a place have none in the query graph, and are none of the known question's."""
        words = self.asked.plain[place[0] : place[1]]
        return self._is_free(place) and _spelt(self.known.plain, words) is None


def _named(mention: Mention) -> bool:
    return any(meaning.kind == "value" and meaning.key is not None for meaning in mention.meanings)


def _are_of(item: Literal, other: Literal) -> bool:
    """Whether the values of a literal are among those of another one, which has more."""
    same = (item.owners, item.key) == (other.owners, other.key)
    return same and len(other.values) > 1 and {*item.values} <= {*other.values}


def _place(heard: Heard, item: Literal) -> Place | None:
    """Where a question names a literal: in words that mean it, or letter by letter."""
    if isinstance(item.value, str):
        for mention in heard.mentions:
            if any(_is_of(meaning, item) and {*item.values} == {*meaning.values} for meaning in mention.meanings):
                return mention.start, mention.end
    if len(item.values) > 1:
        return None
    if not isinstance(item.value, str):
        return next((place for place, text in _numbers(heard.plain) if number_of(text) == item.value), None)
    words = [word.plain for word in words_of(item.value)]
    spelt = _spelt(heard.plain, words)
    return spelt or next((place for place, text in _numbers(heard.plain) if text == item.value), None)


def _spelt(plain: Sequence[str], words: Sequence[str]) -> Place | None:
    """Where words stand one behind the other."""
    starts = range(len(plain) - len(words) + 1 if words else 0)
    return next(((at, at + len(words)) for at in starts if plain[at : at + len(words)] == words), None)


def _is_of(meaning: Meaning, item: Literal) -> bool:
    return meaning.kind == "value" and (not item.owners or meaning.owner in item.owners or not item.key)


def _numbers(plain: Sequence[str]) -> Iterator[tuple[Place, str]]:
    """The numbers and dates of a question, with their places."""
    end = 0
    for index, word in enumerate(plain):
        found = number_at(plain, index) if index >= end and word not in ARTICLES | {"year"} else None
        if found is not None:
            text, end = found
            yield (index, end), text


def _quoted(heard: Heard) -> Iterator[Place]:
    """The places of what a question has in quotation marks."""
    for match in QUOTED.finditer(heard.text):
        inside = [index for index, word in enumerate(heard.words) if match.start() <= word.start < match.end()]
        if inside:
            yield inside[0], inside[-1] + 1


def _as(text: str, like: Scalar) -> Scalar | None:
    """A number or date as the literal that it takes the place of is given; None where that is of another kind."""
    if isinstance(like, str):
        return text if like[:4].isdecimal() and len(like) == len(text) else None
    return number_of(text)


def _cut(heard: Heard, places: Mapping[Literal, Place]) -> tuple[str, ...]:
    """The words of a question with the kinds of its values in their places."""
    starts = {start: item for item, (start, _) in places.items()}
    inside = {index for start, end in places.values() for index in range(start, end)}
    words: list[str] = []
    for index, word in enumerate(heard.plain):
        if index in starts:
            words += _kind(starts[index])
        elif index not in inside:
            words.append(word)
    return tuple(words)


def _kind(item: Literal) -> Sequence[str]:
    if not isinstance(item.value, str):
        return ("0",)
    return name_words(item.owners[0]) if item.owners else (BLANK,)


def _with(graph: QueryGraph, values: Mapping[Literal, tuple[Scalar, ...]]) -> QueryGraph:
    """A query graph with other values for its literals."""

    def condition(item: Condition) -> Condition:
        right = item.right
        for literal in _of_condition(graph, item):
            new = values.get(literal)
            if new is not None and isinstance(right, tuple):
                kept = [[value] if value not in literal.values else [] for value in right]
                kept[right.index(literal.value)] = [*new]
                right = tuple(value for part in kept for value in part)
        return replace(item, right=right)

    def selection(item: Selection) -> Selection:
        new = values.get(Literal((), "", (item.limit,)), (item.limit,))[0]
        return replace(item, limit=int(new)) if isinstance(new, int | float) and new >= 1 else item

    alternatives = (tuple(tuple(map(condition, option)) for option in options) for options in graph.alternatives)
    return replace(
        graph,
        conditions=tuple(map(condition, graph.conditions)),
        alternatives=tuple(alternatives),
        selections=tuple(map(selection, graph.selections)),
    )
