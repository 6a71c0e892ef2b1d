"""The strategy `cypher`: a model writes a query, is told what is wrong with it, and the graph answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import ContextOverflow, EntityNotFound, GraphTimeout
from kgneo.events import Event, StageEvent
from kgneo.folders import cache_folder
from kgneo.graph.lessons import Lesson, remove_lessons, store_lessons
from kgneo.graph.run import Result
from kgneo.llm import Message, Parameters, ScriptedModel
from kgneo.prompts import Prompts
from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.graph import Aggregate, Value
from kgneo.query.json import from_json, to_json
from kgneo.query.statement import check_statement, read_statement
from kgneo.server import RunningServer
from kgneo.stages import write_query
from kgneo.stages.agree import LARGE, LEAST, LEAST_AGREED, beside, opposed
from kgneo.stages.find_words import find_words
from kgneo.stages.interpret import run_query
from kgneo.stages.recall import When
from kgneo.stages.why_empty import why_empty
from kgneo.strategies.cypher import Cypher, CypherOptions
from tests.conftest import connect, set_address, wipe
from tests.gbnf import allows, rules_of
from tests.hostile_queries import VALUES
from tests.test_attached import FILMS

FREE = Cypher(CypherOptions(free=True))
NAMED = '"conditions": [{"left": {"of": "p", "key": "fullName"}, "right": ["Ida Brandt"]}]'
VARIABLES = '"variables": [{"name": "m", "labels": ["Movie"]}, {"name": "p", "labels": ["Person"]}]'
ACTED = '"edges": [{"subject": "p", "relations": ["ACTED_IN"], "object": "m"}]'
NOTHING = '{"left": {"of": "m", "key": "title"}, "right": ["Rosalind"]}'
TURNED = (
    f'{{{VARIABLES}, {ACTED.replace("p", "x").replace("m", "p").replace("x", "m")}, {NAMED}, "answer": {{"of": "m"}}}}'
)
GOOD = f'{{{VARIABLES}, {ACTED}, {NAMED}, "answer": {{"of": "m"}}}}'
QUESTION = "In which films did [Ida Brandt] act?"
FILMS_OF_IDA = {"Harvest Moon", "North Pier"}


@pytest.fixture(scope="module")
def films_server(newest_server: RunningServer) -> RunningServer:
    return newest_server


@pytest.fixture(scope="module")
def films(
    films_server: RunningServer, encoder: OnnxEncoder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Context]:
    """What questions about a graph of films are answered with; no model."""
    assert encoder.folder.is_dir()
    cache = tmp_path_factory.mktemp("cache")
    (cache / "encoders").symlink_to(cache_folder() / "encoders")
    with pytest.MonkeyPatch.context() as patch, connect(films_server) as graph:
        patch.setenv("KGNEO_CACHE_DIR", str(cache))
        wipe(graph)
        graph.write(FILMS)
        yield open_context(graph, encoder=encoder)


def said(context: Context, *replies: str) -> tuple[Context, ScriptedModel]:
    """The context with a model that says `replies`."""
    model = ScriptedModel(replies)
    return replace(context, model=model), model


def prompt(model: ScriptedModel, call: int) -> str:
    """What the model was last told in a call."""
    return model.calls[call][0][-1].content


def test_a_query_graph_that_the_model_writes_is_run_and_explained(films: Context) -> None:
    context, model = said(films, f"Here it is:\n```json\n{GOOD}\n```")
    answer = ask(context, QUESTION, strategy="cypher")
    assert set(answer.answers) == FILMS_OF_IDA
    assert {item.triple.relation for item in answer.evidence} == {"ACTED_IN"}
    assert (answer.grounded, answer.warnings, len(model.calls)) == (True, (), 1)
    assert "Ida Brandt" in answer.steps[0].question
    assert films.graph.read(answer.cypher or "", **answer.cypher_parameters)


def test_the_model_sees_the_schema_and_the_names_of_the_question(films: Context) -> None:
    context, model = said(films, GOOD)
    ask(context, QUESTION, strategy="cypher")
    assert any("(:Person)-[:ACTED_IN {role: STRING" in message.content for message in model.calls[0][0])
    assert '"Ida Brandt" is in the graph: label Person, property fullName.' in prompt(model, 0)


def test_the_model_sees_which_properties_have_the_values_of_the_question(films: Context) -> None:
    context, model = said(films, GOOD)
    ask(context, "Who plays the diver in north pier?", strategy="cypher")
    assert '"North Pier" is in the graph: label Movie, property title.' in prompt(model, 0)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who plays the diver in north pier?", ['"North Pier" is']),
        ('Which films have a title like "Harvest"?', ['"Harvest Moon" (the question has "Harvest") is']),
        ("Which film with Idda Brandt is it?", ['"Ida Brandt" (the question has "Idda Brandt") is']),
        ("Did Ida Brandt or Tom Okello act in Rosalind?", ['"Ida Brandt" is', '"Tom Okello" is', '"Rosalind" is']),
        ("Which movies came after 2010?", []),
        ("Which persons have a role in a harvest?", []),
    ],
)
def test_a_value_is_told_once_and_only_where_the_question_says_it(
    films: Context, question: str, told: list[str]
) -> None:
    lines = find_words(question, (), films).told.splitlines()
    assert [line.partition(" in the graph: ")[0] for line in lines] == told


def test_only_a_model_that_a_grammar_holds_is_told_which_words_are_names_in_the_schema(films: Context) -> None:
    class Holding(ScriptedModel):
        supports_grammar = True

    question = "Which movies with a rating above 7 did [Ida Brandt] act in?"
    small, large = Holding([GOOD]), ScriptedModel([GOOD])
    for model in (small, large):
        ask(replace(films, model=model), question, strategy="cypher")
    assert '"movies" may mean label Movie.' in prompt(small, 0)
    assert '"rating" may mean label Movie, property rating.' in prompt(small, 0)
    assert '"act" may mean relationship type ACTED_IN.' in prompt(small, 0)
    assert "may mean" not in prompt(large, 0)


def test_a_word_that_is_a_name_in_the_schema_is_no_value(films: Context) -> None:
    films.graph.write("CREATE (:Movie {title: 'Rating'})")
    try:
        context = open_context(films.graph, encoder=films.encoder)
        words = find_words("Which movies have a rating above 7?", (), context)
        assert words.told == ""
        assert "Movie" in words.spoken
        assert "Rating" in find_words('What is the rating of "Rating"?', (), context).told
    finally:
        films.graph.write("MATCH (m:Movie {title: 'Rating'}) DETACH DELETE m")


def test_what_stands_before_the_question_is_the_same_for_all_questions_of_a_graph(films: Context) -> None:
    context, model = said(films, GOOD, GOOD)
    ask(context, QUESTION, strategy="cypher")
    ask(context, "Who acted in North Pier?", strategy="cypher")
    first, second = (call[0] for call in model.calls)
    assert first[:-1] == second[:-1]


@pytest.mark.parametrize(
    ("bad", "kind", "hint"),
    [
        ("I think that it is Harvest Moon.", "syntax error", "no JSON"),
        ('{"variables": [], "answer": 1}', "syntax error", "answer"),
        (GOOD.replace("fullName", "fulName"), "unknown name", "fullName"),
        (GOOD.replace("ACTED_IN", "ACTS_IN"), "unknown name", "ACTED_IN"),
        (TURNED, "unknown name", "must be turned round"),
        (GOOD.replace(ACTED, '"edges": []'), "refused", "not joined"),
        (
            GOOD.replace("Ida Brandt", "Ida Brant"),
            "empty",
            'fullName = "Ida Brant", whatever else is asked; values like it',
        ),
        (GOOD.replace('p", "key": "fullName', 'm", "key": "title'), "empty", "Nothing in the graph has m.title"),
    ],
)
def test_the_model_is_told_what_is_wrong_with_a_query_graph(films: Context, bad: str, kind: str, hint: str) -> None:
    context, model = said(films, bad, GOOD)
    answer = ask(context, QUESTION, strategy="cypher")
    assert set(answer.answers) == FILMS_OF_IDA
    told = prompt(model, 1)
    assert f"Problem ({kind})" in told
    assert hint in told
    assert any(kind in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("bad", "kind", "hint"),
    [
        ("MATCH (p:Person) WHERE RETURN p", "syntax error", "Invalid input"),
        ("MATCH (p:Persons) RETURN p", "unknown name", "Person"),
        ("MATCH (p:Person)<-[:ACTED_IN]-(m:Movie) RETURN m", "unknown name", "turn the arrow"),
        ("MATCH (p:Person) DETACH DELETE p", "refused", "would write"),
        ("MATCH (p)-[*]-(m) RETURN m", "refused", "no bound"),
        ("MATCH (p:Person {fullName: 'Ida'}) RETURN p", "empty", "Nothing in the graph has x0.fullName"),
    ],
)
def test_the_model_is_told_what_is_wrong_with_its_cypher(films: Context, bad: str, kind: str, hint: str) -> None:
    good = "MATCH (:Person {fullName: 'Ida Brandt'})-[:ACTED_IN]->(m:Movie) RETURN m.title"
    context, model = said(films, bad, f"```cypher\n{good}\n```")
    answer = ask(context, QUESTION, strategy=FREE)
    assert set(answer.answers) == FILMS_OF_IDA
    assert f"Problem ({kind})" in prompt(model, 1)
    assert hint in prompt(model, 1)


@pytest.mark.parametrize(
    ("query", "answers", "evidence"),
    [
        ("MATCH (m:Movie) RETURN m ORDER BY m.rating DESC LIMIT 1", ("Rosalind",), {"8.5", "7"}),
        ("MATCH (:Person {fullName: 'Ida Brandt'})-[:ACTED_IN]->(m) RETURN count(m)", ("2",), FILMS_OF_IDA),
        ("MATCH (p:Person)--(m:Movie {title: 'Rosalind'}) RETURN p.fullName, p.born", None, {"Rosalind", "1965-11-30"}),
        ("MATCH ()-[r:ACTED_IN {role: 'Ana'}]->() RETURN r", None, {"Harvest Moon"}),
        ("MATCH (m:Movie) WITH m ORDER BY m.rating LIMIT 1 RETURN m.title", ("North Pier",), {"6.5", "7"}),
        ("MATCH (m:Movie {title: 'Rosalind'}) RETURN m.rating > 8 AS good", ("yes",), {"8.5"}),
    ],
)
def test_free_cypher_answers_with_evidence_and_a_runner_up(
    films: Context, query: str, answers: tuple[str, ...] | None, evidence: set[str]
) -> None:
    context, _ = said(films, query, query)
    answer = ask(context, "Anything", strategy=FREE)
    assert answers is None or answer.answers == answers
    assert {item.triple.object for item in answer.evidence} == evidence


HOPS = 7
"""Of walks that take minutes: a server that does not end them in time does so at last."""
LONG_WALKS = [
    (Cypher(), json.dumps({
        "variables": [{"name": f"x{number}"} for number in range(HOPS + 1)],
        "edges": [{"subject": f"x{number}", "relations": ["ACTED_IN"], "object": f"x{number + 1}", "name": f"r{number}",
                   "directed": False} for number in range(HOPS)],
        "answer": {"function": "count", "value": {"of": "x0"}},
    })),
    (FREE, f"MATCH (p){'-[:ACTED_IN]-()' * HOPS} RETURN count(*)"),
]  # fmt: skip


@pytest.mark.parametrize(("strategy", "slow"), LONG_WALKS, ids=["graph", "free"])
def test_the_model_is_told_that_a_query_took_too_long(
    films: Context, strategy: Cypher, slow: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_query, "LONGEST", 0.3)
    films.graph.write("UNWIND range(1, 14) AS number CREATE (:Knot {number: number})")
    films.graph.write("MATCH (a:Knot), (b:Knot) WHERE a.number < b.number CREATE (a)-[:ACTED_IN]->(b)")
    try:
        context, model = said(films, slow, slow)
        answer = ask(context, "How many walks are there?", strategy=strategy)
    finally:
        films.graph.write("MATCH (knot:Knot) DETACH DELETE knot")
    assert "Problem (timeout): The database did not answer it in time, twice." in prompt(model, 1)
    assert (answer.answer, answer.answers) == ("not found", ())
    assert "No query could be run (timeout): " in answer.warnings[-1]


def test_a_query_for_which_the_database_was_too_busy_once_is_run_again(
    films: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def busy(*arguments: Any, **options: Any) -> Result:
        seen.append(arguments)
        if len(seen) == 1:
            raise GraphTimeout("busy")
        return run_query(*arguments, **options)

    monkeypatch.setattr(write_query, "run_query", busy)
    context, model = said(films, GOOD)
    answer = ask(context, QUESTION, strategy=Cypher(CypherOptions(compare=False)))
    assert (set(answer.answers), answer.warnings, len(model.calls)) == (FILMS_OF_IDA, (), 1)


def test_the_parts_that_make_a_query_empty_are_told(films: Context) -> None:
    query = f'{{{VARIABLES}, {ACTED}, {NAMED[:-1]}, {NOTHING}], "answer": {{"of": "m"}}}}'
    found = why_empty(from_json(json.loads(query)), films)
    assert 'Without the condition m.title = "Rosalind" it finds something.' in found
    assert "Without the edge p -[ACTED_IN]-> m it finds something." in found
    assert "Nothing in the graph has" not in found


def test_a_no_is_an_answer(films: Context) -> None:
    no = GOOD.replace('"answer": {"of": "m"}', '"answer": {"function": "exists", "value": {"of": "m"}}')
    context, model = said(films, no.replace(NAMED[:-1], f"{NAMED[:-1]}, {NOTHING}"))
    answer = ask(context, "Did [Ida Brandt] act in Rosalind?", strategy="cypher")
    assert (answer.answers, len(model.calls)) == (("no",), 1)
    context, model = said(films, "MATCH (m:Movie {title: 'Nothing'}) RETURN count(m) > 0 AS there")
    assert ask(context, "Is there a film called Nothing?", strategy=FREE).answers == ("no",)
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    ("query", "words", "evidence"),
    [
        (
            "MATCH (p:Person {fullName: 'Ida Brandt'})-[:ACTED_IN]->(m:Movie) RETURN m.title",
            "Ida Brandt",
            {("Ida Brandt", "ACTED_IN", "Harvest Moon"), ("Ida Brandt", "ACTED_IN", "North Pier")},
        ),
        (
            "MATCH (p:Person)-[:ACTED_IN]->(m:Movie) WITH m, count(p) AS n WHERE n > 1 RETURN count(m)",
            "number of movies",
            {("Ida Brandt", "ACTED_IN", "North Pier")},
        ),
        (
            "MATCH (m:Movie) WHERE NOT EXISTS { (:Person {fullName: 'Ida Brandt'})-[:ACTED_IN]->(m) } RETURN m",
            "none that",
            set(),
        ),
    ],
)
def test_free_cypher_that_is_a_query_graph_comes_with_its_words_and_evidence(
    films: Context, query: str, words: str, evidence: set[tuple[str, str, str]]
) -> None:
    context, _ = said(films, query, query)
    answer = ask(context, "Anything", strategy=FREE)
    assert words in answer.steps[0].question
    assert evidence <= {(item.triple.subject, item.triple.relation, item.triple.object) for item in answer.evidence}
    assert (answer.cypher or "").startswith(query)


def test_free_cypher_is_not_explained_by_a_query_graph_that_finds_something_else(films: Context) -> None:
    rows = "MATCH (:Person)-[:ACTED_IN]->(m:Movie) RETURN count(m)"
    context, _ = said(films, rows)
    answer = ask(context, "Anything", strategy=FREE)
    [found] = films.graph.read(rows.replace("count(m)", "count(m) AS n, count(DISTINCT m) AS movies"))
    assert found["n"] != found["movies"]
    assert (answer.answers, answer.steps[0].question) == ((str(found["n"]),), "Anything")


def test_simple_cypher_may_stand_in_place_of_a_query_graph(films: Context) -> None:
    context, model = said(films, "```cypher\nMATCH (m:Movie)<-[:ACTED_IN]-({fullName: 'Ida Brandt'}) RETURN m\n```")
    answer = ask(context, QUESTION, strategy="cypher")
    assert (set(answer.answers), len(model.calls)) == (FILMS_OF_IDA, 1)
    assert "Ida Brandt" in answer.steps[0].question


def test_an_answer_that_is_found_without_the_model_too_is_surer(films: Context) -> None:
    context, _ = said(films, GOOD)
    alone = ask(films, QUESTION, strategy="paths")
    assert set(alone.answers) == FILMS_OF_IDA
    answer = ask(context, QUESTION, strategy="cypher")
    agreed = beside(alone.confidence or 0.0, agreed=True)
    assert answer.confidence == pytest.approx(max(agreed, LEAST_AGREED), abs=1e-3)
    assert answer.warnings == ()


def test_an_answer_that_is_another_without_the_model_says_which(films: Context) -> None:
    context, _ = said(films, GOOD.replace("Ida Brandt", "Rosalind"))
    alone = ask(films, QUESTION, strategy="paths")
    answer = ask(context, QUESTION, strategy="cypher")
    likely, _ = opposed(LARGE.alone(), alone.confidence or 0.0)
    assert answer.confidence == pytest.approx(max(likely, LEAST), abs=1e-3)
    assert any(alone.answer in warning for warning in answer.warnings)


def test_the_comparison_can_be_left_out(films: Context) -> None:
    context, _ = said(films, GOOD)
    assert ask(context, QUESTION, strategy=Cypher(CypherOptions(compare=False))).confidence is None


@pytest.mark.parametrize(
    ("when", "shown"), [("failure", [False, True]), ("always", [True, True]), ("never", [False] * 2)]
)
def test_learned_questions_are_shown_as_examples(films: Context, when: When, shown: list[bool]) -> None:
    graph = from_json(json.loads(GOOD))
    far = replace(graph, answer=Aggregate("count", Value("m")))
    lessons = [
        Lesson("in how many films did … act", far, "How many films was Tom in?", far, 3),
        Lesson("which films was … in", graph, "In which films did Tom Okello act?", graph, 2),
        Lesson("what was … in", graph, "Tom Okello acted in what?", graph),
    ]
    try:
        store_lessons(films.graph, lessons)
        context, model = said(replace(films, memory={}), "no", GOOD)
        ask(context, QUESTION, strategy=Cypher(CypherOptions(shots=1, when=when)))
    finally:
        remove_lessons(films.graph)
    examples = f"Question: In which films did Tom Okello act?\n{json.dumps(to_json(graph))}"
    assert [examples in prompt(model, call) for call in (0, 1)] == shown
    assert all("How many films was" not in prompt(model, call) for call in (0, 1))


def test_each_query_is_told_with_its_problem_as_it_comes(films: Context) -> None:
    told: list[Event] = []
    context, _ = said(films, GOOD.replace("ACTED_IN", "ACTS_IN"), GOOD)
    ask(replace(context, on_event=told.append), QUESTION, strategy="cypher")
    texts = [event.text for event in told if isinstance(event, StageEvent) and event.status == "done"]
    assert "unknown name: There is no relationship type 'ACTS_IN'" in texts[0]
    assert "Ida Brandt" in texts[1]
    assert set(texts[2].split(", ")) == FILMS_OF_IDA


@pytest.mark.parametrize(("calls", "found"), [(0, "not found"), (1, "not found"), (2, "Harvest Moon")])
def test_a_budget_ends_the_attempts_with_what_there_is(films: Context, calls: int, found: str) -> None:
    context, model = said(films, "no", GOOD)
    answer = ask(replace(context, options=replace(films.options, max_calls=calls)), QUESTION, strategy="cypher")
    assert found in answer.answer
    assert len(model.calls) == calls
    assert any("budget" in warning for warning in answer.warnings) == (calls < 2)


@pytest.mark.parametrize("name", VALUES)
def test_a_name_in_the_graph_that_would_break_out_of_a_query_breaks_nothing(films: Context, name: str) -> None:
    """The model is taken in by what it reads in the prompt, and glues it into its query as it stands."""
    films.graph.write("CREATE (:Person {fullName: $name})-[:ACTED_IN]->(:Movie {title: 'Trap'})", name=name)
    before = films.graph.last_change()
    try:
        context, _ = said(films, *[f"MATCH (p:Person {{fullName: '{name}'}}) RETURN p.fullName"] * 2)
        answer = ask(context, "Which sailor is it?", strategy=FREE)
        graph = json.dumps(
            {**json.loads(GOOD), "conditions": [{"left": {"of": "p", "key": "fullName"}, "right": [name]}]}
        )
        context, _ = said(films, graph)
        right = ask(context, "In which film is it?", strategy="cypher")
    finally:
        changed = films.graph.last_change() != before
        films.graph.write("MATCH (m:Movie {title: 'Trap'}) DETACH DELETE m")
        films.graph.write("MATCH (p:Person {fullName: $name}) DETACH DELETE p", name=name)
    assert not changed
    assert set(answer.answers) <= {" ".join(name.split())}
    assert right.answers == ("Trap",)


def test_attempts_are_bounded_and_the_last_problem_is_told(films: Context) -> None:
    context, model = said(films, "no", "nor this", "never", "not reached")
    answer = ask(context, QUESTION, strategy="cypher")
    assert (answer.answer, answer.answers, len(model.calls)) == ("not found", (), 3)
    assert any("No query could be run (syntax error)" in warning for warning in answer.warnings)


def test_a_query_that_is_repeated_is_not_asked_for_again(films: Context) -> None:
    nobody = GOOD.replace("Ida Brandt", "Nobody")
    context, model = said(films, nobody, nobody, GOOD)
    answer = ask(context, QUESTION, strategy="cypher")
    assert (answer.answer, len(model.calls)) == ("not found", 2)
    assert answer.cypher


def test_a_count_of_none_is_an_answer_when_the_model_stands_by_it(films: Context) -> None:
    count = GOOD.replace('"answer": {"of": "m"}', '"answer": {"function": "count", "value": {"of": "m"}}')
    count = count.replace("Ida Brandt", "Tom Okello")
    context, _ = said(films, count, count)
    assert ask(context, "How many films did [Tom Okello] act in?", strategy="cypher").answers == ("0",)


def test_a_name_that_is_not_in_the_graph_is_an_error_before_the_model_is_asked(films: Context) -> None:
    context, model = said(films, GOOD)
    with pytest.raises(EntityNotFound):
        ask(context, "In which films did [Nobody Atall] act?", strategy="cypher")
    assert model.calls == []


def test_a_schema_that_does_not_fit_is_cut(films: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    budgets: list[int] = []

    def told(*_: object, tokens: int, **__: object) -> str:
        budgets.append(tokens)
        return "x" * tokens

    def reply(messages: Sequence[Message], _: Parameters) -> str:
        if any("x" * 1_001 in message.content for message in messages):
            raise ContextOverflow("The prompt is too long.", tokens=2, limit=1)
        return GOOD

    monkeypatch.setattr("kgneo.stages.write_query.prompt_text", told)
    wide = Cypher(CypherOptions(schema_tokens=4_000))
    assert set(ask(replace(films, model=ScriptedModel(reply)), QUESTION, strategy=wide).answers) == FILMS_OF_IDA
    assert budgets == [4_000, 2_000, 1_000]


def test_a_model_that_holds_to_a_schema_gets_that_of_this_graph(films: Context) -> None:
    class Holding(ScriptedModel):
        supports_json_schema = True

    model = Holding([GOOD])
    ask(replace(films, model=model), QUESTION, strategy="cypher")
    form = model.calls[0][1].json_schema
    assert form is not None
    assert "ACTED_IN" in json.dumps(form)


def test_a_model_that_holds_to_a_grammar_gets_one_with_the_values_of_the_question(films: Context) -> None:
    class Holding(ScriptedModel):
        supports_grammar = True

    model = Holding([GOOD])
    ask(replace(films, model=model), QUESTION, strategy="cypher")
    rules = rules_of(model.calls[0][1].grammar or "")
    written = json.dumps(to_json(from_json(json.loads(GOOD)).renamed()), ensure_ascii=False)
    assert allows(rules, written)
    assert not allows(rules, written.replace("Ida Brandt", "Rosalind"))


def test_a_loaded_graph_is_asked_too(sample_context: Context) -> None:
    graph = (
        '{"variables": [{"name": "c"}, {"name": "e", "labels": ["Entity"]}], "edges": '
        '[{"subject": "e", "relations": ["has_capital"], "object": "c"}], "conditions": '
        '[{"left": {"of": "e", "key": "name"}, "right": ["Ethiopia"]}], "answer": {"of": "c"}}'
    )
    context, _ = said(sample_context, graph, graph, graph)
    answer = ask(context, "what is the capital of [Ethiopia]?", strategy="cypher")
    assert answer.answers == ("Addis Ababa",), answer.warnings
    context, _ = said(context, "MATCH (:Entity {name: 'Ethiopia'})-[:has_capital]->(c) RETURN c")
    assert ask(context, "what is the capital of [Ethiopia]?", strategy=FREE).answers == ("Addis Ababa",)


def test_a_query_may_be_changed_before_it_runs(films: Context) -> None:
    seen: list[str] = []

    def review(query: str) -> str:
        seen.append(query)
        return query.replace("Ida Brandt", "Rosalind")

    context, _ = said(films, GOOD)
    answer = ask(context, QUESTION, strategy=Cypher(CypherOptions(review=review)))
    assert json.loads(seen[0]) == json.loads(GOOD)
    assert answer.answers == ("North Pier",)


BOOKS = Catalogue(
    (
        Label("Author", (Key("name", "STRING"), Key("born", "DATE"))),
        Label("Book", (Key("title", "STRING"), Key("year", "INTEGER"))),
        Label("Publisher", (Key("name", "STRING"),)),
    ),
    (
        Relation("WROTE", (), (("Author", "Book"),)),
        Relation("PUBLISHED_BY", (Key("copies", "INTEGER"),), (("Book", "Publisher"),)),
    ),
)


def examples(name: str) -> list[str]:
    """What the assistant says in the examples of a prompt, before the schema that it is to use."""
    messages = Prompts().messages(name, question="", schema="", entities="", before="")
    return [message.content for message in messages if message.role == "assistant"][:-1]


@pytest.mark.parametrize("example", examples("query_graph"))
def test_an_example_of_the_prompt_is_a_query_graph_that_passes(example: str) -> None:
    assert check(from_json(json.loads(example)), BOOKS) == ()


def shown_in(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects in a text."""
    place = text.find("{")
    while place >= 0:
        try:
            found, place = json.JSONDecoder().raw_decode(text, place)
            yield found
        except json.JSONDecodeError:
            place += 1
        place = text.find("{", place)


PLACES = {"labels": "variables", "subject": "edges", "left": "conditions", "variable": "selections"}


SYSTEM = Prompts().messages("query_graph", question="", schema="", entities="", before="")[0].content


@pytest.mark.parametrize("part", list(shown_in(SYSTEM)), ids=str)
def test_each_part_that_the_prompt_shows_can_be_read(part: dict[str, Any]) -> None:
    place = next((PLACES[key] for key in part if key in PLACES), "answer")
    graph = {"variables": [{"name": "x0"}, {"name": "x1"}], "answer": {"of": "x0"}}
    assert from_json({**graph, place: part if place == "answer" else [part]})


@pytest.mark.parametrize("example", examples("cypher"))
def test_an_example_of_the_prompt_is_cypher_that_passes(example: str) -> None:
    check_statement(read_statement(example), BOOKS)


@pytest.mark.usefixtures("films")
def test_the_command_takes_it(
    films_server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text(json.dumps({"reply": "MATCH (m:Movie) WHERE m.released > 2010 RETURN m.title"}))
    set_address(monkeypatch, films_server)
    code = main(["ask", "-s", "cypher", "--free", "--llm", f"scripted:{script}", "Which films came after 2010?"])
    assert code == 0
    assert "North Pier" in capsys.readouterr().out


@pytest.mark.usefixtures("films")
@pytest.mark.parametrize(
    ("editor", "code", "shown"), [("sed -i s/2010/2000/", 0, "Rosalind"), ("truncate -s 0", 130, "")]
)
def test_the_command_opens_the_query_in_the_editor(
    films_server: RunningServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    editor: str,
    code: int,
    shown: str,
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text(json.dumps({"reply": "MATCH (m:Movie) WHERE m.released > 2010 RETURN m.title"}))
    set_address(monkeypatch, films_server)
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.delenv("VISUAL", raising=False)
    arguments = ["--free", "--edit", "--llm", f"scripted:{script}", "Which films came after 2010?"]
    assert main(["ask", "-s", "cypher", *arguments]) == code
    assert shown in capsys.readouterr().out
