"""Fitting the choice among readings: scores that are linear in signs, and one for "none is right", which is 0.

Comes in: for each question the signs of its readings, and which of them are right. Goes out: weights under which the
right ones, all together, are as likely as can be, and none where none is right.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.choice_signs import Found, Signs, signs_of, signs_of_found
from kgneo.query.json import from_json
from kgneo.reading.read import Interpretation

FOLDS = 10
TRIES = 6
"""Readings that are run at most."""
SURE = 0.6
"""Probability before anything is run from which on the likeliest reading is taken, where it finds something."""
CONSTANT = "constant"
"""The name of the weight that every reading's score has."""
RIDGE = 5.0
"""How strongly weights are held near 0, for signs of a spread of 1."""

PRIOR: Mapping[str, float] = {
    "score": 0.4,
    "ahead": 0.1,
    "silent": -2.7,
    "unsaid": -1.0,
    "nouns": -0.7,
    "ignored": -0.8,
    "either": -0.2,
    "named": 1.8,
    "loose": -0.8,
    "unmeasured": -1.8,
    "bare": -2.3,
    "tried": -0.8,
    "empty": -1.5,
    "many": -1.2,
}
"""Weights as a person would set them, which fitted ones are held near; of all others 0."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Weights by the names of signs. A sign without one weighs nothing."""

    by_name: Mapping[str, float]

    def score(self, signs: Signs) -> float:
        """The logarithm of how many times as likely a reading is as that none is right."""
        constant = self.by_name.get(CONSTANT, 0.0)
        return constant + sum(self.by_name.get(name, 0.0) * value for name, value in signs.items())

    def probabilities(self, signs: Sequence[Signs]) -> list[float]:
        """How likely each reading is right, 0 to 1. What is left of 1 is the probability that none is."""
        scores = [self.score(item) for item in signs]
        top = max([0.0, *scores])
        powers = [math.exp(score - top) for score in scores]
        whole = math.exp(-top) + sum(powers)
        return [power / whole for power in powers]


@dataclass(frozen=True)
class Judged:
    """A reading with what it found and whether that is right."""

    reading: Interpretation
    found: Found | None
    right: bool


@dataclass(frozen=True)
class Gathered:
    """A question of a set with its readings; `exact` and `confidence` are those of the answer when it was gathered."""

    name: str
    readings: tuple[Judged, ...]
    exact: bool
    confidence: float
    answerable: bool

    @cached_property
    def interpretations(self) -> list[Interpretation]:
        """The readings alone."""
        return [item.reading for item in self.readings]

    @cached_property
    def signs(self) -> list[Signs]:
        """The signs of each reading before it is run."""
        return [signs_of(self.interpretations, number) for number in range(len(self.readings))]

    @cached_property
    def right(self) -> list[bool]:
        """Which of the readings are right."""
        return [item.right for item in self.readings]


def gathered(file: Path) -> list[Gathered]:
    """The questions of a file that `benchmarks.choice gather` made."""
    return [_gathered(file.stem, json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _gathered(name: str, record: Mapping[str, Any]) -> Gathered:
    readings = tuple(_judged(item) for item in record["readings"])
    exact = bool(record["exact"]) if record["gold"] else not record["answers"]
    return Gathered(name, readings, exact, record["confidence"] or 0.0, bool(record["gold"]))


def _judged(record: Mapping[str, Any]) -> Judged:
    numbers = {name: record[name] for name in ("nouns", "named", "loose", "measured")}
    flags = {name: record[name] for name in ("plain_chain", "bare", "kind", "vacuous", "spelt")}
    item = Interpretation(
        from_json(record["graph"]),
        record["score"],
        ("",) * record["ignored"],
        record["silent"],
        ("",) * record["unsaid"],
        **numbers,
        **flags,
    )
    found = None if record["late"] else Found(tuple(record["answers"]), record["found"], record["empty"])
    return Judged(item, found, bool(record["right"]))


# Fitting -------------------------------------------------------------------------------------------------------------


def fit(
    questions: Sequence[tuple[Sequence[Signs], Sequence[bool]]],
    *,
    ridge: float = RIDGE,
    prior: Mapping[str, float] = PRIOR,
) -> Weights:
    """The weights of all signs, fitted to questions with the signs of their readings and which of these are right."""
    from scipy.optimize import minimize

    every = [signs for readings, _ in questions for signs in readings]
    names = list(dict.fromkeys(name for signs in every for name in signs))
    rows = np.array([[signs.get(name, 0.0) for name in names] for signs in every])
    spread = rows.std(0)
    spread[spread < 1e-9] = 1.0
    rows = np.c_[rows / spread, np.ones(len(rows))]
    start = np.r_[[prior.get(name, 0.0) for name in names] * spread, 0.0]
    problem = _Problem(rows, [list(right) for _, right in questions], np.r_[np.full(len(names), ridge), 0.01], start)
    found = minimize(problem.loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000}).x
    weights = dict(zip(names, found[:-1] / spread, strict=True))
    return Weights({name: round(float(value), 4) for name, value in {CONSTANT: found[-1], **weights}.items()})


class _Problem:
    """The negative logarithm of the likelihood of what is right, with its slope."""

    def __init__(self, rows: Floats, right: Sequence[Sequence[bool]], ridge: Floats, start: Floats) -> None:
        self.rows, self.ridge, self.start = rows, ridge, start
        self.right = np.array([item for question in right for item in question], dtype=bool)
        self.question = np.array([number for number, question in enumerate(right) for _ in question])
        self.none = np.array([not any(question) for question in right])

    def loss(self, weights: Floats) -> tuple[float, Floats]:
        scores = self.rows @ weights
        top = np.zeros(len(self.none))
        np.maximum.at(top, self.question, scores)
        powers, none = np.exp(scores - top[self.question]), np.exp(-top)
        whole, wanted = none.copy(), np.where(self.none, none, 0.0)
        np.add.at(whole, self.question, powers)
        np.add.at(wanted, self.question[self.right], powers[self.right])
        share = powers / whole[self.question]
        mine = np.where(self.right, powers / wanted[self.question], 0.0)
        away = weights - self.start
        value = float((np.log(whole) - np.log(wanted)).sum() + 0.5 * (self.ridge * away * away).sum())
        return value, np.asarray(self.rows.T @ (share - mine) + self.ridge * away)


def trained(questions: Sequence[Gathered]) -> dict[str, Weights]:
    """The weights `order` of signs before running, and `choice` of all, where the first few by `order` are run."""
    read = [item for item in questions if item.readings]
    order = fit([(item.signs, item.right) for item in read])
    chosen = []
    for item in read:
        places, ran = run(item, order)
        chosen.append((whole_signs(item, places, ran), [item.right[place] for place in places]))
    return {"order": order, "choice": fit(chosen)}


def run(item: Gathered, order: Weights) -> tuple[list[int], list[Found | None]]:
    """The places of a question's readings, likeliest first, and what those find that would be run."""
    shares = order.probabilities(item.signs)
    places = sorted(range(len(shares)), key=lambda place: -shares[place])
    found = [item.readings[place].found for place in places[:TRIES]]
    first = found[0]
    return places, found[:1] if first and not first.empty and shares[places[0]] >= SURE else found


def whole_signs(item: Gathered, places: Sequence[int], ran: Sequence[Found | None]) -> list[Signs]:
    """The signs of the readings at `places` with what running adds."""
    readings = [item.interpretations[place] for place in places]
    return [item.signs[place] | signs_of_found(readings, ran, number) for number, place in enumerate(places)]


@dataclass(frozen=True)
class Chosen:
    """Whether the reading that is chosen is right, how likely it is held to be, and how many were run."""

    right: bool
    confidence: float
    ran: int = 0


def choose(item: Gathered, weights: Mapping[str, Weights]) -> Chosen:
    """The likeliest of the readings that were run and have an answer."""
    if not item.readings:
        return Chosen(not item.answerable, 0.0)
    places, ran = run(item, weights["order"])
    likely = likelihoods(weights["choice"], whole_signs(item, places, ran), ran)
    told = [
        (share, place)
        for share, place, found in zip(likely, places, ran, strict=False)
        if found is not None and tells(item.interpretations[place], found)
    ]
    if not told:
        return Chosen(not item.answerable, 0.0, len(ran))
    share, place = max(told, key=lambda pair: pair[0])
    return Chosen(item.right[place], share, len(ran))


def likelihoods(weights: Weights, signs: Sequence[Signs], ran: Sequence[Found | None]) -> list[float]:
    """How likely what each of the readings that were `ran` (the first of those with `signs`) found is right: readings
    that find the same are right together."""
    shares = weights.probabilities(signs)
    return [
        sum(share for share, other in zip(shares, ran, strict=False) if other is found or _same(found, other))
        if found is not None
        else shares[number]
        for number, found in enumerate(ran)
    ]


def _same(one: Found, other: Found | None) -> bool:
    return other is not None and one.number == other.number > 0 and set(one.answers) == set(other.answers)


def tells(item: Interpretation, found: Found) -> bool:
    """Whether what a reading found is an answer: something, or nothing at all where it says all of a question about
    what is not there, since the longer what must not be there, the more is without it."""
    return bool(found.answers) or (item.graph.denies and not (item.ignored or item.unsaid or item.vacuous))


def left_out(questions: Sequence[Gathered], *, folds: int = FOLDS) -> list[Chosen]:
    """What is chosen for each question by weights that saw no question about its graph."""
    fold = folds_of({item.name for item in questions}, folds)
    found: dict[int, Chosen] = {}
    for number in range(folds):
        weights = trained([item for item in questions if fold[item.name] != number])
        for place, item in enumerate(questions):
            if fold[item.name] == number:
                found[place] = choose(item, weights)
    return [found[place] for place in range(len(questions))]


def folds_of(names: Iterable[str], folds: int) -> dict[str, int]:
    """The fold of each graph; two sets about one graph (`geoquery`, `geoquery-triples`) share theirs."""
    graphs = sorted({name.split("-")[0] for name in names}, key=lambda name: zlib.crc32(name.encode()))
    place = {name: number % folds for number, name in enumerate(graphs)}
    return {name: place[name.split("-")[0]] for name in names}
