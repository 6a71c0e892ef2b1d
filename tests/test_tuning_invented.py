"""Examples of invented graphs, and examples packed for training. No server, no model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.cli.main import main
from kgneo.stages.decompose import read_decomposition
from kgneo.stages.ground import NOT_FOUND
from kgneo.tuning.data import Example
from kgneo.tuning.invented import invented_examples, invented_pairs, invented_split
from kgneo.tuning.packing import Encoded, packs
from kgneo.tuning.pairs import TASKS

TOKENS = st.lists(st.integers(0, 3), min_size=1, max_size=12).map(tuple)
EXAMPLES = st.lists(st.builds(Encoded, st.sampled_from("ab"), TOKENS, TOKENS), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def made() -> list[Example]:
    return list(invented_examples(200, "test"))


def test_every_task_of_kg_rag_has_examples(made: Sequence[Example]) -> None:
    assert {example.task for example in made} == {"decompose", "rewrite", "answer", "synthesise"}


def test_an_answer_holds_only_names_that_the_facts_show(made: Sequence[Example]) -> None:
    answers = [example for example in made if example.task == "answer"]
    assert any(example.reply == NOT_FOUND for example in answers)
    for example in answers:
        if example.reply != NOT_FOUND:
            facts = example.messages[-1].content.split("==========")[1]
            assert all(name in facts for name in example.reply.split("; ")), example


def test_a_plan_is_read_as_it_was_meant(made: Sequence[Example]) -> None:
    hops = set()
    for example in made:
        if example.task == "decompose":
            plan = read_decomposition(example.reply, example.messages[-1].content)
            assert plan is not None
            assert bool(plan.sub_questions) == example.reply.startswith("Split: yes")
            assert len(plan.sub_questions) != 1
            hops.add(len(plan.sub_questions))
    assert hops == {0, 2, 3}


def test_whole_questions_have_one_plan_and_one_answer_each() -> None:
    found = list(invented_examples(60, "test", whole=True))
    plans, answers = found[::2], found[1::2]
    assert {example.task for example in plans} == {"decompose"}
    assert {example.task for example in answers} == {"answer"}
    for plan, answer in zip(plans, answers, strict=True):
        assert plan.reply.startswith("Split: no")
        question = plan.messages[-1].content.removeprefix("Question: ").strip()
        assert question in answer.messages[-1].content


def test_a_rewritten_question_refers_to_nothing(made: Sequence[Example]) -> None:
    for example in made:
        if example.task == "rewrite":
            assert "those " not in example.reply
            assert example.reply.endswith("?")


def test_the_same_seed_gives_the_same_examples_and_dev_has_graphs_of_its_own() -> None:
    chats, pairs = invented_split(60, 1)
    assert (chats, pairs) == invented_split(60, 1)
    other_chats, other_pairs = invented_split(60, 2)
    assert chats[0] != other_chats[0]
    assert pairs[0] != other_pairs[0]
    assert chats[1]
    assert pairs[1]
    assert not set(chats[0]) & set(chats[1])
    assert not set(pairs[0]) & set(pairs[1])


def test_pairs_of_invented_graphs_have_right_texts_and_wrong_ones_of_the_same_entities() -> None:
    found = list(invented_pairs(120, "test"))
    assert {pair.task for pair in found} == set(TASKS)
    for pair in found:
        assert pair.right
        assert pair.wrong
        assert not set(pair.right) & set(pair.wrong)
        if pair.task == "triples":
            assert all(any(name in text for name in pair.names) for text in (*pair.right, *pair.wrong))
        else:
            assert not any(name in pair.question for name in pair.topics)
    hops = {pair.right[0].count("→") for pair in found if pair.task == "path"}
    assert hops == {0, 1, 2}


def test_the_command_needs_no_server(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("invented")
    unreachable = ["--uri", "bolt://127.0.0.1:1"]
    assert main(["tune", "data", "--out", str(folder), "--questions", "20", "--invented", *unreachable]) == 0
    assert "decompose" in capsys.readouterr().out
    assert (folder / "train.jsonl").stat().st_size > 0


@given(EXAMPLES, st.integers(4, 40))
def test_packing_keeps_every_example(examples: list[Encoded], longest: int) -> None:
    made = packs(examples, longest)
    whole = [((*pack.beginning, *tokens), replied) for pack in made for tokens, replied in pack.rests]
    assert sorted(whole) == sorted(((*item.prompt, *item.reply), len(item.reply)) for item in examples)
    assert all(len(pack) <= longest or len(pack.rests) == 1 for pack in made)
    assert all(len(tokens) > replied for pack in made for tokens, replied in pack.rests)
