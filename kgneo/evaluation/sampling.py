"""A fair sample: which questions are asked depends on the seed and the questions alone.

Each question gets the number that hashing the seed with its identifier gives, and the smallest numbers are
drawn. So every strategy, machine and Python version draws the same, and a larger sample of the same seed
holds the smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from kgneo.errors import UsageError
from kgneo.evaluation.datasets import Question


def sample(questions: Sequence[Question], limit: int | None, *, seed: int) -> tuple[Question, ...]:
    """`limit` of `questions` drawn by `seed`, in their original order; all of them where that is fewer.

    Raises UsageError for a limit below 1.
    """
    if limit is not None and limit < 1:
        raise UsageError(f"a sample of {limit} questions; expected 1 or more")
    if limit is None or limit >= len(questions):
        return tuple(questions)
    drawn = sorted(range(len(questions)), key=lambda index: _number(seed, questions[index].id))[:limit]
    return tuple(questions[index] for index in sorted(drawn))


def _number(seed: int, identifier: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{identifier}".encode(), digest_size=16).digest()
