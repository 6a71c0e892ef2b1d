"""Confidence: how likely an interpretation is right, from what it leaves open.

Comes in: a few signs. Goes out: a probability, by a logistic regression. Its weights are near what
`python -m benchmarks.reading --fit` finds: held near what a person would set, and answers to questions that a graph
cannot answer count thirty times. Not taken over is what makes it less sure of plain triples (`score`, the constant).
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether an interpretation is right.

    `score` is its own, `ahead` how far it is before the next one, `rivals` how many others are about as good; `silent`
    the share of the question's telling words that it says nothing about, `unsaid` how many are like nothing in it,
    `nouns` how many of these are nouns (or verbs that say of what "when" asks the date), `ignored` how many mentions it
    leaves out; `either` how many of its relationships could as well go the other way, since they join nodes of one
    label and the words may not say which way they mean; `named` how surely what is asked for is named; `loose` how many
    of its ways no word speaks of, `unmeasured` how little any speaks of what it compares or puts in an order; `bare` is
    `silent` where nothing bounds what it is about; `tried` how many better ones found nothing, `empty` whether it found
    nothing itself, `found` the logarithm (to 10) of how many answers.
    """

    score: float
    ahead: float
    rivals: float
    silent: float
    unsaid: float
    nouns: float
    ignored: float
    either: float
    named: float
    loose: float
    unmeasured: float
    bare: float
    tried: float
    empty: float
    found: float


WEIGHTS = Signs(
    score=0.41,
    ahead=0.13,
    rivals=0.13,
    silent=-2.7,
    unsaid=-1.0,
    nouns=-0.7,
    ignored=-0.79,
    either=-0.24,
    named=1.84,
    loose=-0.82,
    unmeasured=-1.8,
    bare=-2.27,
    tried=-0.76,
    empty=-1.53,
    found=-1.15,
)
CONSTANT = 0.19


def confidence(signs: Signs) -> float:
    """0 to 1."""
    products = zip(astuple(WEIGHTS), map(float, astuple(signs)), strict=True)
    return 1.0 / (1.0 + math.exp(-CONSTANT - sum(weight * value for weight, value in products)))
