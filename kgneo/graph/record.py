"""The record of an index: what was built with what, in the one node `:KgneoIndex` or in a file on this machine.

It is there before the first embedding is made, so that questions are answered meanwhile, and says how many there are.
`require` reads it back before a question is asked, and says what to do where there is none that can be used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kgneo.encoders.encoder import Encoder
from kgneo.errors import EncoderMismatch, GraphEmpty, IndexUnreadable, NotIndexed
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import Statistics
from kgneo.version import __version__

TEMPLATE = "(subject, relation, object)"
NO_STATISTICS = Statistics()
KINDS: Mapping[type, tuple[str, ...]] = {
    str: ("encoder", "fingerprint", "similarity", "seal"),
    int: ("dimensions", "triples", "embedded", "complete"),
}
"""Properties of a record by the type that they have."""


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """What `:KgneoIndex` says. `complete` is False while embeddings are being written; `embedded` of the `triples` have
    one, at least. `seal` is what the last mirror was made with (`kgneo.graph.mirror`)."""

    encoder: str
    fingerprint: str
    dimensions: int
    similarity: str
    template: str
    triples: int
    embedded: int
    complete: bool
    version: str
    statistics: Statistics
    shape: Shape
    seal: str = ""

    @property
    def unfinished(self) -> str:
        """How far indexing is, as the beginning of a sentence; "" where it is done or was never begun."""
        if self.complete or not self.fingerprint:
            return ""
        if self.embedded >= self.triples:
            return "The embeddings are being brought up to date"
        return f"{self.embedded:,} of {self.triples:,} triples have an embedding yet"


def read_record(graph: Graph) -> IndexRecord | None:
    """The graph's index record, None where kgneo has not indexed it. Raises IndexUnreadable."""
    rows = graph.read(query("index_record"))
    return record_from(rows[0]["record"]) if rows else None


def usable_record(graph: Graph) -> IndexRecord | None:
    """The same for what makes the index anew: None, too, where the record cannot be read."""
    try:
        return read_record(graph)
    except IndexUnreadable:
        return None


def record_from(properties: Mapping[str, Any]) -> IndexRecord:
    """The record that `record_properties` gave. Raises IndexUnreadable where something else wrote it."""
    try:
        return _record_from(properties)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        wrote = properties.get("version", "of some version")
        raise IndexUnreadable(
            f"The record of the graph's index cannot be read: kgneo {wrote} wrote it, and this is {__version__}.",
            hint="Make the index anew with `kgneo index`.",
        ) from error


def _record_from(properties: Mapping[str, Any]) -> IndexRecord:
    statistics = Statistics.from_json(properties.get("statistics", "[]"))
    shape = Shape.from_json(properties["shape"])
    fields: dict[str, Any] = {name: properties.get(name) for name in IndexRecord.__slots__}
    fields |= {"statistics": statistics, "shape": shape, "seal": properties.get("seal", "")}
    if fields["embedded"] is None:  # written before this was kept
        fields["embedded"] = fields["triples"] if fields["complete"] else 0
    for kind, names in KINDS.items():
        if wrong := [name for name in names if not isinstance(fields[name], kind)]:
            raise TypeError(f"{wrong[0]} is {fields[wrong[0]]!r}")
    return IndexRecord(**fields)


def record_properties(record: IndexRecord) -> dict[str, Any]:
    """The record as properties of a node."""
    fields = {name: getattr(record, name) for name in IndexRecord.__slots__}
    return {**fields, "statistics": record.statistics.to_json(), "shape": record.shape.to_json()}


def count_triples(graph: Graph) -> int:
    """The number of relationships in the graph."""
    return int(graph.read(query("index_count"))[0]["triples"])


def require(graph: Graph, *, encoder: str | None = None, record: IndexRecord | None = None) -> IndexRecord:
    """The record of an index, finished or not. `encoder` is the one that the user asked for, if any; `record` one that
    was read before, else the graph's.

    Raises GraphEmpty, NotIndexed or EncoderMismatch, each with the command that mends it.
    """
    record = record or read_record(graph)
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


def check_dimensions(record: IndexRecord, dimensions: int) -> None:
    """Raises EncoderMismatch when the recorded encoder, behind an address, has become another one."""
    if record.fingerprint and record.dimensions != dimensions:
        raise EncoderMismatch(
            f"The graph was indexed with {record.encoder!r} of {record.dimensions} numbers; now it has {dimensions}.",
            hint="Index again with `kgneo index`, or restore the model that was used.",
        )


def new_record(
    encoder: Encoder, shape: Shape, triples: int, *, complete: bool, statistics: Statistics = NO_STATISTICS
) -> IndexRecord:
    """A record of an index that is made now with this encoder; complete, all triples have their embeddings."""
    return IndexRecord(
        encoder=encoder.name,
        fingerprint=encoder.fingerprint,
        dimensions=encoder.dimensions,
        similarity=encoder.similarity,
        template=TEMPLATE,
        triples=triples,
        embedded=triples if complete else 0,
        complete=complete,
        version=__version__,
        statistics=statistics,
        shape=shape,
    )
