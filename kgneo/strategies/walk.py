"""A walk through the graph, hop by hop along relations that are chosen on the way: what `navigator`, `ir-llm`, `refkg`
and `mindful` share.

It begins at the topic entities, goes along relations, and remembers triples and what they reach. It ends with a reply
of the model, grounded like any other; where the budget ends first, with the entities that the last hop came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kgneo.context import Clock, Context
from kgneo.english.names import hop_wording
from kgneo.errors import BudgetSpent, ModelError
from kgneo.events import StageEvent, Text
from kgneo.graph.shape import Shape
from kgneo.model import Answer, AnswerNode, Candidate, Hop, Reading, Step
from kgneo.stages.answer import Reply
from kgneo.stages.expand import Expansion, expand, triple_key
from kgneo.stages.facts import Form
from kgneo.stages.generate import ModelCalls
from kgneo.stages.ground import NOT_FOUND, Grounded, as_evidence, ground, says_nothing, shown, supporting
from kgneo.stages.link import LinkedQuestion, link
from kgneo.stages.reached import Reached
from kgneo.stages.relations import Offer, offered
from kgneo.stages.select import Selection
from kgneo.text import listed


@dataclass
class Walk:
    """One question on its way. `frontier` are the entities at hand, `visited` the ids of those that were, `walked` the
    hops taken so far, `candidates` and `ends` all triples and what stands at their far ends."""

    strategy: str
    question: str
    context: Context
    calls: ModelCalls
    clock: Clock
    linked: LinkedQuestion
    frontier: tuple[Reached, ...] = ()
    visited: set[str] = field(default_factory=set)
    walked: list[tuple[Hop, ...]] = field(default_factory=list)
    candidates: dict[str, Candidate] = field(default_factory=dict)
    ends: dict[str, Reached] = field(default_factory=dict)
    streamed: bool = False

    @classmethod
    def begin(
        cls, strategy: str, question: str, context: Context, entities: Sequence[str], calls: ModelCalls | None = None
    ) -> Walk:
        """Link the question; `calls` are those that were made for it already. Raises EntityNotFound, and UsageError
        without a language model."""
        calls = calls or ModelCalls.of(context, Clock(), strategy=strategy)
        clock = calls.clock
        with clock.stage("link"):
            linked = link(context.knowledge, question, entities=entities)
        walk = cls(strategy, question, context, calls, clock, linked)
        walk.start(walk.topics)
        return walk

    @property
    def text(self) -> str:
        """The question without its brackets."""
        return self.linked.text

    @property
    def topics(self) -> tuple[Reached, ...]:
        """The topic entities."""
        return tuple(
            Reached(topic.entity.name, topic.entity.id, 0, topic.entity.labels) for topic in self.linked.topics
        )

    @property
    def path(self) -> str:
        """The relations walked so far, hop by hop; several of one hop stand between bars."""
        return "/".join("|".join(map(str, hops)) for hops in self.walked)

    def anew(self) -> Walk:
        """The same question at its beginning, with the calls that were made."""
        fresh = Walk(self.strategy, self.question, self.context, self.calls, self.clock, self.linked)
        fresh.start(fresh.topics)
        return fresh

    def start(self, frontier: Sequence[Reached]) -> None:
        """Go on from these entities."""
        self.frontier = tuple(frontier)
        self.visited.update(entity.id for entity in frontier)

    def offers(self) -> tuple[Offer, ...]:
        """The relations that leave the entities at hand."""
        with self.clock.stage("expand"):
            return offered(self.frontier, self.context)

    def notes(self) -> str:
        """What a prompt is told of the way so far."""
        return f"Walked so far: {self.path.replace('/', ', then ')}." if self.walked else ""

    def go(self, hops: Sequence[Hop], at: Mapping[Hop, Sequence[Reached]] | None = None) -> Expansion:
        """Take these hops from the entities at hand, or each from those `at` which it is to be taken; what they reach
        is at hand then."""
        with self.clock.stage("expand"):
            found = expand(self.context, at or dict.fromkeys(hops, self.frontier), self.visited)
        self.walked.append(tuple(hops))
        for candidate in found.candidates:
            self.candidates.setdefault(triple_key(candidate), candidate)
        for end in found.ends:
            self.ends.setdefault(end.id, end)
        if found.cut:
            self.calls.warn("The graph holds more triples of a relation than were read: the answer may be incomplete.")
        self.start(found.reached)
        names = self.context.record.statistics.readable_names
        worded = ", ".join(hop_wording(hop, names=names) for hop in hops)
        self.tell("relations", len(self.walked), f"{worded}: {len(found.reached)}")
        return found

    def through_nameless(self) -> tuple[Reached, ...]:
        """Where nodes without a name are at hand, which only join others (compound values, blank nodes), what lies
        behind them; else nothing. They are at hand no longer then."""
        nameless = tuple(entity for entity in self.frontier if _nameless(entity, self.context.shape))
        if not nameless:
            return ()
        named = tuple(entity for entity in self.frontier if entity not in nameless)
        self.frontier = nameless
        offers = self.offers()
        behind = self.go([offer.hop for offer in offers]).reached if offers else ()
        self.start((*named, *behind))
        return self.frontier

    def tell(self, stage: str, number: int, text: str) -> None:
        """Say that a stage is done."""
        self.context.on_event(StageEvent(stage, "done", number, text=text))

    def stream(self, text: str) -> None:
        """Hand on a piece of the answer's text."""
        self.streamed = self.streamed or bool(text)
        self.context.on_event(Text(text))

    def selection(self, form: Form, candidates: Sequence[Candidate] | None = None) -> Selection:
        """The triples so far, or some of them, as an answer is written from them."""
        shown = tuple(self.candidates.values()) if candidates is None else tuple(candidates)
        return Selection(shown, form, tuple(self.known.values()), self.context.shape.names)

    @property
    def known(self) -> dict[str, Reached]:
        """Everything that an answer may name."""
        return self.ends | {topic.id: topic for topic in self.topics}

    def grounded(self, reply: Reply) -> Answer:
        """The answer that a reply gives. A list that was cut off, all of it from the last hop, is completed with the
        rest of that hop. Raises ModelError for an empty reply."""
        if not reply.text.strip():
            raise ModelError(f"{self.calls.model.name} gave an empty reply.")
        found = ground(reply.text, self.known.values(), asked=self.text)
        if reply.cut:
            found = self._completed(found)
        text = NOT_FOUND if says_nothing(reply.text) else reply.text
        if not self.streamed:
            self.stream(text)
        return self.answer(shown(text, found, self.calls.warn), found)

    def _completed(self, found: Grounded) -> Grounded:
        last = {entity.id for entity in self.frontier}
        named = {entity.id for entity in found.entities}
        if len(named) < 2 or not named <= last:
            self.calls.warn("A list of answers was cut off at the model's bound.")
            return found
        more = tuple(entity for entity in self.frontier if entity.id not in named)
        self.calls.warn(
            f"A list of answers was cut off at the model's bound; {len(more)} more of the same hop were taken."
        )
        return Grounded((*found.entities, *more), found.unmatched[:-1])

    def reached(self, entities: Sequence[Reached]) -> Answer:
        """The answer that these entities are, in their own names."""
        names = tuple(dict.fromkeys(entity.name for entity in entities))
        text = listed(names, between="; ")
        self.stream(text or NOT_FOUND)
        return self.answer(text or NOT_FOUND, Grounded(tuple(entities)))

    def spent(self, error: BudgetSpent) -> Answer:
        """The answer when the budget is used up: what the last hop reached."""
        reached = self.frontier if self.walked else ()
        had = "The answer is what the last hop reached." if reached else "Nothing was found by then."
        self.calls.warn(f"{error.message} {had}")
        return self.reached(reached)

    def answer(self, text: str, found: Grounded, *, reasoning: str = "") -> Answer:
        """An answer of these words and entities, with the triples behind them."""
        support = supporting(
            found.entities, tuple(self.candidates.values()), about=self.topics, shape=self.context.shape
        )
        evidence = as_evidence(support)
        step = Step(self.text, text, found.names, evidence)
        self.context.on_event(StageEvent("answer", "done", 1, 1, text, step))
        limit = self.context.options.limit
        shown = found.names[:limit]
        return Answer(
            self.question,
            self.strategy,
            text,
            answers=shown,
            answer_nodes=_nodes(found.entities, frozenset(shown)),
            more=max(0, len(found.names) - limit),
            entities=self.linked.topics,
            steps=(step,),
            evidence=evidence,
            grounded=bool(found.names) and not found.unmatched,
            llm=self.calls.use,
            timings_ms=self.clock.milliseconds,
            warnings=tuple(self.calls.warnings),
            readings=self._reading(),
            reasoning=reasoning,
        )

    def _reading(self) -> tuple[Reading, ...]:
        if not self.walked:
            return ()
        names = self.context.record.statistics.readable_names
        topic = ", ".join(self.linked.names) or "X"
        words = [
            " or ".join(hop_wording(hop, "" if number else topic, names=names) for hop in hops)
            for number, hops in enumerate(self.walked)
        ]
        return (Reading(" → ".join(words), self.path, 1.0, self.linked.names),)


def _nameless(entity: Reached, shape: Shape) -> bool:
    """Whether a node has no name that people use."""
    if entity.value:
        return False
    if shape.loaded:
        return entity.name.startswith("_:")
    return bool(entity.labels) and not any(label in shape.display for label in entity.labels)


def _nodes(entities: Sequence[Reached], shown: frozenset[str]) -> tuple[AnswerNode, ...]:
    return tuple(
        AnswerNode(entity.id, entity.labels, (entity.name,))
        for entity in entities
        if entity.name in shown and not entity.value
    )
