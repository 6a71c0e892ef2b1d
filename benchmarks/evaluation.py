"""What the harness itself costs, and `kg-rag` with a stand-in for the language model, through the harness.

    KGNEO_METAQA=… NEO4J_URI=… python -m benchmarks.evaluation [OUT [QUESTIONS]]

1. `paths` on every dev question of MetaQA (or QUESTIONS of each number of hops): time of the harness as a share of
   the questions' own time, and memory of the process at each tenth of the run.
2. `kg-rag` (N = 3, K = 30, 100 dev questions a hop) with the stand-in of the tests, which splits each
   question along its gold path and reads answers off the triples it is shown: with plain top K, and with relations.
3. Retrieval alone for N and K of the paper, 100 questions a hop.

Reports go below OUT, by default results/benchmark; a benchmark that was stopped goes on.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from benchmarks.common import indexed_metaqa, metaqa_folder, report, table
from kgneo.asking.question import open_context
from kgneo.context import Context, Options
from kgneo.evaluation.backend import graph_backend
from kgneo.evaluation.evaluate import Control, Outcome, evaluate
from kgneo.evaluation.experiment import Plan
from kgneo.evaluation.report import write_report
from kgneo.evaluation.run import Progress
from kgneo.evaluation.summary import group, over_seeds
from kgneo.questions import Dataset, reader
from tests.pipeline_stand_in import FILMS, StandIn

PLAN = Plan("metaqa", question_hops=(1, 2, 3))


@dataclass
class Memory:
    """Resident memory of this process (MB) at each tenth of a run."""

    total: int = 0
    done: int = 0
    megabytes: list[float] = field(default_factory=list)

    def start(self, total: int) -> None:
        """The run has `total` questions."""
        self.total, self.done = total, 0

    def step(self, _: Progress) -> None:
        """One more question."""
        self.done += 1
        if self.done * 10 // self.total > len(self.megabytes):
            self.megabytes.append(psutil.Process().memory_info().rss / 1e6)


def measure(context: Context, dataset: Dataset, plan: Plan, out: Path, *, memory: Memory | None = None) -> Outcome:
    """Run a plan and write its report."""
    watching = memory or Memory()
    control = Control(on_start=watching.start, on_progress=watching.step, notify=report)
    backend = graph_backend(context, options={"select": plan.select or None})
    outcome = evaluate(plan, dataset, backend, out=out, control=control)
    write_report(outcome)
    return outcome


def harness(context: Context, dataset: Dataset, out: Path, questions: int | None) -> None:
    """Overhead and memory on `paths`."""
    memory = Memory()
    plan = replace(PLAN, limit=questions)
    outcome = measure(context, dataset, plan, out / "paths", memory=memory)
    sessions = outcome.folder.sessions()
    wall, asked = (sum(row[name] for row in sessions) for name in ("wall_s", "asked_s"))
    print(f"paths: {sum(item.n for item in outcome.summaries)} questions in {wall:.0f} s")
    if asked:
        print(f"overhead of the harness: {100 * (wall - asked) / asked:.2f} %")
    print(f"memory (MB) at each tenth: {', '.join(f'{value:.0f}' for value in memory.megabytes)}")
    answers(outcome)


def stand_in(context: Context, dataset: Dataset, out: Path) -> None:
    """`kg-rag` with the stand-in."""
    every = [question for part in dataset.parts.values() for question in part]
    for select in ("top-k", "relations"):
        speaking = replace(context, model=StandIn(every, FILMS).model())
        plan = replace(PLAN, limit=100, strategies=("kg-rag",), select=select)
        print(f"stand-in, triples by {select}")
        answers(measure(speaking, dataset, plan, out / f"stand-in-{select}"))


def retrieval(context: Context, dataset: Dataset, out: Path) -> None:
    """Recall of gold triples."""
    plan = replace(PLAN, stage="retrieve", limit=100, hops=(1, 2, 3), top_k=(10, 20, 30))
    outcome = measure(context, dataset, plan, out / "retrieval")
    rows: list[list[object]] = []
    for item in over_seeds(outcome.retrieval):
        cell = item.configuration
        row = [cell.question_hops, cell.hops, cell.top_k, round(sum(item.candidates))]
        rows.append([*row, item.recall_candidates, item.recall_top_k, item.complete_top_k])
    table(["hops", "N", "K", "candidates", "recall, candidates", "recall, top K", "complete, top K"], rows)


def answers(outcome: Outcome) -> None:
    """Print the main figures."""
    rows: list[list[object]] = []
    for members in group(outcome.summaries):
        row: list[object] = [members.configuration.strategy, members.configuration.question_hops, members.n]
        row += [members.mean(name) for name in ("hit_at_1", "hit_at_1_text", "f1", "exact")]
        rows.append([*row, f"{members.average('p50_ms'):.1f}", f"{members.average('p95_ms'):.1f}"])
    table(["strategy", "hops", "n", "Hit@1", "Hit@1 text", "F1", "exact", "p50 ms", "p95 ms"], rows)


def main() -> None:
    """Measure all three."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else "results/benchmark")
    questions = int(sys.argv[2]) if len(sys.argv) > 2 else None
    dataset = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=())
    with indexed_metaqa() as graph:
        context = open_context(graph, options=Options(), report=report)
        stand_in(context, dataset, out)
        retrieval(context, dataset, out)
        harness(context, dataset, out, questions)


if __name__ == "__main__":
    main()
