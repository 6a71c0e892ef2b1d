"""Questions about what stands out in a network and what is like something: heard, computed, with their triples."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx
import pytest

from kgneo.asking.question import ask, open_context
from kgneo.context import Context
from kgneo.english.central import CUES, LIKE, LIKED, LIKENESS
from kgneo.english.cue import Cue
from kgneo.errors import GraphError, GraphTimeout
from kgneo.graph import Graph, centrality
from kgneo.graph.centrality import NotComputed, degrees, groups, standing
from kgneo.graph.cypher import query
from kgneo.server import RunningServer
from kgneo.stages.central import central
from kgneo.stages.computed import kind_of
from kgneo.stages.resemble import resemble
from tests.conftest import connect, load_file, wipe

FRIENDS = "ab ac ad bc cd de ef eg fg"
"""Two groups of friends with one pair between them, by their first letters."""
NAMES = {"a": "Ada", "b": "Bo", "c": "Cy", "d": "Di", "e": "Ed", "f": "Flo", "g": "Gus"}
FILL = (
    "UNWIND $names AS name CREATE (:Person {name: name})",
    "UNWIND $pairs AS pair MATCH (a:Person {name: pair[0]}), (b:Person {name: pair[1]}) CREATE (a)-[:KNOWS]->(b)",
    "CREATE (:Country {name: 'Norland'}), (:Village {name: 'Lund'}), (:Person {name: 'Hal'})",
    "MATCH (p:Person), (c:Country) WHERE p.name <> 'Hal' CREATE (p)-[:LIVES_IN]->(c)",
    "MATCH (p:Person), (v:Village) WHERE p.name IN ['Ada', 'Gus'] CREATE (p)-[:BORN_IN]->(v)",
    "UNWIND ['Tea', 'Oats', 'Rye'] AS name CREATE (:Product {name: name})",
    "UNWIND [['Ada', 'Tea'], ['Bo', 'Tea'], ['Cy', 'Oats'], ['Bo', 'Rye']] AS pair"
    " MATCH (p:Person {name: pair[0]}), (x:Product {name: pair[1]}) CREATE (p)-[:BUYS]->(x)",
)


@pytest.fixture(scope="module")
def server(newest_server: RunningServer) -> RunningServer:
    """The newest alone: `test_older_version.py` asks the others the same kinds of things."""
    return newest_server


@pytest.fixture(scope="module")
def people(server: RunningServer) -> Iterator[Context]:
    pairs = [[NAMES[pair[0]], NAMES[pair[1]]] for pair in FRIENDS.split()]
    with connect(server) as graph:
        wipe(graph)
        for statement in FILL:
            graph.write(statement, names=list(NAMES.values()), pairs=pairs)
        yield open_context(graph)


@pytest.fixture
def films(graph: Graph, tmp_path: Path) -> Context:
    """Plain triples, in which roles are ends of relations."""
    made = [("Low Tide", "Mira", "Ann"), ("High Tide", "Mira", "Ann"), ("Ash", "Otto", "Ann"), ("Elm", "Otto", "Ben")]
    lines = [f"{film}\t{relation}\t{name}" for film, by, star in made
             for relation, name in (("directed_by", by), ("starred_actors", star))]  # fmt: skip
    file = tmp_path / "films.tsv"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    load_file(graph, file)
    return open_context(graph)


def network() -> networkx.Graph:
    return networkx.Graph([(NAMES[pair[0]], NAMES[pair[1]]) for pair in FRIENDS.split()])


@pytest.mark.parametrize("cue", CUES, ids=[cue.example for cue in CUES])
def test_each_cue_is_the_first_that_is_heard_in_its_example(cue: Cue[Any]) -> None:
    assert next(item for item in CUES if item.expression.search(cue.example)) is cue


@pytest.mark.parametrize("text", ["What is similar to X?", "Who is like X?", "alternatives to X", "towns like X"])
def test_words_for_likeness_are_heard_before_a_name(text: str) -> None:
    assert LIKENESS.search(text)
    assert LIKE.search(text)


def test_what_somebody_liked_is_recommended_from() -> None:
    assert LIKED.search("Recommend something for somebody who liked X")


def test_the_most_connected_has_most_relationships_among_its_own_kind(people: Context) -> None:
    answer = ask(people, "Who is the most connected person?")
    best = max(dict(network().degree).values())
    assert set(answer.answers) == {name for name, number in network().degree if number == best}
    assert answer.table is not None
    assert {row[1] for row in answer.table.rows} == {best}
    assert {item.triple.relation for item in answer.evidence} == {"KNOWS"}


def test_the_least_connected_may_have_no_relationship(people: Context) -> None:
    assert ask(people, "Who is the least connected person?").answers == ("Hal",)


def test_a_type_that_is_named_makes_the_network(people: Context) -> None:
    answer = ask(people, "What are the three most connected people by BUYS?")
    assert answer.answers[0] == "Bo"
    assert "BUYS" in answer.steps[0].question


def test_influence_is_pagerank(people: Context) -> None:
    answer = ask(people, "Who are the 2 most influential people?")
    ranks = networkx.pagerank(network())
    assert list(answer.answers) == sorted(ranks, key=lambda name: -ranks[name])[:2]
    assert answer.query_graph is None
    assert "PageRank" in answer.steps[0].question


def test_who_holds_a_network_together_is_between_the_others(people: Context) -> None:
    answer = ask(people, "Which person is the broker of the network?")
    between = networkx.betweenness_centrality(network())
    assert answer.answers == (max(between, key=lambda name: between[name]),)


def test_communities_are_listed_with_their_members(people: Context) -> None:
    answer = ask(people, "What communities of people are there?")
    assert answer.table is not None
    members = [set(str(row[2]).split(", ")) for row in answer.table.rows]
    assert {"Ed", "Flo", "Gus"} in members
    assert {"Ada", "Bo", "Cy", "Di"} in members


@pytest.mark.parametrize(
    "question",
    [
        "Who is the most influential person in Norland?",
        "Which person has the most products?",
        "Who is the most connected dragon?",
        "Where does Ada live?",
    ],
)
def test_a_question_that_says_more_is_not_about_the_network_alone(people: Context, question: str) -> None:
    assert central(people, question) is None


def test_a_network_too_large_to_compute_counts_relationships_and_says_so(
    people: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centrality, "MOST", 3)
    answer = ask(people, "Who is the most influential person?")
    assert set(answer.answers) == {"Ada", "Cy", "Di", "Ed"} & {n for n, d in network().degree if d == 3}
    assert "Graph Data Science" in answer.warnings[0]
    assert (answer.confidence or 1) < 0.7
    told = ask(people, "What communities of people are there?")
    assert told.answers == ()
    assert "not computed" in told.answer


def test_a_large_network_is_looked_at_from_some_nodes(people: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(centrality, "EXACT", 1)
    monkeypatch.setattr(centrality, "LEAST_SAMPLED", 2)
    found = standing(people.graph, people.shape, ["KNOWS"], "betweenness")
    assert found.sampled
    assert "2 nodes alone" in found.by


def test_no_network_at_all_has_no_values(people: Context) -> None:
    assert standing(people.graph, people.shape, ["NOWHERE"], "pagerank").values == {}


def test_degrees_leave_out_labels_that_are_left_out(people: Context) -> None:
    ids = {row["id"]: row["name"] for row in people.graph.read("MATCH (n) RETURN elementId(n) AS id, n.name AS name")}
    found = degrees(people.graph, people.shape, ["KNOWS"], labels=["Person"], limit=20)
    assert {ids[node]: number for node, number in found} == {**dict(network().degree), "Hal": 0}


def test_groups_are_in_the_order_of_their_sizes(people: Context) -> None:
    found = groups(standing(people.graph, people.shape, ["KNOWS"], "components"))
    assert [len(group) for group in found] == [7]


def test_what_takes_longer_than_the_timeout_is_not_computed(people: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise GraphTimeout("too long")

    monkeypatch.setattr(centrality, "_here", late)
    with pytest.raises(NotComputed, match="longer than"):
        standing(people.graph, people.shape, ["KNOWS"], "pagerank")


def test_without_the_extra_relationships_are_counted_and_the_warning_says_what_to_install(
    people: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    answer = ask(people, "Who is the most influential person?")
    assert answer.answers
    assert "extra network is not installed" in answer.warnings[0]
    assert "[network]" in answer.warnings[0]


def test_a_server_that_refuses_the_library_is_computed_for_here(
    people: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(centrality, "_has_library", lambda _: True)  # and no procedure of it is there
    assert "networkx" in standing(people.graph, people.shape, ["KNOWS"], "pagerank").by


def test_the_library_is_looked_for_with_a_query_that_says_if_it_is_not_there(people: Context) -> None:
    with pytest.raises(GraphError):
        people.graph.read(query("gds_version"))
    assert not centrality._has_library(people.graph)


# What is like something -----------------------------------------------------------------------------------------------


def test_what_shares_the_rarest_is_most_like_something(people: Context) -> None:
    answer = ask(people, "Who is like Gus?")
    assert answer.answers[0] == "Ada"  # a village says more than the country of all, and than one friend
    assert answer.table is not None
    assert "Lund" in str(answer.table.rows[0][2])
    assert any(item.triple.object == "Lund" for item in answer.evidence)
    assert "Gus" not in answer.answers


def test_only_things_of_the_kind_that_is_asked_for_are_like_it(people: Context) -> None:
    assert resemble(people, "Which products are like Ada?") is None
    assert resemble(people, "Which people are similar to Ada?") is not None


def test_those_who_do_what_somebody_does_share_one_type(people: Context) -> None:
    answer = ask(people, "Which people buy what Ada buys?")
    assert answer.answers == ("Bo",)
    assert {item.triple.relation for item in answer.evidence} == {"BUYS"}


def test_so_many_are_answered_as_are_asked_for(people: Context) -> None:
    assert len(ask(people, "Two people like Ada").answers) == 2


def test_nothing_that_is_like_something_is_said(people: Context) -> None:
    answer = ask(people, "What is similar to Hal?")
    assert answer.answers == ()
    assert "Nothing else" in answer.warnings[0]


def test_what_joins_very_much_tells_nothing(people: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgneo.stages.resemble.BUSIEST", 5)
    answer = ask(people, "Who is like Gus?")
    assert answer.table is not None
    assert not any("Norland" in str(row[2]) for row in answer.table.rows)


def test_parts_that_nothing_joins_are_counted(people: Context) -> None:
    people.graph.write("CREATE (:Person {name: 'Ida'})-[:KNOWS]->(:Person {name: 'Jo'})")
    assert ask(open_context(people.graph), "How many disconnected parts does the graph have?").answers == ("2",)


# Other graphs ---------------------------------------------------------------------------------------------------------


def test_a_word_that_the_graph_has_for_itself_is_not_about_networks(graph: Graph) -> None:
    graph.write("CREATE (:Bridge {name: 'Old Bridge'}), (:Hub {name: 'North Hub'})-[:SERVES]->(:Town {name: 'Lund'})")
    assert central(open_context(graph), "What are the hubs?") is None


def test_a_graph_with_a_word_for_liking_is_asked_who_likes(graph: Graph) -> None:
    graph.write("CREATE (:Person {name: 'Ada'})-[:LIKES]->(:Person {name: 'Bo'})")
    context = open_context(graph)
    assert resemble(context, "Which people like Bo?") is None
    assert ask(context, "Who likes Bo?").answers == ("Ada",)


def test_a_role_is_an_end_of_a_relation(films: Context) -> None:
    films.graph.write("MATCH (f:Entity {name: 'Ash'}), (p:Entity {name: 'Mira'}) CREATE (p)-[:PAINTED]->(f)")
    painters = kind_of(open_context(films.graph), "painters")
    assert painters is not None
    assert (painters.relation, painters.is_object) == ("PAINTED", False)
    assert ask(films, "Who is the most connected actor?").answers == ("Ann",)


def test_plain_triples_are_like_one_another_by_what_they_share(films: Context) -> None:
    assert ask(films, "What is similar to Low Tide?").answers[0] == "High Tide"
