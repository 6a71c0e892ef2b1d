"""`kg-rag`: a question is split, each sub-question answered from triples, the answers put together (KG-RAG).

link → decompose → for each sub-question: rewrite, select, answer, ground → synthesise. `kaping` is the same
without the split, with triples by similarity to the whole question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kgneo.context import Clock, Context, Options
from kgneo.errors import ModelError
from kgneo.events import Decomposed, StepBegun, StepDone, SynthesisBegun, Text
from kgneo.model import Answer, AnswerNode, Evidence, Step
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.stages.answer import Reply, answer_from_facts
from kgneo.stages.decompose import Decomposition, decompose
from kgneo.stages.generate import ModelCalls
from kgneo.stages.ground import NOT_FOUND, Grounded, as_evidence, completed, ground, says_nothing, supporting
from kgneo.stages.link import LinkedQuestion, link
from kgneo.stages.reached import Reached, asked_about
from kgneo.stages.rewrite import rewrite
from kgneo.stages.select import SELECTORS, Selection, SubQuestion
from kgneo.stages.synthesise import final_entities, synthesise


@dataclass(frozen=True, slots=True)
class KgRag:
    """Answers from triples. `splits` says whether the question is decomposed first, `select` how triples are chosen
    where the options leave that open."""

    name: str = "kg-rag"
    splits: bool = True
    select: str = "relations"
    needs_model: bool = True

    def furthest(self, options: Options) -> int | None:
        """The longest path that is ranked where triples are chosen by relations."""
        return MAX_HOPS if (options.select or self.select) == "relations" else None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, UsageError without a language model, and ModelError."""
        clock = Clock()
        calls = ModelCalls.of(context, clock, strategy=self.name)
        with clock.stage("link"):
            linked = link(context.graph, question, entities=entities)
        plan = decompose(linked.text, calls) if self.splits else Decomposition()
        if self.splits:
            context.on_event(Decomposed(plan.reasoning, plan.sub_questions))
        chain = _Chain(context, calls, clock, linked, context.options.select or self.select)
        questions = plan.sub_questions or (linked.text,)
        for number, text in enumerate(questions, start=1):
            chain.take(number, text, total=len(questions))
        return self._answer(question, plan, chain)

    def _answer(self, question: str, plan: Decomposition, chain: _Chain) -> Answer:
        context, calls, linked = chain.context, chain.calls, chain.linked
        if all(not step.answer for step in chain.steps):
            raise ModelError(f"{calls.model.name} gave an empty reply.")
        if len(chain.steps) > 1:
            context.on_event(SynthesisBegun())
            text = synthesise(linked.text, plan.reasoning, chain.steps, calls, on_text=chain.stream)
            found = final_entities(text, linked.text, chain.answers, chain.steps)
        else:
            text = chain.steps[0].answer
            found = Grounded(chain.answers[0], chain.unmatched)
        names = found.names
        if says_nothing(text):
            text = NOT_FOUND
        elif not names:
            calls.warn("No triple holds what the model answered.")
        elif found.unmatched:
            calls.warn(f"No triple holds this part of the answer: {'; '.join(found.unmatched[:5])}.")
        limit = context.options.limit
        return Answer(
            question,
            self.name,
            text,
            answers=names[:limit],
            answer_nodes=_nodes(found.entities, frozenset(names[:limit])),
            more=max(0, len(names) - limit),
            entities=linked.topics,
            steps=tuple(chain.steps),
            evidence=_distinct(chain.steps),
            grounded=bool(names) and not found.unmatched,
            llm=calls.use,
            timings_ms=chain.clock.milliseconds,
            warnings=tuple(calls.warnings),
            reasoning=plan.reasoning,
        )


@dataclass
class _Chain:
    """The sub-questions of one question, taken in turn; later ones build on the answers of earlier ones."""

    context: Context
    calls: ModelCalls
    clock: Clock
    linked: LinkedQuestion
    select: str
    steps: list[Step] = field(default_factory=list)
    answers: list[tuple[Reached, ...]] = field(default_factory=list)
    unmatched: tuple[str, ...] = ()
    used: set[str] = field(default_factory=set)

    @property
    def topics(self) -> tuple[Reached, ...]:
        """The topic entities."""
        return tuple(
            Reached(topic.entity.name, topic.entity.id, 0, topic.entity.labels) for topic in self.linked.topics
        )

    def stream(self, text: str) -> None:
        """Hand on a piece of the model's reply."""
        self.context.on_event(Text(text))

    def take(self, number: int, text: str, *, total: int) -> None:
        """Answer sub-question `number` (1-based) of `total`."""
        if self.steps:
            text = rewrite(text, self.steps, self.calls)
        self.context.on_event(StepBegun(number, total, text))
        about = asked_about(text, [self.topics, *self.answers])
        around = self.topics
        if self.context.options.follow:
            around = tuple({entity.id: entity for entity in (*about, *around)}.values())
        sub_question = SubQuestion(text, about, around, frozenset(self.used), simple=total > 1)
        reply, selection = self._reply(sub_question)
        found = self._grounded(reply, selection, sub_question)
        support = supporting(found.entities, reply.shown, about=about, shape=self.context.shape)
        answer = NOT_FOUND if reply.text and says_nothing(reply.text) else reply.text
        self.steps.append(Step(text, answer, found.names, as_evidence(support)))
        self.used.update(candidate.id for candidate in support if candidate.object_id)
        self.answers.append(found.entities)
        self.unmatched = found.unmatched
        self.context.on_event(StepDone(number, self.steps[-1]))

    def _reply(self, question: SubQuestion) -> tuple[Reply, Selection]:
        """The model's reply; where the chosen relations hold no answer, once more from the most similar triples."""
        selection = self._selected(self.select, question)
        reply = answer_from_facts(question.text, selection, self.calls, on_text=self.stream)
        if self.select == "top-k" or not says_nothing(reply.text) or not self.context.graph.embedded:
            return reply, selection
        second = self._selected("top-k", question)
        if not set(second.candidates) - set(selection.candidates):
            return reply, selection
        return answer_from_facts(question.text, second, self.calls, on_text=self.stream), second

    def _grounded(self, reply: Reply, selection: Selection, question: SubQuestion) -> Grounded:
        found = ground(reply.text, selection.ends, asked=question.text)
        if not reply.cut:
            return found
        whole, last = found.entities, found.unmatched[-1:]
        if selection.form == "groups" and len(found.names) > 1:
            whole = completed(found.entities, reply.shown, selection.ends, about=question.about)
        more = len(whole) - len(found.entities)
        taken = f"; {more} more of the same relation were taken from the triples" if more else ""
        self.calls.warn(f"A list of answers was cut off at the model's bound{taken}.")
        unmatched = found.unmatched[:-1] if last and reply.text.rstrip().endswith(last[0]) else found.unmatched
        return Grounded(whole, unmatched)

    def _selected(self, select: str, question: SubQuestion) -> Selection:
        with self.clock.stage("select"):
            return SELECTORS[select](question, self.context)


def _nodes(entities: Sequence[Reached], shown: frozenset[str]) -> tuple[AnswerNode, ...]:
    """The entities that are nodes and whose names are shown."""
    return tuple(
        AnswerNode(entity.id, entity.labels, (entity.name,))
        for entity in entities
        if entity.name in shown and not entity.value
    )


def _distinct(steps: Sequence[Step]) -> tuple[Evidence, ...]:
    return tuple({item.triple: item for step in reversed(steps) for item in reversed(step.evidence)}.values())[::-1]
