"""Climb: what is above or below something at any depth, as query graphs that are run.

Comes in: a question. Goes out: what was found, where the question asks for what is joined through others of its kind;
else None. A relationship type chains where it joins nodes of a label to nodes of the same, or, over plain triples,
where it follows itself. Which of its ends is further up is known from the graph: there are fewer nodes that have
something below them than nodes that have something above them.

Words that name a chaining type say which end is meant ("who reports to Ann", "parts of the pump"), else words for up
and down do ("everything above Ann"). A question that says more than that is read as others are, and its edge of a
chaining type is made one of any depth.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.connections import (
    ALL,
    AT_ONCE,
    BOTTOM,
    HOLDING,
    LEVELS,
    LOWER,
    LOWER_KINDS,
    NUMBERS,
    SAID_WITH,
    TOLD,
    TOP,
    UPPER,
    UPPER_KINDS,
)
from kgneo.english.names import is_past, relation_words, same_root
from kgneo.english.words import ANYBODY, AUXILIARIES, BEING, FUNCTION_WORDS
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph.catalogue import catalogue
from kgneo.graph.run import evidence_of
from kgneo.graph.walks import first_hops_of_each
from kgneo.query.graph import (
    ANY_DEPTH,
    ONE_STEP,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    QueryGraph,
    Selection,
    Value,
    Variable,
)
from kgneo.reading.connections import Chained, at_any_depth, with_names
from kgneo.stages.connect import LONGEST, SURE, Connected, label_of, names_in, told
from kgneo.stages.interpret import interpret, reading, run_query
from kgneo.stages.link import unbracket

FOLLOWS = 0.02
"""Share of what a relation leads to from which it goes on, from which on it chains."""
READ = 0.8
"""Confidence in a question that others read, with its edge made one of any depth."""
NOTHING_SAID = ALL | ANYBODY | FUNCTION_WORDS | TOLD
"""Words that need no explanation."""
WORD = re.compile(r"[\w'’-]+")
MEMORY = "chains"


@dataclass(frozen=True, slots=True)
class Chain:
    """A relationship type that chains; `up`: whether its object is further up than its subject."""

    relation: str
    up: bool
    labels: frozenset[str]


def climb(context: Context, question: str, entities: Sequence[str] = ()) -> Connected | None:
    """What `question` asks of levels, answered; None where it asks for something else. Raises GraphTimeout."""
    chained = at_any_depth(with_names(question, tuple(entities)))
    words = [word.lower() for word in WORD.findall(unbracket(chained.text)[0])]
    spoken = set(words)
    every = bool(spoken & ALL and spoken & (LOWER_KINDS | UPPER_KINDS))
    hinted = every or bool(spoken & AT_ONCE) or _measures(words) or bool({"end", "ends"} & spoken and "up" in spoken)
    if not (chained.said or hinted):
        return None
    chains = chains_of(context)
    if not chains:
        return None
    found = _Climbing(context, chained, chains).answered()
    if found is None and chained.said:
        found = _deepened(context, chained.text, chains)
    return found


def chains_of(context: Context) -> tuple[Chain, ...]:
    """The relationship types that chain, found once."""
    kept = context.memory.get(MEMORY)
    if isinstance(kept, tuple):
        return kept
    found = [_chain(context, relation, labels) for relation, labels in _chaining(context).items()]
    context.memory[MEMORY] = chains = tuple(chain for chain in found if chain is not None)
    return chains


def _chaining(context: Context) -> dict[str, frozenset[str]]:
    if context.shape.loaded:
        return {
            hop.relation: frozenset()
            for hop in context.record.statistics.hops
            if hop.forward and not hop.value and hop.onward.get(hop.relation, 0.0) >= FOLLOWS
        }
    known = catalogue(context.knowledge.schema, context.shape)
    found = {}
    for relation in known.relations:
        subjects = {start for start, _ in relation.ends}
        both = subjects & {end for _, end in relation.ends}
        if both:
            found[relation.name] = frozenset(label for pair in relation.ends for label in pair)
    return found


def _chain(context: Context, relation: str, labels: frozenset[str]) -> Chain | None:
    """Which end of a type is further up, as the terms of the graph say, else by its numbers; None where neither is, or
    it takes too long to see."""
    said = context.graph.terms.relations.get(relation) if context.graph.terms else None
    if said is not None and said.hierarchy:
        return None if said.hierarchy == "none" else Chain(relation, said.hierarchy == "up", labels)
    edge = Edge("one", (relation,), "two")
    graph = QueryGraph((Variable("one"), Variable("two")), Aggregate("count", Value("one")), (edge,))
    counts = [replace(graph, answer=Aggregate("count", Value(name))) for name in ("one", "two")]
    try:
        numbers = [float(run_query(context, item, timeout=LONGEST, whole=False).answers[0]) for item in counts]
    except GraphTimeout:
        return None
    return Chain(relation, numbers[0] > numbers[1], labels)


@dataclass(frozen=True, slots=True)
class _Place:
    """What a question asks about where something is: the type, whether further up is asked for, and the words that said
    so."""

    chain: Chain
    upwards: bool
    said: frozenset[str]


@dataclass
class _Climbing:
    """One question on its way to an answer: its words, and the names among them with their places."""

    context: Context
    chained: Chained
    chains: tuple[Chain, ...]

    def answered(self) -> Connected | None:
        try:
            names = names_in(self.context, self.chained.text)
        except EntityNotFound:
            return None
        if not 1 <= len(names) <= 2:
            return None
        self.names = names
        lower = unbracket(self.chained.text)[0].lower()
        for _, start, end in names:
            lower = lower[:start] + "\0" * (end - start) + lower[end:]
        self.words = [(match[0].replace("’", "'"), match.start()) for match in WORD.finditer(lower)]
        place = self._place()
        if place is None:
            return None
        left = [word for word, _ in self.words if not self._is_explained(word, place)]
        kinds = {word: label for word in left if (label := label_of(self.context, word))}
        if [word for word in left if word not in kinds]:
            return None
        return self._asked(place, list(kinds.values()))

    def _is_explained(self, word: str, place: _Place) -> bool:
        about = LOWER | UPPER | LOWER_KINDS | UPPER_KINDS | LEVELS | TOP | BOTTOM | NOTHING_SAID | SAID_WITH
        return word in place.said or word in about or word.isdecimal() or word in NUMBERS

    # Which type, and which way ---------------------------------------------------------------------------------------

    def _place(self) -> _Place | None:
        for chain in self.chains:
            if (found := self._by_type(chain)) is not None:
                return found
        labels = {label for item, _, _ in self.names for entity in item.entities for label in entity.labels}
        fitting = [chain for chain in self.chains if not chain.labels or labels & chain.labels]
        upwards = self._by_direction()
        if upwards is None:
            return None
        if len(fitting) > 1:
            ids = [id_ for item, _, _ in self.names for id_ in item.ids]
            there = {hop.relation for hops in first_hops_of_each(self.context.knowledge, ids).values() for hop in hops}
            fitting = [chain for chain in fitting if chain.relation in there]
        if len(fitting) != 1:
            return None
        return _Place(fitting[0], upwards, frozenset())

    def _by_type(self, chain: Chain) -> _Place | None:
        """By a word of the type's own name: is what is asked for its subject or its object?"""
        own, is_verb = relation_words(chain.relation)
        telling = [word for word in own if word not in FUNCTION_WORDS]
        for number, (word, start) in enumerate(self.words):
            if not any(same_root(word, part) for part in telling):
                continue
            after = self.words[number + 1][0] if number + 1 < len(self.words) else ""
            name_after = self.names[-1][1] > start if len(self.names) == 1 else True
            possessive = self._possessed(number)
            every = {word for word, _ in self.words} & ALL and word in LOWER_KINDS | UPPER_KINDS
            if not (self.chained.said or every or {word for word, _ in self.words} & (LEVELS | AT_ONCE)):
                return None
            before = [word for word, _ in self.words[:number]]
            end = start + len(word)
            follows = any(name == end + 1 for _, name, _ in self.names)
            is_verb = is_verb or follows or (not name_after and bool({"do", "does", "did"} & set(before)))
            passive = is_past(word) and any(word in BEING for word in before) and not is_past(own[-1])
            forward = not is_verb  # objects are asked for: "parts of X"
            if is_verb and passive:
                forward = True
            if not name_after and not possessive:
                forward = not forward
            if len(self.names) == 2:
                forward = not is_verb if after in ("of", "in", "for") or not is_verb else False
            return _Place(chain, forward == chain.up, frozenset({word}))
        return None

    def _possessed(self, number: int) -> bool:
        """Whether a word stands behind a name with "'s"."""
        return number > 0 and self.words[number - 1][0] in ("'s", "s")

    def _by_direction(self) -> bool | None:
        """Whether further up is asked for, by words for up and down: "above Ann" and "Ann's bosses", "what is the pump
        made of", but "what is the pump in", and "what CONTAINS a pump"."""
        words = [(word, start) for word, start in self.words]
        if any(word in HOLDING and start < self.names[0][1] for word, start in words):
            return True
        spoken = {word for word, _ in words}
        if spoken & UPPER_KINDS or "up" in spoken or (spoken & TOP and not spoken & LEVELS):
            return True
        if spoken & LOWER_KINDS:
            return False
        last = self.names[-1][1]
        for lower in (False, True):
            found = [start for word, start in words if word in (LOWER if lower else UPPER)]
            if found:
                return lower if len(self.names) == 1 and max(found) > last else not lower
        return False if spoken & ({"deep", "depth"} | BOTTOM) else True if spoken & TOP else None

    # The query graph -------------------------------------------------------------------------------------------------

    def _asked(self, place: _Place, labels: list[str]) -> Connected | None:
        spoken = [word for word, _ in self.words]
        variable = self._variable("found", labels)
        given = Variable("given", ids=self.names[0][0].ids)
        edge = self._edge("given", "found", place)
        graph = QueryGraph((given, variable), Value("found"), (edge,))
        apart = Condition(Value("found"), "<>", Value("given"))
        levels = self._levels(spoken)
        begins = spoken[0] if spoken else ""
        if len(self.names) == 2:
            return self._of_two(graph, place, begins, spoken)
        if levels:
            length = Condition(Value("w", form="length"), "=" if levels[0] == levels[1] else "<=", (levels[1],))
            graph = replace(graph, conditions=(apart, length))
            return self._run(graph)
        if _measures(spoken):
            return self._run(replace(graph, answer=Aggregate("maximum", Value("w", form="length"))), zero="0")
        if set(spoken) & (TOP if place.upwards else BOTTOM):
            further = self._edge("found", "beyond", place, absent=True)
            graph = replace(graph, variables=(*graph.variables, Variable("beyond")), edges=(edge, further))
        graph = replace(graph, conditions=(apart,))
        if "many" in spoken or "number" in spoken or "count" in spoken:
            return self._run(replace(graph, answer=Aggregate("count", Value("found"))))
        if begins in AUXILIARIES:
            return self._run(replace(graph, answer=Aggregate("exists", Value("found"))))
        return self._run(graph)

    def _variable(self, name: str, labels: Sequence[str]) -> Variable:
        known = reading(self.context)
        return Variable(name, () if known is not None and known.implied else tuple(labels[:1]))

    def _edge(self, start: str, end: str, place: _Place, *, absent: bool = False) -> Edge:
        """From a node to what is further up, or down."""
        forward = place.upwards == place.chain.up
        ends = (start, end) if forward else (end, start)
        name, steps = ("", ONE_STEP) if absent else ("w", ANY_DEPTH)
        return Edge(ends[0], (place.chain.relation,), ends[1], name=name, absent=absent, steps=steps)

    def _levels(self, spoken: Sequence[str]) -> tuple[int, int] | None:
        """ "two levels below": exactly so many; "within two levels": at most."""
        for number, word in enumerate(spoken[:-1]):
            if spoken[number + 1] in LEVELS and (word.isdecimal() or word in NUMBERS):
                most = int(word) if word.isdecimal() else NUMBERS.index(word) + 1
                upto = {"within", "most", "to"} & set(spoken[max(number - 2, 0) : number])
                return (1, most) if upto else (most, most)
        return None

    def _of_two(self, graph: QueryGraph, place: _Place, begins: str, spoken: Sequence[str]) -> Connected | None:
        """Whether one is above or below the other; or what is above, or below, both."""
        other = Variable("other", ids=self.names[1][0].ids)
        if begins in AUXILIARIES:
            # "is A below B": A is what would be found from B
            edge = self._edge("other", "given", place)
            graph = QueryGraph((graph.variables[0], other), Aggregate("exists", Value("given")), (edge,))
            return self._run(graph)
        if not {"common", "both", "shared"} & set(spoken):
            return None
        second = replace(self._edge("other", "found", place), name="v")
        nearest = Arithmetic("+", Value("w", form="length"), Value("v", form="length"))
        graph = replace(graph, variables=(*graph.variables, other), edges=(*graph.edges, second))
        if {"lowest", "nearest", "closest", "first"} & set(spoken):
            graph = replace(graph, selections=(Selection("found", nearest),))
        return self._run(graph)

    def _run(self, graph: QueryGraph, zero: str = "") -> Connected:
        result = run_query(self.context, graph, timeout=LONGEST)
        items = [item for item, _, _ in self.names]
        evidence = () if result.empty else evidence_of(self.context.knowledge, graph, result)
        words = told(self.context, graph, items)
        topics = tuple(item.topic for item in items)
        text = zero if result.empty and zero else ""
        return Connected(graph, words, result, topics, evidence, SURE, text=text)


def _measures(spoken: Sequence[str]) -> bool:
    """Whether a depth is asked for: "how deep", "how many levels", "at what level"."""
    for first, second in zip(spoken, [*spoken[1:], ""], strict=True):
        if first == "how" and second in ("deep", "far", "high"):
            return True
        if first in ("many", "what", "which") and second in LEVELS - {"chain", "hierarchy", "tree"}:
            return True
    return bool({"depth", "height"} & set(spoken))


def _deepened(context: Context, text: str, chains: Sequence[Chain]) -> Connected | None:
    """A question that is read as others are, with its edges of chaining types as ways of any depth."""
    plain, mentions = unbracket(text)
    names = {chain.relation for chain in chains}
    try:
        understood = interpret(context, plain, [(item.start, item.end) for item in mentions])
    except EntityNotFound:
        return None
    for item in understood[:3]:
        graph = item.graph
        edges = tuple(
            replace(edge, steps=ANY_DEPTH, name=edge.name or f"w{number}")
            if {*edge.relations} <= names and not (edge.absent or edge.optional)
            else edge
            for number, edge in enumerate(graph.edges)
        )
        if edges == graph.edges or item.unsaid or item.ignored:
            continue
        graph = replace(graph, edges=edges)
        result = run_query(context, graph, timeout=LONGEST)
        evidence = () if result.empty else evidence_of(context.knowledge, graph, result)
        words = told(context, graph, ())
        return Connected(graph, words, result, (), evidence, READ)
    return None
