"""How well relation paths are ranked without examples, and how far the confidence can be trusted.

    python -m benchmarks.path_ranking [--fit]

The hand-made graphs of triples, with and without their labels, in memory: for each number of hops the share of
questions whose first path is the gold one, and whose first answer is right; then what share of the best paths were
right by confidence, for these questions and for ones that no graph here can answer. The confidence of each graph's
questions is fitted on the other graphs. `--fit` prints the calibration fitted on all of them.
"""

from __future__ import annotations

import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import table
from kgneo.embedding import load_encoder
from kgneo.stages.path_vectors import RankingCache
from kgneo.stages.rank_paths import score_paths
from kgneo.stages.ranking_weights import Weights
from tests.path_questions import FILES, PathQuestion, load_graph, load_questions, masked

BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.01)
UNANSWERABLE = (
    "what is the shoe size of [X]?",
    "how tall is [X]?",
    "what is the favourite food of [X]?",
    "what colour are the eyes of [X]?",
    "which pets does [X] keep?",
    "what is the melting point of [X]?",
    "how do I cook [X]?",
    "tell me a joke about [X]",
    "what is the blood type of [X]?",
    "which operating system runs on [X]?",
    "how many legs does [X] have?",
    "what is the horsepower of [X]?",
    "who stole the bicycle of [X]?",
    "what is the weather like at [X] today?",
    "how heavy is [X]?",
    "which allergies does [X] have?",
    "what is the email address of [X]?",
    "who insured [X]?",
    "which dentist treats [X]?",
    "what is the warranty period of [X]?",
    "what did [X] have for breakfast?",
    "which vaccine was given to [X]?",
    "what is the wifi password of [X]?",
    "how fast can [X] run?",
    "which lawyer defended [X]?",
    "what is the tax rate of [X]?",
    "is [X] waterproof?",
    "who repairs [X]?",
    "which airline flies to [X]?",
    "what are the side effects of [X]?",
    "which font does [X] use?",
    "flurb the wibble of [X]",
    "what is the voltage of [X]?",
    "who cut the hair of [X]?",
    "which ingredients are in [X]?",
    "what is the chess rating of [X]?",
)


@dataclass(frozen=True)
class Asked:
    """One question ranked: evidence for its best path, whether that and its first answer were right, seconds."""

    graph: str
    hops: int
    evidence: tuple[float, ...]
    gold: bool
    right: bool
    seconds: float


def ask_graph(name: str, *, labelled: bool) -> Iterator[Asked]:
    """The questions of a graph, then unanswerable ones about the same entities (0 hops)."""
    graph = load_graph(name)
    statistics = graph.statistics()
    memory = RankingCache(load_encoder("minilm"))
    questions = load_questions(name)
    chance = random.Random(1)  # noqa: S311
    nonsense = [PathQuestion(masked(text), chance.choice(questions).entity, "", frozenset()) for text in UNANSWERABLE]
    for item in (*questions, *nonsense):
        reached = graph.walk(item.entity)
        paths = {graph.relation_path(keys, labelled=labelled): keys for keys in reached}
        began = time.perf_counter()
        scored = score_paths(item.question, list(paths), statistics=statistics, cache=memory, weights=Weights())
        best = int(scored.scores.argmax())
        seconds = time.perf_counter() - began
        path, keys = list(paths.items())[best]
        right = min(reached[keys]) in item.answers
        hops = item.path.count("/") + 1 if item.path else 0
        if name == "people-paths" and item.path:
            hops = item.path.count("//") + item.path.count("/^/") + 1
        yield Asked(name, hops, astuple(scored.evidence(best)), str(path) == item.path, right, seconds)


def fit(evidence: NDArray[np.float64], right: NDArray[np.float64], *, ridge: float = 0.02) -> NDArray[np.float64]:
    """Weights of a logistic regression, the constant last; every row counts alike, in sum for 5."""
    rows = np.c_[evidence, np.ones(len(evidence))]
    share = 5.0 / len(rows)
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = share * rows.T @ (likely - right) + ridge * np.r_[weights[:-1], 0.0]
        curve = share * (rows * (likely * (1.0 - likely))[:, None]).T @ rows + ridge * np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, slope)
    return weights


def held_out(asked: Sequence[Asked]) -> NDArray[np.float64]:
    """For each question the confidence by a calibration fitted on the other graphs."""
    evidence = np.array([item.evidence for item in asked])
    right = np.array([float(item.right) for item in asked])
    graphs = np.array([item.graph for item in asked])
    confidence = np.zeros(len(asked))
    for graph in set(graphs):
        mine = graphs == graph
        weights = fit(evidence[~mine], right[~mine])
        confidence[mine] = 1.0 / (1.0 + np.exp(-np.c_[evidence[mine], np.ones(mine.sum())] @ weights))
    return confidence


def main() -> None:
    every: list[Asked] = []
    rows = []
    for name in FILES:
        for labelled in (True, False):
            if labelled and not load_graph(name).labels:
                continue
            asked = list(ask_graph(name, labelled=labelled))
            every += asked
            by_hops: dict[int, list[Asked]] = defaultdict(list)
            for item in asked:
                by_hops[item.hops].append(item)
            known = [item for item in asked if item.hops]
            cells = [f"{share(by_hops[hops], 'gold')} / {share(by_hops[hops], 'right')}" for hops in (1, 2, 3)]
            median = 1000 * float(np.median([item.seconds for item in asked]))
            rows.append([name, "yes" if labelled else "no", len(known), *cells, share(known, "right"), f"{median:.1f}"])
    table(["graph", "labels", "questions", "1 hop", "2 hops", "3 hops", "all", "ms"], rows)
    confidence = held_out(every)
    right = np.array([item.right for item in every])
    senseless = np.array([item.hops == 0 for item in every])
    rows = []
    for low, high in pairwise(BINS):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            rows.append(
                [
                    f"{low:.2f} to {min(high, 1.0):.2f}",
                    int(inside.sum()),
                    f"{confidence[inside].mean():.2f}",
                    f"{right[inside].mean():.2f}",
                    int((inside & senseless).sum()),
                ]
            )

    table(["confidence", "questions", "mean", "right", "of them unanswerable"], rows)
    if "--fit" in sys.argv:
        weights = fit(np.array([item.evidence for item in every]), np.array([float(item.right) for item in every]))
        print("\n", " ".join(f"{weight:.2f}" for weight in weights))


def share(asked: Sequence[Asked], what: str) -> str:
    return f"{np.mean([getattr(item, what) for item in asked]):.3f}"


if __name__ == "__main__":
    main()
