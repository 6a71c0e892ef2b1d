"""`python -m benchmarks.attach_scale`: a generated property graph of a million relationships is attached to.

How long the first question takes with nothing cached; how long indexing takes, whether its rate is steady and its
memory bounded. A sample of the triples is encoded to know what encoding alone costs; the rest goes through an encoder
that costs next to nothing, so that what is left is the cost of reading and writing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Sequence

import numpy as np
import psutil

from benchmarks.common import scratch_graph
from kgneo.asking.question import ask, open_context
from kgneo.encoders.encoder import Similarity, Vectors, load_encoder
from kgneo.graph import Graph
from kgneo.graph.embeddings import scan_relationships
from kgneo.graph.index import Progress, build
from kgneo.graph.open import known_shape

BATCH = 50_000
SAMPLE = 2_000


class StubEncoder:
    """Vectors from a table by the text's checksum: as different as random ones, at no cost."""

    name = "stub"
    similarity: Similarity = "cosine"
    at_once = 1

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.fingerprint = f"stub-{dimensions}"
        self._table = np.random.default_rng(1).normal(size=(4099, dimensions)).astype(np.float32)

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002
        """A row of the table for each text, moved a little by the rest of its checksum."""
        sums = np.array([zlib.crc32(text.encode()) for text in texts])
        moved = self._table[sums % 4099] + (sums[:, None] % 997).astype(np.float32) * 1e-4
        return np.asarray(moved, dtype=np.float32)


def generate(graph: Graph, relationships: int) -> None:
    """People who bought products of companies: a fifth as many nodes as relationships."""
    people, products, companies = relationships // 8, relationships // 16, relationships // 80
    for label, number, properties in (
        ("Person", people, "fullName: 'Person ' + i, born: date({year: 1930 + i % 80, month: 1 + i % 12, day: 3})"),
        ("Product", products, "title: 'Product ' + i, price: (i % 997) / 4.0"),
        ("Company", companies, "companyName: 'Company ' + i, founded: 1900 + i % 120"),
    ):
        graph.schema(f"CREATE INDEX number_{label} IF NOT EXISTS FOR (n:{label}) ON (n.number)")
        for start in range(0, number, BATCH):
            end = min(start + BATCH, number) - 1
            text = f"UNWIND range($start, $end) AS i CREATE (:{label} {{number: i, {properties}}})"
            graph.write(text, start=start, end=end, timeout=600)
    graph.read("CALL db.awaitIndexes(600)", timeout=600)
    made = products + people
    _connect(graph, "Product", "MADE_BY", "Company", products, 1, companies, "")
    _connect(graph, "Person", "WORKED_AT", "Company", people, 7, companies, "{since: 1990 + i % 35}")
    _connect(graph, "Person", "BOUGHT", "Product", relationships - made, 13, products, "{quantity: 1 + i % 9}", people)


def _connect(
    graph: Graph,
    subject: str,
    relation: str,
    target: str,
    number: int,
    step: int,
    modulus: int,
    properties: str,
    subjects: int | None = None,
) -> None:
    text = (
        f"UNWIND range($start, $end) AS i MATCH (a:{subject} {{number: i % $subjects}}) "
        f"MATCH (b:{target} {{number: (i * $step + i / $subjects) % $modulus}}) "
        f"CREATE (a)-[:{relation} {properties}]->(b)"
    )
    for start in range(0, number, BATCH):
        end = min(start + BATCH, number) - 1
        graph.write(text, start=start, end=end, step=step, modulus=modulus, subjects=subjects or number, timeout=600)


def main() -> None:
    """Generate, ask, index; one line each, and one JSON object at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relationships", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=64)
    arguments = parser.parse_args()
    os.environ["KGNEO_CACHE_DIR"] = cache = tempfile.mkdtemp()
    encoder = load_encoder()
    figures: dict[str, object] = {"relationships": arguments.relationships, "dimensions": arguments.dimensions}
    try:
        with scratch_graph("attach-scale") as graph:
            start = time.perf_counter()
            generate(graph, arguments.relationships)
            figures["generating_s"] = round(time.perf_counter() - start, 1)
            print(figures, flush=True)
            figures |= first_question(graph)
            print(figures, flush=True)
            figures |= indexing(graph, arguments.dimensions, encoder)
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    print(json.dumps(figures, indent=1))


def first_question(graph: Graph) -> dict[str, object]:
    """Seconds for a question with nothing cached, and for the next one."""
    start = time.perf_counter()
    context = open_context(graph)
    answer = ask(context, "when was the company founded that [Person 77] worked at?")
    first = time.perf_counter() - start
    start = time.perf_counter()
    ask(context, "which products has [Person 78] bought?")
    return {"first_s": round(first, 2), "next_s": round(time.perf_counter() - start, 2), "answer": answer.answer}


def indexing(graph: Graph, dimensions: int, real: object) -> dict[str, object]:
    """Time, rate by part, memory, and what is added to encoding alone."""
    process = psutil.Process()
    schema, shape = known_shape(graph)
    texts = []
    for pending in scan_relationships(graph, real, shape):  # type: ignore[arg-type]
        texts.append(pending.text)
        if len(texts) == SAMPLE:
            break
    start = time.perf_counter()
    real.encode(texts)  # type: ignore[attr-defined]
    encoding = (time.perf_counter() - start) / SAMPLE
    marks: list[tuple[int, float, float]] = []
    begun = time.perf_counter()

    def mark(progress: Progress) -> None:
        if progress.stage == "encoding" and progress.done >= (len(marks) + 1) * progress.total // 10:
            marks.append((progress.done, time.perf_counter() - begun, process.memory_info().rss / 1e6))
            print(f"  {progress.done:,} triples, {marks[-1][1]:.0f} s, {marks[-1][2]:.0f} MB", flush=True)

    report = build(graph, StubEncoder(dimensions), shape=shape, schema=schema, on_progress=mark)
    writing = marks[-1][1] / report.triples
    return {
        "triples": report.triples,
        "written_s": round(marks[-1][1], 1),
        "all_s": round(time.perf_counter() - begun, 1),
        "triples_per_s_by_tenth": [
            round((done - before) / (at - then))
            for (before, then, _), (done, at, _) in zip([(0, 0.0, 0.0), *marks], marks, strict=False)
        ],
        "memory_mb_by_tenth": [round(memory) for _, _, memory in marks],
        "encoding_alone_ms_per_triple": round(encoding * 1000, 2),
        "added_to_encoding": round(writing / encoding, 3),
    }


if __name__ == "__main__":
    main()
