"""What a question is answered with: what is known of the graph, the encoder, a language model if there is one, options.

A context is made once and serves many questions, from one thread at a time or several: what it keeps between
questions (vectors of words and relations) only ever grows. The time that each stage takes is measured by a `Clock`
of the question's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from kgneo.defaults import EVIDENCE, MIN_CONFIDENCE
from kgneo.encoders.encoder import Encoder
from kgneo.events import Event, StageEvent
from kgneo.graph import Graph
from kgneo.graph.open import Knowledge
from kgneo.graph.record import IndexRecord
from kgneo.graph.shape import Shape
from kgneo.llm import LanguageModel
from kgneo.llm.spending import Price, Spending
from kgneo.prompts import Prompts
from kgneo.tracing import span


@dataclass(frozen=True, slots=True)
class Options:
    """How to answer. `hops` is N, how far candidates and paths reach; `top_k` is K, triples per (sub-)question;
    `max_candidates` is how many triples are looked at for them, those of the nearest hops (None: `Reach.most`).

    `limit` bounds the answers that are listed, `evidence` the matches that are kept as evidence of each (0: all, of all
    answers). Of an answer with a confidence below `min_confidence`, whatever strategy
    gave it, only the readings are told, and "not found". `today` is the day from which "last month" is told (None: the
    present day, UTC).

    For strategies with a language model: `llm_timeout` is in seconds for one call, `seed` draws replies, each prompt's
    with a seed made of both; `max_calls` and `max_tokens` (of prompts and replies together) bound what one question may
    cost (None: no bound), after which it is answered with what there is. With a `price`, `max_cost` is the same in
    money. `day_tokens` and `day_cost` bound what one `user` may spend on a day (UTC), which is kept in the context's
    `spending`. What one strategy alone understands is among its own options.
    """

    hops: int = 3
    top_k: int = 30
    direction: Literal["both", "out"] = "both"
    exact: bool = False
    max_candidates: int | None = None
    limit: int = 1000
    evidence: int = EVIDENCE
    min_confidence: float = MIN_CONFIDENCE
    today: date | None = None
    seed: int | None = None
    llm_timeout: float = 120.0
    max_calls: int | None = None
    max_tokens: int | None = None
    price: Price | None = None
    max_cost: float | None = None
    user: str = ""
    day_tokens: int | None = None
    day_cost: float | None = None


def _silent(_: Event) -> None:
    return None


@dataclass
class Context:
    """The graph with what is known of it, and how to answer from it.

    `encoder` reads questions; `other_encoder` made the embeddings of the triples, where that is another one.
    `spending` keeps what the language model costs (None: nowhere). `on_event` is told what a strategy with a language
    model does. `memory` is what stages keep between questions about the same graph, by the stage's name; contexts made
    with `dataclasses.replace` share it.
    """

    knowledge: Knowledge
    encoder: Encoder
    options: Options = field(default_factory=Options)
    model: LanguageModel | None = None
    prompts: Prompts = field(default_factory=Prompts, repr=False)
    on_event: Callable[[Event], None] = field(default=_silent, repr=False)
    other_encoder: Encoder | None = None
    spending: Spending | None = None
    memory: dict[str, object] = field(default_factory=dict, repr=False)

    @property
    def graph(self) -> Graph:
        """The connection."""
        return self.knowledge.graph

    @property
    def triple_encoder(self) -> Encoder:
        """The encoder whose vectors are compared with the embeddings of triples."""
        return self.other_encoder or self.encoder

    @property
    def record(self) -> IndexRecord:
        """What the graph was indexed with."""
        return self.knowledge.record

    @property
    def shape(self) -> Shape:
        """What of the graph is used."""
        return self.knowledge.shape


class Clock:
    """Milliseconds that stages took, in the order in which they first ran. `tell` hears of each that begins."""

    def __init__(self, tell: Callable[[Event], None] = _silent) -> None:
        self.milliseconds: dict[str, float] = {}
        self._tell = tell

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure the block as part of the stage `name`."""
        self._tell(StageEvent(name, "measured"))
        start = time.perf_counter()
        try:
            with span(name):
                yield
        finally:
            taken = (time.perf_counter() - start) * 1000
            self.milliseconds[name] = self.milliseconds.get(name, 0.0) + taken
