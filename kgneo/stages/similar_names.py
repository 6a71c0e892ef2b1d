"""Pieces of a question compared with names that are spelt a little differently, or that are longer.

Comes in: pieces and names. Goes out: for each name the pieces that could be it, with a similarity (0..1). A typing
error costs its share of the letters (two letters exchanged are one error); a piece that is only part of a name, as
a surname is, costs as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from kgneo.english.words import FUNCTION_WORDS
from kgneo.text import fold

LIKE = 0.74
"""Similarity under which two spellings are not the same name: one error in four letters is the most."""
PART = 0.8
"""Factor for a part of a name."""
SHORTEST_PART = 4
"""Letters."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Piece number `span` could be name number `name`."""

    span: int
    name: int
    similarity: float


def best_alignments(spans: Sequence[str], names: Sequence[str]) -> list[Alignment]:
    """For each name the pieces that are most like it (several only where they are equally like it)."""
    spellings = [(number, text, factor) for number, name in enumerate(names) for text, factor in _spellings(name)]
    if not spans or not spellings:
        return []
    likeness = cdist(
        [text for _, text, _ in spellings],
        [fold(span) for span in spans],
        scorer=OSA.normalized_similarity,
        score_cutoff=LIKE,
    )
    likeness = likeness * np.array([factor for _, _, factor in spellings])[:, None]
    result: list[Alignment] = []
    for number in range(len(names)):
        rows = [row for row, (owner, _, _) in enumerate(spellings) if owner == number]
        best = likeness[rows].max(axis=0)
        for span in np.flatnonzero((best > 0) & (best >= best.max() - 1e-6)):
            result.append(Alignment(int(span), number, round(float(best[span]), 4)))
    return result


def _spellings(name: str) -> list[tuple[str, float]]:
    """The folded name, and every run of its words that could stand for it."""
    folded = fold(name)
    words = folded.split()
    runs = [(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)]
    parts = [
        (" ".join(run), PART)
        for run in runs
        if len(run) < len(words) and len(run[-1]) >= SHORTEST_PART and run[-1] not in FUNCTION_WORDS
    ]
    return [(folded, 1.0), *parts]
