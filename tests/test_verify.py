"""Claims are supported, refuted or left open by what a graph holds, with the triples that say so."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from kgneo import verify
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.english.claims import SOURCE
from kgneo.english.names import same_whole_root
from kgneo.english.question import says_something
from kgneo.errors import DataError, EntityNotFound, UsageError
from kgneo.evaluation.claims import Claim, Judged, drawn, read_claims, rows_of
from kgneo.llm import ScriptedModel
from kgneo.query.json import from_json
from kgneo.verification.by_model import read_reply
from kgneo.verification.claimed import claimed_words
from kgneo.verification.named import place, same_value
from kgneo.verification.unplaced import unplaced
from kgneo.verification.verdict import OPEN, REFUTED, SUPPORTED, VERDICTS, CheckedPart, together


@pytest.fixture
def context(sample_context: Context) -> Context:
    """The sample graph, to be asked."""
    return replace(sample_context)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The Danube flows through Austria.", SUPPORTED),
        ("Yeah, I know that the Danube flows through Austria!", SUPPORTED),
        ("The Danube flows through Austria and Hungary.", SUPPORTED),
        ("The Danube flows through Austria and Portugal.", REFUTED),
        ("The Danube doesn't flow through Austria.", REFUTED),
        ("The Danube does not flow through Portugal.", SUPPORTED),
        ("It is not true that the Danube flows through Portugal.", SUPPORTED),
        ("The Danube flows through a country.", SUPPORTED),
    ],
)
def test_a_claim_gets_the_verdict_that_the_graph_gives(context: Context, claim: str, verdict: str) -> None:
    assert verify(context, claim).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("The capital of Ethiopia is Nairobi.", "Addis Ababa"),
        ("The capital of ethiopia is nairobi.", "Addis Ababa"),
        ("The capital of Germany is Hamburg.", "Berlin"),
        ("Hamburg is the capital of Germany.", "Berlin"),
        ("Nova Berlin is the capital of Germany.", "Berlin"),
        ("Mount Everest was first climbed in 1974.", "1953"),
    ],
)
def test_another_value_of_what_there_is_one_of_refutes_a_claim_whatever_name_it_gives(
    context: Context, claim: str, other: str
) -> None:
    found = verify(context, claim)
    ends = {end for item in found.evidence for end in (item.triple.subject, item.triple.object)}
    assert (found.verdict, other in ends, other in found.explanation) == (REFUTED, True, True)


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("The Danube flows through Narnia.", "Narnia"),
        ("The Danube flows through Mordor and Germany.", "Mordor"),
        ("The Danube doesn't flow through Narnia.", "Narnia"),
        ("Edmund Hillary first climbed K2.", "K2"),
        ("Berlin is the capital of Wakanda.", "Wakanda"),
        ("The Foobar flows through Germany.", "Foobar"),
        ("The Foobar flows through the River of Sorrows.", "River of Sorrows"),
        ("The [Danube] flows through Narnia.", "Narnia"),
        ("The Danube flows through a country whose capital is Foobarville.", "Foobarville"),
        ("The capital of Germany is Berlim.", "Berlim"),
    ],
)
def test_a_name_that_the_graph_does_not_have_leaves_a_claim_open_and_is_told(
    context: Context, claim: str, name: str
) -> None:
    found = verify(context, claim)
    assert (found.verdict, repr(name) in found.explanation) == (OPEN, True)
    assert found.confidence <= 0.5


def test_a_name_that_is_not_in_brackets_is_looked_for_all_the_same(context: Context) -> None:
    assert verify(context, "The capital of [Germany] is Berlin.").verdict == SUPPORTED


def test_a_part_of_one_name_alone_is_taken_for_it_and_told(context: Context) -> None:
    found = verify(context, "Mount Everest was first climbed by Hillary.")
    assert (found.verdict, found.warnings) == (SUPPORTED, ("'Hillary' is taken for 'Edmund Hillary'.",))


@pytest.mark.parametrize(("claim", "noun"), [("Berlin is a nice.", "nice"), ("Berlin is a volcano.", "volcano")])
def test_a_kind_that_the_graph_does_not_have_leaves_a_claim_open_and_is_told(
    context: Context, claim: str, noun: str
) -> None:
    found = verify(context, claim)
    assert (found.verdict, f"no kind {noun!r}" in found.explanation) == (OPEN, True)
    assert found.confidence <= 0.5


@pytest.mark.parametrize(
    "question",
    [
        "Which rivers flow through Germany?",
        "What is the capital of Germany?",
        "Is Berlin the capital of Germany?",
        "Isn't [Berlin] the capital of [Germany]?",
        "Through which countries does the Danube flow",
        "List all rivers of Germany",
    ],
)
def test_a_question_is_no_claim(context: Context, question: str) -> None:
    with pytest.raises(UsageError, match="question"):
        verify(context, question)


def test_a_number_that_is_more_or_less_than_something_is_not_compared_as_if_it_were_equal(context: Context) -> None:
    found = verify(context, "Mount Everest was first climbed before 1974.")
    assert (found.verdict, "not read" in found.explanation) == (OPEN, True)


WORDS = st.sampled_from(
    ["Danube", "Austria", "Tiber", "Italy", "flows", "through", "and", "not", ",", "a", "country", "that", "the", "of",
     "which", "capital", "'s", "is", "somebody", "who", "with", "no", "1999", "but"]
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WORDS, min_size=1, max_size=14))
def test_every_sentence_gets_a_verdict(context: Context, words: list[str]) -> None:
    assume(says_something(" ".join(words)))
    try:
        found = verify(context, " ".join(words))
    except UsageError:
        return  # a question
    assert found.verdict in VERDICTS
    assert 0.0 <= found.confidence <= 1.0
    assert found.verdict == OPEN or found.evidence or found.explanation


def test_a_supported_claim_rests_on_its_triple(context: Context) -> None:
    found = verify(context, "The Danube flows through Austria.", entities=["Danube", "Austria"])
    assert [(item.triple.subject, item.triple.object) for item in found.evidence] == [("Danube", "Austria")]
    assert found.confidence > 0.7


def test_a_refuted_claim_shows_what_the_graph_has_in_its_place(context: Context) -> None:
    found = verify(context, "[Tiber] flows through [Spain]")
    assert (found.verdict, [item.triple.object for item in found.evidence]) == (REFUTED, ["Italy"])
    assert "Italy" in found.explanation


def test_a_relation_that_the_graph_has_not_leaves_a_claim_open(context: Context) -> None:
    assert verify(context, "The [Danube] insulted [Austria]").verdict == OPEN


def test_a_closed_graph_leaves_no_claim_open(context: Context) -> None:
    claim = "The [Tiber] is allergic to [Spain]"
    assert (verify(context, claim).verdict, verify(context, claim, closed=True).verdict) == (OPEN, REFUTED)


def test_a_thing_without_a_name_joins_two_statements(context: Context) -> None:
    supported = verify(context, "The Danube flows through a country that the Rhine flows through.")
    refuted = verify(context, "The Tiber flows through a country that the Seine flows through.")
    assert (supported.verdict, refuted.verdict) == (SUPPORTED, REFUTED)


def test_query_graphs_can_be_read_back(context: Context) -> None:
    found = verify(context, "The [Danube] flows through [Austria]").to_dict()
    assert [from_json(record) for record in found["query_graphs"]]
    assert list(found)[:7] == [
        "claim",
        "verdict",
        "confidence",
        "evidence",
        "explanation",
        "query_graphs",
        "parts",
    ]


def test_a_given_name_that_is_not_in_the_graph_is_an_error(context: Context) -> None:
    with pytest.raises(EntityNotFound, match="Danubia"):
        verify(context, "The Danubia flows through Austria.", entities=["Danubia"])


def test_a_claim_that_names_nothing_is_open_and_says_so(context: Context) -> None:
    found = verify(context, "zzzz qqqq vvvv")
    assert (found.verdict, found.confidence) == (OPEN, 0.0)
    assert found.warnings


@pytest.mark.parametrize("claim", ["", "?", "[]", "\U0001f600", "it is so"])
def test_a_claim_without_words_is_refused(context: Context, claim: str) -> None:
    with pytest.raises(UsageError, match="has no words"):
        verify(context, claim)


def test_a_given_name_that_stands_nowhere_in_the_claim_is_told(context: Context) -> None:
    found = verify(context, "The Danube flows through Austria.", entities=["Danube", "Austria", "Spain"])
    assert any("Spain" in warning for warning in found.warnings)


def test_a_model_judges_the_evidence_that_is_shown(context: Context) -> None:
    model = ScriptedModel(["supported: the Danube flows through Austria."])
    found = verify(replace(context, model=model), "The [Danube] flows through [Austria]")
    prompt = model.calls[0][0][-1].content
    assert "Danube flows through Austria." in prompt
    assert (found.verdict, found.explanation) == (SUPPORTED, "the Danube flows through Austria.")
    assert found.llm is not None
    assert found.llm.calls == 1


def test_a_model_supports_nothing_of_which_the_evidence_does_not_speak(context: Context) -> None:
    model = ScriptedModel(["True, everybody knows that."])
    found = verify(replace(context, model=model), "The [Tiber] flows through [Spain]")
    assert found.verdict == OPEN
    assert any("Spain" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("supported: because.", SUPPORTED),
        ("{False}, there is no evidence", REFUTED),
        ("not enough evidence: nothing of it", OPEN),
        ("Not supported by any fact", REFUTED),
        ("I like trains", None),
    ],
)
def test_the_first_verdict_of_a_reply_counts(reply: str, verdict: str | None) -> None:
    assert read_reply(reply)[0] == verdict


def test_names_are_found_in_other_spellings_and_inside_no_word() -> None:
    assert place("since Sin City, AIDA Cruises sailed", ["Sin", "AIDA_Cruises"]) == [(6, 9, 0), (16, 28, 1)]


def test_a_name_in_its_own_spelling_goes_before_one_that_is_alike() -> None:
    assert place("the tag kes of Kes", ["Kes", "kes"]) == [(8, 11, 1), (15, 18, 0)]


@pytest.mark.parametrize(
    ("first", "second"), [("1,200", "1200"), ("April 13th, 1985", "1985-04-13"), ("1985", "1985-04-13"), ("Á", "a")]
)
def test_values_are_the_same_however_they_are_written(first: str, second: str) -> None:
    assert same_value(first, second)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Danube flows through Narnia", ["Narnia"]),
        ("The Danube rises in Nova Danube and Mordor", ["Nova Danube", "Mordor"]),
        ("Quentin Abara climbed the Ridge of Thorns", ["Quentin Abara", "Ridge of Thorns"]),
        ("The River Danube's Capital is Foobar-on-Sea's twin", ["Foobar-on-Sea"]),
        ("Flowing East of the Danube", ["East"]),
        ("Well, I know that Narnia lies on the Danube", ["Narnia"]),
        ("Rivers flow into the Danube", []),
        ("Built in haste, the Danube flows", []),
        ("Somebody crossed the Danube", []),
        ("Neither the Danube nor Two others flow", []),
    ],
)
def test_names_beside_those_that_were_found_are_told_by_their_capitals(text: str, found: list[str]) -> None:
    places = [(match.start(), match.end(), 0) for match in re.finditer("Danube", text)]
    schema = ("river", "capital", "flow")
    pieces = unplaced(text, places, lambda word: any(same_whole_root(word, said) for said in schema))
    assert [text[start:end] for start, end in pieces] == found


@pytest.mark.parametrize(
    ("words", "name", "claimed"),
    [
        (("the", "medium", "of", SOURCE, "is", "granite"), "medium", "granite"),
        ((SOURCE, "uses", "technique", "ink", "wash"), "uses_technique", "ink wash"),
        (("atlantis", "borders", SOURCE), "borders", "atlantis"),
        ((SOURCE, "has", "a", "director"), "directed_by", ""),
        ((SOURCE, "was", "released"), "release_year", ""),
    ],
)
def test_words_that_are_not_the_relations_own_are_what_is_claimed(
    words: tuple[str, ...], name: str, claimed: str
) -> None:
    where = claimed_words(words, name, value=False)
    assert " ".join(words[slice(*where)] if where else ()) == claimed


def part(verdict: str, confidence: float = 0.5) -> CheckedPart:
    return CheckedPart("it", verdict, confidence, "because")  # type: ignore[arg-type]


def test_one_refuted_part_refutes_the_whole_and_an_open_one_leaves_it_open() -> None:
    assert together([part(SUPPORTED, 0.9), part(OPEN, 0.3), part(REFUTED, 0.6)]) == (REFUTED, 0.6)
    assert together([part(SUPPORTED, 0.9), part(OPEN, 0.3)]) == (OPEN, 0.3)
    assert together([part(SUPPORTED, 0.9), part(SUPPORTED, 0.7)]) == (SUPPORTED, 0.7)
    assert together([])[0] == OPEN


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """A file of two claims about the sample graph."""
    file = tmp_path / "claims.jsonl"
    lines = [
        {"claim": "The Danube flows through Austria.", "label": "supported", "kind": "one-hop"},
        {"claim": "Tiber flows through Spain.", "label": "refuted", "kind": "one-hop", "entities": ["Tiber", "Spain"]},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.usefixtures("sample_graph")
def test_the_command_prints_one_object_and_ends_well_for_every_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "The [Tiber] flows through [Spain]", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["verdict"] == REFUTED
    assert record["evidence"][0]["object"] == "Italy"


@pytest.mark.usefixtures("sample_graph")
def test_the_command_refuses_a_question_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "Which rivers flow through Germany?"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "is a question" in printed.err


@pytest.mark.usefixtures("sample_graph")
def test_claims_of_a_file_are_counted_by_kind(claims: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "claims", str(claims), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [(row["kind"], row["n"], row["accuracy"]) for row in record["summary"]] == [
        ("one-hop", 2, 1.0),
        ("all", 2, 1.0),
    ]


def test_a_table_of_claims_is_read_as_json_lines_are(tmp_path: Path) -> None:
    file = tmp_path / "claims.csv"
    file.write_text("claim,label,entities\nIt is so.,TRUE,a | b\n", encoding="utf-8")
    assert read_claims(file) == [Claim("It is so.", SUPPORTED, entities=("a", "b"))]


@pytest.mark.parametrize("line", ['{"label": "true"}', '{"claim": "x", "label": "perhaps"}', "[1]", "{"])
def test_what_is_no_claim_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    file = tmp_path / "claims.jsonl"
    file.write_text(f'{{"claim": "x", "label": "true"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"claims\.jsonl.*2"):
        read_claims(file)


def test_with_two_labels_an_open_verdict_counts_as_refuted() -> None:
    claim = Claim("x", REFUTED)
    assert not Judged(claim, OPEN, 0.5, "", 1.0).right
    assert Judged(claim, OPEN, 0.5, "", 1.0, two=True).right
    assert not Judged(Claim("x", SUPPORTED), OPEN, 0.5, "", 1.0, two=True).right


def test_a_sample_of_claims_is_the_same_for_a_seed() -> None:
    claims = [Claim(str(number), SUPPORTED) for number in range(50)]
    assert drawn(claims, 10, seed=3) == drawn(claims, 10, seed=3) != drawn(claims, 10, seed=4)
    assert drawn(claims, None, seed=3) == claims
    assert rows_of([Judged(claims[0], SUPPORTED, 1.0, "", 2.0)])[-1][:3] == ("all", 1, 1.0)
