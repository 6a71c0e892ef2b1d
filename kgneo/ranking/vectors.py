"""What the ranking of paths knows of a graph's relations and of the nodes that they lead to, as vectors.

Comes in: steps of paths and statistics of the graph. Goes out: for each relation the vectors of its name, for each
step vectors of what it reaches. Both are the same for every question, so `RankingCache` keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kgneo.defaults import LEARNED_HOPS
from kgneo.english.names import name_words, telling_words
from kgneo.english.voice import RelationEnd, doer
from kgneo.english.words import COMMON_NOUNS, PREPOSITIONS
from kgneo.model import Hop, RelationPath
from kgneo.ranking.kept import KeptVectors
from kgneo.ranking.kinds import KindJudge, TextEncoder, of_relation
from kgneo.unit_vectors import unit

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]
Flags = NDArray[np.bool_]
HopKey = tuple[str, bool]

MAX_HOPS = LEARNED_HOPS
TABLES = 64
"""Tables of paths that are kept."""


@dataclass(frozen=True, slots=True)
class HopStatistics:
    """What the graph says about a step along a relation in one direction.

    `samples` are names of nodes (or values) that it reaches; `next` has the steps that leave those nodes, each
    with the share (0..1) of the nodes that it leaves.
    """

    count: int = 0
    sources: int = 0
    targets: int = 0
    samples: tuple[str, ...] = ()
    next: Mapping[HopKey, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """Statistics by `(relation, forward)`, readable `names` for relations that are spelt as codes, and `objects`: words
    that complete a relation's verb ("order" for PLACED)."""

    hops: Mapping[HopKey, HopStatistics] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    objects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class RankingCache:
    """Vectors that are the same for every question about a graph: of words, relations and kinds of nodes.

    One may be kept as long as the encoder and the graph's statistics stay the same. `file` keeps the vectors of the
    graph's own texts for other processes; it is of this encoder and this graph alone.
    """

    def __init__(self, encoder: TextEncoder, file: Path | None = None) -> None:
        self.encoder = encoder
        self._kept = KeptVectors(encoder, file)
        self.judge = KindJudge(self._kept)
        self.common = self._kept.encode(COMMON_NOUNS)
        self._vectors: dict[str, Vectors] = {}
        self._relations: dict[str, RelationVectors] = {}
        self._steps: dict[tuple[HopKey, tuple[str, ...]], StepVectors] = {}
        self._tables: dict[tuple[tuple[RelationPath, ...], tuple[str, ...]], PathTable] = {}

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Normalised vectors, each text encoded once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self.encoder.encode(missing), strict=True))
        if not texts:
            return self.common[:0]
        return np.stack([self._vectors[text] for text in texts])

    def of_graph(self, texts: Sequence[str]) -> Vectors:
        """Normalised vectors of the graph's own texts, which are kept longer than those of questions."""
        return self._kept.encode(texts) if texts else self.common[:0]

    def bias(self, vectors: Vectors) -> Vectors:
        """How similar vectors are to common nouns on average."""
        return np.asarray((vectors @ self.common.T).mean(axis=1))

    def relation(self, relation: str, statistics: RelationStatistics) -> RelationVectors:
        if relation not in self._relations:
            name = statistics.names.get(relation, relation)
            self._relations[relation] = _relation_vectors(name, statistics.objects.get(relation, ()), self)
        return self._relations[relation]

    def step(self, hop: Hop, statistics: RelationStatistics) -> StepVectors:
        key = ((hop.relation, hop.forward), hop.labels)
        if key not in self._steps:
            self._steps[key] = _step_vectors(hop, statistics, self)
        return self._steps[key]

    def table(
        self, paths: Sequence[RelationPath], topic_labels: Sequence[str], statistics: RelationStatistics
    ) -> PathTable:
        """Paths as arrays; the same paths leave most things of a kind."""
        key = (tuple(paths), tuple(topic_labels))
        found = self._tables.get(key)
        if found is None:
            if len(self._tables) >= TABLES:
                self._tables.clear()
            found = self._tables[key] = PathTable(paths, topic_labels, statistics, self)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class NameVectors:
    """A name's words with meaning; vectors of the name, whole and word by word, and how similar each is to any noun."""

    words: tuple[str, ...]
    vectors: Vectors
    bias: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class RelationVectors:
    """A relation's words; vectors of its name, whole and word by word, and how similar each is to any noun.

    `objects` are words that complete its verb, which are no part of its `own`. `noun_forward`: a noun for it names its
    object ("founder"), not its subject as "capital_of" does.
    """

    own: NameVectors
    completed: NameVectors
    objects: tuple[str, ...]
    noun_forward: bool
    preposition: str
    doer: RelationEnd


@dataclass(frozen=True, slots=True, eq=False)
class StepVectors:
    """What a step reaches: words and vectors of the labels, one of the nodes, shares of kinds, and `overlaps`:
    of the nodes that it reaches, the share that each step of the graph reaches, too."""

    label_words: tuple[str, ...]
    labels: Vectors
    label_bias: Vectors
    nodes: Vectors | None
    nodes_bias: float
    kinds: Scores
    overlaps: Mapping[HopKey, float]


def _relation_vectors(name: str, objects: tuple[str, ...], cache: RankingCache) -> RelationVectors:
    completed = " ".join((*name_words(name), *objects)) if objects else name
    last = name_words(name)[-1]
    preposition = last if last in PREPOSITIONS else ""
    return RelationVectors(
        _name_vectors(name, cache),
        _name_vectors(completed, cache),
        objects,
        preposition in ("", "by") or (bool(objects) and preposition != "of"),
        preposition,
        doer(name),
    )


def _name_vectors(name: str, cache: RankingCache) -> NameVectors:
    words = telling_words(name)
    vectors = cache.of_graph([" ".join(name_words(name)), " ".join(words), *words])
    return NameVectors(words, vectors, cache.bias(vectors))


def _step_vectors(hop: Hop, statistics: RelationStatistics, cache: RankingCache) -> StepVectors:
    key = (hop.relation, hop.forward)
    figures = statistics.hops.get(key, HopStatistics())
    overlaps = {key: 1.0} | {(relation, not forward): share for (relation, forward), share in figures.next.items()}
    labels = cache.of_graph([" ".join(name_words(label)) for label in hop.labels])
    nodes = _node_vector(figures, overlaps, statistics, cache)
    name = statistics.names.get(hop.relation, hop.relation)
    kinds = cache.judge.of_names(figures.samples, cache.of_graph(figures.samples))
    kinds = np.maximum(kinds, of_relation(name, forward=hop.forward))
    for label in labels:
        kinds = np.maximum(kinds, cache.judge.of_label(label))
    return StepVectors(
        label_words=tuple(word for label in hop.labels for word in name_words(label)),
        labels=labels,
        label_bias=cache.bias(labels),
        nodes=nodes,
        nodes_bias=0.0 if nodes is None else float(cache.bias(nodes[None])[0]),
        kinds=kinds,
        overlaps=overlaps,
    )


def _node_vector(
    figures: HopStatistics,
    overlaps: Mapping[HopKey, float],
    statistics: RelationStatistics,
    cache: RankingCache,
) -> Vectors | None:
    """The nodes that a step reaches as a vector: the mean of their names, and the relations they have.

    Names of nodes reached by other steps count as far as those reach the same nodes.
    """
    centres = [
        share**2 * cache.of_graph(statistics.hops[other].samples).mean(axis=0)
        for other, share in overlaps.items()
        if other in statistics.hops and statistics.hops[other].samples
    ]
    leaving = [
        " ".join(name_words(statistics.names.get(relation, relation)))
        for (relation, forward), share in figures.next.items()
        if forward and share > 0.2
    ]
    parts = [unit(np.sum(centres, axis=0))] if centres else []
    if leaving:
        parts.append(cache.of_graph([", ".join(sorted(leaving)[:8])])[0])
    return unit(np.sum(parts, axis=0)) if parts else None


class PathTable:
    """Paths as arrays.

    `steps[path, position]` indexes the distinct steps, -1 where a path is shorter; `padded` has the number of
    distinct steps there. `relation_of[step]` indexes `relations`, which also hold relations that lead to the same
    nodes as a step; `roles[step, relation]` is the share of nodes that the relation's noun names. `again[path]` is
    the relation that a path walks twice in the same direction, or -1.
    """

    def __init__(
        self,
        paths: Sequence[RelationPath],
        topic_labels: Sequence[str],
        statistics: RelationStatistics,
        cache: RankingCache,
    ) -> None:
        index: dict[tuple[str, bool, tuple[str, ...]], int] = {}
        hops: list[Hop] = []
        self.steps = np.full((len(paths), MAX_HOPS), -1)
        self.back = np.zeros((len(paths), MAX_HOPS), dtype=bool)
        repeated: list[str] = []
        for number, path in enumerate(paths):
            for position, hop in enumerate(path.hops):
                key = (hop.relation, hop.forward, hop.labels)
                if key not in index:
                    index[key] = len(hops)
                    hops.append(hop)
                self.steps[number, position] = index[key]
                self.back[number, position] = position > 0 and _goes_back(path.hops[position - 1], hop)
            repeated.append(_repeated(path))
        self.length = (self.steps >= 0).sum(axis=1)
        self.last = self.steps[np.arange(len(paths)), self.length - 1]
        self.padded = np.where(self.steps < 0, len(hops), self.steps)
        self.hops = hops
        self.reached = [cache.step(hop, statistics) for hop in hops]
        self._add_relations(repeated, statistics, cache)
        self._add_topic(topic_labels, cache)

    def _add_relations(self, repeated: Sequence[str], statistics: RelationStatistics, cache: RankingCache) -> None:
        names = dict.fromkeys(hop.relation for hop in self.hops)
        names.update(dict.fromkeys(relation for reached in self.reached for relation, _ in reached.overlaps))
        position = {name: number for number, name in enumerate(names)}
        self.relations = [cache.relation(name, statistics) for name in names]
        self.relation_of = np.array([position[hop.relation] for hop in self.hops])
        self.noun_reached = np.array(
            [hop.forward == self.relations[position[hop.relation]].noun_forward for hop in self.hops]
        )
        self.again = np.array([position.get(name, -1) for name in repeated])
        doers = [self.relations[number].doer for number in self.relation_of]
        self.source_does = np.array(
            [end and (end == "subject") == hop.forward for end, hop in zip(doers, self.hops, strict=True)], dtype=bool
        )
        self.reached_does = np.array(
            [end and (end == "object") == hop.forward for end, hop in zip(doers, self.hops, strict=True)], dtype=bool
        )
        self.roles = np.zeros((len(self.hops), len(names)))
        for number, (hop, reached) in enumerate(zip(self.hops, self.reached, strict=True)):
            for (relation, forward), share in reached.overlaps.items():
                own = relation == hop.relation
                if not own and forward == self.relations[position[relation]].noun_forward:
                    self.roles[number, position[relation]] = share

    def _add_topic(self, labels: Sequence[str], cache: RankingCache) -> None:
        names = [" ".join(name_words(label)) for label in labels]
        self.topic_words = tuple(" ".join(names).split())
        self.topic_labels = cache.of_graph(names)
        self.topic_bias = cache.bias(self.topic_labels)


def _repeated(path: RelationPath) -> str:
    """The relation that a path walks twice in the same direction, "" for none."""
    seen: set[HopKey] = set()
    for hop in path.hops:
        if (hop.relation, hop.forward) in seen:
            return hop.relation
        seen.add((hop.relation, hop.forward))
    return ""


def _goes_back(before: Hop, hop: Hop) -> bool:
    return before.relation == hop.relation and before.forward != hop.forward
