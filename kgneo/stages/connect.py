"""Connect: what a question asks of ways between things, as query graphs that are run.

Comes in: a question. Goes out: what was found, where one of the constructions of `kgneo.english.connections` is the
whole question and its names are names of the graph; else None, and the question is for other stages. What is above and
below something, at any depth, is for `kgneo.stages.climb`.

Between two things, all shortest ways count, of any types, either way. They are put in order by how rare their steps
are: a way through a node with few relationships says more than one through a country. Where all of them pass such a
node, ways that pass none are looked for, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from kgneo.context import Context
from kgneo.english.connections import CLASSES
from kgneo.english.names import is_noun, name_words, same_root, singular
from kgneo.english.words import ANYBODY, ARTICLES, FUNCTION_WORDS
from kgneo.errors import EntityNotFound, GraphTimeout
from kgneo.graph.run import Result, Way, evidence_of
from kgneo.model import AnswerNode, Entity, Evidence, Table, TopicEntity
from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.wording import wording
from kgneo.reading.connections import Asked, asked_of, with_names
from kgneo.stages.interpret import reading, run_query
from kgneo.stages.link import not_found, unbracket
from kgneo.text import fold

NEAR, FAR = 6, 20
"""Steps between two things that are looked for, at first and where there is no way so short."""
BUSY = 50
"""Relationships of a node from which on what it joins may be anything."""
MOST_SHOWN = 10
"""Ways past busy nodes that are shown beside the shortest ones."""
LONGEST = 5.0
"""Seconds that one query may take."""
MOST_NAMESAKES = 20
TRIED = 12
"""Ways to fill the constructions that are looked up."""
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


def connect(context: Context, question: str, entities: Sequence[str] = ()) -> Connected | None:
    """What `question` asks of connections, answered; None where it asks for something else.

    Raises EntityNotFound for a name in brackets that the graph does not have, and GraphTimeout.
    """
    known: dict[str, Named | None] = {}
    for asked in islice(asked_of(with_names(question, tuple(entities))), TRIED):
        found = _named_in(context, asked, known)
        if found is not None:
            connected = _Connecting(context, asked, found).answered()
            if connected is not None:
                return connected
    return None


def _named_in(context: Context, asked: Asked, known: dict[str, Named | None]) -> dict[str, Named] | None:
    """The nodes of all slots that are names; None where one of them names nothing."""
    found: dict[str, Named] = {}
    for slot in ("one", "other", "avoided"):
        text = getattr(asked, slot)
        if text and text not in known:
            known[text] = named(context, text)
        if text and known[text] is None:
            return None
        if text and (item := known[text]) is not None:
            found[slot] = item
    return found


def named(context: Context, text: str) -> Named | None:
    """The nodes that a text names: by its last words, where those before them say what kind of thing it is. Raises
    EntityNotFound for a name in brackets that there is not."""
    plain, marked = unbracket(text)
    names = context.knowledge.names
    if marked:
        found = _entities(context, marked[0].text)
        if not found:
            raise not_found(context.knowledge, marked[0].text)
        return _of_kind(Named(marked[0].text, found, tuple(plain[: marked[0].start].lower().split())))
    words = plain.strip(" \"'“”‘’").split()
    spans = [(place, " ".join(words[place:])) for place in range(min(len(words), 4))]
    spans = [(place, span.removesuffix("'s").removesuffix("’s")) for place, span in spans]
    looked = names.by_folded_name([span for _, span in spans])
    for place, span in spans:
        before = [word.lower() for word in words[:place]]
        there = tuple(item.entity for item in looked.get(fold(span), ()))[:MOST_NAMESAKES]
        there = there or (_by_value(context, span) if len(span) > 1 else ())
        if there and all(_says_kind(context, word) for word in before):
            return _of_kind(Named(span, _exact(there, span), tuple(before)))
    return None


def _exact(found: tuple[Entity, ...], text: str) -> tuple[Entity, ...]:
    """Those that are spelt so, where any are."""
    return tuple(item for item in found if item.name == text) or found


def _of_kind(item: Named) -> Named:
    """Of several namesakes those that are of the kind that is said before the name."""
    kept = [entity for entity in item.entities if any(_is_label(word, entity.labels) for word in item.kind)]
    return replace(item, entities=tuple(kept) or item.entities)


def _is_label(word: str, labels: Iterable[str]) -> bool:
    return any(is_noun(word, part) for label in labels for part in name_words(label))


def _says_kind(context: Context, word: str) -> bool:
    """Whether a word before a name says what kind of thing it is, or nothing."""
    if word in ARTICLES or word in FUNCTION_WORDS:
        return True
    known = reading(context)
    return known is not None and max(known.fits.label(singular(word)).values(), default=0.0) >= 0.7


def _entities(context: Context, text: str) -> tuple[Entity, ...]:
    looked = context.knowledge.names.by_folded_name([text]).get(fold(text), [])
    return _exact(tuple(item.entity for item in looked)[:MOST_NAMESAKES], text) or _by_value(context, text)


def _by_value(context: Context, text: str) -> tuple[Entity, ...]:
    """The nodes of which a property other than the name that is shown has this value, and identifies them."""
    known = reading(context)
    if known is None or context.shape.loaded:
        return ()
    for entry in known.dictionary.lookup([fold(text)]).get(fold(text), ()):
        if entry.of_edge or entry.times > MOST_NAMESAKES:
            continue
        graph = QueryGraph(
            (Variable("x", (entry.owner,)),),
            Value("x"),
            conditions=(Condition(Value("x", entry.key), "=", (entry.value,)),),
        )
        nodes = run_query(context, graph, limit=MOST_NAMESAKES, timeout=LONGEST, whole=False).nodes
        if nodes:
            return tuple(Entity(node.names[0], node.labels, node.id) for node in nodes)
    return ()


@dataclass
class _Connecting:
    """One reading of a question, on its way to an answer."""

    context: Context
    asked: Asked
    found: Mapping[str, Named]
    warnings: tuple[str, ...] = ()

    def answered(self) -> Connected | None:
        asks = self.asked.asks
        if asks == "within":
            return self._within()
        if asks == "common":
            return self._common()
        if asks == "between":
            return self._between()
        along = self._along()
        return None if along is None else self._ways(along)

    # Between two things ----------------------------------------------------------------------------------------------

    def _ways(self, along: tuple[str, ...]) -> Connected | None:
        asks, most = self.asked.asks, self.asked.steps[1]
        answers = {"length": Value("w", form="length"), "exists": Aggregate("exists", Value("two"))}
        answer = answers.get(asks, Value("w"))
        found = None
        for bound in [most] if most else [NEAR, FAR]:
            graph = self._graph(answer, along, bound)
            found = self._run(graph)
            if found is None:
                break
            if not found[1].empty:
                break
        if found is None:
            return None
        graph, result = found
        connected = self._connected(graph, result)
        if result.empty and asks != "exists":
            text = f"not connected within {graph.edges[0].steps[1]} steps"
            return replace(connected, text=text)
        return self._beyond(connected, along) if asks == "ways" and result.ways else connected

    def _graph(self, answer: Value | Aggregate, along: tuple[str, ...], most: int) -> QueryGraph:
        edge = Edge("one", along, "two", name="w", directed=False, steps=(1, max(most, 2)))
        variables = (Variable("one", ids=self.found["one"].ids), Variable("two", ids=self.found["other"].ids))
        if "avoided" in self.found:
            edge = replace(edge, avoiding=("avoided",))
            variables = (*variables, Variable("avoided", ids=self.found["avoided"].ids))
        return QueryGraph(variables, answer, (edge,))

    def _along(self) -> tuple[str, ...] | None:
        """The relationship types that a way is to lead along; none: any; None where the words name no type."""
        if not self.asked.along:
            return ()
        return self._relations(self.asked.along.split()) or None

    def _relations(self, words: Sequence[str]) -> tuple[str, ...]:
        """The relationship types whose names have one of these words."""
        wanted = [word.lower().strip("'\"`_") for word in words]
        wanted = [part for word in wanted for part in name_words(word) if part not in FUNCTION_WORDS]
        found = []
        for relation in dict.fromkeys(hop.relation for hop in self.context.record.statistics.hops if not hop.value):
            parts = name_words(relation)
            if any(same_root(word, part) for word in wanted for part in parts if part not in FUNCTION_WORDS):
                found.append(relation)
        return tuple(found)

    def _beyond(self, connected: Connected, along: tuple[str, ...]) -> Connected:
        """With the ways that pass no busy node, where all of the shortest ones do."""
        ways = connected.result.ways
        busiest = [way.busiest for way in ways]
        if not all(item is not None and item[1] > BUSY for item in busiest):
            return connected
        graph = self._graph(Value("w"), along, NEAR)
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
        """What of a kind is on the shortest ways."""
        words = self._kind_words()
        labels = [self._label(word) for word in words]
        connected = self._ways(())
        if connected is None or (words and not any(labels)):
            return None
        wanted = {label for label in labels if label}
        nodes: dict[str, AnswerNode] = {}
        for way in connected.result.ways:
            for node in way.nodes[1:-1]:
                if not wanted or self._is_of(node, wanted):
                    nodes.setdefault(node.id, node)
        return replace(connected, told=tuple(nodes.values()), text="" if nodes else "none on a shortest way")

    def _is_of(self, node: AnswerNode, labels: set[str]) -> bool:
        known = reading(self.context)
        if known is None or known.implied is None or known.implied.labelled:
            return bool(labels & set(node.labels))
        entries = known.dictionary.lookup([fold(node.names[0])]).get(fold(node.names[0]), ())
        return any(entry.owner in labels for entry in entries)

    # Near one, and joined to both ------------------------------------------------------------------------------------

    def _within(self) -> Connected | None:
        least, most = self.asked.steps
        words = self._kind_words()
        labels = [self._label(word) for word in words]
        if words and not any(labels):
            return None
        wanted = tuple(label for label in labels[-1:] if label)
        known = reading(self.context)
        implied = known.implied if known else None
        variable = Variable("near", () if implied else wanted)
        edge = Edge("one", (), "near", name="w", directed=False, steps=(least, max(most, 2)))
        apart = Condition(Value("near"), "<>", Value("one"))
        graph = QueryGraph((Variable("one", ids=self.found["one"].ids), variable), Value("near"), (edge,), (apart,))
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
        words = [*self._kind_words(), *(word for word in self.asked.verb.lower().split() if word not in FUNCTION_WORDS)]
        labels = [label for word in words if (label := self._label(word))]
        relations = self._relations(words)
        if words and not (labels or relations):
            return None
        if self.asked.verb and not relations:
            return None
        every = tuple(dict.fromkeys(hop.relation for hop in self.context.record.statistics.hops if not hop.value))
        joined = relations or every
        known = reading(self.context)
        implied = known.implied if known else None
        variables = (
            Variable("both", () if implied else tuple(labels[:1])),
            Variable("one", ids=self.found["one"].ids),
            Variable("two", ids=self.found["other"].ids),
        )
        edges = tuple(Edge("both", joined, name, directed=False) for name in ("one", "two"))
        graph = QueryGraph(variables, Value("both"), edges)
        graph = implied.of_kind(graph, "both", labels[0]) if implied and labels else graph
        found = self._run(graph)
        return None if found is None else self._connected(*found)

    # Words -----------------------------------------------------------------------------------------------------------

    def _kind_words(self) -> list[str]:
        """The words for what is asked for that say anything."""
        near = {
            *CLASSES["near"].split("|"),
            *CLASSES["every"].split("|"),
            "thing",
            "things",
            "node",
            "nodes",
            "entities",
        }
        words = [word.lower() for word in self.asked.kind.split()]
        return [word for word in words if word not in FUNCTION_WORDS | ANYBODY | near]

    def _label(self, word: str) -> str:
        """The label, or implied class, that a word surely names; empty where it names none."""
        known = reading(self.context)
        labels = known.fits.label(singular(word)) if known else {}
        best = max(labels, key=lambda label: labels[label], default="")
        return best if best and labels[best] >= 0.7 else ""

    # Running ---------------------------------------------------------------------------------------------------------

    def _run(self, graph: QueryGraph, limit: int | None = None) -> tuple[QueryGraph, Result] | None:
        """A query graph with its result; with fewer steps where it takes too long, None where that does, too."""
        for _ in range(3):
            try:
                return graph, run_query(self.context, graph, timeout=LONGEST, limit=limit)
            except GraphTimeout:
                edge = graph.edges[0]
                if not edge.is_way or edge.steps[1] <= 2 or self.asked.asks == "within":
                    raise
                fewer = max(edge.steps[1] // 2, 2)
                graph = replace(graph, edges=(replace(edge, steps=(edge.steps[0], fewer)), *graph.edges[1:]))
                self.warnings = (f"Ways of more than {fewer} steps were not looked for: that took too long.",)
        return None

    def _connected(self, graph: QueryGraph, result: Result) -> Connected:
        evidence = () if result.empty else evidence_of(self.context.knowledge, graph, result)
        topics = tuple(item.topic for item in self.found.values())
        return Connected(graph, self._wording(graph), result, topics, evidence, warnings=self.warnings)

    def _wording(self, graph: QueryGraph) -> str:
        return told(self.context, graph, self.found.values())


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


__all__ = ["Connected", "EntityNotFound", "Named", "connect", "named", "table_of", "told"]
