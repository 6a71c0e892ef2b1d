"""Opening a graph to be asked: all that is known of it, in one object that is made once and never changed.

Graphs come here that were indexed (in the graph, or in the cache of this machine when it may only be read), and others.
These can be asked with strategies that need no embeddings, and claims verified; their schema is read for that and kept
in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

from kgneo.encoders.encoder import DEFAULT_ENCODER
from kgneo.english.short import long_names
from kgneo.errors import GraphEmpty, GraphError, GraphUnavailable, UsageError
from kgneo.graph.about import Texts
from kgneo.graph.attach import (
    Choices,
    check,
    derive_shape,
    is_loaded,
    loaded_shape,
    names_called,
    narrowed,
    only_shown,
    renewed,
)
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.index import index_names
from kgneo.graph.mirror import MirrorFolder
from kgneo.graph.names import IndexedNames, LoadedNames, Names, ScannedNames
from kgneo.graph.record import TEMPLATE, IndexRecord, count_triples, read_record, require
from kgneo.graph.schema import WHOLE, OnScan, Schema
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import estimate_statistics, read_statistics
from kgneo.graph.user_indexes import UserIndex, UserTexts, user_indexes
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.version import __version__

SCAN_NAMES_FROM = 50_000
"""Nodes from which on the names of a graph that was not indexed are not read, but looked for in the database."""


@dataclass(frozen=True, eq=False)
class Knowledge:
    """A graph and what is known of it: the `record` of its index, how its entities are found by their `names`, and,
    for a graph that may only be read, the embeddings on this machine (`vectors`). `change` is the mark of the graph
    (`Graph.last_change`) when reading it began."""

    graph: Graph
    record: IndexRecord
    names: Names = field(repr=False)
    vectors: LocalEmbeddings | None = None
    change: str = ""

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
        """The graph's schema without what its shape leaves out, from the cache where that is up to date; read when it
        is first asked for."""
        return LocalCache(self.graph).schema(self.shape)

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
    def texts(self) -> Texts:
        """The texts of the graph that were indexed, if any were."""
        return Texts(self.graph, self.shape, LocalCache(self.graph).passages(), self._user_texts)

    def _user_texts(self) -> UserTexts:
        return UserTexts(self.graph, self.schema, self.shape, self.user_indexes)

    @cached_property
    def user_indexes(self) -> tuple[UserIndex, ...]:
        """The full-text and vector indexes over nodes that the graph has of its own; none, where they are not told."""
        try:
            return user_indexes(self.graph)
        except GraphUnavailable:
            raise
        except GraphError:
            return ()

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

    For a graph that has no index, the record says what follows from its schema, or its triples, with `complete` False
    and no fingerprint. Raises GraphEmpty or EncoderMismatch.
    """
    change = graph.last_change()
    record, vectors = read_record(graph), None
    if record is None:
        local = LocalCache(graph).embeddings()
        record = local.read_record()
        if record is not None:
            report(f"The graph is only read: its embeddings are in {local.folder}.")
            vectors = local
        else:
            return _unindexed(graph, change, encoder=encoder, choices=choices, report=report)
    record = require(graph, encoder=encoder, record=record)
    asked = _called(graph, _without_excluded_since(graph, record))
    if vectors is not None and not asked.shape.loaded:
        return Knowledge(graph, asked, LocalCache(graph).names(asked.shape), vectors, change)
    return Knowledge(graph, asked, _names(graph, asked, written=asked.shape == record.shape), vectors, change)


def _without_excluded_since(graph: Graph, record: IndexRecord) -> IndexRecord:
    """The record without what was left out on this machine after the graph was indexed."""
    cache = LocalCache(graph)
    if record.shape.loaded:
        _refuse_hidden(graph)
        return record
    exclude = chosen(graph, cache.choices()).exclude
    shape = renewed(record.shape, cache.schema())
    shape = narrowed(shape, cache.schema(), exclude) if exclude else shape
    if shape == record.shape:
        return record
    shown = cache.schema(shape)
    shape = only_shown(shape, shown)
    return replace(record, shape=shape, statistics=estimate_statistics(shown, shape))


def _called(graph: Graph, record: IndexRecord) -> IndexRecord:
    """The record with what people call labels, relationship types and properties now."""
    if graph.terms is None:
        said = long_names(dict.fromkeys(hop.relation for hop in record.statistics.hops))
    else:
        said = names_called(LocalCache(graph).schema())
    if not said:
        return record
    names = {**record.shape.names, **said}
    statistics = replace(record.statistics, names={**record.statistics.names, **names})
    return replace(record, shape=replace(record.shape, names=names), statistics=statistics)


def chosen(graph: Graph, choices: Choices) -> Choices:
    """The user's choices with those of the graph's terms."""
    if graph.terms is None:
        return choices
    from kgneo.terms.said import with_choices  # and with it pydantic, for which no other graph must wait

    return with_choices(choices, graph.terms, LocalCache(graph).schema())


def _refuse_hidden(graph: Graph) -> None:
    """Raises UsageError for terms that hide something of a graph that kgneo loaded, all of which is used."""
    hidden = graph.terms.hidden if graph.terms else ()
    if hidden:
        raise UsageError(
            f"The terms hide {', '.join(hidden)} of a graph of triples that kgneo loaded: nothing of it can be hidden.",
            hint="Leave out of the file what nobody is to see, and load it again.",
        )


def _names(graph: Graph, record: IndexRecord, *, written: bool) -> Names:
    """The names of an indexed graph; `written`, where the graph itself has them as they may be shown."""
    shape = record.shape
    if shape.loaded:
        return LoadedNames(graph)
    # Names are written last, and one full-text index holds the names of all labels.
    if written and record.complete and not shape.names_something_hidden():
        return IndexedNames(graph, shape)
    return _names_as_they_are(graph, shape)


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
    the user chose, now or before, and the terms say, which the schema is without; new choices are kept, unless `keep`
    is False.

    Raises UsageError for a choice that names nothing in the graph, and for choices about a graph that kgneo loaded.
    """
    cache = LocalCache(graph)
    schema = cache.schema(refresh=refresh, report=report)
    if is_loaded(graph):
        refuse_choices(choices)
        _refuse_hidden(graph)
        return schema, loaded_shape(schema.relations)
    if choices:
        check(schema, cache.choices(choices, keep=False))
    shape = derive_shape(schema, chosen(graph, cache.choices(choices, keep=keep)))
    if not shape.left_out:
        return schema, shape
    shown = cache.schema(shape, refresh=refresh)
    return shown, only_shown(shape, shown)


def refuse_choices(choices: Choices | None) -> None:
    """Raises UsageError for choices about a graph of triples that kgneo loaded, all of which is used."""
    if choices:
        raise UsageError(
            "This graph holds triples that kgneo loaded: --display, --include and --exclude do not apply to it.",
            hint="Leave out of the file what nobody is to see, and load it again.",
        )


def known_whole(
    graph: Graph,
    shape: Shape = WHOLE,
    *,
    report: Callable[[str], None] = lambda _: None,
    on_progress: OnScan = lambda *_: None,
) -> Schema:
    """The graph's schema, without what `shape` leaves out, after a look at everything there is, from the cache where
    that is up to date. Of triples that kgneo loaded there is nothing more to find out."""
    cache = LocalCache(graph)
    schema = cache.schema(shape, report=report)
    if schema.whole or is_loaded(graph):
        return schema
    report(f"Looking at all {schema.nodes:,} nodes and {schema.relationships:,} relationships …")
    return cache.scan(shape, on_progress=on_progress)


def _unindexed(
    graph: Graph,
    change: str,
    *,
    encoder: str | None,
    choices: Choices | None,
    report: Callable[[str], None],
) -> Knowledge:
    """A graph that was not indexed: one that was there before kgneo is known from its schema alone, one that kgneo
    loaded from its triples, as the index would say it. Raises GraphEmpty."""
    schema, shape = known_shape(graph, choices=choices, report=report)
    triples = count_triples(graph)
    if not (triples if shape.loaded else schema.nodes):
        raise GraphEmpty(
            "The graph is empty: it holds no triples to answer from.",
            hint="Load some with `kgneo load PATH`, or try the sample with `kgneo demo`.",
        )
    report("The graph is not indexed: answering from its schema. `kgneo index` adds embeddings.")
    if shape.loaded:
        names: Names = LoadedNames(graph)
        statistics = read_statistics(graph, shape=shape, schema=None)
    else:
        names, statistics = _names_as_they_are(graph, shape), estimate_statistics(schema, shape)
    record = IndexRecord(
        encoder=encoder or DEFAULT_ENCODER,
        fingerprint="",
        dimensions=0,
        similarity="",
        template=TEMPLATE,
        triples=triples,
        embedded=0,
        complete=False,
        version=__version__,
        statistics=statistics,
        shape=shape,
    )
    return Knowledge(graph, record, names, change=change)
