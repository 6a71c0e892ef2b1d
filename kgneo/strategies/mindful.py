"""`mindful`: relations by intent and context, constraints checked in the graph, feedback where the answer does not fit
(Mindful-RAG).

link → understand → for each hop: offer relations, choose by intent and context, expand → constrain → answer → align:
where the answer does not fit, once more with the reason. Without brackets, entities that the text alone does not give
are those that the model names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kgneo.context import Clock, Context
from kgneo.errors import BudgetSpent, EntityNotFound, UsageError
from kgneo.model import Answer
from kgneo.stages.align import align
from kgneo.stages.answer import answer_from_facts
from kgneo.stages.constrain import Constrained, constrain
from kgneo.stages.generate import ModelCalls
from kgneo.stages.link import unbracket
from kgneo.stages.reached import Reached
from kgneo.stages.relations import Asking, choose
from kgneo.stages.understand import Understanding, understand
from kgneo.strategies.protocol import Needs
from kgneo.strategies.walk import Walk


@dataclass(frozen=True, slots=True)
class MindfulOptions:
    """`top_relations` that a hop follows, how often the model may send an answer back that does not fit (`rounds`), and
    `retries` after a relation that is not there."""

    top_relations: int = 1
    rounds: int = 1
    retries: int = 1

    def __post_init__(self) -> None:
        if self.top_relations < 1 or self.rounds < 0:
            raise UsageError("top_relations is at least 1, and rounds at least 0.")


@dataclass(frozen=True, slots=True)
class Mindful:
    """Mindful-RAG: relations by intent and context, constraints checked in the graph, feedback."""

    options: MindfulOptions = field(default_factory=MindfulOptions)
    name: ClassVar[str] = "mindful"
    needs: ClassVar[Needs] = Needs(model=True)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, UsageError without a language model, and ModelError."""
        walk, meaning = self._begin(question, context, entities)
        feedback = ""
        best: Answer | None = None
        try:
            meaning = meaning or understand(walk.text, walk.calls)
            walk.tell("understand", 1, meaning.intent)
            for number in range(self.options.rounds + 1):
                best = self._attempt(walk, meaning, feedback)
                if number == self.options.rounds or not best.answers:
                    break
                verdict = align(walk.text, meaning.notes, best.answers, walk.path, walk.calls)
                if verdict.fits:
                    break
                walk.tell("align", number + 1, verdict.reason)
                wanted = verdict.reason or "it is of another kind"
                feedback = f"The relations {walk.path} gave an answer that does not fit: {wanted}."
                walk = walk.anew()
        except BudgetSpent as error:
            if best is None:
                return walk.spent(error)
            walk.calls.warn(f"{error.message} The answer was not checked against the question's intent.")
        assert best is not None
        return replace(best, llm=walk.calls.use, warnings=tuple(walk.calls.warnings))

    def _begin(self, question: str, context: Context, entities: Sequence[str]) -> tuple[Walk, Understanding | None]:
        """Link the question, by the entities that the model names where nothing else gives any."""
        calls = ModelCalls.of(context, Clock(), strategy=self.name)
        try:
            return Walk.begin(self.name, question, context, entities, calls), None
        except EntityNotFound:
            if entities or "[" in question:
                raise
            text, _ = unbracket(question)
            meaning = understand(text, calls)
            if not meaning.entities:
                raise
            return Walk.begin(self.name, question, context, meaning.entities, calls), meaning

    def _attempt(self, walk: Walk, meaning: Understanding, feedback: str) -> Answer:
        """One way through the graph, and the answer that it leads to."""
        before: tuple[Reached, ...] = ()
        for _ in range(walk.context.options.hops):
            notes = "\n".join(filter(None, (meaning.notes, walk.notes(), feedback)))
            asking = Asking(self.options.top_relations, self.options.retries, notes, may_stop=bool(walk.walked))
            choice = choose(walk.text, walk.frontier, walk.offers(), walk.calls, walk.context.encoder, asking)
            if not choice.hops:
                break
            before = walk.frontier
            if not walk.go(choice.hops).reached:
                break
        left = Constrained(walk.frontier)
        if meaning.constraints and walk.walked:
            left = constrain(
                walk.text,
                meaning.constraints,
                walk.frontier,
                walk.calls,
                walk.context,
                before=before,
                hops=walk.walked[-1],
            )
        if not left.checked:
            reply = answer_from_facts(walk.text, walk.selection("groups"), walk.calls, on_text=walk.stream)
            return walk.grounded(reply)
        walk.tell("constrain", len(walk.walked), "; ".join(left.checked))
        answer = walk.reached(left.entities)
        return replace(answer, cypher=left.cypher, cypher_parameters=dict(left.parameters or {}))
