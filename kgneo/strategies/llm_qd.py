"""`llm-qd`: the baseline without a graph that splits the question (KG-RAG section 4.2.2).

decompose → for each sub-question: rewrite, answer → synthesise. Nothing that is said is grounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from kgneo.context import Clock, Context
from kgneo.errors import BudgetSpent
from kgneo.events import StageEvent, Text
from kgneo.model import Answer, Step
from kgneo.stages.decompose import decompose
from kgneo.stages.generate import ModelCalls
from kgneo.stages.link import unbracket
from kgneo.stages.rewrite import rewrite
from kgneo.stages.synthesise import synthesise
from kgneo.strategies.llm import ask_alone, in_words, unanswered
from kgneo.strategies.protocol import Needs, NoOptions


@dataclass(frozen=True, slots=True)
class LlmQd:
    """Splits a question and answers its parts from what the model knows."""

    options: NoOptions = field(default_factory=NoOptions)
    name: ClassVar[str] = "llm-qd"
    needs: ClassVar[Needs] = Needs(model=True, graph=False)
    splits: ClassVar[bool] = True
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:  # noqa: ARG002
        """`entities` has no use here. Raises UsageError without a language model, and ModelError."""
        clock = Clock()
        calls = ModelCalls.of(context, clock, strategy=self.name)
        text, _ = unbracket(question)
        plan = decompose(text, calls)
        context.on_event(StageEvent("decompose", "done", total=len(plan.sub_questions), text=plan.reasoning))
        steps: list[Step] = []
        questions = plan.sub_questions or (text,)
        try:
            for number, asked in enumerate(questions, start=1):
                whole = rewrite(asked, steps, calls) if steps else asked
                steps.append(ask_alone(whole, context, calls, number=number, total=len(questions)))
        except BudgetSpent as error:
            if steps:
                calls.warn(f"{error.message} The answer is what was found before it.")
            else:
                steps.append(unanswered(text, error, context, calls))
        answer = steps[-1].answer
        if len(steps) > 1:
            context.on_event(StageEvent("synthesise", "begun"))
            answer = synthesise(text, plan.reasoning, steps, calls, on_text=lambda piece: context.on_event(Text(piece)))
        return in_words(self.name, question, answer, steps, calls, reasoning=plan.reasoning)
