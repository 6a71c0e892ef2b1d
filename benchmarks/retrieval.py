"""Three hops, top 30: the way that kgneo takes without a mirror against scoring every candidate in Cypher.

    KGNEO_METAQA=… python -m benchmarks.retrieval

First on hubs of 17,000 to 68,000 candidates (time, pair by pair), then recall@30 over 200 dev questions, half of them
about hubs and half about leaves. Last, both ways by number of candidates: where `EXACT_UP_TO` comes from.
"""

from __future__ import annotations

import random
import statistics
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import indexed_metaqa, metaqa_folder, paired, report, seconds, table, without_mirror
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.graph import candidates
from kgneo.graph.candidates import Reach, count_candidates, top_candidates
from kgneo.stages.link import link

ROUNDS = 5
QUESTIONS = 200
TOP_K = 30
HUBS = (17_000, 68_000)


def dev_questions() -> list[str]:
    """All dev questions, in a fixed random order."""
    lines = []
    for hops in (1, 2, 3):
        text = (metaqa_folder() / f"{hops}-hop/vanilla/qa_dev.txt").read_text(encoding="utf-8")
        lines += [line.split("\t")[0] for line in text.splitlines()]
    random.Random(0).shuffle(lines)  # noqa: S311
    return lines


def hubs(context: Context) -> list[tuple[str, Reach, int]]:
    """Entities whose candidates within three hops number between 17,000 and 68,000."""
    rows = context.graph.read(
        "MATCH (n:Entity) WITH n, COUNT { (n)--() } AS degree ORDER BY degree DESC LIMIT 60 "
        "RETURN elementId(n) AS id, n.name AS name"
    )
    found = []
    for row in rows:
        reach = Reach((row["id"],), 3)
        candidates = sum(count_candidates(context.knowledge, reach))
        if HUBS[0] <= candidates <= HUBS[1]:
            found.append((row["name"], reach, candidates))
    return sorted(found, key=lambda hub: hub[2])


def compare(context: Context, reach: Reach, question: str, rounds: int) -> tuple[float, float, float]:
    """Seconds through kgneo's way, seconds exact, and the ratio exact / kgneo's way."""
    vector = context.encoder.encode([question], query=True)[0]
    exact, ours, ratio = paired(
        lambda: top_candidates(context.knowledge, reach, vector, top_k=TOP_K, exact=True),
        lambda: top_candidates(context.knowledge, reach, vector, top_k=TOP_K),
        rounds=rounds,
    )
    return ours, exact, ratio


def recall(context: Context, reach: Reach, question: str) -> float:
    """Share of the exact top 30's scores that the chosen way reaches (equal scores count as equal triples)."""
    vector = context.encoder.encode([question], query=True)[0]
    exact = top_candidates(context.knowledge, reach, vector, top_k=TOP_K, exact=True)
    ours = top_candidates(context.knowledge, reach, vector, top_k=TOP_K)
    if not exact:
        return 1.0
    last = (exact[-1].score or 0.0) - 1e-6
    return sum((candidate.score or 0.0) >= last for candidate in ours) / len(exact)


def main() -> None:
    """Measure and print."""
    with indexed_metaqa() as graph:
        context = open_context(graph)
        context = replace(context, knowledge=without_mirror(context.knowledge))
        questions = dev_questions()
        rows: list[tuple[object, ...]] = []
        for number, (name, reach, candidates) in enumerate(hubs(context)[:: max(1, len(hubs(context)) // 8)]):
            question = questions[number]
            compare(context, reach, question, 1)
            rows.append((name, candidates, *compare(context, reach, question, ROUNDS)))
        table(("hub", "candidates", "kgneo, s", "exact, s", "exact / kgneo"), rows)
        report("recall …")
        measure_recall(context, questions)
        report("threshold …")
        measure_threshold(context, questions)


def measure_recall(context: Context, questions: list[str]) -> None:
    """Recall@30 over mixed hubs and leaves."""
    reached = [(question, hub[1]) for question, hub in zip(questions, hubs(context) * QUESTIONS, strict=False)]
    mixed = reached[: QUESTIONS // 2]
    for question in questions[QUESTIONS : QUESTIONS + QUESTIONS // 2]:
        mixed.append((question, Reach(link(context.knowledge, question).entity_ids, 3)))
    values = [recall(context, reach, question) for question, reach in mixed]
    table(("questions", "mean recall@30", "least"), [(len(values), float(np.mean(values)), min(values))])


def measure_threshold(context: Context, questions: list[str]) -> None:
    """Median time of both ways by number of candidates."""
    by_size: dict[int, list[tuple[float, float]]] = {}
    for question in questions[:150]:
        reach = Reach(link(context.knowledge, question).entity_ids, 3)
        vector = context.encoder.encode([question], query=True)[0]
        size = sum(count_candidates(context.knowledge, reach))
        candidates.EXACT_UP_TO = 0
        exact = best_of_three(context, reach, vector, exact=True)
        through_index = best_of_three(context, reach, vector, exact=False)
        by_size.setdefault(int(np.log2(max(size, 1))), []).append((exact, through_index))
    rows = [
        (
            f"{2**power:,} to {2 ** (power + 1):,}",
            len(pairs),
            *(statistics.median(column) for column in zip(*pairs, strict=True)),
        )
        for power, pairs in sorted(by_size.items())
    ]
    table(("candidates", "questions", "exact, s", "through the index, s"), rows)


def best_of_three(context: Context, reach: Reach, vector: NDArray[np.float32], *, exact: bool) -> float:
    """Seconds of the fastest of three runs, after one that is not counted."""

    def action() -> object:
        return top_candidates(context.knowledge, reach, vector, top_k=TOP_K, exact=exact)

    action()
    return min(seconds(action) for _ in range(3))


if __name__ == "__main__":
    main()
