"""What is wrong with a query graph, said before anything is run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kgneo.graph.catalogue import catalogue
from kgneo.graph.connections import Connection
from kgneo.graph.schema import Label as SchemaLabel
from kgneo.graph.schema import Property, Schema
from kgneo.graph.schema import Relation as SchemaRelation
from kgneo.graph.shape import Shape
from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.graph import (
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Form,
    Operator,
    QueryGraph,
    Selection,
    Value,
    Variable,
)

FILMS = Catalogue(
    (
        Label(
            "Film",
            (
                Key("title", "STRING"),
                Key("year", "INTEGER"),
                Key("out", "BOOLEAN"),
                Key("shown", "DATE"),
                Key("cost", "STRING"),
                Key("tags", "LIST<STRING NOT NULL>"),
            ),
        ),
        Label("Person", (Key("name", "STRING"), Key("born", "INTEGER"))),
        Label("Country", (Key("name", "STRING"),)),
    ),
    (
        Relation("DIRECTED", (), (("Person", "Film"),)),
        Relation("ACTED_IN", (Key("role", "STRING"),), (("Person", "Film"),)),
        Relation("BORN_IN", (), (("Person", "Country"),)),
    ),
)
V = Variable
FILM = QueryGraph((V("f", ("Film",)),), Value("f"))
DIRECTED = QueryGraph((V("f", ("Film",)), V("p", ("Person",))), Value("f"), (Edge("p", ("DIRECTED",), "f", name="d"),))


def test_a_right_query_graph_has_no_problems() -> None:
    assert check(DIRECTED, FILMS) == ()


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (QueryGraph((V("f", ("Flim",)),), Value("f")), "There is no label 'Flim'. Did you mean 'Film'?"),
        (replace(DIRECTED, selections=(Selection("d", Value("f", "year"), limit=2),)),
         "The selection at the edge 'd' can only keep the first by a property of its own, with limit 1: for more, "
         "order a variable at one of its ends."),
        (replace(DIRECTED, different=("f", "d")), "'d' is an edge: only variables can be told to be different."),
        (replace(FILM, answer=Value("f", "titel")), "There is no property 'titel' of Film. Did you mean 'title'?"),
        (replace(DIRECTED, edges=(Edge("p", ("DIRECTS",), "f"),)),
         "There is no relationship type 'DIRECTS'. Did you mean 'DIRECTED'?"),
        (replace(DIRECTED, edges=(Edge("p", ("DIRECTED",), "film"),)),
         "There is no variable 'film'. Did you mean 'f'?"),
        (replace(FILM, answer=Value("g")), "There is no variable or edge 'g'."),
        (QueryGraph((V("f) DELETE (f"),), Value("f) DELETE (f")),
         "The name 'f) DELETE (f' cannot be used: it must be a letter, then letters, digits or underscores."),
        (QueryGraph((V("f"), V("f")), Value("f")),
         "The name 'f' stands for 2 variables or edges: each needs a name of its own."),
    ],
)  # fmt: skip
def test_a_name_that_is_not_there_is_told_with_the_nearest(graph: QueryGraph, problem: str) -> None:
    assert check(graph, FILMS) == (problem,)


def test_an_edge_in_the_wrong_direction_is_told() -> None:
    graph = replace(DIRECTED, edges=(Edge("f", ("DIRECTED",), "p"),))
    assert check(graph, FILMS) == ("DIRECTED leads from Person to Film: the edge must be turned round.",)


def test_an_edge_that_goes_either_way_has_no_wrong_direction() -> None:
    assert not check(replace(DIRECTED, edges=(Edge("f", ("DIRECTED",), "p", directed=False),)), FILMS)


def test_an_edge_between_labels_that_it_does_not_join_is_told() -> None:
    graph = replace(DIRECTED, edges=(Edge("p", ("BORN_IN",), "f"),))
    assert check(graph, FILMS) == ("BORN_IN does not join Person and Film; it leads from Person to Country.",)


def test_a_relationship_type_whose_ends_are_not_known_joins_anything() -> None:
    known = replace(FILMS, relations=(Relation("DIRECTED"),))
    assert not check(replace(DIRECTED, edges=(Edge("f", ("DIRECTED",), "p"),)), known)


P, F = Value("p"), Value("f")
STRUCTURES: list[tuple[QueryGraph, str]] = [
    (replace(DIRECTED, edges=2 * DIRECTED.edges[:1]), "The name 'd' stands for 2"),
    (replace(DIRECTED, edges=2 * (Edge("p", ("DIRECTED",), "f"),)), "The edge from 'p' to 'f' stands 2 times"),
    (replace(DIRECTED, edges=()), "The variable 'p' is not joined to 'f'"),
    (replace(FILM, edges=(Edge("f", ("DIRECTED",), "f"),)), "An edge leads from 'f' to itself"),
    (
        QueryGraph(
            (*DIRECTED.variables, V("c")),
            F,
            (*DIRECTED.edges, Edge("p", ("BORN_IN",), "c"), Edge("c", ("ACTED_IN",), "f")),
        ),
        "The edges between 'p' and 'c' close a circle",
    ),
    (
        replace(DIRECTED, edges=(Edge("p", ("DIRECTED",), "f", absent=True),), answer=Arithmetic("-", F, P)),
        "The answer speaks of 'p', which is behind an absent edge",
    ),
    (
        replace(
            DIRECTED,
            edges=(Edge("p", ("DIRECTED",), "f", absent=True),),
            selections=(Selection("p", Value("p", "born")),),
        ),
        "There is a selection at 'p', which is behind an absent edge",
    ),
    (
        QueryGraph(
            (*DIRECTED.variables, V("c")),
            F,
            (Edge("p", ("DIRECTED",), "f", absent=True), Edge("p", ("BORN_IN",), "c", absent=True)),
        ),
        "The absent edge from 'p' to 'c' hangs behind another absent edge.",
    ),
    (replace(DIRECTED, selections=(Selection("p", Value("f", "year")),)), "which does not hang below 'p'."),
    (
        replace(DIRECTED, conditions=(Condition(Aggregate("count", P), ">", (1,)),)),
        "A test of the count of 'p' must say per which variable",
    ),
]


@pytest.mark.parametrize(("graph", "problem"), STRUCTURES)
def test_parts_that_do_not_hang_together_are_told(graph: QueryGraph, problem: str) -> None:
    assert any(problem in found for found in check(graph, FILMS))


def test_one_variable_may_be_on_two_edges() -> None:
    assert not check(replace(DIRECTED, edges=(*DIRECTED.edges, Edge("p", ("ACTED_IN",), "f", absent=True))), FILMS)


def test_a_comparison_joins_a_variable_to_the_others() -> None:
    compared = Condition(Value("f", "year"), ">", Value("p", "born"))
    assert not check(replace(DIRECTED, edges=(), conditions=(compared,)), FILMS)


@pytest.mark.parametrize(
    ("key", "operator", "right", "form"),
    [
        ("title", "=", ("Alien",), ""),
        ("title", "contains", ("lie",), ""),
        ("year", "between", (1990, 2000.5), ""),
        ("out", "=", (True,), ""),
        ("cost", ">", (1000,), "number"),
        ("cost", "missing", (), ""),
        ("shown", "<", ("2017-08",), "date"),
        ("shown", ">=", (2017,), "year"),
        ("tags", "=", ("old", "new"), "list"),
        ("shown", "=", ("Saturday", "Sunday"), "weekday"),
        ("shown", "<>", ("May",), "month"),
    ],
)
def test_a_comparison_that_fits_the_type_is_right(key: str, operator: Operator, right: Any, form: Form) -> None:
    assert not check(replace(FILM, conditions=(Condition(Value("f", key, form), operator, right),)), FILMS)


@pytest.mark.parametrize(
    ("key", "operator", "right", "form", "problem"),
    [
        ("year", "=", ("1999",), "", "compares with '1999'; the property holds numbers."),
        ("cost", ">", (1000,), "", 'the property holds texts, which the form "number" compares as numbers.'),
        ("out", "=", (1,), "", "compares with 1; the property holds true or false."),
        ("out", ">", (True,), "", "compares by size; the property holds true or false."),
        ("year", "between", (1999,), "", "needs two bounds, and has 1."),
        ("year", "=", (), "", "compares with nothing."),
        ("year", ">", (1, 2), "", "needs one value to compare with, and has 2."),
        ("year", "present", (1,), "", "is a test of a property, and compares it with nothing."),
        ("shown", "=", ("2017-08-09",), "", 'which need the form "date"'),
        ("shown", "=", ("9 August",), "date", "compares with '9 August'"),
        ("year", "=", ("2017",), "day first", "holds numbers, which have no form 'day first'."),
        ("tags", ">", ("a",), "list", "which can only be = or <>."),
        ("shown", ">", ("Monday",), "weekday", "compares the weekday of a date, which can only be = or <>."),
        ("shown", "=", ("may",), "month", "compares with 'may', which is no month: these are January, February,"),
        ("year", "=", ("Monday",), "weekday", "holds numbers, which have no form 'weekday'."),
        ("tags", "=", ("a",), "", 'whose elements are compared with the form "list".'),
        ("year", "=", (float("inf"),), "", "is not finite."),
        ("", "=", ("4:a:1",), "", "compares a node with ('4:a:1',)"),
    ],
)
def test_a_comparison_that_does_not_fit_the_type_is_told(
    key: str, operator: Operator, right: Any, form: Form, problem: str
) -> None:
    found = check(replace(FILM, conditions=(Condition(Value("f", key, form), operator, right),)), FILMS)
    assert any(problem in item for item in found)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"answer": Aggregate("average", Value("f", "title"))}, "The average of f.title needs numbers"),
        ({"answer": Aggregate("sum", F)}, "The sum of f needs a property."),
        ({"answer": Aggregate("maximum", Value("f", "out"))}, "needs values that have an order"),
        (
            {"answer": Arithmetic("-", Value("f", "year"), Value("p", "name"))},
            "needs numbers; the property holds texts",
        ),
        ({"selections": (Selection("f", Value("f", "year"), limit=0),)}, "keeps 0 after 0"),
        ({"selections": (Selection("f", Aggregate("count", F)),)}, "looks at 'f' itself"),
        ({"conditions": (Condition(Value("f", "year"), "<", Value("p", "name")),)}, "compares numbers with texts."),
        ({"conditions": (Condition(F, "<", P),)}, "compares two nodes by size."),
        ({"conditions": (Condition(F, "<>", Value("p", "name")),)}, "compares a node with a property."),
        ({"conditions": (Condition(Aggregate("count", P, F), ">", ("many",)),)}, "compares a number with ('many',)."),
    ],
)
def test_an_aggregate_an_order_or_a_calculation_that_does_not_fit_is_told(change: dict[str, Any], problem: str) -> None:
    assert any(problem in item for item in check(replace(DIRECTED, **change), FILMS))


def test_the_catalogue_of_a_graph_has_what_its_shape_uses() -> None:
    schema = Schema(
        3,
        2,
        (SchemaLabel("Film", 1, (Property("title", "STRING", 1.0, 1), Property("kgneo_digest", "STRING", 1.0, 1))),
         SchemaLabel("KgneoIndex", 1), SchemaLabel("Secret", 1), SchemaLabel("Person", 1)),
        (SchemaRelation("DIRECTED", 1, (), (Connection(("Person", "Secret"), ("Film",), 1),)),
         SchemaRelation("LOG", 1)),
    )  # fmt: skip
    assert catalogue(schema, Shape(excluded=("Secret",), relations=("DIRECTED",))) == Catalogue(
        (Label("Film", (Key("title", "STRING"),)), Label("Person")), (Relation("DIRECTED", (), (("Person", "Film"),)),)
    )


def test_what_is_absent_is_not_compared_with_what_may_be_missing_or_is_chosen_apart() -> None:
    film, maker, other = (Variable(name, (label,)) for name, label in (("f", "Film"), ("p", "Person"), ("q", "Person")))
    edges = (Edge("p", ("DIRECTED",), "f", "r0", absent=True), Edge("q", ("DIRECTED",), "f", "r1", optional=True))
    optional = QueryGraph((film, maker, other), Value("f"), edges, different=("p", "q"))
    assert any("'q', which may be missing" in problem for problem in check(optional, FILMS))
    apart = replace(
        optional,
        edges=edges[:1],
        different=(),
        conditions=(Condition(Value("p"), "<>", Value("q")),),
        selections=(Selection("q", Value("q", "name")),),
    )
    assert any("or is chosen apart" in problem for problem in check(apart, FILMS))
    assert not check(replace(apart, selections=()), FILMS)
