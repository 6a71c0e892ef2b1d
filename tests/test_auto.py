"""The strategy `auto`: the reader first, a language model where the reader is not sure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from kgneo.asking.question import DEFAULT_STRATEGY, ask, open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.server import RunningServer
from kgneo.stages.agree import LARGE, LEAST_AGREED, opposed
from kgneo.strategies import find_strategy
from kgneo.strategies.auto import Auto, AutoOptions
from tests.conftest import connect, wipe

SHIPS = """
CREATE (a:Harbour {name: 'Norrvik', opened: 1890}), (b:Harbour {name: 'Saltholm', opened: 1931}),
       (c:Harbour {name: 'Grimsund', opened: 1954}),
       (x:Ship {name: 'Alma Reed', tonnage: 900}), (y:Ship {name: 'Boreas', tonnage: 1400}),
       (z:Ship {name: 'Calypso Dawn', tonnage: 2100}),
       (x)-[:CALLS_AT]->(a), (y)-[:CALLS_AT]->(a), (z)-[:CALLS_AT]->(b), (x)-[:REGISTERED_IN]->(c),
       (y)-[:REGISTERED_IN]->(b), (z)-[:REGISTERED_IN]->(b)
"""
QUESTION = "Which ships call at Norrvik?"
UNCLEAR = "Which of them got their papers at Saltholm?"
"""One that the reader is not sure of."""


def query(relation: str, harbour: str) -> str:
    return json.dumps(
        {
            "variables": [{"name": "x0", "labels": ["Ship"]}, {"name": "x1", "labels": ["Harbour"]}],
            "edges": [{"subject": "x0", "relations": [relation], "object": "x1"}],
            "conditions": [{"left": {"of": "x1", "key": "name"}, "operator": "=", "right": [harbour]}],
            "answer": {"of": "x0"},
        }
    )


REGISTERED, CALLING = query("REGISTERED_IN", "Saltholm"), query("CALLS_AT", "Norrvik")


@pytest.fixture(scope="module")
def ships(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    """What questions about a graph of ships are answered with; no model, no index."""
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(SHIPS)
        yield open_context(graph, encoder=encoder)


def said(context: Context, *replies: str) -> tuple[Context, ScriptedModel]:
    """The context with a model that says `replies`."""
    model = ScriptedModel(replies)
    return replace(context, model=model), model


def test_auto_is_the_default_with_and_without_a_model(ships: Context) -> None:
    assert DEFAULT_STRATEGY == "auto"
    assert ask(ships, QUESTION).strategy == "auto"
    assert ask(said(ships, REGISTERED)[0], QUESTION).strategy == "auto"


def test_a_reading_that_is_sure_is_the_answer_without_a_call(ships: Context) -> None:
    context, model = said(ships)
    answer = ask(context, QUESTION, strategy=Auto(AutoOptions(sure=0.5)))
    assert (set(answer.answers), model.calls, answer.llm) == ({"Alma Reed", "Boreas"}, [], None)
    assert answer.how[0].startswith("The reader is sure")


def test_a_count_over_a_graph_without_an_index_is_answered_with_a_model_too(ships: Context) -> None:
    context, _ = said(ships, "nothing of use", "nothing of use")
    assert ask(context, "How many ships are there?").answers == ("3",)


def test_the_model_is_offered_readings_with_what_they_find(ships: Context) -> None:
    context, model = said(ships, '{"reading": 1}')
    answer = ask(context, QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    assert "(2 answers: Alma Reed, Boreas)" in model.calls[0][0][-1].content
    assert set(answer.answers) == {"Alma Reed", "Boreas"}
    assert "The model took a reading." in answer.how


def test_the_model_writes_a_query_graph_where_no_reading_will_do(ships: Context) -> None:
    context, model = said(ships, REGISTERED)
    answer = ask(context, UNCLEAR)
    assert (set(answer.answers), len(model.calls)) == ({"Boreas", "Calypso Dawn"}, 1)
    assert answer.outcome == "answer"
    assert "The model wrote a query graph." in answer.how


def test_of_two_answers_that_differ_the_likelier_is_kept_and_both_are_less_sure(ships: Context) -> None:
    alone = ask(ships, QUESTION)
    context, _ = said(ships, REGISTERED)
    answer = ask(context, QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    model, reader = opposed(LARGE.alone(), alone.confidence or 0.0)
    assert answer.confidence == pytest.approx(max(model, reader), abs=1e-3)
    assert (set(answer.answers) == set(alone.answers)) == (reader >= model)


def test_a_small_model_is_not_asked_where_the_reader_is_likelier_right(ships: Context) -> None:
    class Small(ScriptedModel):
        supports_grammar = True

    model = Small((REGISTERED,))
    answer = ask(replace(ships, model=model), QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    assert (model.calls, set(answer.answers)) == ([], {"Alma Reed", "Boreas"})


def test_a_query_that_finds_the_same_as_the_reader_is_surer(ships: Context) -> None:
    context, _ = said(ships, CALLING)
    answer = ask(context, QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    assert (answer.confidence or 0.0) >= LEAST_AGREED


def test_a_failure_goes_back_to_the_model_a_bounded_number_of_times(ships: Context) -> None:
    context, model = said(ships, query("OWNED_BY", "Saltholm"), REGISTERED)
    answer = ask(context, UNCLEAR, strategy=Auto(AutoOptions(attempts=2)))
    assert (len(model.calls), set(answer.answers)) == (2, {"Boreas", "Calypso Dawn"})
    context, model = said(ships, query("OWNED_BY", "Saltholm"))
    ask(context, UNCLEAR, strategy=Auto(AutoOptions(attempts=1)))
    assert len(model.calls) == 1


def test_replies_that_are_no_query_leave_the_readers_answer(ships: Context) -> None:
    context, _ = said(ships, "I do not know.", "Neither do I.")
    answer = ask(context, QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    assert set(answer.answers) == {"Alma Reed", "Boreas"}
    assert "No query graph of the model's could be run." in answer.how


def test_of_several_votes_the_largest_group_wins(ships: Context) -> None:
    context, model = said(ships, CALLING, REGISTERED, REGISTERED)
    answer = ask(context, UNCLEAR, strategy=find_strategy("auto", votes=3))
    assert (len(model.calls), set(answer.answers)) == (3, {"Boreas", "Calypso Dawn"})
    assert "2 of 3 replies find the same." in answer.how


def test_a_check_that_denies_a_query_makes_the_answer_less_sure(ships: Context) -> None:
    def replies(no: str) -> float:
        context, model = said(ships, CALLING, no)
        answer = ask(context, UNCLEAR, strategy=find_strategy("auto", check=True))
        assert len(model.calls) == 2
        return answer.confidence or 0.0

    assert replies("no") < replies("yes")


def test_a_model_that_keeps_to_a_json_schema_may_take_a_reading(ships: Context) -> None:
    class Held(ScriptedModel):
        supports_json_schema = True

    held: list[Parameters] = []

    def reply(_: Sequence[Message], parameters: Parameters) -> str:
        held.append(parameters)
        return '{"reading": 1}'

    ask(replace(ships, model=Held(reply)), QUESTION, strategy=Auto(AutoOptions(sure=1.0)))
    schema = held[0].json_schema or {}
    assert schema["anyOf"][0]["required"] == ["reading"]
    assert "variables" in schema["anyOf"][1]["properties"]
