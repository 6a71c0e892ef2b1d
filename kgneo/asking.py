"""Asking: from a graph and a question to an answer.

    with Graph.connect("bolt://localhost:7687", password=...) as graph:
        answer = ask(graph, "what is the capital of [Ethiopia]?")

`open_context` reads what the graph was indexed with and loads that encoder; `ask` runs a strategy: `kg-rag` with a
language model, `paths` without. Ask many questions with one context: `ask(context, question)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from kgneo.context import Context, Options
from kgneo.embedding import Encoder, OnnxEncoder, full_name, load_encoder, reader
from kgneo.errors import NotIndexed
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.open import open_knowledge
from kgneo.graph.record import check_fingerprint
from kgneo.graph.schema import SCAN_SECONDS
from kgneo.llm import LanguageModel, load_model
from kgneo.model import Answer
from kgneo.prompts import Prompts
from kgneo.stages.interpret import reading
from kgneo.stages.retrieve import GO_ON, partly_compared
from kgneo.strategies import Strategy, find_strategy

SCANNED = "asking with the whole schema"
"""Where what is known since the graph was looked at as a whole stands in a context's memory."""
SCAN_AFTER = 2.0
"""Seconds from an answer until the graph is looked at as a whole: who is gone by then has begun nothing."""
DEFAULT_STRATEGY = "paths"
DEFAULT_WITH_MODEL = "kg-rag"


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
    context = latest(graph) if isinstance(graph, Context) else open_context(graph, model=model)
    chosen = strategy or default_strategy(context.model)
    chosen = find_strategy(chosen) if isinstance(chosen, str) else chosen
    if chosen.needs.embeddings and not context.knowledge.embedded:
        raise NotIndexed(
            f"The strategy {chosen.name!r} needs embeddings, and the graph has none yet.",
            hint="Make them with `kgneo index`, or with `kgneo index --read-only` in a file on this machine; "
            "or use a strategy that needs none, such as paths.",
        )
    answer = chosen.answer(question, context, entities=entities)
    look_further(context)
    told = (_beyond(chosen, context), _meanwhile(chosen, context))
    return replace(answer, warnings=(*answer.warnings, *filter(None, told)))


def look_further(context: Context) -> None:
    """Look at the whole graph behind the questions, where its schema was read from samples: soon, unless the graph is
    closed by then. From when that is done on, `latest` gives what is known since."""
    schema = context.knowledge.known_schema
    if schema is not None and not schema.whole and not context.shape.loaded and SCANNED not in context.memory:
        context.graph.behind(partial(_scan, context), after=SCAN_AFTER, seconds=SCAN_SECONDS)


def _scan(context: Context) -> None:
    if not LocalCache(context.graph).scan(again=False).scanned:
        return
    knowledge = open_knowledge(context.graph, encoder=context.triple_encoder.name)
    known = replace(context, knowledge=knowledge, memory={})
    reading(known)
    context.memory[SCANNED] = known


def latest(context: Context) -> Context:
    """The context with what is known of the graph since it was looked at as a whole; itself, where it was not."""
    known = context.memory.get(SCANNED)
    return replace(context, knowledge=known.knowledge, memory=known.memory) if isinstance(known, Context) else context


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
