"""What is measured, from one answer to a run with its intervals.

An `Answer` and its question's gold answers give `Scores`; the scores of many questions, as one NumPy array with a
column each, give means with 95 % bootstrap intervals. docs/evaluation.md has every formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from kgneo.matching import Matching, fold, found_in, key, match
from kgneo.model import Answer
from kgneo.questions import Question
from kgneo.stages.ground import says_nothing

Floats = NDArray[np.float64]

RESAMPLES = 1000
"""Bootstrap resamples. The ends of a 95 % interval vary by a few per cent of its width with this many."""

REFUSED = 0.2
"""Confidence below which an answer counts as withheld where the graph holds none."""

BLOCK = 2_000_000
"""Numbers held at once while resampling: 16 MB, however many questions there are."""


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


OF_NAMES = frozenset(("hit_at_1", "precision", "recall", "f1", "exact"))
"""Scores of the names that an answer gives. An answer in words alone gives none, and is worth what its text is."""


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


def matching(answer: Answer, question: Question) -> Matching:
    """Which of the answers are right, and how many gold answers they meet."""
    return match(found_in(answer.answers, answer.answer_nodes), question.answers, question.nodes)


def score(answer: Answer, question: Question, *, in_words: bool = False) -> Scores:
    """What `answer` is worth as an answer to `question`.

    `in_words` is for strategies that do not name entities: they count as unanswered when the text is empty.
    Where the graph holds no answer, saying so is worth 1 in every score, anything else 0.
    """
    silent = not answer.answer.strip() if in_words and not answer.answers else not answer.answers
    if not question.gold:
        worth = float(refuses(answer))
        return Scores(worth, worth, worth, worth, worth, worth, float(answer.grounded), float(silent))
    found = matching(answer, question)
    precision = sum(found.right) / len(found.right) if found.right else 0.0
    recall = found.met / found.gold
    text = fold(answer.answer)
    wanted = {form(name) for name in _gold_texts(question) for form in (fold, key)}
    return Scores(
        hit_at_1=float(found.right[:1] == (True,)),
        hit_at_1_text=float(any(_in_folded(name, text) for name in wanted)),
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if recall else 0.0,
        exact=float(found.exact),
        grounded=float(answer.grounded),
        unanswered=float(silent),
    )


def refuses(answer: Answer) -> bool:
    """Whether an answer says that there is none, or is not sure of itself."""
    if answer.outcome == "choice":
        return False
    unsure = answer.confidence is not None and answer.confidence < REFUSED
    return unsure or (not answer.answers and says_nothing(answer.answer))


def _gold_texts(question: Question) -> tuple[str, ...]:
    return question.answers or tuple(text for node in question.nodes for text in node.texts)


def bootstrap(values: Floats, *, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95) -> Floats:
    """Percentile bootstrap intervals of the columns' means.

    `values` is n questions × m scores; the result m × 2, lower and upper end. The same seed gives the same
    intervals. A question's scores are resampled together, in blocks, so that memory does not grow with n × resamples.
    """
    count, columns = values.shape
    if count < 2:  # nothing to resample
        return np.repeat(values.sum(axis=0)[:, None], 2, axis=1)
    found = stats.bootstrap(
        (values,),
        mean,
        n_resamples=resamples,
        batch=max(1, BLOCK // values.size),
        confidence_level=level,
        method="percentile",
        random_state=np.random.default_rng(seed),
    ).confidence_interval
    return np.stack([found.low, found.high], axis=1).reshape(columns, 2)


def mean(values: Floats, axis: int) -> Floats:
    """The statistic that is resampled."""
    middle: Floats = values.mean(axis=axis)
    return middle


def percentile(values: Floats, share: float) -> float:
    """The value below which `share` (0..1) of `values` lies, 0 where there are none."""
    return float(np.quantile(values, share)) if values.size else 0.0


def spread(values: Sequence[float]) -> float:
    """Sample standard deviation (n − 1), as over seeds; 0 for fewer than two values."""
    return float(np.std(np.asarray(values, dtype=float), ddof=1)) if len(values) > 1 else 0.0


def wilson(hits: int, count: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share; (0, 1) where there is nothing."""
    if count == 0:
        return 0.0, 1.0
    found = stats.binomtest(hits, count).proportion_ci(0.95, method="wilson")
    return float(found.low), float(found.high)
