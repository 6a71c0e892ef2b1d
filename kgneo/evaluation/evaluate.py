"""Measures a plan from beginning to end: sample, ask, diagnose, summarise, report.

In come a `Plan`, a `Dataset` and a `Backend`; out comes a results folder and the summaries. Each part can be
stopped and started again; the folder refuses another plan, graph, encoder or model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kgneo.errors import DataError, UsageError
from kgneo.evaluation import failures, provenance
from kgneo.evaluation.experiment import Plan
from kgneo.evaluation.folder import ResultsFolder, short_hash
from kgneo.evaluation.records import Record, RecordFile, read_records
from kgneo.evaluation.run import (
    Backend,
    Configuration,
    Effort,
    Patience,
    Progress,
    ask_record,
    grid,
    retrieve_record,
    run_configuration,
)
from kgneo.evaluation.summary import RetrievalSummary, Summary, summarise, summarise_retrieval
from kgneo.questions import Dataset, Question, hash_questions, sample

COUNTED = 300
"""Questions of each configuration whose candidates are counted for the figure of time against candidates."""

Samples = Mapping[tuple[int | None, int], Sequence[Question]]


@dataclass(frozen=True, slots=True)
class Control:
    """How a run is carried out; nothing here changes its results. `on_start` gets the number of questions to
    ask in all."""

    workers: int = 1
    wait_s: float = 600.0
    retry_failed: bool = False
    diagnose: bool = True
    on_start: Callable[[int], None] = lambda _: None
    on_progress: Callable[[Progress], None] = lambda _: None
    notify: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured. Either `summaries` or `retrieval` is empty, by the plan's stage; `missing` are topic
    entities that the graph lacks, `splitting` the strategies that may ask sub-questions."""

    folder: ResultsFolder
    plan: Plan
    dataset: str
    samples: Samples
    summaries: tuple[Summary, ...] = ()
    retrieval: tuple[RetrievalSummary, ...] = ()
    missing: tuple[str, ...] = ()
    splitting: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, Any]:
        """The object that `kgneo eval --json` prints."""
        where = {"dataset": self.dataset, "split": self.plan.split, "variant": self.plan.variant}
        answers = [item.to_dict(**where) for item in self.summaries]
        return {"runs": answers or [item.to_dict(**where) for item in self.retrieval]}


def draw_samples(plan: Plan, dataset: Dataset) -> dict[tuple[int | None, int], tuple[Question, ...]]:
    """The questions of every part and seed."""
    return {
        (part, seed): sample(questions, plan.limit, seed=seed)
        for part, questions in dataset.parts.items()
        for seed in plan.seeds
    }


def identity(plan: Plan, dataset: Dataset, samples: Samples, backend: Backend) -> dict[str, Any]:
    """Everything that two runs must share to be one."""
    asked = [question for questions in samples.values() for question in questions]
    wanted = asdict(plan)
    for key in ("title", "description", "published"):
        del wanted[key]
    return {
        **wanted,
        "dataset": dataset.name,
        "question_hops": list(dataset.parts),
        "questions": hash_questions(asked),
        "kgneo": provenance.versions().get("kgneo", "unknown"),
        **backend.facts,
    }


def default_folder(plan: Plan, dataset: Dataset, wanted: Mapping[str, Any]) -> Path:
    """`results/NAME-STAGE-HASH`: the same command finds its folder again, another gets another."""
    words = [dataset.name, plan.split, plan.variant, plan.stage]
    name = "-".join(word for word in words if word)
    return Path("results") / f"{name}-{short_hash(wanted)}"


def check_entities(samples: Samples, backend: Backend) -> tuple[str, ...]:
    """Topic entities of the questions that the graph does not hold.

    Raises DataError when it lacks half of them or more: then these are questions about another graph.
    """
    if backend.missing is None:
        return ()
    names = {name for questions in samples.values() for item in questions for name in item.entities}
    if not names:
        return ()
    missing = tuple(sorted(backend.missing(sorted(names))))
    if 2 * len(missing) >= len(names):
        raise DataError(
            f"the graph lacks {len(missing)} of the {len(names)} topic entities of these questions, "
            f"such as {', '.join(missing[:3])}",
            hint="Load the graph that the questions are about with `kgneo load`, or choose its store or URI.",
        )
    return missing


def evaluate(
    plan: Plan, dataset: Dataset, backend: Backend, *, out: Path | None = None, control: Control | None = None
) -> Outcome:
    """Run `plan`, or go on with it, and summarise it.

    Raises UsageError for a folder of another run, DataError for questions that do not fit the graph,
    LostServerError when a server stays away, and what concerns every question (no index, no model).
    KeyboardInterrupt leaves a folder that the same call goes on with.
    """
    control = control or Control()
    if plan.stage == "retrieve" and (backend.retrieve is None or backend.gold is None):
        raise UsageError("retrieval cannot be measured here: no retriever is at hand")
    plan = replace(plan, split=dataset.split, variant=dataset.variant)
    if not plan.brackets:
        dataset = dataset.without_brackets()
    samples = draw_samples(plan, dataset)
    wanted = identity(plan, dataset, samples, backend)
    folder = ResultsFolder(out or default_folder(plan, dataset, wanted))
    missing = check_entities(samples, backend)
    if missing:
        control.notify(f"The graph lacks {len(missing)} topic entities, such as {', '.join(missing[:3])}.")
    cells = grid(
        strategies=plan.strategies if plan.stage == "ask" else ("retrieve",),
        hops=plan.hops,
        top_k=plan.top_k,
        seeds=plan.seeds,
        question_hops=tuple(dataset.parts),
    )
    with folder.lock():
        if folder.claim(wanted, cells, provenance.gather(wanted)):
            control.notify(f"Going on with {folder.path}.")
        folder.write_questions(samples)
        if plan.stage == "retrieve":
            recalls = _measure_retrieval(plan, cells, samples, backend, folder, control)
            return Outcome(folder, plan, dataset.name, samples, retrieval=recalls, missing=missing)
        answers = _measure_answers(cells, samples, backend, folder, control)
        splitting = frozenset(name for name in plan.strategies if backend.strategy(name).splits)
        return Outcome(folder, plan, dataset.name, samples, summaries=answers, missing=missing, splitting=splitting)


def _measure_answers(
    cells: Sequence[Configuration],
    samples: Samples,
    backend: Backend,
    folder: ResultsFolder,
    control: Control,
) -> tuple[Summary, ...]:
    patience = Patience(backend.alive, control.wait_s, notify=control.notify)
    control.on_start(sum(len(samples[cell.question_hops, cell.seed]) for cell in cells))
    for cell in cells:
        questions = samples[cell.question_hops, cell.seed]
        work = partial(ask_record, configuration=cell, ask=backend.ask, in_words=_in_words(backend, cell))
        _run(cell, questions, folder.records(cell), work, folder, control, patience)
    if control.diagnose:
        control.notify("Looking at what went wrong.")
        for cell in cells:
            _diagnose(cell, samples[cell.question_hops, cell.seed], backend, folder, control)
    return summaries(folder, cells, samples, backend)


def _in_words(backend: Backend, cell: Configuration) -> bool:
    """Whether a strategy answers without the graph, and so names nothing of it."""
    return not backend.strategy(cell.strategy).needs.graph


def summaries(
    folder: ResultsFolder, cells: Sequence[Configuration], samples: Samples, backend: Backend
) -> tuple[Summary, ...]:
    """The figures of every configuration, from what the folder holds."""
    return tuple(
        summarise(
            cell,
            read_records(folder.records(cell)),
            [question.id for question in samples[cell.question_hops, cell.seed]],
            in_words=_in_words(backend, cell),
        )
        for cell in cells
    )


def _run(
    cell: Configuration,
    questions: Sequence[Question],
    path: Path,
    work: Callable[[Question], Record],
    folder: ResultsFolder,
    control: Control,
    patience: Patience,
) -> Effort:
    drop = failures.has_failed if control.retry_failed else None
    with RecordFile(path, drop=drop) as records:
        if records.repaired:
            control.notify(f"Cut {records.repaired} bytes of a torn last line off {path.name}.")
        effort = run_configuration(
            cell,
            questions,
            records,
            work,
            workers=control.workers,
            patience=patience,
            on_progress=control.on_progress,
        )
    if effort.questions:
        folder.add_session(effort)
    return effort


def _diagnose(
    cell: Configuration,
    questions: Sequence[Question],
    backend: Backend,
    folder: ResultsFolder,
    control: Control,
) -> None:
    by_id = {question.id: question for question in questions}
    counted: list[str] = []
    if backend.retrieve is not None and backend.strategy(cell.strategy).needs.graph:
        counted = [question.id for question in sample(questions, COUNTED, seed=cell.seed)]
    patience = Patience(backend.alive, control.wait_s, notify=control.notify)
    chosen = frozenset(counted)
    # A failed question may have been asked again since, so its row is always made anew.
    with RecordFile(folder.diagnosis(cell), drop=lambda row: row["class"] == "failed") as rows:
        for record in read_records(folder.records(cell)):
            if record["id"] in rows.done or record["id"] not in by_id:
                continue
            sampled = record["id"] in chosen
            if sampled or failures.needs_diagnosis(record):
                look = partial(failures.diagnose, record=record, configuration=cell, backend=backend, sampled=sampled)
                rows.append(patience.call(look, by_id[record["id"]]))


def _measure_retrieval(
    plan: Plan,
    cells: Sequence[Configuration],
    samples: Samples,
    backend: Backend,
    folder: ResultsFolder,
    control: Control,
) -> tuple[RetrievalSummary, ...]:
    """One retrieval a question and N, with the largest K, serves every K."""
    patience = Patience(backend.alive, control.wait_s, notify=control.notify)
    most = max(plan.top_k)
    found = []
    total = sum(len(samples[cell.question_hops, cell.seed]) for cell in cells)
    control.on_start(total // len(set(plan.top_k)))
    for cell in cells:
        widest = replace(cell, top_k=most)
        questions = samples[cell.question_hops, cell.seed]
        if cell.top_k == plan.top_k[0]:
            work = partial(retrieve_record, configuration=widest, backend=backend, top_k=plan.top_k)
            _run(widest, questions, folder.records(widest), work, folder, control, patience)
        order = [question.id for question in questions]
        found.append(summarise_retrieval(cell, read_records(folder.records(widest)), order))
    return tuple(found)
