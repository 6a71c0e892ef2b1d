"""What is in a graph: labels, relationship types, their properties with types and examples, what connects what.

Sizes come from Neo4j's own counters, everything else from the first thousand nodes of each label and relationships
of each type, so that a graph of any size takes seconds; `Schema.sampled` says whether there was more. Needs no APOC
and no GDS. What kgneo itself wrote into the graph is left out.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import Shape, is_own
from kgneo.graph.values import texts

SAMPLE = 1_000
EXAMPLES = 40
CONNECTIONS = 20
LONGEST_LIST = 16
"""Elements of a list from which on it is taken for a vector or a document, not a value."""
LOOKED = 10
"""How many times as many nodes or relationships as the sample has are looked at, where some are left out."""
DEADLINE = 60.0
"""Seconds after which what is left is listed without properties."""


WHOLE = Shape(loaded=False)
"""Of a graph of which nothing is left out."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property key: its `type` in Cypher's words, the `share` (0..1) of the sample that has it, the mean and
    largest `length` of texts and lists, `different` texts or integers among `times`, and examples as text."""

    key: str
    type: str
    share: float
    times: int
    length: float = 0.0
    longest: int = 0
    different: int = 0
    examples: tuple[str, ...] = ()

    @property
    def unique(self) -> bool:
        """Whether no two nodes of the sample share a value."""
        return self.times > 1 and self.different == self.times


@dataclass(frozen=True, slots=True)
class Label:
    """A label with the number of its nodes and their properties."""

    name: str
    nodes: int
    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class Connection:
    """Labels at both ends of a relationship type and how many of the sample have them."""

    subject: tuple[str, ...]
    object: tuple[str, ...]
    times: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship type with the number of its relationships, their properties and what they connect."""

    name: str
    relationships: int
    properties: tuple[Property, ...] = ()
    connections: tuple[Connection, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """A graph's schema. `sampled`: there was more than the sample of some label or type."""

    nodes: int
    relationships: int
    labels: tuple[Label, ...] = ()
    relations: tuple[Relation, ...] = ()
    sampled: bool = False
    complete: bool = field(default=True)
    """False when the deadline came before every label and type was looked at."""

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `kgneo schema --json` prints them."""
        return asdict(self)

    def to_json(self) -> str:
        """As text, for the cache."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Schema:
        """The inverse of `to_json`."""
        record = json.loads(text)
        labels = tuple(
            Label(item["name"], item["nodes"], _properties_from(item["properties"])) for item in record.pop("labels")
        )
        relations = tuple(
            Relation(
                item["name"],
                item["relationships"],
                _properties_from(item["properties"]),
                tuple(
                    Connection(tuple(end["subject"]), tuple(end["object"]), end["times"]) for end in item["connections"]
                ),
            )
            for item in record.pop("relations")
        )
        return cls(labels=labels, relations=relations, **record)


def _properties_from(records: Iterable[dict[str, Any]]) -> tuple[Property, ...]:
    return tuple(Property(**{**record, "examples": tuple(record["examples"])}) for record in records)


def read_signature(graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...], int, int]:
    """Labels, relationship types, number of nodes and of relationships: what a change of the schema shows in."""
    row = graph.read(query("schema_counts"))[0]
    labels = tuple(sorted(label for label in row["labels"] if not is_own(label)))
    return labels, tuple(sorted(row["relations"])), int(row["nodes"]), int(row["relationships"])


def read_schema(
    graph: Graph,
    *,
    sample: int = SAMPLE,
    deadline: float = DEADLINE,
    shape: Shape = WHOLE,
    report: Callable[[str], None] = lambda _: None,
) -> Schema:
    """The schema of `graph`, from at most `sample` nodes of each label and relationships of each type; without what
    `shape` leaves out, neither by name nor in an example. Counts are those of the database."""
    ends_at = time.monotonic() + deadline
    label_names, relation_names, nodes, relationships = read_signature(graph)
    label_names = tuple(name for name in label_names if name not in shape.excluded)
    relation_names = tuple(name for name in relation_names if shape.uses(name))
    if len(label_names) + len(relation_names) > 50:
        report(f"Reading {len(label_names)} labels and {len(relation_names)} relationship types …")
    labels = [_label(graph, name, sample, time.monotonic() < ends_at, shape) for name in label_names]
    relations = [_relation(graph, name, sample, time.monotonic() < ends_at, shape) for name in relation_names]
    complete = time.monotonic() < ends_at
    sizes = [item.nodes for item in labels] + [item.relationships for item in relations]
    return Schema(
        nodes=nodes,
        relationships=relationships,
        labels=tuple(item for item in labels if item.nodes),
        relations=tuple(item for item in relations if item.relationships),
        sampled=any(size > sample for size in sizes),
        complete=complete,
    )


def read_relations(graph: Graph, *, sample: int = SAMPLE) -> tuple[Relation, ...]:
    """Only the relationship types of `graph`, from at most `sample` relationships each."""
    return tuple(_relation(graph, name, sample, True, WHOLE) for name in read_signature(graph)[1])


def _label(graph: Graph, name: str, sample: int, look: bool, shape: Shape) -> Label:
    count = fill("schema_label_count", label=name)
    if not look:
        return Label(name, _count(graph, count))
    rows = graph.read(fill("schema_label", label=name), **_of_sample(sample, shape))
    return Label(name, _number(graph, count, rows, sample, shape), _properties([row["properties"] for row in rows]))


def _of_sample(sample: int, shape: Shape) -> dict[str, Any]:
    return {"sample": sample, "looked": LOOKED * sample, "longest_list": LONGEST_LIST, **shape.parameters}


def _number(graph: Graph, count: str, rows: Sequence[Any], sample: int, shape: Shape) -> int:
    """How many there are in all. A sample that was not filled is the whole, which saves the count, unless so many were
    left out that not all were looked at."""
    if len(rows) < sample and not shape.excluded:
        return len(rows)
    every = _count(graph, count)
    return len(rows) if len(rows) < sample and every <= LOOKED * sample else every


def _relation(graph: Graph, name: str, sample: int, look: bool, shape: Shape) -> Relation:
    count = fill("schema_relation_count", relation=name)
    if not look:
        return Relation(name, _count(graph, count))
    rows = graph.read(fill("schema_relation", relation=name), **_of_sample(sample, shape))
    number = _number(graph, count, rows, sample, shape)
    ends = Counter((_own(row["subject"]), _own(row["object"])) for row in rows)
    connections = tuple(Connection(*labels, times) for labels, times in ends.most_common(CONNECTIONS))
    return Relation(name, number, _properties([row["properties"] for row in rows]), connections)


def _count(graph: Graph, text: str) -> int:
    return int(graph.read(text)[0]["found"])


def _own(labels: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(label for label in labels if not is_own(label)))


def _properties(sampled: Sequence[Sequence[Sequence[Any]]]) -> tuple[Property, ...]:
    """One property a key; of several types the most frequent counts."""
    found: dict[str, list[tuple[str, int, Any]]] = defaultdict(list)
    for properties in sampled:
        for key, type_, length, value in properties:
            if not is_own(key):
                found[key].append((type_, length or 0, value))
    return tuple(_property(key, found[key], len(sampled)) for key in sorted(found))


def _property(key: str, entries: Sequence[tuple[str, int, Any]], sampled: int) -> Property:
    type_ = Counter(entry[0] for entry in entries).most_common(1)[0][0]
    values = [entry[2] for entry in entries if entry[0] == type_]
    lengths = [entry[1] for entry in entries if entry[0] == type_]
    shown = dict.fromkeys(text[:80] for value in values for text in texts(value))
    return Property(
        key=key,
        type=_type(type_, values),
        share=round(len(entries) / sampled, 3),
        times=len(values),
        length=round(sum(lengths) / len(lengths), 1),
        longest=max(lengths),
        different=len({value for value in values if isinstance(value, str | int)}),
        examples=tuple(shown)[:EXAMPLES],
    )


def _type(name: str, examples: Sequence[Any]) -> str:
    if any(isinstance(value, bytes | bytearray) for value in examples):
        return "BYTES"
    return name.replace(" NOT NULL", "")
