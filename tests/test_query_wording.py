"""Query graphs in English: one line for each kind of thing that people ask."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from kgneo.english.names import path_wording, plural
from kgneo.model import Hop, RelationPath
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.query.wording import wording
from tests.query_examples import EXAMPLES, KEANU, NODES, PERSON, P, acted, directed
from tests.query_graphs import query_graphs


@pytest.mark.parametrize(("graph", "text"), EXAMPLES.values(), ids=list(EXAMPLES))
def test_a_query_graph_reads_as_plain_english(graph: QueryGraph, text: str) -> None:
    assert wording(graph, nodes=NODES) == text


def test_a_plain_chain_reads_as_its_relation_path_does() -> None:
    graph, _ = EXAMPLES["a chain"]
    path = RelationPath((Hop("ACTED_IN", labels=("Movie",)), Hop("DIRECTED", forward=False, labels=("Person",))))
    assert wording(graph, nodes=NODES) == path_wording(path, topic="Keanu Reeves")


def test_a_node_without_a_known_name_is_never_told_by_its_id() -> None:
    graph, _ = EXAMPLES["two given nodes"]
    assert wording(graph) == "movies that X acted in and that Y acted in"


def test_codes_are_read_by_their_names() -> None:
    graph, _ = EXAMPLES["most"]
    assert wording(graph, names={"DIRECTED": "filmed", "Movie": "motion picture"}) == (
        "the person with the most motion pictures that they filmed"
    )


def test_relationships_that_are_counted_are_told_from_what_they_lead_to() -> None:
    graph, _ = EXAMPLES["most"]
    [edge] = graph.edges
    counted = Aggregate("count", Value(edge.name or "r"))
    each = replace(graph, edges=(replace(edge, name=counted.value.of),))
    most = replace(each, selections=tuple(replace(item, by=counted) for item in graph.selections))
    assert wording(most) == "the person with the most movies that they directed, each time counted"
    assert wording(replace(each, selections=(), answer=counted)) == "number of times that a person directed a movie"


@given(query_graphs())
@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_value_that_a_query_graph_compares_with_is_told(graph: QueryGraph) -> None:
    text = wording(graph)
    for condition in graph.conditions:
        for value in condition.right if isinstance(condition.right, tuple) else ():
            told = (
                str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else value
            )
            assert str(told) in text or isinstance(value, bool)


@given(query_graphs())
@settings(max_examples=80, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_label_of_a_query_graph_is_told(graph: QueryGraph) -> None:
    text = wording(graph)
    given_nodes = {item.name for item in graph.variables if item.ids}
    for variable in graph.variables:
        if variable.name not in given_nodes and "Film" in variable.labels:
            assert "film" in text


@pytest.mark.parametrize(
    ("one", "many"),
    [("crime", "crimes"), ("country", "countries"), ("box", "boxes"), ("person", "people"), ("day", "days"),
     ("sales person", "sales people")],
)  # fmt: skip
def test_a_noun_has_a_plural(one: str, many: str) -> None:
    assert plural(one) == many


def test_several_relations_between_given_nodes_are_asked_about_in_sentences() -> None:
    graph = QueryGraph((KEANU, PERSON), Aggregate("exists", Value("k")), (acted("k", "p"), directed("k", "p")))
    assert wording(graph, nodes=NODES) == "whether Keanu Reeves acted in a person and Keanu Reeves directed that person"
    assert P.of == "p"


def test_whether_there_is_a_relationship_reads_as_whether_there_are_its_ends() -> None:
    edge = replace(acted("k", "p"), name="r")
    graph = QueryGraph((KEANU, PERSON), Aggregate("exists", Value("r")), (edge,))
    assert wording(graph, nodes=NODES) == "whether Keanu Reeves acted in a person"
