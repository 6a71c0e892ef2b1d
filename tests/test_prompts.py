"""Prompts: their files, their variables, and a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.errors import DataError, UsageError
from kgneo.prompts import OPTIONAL, VARIABLES, Prompts


@pytest.mark.parametrize("name", VARIABLES)
def test_every_prompt_is_filled_in_and_ends_with_the_user(name: str) -> None:
    values = {variable: f"<{variable}>" for variable in VARIABLES[name] + OPTIONAL.get(name, ())}
    messages = Prompts().messages(name, **values)
    assert messages[-1].role == "user"
    assert all(f"<{variable}>" in messages[-1].content for variable in VARIABLES[name])
    assert not any("{{" in message.content or "##" in message.content for message in messages)


def test_a_variable_that_is_not_given_is_named() -> None:
    with pytest.raises(KeyError, match=r"'answer' uses \{\{facts\}\}"):
        Prompts().messages("answer", question="who?")


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


def test_a_variable_that_a_prompt_does_not_have_is_named_with_those_it_has(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("{{triples}} {{question}}")
    with pytest.raises(DataError, match=r"answer.txt: .*{{triples}}.*\nIt has {{question}}, {{facts}}"):
        Prompts(tmp_path)


def test_a_prompt_without_a_variable_that_it_needs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("{{question}}")
    with pytest.raises(DataError, match=r"does not use \{\{facts\}\}"):
        Prompts(tmp_path)


def test_a_file_that_no_stage_reads_is_named(tmp_path: Path) -> None:
    (tmp_path / "decomposition.txt").write_text("{{question}}")
    with pytest.raises(UsageError, match=r"decomposition.txt.*\n.*decompose.txt"):
        Prompts(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{{question}}\n[assistant]\nYes."])
def test_a_file_that_is_no_prompt_is_an_error_of_the_data(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "answer_alone.txt").write_bytes(content)
    with pytest.raises(DataError, match="answer_alone"):
        Prompts(tmp_path)


def test_a_folder_that_is_not_there_is_an_error_of_the_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        Prompts(tmp_path / "none")
