"""Opening a graph to be asked: all that is known of it, in one object that is made once and never changed.

Three kinds of graph come here: one that kgneo loaded, one that was there before and was indexed (in the graph, or in
the cache of this machine when it may only be read), and one that was there before and was not. The last can be asked
with strategies that need no embeddings; its schema is read for that and kept in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from kgneo.embedding import DEFAULT_ENCODER
from kgneo.errors import GraphEmpty
from kgneo.graph.attach import Choices, check, derive_shape, is_loaded, loaded_shape
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.index import index_names
from kgneo.graph.mirror import MirrorFolder
from kgneo.graph.names import IndexedNames, LoadedNames, Names, ScannedNames
from kgneo.graph.record import TEMPLATE, IndexRecord, count_triples, read_record, require
from kgneo.graph.schema import OnScan, Schema
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import estimate_statistics
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.version import __version__

SCAN_NAMES_FROM = 50_000
"""Nodes from which on the names of a graph that was not indexed are not read, but looked for in the database."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A graph and what is known of it: the `record` of its index, how its entities are found by their `names`, and,
    for a graph that may only be read, the embeddings on this machine (`vectors`)."""

    graph: Graph
    record: IndexRecord
    names: Names = field(repr=False)
    vectors: LocalEmbeddings | None = None

    @property
    def shape(self) -> Shape:
        """What of the graph is used, and how its nodes are called."""
        return self.record.shape

    @property
    def embedded(self) -> bool:
        """Whether triples have embeddings, or some have and the others get them; a graph may be asked before it is
        indexed."""
        return bool(self.record.fingerprint)

    def unfinished(self) -> str:
        """As `IndexRecord.unfinished`, as it is now."""
        if not self.record.unfinished:
            return ""
        record = self.vectors.read_record() if self.vectors else read_record(self.graph)
        return record.unfinished if record else ""

    @cached_property
    def schema(self) -> Schema:
        """The graph's schema, from the cache where that is up to date; read when it is first asked for."""
        return LocalCache(self.graph).schema()

    @property
    def known_schema(self) -> Schema | None:
        """The schema, where it was read: nothing is read for this."""
        found: Schema | None = self.__dict__.get("schema")
        return found

    @cached_property
    def mirror(self) -> MirrorFolder:
        """Where the mirror of structure and embeddings is, if there is one."""
        return LocalCache(self.graph).mirror()

    @cached_property
    def vector_indexes(self) -> tuple[str, ...]:
        """The names of kgneo's vector indexes; read once, since listing indexes takes as long as searching one."""
        return index_names(self.graph)


def open_knowledge(
    graph: Graph,
    *,
    encoder: str | None = None,
    choices: Choices | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> Knowledge:
    """What is known of `graph`. `encoder` is the one that the user asked for by name, if any.

    For a graph that was there before kgneo and has no index, the record says what follows from its schema, with
    `complete` False and no fingerprint. Raises GraphEmpty, NotIndexed or EncoderMismatch.
    """
    record, vectors = read_record(graph), None
    if record is None:
        local = LocalCache(graph).embeddings()
        record = local.read_record()
        if record is not None:
            report(f"The graph is only read: its embeddings are in {local.folder}.")
            vectors = local
        elif not is_loaded(graph):
            return _attach(graph, encoder=encoder, choices=choices, report=report)
    record = require(graph, encoder=encoder, record=record)
    return Knowledge(graph, record, _names(graph, record, here=vectors is not None), vectors)


def _names(graph: Graph, record: IndexRecord, *, here: bool) -> Names:
    """The names of an indexed graph; `here`, where kgneo wrote nothing into it."""
    shape = record.shape
    if shape.loaded:
        return LoadedNames(graph)
    if here:
        return LocalCache(graph).names(shape)
    # Names are written last.
    return IndexedNames(graph, shape) if record.complete else _names_as_they_are(graph, shape)


def _names_as_they_are(graph: Graph, shape: Shape) -> Names:
    """The names of a graph into which kgneo wrote none."""
    cache = LocalCache(graph)
    return cache.names(shape) if cache.schema().nodes <= SCAN_NAMES_FROM else ScannedNames(graph, shape)


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
        return schema, loaded_shape(schema.relations)
    if choices:
        check(schema, choices)
    return schema, derive_shape(schema, cache.choices(choices, keep=keep))


def known_whole(
    graph: Graph, *, report: Callable[[str], None] = lambda _: None, on_progress: OnScan = lambda *_: None
) -> Schema:
    """The graph's schema after a look at everything there is, from the cache where that is up to date. Of triples that
    kgneo loaded there is nothing more to find out."""
    cache = LocalCache(graph)
    schema = cache.schema(report=report)
    if schema.whole or is_loaded(graph):
        return schema
    report(f"Looking at all {schema.nodes:,} nodes and {schema.relationships:,} relationships …")
    return cache.scan(on_progress=on_progress)


def _attach(
    graph: Graph,
    *,
    encoder: str | None,
    choices: Choices | None,
    report: Callable[[str], None],
) -> Knowledge:
    """A graph that was there before kgneo, known from its schema alone. Raises GraphEmpty."""
    schema, shape = known_shape(graph, choices=choices, report=report)
    if not schema.nodes:
        raise GraphEmpty(
            "The graph is empty: it holds no triples to answer from.",
            hint="Load some with `kgneo load PATH`, or try the sample with `kgneo demo`.",
        )
    report("The graph is not indexed: answering from its schema. `kgneo index` adds embeddings.")
    record = IndexRecord(
        encoder=encoder or DEFAULT_ENCODER,
        fingerprint="",
        dimensions=0,
        similarity="",
        template=TEMPLATE,
        triples=count_triples(graph),
        embedded=0,
        complete=False,
        version=__version__,
        statistics=estimate_statistics(schema, shape),
        shape=shape,
    )
    return Knowledge(graph, record, _names_as_they_are(graph, shape))
