"""What an index of a graph would take: triples, time, disk, and the names of all that would be written."""

from __future__ import annotations

import time
from dataclasses import dataclass

from kgneo.encoders.encoder import Encoder
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.embeddings import scan_relationships, value_properties
from kgneo.graph.index import INDEX_NAME, WORDS_INDEX, expected_relationships, expected_values, name_indexes
from kgneo.graph.record import usable_record
from kgneo.graph.schema import Schema
from kgneo.graph.shape import Shape

MEASURED = 256
"""Texts that are encoded to measure the rate."""
DISK = 5.9
"""Bytes on the server's disk for each byte of a vector: properties, vector index, log. See docs/scale.md."""
LOCAL = 1.1
"""The same for the files on this machine."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Counts are exact for relationships and extrapolated from a sample for values; `rate` is triples a second."""

    relationships: int
    values: int
    rate: float
    dimensions: int
    indexed: bool
    relationship_keys: tuple[str, ...]
    node_keys: tuple[str, ...]
    indexes: tuple[str, ...]
    refusal: str
    place: str

    @property
    def triples(self) -> int:
        """Relationships and values together."""
        return self.relationships + self.values

    @property
    def seconds(self) -> float:
        """Time that encoding takes."""
        return self.triples / max(self.rate, 1e-9)

    @property
    def graph_bytes(self) -> float:
        """Disk in the graph."""
        return self.triples * self.dimensions * 4 * DISK

    @property
    def local_bytes(self) -> float:
        """Disk on this machine, where the graph is only read."""
        return self.triples * self.dimensions * 4 * LOCAL


def estimate(graph: Graph, encoder: Encoder, shape: Shape, schema: Schema) -> Estimate:
    """Encodes a few triples to see how long all take; writes nothing."""
    record = usable_record(graph)
    norm = ("kgneo_norm",) if encoder.similarity == "dot" else ()
    keys = [key for value in shape.value_keys for key in value_properties(value)[: 3 if norm else 2]]
    return Estimate(
        relationships=expected_relationships(schema, shape),
        values=expected_values(schema, shape),
        rate=_rate(graph, encoder, shape),
        dimensions=encoder.dimensions,
        indexed=record is not None and record.fingerprint == encoder.fingerprint,
        relationship_keys=("kgneo_embedding", "kgneo_digest", *norm),
        node_keys=() if shape.loaded else ("kgneo_folded", *keys),
        indexes=(INDEX_NAME, *(() if shape.loaded else (WORDS_INDEX, *name_indexes(shape)))),
        refusal=graph.refuses_writes(),
        place=str(LocalCache(graph).embeddings().folder),
    )


def _rate(graph: Graph, encoder: Encoder, shape: Shape) -> float:
    texts = []
    for pending in scan_relationships(graph, encoder, shape):
        texts.append(pending.text)
        if len(texts) == MEASURED:
            break
    if not texts:
        return 0.0
    encoder.encode(texts[:1])
    start = time.perf_counter()
    encoder.encode(texts)
    return len(texts) / max(time.perf_counter() - start, 1e-6)
