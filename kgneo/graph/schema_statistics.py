"""Statistics of relations estimated from a schema alone, for a graph that is asked before it was indexed.

What follows a step is taken from the labels that it reaches: a relationship type follows as often as nodes of the
label have one. `read_statistics` looks at the nodes themselves, and replaces these at `kgneo index`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from kgneo.graph.schema import Connection, Relation, Schema
from kgneo.graph.shape import Shape, own_labels
from kgneo.graph.statistics import NAMES, RARE_LABEL, HopStatistics, Statistics, complete
from kgneo.model import Hop

Onward = Mapping[str, Mapping[str, float]]


def estimate_statistics(schema: Schema, shape: Shape) -> Statistics:
    """The statistics that follow from `schema`, without a query."""
    relations = [relation for relation in schema.relations if shape.uses(relation.name)]
    onward = _onward_of_labels(schema, relations)
    names = _names_of_labels(schema, shape)
    hops = [_hop(relation, forward, onward, names, shape) for relation in relations for forward in (True, False)]
    return complete(hops, schema, shape)


def _hop(
    relation: Relation, forward: bool, onward: Onward, names: Mapping[str, tuple[str, ...]], shape: Shape
) -> HopStatistics:
    labels = _labels(relation.connections, forward, shape)
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


def _labels(connections: Iterable[Connection], forward: bool, shape: Shape) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    total = 0
    for connection in connections:
        total += connection.times
        for label in connection.object if forward else connection.subject:
            counts[label] += connection.times
    frequent = [label for label, times in counts.most_common() if times >= RARE_LABEL * total]
    return tuple(label for label in own_labels(frequent) if label not in shape.excluded)


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
