"""Connect: what a question asks of ways between things, as query graphs that are run.

Comes in: a question. Goes out: what was found, where one of the constructions of `kgneo.english.connections` is the
whole question and its names are names of the graph; else None, and the question is for other stages. What is above and
below something, at any depth, is for `kgneo.stages.climb`.

Between two things, all shortest ways count, of any types, either way. They are put in order by how rare their steps
are: a way through a node with few relationships says more than one through a country. Where all of them pass such a
node, ways that pass none are looked for, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from kgneo.context import Context
from kgneo.english.connections import (
    ALL,
    CONNECTED,
    LEVELS,
    LOWER,
    LOWER_KINDS,
    NUMBERS,
    SAID_WITH,
    STEPS,
    TOP,
    UPPER,
    UPPER_KINDS,
)
from kgneo.english.names import is_noun, name_words, same_root, singular
from kgneo.english.words import FUNCTION_WORDS, MEASURES
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph.run import Result, Way, evidence_of
from kgneo.model import AnswerNode, Entity, Evidence, Table, TopicEntity
from kgneo.query.graph import ANY_DEPTH, Aggregate, Condition, Edge, QueryGraph, Scalar, Value, Variable
from kgneo.query.wording import wording
from kgneo.reading.connections import MOST_UNSAID, Asked, Span, asked_of, at_any_depth, with_names
from kgneo.stages.interpret import reading, run_query
from kgneo.stages.link import not_found, unbracket
from kgneo.text import fold

NEAR = 6
"""Steps of ways that are looked for past busy nodes, and where looking for any takes too long."""
LIKE, NEXT = 0.35, 0.1
"""How surely a word means a relationship type, from which on it does, and by how much others may fit less."""
NAMED = 0.7
"""How surely a word means a label, from which on it names it."""
LONGEST_NAME = 8
"""Words of a name that is looked for in a question."""
BUSY = 50
"""Relationships of a node from which on what it joins may be anything."""
MOST_SHOWN = 10
"""Ways past busy nodes that are shown beside the shortest ones."""
LONGEST = 5.0
"""Seconds that one query may take."""
MOST_NAMESAKES = 20
CUED = (
    CONNECTED
    | STEPS
    | {"within", "common", "mutual", "share", "shared", "shares", "between", "far", "distance", "close"}
)
"""Words without one of which no question asks of connections."""
SURE, LEFT = 0.95, 0.6
"""Confidence, and the share of it that is left where a word for what is asked for fits nothing."""


@dataclass(frozen=True, slots=True)
class Named:
    """The nodes that a piece of text names, the first of which is the one with most relationships; `kind` are the words
    before the name that say what it is."""

    text: str
    entities: tuple[Entity, ...]
    kind: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Their element ids."""
        return tuple(item.id for item in self.entities)

    @property
    def topic(self) -> TopicEntity:
        """The first as a topic entity."""
        return TopicEntity(self.entities[0], self.text)


@dataclass(frozen=True, slots=True)
class Connected:
    """What was found: the query graph with its words and result, the nodes that are named, the triples, and what is to
    be said besides. `told` are the answers where they are not the result's: the nodes on its ways. `beyond` are ways
    past what has many relationships."""

    graph: QueryGraph
    wording: str
    result: Result
    topics: tuple[TopicEntity, ...]
    evidence: tuple[Evidence, ...]
    confidence: float = SURE
    warnings: tuple[str, ...] = ()
    told: tuple[AnswerNode, ...] | None = None
    beyond: tuple[Way, ...] = ()
    beyond_wording: str = ""
    beyond_evidence: tuple[Evidence, ...] = ()
    text: str = ""
    kinds: tuple[str, ...] = ()


def connect(context: Context, question: str, entities: Sequence[str] = ()) -> Connected | None:
    """What `question` asks of connections, answered; None where it asks for something else. Raises GraphTimeout."""
    text = with_names(question, tuple(entities))
    plain = unbracket(text)[0]
    spoken = CUED & set(re.findall(r"\w+", plain.lower()))
    if not spoken or any(is_own(context, word) for word in spoken):
        return None
    try:
        names = names_in(context, text)
    except EntityNotFound:  # other stages look further, and say so
        return None
    asked = asked_of(plain, [(start, end) for _, start, end in names]) if names else None
    if asked is None or (asked.asks == "common" and at_any_depth(plain).said):
        return None
    named_ = [item for item, _, _ in names]
    kinds = {word for item in named_ for word in item.kind if _is_label(word, item.entities[0].labels)}
    rest = tuple(word for word in asked.rest if word not in kinds)
    if any(_is_of_relationship(context, word) for word in rest):
        return None
    return _Connecting(context, replace(asked, rest=rest), named_).answered()


def every_relation(context: Context) -> tuple[str, ...]:
    """The relationship types that take part, in the order of the statistics."""
    return tuple(dict.fromkeys(hop.relation for hop in context.record.statistics.hops if not hop.value))


def relations_named(context: Context, words: Sequence[str]) -> tuple[str, ...]:
    """The relationship types whose names have one of these words."""
    found = []
    for relation in every_relation(context):
        parts = [part for part in name_words(relation) if part not in FUNCTION_WORDS]
        if any(same_root(word, part) for word in words for part in parts):
            found.append(relation)
    return tuple(found)


def label_of(context: Context, word: str) -> str:
    """The label, or implied class, that a word surely names; empty where it names none."""
    known = reading(context)
    labels = known.fits.label(singular(word)) if known else {}
    best = max(labels, key=lambda label: labels[label], default="")
    return best if best and labels[best] >= NAMED else ""


def is_own(context: Context, word: str) -> bool:
    """Whether a graph has a name of its own for something with this word: a distance, a route; "far" asks for the
    first."""
    known = reading(context)
    if known is None:
        return False
    said = (word, singular(word), *MEASURES.get(word, ()))
    return any(one in known.fits.own_words.get(one[:1], frozenset()) for one in said)


def _is_of_relationship(context: Context, word: str) -> bool:
    """Whether a word surely names what relationships have, which is what is asked for: "the WEIGHT of the interaction
    between X and Y"."""
    known = reading(context)
    return known is not None and any(fit >= NAMED for key, fit in known.fits.key(word).items() if key.of_edge)


Placed = tuple[Named, int, int]
"""What a piece of a question names, and where the piece begins and ends in the question without its brackets."""


def names_in(context: Context, text: str) -> list[Placed]:
    """What a question names, in its order: what is in brackets, or the longest pieces that name a node. Raises
    EntityNotFound for a name in brackets that there is not."""
    plain, marked = unbracket(text)
    if marked:
        found = [(named(context, f"[{item.text}]"), item.start, item.end) for item in marked]
        return [(item, start, end) for item, start, end in found if item is not None]
    spots = [match.span() for match in re.finditer(r"[^\s?,;:!]+", plain)]
    pieces: dict[Span, str] = {}
    for first in range(len(spots)):
        for last in range(first, min(first + LONGEST_NAME, len(spots))):
            start, end = spots[first][0], spots[last][1]
            for piece in _spellings(plain[start:end]):
                begin = start + plain[start:end].index(piece)
                pieces[begin, begin + len(piece)] = piece
    looked = context.knowledge.names.by_folded_name(set(pieces.values()))
    together = _in_two_parts(context, [piece for piece in pieces.values() if not looked.get(fold(piece))])
    taken: list[Placed] = []
    for (start, end), piece in sorted(pieces.items(), key=lambda item: item[0][0] - item[0][1]):
        if any(start < other_end and other < end for _, other, other_end in taken):
            continue
        entities = tuple(item.entity for item in looked.get(fold(piece), ()))[:MOST_NAMESAKES]
        entities = entities or together.get(piece, ())
        if not entities and " " not in piece and any(sign.isdigit() for sign in piece):
            entities = _by_value(context, piece)
        if entities and not _is_common(piece) and not _is_named_by_schema(context, piece):
            before = tuple(re.findall(r"\w+", plain[:start].lower())[-1:])
            item = _of_kind(Named(piece, _exact(entities, piece), before))
            if not piece.isdecimal() or _says_kind(item):
                taken.append((item, start, end))
    return sorted(taken, key=lambda item: item[1])


def _in_two_parts(context: Context, pieces: Sequence[str]) -> dict[str, tuple[Entity, ...]]:
    """The nodes that two properties name together, such as a first and a last name, by pieces of two words."""
    known = reading(context)
    pairs = {piece: (fold(words[0]), fold(words[1])) for piece in pieces if len(words := piece.split()) == 2}
    if known is None or context.shape.loaded or not pairs:
        return {}
    entries = known.dictionary.lookup({word for pair in pairs.values() for word in pair})
    found: dict[str, tuple[Entity, ...]] = {}
    for piece, (first, second) in pairs.items():
        for one, two in product(entries.get(first, ()), entries.get(second, ())):
            if one.owner == two.owner and one.key != two.key and not (one.of_edge or two.of_edge):
                nodes = _with_values(context, one.owner, {one.key: one.value, two.key: two.value})
                found[piece] = found.get(piece, ()) + tuple(Entity(piece, node.labels, node.id) for node in nodes)
    return {piece: tuple(dict.fromkeys(entities)) for piece, entities in found.items() if entities}


def _with_values(context: Context, label: str, values: Mapping[str, Scalar]) -> tuple[AnswerNode, ...]:
    """The nodes of a label whose properties have these values."""
    tests = tuple(Condition(Value("x", key), "=", (value,)) for key, value in values.items())
    graph = QueryGraph((Variable("x", (label,)),), Value("x"), conditions=tests)
    return run_query(context, graph, limit=MOST_NAMESAKES, timeout=LONGEST, whole=False).nodes


def _spellings(piece: str) -> set[str]:
    """A piece as it is, and without the marks and the possessive around it."""
    bare = piece.strip(".\"'“”‘’()")
    return {text for text in (piece, piece.strip('"“”'), bare, re.sub(r"['’]s?$", "", bare)) if text}


def _is_common(piece: str) -> bool:
    """Whether a name in small letters is made of words that cues are made of, too."""
    common = SAID_WITH | FUNCTION_WORDS | LOWER | UPPER | LEVELS | ALL | LOWER_KINDS | UPPER_KINDS | TOP | {*NUMBERS}
    return all(word in common for word in piece.lower().split()) and not (" " in piece and piece != piece.lower())


def _is_named_by_schema(context: Context, piece: str) -> bool:
    """Whether a word in small letters is a noun for things of the graph, whatever else is called so: "actors"."""
    return piece == piece.lower() and " " not in piece and is_own(context, piece)


def named(context: Context, text: str) -> Named | None:
    """The nodes that a text names. Raises EntityNotFound for a name in brackets that there is not."""
    plain, marked = unbracket(text)
    name = marked[0].text if marked else plain
    found = _entities(context, name)
    if not found and marked:
        raise not_found(context.knowledge, name)
    return Named(name, found) if found else None


def _exact(found: tuple[Entity, ...], text: str) -> tuple[Entity, ...]:
    """Those that are spelt so, where any are."""
    return tuple(item for item in found if item.name == text) or found


def _of_kind(item: Named) -> Named:
    """Of several namesakes those that are of the kind that is said before the name."""
    kept = [entity for entity in item.entities if any(_is_label(word, entity.labels) for word in item.kind)]
    return replace(item, entities=tuple(kept) or item.entities)


def _says_kind(item: Named) -> bool:
    """Whether the noun for what a number names stands before it: "customer 10", and not "older than 10"."""
    return any(_is_label(word, entity.labels) for word in item.kind for entity in item.entities)


def _is_label(word: str, labels: Iterable[str]) -> bool:
    return any(is_noun(word, part) for label in labels for part in name_words(label))


def _entities(context: Context, text: str) -> tuple[Entity, ...]:
    looked = context.knowledge.names.by_folded_name([text]).get(fold(text), [])
    found = _exact(tuple(item.entity for item in looked)[:MOST_NAMESAKES], text)
    return found or _in_two_parts(context, [text]).get(text, ()) or _by_value(context, text)


def _by_value(context: Context, text: str) -> tuple[Entity, ...]:
    """The nodes of which a property other than the name that is shown has this value, and identifies them."""
    known = reading(context)
    if known is None or context.shape.loaded:
        return ()
    for entry in known.dictionary.lookup([fold(text)]).get(fold(text), ()):
        if entry.of_edge or entry.times > MOST_NAMESAKES:
            continue
        nodes = _with_values(context, entry.owner, {entry.key: entry.value})
        if nodes:
            return tuple(Entity(node.names[0], node.labels, node.id) for node in nodes)
    return ()


@dataclass
class _Connecting:
    """One question on its way to an answer, with what it names."""

    context: Context
    asked: Asked
    names: Sequence[Named]
    warnings: tuple[str, ...] = ()
    sure: float = SURE

    def answered(self) -> Connected | None:
        asks = self.asked.asks
        if asks == "within":
            return self._within()
        if asks == "common":
            return self._common()
        if asks == "between":
            return self._between()
        along = relations_named(self.context, self.asked.rest)
        left = [word for word in self.asked.rest if not relations_named(self.context, [word])]
        if left and asks in ("ways", "shortest"):
            return None
        if not self._leave_out([word for word in left if not label_of(self.context, word)]):
            return None
        return self._ways(along)

    def _leave_out(self, words: Sequence[str]) -> bool:
        """Whether a question may be answered without some of its words, and less surely."""
        if len(words) > MOST_UNSAID:
            return False
        self.sure *= LEFT ** len(words)
        self.warnings += (f"Ignored: {', '.join(map(repr, words))}.",) if words else ()
        return True

    # Between two things ----------------------------------------------------------------------------------------------

    def _ways(self, along: tuple[str, ...]) -> Connected | None:
        asks, most = self.asked.asks, self.asked.steps[1]
        answers: dict[str, Value | Aggregate] = {
            "length": Value("w", form="length"),
            "exists": Aggregate("exists", Value("two")),
        }
        found = self._run(self._graph(answers.get(asks, Value("w")), along, (1, max(most, 2)) if most else ANY_DEPTH))
        if found is None:
            return None
        graph, result = found
        connected = self._connected(graph, result)
        if result.empty and asks != "exists":
            return replace(connected, text="not connected")
        return self._beyond(connected, along) if asks == "ways" and result.ways else connected

    def _graph(self, answer: Value | Aggregate, along: tuple[str, ...], steps: tuple[int, int]) -> QueryGraph:
        """Ways from one end to the other: either way, unless the question says along what they lead."""
        edge = Edge("one", along, "two", name="w", directed=bool(along), steps=steps)
        one, two = (self.names[number] for number in self.asked.ends)
        there = {"one": one, "two": two}
        if self.asked.avoided is not None:
            there["avoided"] = self.names[self.asked.avoided]
            edge = replace(edge, avoiding=("avoided",))
        return QueryGraph(tuple(Variable(name, ids=item.ids) for name, item in there.items()), answer, (edge,))

    def _beyond(self, connected: Connected, along: tuple[str, ...]) -> Connected:
        """With the ways that pass no busy node, where all of the shortest ones do."""
        ways = connected.result.ways
        busiest = [way.busiest for way in ways]
        if not all(item is not None and item[1] > BUSY for item in busiest):
            return connected
        graph = self._graph(Value("w"), along, (1, NEAR))
        graph = replace(graph, edges=tuple(replace(edge, busiest=BUSY) for edge in graph.edges))
        found = self._run(graph, limit=MOST_SHOWN)
        through = list(dict.fromkeys(f"{name} ({number:,} relationships)" for name, number in filter(None, busiest)))
        told = f"Every shortest way passes something that joins very much: {', '.join(through[:3])}."
        if found is None or found[1].empty:
            return replace(connected, warnings=(*connected.warnings, told))
        evidence = evidence_of(self.context.knowledge, graph, found[1])
        return replace(
            connected,
            warnings=(*connected.warnings, f"{told} The other ways pass nothing of the kind."),
            beyond=found[1].ways,
            beyond_wording=self._wording(graph),
            beyond_evidence=evidence,
        )

    def _between(self) -> Connected | None:
        """What of a kind is on the shortest ways, or what kinds of things are."""
        labels = {label for word in self.asked.rest if (label := label_of(self.context, word))}
        if not self._leave_out([word for word in self.asked.rest if not label_of(self.context, word)]):
            return None
        connected = self._ways(())
        if connected is None:
            return None
        every = {node.id: node for way in connected.result.ways for node in way.nodes[1:-1]}
        nodes = [node for node in every.values() if not labels or self._is_of(node, labels)]
        if self.asked.kinds:
            kinds = tuple(sorted({label for node in nodes for label in node.labels}))
            return replace(connected, told=(), kinds=kinds)
        return replace(connected, told=tuple(nodes), text="" if nodes else "none on a shortest way")

    def _is_of(self, node: AnswerNode, labels: set[str]) -> bool:
        known = reading(self.context)
        if known is None or known.implied is None or known.implied.labelled:
            return bool(labels & set(node.labels))
        entries = known.dictionary.lookup([fold(node.names[0])]).get(fold(node.names[0]), ())
        return any(entry.owner in labels for entry in entries)

    # Near one, and joined to both ------------------------------------------------------------------------------------

    def _within(self) -> Connected | None:
        least, most = self.asked.steps
        wanted = tuple(label for word in self.asked.rest if (label := label_of(self.context, word)))[:1]
        if not self._leave_out([word for word in self.asked.rest if not label_of(self.context, word)]):
            return None
        known = reading(self.context)
        implied = known.implied if known else None
        variable = Variable("near", () if implied else wanted)
        edge = Edge("one", (), "near", name="w", directed=False, steps=(least, max(most, 2)))
        apart = Condition(Value("near"), "<>", Value("one"))
        given = Variable("one", ids=self.names[self.asked.ends[0]].ids)
        graph = QueryGraph((given, variable), Value("near"), (edge,), (apart,))
        if most == 1:
            graph = replace(graph, conditions=(apart, Condition(Value("w", form="length"), "=", (1,))))
        elif least == most:
            graph = self._exactly(graph, most)
        graph = implied.of_kind(graph, "near", wanted[0]) if implied and wanted else graph
        found = self._run(graph)
        return None if found is None else self._connected(*found)

    def _exactly(self, graph: QueryGraph, steps: int) -> QueryGraph:
        """What is so many steps away, and no fewer."""
        edge = replace(graph.edges[0], steps=(1, steps))
        test = Condition(Value("w", form="length"), "=", (steps,))
        return replace(graph, edges=(edge,), conditions=(*graph.conditions, test))

    def _common(self) -> Connected | None:
        """What both are joined to, by one relationship each."""
        rest = self.asked.rest
        kinds = {word: label for word in rest if (label := label_of(self.context, word))}
        labels = list(kinds.values())
        relations = relations_named(self.context, rest)
        unknown = [word for word in rest if word not in kinds and not relations_named(self.context, [word])]
        if unknown and not labels and not relations:
            relations = self._like(unknown)
            unknown = [] if relations else unknown
        if not self._leave_out(unknown):
            return None
        joined = relations or every_relation(self.context)
        known = reading(self.context)
        implied = known.implied if known else None
        variables = (
            Variable("both", () if implied else tuple(labels[:1])),
            Variable("one", ids=self.names[self.asked.ends[0]].ids),
            Variable("two", ids=self.names[self.asked.ends[1]].ids),
        )
        edges = tuple(Edge("both", joined, name, directed=False) for name in ("one", "two"))
        graph = QueryGraph(variables, Value("both"), edges)
        graph = implied.of_kind(graph, "both", labels[0]) if implied and labels else graph
        found = self._run(graph)
        return None if found is None else self._connected(*found)

    # Words -----------------------------------------------------------------------------------------------------------

    def _like(self, words: Sequence[str]) -> tuple[str, ...]:
        """The relationship types whose names mean most nearly what one of the words does."""
        known = reading(self.context)
        scores: dict[str, float] = {}
        for word in words if known else ():
            fits = known.fits.of(singular(word))[1] if known else ()
            for relation, score in zip(known.fits.relations if known else (), fits, strict=True):
                scores[relation] = max(scores.get(relation, 0.0), float(score))
        best = max(scores.values(), default=0.0)
        self.sure *= LEFT
        return tuple(relation for relation, score in scores.items() if score >= max(LIKE, best - NEXT))

    # Running ---------------------------------------------------------------------------------------------------------

    def _run(self, graph: QueryGraph, limit: int | None = None) -> tuple[QueryGraph, Result] | None:
        """A query graph with its result; with fewer steps where it takes too long, None where that does, too."""
        for _ in range(3):
            try:
                return graph, run_query(self.context, graph, timeout=LONGEST, limit=limit)
            except GraphTimeout:
                edge = graph.edges[0]
                if not edge.is_way or edge.steps[1] == 2 or self.asked.asks == "within":
                    raise
                fewer = max((edge.steps[1] or 2 * NEAR) // 2, 2)
                graph = replace(graph, edges=(replace(edge, steps=(edge.steps[0], fewer)), *graph.edges[1:]))
                self.warnings = (f"Ways of more than {fewer} steps were not looked for: that took too long.",)
        return None

    def _connected(self, graph: QueryGraph, result: Result) -> Connected:
        evidence = () if result.empty else evidence_of(self.context.knowledge, graph, result)
        topics = tuple(item.topic for item in self.names)
        return Connected(graph, self._wording(graph), result, topics, evidence, self.sure, self.warnings)

    def _wording(self, graph: QueryGraph) -> str:
        return told(self.context, graph, self.names)


def told(context: Context, graph: QueryGraph, named_: Iterable[Named]) -> str:
    """The words of a query graph with the names of its given nodes."""
    nodes = {entity.id: entity.name for item in named_ for entity in item.entities}
    return wording(graph, nodes=nodes, names=context.record.statistics.readable_names)


def table_of(ways: Sequence[Way]) -> Table:
    """Ways with their number of steps, and what on each has the most relationships: the fewer, the more it says."""
    rows = []
    for way in ways:
        busiest = way.busiest
        through = f"{busiest[0]} ({busiest[1]:,} relationships)" if busiest else None
        rows.append((str(way), len(way.hops), through))
    return Table(("way", "steps", "busiest on it"), tuple(rows))
