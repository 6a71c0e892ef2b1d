"""All examples for tuning that a graph gives: chats for a language model, pairs for an encoder.

They are made of questions over the graph's schema (`kgneo.tuning.chains`) and of labelled ones, where there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.model import RelationPath
from kgneo.questions import Question
from kgneo.stages.link import link
from kgneo.tuning.chains import Chain, chain_of, chains
from kgneo.tuning.data import Example, examples
from kgneo.tuning.labelled import Labelled, labelled
from kgneo.tuning.pairs import Pair, pairs

__all__ = ["Made", "from_graph"]


@dataclass(frozen=True, slots=True)
class Made:
    """What a graph gave; `answered` are the identifiers of the labelled questions that it answers."""

    examples: tuple[Example, ...]
    pairs: tuple[Pair, ...]
    answered: frozenset[str]


def from_graph(
    context: Context,
    *,
    questions: int,
    seed: int,
    own: Sequence[Question] = (),
    advance: Callable[[], object] = lambda: None,
) -> Made:
    """The examples of so many questions over the schema and of one's `own`; `advance` is called after each of these.

    The same for the same graph, embeddings, questions and seed. Raises GraphError.
    """
    understood = labelled(context, own)
    asked = _Asked(context, Random(f"kgneo questions {seed}"))  # noqa: S311 - examples are no secret
    made = tuple(examples(context, asked.each(understood, questions), seed=seed, advance=advance))
    return Made(made, tuple(asked.pairs), frozenset(item.question.id for item in understood))


@dataclass
class _Asked:
    """Questions one after another, and on the way their pairs."""

    context: Context
    random: Random
    pairs: list[Pair] = field(default_factory=list)

    def each(self, own: Sequence[Labelled], count: int) -> Iterator[Chain]:
        """Those of one's own that can be chats, then `count` over the schema."""
        knowledge = self.context.knowledge
        for item in own:
            topic = item.linked.topics[0].entity
            chain = chain_of(knowledge, item.linked.text, (topic.id, topic.name), item.path.hops, self.random)
            parts = chain.parts if chain else ()
            self.pairs += pairs(self.context, item.linked, item.path, parts, self.random)
            if chain:
                yield chain
        for chain in chains(knowledge, count, self.random):
            self._pair(chain)
            yield chain

    def _pair(self, chain: Chain) -> None:
        try:
            linked = link(self.context.knowledge, chain.question, entities=[chain.topic])
        except KgneoError:  # a name that several nodes have, for one
            return
        self.pairs += pairs(self.context, linked, RelationPath(chain.hops), chain.parts, self.random)
