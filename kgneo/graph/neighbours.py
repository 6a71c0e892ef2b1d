"""What is around entities: the triples of some relations, taken whole, and what stands at their ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgneo.graph.candidates import Reach, all_values
from kgneo.graph.cypher import fill
from kgneo.graph.open import Knowledge
from kgneo.graph.shape import Shape
from kgneo.graph.values import triple_of, word
from kgneo.model import Candidate, Hop, split_value_relation

LIMIT = 5_000
"""Triples of one question that are read at most."""


@dataclass(frozen=True, slots=True)
class End:
    """What stands at an end of a triple: a node with its id, or the value of the property `key`, whose `id` is made
    up."""

    name: str
    id: str
    key: str = ""

    @property
    def value(self) -> bool:
        """Whether it is a property value."""
        return bool(self.key)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A triple at an entity, and what is reached by it."""

    candidate: Candidate
    end: End


def ends_of(candidate: Candidate, shape: Shape) -> tuple[End, ...]:
    """Both ends of a triple, and the values of its relationship's own properties."""
    triple = candidate.triple
    ends = [End(triple.subject, candidate.subject_id)]
    if candidate.object_id:
        ends.append(End(triple.object, candidate.object_id))
    else:
        ends.append(_value(candidate, triple.relation, triple.object))
    if triple.detail:
        ends += [_value(candidate, key, text) for key, text in _details(candidate, shape)]
    return tuple(ends)


def _value(candidate: Candidate, key: str, text: str) -> End:
    return End(text, f"{candidate.id} {key} {text}", key)


def _details(candidate: Candidate, shape: Shape) -> list[tuple[str, str]]:
    """Keys and values of a relationship's properties, read back from their words."""
    keys = sorted(shape.details.get(candidate.triple.relation, ()), key=len, reverse=True)
    found = []
    for part in candidate.triple.detail.split(", "):
        key = next((key for key in keys if part.startswith(word(key) + " ")), None)
        if key is not None:
            found.append((key, part.removeprefix(word(key) + " ")))
    return found


def triples_along(
    knowledge: Knowledge, entities: Mapping[str, int], hop: Hop, *, limit: int = LIMIT
) -> list[Neighbour]:
    """Every triple by which `hop` leaves one of `entities`, ordered by names.

    `entities` maps element ids to their distance from the topic entities; the hop of a candidate is one more.
    """
    if not entities:
        return []
    relation, key = split_value_relation(hop.relation) if hop.value else (hop.relation, "")
    if not relation:
        return _values(knowledge, entities, key)[:limit]
    shape = knowledge.shape
    rows = knowledge.graph.read(
        fill("triples_along", relation=shape.stored(relation).relation),
        key=shape.stored(relation).key or None,
        name=relation,
        entities=list(entities),
        forward=hop.forward,
        limit=limit,
        **shape.parameters,
    )
    found = []
    for row in rows:
        triple = triple_of(row, shape)
        candidate = Candidate(triple, entities[row["entity"]] + 1, row["id"], row["subject_id"], row["object_id"])
        if hop.value:
            ends = [_value(candidate, name, text) for name, text in _details(candidate, shape) if name == key]
        else:
            ends = [ends_of(candidate, shape)[1 if hop.forward else 0]]
        found += [Neighbour(candidate, end) for end in ends]
    return found


def _values(knowledge: Knowledge, entities: Mapping[str, int], key: str) -> list[Neighbour]:
    candidates = all_values(knowledge, Reach(tuple(entities), 1))
    return [
        Neighbour(
            Candidate(item.triple, entities[item.id] + 1, item.id, item.subject_id),
            _value(item, key, item.triple.object),
        )
        for item in candidates
        if item.triple.relation == key
    ]
