"""What embeddings take: bytes in the store, in its vector index, and memory of the server.

    python -m benchmarks.index_size [--quick]

Each way has a store of its own: relationships without embeddings, then a vector index that is there first, as
`kgneo index` does it, then a vector of 384 numbers on each relationship. Bytes are those of the files after a
checkpoint, less those before; memory is what the server, started anew, holds after 200 questions to the index. The
reference is the same vectors as lists of numbers, set as any property is (`SET r.embedding = $vector`). As a module
of its own it also measures other kinds of index, the numbers of `--encoder fast`, and the files of
`kgneo index --read-only`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil
from neo4j.vector import Vector

from benchmarks.common import Line, report, table
from kgneo.graph import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.embeddings import Pending
from kgneo.graph.index import BATCH
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.server import start, stop
from kgneo.server.stores import Store

TRIPLES, QUICK_TRIPLES = 20_000, 5_000
QUESTIONS = 200
DIMENSIONS = 384
LISTS = "UNWIND $rows AS row MATCH ()-[r]->() WHERE elementId(r) = row.id SET r.kgneo_embedding = row.vector"
SEARCH = (
    "CYPHER 25 MATCH ()-[r]->() SEARCH r IN (VECTOR INDEX kgneo_triples FOR $vector LIMIT 30) SCORE AS score "
    "RETURN count(r) AS found"
)


@dataclass(frozen=True)
class Way:
    """How vectors are written, how many numbers they have, and how the index is configured."""

    write: str = field(default_factory=lambda: query("index_write"))
    packed: bool = True
    dimensions: int = DIMENSIONS
    config: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Size:
    """Bytes of `triples` vectors in the store and in its index, and bytes of the server's memory."""

    triples: int
    store: int
    index: int
    memory: int = 0

    @property
    def together(self) -> float:
        """Bytes a triple."""
        return (self.store + self.index) / self.triples


OURS, THEIRS = "`kgneo index`", "lists of numbers"
WAYS = {
    OURS: Way(),
    THEIRS: Way(LISTS, packed=False),
    "no quantisation": Way(config={"vector.quantization.enabled": False}),
    "an index of fewer neighbours (m = 4)": Way(config={"vector.hnsw.m": 4}),
    "256 numbers (`--encoder fast`)": Way(dimensions=256),
}


def vectors_of(triples: int, dimensions: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Random ones of length 1."""
    found = np.random.default_rng(0).normal(size=(triples, dimensions)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def measure(way: Way, folder: Path, triples: int) -> Size:
    """Fill a new store, and see what it grew by."""
    store = Store(folder.resolve())
    vectors = vectors_of(triples, way.dimensions)
    try:
        with _opened(store) as graph:
            graph.write("UNWIND range(1, $n) AS i CREATE (:Entity {name: 's' + i})-[:r]->(:Entity)", n=triples)
            config = {"vector.dimensions": way.dimensions, "vector.similarity_function": "cosine", **way.config}
            text = fill("index_create_all", name="kgneo_triples", relations=["r"])
            graph.schema(text, options={"indexConfig": config})
            ids = [row["id"] for row in graph.read("MATCH ()-[r]->() RETURN elementId(r) AS id")]
            before = _bytes(graph, store)
            for first in range(0, triples, BATCH):
                part = zip(ids[first : first + BATCH], vectors[first : first + BATCH], strict=True)
                rows = [
                    {"id": id_, "vector": Vector(row) if way.packed else row.tolist(), "digest": first, "norm": None}
                    for id_, row in part
                ]
                graph.write(way.write, rows=rows, timeout=600)
            graph.read("CALL db.awaitIndexes(600)", timeout=600)
            after = _bytes(graph, store)
        stop(store.folder)
        with _opened(store) as graph:
            for vector in vectors[:QUESTIONS]:
                graph.read(SEARCH, vector=vector.tolist())
            server = store.read_server()
            memory = psutil.Process(server.pid).memory_info().rss if server else 0
    finally:
        stop(store.folder)
    return Size(triples, after[0] - before[0], after[1] - before[1], memory)


def _opened(store: Store) -> Graph:
    running = start(store.folder, heap="512m", page_cache="256m")
    return Graph.connect(running.uri, password=running.password)


def _bytes(graph: Graph, store: Store) -> tuple[int, int]:
    """Of the store's files without its indexes, and of its indexes, all written out."""
    graph.schema("CALL db.checkpoint()")
    data = store.home / "data" / "databases" / "neo4j"
    sizes = {file: file.stat().st_size for file in data.rglob("*") if file.is_file()}
    index = sum(size for file, size in sizes.items() if "schema" in file.relative_to(data).parts)
    return sum(sizes.values()) - index, index


def local(folder: Path, triples: int) -> Size:
    """The files of a graph that is only read."""
    embeddings = LocalEmbeddings(folder)
    vectors = vectors_of(triples, DIMENSIONS)
    for first in range(0, triples, BATCH):
        ids = range(first, min(first + BATCH, triples))
        batch = [Pending(f"5:00000000-0000-0000-0000-000000000000:{number}", "", "", number << 32) for number in ids]
        folder.mkdir(exist_ok=True)
        embeddings.write(batch, vectors[first : first + BATCH])
    return Size(triples, sum(file.stat().st_size for file in folder.iterdir()), 0)


def lines(*, quick: bool) -> list[Line]:
    """What kgneo writes against lists."""
    with TemporaryDirectory(prefix="kgneo-index-size-") as name:
        triples = QUICK_TRIPLES if quick else TRIPLES
        ours, theirs = (
            measure(WAYS[way], Path(name) / str(number), triples) for number, way in enumerate((OURS, THEIRS))
        )
    what = f"bytes a triple in store and vector index ({triples:,} triples)"
    return [
        Line(what, THEIRS, ours.together, theirs.together, "B", ours.together / theirs.together, 0.5),
        Line(
            "memory of the server with them, after questions",
            THEIRS,
            ours.memory / 1e6,
            theirs.memory / 1e6,
            "MB",
            ours.memory / theirs.memory,
            0.5,
        ),
    ]


def main(triples: int) -> None:
    """Measure every way, and print."""
    rows = []
    with TemporaryDirectory(prefix="kgneo-index-size-") as name:
        for number, (way, how) in enumerate(WAYS.items()):
            report(f"{way} …")
            size = measure(how, Path(name) / str(number), triples)
            each = (size.store / triples, size.index / triples, size.together)
            rows.append((way, *map(round, each), round(size.memory / 1e6)))
        size = local(Path(name) / "local", triples)
        rows.append(("files of `--read-only`", round(size.together), 0, round(size.together), ""))
    table(("way", "store, bytes a triple", "index", "together", "server, MB"), rows)


if __name__ == "__main__":
    main(QUICK_TRIPLES if "--quick" in sys.argv[1:] else TRIPLES)
