"""Spans: how long it is from one date to another, where a question asks for that.

Comes in: what was heard of a question, and a tree. Goes out: the tree with a relationship that has one of the dates,
where only that has it ("how many days after its due date was it SIGNED OFF"), and the calculation over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.words import FUNCTION_WORDS
from kgneo.query.graph import Arithmetic, Value
from kgneo.reading.grow import Join, Thing, Tree
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import SURE
from kgneo.reading.vocabulary import Key, Step

LIKE_DATE = 0.35
"""Fit of a word to a date from which it can speak of it."""
FURTHER = 0.1
"""What it costs that a date is one of a relationship that nothing else speaks of."""


@dataclass(frozen=True)
class Spans:
    """The span that one question asks for, if it does."""

    heard: Heard

    def joined(self, tree: Tree) -> Tree:
        """The tree with a relationship of its first thing for each date that the words speak of and that has none."""
        span = self.heard.form.span
        for words in (span.left, span.right) if span else ():
            said = self._said(words)
            known = max((score for score, _ in self._dates(tree, said)), default=0.0)
            steps = [
                (self._fit(key, said) - FURTHER, step)
                for step in self.heard.fits.vocabulary.leaving.get(tree.things[0].label, ())
                for key in self.heard.fits.vocabulary.keys_of(step.relation)
                if key.kind == "date"
            ]
            best = max(steps, key=lambda item: item[0], default=None)
            if best is not None and best[0] > max(known, LIKE_DATE):
                tree = _with_step(tree, best[1])
        return tree

    def asked(self, tree: Tree) -> tuple[Arithmetic, float] | None:
        """The calculation with how surely words speak of both dates, 0 to 1; None where the tree has not two."""
        span = self.heard.form.span
        if span is None:
            return None
        pairs = [
            (min(one, two), one + two, left, right)
            for one, left in self._dates(tree, self._said(span.left))
            for two, right in self._dates(tree, self._said(span.right))
            if left != right
        ]
        best = max(pairs, key=lambda pair: pair[1], default=None)
        if best is None:
            return None
        least, both, left, right = best
        sure = both - least if self._are_all(tree, left, right) else least  # nothing else can be the other end
        return (Arithmetic(span.unit, left, right), sure) if sure >= LIKE_DATE else None

    def _are_all(self, tree: Tree, left: Value, right: Value) -> bool:
        """Whether two dates are all that their owner has."""
        dates = [key for key in self.heard.fits.vocabulary.keys_of(tree.owners[left.of]) if key.kind == "date"]
        return left.of == right.of and len(dates) == 2

    def _said(self, words: range) -> list[str]:
        """The words that can speak of a date: neither those of names nor those that only join."""
        named = self.heard.taken
        return [self.heard.plain[index] for index in words
                if index not in named and self.heard.plain[index] not in FUNCTION_WORDS]  # fmt: skip

    def _dates(self, tree: Tree, said: Sequence[str]) -> Iterator[tuple[float, Value]]:
        for name, owner in tree.owners.items():
            for key in self.heard.fits.vocabulary.keys_of(owner):
                if key.kind == "date":
                    yield self._fit(key, said), Value(name, key.key, key.form)

    def _fit(self, key: Key, said: Sequence[str]) -> float:
        """How well words name a date, or the relationship whose only date it is."""
        fits = self.heard.fits
        found = max((fits.key(word)[key] for word in said), default=0.0)
        if not key.of_edge or sum(other.kind == "date" for other in fits.vocabulary.keys_of(key.owner)) > 1:
            return found
        relation = fits.relations.index(key.owner)
        return max(found, SURE * any(fits.named(word, relation) for word in said))


def _with_step(tree: Tree, step: Step) -> Tree:
    join = Join(0, step.relation, step.forward, len(tree.things))
    return replace(tree, things=(*tree.things, Thing(step.label, -1, False)), joins=(*tree.joins, join))
