"""`llm` and `llm-qd`: the baselines without a graph (KG-RAG section 4.2.2).

`llm` asks the model the question alone; `llm-qd` splits it first, rewrites later sub-questions with earlier answers,
and asks the model each of them. Neither names entities of the graph, and nothing they say is grounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Clock, Context, Options
from kgneo.errors import ModelError
from kgneo.events import Decomposed, StepBegun, StepDone, SynthesisBegun, Text
from kgneo.model import Answer, Step
from kgneo.stages.answer import answer_alone
from kgneo.stages.decompose import Decomposition, decompose
from kgneo.stages.generate import ModelCalls
from kgneo.stages.link import unbracket
from kgneo.stages.rewrite import rewrite
from kgneo.stages.synthesise import synthesise


@dataclass(frozen=True, slots=True)
class LlmOnly:
    """Answers from what the model knows. `splits` says whether the question is decomposed first."""

    name: str
    splits: bool
    needs_model: bool = True

    def furthest(self, options: Options) -> None:  # noqa: ARG002
        """No paths are read."""
        return

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:  # noqa: ARG002
        """`entities` has no use here. Raises UsageError without a language model, and ModelError."""
        clock = Clock()
        calls = ModelCalls.of(context, clock, strategy=self.name)
        text, _ = unbracket(question)
        plan = decompose(text, calls) if self.splits else Decomposition()
        if self.splits:
            context.on_event(Decomposed(plan.reasoning, plan.sub_questions))

        def stream(piece: str) -> None:
            context.on_event(Text(piece))

        steps: list[Step] = []
        questions = plan.sub_questions or (text,)
        for number, asked in enumerate(questions, start=1):
            whole = rewrite(asked, steps, calls) if steps else asked
            context.on_event(StepBegun(number, len(questions), whole))
            steps.append(Step(whole, answer_alone(whole, calls, on_text=stream)))
            context.on_event(StepDone(number, steps[-1]))
        answer = steps[-1].answer
        if len(steps) > 1:
            context.on_event(SynthesisBegun())
            answer = synthesise(text, plan.reasoning, steps, calls, on_text=stream)
        if not answer:
            raise ModelError(f"{calls.model.name} gave an empty reply.")
        return Answer(
            question,
            self.name,
            answer,
            steps=tuple(steps),
            llm=calls.use,
            timings_ms=clock.milliseconds,
            warnings=tuple(calls.warnings),
            reasoning=plan.reasoning,
        )
