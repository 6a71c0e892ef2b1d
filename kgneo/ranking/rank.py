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
relations. The paths that come out best are then compared with the question as whole sentences, which hears what
no single word says: "delivers" is nearer to SHIPPED_BY, "who delivers X" to "supplier that supplies X".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from kgneo.english.names import name_words, path_wording, same_root
from kgneo.english.question import TOPIC, MaskedQuestion, QuestionParts, question_parts
from kgneo.english.words import DESCRIBING
from kgneo.model import RelationPath
from kgneo.ranking.alignment import Alignment
from kgneo.ranking.fit import Fit, Unit, find_units, fit_unit, unit_texts
from kgneo.ranking.kinds import TextEncoder, fit
from kgneo.ranking.vectors import PathTable, RankingCache, RelationStatistics, Scores
from kgneo.ranking.weights import CALIBRATION, TEMPERATURE, Evidence, Weights

NAMED = 0.2
"""Fit from which a step counts as named by a word."""
LABELLED = 0.95
"""Fit to a kind of node from which a noun names it ("suppliers"), and not a relation ("rival")."""
COMPARED = 20
"""How many of the best paths are compared with the question as sentences."""
EXPLAINED = 5
"""For how many of the best paths the words that speak of each step are told."""


@dataclass(frozen=True, slots=True)
class PathPart:
    """The words of the question that explain one step (`hop` is 1-based)."""

    hop: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A path with its score and the probability that it is the right one; `names` are readable names of relations.

    The best of several paths has the `evidence` that its confidence was judged by.
    """

    path: RelationPath
    score: float
    confidence: float
    names: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    parts: tuple[PathPart, ...] = ()
    evidence: Evidence | None = None


def rank_paths(
    question: MaskedQuestion,
    paths: Sequence[RelationPath],
    *,
    encoder: TextEncoder,
    statistics: RelationStatistics | None = None,
    cache: RankingCache | None = None,
    weights: Weights | None = None,
    correction: Callable[[RelationPath], float] = lambda _: 0.0,
) -> list[RankedPath]:
    """Rank `paths` (of one to three hops) for a question, best first; of equals the shorter one first.

    `statistics` are those of the graph; `cache` belongs to them and the encoder, keep it between questions.
    `correction` is added to each path's score.
    """
    if not paths:
        return []
    figures = statistics or RelationStatistics()
    memory = cache or RankingCache(encoder)
    scored = score_paths(
        question, paths, statistics=figures, cache=memory, weights=weights or Weights(), correction=correction
    )
    scores = scored.scores
    order = sorted(range(len(paths)), key=lambda index: (-scores[index], len(paths[index])))
    evidence = scored.evidence(order[0])
    confidences = scored.confidences(order, evidence)
    return [
        RankedPath(
            path=paths[index],
            score=float(scores[index]),
            confidence=confidence,
            names=figures.names,
            parts=scored.explanation(index) if place < EXPLAINED else (),
            evidence=None if place else evidence,
        )
        for place, (index, confidence) in enumerate(zip(order, confidences, strict=True))
    ]


@dataclass(frozen=True, slots=True, eq=False)
class ScoredPaths:
    """Scores of paths in their order, with what led to them."""

    scores: Scores
    units: tuple[Unit, ...]
    alignment: Alignment
    table: PathTable
    expected: Scores

    def evidence(self, path: int) -> Evidence:
        """What tells whether a path is right."""
        others = np.exp((self.scores - self.scores[path]) / TEMPERATURE).sum() - 1.0
        trace = self.alignment.trace(path)
        named = {step for step, fitted in trace.values() if step and fitted > NAMED}
        return Evidence(
            ahead=float(np.clip(-np.log(max(others, 1e-9)), -4.0, 4.0)),
            explained=sum(fitted for _, fitted in trace.values()) / max(len(self.units), 1),
            named=len(named) / int(self.table.length[path]),
            expected=float(self.expected[path]),
            score=float(self.scores[path]),
        )

    def confidences(self, order: Sequence[int], evidence: Evidence) -> list[float]:
        """The probability that each path, in the order given (best first), is the right one; `evidence` is the best's.

        Their sum may be less than 1: the rest is that none is.
        """
        best = CALIBRATION.probability(evidence)
        weights = np.exp((self.scores[list(order)] - self.scores[order[0]]) / TEMPERATURE)
        others = max(float(weights[1:].sum()), 1e-9)
        return [best, *(min(best, (1.0 - best) / others) * float(weight) for weight in weights[1:])]

    def explanation(self, path: int) -> tuple[PathPart, ...]:
        """Which words of the question speak of which step of a path."""
        words: dict[int, list[str]] = {}
        for number, (step, _) in sorted(self.alignment.trace(path).items()):
            words.setdefault(step, []).extend(self.units[number].words)
        return tuple(PathPart(step, tuple(words[step])) for step in sorted(words) if step)


def score_paths(
    question: MaskedQuestion,
    paths: Sequence[RelationPath],
    *,
    statistics: RelationStatistics,
    cache: RankingCache,
    weights: Weights,
    correction: Callable[[RelationPath], float] = lambda _: 0.0,
) -> ScoredPaths:
    """Scores of `paths`, in their order; `correction` is part of them."""
    parts = question_parts(question)
    table = cache.table(paths, question.labels, statistics)
    units = find_units(parts, table)
    theme = question.masked.replace(TOPIC, "").strip()
    cache.vectors([theme, *(text for word in units for text in unit_texts(word))])
    fits = [fit_unit(word, parts, table, cache, weights) for word in units]
    alignment = Alignment(units, fits, parts, table, weights)
    scores = alignment.scores - _step_costs(parts, units, table, weights)
    scores -= weights.modified * _modified(parts, table)[table.padded].sum(axis=1)
    expected = _expectation(parts, units, fits, table, weights)[table.last]
    scores += expected
    scores += weights.theme * _theme(theme, table, cache)
    scores += np.array([correction(path) for path in paths])
    best = np.argsort(-scores, kind="stable")[:COMPARED]
    scores[best] += weights.sentence * _as_sentences(question, [paths[index] for index in best], statistics, cache)
    return ScoredPaths(scores, tuple(units), alignment, table, expected)


def _theme(question: str, table: PathTable, cache: RankingCache) -> Scores:
    """How similar the question as a whole is to a path's relations on average, against the other relations."""
    vector = cache.vectors([question])[0]
    similarity = np.array(
        [float((name.completed.vectors @ vector - name.completed.bias).max()) for name in table.relations]
    )
    of_step = similarity[table.relation_of]
    padded = np.append(of_step - of_step.mean(), 0.0)
    return np.asarray(padded[table.padded].sum(axis=1) / table.length)


def _as_sentences(
    question: MaskedQuestion, paths: Sequence[RelationPath], statistics: RelationStatistics, cache: RankingCache
) -> Scores:
    """How similar each path, put into words, is to the question, more than the least similar of them."""
    asked, *read = cache.vectors(as_sentences(question, paths, statistics.names))
    similarity = np.stack(read) @ asked
    return np.asarray(similarity - similarity.min(), dtype=np.float64)


def as_sentences(question: MaskedQuestion, paths: Sequence[RelationPath], names: Mapping[str, str]) -> list[str]:
    """The question, then each path, in words that are compared as wholes; `names` are readable names of relations."""
    topic = " ".join(name_words(question.labels[0])) if question.labels else "it"
    words = [", ".join(DESCRIBING.get(word.lower(), (word,))) for word in question.masked.split()]
    wordings = [path_wording(path, topic=topic, names=names) for path in paths]
    return [" ".join(words).replace(TOPIC, topic), *wordings]


def _step_costs(parts: QuestionParts, units: Sequence[Unit], table: PathTable, weights: Weights) -> Scores:
    mentions = np.append([_mentions(units, name.completed.words) for name in table.relations], 0)
    again = (table.again >= 0) & (mentions[table.again] < 2)
    costs = table.length * (weights.hop + weights.unnamed) + weights.again * again
    back = table.back.sum(axis=1)
    if parts.sharing:
        return np.asarray(costs + np.where(back > 0, -weights.unnamed * weights.shared, weights.not_shared))
    return np.asarray(costs + weights.back * back)


def _modified(parts: QuestionParts, table: PathTable) -> Scores:
    """For each distinct step (then a 0), 1 where its relation is another one with a word more that the question does
    not have: "formerly played for" beside "plays for"."""
    asked = [parts.words[index] for index in parts.content]
    modified = [
        any(not any(same_root(word, own) for own in more for word in asked) for more in added)
        for added in _added_words(tuple(relation.own.words for relation in table.relations))
    ]
    return np.append(np.array(modified, dtype=float)[table.relation_of], 0.0)


@lru_cache(maxsize=256)
def _added_words(names: tuple[tuple[str, ...], ...]) -> list[list[tuple[str, ...]]]:
    """For each name, the words that it adds to each of the others that it holds. The same for all questions about the
    same relations."""
    return [[_beyond(name, other) for other in names if _adds_to(name, other)] for name in names]


def _adds_to(name: Sequence[str], other: Sequence[str]) -> bool:
    return len(name) > len(other) and all(any(same_root(word, own) for own in name) for word in other)


def _beyond(name: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(own for own in name if not any(same_root(own, word) for word in other))


def _mentions(units: Sequence[Unit], name: Sequence[str]) -> int:
    """How often a relation is mentioned: the most units that share a root with the same word of its name."""
    return max(sum(any(same_root(own, word) for own in item.words) for item in units) for word in name)


def _expectation(
    parts: QuestionParts, units: Sequence[Unit], fits: Sequence[Fit], table: PathTable, weights: Weights
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
    for word, fitted in zip(units, fits, strict=True):
        if word.covers(parts.role):
            match = np.maximum(match, fitted.node[:-1] if fitted.node.max() > LABELLED else fitted.relation[:-1])
    return np.asarray(weights.expected * (2.0 * match - 1.0))
