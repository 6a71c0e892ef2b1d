"""Graphs that were there before kgneo, on a real Neo4j of every version: asked, indexed, cleaned up, only read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.cli.main import main
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.errors import GraphError, GraphTimeout, NotIndexed
from kgneo.folders import cache_folder
from kgneo.graph import Graph
from kgneo.graph.candidates import Reach, all_candidates, top_candidates
from kgneo.graph.index import IndexReport, Progress, build, build_locally
from kgneo.graph.names import ScannedNames
from kgneo.graph.open import known_shape, open_knowledge
from kgneo.graph.record import read_record
from kgneo.graph.removal import remove
from kgneo.graph.schema import read_schema
from kgneo.server import RunningServer
from tests.conftest import connect, on_one_version, set_address, wipe

FILMS = """
CREATE (moon:Movie {title: 'Harvest Moon', released: 1999, rating: 7.0, genres: ['drama', 'music']}),
       (film:Movie {title: 'Rosalind', released: 2004, rating: 8.5, genres: ['comedy']}),
       (pier:Movie {title: 'North Pier', released: 2011, rating: 6.5, genres: ['crime']}),
       (ida:Person {fullName: 'Ida Brandt', born: date('1970-02-03')}),
       (tom:Person {fullName: 'Tom Okello', born: date('1965-11-30')}),
       (rosalind:Person {fullName: 'Rosalind', born: date('1990-07-07')}),
       (ida)-[:ACTED_IN {role: 'Ana'}]->(moon), (ida)-[:ACTED_IN {role: 'the captain'}]->(pier),
       (rosalind)-[:ACTED_IN {role: 'Mia'}]->(pier), (tom)-[:DIRECTED]->(moon), (tom)-[:DIRECTED]->(film)
"""
TRIPLES = 5 + 9 + 3


@pytest.fixture(scope="module")
def films_server(server: RunningServer) -> RunningServer:
    with connect(server) as graph:
        wipe(graph)
        graph.write(FILMS)
    return server


@pytest.fixture
def films(
    films_server: RunningServer, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Graph]:
    """A graph of films as its owner made it, and a cache with nothing but the encoder. Each test leaves both so."""
    assert encoder.folder.is_dir()
    set_address(monkeypatch, films_server)
    (tmp_path / "encoders").symlink_to(cache_folder() / "encoders")
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path))
    with connect(films_server) as graph:
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


def test_a_graph_is_answered_from_before_it_is_indexed(films: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(films, encoder=encoder)
    assert ask(context, "When was [Ida Brandt] born?").answers == ("1970-02-03",)
    assert ask(context, "who directed [Harvest Moon]?").answers == ("Tom Okello",)
    assert set(ask(context, "which genres does [Harvest Moon] have?").answers) == {"drama", "music"}
    role = ask(context, "Which role did [Ida Brandt] have in [North Pier]?")
    assert role.answers == ("the captain",)
    assert role.evidence[0].triple.detail == "as the captain"
    assert films.read("MATCH (n) WHERE any(k IN keys(n) WHERE k STARTS WITH 'kgneo') RETURN n") == []


@on_one_version
def test_the_query_of_an_answer_runs_as_it_is_shown(films: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(films, encoder=encoder)
    for question in ("what rating does [North Pier] have?", "Who directed [Harvest Moon]?"):
        answer = ask(context, question)
        assert answer.cypher
        assert films.read(answer.cypher, **answer.cypher_parameters)


def test_a_strategy_that_needs_embeddings_says_so(films: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(films, encoder=encoder)
    with pytest.raises(NotIndexed, match="no embeddings"):
        top_candidates(context.knowledge, Reach(("x",)), np.zeros(384, dtype=np.float32))


def test_names_are_looked_for_in_the_database_where_they_are_too_many_to_keep(films: Graph) -> None:
    names = ScannedNames(films, open_knowledge(films).shape)
    found = names.by_folded_name(["rosalind"])["rosalind"]
    assert {named.entity.labels for named in found} == {("Movie",), ("Person",)}
    assert {named.entity.name for named in names.by_words("harvest time")} == {"Harvest Moon"}


@pytest.fixture
def critic(films: Graph) -> Iterator[Graph]:
    """The graph of films with a node whose name is in two properties."""
    films.write(
        "MATCH (m:Movie {title: 'North Pier'}) "
        "CREATE (:Critic {lastName: 'Haddad', firstName: 'Noor', title: 'editor'})-[:REVIEWED {stars: 4}]->(m)"
    )
    yield films
    films.write("MATCH (c:Critic) DETACH DELETE c")


def answers_about_the_critic(graph: Graph, encoder: OnnxEncoder) -> list[tuple[str, ...]]:
    context = open_context(graph, encoder=encoder)
    asked = [
        ask(context, "which critic reviewed [North Pier]?"),
        ask(context, "which movie did [Noor Haddad] review?"),
        ask(context, "which movie did noor hadad review?"),
    ]
    query, parameters = asked[1].cypher, asked[1].cypher_parameters
    assert query
    assert graph.read(query, **parameters)
    return [answer.answers for answer in asked]


def test_a_name_in_two_properties_is_one_before_and_after_indexing(critic: Graph, encoder: OnnxEncoder) -> None:
    expected = [("Noor Haddad",), ("North Pier",), ("North Pier",)]
    assert answers_about_the_critic(critic, encoder) == expected
    names = ScannedNames(critic, open_knowledge(critic).shape)
    assert [named.entity.name for named in names.by_folded_name(["noor haddad"])["noor haddad"]] == ["Noor Haddad"]
    assert [named.entity.name for named in names.by_words("haddad")] == ["Noor Haddad"]
    index(critic, encoder)
    try:
        assert answers_about_the_critic(critic, encoder) == expected
    finally:
        remove(critic)


@on_one_version
def test_nodes_of_one_name_are_told_apart_by_the_question(films: Graph, encoder: OnnxEncoder) -> None:
    context = open_context(films, encoder=encoder)
    assert ask(context, "when was [Rosalind] born?").answers == ("1990-07-07",)
    assert ask(context, "who directed [Rosalind]?").answers == ("Tom Okello",)


def test_misspelt_names_have_their_nearest(films: Graph) -> None:
    assert open_knowledge(films).names.by_words("Harvst Mon")[0].entity.name == "Harvest Moon"


def test_removal_leaves_the_graph_as_it_was(films: Graph, encoder: OnnxEncoder) -> None:
    before = dump(films)
    index(films, encoder)
    assert dump(films) != before
    remove(films)
    assert dump(films) == before


def test_an_index_is_brought_up_to_date(films: Graph, encoder: OnnxEncoder) -> None:
    first = index(films, encoder)
    assert (first.triples, first.encoded) == (TRIPLES, TRIPLES)
    try:
        films.write("MATCH (m:Movie {title: 'North Pier'}) SET m.genres = ['crime', 'drama']")
        films.write("MATCH (m:Movie {title: 'Rosalind'}) REMOVE m.rating")
        assert index(films, encoder).encoded == 1
        gone = films.read("MATCH (m:Movie {title: 'Rosalind'}) RETURN [k IN keys(m) WHERE k ENDS WITH 'rating'] AS k")
        assert gone == [{"k": []}]
        record = read_record(films)
        assert record is not None
        assert record.shape == known_shape(films)[1]
    finally:
        films.write("MATCH (m:Movie {title: 'North Pier'}) SET m.genres = ['crime']")
        films.write("MATCH (m:Movie {title: 'Rosalind'}) SET m.rating = 8.5")
        remove(films)


@on_one_version
def test_what_is_excluded_later_loses_its_embeddings(films: Graph, encoder: OnnxEncoder) -> None:
    index(films, encoder)
    try:
        assert main(["index", "--exclude", "DIRECTED", "--exclude", "born"]) == 0
        types = "MATCH ()-[r]->() WHERE r.kgneo_digest IS NOT NULL RETURN DISTINCT type(r) AS t"
        assert films.read(types) == [{"t": "ACTED_IN"}]
        assert films.read("MATCH (n) WHERE n.kgneo_digest_born IS NOT NULL RETURN n") == []
        context = open_context(films, encoder=encoder)
        assert not {"born", "DIRECTED"} & {hop.relation for hop in context.record.statistics.hops}
    finally:
        remove(films)


@on_one_version
def test_an_interrupted_index_goes_on_where_it_stopped(
    films: Graph, encoder: OnnxEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kgneo.graph.index.BATCH", 4)

    def stop_at_the_third(progress: Progress) -> None:
        if progress.stage == "encoding" and progress.done == 12:
            raise KeyboardInterrupt

    schema, shape = known_shape(films)
    try:
        with pytest.raises(KeyboardInterrupt):
            build(films, encoder, shape=shape, schema=schema, on_progress=stop_at_the_third)
        assert not open_knowledge(films).record.complete
        assert index(films, encoder).encoded == TRIPLES - 12
    finally:
        remove(films)


def test_candidates_are_the_same_in_the_graph_and_on_this_machine(
    films: Graph, films_server: RunningServer, encoder: OnnxEncoder
) -> None:
    before = dump(films)
    index(films, encoder)
    knowledge = open_knowledge(films)
    assert not knowledge.shape.loaded
    pier = films.read("MATCH (m:Movie {title: 'North Pier'}) RETURN elementId(m) AS id")[0]["id"]
    vector = encoder.encode(["what rating does North Pier have?"], query=True)[0]
    in_graph = top_candidates(knowledge, Reach((pier,), hops=2), vector, top_k=8)
    assert ("rating", "6.5") in {(item.triple.relation, item.triple.object) for item in in_graph[:3]}
    assert len(all_candidates(knowledge, Reach((pier,), hops=1))[0]) == 2 + 3
    remove(films)
    uri, username, password = films_server.uri, films_server.username, films_server.password
    with Graph.connect(uri, username=username, password=password, read_only=True) as graph:
        schema, shape = known_shape(graph)
        assert build_locally(graph, encoder, shape=shape, schema=schema).encoded == TRIPLES
        assert build_locally(graph, encoder, shape=shape, schema=schema).encoded == 0
        context = open_context(graph, encoder=encoder)
        assert ask(context, "who directed [Harvest Moon]?").answers == ("Tom Okello",)
        here = top_candidates(context.knowledge, Reach((pier,), hops=2), vector, top_k=8)
        with pytest.raises(GraphError, match="only read"):
            graph.write("CREATE ()")
    assert [item.score for item in here] == pytest.approx([item.score for item in in_graph], abs=1e-4)
    assert {item.triple for item in here} == {item.triple for item in in_graph}
    assert dump(films) == before


@on_one_version
@pytest.mark.parametrize(
    ("excluded", "counts"), [([], [5, 3, 5]), (["born", "DIRECTED"], [5, 1, 4]), (["Person"], [3, 0, 4])]
)
def test_retrieve_counts_what_it_lists(
    films: Graph, encoder: OnnxEncoder, capsys: pytest.CaptureFixture[str], excluded: list[str], counts: list[int]
) -> None:
    index(films, encoder)
    try:
        assert main(["index", *(argument for name in excluded for argument in ("--exclude", name))]) == 0
        capsys.readouterr()
        command = ["retrieve", "what about [North Pier]?", "--candidates", "--json"]
        assert main(command) == 0
        record = json.loads(capsys.readouterr().out)
        assert [len(candidates) for candidates in record["candidates"]] == record["candidates_by_hop"]
        assert len(record["triples"]) == sum(counts)
        assert record["candidates_by_hop"] == counts
    finally:
        remove(films)


@on_one_version
def test_every_command_but_load_and_index_works_read_only(films: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    before = dump(films)
    question = "who directed [Rosalind]?"
    for command in (["schema"], ["ask", question], ["index"], ["doctor"], ["retrieve", question]):
        assert main([*command, "--read-only"]) == 0, command
        assert "Read-only" in capsys.readouterr().err
    assert dump(films) == before


def test_a_dry_run_writes_nothing_and_says_what_would_be(films: Graph, capsys: pytest.CaptureFixture[str]) -> None:
    before = dump(films)
    assert main(["index", "--dry-run", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["relationships"], report["values"]) == (5, 12)
    assert "kgneo_embedding_released" in report["node_keys"]
    assert dump(films) == before


def test_the_schema_is_read_once_and_again_when_it_changed(films: Graph) -> None:
    _, shape = known_shape(films)
    assert shape.display["Movie"] == ("title",)
    films.write("CREATE (:Festival {festivalName: 'Spring'})")
    try:
        assert known_shape(films)[1].display["Festival"] == ("festivalName",)
    finally:
        films.write("MATCH (f:Festival) DELETE f")


@on_one_version
def test_a_sample_is_said_to_be_one(films: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = read_schema(films, sample=2)
    assert (schema.sampled, schema.whole) == (True, True)  # all keys and connections are known
    monkeypatch.setattr("kgneo.graph.schema.WHOLE_UP_TO", 0)
    assert not read_schema(films, sample=2).whole
    assert {label.name: label.nodes for label in schema.labels}["Person"] == 3
    assert not read_schema(films).sampled


@on_one_version
def test_types_spelt_as_codes_are_read_by_their_label(films: Graph, encoder: OnnxEncoder) -> None:
    films.write(
        "MATCH (p:Person {fullName: 'Ida Brandt'}), (m:Movie {title: 'Rosalind'}) "
        "CREATE (p)-[:P58 {label: 'screenwriter'}]->(m)"
    )
    try:
        context = open_context(films, encoder=encoder)
        assert ask(context, "who is the screenwriter of [Rosalind]?").answers == ("Ida Brandt",)
    finally:
        films.write("MATCH ()-[r:P58]->() DELETE r")


def test_a_query_is_ended_by_the_server_at_its_timeout(films: Graph) -> None:
    with pytest.raises(GraphTimeout):
        films.read("UNWIND range(1, 10000000000) AS x WITH x WHERE x % 7 = 8 RETURN count(x)", timeout=0.2)


def test_a_database_that_is_not_there_is_named(films_server: RunningServer) -> None:
    with pytest.raises(GraphError, match="no database 'nowhere'"):
        Graph.connect(
            films_server.uri, username=films_server.username, password=films_server.password, database="nowhere"
        )


def test_a_wrong_password_is_said_without_showing_it(films_server: RunningServer) -> None:
    with pytest.raises(GraphError, match="refused the login") as caught:
        Graph.connect(films_server.uri, username="neo4j", password="certainly-wrong")  # noqa: S106
    assert "certainly-wrong" not in str(caught.value)
