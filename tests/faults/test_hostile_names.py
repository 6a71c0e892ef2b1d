"""Names that nobody expects: very long ones, equal ones by the thousand, signs that turn a line; and wrong tokens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.context import Context
from kgneo.graph import Graph
from kgneo.serve.settings import Limits
from tests.conftest import on_one_version
from tests.faults import ALL
from tests.serving import client
from tests.test_terminal import HOSTILE, SENT

EQUAL = 1_000_000 if ALL else 20_000
LONG = 1_000_000
LONGEST = 120.0
"""Seconds after which somebody would think that nothing happens any more."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, in time; what it does not catch fails the test."""

    def ended(*arguments: str) -> Ended:
        capsys.readouterr()
        started = time.monotonic()
        code = main(list(arguments))
        assert time.monotonic() - started < LONGEST, arguments
        return Ended(code, *capsys.readouterr())

    return ended


@on_one_version
def test_a_name_of_a_megabyte_hinders_no_other(graph: Graph, run: Run) -> None:
    long = "Long " + "x" * LONG
    graph.write(
        "CREATE (:Person {name: $long, age: 3})-[:KNOWS]->(:Person {name: 'Ann', age: 4})"
        "-[:KNOWS]->(:Person {name: 'Ben', age: 5})",
        long=long,
    )
    assert run("ask", "--quiet", "how old is Ben?").out == "5\n"
    assert run("ask", "--quiet", "who knows Ben?").out == "Ann\n"
    for command in (
        ("ask", "who knows Ann?"),
        ("schema",),
        ("index",),
        ("ask", "--quiet", "how many people are there?"),
    ):
        found = run(*command)
        assert found.code == 0, (command, found.err[-500:])
    assert found.out == "3\n"


@on_one_version
def test_a_triple_with_a_name_of_a_megabyte_is_loaded(graph: Graph, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "long.tsv"
    file.write_text(f"{'x' * LONG}\tknows\tAnn\nAnn\tknows\tBen\n", encoding="utf-8")
    loaded = run("load", str(file))
    assert loaded.code == 0, loaded.err[-500:]
    assert run("ask", "--quiet", "whom does [Ann] know?").out == "Ben\n"
    assert graph.read("MATCH (n) RETURN max(size(n.name)) AS longest")[0]["longest"] == LONG


@on_one_version
def test_equal_names_by_the_thousand_are_counted_and_not_waited_for(graph: Graph) -> None:
    graph.schema(
        "UNWIND range(1, $number) AS n CALL (n) { CREATE (:Person {name: 'Ann', age: n % 90}) } IN TRANSACTIONS",
        number=EQUAL,
    )
    graph.write("MATCH (ann:Person {age: 7}) WITH ann LIMIT 3 CREATE (ann)-[:LIVES_IN]->(:Town {name: 'Graz'})")
    context = open_context(graph)
    for question, right in (("how many people are there?", str(EQUAL)), ("where does Ann live?", "Graz")):
        started = time.monotonic()
        assert ask(context, question).answers == (right,)
        assert time.monotonic() - started < LONGEST


@on_one_version
def test_names_with_signs_that_move_a_terminal_are_shown_as_text(graph: Graph, run: Run) -> None:
    graph.write(
        "CREATE (:Person {name: $name})-[:KNOWS {since: 3}]->(:Person {name: 'Ann'}), (:$($name) {name: $name})",
        name=HOSTILE,
    )
    for command in (
        ("ask", "who knows Ann?"),
        ("ask", "--json", "who knows Ann?"),
        ("schema",),
        ("terms", "draft", "-"),
    ):
        found = run(*command)
        assert not SENT.search(found.out + found.err), command
    answers = json.loads(run("ask", "--json", "who knows Ann?").out)["answers"]
    assert answers == [" ".join(HOSTILE.split())]  # white space is one blank in all names


def test_a_thousand_wrong_tokens_are_not_looked_at(sample_context: Context) -> None:
    with client(sample_context, token="sesame", limits=Limits(rate=0)) as talking:  # noqa: S106
        wrong = [
            talking.get("/api/v1/strategies", headers={"authorization": f"Bearer sesame{number}"}).status_code
            for number in range(1000)
        ]
        assert set(wrong) == {401, 429}
        assert wrong.count(401) < 100
        right = talking.get("/api/v1/strategies", headers={"authorization": "Bearer sesame"})
        assert right.status_code == 200


@pytest.mark.parametrize(
    "text", ["", " ", "?", "[]", "\u200b", "\u202e", "﷽", "🦆" * 100, "a" * 10_000, "\x00", "[" * 500]
)
def test_a_question_that_says_nothing_is_refused_at_each_door(sample_graph: Graph, text: str, run: Run) -> None:
    assert sample_graph
    if "\x00" in text:
        pytest.skip("no argument of a command holds a zero")
    found = run("ask", "--", text)
    assert found.code in (0, 1, 2)
    assert found.out or found.err
