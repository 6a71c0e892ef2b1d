"""Agree: whether two readers of one question found the same, or two names one path, and what that says of the answer.

Comes in: answers. Goes out: the names that are compared, and a confidence.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgneo.llm import LanguageModel
from kgneo.model import Answer
from kgneo.stages.ground import says_nothing
from kgneo.text import fold


def answered_names(answer: Answer) -> frozenset[str]:
    """What an answer says, comparable with others: names in the graph, else the items of its text."""
    if says_nothing(answer.answer):
        return frozenset()
    listed = answer.answers or answer.answer.split(";")
    return frozenset(fold(name).strip(" .") for name in listed if name.strip())


@dataclass(frozen=True, slots=True)
class Trust:
    """How often a language model is right by itself: with a query that it `wrote`, with a reading that it `took`; and
    the shares of that which are left where it finds nothing (`empty`), and for each query that failed before (`again`).
    `python -m benchmarks.trust` fits it to questions with answers."""

    wrote: float = 0.9
    took: float = 0.9
    empty: float = 0.4
    again: float = 0.85

    def alone(self, *, took: bool = False, empty: bool = False, failed: int = 0) -> float:
        """The probability that the model is right, by how its answer came about."""
        return (self.took if took else self.wrote) * self.again**failed * (self.empty if empty else 1.0)


LARGE, SMALL = Trust(), Trust(wrote=0.1, took=0.1)
"""Of a large model (`cypher` was right for 0.84, 0.88, 0.94, 0.95 and 0.96 of five sets of 60 to 128 questions; what is
fitted to those on which it and the reader differ is 0.90), and of a small one on this machine, which has to be held by
a grammar (0.01 and 0.10 of 200)."""
LEAST_AGREED = 0.9
"""Confidence at least where a model and the reader find the same by themselves."""


def trust_in(model: LanguageModel | None) -> Trust:
    """How often a language model is right."""
    return SMALL if model is not None and model.supports_grammar else LARGE


def opposed(one: float, other: float) -> tuple[float, float]:
    """How likely two answers that differ are right, of which each would be with these probabilities by itself, and one
    at most is: 0.85 and 0.5 leave 0.74 and 0.13."""
    first, second, neither = one * (1 - other), other * (1 - one), (1 - one) * (1 - other)
    whole = first + second + neither
    return (first / whole, second / whole) if whole else (0.5, 0.5)


LEAST = 0.1
"""Confidence of an answer that another reader contradicts, however sure that one is: it may be what is wrong."""


def beside(confidence: float, *, agreed: bool) -> float:
    """How sure an answer is (0..1), where another reader found the same or something else, with a `confidence` of its
    own: halfway between that and 1 where both agree, half of what it leaves where not. Set by hand, not fitted."""
    return 1.0 - 0.5 * (1.0 - confidence) if agreed else max(0.5 * (1.0 - confidence), LEAST)
