"""Opening a graph to be asked: its index record, its shape, and how its entities are found by name.

Three kinds of graph come here: one that kgneo loaded, one that was there before and was indexed (in the graph, or in
the cache of this machine when it may only be read), and one that was there before and was not. The last can be asked
with strategies that need no embeddings; its schema is read for that and kept in the cache.
"""

from __future__ import annotations

from collections.abc import Callable

from kgneo import __version__
from kgneo.embedding import DEFAULT_ENCODER
from kgneo.errors import GraphEmpty
from kgneo.graph.attach import Choices, check, derive_shape, is_loaded, loaded_shape
from kgneo.graph.connection import Graph
from kgneo.graph.index import TEMPLATE, IndexRecord, count_triples, read_record, require
from kgneo.graph.local import LocalCache
from kgneo.graph.local_embeddings import LocalEmbeddings
from kgneo.graph.naming import IndexedNames, ScannedNames
from kgneo.graph.schema import Schema
from kgneo.graph.schema_statistics import estimate_statistics
from kgneo.graph.shape import Shape

SCAN_NAMES_FROM = 50_000
"""Nodes from which on the names of a graph that was not indexed are not read, but looked for in the database."""


def open_record(
    graph: Graph,
    *,
    encoder: str | None = None,
    choices: Choices | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> IndexRecord:
    """The record of the graph's index; `graph` knows its shape and its names afterwards.

    For a graph that was there before kgneo and has no index, a record of what its schema says, with `complete`
    False and no fingerprint. Raises GraphEmpty, NotIndexed or EncoderMismatch.
    """
    record = read_record(graph)
    if record is None:
        local = LocalCache(graph).embeddings()
        if (kept := local.read_record()) is not None:
            report(f"The graph is only read: its embeddings are in {local.folder}.")
            return _open_local(graph, local, require(graph, encoder=encoder, record=kept))
        if not is_loaded(graph):
            return attach(graph, encoder=encoder, choices=choices, report=report)
    record = require(graph, encoder=encoder)
    graph.shape = record.shape
    graph.naming = None if record.shape.loaded else IndexedNames(graph, record.shape)
    return record


def _open_local(graph: Graph, embeddings: LocalEmbeddings, record: IndexRecord) -> IndexRecord:
    """A graph whose embeddings are on this machine."""
    graph.shape = record.shape
    graph.embeddings = embeddings
    if not record.shape.loaded:
        graph.naming = LocalCache(graph).names(record.shape)
    return record


def known_shape(
    graph: Graph,
    *,
    choices: Choices | None = None,
    refresh: bool = False,
    keep: bool = True,
    report: Callable[[str], None] = lambda _: None,
) -> tuple[Schema, Shape]:
    """The graph's schema, from the cache where that is up to date, and the shape that follows from it and from what
    the user chose, now or before; new choices are kept, unless `keep` is False.

    Raises UsageError for a choice that names nothing in the graph.
    """
    cache = LocalCache(graph)
    schema = cache.schema(refresh=refresh, report=report)
    if is_loaded(graph):
        return schema, loaded_shape(schema)
    if choices:
        check(schema, choices)
    return schema, derive_shape(schema, cache.choices(choices, keep=keep))


def attach(
    graph: Graph,
    *,
    encoder: str | None = None,
    choices: Choices | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> IndexRecord:
    """A record of a graph that was there before kgneo, from its schema alone. Raises GraphEmpty."""
    schema, shape = known_shape(graph, choices=choices, report=report)
    if not schema.nodes:
        raise GraphEmpty(
            "The graph is empty: it holds no triples to answer from.",
            hint="Load some with `kgneo load PATH`, or try the sample with `kgneo demo`.",
        )
    report("The graph is not indexed: answering from its schema. `kgneo index` adds embeddings.")
    graph.shape = shape
    graph.embedded = False
    graph.naming = LocalCache(graph).names(shape) if schema.nodes <= SCAN_NAMES_FROM else ScannedNames(graph, shape)
    return IndexRecord(
        encoder=encoder or DEFAULT_ENCODER,
        fingerprint="",
        dimensions=0,
        similarity="",
        template=TEMPLATE,
        triples=count_triples(graph),
        complete=False,
        version=__version__,
        statistics=estimate_statistics(schema, shape),
        shape=shape,
    )
