"""Fitting the choice among readings: scores that are linear in signs, and one for "none is right", which is 0.

Comes in: for each question the signs of its readings, and which of them are right. Goes out: weights under which the
right ones, all together, are as likely as can be, and none where none is right.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.choice_gather import COUNTED, KEPT
from kgneo.query.graph import Aggregate
from kgneo.query.json import from_json
from kgneo.reading.choice import Tried, tried, tried_all
from kgneo.reading.choice import choose as choose_reading
from kgneo.reading.confidence import CONSTANT, Weights
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs

EMPTIED, SHARE = "emptied", 4
"""The kind of questions that are answered by there being nothing, and of how many that name a value one is made one."""
FOLDS = 10
RIDGE = 10.0
"""How strongly weights are held near 0, for signs of a spread of 1."""
REST = 0.01
"""The same of the constant."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A reading with what it found (None: it took too long) and whether that is right."""

    reading: Interpretation
    found: Found | None
    right: bool


@dataclass(frozen=True)
class Gathered:
    """A question of a set with its readings; `kind` says where it is from, `exact` and `confidence` are those of the
    answer when it was gathered."""

    name: str
    text: str
    kind: str
    readings: tuple[Judged, ...]
    exact: bool
    confidence: float
    answerable: bool

    @cached_property
    def interpretations(self) -> list[Interpretation]:
        """The readings alone."""
        return [item.reading for item in self.readings]

    @cached_property
    def right(self) -> list[bool]:
        """Which of the readings are right."""
        return [item.right for item in self.readings]

    @cached_property
    def tried(self) -> Tried:
        """The readings that would be run first."""
        return tried(self.text, self.interpretations, self.run)

    @cached_property
    def tried_all(self) -> Tried:
        """The readings that would be run where the first answer is doubtful."""
        return tried_all(self.text, self.interpretations, self.run)

    def run(self, place: int) -> Found | None:
        """What a reading found."""
        return self.readings[place].found


def gathered(file: Path) -> list[Gathered]:
    """The questions of a file that `benchmarks.choice gather` made."""
    return [_gathered(file.stem, json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _gathered(name: str, record: Mapping[str, Any]) -> Gathered:
    return Gathered(
        name,
        record["question"],
        record["kind"],
        tuple(_judged(item) for item in record["readings"]),
        exact=bool(record["gold"] and record["exact"]),
        confidence=record["confidence"] or 0.0,
        answerable=bool(record["gold"]),
    )


def emptied(questions: Sequence[Gathered]) -> Iterator[Gathered]:
    """One in `SHARE` of the questions that are read right and name something, as if the graph had nothing for it: what
    is right finds nothing, all else what it found. Data sets have no such questions, and people ask them."""
    for item in questions:
        right = [own.reading.graph for own in item.readings if own.right and own.found]
        if any(graph.conditions or graph.denies for graph in right) and zlib.crc32(item.text.encode()) % SHARE == 0:
            readings = tuple(replace(own, found=_nothing(own)) if own.right else own for own in item.readings)
            yield replace(item, kind=EMPTIED, readings=readings, exact=False, confidence=0.0)


def _nothing(item: Judged) -> Found | None:
    """What a reading finds where there is nothing."""
    asked = item.reading.graph.answer
    function = asked.function if isinstance(asked, Aggregate) and asked.per is None else ""
    answers = {"count": ("0",), "exists": ("no",)}.get(function, ())
    return item.found and replace(item.found, answers=answers, number=len(answers), empty=True)


def _judged(record: Mapping[str, Any]) -> Judged:
    found = (
        None
        if record["late"]
        else Found(tuple(record["answers"]), record["found"], record["empty"], record["likeness"])
    )
    return Judged(_interpretation(record), found, bool(record["right"]))


def _interpretation(record: Mapping[str, Any]) -> Interpretation:
    """A reading with as many words as are kept of it."""
    numbers = {name: record[name] for name in KEPT if name in record}
    texts = {name: ("",) * record[name] for name in COUNTED if name in record}
    return Interpretation(from_json(record["graph"]), **numbers, **texts)


# Fitting -------------------------------------------------------------------------------------------------------------

Labelled = tuple[Sequence[Signs], Sequence[bool]]
"""The signs of a question's readings, and which of them are right."""


def fit(questions: Sequence[Labelled], *, ridge: float = RIDGE) -> Weights:
    """The weights of all signs, fitted to questions."""
    from scipy.optimize import minimize

    every = [signs for readings, _ in questions for signs in readings]
    names = list(dict.fromkeys(name for signs in every for name in signs))
    rows = np.array([[signs.get(name, 0.0) for name in names] for signs in every])
    spread = rows.std(0)
    spread[spread < 1e-9] = 1.0
    rows = np.c_[rows / spread, np.ones(len(rows))]
    problem = _Problem(rows, [list(right) for _, right in questions], np.r_[np.full(len(names), ridge), REST])
    found = minimize(problem.loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"maxiter": 1000}).x
    weights = dict(zip(names, found[:-1] / spread, strict=True))
    return Weights({name: round(float(value), 4) for name, value in {CONSTANT: found[-1], **weights}.items()})


class _Problem:
    """The negative logarithm of the likelihood of what is right, with its slope."""

    def __init__(self, rows: Floats, right: Sequence[Sequence[bool]], ridge: Floats) -> None:
        self.rows, self.ridge = rows, ridge
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
        value = float((np.log(whole) - np.log(wanted)).sum() + 0.5 * (self.ridge * weights * weights).sum())
        return value, np.asarray(self.rows.T @ (share - mine) + self.ridge * weights)


def trained(questions: Sequence[Gathered], *, ridge: float = RIDGE) -> Weights:
    """The weights of the signs of readings that would be run: those until one answers, and all of them."""
    ran = [(own, item) for item in questions if item.readings for own in (item.tried, item.tried_all)]
    known = [(own.signs, [item.right[place] for place in own.places]) for own, item in ran if own.places]
    return fit(known, ridge=ridge)


@dataclass(frozen=True)
class Chosen:
    """Whether the reading that is chosen is right, how likely it is held to be, and how many were run. Where no reading
    has an answer, none is right, and the confidence is 0."""

    right: bool
    confidence: float
    ran: int = 0


def choose(item: Gathered, weights: Weights) -> Chosen:
    """The reading that is chosen, with its probability."""
    places: set[int] = set()

    def run(place: int) -> Found | None:
        places.add(place)
        return item.run(place)

    found = choose_reading(weights, item.text, item.interpretations, run)
    return Chosen(item.right[found.place], found.probability, len(places)) if found else Chosen(False, 0.0, len(places))


def left_out(questions: Sequence[Gathered], *, folds: int = FOLDS, ridge: float = RIDGE) -> list[Chosen]:
    """What is chosen for each question by weights that saw no question about its graph."""
    fold = folds_of({item.name for item in questions}, folds)
    found: dict[int, Chosen] = {}
    for number in range(folds):
        weights = trained([item for item in questions if fold[item.name] != number], ridge=ridge)
        for place, item in enumerate(questions):
            if fold[item.name] == number:
                found[place] = choose(item, weights)
    return [found[place] for place in range(len(questions))]


def folds_of(names: Iterable[str], folds: int) -> dict[str, int]:
    """The fold of each graph; two sets about one graph (`geoquery`, `geoquery-triples`) share theirs."""
    graphs = sorted({name.split("-")[0] for name in names}, key=lambda name: zlib.crc32(name.encode()))
    place = {name: number % folds for number, name in enumerate(graphs)}
    return {name: place[name.split("-")[0]] for name in names}
