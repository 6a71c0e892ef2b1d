"""Asking: from a graph and a question to an answer.

    with Graph.connect("bolt://localhost:7687", password=...) as graph:
        answer = ask(graph, "what is the capital of [Ethiopia]?")

`open_context` reads what the graph was indexed with and loads that encoder; `ask` runs a strategy: `kg-rag` with a
language model, `paths` without. Ask many questions with one context: `ask(context, question)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from kgneo.context import Context, Options
from kgneo.embedding import Encoder, OnnxEncoder, full_name, load_encoder, reader
from kgneo.errors import NotIndexed
from kgneo.graph import Graph
from kgneo.graph.open import open_knowledge
from kgneo.graph.record import check_fingerprint
from kgneo.llm import LanguageModel, load_model
from kgneo.model import Answer
from kgneo.prompts import Prompts
from kgneo.stages.retrieve import GO_ON, partly_compared
from kgneo.strategies import Strategy, find_strategy

DEFAULT_STRATEGY = "paths"
DEFAULT_WITH_MODEL = "kg-rag"
UNSURE = 0.2
"""Confidence below which an answer comes with a warning."""
DOUBT = "Unsure: this reading explains little of the question."
NO_ANSWER = "not found"
"""Text of an answer that is not given."""


def open_context(
    graph: Graph,
    *,
    encoder: str | Encoder | None = None,
    options: Options | None = None,
    model: LanguageModel | str | None = None,
    prompts: Prompts | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Context:
    """What questions about `graph` are answered with. `encoder` is the one that the user insists on, by name, or
    an encoder object that was used to index; `model` the language model, or what `kgneo.llm.load_model` takes.

    Raises GraphEmpty, NotIndexed, EncoderMismatch, EncoderError, and ModelError for a model that cannot be had.
    """
    name = encoder if encoder is None else full_name(encoder) if isinstance(encoder, str) else encoder.name
    knowledge = open_knowledge(graph, encoder=name, report=report)
    record = knowledge.record
    loaded = load_encoder(record.encoder, report=report) if isinstance(encoder, str | None) else encoder
    if record.fingerprint:
        check_fingerprint(record, loaded)
    speaking = load_model(model, report=report) if isinstance(model, str) else model
    reads = reader(loaded, report=report)
    if isinstance(reads, OnnxEncoder):
        reads.begin()
    return Context(
        knowledge,
        reads,
        options or Options(),
        model=speaking,
        prompts=prompts or Prompts(),
        other_encoder=None if reads is loaded else loaded,
    )


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
    Raises EntityNotFound with the nearest names, UsageError for a strategy that there is not or that needs a model,
    NotIndexed for one that needs embeddings, and what `open_context` raises.
    """
    context = graph if isinstance(graph, Context) else open_context(graph, model=model)
    chosen = strategy or default_strategy(context.model)
    chosen = find_strategy(chosen) if isinstance(chosen, str) else chosen
    if chosen.needs.embeddings and not context.knowledge.embedded:
        raise NotIndexed(
            f"The strategy {chosen.name!r} needs embeddings, and the graph has none yet.",
            hint="Make them with `kgneo index`, or with `kgneo index --read-only` in a file on this machine; "
            "or use a strategy that needs none, such as paths.",
        )
    answer = _sure(chosen.answer(question, context, entities=entities), context.options.min_confidence)
    told = (_beyond(chosen, context), _meanwhile(chosen, context))
    return replace(answer, warnings=(*answer.warnings, *filter(None, told)))


def _sure(answer: Answer, least: float) -> Answer:
    """The answer, with a warning where it is unsure; below the `least` confidence it is not given, whichever way it
    came, and what is left of it are its readings. An answer without a confidence is given."""
    confidence = 1.0 if answer.confidence is None else answer.confidence
    if answer.answer == NO_ANSWER or confidence >= max(least, UNSURE):
        return answer
    if confidence >= least:
        return replace(answer, warnings=(DOUBT, *answer.warnings))
    return replace(
        answer,
        answer=NO_ANSWER,
        answers=(),
        more=0,
        steps=(),
        evidence=(),
        cypher=None,
        cypher_parameters={},
        picture=None,
        answer_nodes=(),
        grounded=False,
    )


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


def default_strategy(model: LanguageModel | None) -> str:
    """The name of the strategy that answers where none is named."""
    return DEFAULT_WITH_MODEL if model else DEFAULT_STRATEGY
