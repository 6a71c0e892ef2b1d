"""Terms in use: a graph whose names are codes is asked in the words of the people who ask it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kgneo.asking.question import ask, interpret, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import EntityNotFound, UsageError
from kgneo.graph import Graph
from kgneo.graph.attach import Choices
from kgneo.graph.open import known_shape
from kgneo.graph.schema_text import prompt_text
from kgneo.llm import ScriptedModel
from kgneo.server import RunningServer
from kgneo.settings import Settings, open_graph
from kgneo.strategies.cypher import Cypher
from kgneo.terms.file import read_terms, terms_of
from tests.conftest import connect, folder_of_commands

SHOP = """
UNWIND [['Ada', 'A', 'Bonn', [['N1', 120, '2024-01-03'], ['N2', 700, '2024-05-01']]],
        ['Bob', 'I', 'Kiel', [['N3', 90, '2023-02-03']]],
        ['Cyrus', 'A', 'Kiel', [['N4', 300, '2024-02-02'], ['N5', 50, '2023-12-12']]],
        ['Dido', 'I', 'Ulm', []]] AS row
CREATE (c:T0042 {CUST_NM: row[0], CUST_STAT_CD: row[1], CTY: row[2], SSN: row[0] + '-123'})
WITH c, row UNWIND row[3] AS item
CREATE (c)-[:R17]->(:T0050 {ORD_NO: item[0], AMT: item[1], ORD_DT: date(item[2])})
"""
TERMS = """
[labels.T0042]
name = "customer"
words = ["client", "buyer"]
description = "Who buys from us."
display = "CUST_NM"
[labels.T0042.properties]
CUST_NM.name = "name"
CTY = { name = "city", words = "town" }
SSN.hidden = true
[labels.T0042.properties.CUST_STAT_CD]
name = "status"
values = { A = ["active", "current"], I = "inactive" }
[labels.T0050]
name = "order"
words = "purchase"
[labels.T0050.properties]
ORD_NO.name = "order number"
AMT = { name = "amount", unit = "EUR", format = ",.2f" }
ORD_DT = { name = "date", format = "%d.%m.%Y" }
[relations.R17]
name = "placed"
words = ["bought"]
[terms.VIP]
cypher = "MATCH (c:T0042)-[:R17]->(o:T0050) WHERE o.AMT > 500 RETURN c"
[terms."big order"]
cypher = "MATCH (o:T0050) WHERE o.AMT > 200 RETURN o"
[terms.revenue]
cypher = "MATCH (o:T0050) RETURN sum(o.AMT)"
[[questions]]
question = "How is business?"
cypher = "MATCH (o:T0050) RETURN sum(o.AMT)"
by = "ann"
on = 2026-11-25
"""


@pytest.fixture(scope="module")
def shop(newest_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A graph of codes, and the file of its terms, in whose folder commands run."""
    with folder_of_commands(newest_server, SHOP, tmp_path_factory) as folder:
        yield folder


@pytest.fixture
def file(shop: Path) -> Iterator[Path]:
    """The file of terms; what a test changes of it is gone afterwards."""
    found = shop / "kgneo.terms.toml"
    found.write_text(TERMS, encoding="utf-8")
    yield found
    found.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def context(shop: Path, newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    assert shop.is_dir()
    with connect(newest_server) as graph:
        (shop / "module.toml").write_text(TERMS, encoding="utf-8")
        graph.terms = read_terms(shop / "module.toml")
        yield open_context(graph, encoder=encoder)


# Questions -----------------------------------------------------------------------------------------------------------


ANSWERS: dict[str, set[str]] = {
    "How many customers are there?": {"4"},
    "How many clients are there?": {"4"},
    "How many T0042 are there?": {"4"},
    "Which customers live in Kiel?": {"Bob", "Cyrus"},
    "What is the city of Ada?": {"Bonn"},
    "In which town does [Ada] live?": {"Bonn"},
    "Which active customers are there?": {"Ada", "Cyrus"},
    "How many inactive clients are there?": {"2"},
    "Which clients placed orders of more than 200?": {"Ada", "Cyrus"},
    "What did Ada buy?": {"N1", "N2"},
    "Which purchases did [Ada] make?": {"N1", "N2"},
    "Which VIP customers are there?": {"Ada"},
    "How many VIPs are there?": {"1"},
    "Which customers are not VIPs?": {"Bob", "Cyrus", "Dido"},
    "Which VIPs bought something in 2024?": {"Ada"},
    "How many big orders are there?": {"2"},
    "Who placed a big order?": {"Ada", "Cyrus"},
    "What is the total revenue?": {"1260"},
    "What is the revenue of Ada?": {"820"},
    "Which customer has the highest revenue?": {"Ada"},
    "Which customers have a revenue of more than 200?": {"Ada", "Cyrus"},
}


@pytest.mark.parametrize("question", ANSWERS)
def test_a_graph_of_codes_is_asked_in_peoples_words(context: Context, question: str) -> None:
    assert {*ask(context, question).answers} == ANSWERS[question]


def test_without_terms_the_same_words_say_nothing(shop: Path, newest_server: RunningServer) -> None:
    assert shop.is_dir()
    with connect(newest_server) as graph:
        answer = ask(open_context(graph), "Which active customers are there?")
    assert {*answer.answers} != {"Ada", "Cyrus"}


def test_a_reading_is_worded_as_people_say_it(context: Context) -> None:
    assert interpret(context, "Which clients live in Kiel?")[0].wording == "customers with city Kiel"


def test_a_verified_question_is_answered_as_verified(context: Context) -> None:
    answer = ask(context, "how is business")
    assert (answer.answers, answer.outcome) == (("1260",), "answer")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the total amount of orders?", "1,260.00 EUR"),
        ("What is the status of Ada?", "A (active)"),
        ("What is the date of [N2]?", "01.05.2024"),
        ("What is the average amount of orders?", "252.00 EUR"),
        ("How many orders are there?", "5"),
    ],
)
def test_people_are_told_values_as_they_write_them(context: Context, question: str, told: str) -> None:
    assert ask(context, question).answer.split(" (N")[0] == told


def test_programs_get_values_as_the_graph_has_them(context: Context) -> None:
    assert ask(context, "What is the total amount of orders?").answers == ("1260",)


def test_a_name_that_the_user_marked_is_not_changed(context: Context) -> None:
    with pytest.raises(EntityNotFound, match="client"):
        ask(context, "Which orders did [client] place?")


def test_hidden_values_are_not_told(context: Context) -> None:
    assert "123" not in json.dumps(ask(context, "What is the SSN of Ada?").to_dict())


def test_hidden_things_of_loaded_triples_are_refused_with_a_reason(sample_graph: Graph) -> None:
    sample_graph.terms = terms_of({"relations": {"FLOWS_INTO": {"hidden": True}}})
    try:
        with pytest.raises(UsageError, match="hidden"):
            open_context(sample_graph)
    finally:
        sample_graph.terms = None


# Models --------------------------------------------------------------------------------------------------------------


def prompts_for(context: Context, question: str) -> str:
    seen: list[str] = []

    def reply(messages: Any, *_: Any) -> str:
        seen.append("\n".join(message.content for message in messages))
        return "MATCH (c:T0042) RETURN c"

    ask(replace(context, model=ScriptedModel(reply)), question, strategy=Cypher())
    assert seen
    return seen[0]


def test_a_model_is_told_what_the_words_of_the_question_mean(context: Context) -> None:
    told = prompts_for(context, "Which current clients in Kiel are no VIP?")
    assert '"client" means customer' in told
    assert '"current" means the value "A" of label T0042, property CUST_STAT_CD' in told
    assert '"VIP" of a customer means what this query graph says' in told
    assert "revenue" not in told.split("How is business?")[0].split("Question")[-1]


def test_a_model_is_shown_verified_questions_as_examples(context: Context) -> None:
    assert "How is business?" in prompts_for(context, "How are sales?")


def test_the_schema_for_models_has_names_and_descriptions(context: Context) -> None:
    text = prompt_text(context.knowledge.schema, context.shape, tokens=2_000)
    assert "// customer: Who buys from us." in text
    assert "A = active or current" in text
    assert "SSN" not in text


# Commands ------------------------------------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> str:
    """What a command prints on both streams."""
    assert main(list(arguments)) == status
    told = capsys.readouterr()
    return told.out + told.err


@pytest.mark.usefixtures("file")
def test_commands_find_the_file_of_the_working_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Bonn" in run(capsys, "ask", "In which town does [Ada] live?")


def test_a_file_elsewhere_is_given(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = file.rename(tmp_path / "other.toml")
    assert "4" in run(capsys, "ask", "-q", "--terms", str(other), "How many buyers are there?")


@pytest.mark.usefixtures("shop")
def test_a_file_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.toml" in run(capsys, "ask", "--terms", "nowhere.toml", "How many?", status=1)
    assert "kgneo terms draft" in run(capsys, "terms", "check", status=2)


@pytest.mark.usefixtures("file")
def test_a_file_that_fits_is_said_to_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert "fits the graph" in run(capsys, "terms", "check")


def test_what_does_not_fit_is_told_with_its_place_and_ends_with_status_1(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = """
    [labels.T0043]
    [labels.T0050.properties.AMOUNT]
    [terms.rich]
    cypher = "MATCH (c:T0042) WHERE c.WEALTH > 3 RETURN c"
    [terms.town]
    cypher = "MATCH (c:T0042) RETURN c.CTY"
    [[questions]]
    question = "Who bought?"
    cypher = "MATCH (c:T0042)-[:R18]->() RETURN c"
    [[questions]]
    question = "who bought"
    cypher = "MATCH (c:T0042)-[:R17]->() RETURN c"
    """
    text = TERMS.replace('I = "inactive"', 'I = "inactive", X = "gone"').replace('"buyer"', '"purchase"')
    file.write_text(text + more, encoding="utf-8")
    told = run(capsys, "terms", "check", status=1)
    for line in (
        "labels.T0043: the graph has no label 'T0043'. Did you mean T0042?",
        "labels.T0050.properties.AMOUNT: T0050 has no property 'AMOUNT'.",
        "labels.T0042.properties.CUST_STAT_CD.values: no T0042 has the value 'X' of CUST_STAT_CD.",
        "terms.town: expected a query graph that asks for nodes of one label, or for a number.",
        "note   purchase: means T0042 and T0050",
        "is verified 2 times",
    ):
        assert line in told
    assert "WEALTH" in told
    assert "R18" in told


def test_terms_that_do_not_fit_leave_the_others_in_use(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TERMS + "[labels.T0043]\nname = 'nothing'\n[terms.odd]\ncypher = 'MATCH (c:X) RETURN c'\n")
    assert "4" in run(capsys, "ask", "-q", "How many clients are there?")


def test_verified_questions_are_asked_and_compared(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TERMS.replace("How is business?", "What is the total amount of orders?"), encoding="utf-8")
    assert "1 of 1 verified questions are read as verified" in run(capsys, "terms", "test")
    file.write_text(TERMS.replace("How is business?", "How many orders are there?"), encoding="utf-8")
    told = run(capsys, "terms", "test", status=1)
    assert "other  How many orders are there?" in told
    assert "verified: " in told


def test_a_word_is_added_without_cypher_and_read_at_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "terms", "add", "patron", "--for", "T0042")
    run(capsys, "terms", "add", "lapsed", "--for", "T0042.CUST_STAT_CD=I")
    assert "nothing, since" in run(capsys, "terms", "add", "patron", "--for", "T0042")
    assert read_terms(file).labels["T0042"].words == ("client", "buyer", "patron")
    assert "2" in run(capsys, "ask", "-q", "How many lapsed patrons are there?")


@pytest.mark.usefixtures("file")
def test_a_word_for_what_the_graph_does_not_have_is_refused_with_what_is_near(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "Did you mean T0042.CTY?" in run(capsys, "terms", "add", "x", "--for", "T0042.CTYX", status=2)
    assert "Expected one of" in run(capsys, "terms", "add", "x", status=2)


def test_a_term_is_added_by_the_words_that_it_means(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "terms", "add", "local", "--means", "customers that live in Kiel")
    assert "local" in read_terms(file).terms
    assert {*run(capsys, "ask", "-q", "Which local customers are there?").split()} >= {"Bob", "Cyrus"}


def test_a_term_that_means_a_property_is_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "terms", "add", "place", "--means", "the city of Ada", status=2)
    assert "asks neither for nodes of one label nor for a number" in told
    assert "place" not in read_terms(file).terms


def test_a_question_is_verified_by_its_reading(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "terms", "add", "--question", "How many orders are there?")
    verified = read_terms(file).questions[-1]
    assert verified.question == "How many orders are there?"
    assert verified.by
    assert verified.on
    again = ("terms", "add", "--question", "How many orders are there?", "--pick", "99")
    assert "there is no number 99" in run(capsys, *again, status=2)


def test_show_prints_what_the_file_says_and_its_schema(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert file.is_file()
    told = run(capsys, "terms", "show")
    assert "T0042  “customer”  client, buyer  Who buys from us." in told
    assert "[hidden]" in told
    assert json.loads(run(capsys, "terms", "show", "--json"))["labels"]["T0050"]["name"] == "order"
    assert json.loads(run(capsys, "terms", "show", "--schema"))["title"] == "kgneo.terms.toml"


def test_a_draft_can_be_checked_and_asked_at_once(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = shop / "kgneo.terms.toml"
    try:
        assert "each marked as a guess" in run(capsys, "terms", "draft")
        assert "guesses of a draft" in run(capsys, "terms", "check")
        assert read_terms(found).labels["T0042"].properties["CUST_STAT_CD"].name == "customer status code"
    finally:
        found.unlink()


def test_a_model_drafts_names_words_and_values(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = {"name": "buyer", "properties": {"CUST_STAT_CD": {"values": {"A": ["active"]}}, "NOT_THERE": {"name": "x"}}}
    lines = [{"match": "The label T0042:", "reply": told}, {"match": "The label T0050:", "reply": "I do not know."},
             {"match": "relationship type R17:", "reply": {"name": "placed", "hidden": "perhaps"}}]  # fmt: skip
    (shop / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = shop / "kgneo.terms.toml"
    try:
        said = run(capsys, "terms", "draft", "--llm", "scripted:replies.jsonl")
        customers = read_terms(found).labels["T0042"]
    finally:
        found.unlink(missing_ok=True)
    assert (customers.name, customers.guess) == ("buyer", True)
    assert customers.properties["CUST_STAT_CD"].values["A"] == ("active",)
    assert "NOT_THERE" not in customers.properties
    assert "What the model said of T0050 was no entry" in said
    assert "What the model said of R17 was no entry" in said


def test_a_store_or_address_is_opened_with_the_terms_of_its_settings(file: Path, newest_server: RunningServer) -> None:
    settings = Settings(uri=newest_server.uri, password=newest_server.password, terms=file)
    with open_graph(settings) as graph:
        assert graph.terms is not None
        _, shape = known_shape(graph, choices=Choices())
        assert shape.names["T0042"] == "customer"
