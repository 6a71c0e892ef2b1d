"""How far is reached: more hops than a strategy can read are not taken in silence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgneo.asking.question import ask
from kgneo.cli.main import main
from kgneo.context import Context, Options
from kgneo.llm import ScriptedModel
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.strategies import find_strategy

QUESTION = "what is the capital of [Ethiopia]?"


def warnings_at(context: Context, hops: int, strategy: str, *, select: str | None = None) -> tuple[str, ...]:
    model = ScriptedModel(lambda *_: "Addis Ababa") if strategy != "paths" else None
    context = replace(context, model=model, options=Options(hops=hops))
    return ask(context, QUESTION, strategy=find_strategy(strategy, select=select)).warnings


@pytest.mark.parametrize("strategy", ["paths", "kg-rag"])
def test_more_hops_than_a_strategy_reads_are_a_warning_with_both_numbers(
    sample_context: Context, strategy: str
) -> None:
    said = warnings_at(sample_context, MAX_HOPS + 1, strategy)[-1]
    assert said.startswith(f"{MAX_HOPS + 1} hops were asked for; {strategy} reads")
    assert f"at most {MAX_HOPS}" in said


@pytest.mark.parametrize(
    ("hops", "strategy", "select"),
    [(MAX_HOPS, "paths", None), (MAX_HOPS + 1, "kaping", None), (MAX_HOPS + 1, "kg-rag", "top-k")],
)
def test_hops_that_are_reached_are_no_warning(
    sample_context: Context, hops: int, strategy: str, select: str | None
) -> None:
    assert not any("hops" in said for said in warnings_at(sample_context, hops, strategy, select=select))


def test_learning_takes_no_more_hops_than_a_path_can_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "--hops", str(MAX_HOPS + 1), "--list"]) == 2
    assert f"1<=x<={MAX_HOPS}" in capsys.readouterr().err
