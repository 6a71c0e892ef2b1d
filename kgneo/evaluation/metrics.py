"""What is measured, from one answer to a run with its intervals.

An `Answer` and the gold answers give `Scores`; the scores of many questions, as one NumPy array with a column
each, give means with 95 % bootstrap intervals. docs/evaluation.md has every formula.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from kgneo.model import Answer

Floats = NDArray[np.float64]

RESAMPLES = 1000
"""Bootstrap resamples. The ends of a 95 % interval vary by a few per cent of its width with this many."""

BLOCK = 2_000_000
"""Random draws held at once while resampling: 16 MB, however many questions there are."""


@dataclass(frozen=True, slots=True)
class Scores:
    """What one answer is worth, each number from 0 to 1."""

    hit_at_1: float = 0.0
    hit_at_1_text: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    exact: float = 0.0
    grounded: float = 0.0
    unanswered: float = 0.0

    def to_dict(self) -> dict[str, float]:
        """The scores by name, whole numbers as such and others with six digits."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


SCORES: tuple[str, ...] = tuple(Scores.__dataclass_fields__)
"""Names of all scores, in the order of the columns."""


def fold(name: str) -> str:
    """`name` as it is compared: case folded, runs of white space as one blank, none at the ends."""
    return " ".join(name.casefold().split())


def in_text(name: str, text: str) -> bool:
    """Whether the folded `name` stands in the folded `text` as whole words.

    Whole words: no letter or digit directly before or after it, so that "It" is not found in "with" nor 196
    in 1967. A name that is empty after folding is in no text.
    """
    return _in_folded(fold(name), fold(text))


def _in_folded(name: str, text: str) -> bool:
    if not name:
        return False
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        before = text[start - 1] if start else " "
        after = text[end] if end < len(text) else " "
        if not before.isalnum() and not after.isalnum():
            return True
        start = text.find(name, start + 1)
    return False


def score(answer: Answer, gold: Sequence[str], *, text_only: bool = False) -> Scores:
    """What `answer` is worth against the `gold` names, which must not be empty.

    `text_only` is for strategies that do not name entities: they count as unanswered when the text is empty.
    """
    wanted = {fold(name) for name in gold}
    given = [fold(name) for name in answer.answers]
    found = set(given)
    right = len(found & wanted)
    precision = right / len(found) if found else 0.0
    recall = right / len(wanted)
    text = fold(answer.answer)
    silent = not answer.answer.strip() if text_only and not found else not found
    return Scores(
        hit_at_1=float(bool(given) and given[0] in wanted),
        hit_at_1_text=float(any(_in_folded(name, text) for name in wanted)),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if right else 0.0,
        exact=float(found == wanted),
        grounded=float(answer.grounded),
        unanswered=float(silent),
    )


def bootstrap(values: Floats, *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95) -> Floats:
    """Percentile bootstrap intervals of the columns' means.

    `values` is n questions × m scores; the result m × 2, lower and upper end. The same seed gives the same
    intervals. Columns are resampled together, in blocks, so that memory does not grow with n × resamples.
    """
    count, columns = values.shape
    if count == 0:
        return np.zeros((columns, 2))
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, columns))
    step = max(1, BLOCK // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        # How often each question is drawn in each resample, as one count over (resample, question) pairs.
        drawn = generator.integers(0, count, size=(rows, count))
        drawn += np.arange(rows)[:, None] * count
        weights = np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count)
        means[start : start + rows] = weights @ values / count
    tail = (1 - level) / 2
    ends: Floats = np.quantile(means, [tail, 1 - tail], axis=0).T
    return ends


def percentile(values: Floats, share: float) -> float:
    """The value below which `share` (0..1) of `values` lies, 0 where there are none."""
    return float(np.quantile(values, share)) if values.size else 0.0


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation (n − 1), as over seeds; 0 for fewer than two values."""
    return float(np.std(np.asarray(values, dtype=float), ddof=1)) if len(values) > 1 else 0.0


def wilson(hits: int, count: int, *, deviations: float = 1.959964) -> tuple[float, float]:
    """Wilson's score interval of a share, 95 % unless told otherwise; (0, 1) where there is nothing."""
    if count == 0:
        return 0.0, 1.0
    share, square = hits / count, deviations**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    reach = deviations * math.sqrt(share * (1 - share) / count + square / (4 * count**2))
    reach /= 1 + square / count
    return max(0.0, middle - reach), min(1.0, middle + reach)
