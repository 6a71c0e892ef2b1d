"""Bare: relationships that a question names without naming what they lead to: "players who never SCORED".

Comes in: what was heard of a question, and a tree of its mentions. Goes out: the tree with a relationship to something
nameless for each word that no part of it speaks of and that names a relationship of one of its things.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import is_doer, is_past, name_words, names_role, same_root
from kgneo.english.voice import is_had
from kgneo.english.words import (
    ARTICLES,
    AUXILIARIES,
    GIVING,
    INDEFINITE,
    JOINING,
    NOBODY,
    PREPOSITIONS,
    PRONOUNS,
    RECEIVING,
    RELATIVES,
    UNNAMED,
)
from kgneo.reading.conditions import TIMELY
from kgneo.reading.grow import COSTS, Join, Thing, Tree
from kgneo.reading.heard import NAMED, REACH, Heard
from kgneo.reading.vocabulary import MEASURED, Step

LIKE = 0.4
"""Fit, and similarity, from which a word that is denied is like a relationship type."""
VOICE = 0.3
"""What it costs that the voice of a verb speaks for the other direction."""
LIGHT = PREPOSITIONS | ARTICLES | UNNAMED | AUXILIARIES | JOINING | RELATIVES | PRONOUNS
HELPING = frozenset(("have", "has", "had", "do", "does", "did"))
"""Auxiliaries behind which a verb is said of who does it."""


@dataclass(frozen=True)
class Bare:
    """The relationships that one question names alone."""

    heard: Heard

    def joined(self, tree: Tree) -> Tree:
        """The tree with all of them."""
        labels = {thing.label for thing in tree.things}
        names = [*self.heard.lacked, *self.heard.whole_keys]
        lacked = {index for start, end, key in names if key.owner in labels for index in range(start, end)}
        last = len(self.heard.plain) - 1
        had = (last,) if self.heard.plain[-1:] == ["had"] and self.heard.denies(last) else ()  # "has nobody ever HAD"
        for index in (*self.heard.telling, *had):
            if index in tree.used | self.heard.form.used | lacked or self.heard.mention_at(index) >= 0:
                continue
            if self._is_property(index, labels) or self._has_object(index) or self._is_of_company(index):
                continue
            found = self._best(tree, index)
            if found is not None:
                tree = self._with(tree, index, *found)
        return tree

    def _is_property(self, index: int, labels: Collection[str]) -> bool:
        """Whether a word surely names a property of one of the things: "former PLAYERS"."""
        return any(
            meaning.owner in labels and meaning.score >= NAMED
            for item in self.heard.key_mentions if item.start == index for meaning in item.meanings
        )  # fmt: skip

    def _has_object(self, index: int) -> bool:
        """Whether a word behind says what a relationship leads to, though it names nothing that the graph knows."""
        known = {item.start for item in self.heard.key_mentions if item.meanings[0].score >= NAMED}
        known |= self.heard.supposing | self.heard.form.used
        for place in range(index + 1, len(self.heard.words)):
            if self.heard.plain[place] in JOINING | RELATIVES or self.heard.mention_at(place) >= 0:
                return False
            if (
                place in self.heard.telling
                and place not in known
                and not self.heard.fits.names_any(self.heard.plain[place])
            ):
                return not self._is_modifier(index)
        return False

    def _is_modifier(self, index: int) -> bool:
        """Whether a word only tells of which kind the noun right behind it is, which nothing follows: "any STREAMING
        service"."""
        return self.heard.plain[index].endswith("ing") and max(self.heard.telling) == index + 1

    def _is_of_company(self, index: int) -> bool:
        """Whether a participle is said of what something is with: "a match WITH Ann INVOLVED"."""
        number = self.heard.mention_at(index - 1)
        if number < 0 or not is_past(self.heard.plain[index]):
            return False
        before = range(self.heard.mentions[number].start - 1, -1, -1)
        first = next((self.heard.plain[place] for place in before if self.heard.plain[place] not in ARTICLES), "")
        return first == "with"

    def _best(self, tree: Tree, index: int) -> tuple[int, Step, float] | None:
        """The thing that a word's relationship hangs on, the step from it, and how well the word names that."""
        known = {join.relation for join in tree.joins}
        for place in self._holders(tree, index):
            steps = [step for step in self.heard.fits.vocabulary.leaving.get(tree.things[place].label, ())
                     if step.relation not in known]  # fmt: skip
            rated = [(self._fit(index, step, tree.things[place].label), number) for number, step in enumerate(steps)]
            fit, number = max(rated, default=(0.0, 0), key=lambda pair: (pair[0], -pair[1]))
            if fit:
                return place, self._turned(index, steps[number], steps), fit
        return None

    def _fit(self, index: int, step: Step, label: str) -> float:
        """How well a word names a step from a node of a label: by its root, or, where something is denied, by what it
        is like."""
        word = self.heard.plain[index]
        number = self.heard.fits.relations.index(step.relation)
        if self._is_truth(index, step.relation):
            return 1.0
        if not self.heard.denies(index) and not self._stands_alone(index, step.relation):
            return 0.0
        if self.heard.fits.says(word, label, step.relation):
            return 1.0
        like = min(float(self.heard.fits.of(word)[1][number]), float(self.heard.fits.similarity(word)[number]))
        other = max((item.meanings[0].score for item in self.heard.key_mentions if item.start == index), default=0.0)
        return like if like >= max(LIKE, other) and self.heard.denies(index) else 0.0

    def _stands_alone(self, index: int, relation: str) -> bool:
        """Whether a word is a verb without an object, or a noun behind "a": "players who scored", "had a transfer"."""
        article = next((place for place in range(index - 1, max(index - 3, -1), -1)
                        if self.heard.plain[place] in INDEFINITE), -1)  # fmt: skip
        behind = range(index + 1, min(index + REACH, len(self.heard.words)))
        alone = all(self.heard.mention_at(place) < 0 and self._is_light(place) for place in behind)
        anybody = bool(set(self.heard.plain[index + 1 : index + 3]) & UNNAMED)
        bounds = [bound for bound in self.heard.form.comparisons if index in (bound.start - 1, bound.end)]
        counted = any(self.heard.plain[bound.start] not in TIMELY for bound in bounds)
        if (
            bounds
            and not counted
            and all(key.kind not in MEASURED for key in self.heard.fits.vocabulary.keys_of(relation))
        ):
            return False  # "published after 2010" says when that was, and not by whom
        often = self.heard.form.word == "how often"
        return alone and (article >= 0 or anybody or bool(bounds) or often or is_past(self.heard.plain[index]))

    def _is_light(self, index: int) -> bool:
        """Whether a word can stand behind a verb without an object, and is no name there: "who produced SO"."""
        return index in {*self.heard.telling, *self.heard.form.used} or self.heard.plain[index] in LIGHT

    def _is_truth(self, index: int, relation: str) -> bool:
        """Whether a word surely names a property of a relationship that is true or false: "captain"."""
        return any(
            meaning.owner == relation and meaning.key is not None and meaning.key.kind == "truth"
            and meaning.score >= NAMED
            for item in self.heard.key_mentions if item.start == index for meaning in item.meanings
        )  # fmt: skip

    def _holders(self, tree: Tree, index: int) -> Iterator[int]:
        """The things that a word may speak of, the likeliest first: what was named last, where a clause about it
        begins before the word, else what is asked for."""
        before = [(thing.last, place) for place, thing in enumerate(tree.things) if thing.last >= 0]
        before = [(last, place) for last, place in before if self.heard.mentions[last].end <= index]
        nearest = max(before, default=None)
        if nearest is not None:
            between = self.heard.plain[self.heard.mentions[nearest[0]].end : index]
            if set(between) & (RELATIVES | {"without", "with"}):
                yield nearest[1]
        yield from range(len(tree.things))

    def _turned(self, index: int, step: Step, steps: Sequence[Step]) -> Step:
        """The step in the direction that the words say, where it can lead either way."""
        either = replace(step, forward=not step.forward) in steps
        return replace(step, forward=self._is_forward(index, step.relation)) if either else step

    def _is_forward(self, index: int, relation: str) -> bool:
        """Whether what a word is said of is the one who does it: "who supervises nobody", but "without a supervisor",
        "whom nobody supervises", "who was never supervised", "that received no transfer"."""
        word, clause = self.heard.plain[index], self.heard.plain[max(index - 4, 0) : index]
        name = name_words(self.heard.fits.vocabulary.readable(relation))
        if names_role(word, name):
            return not is_had(self.heard.plain, index)
        passive = is_past(word) and (
            any(other in AUXILIARIES - HELPING for other in clause) or self.heard.plain[index + 1 : index + 2] == ["by"]
        )
        done = passive or any(other in RECEIVING | NOBODY for other in clause)
        done = done or any(is_doer(word, own) for own in name)
        done = done or (_is_agent(word) and not any(same_root(word, own) for own in name))
        return done == (name[-1] == "by")

    def _passive(self, tree: Tree, index: int, place: int, step: Step) -> float:
        """What it costs that who is asked for stands at the other end than the words say."""
        named = tree.things[place].named
        asked = named >= 0 and self.heard.plain[self.heard.mentions[named].start] == "who"
        return VOICE if asked and step.forward != self._is_forward(index, step.relation) else 0.0

    def _with(self, tree: Tree, index: int, place: int, step: Step, fit: float) -> Tree:
        leaving = self.heard.fits.vocabulary.leaving[tree.things[place].label]
        ends = {other.label for other in leaving if (other.relation, other.forward) == (step.relation, step.forward)}
        said = {index} if fit == 1.0 and not self._is_truth(index, step.relation) else set()
        thing = Thing(step.label, -1, False, loose=len(ends) > 1, said=index)
        either = self.heard.fits.vocabulary.holds_both_ways(tree.things[place].label, step)
        join = Join(
            place, step.relation, step.forward, len(tree.things), directed=not either, absent=self.heard.denies(index)
        )
        return replace(
            tree,
            things=(*tree.things, thing),
            joins=(*tree.joins, join),
            score=tree.score + COSTS.named * fit - COSTS.edge - self._passive(tree, index, place, step),
            used=tree.used | self._light(index) | said,
        )

    def _light(self, index: int) -> set[int]:
        """The verbs before a noun that only say in which direction its relationship goes: "SENT a transfer"."""
        return {place for place in range(max(index - 5, 0), index) if self.heard.plain[place] in GIVING | RECEIVING}


def _is_agent(word: str) -> bool:
    """Whether a word is, by its ending, a noun for who does something."""
    return word.removesuffix("s").endswith(("er", "or"))
