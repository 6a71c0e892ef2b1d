"""All examples for tuning that a graph gives: chats for a language model, pairs for an encoder.

They are made of questions over the graph's schema and of labelled ones, where there are any: of those along a relation
path (`kgneo.tuning.chains`) for all tasks, of those with another query graph (`kgneo.tuning.queries`, and labelled ones
that bring their query, or are read) for writing it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.model import RelationPath
from kgneo.questions import Question
from kgneo.stages.find_words import named
from kgneo.stages.link import LinkedQuestion, link
from kgneo.tuning.chains import Chain, chain_of, chains, query_of
from kgneo.tuning.data import Example, examples
from kgneo.tuning.labelled import Labelled, labelled
from kgneo.tuning.pairs import Pair, pairs
from kgneo.tuning.queries import queries
from kgneo.tuning.written import offered, written

__all__ = ["Made", "from_graph", "pairs_from_graph"]

WRITTEN, OFFERED = "query_graph", "offered"
"""The tasks whose examples `written` and `offered` make; those of all others are what the strategies do with a
question."""


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
    whole: bool = False,
    tasks: Collection[str] = (),
    advance: Callable[[], object] = lambda: None,
) -> Made:
    """The examples of so many questions over the schema and of one's `own`, which are left `whole` or split, of these
    `tasks` alone where any are named; `advance` is called after each question.

    The same for the same graph, embeddings, questions and seed. Raises GraphError.
    """
    asked = _Asked(context, questions, seed, own)
    alone = bool(tasks) and set(tasks) <= {WRITTEN, OFFERED}
    along = list(asked.each())
    made = examples(context, () if alone else along, seed=seed, whole=whole, advance=advance)
    chats = [example for example in made if not tasks or example.task in tasks]
    answered = {item.question.id for item in asked.understood}
    if not tasks or {WRITTEN, OFFERED} & set(tasks):
        told = advance if alone else lambda: None
        random = Random(f"kgneo queries {seed}")  # noqa: S311 - examples are no secret
        answering = list(written(context, own, told))
        ids = {question.id for question, _ in answering}
        over_paths = written(context, (item for item in asked.queries if item.id not in ids))
        over_schema = written(context, queries(context.knowledge, questions, random), told)
        every = [*answering, *over_paths, *over_schema]
        chats += [example for _, example in every if not tasks or WRITTEN in tasks]
        chats += offered(context, every) if not tasks or OFFERED in tasks else ()
        answered |= ids
    return Made(tuple(chats), tuple(asked.pairs), frozenset(answered))


def pairs_from_graph(context: Context, *, questions: int, seed: int, own: Sequence[Question] = ()) -> tuple[Pair, ...]:
    """The pairs alone of what `from_graph` makes. Raises GraphError."""
    asked = _Asked(context, questions, seed, own)
    for _ in asked.each():
        pass
    return tuple(asked.pairs)


class _Asked:
    """Questions one after another, and on the way their pairs."""

    def __init__(self, context: Context, count: int, seed: int, own: Sequence[Question]) -> None:
        self.understood: Sequence[Labelled] = labelled(context, own)
        self.pairs: list[Pair] = []
        self.queries: list[Question] = []
        """The same questions with their query graphs."""
        self._context = context
        self._count = count
        self._random = Random(f"kgneo questions {seed}")  # noqa: S311 - examples are no secret

    def each(self) -> Iterator[Chain]:
        """Those of one's own that can be chats, then `count` over the schema."""
        knowledge = self._context.knowledge
        for item in self.understood:
            topic = item.linked.topics[0].entity
            chain = chain_of(knowledge, item.linked.text, (topic.id, topic.name), item.path.hops, self._random)
            self._pair(item.linked, item.path, chain.parts if chain else ())
            if chain:
                self._query(chain, item.linked, item.question.id)
                yield chain
        for chain in chains(knowledge, self._count, self._random):
            try:
                linked = link(knowledge, chain.question, entities=[chain.topic])
            except KgneoError:  # a name that several nodes have, for one
                continue
            self._pair(linked, RelationPath(chain.hops), chain.parts)
            self._query(chain, linked, chain.question)
            yield chain

    def _query(self, chain: Chain, linked: LinkedQuestion, identity: str) -> None:
        """Keep it with its query graph, where one property alone holds its topic's name."""
        loaded = self._context.shape.loaded
        places = [value for value in named(linked.topics[0], self._context) if value.key]
        if len(places) == 1 or (places and loaded):
            labels = () if loaded else (places[0].owner,)
            self.queries.append(replace(query_of(chain, labels, places[0].key), id=identity))

    def _pair(self, linked: LinkedQuestion, path: RelationPath, parts: Sequence[str]) -> None:
        self.pairs += pairs(self._context, linked, path, parts, self._random)
