"""Measures: what a superlative orders by, where the question says it.

Comes in: what was heard of a question, a superlative and a tree. Goes out: a selection by the property that stands
behind "by" ("top 3 parts BY WEIGHT"), by a property of the relationship that a noun names ("the strongest TIE"), or by
how many relationships there are, where what is counted is no class ("who SCORED the most goals").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import is_past, name_words, same_root, singular
from kgneo.english.words import AMOUNTS, ARTICLES, COMMON, FREQUENTLY, FUNCTION_WORDS, MEASURES, PLACES
from kgneo.query.graph import Aggregate, Function, Selection, Value
from kgneo.reading.form import Extreme
from kgneo.reading.grow import Join, Thing, Tree
from kgneo.reading.heard import Heard
from kgneo.reading.vocabulary import MEASURED, Key, Step

LIKE_MEASURE = 0.25
"""Fit of words to a property from which they can say what is measured."""
COUNTING = ("most", "fewest", "least")
AVERAGING: dict[str, Function] = {"average": "average", "mean": "average", "total": "sum"}
AGE = ("oldest", "eldest", "youngest", "older", "younger")


@dataclass(frozen=True, slots=True)
class Stated:
    """The words behind "by" that say what is measured; `counted`: how many there are of what they name."""

    words: tuple[int, ...]
    counted: bool


@dataclass(frozen=True)
class Measures:
    """What the superlatives of one question measure."""

    heard: Heard

    def stated(self, extreme: Extreme) -> Stated | None:
        """What stands behind "by" after a superlative, where it is no name and nothing that does something."""
        plain = self.heard.plain
        for by in range(extreme.at + 1, len(plain) - 1):
            if plain[by] != "by":
                continue
            at = by + 1
            while at < len(plain) and (plain[at] in ARTICLES or at in self.heard.form.used):
                at += 1
            words = tuple(self._noun(at))
            counted = any(plain[index] in AMOUNTS for index in range(by + 1, at))
            named = any(self.heard.mention_at(index) >= 0 for index in words)
            if words and (counted or not named or plain[extreme.at] == "top"):
                return Stated(words, counted or named)
        return None

    def _noun(self, at: int) -> Iterator[int]:
        for index in range(at, len(self.heard.plain)):
            if self.heard.plain[index] in FUNCTION_WORDS:
                return
            yield index

    def _is_value(self, index: int) -> bool:
        there = self.heard.mention_at(index)
        return there >= 0 and self.heard.mentions[there].meanings[0].kind == "value"

    def by_stated(self, stated: Stated, extreme: Extreme, tree: Tree) -> Selection | None:
        """The selection by what a question says that it orders by; None where the tree has nothing like it."""
        there = self.heard.mention_at(stated.words[0])
        place = tree.thing_of(there) if there >= 0 and stated.counted else None
        if place:
            return _selected(extreme, "x0", Aggregate("count", Value(f"x{place}")), extreme.descending)
        found = [(self._fit(key, stated.words) - 0.05 * abs(number), number, key) for number, key in _keys(self, tree)]
        best = max(found, key=lambda item: item[0], default=None)
        if best is None or best[0] < LIKE_MEASURE:
            return None
        _, number, key = best
        descending = extreme.descending != (
            key.kind == "date" and self.heard.plain[extreme.at] in ("longest", "shortest")
        )
        owner = f"x{number}" if number >= 0 else f"r{-1 - number}"
        return _selected(extreme, f"x{max(number, 0)}", Value(owner, key.key, key.form), descending)

    def _fit(self, key: Key, words: Sequence[int]) -> float:
        """How well words name a property, on average, the last of them twice ("floor AREA" is an area); more where they
        are all of its name."""
        whole = any(other == key and start in words for start, _, other in self.heard.whole_keys)
        fits = [self.heard.fits.key(self.heard.plain[index])[key] for index in (*words, words[-1])]
        return sum(fits) / len(fits) + 0.5 * whole

    def of_relation(self, extreme: Extreme, tree: Tree) -> int:
        """The join whose relationship the noun behind a superlative names: "the strongest ASSOCIATION with"; -1 where
        it names none, or something else."""
        plain = self.heard.plain
        behind = [index for index in range(extreme.at + 1, min(extreme.at + 4, len(plain)))
                  if plain[index] not in FUNCTION_WORDS and not plain[index].endswith("ly")]  # fmt: skip
        if not behind or self.heard.is_label(behind[0]) or self.heard.is_key(behind[0]) or self._is_value(behind[0]):
            return -1
        relations = self.heard.fits.relations
        return next(
            (number for number, join in enumerate(tree.joins)
             if join.relation in relations
             and self.heard.fits.named(plain[behind[0]], relations.index(join.relation))),
            -1,
        )  # fmt: skip

    def first_groups(self, tree: Tree) -> tuple[Extreme, Aggregate] | None:
        """The superlative that says which values most nodes have, with what it asks for: "which COUNTRY has the most
        customers", "the most common colour of lamps"."""
        key = tree.asked
        if key is None or key.of_edge or key.unique or self.heard.form.kind != "things":
            return None
        for extreme in self.heard.form.extremes:
            at = self._counted(extreme)
            averaged = self._by_function(extreme, key, tree)
            if averaged is not None:
                return extreme, averaged
            if self.heard.plain[extreme.at] not in COUNTING or extreme.offset or self._is_of_one(extreme, tree):
                continue
            place = 0 if self._is_of_root(at, tree) else tree.thing_of(self.heard.mention_at(at))
            if place is None and self.heard.plain[at : at + 1] and self.heard.plain[at] in COMMON:
                place = 0
            if place is not None and (key.kind not in MEASURED or not place):
                top = extreme.limit if extreme.descending else -extreme.limit
                return extreme, Aggregate("count", Value(f"x{place}"), Value("x0", key.key), top=top)
        return None

    def _is_of_one(self, extreme: Extreme, tree: Tree) -> bool:
        """Whether a superlative says which one thing is meant of those that have the property: "the location of the
        PARTY with the most hosts"."""
        there, plain = tree.things[0].named, self.heard.plain
        if there < 0 or not 0 < self.heard.mentions[there].start < extreme.at:
            return False
        end = self.heard.mentions[there].end
        return singular(plain[end - 1]) == plain[end - 1] and FUNCTION_WORDS.issuperset(plain[end : extreme.at])

    def _counted(self, extreme: Extreme) -> int:
        """Where the noun for what a "most" counts is, behind words that only say that it counts: "most NUMBER OF"."""
        plain, at = self.heard.plain, extreme.at + 1
        return at + 2 if {*plain[at : at + 1]} & AMOUNTS and plain[at + 1 : at + 2] == ["of"] else at

    def _by_function(self, extreme: Extreme, asked: Key, tree: Tree) -> Aggregate | None:
        """The values that are asked for whose nodes have the greatest mean, or sum, of a number: "which COUNTRY has the
        highest AVERAGE age"."""
        function = self.function(extreme.at)
        words = [word for word in self.heard.plain[extreme.at + 2 : extreme.at + 5] if word not in FUNCTION_WORDS]
        if not function or not words:
            return None
        found = [(self._fit(key, range(extreme.at + 2, extreme.at + 2 + len(words))) - 0.05 * abs(number), number, key)
                 for number, key in _keys(self, tree) if key.kind == "number" and key != asked]  # fmt: skip
        best = max(found, key=lambda item: item[0], default=None)
        if best is None or best[0] < LIKE_MEASURE:
            return None
        owner = f"x{best[1]}" if best[1] >= 0 else f"r{-1 - best[1]}"
        top = extreme.limit if extreme.descending else -extreme.limit
        return Aggregate(function, Value(owner, best[2].key, best[2].form), Value("x0", asked.key), top=top)

    def function(self, at: int) -> Function | None:
        """What is made of all the numbers that a word is said of, by the word behind it: "the highest AVERAGE"; None
        where that is a part of the number's own name."""
        said = at + 1 in self.averaged
        return AVERAGING.get(self.heard.plain[at + 1]) if said else None

    @property
    def averaged(self) -> set[int]:
        """The words behind superlatives by which means and sums are wanted."""
        own = {index for start, end, _ in self.heard.whole_keys for index in range(start, end)}
        return {item.at + 1 for item in self.heard.form.extremes
                if set(self.heard.plain[item.at + 1 : item.at + 2]) & AVERAGING.keys() and item.at + 1 not in own
                }  # fmt: skip

    def with_counted(self, tree: Tree) -> Tree:
        """The tree with the relationships that a superlative counts, where what is counted is no class and no
        property: "who SCORED the most goals", "the most VISITED parks"."""
        for extreme in self.heard.form.extremes:
            if self.heard.plain[extreme.at] not in COUNTING or not self._counts_relations(extreme, tree):
                continue
            for index in self._verbs():
                label = tree.things[0].label
                steps = [step for step in self.heard.fits.vocabulary.leaving.get(label, ())
                         if self.heard.fits.says(self.heard.plain[index], label, step.relation)]  # fmt: skip
                if steps:
                    return self._counting(tree, extreme, index, steps)
        return tree

    def _counts_relations(self, extreme: Extreme, tree: Tree) -> bool:
        """Whether the word behind a "most" names no class, and no number of what the tree has."""
        at = self._behind(extreme)
        if tree.asked is not None and self._is_of_root(at, tree):
            return False
        degree = any(word.endswith("ly") for word in self.heard.plain[at : at + 1])
        if degree or self.heard.mention_at(at) >= 0 or set(self.heard.plain[at : at + 1]) & MEASURES.keys():
            return False
        owners = {thing.label for thing in tree.things} | {join.relation for join in tree.joins}
        return not any(
            item.start == at and meaning.owner in owners and meaning.key and meaning.key.kind in MEASURED
            for item in self.heard.key_mentions
            for meaning in item.meanings
        )

    def _is_of_root(self, at: int, tree: Tree) -> bool:
        """Whether a word, or the one behind it, is of the name of what a tree begins with: "most COUNTIES" of a
        property of counties, to which a relationship of that name leads, too."""
        own = name_words(tree.things[0].label)
        return self.heard.mention_at(at) < 0 and any(
            same_root(word, part) for word in self.heard.plain[at : at + 2] for part in own
        )

    def _behind(self, extreme: Extreme) -> int:
        """Where the word behind a "most" is, without an adverb that counts: "the most FREQUENTLY cited cases"."""
        at = extreme.at + 1
        return at + (self.heard.plain[at : at + 1] != [] and self.heard.plain[at] in FREQUENTLY)

    def _verbs(self) -> list[int]:
        """The words that no mention takes."""
        taken = {index for item in self.heard.mentions for index in range(item.start, item.end)}
        return [
            index for index, word in enumerate(self.heard.plain) if word not in FUNCTION_WORDS and index not in taken
        ]

    def _counting(self, tree: Tree, extreme: Extreme, index: int, steps: Sequence[Step]) -> Tree:
        at = self._behind(extreme)
        passive = is_past(self.heard.plain[index]) and index == at
        step = next((step for step in steps if step.forward != passive), steps[0])
        used = tree.used | {index} | set(range(extreme.at + 1, min(at + 1, len(self.heard.plain))))
        known = [number for number, join in enumerate(tree.joins)
                 if 0 in (join.source, join.target) and join.relation == step.relation]  # fmt: skip
        if known:
            return replace(tree, counted=known[0], used=used)
        join = Join(0, step.relation, step.forward, len(tree.things))
        things = (*tree.things, Thing(step.label, -1, False))
        return replace(tree, things=things, joins=(*tree.joins, join), counted=len(tree.joins), used=used)


def by_count(extreme: Extreme, tree: Tree) -> Selection:
    """The selection by how many relationships there are of those that are counted."""
    return _selected(extreme, "x0", Aggregate("count", Value(f"r{tree.counted}")), extreme.descending)


def is_age(word: str, key: Key) -> bool:
    """Whether a word that speaks of dates of birth is used of an age."""
    return word in AGE and key.kind == "number" and "age" in name_words(key.key)


def reverses(word: str, key: Key) -> bool:
    """Whether the order that a superlative says is the other one of a property's values: the oldest have the greatest
    age, the longest-serving the earliest date, and the top ones the least place."""
    lasting = word in ("longest", "shortest") and key.kind == "date"
    placed = word in ("top", "best", "worst") and key.kind == "number" and name_words(key.name or key.key)[-1] in PLACES
    return is_age(word, key) or lasting or placed


def _selected(extreme: Extreme, variable: str, by: Value | Aggregate, descending: bool) -> Selection:
    return Selection(variable, by, descending, extreme.limit, extreme.offset)


def _keys(measures: Measures, tree: Tree) -> Iterator[tuple[int, Key]]:
    """The properties with an order of the things of a tree, and of its joins (-1 for the first)."""
    vocabulary = measures.heard.fits.vocabulary
    owners = [*((number, thing.label) for number, thing in enumerate(tree.things)),
              *((-1 - number, join.relation) for number, join in enumerate(tree.joins))]  # fmt: skip
    for number, owner in owners:
        yield from ((number, key) for key in vocabulary.keys_of(owner) if key.kind in MEASURED)
