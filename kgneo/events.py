"""What a strategy tells while it works, so that a person can watch: `Context.on_event` gets one of these at a time.

A `StageEvent` says that a stage begins or is done; between the two come the `Text` pieces that a language model
writes in it. Strategies with a model tell of `decompose` (done), then for each (sub-)question of `answer` (begun,
done), then, where there is one, of `synthesise` (begun). Those that walk through the graph tell, as done and with a
`text` for people, of `hop_number`, `decouple` and `understand` where they have them, of `relations` for each hop
(`number`), of `constrain` and `align`, and at the end of `answer`; `cypher` of `write_query` for each query (`number`),
and at the end of `answer`. A stage without a model is `measured`: it begins, and ends when the next one does; there is
no more to tell of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kgneo.model import Step

__all__ = ["Event", "StageEvent", "Text"]


@dataclass(frozen=True, slots=True)
class StageEvent:
    """A stage, by its name, and how far it is: `number` (1-based) of `total`.

    `text` is what it is about: the reasons of a split into `total` sub-questions (0: not split), a sub-question in
    the words it was rewritten to, or its answer. `step` has the answer with its evidence.
    """

    stage: str
    status: Literal["begun", "done", "measured"]
    number: int = 0
    total: int = 0
    text: str = ""
    step: Step | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply that the language model is writing."""

    text: str


Event = StageEvent | Text
