"""Side by side: one question, answered by every strategy that can be asked here.

Comes in: a context and a question. Goes out: for each strategy its answer, or why there is none, and how far it agrees
with the others. Nothing is voted on: which answer is right, the reader decides, with the evidence of each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.model import Answer
from kgneo.stages.agree import answered_names
from kgneo.strategies import find_strategy, strategy_names


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one strategy made of the question: `answer`, or the reason in `error`. `agreement` is the share of the other
    strategies with an answer whose names are the same (None: nobody to agree with). `seconds` as they passed."""

    strategy: str
    answer: Answer | None = None
    error: str = ""
    seconds: float = 0.0
    agreement: float | None = None

    @property
    def names(self) -> frozenset[str]:
        """What it answers, comparable with others: names in the graph, else the items of its text."""
        return answered_names(self.answer) if self.answer else frozenset()

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the answer as `Answer.to_dict` has it, with agreement and seconds."""
        said = self.answer.to_dict() if self.answer else {"strategy": self.strategy, "error": self.error}
        return {**said, "agreement": self.agreement, "seconds": round(self.seconds, 3)}


def ask_all(
    context: Context,
    question: str,
    *,
    entities: Sequence[str] = (),
    options: dict[str, object] | None = None,
    on_begin: Callable[[str], None] = lambda _: None,
) -> tuple[Attempt, ...]:
    """Ask every installed strategy, by name; `options` go to those that have them. One that fails, or needs a model or
    embeddings that are not there, says so and stops nobody else."""
    attempts = [_attempt(name, context, question, entities, options or {}, on_begin) for name in strategy_names()]
    return tuple(
        Attempt(item.strategy, item.answer, item.error, item.seconds, _agreement(item, attempts)) for item in attempts
    )


def _attempt(
    name: str,
    context: Context,
    question: str,
    entities: Sequence[str],
    options: dict[str, object],
    on_begin: Callable[[str], None],
) -> Attempt:
    start = time.perf_counter()
    try:
        strategy = find_strategy(name, **options)
        if strategy.needs.model and context.model is None:
            return Attempt(name, error="needs a language model (--llm)")
        on_begin(name)
        answer = ask(context, question, strategy=strategy, entities=entities)
    except KgneoError as error:
        return Attempt(name, error=error.message, seconds=time.perf_counter() - start)
    return Attempt(name, answer, seconds=time.perf_counter() - start)


def _agreement(item: Attempt, attempts: Sequence[Attempt]) -> float | None:
    others = [other for other in attempts if other is not item and other.names]
    return sum(other.names == item.names for other in others) / len(others) if others and item.names else None
