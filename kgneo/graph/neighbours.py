"""What is around entities: their relations, and the triples of some of these, taken whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.retrieval import Direction
from kgneo.graph.shape import LOADED, Shape
from kgneo.model import Candidate, Hop, Triple

LIMIT = 5_000
"""Triples of one question that are read at most."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A triple at an entity. `forward` says that the entity is its subject, and what is reached its object."""

    candidate: Candidate
    forward: bool

    @property
    def name(self) -> str:
        """The name of what is reached."""
        return self.candidate.triple.object if self.forward else self.candidate.triple.subject

    @property
    def id(self) -> str:
        """The database's id of what is reached."""
        return self.candidate.object_id if self.forward else self.candidate.subject_id


def relations_around(
    graph: Graph, entities: Sequence[str], *, direction: Direction = "both", shape: Shape = LOADED
) -> dict[Hop, int]:
    """The hops that leave any of the entities (element ids), each with its number of triples."""
    rows = graph.read(query("relations_around"), entities=list(entities), excluded=list(shape.excluded))
    hops = {Hop(row["relation"], row["forward"]): int(row["triples"]) for row in rows}
    return {
        hop: triples
        for hop, triples in hops.items()
        if (hop.forward or direction == "both") and (shape.relations is None or hop.relation in shape.relations)
    }


def triples_along(
    graph: Graph, entities: Mapping[str, int], hops: Sequence[Hop], *, limit: int = LIMIT, shape: Shape = LOADED
) -> list[Neighbour]:
    """Every triple by which one of `hops` leaves one of `entities`, ordered by relation and names.

    `entities` maps element ids to their distance from the topic entities; the hop of a candidate is one more. Steps
    onto property values are left out.
    """
    walked = [hop for hop in hops if not hop.value]
    if not entities or not walked:
        return []
    rows = graph.read(
        fill("triples_along", relations=sorted({hop.relation for hop in walked})),
        entities=list(entities),
        steps=[[hop.relation, hop.forward] for hop in walked],
        limit=limit,
        display=dict(shape.display),
        excluded=list(shape.excluded),
    )
    return [
        Neighbour(
            Candidate(
                Triple(row["subject"], row["relation"], row["object"]),
                entities[row["entity"]] + 1,
                row["id"],
                row["subject_id"],
                row["object_id"],
            ),
            row["forward"],
        )
        for row in rows
    ]
