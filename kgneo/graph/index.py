"""Embedding and indexing: every triple's vector on its relationship, covered by a vector index.

`build` makes the index and reads what relations lead to; from then on questions are answered. It reads every triple,
encodes those whose embedding is missing or was made from another text or by another encoder, and writes them batch by
batch: an index that is there first and grows with the writing costs less than one that is made at the end. What was
built with what, and how far it is, is recorded (`kgneo.graph.record`). `build_locally` does the same for a graph that
may only be read, with files on this machine.
"""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from kgneo.cache_files import needed
from kgneo.encoders.encoder import Encoder, Vectors
from kgneo.errors import GraphEmpty, IndexUnreadable, NotIndexed
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.embeddings import GraphSink, NodeScan, Pending, Sink, scan_nodes, scan_relationships
from kgneo.graph.record import IndexRecord, count_triples, new_record, read_record
from kgneo.graph.schema import Schema
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import read_statistics

INDEX_NAME = "kgneo_triples"
BATCH = 512
"""Triples encoded and written in one transaction: what an interruption can lose."""
PROPERTIES = 5_000
"""Nodes whose properties are written in one transaction."""
NAMES_INDEX = "kgneo_folded"
WORDS_INDEX = "kgneo_names"
POLL_SECONDS = 0.1
RECORD_SECONDS = 2.0
"""How often the record says how many embeddings there are."""
EMBEDDING_KEYS = ("kgneo_embedding", "kgneo_digest", "kgneo_norm")
"""What the properties begin with that hold embeddings."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage ("encoding" or "indexing") is: `done` of `total`, triples or percent."""

    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IndexReport:
    """`triples` in the graph, of which `encoded` had no embedding of their present text."""

    triples: int
    encoded: int


OnProgress = Callable[[Progress], None]


def build(
    graph: Graph,
    encoder: Encoder,
    *,
    shape: Shape,
    schema: Schema | None = None,
    on_progress: OnProgress = lambda _: None,
) -> IndexReport:
    """Bring embeddings and vector index up to date with the graph.

    `schema` goes with the `shape` of a graph that was there before kgneo. `on_progress` gets a `Progress` when encoding
    begins, from when on questions are answered, and after each batch. Raises GraphEmpty when there is nothing to index.
    An interruption loses at most one batch; running again goes on from there.
    """
    total = _expected(graph, shape, schema)
    if not total:
        raise GraphEmpty("The graph holds no triples to index.", hint="Load some with `kgneo load PATH`.")
    previous, sink = _previous(graph), GraphSink(graph, encoder)
    if previous is not None and not _same(previous, encoder):
        previous = replace(previous, embedded=0, complete=False)
        sink.keep(previous)
        _forget_embeddings(graph)
    if previous is not None and not shape.loaded and previous.shape != shape:
        _forget(graph, shape)
    _create_indexes(graph, encoder, shape)
    _await_indexes(graph, on_progress)
    record = _begun(graph, encoder, shape, schema, previous, total)
    report = encode_all(graph, encoder, sink, record=record, on_progress=on_progress)
    _await_indexes(graph, on_progress)
    sink.keep(replace(record, triples=report.triples, embedded=report.triples, complete=True))
    return report


def build_locally(
    graph: Graph,
    encoder: Encoder,
    *,
    shape: Shape,
    schema: Schema | None = None,
    on_progress: OnProgress = lambda _: None,
) -> IndexReport:
    """Bring the embeddings on this machine up to date with the graph; what is gone from it is forgotten.

    Raises GraphEmpty. An interruption loses at most one batch.
    """
    total = _expected(graph, shape, schema)
    if not total:
        raise GraphEmpty(
            "The graph holds no triples to index.", hint="There is nothing to load into a graph that is only read."
        )
    cache = LocalCache(graph)
    embeddings = cache.embeddings()
    previous = embeddings.read_record()
    if previous is not None and not _same(previous, encoder):
        embeddings.clear()
        previous = None
    record = _begun(graph, encoder, shape, schema, previous, total)
    with needed(embeddings.folder):
        report = encode_all(graph, encoder, embeddings, record=record, on_progress=on_progress)
        embeddings.forget_unseen()
        if not shape.loaded:
            cache.names(shape, refresh=True)
        embeddings.keep(replace(record, triples=report.triples, embedded=report.triples, complete=True))
    return report


def _previous(graph: Graph) -> IndexRecord | None:
    """The record of an index that is there. Of one that cannot be read nobody knows what made the embeddings."""
    try:
        return read_record(graph)
    except IndexUnreadable:
        _forget_embeddings(graph)
        return None


def _same(record: IndexRecord, encoder: Encoder) -> bool:
    """Whether embeddings that are there are this encoder's."""
    return (record.fingerprint, record.dimensions) == (encoder.fingerprint, encoder.dimensions)


def _begun(
    graph: Graph, encoder: Encoder, shape: Shape, schema: Schema | None, previous: IndexRecord | None, total: int
) -> IndexRecord:
    """The record with which encoding begins."""
    statistics = read_statistics(graph, shape=shape, schema=schema)
    there = min(previous.embedded, total) if previous else 0
    return replace(new_record(encoder, shape, total, complete=False, statistics=statistics), embedded=there)


def _expected(graph: Graph, shape: Shape, schema: Schema | None) -> int:
    """About how many triples there are: relationships, and values as far as the schema's sample tells."""
    if schema is None:
        return count_triples(graph)
    return expected_relationships(schema, shape) + expected_values(schema, shape)


def expected_relationships(schema: Schema, shape: Shape) -> int:
    """The relationships of the types that are used."""
    return sum(relation.relationships for relation in schema.relations if shape.uses(relation.name))


def expected_values(schema: Schema, shape: Shape) -> int:
    """About how many property values are triples."""
    shares = ((label.nodes, shape.values.get(label.name, {}).values()) for label in schema.labels)
    return round(sum(nodes * share for nodes, keys in shares for share in keys))


def encode_all(
    graph: Graph, encoder: Encoder, sink: Sink, *, record: IndexRecord, on_progress: OnProgress
) -> IndexReport:
    """Read every triple, and give those to `sink` that have no embedding of their present text; `sink` keeps the
    `record` from the beginning on."""
    read = encoded = 0
    total, kept = record.triples, time.monotonic()
    sink.keep(record)
    on_progress(Progress("encoding", 0, total))
    with closing(_scan(graph, encoder, record.shape, sink)) as scanned:  # what it reads ends where this fails
        for number, changed, vectors in _encoded(_batches(scanned), encoder, sink):
            if changed:
                sink.write(changed, vectors.result())
                encoded += len(changed)
            read += number
            if encoded and time.monotonic() - kept > RECORD_SECONDS:
                kept = time.monotonic()
                sink.keep(replace(record, embedded=max(record.embedded, min(read, total))))
            on_progress(Progress("encoding", min(read, total), total))
    on_progress(Progress("encoding", total, total))
    return IndexReport(read, encoded)


def _encoded(
    batches: Iterable[list[Pending]], encoder: Encoder, sink: Sink
) -> Iterator[tuple[int, list[Pending], Future[Vectors]]]:
    """Each batch in its order: how many triples it has, those that changed, and their vectors. As many are encoded side
    by side as the encoder takes, while further ones are read and earlier ones written."""
    with ThreadPoolExecutor(encoder.at_once) as pool:
        waiting: deque[tuple[int, list[Pending], Future[Vectors]]] = deque()
        try:
            for batch in batches:
                changed = sink.changed(batch)
                texts = [pending.text for pending in changed]
                waiting.append((len(batch), changed, pool.submit(encoder.encode, texts) if texts else Future()))
                if len(waiting) == encoder.at_once:
                    yield waiting.popleft()
            yield from waiting
        finally:
            pool.shutdown(cancel_futures=True)


def _scan(graph: Graph, encoder: Encoder, shape: Shape, sink: Sink) -> Generator[Pending, None, None]:
    """The texts of relationships, then those of values; properties of nodes are written on the way."""
    yield from scan_relationships(graph, encoder, shape)
    waiting: list[NodeScan] = []
    for node in scan_nodes(graph, encoder, shape):
        yield from node.values
        if node.properties and isinstance(sink, GraphSink):
            waiting.append(node)
            if len(waiting) == PROPERTIES:
                sink.write_properties(waiting)
                waiting = []
    if waiting and isinstance(sink, GraphSink):
        sink.write_properties(waiting)


def _batches(rows: Iterable[Pending]) -> Iterator[list[Pending]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def index_names(graph: Graph) -> tuple[str, ...]:
    """The names of kgneo's vector indexes: one for all types, or one a type."""
    return tuple(sorted(row["name"] for row in graph.read(query("index_list"))))


def _create_indexes(graph: Graph, encoder: Encoder, shape: Shape) -> None:
    if not shape.loaded:
        _create_name_indexes(graph, shape)
    types = [row["relation"] for row in graph.read(query("index_types")) if shape.uses(row["relation"])]
    if types:
        _create_vector_indexes(graph, encoder, types)


def _create_name_indexes(graph: Graph, shape: Shape) -> None:
    """An index on folded names a label, and one over the words of all names."""
    if not shape.display:
        return
    there = {row["name"]: row for row in graph.read(query("index_own"))}
    labels, keys = sorted(shape.display), sorted({key for keys in shape.display.values() for key in keys})
    words = there.get(WORDS_INDEX)
    if words and (sorted(words["labels"]), sorted(words["keys"])) != (labels, keys):
        graph.schema(fill("index_drop", name=WORDS_INDEX))
    graph.schema(fill("index_names_words", any_labels=labels, keys=keys))
    wanted = name_indexes(shape)
    for name in there:
        if name.startswith(f"{NAMES_INDEX}_") and name not in wanted:
            graph.schema(fill("index_drop", name=name))
    for name, label in wanted.items():
        graph.schema(fill("index_names", name=name, label=label))


def name_indexes(shape: Shape) -> dict[str, str]:
    """The names of the indexes on folded names, each with its label."""
    return {f"{NAMES_INDEX}_{_short(label)}": label for label in sorted(shape.display)}


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _forget(graph: Graph, shape: Shape) -> None:
    """Take kgneo's properties away from what is no longer used."""
    graph.schema(query("index_forget"), **shape.parameters)
    keys = [row["key"] for row in graph.read(query("own_keys"))]
    labels = sorted({*shape.display, *shape.values})
    graph.schema(query("index_forget_nodes"), labels=labels, nothing=dict.fromkeys(keys), **shape.parameters)


def _create_vector_indexes(graph: Graph, encoder: Encoder, relations: Sequence[str]) -> None:
    config = {"vector.dimensions": encoder.dimensions, "vector.similarity_function": "cosine"}
    options = {"indexConfig": config}
    if not graph.capabilities.search:
        for relation in relations:
            name = f"{INDEX_NAME}_{_short(relation)}"
            graph.schema(fill("index_create", name=name, relation=relation), options=options)
        return
    for row in graph.read(query("index_list")):
        if row["name"] != INDEX_NAME or not set(relations) <= set(row["relations"]):
            graph.schema(fill("index_drop", name=row["name"]))
    graph.schema(fill("index_create_all", name=INDEX_NAME, relations=relations), options=options)


def _forget_embeddings(graph: Graph) -> None:
    """Take away what another encoder made: its scores would stand beside those of the new one."""
    for name in index_names(graph):
        graph.schema(fill("index_drop", name=name))
    keys = [row["key"] for row in graph.read(query("own_keys")) if row["key"].startswith(EMBEDDING_KEYS)]
    for name in ("remove_from_relationships", "remove_from_nodes"):
        graph.schema(query(name), keys=keys, nothing=dict.fromkeys(keys))


def _await_indexes(graph: Graph, on_progress: OnProgress) -> None:
    while True:
        rows = graph.read(query("index_own"))
        failed = [row["name"] for row in rows if row["state"] == "FAILED"]
        if failed:
            raise NotIndexed(f"Neo4j could not build the index {failed[0]}.", hint="Its log (debug.log) says why.")
        percent = min((float(row["percent"]) for row in rows), default=100.0)
        on_progress(Progress("indexing", round(percent), 100))
        if all(row["state"] == "ONLINE" for row in rows):
            return
        time.sleep(POLL_SECONDS)
