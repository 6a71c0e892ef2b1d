"""What tuning does for a small language model: `kg-rag` with and without an adapter, beside `paths`.

    python -m benchmarks.tuning [--adapter FILE …] [--limit QUESTIONS] [--threads N] [--store NAME] [metaqa | FOLDER …]
    python -m benchmarks.tuning --write-others FILE [--others QUESTIONS]

The folders are graphs of benchmarks/graphs that nothing was trained on (geography and museum where none is named);
`metaqa` is the dev questions of KGNEO_METAQA, asked of the graph in `--store`. For each: Hit@1 by hops, replies in the
form that the prompts demand, answers with a name that no triple holds, seconds a question. `none` is the model alone.
The second form writes dev questions of MetaQA that the first does not ask, for `kgneo tune data --labelled`.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.common import empty, metaqa_folder, scratch_graph, table
from benchmarks.hand_made import fill
from kgneo.asking.question import ask, open_context
from kgneo.context import Context, Options
from kgneo.errors import KgneoError
from kgneo.evaluation.metrics import Scores, score
from kgneo.llm import load_model
from kgneo.model import Answer
from kgneo.questions import Question, reader, sample
from kgneo.settings import Settings, open_graph

HERE = Path(__file__).resolve().parent
KEPT_OUT = ("geography", "museum")
"""Graphs that nothing was trained on."""
HEADER = ("graph", "adapter", "hops", "questions", "Hit@1", "exact", "in form", "invented", "seconds")
NO_FORM = ("could not be read", "was no question", "was longer than an answer", "was cut off")
INVENTED = "No triple holds"
SEED = 7


@dataclass
class Measured:
    """What one model did on the questions of one number of hops."""

    hit: list[float] = field(default_factory=list)
    exact: list[float] = field(default_factory=list)
    formed: list[bool] = field(default_factory=list)
    invented: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, answer: Answer | None, question: Question, seconds: float) -> None:
        """One answer; None where the strategy ended in an error."""
        scores = score(answer, question) if answer else Scores()
        warnings = answer.warnings if answer else (NO_FORM[0],)
        self.hit.append(scores.hit_at_1)
        self.exact.append(scores.exact)
        self.formed.append(not any(words in warning for warning in warnings for words in NO_FORM))
        self.invented.append(any(warning.startswith(INVENTED) for warning in warnings))
        self.seconds.append(seconds)

    def row(self) -> tuple[object, ...]:
        """Its figures."""
        shares = [statistics.mean(values) for values in (self.hit, self.exact, self.formed, self.invented)]
        return (len(self.hit), *shares, statistics.median(self.seconds))


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", nargs="*", default=list(KEPT_OUT))
    parser.add_argument("--adapter", action="append", default=[])
    parser.add_argument("--limit", type=int, default=100)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--store")
    parser.add_argument("--write-others", type=Path, metavar="FILE")
    parser.add_argument("--others", type=int, default=400, help="questions a hop for it")
    given = parser.parse_args()
    if given.write_others:
        _write_others(given.write_others, given.limit, given.others)
        return
    rows = []
    for name in given.graphs:
        with _graph(name, given.store) as context:
            questions = _questions(name, given.limit)
            for adapter in (*given.adapter, "paths"):
                rows += _rows(name, adapter, questions, context, given.threads)
                table(HEADER, rows)


def _rows(
    name: str, adapter: str, questions: Sequence[Question], context: Context, threads: int | None
) -> list[tuple[object, ...]]:
    by_hops: dict[int, Measured] = {}
    if adapter != "paths":
        context = replace(context, model=load_model("smollm2", adapter=Path(adapter), threads=threads))
    strategy = "paths" if adapter == "paths" else "kg-rag"
    for question in questions:
        start = time.perf_counter()
        try:
            answer = ask(context, question.text, strategy=strategy)
        except KgneoError as error:
            print(question.text, error, file=sys.stderr)
            answer = None
        measured = by_hops.setdefault(question.hops or 0, Measured())
        seconds = time.perf_counter() - start
        measured.add(answer, question, seconds)
        _tell(question, answer, adapter, seconds)
    return [(name, Path(adapter).name, hops, *measured.row()) for hops, measured in sorted(by_hops.items())]


def _tell(question: Question, answer: Answer | None, adapter: str, seconds: float) -> None:
    """A line about one answer for whoever looks for causes."""
    record = {
        "adapter": adapter,
        "question": question.text,
        "hops": question.hops,
        "gold": question.answers,
        "answers": answer.answers if answer else (),
        "steps": [step.question for step in answer.steps] if answer else (),
        "warnings": answer.warnings if answer else (),
        "seconds": round(seconds, 2),
    }
    print(json.dumps(record, ensure_ascii=False), file=sys.stderr, flush=True)


@contextmanager
def _graph(name: str, store: str | None) -> Iterator[Context]:
    options = Options(seed=SEED)
    if name == "metaqa":
        with open_graph(Settings(store=store or "benchmark-metaqa", timeout=600), create=True) as graph:
            yield open_context(graph, options=options)
    else:
        with scratch_graph("tuning") as graph:
            empty(graph)
            fill(graph, HERE / "graphs" / name)
            yield open_context(graph, options=options)


def _write_others(path: Path, limit: int, each: int) -> None:
    """So many dev questions of MetaQA a hop that are not among the `limit` ones asked."""
    asked = {question.text for question in _questions("metaqa", limit)}
    with path.open("w", encoding="utf-8") as file:
        for question in _questions("metaqa", limit + each):
            if question.text not in asked:
                record = {"question": question.text, "answers": question.answers, "hops": question.hops}
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _questions(name: str, limit: int) -> list[Question]:
    """Those of MetaQA, so many a hop, or of a folder."""
    if name == "metaqa":
        dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=(1, 2, 3))
        parts = [sample(part, limit, seed=SEED) for part in dataset.parts.values()]
        return [question for together in zip(*parts, strict=False) for question in together]
    lines = (HERE / "graphs" / name / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    found = [
        Question(str(number), record["question"], tuple(record["answers"]), hops=record["hops"])
        for number, record in enumerate(records)
    ]
    random.Random(SEED).shuffle(found)  # noqa: S311 - which questions is no secret
    return found[:limit]


if __name__ == "__main__":
    main()
