"""Recall: what learned questions say about a new one, weighed with the ranking of its paths.

Comes in: the rows (reading, path) of a question with the scores of the ranking, and for each reading the examples
whose masked text is most like its own. Goes out: the rows with new scores. A row gets a few numbers (`features`):
how it ranks, how like the nearest example of its path is, and what share of the near examples have its path, its
number of hops, its first or last hop. A `Scorer` weighs them; its weights are set by hand or learned from the
examples themselves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgneo.model import HopKeys, RelationPath, path_keys

Features = NDArray[np.float64]

FEATURES = ("rank", "similarity", "same", "path", "length", "first", "last", "known")
HAND = (3.5, 3.0, 3.0, 2.5, 0.7, 0.5, 0.5, 0.05)
"""Weights before anything was learned, in the order of FEATURES."""
WIDTH = 0.04
"""Difference in similarity over which an example's vote falls to a third."""
FAR = 0.5
"""Similarity from which examples have a say."""
UNSEEN = 0.15
"""How much less similar than the nearest example a path counts that no near example has, at least."""
LOWEST_RANK = -4.0
CLOSE = 0.03
"""Distance over which an example stops being as good as the same text."""


class Learned(Protocol):
    """A learned question: what counts here is its path."""

    @property
    def path(self) -> RelationPath: ...


class Similar(Protocol):
    """A learned question with its similarity (cosine, -1..1) to a new one."""

    @property
    def example(self) -> Learned: ...
    @property
    def similarity(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Row:
    """A path of one reading of a question: `reading` numbers it, `score` is the ranking's."""

    reading: int
    path: RelationPath
    score: float


@dataclass(frozen=True, slots=True)
class Scorer:
    """Weights of the features."""

    weights: tuple[float, ...] = HAND

    def scores(self, features: Features) -> NDArray[np.float64]:
        """One number a row (rows × features); the softmax over a question's rows is their probability."""
        return np.asarray(features @ np.array(self.weights))

    def to_dict(self) -> dict[str, object]:
        """For the graph to keep: weights by the names of their features."""
        return {"weights": dict(zip(FEATURES, self.weights, strict=True))}

    @classmethod
    def from_dict(cls, record: Mapping[str, object] | None) -> Scorer:
        """The inverse of `to_dict`; weights by hand where there is nothing, or something of another version."""
        weights = (record or {}).get("weights")
        if not isinstance(weights, dict) or set(weights) != set(FEATURES):
            return cls()
        return cls(tuple(float(weights[name]) for name in FEATURES))


def features(rows: Sequence[Row], neighbours: Sequence[Sequence[Similar]], known: Counter[HopKeys]) -> Features:
    """The numbers of every row (rows × features). `neighbours` are those of each reading, `known` is how many
    questions were learned for each path."""
    every = [item for near in neighbours for item in near]
    best = max((item.similarity for item in every), default=0.0)
    say = min(max((best - FAR) / (1.0 - FAR), 0.0), 1.0) ** 2
    votes = [_Votes(near, best) for near in neighbours]
    total = sum(vote.total for vote in votes) or 1.0
    top = max(row.score for row in rows)
    result = np.zeros((len(rows), len(FEATURES)))
    for number, row in enumerate(rows):
        vote = votes[row.reading]
        keys = path_keys(row.path)
        similarity = vote.similarity.get(keys, vote.least)
        shares = np.array([vote.path[keys], vote.length[len(keys)], vote.first[keys[0]], vote.last[keys[-1]]])
        result[number] = [
            max(row.score - top, LOWEST_RANK),
            similarity,
            np.exp((min(similarity, 1.0) - 1.0) / CLOSE) if keys in vote.similarity else 0.0,
            *(say * shares / total),
            np.log1p(known[keys]),
        ]
    return result


class _Votes:
    """What one reading's near examples say about paths and parts of paths."""

    def __init__(self, near: Sequence[Similar], best: float) -> None:
        self.path: dict[HopKeys, float] = defaultdict(float)
        self.length: dict[int, float] = defaultdict(float)
        self.first: dict[tuple[str, bool, bool], float] = defaultdict(float)
        self.last: dict[tuple[str, bool, bool], float] = defaultdict(float)
        self.similarity: dict[HopKeys, float] = {}
        similarities = [item.similarity for item in near] or [0.0]
        self.least = min(*similarities, max(similarities) - UNSEEN)
        self.total = 0.0
        for item in near:
            self._add(path_keys(item.example.path), item.similarity, best)

    def _add(self, keys: HopKeys, similarity: float, best: float) -> None:
        weight = float(np.exp((similarity - best) / WIDTH))
        self.total += weight
        self.path[keys] += weight
        self.length[len(keys)] += weight
        self.first[keys[0]] += weight
        self.last[keys[-1]] += weight
        self.similarity[keys] = max(similarity, self.similarity.get(keys, -1.0))


@dataclass(frozen=True, slots=True)
class Lesson:
    """One question to learn from: its rows' features, which row is right, and how often it was asked."""

    features: Features
    right: int
    weight: float = 1.0


STRENGTH = 0.02
"""How strongly the weights are held near those set by hand, for each question."""


def train(lessons: Sequence[Lesson], *, start: Scorer | None = None) -> Scorer:
    """The weights that make the right rows most likely (conditional logit), held near `start`."""
    from scipy.optimize import minimize

    origin = np.array((start or Scorer()).weights)

    def loss(weights: Features) -> tuple[float, Features]:
        value, gradient = 0.0, np.zeros_like(weights)
        for lesson in lessons:
            scores = lesson.features @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            value -= lesson.weight * float(np.log(max(likely[lesson.right], 1e-12)))
            gradient -= lesson.weight * (lesson.features[lesson.right] - likely @ lesson.features)
        scale = 1.0 / max(sum(lesson.weight for lesson in lessons), 1e-9)
        away = weights - origin
        return value * scale + STRENGTH * float(away @ away) / 20, gradient * scale + STRENGTH * away / 10

    found = minimize(loss, origin, jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return Scorer(tuple(float(value) for value in found.x))


def accuracy(lessons: Sequence[Lesson], scorer: Scorer) -> float:
    """Share of questions whose right row is first."""
    right = [lesson.weight * (int(np.argmax(scorer.scores(lesson.features))) == lesson.right) for lesson in lessons]
    return float(sum(right) / max(sum(lesson.weight for lesson in lessons), 1e-9))
