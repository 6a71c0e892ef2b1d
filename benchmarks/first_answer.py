"""From `kgneo load` to the first right answer, against loading the structure alone: whole processes on an empty graph.

    KGNEO_METAQA=… python -m benchmarks.first_answer

Without KGNEO_METAQA the graph is a generated one of as many triples. Ours: `kgneo load` until it says that questions
can be asked, then `kgneo ask`, while embeddings are being made; the load is ended with the answer. The reference:
`kgneo load --no-index`. The encoder is there, as it is from the second load on.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import Line, empty, kgneo, metaqa_folder, report, scratch_graph, seconds
from kgneo.encoders.encoder import load_encoder
from kgneo.loader import open_source, read_triples

STORE = "first-answer"
ROUNDS = 3
TRIPLES = 133_582
"""Of the generated graph: as many as MetaQA's."""
QUICK_TRIPLES = 30_000
"""Of either."""
RELATIONS = ("directed_by", "written_by", "starred_actors", "release_year", "in_language", "has_genre")
ASKED = "directed_by"
ASKABLE = "Questions can be asked"


def generated(file: Path, triples: int) -> Path:
    """Films, each with all relations, as delimited text."""
    draw = random.Random(0)  # noqa: S311 - no secret
    with file.open("w", encoding="utf-8") as stream:
        for number in range(triples):
            film, relation = number // len(RELATIONS), RELATIONS[number % len(RELATIONS)]
            stream.write(f"Film {film}\t{relation}\t{relation} {draw.randrange(1, 20_000)}\n")
    return file


def question(file: Path) -> tuple[str, set[str]]:
    """A question about a node from the middle of the file, and its answers."""
    triples = [loaded.triple for loaded in read_triples(open_source(file))]
    subject = next(item.subject for item in triples[len(triples) // 2 :] if item.relation == ASKED)
    answers = {item.object for item in triples if (item.subject, item.relation) == (subject, ASKED)}
    return f"who directed [{subject}]?", answers


def first_answer(file: Path, environment: Mapping[str, str], asked: str, answers: set[str]) -> float:
    """Seconds from the start of `kgneo load` to the answer. Raises RuntimeError for a wrong one."""
    started = time.perf_counter()
    load = subprocess.Popen(kgneo("load", str(file)), env=environment, stderr=subprocess.PIPE, text=True)
    assert load.stderr is not None
    try:
        for line in load.stderr:
            if ASKABLE in line:
                break
        found = subprocess.run(
            kgneo("ask", "--quiet", asked), env=environment, check=True, capture_output=True, text=True
        )
        taken = time.perf_counter() - started
    finally:
        load.terminate()  # in the background of a shell, an interrupt would be ignored
        load.communicate()
    if set(found.stdout.splitlines()) != answers:
        raise RuntimeError(f"{asked}: expected {sorted(answers)}, found {found.stdout.splitlines()}")
    return taken


def lines(*, quick: bool) -> list[Line]:
    """Both in turn, each on an empty graph."""
    load_encoder(report=report)
    with TemporaryDirectory(prefix="kgneo-first-answer-") as folder, scratch_graph(STORE) as graph:
        file, what = graph_file(Path(folder), quick=quick)
        asked, answers = question(file)
        environment = {**os.environ, "KGNEO_STORE": f"benchmark-{STORE}"}
        structure = kgneo("load", "--no-index", str(file))

        def load_structure() -> None:
            subprocess.run(structure, env=environment, check=True, capture_output=True)

        load_structure()  # the server has to warm up
        pairs = []
        for _ in range(1 if quick else ROUNDS):
            empty(graph)
            ours = first_answer(file, environment, asked, answers)
            empty(graph)
            pairs.append((ours, seconds(load_structure)))
    return [line_of(pairs, what)]


def graph_file(folder: Path, *, quick: bool) -> tuple[Path, str]:
    """The triples to load, and what they are in words: all of MetaQA, or generated ones, or the first of either."""
    number = QUICK_TRIPLES if quick else TRIPLES
    if "KGNEO_METAQA" not in os.environ:
        return generated(folder / "films.tsv", number), f"{number:,} generated triples"
    whole = metaqa_folder() / "kb.txt"
    if not quick:
        return whole, "MetaQA"
    file = folder / whole.name
    with whole.open(encoding="utf-8") as source, file.open("w", encoding="utf-8") as part:
        part.writelines(islice(source, number))
    return file, f"{number:,} triples of MetaQA"


def line_of(pairs: Sequence[tuple[float, float]], what: str) -> Line:
    """The medians of both, and of their ratios."""
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / two for one, two in pairs)
    return Line(f"`kgneo load` to the first right answer, {what}", "structure alone", ours, theirs, "s", ratio, 1.3)


if __name__ == "__main__":
    print(*lines(quick="--quick" in sys.argv[1:]), sep="\n")
