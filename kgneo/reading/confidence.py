"""Confidence: how likely each reading of a question is right, and how likely none of them is.

Comes in: signs of the readings (`kgneo.reading.signs`). Goes out: probabilities, by scores that are linear in the signs
and a score of 0 for "none is right" (a conditional logit). The weights are in weights.json beside this file, which
`python -m benchmarks.choice fit` writes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kgneo.reading.signs import Signs

CONSTANT = "constant"
"""The name of the weight that every reading's score has."""
FILE = "weights.json"


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


@cache
def weights() -> Weights:
    """The weights that are shipped."""
    return Weights(json.loads(files(__package__).joinpath(FILE).read_text(encoding="utf-8")))
