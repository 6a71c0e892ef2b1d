"""Prompts: their files, their variables, and a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kgneo.prompts
from kgneo.context import Clock
from kgneo.errors import DataError, UsageError
from kgneo.llm import Parameters, ScriptedModel
from kgneo.prompts import Prompts
from kgneo.stages.generate import ModelCalls


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands in for the one with kgneo's own prompts."""
    folder = tmp_path / "shipped"
    folder.mkdir()
    monkeypatch.setattr(kgneo.prompts, "files", lambda _: folder)
    return folder


@pytest.mark.parametrize("name", Prompts().names)
def test_every_prompt_is_filled_in_and_ends_with_the_user(name: str) -> None:
    values = {variable: f"<{variable}>" for variable in Prompts().variables(name)}
    messages = Prompts().messages(name, **values)
    assert messages[-1].role == "user"
    others = {"verify": "<claim>", "offered": "<readings>", "draft_terms": "<owner>", "texts": "<keys>"}
    others |= {"reword": "<meanings>", "which_meaning": "<questions>"}
    asked = others.get(name, "<question>")
    assert asked in messages[-1].content
    assert not any("{{" in message.content or "##" in message.content for message in messages)


def test_a_variable_that_is_not_given_is_named_with_the_file() -> None:
    with pytest.raises(DataError, match=r"answer.txt: .*{{facts}}.*\nIt gives {{question}}\."):
        Prompts().messages("answer", question="who?")


def test_a_variable_that_is_not_given_is_named_with_the_users_own_file(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("{{facts}} {{question}}")
    with pytest.raises(DataError, match=f"^{tmp_path / 'answer.txt'}: "):
        Prompts(tmp_path).messages("answer", question="who?")


def test_a_prompt_file_alone_says_which_variables_there_are(shipped: Path) -> None:
    (shipped / "advise.txt").write_text("## Needs: question, tone\n## May use: place\nIn a {{tone}} tone: {{question}}")
    assert Prompts().variables("advise") == ("question", "tone", "place")
    assert Prompts().messages("advise", question="Why?", tone="dry")[0].content == "In a dry tone: Why?"


def test_the_room_beside_a_prompt_is_counted_with_the_variables_of_its_file(shipped: Path) -> None:
    (shipped / "advise.txt").write_text("## Needs: question, tone\nIn a {{tone}} tone: {{question}}")
    calls = ModelCalls(ScriptedModel([], context_tokens=100), Prompts(), Clock())
    without = calls.room("advise", Parameters(max_tokens=10), tone="dry")
    with_words = calls.room("advise", Parameters(max_tokens=10), tone="dry", question="and why so?")
    assert without is not None
    assert with_words == without - 3


@given(st.text())
def test_what_stands_in_a_variable_is_never_looked_into(text: str) -> None:
    filled = Prompts().messages("answer", question="{{facts}}", facts=text)[-1].content
    assert "Question: {{facts}}" in filled
    assert text in filled


def test_a_folder_replaces_single_prompts(tmp_path: Path) -> None:
    (tmp_path / "answer_alone.txt").write_text("## mine\nSay yes to {{ question }}")
    prompts = Prompts(tmp_path)
    assert [message.content for message in prompts.messages("answer_alone", question="it")] == ["Say yes to it"]
    assert prompts.messages("decompose", question="it") == Prompts().messages("decompose", question="it")


def test_a_variable_that_a_stage_does_not_give_is_named_with_those_it_gives(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("{{triples}} {{question}}")
    with pytest.raises(DataError, match=r"answer.txt: .*{{triples}}.*\nIt gives {{facts}}, {{question}}"):
        Prompts(tmp_path)


def test_a_prompt_without_a_variable_that_it_needs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("{{question}}")
    with pytest.raises(DataError, match=r"does not use \{\{facts\}\}"):
        Prompts(tmp_path)


def test_a_file_that_no_stage_reads_is_named(tmp_path: Path) -> None:
    (tmp_path / "decomposition.txt").write_text("{{question}}")
    with pytest.raises(UsageError, match=r"decomposition.txt.*\n.*decompose.txt"):
        Prompts(tmp_path)


def test_a_variable_that_a_prompt_may_use_can_be_left_out_or_used(tmp_path: Path) -> None:
    (tmp_path / "synthesise.txt").write_text("{{reasoning}} {{steps}} {{question}}")
    filled = Prompts(tmp_path).messages("synthesise", reasoning="why", steps="1.", question="who?")
    assert filled[0].content == "why 1. who?"
    assert "why" not in Prompts().messages("synthesise", reasoning="why", steps="1.", question="who?")[-1].content


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{{question}}\n[assistant]\nYes."])
def test_a_file_that_is_no_prompt_is_an_error_of_the_data(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "answer_alone.txt").write_bytes(content)
    with pytest.raises(DataError, match="answer_alone"):
        Prompts(tmp_path)


def test_a_folder_that_is_not_there_is_an_error_of_the_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Prompts(tmp_path / "none")
