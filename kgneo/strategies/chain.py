"""The sub-questions of one question, answered in turn from triples: what `kg-rag` and `kaping` share.

For each of them: rewrite, select, answer, ground; later ones build on the answers of earlier ones. Where there
are several, their answers are put together at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kgneo.context import Clock, Context
from kgneo.errors import BudgetSpent, ModelError
from kgneo.events import StageEvent, Text
from kgneo.model import Answer, AnswerNode, Evidence, Step
from kgneo.stages.answer import Reply, answer_from_facts
from kgneo.stages.decompose import Decomposition
from kgneo.stages.generate import ModelCalls
from kgneo.stages.ground import NOT_FOUND, Grounded, as_evidence, completed, ground, says_nothing, shown, supporting
from kgneo.stages.link import LinkedQuestion, link
from kgneo.stages.reached import Reached, asked_about
from kgneo.stages.rewrite import put_in, rewrite
from kgneo.stages.select import SELECTORS, Selection, SubQuestion
from kgneo.stages.synthesise import final_entities, shown_of, synthesise


@dataclass
class Chain:
    """One question on its way. `select` is how triples are chosen; `follow` lets answers extend the candidates; `brief`
    puts answers into later sub-questions by a rule where one can, and `chained` says whether it could so far; `again`
    lets a step go along the triples of earlier ones once more."""

    strategy: str
    question: str
    context: Context
    calls: ModelCalls
    clock: Clock
    linked: LinkedQuestion
    select: str
    follow: bool = False
    brief: bool = False
    chained: bool = True
    again: bool = False
    steps: list[Step] = field(default_factory=list)
    answers: list[tuple[Reached, ...]] = field(default_factory=list)
    unmatched: tuple[str, ...] = ()
    used: set[str] = field(default_factory=set)

    @classmethod
    def begin(
        cls, strategy: str, question: str, context: Context, entities: Sequence[str], *, select: str, follow: bool
    ) -> Chain:
        """Link the question. Raises EntityNotFound, and UsageError without a language model."""
        clock = Clock()
        calls = ModelCalls.of(context, clock, strategy=strategy)
        with clock.stage("link"):
            linked = link(context.knowledge, question, entities=entities)
        return cls(strategy, question, context, calls, clock, linked, select, follow)

    def answer(self, plan: Decomposition) -> Answer:
        """Answer the sub-questions of `plan`, or the question itself where it has none. Raises ModelError."""
        questions = plan.sub_questions or (self.linked.text,)
        try:
            for number, text in enumerate(questions, start=1):
                self._take(number, text, total=len(questions))
        except BudgetSpent as error:
            self._spent(error, questions[len(self.steps)])
        if all(not step.answer for step in self.steps):
            raise ModelError(f"{self.calls.model.name} gave an empty reply.")
        text, found = self._together(plan)
        names = found.names
        text = shown(text, found, self.calls.warn)
        limit = self.context.options.limit
        return Answer(
            self.question,
            self.strategy,
            text,
            answers=names[:limit],
            answer_nodes=_nodes(found.entities, frozenset(names[:limit])),
            more=max(0, len(names) - limit),
            entities=self.linked.topics,
            steps=tuple(self.steps),
            evidence=_distinct(self.steps),
            grounded=bool(names) and not found.unmatched,
            llm=self.calls.use,
            timings_ms=self.clock.milliseconds,
            warnings=tuple(self.calls.warnings),
            reasoning=plan.reasoning,
        )

    def _spent(self, error: BudgetSpent, unanswered: str) -> None:
        """End with the steps that the budget paid for; without any, nothing was found."""
        self.calls.warn(f"{error.message} The answer is what was found before it.")
        if not self.steps:
            self.steps.append(Step(unanswered, NOT_FOUND))
            self.answers.append(())

    def _together(self, plan: Decomposition) -> tuple[str, Grounded]:
        """The final answer's text, and what it names."""
        if len(self.steps) == 1 or self.chained:
            return self.steps[-1].answer, Grounded(self.answers[-1], self.unmatched)
        self.context.on_event(StageEvent("synthesise", "begun"))
        listed = shown_of(self.steps, self.calls)
        text = synthesise(self.linked.text, plan.reasoning, self.steps, self.calls, listed=listed, on_text=self._stream)
        return text, final_entities(text, self.linked.text, self.answers, self.steps, listed=listed)

    @property
    def _topics(self) -> tuple[Reached, ...]:
        return tuple(
            Reached(topic.entity.name, topic.entity.id, 0, topic.entity.labels) for topic in self.linked.topics
        )

    def _stream(self, text: str) -> None:
        """Hand on a piece of the model's reply."""
        self.context.on_event(Text(text))

    def _take(self, number: int, text: str, *, total: int) -> None:
        """Answer sub-question `number` (1-based) of `total`."""
        if self.steps:
            text = self._whole(text)
        self.context.on_event(StageEvent("answer", "begun", number, total, text))
        about = asked_about(text, [self._topics, *self.answers])
        around = self._topics
        if self.follow:
            around = tuple({entity.id: entity for entity in (*about, *around)}.values())
        used = frozenset[str]() if self.again else frozenset(self.used)
        sub_question = SubQuestion(text, about, around, used, simple=total > 1, follow=self.follow)
        reply, selection = self._reply(sub_question)
        found = self._grounded(reply, selection, sub_question)
        support = supporting(found.entities, reply.shown, about=about, shape=self.context.shape)
        answer = NOT_FOUND if reply.text and says_nothing(reply.text) else reply.text
        step = Step(text, answer, found.names, as_evidence(support))
        self.steps.append(step)
        self.used.update(candidate.id for candidate in support if candidate.object_id)
        self.answers.append(found.entities)
        self.unmatched = found.unmatched
        self.context.on_event(StageEvent("answer", "done", number, total, answer, step))

    def _whole(self, text: str) -> str:
        """A later sub-question with what it refers to."""
        by_rule = put_in(text, self.steps[-1]) if self.brief else None
        self.chained = self.chained and by_rule is not None
        return by_rule or rewrite(text, self.steps, self.calls)

    def _reply(self, question: SubQuestion) -> tuple[Reply, Selection]:
        """The model's reply; where the chosen relations hold no answer, once more from the most similar triples."""
        selection = self._selected(self.select, question)
        reply = answer_from_facts(question.text, selection, self.calls, on_text=self._stream)
        if self.select == "top-k" or not says_nothing(reply.text) or not self.context.knowledge.embedded:
            return reply, selection
        second = self._selected("top-k", question)
        if not set(second.candidates) - set(selection.candidates):
            return reply, selection
        return answer_from_facts(question.text, second, self.calls, on_text=self._stream), second

    def _grounded(self, reply: Reply, selection: Selection, question: SubQuestion) -> Grounded:
        found = ground(reply.text, selection.ends, asked=question.text)
        if not reply.cut:
            return found
        whole, last = found.entities, found.unmatched[-1:]
        if selection.form == "groups" and len(found.names) > 1:
            whole = completed(
                found.entities, reply.shown, selection.ends, about=question.about, shape=self.context.shape
            )
        more = len(whole) - len(found.entities)
        taken = f"; {more} more of the same relation were taken from the triples" if more else ""
        self.calls.warn(f"A list of answers was cut off at the model's bound{taken}.")
        unmatched = found.unmatched[:-1] if last and reply.text.rstrip().endswith(last[0]) else found.unmatched
        return Grounded(whole, unmatched)

    def _selected(self, select: str, question: SubQuestion) -> Selection:
        with self.clock.stage("select"):
            selection = SELECTORS[select](question, self.context)
        for warning in selection.warnings:
            self.calls.warn(warning)
        return selection


def _nodes(entities: Sequence[Reached], shown: frozenset[str]) -> tuple[AnswerNode, ...]:
    """The entities that are nodes and whose names are shown."""
    return tuple(
        AnswerNode(entity.id, entity.labels, (entity.name,))
        for entity in entities
        if entity.name in shown and not entity.value
    )


def _distinct(steps: Sequence[Step]) -> tuple[Evidence, ...]:
    return tuple({item.triple: item for step in reversed(steps) for item in reversed(step.evidence)}.values())[::-1]
