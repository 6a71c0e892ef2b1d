"""Indexing a graph that may only be read: its embeddings go into files on this machine."""

from __future__ import annotations

from kgneo.embedding import Encoder
from kgneo.errors import GraphEmpty
from kgneo.graph.connection import Graph
from kgneo.graph.index import IndexReport, OnProgress, encode_all, expected_relationships, expected_values
from kgneo.graph.local import LocalCache
from kgneo.graph.record import new_record
from kgneo.graph.schema import Schema
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import read_statistics


def build_locally(
    graph: Graph, encoder: Encoder, *, shape: Shape, schema: Schema, on_progress: OnProgress = lambda _: None
) -> IndexReport:
    """Bring the embeddings on this machine up to date with the graph; what is gone from it is forgotten.

    Raises GraphEmpty. An interruption loses at most one batch.
    """
    total = expected_relationships(schema, shape) + expected_values(schema, shape)
    if not total:
        raise GraphEmpty(
            "The graph holds no triples to index.", hint="There is nothing to load into a graph that is only read."
        )
    cache = LocalCache(graph)
    embeddings = cache.embeddings()
    previous = embeddings.read_record()
    if previous is not None and previous.fingerprint != encoder.fingerprint:
        embeddings.clear()

    def begin() -> None:
        embeddings.write_record(new_record(encoder, shape, total, complete=False))

    report = encode_all(graph, encoder, shape, embeddings, total=total, begin=begin, on_progress=on_progress)
    embeddings.forget_unseen()
    statistics = read_statistics(graph, shape=shape, schema=schema)
    if not shape.loaded:
        cache.names(shape, refresh=True)
    embeddings.write_record(new_record(encoder, shape, report.triples, complete=True, statistics=statistics))
    return report
