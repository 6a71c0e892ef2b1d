"""What a question is answered with: the graph, its index, the encoder, a language model if there is one, options.

A context is made once and serves many questions, from one thread at a time or several: what it keeps between
questions (vectors of words and relations) only ever grows. The time that each stage takes is measured by a `Clock`
of the question's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from kgneo.embedding import Encoder
from kgneo.graph import Graph
from kgneo.graph.index import IndexRecord
from kgneo.graph.shape import LOADED, Shape


@dataclass(frozen=True, slots=True)
class Options:
    """How to answer. `hops` is N, how far candidates and paths reach; `top_k` is K, triples per (sub-)question.

    `limit` bounds the answers that are listed, `min_confidence` is where `paths` says "not found"."""

    hops: int = 3
    top_k: int = 30
    direction: Literal["both", "out"] = "both"
    exact: bool = False
    limit: int = 1000
    min_confidence: float = 0.0
    seed: int | None = None


@dataclass
class Context:
    """The graph with what was learned about it, and how to answer from it."""

    graph: Graph
    record: IndexRecord
    encoder: Encoder
    options: Options = field(default_factory=Options)
    shape: Shape = LOADED

    @cached_property
    def memory(self) -> dict[str, object]:
        """What stages keep between questions about the same graph, by the stage's name."""
        return {}


class Clock:
    """Milliseconds that stages took, in the order in which they first ran."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the block as part of the stage `name`."""
        start = time.perf_counter()
        try:
            yield
        finally:
            taken = (time.perf_counter() - start) * 1000
            self.milliseconds[name] = self.milliseconds.get(name, 0.0) + taken
