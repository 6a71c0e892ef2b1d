"""Choice: which readings of a question are run, which of them answers, and how likely that one is right.

Comes in: readings, best first, weights, and a function that runs one. Goes out: the first reading that has an answer,
with its probability by what it and those before it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgneo.reading.confidence import Weights
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs, signs_of, signs_of_found

TRIES = 6
"""Readings that are run at most."""


@dataclass(frozen=True, slots=True)
class Likely:
    """The place of a reading among those that were given, and the probability that what it finds is right."""

    place: int
    probability: float


Run = Callable[[int], Found | None]
"""What the reading at a place finds; None where that takes too long."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The places of the readings that were run in time, their signs, and the place of the one that answers, if one
    does. `run`: how many were run."""

    places: tuple[int, ...]
    signs: tuple[Signs, ...]
    answering: int | None
    run: int


def tried(question: str, readings: Sequence[Interpretation], run: Run) -> Tried:
    """Run readings in their order until one finds something, or says all of the question and that there is none. Of
    others that find nothing, the first whose answer says so answers."""
    found: list[Found | None] = []
    answering: int | None = None
    for place, item in enumerate(readings[:TRIES]):
        own = run(place)
        found.append(own)
        if own is None or not tells(item, own):
            continue
        if not own.empty or item.complete or not own.answers:
            answering = place
            break
        answering = place if answering is None else answering
    places = tuple(place for place, own in enumerate(found) if own is not None)
    signs = tuple(signs_of(question, readings, at) | signs_of_found(question, readings, found, at) for at in places)
    return Tried(places, signs, answering, len(found))


def likely(weights: Weights, ran: Tried) -> Likely | None:
    """The reading that answers, with its probability; None where none does."""
    if ran.answering is None:
        return None
    shares = dict(zip(ran.places, weights.probabilities(ran.signs), strict=True))
    return Likely(ran.answering, shares[ran.answering])


def tells(item: Interpretation, found: Found) -> bool:
    """Whether what a reading found is an answer: something, or nothing at all where it says all of a question about
    what is not there, since the longer what must not be there, the more is without it."""
    return bool(found.answers) or (item.graph.denies and not (item.ignored or item.unsaid or item.vacuous))
