"""Sets two runs side by side: which questions changed, and whether that can be chance.

In come two results folders (or record files); out goes a `Comparison`. Only questions that both runs asked
are compared. The exact McNemar test looks at right and wrong first answers; the paired permutation test takes
questions as a whole, so that several seeds of one question stay together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from kgneo.errors import DataError, UsageError
from kgneo.evaluation.folder import ResultsFolder
from kgneo.evaluation.metrics import BLOCK, Floats, mean
from kgneo.evaluation.records import Record, read_records
from kgneo.evaluation.run import Configuration

RESAMPLES = 10_000

Key = tuple[str, str]
"""A cell that both runs have, and a question's identifier."""


@dataclass(frozen=True, slots=True)
class Change:
    """A question whose first answer is right in one run alone."""

    id: str
    question: str
    before: str
    after: str
    better: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Run A against run B on the `n` questions that both asked (`only_a`, `only_b`: the others).

    `gained` are right in B alone, `lost` in A alone. `mcnemar` and `permutation` are two-sided p-values
    for Hit@1, `permutation_f1` for F1.
    """

    name_a: str
    name_b: str
    n: int
    only_a: int
    only_b: int
    hit_a: float
    hit_b: float
    f1_a: float
    f1_b: float
    changes: tuple[Change, ...]
    mcnemar: float
    permutation: float
    permutation_f1: float

    @property
    def gained(self) -> int:
        """Questions right in B alone."""
        return sum(change.better for change in self.changes)

    @property
    def lost(self) -> int:
        """Questions right in A alone."""
        return len(self.changes) - self.gained

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "a": self.name_a,
            "b": self.name_b,
            "n": self.n,
            "only_a": self.only_a,
            "only_b": self.only_b,
            "hit_at_1": [round(self.hit_a, 6), round(self.hit_b, 6)],
            "f1": [round(self.f1_a, 6), round(self.f1_b, 6)],
            "gained": self.gained,
            "lost": self.lost,
            "p_mcnemar": self.mcnemar,
            "p_permutation": self.permutation,
            "p_permutation_f1": self.permutation_f1,
            "changed": [
                {
                    "id": change.id,
                    "question": change.question,
                    "a": change.before,
                    "b": change.after,
                    "better": change.better,
                }
                for change in self.changes
            ],
        }


@dataclass(frozen=True, slots=True)
class _Result:
    hit: float
    f1: float
    first: str
    question: str
    gold: str


def compare(run_a: Path, run_b: Path, *, seed: int = 0) -> Comparison:
    """Compare two results folders, or two files of `records/`.

    Folders with one strategy, N and K each are compared even when these differ; folders with several are
    compared where they agree. Raises UsageError when that leaves nothing, DataError for runs on other
    questions or gold answers.
    """
    files_a, files_b = _cells(run_a), _cells(run_b)
    pairs = _paired(files_a, files_b)
    if not pairs:
        raise UsageError(
            f"nothing to compare: {run_a} has {_listed(files_a)}, {run_b} has {_listed(files_b)}",
            hint="Name one file of each folder's records/ instead.",
        )
    results_a: dict[Key, _Result] = {}
    results_b: dict[Key, _Result] = {}
    for name, (file_a, file_b) in pairs.items():
        results_a |= {(name, identifier): result for identifier, result in _results(file_a)}
        results_b |= {(name, identifier): result for identifier, result in _results(file_b)}
    shared = [key for key in results_a if key in results_b]
    if not shared:
        raise DataError(f"the runs have no question in common: {run_a} and {run_b}")
    for key in shared:
        if results_a[key].gold != results_b[key].gold:
            raise DataError(f"the question {key[1]!r} has other gold answers in {run_b} than in {run_a}")
    return _comparison(str(run_a), str(run_b), shared, results_a, results_b, seed)


def _comparison(
    name_a: str,
    name_b: str,
    shared: list[Key],
    results_a: Mapping[Key, _Result],
    results_b: Mapping[Key, _Result],
    seed: int,
) -> Comparison:
    scores = np.asarray(
        [(results_a[key].hit, results_b[key].hit, results_a[key].f1, results_b[key].f1) for key in shared]
    )
    changes = tuple(
        Change(
            key[1],
            results_a[key].question,
            results_a[key].first,
            results_b[key].first,
            results_b[key].hit > 0,
        )
        for key in shared
        if results_a[key].hit != results_b[key].hit
    )
    better = sum(change.better for change in changes)
    hit_a, hit_b, f1_a, f1_b = scores.mean(axis=0).tolist()
    differences = _by_question(shared, scores[:, [1, 3]] - scores[:, [0, 2]])
    chance = sign_flips(differences, seed=seed)
    return Comparison(
        name_a=name_a,
        name_b=name_b,
        n=len(shared),
        only_a=len(results_a) - len(shared),
        only_b=len(results_b) - len(shared),
        hit_a=hit_a,
        hit_b=hit_b,
        f1_a=f1_a,
        f1_b=f1_b,
        changes=changes,
        mcnemar=mcnemar(better, len(changes) - better),
        permutation=float(chance[0]),
        permutation_f1=float(chance[1]),
    )


def _by_question(shared: list[Key], differences: Floats) -> Floats:
    """Differences averaged over the cells (seeds) of each question."""
    places: dict[str, int] = {}
    index = np.asarray([places.setdefault(identifier, len(places)) for _, identifier in shared])
    total = np.zeros((len(places), differences.shape[1]))
    np.add.at(total, index, differences)
    averaged: Floats = total / np.bincount(index)[:, None]
    return averaged


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided McNemar test: the chance of a split at least as uneven when either way is as likely."""
    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def sign_flips(differences: Floats, *, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Two-sided p-values that the columns' mean differences are 0, by the paired permutation test.

    Which run is which is swapped for each question by chance, that is, the sign of its difference (n × m); the
    p-value is the share of such runs whose mean is at least as far from 0, counting the real one as well. For few
    questions every combination is tried.
    """
    changed = differences[np.any(differences != 0, axis=1)]  # a sign changes nothing about the others
    if len(changed) < 2:
        return np.ones(differences.shape[1])
    found = stats.permutation_test(
        (changed,),
        mean,
        permutation_type="samples",
        n_resamples=resamples,
        batch=max(1, BLOCK // changed.size),
        random_state=np.random.default_rng(seed),
    )
    chance: Floats = found.pvalue
    return chance


def _cells(run: Path) -> dict[Configuration | None, Path]:
    if run.is_file():
        return {None: run}
    folder = ResultsFolder(run)
    manifest = folder.manifest()
    if manifest["identity"].get("stage") != "ask":
        raise UsageError(f"{run} holds retrieval alone; only runs with answers can be compared")
    cells = {cell: folder.records(cell) for cell in folder.configurations()}
    present: dict[Configuration | None, Path] = {cell: path for cell, path in cells.items() if path.exists()}
    if not present:
        raise DataError("no records here yet", file=str(run))
    return present


def _listed(files: Mapping[Configuration | None, Path]) -> str:
    kinds = dict.fromkeys(f"{cell.strategy} N={cell.hops} K={cell.top_k}" for cell in files if cell is not None)
    return ", ".join(kinds) or "one file"


def _paired(
    files_a: Mapping[Configuration | None, Path], files_b: Mapping[Configuration | None, Path]
) -> dict[str, tuple[Path, Path]]:
    """Record files that belong together, by a name for the pair."""
    if None in files_a or None in files_b:
        if len(files_a) == len(files_b) == 1:
            return {"": (next(iter(files_a.values())), next(iter(files_b.values())))}
        return {}
    by_a = {cell: path for cell, path in files_a.items() if cell is not None}
    by_b = {cell: path for cell, path in files_b.items() if cell is not None}
    if _single(by_a) and _single(by_b):
        ends_a = {(cell.question_hops, cell.seed): path for cell, path in by_a.items()}
        ends_b = {(cell.question_hops, cell.seed): path for cell, path in by_b.items()}
        return {
            f"{part}/{seed}": (ends_a[part, seed], ends_b[part, seed])
            for part, seed in ends_a
            if (part, seed) in ends_b
        }
    return {cell.name: (by_a[cell], by_b[cell]) for cell in by_a if cell in by_b}


def _single(cells: Mapping[Configuration, Path]) -> bool:
    return len({(cell.strategy, cell.hops, cell.top_k) for cell in cells}) == 1


def _results(path: Path) -> Iterator[tuple[str, _Result]]:
    for record in read_records(path):
        scores = record.get("scores")
        if not isinstance(scores, dict):
            raise DataError("not the records of answers", file=str(path))
        yield (
            record["id"],
            _Result(
                scores["hit_at_1"],
                scores["f1"],
                _first(record),
                record["question"],
                json.dumps([record["gold_answers"], record.get("gold_nodes")], ensure_ascii=False),
            ),
        )


def _first(record: Record) -> str:
    if record["error"]:
        return f"error: {record['error']['type']}"
    answers: list[str] = record["answers"]
    return answers[0] if answers else "no answer"


def comparison_text(comparison: Comparison, *, shown: int = 20) -> str:
    """A comparison in words, with the first changed questions both ways."""
    lines = [
        f"A: {comparison.name_a}",
        f"B: {comparison.name_b}",
        f"{comparison.n} questions in both ({comparison.only_a} only in A, {comparison.only_b} only in B)",
        f"Hit@1 {comparison.hit_a:.3f} -> {comparison.hit_b:.3f}   F1 {comparison.f1_a:.3f} -> {comparison.f1_b:.3f}",
        f"right in B alone: {comparison.gained}, right in A alone: {comparison.lost}",
        f"p for Hit@1: {comparison.mcnemar:.4g} (exact McNemar), {comparison.permutation:.4g} (paired permutation)",
        f"p for F1: {comparison.permutation_f1:.4g} (paired permutation)",
    ]
    for better, title in ((True, "Right in B alone"), (False, "Right in A alone")):
        rows = [change for change in comparison.changes if change.better == better]
        if rows:
            lines += ["", f"{title}:"]
            lines += [f"  {row.id}  {row.question}  [{row.before} -> {row.after}]" for row in rows[:shown]]
            lines += [f"  and {len(rows) - shown} more (all with --json)"] if len(rows) > shown else []
    return "\n".join(lines)
