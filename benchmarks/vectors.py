"""Writing embeddings: packed vectors against Python lists, through the same query.

python -m benchmarks.vectors
"""

from __future__ import annotations

import numpy as np
from neo4j.vector import Vector

from benchmarks.common import paired, scratch_graph, table
from kgneo.graph import Graph
from kgneo.graph.cypher import query

ROUNDS = 5
RELATIONSHIPS = 10_000
DIMENSIONS = 384
BATCH = 500


def write(graph: Graph, ids: list[str], vectors: list[object]) -> None:
    """All vectors, a batch a transaction."""
    for start in range(0, len(ids), BATCH):
        rows = [
            {"id": id_, "vector": vector, "digest": start, "norm": None}
            for id_, vector in zip(ids[start : start + BATCH], vectors[start : start + BATCH], strict=True)
        ]
        graph.write(query("index_write"), rows=rows)


def main() -> None:
    """Measure and print."""
    matrix = np.random.default_rng(0).normal(size=(RELATIONSHIPS, DIMENSIONS)).astype(np.float32)
    with scratch_graph("vectors") as graph:
        graph.write("UNWIND range(1, $n) AS i CREATE (:Entity {name: 's' + i})-[:r]->(:Entity)", n=RELATIONSHIPS)
        ids = [row["id"] for row in graph.read("MATCH ()-[r]->() RETURN elementId(r) AS id")]
        packed: list[object] = [Vector(row) for row in matrix]
        lists: list[object] = [row.tolist() for row in matrix]
        write(graph, ids, packed)
        write(graph, ids, lists)
        one, two, ratio = paired(lambda: write(graph, ids, lists), lambda: write(graph, ids, packed), rounds=ROUNDS)
    table(
        ("relationships", "lists, a second", "packed, a second", "packed / lists"),
        [(RELATIONSHIPS, round(RELATIONSHIPS / one), round(RELATIONSHIPS / two), ratio)],
    )


if __name__ == "__main__":
    main()
