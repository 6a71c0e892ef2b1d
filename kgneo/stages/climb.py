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
from kgneo.english.connections import BOTTOM, LEVELS, LOWER, NUMBERS, TOP, UPPER
from kgneo.english.names import is_past, name_words, relation_words, same_root, singular
from kgneo.english.words import ANYBODY, AUXILIARIES, BEING, FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.catalogue import catalogue
from kgneo.graph.run import Result, evidence_of
from kgneo.query.graph import MOST_STEPS, Aggregate, Arithmetic, Condition, Edge, QueryGraph, Selection, Value, Variable
from kgneo.reading.connections import Chained, at_any_depth, with_names
from kgneo.stages.connect import LONGEST, SURE, Connected, Named, named, told
from kgneo.stages.interpret import interpret, reading, run_query
from kgneo.stages.link import unbracket

FOLLOWS = 0.02
"""Share of what a relation leads to from which it goes on, from which on it chains."""
READ = 0.8
"""Confidence in a question that others read, with its edge made one of any depth."""
ALL = frozenset("all every everything everyone everybody whole entire complete full".split())
NOTHING_SAID = ALL | ANYBODY | FUNCTION_WORDS | frozenset(
    "direct directly indirect indirectly chain command hierarchy total altogether list show give find name tell member members "
    "node nodes thing things item items many number count person deepest furthest farthest part".split()
)  # fmt: skip
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
    hinted = bool(spoken & (LOWER | UPPER | LEVELS | TOP | BOTTOM)) or bool(spoken & ALL)
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
    found = tuple(_chain(context, relation, labels) for relation, labels in _chaining(context).items())
    context.memory[MEMORY] = found
    return found


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


def _chain(context: Context, relation: str, labels: frozenset[str]) -> Chain:
    edge = Edge("one", (relation,), "two")
    graph = QueryGraph((Variable("one"), Variable("two")), Aggregate("count", Value("one")), (edge,))
    numbers = [
        float(run_query(context, replace(graph, answer=Aggregate("count", Value(name))), whole=False).answers[0])
        for name in ("one", "two")
    ]
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
        names = self._names()
        if not 1 <= len(names) <= 2:
            return None
        self.names = names
        text = self.chained.text
        plain, _ = unbracket(text)
        lower = plain.lower()
        for number, (item, start, end) in enumerate(names):
            lower = lower[:start] + "\0" * (end - start) + lower[end:]
            del number, item
        self.words = [(match[0].replace("’", "'"), match.start()) for match in WORD.finditer(lower)]
        place = self._place()
        if place is None:
            return None
        left = [word for word, _ in self.words if not self._is_explained(word, place)]
        kinds = {word: label for word in left if (label := self._label(word))}
        if [word for word in left if word not in kinds]:
            return None
        return self._asked(place, list(kinds.values()))

    def _names(self) -> list[tuple[Named, int, int]]:
        """The names of the question: those in brackets, or the longest pieces that name a node."""
        plain, marked = unbracket(self.chained.text)
        try:
            if marked:
                found = [(named(self.context, f"[{item.text}]"), item.start, item.end) for item in marked]
                return [(item, start, end) for item, start, end in found if item is not None]
        except EntityNotFound:
            return []
        spots = [(match.start(), match.end()) for match in re.finditer(r"[^\s?,;!]+", plain)]
        names = self.context.knowledge.names
        pieces = {
            (first, last): re.sub(r"['’]s$", "", plain[spots[first][0] : spots[last][1]].rstrip(".")).strip('"“”')
            for first in range(len(spots))
            for last in range(first, min(first + 8, len(spots)))
        }
        looked = names.by_folded_name(set(pieces.values()))
        taken: list[tuple[int, int]] = []
        result: list[tuple[Named, int, int]] = []
        from kgneo.text import fold

        for first, last in sorted(pieces, key=lambda pair: pair[0] - pair[1]):
            piece = pieces[first, last]
            there = looked.get(fold(piece), ())
            common = all(word.lower() in FUNCTION_WORDS | LOWER | UPPER | LEVELS | ALL for word in piece.split())
            if there and not common and not any(first <= two and one <= last for one, two in taken):
                taken.append((first, last))
                start = spots[first][0]
                entities = tuple(item.entity for item in there)
                result.append((Named(piece, entities), start, start + len(piece)))
        return sorted(result, key=lambda item: item[1])

    def _label(self, word: str) -> str:
        known = reading(self.context)
        labels = known.fits.label(singular(word)) if known else {}
        best = max(labels, key=lambda label: labels[label], default="")
        return best if best and labels[best] >= 0.7 else ""

    def _is_explained(self, word: str, place: _Place) -> bool:
        about = LOWER | UPPER | LEVELS | TOP | BOTTOM | NOTHING_SAID
        return word in place.said or word in about or word.isdecimal() or word in NUMBERS

    # Which type, and which way ---------------------------------------------------------------------------------------

    def _place(self) -> _Place | None:
        for chain in self.chains:
            if (found := self._by_type(chain)) is not None:
                return found
        labels = {label for item, _, _ in self.names for entity in item.entities for label in entity.labels}
        fitting = [chain for chain in self.chains if not chain.labels or labels & chain.labels]
        upwards = self._by_direction()
        if len(fitting) != 1 or upwards is None:
            return None
        return _Place(fitting[0], upwards, frozenset())

    def _by_type(self, chain: Chain) -> _Place | None:
        """By a word of the type's own name: is what is asked for its subject or its object?"""
        own, is_verb = relation_words(chain.relation)
        telling = [word for word in own if word not in FUNCTION_WORDS]
        begins = self.names[0][1]
        for number, (word, start) in enumerate(self.words):
            if not any(same_root(word, part) for part in telling):
                continue
            after = self.words[number + 1][0] if number + 1 < len(self.words) else ""
            name_after = self.names[-1][1] > start if len(self.names) == 1 else True
            possessive = any(end <= start and self.chained.text for _, _, end in self.names) and self._possessed(number)
            if not (self.chained.said or {word for word, _ in self.words} & (ALL | LEVELS | TOP | BOTTOM)):
                return None
            before = [word for word, _ in self.words[:number]]
            passive = is_past(word) and any(word in BEING for word in before) and not is_past(own[-1])
            forward = not is_verb  # objects are asked for: "parts of X"
            if is_verb and passive:
                forward = True
            if not name_after and not possessive:
                forward = not forward
            if len(self.names) == 2:
                forward = not is_verb if after in ("of", "in", "for") or not is_verb else False
            del begins
            return _Place(chain, forward == chain.up, frozenset({word}))
        return None

    def _possessed(self, number: int) -> bool:
        """Whether a word stands behind a name with "'s"."""
        return number > 0 and self.words[number - 1][0] in ("'s", "s")

    def _by_direction(self) -> bool | None:
        spoken = [word for word, _ in self.words]
        lower = [word for word in spoken if word in LOWER]
        upper = [word for word in spoken if word in UPPER or word in TOP]
        depth = {"deep", "depth"} & set(spoken)
        if not lower and not upper:
            return False if depth or {*spoken} & BOTTOM else None
        if lower and upper and not {*spoken} & TOP:
            return None
        upwards = bool(upper)
        place = max(start for word, start in self.words if word in (upper if upwards else lower))
        turned = len(self.names) == 1 and self.names[0][1] < place and not self._is_noun(upper or lower)
        return not upwards if turned else upwards

    def _is_noun(self, words: Sequence[str]) -> bool:
        """ "Ann's superiors": a noun keeps its direction behind a name."""
        return any(word.endswith(("ant", "ants", "or", "ors", "ates", "ate", "top", "root", "head")) for word in words)

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
        name, steps = ("", (1, 1)) if absent else ("w", (1, MOST_STEPS))
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
        return Connected(graph, words, result, topics, evidence, SURE, _cut(self.context, graph, result), text=text)


def _measures(spoken: Sequence[str]) -> bool:
    """Whether a depth is asked for: "how deep", "how many levels", "at what level"."""
    for first, second in zip(spoken, [*spoken[1:], ""], strict=True):
        if first == "how" and second in ("deep", "far", "high"):
            return True
        if first in ("many", "what", "which") and second in LEVELS - {"chain", "hierarchy", "tree"}:
            return True
    return bool({"depth", "height"} & set(spoken))


def _cut(context: Context, graph: QueryGraph, result: Result) -> tuple[str, ...]:
    """A warning where there may be more than the most steps lead to: so many nodes at least are found then."""
    if len(result.nodes) + result.more < MOST_STEPS:
        return ()
    way = next((edge for edge in graph.edges if edge.is_way and edge.steps[1] == MOST_STEPS), None)
    if way is None or not isinstance(graph.answer, Value):
        return ()
    furthest = replace(graph, answer=Aggregate("maximum", Value(way.name, form="length")), selections=())
    found = run_query(context, furthest, timeout=LONGEST, whole=False).answers
    if found and found[0] == str(MOST_STEPS):
        return (f"Only what {MOST_STEPS} steps or fewer lead to was looked at: there may be more.",)
    return ()


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
            replace(edge, steps=(1, MOST_STEPS), name=edge.name or f"w{number}")
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
        return Connected(graph, words, result, (), evidence, READ, _cut(context, graph, result))
    return None


__all__ = ["Chain", "chains_of", "climb", "name_words"]
