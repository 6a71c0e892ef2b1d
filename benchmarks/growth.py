"""How kgneo grows with a graph: generated graphs of growing size, and the slope between sizes.

    python -m benchmarks.growth [--sizes 100000,1000000] [--hub 1000000] [--dimensions 64] [--json FILE] [--structure]

The graphs have about MetaQA's shape (eight triples a subject, objects drawn by a power law) and come from a seed. They
are loaded as `kgneo load --offline` does; then the same triples once more with vectors in the files of the import:
random ones of a pool, since encoding costs the same for each triple however many there are. Retrieval goes through the
graph's mirror, and for some topics through the graph alone, which has no vector index: every candidate is scored.
`--structure` leaves the vectors out. `--json` keeps the figures in a file and shows them with those of sizes that it
holds already. `--hub` asks for the candidates around a node with so many relationships, within the bound and without
one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import numpy as np
import psutil

from benchmarks.attach_scale import StubEncoder
from benchmarks.common import report, seconds, table
from benchmarks.nearest import topics
from kgneo.asking.question import ask, open_context
from kgneo.defaults import MOST_CANDIDATES as MOST
from kgneo.errors import KgneoError
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.candidates import Reach, count_candidates, top_candidates
from kgneo.graph.cypher import query
from kgneo.graph.load import make_indexes
from kgneo.graph.load_offline import connect, load_offline, write_triples
from kgneo.graph.mirror import Mirror, MirrorFolder
from kgneo.graph.open import open_knowledge
from kgneo.graph.record import new_record, record_properties
from kgneo.graph.shape import LOADED
from kgneo.loader import LoadedTriple
from kgneo.model import Triple
from kgneo.server import RunningServer, start, stop
from kgneo.server.importing import ImportFiles, import_store
from kgneo.server.stores import Store

SEED = 7
TRIPLES_A_SUBJECT = 8
OBJECTS = 0.2
"""Objects by triple, as in MetaQA."""
EXPONENT = 0.8
"""The object of rank r is drawn as often as r to the power of minus this."""
RELATIONS = ("directed_by", "written_by", "starred_actors", "release_year", "in_language", "has_tags", "has_genre")
POOL = 4_096
TOPICS, ALONE = 40, 8
ROUNDS = 3
HOPS, TOP_K = 3, 30


def generate(size: int) -> Iterator[LoadedTriple]:
    """About `size` triples, those of a subject together; the same for the same size."""
    random = np.random.default_rng(SEED)
    objects = max(2, int(size * OBJECTS))
    weights = np.arange(1, objects + 1, dtype=np.float64) ** -EXPONENT
    drawn = np.searchsorted(np.cumsum(weights) / weights.sum(), random.random(size)).clip(max=objects - 1)
    relations = drawn % len(RELATIONS)  # an object stands behind one relation, as a person or a year does
    for number in range(size):
        subject, place = divmod(number, TRIPLES_A_SUBJECT)
        triple = Triple(f"Film {subject}", RELATIONS[relations[number]], f"Thing {drawn[number]}")
        yield LoadedTriple(triple, ("Film",), ("Thing",), place)


@dataclass(frozen=True)
class Place:
    """Where one size is measured: a store for the structure, one with vectors, and the files that were imported."""

    folder: Path
    size: int
    dimensions: int

    @property
    def plain(self) -> Path:
        return self.folder / "plain"

    @property
    def embedded(self) -> Path:
        return self.folder / "embedded"


@contextmanager
def opened(store: Path) -> Iterator[Graph]:
    """A connection to a store's server, which is stopped at the end, and what was kept of its graph deleted."""
    try:
        with connect(start(store, report=report)) as graph:
            graph.timeout = 600
            yield graph
            LocalCache(graph).remove()
    finally:
        stop(store)


def measure(place: Place, *, structure: bool) -> dict[str, float]:
    """All figures of one size, or those of its structure alone."""
    size, found = place.size, {}
    report(f"{size:,} triples: loading offline …")
    began = time.perf_counter()
    loaded = load_offline(place.plain, generate(size), report=report)
    found["load, s"] = time.perf_counter() - began
    found["structure, bytes a triple"] = Store(place.plain).size_on_disk() / loaded.relationships
    with opened(place.plain) as graph:
        found |= attached(graph)
    if structure:
        return found
    report("the same with vectors …")
    found["load with vectors in the files, s"] = seconds(lambda: load_embedded(place))
    found["with vectors, bytes a triple"] = Store(place.embedded).size_on_disk() / loaded.relationships
    with opened(place.embedded) as graph:
        found |= retrieval(graph, place, loaded.relationships)
    return found


def attached(graph: Graph) -> dict[str, float]:
    """Seconds for the first question about the graph as one that was there before kgneo, and for the next ones."""
    for row in graph.schema("SHOW CONSTRAINTS YIELD name"):
        graph.schema(f"DROP CONSTRAINT `{row['name']}`")
    first = seconds(lambda: ask(open_context(graph), "who wrote [Film 5]?"))
    context = open_context(graph)
    following = [seconds(partial(ask, context, f"who directed [Film {number}]?")) for number in (11, 12, 13)]
    return {"first question, attached, s": first, "next question, s": statistics.median(following)}


def load_embedded(place: Place) -> None:
    """The same graph with vectors: as the offline load does, with two columns more."""
    pool = np.random.default_rng(SEED).normal(size=(POOL, place.dimensions))
    pool /= np.linalg.norm(pool, axis=1, keepdims=True)
    texts = [";".join(f"{number:.4f}" for number in row) for row in pool]

    def write(folder: Path) -> ImportFiles:
        _, files = write_triples(folder, generate(place.size))
        plain, wide = folder / files.relationships[0], folder / "embedded.csv"
        with plain.open(encoding="utf-8") as rows, wide.open("w", encoding="utf-8") as stream:
            stream.write(f"{next(rows).rstrip()},kgneo_embedding:float[],kgneo_digest:long\n")
            for number, row in enumerate(rows):
                stream.write(f"{row.rstrip()},{texts[number % POOL]},{number + 1}\n")
        return replace(files, relationships=(wide.name,))

    def finish(running: RunningServer) -> None:
        with connect(running) as graph:
            graph.schema(query("load_constraint"))
            make_indexes(graph)
            record = new_record(StubEncoder(place.dimensions), LOADED, place.size, complete=True)
            graph.write(query("index_record_write"), record=record_properties(record))

    import_store(place.embedded, write, finish, report=report)


def retrieval(graph: Graph, place: Place, triples: int) -> dict[str, float]:
    """Making the mirror, its size, and top K around topics from leaf to hub."""
    folder = LocalCache(graph).mirror()
    report("mirroring …")
    found = {"mirror, s": seconds(lambda: folder.renew(graph, place.dimensions))}
    found["mirror, bytes a triple"] = sum(file.stat().st_size for file in folder.folder.rglob("*.npy")) / triples
    knowledge, alone = open_knowledge(graph), open_knowledge(graph)
    alone.__dict__["mirror"] = MirrorFolder(Path("no mirror"))
    mirror = knowledge.mirror.current()
    assert mirror is not None
    random = np.random.default_rng(SEED)
    vectors = random.normal(size=(TOPICS, place.dimensions)).astype(np.float32)
    chosen = topics(mirror, TOPICS)
    report("retrieving …")
    for name, way, some in (("mirror", knowledge, chosen), ("graph alone", alone, chosen[:: TOPICS // ALONE])):
        times = []
        for topic, vector in zip(some, vectors, strict=False):
            reach = Reach((mirror.nodes[topic].decode(),), HOPS)
            action = partial(top_candidates, way, reach, vector, top_k=TOP_K)
            times.append(statistics.median(seconds(action) for _ in range(ROUNDS if name == "mirror" else 1)) * 1e3)
        found[f"retrieval through the {name}, p50, ms"] = float(np.percentile(times, 50))
        found[f"retrieval through the {name}, p95, ms"] = float(np.percentile(times, 95))
    sizes = [len(candidates_of(mirror, topic)) for topic in chosen]
    found["candidates, p50"], found["candidates, p95"] = (float(np.percentile(sizes, part)) for part in (50, 95))
    return found


def candidates_of(mirror: Mirror, topic: int) -> Sequence[int]:
    """The candidates of a topic."""
    return list(mirror.candidates((mirror.nodes[topic].decode(),), HOPS, out=False)[0])


def slope(sizes: tuple[int, int], values: tuple[float, float]) -> float:
    """The exponent by which a value grows from one size to the next: 1 is linear."""
    return math.log(values[1] / values[0]) / math.log(sizes[1] / sizes[0])


def show(found: dict[int, dict[str, float]]) -> None:
    """A row a figure, a column a size, and the slopes between them."""
    sizes = sorted(found)
    pairs = list(pairwise(sizes))
    header = ["", *(f"{size:,}" for size in sizes), *(f"slope to {two:,}" for _, two in pairs)]
    rows = []
    for name in found[sizes[0]]:
        values = {size: found[size][name] for size in sizes if name in found[size]}
        shown = [_figure(values[size]) if size in values else "–" for size in sizes]
        both = [pair if set(pair) <= set(values) else None for pair in pairs]
        slopes = [f"{slope(pair, (values[pair[0]], values[pair[1]])):.2f}" if pair else "–" for pair in both]
        rows.append([name, *shown, *slopes])
    table(header, rows)


def _figure(value: float) -> str:
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


# A hub


def hub(folder: Path, relationships: int) -> None:
    """Candidates around a node with so many relationships, within the bound and without one: time and memory."""
    report(f"A hub of {relationships:,} relationships: loading offline …")
    store = folder / "hub"
    spokes = (LoadedTriple(Triple("Hub", "has", f"Spoke {number}")) for number in range(relationships))
    load_offline(store, spokes, report=report)
    rows = []
    with opened(store) as graph:
        record = new_record(StubEncoder(4), LOADED, relationships, complete=True)
        graph.write(query("index_record_write"), record=record_properties(record))
        knowledge = open_knowledge(graph)
        [node] = graph.read("MATCH (n:Entity {name: 'Hub'}) RETURN elementId(n) AS id")
        for most in (1_000, MOST, 2 * relationships):
            reach = Reach((node["id"],), HOPS, most=most)
            count = partial(count_candidates, knowledge, reach)
            rows.append((f"{most:,}", *watched(graph, count)))
    table(("at most", "candidates", "s", "memory of the transaction, MB"), rows)


def watched(graph: Graph, action: Callable[[], tuple[int, ...]]) -> tuple[str, str, str]:
    """What an action gives, its seconds, and the most memory that a transaction said to have while it ran."""
    most, done = [0], Event()

    def watch() -> None:
        while not done.wait(0.02):
            rows = graph.read("SHOW TRANSACTIONS YIELD estimatedUsedHeapMemory AS bytes RETURN max(bytes) AS bytes")
            most.append(rows[0]["bytes"] or 0)

    watcher = Thread(target=watch)
    watcher.start()
    began = time.perf_counter()
    try:
        found = f"{sum(action()):,}"
    except KgneoError as error:
        found = error.message
    finally:
        took = time.perf_counter() - began
        done.set()
        watcher.join()
    return found, f"{took:.2f}", f"{max(most) / 1e6:.0f}"


def main() -> None:
    """Measure every size, and the hub."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100000,1000000", help="triples of each graph, separated by commas")
    parser.add_argument("--dimensions", type=int, default=64, help="numbers of a vector")
    parser.add_argument("--hub", type=int, default=0, metavar="N", help="relationships of a hub; 0 for none")
    parser.add_argument("--structure", action="store_true", help="without vectors, mirror and retrieval")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures of each size, and show all in it")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",") if size]
    found: dict[int, dict[str, float]] = {}
    if given.json and given.json.is_file():
        found = {int(size): figures for size, figures in json.loads(given.json.read_text(encoding="utf-8")).items()}
    with TemporaryDirectory(prefix="kgneo-growth-") as name:
        for size in sizes:
            place = Place(Path(name) / str(size), size, given.dimensions)
            place.folder.mkdir()
            found[size] = measure(place, structure=given.structure)
            shutil.rmtree(place.folder)
            if given.json:
                given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
            show(found)
        if given.hub:
            hub(Path(name), given.hub)
    print(f"{os.cpu_count()} cores, load {psutil.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
