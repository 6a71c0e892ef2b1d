"""Statistics of a graph's relations: what each leads to in either direction, and what can follow it.

They are read from a sample when a graph is indexed and kept on its `:KgneoIndex` node, so that a question needs
no scan: the relation paths that can leave a node follow from its own relationships and these. Where property values
are triples, the steps onto them stand among the hops, with sample values as names and nothing onward.

`estimate_statistics` makes them from a schema alone, for a graph that is asked before it was indexed: what follows a
step is then taken from the labels that it reaches, a relationship type as often as nodes of the label have one.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from kgneo.graph.connection import Graph, Row
from kgneo.graph.connections import Connection
from kgneo.graph.cypher import fill, query
from kgneo.graph.schema import Property, Relation, Schema
from kgneo.graph.shape import Shape
from kgneo.model import Hop, RelationPath, split_value_relation

SAMPLE = 5_000
NAMES = 40
RARE_LABEL = 0.05
"""Share of the nodes reached under which a label does not count as theirs."""
RARE_ONWARD = 0.005
"""The same for a way to go on: names shared by two kinds of thing make all sorts of walks possible, once."""
TIMEOUT = 300.0
WORD = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")


@dataclass(frozen=True, slots=True)
class HopStatistics:
    """One relation walked in one direction. `triples` in the whole graph; in the sample, `fan_out` nodes are
    reached per node left, `fan_in` left per node reached; `names` are some nodes reached; `onward` has the hops
    (as `str(Hop)`) that can follow, each with the share of the nodes reached that it can follow from."""

    relation: str
    forward: bool
    labels: tuple[str, ...]
    triples: int
    fan_out: float
    fan_in: float
    names: tuple[str, ...]
    onward: dict[str, float]
    value: bool = False

    @property
    def hop(self) -> Hop:
        """The hop that these are the statistics of."""
        return Hop(self.relation, self.forward, self.labels, self.value)


@dataclass(frozen=True)
class Statistics:
    """All relations of a graph, each in both directions, and readable `names` for those spelt as codes."""

    hops: tuple[HopStatistics, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    kept: dict[object, list[RelationPath]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The relation paths that can follow some hops, as `kgneo.graph.walks.leaving` made them."""

    @cached_property
    def readable_names(self) -> dict[str, str]:
        """Names for relations that would read badly: codes, and the keys of steps onto values."""
        owners: dict[str, set[str]] = {}
        for hop in self.hops:
            for name in hop.onward:
                owners.setdefault(name, set()).update(label.lower() for label in hop.labels)
        names = {
            hop.relation: _readable(hop.relation, owners.get(hop.relation, set())) for hop in self.hops if hop.value
        }
        return {**names, **self.names}

    def to_json(self) -> str:
        """As text, for the graph to keep."""
        record = {"hops": [asdict(hop) for hop in self.hops], "names": dict(self.names)}
        return json.dumps(record, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Statistics:
        """The inverse of `to_json`."""
        record = json.loads(text)
        hops: list[dict[str, Any]] = record["hops"] if isinstance(record, dict) else record
        names = record["names"] if isinstance(record, dict) else {}
        tuples = ({key: _tuple(value) for key, value in hop.items()} for hop in hops)
        return cls(tuple(HopStatistics(**hop) for hop in tuples), names)


def _readable(relation: str, labels: set[str]) -> str:
    """A key in words, without the label that it belongs to: "since" for `customerSince` of a Customer."""
    _, key = split_value_relation(relation)
    words = WORD.findall(key)
    rest = [word for word in words if word.lower() not in labels]
    return " ".join(rest or words) or key


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_statistics(graph: Graph, *, shape: Shape, schema: Schema | None, sample: int = SAMPLE) -> Statistics:
    """The statistics of every relation that `shape` uses, from at most `sample` relationships each. `schema` is
    needed where property values are triples: what is known of them comes from it. Of types that a property tells, all
    that is known comes from it."""
    if shape.told and schema is not None:
        return estimate_statistics(schema, shape)
    relations = [row["relation"] for row in graph.read(query("index_types")) if shape.uses(row["relation"])]
    hops = [hop for relation in relations for hop in _of_relation(graph, relation, shape, sample)]
    return complete(hops, schema, shape)


def complete(hops: Sequence[HopStatistics], schema: Schema | None, shape: Shape) -> Statistics:
    """The statistics of relations with those of the steps onto values that `shape` has."""
    if schema is None or shape.loaded:
        return Statistics(tuple(hops), shape.names)
    values = [*_of_values(schema, shape), *_of_details(schema, shape, hops)]
    return Statistics((*(_with_values(hop, shape) for hop in hops), *values), shape.names)


def _of_values(schema: Schema, shape: Shape) -> Iterable[HopStatistics]:
    """The steps onto properties of nodes: one a key, whatever labels have it."""
    for key in shape.value_keys:
        found = [
            (item, round(label.nodes * item.share))
            for label in schema.labels
            for item in label.properties
            if item.key == key and key in shape.values.get(label.name, {})
        ]
        yield _value(shape.value_relation(key), True, found)


def _of_details(schema: Schema, shape: Shape, hops: Sequence[HopStatistics]) -> Iterable[HopStatistics]:
    """The steps onto properties of relationships, in every direction that has relationships."""
    relations = {relation.name: relation for relation in schema.relations}
    for hop in hops:
        for key in shape.details.get(hop.relation, ()):
            found = [
                (item, round(hop.triples * item.share))
                for item in relations[hop.relation].properties
                if item.key == key
            ]
            yield _value(shape.value_relation(key, hop.relation), hop.forward, found)


def _value(relation: str, forward: bool, found: Sequence[tuple[Property, int]]) -> HopStatistics:
    examples = [item.examples[: max(1, NAMES // len(found))] for item, _ in found]
    return HopStatistics(
        relation=relation,
        forward=forward,
        labels=(),
        triples=sum(number for _, number in found),
        fan_out=1.0,
        fan_in=1.0,
        names=tuple(dict.fromkeys(text for texts in examples for text in texts)),
        onward={},
        value=True,
    )


def _with_values(hop: HopStatistics, shape: Shape) -> HopStatistics:
    """The hop with the steps onto values that can follow it."""
    onward = dict(hop.onward)
    for name, share in hop.onward.items():
        relation, forward = name.removeprefix("^"), not name.startswith("^")
        for key, having in shape.details.get(relation, {}).items():
            onward[str(Hop(shape.value_relation(key, relation), forward))] = round(share * having, 4)

    for label in hop.labels:
        for key, having in shape.values.get(label, {}).items():
            name = shape.value_relation(key)
            onward[name] = max(onward.get(name, 0.0), having)
    return replace(hop, onward={name: share for name, share in onward.items() if share >= RARE_ONWARD})


def fan_outs(graph: Graph, relation: str, shape: Shape, *, sample: int = SAMPLE) -> tuple[float, float]:
    """How many things a relation leads to from each that it leaves, and from each that it reaches back, in a sample:
    for a graph whose statistics are estimated."""
    stored = shape.stored(relation).relation
    row = graph.read(fill("statistics_sample", relation=stored), sample=sample, timeout=TIMEOUT, **shape.parameters)[0]
    pairs = {(subject, object_) for subject, object_ in row["ends"]}
    subjects, objects = ({pair[side] for pair in pairs} for side in (0, 1))
    return len(pairs) / max(len(subjects), 1), len(pairs) / max(len(objects), 1)


def _of_relation(graph: Graph, relation: str, shape: Shape, sample: int) -> list[HopStatistics]:
    sampled = graph.read(
        fill("statistics_sample", relation=relation), sample=sample, timeout=TIMEOUT, **shape.parameters
    )[0]
    rows = graph.read(query("statistics"), ends=sampled["ends"], names=NAMES, timeout=TIMEOUT, **shape.parameters)
    nodes = {row["forward"]: row["nodes"] for row in rows}
    return [_of_hop(relation, sampled["triples"], row, nodes, shape) for row in rows]


def _of_hop(relation: str, triples: int, row: Row, nodes: dict[bool, int], shape: Shape) -> HopStatistics:
    forward = row["forward"]
    return HopStatistics(
        relation=relation,
        forward=forward,
        labels=_labels(row["labels"], row["nodes"], shape),
        triples=triples,
        fan_out=round(row["steps"] / max(nodes.get(not forward, 1), 1), 3),
        fan_in=round(row["steps"] / max(row["nodes"], 1), 3),
        names=tuple(name[:80] for name in row["names"]),
        onward=_onward(relation, forward, row["onward"], row["nodes"]),
    )


def _labels(counts: Sequence[dict[str, int | str]], nodes: int, shape: Shape) -> tuple[str, ...]:
    frequent = [entry for entry in counts if int(entry["nodes"]) >= RARE_LABEL * nodes]
    frequent.sort(key=lambda entry: (-int(entry["nodes"]), str(entry["label"])))
    return shape.own_labels(str(entry["label"]) for entry in frequent)


def _onward(relation: str, forward: bool, steps: Sequence[Row], nodes: int) -> dict[str, float]:
    """Going back by the relation just walked needs a second relationship of it at some node."""
    shares = {
        str(Hop(step["relation"], step["outgoing"])): round(step["nodes"] / nodes, 4)
        for step in steps
        if step["times"] > 1 or step["relation"] != relation or step["outgoing"] == forward
    }
    return {name: share for name, share in sorted(shares.items()) if share >= RARE_ONWARD}


Onward = Mapping[str, Mapping[str, float]]


def estimate_statistics(schema: Schema, shape: Shape) -> Statistics:
    """The statistics that follow from `schema`, without a query."""
    relations = [relation for relation in schema.relations if shape.speaks_of(relation.name)]
    onward = _onward_of_labels(schema, relations)
    names = _names_of_labels(schema, shape)
    hops = [_estimated(relation, forward, onward, names, shape) for relation in relations for forward in (True, False)]
    return complete(hops, schema, shape)


def _estimated(
    relation: Relation, forward: bool, onward: Onward, names: Mapping[str, tuple[str, ...]], shape: Shape
) -> HopStatistics:
    labels = _frequent(relation.connections, forward, shape)
    shares: dict[str, float] = {}
    for label in labels:
        for name, share in onward[label].items():
            shares[name] = max(shares.get(name, 0.0), share)
    return HopStatistics(
        relation=relation.name,
        forward=forward,
        labels=labels,
        triples=relation.relationships,
        fan_out=1.0,
        fan_in=1.0,
        names=tuple(name for label in labels for name in names.get(label, ())[: NAMES // len(labels)]),
        onward=shares,
    )


def _frequent(connections: Iterable[Connection], forward: bool, shape: Shape) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    total = 0
    for connection in connections:
        total += connection.times
        for label in connection.object if forward else connection.subject:
            counts[label] += connection.times
    frequent = [label for label, times in counts.most_common() if times >= RARE_LABEL * total]
    return tuple(label for label in shape.own_labels(frequent) if label not in shape.excluded)


def _onward_of_labels(schema: Schema, relations: Iterable[Relation]) -> Onward:
    """For each label, the hops that leave its nodes, with an estimate of the share that they leave."""
    nodes = {label.name: label.nodes for label in schema.labels}
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for relation in relations:
        sampled = sum(connection.times for connection in relation.connections) or 1
        for forward in (True, False):
            ends: Counter[str] = Counter()
            for connection in relation.connections:
                ends.update(dict.fromkeys(connection.subject if forward else connection.object, connection.times))
            for label, times in ends.items():
                number = relation.relationships * times / sampled
                share = min(1.0, number / max(nodes.get(label, 1), 1))
                found[label][str(Hop(relation.name, forward))] = round(share, 4)
    return defaultdict(dict, found)


def _names_of_labels(schema: Schema, shape: Shape) -> dict[str, tuple[str, ...]]:
    examples = {(label.name, item.key): item.examples for label in schema.labels for item in label.properties}
    return {
        label: tuple(map(" ".join, zip(*(examples.get((label, key), ()) for key in keys), strict=False)))
        for label, keys in shape.display.items()
    }
