"""Write query: the language model writes a query from the schema, is told what is wrong with it, and writes again
(SP-LLM section 3.1; the feedback is that of its skills).

Comes in: a question and the entities that were found in it. Goes out: every attempt with what came of it, the last one
without a problem where there is one. A query is a query graph in JSON, which is checked against the schema and compiled
here, or, `free`, Cypher that passes the guard. Cypher that can be read as a query graph, and finds the same as that,
comes with its words and its evidence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, TypeVar

from kgneo.context import Context
from kgneo.english.literals import literals_of
from kgneo.errors import (
    BudgetSpent,
    ContextOverflow,
    DataError,
    GraphError,
    GraphTimeout,
    NotIndexed,
    StatementError,
    StatementInvalid,
    UnknownName,
)
from kgneo.events import StageEvent
from kgneo.graph.catalogue import catalogue
from kgneo.graph.rows import tell
from kgneo.graph.run import Result, evidence_of
from kgneo.graph.schema_text import prompt_text
from kgneo.graph.statement import Guard
from kgneo.llm import Completion, Parameters
from kgneo.llm.cleaning import defuse
from kgneo.model import AnswerNode, Evidence, Table, TopicEntity
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.from_cypher import from_cypher
from kgneo.query.grammar import query_grammar
from kgneo.query.graph import Aggregate, QueryGraph
from kgneo.query.json import from_json, json_schema, to_json
from kgneo.query.wording import wording
from kgneo.stages.facts import one_line
from kgneo.stages.find_words import FoundWords, GraphValue, find_words
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.interpret import run_query
from kgneo.stages.recall import When, similar_lessons, write_lessons
from kgneo.stages.why_empty import why_empty
from kgneo.text import listed

PARAMETERS = replace(TABLE_2, temperature=0.0, max_tokens=700)
LONGEST = 10.0
"""Seconds that one query may take."""
SHOWN = 300
"""Characters of a query that are told while it is tried."""
LEAST_SCHEMA = 100
"""Tokens below which a schema is not cut any further."""
Asked = TypeVar("Asked")
Failure = Literal["syntax error", "unknown name", "refused", "timeout", "empty"]
_ADVICE: dict[Failure, str] = {
    "syntax error": "It could not be read.",
    "unknown name": "It names something that the graph does not have.",
    "refused": "It may not be run.",
    "timeout": "The database did not answer it in time, twice. It may be right all the same; a shorter one is quicker.",
    "empty": "It is correct, and nothing in the graph fits it.",
}
_STANDS = "Write a better one, or the same again if it says what the question asks: then nothing is the answer."
_UNKNOWN = ("There is no ", " must be turned round", " does not join ")
"""How `check` begins or ends what the schema does not have."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a query gives no answer: its kind, and what was found and expected."""

    kind: Failure
    text: str = ""


@dataclass(frozen=True)
class Found:
    """What a query found. `wording` says what it means where that is known."""

    answers: tuple[str, ...]
    nodes: tuple[AnswerNode, ...]
    evidence: tuple[Evidence, ...]
    more: int
    empty: bool
    cypher: str
    parameters: Mapping[str, Any]
    wording: str = ""
    table: Table | None = None
    written: tuple[str, ...] = ()
    query_graph: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    """What is to be said of how it was found."""

    @property
    def text(self) -> str:
        """The first answers, as people write them, and how many more there are; empty for none."""
        return listed(self.written or self.answers, self.more)


def found_of(graph: QueryGraph, result: Result, evidence: tuple[Evidence, ...], words: str, *, limit: int) -> Found:
    """What a query graph found that asks for at most `limit` answers."""
    return Found(
        result.answers,
        result.nodes,
        evidence,
        result.more,
        result.empty,
        result.compiled.text,
        {"limit": limit, **result.compiled.parameters},
        words,
        result.table,
        result.written,
        to_json(graph),
        result.notes,
    )


@dataclass(frozen=True)
class Attempt:
    """A query as the model wrote it, its problem if it has one, and what it found if it ran."""

    query: str
    problem: Problem | None = None
    found: Found | None = None


@dataclass(frozen=True)
class Offer:
    """What a model may take instead of writing a query: readings as a prompt tells them, with what each found."""

    text: str
    attempts: tuple[Attempt, ...]

    def taken(self, reply: str) -> Attempt | None:
        """The attempt that a reply such as {"reading": 2} takes; None for any other reply."""
        try:
            record = json.loads(reply)
        except (ValueError, RecursionError):
            return None
        number = record.get("reading") if isinstance(record, dict) and len(record) == 1 else None
        there = isinstance(number, int) and 1 <= number <= len(self.attempts)
        return self.attempts[number - 1] if there and isinstance(number, int) else None

    def held(self, parameters: Parameters) -> Parameters:
        """Parameters that let a model take a reading as well."""
        numbers = range(1, len(self.attempts) + 1)
        if parameters.grammar:
            digits = " | ".join(f'"{number}"' for number in numbers)
            taking = f'root ::= whole-query | "{{\\"reading\\": " ({digits}) "}}"\n'
            return replace(parameters, grammar=taking + parameters.grammar.replace("root ::=", "whole-query ::=", 1))
        if parameters.json_schema is None:
            return parameters
        reading: dict[str, Any] = {
            "type": "object",
            "properties": {"reading": {"type": "integer", "enum": list(numbers)}},
            "required": ["reading"],
            "additionalProperties": False,
        }
        whole = dict(parameters.json_schema)
        above: dict[str, Any] = {name: whole.pop(name) for name in ("$schema", "$defs") if name in whole}
        return replace(parameters, json_schema={**above, "type": "object", "anyOf": [reading, whole]})


def write_query(
    question: str,
    topics: Sequence[TopicEntity],
    context: Context,
    calls: ModelCalls,
    *,
    free: bool,
    attempts: int,
    schema_tokens: int,
    shots: int = 0,
    when: When = "never",
    review: Callable[[str], str] | None = None,
    offer: Offer | None = None,
    temperature: float = 0.0,
) -> list[Attempt]:
    """Let the model write queries until one finds something, at most `attempts` times, or until the question's budget
    is used up, which is a warning. For a query graph it is shown at most `shots` learned questions with theirs, `when`
    a query failed, or always. `review` is given each query before it is run, and gives the one that is. It may take
    one of the readings of an `offer` instead.

    Raises ModelError, ContextOverflow among them where not even a short schema fits, and GraphUnavailable.
    """
    tried: list[Attempt] = []
    words = find_words(question, topics, context, roots=calls.model.supports_grammar)
    parameters = PARAMETERS if free else _held(question, words.values, context, calls)
    told = words.told if free else f"{words.told}\n{_about_texts(context, calls)}".strip()
    if offer is not None and offer.attempts:
        parameters, told = offer.held(parameters), f"{told}\n{offer.text}".strip()
    parameters = replace(parameters, temperature=temperature)

    if context.graph.terms and context.graph.terms.questions:
        when = "always" if when == "failure" else when  # somebody verified them to be shown

    @cache
    def examples() -> str:
        text = write_lessons(similar_lessons(context, question, limit=shots))
        return f"\n{text}\n" if text else ""

    while len(tried) < attempts:
        try:
            shown = "" if free or not (when == "always" or (when == "failure" and tried)) else examples()
            before = shown + _feedback(tried)
            completion = _written(
                question, words, told, parameters, context, calls, before, free=free, tokens=schema_tokens
            )
        except BudgetSpent as error:
            calls.warn(error.message)
            break
        query = _unfenced(completion.text) if free else _indented(completion.text)
        query = review(query) if review else query
        with calls.clock.stage("query"):
            taken = offer.taken(query) if offer else None
            attempt = taken or (_try_cypher(query, context) if free else _try_graph(query, context))
        repeated = any(attempt.query == other.query for other in tried)
        tried.append(attempt)
        _tell(context, len(tried), attempt)
        if attempt.problem is None or repeated:
            break
    return tried


def _about_texts(context: Context, calls: ModelCalls) -> str:
    """How to ask what texts say, where the graph has some that were indexed."""
    keys = () if context.shape.loaded else context.knowledge.texts.shown()
    return calls.prompts.messages("texts", keys=", ".join(keys))[-1].content if keys else ""


def _tell(context: Context, number: int, attempt: Attempt) -> None:
    """Say what was written, and what came of it."""
    told = one_line(attempt.found.wording if attempt.found and attempt.found.wording else attempt.query)
    told = told if len(told) <= SHOWN else told[: SHOWN - 1] + "…"
    if attempt.problem is not None:
        told += f" ({attempt.problem.kind}{': ' if attempt.problem.text else ''}{one_line(attempt.problem.text)})"
    context.on_event(StageEvent("write_query", "done", number, text=told))


def _written(
    question: str,
    words: FoundWords,
    told: str,
    parameters: Parameters,
    context: Context,
    calls: ModelCalls,
    before: str,
    *,
    free: bool,
    tokens: int,
) -> Completion:
    """The model's next query; it is `told` what of the question is in the graph, and `before`, what came of others. A
    schema that does not fit is cut down to what the `words` of the question speak of and what is around that."""
    while True:
        try:
            return calls.complete(
                "cypher" if free else "query_graph",
                parameters,
                question=defuse(one_line(question)),
                schema=defuse(prompt_text(context.knowledge.schema, context.shape, tokens=tokens, spoken=words.spoken)),
                entities=defuse(told),
                before=defuse(before),
            )
        except ContextOverflow:
            tokens //= 2
            if tokens < LEAST_SCHEMA:
                raise


def _held(question: str, values: Sequence[GraphValue], context: Context, calls: ModelCalls) -> Parameters:
    """Parameters that hold a model to query graphs of this schema: by a grammar where it keeps to one, else by a JSON
    schema where it keeps to that."""
    schema = _catalogue(context)
    if calls.model.supports_grammar:
        known: dict[tuple[str, str], tuple[str, ...]] = {}
        for value in (value for value in values if value.key):
            known[value.owner, value.key] = (*known.get((value.owner, value.key), ()), value.text)
        grammar = query_grammar(schema, literals_of(one_line(question), known))
        if grammar is not None:
            return replace(PARAMETERS, grammar=grammar)
    return replace(PARAMETERS, json_schema=json_schema(schema) if calls.model.supports_json_schema else None)


def _feedback(tried: Sequence[Attempt]) -> str:
    """What the model is told of its last query."""
    if not tried or tried[-1].problem is None:
        return ""
    last, problem = tried[-1], tried[-1].problem
    assert problem is not None
    told = f"Problem ({problem.kind}): {_ADVICE[problem.kind]} {one_line(problem.text)}"
    then = _STANDS if problem.kind == "empty" else "Write a better one."
    return f"\nYour query before:\n{last.query}\n{told}\n{then}"


def _catalogue(context: Context) -> Catalogue:
    return catalogue(context.knowledge.schema, context.shape)


# A query graph -------------------------------------------------------------------------------------------------------


def _indented(reply: str) -> str:
    """The JSON object in a reply, laid out for people; the reply as it is where it holds none."""
    text = reply[reply.find("{") : reply.rfind("}") + 1]
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return reply


def _try_graph(text: str, context: Context) -> Attempt:
    try:
        graph = _graph_of(text)
    except (ValueError, RecursionError) as error:
        return Attempt(text, Problem("syntax error", f"It is no JSON object: {error}"))
    except DataError as error:
        return Attempt(text, Problem("syntax error", error.message))
    query = json.dumps(to_json(graph), ensure_ascii=False)
    problems = check(graph, _catalogue(context))
    if problems:
        unknown = any(told in problems[0] for told in _UNKNOWN)
        return Attempt(query, Problem("unknown name" if unknown else "refused", " ".join(problems)))
    try:
        result, evidence = _run(graph, context)
    except GraphTimeout:
        return Attempt(query, Problem("timeout", f"It was ended after {LONGEST:g} s."))
    except (StatementError, NotIndexed) as error:
        return Attempt(query, Problem("refused", error.message))
    words = wording(graph, names=context.shape.names)
    found = found_of(graph, result, evidence, words, limit=context.options.limit)
    empty = result.empty and not _is_yes_or_no(graph)
    return Attempt(query, Problem("empty", why_empty(graph, context)) if empty else None, found)


def _is_yes_or_no(graph: QueryGraph) -> bool:
    """Whether a "no" is an answer as good as a "yes"."""
    return isinstance(graph.answer, Aggregate) and graph.answer.function == "exists"


def _graph_of(text: str) -> QueryGraph:
    """A query graph from JSON, or from simple Cypher, which a person who edits it, or a model, may write instead."""
    if not text.lstrip().startswith("{"):
        with suppress(DataError):
            return from_cypher(_unfenced(text)).renamed()
    return from_json(json.loads(text))


def _run(graph: QueryGraph, context: Context) -> tuple[Result, tuple[Evidence, ...]]:
    result = _twice(lambda: run_query(context, graph, timeout=LONGEST))
    return result, evidence_of(context.knowledge, graph, result)


def _twice(ask: Callable[[], Asked]) -> Asked:
    """What `ask` gives, once more where the database did not answer in time: it may have been busy with others."""
    try:
        return ask()
    except GraphTimeout:
        return ask()


# Cypher --------------------------------------------------------------------------------------------------------------


def _try_cypher(query: str, context: Context) -> Attempt:
    limit, hidden = context.options.limit, context.shape.left_out
    guard = Guard(context.graph, _catalogue(context), limit=limit, timeout=LONGEST, hidden=hidden)
    try:
        passed = guard.check(query)
        rows = _twice(lambda: guard.rows(passed.text))
    except StatementInvalid as error:
        return Attempt(query, Problem("syntax error", f"{error.message} {error.hint}"))
    except UnknownName as error:
        return Attempt(query, Problem("unknown name", f"{error.message} {error.hint}"))
    except StatementError as error:
        return Attempt(query, Problem("refused", f"{error.message} {error.hint}"))
    except GraphTimeout as error:
        return Attempt(query, Problem("timeout", error.message))
    told = tell(context.knowledge, guard, passed.statement, rows)
    found = Found(told.answers, told.nodes, told.evidence, int(rows.more), rows.empty, passed.shown, {})
    found = found if rows.more else _explained(found, passed.asked.text, context)
    said_no = any(value is False for row in rows.rows for value in row.values())
    empty = rows.empty and not said_no
    return Attempt(query, Problem("empty", _why(passed.asked.text, context)) if empty else None, found)


def _why(text: str, context: Context) -> str:
    """What makes Cypher find nothing, where it can be read as a query graph."""
    try:
        graph = from_cypher(text).renamed()
    except DataError:
        return ""
    return "" if check(graph, _catalogue(context)) else why_empty(graph, context)


def _explained(found: Found, text: str, context: Context) -> Found:
    """What a query found, with the words and the evidence of its query graph, where it is one and that finds the
    same."""
    try:
        graph = from_cypher(text).renamed()
        if check(graph, _catalogue(context)):
            return found
        result, evidence = _run(graph, context)
    except (DataError, GraphError):
        return found
    if result.more or set(result.answers) != set(found.answers):
        return found
    same = {node.id for node in result.nodes} == {node.id for node in found.nodes}
    return replace(
        found,
        nodes=result.nodes if same else found.nodes,
        evidence=evidence or found.evidence,
        wording=wording(graph, names=context.shape.names),
        table=result.table,
    )


def _unfenced(reply: str) -> str:
    """The query in a reply, without the fence of code around it."""
    parts = reply.split("```")
    text = parts[1].removeprefix("cypher") if len(parts) > 2 else reply
    return text.strip()
