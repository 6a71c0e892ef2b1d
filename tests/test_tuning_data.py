"""Examples for tuning, from the sample graph and from a property graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.graph import Graph
from kgneo.query.json import from_json
from kgneo.stages.decompose import read_decomposition
from kgneo.stages.ground import NOT_FOUND
from kgneo.tuning.data import Example, examples, is_dev, split
from kgneo.verification.by_model import read_reply

SEED = 3
TASKS = {
    "decompose", "rewrite", "answer", "synthesise", "follow_up", "relations", "entities", "query_graph", "verify",
}  # fmt: skip


@pytest.fixture(scope="module")
def made(sample_context: Context) -> list[Example]:
    return list(examples(sample_context, questions=40, seed=SEED))


def test_examples_are_right_replies_to_the_prompts_of_all_tasks(made: list[Example]) -> None:
    assert {example.task for example in made} == TASKS
    assert any(example.task == "answer" and example.reply == NOT_FOUND for example in made)
    for example in made:
        prompt = example.messages[-1].content
        if example.task == "answer" and example.reply != NOT_FOUND:
            assert all(name in prompt for name in example.reply.split("; "))
        elif example.task == "decompose":
            plan = read_decomposition(example.reply, prompt)
            assert plan is not None
            assert (len(plan.sub_questions) >= 2) == example.reply.startswith("Split: yes")
        elif example.task == "rewrite":
            assert "those" not in example.reply
            assert example.reply.endswith("?")
        elif example.task == "relations":
            assert example.reply == "none" or f"\n{example.reply}:" in prompt
        elif example.task == "entities":
            assert example.reply in ("all", "none") or all(
                f"- {name}\n" in prompt for name in example.reply.split("; ")
            )
        elif example.task == "query_graph":
            assert from_json(json.loads(example.reply)).edges
        elif example.task == "verify":
            verdict, _ = read_reply(example.reply)
            assert verdict is not None


def test_the_same_seed_gives_the_same_examples_and_another_one_others(sample_context: Context) -> None:
    first, again, other = (list(examples(sample_context, questions=6, seed=seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_nothing_that_dev_asks_about_is_in_train(made: list[Example]) -> None:
    train, dev = split(made, SEED)
    assert train
    assert dev
    asked = {name for example in dev for name in example.topics}
    assert asked
    assert not any(asked & example.names for example in train)
    assert all(is_dev(name, SEED) for name in asked)


def test_the_command_writes_chats(sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph
    assert main(["tune", "data", "--out", str(tmp_path), "--questions", "15", "--json"]) == 0
    counted = json.loads(capsys.readouterr().out)["examples"]
    lines = (tmp_path / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == sum(counted["train"].values())
    chat = json.loads(lines[0])["messages"]
    assert [chat[0]["role"], chat[-1]["role"]] == ["system", "assistant"]
