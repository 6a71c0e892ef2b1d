"""Central: which things stand out in a network, and which belong together.

Comes in: a question. Goes out: what was computed, where one of the constructions of `kgneo.english.central` is the
whole question beside words for kinds and relationship types of the graph; else None, and the question is for other
stages.

The network is made of the types that the question names; where it names a kind and no type, of those that join this
kind to itself, if there are any ("the most influential person" by who knows whom); else of all. "Connected" counts
relationships, "influential" and "important" are PageRank (Brin & Page 1998), "brokers" betweenness (Freeman 1977),
"communities" the method of Louvain (Blondel et al. 2008).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.central import CUES, SAID_WITH, Asks
from kgneo.english.cue import Cue
from kgneo.english.names import singular
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.catalogue import catalogue
from kgneo.graph.centrality import Network, NotComputed, degrees, groups, standing
from kgneo.graph.run import evidence_of
from kgneo.model import AnswerNode, Evidence, Table
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.query.told import stored
from kgneo.stages.computed import Computed, Kind, kind_of, numbers_apart
from kgneo.stages.connect import SURE, every_relation, is_own, label_of, names_in, relations_named
from kgneo.stages.interpret import reading, run_query
from kgneo.text import listed

TOP = 10
"""How many are answered where several are asked for and no number is said."""
BEHIND = 5_000
"""Of those that stand out most, how many are looked through for those of an implied kind."""
AT_ONCE = 200
"""Nodes that are looked at together."""
GROUPS = 20
"""Groups that are listed."""
MEMBERS = 5
"""Members of a group that are told."""
HEADS = frozenset(("hubs", "brokers", "bottlenecks", "gatekeepers", "players"))
"""Words of cues that are nouns for what is asked for."""
WORD = re.compile(r"[^\W_]+")
COLUMNS = {"degree": "relationships", "pagerank": "PageRank", "betweenness": "betweenness"}
WORDED = {
    "degree": "number of relationships",
    "pagerank": "PageRank",
    "betweenness": "betweenness (the share of shortest ways that pass it)",
    "communities": "communities",
    "components": "parts that nothing joins",
}
UNSURE = 0.6
"""What is left of the confidence where another measure had to do, or not all of the network was looked at."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: its cue, what kind of thing is asked for, the types that make the network, whether they are all of
    the graph's, how many things are asked for, and whether it `counts` groups."""

    cue: Cue[Asks]
    kind: Kind
    relations: tuple[str, ...]
    every: bool
    number: int
    counts: bool


def central(context: Context, question: str) -> Computed | None:
    """What `question` asks of a network, computed; None where it asks for something else. Raises GraphTimeout."""
    heard = ((cue, said) for cue in CUES if (said := cue.expression.search(question)))
    cue, said = next(heard, (None, None))
    if cue is None or said is None or "[" in question:
        return None
    own = WORD.findall(said[0].lower())
    if any(is_own(context, word) for word in own) or _names_something(context, said[0]):
        return None
    rest = f"{question[: said.start()]} {question[said.end() :]}"
    if _names_something(context, rest):
        return None
    asked = _asked(context, cue, own, question, rest)
    return _Measuring(context, asked).computed() if asked else None


def _names_something(context: Context, text: str) -> bool:
    try:
        return bool(names_in(context, text))
    except EntityNotFound:
        return True


def _asked(context: Context, cue: Cue[Asks], own: Sequence[str], question: str, rest: str) -> _Asked | None:
    """What is asked, where the graph explains each of the other words than the cue's `own`."""
    spoken = [word for word in WORD.findall(rest.lower()) if word not in FUNCTION_WORDS]
    numbers, words = numbers_apart(spoken)
    along = {word for word in words if _is_of_network(word, rest)}
    kinds = {word: kind for word in words if word not in along and (kind := kind_of(context, word))}
    words = [word for word in words if word in kinds or word in along or word not in SAID_WITH]
    named = relations_named(context, sorted(along))
    unknown = [word for word in words if word not in kinds and not relations_named(context, [word])]
    if unknown or len(kinds) > 1 or len(numbers) > 1:
        return None
    kind = next(iter(kinds.values()), Kind())
    if not kinds and _asks_who(question) and (label := label_of(context, "person")):
        kind = Kind("persons", label)
    all_there = every_relation(context)
    if {*named} & {*context.shape.told}:  # all of these are stored as one type, and counted so
        return None
    relations = named or _among_themselves(context, kind.label) or all_there
    if not relations:
        return None
    number = numbers[0] if numbers else TOP if _is_plural(question, [*kinds, *HEADS.intersection(own)]) else 1
    every = set(relations) == set(all_there)
    return _Asked(cue, kind, relations, every, number, bool(re.search(r"\bhow many\b|\bnumber of\b", question, re.I)))


def _is_of_network(word: str, text: str) -> bool:
    """Whether a word is said to be what the network is made of: "by KNOWS", "in the FRIENDSHIP network"."""
    before = rf"\b(?:by|via|over|through|along|regarding) (?:the )?{word}\b"
    behind = rf"\b{word} (?:network|graph|relationships?|links?|connections?|ties)\b"
    return bool(re.search(f"{before}|{behind}", text, re.IGNORECASE))


def _asks_who(question: str) -> bool:
    return bool(re.match(r"\W*(?:who|whom)\b", question, re.IGNORECASE))


def _is_plural(question: str, nouns: Sequence[str]) -> bool:
    """Whether several things are asked for: "who are", "hubs", "people"."""
    return bool(re.search(r"\b(?:are|were|people|top|list|rank)\b", question, re.I)) or any(
        singular(word) != word for word in nouns
    )


def _among_themselves(context: Context, label: str) -> tuple[str, ...]:
    """The types that join a label to itself."""
    if not label or context.shape.loaded:
        return ()
    known = catalogue(context.knowledge.schema, context.shape)
    return tuple(item.name for item in known.relations if (label, label) in item.ends)


def _labels_of(context: Context, relations: Sequence[str]) -> tuple[str, ...]:
    """The labels of the nodes that these types join."""
    known = catalogue(context.knowledge.schema, context.shape)
    ends = [end for item in known.relations if item.name in relations for pair in item.ends for end in pair]
    return tuple(dict.fromkeys(ends))


@dataclass
class _Measuring:
    """One question on its way to an answer."""

    context: Context
    asked: _Asked
    warnings: tuple[str, ...] = ()
    sure: float = SURE

    def computed(self) -> Computed | None:
        asks = self.asked.cue.asks
        if asks in ("communities", "components"):
            return self._groups()
        found, by = self._by_degree() if asks == "degree" else self._by_standing()
        return self._first(found, by) if found else None

    # What stands out -------------------------------------------------------------------------------------------------

    def _by_degree(self) -> tuple[list[tuple[str, float]], str]:
        kind = self.asked.kind
        by_label = bool(kind.label) and not kind.relation and not self._is_implied()
        found = degrees(
            self.context.graph,
            self.context.shape,
            stored(self.asked.relations, self.context.shape.told),
            labels=(kind.label,) if by_label else (),
            ascending=self.asked.cue.fewest,
            limit=self.asked.number + GROUPS if by_label or not kind.word else BEHIND,
        )
        return [(node, float(number)) for node, number in found], "counted by Neo4j"

    def _by_standing(self) -> tuple[list[tuple[str, float]], str]:
        try:
            network = self._standing()
        except NotComputed as error:
            instead = "how many relationships each node has counts here"
            self.warnings += (_not_computed(error, self.asked.cue.asks, instead),)
            self.sure *= UNSURE
            self.asked = replace(self.asked, cue=replace(self.asked.cue, asks="degree"))
            return self._by_degree()
        self.sure *= UNSURE if network.sampled else 1.0
        sign = 1 if self.asked.cue.fewest else -1
        ordered = sorted(network.values.items(), key=lambda item: (sign * item[1], item[0]))
        return ordered, _told_of(network)

    def _standing(self) -> Network:
        asked = self.asked
        ends = () if self.context.shape.loaded else _labels_of(self.context, asked.relations)
        relations = stored(asked.relations, self.context.shape.told)
        return standing(self.context.graph, self.context.shape, relations, asked.cue.asks, labels=ends)

    def _is_implied(self) -> bool:
        known = reading(self.context)
        return bool(known and known.implied and not known.implied.labelled)

    def _first(self, found: Sequence[tuple[str, float]], by: str) -> Computed | None:
        """The first of the kind that is asked for; where one is asked for, those that stand out as much, too."""
        scores = dict(found)
        kept: list[AnswerNode] = []
        for node in self._of_kind([node for node, _ in found]):
            if len(kept) >= self.asked.number and scores[node.id] != scores[kept[-1].id]:
                break
            kept.append(node)
            if len(kept) >= self.context.options.limit:
                break
        if not kept:
            return None
        measure = self.asked.cue.asks
        rows = tuple((node.names[0], _short(scores[node.id])) for node in kept)
        names = tuple(node.names[0] for node in kept)
        return Computed(
            self._wording(by),
            listed(names),
            tuple(kept),
            names,
            Table(("name", COLUMNS[measure]), rows),
            self._evidence([node.id for node in kept]),
            confidence=self.sure,
            warnings=self.warnings,
        )

    def _of_kind(self, ids: Sequence[str]) -> Iterator[AnswerNode]:
        """The nodes with these ids that are of the kind that is asked for, in the same order."""
        for start in range(0, min(len(ids), BEHIND), AT_ONCE):
            yield from self.asked.kind.among(self.context, ids[start : start + AT_ONCE])

    def _evidence(self, ids: Sequence[str]) -> tuple[Evidence, ...]:
        """Some of the relationships of what stands out."""
        edge = Edge("x", self.asked.relations, "y", directed=False)
        graph = QueryGraph((Variable("x", ids=tuple(ids[:TOP])), Variable("y")), Value("x"), (edge,))
        result = run_query(self.context, graph, limit=TOP, whole=False)
        return () if result.empty else evidence_of(self.context.knowledge, graph, result)

    # What belongs together -------------------------------------------------------------------------------------------

    def _groups(self) -> Computed | None:
        asks = self.asked.cue.asks
        try:
            network = self._standing()
        except NotComputed as error:
            return Computed(self._wording("not computed"), _not_computed(error, asks, "nothing was computed"))
        found = [group for group in groups(network) if len(group) > 1]
        by = _told_of(network)
        if self.asked.counts or not found:
            many = str(len(found))
            return Computed(self._wording(by), many, answers=(many,), confidence=self.sure)
        rows = []
        for number, group in enumerate(found[:GROUPS], start=1):
            names = [node.names[0] for node in self._of_kind(group[:AT_ONCE])]
            if names:
                rows.append((f"{number}", len(group), listed(names[:MEMBERS], max(len(group) - MEMBERS, 0))))
        left = len(found) - len(rows)
        self.warnings += (f"{left} smaller ones are not listed.",) if left > 0 else ()
        answers = tuple(str(row[2]) for row in rows)
        return Computed(
            self._wording(by), f"{len(found)}: " + "; ".join(f"({row[2]})" for row in rows[:MEMBERS]),
            answers=answers, table=Table(("group", "nodes", "members"), tuple(rows)),
            confidence=self.sure, warnings=self.warnings,
        )  # fmt: skip

    def _wording(self, by: str) -> str:
        asked = self.asked
        kind = asked.kind.word or "nodes"
        names = self.context.record.statistics.readable_names
        along = "all relationships" if asked.every else ", ".join(names.get(item, item) for item in asked.relations[:5])
        order = "fewest first" if asked.cue.fewest else "most first"
        what = WORDED[asked.cue.asks]
        if asked.cue.asks in ("communities", "components"):
            return f"{what}, over {along} ({by})"
        return f"{kind} by {what} over {along}, {order} ({by})"


def _told_of(network: Network) -> str:
    return f"{network.nodes:,} nodes and {network.relationships:,} relationships, by {network.by}"


def _not_computed(error: NotComputed, asks: str, instead: str) -> str:
    what = WORDED[asks][0].upper() + WORDED[asks][1:]
    return f"{what} of this network: not computed, since {error}; {instead}. {error.hint}"


def _short(value: float) -> int | float:
    return int(value) if value == int(value) else float(f"{value:.4g}")
