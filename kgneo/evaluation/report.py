"""The report of a run: report.md, summary.csv, summary.json, failed.csv and figures in its folder.

In come the summaries and the folder; out go files only. Numbers published elsewhere stand beside one's own
where a file of them is given.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgneo.evaluation import figures
from kgneo.evaluation.evaluate import Outcome, Samples
from kgneo.evaluation.failures import CLASSES, MINDFUL_CLASSES, rerun_command
from kgneo.evaluation.folder import ResultsFolder, write_json
from kgneo.evaluation.metrics import SCORES
from kgneo.evaluation.published import Published, read_published
from kgneo.evaluation.records import read_records
from kgneo.evaluation.run import Configuration
from kgneo.evaluation.summary import Group, RetrievalSummary, Summary, group, over_seeds
from kgneo.questions import Question

EXAMPLES = 3
"""Examples of each class of failure."""

HEADINGS = {
    "hit_at_1": "Hit@1",
    "hit_at_1_text": "Hit@1 text",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "exact": "exact",
    "grounded": "grounded",
    "unanswered": "unanswered",
}


OUTCOMES = {
    "answer": "answer",
    "choice": "choice",
    "not_in_graph": "not in the graph",
    "not_understood": "not understood",
}
NOT_APPLICABLE = "–"
"""In place of a score that a strategy has not."""


@dataclass(frozen=True, slots=True)
class Example:
    """A wrong answer: its question, what was the matter, and the command that asks it again."""

    question: Question
    detail: str
    command: str


@dataclass
class Failures:
    """Counts and first examples of each class, for one group of configurations."""

    counts: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[Example]] = field(default_factory=dict)


def write_report(outcome: Outcome, *, with_figures: bool = True) -> Path:
    """Write everything into the outcome's folder; returns the path of report.md.

    Raises UsageError when figures are wanted and matplotlib is missing, DataError for a bad file of published
    numbers.
    """
    folder, plan, dataset = outcome.folder, outcome.plan, outcome.dataset
    published = read_published(plan.published) if plan.published else Published()
    write_json(folder.path / "summary.json", outcome.to_dict())
    lines = [f"# {plan.title or f'Evaluation on {dataset}'}", ""]
    lines += [plan.description.strip(), ""] if plan.description else []
    lines += _asked(outcome)
    if outcome.retrieval:
        lines += _retrieval_part(outcome, with_figures=with_figures)
    else:
        lines += _answers_part(outcome, published, with_figures=with_figures)
    lines += _provenance(folder)
    path = folder.path / "report.md"
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return path


def _asked(outcome: Outcome) -> list[str]:
    plan = outcome.plan
    names = {"split": plan.split, "variant": plan.variant}
    place = ", ".join(f"{key} {value}" for key, value in names.items() if value)
    limit = "all questions" if plan.limit is None else f"{plan.limit} questions a part and seed"
    lines = [
        f"Data set {outcome.dataset}" + (f" ({place})" if place else "") + f"; {limit}; "
        f"seeds {', '.join(map(str, plan.seeds))}.",
        "The questions are in `questions.jsonl`, a record of each answer in `records/`.",
        "",
    ]
    if outcome.missing:
        lines += [f"The graph lacks {len(outcome.missing)} of the topic entities.", ""]
    return lines


def _answers_part(outcome: Outcome, published: Published, *, with_figures: bool) -> list[str]:
    folder = outcome.folder
    groups = group(outcome.summaries)
    _write_csv(folder.path / "summary.csv", outcome)
    lines = ["## Results", "", *results_table(groups, published), "", *_legend(groups, published)]
    lines += _outcome_lines(groups)
    lines += _type_lines(groups)
    latency: dict[str, list[tuple[int, float]]] = {}
    found = [collect(folder, members, outcome.samples, latency) for members in groups]
    if with_figures:
        drawn = figures.draw_all(folder.figures, groups, published, latency, splitting=outcome.splitting)
        lines += _figure_lines(drawn)
    lines += _failure_lines(groups, found)
    lines += _failed_lines(folder, outcome.summaries)
    return lines


def results_table(groups: Sequence[Group], published: Published) -> list[str]:
    """The Markdown table of `groups`, with a column of published Hit@1 where there are any."""
    known = [_published(members.configuration, published) for members in groups]
    heads = ["questions", "strategy", "N", "K", "seeds", "n"]
    heads += [*HEADINGS.values(), "p50 ms", "p95 ms", "calls", "tokens", "errors"]
    heads += ["published Hit@1"] if any(known) else []
    rows = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2)]
    for members, value in zip(groups, known, strict=True):
        row = [*_cell(members), str(members.seeds), str(members.n)]
        row += [_with_error(members, name) for name in HEADINGS]
        row += [f"{members.average(name):.1f}" for name in ("p50_ms", "p95_ms", "calls", "tokens")]
        row += [str(members.errors)]
        row += [value] if any(known) else []
        rows.append(row)
    return [f"| {' | '.join(row)} |" for row in rows]


def _cell(members: Group) -> list[str]:
    cell = members.configuration
    return [figures.part_title(cell.question_hops), cell.strategy, str(cell.hops), str(cell.top_k)]


def _type_lines(groups: Sequence[Group]) -> list[str]:
    """Hit@1 and exact sets of each type of question, where the questions have types."""
    rows = [
        [name, *_cell(members), str(part.n), f"{part.hit_at_1:.3f}", f"{part.exact:.3f}"]
        for members in groups
        for name, part in members.by_type.items()
    ]
    if not rows:
        return []
    heads = ["type", "questions", "strategy", "N", "K", "n", HEADINGS["hit_at_1"], HEADINGS["exact"]]
    table = [heads, ["---"] * 3 + ["---:"] * 5, *rows]
    return ["## By type of question", "", *(f"| {' | '.join(row)} |" for row in table), ""]


def _outcome_lines(groups: Sequence[Group]) -> list[str]:
    """The share of each outcome, where there are others than answers."""
    summaries = [item for members in groups for item in members.summaries]
    if not any(set(item.outcomes) - {"answer"} for item in summaries):
        return []
    heads = ["questions", "strategy", "N", "K", "seed", *OUTCOMES.values(), "exact of answers", "exact, first choice"]
    rows = [heads, ["---"] * 2 + ["---:"] * (len(heads) - 2)]
    for item in summaries:
        cell = item.configuration
        row = [figures.part_title(cell.question_hops), cell.strategy, str(cell.hops), str(cell.top_k), str(cell.seed)]
        row += [f"{item.outcomes.get(name, 0.0):.3f}" for name in OUTCOMES]
        rows.append([*row, f"{item.exact_of_answers:.3f}", f"{item.exact_first:.3f}"])
    words = "A choice counts as no answer in every score; the last column takes the first of each."
    return ["## Outcomes", "", words, "", *(f"| {' | '.join(row)} |" for row in rows), ""]


def _published(cell: Configuration, published: Published) -> str:
    value = published.find(cell.question_hops, cell.strategy, hops=cell.hops, top_k=cell.top_k)
    return str(value) if value else ""


def _with_error(members: Group, name: str) -> str:
    if not members.applies(name):
        return NOT_APPLICABLE
    if members.seeds > 1:
        return f"{members.mean(name):.3f} ± {members.deviation(name):.3f}"
    low, high = members.bar(name)
    return f"{members.mean(name):.3f} ({low:.3f}–{high:.3f})"


def _legend(groups: Sequence[Group], published: Published) -> list[str]:
    several = any(members.seeds > 1 for members in groups)
    words = (
        "Mean ± sample standard deviation over the seeds."
        if several
        else "In brackets: 95 % bootstrap interval over the questions."
    )
    if any(not members.applies("hit_at_1") for members in groups):
        words += f" {NOT_APPLICABLE}: the strategy answers in words and names no entity; its text counts."
    lines = [words + " Failed questions count as wrong. Every figure is defined in docs/evaluation.md.", ""]
    if published.source:
        lines += [
            f"Published: {published.source}. It counts as Hit@1 text does; ≈: read off a figure.",
            *published.notes,
            "",
        ]
    return lines


def _write_csv(path: Path, outcome: Outcome) -> None:
    heads = ["dataset", "split", "variant", "question_hops", "strategy", "hops", "top_k", "seed", "n"]
    scores = [part for name in SCORES for part in (name, f"{name}_low", f"{name}_high")]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*heads, *scores, "p50_ms", "p95_ms", "calls", "tokens", "errors"])
        for item in outcome.summaries:
            cell = item.configuration
            row: list[Any] = [outcome.dataset, outcome.plan.split, outcome.plan.variant, cell.question_hops]
            row += [cell.strategy, cell.hops, cell.top_k, cell.seed, item.n]
            for name in SCORES:
                values = (item.means[name], *item.intervals[name])
                row += [round(value, 6) if item.applies(name) else None for value in values]
            row += [round(value, 3) for value in (item.p50_ms, item.p95_ms, item.calls, item.tokens)]
            writer.writerow([*row, item.errors])


def collect(
    folder: ResultsFolder, members: Group, samples: Samples, latency: dict[str, list[tuple[int, float]]]
) -> Failures:
    """Count the classes of one group, and add (candidates, ms) of its counted questions to `latency`."""
    found = Failures()
    for summary in members.summaries:
        cell = summary.configuration
        questions = {question.id: question for question in samples[cell.question_hops, cell.seed]}
        for row in read_records(folder.diagnosis(cell)):
            if row["sampled"] and row["candidates"] and row["ms"] is not None:
                latency.setdefault(cell.strategy, []).append((sum(row["candidates"]), row["ms"]))
            kind = row["class"]
            if kind is None or row["id"] not in questions:
                continue
            found.counts[kind] += 1
            found.hits[kind] += int(row["hit"])
            examples = found.examples.setdefault(kind, [])
            if len(examples) < EXAMPLES:
                question = questions[row["id"]]
                command = rerun_command(question, cell, seeded=row["seeded"])
                examples.append(Example(question, row["detail"], command))
    return found


def _figure_lines(drawn: Sequence[tuple[str, str]]) -> list[str]:
    lines = ["## Figures", ""]
    for name, title in drawn:
        lines += [f"### {title}", "", f"![{title}](figures/{name}.png)", ""]
    return lines


def _failure_lines(groups: Sequence[Group], found: Sequence[Failures]) -> list[str]:
    if not any(part.counts for part in found):
        return []
    lines = ["## Why answers were wrong", ""]
    lines += [
        "Every answer whose set of entities is not the gold set, by the first check that it fails. "
        "In brackets: how many of them had a right first entity all the same.",
        "",
    ]
    kinds = [kind for kind in CLASSES if any(part.counts[kind] for part in found)]
    table = [["class", *(_short_name(members.configuration) for members in groups)]]
    table += [[CLASSES[kind], *(_count(part, kind) for part in found)] for kind in kinds]
    if len(groups) > len(kinds):
        table = [list(row) for row in zip(*table, strict=True)]
    table.insert(1, ["---"] + ["---:"] * (len(table[0]) - 1))
    lines += [f"| {' | '.join(row)} |" for row in table]
    lines.append("")
    for kind in kinds:
        lines += [f"### {CLASSES[kind][0].upper()}{CLASSES[kind][1:]}", ""]
        if kind in MINDFUL_CLASSES:
            lines += [f"In the taxonomy of Mindful-RAG: {MINDFUL_CLASSES[kind]}.", ""]
        examples = [example for part in found for example in part.examples.get(kind, [])][:EXAMPLES]
        for example in examples:
            lines += list(_example_lines(example))
    return lines


def _count(part: Failures, kind: str) -> str:
    count, hits = part.counts[kind], part.hits[kind]
    return f"{count} ({hits})" if count else "0"


def _short_name(cell: Configuration) -> str:
    part = "all" if cell.question_hops is None else f"{cell.question_hops}-hop"
    return f"{part} {cell.strategy} N={cell.hops} K={cell.top_k}"


def _example_lines(example: Example) -> Iterator[str]:
    question, detail = example.question, example.detail
    answers = ", ".join(question.gold[:5]) + (" …" if len(question.gold) > 5 else "") or "none"
    yield f"- {question.text} (`{question.id}`; gold: {answers})" + (f": {detail}" if detail else "")
    yield ""
    yield f"      {example.command}"
    yield ""


def _failed_lines(folder: ResultsFolder, summaries: Sequence[Summary]) -> list[str]:
    """List the questions that raised an error; all of them go into failed.csv."""
    path = folder.path / "failed.csv"
    if not any(item.errors for item in summaries):
        path.unlink(missing_ok=True)
        return []
    shown: list[str] = []
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["configuration", "id", "question", "error", "message"])
        for item in summaries:
            for record in read_records(folder.records(item.configuration)):
                error = record["error"]
                if not error:
                    continue
                writer.writerow(
                    [
                        item.configuration.name,
                        record["id"],
                        record["question"],
                        error["type"],
                        error["message"],
                    ]
                )
                if len(shown) < 50:
                    shown.append(f"- `{record['id']}` {record['question']}: {error['type']}: {error['message']}")
    total = sum(item.errors for item in summaries)
    return [
        "## Failed questions",
        "",
        f"{total} questions failed and count as wrong; all are in `failed.csv`.",
        "",
        *shown,
        "",
    ]


def _retrieval_part(outcome: Outcome, *, with_figures: bool) -> list[str]:
    folder = outcome.folder
    merged = over_seeds(outcome.retrieval)
    rows = outcome.to_dict()["runs"]
    with (folder.path / "summary.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(_flat(row) for row in rows)
    lines = ["## Retrieval", "", *retrieval_table(merged), ""]
    lines += [
        "Recall: the share of the gold path's triples found, a mean over the questions whose gold triples "
        "are known; complete: the share of those questions with all of them. Candidates: a mean, by the hop "
        "at which they were first reached.",
        "",
    ]
    if with_figures:
        name = figures.save(figures.retrieval_recall(merged), folder.figures, "retrieval")
        lines += _figure_lines([(name, "Recall of the gold path's triples by N and K")])
    return lines


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: json.dumps(value) if isinstance(value, list | dict) else value for key, value in row.items()}


def retrieval_table(summaries: Sequence[RetrievalSummary]) -> list[str]:
    """The Markdown table of retrieval alone."""
    heads = ["questions", "N", "K", "n", "with gold", "candidates by hop", "median", "recall, candidates"]
    heads += ["recall, top K", "complete, candidates", "complete, top K", "p50 ms", "p95 ms", "errors"]
    rows = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    for item in summaries:
        cell = item.configuration
        low, high = item.interval_top_k
        row = [figures.part_title(cell.question_hops), str(cell.hops), str(cell.top_k), str(item.n)]
        row += [str(item.with_gold), " + ".join(f"{value:.0f}" for value in item.candidates)]
        row += [f"{item.candidates_median:.0f}", f"{item.recall_candidates:.3f}"]
        row += [f"{item.recall_top_k:.3f} ({low:.3f}–{high:.3f})"]
        row += [f"{item.complete_candidates:.3f}", f"{item.complete_top_k:.3f}"]
        row += [f"{item.p50_ms:.1f}", f"{item.p95_ms:.1f}", str(item.errors)]
        rows.append(row)
    return [f"| {' | '.join(row)} |" for row in rows]


def _provenance(folder: ResultsFolder) -> list[str]:
    manifest = folder.manifest()
    lines = ["## Where these numbers come from", ""]
    for key, value in manifest["provenance"].items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if not text:
            continue
        lines.append(f"- {key}: {text}")
    sessions = folder.sessions()
    if sessions:
        wall = sum(row["wall_s"] for row in sessions)
        asked = sum(row["asked_s"] for row in sessions)
        workers = max(row["workers"] for row in sessions)
        lines.append(f"- time: {wall:.0f} s in all, {asked:.1f} s within questions, {workers} workers")
        if workers == 1 and asked:
            lines.append(f"- overhead of the harness: {100 * max(0.0, wall - asked) / asked:.2f} %")
    return [*lines, ""]
