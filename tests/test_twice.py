"""A relation that a question says two times over."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.server import RunningServer
from kgneo.stages.twice import doubled, once
from tests.conftest import asked_on

FILL = """
UNWIND [['Ada', 'a@x'], ['Bo', 'b@x'], ['Cy', 'c@x'], ['Di', 'd@x']] AS row
CREATE (:Sailor {name: row[0], email: row[1]})
WITH count(*) AS done
UNWIND [['Cy', 'Bo'], ['Bo', 'Ada'], ['Di', 'Cy']] AS row
MATCH (a:Sailor {name: row[0]}), (b:Sailor {name: row[1]}) CREATE (b)-[:MENTORS]->(a)
"""


@pytest.fixture(scope="module")
def crew(server: RunningServer) -> Iterator[Context]:
    with asked_on(server, FILL) as context:
        yield context


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the mentor of Cy's mentor?", "Ada"),
        ("Who is Di's mentor's mentor?", "Bo"),
        ("What is the email of Di's mentor's mentor?", "b@x"),
        ("Who is Di's mentor?", "Cy"),
    ],
)
def test_it_is_walked_twice(crew: Context, question: str, answer: str) -> None:
    assert ask(crew, question).answers == (answer,)


def test_only_a_noun_that_is_repeated_is_said_twice() -> None:
    assert once("Who is Ann's boss's boss?") == "Who is Ann's boss?"
    assert once("Who is Ann's boss's friend?") is None


def test_a_relationship_to_another_kind_is_not_walked_twice() -> None:
    kinds = (Variable("x0", ("Sailor",)), Variable("x1", ("Ship",)))
    assert doubled(QueryGraph(kinds, Value("x0"), (Edge("x0", ("SAILS",), "x1", "r0"),))) is None
