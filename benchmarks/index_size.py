"""What embeddings take: bytes in the store, in its vector index, and memory of the server.

    python -m benchmarks.index_size [--quick]

Each way has a store of its own, which `kgneo load --no-index` fills. Ours is what the command `kgneo index` leaves
behind; the others make a vector index, which is there first as well, then a random vector of 384 numbers on each
relationship. Bytes are those of the files of the stopped server, less those of a store without vectors; memory is what
it holds, started anew, after 200 questions to the index. The reference is vectors as lists of numbers, set as any
property is (`SET r.embedding = $vector`). As a module of its own it also measures other kinds of index and the numbers
of `--encoder fast`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import psutil
from neo4j.vector import Vector

from benchmarks.common import Line, kgneo, report, table
from kgneo.encoders.encoder import Vectors
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.cypher import fill, query
from kgneo.graph.index import BATCH
from kgneo.server import start, stop
from kgneo.server.stores import Store

TRIPLES, QUICK_TRIPLES = 20_000, 4_000
QUESTIONS = 200
DIMENSIONS = 384
LISTS = "UNWIND $rows AS row MATCH ()-[r]->() WHERE elementId(r) = row.id SET r.kgneo_embedding = row.vector"
SEARCH = (
    "CYPHER 25 MATCH ()-[r]->() SEARCH r IN (VECTOR INDEX kgneo_triples FOR $vector LIMIT 30) SCORE AS score "
    "RETURN count(r) AS found"
)


@dataclass(frozen=True)
class Way:
    """How vectors are written, how many numbers they have, and how the index is configured; or by the `command`."""

    write: str = field(default_factory=lambda: query("index_write"))
    packed: bool = True
    dimensions: int = DIMENSIONS
    config: Mapping[str, object] = field(default_factory=dict)
    command: bool = False


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
    OURS: Way(command=True),
    THEIRS: Way(LISTS, packed=False),
    "no quantisation": Way(config={"vector.quantization.enabled": False}),
    "an index of fewer neighbours (m = 4)": Way(config={"vector.hnsw.m": 4}),
    "256 numbers (`--encoder fast`)": Way(dimensions=256),
}


def vectors_of(triples: int, dimensions: int) -> Vectors:
    """Random ones of length 1."""
    found = np.random.default_rng(0).normal(size=(triples, dimensions)).astype(np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def measure(ways: Mapping[str, Way], triples: int, *, restart: bool = True) -> dict[str, Size]:
    """Fill a new store each way, and one without vectors, and see what is more; with a `restart` also what memory the
    servers take."""
    found = {}
    with TemporaryDirectory(prefix="kgneo-index-size-") as name:
        plain = _filled(Store(Path(name).resolve() / "plain"), None, triples)
        for number, (words, way) in enumerate(ways.items()):
            report(f"{words} …")
            store = Store(Path(name).resolve() / str(number))
            bytes_of_store, bytes_of_index = _filled(store, way, triples)
            memory = _memory(store, vectors_of(QUESTIONS, way.dimensions)) if restart else 0
            found[words] = Size(triples, bytes_of_store - plain[0], bytes_of_index - plain[1], memory)
    return found


def _filled(store: Store, way: Way | None, triples: int) -> tuple[int, int]:
    """Relationships, with vectors that way or without any; bytes of the store without its indexes, and of these."""
    try:
        with _opened(store) as graph:
            _load(graph, store, triples)
            if way is not None and way.command:
                _run(graph, store, "index", "--no-mirror")
            elif way is not None:
                _write(graph, way, triples)
    finally:
        stop(store.folder)  # which writes everything out
    data = store.home / "data" / "databases" / "neo4j"
    sizes = {file: file.stat().st_size for file in data.rglob("*") if file.is_file()}
    index = sum(size for file, size in sizes.items() if "schema" in file.relative_to(data).parts)
    return sum(sizes.values()) - index, index


def _load(graph: Graph, store: Store, triples: int) -> None:
    """Triples, without embeddings."""
    file = store.folder / "triples.tsv"
    rows = (f"subject {number}\tr\tobject {number}\n" for number in range(triples))
    file.write_text("subject\trelation\tobject\n" + "".join(rows), encoding="utf-8")
    _run(graph, store, "load", "--no-index", str(file))


def _run(graph: Graph, store: Store, *arguments: str) -> None:
    """A command in a process of its own; what it says where it fails ends this one."""
    environment = {**os.environ, "NEO4J_URI": graph.address, "NEO4J_PASSWORD": store.password()}
    ended = subprocess.run(kgneo(*arguments), env=environment, check=False, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(ended.stderr)


def _write(graph: Graph, way: Way, triples: int) -> None:
    config = {"vector.dimensions": way.dimensions, "vector.similarity_function": "cosine", **way.config}
    text = fill("index_create_all", name="kgneo_triples", relations=["r"])
    graph.schema(text, options={"indexConfig": config})
    ids = [row["id"] for row in graph.read("MATCH ()-[r]->() RETURN elementId(r) AS id")]
    vectors = vectors_of(triples, way.dimensions)
    for first in range(0, triples, BATCH):
        rows = [
            {"id": id_, "vector": Vector(vector) if way.packed else vector.tolist(), "digest": first, "norm": None}
            for id_, vector in zip(ids[first : first + BATCH], vectors[first : first + BATCH], strict=True)
        ]
        graph.write(way.write, rows=rows, timeout=600)
    graph.read("CALL db.awaitIndexes(600)", timeout=600)


def _memory(store: Store, questions: Vectors) -> int:
    """Bytes that the server of a filled store holds after questions."""
    try:
        with _opened(store) as graph:
            for vector in questions:
                graph.read(SEARCH, vector=vector.tolist())
            server = store.read_server()
            return int(psutil.Process(server.pid).memory_info().rss) if server else 0
    finally:
        stop(store.folder)


def _opened(store: Store) -> Graph:
    running = start(store.folder, heap="512m", page_cache="256m")
    return Graph.connect(running.uri, password=running.password)


def local(folder: Path, triples: int) -> Size:
    """The files that `kgneo index --read-only` leaves behind of a graph."""
    store = Store(folder.resolve() / "read")
    try:
        with _opened(store) as graph:
            _load(graph, store, triples)
            _run(graph, store, "index", "--read-only")
            cache = LocalCache(graph)
            size = sum(file.stat().st_size for file in cache.folder.iterdir() if file.is_file())
            cache.remove()
    finally:
        stop(store.folder)
    return Size(triples, size, 0)


def lines(*, quick: bool) -> list[Line]:
    """What kgneo writes against lists."""
    triples = QUICK_TRIPLES if quick else TRIPLES
    ours, theirs = measure({way: WAYS[way] for way in (OURS, THEIRS)}, triples, restart=not quick).values()
    ratio = ours.together / theirs.together
    what = f"bytes a triple in store and vector index ({triples:,} triples)"
    found = [Line(what, THEIRS, ours.together, theirs.together, "B", ratio, 0.5)]
    with TemporaryDirectory(prefix="kgneo-index-size-") as name:
        files = local(Path(name), triples).together
    what = "the same in files on this machine (`kgneo index --read-only`)"
    found.append(Line(what, THEIRS, files, theirs.together, "B", files / theirs.together, 0.5))
    if not quick:
        one, two = ours.memory / 1e6, theirs.memory / 1e6
        what = "memory of the server with them, after questions"
        found.append(Line(what, THEIRS, one, two, "MB", one / two, 0.5))
    return found


def main(triples: int) -> None:
    """Measure every way, and print."""
    rows: list[tuple[object, ...]] = []
    for way, size in measure(WAYS, triples).items():
        each = (size.store / triples, size.index / triples, size.together)
        rows.append((way, *map(round, each), round(size.memory / 1e6)))
    with TemporaryDirectory(prefix="kgneo-index-size-") as name:
        rows.append(("files of `--read-only`", "", "", round(local(Path(name), triples).together), ""))
    table(("way", "store, bytes a triple", "index", "together", "server, MB"), rows)


if __name__ == "__main__":
    main(QUICK_TRIPLES if "--quick" in sys.argv[1:] else TRIPLES)
