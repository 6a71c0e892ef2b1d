"""`kg-rag` measured on the real sample graph, with the stand-in in place of a language model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kgneo.context import Context
from kgneo.evaluation.backend import graph_backend, hash_prompts
from kgneo.evaluation.evaluate import Outcome, evaluate
from kgneo.evaluation.experiment import Plan
from kgneo.evaluation.failures import CLASSES
from kgneo.evaluation.records import read_records
from kgneo.evaluation.report import write_report
from kgneo.prompts import Prompts
from kgneo.questions import Dataset, JsonlReader
from kgneo.sample import questions_path
from tests.pipeline_stand_in import StandIn


def sample_questions() -> Dataset:
    """The questions of the sample, whose paths are plain."""
    return JsonlReader().read(questions_path(), split="", variant="", question_hops=())


def stand_in(dataset: Dataset) -> StandIn:
    """Sub-questions in the same words for every relation."""
    every = [question for part in dataset.parts.values() for question in part]
    hops = {(hop.relation, hop.forward) for question in every if question.path for hop in question.path.hops}
    wordings = {
        (relation, forward): f"What is {relation} of {{}}?" if forward else f"What has {{}} as {relation}?"
        for relation, forward in hops
    }
    return StandIn(every, wordings)


def measure(context: Context, folder: Path, **changes: object) -> Outcome:
    dataset = sample_questions()
    plan = Plan("jsonl", strategies=("kg-rag",), select="top-k").changed(**changes)
    context = replace(context, model=stand_in(dataset).model())
    return evaluate(plan, dataset, graph_backend(context, options={"select": plan.select}), out=folder)


def test_every_question_is_right_when_nothing_is_cut_off(sample_context: Context, tmp_path: Path) -> None:
    outcome = measure(sample_context, tmp_path / "run", top_k=(400,))
    assert [item.means["hit_at_1"] for item in outcome.summaries] == [1.0, 1.0, 1.0]
    assert [item.means["exact"] for item in outcome.summaries] == [1.0, 1.0, 1.0]


def test_sub_questions_are_counted_and_an_undivided_question_has_none(sample_context: Context, tmp_path: Path) -> None:
    outcome = measure(sample_context, tmp_path / "run", top_k=(400,))
    assert [list(item.steps) for item in outcome.summaries] == [[0], [2], [3]]
    assert all(item.calls > 0 and item.tokens > 0 for item in outcome.summaries)


def test_what_a_small_k_cuts_off_is_the_cause_that_is_found(sample_context: Context, tmp_path: Path) -> None:
    outcome = measure(sample_context, tmp_path / "run", top_k=(1,))
    rows = [
        row
        for item in outcome.summaries
        for row in read_records(outcome.folder.diagnosis(item.configuration))
        if row["class"]
    ]
    assert rows
    assert {row["class"] for row in rows} == {"not-in-top-k"}
    text = write_report(outcome).read_text()
    assert CLASSES["not-in-top-k"] in text
    assert "--strategy kg-rag --hops 3 --top-k 1 --seed 0" in text


def test_the_report_names_model_prompts_and_selection(sample_context: Context, tmp_path: Path) -> None:
    outcome = measure(sample_context, tmp_path / "run", limit=1)
    facts = outcome.folder.manifest()["identity"]
    assert facts["model"]["name"] == "stand-in"
    assert facts["parameters"]["select"] == "top-k"
    assert facts["prompts"] == "kgneo's own"
    assert "learned" not in facts


def test_ones_own_prompts_are_told_apart_by_their_text(tmp_path: Path) -> None:
    own = Prompts()
    assert hash_prompts(own) == "kgneo's own"
    hashes = []
    for text in ("a", "b", "a"):
        (tmp_path / "x.txt").write_text(text)
        hashes.append(hash_prompts(_at(own, tmp_path)))
    assert hashes[0] == hashes[2] != hashes[1]


def _at(prompts: Prompts, folder: Path) -> Prompts:
    """As if they had been read from `folder`, whose files need not be prompts."""
    moved = replace(prompts)
    object.__setattr__(moved, "folder", folder)
    return moved
