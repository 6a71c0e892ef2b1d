"""Feedback: what people say of answers waits, is reviewed, and then answers the same question and its kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import kgneo
from kgneo.asking.question import ask, open_context
from kgneo.cli.dialogue import Dialogue
from kgneo.cli.main import main
from kgneo.cli.printer import Printer
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import DataError, UsageError
from kgneo.feedback.durable import durable
from kgneo.feedback.give import Said, give
from kgneo.feedback.review import effect, take, take_back
from kgneo.feedback.said import Feedback, add, feedback_file, pending
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph, Value, Variable
from kgneo.query.json import to_json
from kgneo.server import RunningServer
from kgneo.strategies import find_strategy
from kgneo.terms.file import read_terms
from tests.conftest import connect, folder_of_commands
from tests.serving import client, listening
from tests.test_serve_page import ask as ask_page
from tests.test_serve_page import click, texts, until

SHOP = """
UNWIND [['Ada', 'Bonn', 34, [['lamp', 120], ['desk', 700]]], ['Bob', 'Kiel', 51, [['lamp', 90]]],
        ['Cyrus', 'Kiel', 28, [['chair', 300], ['lamp', 50], ['shelf', 80]]], ['Dido', 'Ulm', 45, []]] AS row
CREATE (c:Customer {name: row[0], city: row[1], age: row[2]})
WITH c, row UNWIND row[3] AS item
MERGE (p:Product {title: item[0]})
CREATE (c)-[:PLACED]->(:Order {amount: item[1]})-[:CONTAINS]->(p)
"""
BEST = "Who are our best people in Kiel?"
MEANS = "MATCH (c:Customer)-[:PLACED]->(o:Order) WHERE c.city = 'Kiel' AND o.amount > 80 RETURN c"
FANS = "Give me the lamp fans."
FANS_MEAN = "MATCH (c:Customer)-[:PLACED]->(:Order)-[:CONTAINS]->(p:Product) WHERE p.title = 'lamp' RETURN c"


@pytest.fixture(scope="module")
def shop(newest_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A graph, and the folder in which commands about it run."""
    with folder_of_commands(newest_server, SHOP, tmp_path_factory) as folder:
        yield folder


@pytest.fixture(scope="module")
def opened(shop: Path, newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with connect(newest_server) as graph:
        graph.terms_file = shop / "kgneo.terms.toml"
        yield open_context(graph, encoder=encoder)


@pytest.fixture
def context(opened: Context, shop: Path) -> Iterator[Context]:
    """The graph as nobody has said anything yet."""
    yield opened
    opened.graph.terms = None
    for file in shop.iterdir():
        if file.is_file():
            file.unlink()


def waiting(context: Context) -> list[Feedback]:
    return pending(feedback_file(context.graph.terms_file))


def taught(context: Context, question: str, means: str, by: str = "ann") -> None:
    """Say what a question means, and take it."""
    item = give(context, question, None, Said(means=means, by=by))
    file = context.graph.terms_file
    assert file is not None
    take(context, file, item, effect(context, item), feedback_file(file))


def names(context: Context, question: str) -> set[str]:
    return {*ask(context, question).answers}


# Being taught --------------------------------------------------------------------------------------------------------


def test_what_waits_changes_no_answer(context: Context) -> None:
    before = ask(context, BEST).answers
    give(context, BEST, None, Said(means=MEANS, by="ann"))
    assert (ask(context, BEST).answers, len(waiting(context))) == (before, 1)


def test_what_was_taken_is_answered_as_it_was_said(context: Context) -> None:
    taught(context, BEST, MEANS)
    answer = ask(context, BEST)
    assert ({*answer.answers}, answer.confidence, waiting(context)) == ({"Bob", "Cyrus"}, 1.0, [])


@pytest.mark.parametrize(
    "question",
    ["Who are our best people in Bonn?", "who are the best people in Bonn", "Who are our best people in [Bonn]?"],
)
def test_the_same_with_another_name_is_answered_by_it(context: Context, question: str) -> None:
    taught(context, BEST, MEANS)
    assert names(context, question) == {"Ada"}


def test_the_same_with_another_number_is_answered_by_it(context: Context) -> None:
    taught(
        context,
        "Who are heavy spenders above 80?",
        "MATCH (c:Customer)-[:PLACED]->(o:Order) WHERE o.amount > 80 RETURN c",
    )
    assert names(context, "Who are heavy spenders above 500?") == {"Ada"}


def test_the_same_in_other_words_is_answered_by_it(context: Context) -> None:
    taught(context, FANS, FANS_MEAN)
    assert names(context, "List all the lamp fans") == {"Ada", "Bob", "Cyrus"}


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("How many customers are there in Kiel?", {"2"}),
        ("What is the age of Ada?", {"34"}),
        ("Which customers live in Kiel?", {"Bob", "Cyrus"}),
        ("Who is the oldest customer?", {"Bob"}),
    ],
)
def test_other_questions_are_answered_as_before(context: Context, question: str, answers: set[str]) -> None:
    taught(context, BEST, MEANS)
    taught(context, FANS, FANS_MEAN)
    assert names(context, question) == answers


@pytest.mark.parametrize(
    ("question", "means", "answers"),
    [
        ("How many lamp fans do we have?", FANS_MEAN.replace("RETURN c", "RETURN count(DISTINCT c)"), {"3"}),
        ("Who never buys anything?", "MATCH (c:Customer) WHERE NOT (c)-[:PLACED]->(:Order) RETURN c", {"Dido"}),
        (
            "Spending by town?",
            "MATCH (c:Customer)-[:PLACED]->(o:Order) RETURN c.city, sum(o.amount)",
            {"Bonn: 820", "Kiel: 520"},
        ),
        (
            "Folks with their years?",
            "MATCH (c:Customer) RETURN c.name, c.age",
            {"Ada: 34", "Bob: 51", "Cyrus: 28", "Dido: 45"},
        ),
    ],
)
def test_counts_denials_groups_and_columns_are_learned(
    context: Context, question: str, means: str, answers: set[str]
) -> None:
    taught(context, question, means)
    assert names(context, question) == answers


def test_a_right_answer_is_learned_with_names_in_place_of_ids(context: Context) -> None:
    answer = ask(context, "What did [Ada] place?")
    kept = kgneo.teach(context, answer, Said(right=True, by="ann"))
    assert kept.graph is not None
    assert not any(variable.ids for variable in kept.graph.variables)
    assert "Ada" in json.dumps(to_json(kept.graph))


def test_a_node_that_nothing_names_keeps_its_id(context: Context) -> None:
    order = context.graph.read("MATCH (o:Order) RETURN elementId(o) AS id LIMIT 1")[0]["id"]
    graph = QueryGraph((Variable("x0", ("Order",), (order,)),), Value("x0"))
    assert durable(context, graph).variables[0].ids == (order,)


def test_the_right_answers_tell_which_reading_is_meant(context: Context) -> None:
    kept = give(context, "Which customers live in Kiel?", None, Said(answers=("Cyrus", "Bob")))
    assert (kept.verdict, kept.read_as) == ("corrected", "customers with city Kiel")


def test_other_words_tell_what_is_meant(context: Context) -> None:
    kept = give(context, "Northern folks?", None, Said(means="Which customers live in Kiel?"))
    assert kept.read_as == "customers with city Kiel"


# What cannot be kept -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (Said(right=True), "nothing to learn"),
        (Said(answers=("Nobody",)), "No reading of the question gives exactly Nobody"),
        (Said(means='{"variables": 1'), "no JSON"),
        (Said(means="MATCH (c:Clown) RETURN c"), "Clown"),
        (Said(means="MATCH (c:Customer) CALL db.labels() RETURN c"), "CALL"),
        (Said(means="the quick brown fox jumps"), "read"),
    ],
)
def test_what_cannot_be_learned_is_refused_with_a_reason(context: Context, said: Said, told: str) -> None:
    with pytest.raises((UsageError, DataError), match=told):
        give(context, BEST, None, said)
    assert waiting(context) == []


def test_the_same_said_twice_waits_once(context: Context) -> None:
    for _ in range(2):
        give(context, BEST, None, Said(means=MEANS, by="ann"))
    assert len(waiting(context)) == 1


def test_nothing_but_the_feedback_is_left_beside_the_terms(context: Context, shop: Path) -> None:
    give(context, BEST, None, Said(means=MEANS, by="ann"))
    assert [file.name for file in shop.iterdir()] == ["kgneo.feedback.jsonl"]


def test_what_several_say_at_once_is_all_kept(context: Context) -> None:
    file = feedback_file(context.graph.terms_file)
    items = [Feedback(f"question {number}?", "wrong", by="ann") for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda item: add(file, item), items))
    assert {item.question for item in pending(file)} == {item.question for item in items}


def test_a_line_that_is_no_feedback_is_told_with_its_number(context: Context) -> None:
    feedback_file(context.graph.terms_file).write_text('{"question": "x"\n', encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        waiting(context)


# Review --------------------------------------------------------------------------------------------------------------


def test_a_review_says_what_is_answered_now_and_then(context: Context) -> None:
    item = give(context, FANS, None, Said(means=FANS_MEAN))
    found = effect(context, item)
    assert ({*found.after}, found.before == found.after, found.refusal) == ({"Ada", "Bob", "Cyrus"}, False, "")


def test_what_breaks_a_verified_question_is_refused_with_its_name(context: Context) -> None:
    asked = "Which people that live in {} placed orders?"
    taught(context, asked.format("Kiel"), "MATCH (c:Customer {city: 'Kiel'})-[:PLACED]->(:Order) RETURN DISTINCT c")
    means = "MATCH (c:Customer {city: 'Bonn'})-[:PLACED]->(o:Order) RETURN count(o)"
    item = give(context, asked.format("Bonn"), None, Said(means=means))
    found = effect(context, item)
    assert found.worse == (asked.format("Kiel"),)
    file = context.graph.terms_file
    assert file is not None
    with pytest.raises(UsageError, match="live in Kiel placed"):
        take(context, file, item, found, feedback_file(file))
    assert len(waiting(context)) == 1


def test_another_meaning_of_a_verified_question_is_refused_with_who_verified_it(context: Context) -> None:
    taught(context, BEST, MEANS, by="ann")
    item = give(context, BEST, None, Said(means=FANS_MEAN, by="bob"))
    assert "ann verified another meaning" in effect(context, item).refusal


def test_what_is_only_said_to_be_wrong_waits_and_is_not_taken(context: Context) -> None:
    item = give(context, BEST, None, Said(by="ann"))
    with pytest.raises(UsageError, match="not what is right"):
        effect(context, item)
    assert [kept.verdict for kept in waiting(context)] == ["wrong"]


def test_one_persons_lessons_are_taken_back_and_others_stay(context: Context) -> None:
    taught(context, BEST, MEANS, by="ann")
    taught(context, FANS, FANS_MEAN, by="bob")
    file = context.graph.terms_file
    assert file is not None
    assert take_back(context, file, by="ann") == [BEST]
    assert names(context, FANS) == {"Ada", "Bob", "Cyrus"}
    assert [item.question for item in read_terms(file).questions] == [FANS]


def test_comments_of_the_file_stay_when_feedback_is_taken(context: Context) -> None:
    file = context.graph.terms_file
    assert file is not None
    file.write_text("# ours\n[labels.Customer]\nwords = 'client' # who buys\n", encoding="utf-8")
    taught(context, BEST, MEANS)
    assert "# who buys" in file.read_text(encoding="utf-8")


# Commands ------------------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What a command prints on both streams."""
    assert main(list(arguments)) == status
    told = capsys.readouterr()
    return told.out + told.err


@pytest.fixture
def folder(context: Context, shop: Path) -> Path:
    """The folder, cleared after the test."""
    assert context.graph.terms is None
    return shop


def test_a_question_is_corrected_and_reviewed_in_the_shell(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Kept as corrected" in run(capsys, "ask", FANS, "--means", FANS_MEAN, "--here")
    assert main(["learn", "--review", "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["waiting"]
    assert item["effect"]["after"] == ["Ada", "Bob", "Cyrus"]
    assert f"Taken: {FANS}" in run(capsys, "learn", "--take", item["key"])
    assert {*run(capsys, "ask", FANS, "--quiet", "--here").split()} >= {"Ada", "Bob", "Cyrus"}
    assert (folder / "kgneo.terms.toml").is_file()


def test_a_right_answer_waits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ask", "Which customers live in Kiel?", "--right", "--here")
    assert [item.read_as for item in pending(folder / "kgneo.feedback.jsonl")] == ["customers with city Kiel"]


def test_a_wrong_answer_waits_and_is_dropped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "ask", "Which customers live in Kiel?", "--wrong", "--here")
    assert "wrong, by" in run(capsys, "learn", "--review")
    assert "Dropped 1." in run(capsys, "learn", "--drop", "all")
    assert pending(folder / "kgneo.feedback.jsonl") == []


def test_a_person_is_taken_back_in_the_shell(
    context: Context, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.is_dir()
    taught(context, BEST, MEANS, by="ann")
    give(context, FANS, None, Said(means=FANS_MEAN, by="ann"))
    told = run(capsys, "learn", "--take-back", "ann")
    assert f"Taken back: {BEST}\n1 verified questions and 1 that waited were ann's." in told


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask", BEST, "--right", "--wrong"),
        ("ask", "--right"),
        ("learn", "--review", "--list"),
        ("learn", "--take", "nothing"),
    ],
)
def test_what_cannot_be_said_together_is_a_usage_error(
    folder: Path, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert folder.is_dir()
    assert "Error" in run(capsys, *arguments, status=2)


def test_a_server_that_is_named_keeps_it(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    with listening(context) as address:
        told = run(capsys, "ask", "Which customers live in Kiel?", "--right", "--server", address)
    assert "Kept as right: customers with city Kiel." in told
    assert [item.through for item in waiting(context)] == ["http"]


def test_in_the_dialogue_the_last_answer_is_said_to_be_right(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    printer = Printer(context, find_strategy("auto"))
    printer.print("Which customers live in Kiel?")
    dialogue = Dialogue(printer)
    dialogue._understand("/right")
    dialogue._understand("/means how many customers are in Kiel?")
    assert "Kept as corrected: number of customers with city Kiel." in capsys.readouterr().err
    assert [item.verdict for item in waiting(context)] == ["right", "corrected"]


# Servers -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def http(context: Context) -> Iterator[TestClient]:
    with client(context) as talking:
        yield talking


def test_feedback_comes_through_http(http: TestClient, context: Context) -> None:
    answer = http.post("/api/v1/ask", json={"question": "Which customers live in Kiel?"}).json()
    body: dict[str, Any] = {"question": answer["question"], "right": True, "query_graph": answer["query_graph"]}
    kept = http.post("/api/v1/feedback", json={**body, "by": "ann"}).json()
    assert kept["verdict"] == "right"
    assert [(item.by, item.through) for item in waiting(context)] == [("ann", "http")]


def test_a_query_graph_of_a_client_is_checked(http: TestClient, context: Context) -> None:
    graph = to_json(from_cypher("MATCH (c:Clown) RETURN c"))
    found = http.post("/api/v1/feedback", json={"question": BEST, "right": True, "query_graph": graph})
    assert (found.status_code, waiting(context)) == (422, [])
    assert "Clown" in found.json()["error"]["message"]


def test_a_server_answers_by_what_was_taken_meanwhile(http: TestClient, context: Context) -> None:
    taught(context, FANS, FANS_MEAN)
    found = http.post("/api/v1/ask", json={"question": FANS}).json()
    assert {*found["answers"]} == {"Ada", "Bob", "Cyrus"}


@pytest.fixture
def page(chromium: Any, context: Context) -> Iterator[Any]:
    """The page with the answer to a question."""
    with listening(context) as address:
        chromium.set_window_size(1300, 1000)
        chromium.get(address)
        until(chromium, lambda: texts(chromium, "#examples button"))
        ask_page(chromium, "Which customers live in Kiel?")
        yield chromium


def press(page: Any, text: str) -> None:
    """Press the button with that text, and wait until what was said is kept."""
    click(page, ".feedback button", text)
    until(page, lambda: any("waits to be reviewed" in told for told in texts(page, ".feedback [role=status]")))


def test_an_answer_is_said_to_be_right_on_the_page(page: Any, context: Context) -> None:
    press(page, "👍 Right")
    assert [(item.verdict, item.read_as) for item in waiting(context)] == [("right", "customers with city Kiel")]


def test_what_a_question_means_is_said_on_the_page(page: Any, context: Context) -> None:
    click(page, ".feedback button", "👎 Wrong")
    page.find_element("css selector", ".feedback input").send_keys("how many customers are in Kiel?")
    press(page, "Send")
    assert [(item.verdict, item.read_as) for item in waiting(context)] == [
        ("corrected", "number of customers with city Kiel")
    ]


def test_a_reading_that_was_run_is_said_to_be_meant_on_the_page(page: Any, context: Context) -> None:
    click(page, ".readings summary")
    until(page, lambda: texts(page, ".readings li"))
    click(page, ".readings li:last-of-type button[aria-label^='Take it']")
    until(page, lambda: "👍 This is what I meant" in texts(page, ".feedback button"))
    press(page, "👍 This is what I meant")
    (item,) = waiting(context)
    assert (item.question, item.verdict) == ("Which customers live in Kiel?", "right")
