"""Examples of the tasks `query_graph` and `offered` from labelled questions: those that bring their query, as Cypher or
as a query graph, and those that are read without a model.

The prompts are those that `cypher` and `auto` make of the question, the reply its query graph, laid out as the grammar
of replies has it; to `auto`, which offers readings, the number of the first that gives the gold answers. Only those are
kept that this graph's schema allows and that give exactly the gold answers: a question of another graph, or one whose
query says more than a query graph can, is left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product

from kgneo.context import Context
from kgneo.errors import DataError, KgneoError
from kgneo.graph.catalogue import catalogue
from kgneo.graph.run import Result
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.matching import found_in, match
from kgneo.model import Answer
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import Aggregate, Condition, Edge, Form, QueryGraph, Selection, Value, Variable
from kgneo.query.json import to_json
from kgneo.query.template import canonical
from kgneo.questions import Question
from kgneo.stages.interpret import unlearned
from kgneo.stages.try_readings import try_readings
from kgneo.strategies.auto import Auto, AutoOptions
from kgneo.strategies.cypher import Cypher, CypherOptions
from kgneo.strategies.paths import Paths
from kgneo.strategies.protocol import Strategy
from kgneo.tuning.data import Example

__all__ = ["offered", "written"]

CYPHER = Cypher(CypherOptions(attempts=1, compare=False))
AUTO = Auto(AutoOptions(sure=math.inf, attempts=1, choices=False))
"""Asks of every question, however sure the reader is."""
Chat = tuple[Message, ...]
TRIES = 3
"""Readings of a question without a query, and labels of their variables, of which the first that give its answers are
what it means."""


def written(
    context: Context, questions: Iterable[Question], advance: Callable[[], object] = lambda: None
) -> Iterator[tuple[Question, Example]]:
    """Each of the questions whose query, or reading, gives its answers, with the examples that it makes; `advance` is
    called after each question.

    Raises GraphError.
    """
    known = catalogue(context.knowledge.schema, context.shape)
    for question in questions:
        meant = (graph for graph in _meant(question, context) if not check(graph, known))
        told = (full for graph in meant for full in islice(labelled(graph, known), TRIES))
        made = (_example(context, question, laid_out(graph, known)) for graph in told)
        example = next((example for example in made if example is not None), None)
        if example is not None:
            yield question, example
        advance()


def offered(context: Context, examples: Iterable[tuple[Question, Example]]) -> Iterator[Example]:
    """Of questions with the query graphs that were `written` of them the prompts in which `auto` offers readings. The
    reply takes the first that gives the gold answers, else it is the query graph. Raises GraphError."""
    for question, example in examples:
        choice = _choice(context, question, example)
        if choice is not None:
            yield choice


def _meant(question: Question, context: Context) -> Iterator[QueryGraph]:
    """What a question may mean: its query, or its readings where it brings none."""
    if question.query_graph is not None:
        yield question.query_graph
    elif question.cypher:
        with suppress(DataError):
            yield from_cypher(question.cypher)
    elif question.gold:
        with suppress(KgneoError):
            yield from (item.graph for item in unlearned(context, question.text)[:TRIES])


def labelled(graph: QueryGraph, known: Catalogue) -> Iterator[QueryGraph]:
    """The query graph with each label that a variable without any can have, as its edges and properties allow."""

    def possible(variable: Variable) -> list[tuple[str, ...]]:
        if variable.labels or variable.ids:
            return [variable.labels]
        asked = {value.key for value in graph.values() if value.of == variable.name and value.key}
        return [
            (label.name,)
            for label in known.labels
            if asked <= {key.name for key in label.keys} and all(at(edge, variable, label.name) for edge in graph.edges)
        ]

    def at(edge: Edge, variable: Variable, label: str) -> bool:
        """Whether a node with that label can stand where the edge has the variable."""
        ends = [pair for name in edge.relations if (item := known.relation(name)) for pair in item.ends]
        as_subject = edge.subject != variable.name or any(start == label for start, _ in ends)
        as_object = edge.object != variable.name or any(end == label for _, end in ends)
        return not ends or (as_subject and as_object)

    for labels in product(*map(possible, graph.variables)):
        named = zip(graph.variables, labels, strict=True)
        full = replace(graph, variables=tuple(replace(variable, labels=given) for variable, given in named))
        if not check(full, known):
            yield full


def laid_out(graph: QueryGraph, known: Catalogue) -> QueryGraph:
    """The same query graph as `kgneo.query.grammar` writes it, as far as that can: from what is asked for on, one edge
    a variable, dates and lists by the kinds of their properties, a test of a count last. A year that a date is compared
    with is written as a date."""
    ordered = canonical(graph)
    keys = {variable.name: known.keys_of_labels(variable.labels) for variable in ordered.variables}
    keys |= {edge.name: known.keys_of_relations(edge.relations) for edge in ordered.edges if edge.name}

    def kind(value: Value) -> str:
        return next((key.kind for key in keys.get(value.of, ()) if key.name == value.key), "")

    def formed(value: Value) -> Value:
        forms: Mapping[str, Form] = {"date": "date", "list": "list", "text": value.form}
        return replace(value, form=forms.get(kind(value), ""))

    def condition(item: Condition) -> Condition:
        if not isinstance(item.left, Value) or not isinstance(item.right, tuple):
            return item
        if item.operator in ("present", "missing"):
            return replace(item, left=replace(item.left, form=""))
        right = tuple(map(str, item.right)) if kind(item.left) == "date" else item.right
        return replace(item, left=formed(item.left), right=right)

    def selection(item: Selection) -> Selection:
        if isinstance(item.by, Value) and kind(item.by) in ("date", "number"):
            return replace(item, by=replace(item.by, form=""))
        return item

    return replace(
        ordered,
        conditions=tuple(sorted(map(condition, ordered.conditions), key=lambda item: isinstance(item.left, Aggregate))),
        selections=tuple(map(selection, ordered.selections)),
    )


def _gives(answer: Answer, question: Question) -> bool:
    return match(found_in(answer.answers, answer.answer_nodes), question.answers, question.nodes).exact


def _asked(strategy: Strategy, context: Context, question: Question, reply: str) -> tuple[list[Chat], Answer | None]:
    """The prompts that a strategy makes of a question, to each of which a teacher gives the same reply, and its
    answer."""
    asked: list[Chat] = []

    def teacher(messages: Sequence[Message], _: Parameters) -> str:
        asked.append(tuple(messages))
        return reply

    model = ScriptedModel(teacher, name="teacher")
    try:
        answer = strategy.answer(question.text, replace(context, model=model), entities=question.entities)
    except KgneoError:
        return [], None
    return asked, answer


def _choice(context: Context, question: Question, written: Example) -> Example | None:
    """The prompt with its reply; None where no reading is offered."""
    try:
        chosen = Paths().chosen(question.text, context, entities=question.entities)
    except KgneoError:
        return None
    tried = try_readings(context, chosen.offered, most=AUTO.options.readings)
    right = (number for number, item in enumerate(tried, start=1) if _finds(item.ran.result, question))
    number = next(right, 0)
    reply = json.dumps({"reading": number}) if number else written.reply
    asked, _ = _asked(AUTO, context, question, reply)
    return replace(written, task="offered", messages=asked[0], reply=reply) if tried and asked else None


def _finds(result: Result, question: Question) -> bool:
    return match(found_in(result.answers, result.nodes), question.answers, question.nodes).exact


def _example(context: Context, question: Question, meant: QueryGraph) -> Example | None:
    """The prompt with its reply; None where that gives other answers."""
    reply = json.dumps(to_json(meant), ensure_ascii=False)
    asked, answer = _asked(CYPHER, context, question, reply)
    if answer is None or not asked or not question.gold or not _gives(answer, question):
        return None
    named = frozenset(
        value
        for condition in meant.conditions
        if isinstance(condition.right, tuple)
        for value in condition.right
        if isinstance(value, str)
    )
    return Example("query_graph", asked[0], reply, named or frozenset({question.text}), named | set(question.gold))
