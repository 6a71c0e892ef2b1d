"""Confidence: how likely an interpretation is right, from what it leaves open.

Comes in: a few signs. Goes out: a probability, by a logistic regression that was fitted on questions about several
graphs (`python -m benchmarks.reading --fit`).
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether an interpretation is right: how many points of score it is `ahead` of the next one, the share
    of the question's telling words that it says nothing about (`silent`), how many mentions it leaves out (`ignored`),
    how many better ones found nothing (`tried`), and whether it found nothing itself (`empty`)."""

    ahead: float
    silent: float
    ignored: float
    tried: float
    empty: float


WEIGHTS = Signs(ahead=0.6, silent=-2.0, ignored=-1.0, tried=-0.7, empty=-1.5)
CONSTANT = 0.6


def confidence(signs: Signs) -> float:
    """0 to 1."""
    products = zip(astuple(WEIGHTS), map(float, astuple(signs)), strict=True)
    return 1.0 / (1.0 + math.exp(-CONSTANT - sum(weight * value for weight, value in products)))
