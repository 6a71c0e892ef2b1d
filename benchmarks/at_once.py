"""Questions a second: eight at once in one process, against the same questions one after another.

KGNEO_METAQA=… python -m benchmarks.at_once
"""

from __future__ import annotations

import statistics
from concurrent.futures import ThreadPoolExecutor

from benchmarks.common import Line, indexed_metaqa, seconds
from benchmarks.retrieval import dev_questions
from kgneo.asking.question import ask, open_context
from kgneo.errors import KgneoError

AT_ONCE = 8
QUESTIONS, QUICK_QUESTIONS = 120, 40
ROUNDS = 3


def lines(*, quick: bool) -> list[Line]:
    """Questions a second, both ways in turn."""
    chosen = dev_questions()[: QUICK_QUESTIONS if quick else QUESTIONS]
    with indexed_metaqa() as graph, ThreadPoolExecutor(AT_ONCE) as pool:
        context = open_context(graph)

        def answer(question: str) -> bool:
            try:
                return bool(ask(context, question).answers)
            except KgneoError:
                return False

        for question in chosen:
            answer(question)
        pairs = [
            (
                len(chosen) / seconds(lambda: list(pool.map(answer, chosen))),
                len(chosen) / seconds(lambda: [answer(question) for question in chosen]),
            )
            for _ in range(1 if quick else ROUNDS)
        ]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / two for one, two in pairs)
    what = f"questions a second, {AT_ONCE} at once, one process"
    return [Line(what, "one after another", ours, theirs, "/s", ratio, 1.8, at_least=True)]


if __name__ == "__main__":
    print(*lines(quick=False), sep="\n")
