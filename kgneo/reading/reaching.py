"""Reaching: what a superlative or a comparison measures, where only something else has it: "the film with the highest
RATING" of a graph in which reviews have ratings.

Comes in: what was heard of a question, and a tree. Goes out: the tree with what has the number that is named, joined by
the shortest way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from kgneo.reading.grow import Join, Thing, Tree
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.vocabulary import MEASURED, Key, Way

BEHIND, BEFORE = 5, 5
"""Words from a superlative, or to a comparison, to the noun for what is measured, at most."""
LONGEST = 2
"""Relationships on the way to what has it, at most."""
COST = 0.2
"""What it costs for each of them."""


@dataclass(frozen=True)
class Reaching:
    """What one question measures."""

    heard: Heard

    def joined(self, tree: Tree) -> Tree:
        """The tree with all that has what is measured."""
        for keys in (*self._measured, *self._flags):
            owners = set(tree.owners.values())
            if keys and not any(key.owner in owners for key in keys):
                tree = next(self._reached(tree, keys), tree)
        return tree

    @cached_property
    def _measured(self) -> tuple[tuple[Key, ...], ...]:
        """The numbers and dates that words at each superlative and comparison surely name."""
        plain = self.heard.plain
        windows = [range(item.at + 1, min(item.at + 1 + BEHIND, len(plain))) for item in self.heard.form.extremes]
        windows += [
            range(max(item.start - BEFORE, 0), min(item.end + 1, len(plain)))
            for item in self.heard.form.comparisons
            if self.heard.mention_at(item.end) < 0
        ]
        return tuple(self._named(window) for window in windows)

    @cached_property
    def _flags(self) -> tuple[tuple[Key, ...], ...]:
        """What is true or false of relationships by the words that name it best: "the ACTIVE members"."""
        best = [
            max(item.meanings, key=lambda meaning: meaning.score)
            for item in self.heard.key_mentions
            if self.heard.mention_at(item.start) < 0
        ]
        return tuple((item.key,) for item in best if item.key and item.key.of_edge and item.key.kind == "truth")

    def _named(self, window: range) -> tuple[Key, ...]:
        whole = [(end - start, key) for start, end, key in self.heard.whole_keys if start in window]
        longest = max((length for length, _ in whole), default=0)
        found = [key for length, key in whole if length == longest]
        single = [
            (meaning.score, meaning.key)
            for item in self.heard.key_mentions
            if item.start in window and not self.heard.is_label(item.start)
            for meaning in item.meanings
            if meaning.key and meaning.score >= NAMED
        ]
        best = max((score for score, _ in single), default=0.0)
        found = found or [key for score, key in single if score == best]
        return tuple(key for key in dict.fromkeys(found) if key.kind in MEASURED)

    def _reached(self, tree: Tree, keys: Iterable[Key]) -> Iterator[Tree]:
        """The tree with one of these joined to it, by the shortest way from what is named first."""
        ways = [
            (len(way), place, way)
            for key in keys
            for place, thing in enumerate(tree.things)
            for way in self._ways(thing.label, key)
            if len(way) <= LONGEST
        ]
        shortest = min((length for length, _, _ in ways), default=0)
        rivals = [way for length, _, way in ways if length == shortest]
        for _, place, way in sorted(ways, key=lambda item: item[:2]):
            yield _with_way(tree, place, way, unsaid=len(rivals) > 1)

    def _ways(self, label: str, key: Key) -> Iterator[Way]:
        vocabulary = self.heard.fits.vocabulary
        if key.of_edge:
            yield from ((step,) for step in vocabulary.leaving.get(label, ()) if step.relation == key.owner)
        else:
            yield from vocabulary.ways(label, key.owner)


def _with_way(tree: Tree, place: int, way: Way, *, unsaid: bool) -> Tree:
    things, joins, at = list(tree.things), list(tree.joins), place
    for step in way:
        things.append(Thing(step.label, -1, False))
        joins.append(Join(at, step.relation, step.forward, len(things) - 1))
        at = len(things) - 1
    score = tree.score - COST * len(way)
    return replace(tree, things=tuple(things), joins=tuple(joins), score=score, unsaid=tree.unsaid + unsaid)
