"""Three hops, top 30: kgneo against the same in memory, without a database.

    KGNEO_METAQA=… python -m benchmarks.nearest [--quick]

Topics from leaf to hub, half of them spread evenly over all nodes in order of degree and half over the logarithm of
their degree, each with a dev question. Side by side, topic by topic: kgneo (through its mirror, and, as a module of its
own without `--quick`, through the graph alone), networkx + NumPy (the paper's way), SciPy CSR + NumPy (about what a
machine can do), and one round trip of the driver. Of several runs of each the median counts.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Line, indexed_metaqa, seconds, table, without_mirror
from benchmarks.retrieval import dev_questions
from kgneo.encoders.encoder import load_encoder
from kgneo.graph.candidates import Reach, fresh_mirror, top_candidates
from kgneo.graph.mirror import Mirror
from kgneo.graph.open import Knowledge, open_knowledge

HOPS, TOP_K = 3, 30
TOPICS, QUICK_TOPICS = 200, 40
ROUNDS = 3
FEW = 2_000
SIZES = (500, 2_000, 8_000, 32_000, 10**9)


@dataclass(frozen=True)
class Memory:
    """The graph in memory, as the references have it."""

    ids: list[str]
    vectors: NDArray[np.float32]
    network: Any
    matrix: Any
    incidence: Any

    @classmethod
    def of(cls, mirror: Mirror) -> Memory:
        """A copy of a mirror's structure and vectors."""
        import networkx
        from scipy.sparse import csr_array

        network = networkx.MultiGraph()
        subjects, objects = mirror.subjects.tolist(), mirror.objects.tolist()
        network.add_edges_from(zip(subjects, objects, range(len(subjects)), strict=True))
        size, edges = len(mirror.nodes), np.arange(len(subjects))
        ends = np.concatenate([mirror.subjects, mirror.objects])
        others = np.concatenate([mirror.objects, mirror.subjects])
        ones = np.ones(len(ends), dtype=np.int8)
        return cls(
            [id_.decode() for id_ in mirror.ids],
            np.array(mirror.vectors),
            network,
            csr_array((ones, (ends, others)), shape=(size, size)),
            csr_array((ones, (ends, np.concatenate([edges, edges]))), shape=(size, len(edges))),
        )

    def through_networkx(self, topic: int, vector: NDArray[np.float32]) -> list[int]:
        """Breadth-first search, then the vectors of all edges found, compared at once."""
        import networkx

        near = networkx.single_source_shortest_path_length(self.network, topic, cutoff=HOPS - 1)
        edges = {key for _, _, key in self.network.edges(near, keys=True)}
        return self._nearest(np.fromiter(edges, dtype=np.int64, count=len(edges)), vector)

    def through_csr(self, topic: int, vector: NDArray[np.float32]) -> list[int]:
        """The same on arrays."""
        seen = np.zeros(self.matrix.shape[0], dtype=bool)
        frontier = np.array([topic])
        seen[frontier] = True
        for _ in range(HOPS - 1):
            reached = np.zeros_like(seen)
            reached[_row_entries(self.matrix, frontier)] = True
            frontier = np.flatnonzero(reached & ~seen)
            seen[frontier] = True
        found = np.zeros(self.incidence.shape[1], dtype=bool)
        found[_row_entries(self.incidence, np.flatnonzero(seen))] = True
        return self._nearest(np.flatnonzero(found), vector)

    def _nearest(self, edges: NDArray[Any], vector: NDArray[np.float32]) -> list[int]:
        scores = self.vectors[edges] @ vector
        best = np.argpartition(-scores, TOP_K - 1)[:TOP_K] if len(edges) > TOP_K else np.arange(len(edges))
        return [int(edges[place]) for place in best[np.argsort(-scores[best])]]


def _row_entries(matrix: Any, rows: NDArray[Any]) -> NDArray[Any]:
    first, counts = matrix.indptr[rows], matrix.indptr[rows + 1] - matrix.indptr[rows]
    before = np.cumsum(counts) - counts
    return np.asarray(matrix.indices[np.repeat(first - before, counts) + np.arange(counts.sum())])


@dataclass
class Measured:
    """Of one topic: how many candidates it has, seconds by way, and recall@30 against the references."""

    candidates: int
    times: dict[str, float] = field(default_factory=dict)
    recall: dict[str, float] = field(default_factory=dict)


def topics(mirror: Mirror, number: int) -> list[int]:
    """Nodes from leaf to hub: half of them spread evenly over all nodes in order of degree, most of which are leaves,
    half over the logarithm of the degree."""
    degrees = np.diff(mirror.out_from) + np.diff(mirror.in_from)
    order = np.argsort(degrees, kind="stable")
    even = np.linspace(0, len(order) - 1, number // 2).astype(int)
    hubs = np.searchsorted(degrees[order], np.geomspace(1, degrees.max(), number - number // 2))
    return [int(order[place]) for place in (*even, *hubs)]


def measure(*, quick: bool, alone: bool = False) -> list[Measured]:
    """All topics, each way in turn; `alone`: through the graph alone, too."""
    with indexed_metaqa() as graph:
        knowledge = open_knowledge(graph)
        mirror = the_mirror(knowledge)
        memory = Memory.of(mirror)
        openings = {"mirror": knowledge} | ({"graph": without_mirror(knowledge)} if alone else {})
        chosen = topics(mirror, QUICK_TOPICS if quick else TOPICS)
        vectors = load_encoder().encode(dev_questions()[: len(chosen)], query=True)
        measured = [_measure(openings, mirror, memory, *pair) for pair in zip(chosen, vectors, strict=True)]
        the_mirror(knowledge)  # it was used to the end
        return measured


def the_mirror(knowledge: Knowledge) -> Mirror:
    """The mirror that a command in another process left behind, which questions use."""
    if (mirror := fresh_mirror(knowledge)) is None:
        sys.exit("There is no mirror of the graph as it is now. Make it with `kgneo index --mirror`.")
    return mirror


def _measure(
    openings: dict[str, Knowledge], mirror: Mirror, memory: Memory, topic: int, vector: NDArray[np.float32]
) -> Measured:
    reach = Reach((mirror.nodes[topic].decode(),), HOPS)
    ways: dict[str, Callable[[], Any]] = {
        name: partial(top_candidates, knowledge, reach, vector, top_k=TOP_K) for name, knowledge in openings.items()
    } | {
        "networkx": lambda: memory.through_networkx(topic, vector),
        "CSR": lambda: memory.through_csr(topic, vector),
        "round trip": lambda: openings["mirror"].graph.read("RETURN 1"),
    }
    found = {name: way() for name, way in ways.items()}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(seconds(way))
    best = found["CSR"]
    last = float(memory.vectors[best[-1]] @ vector) - 1e-5
    recall = {name: min(1.0, sum((item.score or 0.0) >= last for item in found[name]) / len(best)) for name in openings}
    number = len(mirror.candidates(reach.entities, HOPS, out=False)[0])
    return Measured(number, {name: statistics.median(values) for name, values in times.items()}, recall)


def lines(*, quick: bool, alone: bool = False) -> list[Line]:
    """Measure, show by number of candidates, and compare."""
    measured = measure(quick=quick, alone=alone)
    show(measured)
    return compared(measured)


def compared(measured: list[Measured]) -> list[Line]:
    """What is compared with its references."""
    found = []
    for name, words, at_median, at_p95 in (
        ("networkx", "networkx + NumPy in memory", 0.6, 0.6),
        ("CSR", "SciPy CSR + NumPy in memory", 1.5, 2.0),
    ):
        for quantile, reach in ((50, at_median), (95, at_p95)):
            ours, theirs = (
                float(np.percentile([item.times[way] for item in measured], quantile)) * 1e3 for way in ("mirror", name)
            )
            what = f"3 hops, top {TOP_K}, {len(measured)} topics, p{quantile}"
            found.append(Line(what, words, ours, theirs, "ms", ours / theirs, reach))
    few = [item for item in measured if item.candidates <= FEW]
    ours, theirs = (statistics.median(item.times[way] for item in few) * 1e3 for way in ("mirror", "round trip"))
    ratio = statistics.median(item.times["mirror"] / item.times["round trip"] for item in few)
    found.append(Line(f"the same, up to {FEW:,} candidates", "one round trip", ours, theirs, "ms", ratio, 4.0))
    recall = statistics.mean(item.recall["mirror"] for item in measured)
    found.append(Line("recall@30 of the same", "every candidate scored", recall, 1.0, "", recall, 0.995, at_least=True))
    return found


def show(measured: list[Measured]) -> None:
    """By number of candidates: medians in milliseconds, and recall."""
    ways, openings = list(measured[0].times), list(measured[0].recall)
    rows: list[tuple[object, ...]] = []
    least = 0
    for size in SIZES:
        part = [item for item in measured if least < item.candidates <= size]
        least = size
        if part:
            medians = [f"{statistics.median(item.times[way] for item in part) * 1e3:.1f}" for way in ways]
            recall = [statistics.mean(item.recall[opening] for item in part) for opening in openings]
            rows.append((f"up to {max(item.candidates for item in part):,}", len(part), *medians, *recall))
    times, shares = [f"{way}, ms" for way in ways], [f"recall, {opening}" for opening in openings]
    table(("candidates", "topics", *times, *shares), rows)


if __name__ == "__main__":
    few = "--quick" in sys.argv[1:]
    print(*lines(quick=few, alone=not few), sep="\n")
