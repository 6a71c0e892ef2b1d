"""Implied classes: what kinds of things there are in a graph of plain triples, which has no labels to tell them.

Comes in: the statistics of a graph that kgneo loaded. Goes out: a vocabulary as if its entities had labels and
properties, the entities of those classes by name, and query graphs over that vocabulary as ones over the triples.

Whatever a relation leaves from, or leads to, is a set of entities. Sets that hold the same entities are one class; a
set that lies within another is a part of that class, and one that others lie within covers them all. A relation that
leads to numbers or dates is a property of what it leaves from. All of it follows from how often one relation follows
another, which is known from indexing.

Where every relation leads to entities with labels, the labels are the classes, and none has to be implied.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kgneo.english.names import is_past, is_present, name_words, singular
from kgneo.english.words import ARTICLES, LIGHT_WORDS, PREPOSITIONS
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.dictionary import Entry
from kgneo.graph.names import NamedEntity, Names
from kgneo.graph.shape import LOADED_LABEL
from kgneo.graph.statistics import HopStatistics, Statistics
from kgneo.graph.vocabulary import MOSTLY, kind_of_texts
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Form,
    QueryGraph,
    Value,
    Variable,
    aggregates_of,
)
from kgneo.query.tree import tree_of
from kgneo.reading.vocabulary import Key, Kind, Link, Vocabulary

SAME = 0.66
"""Share of each of two sets that is in the other one, from which on they are one class."""
WITHIN = 0.6
"""Share of a set that is in another one, from which on it is a part of it."""
APART = 0.03
"""Share of a set that is of another class, from which on its class must be tested."""
COVERED = 0.95
"""Share of a set that is in a class from which on to be in the set says that it is of the class."""
HAS = 0.3
"""Share of a class that has a property, from which on the property is one of the class."""
SHARED = 0.5
"""Share of entities whose names have a word, from which on it is the word for their class."""
FEW = 5
"""Names from which on a word that they share says anything."""
NAME = "name"
YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
LATEST = 2100
"""A year that none of those is which a graph tells of."""
NEUTRAL = ("thing", "item", "entity", "object", "element")
"""Words for classes that no relation names."""

End = tuple[str, bool]
"""A relation with a direction: the set of entities that it reaches when it is walked that way."""
LOOKED_AT = 2_000
"""Relationships of an entity that are looked at to tell its classes."""


@dataclass(frozen=True)
class Implied:
    """Classes with the vocabulary that they make.

    `tests` has for each class the set that tells whether an entity is of it; `classes` for each set the classes that
    its entities can be of, `sure` those sets that lie within their class. Classes that are labels need no tests.
    """

    vocabulary: Vocabulary
    tests: Mapping[str, End]
    classes: Mapping[End, tuple[str, ...]]
    sure: frozenset[End] = frozenset()

    @property
    def labelled(self) -> bool:
        """Whether the classes are labels that the entities have."""
        return not self.tests

    def of_entity(self, ends: Iterable[End], labels: Collection[str] = ()) -> tuple[str, ...]:
        """The classes of an entity with these labels that relations reach or leave as `ends` say."""
        if self.labelled:
            return tuple(label for label in labels if label in self.vocabulary.labels)
        ends = list(ends)
        tested = [name for name, end in self.tests.items() if end in ends]
        return tuple(tested) or tuple(dict.fromkeys(name for end in ends for name in self.classes.get(end, ())))

    def lowered(self, graph: QueryGraph) -> QueryGraph:
        """A query graph over classes and properties as one over the entities and relations that there are."""
        return _Lowering(graph, self).lowered()

    def of_kind(self, graph: QueryGraph, variable: str, kind: str) -> QueryGraph:
        """A query graph over the entities that there are, of which one is of a class."""
        if not self.labelled:
            return _Lowering(graph, self).with_test(variable, kind)
        variables = tuple(replace(item, labels=(kind,)) if item.name == variable else item for item in graph.variables)
        return replace(graph, variables=variables)


def implied(statistics: Statistics) -> Implied:
    """The classes of a graph of plain triples, from its statistics."""
    sets = _Sets(statistics)
    return sets.labelled() or sets.implied()


@dataclass
class _Sets:
    """The sets of entities that relations reach, compared with one another."""

    statistics: Statistics
    sizes: dict[End, float] = field(default_factory=dict)
    shares: dict[tuple[End, End], float] = field(default_factory=dict)
    literal: dict[str, HopStatistics] = field(default_factory=dict)
    names: dict[End, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for hop in self.statistics.hops:
            end = (hop.relation, hop.forward)
            self.sizes[end] = hop.triples / max(hop.fan_in, 1.0)
            self.shares[end, end] = 1.0
            self.names[end] = hop.names
            for name, share in hop.onward.items():
                relation, forward = (name[1:], False) if name.startswith("^") else (name, True)
                self.shares[end, (relation, not forward)] = share
            if hop.forward and hop.names and kind_of_texts(hop.names)[0] in ("number", "date"):
                self.literal[hop.relation] = hop

    def implied(self) -> Implied:
        groups = self._within(self._same())
        cores = {end: core for core, group in groups.items() for end in group}
        names = self._names(groups)
        classes: dict[End, tuple[str, ...]] = {end: (names[core],) for end, core in cores.items()}
        for end in self._ends():
            if end not in classes:
                classes[end] = tuple(names[core] for core in self._covering(end, groups))
        tests = {name: core for core, name in names.items()}
        sure = frozenset(end for end, core in cores.items()
                         if self._share(end, core) >= COVERED or self.sizes[end] <= self.sizes[core]
                         or not any(self._share(end, other) >= APART for other in groups if other != core))  # fmt: skip
        return Implied(self._vocabulary(tests, classes), tests, classes, sure)

    def labelled(self) -> Implied | None:
        """The labels as classes; None where the entities of some set have none."""
        labels = {(hop.relation, hop.forward): hop.labels for hop in self.statistics.hops}
        classes = {end: labels[end] for end in self._ends()}
        if not classes or not all(classes.values()):
            return None
        cores: dict[str, End] = {}
        for end in sorted(classes, key=lambda end: (len(classes[end]), -self.sizes[end])):
            for label in classes[end]:
                cores.setdefault(label, end)
        return Implied(self._vocabulary(cores, classes), {}, classes)

    def _ends(self) -> list[End]:
        """The sets of entities; what properties lead to are values."""
        return [end for end in self.sizes if not (end[1] and end[0] in self.literal)]

    def _share(self, part: End, whole: End) -> float:
        return self.shares.get((part, whole), 0.0)

    def _same(self) -> list[list[End]]:
        """Sets that hold the same entities, together; the largest groups first."""
        groups: list[list[End]] = []
        for end in sorted(self._ends(), key=lambda end: (-self.sizes[end], end)):
            near = [group for group in groups if any(min(self._share(end, other), self._share(other, end)) >= SAME
                                                     for other in group)]  # fmt: skip
            merged = [end, *(other for group in near for other in group)]
            groups = [merged, *(group for group in groups if group not in near)]
        return sorted(groups, key=lambda group: -self.sizes[group[-1]])

    def _within(self, groups: list[list[End]]) -> dict[End, list[End]]:
        """The sets of each class by its core: groups that lie within another join it, and those that several others
        make up are left out. What several relations say together is not made up of what one says: rivers are one class,
        though each is a tributary or empties into a sea."""
        cores = {self._core(group, groups): group for group in groups}
        homes: dict[End, End] = {}
        for core in cores:
            others = [other for other in cores if other != core]
            whole = max(others, key=lambda other: self._share(core, other), default=core)
            if self._covers(core, [other for other in others if len(cores[core]) == 1 or len(cores[other]) > 1]):
                homes[core] = core
            elif self._lies_within(core, whole) and homes.get(whole) != core:
                homes[core] = whole
        found = {core: list(group) for core, group in cores.items() if core not in homes}
        for core, whole in homes.items():
            if whole in found:
                found[whole] += cores[core]
        return found

    def _lies_within(self, part: End, whole: End) -> bool:
        """Whether a set lies within another one, which is no smaller."""
        return part != whole and self._share(part, whole) >= WITHIN and self.sizes[whole] >= self.sizes[part]

    def _covers(self, end: End, others: Sequence[End]) -> bool:
        """Whether a set is made up of several classes, each of which is all within it."""
        parts = [other for other in others if self._share(other, end) >= SAME and self._share(end, other) < SAME]
        parts = [other for other in parts if not any(
            self._share(other, larger) >= WITHIN and self.sizes[larger] > self.sizes[other]
            for larger in parts if larger != other)]  # fmt: skip
        return len(parts) > 1 and sum(self._share(end, other) for other in parts) >= COVERED - 0.15

    def _covering(self, end: End, cores: Iterable[End]) -> list[End]:
        """The classes that a set's entities are of."""
        found = [core for core in cores if self._share(end, core) >= 0.1]
        return found or [max(cores, key=lambda core: self._share(end, core))]

    def _core(self, group: Sequence[End], groups: Sequence[Sequence[End]]) -> End:
        """Of the sets that are one class, the one that holds the fewest others, the largest of these."""
        others = [other for there in groups if group[0] not in there for other in there]

        def held(end: End) -> int:
            return sum(self._share(other, end) >= WITHIN for other in others)

        return min(group, key=lambda end: (held(end), -self.sizes[end], end[0] in self.literal, end))

    # Names -------------------------------------------------------------------------------------------------------

    def _names(self, groups: Mapping[End, Sequence[End]]) -> dict[End, str]:
        """A name for each class, by its core: the noun by which a relation calls it, or a neutral word."""
        names: dict[End, str] = {}
        for core, group in groups.items():
            own = [end for end in group if self._share(core, end) >= SAME and self.sizes[end] <= self.sizes[core]]
            nouns = [noun for end in [core, *own] if (noun := _noun(*end))] + [self._shared(core)]
            free = [word for word in (*nouns, *NEUTRAL) if word and word not in names.values()]
            names[core] = next(iter(free), f"{NEUTRAL[0]}{len(names)}")
        return names

    def _shared(self, end: End) -> str:
        """A word that many of a set's entities have in their names: "river" for "Ohio River"; "" for none."""
        names = [{word for word in name_words(name) if len(word) > 2} for name in self.names.get(end, ())]
        counted = Counter(word for words in names for word in words)
        word, times = max(counted.items(), key=lambda pair: pair[1], default=("", 0))
        return word if len(names) >= FEW and times >= SHARED * len(names) else ""

    def _vocabulary(self, tests: Mapping[str, End], classes: Mapping[End, tuple[str, ...]]) -> Vocabulary:
        labels = {name: round(self.sizes[end]) for name, end in tests.items()}
        keys = [
            Key(name, NAME, unique=True, distinct=labels[name], examples=self.names[end]) for name, end in tests.items()
        ]
        keys += [key for hop in self.literal.values() for key in self._properties(hop, tests, classes)]
        links = [link for hop in self.statistics.hops if hop.forward and hop.relation not in self.literal
                 for link in _links(hop, classes)]  # fmt: skip
        spoken = {name: tuple(relation for (relation, _), owners in classes.items() if owners == (name,))
                  for name in labels if name in NEUTRAL}  # fmt: skip
        return Vocabulary(
            labels,
            tuple(keys),
            tuple(links),
            dict(self.statistics.names),
            dict.fromkeys(labels, (NAME,)),
            spoken,
            {name: verbs for name in labels if (verbs := _verbs(name, classes))},
        )

    def _properties(
        self, hop: HopStatistics, tests: Mapping[str, End], classes: Mapping[End, tuple[str, ...]]
    ) -> Iterator[Key]:
        kind, form = _kind_of(hop.names)
        size = round(self.sizes[hop.relation, True])
        owners = classes[hop.relation, False]
        for name, core in tests.items():
            share = max(self._share(core, (hop.relation, False)), self._share((hop.relation, False), core))
            if share >= HAS or name in owners:
                yield Key(name, hop.relation, kind, form, name=hop.relation, examples=hop.names, distinct=size)


def _verbs(name: str, classes: Mapping[End, tuple[str, ...]]) -> tuple[str, ...]:
    """The verbs whose doers are of a class."""
    return tuple(dict.fromkeys(verb for end, owners in classes.items() if owners == (name,) and (verb := _verb(*end))))


def _kind_of(names: Sequence[str]) -> tuple[Kind, Form]:
    """As `kind_of_texts`; whole numbers that nearly all could be years, and of which none is later, are years."""
    years = sum(bool(YEAR.fullmatch(name)) for name in names)
    if years >= MOSTLY * len(names) and all(name.isdecimal() and int(name) < LATEST for name in names):
        return "date", "date"
    return kind_of_texts(names)


def _links(hop: HopStatistics, classes: Mapping[End, tuple[str, ...]]) -> Iterator[Link]:
    for subject in classes[hop.relation, False]:
        for target in classes[hop.relation, True]:
            yield Link(subject, hop.relation, target, hop.triples)


def _noun(relation: str, forward: bool) -> str:
    """The noun by which a relation calls what it leaves from ("is a city in") or leads to ("capital", "has_genre",
    "starred_actors", "plays_in_club"); "" for none."""
    words = name_words(relation)
    telling = [word for word in words if word not in LIGHT_WORDS and not is_past(word)]
    if telling and is_present(words[0]) and telling[0] == words[0]:
        telling = telling[1:]
    joined = words[-1] in PREPOSITIONS
    if not telling or joined == forward or (joined and not any(word in ARTICLES for word in words)):
        return ""
    return " ".join([*telling[:-1], singular(telling[-1])])


def _verb(relation: str, forward: bool) -> str:
    """The verb whose doers a relation leaves from ("plays_in_club") or leads to ("directed_by"); "" for none."""
    words = name_words(relation)
    passive = words[-1] == "by"
    if words[0] in LIGHT_WORDS or passive != forward:
        return ""
    return words[0] if is_past(words[0]) or (is_present(words[0]) and not passive) else ""


# Names of entities ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ImpliedNames:
    """The entities of classes by name, as the dictionary of values has those of labels."""

    graph: Graph
    names: Names
    classes: Implied
    left_out: tuple[str, ...] = ()

    def lookup(self, pieces: Iterable[str]) -> dict[str, list[Entry]]:
        """Entries by the folded text that they are found by."""
        found = self.names.by_folded_name(pieces)
        entries = self._entries([item for items in found.values() for item in items])
        return {text: [entry for item in items for entry in entries[item.entity.id]] for text, items in found.items()}

    def similar(self, text: str, *, limit: int = 40) -> list[Entry]:
        """Entries whose names have words like those of `text`."""
        found = self.names.by_words(text, limit=limit)
        entries = self._entries(found)
        return [entry for item in found for entry in entries[item.entity.id]]

    def holding(self, text: str, keys: Collection[tuple[str, str]], *, limit: int) -> list[Entry]:  # noqa: ARG002
        """None: names in part are left to linking."""
        return []

    def phrases(self) -> Sequence[Entry]:
        """None: entities are no kinds or states."""
        return ()

    def _entries(self, found: Sequence[NamedEntity]) -> dict[str, list[Entry]]:
        ids = list(dict.fromkeys(item.entity.id for item in found))
        rows = self.graph.read(query("entities_ends"), ids=ids, limit=LOOKED_AT) if ids else []
        ends = {row["id"]: [(relation, bool(forward)) for relation, forward in row["ends"]] for row in rows}
        return {item.entity.id: list(self._of(item, ends.get(item.entity.id, []))) for item in found}

    def _of(self, item: NamedEntity, ends: Sequence[End]) -> Iterator[Entry]:
        name, id_ = item.entity.name, item.entity.id
        for label in self.classes.of_entity(ends, item.entity.labels):
            yield Entry(label, NAME, False, name, name, 1, id_)
        for relation, forward in ends:
            for key in self.classes.vocabulary.keys:
                if forward and key.key == relation:
                    yield Entry(key.owner, key.key, False, name, name, item.degree, id_)


# Query graphs -----------------------------------------------------------------------------------------------------


@dataclass
class _Lowering:
    graph: QueryGraph
    implied: Implied
    variables: list[Variable] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    @cached_property
    def above(self) -> dict[str, str]:
        """What each variable hangs below that is ordered, or tested by a number for each."""
        parents = tree_of(self.graph).parents
        sides = [side for item in self.graph.conditions for side in (item.left, item.right)]
        tested = [part.per.of for side in sides for part in aggregates_of(side) if part.per]
        return {name: parents[name] for name in (*tested, *(item.variable for item in self.graph.selections))}

    def lowered(self) -> QueryGraph:
        graph = self.graph
        conditions = tuple(self._condition(item) for item in graph.conditions)
        alternatives = tuple(tuple(tuple(self._condition(item, optional=True) for item in option) for option in options)
                             for options in graph.alternatives)  # fmt: skip
        selections = tuple(item if item.by is None else replace(item, by=self._measure(item.by))
                           for item in graph.selections)  # fmt: skip
        answer, columns = self._answer(), tuple(self._column(item) for item in graph.columns)
        named = {item.left.of for item in graph.conditions
                 if isinstance(item.left, Value) and item.left.key == NAME and item.operator == "="}  # fmt: skip
        tested = [item for item in graph.variables if not (item.ids or item.name in named or self.implied.labelled)]
        for variable in tested:
            self._test(variable)
        own = (LOADED_LABEL,)
        variables = [
            replace(item, labels=own + item.labels if self.implied.labelled else own) for item in graph.variables
        ]
        return replace(
            graph,
            variables=(*variables, *self.variables),
            answer=answer,
            edges=(*graph.edges, *self.edges),
            conditions=conditions,
            selections=selections,
            columns=columns,
            alternatives=alternatives,
        )

    def _answer(self) -> Expression:
        asked = self.graph.answer
        if isinstance(asked, Value):
            return self._groups.get(asked) or self._node(asked)
        if isinstance(asked, Aggregate) and asked.function == "count":
            return replace(
                asked, value=self._node(asked.value), per=self._group(asked.per), each=self._group(asked.each)
            )
        return self._measure(asked)

    def _column(self, part: Expression) -> Expression:
        return self._node(part, optional=True) if isinstance(part, Value) else self._measure(part)

    def _condition(self, item: Condition, *, optional: bool = False) -> Condition:
        right = item.right if isinstance(item.right, tuple) else self._measure(item.right, optional=optional)
        return replace(item, left=self._measure(item.left, optional=optional), right=right)

    def _measure(self, part: Expression, *, optional: bool = False) -> Expression:
        if isinstance(part, Value):
            return self._value(part, optional=optional)
        if isinstance(part, Arithmetic):
            left, right = (side if isinstance(side, int | float) else self._measure(side, optional=optional)
                           for side in (part.left, part.right))  # fmt: skip
            return replace(part, left=left, right=right)
        if not isinstance(part, Aggregate):
            return part
        value = self._value(part.value)
        over = Value(part.value.of) if value.of != part.value.of and part.function in ("sum", "average") else None
        return replace(part, value=value, per=self._group(part.per), over=over, each=self._group(part.each))

    @cached_property
    def _groups(self) -> dict[Value | None, Value]:
        """What is measured for each value of a property is measured for each of what a relation leads to, the same for
        all that measures it."""
        sides: list[object] = [side for item in self.graph.conditions for side in (item.left, item.right)]
        sides += [item.by for item in self.graph.selections]
        kinds = {part.per: None for side in sides for part in aggregates_of(side) if part.per and part.per.key}
        return {kind: self._node(kind) for kind in kinds}

    def _group(self, value: Value | None) -> Value | None:
        return self._groups.get(value) or (self._node(value) if value else None)

    def _value(self, value: Value, *, optional: bool = False) -> Value:
        """A property as the name of what a relation leads to."""
        node = self._node(value, optional=optional)
        return value if node == value else Value(node.of, NAME, value.form)

    def _node(self, value: Value, *, optional: bool = False) -> Value:
        """A property as what a relation leads to."""
        if not value.key or value.key == NAME:
            return value
        return Value(self._joined(value.of, value.key, True, optional=optional))

    def _joined(self, variable: str, relation: str, forward: bool, *, optional: bool = False) -> str:
        name = f"implied{len(self.variables)}"
        self.variables.append(Variable(name, (LOADED_LABEL,)))
        subject, target = (variable, name) if forward else (name, variable)
        self.edges.append(Edge(subject, (relation,), target, optional=optional))
        return name

    def _test(self, variable: Variable) -> None:
        """Test the class of a variable where nothing else in the query graph tells it. What is ordered or counted for
        itself sees what hangs below it alone, so nothing above can tell it."""
        above = self.above.get(variable.name, "")
        there = [
            edge
            for edge in (*self.graph.edges, *self.edges)
            if (not edge.absent or edge.object == variable.name) and above not in (edge.subject, edge.object)
        ]
        ends = {(relation, edge.object == variable.name) for edge in there if len(edge.relations) == 1
                for relation in edge.relations if variable.name in (edge.subject, edge.object)}  # fmt: skip
        for label in variable.labels:
            core = self.implied.tests.get(label)
            told = any(end in self.implied.sure and label in self.implied.classes[end] for end in ends)
            if core is not None and not told:
                relation, forward = core
                self._joined(variable.name, relation, not forward)

    def with_test(self, variable: str, kind: str) -> QueryGraph:
        """The graph, whose variables are entities already, with a test of one's class."""
        self._test(replace(self.graph.variable(variable), labels=(kind,)))
        graph = self.graph
        return replace(graph, variables=(*graph.variables, *self.variables), edges=(*graph.edges, *self.edges))
