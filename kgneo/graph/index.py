"""Embedding and indexing: every triple's vector on its relationship, covered by a vector index.

`build` reads every triple, encodes those whose embedding is missing or was made from another text or by another
encoder, writes them batch by batch, and then makes the index. One node, `:KgneoIndex`, records what was built
with what; `require` reads it back before a question is asked.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from neo4j.vector import Vector

from kgneo import __version__
from kgneo.embedding import Encoder, Vectors
from kgneo.errors import EncoderMismatch, GraphEmpty, NotIndexed
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import LOADED, Shape
from kgneo.graph.statistics import Statistics, read_statistics
from kgneo.model import Triple

INDEX_NAME = "kgneo_triples"
TEMPLATE = "(subject, relation, object)"
BATCH = 512
"""Triples encoded and written in one transaction: what an interruption can lose."""
SCAN_TIMEOUT = 24 * 3600.0
WRITE_TIMEOUT = 600.0
POLL_SECONDS = 0.1
NO_STATISTICS = Statistics()
_INDEX_NAMES: WeakKeyDictionary[Graph, list[str]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """What `:KgneoIndex` says. `complete` is False while embeddings are being written."""

    encoder: str
    fingerprint: str
    dimensions: int
    similarity: str
    template: str
    triples: int
    complete: bool
    version: str
    statistics: Statistics
    shape: Shape = LOADED


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


def read_record(graph: Graph) -> IndexRecord | None:
    """The graph's index record, None where kgneo has not indexed it."""
    rows = graph.read(query("index_record"))
    if not rows:
        return None
    record = rows[0]["record"]
    return record_from(record)


def record_from(properties: Mapping[str, Any]) -> IndexRecord:
    """The record that `record_properties` gave."""
    statistics = Statistics.from_json(properties.get("statistics", "[]"))
    shape = Shape.from_json(properties["shape"]) if "shape" in properties else LOADED
    fields: dict[str, Any] = {name: properties.get(name) for name in IndexRecord.__slots__}
    fields |= {"statistics": statistics, "shape": shape}
    return IndexRecord(**fields)


def record_properties(record: IndexRecord) -> dict[str, Any]:
    """The record as properties of a node."""
    fields = {name: getattr(record, name) for name in IndexRecord.__slots__}
    return {**fields, "statistics": record.statistics.to_json(), "shape": record.shape.to_json()}


def count_triples(graph: Graph) -> int:
    """The number of relationships in the graph."""
    return int(graph.read(query("index_count"))[0]["triples"])


def require(graph: Graph, *, encoder: str | None = None) -> IndexRecord:
    """The record of a finished index. `encoder` is the one that the user asked for, if any.

    Raises GraphEmpty, NotIndexed or EncoderMismatch, each with the command that mends it.
    """
    record = read_record(graph)
    if record is None:
        if not count_triples(graph):
            raise GraphEmpty(
                "The graph is empty: it holds no triples to answer from.",
                hint="Load some with `kgneo load PATH`, or try the sample with `kgneo demo`.",
            )
        raise NotIndexed(
            f"The graph holds {count_triples(graph):,} triples, and no index of them.",
            hint="Make it with `kgneo index`.",
        )
    if not record.complete:
        raise NotIndexed(
            "The index of the graph is not finished: indexing was interrupted.",
            hint="Go on where it stopped with `kgneo index`.",
        )
    if encoder is not None and encoder != record.encoder:
        raise EncoderMismatch(
            f"The graph was indexed with the encoder {record.encoder!r}, and {encoder!r} was asked for.",
            hint=f"Leave --encoder out, or index again with `kgneo index --encoder {encoder}`.",
        )
    return record


def check_fingerprint(record: IndexRecord, encoder: Encoder) -> None:
    """Raises EncoderMismatch when `encoder` has the recorded name but gives other vectors."""
    if encoder.fingerprint != record.fingerprint:
        raise EncoderMismatch(
            f"The graph was indexed with {record.encoder!r} of fingerprint {record.fingerprint}, "
            f"the one here has {encoder.fingerprint}.",
            hint="Index again with `kgneo index`, or restore the model files that were used.",
        )


def build(
    graph: Graph, encoder: Encoder, *, shape: Shape = LOADED, on_progress: OnProgress = lambda _: None
) -> IndexReport:
    """Bring embeddings and vector index up to date with the graph.

    `on_progress` gets a `Progress` after each batch. Raises GraphEmpty when there is nothing to index. An
    interruption loses at most one batch; running again goes on from there.
    """
    total = count_triples(graph)
    if not total:
        raise GraphEmpty("The graph holds no triples to index.", hint="Load some with `kgneo load PATH`.")
    previous = read_record(graph)
    if previous is not None and previous.fingerprint != encoder.fingerprint:
        _drop_indexes(graph)
    encoded = 0
    read = 0
    for row_batch in _pending(graph, encoder, shape):
        if not encoded:
            _record(graph, encoder, total, complete=False)
        read, rows = row_batch
        _write(graph, encoder, rows)
        encoded += len(rows)
        on_progress(Progress("encoding", read, total))
    on_progress(Progress("encoding", total, total))
    _create_indexes(graph, encoder)
    _await_indexes(graph, on_progress)
    _record(graph, encoder, total, statistics=read_statistics(graph, shape=shape), complete=True)
    return IndexReport(total, encoded)


@dataclass(frozen=True, slots=True)
class _Pending:
    id: str
    text: str
    digest: int


def _pending(graph: Graph, encoder: Encoder, shape: Shape) -> Iterator[tuple[int, list[_Pending]]]:
    """Batches of triples to encode, each with the number of triples read so far."""
    batch: list[_Pending] = []
    read = 0
    for row in graph.stream(query("index_scan"), timeout=SCAN_TIMEOUT, display=dict(shape.display)):
        read += 1
        text = Triple(row["subject"], row["relation"], row["object"]).text
        digest = text_digest(text, encoder)
        if digest != row["digest"]:
            batch.append(_Pending(row["id"], text, digest))
            if len(batch) == BATCH:
                yield read, batch
                batch = []
    if batch:
        yield read, batch


def text_digest(text: str, encoder: Encoder) -> int:
    """64 bits (signed) that change with the text and with the encoder."""
    content = f"{encoder.fingerprint}\n{text}".encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)


def _write(graph: Graph, encoder: Encoder, batch: Sequence[_Pending]) -> None:
    vectors = encoder.encode([pending.text for pending in batch])
    norms: list[float | None] = [None] * len(batch)
    if encoder.similarity == "dot":
        norms = [float(norm) for norm in np.linalg.norm(vectors, axis=1)]
    packed = pack(graph, vectors)
    rows = [
        {"id": pending.id, "digest": pending.digest, "vector": vector, "norm": norm}
        for pending, vector, norm in zip(batch, packed, norms, strict=True)
    ]
    graph.write(query("index_write"), rows=rows, timeout=WRITE_TIMEOUT)


def pack(graph: Graph, vectors: Vectors) -> list[Any]:
    """Vectors as query parameters: packed where the server takes that (four times as fast), else lists."""
    if graph.capabilities.packed_vectors:
        return [Vector(vector) for vector in vectors]
    return [vector.tolist() for vector in vectors]


def _record(
    graph: Graph, encoder: Encoder, triples: int, *, complete: bool, statistics: Statistics = NO_STATISTICS
) -> None:
    record = {
        "encoder": encoder.name,
        "fingerprint": encoder.fingerprint,
        "dimensions": encoder.dimensions,
        "similarity": encoder.similarity,
        "template": TEMPLATE,
        "triples": triples,
        "complete": complete,
        "version": __version__,
        "statistics": statistics.to_json(),
    }
    graph.write(query("index_record_write"), record=record)


def index_names(graph: Graph) -> list[str]:
    """The names of kgneo's vector indexes: one for all types, or one a type. Read once a connection, since
    listing indexes takes as long as searching one."""
    if graph not in _INDEX_NAMES:
        _INDEX_NAMES[graph] = sorted(row["name"] for row in graph.schema(query("index_list")))
    return _INDEX_NAMES[graph]


def _create_indexes(graph: Graph, encoder: Encoder) -> None:
    relations = [row["relation"] for row in graph.read(query("index_types"))]
    config = {"vector.dimensions": encoder.dimensions, "vector.similarity_function": "cosine"}
    options = {"indexConfig": config}
    if not graph.capabilities.search:
        for relation in relations:
            name = f"{INDEX_NAME}_{hashlib.blake2b(relation.encode(), digest_size=6).hexdigest()}"
            graph.schema(fill("index_create", name=name, relation=relation), options=options)
        return
    for row in graph.schema(query("index_list")):
        if row["name"] != INDEX_NAME or not set(relations) <= set(row["relations"]):
            graph.schema(fill("index_drop", name=row["name"]))
    graph.schema(fill("index_create_all", name=INDEX_NAME, relations=relations), options=options)


def _drop_indexes(graph: Graph) -> None:
    _INDEX_NAMES.pop(graph, None)
    for name in index_names(graph):
        graph.schema(fill("index_drop", name=name))


def _await_indexes(graph: Graph, on_progress: OnProgress) -> None:
    _INDEX_NAMES.pop(graph, None)
    while True:
        rows = graph.schema(query("index_list"))
        failed = [row["name"] for row in rows if row["state"] == "FAILED"]
        if failed:
            raise NotIndexed(
                f"Neo4j could not build the vector index {failed[0]}.", hint="Its log (debug.log) says why."
            )
        percent = min((float(row["percent"]) for row in rows), default=100.0)
        on_progress(Progress("indexing", round(percent), 100))
        if all(row["state"] == "ONLINE" for row in rows):
            return
        time.sleep(POLL_SECONDS)
