"""Models through the real transformers and PyTorch, on a tiny GGUF file with random weights."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable, UsageError
from kgneo.llm import LanguageModel, Message, Parameters, load_model
from kgneo.llm.transformers_model import TransformersModel
from tests.tiny_gguf import CONTEXT, make_tiny_gguf

for module in ("torch", "transformers", "gguf", "llguidance"):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed (extra: transformers)", allow_module_level=True)

QUESTION = [Message("system", "Answer with the names of films alone."), Message("user", "Which films did he direct?")]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def model(tiny: Path) -> TransformersModel:
    return TransformersModel(str(tiny), threads=1)


def test_the_text_that_names_a_file_loads_it(tiny: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines: list[str] = []
    loaded = load_model(f"transformers:{tiny}", threads=1, report=lines.append)
    assert isinstance(loaded, LanguageModel)
    assert (loaded.name, loaded.context_tokens) == ("transformers:tiny.gguf", CONTEXT)
    assert lines == ["loading transformers:tiny.gguf"]
    assert capfd.readouterr() == ("", "")


def test_a_folder_is_the_same_model_as_the_file_it_came_from(model: TransformersModel, tmp_path: Path) -> None:
    model._model.save_pretrained(tmp_path)
    model._tokenizer.save_pretrained(tmp_path)
    greedy = Parameters(max_tokens=6, temperature=0)
    folder = TransformersModel(str(tmp_path), threads=1)
    assert folder.complete(QUESTION, greedy).text == model.complete(QUESTION, greedy).text


def test_the_same_seed_gives_the_same_reply_and_seeds_make_a_difference(model: TransformersModel) -> None:
    replies = [
        model.complete(QUESTION, Parameters(max_tokens=12, temperature=1.0, seed=seed)).text for seed in (1, 2, 3, 1)
    ]
    assert replies[0] == replies[3]
    assert len(set(replies)) > 1


def test_drawing_leaves_the_random_numbers_of_others_alone(model: TransformersModel) -> None:
    import torch

    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    model.complete(QUESTION, Parameters(max_tokens=4, temperature=1.0, seed=9))
    assert torch.equal(torch.rand(1), expected)


def test_pieces_add_up_to_the_text_and_are_counted(model: TransformersModel) -> None:
    pieces: list[str] = []
    completion = model.complete(QUESTION, Parameters(max_tokens=16, seed=1), on_text=pieces.append)
    assert len(pieces) > 1
    assert "".join(pieces) == completion.text
    assert completion.completion_tokens <= 16
    assert completion.finish_reason in {"length", "stop"}


def test_a_grammar_holds_the_reply_to_its_form(model: TransformersModel) -> None:
    parameters = Parameters(grammar='root ::= ("yes" | "no") " <END>"', seed=1)
    completion = model.complete(QUESTION, parameters)
    assert completion.text in {"yes <END>", "no <END>"}
    assert completion.finish_reason == "stop"


def test_the_grammar_of_splitting_is_understood(model: TransformersModel) -> None:
    from kgneo.stages.decompose import PARAMETERS

    reply = model.complete(QUESTION, PARAMETERS).text
    assert reply.startswith(("Split: no\nReasoning: ", "Split: yes\nReasoning: "))


def test_a_stop_string_ends_the_reply_and_is_not_part_of_it(model: TransformersModel) -> None:
    parameters = Parameters(grammar='root ::= "one <END> two" "!"*', stop=("<END>",), seed=1)
    completion = model.complete(QUESTION, parameters)
    assert (completion.text, completion.finish_reason) == ("one", "stop")
    assert completion.completion_tokens < 20


def test_a_json_schema_holds_the_reply_to_its_form(model: TransformersModel) -> None:
    properties = {"split": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "required": ["split"], "additionalProperties": False}
    completion = model.complete(QUESTION, Parameters(json_schema=schema, seed=1, max_tokens=200))
    assert isinstance(json.loads(completion.text)["split"], bool)


@pytest.mark.parametrize("grammar", ['root ::= "', "root ::= missing"])
def test_a_bad_grammar_is_one_error(model: TransformersModel, grammar: str) -> None:
    with pytest.raises(ModelError, match="the grammar cannot be parsed") as caught:
        model.complete(QUESTION, Parameters(grammar=grammar))
    assert "\n" not in caught.value.message


def test_the_second_prompt_of_a_kind_reads_its_last_message_alone(model: TransformersModel) -> None:
    greedy = Parameters(max_tokens=6, temperature=0)
    chats = [
        [Message("system", "Names alone, and nothing beside them."), Message("user", text)] for text in ("A?", "B?")
    ]
    first, second = (model.complete(chat, greedy) for chat in chats)
    assert first.evaluated_tokens == first.prompt_tokens
    assert second.evaluated_tokens is not None
    assert second.evaluated_tokens < 0.4 * second.prompt_tokens
    assert model.complete(chats[0], greedy).text == first.text


def test_a_prompt_that_is_too_long_tells_both_numbers(model: TransformersModel) -> None:
    with pytest.raises(ContextOverflow) as caught:
        model.complete([Message("user", "films " * 2000)], Parameters())
    assert caught.value.limit == CONTEXT - 32
    assert caught.value.tokens > caught.value.limit


def test_a_reply_that_takes_too_long_is_ended(model: TransformersModel) -> None:
    with pytest.raises(ModelUnavailable, match=r"within 1e-06 s"):
        model.complete(QUESTION, Parameters(max_tokens=100, timeout=1e-6))


@pytest.mark.parametrize("content", [b"", b"<html>", b"GGUF", b"GGUF\x03\x00\x00\x00" + b"\xff" * 64])
def test_a_file_that_is_no_model_is_one_error(
    tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "no.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        TransformersModel(str(path))
    assert "\n" not in caught.value.message
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_a_model_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be loaded by transformers") as caught:
        TransformersModel(str(tmp_path))
    assert "\n" not in caught.value.message


def test_an_adapter_goes_with_llama_cpp_only(tiny: Path) -> None:
    with pytest.raises(UsageError, match="an adapter is given for"):
        load_model(f"transformers:{tiny}", adapter=tiny)
