"""`kg-rag`: a question is split, each sub-question answered from triples, the answers put together (KG-RAG).

link → decompose → for each sub-question: rewrite, select, answer, ground → synthesise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from kgneo.context import Context
from kgneo.english.words import SHARING
from kgneo.events import StageEvent
from kgneo.model import Answer
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.decompose import Decomposition, decompose
from kgneo.stages.hop_number import is_one_hop
from kgneo.stages.reached import words_of
from kgneo.strategies.chain import Chain
from kgneo.strategies.protocol import Needs


@dataclass(frozen=True, slots=True)
class KgRagOptions:
    """`select` is how triples are chosen; by relations, a question that surely asks for one hop is not split. `follow`
    lets answers extend the candidates beyond N hops. With `brief` the model only splits and answers: "those films" in a
    later sub-question is replaced by a rule, and where that does for all of them, the last answer is the answer.
    `again` lets a later sub-question come back along the triples of an earlier one, unless the question says "other",
    "also", "same"."""

    select: Literal["relations", "top-k"] = "relations"
    follow: bool = False
    brief: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class KgRag:
    """KG-RAG: splits a question, answers its parts from triples, puts the answers together."""

    options: KgRagOptions = field(default_factory=KgRagOptions)
    name: ClassVar[str] = "kg-rag"
    splits: ClassVar[bool] = True

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
        options = self.options
        chain = Chain.begin(self.name, question, context, entities, select=options.select, follow=options.follow)
        chain.brief = options.brief
        chain.again = options.again and not shares(chain.linked.text)
        if not self.nearest and is_one_hop(context, chain.linked):
            plan = Decomposition("One relation answers this.")
        else:
            plan = decompose(chain.linked.text, chain.calls)
        context.on_event(StageEvent("decompose", "done", total=len(plan.sub_questions), text=plan.reasoning))
        return chain.answer(plan)


def shares(question: str) -> bool:
    """Whether a question asks for others that share something with what it names: "which OTHER films"."""
    return not SHARING.isdisjoint(words_of(question))
