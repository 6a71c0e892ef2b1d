"""Choice: which readings of a question are run, and how likely each of them is right by what they find.

Comes in: readings, weights, and a function that runs one. Goes out: those that were run and have an answer, likeliest
first. Of readings that find the same the one that was likeliest before is weighed, by how many others agree, too:
otherwise many that differ in nothing but words would outvote a single one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgneo.reading.confidence import Model
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs, signs_of, signs_of_found

TRIES = 6
"""Readings that are run at most."""
SURE = 0.5
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
    """The places of the readings that were run and find different things, likeliest first before running, what they
    found, their signs, and how many were `run`."""

    places: tuple[int, ...]
    found: tuple[Found, ...]
    signs: tuple[Signs, ...]
    run: int


def tried(question: str, readings: Sequence[Interpretation], weights: Model, run: Run) -> Tried:
    """Run the likeliest readings, one of them where it is likely enough."""
    signs = [signs_of(question, readings, number) for number in range(len(readings))]
    shares = weights.order.probabilities(signs)
    places = sorted(range(len(shares)), key=lambda place: -shares[place])[:TRIES]
    found: list[Found | None] = []
    for place in places:
        found.append(run(place))
        first = found[0]
        if len(found) == 1 and first and not first.empty and shares[place] >= SURE:
            break
    ordered = [readings[place] for place in places]
    first_of = {own.answers: number for number, own in reversed(list(enumerate(found))) if own is not None}
    numbers = sorted(first_of.values())
    return Tried(
        tuple(places[number] for number in numbers),
        tuple(own for number in numbers if (own := found[number]) is not None),
        tuple(signs[places[number]] | signs_of_found(question, ordered, found, number) for number in numbers),
        len(found),
    )


def likely(readings: Sequence[Interpretation], weights: Model, ran: Tried) -> list[Likely]:
    """The readings that were run and have an answer, likeliest first."""
    shares = weights.choice.probabilities(ran.signs)
    found = [
        Likely(place, share)
        for place, share, own in zip(ran.places, shares, ran.found, strict=True)
        if tells(readings[place], own)
    ]
    return sorted(found, key=lambda item: -item.probability)


def tells(item: Interpretation, found: Found) -> bool:
    """Whether what a reading found is an answer: something, or nothing at all where it says all of a question about
    what is not there, since the longer what must not be there, the more is without it."""
    return bool(found.answers) or (item.graph.denies and not (item.ignored or item.unsaid or item.vacuous))
