"""Choice: which readings of a question are run, which of them answers, and how likely that one is right.

Comes in: readings, best first, weights, and a function that runs one. Goes out: the first reading that has an answer,
or, where that is likelier, one before it that says all of the question and finds nothing, with its probability by what
it and those before it found; where that is doubtful, the likeliest of all that are run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kgneo.english.words import PLAIN_VERBS
from kgneo.reading.confidence import Weights
from kgneo.reading.read import Interpretation
from kgneo.reading.signs import Found, Signs, is_truth, signs_of, signs_of_found

TRIES = 8
"""Readings that are run at most."""
DOUBTFUL = 0.8
"""Probability of the first reading that has an answer, below which others are run beside it."""


@dataclass(frozen=True, slots=True)
class Likely:
    """The place of a reading among those that were given, and the probability that what it finds is right."""

    place: int
    probability: float


Run = Callable[[int], Found | None]
"""What the reading at a place finds; None where that takes too long."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The places of the readings that were run in time, their signs, the places of those that can be the answer, and
    the place of the first that has one, if one does. `run`: how many were run."""

    places: tuple[int, ...]
    signs: tuple[Signs, ...]
    telling: tuple[int, ...]
    answering: int | None
    run: int


def tried(question: str, readings: Sequence[Interpretation], run: Run) -> Tried:
    """Run readings in their order until one has an answer."""
    found: list[Found | None] = []
    for place, item in enumerate(readings[:TRIES]):
        own = run(place)
        found.append(own)
        if own is not None and settles(item, own):
            return _told(question, readings, found, answering=place)
    return _told(question, readings, found)


def tried_all(question: str, readings: Sequence[Interpretation], run: Run) -> Tried:
    """Run all readings that may be run, whatever they find."""
    return _told(question, readings, [run(place) for place in range(len(readings[:TRIES]))])


def _told(
    question: str, readings: Sequence[Interpretation], found: Sequence[Found | None], answering: int | None = None
) -> Tried:
    """What running readings showed; the first that can be the answer answers where no other was decided for. Of two
    that say as much, one that finds something is meant, and not one that finds nothing."""
    known = {place: own for place, own in enumerate(found) if own is not None}
    telling = tuple(place for place, own in known.items() if tells(readings[place], own))
    if answering is None and telling:
        answering = next((place for place in telling if known[place].answers), telling[0])
    if answering is not None and known[answering].answers:
        least = readings[answering].score
        telling = tuple(place for place in telling if known[place].answers or readings[place].score > least)
    signs = tuple(signs_of(question, readings, at) | signs_of_found(question, readings, found, at) for at in known)
    return Tried(tuple(known), signs, telling, answering, len(found))


def choose(weights: Weights, question: str, readings: Sequence[Interpretation], run: Run) -> Likely | None:
    """The first reading that has an answer, or a likelier one before it that finds nothing; where that is doubtful, or
    a relation path stands before readings, with whose scores its own has nothing to do, the likeliest of all that are
    run. None where none can be the answer. `run` may be called twice for a place, and keeps what it found."""
    beside = len(readings) > 1 and readings[0].along is not None
    found = None if beside else likely(weights, tried(question, readings, run))
    if found is not None and found.probability >= DOUBTFUL:
        return found
    return likeliest(weights, tried_all(question, readings, run))


def likely(weights: Weights, ran: Tried) -> Likely | None:
    """The likeliest of the reading that answers and of those before it that can be the answer; None where none does."""
    if ran.answering is None:
        return None
    return _best(weights, ran, [place for place in ran.telling if place <= ran.answering])


def likeliest(weights: Weights, ran: Tried) -> Likely | None:
    """Of the readings that can be the answer the likeliest, with its probability; None where none can."""
    return _best(weights, ran, ran.telling)


def _best(weights: Weights, ran: Tried, places: Sequence[int]) -> Likely | None:
    """The likeliest of the readings at some places."""
    shares = dict(zip(ran.places, weights.probabilities(ran.signs), strict=True))
    best = max(places, key=shares.__getitem__, default=None)
    return None if best is None else Likely(best, shares[best])


def settles(item: Interpretation, found: Found) -> bool:
    """Whether no other reading is run behind one: it finds something, or none of what is not there, or a count of none
    or a "no" where it says all of the question."""
    if not found.answers:
        return item.graph.denies and _says_all(item)
    return not found.empty or item.complete


def tells(item: Interpretation, found: Found) -> bool:
    """Whether what a reading found can be the answer: something, or that there is nothing, where it says all of the
    question; a count of none only if each of its parts is said there, too, or denied. The longer what must not be
    there, the more is without it. The very thing that a question names is no answer to one that says more of it, and
    neither is what leaves a comparison out."""
    if item.unbound or (item.vacuous and item.unsaid and not is_truth(item.graph.answer)):
        return False
    sure = found.answers != ("0",) or not item.loose or item.graph.denies
    return not found.empty or (_says_all(item) and sure)


def _says_all(item: Interpretation) -> bool:
    """Whether a reading says all of the question; of a "yes or no" but for a verb that tells hardly more than that two
    things are joined: "does X TAKE Logic"."""
    unsaid = [word for word in item.unsaid if not (is_truth(item.graph.answer) and word.lower() in PLAIN_VERBS)]
    return not (item.ignored or unsaid or item.vacuous)
