"""Learned: which parts of a query graph go with which words, from questions whose query graph is known.

Comes in: questions, each with query graphs of which some are right. Goes out: weights for parts and for pairs of a part
and a word, and by them scores of query graphs for other questions. The weights make the right ones most likely among
the others (conditional logit, McFadden 1974), held near the order of the reader; what no question told apart weighs
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kgneo.query.graph import QueryGraph
from kgneo.reading.near import Layout, Near, identity
from kgneo.reading.parts import Asked, Part, Weights, parts_of

Floats = NDArray[np.float64]
STRENGTH = 0.2
"""How strongly weights are held near where they start."""
TIMES = 2
"""Questions in which a word must be to be weighed."""
SMALL = 0.02
"""Weights below are forgotten."""
BEAM = 5
ROUNDS = 2
Extra = Mapping[str, float]
"""Numbers that are known of one query graph beside its parts: how the reader ranked it."""
NOTHING: Extra = {}


@dataclass(frozen=True)
class Learned:
    """`weights` by part and by word; the empty word is the part alone."""

    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def judge(self, asked: Asked) -> Judge:
        """What scores query graphs for one question."""
        return Judge(self, asked)


PRIOR = Learned(
    {"behind": {"": 1.0}, "rank": {"": 1.0}, "read": {"": 2.0}, "unused": {"": -2.0}, "fit": {"": 1.0},
     "root first": {"": 0.5}, "counts other": {"": -5.0}}
)  # fmt: skip
"""The weights before anything was learned: the reader's own order, and that what is named first is asked for."""


class Judge:
    """Scores query graphs for one question; keeps what several of them have in common."""

    def __init__(self, learned: Learned, asked: Asked) -> None:
        self._weights, self._asked = learned.weights, asked
        self._of_part: dict[str, tuple[float, Weights]] = {}
        self._known: dict[tuple[str, int], float] = {}

    def score(self, layout: Layout, extra: Extra = NOTHING) -> float:
        """The logarithm of how likely a query graph is, but for a constant."""
        total = sum(self._weights.get(name, {}).get("", 0.0) * value for name, value in extra.items())
        for name, window, value in parts_of(self._asked, layout):
            alone, words = self._part(name)
            total += value * alone
            if window is not None:
                key = (name, id(window))
                if key not in self._known:
                    self._known[key] = float(words @ window)
                total += value * self._known[key]
        return total

    def _part(self, name: str) -> tuple[float, Weights]:
        if name not in self._of_part:
            weights = self._weights.get(name, {})
            words = np.array([weights.get(token, 0.0) for token, _ in self._asked.tokens], dtype=np.float32)
            self._of_part[name] = (weights.get("", 0.0), words)
        return self._of_part[name]


def search(
    judge: Judge, near: Near, pool: Iterable[tuple[QueryGraph, Extra]], *, beam: int = BEAM, rounds: int = ROUNDS
) -> list[tuple[float, QueryGraph]]:
    """The best readings among `pool` and those near the best of it, best first."""
    found: dict[object, tuple[float, QueryGraph]] = {}
    for graph, extra in pool:
        layout = Layout(graph)
        key = identity(layout)
        score = judge.score(layout, extra)
        if key not in found or found[key][0] < score:
            found[key] = (score, graph)
    done: set[object] = set()
    for _ in range(rounds):
        best = sorted(found.items(), key=lambda item: -item[1][0])[:beam]
        todo = [(key, graph) for key, (_, graph) in best if key not in done]
        for own, graph in todo:
            done.add(own)
            for other in near.of(graph):
                layout = Layout(other)
                key = identity(layout)
                if key not in found:
                    found[key] = (judge.score(layout), other)
    return sorted(found.values(), key=lambda item: -item[0])


# Training ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lesson:
    """A question, query graphs that it might mean with what is known of each, and which of them it means; `times`
    questions had this text."""

    asked: Asked
    graphs: Sequence[tuple[QueryGraph, Extra]]
    right: Sequence[bool]
    times: int = 1


def train(lessons: Sequence[Lesson], *, start: Learned = PRIOR) -> Learned:
    """The weights that make the right query graphs most likely, held near those of the reader's own order; looked for
    from those of `start` on."""
    from scipy.optimize import minimize
    from scipy.sparse import csr_matrix

    usable = [lesson for lesson in lessons if any(lesson.right) and not all(lesson.right)]
    if not usable:
        return PRIOR
    table = _Table(usable)
    for lesson in usable:
        table.add(lesson)
    matrix = csr_matrix((np.concatenate(table.values), np.concatenate(table.columns), table.starts()),
                        shape=(table.rows, len(table.names)))  # fmt: skip
    turned = matrix.T.tocsr()
    begins = np.array(table.begins[:-1])
    sizes = np.diff(table.begins)
    right = np.array(table.right)
    each = np.array([1.0 + np.log2(lesson.times) for lesson in usable])
    rows = np.repeat(each, sizes)
    near, begin = (
        np.array([known.weights.get(part, {}).get(token, 0.0) for part, token in table.names])
        for known in (PRIOR, start)
    )

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = matrix @ weights
        likely, all_log = _softmax(scores, begins, sizes)
        among, right_log = _softmax(np.where(right, scores, -1e9), begins, sizes)
        away = weights - near
        value = float((all_log - right_log) @ each) + STRENGTH * float(away @ away)
        return value, np.asarray(turned @ (rows * (likely - among)) + 2 * STRENGTH * away)

    found = minimize(loss, begin, jac=True, method="L-BFGS-B", options={"maxiter": 50})
    weights: dict[str, dict[str, float]] = {}
    for (part, token), weight in zip(table.names, found.x, strict=True):
        if abs(weight) >= SMALL:
            weights.setdefault(part, {})[token] = round(float(weight), 3)
    return Learned(weights)


def _softmax(scores: Floats, begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Shares within each group of rows, and the logarithm of each group's sum."""
    top = np.maximum.reduceat(scores, begins)
    powers = np.exp(scores - np.repeat(top, sizes))
    sums = np.add.reduceat(powers, begins)
    return powers / np.repeat(sums, sizes), np.log(sums) + top


class _Table:
    """Rows of numbers for the query graphs of all lessons."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        seen: Counter[str] = Counter()
        for lesson in lessons:
            seen.update(dict.fromkeys((token for token, _ in lesson.asked.tokens), lesson.times))
        self.usual = {token for token, times in seen.items() if times >= TIMES}
        self.names: dict[tuple[str, str], int] = {}
        self.columns: list[NDArray[np.int64]] = []
        self.values: list[NDArray[np.float32]] = []
        self.sizes: list[int] = []
        self.begins = [0]
        self.right: list[bool] = []

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.sizes)

    def starts(self) -> NDArray[np.int64]:
        """Where each row begins."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    def add(self, lesson: Lesson) -> None:
        """The rows of a lesson."""
        tokens = [(number, token) for number, (token, _) in enumerate(lesson.asked.tokens) if token in self.usual]
        places = np.array([number for number, _ in tokens], dtype=np.int64)
        columns: dict[str, NDArray[np.int64]] = {}
        for (graph, extra), right in zip(lesson.graphs, lesson.right, strict=True):
            parts = parts_of(lesson.asked, Layout(graph))
            self._row([*parts, *((name, None, value) for name, value in extra.items())], tokens, places, columns)
            self.right.append(right)
        self.begins.append(self.rows)

    def _row(
        self,
        parts: Sequence[Part],
        tokens: Sequence[tuple[int, str]],
        places: NDArray[np.int64],
        columns: dict[str, NDArray[np.int64]],
    ) -> None:
        found: list[NDArray[np.int64]] = []
        values: list[NDArray[np.float32]] = []
        for name, window, value in parts:
            found.append(np.array([self._column(name, "")]))
            values.append(np.array([value], dtype=np.float32))
            if window is None or not len(places):
                continue
            if name not in columns:
                columns[name] = np.array([self._column(name, token) for _, token in tokens])
            near = window[places]
            some = near > 0
            found.append(columns[name][some])
            values.append(near[some] * np.float32(value))
        self.columns.append(np.concatenate(found))
        self.values.append(np.concatenate(values))
        self.sizes.append(len(self.columns[-1]))

    def _column(self, name: str, token: str) -> int:
        return self.names.setdefault((name, token), len(self.names))
