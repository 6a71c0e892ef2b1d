"""Strategies: named compositions of stages that turn a question into an answer.

A strategy is an object with a `name` and `answer(question, context)`. `STRATEGIES` holds them by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kgneo.context import Context, Options
from kgneo.errors import UsageError
from kgneo.model import Answer
from kgneo.strategies.kg_rag import KgRag
from kgneo.strategies.llm_only import LlmOnly
from kgneo.strategies.paths import Paths


class Strategy(Protocol):
    """One way to answer. `needs_model` says whether it calls a language model."""

    @property
    def name(self) -> str: ...
    @property
    def needs_model(self) -> bool: ...

    def furthest(self, options: Options) -> int | None:
        """How many hops a (sub-)question is read over at most, whatever the options say; None where paths of
        relations are not read."""
        ...

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Answer `question`; `entities` names its topic entities where the user did."""
        ...


ALL: tuple[Strategy, ...] = (
    Paths(),
    KgRag(),
    KgRag("kaping", splits=False, select="top-k"),
    LlmOnly("llm", splits=False),
    LlmOnly("llm-qd", splits=True),
)
STRATEGIES: dict[str, Strategy] = {strategy.name: strategy for strategy in ALL}


def find_strategy(name: str) -> Strategy:
    """The strategy of that name. Raises UsageError with the names there are."""
    try:
        return STRATEGIES[name]
    except KeyError:
        raise UsageError(f"There is no strategy {name!r}.", hint=f"Expected one of: {', '.join(STRATEGIES)}.") from None
