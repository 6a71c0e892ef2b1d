"""How well relation paths are ranked without examples, on triples in memory.

    python -m benchmarks.path_ranking

The hand-made graphs of triples, with and without their labels: for each number of hops the share of questions whose
first path is the gold one, and whose first answer is right. How far the confidence can be trusted is measured by
`benchmarks.calibration`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.common import table
from kgneo.encoders.encoder import load_encoder
from kgneo.ranking.rank import score_paths
from kgneo.ranking.vectors import RankingCache
from kgneo.ranking.weights import Weights
from tests.path_questions import FILES, load_graph, load_questions


@dataclass(frozen=True)
class Asked:
    """One question ranked: whether its best path is the gold one, whether its first answer is right, seconds."""

    hops: int
    gold: bool
    right: bool
    seconds: float


def ask_graph(name: str, *, labelled: bool) -> Iterator[Asked]:
    """The questions of a graph."""
    graph = load_graph(name)
    statistics = graph.statistics()
    memory = RankingCache(load_encoder("minilm"))
    for item in load_questions(name):
        reached = graph.walk(item.entity)
        paths = {graph.relation_path(keys, labelled=labelled): keys for keys in reached}
        began = time.perf_counter()
        scored = score_paths(item.question, list(paths), statistics=statistics, cache=memory, weights=Weights())
        best = int(scored.scores.argmax())
        seconds = time.perf_counter() - began
        path, keys = list(paths.items())[best]
        hops = item.path.count("/") + 1
        if name == "people-paths":
            hops = item.path.count("//") + item.path.count("/^/") + 1
        yield Asked(hops, str(path) == item.path, min(reached[keys]) in item.answers, seconds)


def main() -> None:
    """Measure and print."""
    rows = []
    for name in FILES:
        for labelled in (True, False):
            if labelled and not load_graph(name).labels:
                continue
            asked = list(ask_graph(name, labelled=labelled))
            by_hops: dict[int, list[Asked]] = defaultdict(list)
            for item in asked:
                by_hops[item.hops].append(item)
            cells = [f"{share(by_hops[hops], 'gold')} / {share(by_hops[hops], 'right')}" for hops in (1, 2, 3)]
            median = 1000 * float(np.median([item.seconds for item in asked]))
            rows.append([name, "yes" if labelled else "no", len(asked), *cells, share(asked, "right"), f"{median:.1f}"])
    table(["graph", "labels", "questions", "1 hop", "2 hops", "3 hops", "all", "ms"], rows)


def share(asked: Sequence[Asked], what: str) -> str:
    return f"{np.mean([getattr(item, what) for item in asked]):.3f}"


if __name__ == "__main__":
    main()
