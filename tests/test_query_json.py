"""Query graphs as JSON: written, read back, and held to a schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from kgneo.errors import DataError
from kgneo.query.graph import Aggregate, QueryGraph, Value, Variable
from kgneo.query.json import from_json, json_schema, to_json
from tests.query_examples import EXAMPLES
from tests.query_graphs import CATALOGUE, query_graphs

SETTINGS = settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
SCHEMA = Draft202012Validator(json_schema(CATALOGUE, ids=["0", "1", "2"]))
PLAIN = {"variables": [{"name": "x", "labels": ["Film"]}], "answer": {"of": "x"}}


@given(query_graphs())
@SETTINGS
def test_what_is_written_is_read_back(graph: QueryGraph) -> None:
    assert from_json(json.loads(json.dumps(to_json(graph)))) == graph


@pytest.mark.parametrize("graph", [graph for graph, _ in EXAMPLES.values()], ids=list(EXAMPLES))
def test_every_kind_of_query_graph_is_read_back(graph: QueryGraph) -> None:
    assert from_json(to_json(graph)) == graph


def test_fields_with_their_default_are_left_out() -> None:
    assert to_json(QueryGraph((Variable("x", ("Film",)),), Value("x"))) == PLAIN


@given(query_graphs())
@SETTINGS
def test_what_is_written_meets_the_schema(graph: QueryGraph) -> None:
    assert not list(SCHEMA.iter_errors(to_json(graph)))


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema(CATALOGUE))


@pytest.mark.parametrize(
    "change",
    [
        {"variables": [{"name": "x", "labels": ["Book"]}]},
        {"variables": [{"name": "x) DELETE (x"}]},
        {"variables": []},
        {"answer": {"of": "x", "key": "title"}},
        {"answer": {"function": "median", "value": {"of": "x"}}},
        {"edges": [{"subject": "x", "relations": ["WROTE"], "object": "x"}]},
        {"edges": [{"subject": "x", "relations": [], "object": "x"}]},
        {"conditions": [{"left": {"of": "x"}, "operator": "like", "right": ["a"]}]},
        {"selections": [{"variable": "x", "by": {"of": "x", "key": "count"}, "limit": 0}]},
        {"cypher": "MATCH (n) RETURN n"},
    ],
)
def test_the_schema_holds_to_the_names_of_the_graph(change: dict[str, Any]) -> None:
    assert SCHEMA.is_valid(PLAIN)
    assert not SCHEMA.is_valid({**PLAIN, **change})


def test_without_known_nodes_the_schema_lets_no_variable_have_ids() -> None:
    record = {**PLAIN, "variables": [{"name": "x", "ids": ["0"]}]}
    assert SCHEMA.is_valid(record)
    assert not Draft202012Validator(json_schema(CATALOGUE)).is_valid(record)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (["x"], "the query graph: found ['x'], expected an object with named fields."),
        ({"answer": {"of": "x"}}, "the query graph: found 'answer', expected a field 'variables'."),
        ({**PLAIN, "variables": "x"}, "variables: found 'x', expected a list."),
        ({**PLAIN, "variables": [{"name": 7}]}, "variables[0].name: found 7, expected a text."),
        ({**PLAIN, "variables": [{"name": "x", "label": "A"}]},
         "variables[0]: found a field 'label', expected one of name, labels, ids."),
        ({**PLAIN, "edges": [{"subject": "x", "relations": ["A"], "object": "x", "directed": 1}]},
         "edges[0].directed: found 1, expected true or false."),
        ({**PLAIN, "answer": {"function": "median", "value": {"of": "x"}}},
         "answer.function: found 'median', "
         "expected one of 'count', 'share', 'sum', 'average', 'minimum', 'maximum', 'exists'."),
        ({**PLAIN, "conditions": [{"left": {"of": "x"}, "right": [None]}]},
         "conditions[0].right[0]: found None, expected a text, a number, true or false."),
        ({**PLAIN, "conditions": [{"left": {"of": "x"}, "right": [float("nan")]}]},
         "conditions[0].right[0]: found nan, expected a text, a number, true or false."),
        ({**PLAIN, "selections": [{"variable": "x", "by": {"of": "x"}, "limit": True}]},
         "selections[0].limit: found True, expected a whole number."),
    ],
)  # fmt: skip
def test_an_error_says_which_field_what_was_found_and_what_was_expected(record: object, message: str) -> None:
    with pytest.raises(DataError) as error:
        from_json(record)
    assert error.value.message == message


def test_a_calculation_is_told_by_its_operator_and_an_aggregate_by_its_function() -> None:
    graph = from_json(
        {**PLAIN, "answer": {"function": "count", "value": {"of": "x"}, "per": {"of": "x", "key": "day"}}}
    )
    assert graph.answer == Aggregate("count", Value("x"), Value("x", "day"))
