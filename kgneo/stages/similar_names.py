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
MOST = 0.7
"""Share of a name's letters from which a part of it may be misspelt; function words are no letters of it."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Piece number `span` could be name number `name`."""

    span: int
    name: int
    similarity: float


def best_alignments(spans: Sequence[str], names: Sequence[str]) -> list[Alignment]:
    """For each name the pieces that are most like it (several only where they are equally like it)."""
    spellings = [(number, spelling) for number, name in enumerate(names) for spelling in _spellings(name)]
    if not spans or not spellings:
        return []
    likeness = cdist(
        [spelling.text for _, spelling in spellings],
        [fold(span) for span in spans],
        scorer=OSA.normalized_similarity,
        score_cutoff=LIKE,
    )
    likeness = np.where(likeness >= np.array([spelling.least for _, spelling in spellings])[:, None], likeness, 0.0)
    likeness = likeness * np.array([spelling.factor for _, spelling in spellings])[:, None]
    result: list[Alignment] = []
    for number in range(len(names)):
        rows = [row for row, (owner, _) in enumerate(spellings) if owner == number]
        best = likeness[rows].max(axis=0)
        for span in np.flatnonzero((best > 0) & (best >= best.max() - 1e-6)):
            result.append(Alignment(int(span), number, round(float(best[span]), 4)))
    return result


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A text that could stand for a name, how well it does (`factor`), and how like it a piece has to be at `least`."""

    text: str
    factor: float
    least: float


def _spellings(name: str) -> list[_Spelling]:
    """The folded name, and every run of its words that could stand for it."""
    folded = fold(name)
    words = folded.split()
    runs = [(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1)]
    parts = [
        _Spelling(" ".join(run), PART, LIKE if _letters(run) >= MOST * _letters(words) else 1.0)
        for run in runs
        if len(run) < len(words) and len(run[-1]) >= SHORTEST_PART and run[-1] not in FUNCTION_WORDS
    ]
    return [_Spelling(folded, 1.0, LIKE), *parts]


def _letters(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if word not in FUNCTION_WORDS)
