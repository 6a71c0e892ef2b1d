"""Select: the triples that a (sub-)question is answered from.

`by_similarity` is KG-RAG's (section 3.5.3): of all candidates the K that are nearest to the question. A fixed K cuts
off what has more than K answers, and for a question about many entities it finds triples of few.

`by_relations` decides first which relations of which entities matter, and then takes their triples whole: the
relation paths that leave the entities are ranked against the question; the best one is taken, then the best single
relations as long as all together stay within what K triples cost. As in one Cypher pattern, no walk comes back by the
relationship that it went out by: a triple that an earlier answer rests on is not taken again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kgneo.context import Context
from kgneo.graph.neighbours import Neighbour, ends_of, triples_along
from kgneo.graph.walks import first_hops, leaving
from kgneo.model import Candidate, Hop, RelationPath
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.expand import triple_key
from kgneo.stages.facts import Form, write_facts
from kgneo.stages.ranking import ranking
from kgneo.stages.reached import Reached, mask
from kgneo.stages.retrieve import retrieve

TOKENS_A_TRIPLE = 13
"""What a triple of the list costs; see docs/kg-rag.md. K of them are the budget of `by_relations`."""
RELATIONS = 4
"""Relations that are taken at most, besides the best path."""
LIKELY = 0.05
"""Share of the best path's confidence from which a relation is taken, too."""
SURE = 0.8
"""Confidence of the best path from which an answer is what it leads to."""


@dataclass(frozen=True, slots=True)
class SubQuestion:
    """What triples are selected for: the text, the entities that it is `about`, those that the candidates are taken
    `around` (the topic entities, with --follow the answers of earlier steps, too), the ids of triples that earlier
    answers rest on (`used`), whether one fact is asked for (`simple`), as in a decomposed question, and whether it may
    lead beyond N hops (`follow`)."""

    text: str
    about: tuple[Reached, ...]
    around: tuple[Reached, ...]
    used: frozenset[str] = frozenset()
    simple: bool = False
    follow: bool = False


@dataclass(frozen=True, slots=True)
class Selection:
    """The triples in the order in which they are shown, how they are written, and the entities that an answer may
    name. `likely` are the names of those that a path leads to which surely reads the question; none where no path does.
    `topic` is the name of the one entity that is asked about, where no other one is called so: it is no answer beside
    others. `names` are readable names of relations, `warnings` what the user is to know of the choice."""

    candidates: tuple[Candidate, ...] = ()
    form: Form = "list"
    ends: tuple[Reached, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    likely: frozenset[str] = frozenset()
    topic: str = ""

    def write(self, candidates: Sequence[Candidate]) -> str:
        """Some of the triples as the model reads them."""
        return write_facts(candidates, self.form, self.names)


Selector = Callable[[SubQuestion, Context], Selection]


def by_similarity(question: SubQuestion, context: Context) -> Selection:
    """The K candidates nearest to the question, best first."""
    around = [entity.id for entity in question.around if not entity.value]
    found = retrieve(question.text, around, context)
    ends = _both_ends(found.nearest, question.around, context)
    topic = _topic(question.around, ends)
    return Selection(found.nearest, "list", ends, context.shape.names, found.warnings, topic=topic)


def _both_ends(candidates: Iterable[Candidate], around: Sequence[Reached], context: Context) -> tuple[Reached, ...]:
    known = {entity.id: entity for entity in around}
    for candidate in candidates:
        for end in ends_of(candidate, context.shape):
            known.setdefault(end.id, Reached(end.name, end.id, candidate.hop, value=end.value))
    return tuple(known.values())


def _topic(asked: Sequence[Reached], ends: Sequence[Reached]) -> str:
    """The name of the one entity that is asked about, where it alone is called so."""
    if len(asked) != 1 or sum(end.name == asked[0].name for end in ends) > 1:
        return ""
    return asked[0].name


def by_relations(question: SubQuestion, context: Context) -> Selection:
    """The triples of the relations that matter, whole; nothing when all entities are N hops away already."""
    options = context.options
    near = [entity for entity in question.about if question.follow or entity.depth < options.hops]
    entities = [entity for entity in near if not entity.value]
    if not entities:
        return Selection()
    ranked = _ranked(question, entities, context)
    if not ranked:
        return Selection()
    taken = _Taken(entities, question.used, context)
    last = taken.add(ranked[0].path)
    single = [path for path in ranked if len(path.path) == 1 and path is not ranked[0]]
    for path in single[:RELATIONS]:
        if path.confidence >= LIKELY * ranked[0].confidence:
            taken.add(path.path, tokens=TOKENS_A_TRIPLE * options.top_k)
    likely = last if ranked[0].confidence >= SURE else frozenset()
    selection = taken.selection()
    return replace(selection, likely=likely, topic=_topic(entities, selection.ends))


def _ranked(question: SubQuestion, entities: Sequence[Reached], context: Context) -> list[RankedPath]:
    options = context.options
    left = options.hops if question.follow else options.hops - min(entity.depth for entity in entities)
    paths = leaving(
        first_hops(context.knowledge, [entity.id for entity in entities], direction=options.direction),
        context.record.statistics,
        hops=1 if question.simple else min(left, MAX_HOPS),
        direction=options.direction,
    )
    cache, statistics = ranking(context)
    masked = mask(question.text, entities)
    return rank_paths(masked, paths, encoder=context.encoder, statistics=statistics, cache=cache)


@dataclass
class _Taken:
    """Triples taken so far, each once, with what they reach."""

    entities: Sequence[Reached]
    used: frozenset[str]
    context: Context
    candidates: dict[str, Candidate] = field(default_factory=dict)
    ends: dict[str, Reached] = field(default_factory=dict)

    def add(self, path: RelationPath, *, tokens: int | None = None) -> frozenset[str]:
        """Take the triples of `path` whole; nothing when all would then cost more than `tokens`. The names of what it
        leads to."""
        found: list[tuple[Neighbour, Hop]] = []
        frontier = {entity.id: entity.depth for entity in self.entities}
        used = set(self.used)
        for hop in path.hops:
            step = [
                neighbour
                for neighbour in triples_along(self.context.knowledge, frontier, hop)
                if triple_key(neighbour.candidate) not in used
            ]
            used |= {triple_key(neighbour.candidate) for neighbour in step}
            found += [(neighbour, hop) for neighbour in step]
            frontier = {neighbour.end.id: neighbour.candidate.hop for neighbour in step}
        new = [neighbour.candidate for neighbour, _ in found]
        if tokens is not None and self._tokens(new) > tokens:
            return frozenset()
        for neighbour, hop in found:
            self.candidates.setdefault(triple_key(neighbour.candidate), neighbour.candidate)
            end = neighbour.end
            reached = Reached(end.name, end.id, neighbour.candidate.hop, hop.labels, end.value)
            self.ends.setdefault(end.id, reached)
        return frozenset(neighbour.end.name for neighbour, hop in found if neighbour.end.id in frontier)

    def _tokens(self, new: Sequence[Candidate]) -> int:
        together = self.candidates | {triple_key(candidate): candidate for candidate in new}
        text = write_facts(tuple(together.values()), "groups", self.context.shape.names)
        model = self.context.model
        return model.count_tokens(text) if model else len(text) // 4

    def selection(self) -> Selection:
        known = {entity.id: entity for entity in self.entities}
        ends = tuple((self.ends | known).values())
        return Selection(tuple(self.candidates.values()), "groups", ends, self.context.shape.names)


SELECTORS: dict[str, Selector] = {"relations": by_relations, "top-k": by_similarity}
"""Ways to select, by their names on the command line."""
