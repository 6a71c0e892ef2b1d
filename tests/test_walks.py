"""The systems that walk hop by hop, on the sample graph: with a stand-in that knows the way, and with scripted
replies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgneo.asking import ask, open_context
from kgneo.context import Context, Options
from kgneo.embedding import OnnxEncoder
from kgneo.errors import UsageError
from kgneo.events import Event, StageEvent
from kgneo.graph import Graph
from kgneo.llm import ScriptedModel, ScriptRecord
from kgneo.strategies import Strategy, find_strategy
from kgneo.strategies.navigator import Navigator, NavigatorOptions
from tests.papers_stand_in import PaperStandIn
from tests.test_kg_rag import sample_questions

SYSTEMS = ("navigator",)
CAPITAL = "what is the capital of [Ethiopia]?"
SEAS = "Which seas do the rivers of [Germany] flow into?"


def scripted(*replies: tuple[str, str]) -> ScriptedModel:
    """Replies by stage, each stage's in its order."""
    return ScriptedModel([ScriptRecord(reply, stage=stage) for stage, reply in replies])


@pytest.fixture
def context(sample_graph: Graph, encoder: OnnxEncoder) -> Context:
    return open_context(sample_graph, encoder=encoder)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_model_that_knows_the_way_gets_every_sample_question_right(context: Context, system: str) -> None:
    questions = sample_questions()
    context = replace(context, model=PaperStandIn(questions).model())
    answers = [ask(context, question.text, strategy=system) for question in questions]
    wrong = [
        question.text
        for found, question in zip(answers, questions, strict=True)
        if set(found.answers) != set(question.answers)
    ]
    assert not wrong
    assert all(answer.grounded and answer.evidence for answer in answers)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_step_is_told_while_it_happens(context: Context, system: str) -> None:
    events: list[Event] = []
    model = PaperStandIn(sample_questions()).model()
    question = next(question for question in sample_questions() if question.hops == 2)
    ask(replace(context, model=model, on_event=events.append), question.text, strategy=system)
    told = [event.stage for event in events if isinstance(event, StageEvent)]
    assert told.count("relations") >= 2
    assert told[-1] == "answer"


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("budget", [{"max_calls": 1}, {"max_calls": 3}, {"max_tokens": 250}])
def test_a_budget_is_kept_and_what_was_found_is_the_answer(
    context: Context, system: str, budget: dict[str, int]
) -> None:
    context = replace(context, model=PaperStandIn(sample_questions()).model(), options=Options(**budget))  # type: ignore[arg-type]
    for question in sample_questions()[:12]:
        answer = ask(context, question.text, strategy=system)
        assert answer.llm is not None
        assert answer.llm.calls <= budget.get("max_calls", 100)
        assert answer.llm.prompt_tokens + answer.llm.completion_tokens <= budget.get("max_tokens", 10**6)
        spent = any("budget" in warning for warning in answer.warnings)
        assert spent or set(answer.answers) == set(question.answers)


# navigator


def navigator(**options: object) -> Strategy:
    return find_strategy("navigator", **options)


def test_variants_vote_and_the_question_itself_counts_double(context: Context) -> None:
    model = scripted(
        ("similar", "Which is the capital of Ethiopia?\nEthiopia's capital?"),
        ("relations", "^flows_through"),
        ("relations", "has_capital"),
        ("relations", "has_capital"),
        ("answer", "x"),
    )
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy="navigator")
    assert answer.readings[0].path == "^flows_through"


def test_a_variant_that_loses_the_entity_does_not_vote(context: Context) -> None:
    model = scripted(
        ("similar", "What is the capital?\nWhich is the capital of Ethiopia?"),
        ("relations", "has_capital"),
        ("relations", "has_capital"),
        ("answer", "Addis Ababa"),
    )
    ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy="navigator")
    assert [parameters.stage for _, parameters in model.calls].count("relations") == 2


def test_without_variants_no_call_is_made_for_them(context: Context) -> None:
    model = scripted(("relations", "has_capital"), ("answer", "Addis Ababa"))
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0))
    assert (answer.answers, answer.llm.calls if answer.llm else 0) == (("Addis Ababa",), 2)


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        ("list", "(Ethiopia, has capital, Addis Ababa)"),
        ("groups", "has capital: Ethiopia → Addis Ababa"),
        ("sentences", "Ethiopia has capital Addis Ababa."),
        ("joined-sentences", "Ethiopia has capital Addis Ababa."),
    ],
)
def test_triples_are_shown_in_each_form_of_the_papers_ablation(context: Context, facts: str, shown: str) -> None:
    model = scripted(("relations", "has_capital"), ("answer", "Addis Ababa"))
    ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0, facts=facts))
    assert shown in model.calls[-1][0][-1].content


def test_a_relation_that_is_not_there_goes_back_with_the_nearest_that_are(context: Context) -> None:
    model = scripted(("relations", "has_capitol_city"), ("relations", "has_capital"), ("answer", "Addis Ababa"))
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0))
    assert answer.answers == ("Addis Ababa",)
    second = model.calls[1][0][-1].content
    assert "There is no relation 'has_capitol_city'" in second
    assert "has_capital" in second.split("The nearest:")[1].splitlines()[0]


def test_a_model_that_never_names_a_relation_is_helped_by_similarity(context: Context) -> None:
    model = scripted(*[("relations", "nonsense")] * 2, ("answer", "Addis Ababa"))
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0))
    assert answer.answers == ("Addis Ababa",)
    assert any("named no relation that is there: nonsense" in warning for warning in answer.warnings)


def test_an_answer_that_the_triples_do_not_hold_is_not_passed_on(context: Context) -> None:
    model = scripted(("relations", "has_capital"), ("answer", "Atlantis"))
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0))
    assert (answer.answers, answer.grounded) == ((), False)


def test_visited_entities_are_not_reached_again(context: Context) -> None:
    model = scripted(("relations", "^flows_through"), ("relations", "flows_through"), ("answer", "Germany; Austria"))
    context = replace(context, model=model, options=Options(hops=2))
    events: list[Event] = []
    context.on_event = events.append
    ask(context, "which countries share a river with [Germany]?", strategy=navigator(variants=0))
    offers = model.calls[-1][0][-1].content
    assert "Austria" in offers


def test_options_that_the_paper_does_not_know_are_refused() -> None:
    for options in ({"variants": 5}, {"choose_best": 0}, {"follow_best": 0}):
        with pytest.raises(UsageError):
            NavigatorOptions(**options)  # type: ignore[arg-type]
    assert Navigator().options.variants == 2
