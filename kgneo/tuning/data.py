"""Examples for tuning a language model, from a graph: the prompts that kgneo's strategies make, with the right replies.

`kg-rag` answers questions whose sub-questions and answers are known (`kgneo.tuning.chains`), a teacher in place of the
model, who gives the right reply to each prompt and keeps both. So the prompts are those that a tuned model will meet:
the same instructions, and triples that were chosen in the same way.

| task | reply |
| --- | --- |
| decompose | split or not, the reasoning, one sub-question a hop |
| rewrite | the sub-question with the answers that it refers to |
| answer | the names that the shown triples give; "not in the graph" where they do not |
| synthesise | the names of the last sub-answer |
| follow_up | a question that leaves out what the one before it said, made whole |

Hard negatives are prompts of the task answer: the triples that were chosen for one question beside another one, of the
same graph, whose answers are not among them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from kgneo.context import Context
from kgneo.errors import KgneoError
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.stages.ground import NOT_FOUND
from kgneo.strategies.kg_rag import KgRag
from kgneo.text import fold
from kgneo.tuning.chains import Chain, chains

__all__ = ["Example", "examples", "is_dev", "split", "write_jsonl"]

NEGATIVES = 0.25
"""Share of answered prompts that get a hard negative beside them."""
FOLLOW_UPS = 0.25
"""Share of questions that a follow-up is made of."""
DEV = 10
"""One name of so many belongs to dev."""
_FACTS_LINE = "=========="


@dataclass(frozen=True, slots=True)
class Example:
    """A prompt of one `task` and the right reply. `topics` are the named things that its questions are about, `names`
    these and all answers."""

    task: str
    messages: tuple[Message, ...]
    reply: str
    topics: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    def record(self) -> dict[str, Any]:
        """As trl, axolotl and hosted tuners take it: a chat whose last message is the reply."""
        chat = [*self.messages, Message("assistant", self.reply)]
        return {
            "messages": [{"role": message.role, "content": message.content} for message in chat],
            "task": self.task,
        }


def examples(
    context: Context, *, questions: int, seed: int, advance: Callable[[], object] = lambda: None
) -> Iterator[Example]:
    """The examples of so many questions about the graph; `advance` is called after each question.

    The same for the same graph, embeddings and seed. Raises GraphError.
    """
    random = Random(f"kgneo {seed}")  # noqa: S311 - examples are no secret
    before: Chain | None = None
    for chain in chains(context.knowledge, questions, random):
        taught = _taught(chain, context)
        yield from taught
        if before is not None:
            if random.random() < NEGATIVES:
                yield from _negatives(taught, chain, before, context)
            if random.random() < FOLLOW_UPS and len(chain.hops) == 1 and before.topic != chain.topic:
                yield _follow_up(before, chain, context, random)
        before = chain
        advance()


def _taught(chain: Chain, context: Context) -> list[Example]:
    """The prompts that `kg-rag` makes of the question, with the right replies; none where it is not understood."""
    teacher = _Teacher(chain)
    try:
        KgRag().answer(
            chain.question, replace(context, model=ScriptedModel(teacher, name="teacher")), entities=[chain.topic]
        )
    except KgneoError:
        # A name that several nodes have, for one.
        return []
    return teacher.given


@dataclass
class _Teacher:
    """Gives the right reply to each prompt of one question, and keeps both."""

    chain: Chain
    given: list[Example] = field(default_factory=list)
    _hop: int = 0

    def __call__(self, messages: Sequence[Message], parameters: Parameters) -> str:
        reply: str = getattr(self, f"_{parameters.stage}")(messages[-1].content)
        topics = frozenset({self.chain.topic})
        self.given.append(Example(parameters.stage, tuple(messages), reply, topics, self.chain.names))
        return reply

    def _decompose(self, _: str) -> str:
        parts = self.chain.parts
        if len(parts) == 1:
            return f"Split: no\nReasoning: One fact about {self.chain.topic} answers this.\n<END>"
        relations = [" ".join(hop.relation.replace("_", " ").lower().split()) for hop in self.chain.hops]
        listed = [f"{number}. {part}" for number, part in enumerate(parts, start=1)]
        return "\n".join(["Split: yes", f"Reasoning: First {', then '.join(relations)}.", *listed, "<END>"])

    def _rewrite(self, _: str) -> str:
        self._hop += 1
        return self.chain.parts[self._hop].replace(
            self.chain.references[self._hop], _listed(self.chain.answers[self._hop - 1])
        )

    def _answer(self, prompt: str) -> str:
        facts = fold(prompt.split(_FACTS_LINE)[1])
        shown = [name for name in self.chain.answers[self._hop] if fold(name) in facts]
        return "; ".join(shown) or NOT_FOUND

    def _synthesise(self, _: str) -> str:
        return "; ".join(self.chain.answers[-1])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _negatives(taught: Iterable[Example], chain: Chain, other: Chain, context: Context) -> Iterator[Example]:
    """The triples of an answered prompt beside another question, where they hold none of its answers."""
    for example in taught:
        if example.task != "answer":
            continue
        facts = example.messages[-1].content.split(_FACTS_LINE)[1].strip()
        if not any(fold(name) in fold(facts) for name in other.answers[0]):
            messages = context.prompts.messages("answer", facts=facts, question=other.parts[0])
            topics = frozenset({chain.topic, other.topic})
            yield Example("answer", tuple(messages), NOT_FOUND, topics, chain.names | other.names)
            return


def _follow_up(before: Chain, chain: Chain, context: Context, random: Random) -> Example:
    """A question about one thing, then "and …?" about another, which means the same of that one."""
    short = random.choice(("and {}?", "and what about {}?", "what about {}?", "and for {}?")).format(chain.topic)
    first = chain.parts[0].replace(chain.topic, before.topic)
    history = f"Question: {first}\nAnswer: {'; '.join(before.answers[0])}"
    messages = context.prompts.messages("follow_up", history=history, question=short)
    names = chain.names | before.names
    return Example("follow_up", tuple(messages), chain.parts[0], frozenset({chain.topic, before.topic}), names)


def is_dev(name: str, seed: int) -> bool:
    """Whether a name belongs to dev: one of ten, by its digest."""
    return int.from_bytes(sha256(f"{seed} {fold(name)}".encode()).digest()[:4]) % DEV == 0


def split(found: Iterable[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """Examples for training and for dev. Those of dev are about names of dev alone; none of training asks about one or
    has one as an answer. What is between the two is left out."""
    train, dev = [], []
    for example in found:
        if all(is_dev(name, seed) for name in example.topics):
            dev.append(example)
        elif not any(is_dev(name, seed) for name in example.names):
            train.append(example)
    return train, dev


def write_jsonl(found: Iterable[Example], path: Path) -> None:
    """One chat a line. Raises OSError."""
    lines = (json.dumps(example.record(), ensure_ascii=False) for example in found)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
