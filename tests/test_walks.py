"""The systems that walk hop by hop, on the sample graph: with a stand-in that knows the way, and with scripted
replies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgneo.asking.question import ask, open_context
from kgneo.asking.side_by_side import ask_all
from kgneo.cli.main import main
from kgneo.cli.render import render_attempts
from kgneo.context import Context, Options
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import UsageError
from kgneo.events import Event, StageEvent
from kgneo.graph import Graph
from kgneo.graph.examples import Example, SimilarExample, store
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.shape import LOADED
from kgneo.llm import ScriptedModel, ScriptRecord
from kgneo.loader import LoadedTriple
from kgneo.model import Hop, RelationPath, Triple
from kgneo.stages.decouple import read_sub_queries
from kgneo.stages.ground import says_nothing
from kgneo.stages.prune import RankingExpert, prune
from kgneo.stages.reached import Reached
from kgneo.stages.recall import majority_path, write_examples
from kgneo.strategies import Strategy, find_strategy
from kgneo.strategies.navigator import Navigator, NavigatorOptions
from tests.conftest import on_one_version
from tests.papers_stand_in import PaperStandIn
from tests.test_kg_rag import sample_questions

SYSTEMS = ("navigator", "ir-llm", "refkg", "mindful")
CAPITAL = "what is the capital of [Ethiopia]?"
SEAS = "Which seas do the rivers of [Germany] flow into?"


def scripted(*replies: tuple[str, str]) -> ScriptedModel:
    """Replies by stage, each stage's in its order."""
    return ScriptedModel([ScriptRecord(reply, stage=stage) for stage, reply in replies])


@pytest.fixture
def context(sample_context: Context) -> Context:
    return replace(sample_context)


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
    for question in sample_questions()[::6]:
        answer = ask(context, question.text, strategy=system)
        assert answer.llm is not None
        assert answer.llm.calls <= budget.get("max_calls", 100)
        assert answer.llm.prompt_tokens + answer.llm.completion_tokens <= budget.get("max_tokens", 10**6)
        spent = any("budget" in warning for warning in answer.warnings)
        assert spent or set(answer.answers) == set(question.answers)


@pytest.mark.parametrize("system", ["llm", "llm-qd", "kaping", "kg-rag", "cypher", *SYSTEMS])
def test_a_budget_that_pays_for_nothing_finds_nothing(context: Context, system: str) -> None:
    context = replace(context, model=PaperStandIn(sample_questions()).model(), options=Options(max_tokens=20))
    answer = ask(context, sample_questions()[0].text, strategy=find_strategy(system, select="relations"))
    assert says_nothing(answer.answer)
    assert answer.answers == ()
    assert answer.llm is not None
    assert answer.llm.calls == 0
    assert any("budget of 20 tokens" in warning for warning in answer.warnings)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_grammar_lets_a_walk_stop_only_after_its_first_hop(context: Context, system: str) -> None:
    question = next(question for question in sample_questions() if question.hops == 2)
    model = PaperStandIn(sample_questions()).model()
    model.supports_grammar = True
    ask(replace(context, model=model), question.text, strategy=system)
    walked = [
        ("Walked so far" in messages[-1].content, parameters.grammar or "")
        for messages, parameters in model.calls
        if parameters.stage == "relations"
    ]
    assert {"none" in grammar.partition("name ::=")[0] for later, grammar in walked if not later} == {False}
    assert {"none" in grammar.partition("name ::=")[0] for later, grammar in walked if later} <= {True}


def test_the_relations_most_like_the_question_are_offered_first(context: Context) -> None:
    model = scripted(("relations", "has_capital"), ("answer", "Addis Ababa"))
    ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=navigator(variants=0))
    offers = model.calls[0][0][-1].content.partition("Relations:\n")[2].splitlines()
    assert len(offers) > 2
    assert offers[0].startswith("has_capital:")


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


# ir-llm


IR_LLM = find_strategy("ir-llm")


def test_names_of_relations_that_are_not_there_bring_the_second_skill(context: Context) -> None:
    model = scripted(*[("relations", "nonsense")] * 3, ("relations", "flows_through\nhas_capital"), ("entities", "all"))
    answer = ask(replace(context, model=model), CAPITAL, strategy=IR_LLM)
    asked = [messages[0].content for messages, parameters in model.calls if parameters.stage == "relations"]
    assert ["at most 1" in system for system in asked] == [True, True, True, False]
    assert "at most 3" in asked[-1]
    assert "Addis Ababa" in answer.answers


def test_entities_that_were_not_reached_go_back_to_the_model(context: Context) -> None:
    model = scripted(("relations", "has_capital"), ("entities", "Atlantis"), ("entities", "Addis Ababa"))
    answer = ask(replace(context, model=model), CAPITAL, strategy=IR_LLM)
    assert answer.answers == ("Addis Ababa",)
    assert "not in the list: Atlantis" in model.calls[-1][0][-1].content


def test_entities_that_do_not_answer_begin_another_round(context: Context) -> None:
    model = scripted(
        ("relations", "^flows_through"), ("entities", "none"), ("relations", "flows_into"), ("entities", "North Sea")
    )
    answer = ask(replace(context, model=model), SEAS, strategy=IR_LLM)
    assert answer.answers == ("North Sea",)
    assert {item.triple.relation for item in answer.evidence} == {"flows_through", "flows_into"}


def test_a_search_that_ends_without_an_answer_says_so(context: Context) -> None:
    model = scripted(("relations", "has_capital"), ("entities", "none"))
    answer = ask(replace(context, model=model, options=Options(hops=1)), CAPITAL, strategy=IR_LLM)
    assert (answer.answer, answer.answers) == ("not in the graph", ())


def test_the_majority_path_needs_learned_questions(context: Context) -> None:
    with pytest.raises(UsageError) as caught:
        ask(context, CAPITAL, strategy=find_strategy("ir-llm", mode="majority"))
    assert "kgneo learn" in caught.value.hint


def learned(path: str, similarity: float) -> SimilarExample:
    hops = tuple(Hop(name.removeprefix("^"), not name.startswith("^")) for name in path.split("/"))
    return SimilarExample(Example("what of X?", RelationPath(hops), "what of [Peru]?", "Peru", 1), similarity)


def test_the_path_of_most_examples_wins_and_of_as_many_the_nearest() -> None:
    near, far, other = learned("a/^b", 0.9), learned("c", 0.8), learned("c", 0.7)
    assert str(majority_path([near, far, other])) == "c"
    assert str(majority_path([near, far])) == "a/^b"
    assert majority_path([]) is None


def test_examples_in_a_prompt_have_their_question_and_relations() -> None:
    assert write_examples([learned("a/^b", 0.9)]).splitlines()[1] == "- what of [Peru]? → a, then ^b"


@on_one_version
def test_learned_questions_give_the_majority_path_and_the_examples_of_prompts(
    graph: Graph, encoder: OnnxEncoder
) -> None:
    load(graph, iter(LoadedTriple(Triple(f"Land {n}", "has_capital", f"City {n}")) for n in range(4)), name="capitals")
    build(graph, encoder, shape=LOADED)
    known = Example(
        "what is the capital of X", RelationPath((Hop("has_capital"),)), "what is the capital of [Land 1]", "Land 1", 1
    )
    vectors = encoder.encode([known.text])
    store(graph, [known], vectors, fingerprint=encoder.fingerprint)
    context = open_context(graph, encoder=encoder)
    asked = "what is the capital of [Land 2]?"
    assert ask(context, asked, strategy=find_strategy("ir-llm", mode="majority")).answers == ("City 2",)
    model = scripted(("relations", "capital city of"), ("relations", "has_capital"), ("entities", "all"))
    ask(replace(context, model=model), asked, strategy=IR_LLM)
    shown = [known.question in messages[-1].content for messages, _ in model.calls]
    assert shown == [False, True, False]


# refkg


def refkg(**options: object) -> Strategy:
    return find_strategy("refkg", **options)


def test_sub_queries_go_on_from_the_answers_of_earlier_ones(context: Context) -> None:
    model = scripted(
        ("decouple", "1. Which rivers flow through Germany? | Germany\n2. Which seas do they flow into? | (1)"),
        ("relations", "^flows_through"),
        ("relations", "flows_into"),
        ("infer", "North Sea; Black Sea"),
    )
    answer = ask(replace(context, model=model), SEAS, strategy=refkg(rewrite=False))
    assert set(answer.answers) == {"North Sea", "Black Sea"}
    assert "Elbe" in model.calls[2][0][-1].content


def test_the_models_text_is_used_where_it_keeps_every_name(context: Context) -> None:
    for written, used in (("Addis Ababa is the seat of Ethiopia.", True), ("It has a capital.", False)):
        model = scripted(
            ("decouple", "1. What is its capital? | Ethiopia"),
            ("relations", "has_capital"),
            ("reconstruct", written),
            ("infer", "Addis Ababa"),
        )
        ask(replace(context, model=model), CAPITAL, strategy=refkg())
        assert (written in model.calls[-1][0][-1].content) is used


CAPITAL_OF, FLOWS = Hop("has_capital"), Hop("flows_through", False)
NEAR, FAR = Reached("Ethiopia", "1"), Reached("Nile", "2")


def test_relations_are_scored_against_the_sub_query_without_its_names(context: Context) -> None:
    scores = RankingExpert(context).scores("What is the capital of Ethiopia?", [NEAR], (FLOWS, CAPITAL_OF))
    assert scores[CAPITAL_OF] == 1.0
    assert 0 <= scores[FLOWS] < 0.6


def test_a_way_of_low_worth_is_not_followed_further() -> None:
    scores = {CAPITAL_OF: 1.0, FLOWS: 0.8}
    assert prune(scores, [NEAR, FAR], {"2": 0.7}, threshold=0.6) == {CAPITAL_OF: (NEAR, FAR), FLOWS: (NEAR,)}
    assert prune(scores, [NEAR, FAR], {"2": 0.1}, threshold=0.0) == dict.fromkeys(scores, (NEAR, FAR))
    assert prune(scores, [FAR], {"2": 0.1}, threshold=0.6) == dict.fromkeys(scores, (FAR,))


ENTITIES = ("Germany", "Peru")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("1. Where is Peru? | Peru\n2. And then? | (1); Germany", [(("Peru",), ()), (("Germany",), (0,))]),
        ("1. Where is Peru? | Peru; Atlantis", [(("Peru", "Germany"), ())]),
        ("1. Where? | (2)\n2. And then?", [(("Germany", "Peru"), ()), ((), (0,))]),
        ("1) Germany and Peru?", [(("Germany", "Peru"), ())]),
        ("I cannot.", []),
    ],
)
def test_entities_of_sub_queries_are_checked(reply: str, expected: list[object]) -> None:
    assert [(query.entities, query.earlier) for query in read_sub_queries(reply, ENTITIES)] == expected


@given(st.text())
def test_any_reply_gives_sub_queries_that_only_look_back(reply: str) -> None:
    queries = read_sub_queries(reply, ENTITIES)
    assert all(earlier < number for number, query in enumerate(queries) for earlier in query.earlier)
    assert not queries or {name for query in queries for name in query.entities} == set(ENTITIES)


# mindful


MEANT = ("understand", "Entities: Anna\nWords: wife\nIntent: find spouse\nContext: marriage\nConstraints: current")


@pytest.fixture
def people(graph: Graph, encoder: OnnxEncoder) -> Context:
    """Anna was married to Bob and is to Carl; Carl has two children."""
    graph.write(
        "CREATE (a:Person {name: 'Anna', born: 1960}), (b:Person {name: 'Bob', born: 1958}),"
        " (c:Person {name: 'Carl', born: 1962}),"
        " (d:Person {name: 'Dora', born: 1990}), (e:Person {name: 'Emil', born: 1995}),"
        " (a)-[:MARRIED_TO {since: 1985, until: 1995}]->(b), (a)-[:MARRIED_TO {since: 1999}]->(c),"
        " (c)-[:PARENT_OF]->(d), (c)-[:PARENT_OF]->(e)"
    )
    return open_context(graph, encoder=encoder)


def test_a_constraint_on_the_relationship_is_checked_in_the_graph(people: Context) -> None:
    model = scripted(
        MEANT,
        ("relations", "MARRIED_TO"),
        ("relations", "none"),
        ("constrain", "MARRIED_TO@until missing"),
        ("align", "yes"),
    )
    answer = ask(replace(people, model=model), "who is the husband of [Anna]?", strategy="mindful")
    assert answer.answers == ("Carl",)
    assert answer.cypher is not None
    assert "until" in answer.cypher


@pytest.mark.parametrize(
    ("written", "expected"),
    [("lowest born", ("Dora",)), ("born > 1992", ("Emil",)), ("born > 3000", ("Dora", "Emil"))],
)
def test_an_extreme_and_a_comparison_are_checked_in_the_graph(
    people: Context, written: str, expected: tuple[str, ...]
) -> None:
    model = scripted(
        MEANT,
        ("relations", "PARENT_OF"),
        ("relations", "none"),
        ("constrain", written),
        ("answer", "Dora; Emil"),
        ("align", "yes"),
    )
    answer = ask(replace(people, model=model), "who is the oldest child of [Carl]?", strategy="mindful")
    assert answer.answers == expected
    assert ("3000" in " ".join(answer.warnings)) is ("3000" in written)


def test_an_answer_that_does_not_fit_goes_back_to_the_relations(context: Context) -> None:
    model = scripted(
        ("understand", "Intent: find the capital\nConstraints: none"),
        ("relations", "^flows_through"),
        ("relations", "none"),
        ("answer", "Blue Nile"),
        ("align", "no, a city is wanted"),
        ("relations", "has_capital"),
        ("relations", "none"),
        ("answer", "Addis Ababa"),
    )
    answer = ask(replace(context, model=model), CAPITAL, strategy="mindful")
    assert answer.answers == ("Addis Ababa",)
    assert "does not fit: a city is wanted" in model.calls[5][0][-1].content


def test_entities_that_the_text_does_not_give_are_those_that_the_model_names(context: Context) -> None:
    model = scripted(
        ("understand", "Entities: Ethiopia\nIntent: find the capital"),
        ("relations", "has_capital"),
        ("relations", "none"),
        ("answer", "Addis Ababa"),
        ("align", "yes"),
    )
    answer = ask(replace(context, model=model), "zzz qqq xxx?", strategy="mindful")
    assert answer.answers == ("Addis Ababa",)


# Side by side


def test_all_strategies_answer_in_one_table(context: Context) -> None:
    question = sample_questions()[0]
    model = PaperStandIn(sample_questions()).model()
    attempts = ask_all(replace(context, model=model), question.text)
    walked = [attempt for attempt in attempts if attempt.strategy in SYSTEMS]
    assert all(attempt.answer and set(attempt.answer.answers) == set(question.answers) for attempt in walked)
    assert all(attempt.agreement and attempt.agreement > 0.5 for attempt in walked)
    silent = next(attempt for attempt in attempts if attempt.strategy == "llm")
    assert silent.agreement is None
    table = render_attempts(attempts)
    assert all(attempt.strategy in table for attempt in attempts)


def test_without_a_model_those_that_need_one_say_so(
    sample_graph: Graph,  # noqa: ARG001 - the address of its server is in the environment
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["ask", CAPITAL, "--strategy", "all", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    by_name = {row["strategy"]: row for row in record["strategies"]}
    assert by_name["paths"]["answers"] == ["Addis Ababa"]
    assert "needs a language model" in by_name["refkg"]["error"]


def test_all_takes_one_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "--strategy", "all"]) == 2
    assert "takes one question" in capsys.readouterr().err


@pytest.fixture
def script(tmp_path: Path) -> str:
    """A model that goes from a country to its capital, as --llm takes it."""
    replies = [("relations", "has_capital"), ("relations", "none"), ("answer", "Addis Ababa")]
    lines = [json.dumps({"stage": stage, "reply": reply}) for stage, reply in replies]
    (tmp_path / "replies.jsonl").write_text("\n".join(lines))
    return f"scripted:{tmp_path / 'replies.jsonl'}"


@pytest.mark.usefixtures("sample_graph")
def test_a_walk_is_printed_hop_by_hop_with_its_answer_and_evidence(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", CAPITAL, "-s", "navigator", "--set", "variants=0", "--llm", script]) == 0
    printed = capsys.readouterr().out
    assert "relations: their capital: 1" in printed
    assert (
        printed.index("relations:")
        < printed.index("Addis Ababa")
        < printed.index("(Ethiopia, has_capital, Addis Ababa)")
    )


@pytest.mark.usefixtures("sample_graph")
def test_a_budget_on_the_command_line_is_kept(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["ask", CAPITAL, "-s", "navigator", "--set", "variants=0", "--llm", script, "--max-calls", "1", "--json"]
    assert main(command) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["llm"]["calls"] == 1
    assert record["answers"] == ["Addis Ababa"]
    assert any("budget of 1 calls" in warning for warning in record["warnings"])


@pytest.mark.usefixtures("sample_graph")
def test_the_table_has_a_line_for_each_strategy(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", CAPITAL, "--strategy", "all", "--llm", script, "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["strategy", "answer", "agrees", "evidence", "calls", "tokens", "seconds"]
    assert any(line.startswith("paths ") and "Addis Ababa" in line for line in lines)
    assert any(line.startswith("kg-rag ") and "no reply left" in line for line in lines)
