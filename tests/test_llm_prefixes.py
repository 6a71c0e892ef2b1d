"""What prompts have in common is read once, and no reply depends on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgneo.llm import Message, Parameters
from tests.tiny_gguf import make_tiny_gguf

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed (extra: test)")
pytest.importorskip("gguf", reason="gguf is not installed (extra: test)")

from kgneo.llm.llama import LlamaModel
from kgneo.llm.prefixes import KEPT

GREEDY = Parameters(max_tokens=12, temperature=0)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture
def model(path: Path) -> Iterator[LlamaModel]:
    loaded = LlamaModel(path, threads=1, repacked=False)
    yield loaded
    loaded.close()


def chat(
    question: str, instruction: str = "Which films did the director make? Answer with names alone."
) -> list[Message]:
    return [Message("system", instruction), Message("user", question)]


def test_the_second_prompt_of_a_kind_reads_its_last_message_alone(model: LlamaModel) -> None:
    first = model.complete(chat("Who wrote it?"), GREEDY)
    model.complete(chat("Something else.", "Another instruction that is as long as the first one is."), GREEDY)
    second = model.complete(chat("Who filmed it?"), GREEDY)
    assert first.evaluated_tokens == first.prompt_tokens
    assert second.evaluated_tokens is not None
    # The message's tokens and those that the template puts around it.
    assert 0 < second.evaluated_tokens <= model.count_tokens("Who filmed it?") + 24
    assert second.evaluated_tokens < 0.4 * second.prompt_tokens


def test_a_reply_does_not_depend_on_what_was_asked_before(path: Path, model: LlamaModel) -> None:
    questions = ["Who wrote it?", "Who filmed it?", "Who wrote it?", "Who wrote", "Where?"]
    asked = [model.complete(chat(question), GREEDY).text for question in questions]
    for question, text in zip(questions, asked, strict=True):
        fresh = LlamaModel(path, threads=1, repacked=False)
        assert fresh.complete(chat(question), GREEDY).text == text
        fresh.close()


def test_more_kinds_of_prompt_than_are_kept_are_answered_all_the_same(model: LlamaModel) -> None:
    instructions = [f"{number} is the number of this instruction, which is a long one." for number in range(KEPT + 2)]
    first = [model.complete(chat("Who?", instruction), GREEDY).text for instruction in instructions]
    assert [model.complete(chat("Who?", instruction), GREEDY).text for instruction in instructions] == first


def test_a_prompt_of_one_short_message_is_read_whole(model: LlamaModel) -> None:
    model.complete([Message("user", "Who?")], GREEDY)
    again = model.complete([Message("user", "Who?")], GREEDY)
    assert again.evaluated_tokens == again.prompt_tokens
