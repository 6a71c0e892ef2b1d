"""What a strategy tells while it works, so that a person can watch: `Context.on_event` gets one of these at a time.

In the order in which they come: `Decomposed`, then for each (sub-)question `StepBegun`, `Text` pieces, `StepDone`;
then, where there is one, `SynthesisBegun` and the `Text` pieces of the final answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgneo.model import Step

__all__ = ["Decomposed", "Event", "StepBegun", "StepDone", "SynthesisBegun", "Text"]


@dataclass(frozen=True, slots=True)
class Decomposed:
    """The question was split (or not: then `sub_questions` is empty), for the reason given."""

    reasoning: str
    sub_questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepBegun:
    """Sub-question `number` (1-based) of `total` is to be answered, in the words it was rewritten to."""

    number: int
    total: int
    question: str


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply that the language model is writing."""

    text: str


@dataclass(frozen=True, slots=True)
class StepDone:
    """Sub-question `number` has its answer and evidence."""

    number: int
    step: Step


@dataclass(frozen=True, slots=True)
class SynthesisBegun:
    """The final answer is being put together."""


Event = Decomposed | StepBegun | Text | StepDone | SynthesisBegun
