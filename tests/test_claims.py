"""Claims about a graph with labels are read as questions are, and the evidence of answers says what it leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from kgneo import ask, verify
from kgneo.asking.question import open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import EntityNotFound, UsageError
from kgneo.llm import ScriptedModel
from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.json import to_json
from kgneo.reading.heard import Heard
from kgneo.server import RunningServer
from kgneo.verification import queried
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, CheckedPart
from tests.conftest import connect, set_address, wipe

CLINIC = """
CREATE (north:Ward {name: 'North Wing', beds: 12, opened: 1988}),
       (south:Ward {name: 'South Wing', beds: 30, opened: 2004}),
       (ada:Nurse {name: 'Ada Quist', age: 41, country: 'Norway'}),
       (bo:Nurse {name: 'Bo Larm', age: 29, country: 'Chile'}),
       (cy:Nurse {name: 'Cy Dunne', age: 35, country: 'Norway'}),
       (di:Nurse {name: 'Di Marsh', age: 50, country: 'Ghana'}),
       (ada)-[:WORKS_IN]->(north), (bo)-[:WORKS_IN]->(south), (cy)-[:WORKS_IN]->(south), (di)-[:WORKS_IN]->(south)
"""


@pytest.fixture(scope="module")
def clinic(newest_server: RunningServer, encoder: OnnxEncoder) -> Iterator[Context]:
    with connect(newest_server) as graph:
        wipe(graph)
        graph.write(CLINIC)
        yield open_context(graph, encoder=encoder)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Ada Quist is from Norway.", SUPPORTED),
        ("Ada Quist is from Chile.", REFUTED),
        ("Ada Quist isn't from Chile.", SUPPORTED),
        ("The age of Ada Quist is 41.", SUPPORTED),
        ("The age of Ada Quist is 44.", REFUTED),
        ("Bo Larm works in the South Wing.", SUPPORTED),
        ("Bo Larm works in the North Wing.", REFUTED),
        ("Four nurses work in the South Wing.", REFUTED),
        ("Three nurses work in the South Wing.", SUPPORTED),
        ("The oldest nurse is Di Marsh.", SUPPORTED),
        ("The oldest nurse is Bo Larm.", REFUTED),
        ("Ada Quist is older than Bo Larm.", SUPPORTED),
        ("Bo Larm is older than Ada Quist.", REFUTED),
        ("The average age of nurses is 30.", REFUTED),
        ("It is not true that Bo Larm is from Norway.", SUPPORTED),
        ("Bo Larm is from Chile and Cy Dunne is from Norway.", SUPPORTED),
        ("Ada Quist and Bo Larm are from Norway.", REFUTED),
    ],
)
def test_a_claim_is_held_against_the_graph_as_a_question_would_be(clinic: Context, claim: str, verdict: str) -> None:
    assert verify(clinic, claim).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("Max Vandal is from Norway.", "Max Vandal"),
        ("Ada Quist is older than Max Vandal.", "Max Vandal"),
        ("Bo Larm works in the Crystal Wing.", "Crystal Wing"),
        ("Ada Quist is from Wakanda.", "Wakanda"),
    ],
)
def test_a_name_that_the_graph_does_not_have_supports_nothing_and_is_told(
    clinic: Context, claim: str, name: str
) -> None:
    found = verify(clinic, claim)
    assert found.verdict != SUPPORTED
    assert found.parts[0].unknown == (name,)


def test_another_value_refutes_a_claim_with_its_triple_though_the_claimed_one_is_unknown(clinic: Context) -> None:
    found = verify(clinic, "The country of Ada Quist is Wakanda.")
    triples = [(item.triple.subject, item.triple.object) for item in found.evidence]
    assert (found.verdict, triples) == (REFUTED, [("Ada Quist", "Norway")])


@pytest.mark.parametrize("claim", ["Ada Quist is taller than Bo Larm.", "Ada Quist insulted Bo Larm."])
def test_what_the_graph_has_no_words_for_is_left_open(clinic: Context, claim: str) -> None:
    assert verify(clinic, claim).verdict == OPEN


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Bo Larm is from Chile; Cy Dunne is from Norway.", SUPPORTED),
        ("Bo Larm is from Chile. She is 29 years old.", SUPPORTED),
        ("Bo Larm is from Chile and her age is 30.", REFUTED),
        ("Bo Larm is from Chile and is 29.", SUPPORTED),
        ("Bo Larm is from Chile and is 41.", REFUTED),
        ("Ada Quist is from Norway and so is Cy Dunne.", SUPPORTED),
        ("Ada Quist is from Norway, and so is Bo Larm.", REFUTED),
        ("Bo Larm comes from Chile, Di Marsh from Ghana.", SUPPORTED),
        ("Bo Larm comes from Chile, Di Marsh from Norway.", REFUTED),
        ("Bo Larm, who works in the South Wing, is from Norway.", REFUTED),
        ("Ada Quist is 41 years old and Bo Larm is 29.", SUPPORTED),
        ("Bo Larm is from Chile but Max Vandal is from Norway.", OPEN),
    ],
)
def test_a_sentence_of_two_statements_is_checked_as_two(clinic: Context, claim: str, verdict: str) -> None:
    assert verify(clinic, claim).verdict == verdict


def test_somebody_of_whom_two_things_are_said_is_one(clinic: Context) -> None:
    assert verify(clinic, "Some nurse is from Chile and is 41 years old.").verdict != SUPPORTED


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The North Wing opened before the South Wing.", SUPPORTED),
        ("The North Wing opened after the South Wing.", REFUTED),
        ("The South Wing keeps more beds than the North Wing.", SUPPORTED),
        ("The South Wing keeps fewer beds than the North Wing.", REFUTED),
        ("The North Wing opened before the Crystal Wing.", OPEN),
    ],
)
def test_what_two_things_are_compared_by_is_asked_for_of_each(clinic: Context, claim: str, verdict: str) -> None:
    assert verify(clinic, claim).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The North Wing boasts 12 beds.", SUPPORTED),
        ("The North Wing boasts 14 beds.", REFUTED),
        ("The corridor of the North Wing is 12 metres long.", OPEN),
        ("At least one nurse is from Norway.", SUPPORTED),
        ("Whoever works in the North Wing is from Norway.", SUPPORTED),
    ],
)
def test_a_verb_before_a_property_says_no_more_and_a_unit_says_of_what_a_number_is(
    clinic: Context, claim: str, verdict: str
) -> None:
    assert verify(clinic, claim).verdict == verdict


@pytest.mark.parametrize("claim", ["The North Wing was bought for 7 coins.", "Ada Quist owns 7 bicycles."])
def test_a_number_of_which_no_property_is_named_is_compared_with_none(clinic: Context, claim: str) -> None:
    assert verify(clinic, claim).verdict == OPEN


@pytest.mark.parametrize("claim", ["Ada Quist is from Norway and speaks Latin.", "Bo Larm is 29, and Max Vandal too."])
def test_a_statement_that_is_not_read_leaves_the_sentence_open(clinic: Context, claim: str) -> None:
    assert verify(clinic, claim).verdict == OPEN


def test_of_a_sentence_that_may_be_cut_in_many_ways_each_piece_is_checked_once(
    clinic: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[str] = []

    def watched(context: Context, heard: Heard, names: Sequence[str]) -> CheckedPart | None:
        checked.append(heard.text)
        return check(context, heard, names)

    check = queried._checked
    monkeypatch.setattr(queried, "_checked", watched)
    clauses = [f"glimmed {number} zibbles" for number in range(8)]
    assert verify(clinic, f"Ada Quist {' and '.join(clauses)}.").verdict == OPEN
    assert len(checked) == len(set(checked)) < 40


def test_a_name_in_brackets_must_be_one_that_the_graph_has(clinic: Context) -> None:
    assert verify(clinic, "[Ada Quist] is from Norway.").verdict == SUPPORTED
    with pytest.raises(EntityNotFound):
        verify(clinic, "[Max Vandal] is from Norway.")


def works_in(nurse: str, ward: str) -> str:
    """A query graph, as a model writes it."""
    named = [Condition(Value(name, "name"), "=", (value,)) for name, value in (("x0", nurse), ("x1", ward))]
    variables = (Variable("x0", ("Nurse",)), Variable("x1", ("Ward",)))
    edges = (Edge("x0", ("WORKS_IN",), "x1", "r0"),)
    return json.dumps(to_json(QueryGraph(variables, Aggregate("exists", Value("x0")), edges, tuple(named))))


@pytest.mark.parametrize(
    ("claim", "ward", "verdict"),
    [
        ("Bo Larm is on the payroll of the South Wing.", "South Wing", SUPPORTED),
        ("Bo Larm is on the payroll of the North Wing.", "North Wing", REFUTED),
        ("It is not true that Bo Larm is on the payroll of the South Wing.", "South Wing", REFUTED),
    ],
)
def test_what_is_not_read_is_held_against_the_graph_as_the_query_graph_of_a_model(
    clinic: Context, claim: str, ward: str, verdict: str
) -> None:
    model = ScriptedModel([works_in("Bo Larm", ward)])
    found = verify(replace(clinic, model=model), claim)
    assert (found.verdict, len(model.calls)) == (verdict, 1)


def test_what_is_read_and_what_is_unknown_costs_no_call(clinic: Context) -> None:
    model = ScriptedModel([])
    context = replace(clinic, model=model)
    found = [verify(context, claim).verdict for claim in ("Bo Larm is from Chile.", "Max Vandal is from Norway.")]
    assert (found, model.calls) == ([SUPPORTED, OPEN], [])


def test_a_question_about_a_graph_with_labels_is_no_claim(clinic: Context) -> None:
    with pytest.raises(UsageError, match="question"):
        verify(clinic, "Is Ada Quist from Norway?")


def test_evidence_says_how_much_of_it_is_left_out_and_all_is_to_be_had(clinic: Context) -> None:
    question = "which ward do most nurses work in?"
    some = ask(replace(clinic, options=replace(clinic.options, evidence=1)), question)
    every = ask(replace(clinic, options=replace(clinic.options, evidence=0)), question)
    assert (some.answers, some.evidence_left_out, some.to_dict()["evidence_left_out"]) == (("South Wing",), 2, 2)
    works = [item for item in every.evidence if item.triple.relation == "WORKS_IN" and not item.role]
    assert (len(works), every.evidence_left_out) == (3, 0)


def test_what_was_counted_is_told(clinic: Context) -> None:
    answer = ask(clinic, "how many nurses work in the South Wing?")
    assert {node.names[0] for node in answer.counted} == {"Bo Larm", "Cy Dunne", "Di Marsh"}


def test_a_no_has_evidence_of_what_there_is_instead(clinic: Context) -> None:
    answer = ask(clinic, "does Bo Larm work in the North Wing?")
    found = [(item.triple.subject, item.triple.object) for item in answer.evidence if item.role == "instead"]
    assert (answer.answers, bool(found)) == (("no",), True)


def test_what_comes_right_behind_the_first_is_among_the_evidence(clinic: Context) -> None:
    answer = ask(clinic, "who is the oldest nurse?")
    behind = {item.triple.subject for item in answer.evidence if item.role == "next"}
    assert (answer.answers, behind) == (("Di Marsh",), {"Ada Quist"})


@pytest.mark.usefixtures("clinic")
def test_the_shell_tells_what_is_left_out_and_shows_all(
    newest_server: RunningServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_address(monkeypatch, newest_server)
    assert main(["ask", "--here", "--evidence", "1", "which nurses work in the South Wing?"]) == 0
    capsys.readouterr()
    assert main(["ask", "--here", "--evidence", "1", "which ward do most nurses work in?"]) == 0
    assert "2 more matches" in capsys.readouterr().out
    assert main(["ask", "--here", "--evidence", "all", "--json", "which ward do most nurses work in?"]) == 0
    assert json.loads(capsys.readouterr().out)["evidence_left_out"] == 0


@pytest.mark.usefixtures("clinic")
def test_a_dry_run_shows_the_prompt_and_sends_none(
    newest_server: RunningServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    set_address(monkeypatch, newest_server)
    given = ["--strategy", "cypher", "--llm", "openai:none", "--llm-url", "http://127.0.0.1:9/v1"]
    assert main(["ask", "--here", "--dry-run", *given, "--json", "which nurses are from Norway?"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = " ".join(message["content"] for message in found["messages"])
    assert (found["sent"], "which nurses are from Norway?" in told, "WORKS_IN" in told) == (False, True, True)
