"""Choice: which readings of a question are run, and how likely each of them is right by what they find.

Comes in: readings, weights, and a function that runs one. Goes out: those that were run and have an answer, likeliest
first. Readings that find the same are right together, so their probabilities add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgneo.reading.confidence import Model
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs, signs_of, signs_of_found

TRIES = 6
"""Readings that are run at most."""
SURE = 0.6
"""Probability before anything is run from which on no reading is run but the likeliest, where it finds something."""


@dataclass(frozen=True, slots=True)
class Likely:
    """The place of a reading among those that were given, and the probability that what it finds is right."""

    place: int
    probability: float


Run = Callable[[int], Found | None]
"""What the reading at a place finds; None where that takes too long."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The places of readings, likeliest first before running, what those found that were run, which are the first, and
    the signs of all."""

    places: tuple[int, ...]
    found: tuple[Found | None, ...]
    signs: tuple[Signs, ...]


def tried(question: str, readings: Sequence[Interpretation], weights: Model, run: Run) -> Tried:
    """Run the likeliest readings, one of them where it is likely enough."""
    signs = [signs_of(question, readings, number) for number in range(len(readings))]
    shares = weights.order.probabilities(signs)
    places = sorted(range(len(shares)), key=lambda place: -shares[place])
    found: list[Found | None] = []
    for place in places[:TRIES]:
        found.append(run(place))
        first = found[0]
        if len(found) == 1 and first and not first.empty and shares[place] >= SURE:
            break
    ordered = [readings[place] for place in places]
    whole = [signs[place] | signs_of_found(question, ordered, found, number) for number, place in enumerate(places)]
    return Tried(tuple(places), tuple(found), tuple(whole))


def likely(readings: Sequence[Interpretation], weights: Model, ran: Tried) -> list[Likely]:
    """The readings that were run and have an answer, likeliest first."""
    shares = weights.choice.probabilities(ran.signs)
    found = [
        Likely(place, sum(share for share, other in zip(shares, ran.found, strict=False) if _same(own, other)))
        for place, own in zip(ran.places, ran.found, strict=False)
        if own is not None and tells(readings[place], own)
    ]
    return sorted(found, key=lambda item: -item.probability)


def _same(one: Found, other: Found | None) -> bool:
    if other is None or one is other:
        return one is other
    return one.number == other.number > 0 and set(one.answers) == set(other.answers)


def tells(item: Interpretation, found: Found) -> bool:
    """Whether what a reading found is an answer: something, or nothing at all where it says all of a question about
    what is not there, since the longer what must not be there, the more is without it."""
    return bool(found.answers) or (item.graph.denies and not (item.ignored or item.unsaid or item.vacuous))
