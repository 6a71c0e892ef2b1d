"""Examples for tuning a language model, from a graph: the prompts that kgneo's strategies make, with the right replies.

The strategies answer questions whose sub-questions and answers are known (`kgneo.tuning.chains`, and labelled ones by
`kgneo.tuning.from_graph`), a teacher in place of
the model, who gives the right reply to each prompt and keeps both. So the prompts are those that a tuned model will
meet: the same instructions, and triples, relations and entities that were chosen in the same way.

| task | by | reply |
| --- | --- | --- |
| decompose | kg-rag | split or not, the reasoning, one sub-question a hop |
| rewrite | kg-rag | the sub-question with the answers that it refers to |
| answer | kg-rag | the names that the shown triples give; "not in the graph" where they do not |
| synthesise | kg-rag | the names of the last sub-answer |
| follow_up | | a question that leaves out what the one before it said, made whole |
| similar | | the question in other words |
| decouple | refkg | one sub-query a hop, with the entities or the sub-query that it is about |
| reconstruct | refkg | the triples of a sub-query as connected text |
| infer | refkg | the names that the evidence of all sub-queries gives |
| relations | ir-llm, refkg | the relation that leads on from the entities at hand; "none" at the end |
| entities | ir-llm | "none" on the way; at the end "all", or the names that answer |
| verify | verify | the verdict on a claim by the evidence that is shown, and why |

Hard negatives are prompts of the task answer: the triples that were chosen for one question beside another one, of the
same graph, whose answers are not among them; and claims that put what another thing has in the place of what is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Protocol, TypeVar

from kgneo.context import Context
from kgneo.english.names import statement_wording
from kgneo.errors import KgneoError
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.model import Hop
from kgneo.stages.filter_entities import ALL, NONE
from kgneo.stages.ground import NOT_FOUND
from kgneo.strategies.ir_llm import IrLlm
from kgneo.strategies.kg_rag import KgRag
from kgneo.strategies.navigator import NavigatorOptions
from kgneo.strategies.protocol import Strategy
from kgneo.strategies.refkg import Refkg
from kgneo.text import fold
from kgneo.tuning.chains import Chain, reworded
from kgneo.verification.by_model import verified_by_model
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED

__all__ = ["Example", "Split", "examples", "is_dev", "split", "write_jsonl"]

NEGATIVES = 0.25
"""Share of answered prompts that get a hard negative beside them."""
FOLLOW_UPS = 0.25
"""Share of questions that a follow-up is made of."""
REWORDED = 0.25
"""Share of questions that are put into other words."""
WORDINGS = NavigatorOptions().variants
DEV = 10
"""One name of so many belongs to dev."""
STRATEGIES: tuple[Strategy, ...] = (KgRag(), IrLlm(), Refkg())
"""Those that ask the teacher."""
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
    context: Context,
    asked: Iterable[Chain],
    *,
    seed: int,
    whole: bool = False,
    advance: Callable[[], object] = lambda: None,
) -> Iterator[Example]:
    """The examples of these questions about the graph; `advance` is called after each of them. With `whole`, `kg-rag`
    learns to leave every question whole; else to split those of several hops, and to answer them whole besides.

    The same for the same graph, embeddings, questions and seed. Raises GraphError.
    """
    random = Random(f"kgneo {seed}")  # noqa: S311 - examples are no secret
    before: Chain | None = None
    others: dict[Hop, tuple[str, ...]] = {}
    for chain in asked:
        taught = _taught(chain, context, whole=whole)
        yield from taught
        yield from _claims(chain, others.get(chain.hops[0], ()), context, random)
        if before is not None:
            if random.random() < NEGATIVES:
                yield from _negatives(taught, chain, before, context)
            if random.random() < FOLLOW_UPS and len(chain.hops) == 1 and before.topic != chain.topic:
                yield _follow_up(before, chain, context, random)
        if random.random() < REWORDED:
            yield from _similar(chain, context, random)
        before = chain
        others[chain.hops[0]] = chain.answers[0]
        advance()


def _taught(chain: Chain, context: Context, *, whole: bool) -> list[Example]:
    """The prompts that the strategies make of the question, with the right replies; none where it is not understood."""
    found = []
    for strategy in STRATEGIES:
        split = not whole or strategy.name != "kg-rag"
        found += _given(strategy, _Teacher(chain, whole=not split), context)
        if split and strategy.name == "kg-rag" and len(chain.hops) > 1:
            given = _given(strategy, _Teacher(chain, whole=True), context)
            found += [example for example in given if example.task == "answer"]
    return found


def _given(strategy: Strategy, teacher: _Teacher, context: Context) -> list[Example]:
    """What a teacher replied to a strategy; nothing where that cannot ask, as about a name that several nodes have."""
    try:
        strategy.answer(teacher.chain.question, replace(context, model=teacher.model), entities=[teacher.chain.topic])
    except KgneoError:
        return []
    return teacher.given


def _claims(chain: Chain, others: Sequence[str], context: Context, random: Random) -> list[Example]:
    """A claim of the first hop, half of them with what another thing has; none where it is not understood."""
    hop, wrong = chain.hops[0], sorted(set(others) - set(chain.answers[0]))
    name = random.choice(wrong) if wrong and random.random() < 0.5 else random.choice(chain.answers[0])
    ends = (chain.topic, name) if hop.forward else (name, chain.topic)
    teacher = _Teacher(chain, claim=statement_wording(hop.relation, *ends), claimed=name)
    try:
        verified_by_model(replace(context, model=teacher.model), f"{teacher.claim}.", entities=ends)
    except KgneoError:
        return []
    return teacher.given


@dataclass
class _Teacher:
    """Gives the right reply to each prompt of one question, or of a `claim` in which `claimed` is said of the topic,
    and keeps both. With `whole`, it leaves questions of several hops whole."""

    chain: Chain
    whole: bool = False
    claim: str = ""
    claimed: str = ""
    given: list[Example] = field(default_factory=list)
    _hop: int = 0
    _lost: bool = False

    @property
    def model(self) -> ScriptedModel:
        """The teacher as a language model."""
        return ScriptedModel(self, name="teacher")

    def __call__(self, messages: Sequence[Message], parameters: Parameters) -> str:
        reply: str = getattr(self, f"_{parameters.stage}")(messages[-1].content)
        if reply and not self._lost:
            topics = frozenset({self.chain.topic})
            self.given.append(Example(parameters.stage, tuple(messages), reply, topics, self.chain.names))
        return reply

    def _decompose(self, _: str) -> str:
        parts = self.chain.parts
        if len(parts) == 1 or self.whole:
            return unsplit(self.chain.topic, len(parts))
        relations = [" ".join(hop.relation.replace("_", " ").lower().split()) for hop in self.chain.hops]
        listed = [f"{number}. {part}" for number, part in enumerate(parts, start=1)]
        return "\n".join(["Split: yes", f"Reasoning: First {', then '.join(relations)}.", *listed, "<END>"])

    def _rewrite(self, _: str) -> str:
        self._hop += 1
        return self.chain.parts[self._hop].replace(
            self.chain.references[self._hop], _listed(self.chain.answers[self._hop - 1])
        )

    def _answer(self, prompt: str) -> str:
        return _shown(self.chain.answers[-1 if self.whole else self._hop], prompt)

    def _decouple(self, _: str) -> str:
        about = [self.chain.topic, *(f"({number})" for number in range(1, len(self.chain.parts)))]
        items = enumerate(zip(self.chain.parts, about, strict=True), start=1)
        return "\n".join(f"{number}. {part} | {item}" for number, (part, item) in items)

    def _reconstruct(self, prompt: str) -> str:
        return " ".join(line.strip() for line in prompt.split(_FACTS_LINE)[1].splitlines() if line.strip())

    def _infer(self, prompt: str) -> str:
        return _shown(self.chain.answers[-1], prompt)

    def _synthesise(self, _: str) -> str:
        return "; ".join(self.chain.answers[-1])

    def _relations(self, prompt: str) -> str:
        self._hop += 1
        if self._hop > len(self.chain.hops):
            return NONE
        relation = str(self.chain.hops[self._hop - 1])
        # The walk leaves out what it passed before; where only that leads on, nothing is to be learnt from it.
        self._lost = self._lost or f"\n{relation}:" not in prompt
        return relation

    def _entities(self, prompt: str) -> str:
        if self._hop < len(self.chain.hops):
            return NONE
        listed = [line.removeprefix("- ") for line in prompt.split(_FACTS_LINE)[1].splitlines() if line]
        answers = [name for name in listed if name in self.chain.answers[-1]]
        return ALL if answers == listed else "; ".join(answers) or NONE

    def _verify(self, prompt: str) -> str:
        hop, topic = self.chain.hops[0], self.chain.topic
        evidence = prompt.split(_FACTS_LINE)[1]

        def said(name: str) -> str:
            return statement_wording(hop.relation, *((topic, name) if hop.forward else (name, topic)))

        if f"{self.claim}." in evidence:
            return f"{SUPPORTED}: {self.claim}."
        there = [name for name in self.chain.answers[0] if f"{said(name)}." in evidence]
        if there:
            return f"{REFUTED}: {said(there[0])}, not {self.claimed}."
        return f"{OPEN}: The evidence does not say it."


def unsplit(topic: str, hops: int) -> str:
    """The plan of a question that stays whole."""
    why = f"One fact about {topic} answers this." if hops == 1 else f"Facts from {topic} on answer this together."
    return f"Split: no\nReasoning: {why}\n<END>"


def _shown(names: Sequence[str], prompt: str) -> str:
    """Those of the names that stand in what a prompt shows, in the order in which they come there."""
    facts = fold(prompt.split(_FACTS_LINE)[1])
    shown = [name for name in names if fold(name) in facts]
    return "; ".join(sorted(shown, key=lambda name: facts.find(fold(name)))) or NOT_FOUND


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


def _similar(chain: Chain, context: Context, random: Random) -> Iterator[Example]:
    """The question in other words, where there are enough."""
    wordings = reworded(chain, WORDINGS, random)
    if len(wordings) == WORDINGS:
        messages = context.prompts.messages("similar", question=chain.question, count=str(WORDINGS))
        yield Example("similar", tuple(messages), "\n".join(wordings), frozenset({chain.topic}), chain.names)


def is_dev(name: str, seed: int) -> bool:
    """Whether a name belongs to dev: one of ten, by its digest."""
    return int.from_bytes(sha256(f"{seed} {fold(name)}".encode()).digest()[:4]) % DEV == 0


class _Made(Protocol):
    @property
    def task(self) -> str: ...
    @property
    def topics(self) -> frozenset[str]: ...
    @property
    def names(self) -> frozenset[str]: ...
    def record(self) -> dict[str, Any]: ...


Item = TypeVar("Item", bound=_Made)
Split = tuple[list[Item], list[Item]]
"""Examples, or pairs, for training and for dev."""


def split(found: Iterable[Item], seed: int) -> Split[Item]:
    """What was made, for training and for dev. Those of dev are about names of dev alone; none of training asks
    about one or has one as an answer. What is between the two is left out."""
    train, dev = list[Item](), list[Item]()
    for item in found:
        if all(is_dev(name, seed) for name in item.topics):
            dev.append(item)
        elif not any(is_dev(name, seed) for name in item.names):
            train.append(item)
    return train, dev


def write_jsonl(found: Iterable[Item], path: Path) -> None:
    """One chat, or one pair, a line. Raises OSError."""
    lines = (json.dumps(item.record(), ensure_ascii=False) for item in found)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
