"""Vocabulary: what a graph's schema lets a question speak of.

Comes in: labels, properties and what connects what, made by `kgneo.graph.vocabulary` from a schema. Goes out: the ways
from one label to another, and what kind of values a property has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from kgneo.english.names import in_singular, name_words
from kgneo.english.words import RECIPROCAL
from kgneo.query import catalogue
from kgneo.query.catalogue import Catalogue
from kgneo.query.graph import Form, QueryGraph, Scalar

Kind = Literal["text", "number", "date", "time", "truth"]
MEASURED: tuple[Kind, ...] = ("number", "date", "time")
"""Kinds of values that have an order."""
LIFELESS: tuple[Kind, ...] = ("date", "time", "truth")
"""Kinds of values that are neither people nor amounts."""
LONGEST_WAY = 3
"""Relationships between two things that a question names one after the other."""
MOST_WAYS = 12


@dataclass(frozen=True, slots=True)
class Key:
    """A property of the nodes of a label, or of the relationships of a type (`of_edge`).

    `form` is how its values are compared, `listed` whether they are lists, `name` its readable name, `examples` some of
    its values as text; `unique`: no two nodes of a sample share one; `distinct` how many different ones it had.
    """

    owner: str
    key: str
    kind: Kind = "text"
    form: Form = ""
    listed: bool = False
    of_edge: bool = False
    name: str = ""
    examples: tuple[str, ...] = ()
    unique: bool = False
    distinct: int = 0
    share: float = 1.0
    flags: tuple[Scalar, Scalar] | None = None
    """Of what is true or false, but is held in texts ("Yes", "No"), or as 1 and 0: these."""
    unit: str = ""
    """The unit of its numbers, where its name does not say it."""
    meaning: QueryGraph | None = None
    """What a property that is not stored stands for: true of the nodes that this finds, or the number that it asks for,
    of those which it is said of (`kgneo.terms.meaning`)."""


@dataclass(frozen=True, slots=True)
class Link:
    """Relationships of a type between nodes of two labels, and how many there are."""

    subject: str
    relation: str
    object: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One relationship on the way from a node: its type, its direction, and the label that it reaches."""

    relation: str
    forward: bool
    label: str


Way = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Word:
    """What is read `instead` of words that people told, with the probability that they mean that. Those of a `verb` are
    told in any of its forms; those of something that is said of a `noun` are not said where it follows."""

    instead: str
    probability: float
    verb: bool = False
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A word that people told for a value of a property: `folded`, and the value with its text."""

    folded: str
    key: Key
    value: Scalar
    text: str


@dataclass(frozen=True)
class Vocabulary:
    """Labels with their number of nodes, properties, links; `names` are readable names of relationship types that are
    codes, `display` the properties that name a label's nodes, `spoken` what speaks of labels without a name,
    `doers` the verbs whose doers a label's nodes are, `parts` the labels whose nodes all have others (`Mayor` of
    `Person`), with these. People told `words` for names, by the words in the singular, what
    is `said` for values, and which relationship types are `symmetric`."""

    labels: dict[str, int] = field(default_factory=dict)
    keys: tuple[Key, ...] = ()
    links: tuple[Link, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    display: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spoken: dict[str, tuple[str, ...]] = field(default_factory=dict)
    doers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)
    words: Mapping[str, tuple[Word, ...]] = field(default_factory=dict)
    said: tuple[Said, ...] = ()
    symmetric: frozenset[str] = frozenset()
    _ways: dict[tuple[str, str], tuple[Way, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """The relationship types."""
        return tuple(dict.fromkeys(link.relation for link in self.links))

    @cached_property
    def catalogue(self) -> Catalogue:
        """The same as what query graphs are checked by."""
        return Catalogue(
            tuple(catalogue.Label(label, tuple(map(_typed, self.keys_of(label)))) for label in self.labels),
            tuple(
                catalogue.Relation(
                    relation,
                    tuple(map(_typed, self.keys_of(relation))),
                    tuple((link.subject, link.object) for link in self.links if link.relation == relation),
                )
                for relation in self.relations
            ),
        )

    @cached_property
    def leaving(self) -> dict[str, tuple[Step, ...]]:
        """The steps that leave the nodes of each label."""
        found: dict[str, list[Step]] = {label: [] for label in self.labels}
        for link in self.links:
            found.setdefault(link.subject, []).append(Step(link.relation, True, link.object))
            found.setdefault(link.object, []).append(Step(link.relation, False, link.subject))
        return {label: tuple(dict.fromkeys(steps)) for label, steps in found.items()}

    def keys_of(self, owner: str) -> tuple[Key, ...]:
        """The properties of a label's nodes, or of a type's relationships."""
        return tuple(key for key in self.keys if key.owner == owner)

    def holds_both_ways(self, label: str, step: Step) -> bool:
        """Whether a step from a node of a label leads to one of its kind, by a relation without a direction."""
        return label == step.label and self.is_symmetric(step.relation)

    def is_symmetric(self, relation: str) -> bool:
        """Whether a relationship type means the same both ways, as people told, or by its readable name."""
        return relation in self.symmetric or reciprocal(self.readable(relation))

    @cached_property
    def verbs(self) -> Mapping[str, tuple[tuple[str, tuple[Word, ...]], ...]]:
        """The single verbs that people told for relationship types, with what they mean, by their first letters."""
        found: dict[str, list[tuple[str, tuple[Word, ...]]]] = {}
        for phrase, words in self.words.items():
            verbs = tuple(item for item in words if item.verb)
            if verbs and " " not in phrase:
                found.setdefault(phrase[:1], []).append((phrase, verbs))
        return {first: tuple(items) for first, items in found.items()}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """How many words the phrases have that people told, the longest first."""
        return tuple(sorted({len(phrase.split()) for phrase in self.words}, reverse=True))

    @cached_property
    def long_names(self) -> frozenset[str]:
        """The names of several words that labels, relationship types and properties have, in the singular."""
        names = (*self.labels, *map(self.readable, self.relations), *(key.name or key.key for key in self.keys))
        return frozenset(in_singular(words) for name in names if len(words := name_words(name)) > 1)

    @cached_property
    def meanings(self) -> dict[tuple[str, str], QueryGraph]:
        """What properties that are not stored stand for, by label and name."""
        return {(key.owner, key.key): key.meaning for key in self.keys if key.meaning is not None}

    @cached_property
    def stored(self) -> Vocabulary:
        """The same without properties that are not stored."""
        return replace(self, keys=tuple(key for key in self.keys if key.meaning is None))

    def readable(self, relation: str) -> str:
        """A relationship type's readable name."""
        return self.names.get(relation, relation)

    def ways(self, source: str, target: str) -> tuple[Way, ...]:
        """The ways from a label to another, the shortest first; those longer than the shortest by two are left out."""
        if (source, target) not in self._ways:
            found = sorted(self._walk(source, target), key=len)
            shortest = len(found[0]) if found else 0
            self._ways[source, target] = tuple(way for way in found if len(way) <= shortest + 1)[:MOST_WAYS]
        return self._ways[source, target]

    def _walk(self, source: str, target: str) -> Iterator[Way]:
        frontier: list[Way] = [()]
        for _ in range(LONGEST_WAY):
            longer: list[Way] = []
            for way in frontier:
                at = way[-1].label if way else source
                for step in self.leaving.get(at, ()):
                    if way and (step.relation == way[-1].relation and step.forward != way[-1].forward):
                        continue
                    longer.append((*way, step))
            yield from (way for way in longer if way[-1].label == target)
            if any(way[-1].label == target for way in longer) and len(longer[0]) > 1:
                return
            frontier = longer[:2_000]


_TYPES: dict[Kind, str] = {
    "number": "FLOAT",
    "date": "DATE",
    "truth": "BOOLEAN",
    "text": "STRING",
    "time": "LOCAL TIME",
}


def _typed(key: Key) -> catalogue.Key:
    """A property with the type of its values; a number or a truth that is held in texts is a text."""
    if key.listed:
        return catalogue.Key(key.key, "LIST<STRING>")
    if key.flags == (1, 0):
        return catalogue.Key(key.key, "INTEGER")
    return catalogue.Key(key.key, "STRING" if key.flags or key.form not in ("", "date") else _TYPES[key.kind])


def reciprocal(relation: str) -> bool:
    """Whether a relation, by its readable name, holds both ways: "knows", "lives with"."""
    words = name_words(relation)
    return bool(set(words) & RECIPROCAL) or words[-1] == "with"
