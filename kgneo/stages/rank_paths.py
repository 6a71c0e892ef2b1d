"""Relation paths ranked against a question, without labelled examples.

Comes in: a question with its topic entity marked, and the relation paths that really leave that entity. Goes
out: the paths, best first, each with a score, the probability that it is the right one, and a plain wording.

How it works. Every step of a path can be expressed by words of the question: by words for its relation
("founded") or for the kind of node that it reaches ("companies"). English names the steps outward from the
entity: in "who works for the companies founded by X", the words nearest to X explain the first step, the
outermost the last. So the words are aligned to the steps by dynamic programming over intervals around the
entity: each word, taken from the left or the right end of what is read so far, belongs to the present step,
to a later one, or to none. A step costs; a word that fits pays. What the question asks for ("who", "which
cities") must be what the last step reaches. How well a word fits a relation is a shared root, else the
encoder's similarity, less how similar the relation is to words in general, in competition with the other
relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgneo.model import Hop, RelationPath
from kgneo.stages.english import COMMON_NOUNS, DESCRIBING, PREPOSITIONS
from kgneo.stages.expected_type import KindJudge, TextEncoder, fit, of_relation
from kgneo.stages.question_parts import MaskedQuestion, QuestionParts, question_parts
from kgneo.stages.wording import content_words, name_words, path_wording, same_root

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]
HopKey = tuple[str, bool]

MAX_HOPS = 3


@dataclass(frozen=True, slots=True)
class HopStatistics:
    """What the graph says about a step along a relation in one direction.

    `samples` are names of nodes (or values) that it reaches, `next` the steps that leave those, most frequent
    first.
    """

    count: int = 0
    sources: int = 0
    targets: int = 0
    samples: tuple[str, ...] = ()
    next: tuple[HopKey, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """Statistics by `(relation, forward)`, and readable `names` for relations that are spelt as codes."""

    hops: Mapping[HopKey, HopStatistics] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the ranking, the same for every graph."""

    hop: float = 0.35
    """What a step costs."""
    unnamed: float = 0.5
    """What a step costs in addition while no word names its relation."""
    node: float = 0.6
    """What a word for the kind of node is worth, against one for the relation."""
    topic: float = 0.3
    """The same for a word that names the kind of the topic entity."""
    repeated: float = 0.4
    """What a further word for the same is worth."""
    head: float = 1.2
    """Factor for the noun that names what is asked for."""
    other_side: float = 0.3
    """Factor where that noun names the relation's other end."""
    expected: float = 0.8
    """What it is worth that the last step reaches what is asked for."""
    shared: float = 0.9
    """Part of `unnamed` waived for a step back where the question speaks of sharing."""
    not_shared: float = 0.6
    """Cost of a path without a step back where the question speaks of sharing."""
    back: float = 0.1
    """Cost of a step back where it does not."""
    floor: float = 0.06
    ceiling: float = 0.3
    """Similarities, less those to common words, between which a fit grows from 0 to 1."""
    node_floor: float = 0.08
    node_ceiling: float = 0.3
    rivalry: float = 0.15
    """Similarity that a fit may lag behind the best one before it falls to a third."""
    root_rivals: float = 0.2
    """What is left of the other relations' fit where one shares the word's root."""
    node_rivals: float = 0.7
    """What a word for a kind of node takes from the relations' fit."""
    unlabelled: float = 0.9
    labelled: float = 0.4
    """Trust in sample names and neighbours for the kind of node, without and with labels."""


@dataclass(frozen=True, slots=True)
class PathPart:
    """The words of the question that explain one step (`hop` is 1-based)."""

    hop: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A path with its score, the probability that it is the right one, and its wording."""

    path: RelationPath
    score: float
    confidence: float
    wording: str
    parts: tuple[PathPart, ...] = ()


class RankingCache:
    """Vectors that are the same for every question about a graph: of words, relations and kinds of nodes.

    One may be kept as long as the encoder and the graph's statistics stay the same.
    """

    def __init__(self, encoder: TextEncoder) -> None:
        self.encoder = encoder
        self.judge = KindJudge(encoder)
        self.common = encoder.encode(COMMON_NOUNS)
        self._vectors: dict[str, Vectors] = {}
        self._hops: dict[tuple[HopKey, tuple[str, ...]], _HopVectors] = {}

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Normalised vectors, each text encoded once."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self.encoder.encode(missing), strict=True))
        return np.stack([self._vectors[text] for text in texts])

    def hop(self, hop: Hop, statistics: RelationStatistics) -> _HopVectors:
        key = ((hop.relation, hop.forward), hop.labels)
        if key not in self._hops:
            self._hops[key] = _hop_vectors(hop, statistics, self)
        return self._hops[key]


@dataclass(frozen=True, slots=True, eq=False)
class _HopVectors:
    """One distinct step: words and vectors of its relation, of its labels and of the nodes it reaches."""

    words: tuple[str, ...]
    relation: Vectors
    relation_bias: Vectors
    label_words: tuple[str, ...]
    labels: Vectors
    label_bias: Vectors
    nodes: Vectors | None
    nodes_bias: float
    kinds: Scores
    noun_reached: bool


def _hop_vectors(hop: Hop, statistics: RelationStatistics, cache: RankingCache) -> _HopVectors:
    name = statistics.names.get(hop.relation, hop.relation)
    words = content_words(name)
    relation = cache.vectors([" ".join(name_words(name)), " ".join(words), *words])
    labels = (
        cache.vectors([" ".join(name_words(label)) for label in hop.labels]) if hop.labels else relation[:0]
    )
    figures = statistics.hops.get((hop.relation, hop.forward), HopStatistics())
    samples = cache.vectors(figures.samples) if figures.samples else relation[:0]
    nodes = _node_vector(figures, samples, statistics, cache)
    kinds = np.maximum(cache.judge.of_names(figures.samples, samples), of_relation(name, forward=hop.forward))
    for label in labels:
        kinds = np.maximum(kinds, cache.judge.of_label(label))
    return _HopVectors(
        words=words,
        relation=relation,
        relation_bias=(relation @ cache.common.T).mean(axis=1),
        label_words=tuple(word for label in hop.labels for word in name_words(label)),
        labels=labels,
        label_bias=(labels @ cache.common.T).mean(axis=1),
        nodes=nodes,
        nodes_bias=0.0 if nodes is None else float((cache.common @ nodes).mean()),
        kinds=kinds,
        noun_reached=hop.forward == _noun_is_object(name),
    )


def _node_vector(
    figures: HopStatistics, samples: Vectors, statistics: RelationStatistics, cache: RankingCache
) -> Vectors | None:
    """The nodes that a step reaches as a vector: the mean of their names, and the relations they have."""
    parts = [_unit(samples.mean(axis=0))] if len(samples) else []
    leaving = [
        " ".join(name_words(statistics.names.get(relation, relation)))
        for relation, forward in figures.next
        if forward
    ]
    if leaving:
        parts.append(cache.vectors([", ".join(leaving[:8])])[0])
    return _unit(np.sum(parts, axis=0)) if parts else None


def _noun_is_object(name: str) -> bool:
    """Whether a noun for the relation names its object ("founder"), not its subject as "capital_of" does."""
    last = name_words(name)[-1]
    return last == "by" or last not in PREPOSITIONS


def _unit(vector: NDArray[np.floating]) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), dtype=np.float32)


def rank_paths(
    question: MaskedQuestion,
    paths: Sequence[RelationPath],
    *,
    encoder: TextEncoder,
    statistics: RelationStatistics | None = None,
    cache: RankingCache | None = None,
    weights: Weights | None = None,
) -> list[RankedPath]:
    """Rank `paths` (of one to three hops) for a question, best first; of equals the shorter one first.

    `statistics` are those of the graph; `cache` belongs to them and the encoder, keep it between questions.
    """
    if not paths:
        return []
    figures = statistics or RelationStatistics()
    memory = cache or RankingCache(encoder)
    scores = score_paths(question, paths, statistics=figures, cache=memory, weights=weights or Weights())
    order = sorted(range(len(paths)), key=lambda index: (-scores[index], len(paths[index])))
    probabilities = _probabilities(scores)
    return [
        RankedPath(
            path=paths[index],
            score=float(scores[index]),
            confidence=float(probabilities[index]),
            wording=path_wording(paths[index], names=figures.names),
        )
        for index in order
    ]


def _probabilities(scores: Scores) -> Scores:
    weights = np.exp((scores - scores.max()) / 0.4)
    return np.asarray(weights / weights.sum())


def score_paths(
    question: MaskedQuestion,
    paths: Sequence[RelationPath],
    *,
    statistics: RelationStatistics,
    cache: RankingCache,
    weights: Weights,
) -> Scores:
    """Scores of `paths`, in their order."""
    parts = question_parts(question)
    table = _PathTable(paths, question.labels, statistics, cache)
    units = _units(parts, table)
    fits = [_fit(unit, parts, table, cache, weights) for unit in units]
    emissions = _emissions(units, fits, parts, table, weights)
    scores = _align(units, emissions, parts, table, weights)
    scores -= _step_costs(parts, table, weights)
    scores += _expectation(parts, units, fits, table, weights)[table.last]
    return scores


class _PathTable:
    """The paths as arrays: `hops[path, step]` indexes the distinct steps, -1 where a path is shorter."""

    def __init__(
        self,
        paths: Sequence[RelationPath],
        topic_labels: Sequence[str],
        statistics: RelationStatistics,
        cache: RankingCache,
    ) -> None:
        index: dict[tuple[str, bool, tuple[str, ...]], int] = {}
        distinct: list[Hop] = []
        rows = np.full((len(paths), MAX_HOPS), -1)
        back = np.zeros((len(paths), MAX_HOPS), dtype=bool)
        for number, path in enumerate(paths):
            for step, hop in enumerate(path.hops):
                key = (hop.relation, hop.forward, hop.labels)
                if key not in index:
                    index[key] = len(distinct)
                    distinct.append(hop)
                rows[number, step] = index[key]
                back[number, step] = step > 0 and _goes_back(path.hops[step - 1], hop)
        self.hops = rows
        self.back = back
        self.length = (rows >= 0).sum(axis=1)
        self.last = rows[np.arange(len(paths)), self.length - 1]
        self.steps = [cache.hop(hop, statistics) for hop in distinct]
        self.topic_labels = tuple(topic_labels)
        self.pad = rows.copy()
        self.pad[rows < 0] = len(distinct)


def _goes_back(before: Hop, hop: Hop) -> bool:
    return before.relation == hop.relation and before.forward != hop.forward


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word, or neighbouring words that together name one relation; `start` indexes the question's words."""

    start: int
    words: tuple[str, ...]


def _units(parts: QuestionParts, table: _PathTable) -> list[_Unit]:
    """The question's meaningful words, with "doctoral advisor" as one where a relation has both words."""
    indices = list(parts.content) + [
        index for index, word in enumerate(parts.words) if word in DESCRIBING and index not in parts.content
    ]
    units: list[_Unit] = []
    for index in sorted(indices):
        word = parts.words[index]
        adjacent = bool(units) and units[-1].start + len(units[-1].words) == index
        if adjacent and _name_together(units[-1].words, word, table):
            units[-1] = _Unit(units[-1].start, (*units[-1].words, word))
        else:
            units.append(_Unit(index, (word,)))
    return units


def _name_together(before: Sequence[str], word: str, table: _PathTable) -> bool:
    for step in table.steps:
        rest = [name for name in step.words if not any(same_root(other, name) for other in before)]
        if len(rest) < len(step.words) and any(same_root(word, name) for name in rest):
            return True
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """How well a unit fits each distinct step's relation and kind of node (0..1, then a 0), and the topic."""

    relation: Scores
    node: Scores
    topic: float


def _fit(unit: _Unit, parts: QuestionParts, table: _PathTable, cache: RankingCache, weights: Weights) -> _Fit:
    vector = _unit_vector(unit, cache)
    node = _node_fit(unit, vector, table, weights)
    relation = _relation_fit(unit, vector, float(node.max(initial=0.0)), table, weights)
    if unit.start in parts.head:
        side = np.array([step.noun_reached for step in table.steps])
        relation = relation * np.where(side, 1.0, weights.other_side)
    topic = _topic_fit(unit, vector, table, cache, weights)
    return _Fit(np.append(relation, 0.0), np.append(node, 0.0), topic)


def _unit_vector(unit: _Unit, cache: RankingCache) -> Vectors:
    text = " ".join(unit.words)
    texts = DESCRIBING.get(text, (text,))
    return _unit(cache.vectors(texts).mean(axis=0))


def _relation_fit(unit: _Unit, vector: Vectors, node: float, table: _PathTable, weights: Weights) -> Scores:
    similarity = np.array(
        [float((step.relation @ vector - step.relation_bias).max()) for step in table.steps]
    )
    values = _grow(similarity, weights.floor, weights.ceiling, weights.rivalry)
    roots = np.array([_share_root(unit.words, step.words) for step in table.steps])
    if roots.any():
        return np.asarray(np.where(roots, 1.0, values * weights.root_rivals))
    return values * (1.0 - weights.node_rivals * node)


def _node_fit(unit: _Unit, vector: Vectors, table: _PathTable, weights: Weights) -> Scores:
    by_label = np.zeros(len(table.steps))
    labelled = any(len(step.labels) for step in table.steps)
    if labelled:
        similarity = np.array(
            [float((step.labels @ vector - step.label_bias).max(initial=-1.0)) for step in table.steps]
        )
        by_label = _grow(similarity, weights.floor, weights.ceiling, weights.rivalry)
        roots = np.array([_share_root(unit.words, step.label_words) for step in table.steps])
        if roots.any():
            by_label = np.where(roots, 1.0, by_label * weights.root_rivals)
    near = np.array(
        [-1.0 if step.nodes is None else float(step.nodes @ vector) - step.nodes_bias for step in table.steps]
    )
    by_nodes = _grow(near, weights.node_floor, weights.node_ceiling, weights.rivalry)
    trust = weights.labelled if labelled else weights.unlabelled
    return np.asarray(np.maximum(by_label, trust * by_nodes))


def _topic_fit(
    unit: _Unit, vector: Vectors, table: _PathTable, cache: RankingCache, weights: Weights
) -> float:
    if not table.topic_labels:
        return 0.0
    words = [" ".join(name_words(label)) for label in table.topic_labels]
    if _share_root(unit.words, tuple(" ".join(words).split())):
        return 1.0
    vectors = cache.vectors(words)
    similarity = vectors @ vector - (vectors @ cache.common.T).mean(axis=1)
    return float(_grow(similarity, weights.floor, weights.ceiling, weights.rivalry).max())


def _share_root(first: Sequence[str], second: Sequence[str]) -> bool:
    return any(same_root(left, right) for left in first for right in second)


def _grow(similarity: Scores, floor: float, ceiling: float, rivalry: float) -> Scores:
    values = np.clip((similarity - floor) / (ceiling - floor), 0.0, 1.0)
    return np.asarray(values * np.exp((similarity - similarity.max()) / rivalry))


def _emissions(
    units: Sequence[_Unit], fits: Sequence[_Fit], parts: QuestionParts, table: _PathTable, weights: Weights
) -> list[Scores]:
    """What each unit pays (paths, states); states are the topic, then relation and node of each step."""
    result = []
    for unit, fitted in zip(units, fits, strict=True):
        pays = np.zeros((len(table.hops), 1 + 2 * MAX_HOPS))
        head = unit.start in parts.head
        pays[:, 0] = 0.0 if head else weights.topic * fitted.topic
        for step in range(MAX_HOPS):
            column = table.pad[:, step]
            factor = np.where(table.length - 1 == step, weights.head, 0.0) if head else 1.0
            pays[:, 1 + 2 * step] = fitted.relation[column] * factor
            pays[:, 2 + 2 * step] = weights.node * fitted.node[column] * factor
        result.append(pays)
    return result


def _align(
    units: Sequence[_Unit],
    emissions: Sequence[Scores],
    parts: QuestionParts,
    table: _PathTable,
    weights: Weights,
) -> Scores:
    """The best total that the units pay, read outward from the topic entity with the steps in order."""
    left = [number for number, unit in enumerate(units) if unit.start < parts.topic][::-1]
    right = [number for number, unit in enumerate(units) if unit.start > parts.topic]
    start = np.full((len(table.hops), 1 + 2 * MAX_HOPS), -np.inf)
    start[:, 0] = 0.0
    first = np.array([1.0] + [1.0 + weights.unnamed, 1.0] * MAX_HOPS)
    best: dict[tuple[int, int], Scores] = {(0, 0): start}
    for taken_left in range(len(left) + 1):
        for taken_right in range(len(right) + 1):
            options = []
            if taken_left:
                before = best[taken_left - 1, taken_right]
                options.append(_read(before, emissions[left[taken_left - 1]], first, weights.repeated))
            if taken_right:
                before = best[taken_left, taken_right - 1]
                options.append(_read(before, emissions[right[taken_right - 1]], first, weights.repeated))
            if options:
                best[taken_left, taken_right] = options[0] if len(options) == 1 else np.maximum(*options)
    return np.asarray(best[len(left), len(right)].max(axis=1))


def _read(before: Scores, pays: Scores, first: Scores, repeated: float) -> Scores:
    """One unit more: it belongs to the present state, to a later one, or to none."""
    stay = before + repeated * pays
    stay[:, 0] = before[:, 0] + pays[:, 0]
    moved = np.full_like(before, -np.inf)
    moved[:, 1:] = np.maximum.accumulate(before, axis=1)[:, :-1]
    return np.maximum(stay, np.where(pays > 0, moved + first * pays, -np.inf))


def _step_costs(parts: QuestionParts, table: _PathTable, weights: Weights) -> Scores:
    costs = table.length * (weights.hop + weights.unnamed)
    back = table.back.sum(axis=1)
    if parts.sharing:
        return np.asarray(costs + np.where(back > 0, -weights.unnamed * weights.shared, weights.not_shared))
    return np.asarray(costs + weights.back * back)


def _expectation(
    parts: QuestionParts, units: Sequence[_Unit], fits: Sequence[_Fit], table: _PathTable, weights: Weights
) -> Scores:
    """For each distinct step, what it is worth as the last one."""
    heads = [fitted for unit, fitted in zip(units, fits, strict=True) if unit.start in parts.head]
    if heads:
        match = np.max([np.maximum(fitted.relation, fitted.node)[:-1] for fitted in heads], axis=0)
        best = float(match.max())
        return weights.expected * (2.0 * match / best - 1.0) * best if best > 0.2 else np.zeros(len(match))
    shares = np.stack([step.kinds for step in table.steps])
    match = fit(parts.asked, shares)
    if match.max() < 0.3:
        return np.zeros(len(match))
    return weights.expected * (2.0 * match - 1.0)
