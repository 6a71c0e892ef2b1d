"""Templates: what is left of a query graph without its values."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgneo.errors import DataError
from kgneo.query.check import check
from kgneo.query.graph import Condition, Edge, QueryGraph, Value, Variable
from kgneo.query.template import Slot, Template, canonical, fill, grounded, template
from tests.query_examples import EXAMPLES, acted, directed
from tests.query_graphs import CATALOGUE, query_graphs

SETTINGS = settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def films(person: str, year: int, name: str = "f") -> QueryGraph:
    """The films after a year that somebody acted in."""
    return QueryGraph(
        (Variable(name, ("Movie",)), Variable("who", ("Person",), (person,))),
        Value(name),
        (acted("who", name, name="role"),),
        (Condition(Value(name, "released"), ">", (year,)), Condition(Value("role", "character"), "=", ("Neo",))),
    )


def test_templates_of_graphs_that_differ_in_values_and_names_are_equal() -> None:
    assert template(films("1", 1999)) == template(films("7", 2010, name="film"))


def test_templates_of_graphs_that_differ_in_a_relation_are_not_equal() -> None:
    one = films("1", 1999)
    other = replace(one, edges=(directed("who", "f", name="role"),))
    assert template(one) != template(other)


def test_a_slot_says_what_its_values_were_values_of() -> None:
    assert template(films("1", 1999)).slots == (
        Slot(labels=("Person",)),
        Slot(relations=("ACTED_IN",), key="character"),
        Slot(labels=("Movie",), key="released", operator=">"),
    )


def test_an_aggregates_slot_names_its_function() -> None:
    graph, _ = EXAMPLES["more than"]
    assert template(graph).slots == (Slot(labels=("Movie",), operator=">", function="count"),)


def test_another_questions_values_fill_a_template() -> None:
    filled = fill(template(films("1", 1999)), [("7", "8"), ("Trinity",), (2010,)])
    assert {item.ids for item in filled.variables} == {(), ("7", "8")}
    assert {item.right for item in filled.conditions} == {("Trinity",), (2010,)}


@pytest.mark.parametrize("values", [[], [("7",)], [("7",), (), (1,)]])
def test_a_template_is_not_filled_with_the_wrong_number_of_values(values: list[tuple[str, ...]]) -> None:
    with pytest.raises(ValueError, match="expected one for each of"):
        fill(template(films("1", 1999)), values)


def test_a_template_holds_no_value_of_the_question() -> None:
    text = template(films("4:abc:17", 1999)).to_text()
    assert "4:abc:17" not in text
    assert "1999" not in text
    assert "Neo" not in text


@given(query_graphs())
@SETTINGS
def test_a_template_filled_with_its_own_values_is_the_query_graph(graph: QueryGraph) -> None:
    assert fill(template(graph), grounded(graph)) == canonical(graph)


@given(query_graphs())
@SETTINGS
def test_the_canonical_query_graph_is_as_right_as_the_one_given(graph: QueryGraph) -> None:
    assert not check(canonical(graph), CATALOGUE)
    assert canonical(canonical(graph)) == canonical(graph)


@given(query_graphs())
@SETTINGS
def test_a_template_is_read_back_from_its_text(graph: QueryGraph) -> None:
    assert Template.from_text(template(graph).to_text()) == template(graph)


@given(query_graphs())
@SETTINGS
def test_every_slot_has_a_value(graph: QueryGraph) -> None:
    assert len(template(graph).slots) == len(grounded(graph))


@given(st.permutations(range(4)), st.randoms(use_true_random=False))
@SETTINGS
def test_the_order_in_which_parts_were_written_does_not_matter(order: list[int], chance: random.Random) -> None:
    edges = [
        Edge("f", ("directed_by",), "d"),
        Edge("a", ("acted_in",), "f", name="e"),
        Edge("d", ("born_in",), "c"),
        Edge("f", ("genre",), "g", absent=True),
    ]
    variables = [Variable("f", ("Film",)), Variable("d"), Variable("a", (), ("1",)), Variable("c"), Variable("g")]
    conditions = [Condition(Value("f", "year"), ">", (1,)), Condition(Value("e", "role"), "=", ("x",))]
    one = QueryGraph(tuple(variables), Value("f"), tuple(edges), tuple(conditions))
    chance.shuffle(variables)
    chance.shuffle(conditions)
    other = QueryGraph(tuple(variables), Value("f"), tuple(edges[number] for number in order), tuple(conditions))
    assert template(one) == template(other)


def test_text_that_is_no_template_is_refused() -> None:
    with pytest.raises(DataError, match="A template was expected"):
        Template.from_text("MATCH (n)")
