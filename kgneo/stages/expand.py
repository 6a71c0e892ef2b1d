"""Expand: one hop from the entities at hand along relations that were chosen.

Comes in: a frontier, hops, and the ids of entities that were there before. Goes out: the triples of these hops,
whole, and the entities and values that they reach for the first time (KnowledgeNavigator section 3.2: "untraversed
entities").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.graph.neighbours import LIMIT, triples_along
from kgneo.model import Candidate, Hop
from kgneo.stages.reached import Reached


@dataclass(frozen=True, slots=True)
class Expansion:
    """The triples of a hop, and what is new at their far ends. `ends` are all far ends, `cut` says that the graph holds
    more triples than were read."""

    candidates: tuple[Candidate, ...] = ()
    reached: tuple[Reached, ...] = ()
    ends: tuple[Reached, ...] = ()
    cut: bool = False


def expand(context: Context, ways: Mapping[Hop, Sequence[Reached]], visited: Collection[str] = ()) -> Expansion:
    """The triples by which each hop leaves the entities that it is mapped to; entities in `visited` (ids) are not
    reached again."""
    candidates: dict[str, Candidate] = {}
    ends: dict[str, Reached] = {}
    cut = False
    for hop, frontier in ways.items():
        depths = {entity.id: entity.depth for entity in frontier if not entity.value}
        found = triples_along(context.knowledge, depths, hop)
        cut = cut or len(found) >= LIMIT
        for neighbour in found:
            candidate, end = neighbour.candidate, neighbour.end
            candidates.setdefault(triple_key(candidate), candidate)
            ends.setdefault(end.id, Reached(end.name, end.id, candidate.hop, hop.labels, end.value))
    reached = tuple(end for id_, end in ends.items() if id_ not in visited)
    return Expansion(tuple(candidates.values()), reached, tuple(ends.values()), cut)


def triple_key(candidate: Candidate) -> str:
    """Tells triples apart: those of property values share their node's id."""
    triple = candidate.triple
    return candidate.id if candidate.object_id else f"{candidate.id} {triple.relation} {triple.object}"
