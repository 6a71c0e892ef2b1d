"""Outcomes: an answer, a choice, not in the graph, not understood."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgneo.asking.question import ask
from kgneo.cli.main import main
from kgneo.cli.pick import picked_number
from kgneo.context import Context
from kgneo.doors.tools import Tools
from kgneo.errors import EntityNotFound, UsageError
from kgneo.graph import Graph
from kgneo.model import Answer, Choice, Reading, Table
from kgneo.serve.chat import content
from kgneo.stages.outcome import Bounds, concluded, withheld
from kgneo.stages.try_readings import try_readings
from kgneo.strategies.paths import Paths

EITHER = Answer(
    "who is Ada?",
    "auto",
    "not found",
    outcome="choice",
    message="The question may mean:\n1. people (2 answers: Ada, Bo)\n2. ships (1 answer: Ada)",
    choices=(
        Choice("people", Answer("who is Ada?", "auto", "Ada, Bo", answers=("Ada", "Bo"))),
        Choice("ships", Answer("who is Ada?", "auto", "Ada", answers=("Ada",), more=4)),
    ),
)


def test_a_question_that_is_answered_has_the_outcome_answer(sample_context: Context) -> None:
    answer = ask(sample_context, "what is the capital of Ethiopia?")
    assert (answer.outcome, answer.message, answer.answers) == ("answer", "", ("Addis Ababa",))


def test_a_name_that_is_not_there_is_named(sample_context: Context) -> None:
    answer = ask(sample_context, "which countries does the Brandywine flow through?")
    assert (answer.outcome, answer.answers, answer.answer) == ("not_in_graph", (), "not found")
    assert "Brandywine" in answer.message


def test_a_marked_name_that_is_not_there_is_an_error(sample_context: Context) -> None:
    with pytest.raises(EntityNotFound):
        ask(sample_context, "what is the capital of [Wakanda]?")


def test_a_relation_that_is_not_there_is_named_with_what_is_known(sample_context: Context) -> None:
    answer = ask(sample_context, "who is the president of France?")
    assert (answer.outcome, answer.missing, answer.answers) == ("not_in_graph", ("president",), ())
    assert "About France it knows: " in answer.message
    assert "capital" in answer.message


def test_another_subject_is_no_answer(sample_context: Context) -> None:
    assert ask(sample_context, "how do I bake sourdough bread?").outcome in ("not_in_graph", "not_understood")


def test_an_answer_below_the_least_confidence_is_not_understood(sample_context: Context) -> None:
    unsure = Answer("q", "auto", "Ulm", answers=("Ulm",), confidence=0.1, readings=(Reading("towns", "", 1.0),))
    found = concluded(sample_context, unsure, (), None, Bounds(0.2))
    assert (found.outcome, found.answers, found.answer) == ("not_understood", (), "not found")
    assert "towns" in found.message


def test_what_is_withheld_shows_no_table() -> None:
    rows = Table(("town", "people"), (("Ulm", 126_000),))
    assert withheld(Answer("q", "auto", "Ulm: 126000", answers=("Ulm: 126000",), table=rows)).table is None


def test_readings_that_are_close_and_find_different_things_are_a_choice(sample_context: Context) -> None:
    question = "what is the capital of Ethiopia?"
    offered = Paths().chosen(question, sample_context).offered
    tried = [
        replace(item, offered=replace(item.offered, score=1.0))
        for item in try_readings(sample_context, offered, most=3)
        if not item.ran.result.empty
    ]
    assert len(tried) > 1
    first = tried[0].ran.result.answers
    unsure = Answer(question, "auto", ", ".join(first), answers=first, confidence=0.28)
    found = concluded(sample_context, unsure, tried, None, Bounds(0.2))
    assert (found.outcome, found.answers, len(found.choices)) == ("choice", (), len(tried))
    assert found.picked(1).answers == first
    assert concluded(sample_context, unsure, tried, None, Bounds(0.2, choices=False)).outcome == "answer"


def test_a_choice_is_picked_by_its_number() -> None:
    assert EITHER.picked(2).answers == ("Ada",)
    with pytest.raises(UsageError, match="no choice 3"):
        EITHER.picked(3)
    assert picked_number(EITHER.to_dict(), 2, typed=False) == 2
    assert picked_number(EITHER.to_dict(), None, typed=True) is None
    with pytest.raises(UsageError, match="expected 1 to 2"):
        picked_number(EITHER.to_dict(), 9, typed=False)


def test_a_choice_in_json_has_the_words_number_and_first_answers_of_each() -> None:
    record = json.loads(json.dumps(EITHER.to_dict()))
    assert [(item["text"], item["number"], item["first"]) for item in record["choices"]] == [
        ("people", 2, ["Ada", "Bo"]),
        ("ships", 5, ["Ada"]),
    ]
    assert record["choices"][1]["answer"]["answers"] == ["Ada"]


def test_a_chat_asks_back_which_reading_is_meant() -> None:
    assert "Which of these do you mean?" in content(EITHER)
    assert "2. ships" in content(EITHER)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_assistant_that_can_ask_its_user_picks_a_choice(
    sample_context: Context, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    mcp = pytest.importorskip("mcp", reason="the extra kgneo[mcp] is not installed")
    from kgneo.doors.mcp import mcp_server

    def asked(*_: object, **__: object) -> Answer:
        return EITHER

    monkeypatch.setattr("kgneo.doors.tools.ask", asked)
    server = mcp_server(Tools(sample_context))

    async def pick(*_: object) -> Any:
        return mcp.types.ElicitResult(action="accept", content={"number": 2})

    async def outcome(**callbacks: Any) -> str:
        async with mcp.Client(server, mode=mode, **callbacks) as client:
            found = await client.call_tool("ask", {"question": "who is Ada?"})
            return str(json.loads(found.content[0].text)["outcome"])

    assert asyncio.run(outcome(elicitation_callback=pick)) == "answer"
    assert asyncio.run(outcome()) == "choice"


def test_every_door_tells_the_outcome(sample_context: Context, http: TestClient) -> None:
    question = "who is the president of France?"
    assert Tools(sample_context).ask(question)["outcome"] == "not_in_graph"
    record = http.post("/api/v1/ask", json={"question": question}).json()
    assert (record["outcome"], record["missing"]) == ("not_in_graph", ["president"])


def test_the_shell_says_what_is_not_in_the_graph(sample_graph: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    assert sample_graph.address
    assert main(["ask", "--here", "who is the president of France?"]) == 0
    assert capsys.readouterr().out.startswith("The graph has nothing about “president”.")
    assert main(["ask", "--here", "-q", "who is the president of France?"]) == 0
    assert capsys.readouterr().out == "not found\n"


def test_the_shell_prints_an_answer_once_with_a_model_that_is_not_asked(
    sample_graph: Graph, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sample_graph.address
    script = tmp_path / "replies.jsonl"
    script.write_text('{"reply": "nothing"}\n')
    asked = ["--llm", f"scripted:{script}", "--set", "sure=0.1", "what is the capital of [Ethiopia]?"]
    assert main(["ask", "--here", *asked]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("Addis Ababa") == 1


def test_words_that_an_answer_does_not_use_are_told(sample_context: Context) -> None:
    answer = ask(sample_context, "what is the beautiful capital of Ethiopia?")
    assert "beautiful" in answer.unused
