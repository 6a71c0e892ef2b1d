"""`cypher`: the model writes a query from the schema, and the graph answers it (SP-LLM).

link → write query (checked, run, its problem fed back, a few times). What the graph gives is the answer, and nothing
that the model says. `paths` reads the question, too: two readers that err in different ways are surer where they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from kgneo.context import Clock, Context
from kgneo.errors import KgneoError
from kgneo.events import StageEvent, Text
from kgneo.model import Answer, Step, TopicEntity
from kgneo.stages.agree import LEAST, LEAST_AGREED, answered_names, beside, opposed, trust_in
from kgneo.stages.generate import ModelCalls
from kgneo.stages.link import hinted_topics, unbracket
from kgneo.stages.recall import When
from kgneo.stages.write_query import Attempt, write_query
from kgneo.strategies.paths import Paths
from kgneo.strategies.protocol import Needs


@dataclass(frozen=True, slots=True)
class CypherOptions:
    """`free`: the model writes Cypher, held by a guard, instead of a query graph. `attempts` bounds its calls,
    `schema_tokens` the schema in its prompt. `shots`: learned questions with query graphs that it is shown, `when` a
    query graph failed ("failure"), always or never. `compare`: `paths` answers as well, which costs no call, and the
    confidence says whether it found the same. `review` is given each query, and gives the one that runs."""

    free: bool = False
    attempts: int = 3
    schema_tokens: int = 2_000
    shots: int = 3
    when: When = "failure"
    compare: bool = True
    review: Callable[[str], str] | None = None


@dataclass(frozen=True, slots=True)
class Cypher:
    """Answers with a query that the model wrote."""

    options: CypherOptions = field(default_factory=CypherOptions)
    name: ClassVar[str] = "cypher"
    needs: ClassVar[Needs] = Needs(model=True)
    splits: ClassVar[bool] = False
    nearest: ClassVar[bool] = False
    furthest: ClassVar[int | None] = None

    def answer(self, question: str, context: Context, *, entities: Sequence[str] = ()) -> Answer:
        """Raises EntityNotFound for a given name that is not in the graph, UsageError without a language model, and
        ModelError."""
        clock = Clock(context.on_event)
        calls = ModelCalls.of(context, clock, strategy=self.name)
        with clock.stage("link"):
            topics = hinted_topics(context.knowledge, question, entities=entities)
        text, _ = unbracket(question)
        options = self.options
        tried = write_query(
            text,
            topics,
            context,
            calls,
            free=options.free,
            attempts=options.attempts,
            schema_tokens=options.schema_tokens,
            shots=options.shots,
            when=options.when,
            review=options.review,
        )
        answer = answer_of_attempts(question, self.name, tried, topics, calls)
        if options.compare and answer.answers:
            failed = sum(attempt.problem is not None for attempt in tried[:-1])
            with clock.stage("compare"):
                answer = compared(answer, context, failed=failed, entities=entities)
            answer = replace(answer, timings_ms=clock.milliseconds)
        context.on_event(Text(answer.answer))
        context.on_event(StageEvent("answer", "done", 1, 1, answer.answer, answer.steps[0] if answer.steps else None))
        return answer


def compared(answer: Answer, context: Context, *, failed: int = 0, entities: Sequence[str] = ()) -> Answer:
    """A model's answer, before which so many queries `failed`, with a confidence that says whether `paths` finds the
    same; as it is where that fails."""
    try:
        other = Paths().answer(answer.question, context, entities=entities)
    except KgneoError:
        return answer
    agreed = answered_names(other) == answered_names(answer)
    reader = other.confidence or 0.0
    if agreed:
        return replace(answer, confidence=round(max(beside(reader, agreed=True), LEAST_AGREED), 4))
    alone = trust_in(context.model).alone(failed=failed)
    confidence = round(max(opposed(alone, reader if other.answers else 0.0)[0], LEAST), 4)
    if not other.answers:
        return replace(answer, confidence=confidence)
    told = f"Read without the language model, the answer is: {other.answer}."
    return replace(answer, confidence=confidence, warnings=(*answer.warnings, told))


def answer_of_attempts(
    question: str, strategy: str, tried: Sequence[Attempt], topics: tuple[TopicEntity, ...], calls: ModelCalls
) -> Answer:
    """What came of the queries that a model wrote, as the answer of a strategy."""
    for attempt in tried[:-1]:
        if attempt.problem is not None:
            calls.warn(f"A query was written again ({attempt.problem.kind}): {attempt.problem.text}".strip(" :"))
    ran = [attempt for attempt in tried if attempt.found is not None]
    best = next((attempt for attempt in tried if attempt.problem is None), ran[-1] if ran else None)
    if best is None or best.found is None:
        last = tried[-1].problem if tried else None
        calls.warn(f"No query could be run ({last.kind}): {last.text}" if last else "No query was written.")
        return Answer(
            question,
            strategy,
            "not found",
            entities=topics,
            llm=calls.use,
            timings_ms=calls.clock.milliseconds,
            warnings=tuple(calls.warnings),
        )
    found = best.found
    text = found.text or "not found"
    return Answer(
        question,
        strategy,
        text,
        answers=found.answers,
        answer_nodes=found.nodes,
        table=found.table,
        more=found.more,
        entities=topics,
        steps=(Step(found.wording or question, text, found.answers, found.evidence),),
        evidence=found.evidence,
        cypher=found.cypher,
        cypher_parameters=found.parameters,
        query_graph=found.query_graph,
        grounded=bool(found.answers),
        llm=calls.use,
        timings_ms=calls.clock.milliseconds,
        warnings=(*calls.warnings, *found.notes),
    )
