"""Asking: from a graph and a question to an answer.

    with Graph.connect("bolt://localhost:7687", password=...) as graph:
        answer = ask(graph, "what is the capital of [Ethiopia]?")

`open_context` reads what the graph was indexed with and loads that encoder; `ask` runs a strategy. Ask many
questions with one context: `ask(context, question)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgneo.context import Context, Options
from kgneo.embedding import Encoder, load_encoder
from kgneo.graph import Graph
from kgneo.graph.index import check_fingerprint, require
from kgneo.model import Answer
from kgneo.strategies import find_strategy

DEFAULT_STRATEGY = "paths"


def open_context(
    graph: Graph,
    *,
    encoder: str | Encoder | None = None,
    options: Options | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Context:
    """What questions about `graph` are answered with. `encoder` is the one that the user insists on, by name, or
    an encoder object that was used to index.

    Raises GraphEmpty, NotIndexed, EncoderMismatch or EncoderError.
    """
    name = encoder if isinstance(encoder, str) or encoder is None else encoder.name
    record = require(graph, encoder=name)
    loaded = load_encoder(record.encoder, report=report) if isinstance(encoder, str | None) else encoder
    check_fingerprint(record, loaded)
    return Context(graph, record, loaded, options or Options())


def ask(
    graph: Graph | Context,
    question: str,
    *,
    strategy: str = DEFAULT_STRATEGY,
    entities: Sequence[str] = (),
) -> Answer:
    """Answer `question`. Topic entities stand in [brackets], are given as `entities`, or are found in the text.

    Raises EntityNotFound with the nearest names, and what `open_context` raises.
    """
    context = graph if isinstance(graph, Context) else open_context(graph)
    return find_strategy(strategy).answer(question, context, entities=entities)
