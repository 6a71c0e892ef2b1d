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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgneo.model import RelationPath
from kgneo.stages.english import DESCRIBING
from kgneo.stages.expected_type import TextEncoder, fit
from kgneo.stages.path_vectors import (
    MAX_HOPS,
    Flags,
    PathTable,
    RankingCache,
    RelationStatistics,
    Scores,
    Vectors,
    unit,
)
from kgneo.stages.question_parts import TOPIC, MaskedQuestion, QuestionParts, question_parts
from kgneo.stages.wording import path_wording, same_root


@dataclass(frozen=True, slots=True)
class Weights:
    """The constants of the ranking, the same for every graph."""

    hop: float = 0.25
    """What a step costs."""
    unnamed: float = 0.5
    """What a step costs in addition while no word names its relation."""
    node: float = 0.7
    """What a word for the kind of node is worth, against one for the relation."""
    topic: float = 0.3
    """The same for a word that names the kind of the topic entity."""
    repeated: float = 0.4
    """What a further word for the same is worth."""
    head: float = 1.2
    """Factor for the noun that names what is asked for."""
    other_side: float = 0.3
    """Factor where that noun names the relation's other end."""
    expected: float = 1.0
    """What it is worth that the last step reaches what is asked for."""
    theme: float = 1.2
    """What the similarity of the whole question to a path's relations is worth."""
    kind_veto: float = 0.6
    """What a fit loses where a noun for a person, place or time meets a step that reaches none."""
    kind_match: float = 0.6
    """Fit of such a noun to a step that does, whatever its name."""
    shared: float = 0.9
    """Part of `unnamed` waived for a step back where the question speaks of sharing."""
    not_shared: float = 0.6
    """Cost of a path without a step back where the question speaks of sharing."""
    back: float = 0.1
    """Cost of a step back where it does not."""
    skipped: float = 0.2
    """Cost of a step that no word speaks of, before one that a word does."""
    again: float = 0.5
    """Cost of a step that repeats an earlier one."""
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
    preposition: float = 0.6
    """What is left of the fit of a relation with the word's root and another preposition."""
    role: float = 0.8
    """Trust in another relation's noun for nodes that it reaches, too ("authors" for people of any step)."""
    curve: float = 0.8
    """Exponent of every fit: below 1, weak signs count for more."""
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
    table = PathTable(paths, question.labels, statistics, cache)
    units = _units(parts, table)
    fits = [_fit(word, parts, table, cache, weights) for word in units]
    emissions = _emissions(units, fits, parts, table, weights)
    scores = _align(units, emissions, parts, table, weights)
    scores -= _step_costs(parts, table, weights)
    scores += _expectation(parts, units, fits, table, weights)[table.last]
    scores += weights.theme * _theme(question, table, cache)
    return scores


def _theme(question: MaskedQuestion, table: PathTable, cache: RankingCache) -> Scores:
    """How similar the question as a whole is to a path's relations on average, against the other relations."""
    vector = cache.vectors([question.masked.replace(TOPIC, "").strip()])[0]
    similarity = np.array([float((name.vectors @ vector - name.bias).max()) for name in table.relations])
    of_step = similarity[table.relation_of]
    padded = np.append(of_step - of_step.mean(), 0.0)
    return np.asarray(padded[table.padded].sum(axis=1) / table.length)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word, or neighbouring words that together name one relation; `start` indexes the question's words."""

    start: int
    words: tuple[str, ...]

    def covers(self, indices: Sequence[int]) -> bool:
        """Whether one of the question's words `indices` is among these."""
        return any(self.start <= index < self.start + len(self.words) for index in indices)


def _units(parts: QuestionParts, table: PathTable) -> list[_Unit]:
    """The question's meaningful words, with "doctoral advisor" as one where a relation has both words."""
    indices = set(parts.content) | {index for index, word in enumerate(parts.words) if word in DESCRIBING}
    units: list[_Unit] = []
    asked: set[Sequence[str]] = set()
    for index in sorted(indices):
        word = parts.words[index]
        if DESCRIBING.get(word) in asked:
            continue
        if word in DESCRIBING:
            asked.add(DESCRIBING[word])
        adjacent = bool(units) and units[-1].start + len(units[-1].words) == index
        if adjacent and _name_together(units[-1].words, word, table):
            units[-1] = _Unit(units[-1].start, (*units[-1].words, word))
        else:
            units.append(_Unit(index, (word,)))
    return units


def _name_together(before: Sequence[str], word: str, table: PathTable) -> bool:
    for relation in table.relations:
        rest = [name for name in relation.words if not any(same_root(other, name) for other in before)]
        if len(rest) < len(relation.words) and any(same_root(word, name) for name in rest):
            return True
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """How well a unit fits each distinct step's relation and kind of node (0..1, then a 0), and the topic."""

    relation: Scores
    node: Scores
    topic: float
    expected: Scores


def _fit(word: _Unit, parts: QuestionParts, table: PathTable, cache: RankingCache, weights: Weights) -> _Fit:
    text = " ".join(word.words)
    vector = unit(cache.vectors(DESCRIBING.get(text, (text,))).mean(axis=0))
    roots = np.array([_share_root(word.words, relation.words) for relation in table.relations])
    by_name = _relation_fit(vector, roots, table, weights)
    node = _node_fit(word, vector, table, weights, rooted=bool(roots.any()))
    if roots.sum() > 1:
        by_name = by_name * _preposition_fit(word, roots, parts, table, weights)
    if not roots.any():
        by_name = by_name * (1.0 - weights.node_rivals * float(node.max()))
    node = np.maximum(node, weights.role * (table.roles * by_name).max(axis=1))
    relation = by_name[table.relation_of]
    if word.covers(parts.head):
        relation = relation * np.where(table.noun_reached, 1.0, weights.other_side)
    topic = _topic_fit(word, vector, table, weights)
    curve = weights.curve
    relation, node = relation**curve, node**curve
    expected = _expected(np.maximum(relation, node), vector, table, cache, weights)
    return _Fit(np.append(relation, 0.0), np.append(node, 0.0), topic**curve, expected)


def _expected(match: Scores, vector: Vectors, table: PathTable, cache: RankingCache, weights: Weights) -> Scores:
    """How well each step reaches what a noun names, if that is what the question asks for."""
    kind = cache.judge.of_noun(vector)
    if kind is None:
        return match
    share = np.array([reached.kinds[kind] for reached in table.reached])
    seen = match * (1.0 - weights.kind_veto * (1.0 - share))
    return np.asarray(np.where(match > 0.95, match, np.maximum(seen, weights.kind_match * share)))


def _relation_fit(vector: Vectors, roots: Flags, table: PathTable, weights: Weights) -> Scores:
    similarity = np.array([float((name.vectors @ vector - name.bias).max()) for name in table.relations])
    values = _grow(similarity, weights.floor, weights.ceiling, weights.rivalry)
    return np.asarray(np.where(roots, 1.0, values * weights.root_rivals)) if roots.any() else values


def _preposition_fit(word: _Unit, roots: Flags, parts: QuestionParts, table: PathTable, weights: Weights) -> Scores:
    """Of relations with the word's root, those with the preposition that follows the word: "flows TO", "into"."""
    end = word.start + len(word.words)
    following = parts.words[end] if end < len(parts.words) else ""
    same = np.array([_same_preposition(following, name.preposition) for name in table.relations])
    if not (same & roots).any():
        return np.ones(len(same))
    return np.where(same | ~roots, 1.0, weights.preposition)


def _same_preposition(first: str, second: str) -> bool:
    return bool(first and second) and (first.endswith(second) or second.endswith(first))


def _node_fit(word: _Unit, vector: Vectors, table: PathTable, weights: Weights, *, rooted: bool) -> Scores:
    by_label = np.zeros(len(table.hops))
    labelled = any(len(step.labels) for step in table.reached)
    if labelled:
        similarity = np.array(
            [float((step.labels @ vector - step.label_bias).max(initial=-1.0)) for step in table.reached]
        )
        by_label = _grow(similarity, weights.floor, weights.ceiling, weights.rivalry)
        roots = np.array([_share_root(word.words, step.label_words) for step in table.reached])
        if roots.any():
            by_label = np.where(roots, 1.0, by_label * weights.root_rivals)
    near = np.array(
        [-1.0 if step.nodes is None else float(step.nodes @ vector) - step.nodes_bias for step in table.reached]
    )
    by_nodes = _grow(near, weights.node_floor, weights.node_ceiling, weights.rivalry)
    trust = weights.labelled if labelled else weights.unlabelled
    return by_label if rooted else np.asarray(np.maximum(by_label, trust * by_nodes))


def _topic_fit(word: _Unit, vector: Vectors, table: PathTable, weights: Weights) -> float:
    if not table.topic_words:
        return 0.0
    if _share_root(word.words, table.topic_words):
        return 1.0
    similarity = np.asarray(table.topic_labels @ vector - table.topic_bias, dtype=np.float64)
    return float(_grow(similarity, weights.floor, weights.ceiling, weights.rivalry).max())


def _share_root(first: Sequence[str], second: Sequence[str]) -> bool:
    return any(same_root(left, right) for left in first for right in second)


def _grow(similarity: Scores, floor: float, ceiling: float, rivalry: float) -> Scores:
    values = np.clip((similarity - floor) / (ceiling - floor), 0.0, 1.0)
    return np.asarray(values * np.exp((similarity - similarity.max()) / rivalry))


def _emissions(
    units: Sequence[_Unit], fits: Sequence[_Fit], parts: QuestionParts, table: PathTable, weights: Weights
) -> list[Scores]:
    """What each unit pays (paths, states); states are the topic, then relation and node of each step."""
    result = []
    for word, fitted in zip(units, fits, strict=True):
        pays = np.zeros((len(table.steps), 1 + 2 * MAX_HOPS))
        head = word.covers(parts.head)
        pays[:, 0] = 0.0 if head else weights.topic * fitted.topic
        for step in range(MAX_HOPS):
            column = table.padded[:, step]
            factor = np.where(table.length - 1 == step, weights.head, 0.0) if head else 1.0
            pays[:, 1 + 2 * step] = fitted.relation[column] * factor
            pays[:, 2 + 2 * step] = weights.node * fitted.node[column] * factor
        result.append(pays)
    return result


def _align(
    units: Sequence[_Unit],
    emissions: Sequence[Scores],
    parts: QuestionParts,
    table: PathTable,
    weights: Weights,
) -> Scores:
    """The best total that the units pay, read outward from the topic entity with the steps in order."""
    left = [number for number, word in enumerate(units) if word.start < parts.topic][::-1]
    right = [number for number, word in enumerate(units) if word.start > parts.topic]
    start = np.full((len(table.steps), 1 + 2 * MAX_HOPS), -np.inf)
    start[:, 0] = 0.0
    first = np.array([1.0] + [1.0 + weights.unnamed, 1.0] * MAX_HOPS)
    best: dict[tuple[int, int], Scores] = {(0, 0): start}
    for taken_left in range(len(left) + 1):
        for taken_right in range(len(right) + 1):
            options = []
            if taken_left:
                before = best[taken_left - 1, taken_right]
                options.append(_read(before, emissions[left[taken_left - 1]], first, weights))
            if taken_right:
                before = best[taken_left, taken_right - 1]
                options.append(_read(before, emissions[right[taken_right - 1]], first, weights))
            if options:
                best[taken_left, taken_right] = options[0] if len(options) == 1 else np.maximum(*options)
    return np.asarray(best[len(left), len(right)].max(axis=1))


def _read(before: Scores, pays: Scores, first: Scores, weights: Weights) -> Scores:
    """One unit more: it belongs to the present state, to a later one, or to none."""
    stay = before + weights.repeated * pays
    stay[:, 0] = before[:, 0] + pays[:, 0]
    moved = _moved(before, weights.skipped)
    return np.maximum(stay, np.where(pays > 0, moved + first * pays, -np.inf))


def _moved(before: Scores, skipped: float) -> Scores:
    """The best way into each state from an earlier one, at a cost for every step left out between."""
    moved = np.full_like(before, -np.inf)
    reach = before[:, 0]
    for step in range(MAX_HOPS):
        relation, node = 1 + 2 * step, 2 + 2 * step
        moved[:, relation] = reach
        moved[:, node] = np.maximum(reach, before[:, relation])
        reach = np.maximum(reach - skipped, np.maximum(before[:, relation], before[:, node]))
    return moved


def _step_costs(parts: QuestionParts, table: PathTable, weights: Weights) -> Scores:
    costs = table.length * (weights.hop + weights.unnamed)
    costs = costs + weights.again * table.again
    back = table.back.sum(axis=1)
    if parts.sharing:
        return np.asarray(costs + np.where(back > 0, -weights.unnamed * weights.shared, weights.not_shared))
    return np.asarray(costs + weights.back * back)


def _expectation(
    parts: QuestionParts, units: Sequence[_Unit], fits: Sequence[_Fit], table: PathTable, weights: Weights
) -> Scores:
    """For each distinct step, what it is worth as the last one."""
    heads = [fitted for word, fitted in zip(units, fits, strict=True) if word.covers(parts.head)]
    if heads:
        match = np.max([fitted.expected for fitted in heads], axis=0)
        best = float(match.max())
        return weights.expected * (2.0 * match / best - 1.0) * best if best > 0.2 else np.zeros(len(match))
    shares = np.stack([step.kinds for step in table.reached])
    match = fit(parts.asked, shares)
    if match.max() < 0.3:
        return np.zeros(len(match))
    return weights.expected * (2.0 * match - 1.0)
