"""Candidates and their ranking on a real Neo4j, on every version, against plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from kgneo.graph import Graph, candidates
from kgneo.graph.candidates import Direction, Reach, all_candidates, bound, count_candidates, top_candidates
from kgneo.graph.index import build
from kgneo.graph.load import load
from kgneo.graph.open import open_knowledge
from kgneo.graph.shape import LOADED
from kgneo.loader import LoadedTriple
from kgneo.model import Triple
from kgneo.server import RunningServer
from tests.conftest import connect, wipe
from tests.test_graph_index import CountingEncoder

Triples = list[tuple[str, str, str]]


@pytest.fixture(scope="module")
def triples() -> Triples:
    """150 random triples of three types between 60 nodes."""
    random = np.random.default_rng(7)
    return sorted({(f"n{a}", f"t{t}", f"n{b}") for a, b, t in random.integers(0, [60, 60, 3], (150, 3)) if a != b})


@pytest.fixture(scope="module")
def graph(server: RunningServer, triples: Triples) -> Iterator[Graph]:
    """The triples, loaded and indexed. Not to be changed."""
    with connect(server) as graph:
        wipe(graph)
        load(graph, [LoadedTriple(Triple(*row)) for row in triples], name="random")
        build(graph, CountingEncoder(), shape=LOADED)
        yield graph


def node(graph: Graph, name: str) -> str:
    return str(graph.read("MATCH (n:Entity {name: $name}) RETURN elementId(n) AS id", name=name)[0]["id"])


def breadth_first(triples: Triples, start: str, hops: int, direction: Direction) -> dict[tuple[str, str, str], int]:
    """The hop at which each triple is first reached."""
    touching = defaultdict(list)
    for triple in triples:
        touching[triple[0]].append((triple, triple[2]))
        if direction == "both":
            touching[triple[2]].append((triple, triple[0]))
    hop_of: dict[tuple[str, str, str], int] = {}
    frontier, seen = {start}, {start}
    for hop in range(1, hops + 1):
        reached = set()
        for name in frontier:
            for triple, other in touching[name]:
                hop_of.setdefault(triple, hop)
                reached.add(other)
        frontier = reached - seen
        seen |= reached
    return hop_of


@pytest.mark.parametrize("direction", ["both", "out"])
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_candidates_are_those_of_a_breadth_first_search(
    graph: Graph, triples: Triples, hops: int, direction: Direction
) -> None:
    start = triples[0][0]
    reach = Reach((node(graph, start),), hops, direction)
    found = {
        (item.triple.subject, item.triple.relation, item.triple.object): item.hop
        for one_hop in all_candidates(open_knowledge(graph), reach)
        for item in one_hop
    }
    expected = breadth_first(triples, start, hops, direction)
    assert found == expected
    counts = tuple(sum(hop == wanted for hop in expected.values()) for wanted in range(1, hops + 1))
    assert count_candidates(open_knowledge(graph), reach) == counts


@pytest.mark.parametrize("direction", ["both", "out"])
@pytest.mark.parametrize("most", [1, 7, 40, 149])
def test_of_too_many_candidates_those_of_the_nearest_hops_are_kept(
    graph: Graph, triples: Triples, most: int, direction: Direction
) -> None:
    start = triples[0][0]
    reach = bound(open_knowledge(graph), Reach((node(graph, start),), 3, direction, most=most))
    by_hop = [
        {(item.triple.subject, item.triple.relation, item.triple.object) for item in one_hop}
        for one_hop in all_candidates(open_knowledge(graph), reach)
    ]
    expected = breadth_first(triples, start, 3, direction)
    assert sum(map(len, by_hop)) == min(most, len(expected))
    assert reach.cut == (len(expected) > most)
    for hop, found in enumerate(by_hop, start=1):
        there = {triple for triple, first in expected.items() if first == hop}
        assert found <= there
        assert found == there or hop == len(by_hop)
    assert count_candidates(open_knowledge(graph), reach) == tuple(map(len, by_hop))


def test_a_reach_that_allows_all_candidates_is_not_cut(graph: Graph, triples: Triples) -> None:
    reach = Reach((node(graph, triples[0][0]),), 3, most=len(triples))
    assert not bound(open_knowledge(graph), reach).cut


def test_a_hub_is_read_no_further_than_allowed(graph: Graph) -> None:
    """Three hops from a hub of 3,000 relationships, each of which leads on; its end nodes are counted, not walked."""
    graph.write("CREATE (hub:Hub) WITH hub UNWIND range(1, 3000) AS i CREATE (hub)-[:TO]->(:Leaf)-[:ON]->(:Last)")
    try:
        hub = str(graph.read("MATCH (hub:Hub) RETURN elementId(hub) AS id")[0]["id"])
        knowledge = open_knowledge(graph)
        reach = bound(knowledge, Reach((hub,), 3, most=100))
        assert (reach.hops, reach.cut) == (1, True)
        assert count_candidates(knowledge, reach) == (100,)
    finally:
        graph.write("MATCH (n:Hub|Leaf|Last) DETACH DELETE n")


def scores(triples: Triples, vector: NDArray[np.float32]) -> dict[tuple[str, str, str], float]:
    texts = [f"({s}, {r}, {o})" for s, r, o in triples]
    vectors = CountingEncoder().encode(texts)
    return {triple: float(score) for triple, score in zip(triples, vectors @ vector, strict=True)}


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("direction", ["both", "out"])
def test_the_top_triples_are_the_nearest_candidates_by_dot_product(
    graph: Graph, triples: Triples, direction: Direction, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "EXACT_UP_TO", 0)  # so that exact=False goes through the index
    start = triples[5][0]
    vector = np.random.default_rng(3).normal(size=16).astype(np.float32)
    expected_hops = breadth_first(triples, start, 2, direction)
    expected = scores(list(expected_hops), vector)
    top = top_candidates(
        open_knowledge(graph), Reach((node(graph, start),), 2, direction), vector, top_k=5, exact=exact
    )
    best = sorted(expected.items(), key=lambda item: -item[1])[:5]
    assert [(item.triple.subject, item.triple.relation, item.triple.object) for item in top] == [t for t, _ in best]
    assert [item.score for item in top] == pytest.approx([score for _, score in best], rel=1e-3, abs=1e-4)
    assert [item.hop for item in top] == [expected_hops[triple] for triple, _ in best]


def test_the_top_triples_are_chosen_among_the_candidates_that_are_kept(graph: Graph, triples: Triples) -> None:
    start = triples[5][0]
    vector = np.random.default_rng(3).normal(size=16).astype(np.float32)
    reach = bound(open_knowledge(graph), Reach((node(graph, start),), 3, most=30))
    kept = {item.id: item.hop for one_hop in all_candidates(open_knowledge(graph), reach) for item in one_hop}
    top = top_candidates(open_knowledge(graph), reach, vector, top_k=50, exact=True)
    assert {item.id: item.hop for item in top} == kept


def test_more_triples_than_there_are_gives_them_all(graph: Graph, triples: Triples) -> None:
    start = triples[0][0]
    vector = np.ones(16, dtype=np.float32)
    reach = Reach((node(graph, start),), 1)
    top = top_candidates(open_knowledge(graph), reach, vector, top_k=100)
    assert len(top) == sum(count_candidates(open_knowledge(graph), reach))


def test_no_topic_entity_gives_no_candidates(graph: Graph, triples: Triples) -> None:
    assert triples
    assert top_candidates(open_knowledge(graph), Reach(()), np.ones(16, dtype=np.float32)) == []
