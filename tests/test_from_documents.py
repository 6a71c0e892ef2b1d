"""Graphs that others' tools make from documents, built by the tools themselves, and read without being told how."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.documents.apoc import add_apoc
from benchmarks.from_documents import TYPED, asked, layouts, lines
from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.english.moment import Moment, Timed, is_about_now, timed
from kgneo.errors import UsageError
from kgneo.graph import Graph
from kgneo.graph.attach import Choices
from kgneo.graph.cache import LocalCache
from kgneo.graph.layouts import layout_of
from kgneo.graph.open import known_shape
from kgneo.query.compile import compile_query
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.query.told import ToldType
from kgneo.server import RunningServer, start, stop
from kgneo.stages.interpret import run_query
from kgneo.stages.sentences import WORDED
from tests.conftest import filled

ENOUGH = 12
"""Of the 15 questions in the documents' own words."""
OTHERS_WARNINGS = pytest.mark.filterwarnings("ignore")
"""What the tools, and what these use, warn of is not kgneo's."""
TELL = """
CREATE (ada:Entity {name: 'Ada Brook'}), (ben:Entity {name: 'Ben Moss'}), (cleo:Entity {name: 'Cleo Ray'})
CREATE (mill:Entity {name: 'Paper Mill'}), (fort:Entity {name: 'Old Fort'})
CREATE (ada)-[:RELATES_TO {name: 'WORKS_AT', since: date('2018-01-01'), until: date('2020-12-31')}]->(mill)
CREATE (ben)-[:RELATES_TO {name: 'WORKS_AT', since: date('2019-06-01')}]->(mill)
CREATE (ben)-[:RELATES_TO {name: 'OWNS', since: date('2001-01-01')}]->(fort)
CREATE (cleo)-[:RELATES_TO {name: 'REPORTS_TO'}]->(ben), (ada)-[:RELATES_TO {name: 'REPORTS_TO'}]->(cleo)
CREATE (cleo)-[:KNOWS]->(mill)
"""
WORKERS = QueryGraph((Variable("x"), Variable("y")), Value("x"), (Edge("x", ("WORKS_AT",), "y"),))


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture
def told(graph: Graph) -> Iterator[Graph]:
    """A graph whose relationships are nearly all of one type, which a property tells apart."""
    graph.write(TELL)
    yield graph
    shutil.rmtree(LocalCache(graph).folder, ignore_errors=True)


def right_of_own(graph: Graph, layout: str) -> int:
    context = open_context(graph)
    return sum(asked(context, line)[0] for line in lines(layout) if line.set == "own")


# The tools -----------------------------------------------------------------------------------------------------------


@OTHERS_WARNINGS
@pytest.mark.parametrize("layout", ["llm-graph-builder", "LightRAG", "graphiti", f"graphiti{TYPED}"])
def test_questions_about_what_a_tool_made_are_answered(graph: Graph, server: RunningServer, layout: str) -> None:
    layouts()[layout][0](server.uri, server.username, server.password)
    found = layout_of(LocalCache(graph).schema())
    assert found is not None
    assert found.name == layout.removesuffix(TYPED)
    assert right_of_own(graph, layout) >= ENOUGH


@OTHERS_WARNINGS
def test_questions_about_what_neo4j_graphrag_made_are_answered(tmp_path: Path) -> None:
    add_apoc(tmp_path)  # which its writer needs, and this server alone has
    try:
        server = start(tmp_path, version="5.26")
        layouts()["neo4j-graphrag"][0](server.uri, server.username, server.password)
        with Graph.connect(server.uri, username=server.username, password=server.password) as graph:
            assert right_of_own(graph, "neo4j-graphrag") >= ENOUGH
    finally:
        stop(tmp_path)


def test_other_graphs_have_no_layout(told: Graph) -> None:
    assert layout_of(LocalCache(told).schema()) is None


# Told types ----------------------------------------------------------------------------------------------------------


def test_a_property_that_tells_relationships_apart_gives_their_types(told: Graph) -> None:
    schema, shape = known_shape(told)
    assert {item.name: item.relationships for item in schema.relations if item.stands_in} == {
        "WORKS_AT": 2,
        "REPORTS_TO": 2,
        "OWNS": 1,
    }
    assert shape.told["OWNS"] == ToldType("RELATES_TO", "name")


def test_names_of_single_relationships_are_no_types(graph: Graph) -> None:
    graph.write(
        "UNWIND range(1, 9) AS n "
        "CREATE (:Town {name: 'A' + n})-[:LINKED_TO {name: 'Old road ' + n}]->(:Town {name: 'B' + n})"
    )
    assert not any(item.stands_in for item in LocalCache(graph).schema(refresh=True).relations)


def test_told_types_are_asked_for_like_others(told: Graph) -> None:
    found = ask(told, "Who owns Old Fort?")
    assert found.answers == ("Ben Moss",)
    assert [str(item.triple.relation) for item in found.evidence] == ["OWNS"]


def test_told_types_are_in_the_index_and_its_statistics(told: Graph, encoder: OnnxEncoder) -> None:
    assert main(["index"]) == 0
    context = open_context(told, encoder=encoder)
    assert {"WORKS_AT", "OWNS"} <= {hop.relation for hop in context.record.statistics.hops}
    assert "RELATES_TO" not in {hop.relation for hop in context.record.statistics.hops}
    found = ask(context, "[Old Fort]: who owns it?")
    assert found.answers == ("Ben Moss",)


def test_values_of_told_relationships_are_read(told: Graph) -> None:
    told.write("MATCH (:Entity {name: 'Ben Moss'})-[r {name: 'WORKS_AT'}]->() SET r.role = 'night watchman'")
    told.write("MATCH (:Entity {name: 'Ada Brook'})-[r {name: 'WORKS_AT'}]->() SET r.role = 'paper maker'")
    assert ask(told, "Who works at Paper Mill as night watchman?").answers == ("Ben Moss",)


def test_told_and_stored_types_are_alternatives_of_one_edge(told: Graph) -> None:
    graph = QueryGraph(WORKERS.variables, Value("x"), (Edge("x", ("WORKS_AT", "KNOWS"), "y"),))
    assert set(run_query(open_context(told), graph).answers) == {"Ada Brook", "Ben Moss", "Cleo Ray"}


def test_what_has_no_relationship_of_a_told_type_is_found(told: Graph) -> None:
    graph = QueryGraph(
        (Variable("x"), Variable("y"), Variable("z")),
        Value("x"),
        (Edge("x", ("REPORTS_TO",), "y"), Edge("x", ("WORKS_AT",), "z", absent=True)),
    )
    assert run_query(open_context(told), graph).answers == ("Cleo Ray",)


def test_a_way_is_of_relationships_of_a_told_type(told: Graph) -> None:
    graph = QueryGraph(
        (Variable("x"), Variable("y", ids=(id_of(told, "Ben Moss"),))),
        Value("x"),
        (Edge("x", ("REPORTS_TO",), "y", steps=(1, 0)),),
    )
    assert set(run_query(open_context(told), graph).answers) == {"Ada Brook", "Cleo Ray"}


def id_of(graph: Graph, name: str) -> str:
    return str(graph.read("MATCH (n {name: $name}) RETURN elementId(n) AS id", name=name)[0]["id"])


def test_told_types_are_parameters_of_a_query(told: Graph) -> None:
    shape = open_context(told).shape
    compiled = compile_query(WORKERS, told=shape.told)
    assert "WORKS_AT" not in compiled.text
    assert ["WORKS_AT"] in compiled.parameters.values()


def test_types_are_not_told_by_a_property_that_is_left_out(told: Graph) -> None:
    schema, shape = known_shape(told, choices=Choices(exclude=("RELATES_TO.name",)))
    assert not any(item.stands_in for item in schema.relations)
    assert not shape.telling


def test_a_told_type_cannot_be_left_out_by_itself(told: Graph) -> None:
    with pytest.raises(UsageError, match="OWNS"):
        known_shape(told, choices=Choices(exclude=("OWNS",)))


def test_told_types_go_with_the_type_that_tells_them(told: Graph) -> None:
    schema, _ = known_shape(told, choices=Choices(exclude=("RELATES_TO",)))
    assert [item.name for item in schema.relations] == ["KNOWS"]


@pytest.mark.usefixtures("told")
def test_the_schema_says_where_a_type_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert "told by RELATES_TO.name" in capsys.readouterr().out


# Times and sentences -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who works at Paper Mill as of 2018-05-01?", {"Ada Brook"}),
        ("Who works at Paper Mill as of March 2020?", {"Ada Brook", "Ben Moss"}),
        ("As of 2024, who works at Paper Mill?", {"Ben Moss"}),
    ],
)
def test_what_held_at_a_time_is_told_from_periods(told: Graph, question: str, answers: set[str]) -> None:
    found = ask(told, question)
    assert set(found.answers) == answers
    assert "as of" in found.readings[0].text or "between" in found.readings[0].text


@pytest.mark.parametrize(
    ("question", "rest", "first", "last"),
    [
        ("Who led it as of 3 May 2019?", "Who led it?", "2019-05-03", "2019-05-03"),
        ("Who led it as of February 2024?", "Who led it?", "2024-02-01", "2024-02-29"),
        ("As of 1999, who led it?", "who led it?", "1999-01-01", "1999-12-31"),
    ],
)
def test_a_time_is_taken_out_of_a_question(question: str, rest: str, first: str, last: str) -> None:
    assert timed(question) == Timed(rest, Moment(first, last))


def test_a_question_without_a_time_names_none() -> None:
    assert timed("Who wrote as of old about 2019 films?") is None


@pytest.mark.parametrize("question", ["Who leads it?", "Where is it located?", "How many people work there?"])
def test_a_question_in_the_present_is_about_now(question: str) -> None:
    assert is_about_now(question)


@pytest.mark.parametrize("question", ["Who founded it?", "Who has ever led it?", "Where did she study?"])
def test_a_question_about_what_was_is_not_about_now(question: str) -> None:
    assert not is_about_now(question)


SAY = """
CREATE (ada:base {entity_id: 'Ada Brook', entity_type: 'person', description: 'A baker.'})
CREATE (ben:base {entity_id: 'Ben Moss', entity_type: 'person', description: 'A miller.'})
CREATE (mill:base {entity_id: 'Paper Mill', entity_type: 'organization', description: 'A mill.'})
CREATE (bank:base {entity_id: 'River Bank', entity_type: 'organization', description: 'A bank.'})
CREATE (mill)-[:DIRECTED {description: 'Ada Brook bought Paper Mill in 1990.', keywords: 'purchase'}]->(ada)
CREATE (ben)-[:DIRECTED {description: 'Ben Moss repairs the roof of Paper Mill.', keywords: 'work'}]->(mill)
CREATE (bank)-[:DIRECTED {description: 'River Bank lent money to Paper Mill.', keywords: 'finance'}]->(mill)
"""


@pytest.fixture
def sentences(graph: Graph) -> Iterator[Graph]:
    """A graph whose relationships say in sentences what they mean."""
    with filled(graph, SAY):
        yield graph


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Who bought Paper Mill?", ("Ada Brook",)),
        ("What did Ben Moss repair?", ("Paper Mill",)),
        ("Which organization lent money to Paper Mill?", ("River Bank",)),
        ("How many people repair Paper Mill?", ("1",)),
        ("Did Ada Brook buy Paper Mill?", ("yes",)),
    ],
)
def test_what_sentences_say_is_answered(sentences: Graph, question: str, answers: tuple[str, ...]) -> None:
    assert ask(sentences, question).answers == answers


def test_a_sentence_is_the_evidence_and_likeness_is_told(sentences: Graph) -> None:
    found = ask(sentences, "Who bought Paper Mill?")
    assert found.evidence[0].triple.detail == "Ada Brook bought Paper Mill in 1990."
    assert any("likeness, not fact" in text for text in found.warnings)
    assert (found.confidence or 1.0) <= WORDED


def test_the_name_of_a_type_that_says_nothing_is_no_verb(sentences: Graph) -> None:
    assert ask(sentences, "Who directed Paper Mill?").answers == ()


def test_sentences_do_not_answer_what_compares(sentences: Graph) -> None:
    assert not ask(sentences, "Who bought Paper Mill before 1980?").answers
