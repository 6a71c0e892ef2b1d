"""Relation paths: those that can leave a topic entity, and where one of them leads.

A path runs as one Cypher pattern, in which no relationship is used twice; so a walk never comes back by the
relationship that it went out by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgneo.graph.candidates import Direction
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query, shown_name
from kgneo.graph.open import Knowledge
from kgneo.graph.shape import Shape
from kgneo.graph.statistics import Statistics
from kgneo.graph.value_walks import detail_hops, follow_values, value_hops
from kgneo.graph.values import triple_of
from kgneo.model import Entity, Evidence, Hop, RelationPath, Triple
from kgneo.query.told import Told, step

LIMIT_PATHS = 2_000
"""Relation paths that are considered for one question."""
KEPT = 64
"""Sets of first hops whose paths are kept: most things of a kind have the same relations."""
LIMIT_EVIDENCE = 3
"""Walks that are kept as evidence of one answer."""


@dataclass(frozen=True, slots=True)
class Found:
    """An entity at the end of a relation path and how many walks lead there."""

    entity: Entity
    walks: int


@dataclass(frozen=True, slots=True)
class Followed:
    """The end of a path: `found` (most walks first, then by name), how many there are in all, and the triples
    of at most three walks to each."""

    found: tuple[Found, ...]
    total: int
    evidence: tuple[Evidence, ...]


def first_hops(knowledge: Knowledge, entities: Sequence[str], *, direction: Direction = "both") -> list[Hop]:
    """The hops that really leave the entities (element ids)."""
    each = first_hops_of_each(knowledge, entities, direction=direction)
    return list(dict.fromkeys(hop for hops in each.values() for hop in hops))


def first_hops_of_each(
    knowledge: Knowledge, entities: Sequence[str], *, direction: Direction = "both"
) -> dict[str, list[Hop]]:
    """The same for each of the entities."""
    graph, shape = knowledge.graph, knowledge.shape
    hops: dict[str, list[Hop]] = {}
    for row in graph.read(query("paths_first_hops"), entities=list(entities), told=shape.telling):
        if (row["forward"] or direction == "both") and shape.uses(row["relation"]):
            hops.setdefault(row["topic"], []).append(Hop(row["relation"], row["forward"]))
    for found in hops.values():
        found += detail_hops(found, shape)
    for topic, values in value_hops(graph, entities, shape).items():
        hops.setdefault(topic, []).extend(values)
    return hops


def counted_hops(knowledge: Knowledge, entities: Sequence[str], *, direction: Direction = "both") -> dict[Hop, int]:
    """The hops that really leave the entities, each with the number of its triples; of property values, that of the
    entities that have one. Labels are those that the graph's statistics have for the hop."""
    graph, shape = knowledge.graph, knowledge.shape
    counts: Counter[Hop] = Counter()
    for row in graph.read(query("paths_first_hops"), entities=list(entities), told=shape.telling):
        if (row["forward"] or direction == "both") and shape.uses(row["relation"]):
            counts[Hop(row["relation"], row["forward"])] += row["triples"]
    counts.update({detail: counts[hop] for hop in list(counts) for detail in detail_hops([hop], shape)})
    for values in value_hops(graph, entities, shape).values():
        counts.update(values)
    known = {(item.relation, item.forward, item.value): item.hop for item in knowledge.record.statistics.hops}
    return {known.get((hop.relation, hop.forward, hop.value), hop): number for hop, number in counts.items()}


def leaving(
    first: Sequence[Hop], statistics: Statistics, *, hops: int = 3, direction: Direction = "both"
) -> list[RelationPath]:
    """The relation paths of up to `hops` hops that begin with one of `first`, shorter ones first.

    The first hop is the entity's own; what can follow is what follows in the graph, so a long path may turn out
    to end nowhere for this entity.
    """
    key = (tuple(first), hops, direction)
    found = statistics.kept.get(key)
    if found is None:
        if len(statistics.kept) >= KEPT:
            statistics.kept.clear()
        found = statistics.kept[key] = _leaving(first, statistics, hops, direction)
    return list(found)


def _leaving(first: Sequence[Hop], statistics: Statistics, hops: int, direction: Direction) -> list[RelationPath]:
    known = {str(item.hop): item for item in statistics.hops}
    paths: list[tuple[Hop, ...]] = [(known[str(hop)].hop,) for hop in first if str(hop) in known]
    frontier = paths
    for _ in range(hops - 1):
        frontier = [
            (*path, known[name].hop)
            for path in frontier
            for name in known[str(path[-1])].onward
            if name in known and (direction == "both" or known[name].forward)
        ]
        paths = paths + frontier
        if len(paths) > LIMIT_PATHS:
            break
    return [RelationPath(path) for path in paths[:LIMIT_PATHS]]


def follow(knowledge: Knowledge, entities: Sequence[str], path: RelationPath, *, limit: int = 1000) -> Followed:
    """Walk `path` from the entities (element ids); at most `limit` of the entities, or values, at its end."""
    if path.hops[-1].value:
        return _follow_to_values(knowledge, entities, path, limit)
    graph, shape = knowledge.graph, knowledge.shape
    text = (
        f"MATCH {pattern(path, shape.told)}\n"
        f"WHERE elementId(topic) IN $entities{_without_excluded(path, shape)}\n"
        f"WITH answer, [{', '.join(f'r{hop}' for hop in range(1, len(path) + 1))}] AS walk\n"
        "WITH answer, count(*) AS walks, collect([r IN walk | elementId(r)])[..$walks] AS evidence,\n"
        f"     {shown_name('answer')} AS name\n"
        "ORDER BY walks DESC, name\n"
        "WITH collect({id: elementId(answer), name: name, labels: labels(answer), walks: walks, "
        "evidence: evidence}) AS rows\n"
        # "Who else …": the entity that was asked about is an answer only where there is no other.
        "WITH rows, [row IN rows WHERE NOT row.id IN $entities] AS others\n"
        "WITH CASE size(others) WHEN 0 THEN rows ELSE others END AS rows\n"
        "RETURN rows[..$limit] AS found, size(rows) AS total"
    )
    parameters = {"hops": relations_of(path), "walks": LIMIT_EVIDENCE, "limit": limit, **shape.parameters}
    row = graph.read(text, entities=list(entities), **parameters)[0]
    found = tuple(
        Found(Entity(item["name"], shape.own_labels(item["labels"]), item["id"]), item["walks"])
        for item in row["found"]
    )
    hop_of: dict[str, int] = {}
    for item in row["found"]:
        for walk in item["evidence"]:
            for hop, id_ in enumerate(walk, start=1):
                hop_of.setdefault(id_, hop)
    return Followed(found, row["total"], _evidence(graph, hop_of, shape))


def _without_excluded(path: RelationPath, shape: Shape) -> str:
    if not shape.excluded:
        return ""
    nodes = [*(f"n{number}" for number in range(1, len(path))), "answer"]
    return "".join(f" AND none(label IN labels({node}) WHERE label IN $excluded)" for node in nodes)


def _follow_to_values(knowledge: Knowledge, entities: Sequence[str], path: RelationPath, limit: int) -> Followed:
    values = follow_values(knowledge, entities, path, limit=limit, walks=LIMIT_EVIDENCE)
    found = tuple(Found(Entity(item.text), item.walks) for item in values.found)
    return Followed(
        found, values.total, (*_evidence(knowledge.graph, values.walked, knowledge.shape), *values.evidence)
    )


def _evidence(graph: Graph, hop_of: Mapping[str, int], shape: Shape) -> tuple[Evidence, ...]:
    """The triples of relationships (by id, with their hop)."""
    triples = read_triples(graph, list(hop_of), shape)
    return tuple(Evidence(triples[id_], hop) for id_, hop in hop_of.items() if id_ in triples)


def read_triples(graph: Graph, ids: Sequence[str], shape: Shape) -> dict[str, Triple]:
    """The triples of relationships, by id, with those of their own properties that `shape` uses in words."""
    if not ids:
        return {}
    rows = graph.read(query("triples"), ids=list(ids), **shape.parameters)
    return {row["id"]: triple_of(row, shape) for row in rows}


def pattern(path: RelationPath, told: Told) -> str:
    """The path from `topic` to `answer` as a Cypher pattern with the relationships r1, r2, …; the parameter `$hops` has
    the relations of the path."""
    text = "(topic)"
    for index, hop in enumerate(path.hops, start=1):
        node = "(answer)" if index == len(path) else f"(n{index})"
        relationship = step(index, hop.relation, told)
        text += f"-{relationship}->{node}" if hop.forward else f"<-{relationship}-{node}"
    return text


def relations_of(path: RelationPath) -> list[str]:
    """The relations of a path, as `pattern` needs them."""
    return [hop.relation for hop in path.hops]
