"""What a graph holds, so that two can be held against each other."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

import numpy as np

from kgneo.graph import Graph

SETTLED = 15.0
"""Seconds within which Neo4j ends what a killed command left running, and has indexes online."""
OF_THE_RUN = ("at", "change", "written", "seal", "statistics")
"""Properties that tell of a run: when it was, and figures for the ranking, which are read within a time."""
DUMP = """
MATCH (n)
RETURN labels(n) AS labels, properties(n) AS own,
       COLLECT { MATCH (n)-[r]->(m) RETURN [type(r), properties(r), properties(m).name] } AS leaving
"""


@dataclass(frozen=True)
class Dump:
    """What a graph holds, whatever order it is stored in: a line for each node with its relationships and for each
    index, and the embeddings by what they are of. Embeddings are the same where they differ by rounding alone: an
    encoder rounds otherwise where a text stands in a batch with others."""

    lines: tuple[str, ...] = field(repr=False)
    vectors: dict[str, tuple[float, ...]] = field(repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dump) or self.lines != other.lines:
            return False
        keys = sorted(self.vectors)
        if keys != sorted(other.vectors) or not keys:
            return keys == sorted(other.vectors)
        one, two = ([found[key] for key in keys] for found in (self.vectors, other.vectors))
        return np.allclose(one, two, rtol=0, atol=1e-6)


def dump(graph: Graph) -> Dump:
    """What a graph holds."""
    vectors: dict[str, tuple[float, ...]] = {}

    def plain(of: object, properties: dict[str, object]) -> dict[str, object]:
        kept = {key: value for key, value in properties.items() if key not in OF_THE_RUN}
        for key in [key for key in kept if key.startswith("kgneo_embedding")]:
            vectors[f"{of} {key}"] = tuple(kept.pop(key))  # type: ignore[arg-type]
        return kept

    rows = []
    for row in graph.read(DUMP, timeout=120.0):
        name = row["own"].get("name") or row["own"].get("text")
        leaving = [[kind, plain((name, kind, end), own), end] for kind, own, end in row["leaving"]]
        parts = [sorted(row["labels"]), plain(name, row["own"]), sorted(map(_text, leaving))]
        rows.append(json.dumps(parts, sort_keys=True, default=str))
    indexes = graph.read("SHOW INDEXES YIELD name, type, state RETURN name, type, state ORDER BY name")
    return Dump((*sorted(rows), *map(str, indexes)), vectors)


def settled(graph: Graph, right: Dump) -> Dump:
    """What a graph holds once it holds what is right, or after a while."""
    until = time.monotonic() + SETTLED
    while (found := dump(graph)) != right and time.monotonic() < until:
        time.sleep(1.0)
    return found


def difference(one: Dump, other: Dump) -> str:
    """The first lines that one has and the other has not, and the other way round."""
    left, right = sorted({*one.lines} - {*other.lines}), sorted({*other.lines} - {*one.lines})
    return f"{left[:2]} instead of {right[:2]}"[:6000]


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)
