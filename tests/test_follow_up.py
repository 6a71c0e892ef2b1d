"""Follow-ups without a language model: through the query graph of the question before, or not at all."""

from __future__ import annotations

import pytest

from kgneo.asking.conversation import Conversation
from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.errors import QuestionError
from kgneo.graph import Graph
from tests.conftest import load_orders, on_one_version


def test_another_name_is_put_into_the_question_before(sample_context: Context) -> None:
    conversation = Conversation(sample_context)
    conversation.ask("which rivers flow through Germany?")
    answer = conversation.ask("and Poland?")
    assert answer.question == "which rivers flow through Poland?"
    assert set(answer.answers) == {"Oder", "Vistula"}


def test_a_name_keeps_its_brackets_and_loses_an_article(sample_context: Context) -> None:
    conversation = Conversation(sample_context)
    conversation.ask("which seas does the [Rhine] flow into?")
    assert conversation.ask("what about the Danube?").question == "which seas does the [Danube] flow into?"


@pytest.mark.parametrize("follow_up", ["and Foobarland?", "and the Danube?", "only those in Asia"])
def test_what_does_not_fit_is_refused_and_not_guessed(sample_context: Context, follow_up: str) -> None:
    conversation = Conversation(sample_context)
    conversation.ask("what is the capital of [Ethiopia]?")
    with pytest.raises(QuestionError, match="not understood as a follow-up"):
        conversation.ask(follow_up)


def test_how_many_counts_what_was_asked_for_and_leaves_the_question_before(sample_context: Context) -> None:
    conversation = Conversation(sample_context)
    rivers = conversation.ask("which rivers flow through Germany?")
    assert conversation.ask("how many?").answer == str(len(rivers.answers))
    assert conversation.turns == [rivers]


def test_a_question_of_its_own_is_no_follow_up(sample_context: Context) -> None:
    conversation = Conversation(sample_context)
    conversation.ask("which rivers flow through Germany?")
    assert conversation.ask("and what is the capital of [Ethiopia]?").answers == ("Addis Ababa",)


@on_one_version
def test_values_are_exchanged_and_answers_narrowed_in_a_property_graph(graph: Graph) -> None:
    load_orders(graph)
    conversation = Conversation(open_context(graph))
    everywhere = conversation.ask("which customers prefer [Express]?")
    assert conversation.ask("only those in Austria").answers == ("Alpine Kitchen",)
    assert len(everywhere.answers) == 3
    conversation.ask("which customers are in Austria?")
    answer = conversation.ask("and Switzerland?")
    assert (answer.question, answer.answers) == ("which customers are in Switzerland?", ("Zürich Catering",))
