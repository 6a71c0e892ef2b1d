"""How far the confidence of an answer can be trusted, and the calibration behind it.

    python -m benchmarks.calibration [--fit]

The questions in brackets of all hand-made graphs, triples and property graphs, and questions about the same entities
that none of them can answer: what share of the best readings is right, by confidence. The confidence of each graph's
questions comes from a calibration fitted on the other graphs. `--fit` prints the one fitted on all of them, which
kgneo/ranking/weights.py holds.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import empty, scratch_graph, table
from benchmarks.hand_made import fill, graph_folders
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.graph.walks import follow
from kgneo.ranking.weights import CALIBRATION, Evidence
from kgneo.stages.choose_reading import rank_readings
from kgneo.stages.link import readings

BINS = (0.0, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 1.01)
UNANSWERABLE = (
    "what is the shoe size of [X]?",
    "what is the favourite food of [X]?",
    "what colour are the eyes of [X]?",
    "which pets does [X] keep?",
    "what is the melting point of [X]?",
    "tell me a joke about [X]",
    "how many legs does [X] have?",
    "what is the horsepower of [X]?",
    "who stole the bicycle of [X]?",
    "what is the weather like at [X] today?",
    "who insured [X]?",
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
    "which font does [X] use?",
    "flurb the wibble of [X]",
    "what is the voltage of [X]?",
    "who cut the hair of [X]?",
    "what is the chess rating of [X]?",
)


@dataclass(frozen=True)
class Asked:
    """One question ranked: the evidence for its best reading, whether that is right, whether the graph can answer."""

    graph: str
    evidence: tuple[float, ...]
    right: bool
    answerable: bool


def ask_graph(context: Context, folder: Path) -> Iterator[Asked]:
    """The questions of a graph, then unanswerable ones about the same entities."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    known = [(record["question"], set(record["answers"])) for record in map(json.loads, lines)]
    chance = random.Random(1)  # noqa: S311
    names = [question[question.index("[") : question.index("]") + 1] for question, _ in known]
    nonsense: list[tuple[str, set[str]]] = [(text.replace("[X]", chance.choice(names)), set()) for text in UNANSWERABLE]
    for question, gold in (*known, *nonsense):
        ranked = rank_readings(context, readings(context.knowledge, question)[:1])
        if not ranked or ranked[0].ranked.evidence is None:
            continue
        best = ranked[0]
        followed = follow(context.knowledge, best.linked.entity_ids, best.path, limit=1)
        right = bool(followed.found) and followed.found[0].entity.name in gold
        yield Asked(folder.name, astuple(ranked[0].ranked.evidence), right, bool(gold))


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


def by_confidence(asked: Sequence[Asked], confidence: NDArray[np.float64]) -> None:
    """Print, for each range of confidence, how many questions are in it and what share of them is right."""
    right = np.array([item.right for item in asked])
    answerable = np.array([item.answerable for item in asked])
    rows = []
    for low, high in pairwise(BINS):
        inside = (confidence >= low) & (confidence < high)
        if inside.any():
            rows.append(
                (
                    f"{low:.2f} to {min(high, 1.0):.2f}",
                    int(inside.sum()),
                    f"{confidence[inside].mean():.2f}",
                    f"{right[inside].mean():.2f}",
                    int((inside & ~answerable).sum()),
                )
            )
    table(("confidence", "questions", "mean", "right", "of them unanswerable"), rows)


def main() -> None:
    """Measure and print."""
    asked: list[Asked] = []
    with scratch_graph("calibration") as graph:
        for folder in graph_folders():
            empty(graph)
            fill(graph, folder)
            asked += ask_graph(open_context(graph), folder)
    print("Fitted on the other graphs:\n")
    by_confidence(asked, held_out(asked))
    print("\nAs it is in use:\n")
    by_confidence(asked, np.array([CALIBRATION.probability(Evidence(*item.evidence)) for item in asked]))
    if "--fit" in sys.argv:
        weights = fit(np.array([item.evidence for item in asked]), np.array([float(item.right) for item in asked]))
        print("\n", " ".join(f"{weight:.2f}" for weight in weights))


if __name__ == "__main__":
    main()
