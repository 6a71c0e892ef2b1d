"""`kaping`: the whole question is answered at once, from the triples most similar to it.

link → select → answer → ground; `kg-rag` without the split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kgneo.context import Context
from kgneo.model import Answer
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.decompose import Decomposition
from kgneo.strategies.chain import Chain
from kgneo.strategies.protocol import Needs


@dataclass(frozen=True, slots=True)
class KapingOptions:
    """`select` is how triples are chosen."""

    select: Literal["relations", "top-k"] = "top-k"


@dataclass(frozen=True, slots=True)
class Kaping:
    """KAPING: answers an undivided question from the triples that are most like it."""

    options: KapingOptions = field(default_factory=KapingOptions)
    name: ClassVar[str] = "kaping"
    splits: ClassVar[bool] = False

    @property
    def needs(self) -> Needs:
        """Embeddings where triples are chosen by similarity."""
        return Needs(model=True, embeddings=self.nearest)

    @property
    def nearest(self) -> bool:
        """See `Strategy.nearest`."""
        return self.options.select == "top-k"

    @property
    def furthest(self) -> int | None:
        """The longest path that is ranked where triples are chosen by relations."""
        return None if self.nearest else MAX_HOPS

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, UsageError without a language model, and ModelError."""
        chain = Chain.begin(self.name, question, context, entities, select=self.options.select, follow=False)
        return chain.answer(Decomposition())
