"""Parts: what a query graph says, each with the words of the question that may have said it.

Comes in: a question with its values, and query graphs. Goes out: for each the names of its parts (a relationship in a
direction, a property that is asked for, an order, a condition that no word names as the graph does) with how near every
word stands to where English would say it: between what was named before and what hangs behind it. Learning weighs
pairs of a part and a word; nothing here knows a word by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kgneo.english.numbers import is_number
from kgneo.english.words import FUNCTION_WORDS, PEOPLE
from kgneo.query.graph import Aggregate, Arithmetic, Condition, Edge, QueryGraph, Value
from kgneo.reading.fits import SURE, Fits
from kgneo.reading.form import form_of
from kgneo.reading.lexicon import Name
from kgneo.reading.mentions import Mention, words_of
from kgneo.reading.near import Layout

Weights = NDArray[np.float32]
BEHIND = 0.4
"""What a word counts for that stands behind what it may speak of."""
ELSEWHERE = 0.35
"""What a word counts for a part that hangs on no value of the question."""
BESIDE = 4
"""Words around a value that can tell its property."""
LEAST = 0.1
NAMED = "…"
"""Stands for a value of the question."""


@dataclass(frozen=True)
class Asked:
    """A question as learning sees it: its words without what it names, where its values stand, and how well each word
    fits the names of the graph."""

    text: str
    named: tuple[Mention, ...]
    fits: Fits

    @cached_property
    def tokens(self) -> tuple[tuple[str, float], ...]:
        """Words and pairs of neighbours, with their places."""
        inside = {index: item.start for item in self.named for index in range(item.start, item.end)}
        words: list[tuple[str, int]] = []
        for index, word in enumerate(words_of(self.text)):
            if index not in inside:
                words.append((_plain(word.plain), index))
            elif inside[index] == index:
                words.append((NAMED, index))
        single = [(word, float(place)) for word, place in words if word != NAMED]
        pairs = [(f"{one} {two}", (a + b) / 2) for (one, a), (two, b) in pairwise(words)]
        return (*single, *pairs)

    @cached_property
    def masked(self) -> str:
        """The question with its values cut out."""
        words = words_of(self.text)
        inside = {index: item.start for item in self.named for index in range(item.start, item.end)}
        kept = [NAMED if index in inside else _plain(word.plain) for index, word in enumerate(words)
                if inside.get(index, index) == index]  # fmt: skip
        return " ".join(kept)

    def piece(self, mention: Mention) -> str:
        """The words of a value."""
        words = words_of(self.text)
        return self.text[words[mention.start].start : words[mention.end - 1].end]

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Where the tokens stand."""
        return np.array([place for _, place in self.tokens])

    @cached_property
    def meanings(self) -> dict[tuple[object, ...], tuple[Mention, float]]:
        """For each value that something in the question may be, where it stands and how much better others fit."""
        found: dict[tuple[object, ...], tuple[Mention, float]] = {}
        for mention in self.named:
            best = mention.meanings[0].score
            for meaning in mention.meanings:
                if meaning.key is not None:
                    found[meaning.owner, meaning.key.key, meaning.values] = (mention, meaning.score - best)
        return found

    def fit(self, kind: Literal["label", "relation", "key"], name: str, owner: str = "") -> Weights:
        """How well each token names a label, a relationship type, or a property of `owner`."""
        if (kind, name, owner) not in self._fits:
            found = [self._fit(kind, name, owner, token) if _tells(token) else 0.0 for token, _ in self.tokens]
            self._fits[kind, name, owner] = np.array(found, dtype=np.float32)
        return self._fits[kind, name, owner]

    def _fit(self, kind: str, name: str, owner: str, word: str) -> float:
        fits = self.fits
        if kind == "label":
            return fits.label(word).get(name, 0.0)
        if kind == "key":
            return next((fit for key, fit in fits.key(word).items() if (key.owner, key.key) == (owner, name)), 0.0)
        if name not in fits.relations:
            return 0.0
        number = fits.relations.index(name)
        return 1.0 if fits.named(word, number) else float(fits.similarity(word)[number])

    @cached_property
    def _fits(self) -> dict[tuple[str, str, str], Weights]:
        return {}

    @cached_property
    def first_class(self) -> frozenset[str]:
        """The labels that the first word which names any surely names: mostly what is asked for. Where a value stands
        before that, which may be of what is asked for, or of something else, the labels that have it, too."""
        for word, place in self.tokens:
            sure = {label for label, fit in self.fits.label(word).items() if fit >= SURE} if _tells(word) else set()
            if sure:
                before = [meaning.owner for item in self.named if item.start < place for meaning in item.meanings]
                return frozenset(sure.union(before))
        return frozenset()

    @cached_property
    def counted(self) -> frozenset[str]:
        """The labels that the noun right behind "how many" surely names: what is to be counted."""
        words = words_of(self.text)
        form = form_of(words)
        inside = any(item.start <= form.at < item.end for item in self.named)
        if form.kind != "count" or form.at >= len(words) or inside:
            return frozenset()
        return frozenset(label for label, fit in self.fits.label(words[form.at].plain).items() if fit >= SURE)

    @cached_property
    def ones(self) -> Weights:
        """Every word alike."""
        return np.ones(len(self.tokens), dtype=np.float32)

    @cached_property
    def elsewhere(self) -> Weights:
        """Every word alike, and little."""
        return self.ones * np.float32(ELSEWHERE)

    @cached_property
    def starts(self) -> frozenset[int]:
        """Where the values begin."""
        return frozenset(item.start for item in self.named)

    def said_before(self, anchor: Mention | None, place: int, count: int) -> Weights:
        """How much each word counts for part number `place` of `count` that hang on the value `anchor`, or on none."""
        last = len(self.tokens)
        if anchor is None:
            return self.window(-1, last, place, count, last) if not self.named else self.elsewhere
        before = max((item.end - 1 for item in self.named if item.start < anchor.start), default=-1)
        after = min((start for start in self.starts if start > anchor.start), default=last)
        return self.window(before, anchor.start, place, count, after)

    def window(self, start: int, end: int, place: int, count: int, after: int) -> Weights:
        """How much each word counts for part number `place` of `count` that are said between `start` and `end`, or
        before `after`."""
        key = (start, end, place, count, after)
        if key not in self._windows:
            within = (self.places > start) & (self.places < end)
            share = (self.places - start) / max(end - start, 1)
            near = np.clip(1.0 - np.abs(share - (place + 0.5) / count) * count * 0.6, LEAST, 1.0)
            weights = np.where(within, near if count > 1 else 1.0, 0.0)
            behind = (self.places > end) & (self.places < after)
            self._windows[key] = np.where(behind, BEHIND, weights).astype(np.float32)
        return self._windows[key]

    @cached_property
    def _windows(self) -> dict[tuple[int, ...], Weights]:
        return {}


def _plain(word: str) -> str:
    return "0" if is_number(word) else word


Part = tuple[str, Weights | None, float]
"""A name, how much each token counts for it (None: none does), and a value."""


class Parts:
    """The parts of one query graph for a question."""

    def __init__(self, asked: Asked, layout: Layout) -> None:
        self.asked, self.graph, self.layout = asked, layout.graph, layout
        self.labels, self.depth = layout.labels, layout.depth
        self.named: dict[str, list[tuple[Mention, Condition]]] = {}
        self.fit = 0.0
        self.unnamed: list[Condition] = []
        used: set[int] = set()
        for condition in self.graph.conditions:
            found = self._mention(condition)
            if found is None:
                self.unnamed.append(condition)
            else:
                self.named.setdefault(condition.left.of, []).append((found[0], condition))  # type: ignore[union-attr]
                self.fit += found[1]
                used.add(found[0].start)
        self.unused = len(asked.starts - used)
        self.anchors: dict[str, Mention | None] = {}
        for name in self.depth:
            own = [mention for mention, _ in self.named.get(name, ())]
            self.anchors[name] = min(own, key=_start, default=None)
        for parent, child, edge in reversed(layout.order):
            own = [mention for mention, _ in self.named.get(edge.name, ())]
            self.anchors[child] = _first([self.anchors[child], *own])
            if self.depth[parent]:
                self.anchors[parent] = _first([self.anchors[parent], self.anchors[child]])

    def _mention(self, condition: Condition) -> tuple[Mention, float] | None:
        left = condition.left
        if not isinstance(left, Value) or isinstance(condition.right, Value):
            return None
        owner = self.labels.get(left.of) or next((e.relations[0] for e in self.graph.edges if e.name == left.of), "")
        return self.asked.meanings.get((owner, left.key, condition.right))

    def all(self) -> Iterator[Part]:
        """Every part."""
        yield from self._of_answer()
        yield from self._of_edges()
        yield from self._of_conditions()
        yield from self._of_shape()

    def _of_answer(self) -> Iterator[Part]:
        asked, graph = self.asked, self.graph
        chain = self._chain()
        head = asked.said_before(chain[0], 0, chain[1]) if chain else asked.ones
        root = self.labels.get(graph.root, "")
        yield f"root {root}", head, 1.0
        yield "root fit", None, _most(head, asked.fit("label", root))
        if asked.first_class:
            yield "root first", None, 1.0 if root in asked.first_class else -1.0
        if asked.counted and root not in asked.counted:
            yield "counts other", None, 1.0
        if isinstance(graph.answer, Value) and graph.answer.key:
            owner = self.labels.get(graph.answer.of, "")
            yield "answer fit", None, _most(head, asked.fit("key", graph.answer.key, owner))
        yield f"answer {self._told(graph.answer)}", head, 1.0
        yield f"gives {self._told(graph.answer)}", asked.ones, 1.0
        for selection in graph.selections:
            order = "most" if selection.descending else "least"
            yield f"first {self._told(selection.by)} {order} of {self.labels[selection.variable]}", asked.ones, 1.0
            yield f"first at {self.depth.get(selection.variable, 0)}", None, 1.0
        yield f"firsts {len(graph.selections)}", asked.ones, 1.0

    def _told(self, part: object) -> str:
        if isinstance(part, Aggregate):
            per = f" per {self._told(part.per)}" if part.per else ""
            return f"{part.function} {part.value.key}{per}"
        if isinstance(part, Arithmetic):
            return part.operator
        if not isinstance(part, Value) or not part.key:
            return "thing"
        return f"{self.labels.get(part.of, '')}.{part.key}"

    def _chain(self) -> tuple[Mention | None, int] | None:
        """What the thing that is asked for is said before, together with how many parts: the first value, and the
        relationships on the way to it."""
        anchors = [self.anchors[child] for _, child, _ in self.layout.order]
        own = [item for item, _ in self.named.get(self.graph.root, ())]
        first = _first([*own, *anchors])
        if first is None and self.asked.named:
            return None
        return first, 1 + sum(there is first for there in anchors)

    def _of_edges(self) -> Iterator[Part]:
        asked, order = self.asked, self.layout.order
        names = {child: self._name(edge, parent) for parent, child, edge in order}
        anchors = [self.anchors[child] for _, child, _ in order]
        chain = self._chain()
        for number, (parent, child, edge) in enumerate(order):
            anchor, name = anchors[number], names[child]
            same = [other for other, there in enumerate(anchors) if there is anchor]
            led = int(chain is not None and anchor is chain[0])
            window = asked.said_before(anchor, same.index(number) + led, len(same) + led)
            yield f"edge {name}", window, 1.0
            yield f"to {self.labels[child]}", window, 1.0
            yield "edge fit", None, max(_most(window, asked.fit("relation", item)) for item in edge.relations)
            yield "to fit", None, _most(window, asked.fit("label", self.labels[child]))
            if names.get(parent) == name:
                yield "again", None, 1.0
            if anchor is not None:
                yield self._distance(parent, anchor)

    def _distance(self, parent: str, anchor: Mention) -> Part:
        """How many values stand between the one that a branch hangs on and its own."""
        before = max((item.start for item, _ in self.named.get(parent, ()) if item.start < anchor.start), default=-1)
        between = sum(before < start < anchor.start for start in self.asked.starts)
        return f"hangs {'on' if before >= 0 else 'free'} {min(between, 3)}", None, 1.0

    def _name(self, edge: Edge, parent: str) -> str:
        way = "-" if not edge.directed else ">" if edge.subject == parent else "<"
        return f"{'|'.join(edge.relations)}{way}{'!' if edge.absent else ''}"

    def _of_conditions(self) -> Iterator[Part]:
        for name, named in self.named.items():
            for mention, condition in named:
                window = self.asked.window(mention.start - BESIDE, mention.start, 0, 1, mention.end + 2)
                yield f"if {self.labels.get(name, '')}.{condition.left.key}", window, 1.0  # type: ignore[union-attr]
        for condition in self.unnamed:
            left = condition.left
            told = f"{self.labels.get(left.of, '')}.{left.key}" if isinstance(left, Value) else self._told(left)
            if condition.operator == "=" and not isinstance(condition.right, Value):
                yield f"is {told} {condition.right}", self.asked.ones, 1.0
                yield "is unnamed", None, 1.0
            else:
                yield f"test {told} {condition.operator}", self.asked.ones, 1.0

    def _of_shape(self) -> Iterator[Part]:
        yield f"edges {len(self.graph.edges)}", None, 1.0
        yield "unused", None, float(self.unused)
        yield "fit", None, self.fit
        for label, count in Counter(self.labels.values()).items():
            yield f"label {label} {count}", self.asked.ones, 1.0
        parents = {parent for parent, _, _ in self.layout.order}
        ends = [self.labels[child] for _, child, _ in self.layout.order if child not in parents | self.named.keys()]
        for label in ends:
            yield f"open {label}", self.asked.ones, 1.0
        yield f"ends {min(len(ends), 3)}", None, 1.0
        yield "loose", None, float(len(self.labels) - len(self.depth))


def names_in(graph: QueryGraph) -> frozenset[Name]:
    """The names that a query graph says."""
    labels = Layout(graph).labels
    found: set[Name] = {("relation", relation) for edge in graph.edges for relation in edge.relations}
    found |= {("label", label) for label in labels.values() if label}
    owners = labels | {edge.name: edge.relations[0] for edge in graph.edges if edge.name}
    found |= {("key", f"{owners.get(value.of, '')}.{value.key}") for value in graph.values() if value.key}
    return frozenset(found)


def _tells(token: str) -> bool:
    """Whether a token is one word, and more than a word of form."""
    return " " not in token and (token not in FUNCTION_WORDS or token in PEOPLE)


def _most(window: Weights, fit: Weights) -> float:
    return float((window * fit).max(initial=0.0))


def _start(item: Mention) -> int:
    return item.start


def _first(items: Sequence[Mention | None]) -> Mention | None:
    return min((item for item in items if item is not None), key=_start, default=None)


def parts_of(asked: Asked, layout: Layout) -> Sequence[Part]:
    """The parts of a query graph, with the words that may have said them."""
    return tuple(Parts(asked, layout).all())
