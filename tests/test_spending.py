"""What a language model costs is told and bounded, by question, day and user."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgneo.cli.main import main
from kgneo.context import Clock, Options
from kgneo.errors import BudgetSpent, WorkEnded
from kgneo.graph.work import Work
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.llm.dry_run import DryRun, PromptNotSent
from kgneo.llm.spending import Call, Price, Spending
from kgneo.model import ModelUse
from kgneo.prompts import Prompts
from kgneo.stages.generate import ModelCalls

OPTIONS = Options(price=Price(1_000, 10_000), user="ida")
PARAMETERS = Parameters(max_tokens=10)


def calls(options: Options, spending: Spending | None = None) -> ModelCalls:
    model = ScriptedModel(["one two three"] * 5)
    return ModelCalls(model, Prompts(), Clock(), options=options, spending=spending)


def complete(made: ModelCalls) -> None:
    made.complete("verify", PARAMETERS, claim="A is B.", evidence="A is B.")


def test_a_question_costs_what_its_tokens_do() -> None:
    made = calls(OPTIONS)
    complete(made)
    complete(made)
    use = made.use
    assert use.cost == pytest.approx(use.prompt_tokens * 0.001 + use.completion_tokens * 0.01)


def test_without_a_price_there_is_no_cost() -> None:
    made = calls(Options())
    complete(made)
    assert made.use.cost is None


def test_a_call_beyond_the_budget_of_a_question_is_not_made() -> None:
    made = calls(replace(OPTIONS, max_cost=0.01))
    with pytest.raises(BudgetSpent, match="may cost"):
        complete(made)
    assert made.use.calls == 0


def test_what_a_user_spent_today_bounds_the_next_call(tmp_path: Path) -> None:
    spending = Spending(tmp_path / "spent.sqlite")
    bounded = replace(OPTIONS, day_tokens=spending_of_one(spending))
    with pytest.raises(BudgetSpent, match="tokens a day"):
        complete(calls(bounded, spending))
    complete(calls(replace(bounded, user="tom"), spending))
    assert [(row.user, row.calls) for row in spending.rows()] == [("ida", 1), ("tom", 1)]


def spending_of_one(spending: Spending) -> int:
    """The tokens of one call, which are kept."""
    complete(calls(OPTIONS, spending))
    (row,) = spending.rows()
    return row.prompt_tokens + row.completion_tokens


def test_money_of_a_day_is_bounded_before_the_call(tmp_path: Path) -> None:
    spending = Spending(tmp_path / "spent.sqlite")
    spending.add("ida", ModelUse("large", 1, 100, 10, cost=0.9))
    spending.check("ida", Call(10, 0.05), tokens=None, cost=1.0)
    with pytest.raises(BudgetSpent, match=r"0\.9000 was spent"):
        spending.check("ida", Call(10, 0.2), tokens=None, cost=1.0)


def test_a_question_that_was_ended_makes_no_further_call() -> None:
    made, work = calls(OPTIONS), Work(60.0)
    work.end()
    with work.begun(), pytest.raises(WorkEnded):
        complete(made)
    assert made.use.calls == 0


def test_a_reply_ends_where_the_question_is_ended_meanwhile() -> None:
    work = Work(60.0)

    def reply(_: object, __: object) -> str:
        work.end()
        return "one two three"

    made = ModelCalls(ScriptedModel(reply), Prompts(), Clock())
    with work.begun(), pytest.raises(WorkEnded):
        complete(made)


def test_a_dry_run_has_the_messages_and_no_reply() -> None:
    with pytest.raises(PromptNotSent) as caught:
        DryRun("large").complete([Message("user", "who?")], Parameters(stage="answer"))
    assert (caught.value.stage, caught.value.messages) == ("answer", (Message("user", "who?"),))


def test_costs_shows_what_was_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    assert main(["costs"]) == 0
    assert "Nothing was spent" in capsys.readouterr().out
    Spending.of_this_machine().add("ida", ModelUse("large", 2, 1_000, 30, cost=0.25))
    assert main(["costs", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["spent"]
    assert (row["user"], row["calls"], row["prompt_tokens"], row["cost"]) == ("ida", 2, 1_000, 0.25)


@pytest.mark.parametrize("price", ["1", "a,b", "-1,2"])
def test_a_price_is_two_numbers(price: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--llm-price", price, "who?"]) == 2
    assert "no price" in capsys.readouterr().err
