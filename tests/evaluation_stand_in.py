"""A small world for tests of the harness: questions, a graph in memory, and who answers from it.

Nothing here needs a server. `Oracle` answers right, except where it is told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kgneo.evaluation.run import Backend, Configuration, Retrieved
from kgneo.model import (
    Answer,
    Entity,
    Evidence,
    Hop,
    ModelUse,
    Reading,
    RelationPath,
    Step,
    TopicEntity,
    Triple,
)
from kgneo.questions import Dataset, Question

ALONG = Hop("lies_in")


def question(number: int, hops: int = 1) -> Question:
    """Town `number` lies in Land `number`, and so on upwards for more hops."""
    return Question(
        id=f"{hops}/{number}",
        text=f"where does [Town {number}] lie, {hops} up?",
        answers=(f"Level {hops} of {number}",),
        entities=(f"Town {number}",),
        hops=hops,
        type="even" if number % 2 == 0 else "odd",
        path=RelationPath((ALONG,) * hops),
    )


def questions(count: int, hops: int = 1) -> tuple[Question, ...]:
    """Questions 0 to `count` - 1."""
    return tuple(question(number, hops) for number in range(count))


def dataset(count: int = 20, hops: Sequence[int] = (1, 2)) -> Dataset:
    """`count` questions of each number of hops."""
    return Dataset("towns", "dev", "plain", {each: questions(count, each) for each in hops})


def gold(asked: Question) -> tuple[Triple, ...]:
    """The chain from the town upwards."""
    if asked.path is None:
        return ()
    number = asked.id.split("/")[1]
    names = [f"Town {number}", *(f"Level {level} of {number}" for level in range(1, len(asked.path) + 1))]
    return tuple(Triple(low, "lies_in", high) for low, high in pairwise(names))


@dataclass
class Oracle:
    """Answers right, except for questions (by id) with an entry in `answers`; an entry that is an exception is
    raised. `asked` counts how often each question was asked."""

    answers: Mapping[str, Answer | Exception] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    before: Callable[[Question], None] = lambda _: None

    def __call__(self, asked: Question, configuration: Configuration) -> Answer:
        self.asked[asked.id] = self.asked.get(asked.id, 0) + 1
        self.before(asked)
        special = self.answers.get(asked.id)
        if isinstance(special, Exception):
            raise special
        return special if special is not None else right_answer(asked, configuration.strategy)


def right_answer(asked: Question, strategy: str = "paths") -> Answer:
    """What a strategy that makes no mistake says."""
    return Answer(
        asked.text,
        strategy,
        f"That is {asked.answers[0]}.",
        answers=asked.answers,
        entities=tuple(TopicEntity(Entity(name), name) for name in asked.entities),
        steps=tuple(Step(f"step {number}", "") for number in range(asked.hops or 1)),
        evidence=tuple(Evidence(triple, 1) for triple in gold(asked)),
        grounded=True,
        llm=ModelUse("scripted", calls=2, prompt_tokens=30, completion_tokens=10),
        readings=(Reading("", str(asked.path), 1.0),) if strategy == "paths" else (),
    )


def retrieve(asked: Question, configuration: Configuration, wanted: Sequence[Triple]) -> Retrieved:
    """Candidates are the first N triples of the chain, the nearest first."""
    chain = gold(asked)[: configuration.hops]
    return Retrieved(
        counts=(1,) * len(chain),
        gold=frozenset(chain) & frozenset(wanted),
        ranked=chain[: configuration.top_k],
    )


def backend(ask: Oracle | None = None) -> Backend:
    """A backend that can do everything, in memory."""
    return Backend(ask or Oracle(), retrieve=retrieve, gold=gold, facts={"encoder": "none"})
