"""Centrality: which nodes of a network stand out, and which belong together.

Comes in: the relationship types that make the network. Goes out: nodes by their element ids, the first the one that
stands out most, or groups of nodes. How many relationships a node has, the database counts. What needs the whole
network (PageRank, betweenness, communities) Neo4j's Graph Data Science computes where the server has it, in a
projection that is dropped afterwards; else networkx does, in this process, of at most `MOST` relationships.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kgneo.english.central import Asks
from kgneo.errors import GraphError, GraphTimeout
from kgneo.extras import how_to_install
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import OWN_LABELS, Shape

__all__ = ["MOST", "Network", "NotComputed", "degrees", "groups", "standing"]

MOST = 400_000
"""Relationships of a network that is computed in this process."""
EXACT = 1_500_000
"""How often betweenness may look at a node or a relationship: from each node it goes through the whole network."""
AT_ONCE = 10
"""How much more of it Graph Data Science does in the same time."""
LEAST_SAMPLED = 10
"""Nodes from which it goes through the network at least."""
MOST_OF_LOUVAIN = 50_000
"""Relationships of a network up to which communities are found by the method of Louvain, and not a quicker one."""
SECONDS = 20.0
"""Seconds that one query may take."""
HEAP = 0.5
"""Share of the server's heap that a projection may take."""
_ALGORITHMS: Mapping[str, tuple[str, str]] = {
    "pagerank": ("gds.pageRank", "score"),
    "betweenness": ("gds.betweenness", "score"),
    "communities": ("gds.louvain", "communityId"),
    "components": ("gds.wcc", "componentId"),
}


_Values = tuple[dict[str, float], str]
"""A number for each node, and what is to be said of how it was computed."""


class NotComputed(Exception):
    """A network that is not computed: its text says why, `hint` what to do."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Network:
    """A number for each node of a network: its nodes and relationships, and the words for what computed it; `sampled`
    where it did not look at all of the network."""

    values: Mapping[str, float]
    by: str
    nodes: int
    relationships: int
    sampled: bool = False


def degrees(
    graph: Graph,
    shape: Shape,
    relations: Sequence[str],
    *,
    labels: Sequence[str] = (),
    ascending: bool = False,
    limit: int,
) -> list[tuple[str, int]]:
    """The ids of nodes with how many relationships of these types each has, those with most first, or those with
    fewest. Raises GraphTimeout, GraphError."""
    rows = graph.read(
        fill("degrees", relations=relations),
        excluded=_left_out(shape),
        labels=list(labels) or None,
        ascending=ascending,
        limit=limit,
        timeout=SECONDS,
    )
    return [(row["id"], row["number"]) for row in rows]


def _left_out(shape: Shape) -> list[str]:
    """The labels of nodes that take no part."""
    return [*shape.excluded, *OWN_LABELS]


def standing(
    graph: Graph, shape: Shape, relations: Sequence[str], measure: Asks, *, labels: Sequence[str] = ()
) -> Network:
    """A number for each node of the network: its PageRank, its betweenness, or which community or component it is in.
    `labels` are those of the nodes that the types join, where that is known.

    Raises NotComputed where Graph Data Science does not compute it, and the network has more than `MOST` relationships
    or the extra network is missing; where it takes too long; GraphError.
    """
    try:
        found = _by_server(graph, shape, relations, measure, labels)
        return found if found is not None else _here(graph, shape, relations, measure)
    except GraphTimeout as error:
        why = f"it took longer than {graph.timeout:.0f} s"
        raise NotComputed(why, "Name a relationship type, or allow it more time (--timeout).") from error


def groups(network: Network) -> list[tuple[str, ...]]:
    """The nodes that have the same number in a network, the largest group first."""
    found: dict[float, list[str]] = {}
    for node, number in network.values.items():
        found.setdefault(number, []).append(node)
    return [tuple(nodes) for nodes in sorted(found.values(), key=lambda nodes: (-len(nodes), nodes))]


# By the server --------------------------------------------------------------------------------------------------------


def _by_server(
    graph: Graph, shape: Shape, relations: Sequence[str], measure: Asks, labels: Sequence[str]
) -> Network | None:
    """The same by Graph Data Science; None where the server has none, or not the memory for it. A projection of the
    library cannot leave out nodes by label alone, so a graph with labels that are left out is computed here."""
    if shape.excluded or not _has_library(graph):
        return None
    types = {relation: {"orientation": "UNDIRECTED"} for relation in relations}
    try:
        nodes = list(labels) or "*"
        if not _fits(graph, nodes, types):
            return None
        return _projected(graph, nodes, types, measure)
    except GraphTimeout:
        raise
    except GraphError:  # rights, or a version that calls it otherwise: what is computed here needs neither
        return None


def _projected(graph: Graph, nodes: list[str] | str, types: Mapping[str, Any], measure: Asks) -> Network:
    """The same in a projection, which is dropped afterwards."""
    name = f"kgneo-{uuid.uuid4().hex}"
    procedure, column = _ALGORITHMS[measure]
    try:
        made = graph.read(query("gds_project"), name=name, nodes=nodes, types=types)[0]
        looked = _looked_from(made["nodes"], made["relationships"], AT_ONCE) if measure == "betweenness" else 0
        rows = graph.read(
            f"CALL {procedure}.stream($name, $options) YIELD nodeId, {column} "
            f"RETURN elementId(gds.util.asNode(nodeId)) AS id, {column} AS value",
            name=name, options={"samplingSize": looked, "samplingSeed": 1} if looked else {},
        )  # fmt: skip
    finally:  # one that came too late may be there all the same
        with suppress(GraphError):
            graph.read(query("gds_drop"), name=name)
    values = {row["id"]: float(row["value"]) for row in rows}
    by = f"Neo4j Graph Data Science{_from(looked)}"
    return Network(values, by, made["nodes"], made["relationships"] // 2, bool(looked))


def _looked_from(nodes: int, relationships: int, times: int = 1) -> int:
    """From how many nodes betweenness looks; 0 for all of them."""
    looked = max(times * EXACT // max(nodes + relationships, 1), LEAST_SAMPLED)
    return 0 if looked >= nodes else looked


def _from(looked: int) -> str:
    return f", of the shortest ways from {looked} nodes alone" if looked else ""


def _has_library(graph: Graph) -> bool:
    """Whether `gds.version()` answers."""
    try:
        return bool(graph.read(query("gds_version")))
    except GraphError:
        return False


def _fits(graph: Graph, nodes: list[str] | str, types: Mapping[str, Any]) -> bool:
    """Whether a projection fits the server's memory by the library's own estimate. What is free at the moment the
    library checks by itself, and refuses."""
    return bool(graph.read(query("gds_fits"), nodes=nodes, types=types)[0]["share"] <= HEAP)


# In this process ------------------------------------------------------------------------------------------------------


def _here(graph: Graph, shape: Shape, relations: Sequence[str], measure: Asks) -> Network:
    try:
        import networkx
    except ImportError as error:
        why = "Graph Data Science did not compute it, and kgneo's extra network is not installed"
        raise NotComputed(why, how_to_install("network")) from error

    rows = graph.read(fill("network", relations=relations), excluded=_left_out(shape), limit=MOST + 1)
    if len(rows) > MOST:
        why = f"it has more than {MOST:,} relationships, and Graph Data Science did not compute it"
        raise NotComputed(why, "Name a relationship type, or install Graph Data Science in Neo4j.")
    network = networkx.Graph()
    network.add_edges_from(sorted((row["subject"], row["object"]) for row in rows))
    values, how = _COMPUTED[measure](network) if network else ({}, "")
    by = f"networkx in kgneo's own process{how}"
    return Network(values, by, len(network), len(rows), measure == "betweenness" and bool(how))


def _pagerank(network: Any) -> _Values:
    import networkx

    return networkx.pagerank(network), ""


def _betweenness(network: Any) -> _Values:
    """The share of shortest ways that pass each node; of a large network, of the ways from some nodes."""
    import networkx

    looked = _looked_from(len(network), network.size())
    return networkx.betweenness_centrality(network, k=looked or None, seed=0), _from(looked)


def _communities(network: Any) -> _Values:
    """The number of the community of each node, by the method of Louvain; of a large network by label propagation."""
    import networkx

    if network.size() <= MOST_OF_LOUVAIN:
        found, how = networkx.community.louvain_communities(network, seed=0), ", by the method of Louvain"
    else:
        found = networkx.community.fast_label_propagation_communities(network, seed=0)
        how = ", by label propagation"
    return _numbered(found), how


def _components(network: Any) -> _Values:
    import networkx

    return _numbered(networkx.connected_components(network)), ""


def _numbered(groups_: Iterable[Iterable[str]]) -> dict[str, float]:
    return {node: float(number) for number, nodes in enumerate(groups_) for node in nodes}


_COMPUTED: Mapping[str, Callable[[Any], _Values]] = {
    "pagerank": _pagerank,
    "betweenness": _betweenness,
    "communities": _communities,
    "components": _components,
}
