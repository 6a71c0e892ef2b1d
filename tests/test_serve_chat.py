"""The chat endpoint, through OpenAI's own client and a real port."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import openai
import pytest

from kgneo.context import Context, Options
from kgneo.llm.scripted import ScriptedModel, ScriptRecord
from kgneo.model import Answer, Evidence, Triple
from kgneo.serve.chat import content, plain
from tests.serving import listening

CAPITAL = "what is the capital of [Ethiopia]?"


@pytest.fixture(scope="module")
def client(sample_context: Context) -> Iterator[openai.OpenAI]:
    with (
        listening(sample_context) as address,
        openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as talking,
    ):
        yield talking


def asking(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


def test_the_models_are_the_strategies(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["kgneo", "kgneo/auto", "kgneo/paths"]
    assert client.models.retrieve("kgneo/paths").owned_by == "kgneo"


def test_an_answer_comes_with_its_evidence(client: openai.OpenAI) -> None:
    found = client.chat.completions.create(model="kgneo/paths", messages=asking(CAPITAL))
    said = found.choices[0].message.content
    assert said == "Addis Ababa\n\nEvidence:\n1. (Ethiopia, has capital, Addis Ababa)"
    assert found.choices[0].finish_reason == "stop"
    assert (found.model_extra or {})["kgneo"]["answers"] == ["Addis Ababa"]


def test_a_stream_gives_the_same_text_and_the_use(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="kgneo", messages=asking(CAPITAL)).choices[0].message.content
    stream = client.chat.completions.create(
        model="kgneo", messages=asking(CAPITAL), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == whole
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None


def test_a_name_that_is_not_found_is_said_so_that_the_chat_goes_on(client: openai.OpenAI) -> None:
    found = client.chat.completions.create(model="kgneo", messages=asking("what is the capital of [Ethopia]?"))
    said = found.choices[0].message.content or ""
    assert said.startswith("The graph has no entity named 'Ethopia'.")
    assert "Ethiopia" in said
    assert (found.model_extra or {})["kgneo"]["error"]["type"] == "EntityNotFound"
    stream = client.chat.completions.create(model="kgneo", messages=asking("who is [Ethopia]?"), stream=True)
    assert "Ethopia" in "".join(chunk.choices[0].delta.content or "" for chunk in stream)


def test_an_answer_below_the_least_confidence_is_not_said(sample_context: Context) -> None:
    strict = replace(sample_context, options=Options(min_confidence=1.0))
    with (
        listening(strict) as address,
        openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as talking,
    ):
        found = talking.chat.completions.create(model="kgneo/paths", messages=asking(CAPITAL))
    said = found.choices[0].message.content or ""
    assert said.startswith("The question was not understood.")
    assert "Addis Ababa" not in said


def test_what_goes_wrong_ends_a_stream_as_an_error(sample_context: Context) -> None:
    with listening(replace(sample_context, model=ScriptedModel([]))) as address:
        talking = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
        stream = talking.chat.completions.create(model="kgneo/llm", messages=asking(CAPITAL), stream=True)
        with pytest.raises(openai.APIError, match="script"):
            list(stream)
        talking.close()


def test_a_model_that_there_is_not_is_not_found(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError, match="There is no model 'gpt-4'"):
        client.chat.completions.create(model="gpt-4", messages=asking(CAPITAL))


def test_a_follow_up_is_understood_from_the_messages_before_it(sample_context: Context) -> None:
    model = ScriptedModel([ScriptRecord(reply=CAPITAL)])
    with listening(replace(sample_context, model=model)) as address:
        talking = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
        before = talking.chat.completions.create(
            model="kgneo/paths", messages=asking("what is the capital of [Egypt]?")
        )
        said = before.choices[0].message.content or ""
        messages = [*asking("what is the capital of [Egypt]?"), {"role": "assistant", "content": said}]
        found = talking.chat.completions.create(
            model="kgneo/paths", messages=[*messages, *asking("and of [Ethiopia]?")]
        )
        talking.close()
    assert (found.choices[0].message.content or "").startswith("Addis Ababa")
    prompt = model.calls[0][0][-1].content
    assert "what is the capital of [Egypt]?" in prompt
    assert "Evidence" not in prompt


def test_what_a_model_writes_on_the_way_is_told_apart_from_the_answer(sample_context: Context) -> None:
    model = ScriptedModel(lambda *_: "Perhaps Addis Ababa.")
    with listening(replace(sample_context, model=model)) as address:
        talking = openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0)
        stream = talking.chat.completions.create(model="kgneo/llm", messages=asking(CAPITAL), stream=True)
        deltas = [chunk.choices[0].delta for chunk in stream if chunk.choices]
        talking.close()
    thought = "".join((delta.model_extra or {}).get("reasoning_content", "") for delta in deltas)
    assert "Perhaps Addis Ababa." in thought
    assert "Perhaps" in "".join(delta.content or "" for delta in deltas)


def test_text_of_the_graph_is_no_markup_in_a_chat_program() -> None:
    name = "![x](http://evil.example/?q=1) <img src=x>"
    answer = Answer("?", "paths", name, evidence=(Evidence(Triple(name, "is`a`", "b|c"), 1),))
    said = content(answer)
    assert "![" not in said.replace("\\!\\[", "")
    assert "<img" not in said.replace("\\<img", "")
    assert plain("a_b *c* `d`") == "a\\_b \\*c\\* \\`d\\`"
