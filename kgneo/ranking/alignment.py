"""Words of a question aligned to the steps of many paths at once.

Comes in: units of the question, how well each fits each step, and the paths as arrays. Goes out: for each path
the best total, and which unit speaks of which step.

English names the steps outward from the topic entity, so the alignment is a dynamic programme over intervals
around it: a unit is taken from the left or the right end of what has been read, and belongs to the present state,
to a later one, or to none. The states of a path are its topic, then relation and node of each step.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgneo.english.question import QuestionParts
from kgneo.ranking.fit import Fit, Unit
from kgneo.ranking.vectors import MAX_HOPS, PathTable, Scores
from kgneo.ranking.weights import Weights

STATES = 1 + 2 * MAX_HOPS
TOPIC_STATE = 0


class Alignment:
    """The best alignment of units to every path; `scores` are the totals by path."""

    def __init__(
        self,
        units: Sequence[Unit],
        fits: Sequence[Fit],
        parts: QuestionParts,
        table: PathTable,
        weights: Weights,
    ) -> None:
        self._pays = _payments(units, fits, parts, table, weights)
        self._left = [number for number, word in enumerate(units) if word.start < parts.topic][::-1]
        self._right = [number for number, word in enumerate(units) if word.start > parts.topic]
        self._weights = weights
        self._first = _first_payments(table, weights)
        self._best = self._fill(len(table.steps))
        self.scores: Scores = self._best[len(self._left), len(self._right)].max(axis=1)

    def _fill(self, paths: int) -> dict[tuple[int, int], Scores]:
        start = np.full((paths, STATES), -np.inf)
        start[:, TOPIC_STATE] = 0.0
        best = {(0, 0): start}
        for left in range(len(self._left) + 1):
            for right in range(len(self._right) + 1):
                options = [self._read(best[before], number) for before, number in self._cells_before((left, right))]
                if options:
                    best[left, right] = options[0] if len(options) == 1 else np.maximum(*options)
        return best

    def _cells_before(self, cell: tuple[int, int]) -> list[tuple[tuple[int, int], int]]:
        """The cells from which one unit more leads to `cell`, each with that unit."""
        left, right = cell
        cells = [((left - 1, right), self._left[left - 1])] if left else []
        return [*cells, ((left, right - 1), self._right[right - 1])] if right else cells

    def _read(self, before: Scores, number: int) -> Scores:
        """One unit more: it belongs to the present state, to a later one, or to none."""
        pays = self._pays[number]
        stay = before + self._weights.repeated * pays
        stay[:, TOPIC_STATE] = before[:, TOPIC_STATE] + pays[:, TOPIC_STATE]
        moved = _moved(before, self._weights.skipped)
        return np.maximum(stay, np.where(pays > 0, moved + self._first * pays, -np.inf))

    def trace(self, path: int) -> dict[int, tuple[int, float]]:
        """Which step (1-based; 0 for the topic entity) each unit speaks of in `path`, and how well (0..1).

        Units that speak of nothing are left out.
        """
        cell = (len(self._left), len(self._right))
        state = int(self._best[cell][path].argmax())
        found: dict[int, tuple[int, float]] = {}
        while cell != (0, 0):
            ways = [self._way(path, before, number, state) for before, number in self._cells_before(cell)]
            _, state_before, number, cell = max(ways)
            if self._pays[number][path, state] > 0:
                found[number] = (_step_of(state), min(1.0, float(self._pays[number][path, state])))
            state = state_before
        return found

    def _way(
        self, path: int, cell: tuple[int, int], number: int, state: int
    ) -> tuple[float, int, int, tuple[int, int]]:
        """The best way from `cell` into `state` by one unit: its value, the state before, the unit, the cell."""
        before, pays = self._best[cell][path], float(self._pays[number][path, state])
        share = 1.0 if state == TOPIC_STATE else self._weights.repeated
        ways = [(float(before[state]) + share * pays, state)]
        for earlier in range(state if pays > 0 else 0):
            left_out = max(0, _step_of(state) - _step_of(earlier) - 1)
            gain = float(self._first[path, state]) * pays - self._weights.skipped * left_out
            ways.append((float(before[earlier]) + gain, earlier))
        value, state_before = max(ways)
        return value, state_before, number, cell


def _first_payments(table: PathTable, weights: Weights) -> Scores:
    """What the first unit for each state pays, as a factor (paths, states): one for the relation names the step.

    Where a step goes back over the relation just walked, a word for the node is enough: "the songs of the writer".
    """
    first = np.ones((len(table.steps), STATES))
    first[:, 1::2] += weights.unnamed
    first[:, 2::2] += weights.unnamed * weights.back_named * table.back
    return first


def _step_of(state: int) -> int:
    return (state + 1) // 2


def _payments(
    units: Sequence[Unit], fits: Sequence[Fit], parts: QuestionParts, table: PathTable, weights: Weights
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
