"""Names in short forms: a graph whose labels, types and properties are shortened is asked in whole words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.english.short import is_short_of, long_names, short_words
from kgneo.server import RunningServer
from tests.conftest import asked_on

FILL = """
UNWIND [['A-1', 'Inga Holm', '1971-05-02', 'Turku'], ['A-2', 'Juri Noor', '1990-10-10', 'Tartu'],
        ['A-3', 'Kaisa Lumi', '1984-08-30', 'Turku']] AS row
CREATE (:Cust {cust_no: row[0], cust_nm: row[1], dob: date(row[2]), cty: row[3]})
WITH count(*) AS done
UNWIND [['F1', 'Savings Plus', 2.5, 100], ['F2', 'Current Basic', 0.1, 0]] AS row
CREATE (:AcctTyp {typ_cd: row[0], typ_nm: row[1], int_pct: row[2], min_bal: row[3]})
WITH count(*) AS done
UNWIND [['100', 'A-1', 'F1', 900.0, '2019-01-01'], ['200', 'A-1', 'F2', 50.0, '2020-02-02'],
        ['300', 'A-2', 'F1', 4000.0, '2021-03-03'], ['400', 'A-3', 'F2', 10.0, '2022-04-04']] AS row
MATCH (c:Cust {cust_no: row[1]}), (t:AcctTyp {typ_cd: row[2]})
CREATE (c)-[:HAS_ACCT]->(:Acct {acct_nbr: row[0], cur_bal: row[3], opnd_dt: date(row[4])})-[:OF_TYP]->(t)
"""
QUESTIONS = [
    ("How many customers are there?", {"3"}),
    ("Which customers live in the city of Turku?", {"Inga Holm", "Kaisa Lumi"}),
    ("What is the date of birth of Juri Noor?", {"1990-10-10"}),
    ("Which accounts does Inga Holm have?", {"100", "200"}),
    ("What is the minimum balance of Savings Plus?", {"100"}),
    ("What is the percentage of Current Basic?", {"0.1"}),
    ("Which customers have more than one account?", {"Inga Holm"}),
    ("When was account 300 opened?", {"2021-03-03"}),
    ("What is the dob of Kaisa Lumi?", {"1984-08-30"}),
    ("How many accts does Inga Holm have?", {"2"}),
]


@pytest.fixture(scope="module")
def bank(newest_server: RunningServer) -> Iterator[Context]:
    with asked_on(newest_server, FILL) as context:
        yield context


@pytest.mark.parametrize(("question", "answers"), QUESTIONS)
def test_a_graph_of_short_names_is_asked_in_whole_words(bank: Context, question: str, answers: set[str]) -> None:
    assert {*ask(bank, question).answers} == answers


def test_a_reading_is_worded_in_whole_words(bank: Context) -> None:
    assert ask(bank, "Which customers live in Turku?").readings[0].text == "customers with city Turku"


def test_the_cypher_has_the_names_of_the_graph(bank: Context) -> None:
    cypher = ask(bank, "What is the date of birth of Juri Noor?").cypher
    assert cypher is not None
    assert "Cust" in cypher
    assert "dob" in cypher
    assert "birth" not in cypher


def test_a_word_of_its_own_is_short_only_in_a_graph_that_shortens_its_words() -> None:
    assert long_names(["Cat", "min", "owner"]) == {}
    assert long_names(["emp_no", "dept_nm", "min_sal", "owner"]) == {
        "emp_no": "employee number", "dept_nm": "department name", "min_sal": "minimum salary",
    }  # fmt: skip


def test_a_word_of_its_own_in_a_question_is_not_spelt_out() -> None:
    assert short_words(["emp_no", "dept_nm"]) == {"emp": "employee", "dept": "department", "nm": "name"}


@pytest.mark.parametrize(
    ("form", "word"),
    [("ingr", "ingredient"), ("bdgt", "budget"), ("asgd", "assigned"), ("wrk", "work"), ("qty", "quantity")],
)
def test_a_form_is_short_for_a_word_that_it_begins_or_has_the_consonants_of(form: str, word: str) -> None:
    assert is_short_of(form, word)


@pytest.mark.parametrize(
    ("form", "word"), [("bdgt", "bridge"), ("wrk", "worthlessness"), ("in", "industry"), ("uid", "user")]
)
def test_a_form_is_not_short_for_a_word_that_has_other_consonants(form: str, word: str) -> None:
    assert not is_short_of(form, word)
