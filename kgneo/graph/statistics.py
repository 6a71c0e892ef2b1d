"""Statistics of a graph's relations: what each leads to in either direction, and what can follow it.

They are read from a sample when a graph is indexed and kept on its `:KgneoIndex` node, so that a question needs
no scan: the relation paths that can leave a node follow from its own relationships and these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import LOADED, Shape, own_labels
from kgneo.model import Hop

SAMPLE = 5_000
NAMES = 40
RARE_LABEL = 0.05
"""Share of the nodes reached under which a label does not count as theirs."""
RARE_ONWARD = 0.005
"""The same for a way to go on: names shared by two kinds of thing make all sorts of walks possible, once."""
TIMEOUT = 300.0


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

    @property
    def hop(self) -> Hop:
        """The hop that these are the statistics of."""
        return Hop(self.relation, self.forward, self.labels)


@dataclass(frozen=True, slots=True)
class Statistics:
    """All relations of a graph, each in both directions."""

    hops: tuple[HopStatistics, ...] = ()

    def to_json(self) -> str:
        """As text, for the graph to keep."""
        return json.dumps([asdict(hop) for hop in self.hops], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Statistics:
        """The inverse of `to_json`."""
        records: list[dict[str, Any]] = json.loads(text)
        tuples = ({key: _tuple(value) for key, value in record.items()} for record in records)
        return cls(tuple(HopStatistics(**record) for record in tuples))


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def read_statistics(graph: Graph, *, shape: Shape = LOADED) -> Statistics:
    """The statistics of every relation, from at most 5,000 relationships each."""
    relations = [row["relation"] for row in graph.read(query("index_types"))]
    hops = [hop for relation in relations for hop in _of_relation(graph, relation, shape)]
    return Statistics(tuple(hops))


def _of_relation(graph: Graph, relation: str, shape: Shape) -> list[HopStatistics]:
    triples = int(graph.read(fill("statistics_sources", relation=relation))[0]["triples"])
    rows = graph.read(
        fill("statistics", relation=relation),
        sample=SAMPLE,
        names=NAMES,
        display=dict(shape.display),
        timeout=TIMEOUT,
    )
    nodes = {row["forward"]: row["nodes"] for row in rows}
    return [_of_hop(relation, triples, row, nodes) for row in rows]


def _of_hop(relation: str, triples: int, row: Row, nodes: dict[bool, int]) -> HopStatistics:
    forward = row["forward"]
    return HopStatistics(
        relation=relation,
        forward=forward,
        labels=_labels(row["labels"], row["nodes"]),
        triples=triples,
        fan_out=round(row["steps"] / max(nodes.get(not forward, 1), 1), 3),
        fan_in=round(row["steps"] / max(row["nodes"], 1), 3),
        names=tuple(name[:80] for name in row["names"]),
        onward=_onward(relation, forward, row["onward"], row["nodes"]),
    )


def _labels(counts: Sequence[dict[str, int | str]], nodes: int) -> tuple[str, ...]:
    frequent = [entry for entry in counts if int(entry["nodes"]) >= RARE_LABEL * nodes]
    frequent.sort(key=lambda entry: (-int(entry["nodes"]), str(entry["label"])))
    return own_labels(str(entry["label"]) for entry in frequent)


def _onward(relation: str, forward: bool, steps: Sequence[Row], nodes: int) -> dict[str, float]:
    """Going back by the relation just walked needs a second relationship of it at some node."""
    shares = {
        str(Hop(step["relation"], step["outgoing"])): round(step["nodes"] / nodes, 4)
        for step in steps
        if step["times"] > 1 or step["relation"] != relation or step["outgoing"] == forward
    }
    return {name: share for name, share in sorted(shares.items()) if share >= RARE_ONWARD}
