"""Known relation paths in the graph, to measure retrieval: their triples, and whether candidates hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgneo.graph.candidates import Reach
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query, shown_name
from kgneo.graph.open import Knowledge
from kgneo.graph.values import property_triples, triple_of
from kgneo.graph.walks import pattern, relations_of
from kgneo.model import RelationPath, Triple


@dataclass(frozen=True, slots=True)
class PathTriple:
    """A triple on a path, with the database's ids of its ends."""

    triple: Triple
    subject_id: str
    object_id: str


def path_triples(
    knowledge: Knowledge, entities: Sequence[str], path: RelationPath, answers: Sequence[str]
) -> tuple[PathTriple, ...]:
    """The triples on all walks along `path` from the entities (by name) to one of `answers` (by name)."""
    topics = [named.entity.id for named in knowledge.names.by_name(entities).values()]
    if not topics:
        return ()
    steps = ", ".join(f"r{hop}" for hop in range(1, len(path) + 1))
    text = (
        f"MATCH {pattern(path, knowledge.shape.told)}\n"
        "WHERE elementId(topic) IN $entities\n"
        f"WITH [{steps}] AS walk, {shown_name('answer')} AS name\n"
        "WHERE name IN $answers\n"
        "UNWIND walk AS r\n"
        "RETURN DISTINCT elementId(r) AS id"
    )
    graph, shape = knowledge.graph, knowledge.shape
    parameters = {"hops": relations_of(path), **shape.parameters}
    rows = graph.read(text, entities=topics, answers=list(answers), **parameters)
    found = graph.read(query("triples"), ids=[row["id"] for row in rows], **shape.parameters)
    return tuple(PathTriple(triple_of(row, shape), row["subject_id"], row["object_id"]) for row in found)


def among_candidates(graph: Graph, reach: Reach, triples: Iterable[PathTriple]) -> frozenset[Triple]:
    """Those of `triples` that are candidates: they touch a node within N - 1 hops of the topic entities."""
    wanted = tuple(triples)
    if not wanted or not reach.entities:
        return frozenset()
    nodes = list({node for item in wanted for node in (item.subject_id, item.object_id)})
    rows = graph.read(reach.fill("candidates_depths"), entities=list(reach.entities), nodes=nodes)
    near = {node for node, _ in rows[0]["depths"]}
    ends = (lambda item: (item.subject_id,)) if reach.direction == "out" else _both
    return frozenset(item.triple for item in wanted if not near.isdisjoint(ends(item)))


def _both(item: PathTriple) -> tuple[str, ...]:
    return item.subject_id, item.object_id


def all_triples(knowledge: Knowledge) -> Iterator[Triple]:
    """Every triple of the graph that takes part in answering, streamed: relationships, then property values."""
    graph, shape = knowledge.graph, knowledge.shape
    for row in graph.stream(query("index_scan"), **shape.parameters):
        yield triple_of(row, shape)
    if shape.loaded or not shape.values:
        return
    labels, keys = sorted(shape.values), list(shape.value_keys)
    for row in graph.stream(query("index_scan_nodes"), labels=labels, keys=keys, **shape.parameters):
        used = set(shape.keys_of(row["labels"]))
        for key, value, _ in row["values"]:
            if key in used:
                yield from property_triples(row["name"] or row["id"], key, value)
