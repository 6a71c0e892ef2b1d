"""Graphs that were there before kgneo, on a real Neo4j of every version: asked, indexed, cleaned up, only read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgneo.asking import ask, open_context
from kgneo.cli.main import main
from kgneo.embedding import OnnxEncoder
from kgneo.errors import GraphError, GraphTimeout, NotIndexed
from kgneo.graph import Graph
from kgneo.graph.index import IndexReport, build, read_record
from kgneo.graph.local_index import build_locally
from kgneo.graph.naming import ScannedNames
from kgneo.graph.opening import known_shape, open_record
from kgneo.graph.removal import remove
from kgneo.graph.retrieval import Reach, all_candidates, top_candidates
from kgneo.graph.schema import read_schema
from kgneo.server import RunningServer
from tests.conftest import connect, set_address, wipe

SOCIAL = Path(__file__).parent / "graphs" / "social" / "graph.cypher"


@pytest.fixture(scope="module")
def social_server(server: RunningServer) -> RunningServer:
    with connect(server) as graph:
        wipe(graph)
        for statement in SOCIAL.read_text(encoding="utf-8").splitlines():
            if statement.strip():
                graph.write(statement.rstrip().rstrip(";"))
    return server


@pytest.fixture
def social(social_server: RunningServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Graph]:
    """The social graph as its owner made it, and an empty cache on this machine. Each test leaves it as it was."""
    set_address(monkeypatch, social_server)
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    with connect(social_server) as graph:
        yield graph


def index(graph: Graph, encoder: OnnxEncoder) -> IndexReport:
    schema, shape = known_shape(graph)
    return build(graph, encoder, shape=shape, schema=schema)


def dump(graph: Graph) -> list[Any]:
    """Everything in the database that a user can see."""
    return [
        graph.read("MATCH (n) RETURN labels(n) AS l, properties(n) AS p, elementId(n) AS i ORDER BY i"),
        graph.read("MATCH ()-[r]->() RETURN type(r) AS t, properties(r) AS p, elementId(r) AS i ORDER BY i"),
        graph.read("SHOW INDEXES YIELD name, type, labelsOrTypes, properties RETURN * ORDER BY name"),
        graph.read("SHOW CONSTRAINTS YIELD name, type RETURN * ORDER BY name"),
    ]


def test_a_graph_is_answered_from_before_it_is_indexed(social: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(social, encoder=encoder)
    assert ask(context, "When was [Priya Raman] born?").answers == ("1990-01-15",)
    assert ask(context, "who works at [Quill]?").answers == ("Elif Aydın", "Florence Adeyemi", "Lucía Fernández")
    role = ask(context, "What was [Priya Raman]'s job at [Amber Labs]?")
    assert role.answers == ("chemist",)
    assert role.evidence[0].triple.detail == "as chemist"
    assert social.read("MATCH (n) WHERE any(k IN keys(n) WHERE k STARTS WITH 'kgneo') RETURN n") == []


def test_the_query_of_an_answer_runs_as_it_is_shown(social: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(social, encoder=encoder)
    for question in ("when was the company founded that [Chiara Ricci] works for?", "Who directed [Glass Houses]?"):
        answer = ask(context, question)
        assert answer.cypher
        assert social.read(answer.cypher, **answer.cypher_parameters)


def test_a_strategy_that_needs_embeddings_says_so(social: Graph, encoder: OnnxEncoder) -> None:
    open_context(social, encoder=encoder)
    with pytest.raises(NotIndexed, match="no embeddings"):
        top_candidates(social, Reach(("x",)), np.zeros(384, dtype=np.float32))


def test_names_are_found_without_index_files_too(social: Graph) -> None:
    record = open_record(social)
    names = ScannedNames(social, record.shape)
    assert [named.entity.labels for named in names.by_folded_name(["orlando"])["orlando"]] == [("City",), ("Play",)]
    assert [named.entity.name for named in names.by_words("the harbour or Harbor")] == ["Harbor", "The Harbor"]


def test_nodes_of_one_name_are_told_apart_by_the_question(social: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(social, encoder=encoder)
    assert ask(context, "How many inhabitants does [Victoria] have?").answers == ("92000",)
    assert ask(context, "Who directed [Orlando]?").answers == ("Samuel Okoro",)


def test_removal_leaves_the_graph_as_it_was(social: Graph, encoder: OnnxEncoder) -> None:
    before = dump(social)
    index(social, encoder)
    assert dump(social) != before
    remove(social)
    assert dump(social) == before


def test_an_index_is_brought_up_to_date(social: Graph, encoder: OnnxEncoder) -> None:
    first = index(social, encoder)
    assert (first.triples, first.encoded) == (324, 324)
    try:
        assert index(social, encoder).encoded == 0
        social.write("MATCH (p:Person {fullName: 'Ada Novak'}) SET p.languages = ['Czech']")
        social.write("MATCH (c:City {cityName: 'Ghent'}) REMOVE c.population")
        assert index(social, encoder).encoded == 1
        gone = social.read(
            "MATCH (c:City {cityName: 'Ghent'}) RETURN [k IN keys(c) WHERE k ENDS WITH 'population'] AS k"
        )
        assert gone == [{"k": []}]
    finally:
        social.write("MATCH (p:Person {fullName: 'Ada Novak'}) SET p.languages = ['Czech', 'English']")
        social.write("MATCH (c:City {cityName: 'Ghent'}) SET c.population = 265000")
        remove(social)


def test_what_is_excluded_later_loses_its_embeddings(social: Graph, encoder: OnnxEncoder) -> None:
    index(social, encoder)
    try:
        assert main(["index", "--exclude", "REVIEWED", "--exclude", "Play", "--exclude", "born"]) == 0
        left = social.read(
            "MATCH (s)-[r]->(o) WHERE r.kgneo_digest IS NOT NULL RETURN DISTINCT type(r) AS t ORDER BY t"
        )
        assert not {row["t"] for row in left} & {"REVIEWED", "STAGED_IN", "DIRECTED", "PERFORMED_IN"}
        nodes = social.read(
            "MATCH (n) WHERE n.kgneo_digest_born IS NOT NULL OR n.kgneo_digest_minutes IS NOT NULL RETURN n"
        )
        assert nodes == []
        context = open_context(social, encoder=encoder)
        assert "born" not in {hop.relation for hop in context.record.statistics.hops}
    finally:
        remove(social)


def test_an_interrupted_index_goes_on_where_it_stopped(
    social: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.graph.index.BATCH", 50)
    batches = []

    def stop_at_the_third(progress: object) -> None:
        batches.append(progress)
        if len(batches) == 3:
            raise KeyboardInterrupt

    schema, shape = known_shape(social)
    try:
        with pytest.raises(KeyboardInterrupt):
            build(social, encoder, shape=shape, schema=schema, on_progress=stop_at_the_third)
        with pytest.raises(NotIndexed, match="not finished"):
            open_record(social)
        assert index(social, encoder).encoded == 324 - 150
    finally:
        remove(social)


def test_values_are_candidates_like_relationships(social: Graph, encoder: OnnxEncoder) -> None:
    index(social, encoder)
    try:
        record = open_record(social)
        assert not record.shape.loaded
        city = social.read("MATCH (c:City {cityName: 'Porto'}) RETURN elementId(c) AS id")[0]["id"]
        reach = Reach((city,), hops=1)
        vector = encoder.encode(["How many inhabitants does Porto have?"], query=True)[0]
        best = top_candidates(social, reach, vector, top_k=5)
        assert ("Porto", "population", "232000") in {
            (c.triple.subject, c.triple.relation, c.triple.object) for c in best
        }
        assert best == sorted(best, key=lambda candidate: -(candidate.score or 0.0))
        assert len(all_candidates(social, reach)[0]) == 4
    finally:
        remove(social)


def test_a_graph_that_is_only_read_is_indexed_on_this_machine(
    social: Graph, social_server: RunningServer, encoder: OnnxEncoder
) -> None:
    before = dump(social)
    index(social, encoder)
    open_record(social)
    person = social.read("MATCH (p:Person {fullName: 'Ada Novak'}) RETURN elementId(p) AS id")[0]["id"]
    vector = encoder.encode(["where does Ada Novak work?"], query=True)[0]
    in_graph = top_candidates(social, Reach((person,)), vector, top_k=12)
    remove(social)
    with Graph.connect(
        social_server.uri, username=social_server.username, password=social_server.password, read_only=True
    ) as graph:
        schema, shape = known_shape(graph)
        assert build_locally(graph, encoder, shape=shape, schema=schema).encoded == 324
        assert build_locally(graph, encoder, shape=shape, schema=schema).encoded == 0
        context = open_context(graph, encoder=encoder)
        assert ask(context, "where does [Zoë Martens] live?").answers == ("Ghent",)
        here = top_candidates(graph, Reach((person,)), vector, top_k=12)
        with pytest.raises(GraphError, match="only read"):
            graph.write("CREATE ()")
    assert [c.score for c in here] == pytest.approx([c.score for c in in_graph], abs=1e-4)
    assert {c.triple for c in here} == {c.triple for c in in_graph}
    assert dump(social) == before


def test_every_command_but_load_and_index_works_read_only(social: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    before = dump(social)
    for command in (
        ["schema"],
        ["ask", "who works at [Quill]?"],
        ["doctor"],
        ["index"],
        ["retrieve", "what of [Quill]?"],
    ):
        assert main([*command, "--read-only"]) == 0, command
        assert "Read-only" in capsys.readouterr().err
    assert dump(social) == before


def test_a_dry_run_writes_nothing_and_says_what_would_be(social: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    before = dump(social)
    assert main(["index", "--dry-run", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["relationships"], report["values"]) == (162, 162)
    assert "kgneo_embedding_population" in report["node_keys"]
    assert dump(social) == before


def test_the_schema_is_read_once_and_again_when_it_changed(social: Graph) -> None:
    _, shape = known_shape(social)
    assert shape.display["Play"] == "heading"
    social.write("CREATE (:Festival {festivalName: 'Spring'})")
    try:
        assert known_shape(social)[1].display["Festival"] == "festivalName"
    finally:
        social.write("MATCH (f:Festival) DELETE f")


def test_a_sample_is_said_to_be_one(social: Graph) -> None:
    schema = read_schema(social, sample=5)
    assert schema.sampled
    assert {label.name: label.nodes for label in schema.labels}["Person"] == 34
    assert not read_schema(social).sampled


def test_types_spelt_as_codes_are_read_by_their_label(social: Graph, encoder: OnnxEncoder) -> None:
    social.write(
        "MATCH (p:Person {fullName: 'Ada Novak'}), (c:City {cityName: 'Lyon'}) "
        "CREATE (p)-[:P19 {label: 'place of birth'}]->(c)"
    )
    try:
        context = open_context(social, encoder=encoder)
        assert ask(context, "what is the birth place of [Ada Novak]?").answers == ("Lyon",)
    finally:
        social.write("MATCH ()-[r:P19]->() DELETE r")


def test_a_query_is_ended_by_the_server_at_its_timeout(social: Graph) -> None:
    with pytest.raises(GraphTimeout):
        social.read("UNWIND range(1, 100000000) AS x WITH x ORDER BY rand() RETURN count(x)", timeout=0.2)


def test_a_database_that_is_not_there_is_named(social_server: RunningServer) -> None:
    with pytest.raises(GraphError, match="no database 'nowhere'"):
        Graph.connect(
            social_server.uri, username=social_server.username, password=social_server.password, database="nowhere"
        )


def test_a_wrong_password_is_said_without_showing_it(social_server: RunningServer) -> None:
    with pytest.raises(GraphError, match="refused the login") as caught:
        Graph.connect(social_server.uri, username="neo4j", password="certainly-wrong")  # noqa: S106
    assert "certainly-wrong" not in str(caught.value)


def test_the_index_record_keeps_the_shape(social: Graph, encoder: OnnxEncoder) -> None:
    index(social, encoder)
    try:
        record = read_record(social)
        assert record is not None
        assert record.shape == known_shape(social)[1]
    finally:
        remove(social)
