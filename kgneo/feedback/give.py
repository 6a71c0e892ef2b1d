"""Give: what somebody says of an answer, as a piece of feedback.

Comes in: a question with the query graph that answered it, and what is said: that it is right, that it is wrong, what
it means in other words (or as Cypher, or as a query graph), or which answers are right. Goes out: a piece of feedback
that waits to be reviewed; it changes no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from kgneo.asking.question import check_text, interpret
from kgneo.context import Context
from kgneo.errors import DataError, EntityNotFound, UsageError
from kgneo.feedback.durable import durable
from kgneo.feedback.said import Feedback, Verdict, add, feedback_file
from kgneo.graph.catalogue import catalogue
from kgneo.model import Answer
from kgneo.query.check import check
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json, to_json
from kgneo.query.wording import wording
from kgneo.stages.run_readings import gives

CYPHER = re.compile(r"\s*(optional\s+)?match\b", re.IGNORECASE)
READINGS = 8
"""Readings of a question that are run to find the one that gives the answers that somebody says are right."""
HINT = "Say it in other words that the graph has, or as a simple Cypher query; docs/feedback.md has examples."


@dataclass(frozen=True, slots=True)
class Said:
    """What is said of an answer. Without `means` and `answers`, it is `right` or not. `means` is a question in other
    words, Cypher, or a query graph in JSON; `answers` are the right ones. `by` is who says it."""

    right: bool = False
    means: str = ""
    answers: tuple[str, ...] = ()
    by: str = ""
    through: str = "python"


def teach(context: Context, answer: Answer, said: Said) -> Feedback:
    """Keep what is said of an answer until it is reviewed. Raises UsageError and DataError for what cannot be kept."""
    return give(context, answer.question, answer.query_graph, said)


def give(context: Context, question: str, query_graph: Mapping[str, Any] | None, said: Said) -> Feedback:
    """The same of a question and the query graph that answered it, as JSON."""
    check_text(question, ())
    made = _feedback(context, question, query_graph, said)
    add(feedback_file(context.graph.terms_file), made)
    return made


def _feedback(context: Context, question: str, query_graph: Mapping[str, Any] | None, said: Said) -> Feedback:
    verdict: Verdict = "corrected" if said.means or said.answers else "right" if said.right else "wrong"
    now = datetime.now(UTC).isoformat(timespec="seconds")
    if verdict == "wrong":
        read_as = wording(from_json(dict(query_graph)), names=context.shape.names) if query_graph else ""
        return Feedback(question, verdict, query_graph, read_as, said.by, now, said.through)
    graph = _meant(context, question, query_graph, said)
    read_as = wording(graph, names=context.shape.names)
    return Feedback(question, verdict, to_json(durable(context, graph)), read_as, said.by, now, said.through)


def _meant(context: Context, question: str, query_graph: Mapping[str, Any] | None, said: Said) -> QueryGraph:
    """The query graph that is said to be right."""
    if said.means:
        graph = meaning_of(context, said.means)
    elif said.answers:
        graph = _giving(context, question, said.answers)
    elif query_graph is not None:
        graph = from_json(dict(query_graph))
    else:
        raise UsageError("No query graph gave this answer, so that there is nothing to learn from it.", hint=HINT)
    problems = check(graph, catalogue(context.knowledge.schema, context.shape))
    if problems:
        raise DataError(" ".join(problems), hint="`kgneo schema` says what there is.")
    return graph


def meaning_of(context: Context, text: str) -> QueryGraph:
    """What is meant by a question in other words, a Cypher query, or a query graph in JSON."""
    if text.lstrip().startswith("{"):
        try:
            return from_json(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise DataError(f"The query graph is no JSON: {error}", hint=HINT) from error
    if CYPHER.match(text):
        return from_cypher(text)
    try:
        offered = interpret(context, text)
    except EntityNotFound as error:
        raise UsageError(f"Nothing was read in {text!r}. {error.message}", hint=HINT) from error
    if not offered:
        raise UsageError(f"Nothing was read in {text!r}.", hint=HINT)
    return offered[0].graph


def _giving(context: Context, question: str, answers: Sequence[str]) -> QueryGraph:
    """The likeliest reading of a question that gives exactly these answers."""
    for item in interpret(context, question)[:READINGS]:
        if gives(context, item.graph, answers):
            return item.graph
    raise UsageError(f"No reading of the question gives exactly {', '.join(answers)}.", hint=HINT)
