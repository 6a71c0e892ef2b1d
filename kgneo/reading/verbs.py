"""Verbs: further relationships that a question names between two things that it joins already.

Comes in: what was heard of a question, and a tree. Goes out: the tree in which what is asked for stands to the same
thing in a second relationship ("firms that MAINTAIN a plant that they BUILT"), and in which two verbs side by side
both count, or either ("who WROTE and DIRECTED it", "who OWNS or OPERATES it").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from kgneo.english.words import FUNCTION_WORDS, RETURNING
from kgneo.reading.grow import Join, Tree
from kgneo.reading.heard import Heard
from kgneo.reading.vocabulary import Step


@dataclass(frozen=True)
class Verbs:
    """The further verbs of one question."""

    heard: Heard

    def joined(self, tree: Tree) -> Tree:
        """The tree with the relationships that they name."""
        return self._side_by_side(self._returning(tree))

    def _returning(self, tree: Tree) -> Tree:
        """The tree in which what is asked for also stands to the same thing in the relationship that a word behind
        "they" names, or does not, "that they have NOT built"."""
        plain = self.heard.plain
        back = next((index for index, word in enumerate(plain) if word in RETURNING), len(plain))
        words = [index for index in self._left(tree) if index > back]
        for join in tree.joins:
            if 0 not in (join.source, join.target):
                continue
            for step in self._steps(tree, 0, join.target + join.source):
                named = [index for index in words if step.relation in self._relations(index)]
                if named:
                    denied = self.heard.denial(named[0])
                    more = Join(0, step.relation, step.forward, join.target + join.source, absent=denied >= 0)
                    used = tree.used.union(named, {denied} - {-1})
                    return replace(tree, joins=(*tree.joins, more), used=used)
        return tree

    @cached_property
    def beside(self) -> Mapping[int, tuple[int, str]]:
        """For each second one of two verbs side by side that can join the same two things: the first, and "and" or
        "or"."""
        found = {}
        for first, second in combinations([index for index in self.heard.telling if self._relations(index)], 2):
            between = self.heard.plain[first + 1 : second]
            links = [word for word in between if word in ("and", "or")]
            if len(links) == 1 and set(between) <= FUNCTION_WORDS and self._can_be_both(first, second):
                found[second] = (first, links[0])
        return found

    def _side_by_side(self, tree: Tree) -> Tree:
        """The tree in which of two verbs with "and" or "or" between them the second one counts, too."""
        for second, (first, link) in self.beside.items():
            for place, join in enumerate(tree.joins):
                steps = self._steps(tree, join.source, join.target)
                steps = (step for step in steps if step.relation in self._relations(second))
                step = min(steps, key=lambda step: step.forward != join.forward, default=None)
                if step and join.relation in self._relations(first) and not (join.absent or join.values):
                    return self._with(tree, place, step, either=link == "or", word=second)
        return tree

    def _can_be_both(self, first: int, second: int) -> bool:
        """Whether two words name different relationships between the same two labels."""
        ends = [
            {(link.relation, frozenset((link.subject, link.object)))
             for link in self.heard.fits.vocabulary.links if link.relation in self._relations(index)}
            for index in (first, second)
        ]  # fmt: skip
        return any(one[1] == other[1] and one[0] != other[0] for one in ends[0] for other in ends[1])

    def _relations(self, index: int) -> frozenset[str]:
        """The relationships that a word names."""
        fits = self.heard.fits
        if self.heard.mention_at(index) >= 0:
            return frozenset()
        word = self.heard.plain[index]
        return frozenset(name for number, name in enumerate(fits.relations) if fits.named(word, number))

    def _with(self, tree: Tree, place: int, step: Step, *, either: bool, word: int) -> Tree:
        joins, join = list(tree.joins), tree.joins[place]
        if either:
            directed = join.directed and step.forward == join.forward
            joins[place] = replace(join, others=(step.relation,), directed=directed)
        else:
            joins.append(replace(join, relation=step.relation, forward=step.forward))
        return replace(tree, joins=tuple(joins), used=tree.used | {word})

    def _left(self, tree: Tree) -> list[int]:
        """The words that carry a meaning of their own, and that nothing of a tree speaks of."""
        return [index for index in self.heard.telling
                if index not in tree.used | self.heard.form.used and self.heard.mention_at(index) < 0]  # fmt: skip

    def _steps(self, tree: Tree, source: int, target: int) -> Iterator[Step]:
        """Other relationships from one thing to another than a tree has."""
        known = {join.relation for join in tree.joins}
        leaving = self.heard.fits.vocabulary.leaving.get(tree.things[source].label, ())
        return (step for step in leaving if step.label == tree.things[target].label and step.relation not in known)
