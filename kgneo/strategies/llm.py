"""`llm`: the baseline without a graph and without a split (KG-RAG section 4.2.2).

The model is asked the question alone. It names no entity of the graph, and nothing that it says is grounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kgneo.context import Clock, Context
from kgneo.errors import BudgetSpent, ModelError
from kgneo.events import StageEvent, Text
from kgneo.model import Answer, Step
from kgneo.stages.answer import answer_alone
from kgneo.stages.generate import ModelCalls
from kgneo.stages.link import unbracket
from kgneo.strategies.protocol import Needs, NoOptions

UNKNOWN = "unknown"
"""What the model is to write where it does not know."""


@dataclass(frozen=True, slots=True)
class Llm:
    """The model alone, without the graph."""

    options: NoOptions = field(default_factory=NoOptions)
    name: ClassVar[str] = "llm"
    needs: ClassVar[Needs] = Needs(model=True, graph=False)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:  # noqa: ARG002
        """`entities` has no use here. Raises UsageError without a language model, and ModelError."""
        clock = Clock()
        calls = ModelCalls.of(context, clock, strategy=self.name)
        text, _ = unbracket(question)
        try:
            step = ask_alone(text, context, calls, number=1, total=1)
        except BudgetSpent as error:
            step = unanswered(text, error, context, calls)
        return in_words(self.name, question, step.answer, [step], calls)


def ask_alone(text: str, context: Context, calls: ModelCalls, *, number: int, total: int) -> Step:
    """The model's answer to the (sub-)question `number` of `total`, from what it knows."""
    context.on_event(StageEvent("answer", "begun", number, total, text))
    answer = answer_alone(text, calls, on_text=lambda piece: context.on_event(Text(piece)))
    step = Step(text, answer)
    context.on_event(StageEvent("answer", "done", number, total, answer, step))
    return step


def unanswered(text: str, error: BudgetSpent, context: Context, calls: ModelCalls) -> Step:
    """What stands for an answer where the budget of the question paid for none."""
    calls.warn(f"{error.message} Nothing was answered by then.")
    context.on_event(Text(UNKNOWN))
    return Step(text, UNKNOWN)


def in_words(
    strategy: str, question: str, text: str, steps: Sequence[Step], calls: ModelCalls, *, reasoning: str = ""
) -> Answer:
    """The answer of a model alone. Raises ModelError for an empty `text`."""
    if not text:
        raise ModelError(f"{calls.model.name} gave an empty reply.")
    return Answer(
        question,
        strategy,
        text,
        steps=tuple(steps),
        llm=calls.use,
        timings_ms=calls.clock.milliseconds,
        warnings=tuple(calls.warnings),
        reasoning=reasoning,
    )
