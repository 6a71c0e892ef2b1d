"""Examples of the task `query_graph` from labelled questions that bring their query, as Cypher or as a query graph.

The prompt is the one that `cypher` makes of the question, the reply its query graph. Only those are kept that this
graph's schema allows and that give exactly the gold answers: a question of another graph, or one whose query says more
than a query graph can, is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.graph.catalogue import catalogue
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.matching import found_in, match
from kgneo.model import Answer
from kgneo.query.check import check
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph
from kgneo.query.json import to_json
from kgneo.questions import Question
from kgneo.strategies.cypher import Cypher, CypherOptions
from kgneo.tuning.data import Example

__all__ = ["written"]

CYPHER = Cypher(CypherOptions(attempts=1, compare=False))


def written(context: Context, questions: Sequence[Question]) -> Iterator[tuple[Question, Example]]:
    """Each of the questions that brings a query which gives its answers, with the example that it makes.

    Raises GraphError.
    """
    known = catalogue(context.knowledge.schema, context.shape)
    for question in questions:
        meant = _meant(question)
        if meant is None or check(meant, known):
            continue
        example = _example(context, question, meant)
        if example is not None:
            yield question, example


def _meant(question: Question) -> QueryGraph | None:
    if question.query_graph is not None or not question.cypher:
        return question.query_graph
    try:
        return from_cypher(question.cypher).renamed()
    except DataError:
        return None


def _gives(answer: Answer, question: Question) -> bool:
    return match(found_in(answer.answers, answer.answer_nodes), question.answers, question.nodes).exact


def _example(context: Context, question: Question, meant: QueryGraph) -> Example | None:
    """The prompt with its reply; None where that gives other answers."""
    asked: list[tuple[Message, ...]] = []
    reply = json.dumps(to_json(meant), ensure_ascii=False)

    def teacher(messages: Sequence[Message], _: Parameters) -> str:
        asked.append(tuple(messages))
        return reply

    model = ScriptedModel(teacher, name="teacher")
    try:
        answer = CYPHER.answer(question.text, replace(context, model=model), entities=question.entities)
    except KgneoError:
        return None
    if not asked or not question.gold or not _gives(answer, question):
        return None
    named = frozenset(
        value
        for condition in meant.conditions
        if isinstance(condition.right, tuple)
        for value in condition.right
        if isinstance(value, str)
    )
    return Example("query_graph", asked[0], reply, named or frozenset({question.text}), named | set(question.gold))
