"""Run readings: the best readings of a question are run until one answers that is likely by what they find.

Comes in: readings, and what those found that were run before. Goes out: the reading that answers, with what it found
and the probability that it is right (`kgneo.reading.confidence`). Readings that were weighed
by what was learned about the graph have a probability of their own, and are run in its order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kgneo.context import Context
from kgneo.encoders.encoder import Encoder
from kgneo.errors import GraphError, GraphTimeout
from kgneo.graph.run import Result
from kgneo.matching import found_in, match
from kgneo.query.graph import QueryGraph
from kgneo.questions import GoldNode
from kgneo.reading.choice import TRIES, choose, settles, tells
from kgneo.reading.confidence import weights
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found
from kgneo.stages.interpret import LONGEST, run_query

HARDLY = 0.1
"""Probability that words mean what they are read as, below which a reading loses by it: so few questions of data sets
have such words that the weights know little of them."""
EMPTY = 0.5
"""What the probability of a learned reading is worth that finds nothing."""

LARGEST = 12
"""Variables of a query graph that is run: Neo4j takes seconds to plan more, and no question of people asks it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A reading with what it found, and the probability that it is right."""

    interpretation: Interpretation
    result: Result
    confidence: float


@dataclass
class _Runs:
    """What readings found by their place; None for one that took too long."""

    context: Context
    question: str
    readings: Sequence[Interpretation]
    results: dict[int, Result | None] = field(default_factory=dict)
    found: dict[int, Found | None] = field(default_factory=dict)

    def run(self, place: int) -> Found | None:
        """What is to be known of it for the choice."""
        if place not in self.found:
            self.found[place] = self._found(place)
        return self.found[place]

    def _found(self, place: int) -> Found | None:
        if place not in self.results:
            self.results[place] = self._result(place)
        result = self.results[place]
        if result is None:
            return None
        like = likeness(self.context.encoder, self.question, self.readings[place].wording)
        return Found(result.answers, len(result.answers), result.empty, like)

    def answered(self, place: int, probability: float) -> Answered:
        """The reading at a place as the answer."""
        result = self.results[place]
        assert result is not None  # it was chosen by what it found
        item = self.readings[place]
        meant = min(item.means / HARDLY, 1.0) * item.decided if item.likely is None else 1.0
        return Answered(item, result, probability * meant)

    def _result(self, place: int) -> Result | None:
        if len(self.readings[place].graph.variables) > LARGEST:
            return None
        try:
            return run_query(self.context, self.readings[place].graph, timeout=LONGEST)
        except GraphTimeout:
            return None


def likeness(encoder: Encoder, question: str, wording: str) -> float:
    """How like two texts are for an encoder: the cosine of their vectors, -1 to 1."""
    one, other = encoder.encode([question, wording])
    return round(float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-9)), 4)


def gives(context: Context, graph: QueryGraph, answers: Sequence[str], nodes: Sequence[GoldNode] = ()) -> bool:
    """Whether a query graph finds exactly the gold `nodes`, or else `answers`, soon enough."""
    try:
        result = run_query(context, graph, timeout=LONGEST)
    except GraphError:
        return False
    if result.more or not result.answers:
        return False
    return match(found_in(result.answers, result.nodes), answers, nodes).exact


def run_readings(
    context: Context,
    question: str,
    readings: Sequence[Interpretation],
    given: Mapping[int, Result] | None = None,
) -> Answered | None:
    """The reading that answers; `given` are results by the place of their reading. None where none has an answer."""
    runs = _Runs(context, question, readings, dict(given or {}))
    if any(item.likely is not None for item in readings):
        return _learned(runs)
    found = choose(weights(), question, readings, runs.run)
    return runs.answered(found.place, found.probability) if found else None


def _learned(runs: _Runs) -> Answered | None:
    """The first reading that finds something, or else the first that says that there is none."""
    nothing: int | None = None
    for place, item in enumerate(runs.readings[:TRIES]):
        found = runs.run(place)
        if found is None or not tells(item, found):
            continue
        if settles(item, found):
            return runs.answered(place, (item.likely or 0.0) * (EMPTY if found.empty else 1.0))
        nothing = place if nothing is None else nothing
    return None if nothing is None else runs.answered(nothing, (runs.readings[nothing].likely or 0.0) * EMPTY)
