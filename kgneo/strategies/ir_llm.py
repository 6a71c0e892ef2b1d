"""`ir-llm`: one relation at a time, until the model sees the answer among what was reached (IR-LLM).

link → for each round: offer relations, choose one (several after a failure), expand, pass through nodes without a name,
filter entities: the answer, or another round. With mode "majority" the path of most of the nearest learned questions is
followed, without any call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from kgneo.context import Clock, Context
from kgneo.english.names import path_wording
from kgneo.errors import BudgetSpent, UsageError
from kgneo.graph.run import evidence_of
from kgneo.model import Answer, Hop, Reading, Step, path_keys
from kgneo.stages.complete import what_leads
from kgneo.stages.filter_entities import filter_entities
from kgneo.stages.ground import NOT_FOUND
from kgneo.stages.link import link
from kgneo.stages.recall import When, majority_path, similar_examples, write_examples
from kgneo.stages.relations import Asking, choose
from kgneo.strategies.protocol import Needs
from kgneo.strategies.walk import Walk
from kgneo.text import listed


@dataclass(frozen=True, slots=True)
class IrLlmOptions:
    """`mode` "skills" asks the model, "majority" takes the path of the nearest learned questions; `shots` of these are
    used, in prompts `when` a relation was not there ("failure"), always or never. `retries` after a name that is not
    there, and how many relations the second skill may name (`candidates`)."""

    mode: Literal["skills", "majority"] = "skills"
    shots: int = 5
    when: When = "failure"
    retries: int = 2
    candidates: int = 3


@dataclass(frozen=True, slots=True)
class IrLlm:
    """IR-LLM: one relation a round, until the model sees the answer among the entities reached."""

    options: IrLlmOptions = field(default_factory=IrLlmOptions)
    name: ClassVar[str] = "ir-llm"
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    @property
    def needs(self) -> Needs:
        """A language model, but for the majority path."""
        return Needs(model=self.options.mode == "skills")

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound, ModelError, UsageError without a language model, or without examples where they are
        all that is asked."""
        if self.options.mode == "majority":
            return self._majority(question, context, entities)
        walk = Walk.begin(self.name, question, context, entities)
        try:
            return self._search(walk)
        except BudgetSpent as error:
            return walk.spent(error)

    def _search(self, walk: Walk) -> Answer:
        shots = 0 if self.options.when == "never" else self.options.shots
        examples = write_examples(similar_examples(walk.context, walk.linked, limit=shots))
        for _ in range(walk.context.options.hops):
            hops, enough = self._relations(walk, examples)
            if enough and walk.walked:
                return walk.reached(walk.frontier)
            if not hops:
                break
            found = walk.go(hops)
            # What was passed before can be an answer, too, only not lead on; what is asked about cannot.
            topics = set(walk.linked.entity_ids)
            reached = dict.fromkeys(end for end in (*found.reached, *found.ends) if end.id not in topics)
            candidates = walk.through_nameless() or tuple(reached)
            if not candidates:
                break
            chosen = filter_entities(
                walk.text,
                candidates,
                walk.calls,
                walk.context.encoder,
                notes=walk.notes(),
                retries=self.options.retries,
            )
            if chosen.entities:
                return walk.reached(chosen.entities)
        return walk.reached(())

    def _relations(self, walk: Walk, examples: str) -> tuple[tuple[Hop, ...], bool]:
        """The relation of the first skill, or those of the second where the first named none that is there; whether the
        model said that no further one is needed."""
        options, offers = self.options, walk.offers()
        asking = Asking(
            1,
            options.retries,
            walk.notes(),
            examples,
            examples_at_once=options.when == "always",
            may_stop=bool(walk.walked),
        )
        for skill in (asking, replace(asking, keep=options.candidates, examples_at_once=True)):
            choice = choose(walk.text, walk.frontier, offers, walk.calls, walk.context.encoder, skill)
            if choice.hops or choice.stop:
                return choice.hops, choice.stop
        return (), False

    def _majority(self, question: str, context: Context, entities: Sequence[str]) -> Answer:
        """Follow the path that most of the nearest examples have (IR-LLM section 4.2)."""
        clock = Clock()
        with clock.stage("link"):
            linked = link(context.knowledge, question, entities=entities)
        with clock.stage("recall"):
            examples = similar_examples(context, linked, limit=self.options.shots)
        path = majority_path(examples)
        if path is None:
            raise UsageError(
                "The majority path needs learned questions, and the graph holds none for its encoder.",
                hint="Learn some with `kgneo learn`, or leave out --mode majority.",
            )
        with clock.stage("answer"):
            graph, result = what_leads(context, linked, path)
            evidence = evidence_of(context.knowledge, graph, result)
        names = result.answers
        wording = path_wording(path, topic=", ".join(linked.names), names=context.record.statistics.readable_names)
        text = listed(names, result.more, between="; ")
        same = sum(path_keys(item.example.path) == path_keys(path) for item in examples)
        return Answer(
            question,
            self.name,
            text or NOT_FOUND,
            answers=names,
            answer_nodes=result.nodes,
            more=result.more,
            entities=linked.topics,
            steps=(Step(wording, text, names, evidence),),
            evidence=evidence,
            cypher=result.compiled.text,
            cypher_parameters={"limit": context.options.limit, **result.compiled.parameters},
            picture=result.compiled.picture,
            confidence=same / len(examples),
            grounded=bool(names),
            timings_ms=clock.milliseconds,
            readings=(Reading(wording, str(path), 1.0, linked.names),),
        )
