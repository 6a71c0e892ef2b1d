"""Opening: a graph with what it was indexed with, ready to be asked."""

from __future__ import annotations

from collections.abc import Callable

from kgneo.context import Context, Options
from kgneo.encoders.encoder import Encoder, OnnxEncoder, full_name, load_encoder, reader
from kgneo.graph import Graph
from kgneo.graph.open import open_knowledge
from kgneo.graph.record import check_fingerprint
from kgneo.llm import LanguageModel, load_model
from kgneo.prompts import Prompts


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
