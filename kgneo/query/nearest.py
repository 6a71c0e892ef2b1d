"""The name that somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.utils import default_process

LIKENESS = 60
"""Likeness (0..100) from which on another name is offered."""


def nearest(name: str, known: Iterable[str], likeness: float = LIKENESS) -> str:
    """The name among `known` that is most like `name`; empty where none is as like it as `likeness`."""
    found = process.extractOne(name, sorted(set(known)), processor=default_process, score_cutoff=likeness)
    return found[0] if found else ""
