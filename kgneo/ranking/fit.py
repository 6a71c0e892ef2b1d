"""How well words of a question fit the steps of paths.

Comes in: a question's parts and the relations and steps within reach. Goes out: its units (a word, or neighbouring
words that name one relation together), and for each unit how well it fits each step's relation, the kind of node
that the step reaches, and the topic entity.

A unit fits a relation by a shared root, else by the encoder's similarity, less how similar the relation is to any
noun, in competition with the other relations. It fits the nodes that a step reaches by their labels, by their names
and relations, or by a relation's noun for the same nodes ("authors").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgneo.english.names import is_noun, same_root
from kgneo.english.question import QuestionParts
from kgneo.english.voice import doer_in_question, names_reached
from kgneo.english.words import DESCRIBING
from kgneo.ranking.vectors import (
    Flags,
    NameVectors,
    PathTable,
    RankingCache,
    RelationVectors,
    Scores,
    Vectors,
)
from kgneo.ranking.weights import Weights
from kgneo.unit_vectors import unit


@dataclass(frozen=True, slots=True)
class Unit:
    """A word, or neighbouring words that together name one relation; `start` indexes the question's words."""

    start: int
    words: tuple[str, ...]

    def covers(self, indices: Sequence[int]) -> bool:
        """Whether one of the question's words `indices` is among these."""
        return any(self.start <= index < self.start + len(self.words) for index in indices)


def find_units(parts: QuestionParts, table: PathTable) -> list[Unit]:
    """The question's meaningful words, with "doctoral advisor" as one where a relation has both words."""
    indices = set(parts.content) | {index for index, word in enumerate(parts.words) if word in DESCRIBING}
    units: list[Unit] = []
    asked: set[Sequence[str]] = set()
    for index in sorted(indices):
        word = parts.words[index]
        if DESCRIBING.get(word) in asked:
            continue
        if word in DESCRIBING:
            asked.add(DESCRIBING[word])
        adjacent = bool(units) and units[-1].start + len(units[-1].words) == index
        if adjacent and _name_together(units[-1].words, word, table):
            units[-1] = Unit(units[-1].start, (*units[-1].words, word))
        else:
            units.append(Unit(index, (word,)))
    return units


def _name_together(before: Sequence[str], word: str, table: PathTable) -> bool:
    for relation in table.relations:
        names = relation.completed.words
        rest = [name for name in names if not any(same_root(other, name) for other in before)]
        if len(rest) < len(names) and any(same_root(word, name) for name in rest):
            return True
    return False


def unit_texts(word: Unit) -> tuple[str, ...]:
    """The texts whose mean vector stands for a unit."""
    text = " ".join(word.words)
    return DESCRIBING.get(text, (text,))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How well a unit fits each distinct step's relation and kind of node (0..1, then a 0), and the topic."""

    relation: Scores
    node: Scores
    topic: float
    expected: Scores


def fit_unit(word: Unit, parts: QuestionParts, table: PathTable, cache: RankingCache, weights: Weights) -> Fit:
    vector = unit(cache.vectors(unit_texts(word)).mean(axis=0))
    names = [relation.own if _is_object(word, parts, relation) else relation.completed for relation in table.relations]
    roots = np.array([_share_root(word.words, name.words) for name in names])
    by_name = _relation_fit(vector, roots, names, weights)
    node = _node_fit(word, vector, table, weights, rooted=bool(roots.any()))
    if roots.sum() > 1:
        by_name = by_name * _preposition_fit(word, roots, parts, table, weights)
        by_name = by_name * _mention_fit(roots, parts, names, weights)
    if not roots.any():
        by_name = by_name * (1.0 - weights.node_rivals * float(node.max()))
    if not any(_share_root(word.words, step.label_words) for step in table.reached):
        node = np.maximum(node, weights.role * (table.roles * by_name).max(axis=1))
    relation = by_name[table.relation_of]
    relation = relation * np.where(_right_way(word, parts, table, rooted=bool(roots.any())), 1.0, weights.other_side)
    topic = _topic_fit(word, vector, table, weights)
    curve = weights.curve
    relation, node = relation**curve, node**curve
    expected = _expected(np.maximum(relation, node), vector, table, cache, weights)
    return Fit(np.append(relation, 0.0), np.append(node, 0.0), topic**curve, expected)


def _right_way(word: Unit, parts: QuestionParts, table: PathTable, *, rooted: bool) -> Flags:
    """Which steps go the way that a unit's place in the question says, if it says anything."""
    end = word.start + len(word.words)
    if word.covers(parts.head) or (rooted and names_reached(parts, end)):
        return table.noun_reached
    does = doer_in_question(parts, word.start, end)
    if does == "source":
        return ~table.reached_does
    return ~table.source_does if does == "reached" else np.ones(len(table.hops), dtype=bool)


def _expected(match: Scores, vector: Vectors, table: PathTable, cache: RankingCache, weights: Weights) -> Scores:
    """How well each step reaches what a noun names, if that is what the question asks for."""
    kind = cache.judge.of_noun(vector)
    if kind is None:
        return match
    share = np.array([reached.kinds[kind] for reached in table.reached])
    seen = match * (1.0 - weights.kind_veto * (1.0 - share))
    return np.asarray(np.where(match > 0.95, match, np.maximum(seen, weights.kind_match * share)))


def _is_object(word: Unit, parts: QuestionParts, relation: RelationVectors) -> bool:
    """Whether a unit is the noun that completes the relation's verb: it names what is reached, not the relation. Right
    after the topic it is a verb, as in "what did X order"."""
    return word.covers(parts.head) and any(is_noun(own, name) for own in word.words for name in relation.objects)


def _relation_fit(vector: Vectors, roots: Flags, names: Sequence[NameVectors], weights: Weights) -> Scores:
    similarity = np.array([float((name.vectors @ vector - name.bias).max()) for name in names])
    values = _grow(similarity, weights.floor, weights.ceiling, weights.rivalry)
    return np.asarray(np.where(roots, 1.0, values * weights.root_rivals)) if roots.any() else values


def _preposition_fit(word: Unit, roots: Flags, parts: QuestionParts, table: PathTable, weights: Weights) -> Scores:
    """Of relations with the word's root, those with the preposition that follows the word: "flows TO", "into"."""
    end = word.start + len(word.words)
    following = parts.words[end] if end < len(parts.words) else ""
    same = np.array([_same_preposition(following, name.preposition) for name in table.relations])
    if not (same & roots).any():
        return np.ones(len(same))
    return np.where(same | ~roots, 1.0, weights.preposition)


def _mention_fit(roots: Flags, parts: QuestionParts, names: Sequence[NameVectors], weights: Weights) -> Scores:
    """Of relations with the word's root, those most of whose words the question has: "plays for", "formerly played
    for"."""
    asked = [parts.words[index] for index in parts.content]
    shares = np.array([np.mean([_share_root((own,), asked) for own in name.words]) for name in names])
    left_out = 1.0 - shares / max(float(shares[roots].max()), 1e-9)
    return np.where(roots, 1.0 - weights.unmentioned * left_out, 1.0)


def _same_preposition(first: str, second: str) -> bool:
    return bool(first and second) and (first.endswith(second) or second.endswith(first))


def _node_fit(word: Unit, vector: Vectors, table: PathTable, weights: Weights, *, rooted: bool) -> Scores:
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


def _topic_fit(word: Unit, vector: Vectors, table: PathTable, weights: Weights) -> float:
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
