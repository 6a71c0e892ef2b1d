"""Grow: mentions joined to a tree, one after the other, in the order in which English names them.

Comes in: what is asked for, the mentions behind it, and the vocabulary. Goes out: trees, best first. Each mention is
the same thing as one that was named before, or hangs on it by the way through the schema that the words between them
speak of; what was named last is the nearest to hang on. Several trees are kept at every step (a beam).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from kgneo.english.names import is_past, name_words, names_role, same_root, singular
from kgneo.english.voice import is_had
from kgneo.english.words import (
    ACTING,
    ARTICLES,
    AUXILIARIES,
    BEING,
    CLAUSES,
    COMPARATIVES,
    EXCEPTING,
    EXTREMES,
    FELLOWS,
    FINITE,
    FUNCTION_WORDS,
    GIVING,
    JOINING,
    LIGHT_VERBS,
    NAMING,
    NEGATIONS,
    PEOPLE,
    PREPOSITIONS,
    RECEIVING,
    RELATIVES,
    SHARED,
    SHARING,
)
from kgneo.query.graph import Form, Scalar
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import Meaning, Mention, Word
from kgneo.reading.vocabulary import Key, Step, Way

BEAM = 24
ENDS_OF_WAYS = {"from": 0, "to": 1, "into": 1, "toward": 1, "towards": 1}
"""Words before the start of a relationship, and before its end."""
MEANINGS = 3
NEAR = 3
"""Words between a negation and what it denies, at most."""
COMMON = 0.3
"""Fit from which a noun tells what two things have in common."""
DETERMINING = ("no", "neither", "nor", "outside", *sorted(EXCEPTING))
"""Negations behind which a noun stands."""
SAID = 0.6
"""Fit from which words say which relationship is meant."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What makes a tree likely; points of score."""

    edge: float = 0.45
    """What a relationship costs."""
    named: float = 0.8
    """What it is worth that a word names it."""
    more: float = 0.4
    """What it is worth that one more word does."""
    rival: float = 0.5
    """What a relationship loses where another one between the same labels is named better."""
    distance: float = 0.22
    """What it costs to hang on something that was not named last, for each thing named in between."""
    apart: float = 0.5
    """What it costs that words stand between a label and the value that it is the same as."""
    skipped_label: float = 0.7
    skipped_value: float = 1.6
    """What it costs to leave a mention out."""
    label: float = 0.4
    """What a noun for a label is worth, against a value."""
    again: float = 0.8
    """What it costs that a second noun for the same label means the same thing."""
    fellow: float = 1.5
    """What it costs that what shares something with a name is what has the name."""
    first: float = 0.5
    """What it is worth that what is named first has the property that is asked for."""
    clause: float = 1.0
    """What it costs that a clause begins between a label and the name that it is the same as."""
    frequent: float = 0.08
    """What it is worth that a relationship is e times as frequent as another between the same labels."""
    back: float = 0.8
    """What it costs to go back along a relationship to others like the thing before, where no word says so."""
    another: float = 0.6
    """What it costs that a value is said of another thing of a kind that was named, where no word leads to that."""
    longer: float = 0.2
    """What it costs that a relationship's name has words that are not said, beside those of another one's."""
    role: float = 0.3
    """What it is worth that a relationship to who gives or who receives is the one that the words speak of."""
    doer: float = 0.4
    """What it is worth that what is named by the noun of a relationship stands in that to the thing before it."""
    several: float = 1.0
    """What it costs that a plural noun is for one thing with a name: "trails in X" are not the trail called X."""
    given: float = 1.5
    """What it costs that what is asked for is what the question names."""
    voice: float = 0.3
    """What it is worth that a relationship between like things goes the way in which the words say it."""
    across: float = 1.0
    """What it costs to join what is behind the main verb to something of the clause before that, but for its noun."""


COSTS = Costs()
Rate = tuple[float, bool, frozenset[int], bool]
"""What a way is worth, whether its direction counts, which words speak of it, and whether they say all of it."""
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Thing:
    """A variable: its label, the mention that named it first, and what is known of it."""

    label: str
    named: int
    noun: bool
    values: tuple[tuple[Key, tuple[Scalar, ...]], ...] = ()
    last: int = -1
    denied: tuple[tuple[Key, tuple[Scalar, ...]], ...] = ()
    """Values that it must not have."""
    loose: bool = False
    """Whether nodes of other labels can stand here, too."""
    said: int = -1
    """The word that names the relationship to it, where nothing names the thing."""
    roles: tuple[Step, ...] = ()
    """The relationships by whose nouns it is named."""


@dataclass(frozen=True, slots=True)
class Join:
    """A relationship from thing `source` to thing `target`; `absent` where the question says no, `others` are those
    that may be in its place."""

    source: int
    relation: str
    forward: bool
    target: int
    directed: bool = True
    absent: bool = False
    values: tuple[tuple[Key, tuple[Scalar, ...]], ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Same:
    """Two things that have the same value of a property, or not the same (`denied`); without a property, that are two
    different nodes."""

    one: int
    other: int
    key: Key | None = None
    form: Form = ""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """Things, how they are joined, the property of the first that is asked for, and which thing each mention became."""

    things: tuple[Thing, ...]
    joins: tuple[Join, ...] = ()
    score: float = 0.0
    asked: Key | None = None
    places: tuple[tuple[int, int], ...] = ()
    used: frozenset[int] = frozenset()
    ignored: tuple[int, ...] = ()
    asked_join: int = -1
    """The join whose property is asked for, where it is one of a relationship."""
    counted: int = -1
    """The join whose relationships a superlative counts."""
    named: float = 1.0
    """How surely what is asked for is named."""
    unsaid: int = 0
    """Ways that no word speaks of, though there are others between the same labels."""
    ways: tuple[tuple[int, int, Way, bool], ...] = ()
    """For each mention that hangs on a way: the thing where that begins, the way, and whether directions count."""
    same: tuple[Same, ...] = ()

    @property
    def owners(self) -> dict[str, str]:
        """What a query graph calls the things and the joins, with the label or the relationship type of each, whose
        properties they have."""
        things = {f"x{number}": thing.label for number, thing in enumerate(self.things)}
        return things | {f"r{number}": join.relation for number, join in enumerate(self.joins)}

    @property
    def is_edge(self) -> bool:
        """Whether its first relationship itself is asked for, and none of its properties."""
        return self.asked is None and self.asked_join == 0

    @property
    def asking(self) -> str:
        """What a query graph calls the thing or the join whose property is asked for: of a relationship that none is
        said of, the one that a chain ends with."""
        if self.asked is None or not self.asked.of_edge:
            return "x0"
        return f"r{self.asked_join if self.asked_join >= 0 else len(self.joins) - 1}"

    def thing_of(self, mention: int) -> int | None:
        """The thing that a mention became."""
        return dict(self.places).get(mention)


@dataclass
class Grower:
    """Grows trees for one question."""

    words: Sequence[Word]
    mentions: Sequence[Mention]
    fits: Fits
    negations: Sequence[int] = ()
    spent: Collection[int] = ()
    """Words that speak of something else than how things are joined."""
    bounded: Collection[int] = ()
    """Where words begin behind a number that something is compared with: "more than 2 SERVICES"."""
    costs: Costs = COSTS
    _rated: dict[tuple[str, str, tuple[int, ...], int], list[tuple[Rate, Way]]] = field(default_factory=dict)
    _fits: dict[tuple[str, tuple[int, ...]], tuple[float, frozenset[int]]] = field(default_factory=dict)

    def grow(self, roots: Sequence[tuple[int, Meaning]], order: Sequence[int]) -> list[Tree]:
        """Trees that begin with one of `roots` (a mention, or -1, with its meaning); they take mentions in `order`."""
        beam = [tree for mention, meaning in roots for tree in self._begun(mention, meaning)]
        for number in order:
            grown = [
                tree
                for before in beam
                for tree in ([before] if before.thing_of(number) is not None else self._with(before, number))
            ]
            beam = _best(grown)
        return [self._in_role(tree) for tree in beam]

    def _in_role(self, tree: Tree) -> Tree:
        """The tree in which what is named by the noun of a relationship stands in that, to something."""
        for place, thing in enumerate(tree.things):
            for role in thing.roles:
                if not _stands_in(tree, place, role):
                    join = Join(place, role.relation, role.forward, len(tree.things))
                    things = (*tree.things, Thing(role.label, -1, False))
                    tree = replace(tree, things=things, joins=(*tree.joins, join))
        return tree

    def _begun(self, mention: int, meaning: Meaning) -> Iterator[Tree]:
        if meaning.edge and meaning.role:
            yield self._edge(meaning, meaning.role)
            return
        if meaning.key is None or not meaning.key.of_edge or meaning.kind != "key":
            yield self._root(mention, meaning)
            return
        fit, naming = self._fit(meaning.owner, tuple(range(len(self.words))))
        used = self._own(mention) | naming
        for link in self.fits.vocabulary.links:
            if link.relation == meaning.owner:
                yield Tree(
                    (Thing(link.subject, -1, False), Thing(link.object, -1, False)),
                    (Join(0, link.relation, True, 1),),
                    meaning.score + self.costs.named * fit - self.costs.edge,
                    meaning.key,
                    ((mention, 0),) if mention >= 0 else (),
                    used,
                    asked_join=0,
                    named=min(meaning.score, 1.0),
                )

    def _edge(self, meaning: Meaning, role: Step) -> Tree:
        """A relationship, which its noun names: "a ROUTE from A to B"."""
        fit, naming = self._fit(role.relation, tuple(range(len(self.words))))
        ends = (Thing(meaning.owner, -1, False, roles=(role,)), Thing(role.label, -1, False))
        score = meaning.score + self.costs.named * fit - self.costs.edge
        return Tree(ends, (Join(0, role.relation, True, 1),), score, used=naming, asked_join=0, named=meaning.score)

    def _root(self, mention: int, meaning: Meaning) -> Tree:
        if meaning.kind == "value":
            assert meaning.key is not None
            thing = Thing(meaning.owner, mention, False, ((meaning.key, meaning.values),), mention)
            return Tree((thing,), score=meaning.score, places=((mention, 0),), used=self._own(mention))
        noun = meaning.kind == "label" or (meaning.owned > 0.0 and mention >= 0)
        thing = Thing(meaning.owner, mention, noun, (), mention, roles=_roles(meaning))
        places = ((mention, 0),) if mention >= 0 else ()
        named = min(meaning.score, 1.0)
        score = meaning.score + meaning.owned
        return Tree((thing,), score=score, asked=meaning.key, places=places, used=self._own(mention), named=named)

    def _own(self, mention: int) -> frozenset[int]:
        if mention < 0:
            return frozenset()
        item = self.mentions[mention]
        return frozenset((*range(item.start, item.end), *item.also))

    def _with(self, tree: Tree, number: int) -> Iterator[Tree]:
        """The tree with one mention more, in every way that there is."""
        mention = self.mentions[number]
        used = tree.used | self._own(number)
        value = any(meaning.kind == "value" for meaning in mention.meanings)
        yield replace(tree, score=tree.score - self._skipping(number), ignored=(*tree.ignored, number))
        for meaning in mention.meanings[:MEANINGS] if not value else mention.meanings[: 2 * MEANINGS]:
            if meaning.kind == "value" and meaning.key is not None and meaning.key.of_edge:
                yield from self._on_edges(tree, number, meaning, used)
                continue
            weighed = meaning if value else replace(meaning, score=self.costs.label * meaning.score)
            beside = self._beside(tree, number, weighed)
            if beside is not None:
                index, way, directed = beside
                yield self._grown(tree, index, way, number, weighed, tree.score + weighed.score, directed, used)
                continue
            named = self._named_beside(tree, number, meaning)
            yield from self._same(tree, number, weighed, used, named)
            if named < 0:
                yield from self._joined(tree, number, weighed, used)

    def _named_beside(self, tree: Tree, number: int, meaning: Meaning) -> int:
        """The thing whose name another value right beside this one begins or ends: "Helen MARCHETTI"; -1 for none."""
        shown = self.fits.vocabulary.display.get(meaning.owner, ())
        if meaning.kind != "value" or meaning.key is None or meaning.key.key not in shown:
            return -1
        for other in (number - 1, number + 1):
            one, two = sorted((other, number))
            place = tree.thing_of(other) if one >= 0 and two < len(self.mentions) else None
            if place is None or self.mentions[one].end != self.mentions[two].start:
                continue
            thing = tree.things[place]
            if thing.label == meaning.owner and any(key != meaning.key and key.key in shown for key, _ in thing.values):
                return place
        return -1

    def _skipping(self, number: int) -> float:
        """What it costs to leave a mention out."""
        meanings = self.mentions[number].meanings
        if any(meaning.kind == "value" for meaning in meanings):
            return self.costs.skipped_value
        return (1.0 if self.mentions[number].fellow else self.costs.skipped_label) * meanings[0].score

    # The same thing ----------------------------------------------------------------------------------------------

    def _same(self, tree: Tree, number: int, meaning: Meaning, used: frozenset[int], only: int = -1) -> Iterator[Tree]:
        for index, thing in enumerate(tree.things):
            if thing.label != meaning.owner or self._is_fellow(thing, number) or only not in (-1, index):
                continue
            if self._is_other_end(tree, index, number):
                continue
            cost = self._apart(tree, index, number, meaning)
            if cost is None:
                continue
            known, denied, taken_out = thing.values, thing.denied, False
            if meaning.key is not None and meaning.kind == "value":
                value = (meaning.key, meaning.values)
                if any(key == meaning.key and not key.listed for key, _ in known):
                    continue
                taken_out = self._negated(tree, number) or self._is_denied_beside(tree, number, denied, meaning.key)
                if taken_out:
                    denied = (*denied, value)
                else:
                    known = (*known, value)
            things = _replaced(tree.things, index, replace(
                thing, values=known, denied=denied, noun=thing.noun or meaning.kind == "label", last=number,
                roles=(*thing.roles, *_roles(meaning)),
            ))  # fmt: skip
            score = tree.score + meaning.score - cost
            if not index and meaning.kind == "value" and self._is_other(thing):
                score -= self.costs.fellow
            given = self._names(meaning) and len(meaning.values) == 1  # "which is larger, A OR B"
            given = given or self._who_does(thing, number, meaning)
            if not index and tree.asked is None and not tree.is_edge and given and not taken_out:
                score -= self.costs.given
            if not taken_out and self._is_one_of_several(tree, index, number):
                score -= self.costs.several
            yield replace(tree, things=things, score=score, places=(*tree.places, (number, index)), used=used)

    def _is_other_end(self, tree: Tree, index: int, number: int) -> bool:
        """Whether what leads to a mention says that it is the other end of the relationship that a question asks for:
        "a route FROM Rome", "TO Oslo", "how many routes DOES Rome have"."""
        of_edge = tree.is_edge or (tree.asked is not None and tree.asked_join == 0)
        if not of_edge or index > 1 or tree.things[0].label != tree.things[1].label:
            return False
        if self._is_asked_of(self.mentions[number]):
            return index != 0
        before = (word.plain for word in reversed(self.words[: self._start(number)]))
        leading = next((word for word in before if word not in ARTICLES), "")
        return ENDS_OF_WAYS.get(leading, index) != index

    def _is_other(self, thing: Thing) -> bool:
        """Whether the question asks for others than those that it names: "which OTHER products"."""
        start = self._start(thing.named)
        return thing.named >= 0 and start > 0 and self.words[start - 1].plain in ("other", "another")

    def _is_fellow(self, thing: Thing, number: int) -> bool:
        """Whether a mention stands in a relation to a thing of its kind: "friends of the person"."""
        if self.mentions[number].fellow:
            return thing.last >= 0
        if thing.last < 0 or not self.mentions[thing.last].fellow:
            return False
        possessed = self.mentions[number].end == self._start(thing.last)
        between = [index for index in self._between(thing.last, number) if index not in self.mentions[number].also]
        joined = [self.words[index].plain for index in between if self.words[index].plain in ("of", "with", "to")]
        itself = joined == ["with"] and bool(self.mentions[number].also)  # "a friend WITH THE SURNAME X"
        return possessed or (bool(joined) and not itself)

    def _is_one_of_several(self, tree: Tree, index: int, number: int) -> bool:
        """Whether a plural noun and the name of one node are the same thing, by a mention and those of a thing: not
        "films called X"."""
        there = [self.mentions[other] for other in (number, *(one for one, place in tree.places if place == index))]
        nouns = [self.words[item.end - 1].plain for item in there if item.meanings[0].kind == "label"]
        return any(singular(word) != word for word in nouns) and any(
            self._is_of_one(item, tree.things[index].label) for item in there
        )

    def _is_of_one(self, item: Mention, label: str) -> bool:
        """Whether a mention is the name of one node of a label, and no word says that it is a name."""
        before = self.words[item.start - 1].plain if item.start else ""
        best = next((meaning for meaning in item.meanings if meaning.owner == label), None)
        if best is None or best.kind != "value" or best.key is None or before in NAMING:
            return False
        shown = self.fits.vocabulary.display.get(label, ())
        return best.key.key in shown and best.times <= 1 and len(best.values) == 1

    def _names(self, meaning: Meaning) -> bool:
        """Whether a meaning is the name of its thing."""
        key = meaning.key
        return key is not None and key.unique and key.key in self.fits.vocabulary.display.get(meaning.owner, ())

    def _who_does(self, thing: Thing, number: int, meaning: Meaning) -> bool:
        """Whether who is asked for does something to the name: "who trained X" does not ask for X."""
        shown = self.fits.vocabulary.display.get(meaning.owner, ())
        if meaning.key is None or meaning.key.key not in shown or thing.named < 0:
            return False
        between = [self.words[index].plain for index in self._between(thing.named, number)]
        asks = self.words[self._start(thing.named)].plain in ("who", "whom")
        return asks and any(word not in FUNCTION_WORDS for word in between)

    def _apart(self, tree: Tree, index: int, number: int, meaning: Meaning) -> float | None:
        """What it costs that a mention is the same as a thing; None where it cannot be."""
        thing = tree.things[index]
        if meaning.kind == "label" and self._start(number) in self.bounded:
            return None  # so many others are counted
        if self._is_of_other(tree, index, number, meaning):
            return None
        if thing.last < 0 and tree.is_edge:
            return 0.0
        if thing.last < 0:
            first = not any(self.mentions[other].meanings[0].kind == "value" for other in range(number))
            return 0.3 if tree.asked is None else -self.costs.first if first else 0.0
        between = self._between(thing.last, number)
        passed = self._start(number) > self._start(thing.last) and all(place != index for _, place in tree.places)
        passed = passed and self.mentions[thing.last].meanings[0].kind == "value"
        own = self._own(number).union(*(self._own(other) for other, _ in tree.places))
        # what is on the way to a name is named behind that, after the verb: "did Ann BUY A HOUSE"
        telling = [
            word for word in between
            if self.words[word].plain not in FUNCTION_WORDS and word not in own and not self._measures(word, thing)
            and not (word in tree.used and (passed or self._is_of_edge(thing.last)))
        ]  # fmt: skip
        behind = sum(1 for other in tree.things if other.last > thing.last >= 0)
        if meaning.kind == "label":
            if thing.noun:
                both = meaning.role and thing.roles and meaning.role not in thing.roles
                return (0.0 if both else self._again(number)) + self.costs.distance * behind
            adjective = self._adjective(number)
            telling = [word for word in telling if word < adjective]
            ahead = max(self._start(thing.last) - adjective, adjective - self.mentions[thing.last].end + 1)
            if telling or ahead > 4:
                return None
            return 0.0
        cost = self.costs.distance * behind
        cost += self.costs.fellow * any(self.words[word].plain in SHARED for word in between)
        relations = [word for word in telling if not self._is_noun_of(word, thing.label)]
        named = self._names(meaning) and thing.noun
        clause = named and any(self.words[word].plain in CLAUSES for word in between)
        return cost + (0.8 if named else 0.25) * min(len(relations), 2) + (self.costs.clause if clause else 0.0)

    def _adjective(self, number: int) -> int:
        """Where a comparative or a superlative before a noun begins: "is X an OLDER department than Y", "the LONGEST
        serving teacher"; the noun itself where there is none."""
        start = self._start(number)
        near = (at for at in (start - 1, start - 2) if at >= 0 and self.words[at].plain in COMPARATIVES | EXTREMES)
        return next(near, start)

    def _is_of_other(self, tree: Tree, index: int, number: int, meaning: Meaning) -> bool:
        """Whether an "of" ties a name to a noun that is no word for it, and that another thing has: "tweets OF ADA"."""
        start = self._start(number)
        if meaning.kind != "value" or not start or self.words[start - 1].plain != "of":
            return False
        before = next((at for at, item in enumerate(self.mentions) if item.end == start - 1), -1)
        if before < 0 or self.mentions[before].meanings[0].kind != "label":
            return False
        noun = self.mentions[before].meanings[0]
        return noun.score >= 1.0 and noun.owner != meaning.owner and tree.thing_of(before) not in (None, index)

    def _is_of_edge(self, mention: int) -> bool:
        """Whether a mention is a value of a relationship, whose words stand behind: "a STRONG interaction with"."""
        key = self.mentions[mention].meanings[0].key
        return key is not None and key.of_edge

    def _measures(self, word: int, thing: Thing) -> bool:
        """Whether a word speaks of a property by which a thing is known: "a 31 year OLD player"."""
        fits = self.fits.key(self.words[word].plain)
        return any(key.kind != "text" and fits[key] >= 0.3 for key, _ in thing.values if key in fits)

    def _again(self, number: int) -> float:
        """What it costs that a label that was named before is named again and means the same thing."""
        before = self.words[self.mentions[number].start - 1].plain if self.mentions[number].start else ""
        return self.costs.again * (0.5 if before in ("the", "this", "that", "these", "those") else 1.0)

    def _is_noun_of(self, word: int, label: str) -> bool:
        return any(same_root(self.words[word].plain, own) for own in name_words(label))

    # A new thing -------------------------------------------------------------------------------------------------

    def _joined(self, tree: Tree, number: int, meaning: Meaning, used: frozenset[int]) -> Iterator[Tree]:
        known_by = {index for other, item in enumerate(self.mentions) for index in item.also
                    if other != number or meaning == item.meanings[0]}  # fmt: skip
        gap = tuple(index for index in self._gap(tree, number) if index not in tree.used and index not in known_by)
        vocabulary = self.fits.vocabulary
        behind = sorted({thing.last for thing in tree.things}, reverse=True)
        for index, thing in enumerate(tree.things):
            ways = vocabulary.ways(thing.label, meaning.owner)
            alike = thing.label == meaning.owner
            shared = alike and (self._shared(thing.label, gap) or self._in_company(thing.label, gap, number))
            ways = shared or ways
            if not ways:
                continue
            known = (thing.label, meaning.owner, gap, number)
            if known not in self._rated:
                rates = [(self._rate(way, ways, gap, thing.label, number), way) for way in ways]
                self._rated[known] = sorted(rates, key=lambda pair: -pair[0][0])[:3]
            away = behind.index(thing.last) if thing.last in behind else 0
            across = bool(index) and (number in self.resumed) != (thing.last in self.resumed)
            away = 0 if not index and number in self.resumed else away
            for (rate, directed, spoken, said), way in self._rated[known]:
                score = tree.score + meaning.score + rate - self.costs.distance * min(away, 3)
                score -= self.costs.across * across
                score += sum(self._skipping(other) for other in tree.ignored if self._is_spoken(other, spoken))
                if shared:
                    score += self.costs.edge
                elif not self._shares and _goes_back(tree, index, way):
                    score -= self.costs.back
                elif not said and _could_have(tree, meaning):
                    score -= self.costs.another
                if _leads_to(way[-1], meaning) or (way[0] in thing.roles and not _stands_in(tree, index, way[0])):
                    score, said = score + self.costs.doer, True
                alone = sum(len(other) == len(way) for other in ways) == 1 and len(way) == min(map(len, ways))
                alone = alone and all(self.words[place].plain in FUNCTION_WORDS for place in gap)
                grown = self._grown(tree, index, way, number, meaning, score, directed, used | spoken)
                yield grown if said or alone or shared else replace(grown, unsaid=tree.unsaid + 1)

    @cached_property
    def resumed(self) -> frozenset[int]:
        """The mentions behind the main verb, where a relative clause of the first noun comes before that: "services
        THAT depend on X WERE affected by Y". They are said of the first noun, and not of X."""
        first = min((item.end for item in self.mentions if item.meanings[0].kind == "label"), default=len(self.words))
        if first >= len(self.words) or self.words[first].plain not in ACTING:
            return frozenset()
        verb = next((at for at in range(first + 2, len(self.words)) if self._resumes(at)), len(self.words))
        return frozenset(number for number, item in enumerate(self.mentions) if item.start > verb)

    def _resumes(self, index: int) -> bool:
        """Whether a word is a finite verb that no clause begins before: an auxiliary, or one right behind a name that
        says a relationship."""
        word, before = self.words[index].plain, self.words[index - 1].plain
        if before in RELATIVES | JOINING | AUXILIARIES | NEGATIONS:
            return False
        named = any(item.end == index and item.meanings[0].kind == "value" for item in self.mentions)
        return word in FINITE or (named and self.fits.names_any(word))

    def _shared(self, label: str, gap: Sequence[int]) -> tuple[Way, ...]:
        """The ways from a thing to others of its kind by what they have in common, where the words of a gap tell what
        that is: "share a home with"."""
        at = next((place for place in sorted(gap) if self.words[place].plain in SHARED), None)
        nouns = [place for place in gap if at is not None and place > at]
        nouns = [place for place in nouns if self.words[place].plain not in FUNCTION_WORDS]
        if not nouns:
            return ()
        noun = self.words[nouns[0]].plain
        steps = [step for step in self.fits.vocabulary.leaving.get(label, ()) if step.label != label]
        rated = [(self._said_by(step, noun), number) for number, step in enumerate(steps)]
        best = max(rated, default=(0.0, 0))
        if best[0] < COMMON:
            return ()
        step = steps[best[1]]
        return ((step, Step(step.relation, not step.forward, label)),)

    def _in_company(self, label: str, gap: Sequence[int], number: int) -> tuple[Way, ...]:
        """The ways from a thing to others of its kind that do the same with it: "who ACTED WITH Ann", "did Ann and Bob
        act TOGETHER"."""
        start = self._start(number)
        with_it = start > 1 and self.words[start - 1].plain in ("with", "alongside")
        with_it = with_it and all(start - 2 not in range(item.start, item.end) for item in self.mentions)
        if not with_it and "together" not in (word.plain for word in self.words[self._name_end(number) :]):
            return ()
        verbs = [self.words[place].plain for place in gap if self.words[place].plain not in FUNCTION_WORDS]
        steps = [step for step in self.fits.vocabulary.leaving.get(label, ()) if step.label != label and any(
            self.fits.named(verb, self.fits.relations.index(step.relation)) for verb in verbs)]  # fmt: skip
        return tuple((step, Step(step.relation, not step.forward, label)) for step in steps)

    def _said_by(self, step: Step, noun: str) -> float:
        """How well a noun names a step from a thing, or what that leads to."""
        number = self.fits.relations.index(step.relation)
        named = 1.0 if self.fits.named(noun, number) else float(self.fits.similarity(noun)[number])
        return max(named, self.fits.label(noun).get(step.label, 0.0))

    def _is_spoken(self, number: int, spoken: Collection[int]) -> bool:
        """Whether the words that name a way are all that a mention tells."""
        item = self.mentions[number]
        telling = [at for at in range(item.start, item.end) if self.words[at].plain not in FUNCTION_WORDS]
        return bool(telling) and all(at in spoken for at in telling)

    def _beside(self, tree: Tree, number: int, meaning: Meaning) -> tuple[int, Way, bool] | None:
        """The way of the name before, where a name stands beside it ("X and Y", "X but not Y"): each hangs on a way of
        its own, so that an order of X and another of Y will do."""
        before = next((item for item in tree.ways if item[0] == number - 1), None)
        if before is None or meaning.kind != "value" or number < 1:
            return None
        _, index, way, directed = before
        words = [self.words[place].plain for place in self._between(number - 1, number)]
        between = set(words)
        numbers = [self.fits.relations.index(step.relation) for step in way]
        joint = next((place for place, word in enumerate(words) if word in JOINING), len(words))
        behind = [word.plain for word in self.words[self.mentions[number].end :][:1]]
        own = words[joint:] if any(map(self.fits.names_any, behind)) else words  # "X act in and Y DIRECT"
        verbs = {word for word in own if any(self.fits.named(word, relation) for relation in numbers)}
        joining = bool(between & JOINING) and between <= (
            JOINING | ARTICLES | PREPOSITIONS | NEGATIONS | AUXILIARIES | verbs | {"t"}
        )
        return (index, way, directed) if joining and way[-1].label == meaning.owner else None

    @cached_property
    def _shares(self) -> bool:
        """Whether the question speaks of what several have in common."""
        return any(word.plain in SHARING for word in self.words)

    def _grown(
        self,
        tree: Tree,
        index: int,
        way: Way,
        number: int,
        meaning: Meaning,
        score: float,
        directed: bool,
        used: frozenset[int],
    ) -> Tree:
        things, joins, at = list(tree.things), list(tree.joins), index
        absent = self._negated(tree, number, used)
        for place, step in enumerate(way):
            final = place == len(way) - 1
            values = ((meaning.key, meaning.values),) if final and meaning.key and meaning.kind == "value" else ()
            noun, roles = final and meaning.kind == "label", _roles(meaning) if final else ()
            counts = directed and not self.fits.vocabulary.holds_both_ways(things[at].label, step)
            things.append(Thing(step.label, number, noun, values, number, roles=roles))
            joins.append(Join(at, step.relation, step.forward, len(things) - 1, counts, absent and place == 0))
            at = len(things) - 1
        return replace(
            tree,
            things=tuple(things),
            joins=tuple(joins),
            score=score,
            places=(*tree.places, (number, at)),
            used=used,
            ways=(*tree.ways, (number, index, way, directed)),
        )

    def _negated(self, tree: Tree, number: int, used: Collection[int] = ()) -> bool:
        """Whether a word of negation stands between a mention and the one before it, near or with nothing in between
        that does not speak of how the mention is joined; or right behind a mention that does what is denied."""
        if self._denies(self.mentions[number]):
            return True
        before = max((self.mentions[other].end for other, _ in tree.places if other >= 0
                      and self.mentions[other].end <= self._start(number)), default=0)  # fmt: skip
        start = self._start(number)
        said = {*used, *self.mentions[number].also}
        whole = self.words[self.mentions[number].start - 1].plain == "any"  # "not attached to ANY firm"
        return any(
            before <= index < start
            and (self.words[index].plain not in EXCEPTING or self._is_excepted(index, number))
            and (whole or start - index <= NEAR or self._only_joins(range(index + 1, start), said))
            for index in self.negations
        )

    def _is_excepted(self, index: int, number: int) -> bool:
        """Whether a mention is what stands right behind a word that takes it out: "besides THE PRODUCT TEA"."""
        nouns = {
            place for item in self.mentions if item.meanings[0].kind == "label" for place in range(item.start, item.end)
        }
        between = range(index + 1, self._start(number))
        return all(self.words[at].plain in ARTICLES | {"from", "for"} or at in nouns for at in between)

    def _is_denied_beside(self, tree: Tree, number: int, denied: Sequence[tuple[Key, object]], key: Key) -> bool:
        """Whether a value stands behind another that is denied, with a word between that joins them: "neither A nor B",
        "not A or B"."""
        if not number or not any(known == key for known, _ in denied) or tree.thing_of(number - 1) is None:
            return False
        between = {self.words[index].plain for index in self._between(number - 1, number)}
        return bool(between) and between <= {"or", "nor", "and"} | ARTICLES

    def _only_joins(self, between: range, used: Collection[int]) -> bool:
        plain = self.words[between.start - 1].plain
        verb = {between.start} if plain not in DETERMINING else set()  # "did not PARTICIPATE in", but "no suspect in"
        used = {*used, *verb}
        words = [(index, self.words[index].plain) for index in between]
        return all(word in (FUNCTION_WORDS - JOINING) | LIGHT_VERBS or index in used for index, word in words)

    def _on_edges(self, tree: Tree, number: int, meaning: Meaning, used: frozenset[int]) -> Iterator[Tree]:
        """A value of a relationship that the tree has, or of a new one from one of its things."""
        key = meaning.key
        assert key is not None
        value = (key, meaning.values)
        for place, join in enumerate(tree.joins):
            if join.relation == key.owner and not any(known == key for known, _ in join.values):
                joins = _replaced(tree.joins, place, replace(join, values=(*join.values, value)))
                places = (*tree.places, (number, join.target))
                yield replace(tree, joins=joins, score=tree.score + meaning.score, places=places, used=used)
        gap = tuple(index for index in self._gap(tree, number) if index not in tree.used)
        fit, naming = self._fit(key.owner, gap)
        spoken = naming if fit >= SAID else frozenset()
        both = self.fits.vocabulary.is_symmetric(key.owner)
        for index, thing in enumerate(tree.things):
            for step in self.fits.vocabulary.leaving.get(thing.label, ()):
                either = both and step.label == thing.label
                if step.relation == key.owner and (step.forward or not either):
                    at = len(tree.things)
                    things = (*tree.things, Thing(step.label, number, False, (), number))
                    join = Join(index, step.relation, step.forward, at, not either, values=(value,))
                    score = tree.score + meaning.score - 0.5 * self.costs.edge
                    score += self.costs.named * fit if spoken else 0.0
                    places = (*tree.places, (number, at))
                    joins = (*tree.joins, join)
                    yield replace(tree, things=things, joins=joins, score=score, places=places, used=used | spoken)

    # Words between -----------------------------------------------------------------------------------------------

    def _start(self, mention: int) -> int:
        return self.mentions[mention].start if mention >= 0 else 0

    def _between(self, first: int, second: int) -> range:
        if first < 0:
            return range(0)
        one, two = sorted((self.mentions[first], self.mentions[second]), key=lambda item: item.start)
        return range(one.end, two.start)

    def _gap(self, tree: Tree, number: int) -> tuple[int, ...]:
        """The words that can say how a mention is joined: those before it, back to the mention before, and those
        after it, up to the next."""
        mention = self.mentions[number]
        taken = {
            index
            for other, item in enumerate(self.mentions)
            if other not in tree.ignored
            for index in range(item.start, item.end)
        }
        before: list[int] = []
        for index in range(mention.start - 1, -1, -1):
            if index in taken and index not in mention.also:
                break
            before.append(index)
        after: list[int] = []
        for index in range(self._name_end(number), len(self.words)):
            if index in taken:
                break
            after.append(index)
        root = tree.things[0]
        extra = [index for index in self._own(root.named) if not root.noun] if root.named >= 0 else []
        near = {number, *(thing.last for thing in tree.things if thing.last >= 0)}
        extra += [index for other in near if self.mentions[other].fellow for index in self._own(other)]
        return tuple(index for index in (*before[::-1], *after, *extra) if index not in self.spent)

    def _name_end(self, number: int) -> int:
        """Where the name ends that a mention begins: a given name, with the family name behind it."""
        mention, behind = self.mentions[number], self.mentions[number + 1 : number + 2]
        if not behind or behind[0].start != mention.end:
            return mention.end
        one, two = mention.meanings[0], behind[0].meanings[0]
        shown = self.fits.vocabulary.display.get(one.owner, ())
        parts = [item.key.key for item in (one, two) if item.kind == "value" and item.key and item.key.key in shown]
        return behind[0].end if one.owner == two.owner and len({*parts}) == 2 else mention.end

    def _rate(self, way: Way, ways: Sequence[Way], gap: Sequence[int], source: str, number: int) -> Rate:
        """What a way is worth, whether its direction counts, which words speak of it, and whether they say all of
        it."""
        total, spoken, said = 0.0, frozenset[int](), True
        rivals = {step.relation for other in ways for step in other if len(other) == len(way)} - {
            step.relation for step in way
        }
        for step in way:
            left = tuple(index for index in gap if index not in spoken)
            fit, naming = self._fit(step.relation, left)
            best = max((self._fit(rival, left)[0] for rival in rivals), default=0.0)
            more = self.costs.more * fit * max(len(naming) - 1, 0)
            total += self.costs.named * fit + more - self.costs.edge - self.costs.rival * max(best - fit, 0.0)
            total -= self.costs.longer * self._says_more(step.relation, rivals, gap)
            total += self.costs.role * self._role(step.relation, rivals, gap, number)
            said = said and fit >= SAID and fit >= best
            if fit > 0.2:
                spoken |= naming
        if len(way) == 1 and len(ways) > 1:
            counts = {other: self._count(source, other) for other in ways if len(other) == 1}
            total -= self.costs.frequent * math.log(max(counts.values()) / max(counts[way], 1))
        directed = True
        if len(way) == 1 and source == way[0].label:
            directed = not self.fits.vocabulary.holds_both_ways(source, way[0])
            total += self._voice(way[0].relation, way[0].forward, gap, number) if directed else 0.0
            if not directed and not way[0].forward:
                total -= 0.01
        return total, directed, spoken, said

    def _says_more(self, relation: str, rivals: Collection[str], gap: Sequence[int]) -> bool:
        """Whether a relationship is called as a rival is and more (KNOWS and KNOWS_LW), and the gap does not say it."""
        own = set(name_words(self.fits.vocabulary.readable(relation)))
        shorter = [words for rival in rivals if (words := set(name_words(self.fits.vocabulary.readable(rival)))) < own]
        plain = [self.words[index].plain for index in gap]
        if not shorter or self._initials(relation, plain):
            return False
        more = own - shorter[0]
        return not any(same_root(word, part) for word in plain for part in more)

    def _role(self, relation: str, rivals: Collection[str], gap: Sequence[int], number: int) -> int:
        """1 where a relationship to who gives something (CALLER) or to who receives it (CALLED) is what a gap speaks
        of, -1 where its rival is; 0 where it has none of the same root, or the words tell neither."""
        last = name_words(self.fits.vocabulary.readable(relation))[-1]
        others = {name_words(self.fits.vocabulary.readable(other))[-1] for other in rivals}
        gives, receives = last.endswith(("er", "or")), last.endswith(("ed", "ee"))
        if gives == receives or not any(same_root(last, other) and other != last for other in others):
            return 0
        plain = [self.words[index].plain for index in sorted(gap)]
        before = [self.words[index].plain for index in sorted(gap) if index < self._start(number)]
        verb = next((place for place, word in enumerate(before) if place and same_root(word, last)), 0)
        acts = verb and before[verb - 1] in ACTING
        if acts or (verb and before[verb - 1] in BEING):  # "phones THAT called", "phones that WERE called"
            return 1 if gives == acts else -1
        way = next((word for word in (*reversed(before), *plain) if word in ("to", "from")), "")
        if way == "to" or any(word in RECEIVING for word in plain):
            return 1 if receives else -1
        if way == "from" or any(word in GIVING for word in plain):
            return 1 if gives else -1
        return 0

    def _count(self, source: str, way: Way) -> int:
        """How many relationships there are of the kind of a way's first step."""
        step = way[0]
        ends = (source, step.label) if step.forward else (step.label, source)
        links = self.fits.vocabulary.links
        return sum(
            link.count for link in links if (link.subject, link.object) == ends and link.relation == step.relation
        )

    def _fit(self, relation: str, gap: tuple[int, ...]) -> tuple[float, frozenset[int]]:
        """How well the words of a gap name a relationship type, and which do."""
        if (relation, gap) not in self._fits:
            self._fits[relation, gap] = self._fitted(relation, gap)
        return self._fits[relation, gap]

    def _fitted(self, relation: str, gap: Sequence[int]) -> tuple[float, frozenset[int]]:
        number = self.fits.relations.index(relation)
        plain = [self.words[index].plain for index in gap]
        best: tuple[float, frozenset[int]] = (0.0, frozenset())
        telling = [index for index in gap if self.words[index].plain not in FUNCTION_WORDS]
        own = self.fits.name_of(number)
        if set(own) <= FUNCTION_WORDS and any(word in own for word in plain):
            return 0.9, frozenset()
        learned = {index: self.fits.lexicon.names("relation", self.words[index].plain) for index in telling}
        told = frozenset(index for index in telling if relation in learned[index])
        if told:
            return 1.0, told
        naming = frozenset(index for index in telling if self.fits.named(self.words[index].plain, number))
        if naming:
            named = sum(any(same_root(self.words[index].plain, part) for index in naming) for part in own)
            best = (1.0 - 0.35 * (1.0 - named / len(own)), naming)
        free = frozenset(telling) - {index for index in telling if self.fits.names_any(self.words[index].plain)}
        for index in telling:  # what names another type only is like this one, and stays unsaid
            fit = 0.75 * float(self.fits.similarity(self.words[index].plain)[number])
            if fit > best[0]:
                best = (fit, free & {index})
        if telling:
            phrase = " ".join(self.words[index].plain for index in sorted(gap) if index >= min(telling))
            fit = 0.85 * float(self.fits.similarity(phrase)[number])
            if fit > best[0]:
                best = (fit, naming | (free & {*telling[:1]}))
        if best[0] < 0.8 and self.fits.vocabulary.is_symmetric(relation):
            fellow = next((index for index in telling if singular(self.words[index].plain) in FELLOWS
                           and not learned[index]), None)  # fmt: skip
            best = best if fellow is None else (0.8 + 0.2 * best[0], frozenset({fellow}))
        if self._initials(relation, plain):
            return 1.0, frozenset(telling[:1])
        return best

    def _initials(self, relation: str, plain: Sequence[str]) -> bool:
        """Whether a short piece of a type's name is made of first letters: KNOWS_LW and "lives with"."""
        for part in name_words(relation)[1:]:
            if 2 <= len(part) <= 3 and not set(part) & set("aeiou"):
                for start in range(len(plain) - len(part) + 1):
                    if plain[start] in FUNCTION_WORDS | PEOPLE:
                        continue
                    if all(word[0] == letter for word, letter in zip(plain[start:], part, strict=False)):
                        return True
        return False

    def _voice(self, relation: str, forward: bool, gap: Sequence[int], number: int) -> float:
        """Which way English says: "who follows X", "whom does X follow", "followed by X", "manager of X"; the other way
        round of a type that is called passive (`INFLUENCED_BY`), whose object does it."""
        number_of = self.fits.relations.index(relation)
        verbs = [place for place in gap if self.fits.named(self.words[place].plain, number_of)]
        if not verbs:
            return 0.02 if forward else 0.0
        verb = verbs[0]
        if self.fits.is_other_end(self.words[verb].plain, number_of):  # "CHILDREN of X" of `PARENT_OF`
            forward = not forward
        role = names_role(self.words[verb].plain, name_words(self.fits.vocabulary.readable(relation)))
        if role and is_had([word.plain for word in self.words], verb):
            forward = not forward
        after = self.words[verb + 1].plain if verb + 1 < len(self.words) else ""
        mention = self.mentions[number]
        behind = verb >= self._name_end(number)
        passive = after == "by" and not behind  # else what is named is done to: "whom was X influenced by"
        last = name_words(self.fits.vocabulary.readable(relation))[-1]
        if after == "of" and not is_past(self.words[verb].plain):
            source_acts = last in ("of", "by") or self.fits.is_who_does(self.words[verb].plain, number_of)
            return self.costs.voice if forward == source_acts else 0.0
        forward = forward != (last == "by")
        if behind and (self._is_asked_of(mention) or self._begins_clause(mention)):
            return 0.0 if forward else self.costs.voice
        return self.costs.voice if forward != passive else 0.0

    def turned(self, tree: Tree) -> int:
        """How many relationships between like things the words say the other way round."""
        return sum(self._is_turned(tree, join) for join in tree.joins)

    def _is_turned(self, tree: Tree, join: Join) -> bool:
        source, target = tree.things[join.source], tree.things[join.target]
        if not join.directed or source.label != target.label or target.named < 0:
            return False
        if join.relation not in self.fits.relations:  # of plain triples, a property there
            return False
        gap = self._gap(tree, target.named)
        voice, other = (self._voice(join.relation, to, gap, target.named) for to in (join.forward, not join.forward))
        return other - voice >= self.costs.voice

    def _is_asked_of(self, mention: Mention) -> bool:
        """Whether an auxiliary before a name says that it does something: "what DOES checkout need"."""
        before = self.words[max(mention.start - 3, 0) : mention.start]
        return any(word.plain in AUXILIARIES - {"is", "are", "was", "were"} for word in before)

    def _denies(self, mention: Mention) -> bool:
        """Whether a negation behind a name says what that does not do: "that billing does NOT use"."""
        behind = next((at for at in range(mention.end, len(self.words)) if self.words[at].plain not in AUXILIARIES), -1)
        return behind in self.negations and (self._is_asked_of(mention) or self._begins_clause(mention))

    def _begins_clause(self, mention: Mention) -> bool:
        """Whether a relative pronoun stands before a name, which does what it says: "services THAT checkout needs"."""
        before = [word.plain for word in self.words[: mention.start] if word.plain not in ARTICLES]
        asks = len(before) == 1  # "WHICH dogs are not …"
        return mention.meanings[0].kind == "value" and bool(before) and before[-1] in ACTING and not asks


def _could_have(tree: Tree, meaning: Meaning) -> bool:
    """Whether a value can be one of a thing that is there."""
    return meaning.kind == "value" and any(
        thing.label == meaning.owner and all(key != meaning.key for key, _ in thing.values) for thing in tree.things
    )


def _goes_back(tree: Tree, index: int, way: Way) -> bool:
    """Whether a way leaves a thing by the relationship that led to it."""
    return any(
        join.target == index and join.relation == way[0].relation and join.forward != way[0].forward
        for join in tree.joins
    )


def _best(trees: Sequence[Tree]) -> list[Tree]:
    """The best of the trees, each once."""
    best: dict[tuple[object, ...], Tree] = {}
    for tree in trees:
        things = ((it.label, frozenset(it.values), frozenset(it.denied), it.roles) for it in tree.things)
        key = (tuple(things), tree.joins, tree.asked)
        if key not in best or best[key].score < tree.score:
            best[key] = tree
    return sorted(best.values(), key=lambda tree: -tree.score)[:BEAM]


def _stands_in(tree: Tree, place: int, role: Step) -> bool:
    """Whether a thing is joined to something in the relationship by whose noun it is named."""
    ends = (((join.source, join.forward), (join.target, not join.forward))
            for join in tree.joins if join.relation == role.relation)  # fmt: skip
    return any((place, role.forward) in pair for pair in ends)


def _leads_to(step: Step, meaning: Meaning) -> bool:
    """Whether a step is the relationship by whose noun what it reaches is named, seen from the other end."""
    role = meaning.role
    return role is not None and (role.relation, role.forward) == (step.relation, not step.forward)


def _roles(meaning: Meaning) -> tuple[Step, ...]:
    return (meaning.role,) if meaning.role else ()


def _replaced(items: tuple[Item, ...], index: int, item: Item) -> tuple[Item, ...]:
    return (*items[:index], item, *items[index + 1 :])
