"""What a strategy is: one way to turn a question into an answer, a named composition of stages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from kgneo.context import Context
    from kgneo.model import Answer


@dataclass(frozen=True, slots=True)
class Needs:
    """What a strategy cannot answer without: a language model, the graph, the embeddings of the graph's triples.

    One that does without the graph answers in words and names no node. `model_if_any`: a language model is of use to
    it, and none is needed.
    """

    model: bool = False
    model_if_any: bool = False
    graph: bool = True
    embeddings: bool = False


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For a strategy that has none of its own."""


class Strategy(Protocol):
    """One way to answer. An entry point of the group `kgneo.strategies` names its class, which is called without
    arguments or with `options`."""

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> Needs: ...
    @property
    def options(self) -> Any:
        """Its own options, a frozen dataclass with defaults; those that strategies share are `Context.options`."""
        ...

    @property
    def splits(self) -> bool:
        """Whether it may ask sub-questions."""
        ...

    @property
    def nearest(self) -> bool:
        """Whether, with its options, it answers from the K triples nearest to each (sub-)question."""
        ...

    @property
    def furthest(self) -> int | None:
        """How many hops it reads a (sub-)question over at most, whatever is asked for; None where it reads no paths of
        relations."""
        ...

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Answer `question`; `entities` names its topic entities where the user did."""
        ...
