"""Queries that the server plans while others run."""

from __future__ import annotations

from kgneo.graph import Graph
from kgneo.graph.run import counted
from kgneo.query.compile import compile_query
from kgneo.query.graph import Aggregate, Edge, QueryGraph, Value, Variable

FILMS = QueryGraph(
    (Variable("film", ("Film",)), Variable("person", ("Person",))),
    Value("film"),
    (Edge("film", ("DIRECTED_BY",), "person", name="directed"),),
)


def asking(answer: Value | Aggregate) -> QueryGraph:
    return QueryGraph(FILMS.variables, answer, FILMS.edges)


def test_a_query_that_is_planned_ahead_is_not_run(graph: Graph) -> None:
    with Graph(graph._driver) as other:
        other.prepare("CREATE (:PlannedAhead {number: $number})", number=1)
    assert graph.read("MATCH (node:PlannedAhead) RETURN count(*) AS number") == [{"number": 0}]


def test_what_is_wrong_with_a_query_is_not_told_while_it_is_planned_ahead(graph: Graph) -> None:
    with Graph(graph._driver) as other:
        other.prepare("MATCH (node RETURN node")


def test_evidence_is_of_the_answers_where_these_are_nodes() -> None:
    assert "$answers" in compile_query(FILMS).evidence


def test_evidence_of_a_number_is_of_all_that_matches() -> None:
    assert "$answers" not in compile_query(asking(Aggregate("count", Value("film")))).evidence


def test_counted_nodes_can_be_listed() -> None:
    assert counted(asking(Aggregate("count", Value("film")))) == FILMS


def test_counted_relationships_and_values_are_not_listed_as_nodes() -> None:
    assert counted(asking(Aggregate("count", Value("directed")))) is None
    assert counted(asking(Aggregate("count", Value("film", "year")))) is None
