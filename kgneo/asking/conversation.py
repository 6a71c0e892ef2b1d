"""A conversation: questions in turn, each with those before it.

With a language model, a follow-up ("and who wrote it?") is rewritten into a whole question first. Without one, three
kinds are understood, through the query graph of the question before (`kgneo.asking.follow_up`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kgneo.asking.follow_up import FOLLOW_UP, follow_up
from kgneo.asking.question import ask
from kgneo.context import Clock, Context
from kgneo.model import Answer
from kgneo.stages.generate import ModelCalls
from kgneo.stages.rewrite import whole_question, write_answers
from kgneo.strategies import Strategy


@dataclass
class Conversation:
    """Questions about one graph. `turns` holds the answers to whole questions so far, oldest first: what a count or a
    narrowing is made of stays the question before."""

    context: Context
    strategy: str | Strategy | None = None
    turns: list[Answer] = field(default_factory=list)

    def ask(self, question: str, *, entities: Sequence[str] = ()) -> Answer:
        """Answer a question or follow-up; the answer's `question` is the whole one. A question that failed leaves no
        turn. Raises what `kgneo.ask` raises."""
        if not self.turns:
            answer = ask(self.context, question, strategy=self.strategy, entities=entities)
        elif self.context.model is None:
            answer = follow_up(self.context, question, self.turns[-1], self.strategy) or ask(
                self.context, question, strategy=self.strategy, entities=entities
            )
        else:
            clock = Clock()
            calls = ModelCalls.of(self.context, clock, strategy="conversation")
            whole = whole_question(question, [(turn.question, _said(turn)) for turn in self.turns], calls)
            answer = ask(self.context, whole, strategy=self.strategy, entities=entities)
            answer = replace(
                answer,
                llm=calls.use + answer.llm if answer.llm else calls.use,
                timings_ms={**clock.milliseconds, **answer.timings_ms},
                warnings=(*calls.warnings, *answer.warnings),
            )
        if answer.strategy != FOLLOW_UP:
            self.turns.append(answer)
        return answer


def _said(answer: Answer) -> str:
    last = answer.steps[-1] if answer.steps else None
    return write_answers(replace(last, answers=answer.answers, answer=answer.answer)) if last else answer.answer
