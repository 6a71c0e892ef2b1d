"""What kind of thing a step of a path reaches, and how well that fits what a question asks for.

Comes in: labels of the nodes reached, names of some of them, and the words of the relation. Goes out: for
each step a share (0..1) of person, group, place, time, number and thing. "Who" asks for a person or a group,
"when" for a time, "where" for a place. Labels and names are compared with plain anchor words by the sentence
encoder; years, dates and numbers are told from the values themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgneo.english.names import name_words

Vectors = NDArray[np.float32]

ANCHORS: dict[str, tuple[str, ...]] = {
    "person": ("person", "people", "human being"),
    "group": ("organization", "group of people", "company"),
    "place": ("place", "location", "city", "country"),
    "time": ("year", "date", "time"),
    "number": ("number", "count", "amount"),
    "thing": ("object", "product", "work", "idea", "subject"),
}
KINDS = tuple(ANCHORS)
PERSON_NAMES = (
    "John Smith",
    "Maria Garcia",
    "David Miller",
    "Anna Fischer",
    "Robert Johnson",
    "Wei Chen",
    "Laura Rossi",
    "James Wilson",
)
_DATE = re.compile(r"-?\d{3,4}(-\d\d){0,2}(T[\d:.Z+-]+)?")
_NUMBER = re.compile(r"[-+]?[\d.,]+%?")


class TextEncoder(Protocol):
    """The part of an encoder that is needed here: normalised vectors of texts, shape (texts, dimensions)."""

    def encode(self, texts: Sequence[str]) -> Vectors: ...


class KindJudge:
    """Judges kinds; holds the anchors' vectors of one encoder."""

    def __init__(self, encoder: TextEncoder, *, temperature: float = 0.08) -> None:
        words = [word for anchors in ANCHORS.values() for word in anchors]
        owners = [kind for kind, anchors in enumerate(ANCHORS.values()) for _ in anchors]
        self._anchors = encoder.encode(words)
        self._owners = np.array(owners)
        self._person_names = _mean(encoder.encode(PERSON_NAMES))
        self._temperature = temperature

    def of_label(self, vector: Vectors) -> NDArray[np.float64]:
        """Shares of the kinds for a label's vector; they sum to 1."""
        nearest = self._nearest(vector)
        weights = np.exp((nearest - nearest.max()) / self._temperature)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def of_noun(self, vector: Vectors) -> int | None:
        """Which of `KINDS` a noun clearly names a person, a place or a time; None for any other noun."""
        shares = self.of_label(vector)
        person, group, place, time = shares[:4]
        if person >= 0.4 and person + group >= 0.6:
            return KINDS.index("person")
        if place >= 0.6:
            return KINDS.index("place")
        return KINDS.index("time") if time >= 0.6 else None

    def of_names(self, names: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """Shares of the kinds for some names of nodes (`vectors` are theirs); they need not sum to 1."""
        shares = np.zeros(len(KINDS))
        if not names:
            return shares
        dates = sum(bool(_DATE.fullmatch(name)) for name in names) / len(names)
        numbers = sum(bool(_NUMBER.fullmatch(name)) for name in names) / len(names)
        shares[KINDS.index("time")] = dates
        shares[KINDS.index("number")] = numbers * (1 - dates)
        if max(dates, numbers) < 0.5:
            centre = _mean(vectors)
            nearest = self._nearest(centre)
            shares[KINDS.index("person")] = _ramp(float(self._person_names @ centre), 0.52, 0.65)
            shares[KINDS.index("place")] = _ramp(nearest[KINDS.index("place")], 0.5, 0.65)
            shares[KINDS.index("group")] = _ramp(nearest[KINDS.index("group")], 0.38, 0.53)
        return shares

    def _nearest(self, vector: Vectors) -> NDArray[np.float64]:
        similarities = self._anchors @ vector
        return np.array([similarities[self._owners == kind].max() for kind in range(len(KINDS))])


def of_relation(relation: str, *, forward: bool) -> NDArray[np.float64]:
    """What the relation's name alone says: "…_by" leads to whoever did it."""
    shares = np.zeros(len(KINDS))
    if forward and name_words(relation)[-1] == "by":
        shares[KINDS.index("person")] = 0.7
    return shares


def fit(asked: str, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """How well rows of `shares` fit what is asked for: 0 (not) to 1, 0.5 where the question does not say.

    `asked` is "who", "when", "where" or "what".
    """
    person, group, place, time, number = (shares[:, index] for index in range(5))
    if asked == "who":
        return np.asarray(np.maximum(person, 0.7 * group))
    if asked == "when":
        return np.asarray(time)
    if asked == "where":
        return np.asarray(np.maximum(place, 0.85 * (1.0 - np.clip(person + time + number, 0.0, 1.0))))
    if asked == "what":
        return np.asarray(0.5 - 0.25 * person)
    return np.full(len(shares), 0.5)


def _mean(vectors: Vectors) -> Vectors:
    centre = vectors.mean(axis=0)
    return np.asarray(centre / max(float(np.linalg.norm(centre)), 1e-9), dtype=np.float32)


def _ramp(value: float, low: float, high: float) -> float:
    return float(np.clip((value - low) / (high - low), 0.0, 1.0))
