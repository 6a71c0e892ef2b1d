"""Agree: whether two readers of one question found the same, or two names one path, and what that says of the answer.

Comes in: answers. Goes out: the names that are compared, and a confidence.
"""

from __future__ import annotations

from kgneo.model import Answer
from kgneo.stages.ground import says_nothing
from kgneo.text import fold


def answered_names(answer: Answer) -> frozenset[str]:
    """What an answer says, comparable with others: names in the graph, else the items of its text."""
    if says_nothing(answer.answer):
        return frozenset()
    listed = answer.answers or answer.answer.split(";")
    return frozenset(fold(name).strip(" .") for name in listed if name.strip())


LEAST = 0.1
"""Confidence of an answer that another reader contradicts, however sure that one is: it may be what is wrong."""


def beside(confidence: float, *, agreed: bool) -> float:
    """How sure an answer is (0..1), where another reader found the same or something else, with a `confidence` of its
    own: halfway between that and 1 where both agree, half of what it leaves where not. Set by hand, not fitted."""
    return 1.0 - 0.5 * (1.0 - confidence) if agreed else max(0.5 * (1.0 - confidence), LEAST)
