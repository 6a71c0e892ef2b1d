"""The texts of a graph's triples, which of them have no embedding of their present text, and where embeddings go.

Two passes read the graph: one over relationships, one over nodes, for property values and for names. Each gives
`Pending` texts, with the digest that says whether they changed. A sink takes the vectors: onto relationships and
nodes of the graph (`GraphSink`), or into files on this machine for a graph that is only read
(`kgneo.graph.vectors`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from neo4j.vector import Vector

from kgneo.encoders.encoder import Encoder, Vectors
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.record import IndexRecord, record_properties
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts, triple_of
from kgneo.model import Triple
from kgneo.text import digest, fold

SCAN_TIMEOUT = 24 * 3600.0
WRITE_TIMEOUT = 600.0


@dataclass(frozen=True, slots=True)
class Pending:
    """A text to encode: of the relationship `id`, or of the property `key` of the node `id`. `written` is the digest
    that the graph has, `digest` that of the present text."""

    id: str
    key: str
    text: str
    digest: int
    written: int | None = None


@dataclass(frozen=True, slots=True)
class NodeScan:
    """What one node needs: values that are triples, and properties of kgneo's to set or, where None, to remove."""

    id: str
    values: tuple[Pending, ...]
    properties: dict[str, Any] = field(default_factory=dict)


class Sink(Protocol):
    """Where embeddings go."""

    def changed(self, batch: Sequence[Pending]) -> list[Pending]:
        """Those of a batch that have no embedding of their present text."""
        ...

    def write(self, batch: Sequence[Pending], vectors: Vectors) -> None:
        """Keep the embeddings of a batch: all of them, or none."""
        ...

    def keep(self, record: IndexRecord) -> None:
        """Keep the record of what the embeddings are made with, and of how far they are."""
        ...


def scan_relationships(graph: Graph, encoder: Encoder, shape: Shape) -> Iterator[Pending]:
    """Every relationship that is used."""
    for row in graph.stream(query("index_scan"), timeout=SCAN_TIMEOUT, **shape.parameters):
        text = text_of(triple_of(row, shape), shape)
        yield Pending(row["id"], "", text, text_digest(text, encoder), row["digest"])


def text_of(triple: Triple, shape: Shape) -> str:
    """The text of a relationship that is encoded: under its readable name, where it has one."""
    name = shape.names.get(triple.relation, triple.relation)
    return Triple(triple.subject, name, triple.object, triple.detail).text


def scan_nodes(graph: Graph, encoder: Encoder, shape: Shape) -> Iterator[NodeScan]:
    """Every node with a name or values. Nothing for a loaded graph, whose names loading takes care of."""
    labels = sorted({*shape.display, *shape.values})
    if shape.loaded or not labels:
        return
    rows = graph.stream(
        query("index_scan_nodes"),
        timeout=SCAN_TIMEOUT,
        labels=labels,
        keys=list(shape.value_keys),
        **shape.parameters,
    )
    for row in rows:
        yield _node(row, encoder, shape)


def _node(row: dict[str, Any], encoder: Encoder, shape: Shape) -> NodeScan:
    keys = set(shape.keys_of(row["labels"]))
    name = row["name"] or row["id"]
    values = []
    for key, value, written in row["values"]:
        words = ", ".join(texts(value))
        if key in keys and words:
            text = Triple(name, key, words).text
            values.append(Pending(row["id"], key, text, text_digest(text, encoder), written))
    properties: dict[str, Any] = {}
    folded = digest(fold(row["name"])) if row["name"] else None
    if folded != row["folded"]:
        properties["kgneo_folded"] = folded
    for key in set(row["embedded"]) - {value.key for value in values}:
        properties |= dict.fromkeys(value_properties(key))
    return NodeScan(row["id"], tuple(values), properties)


def value_properties(key: str) -> tuple[str, str, str]:
    """The properties that hold embedding, digest and norm of the value of `key`."""
    return f"kgneo_embedding_{key}", f"kgneo_digest_{key}", f"kgneo_norm_{key}"


def text_digest(text: str, encoder: Encoder) -> int:
    """64 bits (signed) that change with the text and with the encoder."""
    content = f"{encoder.fingerprint}\n{text}".encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)


class GraphSink:
    """Writes embeddings onto relationships and nodes, a batch in one transaction."""

    def __init__(self, graph: Graph, encoder: Encoder) -> None:
        self._graph = graph
        self._encoder = encoder

    def changed(self, batch: Sequence[Pending]) -> list[Pending]:
        return [pending for pending in batch if pending.digest != pending.written]

    def write(self, batch: Sequence[Pending], vectors: Vectors) -> None:
        norms: list[float | None] = [None] * len(batch)
        if self._encoder.similarity == "dot":
            norms = [float(norm) for norm in np.linalg.norm(vectors, axis=1)]
        rows = list(zip(batch, pack(self._graph, vectors), norms, strict=True))
        relationships = [
            {"id": pending.id, "digest": pending.digest, "vector": vector, "norm": norm}
            for pending, vector, norm in rows
            if not pending.key
        ]
        if relationships:
            self._graph.write(query("index_write"), rows=relationships, timeout=WRITE_TIMEOUT)
        values = [_value_row(pending, vector, norm) for pending, vector, norm in rows if pending.key]
        if values:
            self._graph.write(query("index_write_nodes"), rows=values, timeout=WRITE_TIMEOUT)

    def keep(self, record: IndexRecord) -> None:
        """Write the record."""
        self._graph.write(query("index_record_write"), record=record_properties(record))

    def write_properties(self, nodes: Sequence[NodeScan]) -> None:
        """Set and remove kgneo's own properties of nodes."""
        rows = [{"id": node.id, "properties": node.properties, "vectors": []} for node in nodes]
        self._graph.write(query("index_write_nodes"), rows=rows, timeout=WRITE_TIMEOUT)


def _value_row(pending: Pending, vector: Any, norm: float | None) -> dict[str, Any]:
    embedding, written, length = value_properties(pending.key)
    return {
        "id": pending.id,
        "properties": {written: pending.digest, length: norm},
        "vectors": [{"key": embedding, "vector": vector}],
    }


def pack(graph: Graph, vectors: Vectors) -> list[Any]:
    """Vectors as query parameters: packed where the server takes that (four times as fast), else lists."""
    if graph.capabilities.packed_vectors:
        return [Vector(vector) for vector in vectors]
    return [vector.tolist() for vector in vectors]
