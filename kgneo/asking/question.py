"""Asking: from a graph and a question to an answer.

    with Graph.connect("bolt://localhost:7687", password=...) as graph:
        answer = ask(graph, "what is the capital of [Ethiopia]?")

`open_context` reads what the graph was indexed with and loads that encoder; `ask` runs a strategy, `auto` where none is
named. Ask many questions with one context: `ask(context, question)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.asking.latest import behind, is_older, latest, look_further
from kgneo.asking.opening import open_context as open_context
from kgneo.context import Clock, Context
from kgneo.defaults import STRATEGY
from kgneo.english.question import says_something
from kgneo.errors import EntityNotFound, NotIndexed, QuestionError
from kgneo.graph import Graph
from kgneo.llm import LanguageModel
from kgneo.model import Answer
from kgneo.stages.in_dates import in_dates
from kgneo.stages.link import LinkedQuestion, link
from kgneo.stages.offer_readings import Offered
from kgneo.stages.outcome import NO_ANSWER, least_of, ungrounded, withheld
from kgneo.stages.retrieve import GO_ON, Retrieval, partly_compared, retrieve
from kgneo.strategies import Strategy, find_strategy
from kgneo.strategies.paths import Paths
from kgneo.text import is_unicode
from kgneo.tracing import note, span

DEFAULT_STRATEGY = STRATEGY
UNSURE = 0.2
"""Confidence below which an answer comes with a warning."""
DOUBT = "Unsure: this reading explains little of the question."


EXAMPLE = "what is the capital of [Ethiopia]?"
SHOWN = 60
"""Characters of a text that is refused that are shown."""


def check_text(text: str, entities: Sequence[str] = (), *, kind: str = "question", example: str = EXAMPLE) -> None:
    """Raises QuestionError for a question (or another `kind` of text) that says nothing, or that is no text, and for an
    entity that is none. Whatever asks something of a graph comes through here."""
    for given in (text, *entities):
        if not is_unicode(given):
            raise QuestionError(
                f"The {kind} holds {_cut(given)}: half of a character (a lone surrogate), or a byte that is not UTF-8."
            )
    if not says_something(text, named=bool(entities)):
        raise QuestionError(
            f"The {kind} {_cut(text)} has no words that say anything; expected something like {example!r}."
        )


def _cut(text: str) -> str:
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def ask(
    graph: Graph | Context,
    question: str,
    *,
    strategy: str | Strategy | None = None,
    entities: Sequence[str] = (),
    model: LanguageModel | str | None = None,
) -> Answer:
    """Answer `question`. Topic entities stand in [brackets], are given as `entities`, or are found in the text.

    `strategy` is a name, or an object with options of its own. `model` goes with a graph; a context has its own.
    Raises EntityNotFound with the nearest names, QuestionError for one without words, UsageError for a strategy that
    there is not or that needs a model, NotIndexed for one that needs embeddings, and what `open_context` raises.
    """
    check_text(question, entities)
    context = latest(graph) if isinstance(graph, Context) else open_context(graph, model=model)
    chosen = strategy or DEFAULT_STRATEGY
    chosen = find_strategy(chosen) if isinstance(chosen, str) else chosen
    if chosen.needs.embeddings and not context.knowledge.embedded:
        raise NotIndexed(
            f"The strategy {chosen.name!r} needs embeddings, and the graph has none yet.",
            hint="Make them with `kgneo index`, or with `kgneo index --read-only` in a file on this machine; "
            "or use a strategy that needs none, such as paths.",
        )
    dated = in_dates(context, question)
    with span("ask", {"kgneo.strategy": chosen.name}):
        context, answer = _answered(chosen, dated.text, context, entities)
        note({"kgneo.outcome": answer.outcome, "kgneo.answers": len(answer.answers)})
    look_further(context)
    told = (_beyond(chosen, context), _meanwhile(chosen, context), behind(context))
    return replace(answer, question=question, warnings=(*dated.notes, *answer.warnings, *filter(None, told)))


def _answered(strategy: Strategy, question: str, context: Context, entities: Sequence[str]) -> tuple[Context, Answer]:
    """The answer, and the context that it is from. Where nothing was found, and the graph has changed, it is asked
    again with what is known now."""

    def answered(known: Context) -> Answer:
        answer = strategy.answer(question, known, entities=entities)
        answer = ungrounded(answer) if strategy.needs.model and strategy.needs.graph else answer
        return _sure(answer, least_of(known, question, entities))

    try:
        answer = answered(context)
    except EntityNotFound:
        newer = latest(context, must=True)
        if not is_older(context, newer):
            raise
        return newer, answered(newer)
    if answer.outcome == "answer":
        return context, answer
    newer = latest(context, must=True)
    return (newer, answered(newer)) if is_older(context, newer) else (context, answer)


def interpret(context: Context, question: str, *, entities: Sequence[str] = ()) -> tuple[Offered, ...]:
    """The readings of `question` as query graphs: the one that the strategy `paths` answers with, then the others, best
    first; none where no relation leaves what it names. To know which one finds something, they are run.

    Raises EntityNotFound for a name that the graph does not have, and QuestionError for one without words.
    """
    check_text(question, entities)
    context = latest(context)
    offered = Paths().chosen(in_dates(context, question).text, context, entities=entities).offered
    look_further(context)
    return offered


def nearest(
    context: Context, question: str, *, entities: Sequence[str] = (), clock: Clock | None = None
) -> tuple[LinkedQuestion, Retrieval]:
    """The topic entities of `question`, and the triples around them that are nearest to it, without an answer.

    Raises EntityNotFound, NotIndexed, and QuestionError for one without words.
    """
    check_text(question, entities)
    clock = clock or Clock()
    with clock.stage("link"):
        linked = link(context.knowledge, question, entities=entities)
    with clock.stage("retrieve"):
        return linked, retrieve(linked.text, linked.entity_ids, context)


def _sure(answer: Answer, least: float) -> Answer:
    """The answer, with a warning where it is unsure; below the `least` confidence it is not given, whichever way it
    came, and what is left of it are its readings. An answer without a confidence is given."""
    confidence = 1.0 if answer.confidence is None else answer.confidence
    if answer.outcome != "answer":
        return answer
    if answer.answer == NO_ANSWER and not answer.answers:
        return replace(answer, outcome="not_understood", message=withheld(answer).message)
    if confidence >= max(least, UNSURE):
        return answer
    return replace(answer, warnings=(DOUBT, *answer.warnings)) if confidence >= least else withheld(answer)


def _beyond(strategy: Strategy, context: Context) -> str:
    """A warning where more hops were asked for than the strategy reads."""
    hops, furthest = context.options.hops, strategy.furthest
    if furthest is None or hops <= furthest:
        return ""
    return f"{hops} hops were asked for; {strategy.name} reads one (sub-)question over at most {furthest}."


def _meanwhile(strategy: Strategy, context: Context) -> str:
    """A warning where embeddings are still being made."""
    if strategy.needs.embeddings:
        return partly_compared(context)
    state = context.knowledge.unfinished() if strategy.needs.graph else ""
    return f"{state}; {strategy.name} needs none. {GO_ON}" if state else ""
