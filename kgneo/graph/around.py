"""What is around one node, for a person who looks at it: its properties, and the relationships at it; and the
properties of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kgneo.graph.cypher import query
from kgneo.graph.open import Knowledge
from kgneo.graph.shape import Shape, is_own
from kgneo.graph.values import texts, triple_of
from kgneo.model import Entity, Triple


@dataclass(frozen=True, slots=True)
class Link:
    """A relationship with the nodes at its ends."""

    triple: Triple
    subject: Entity
    object: Entity


@dataclass(frozen=True, slots=True)
class Around:
    """A node with the properties that the graph's shape uses, as texts, and its relationships, of which it has `degree`
    in all."""

    node: Entity
    properties: Mapping[str, tuple[str, ...]]
    links: tuple[Link, ...]
    degree: int


def around(knowledge: Knowledge, id_: str, *, limit: int = 50) -> Around | None:
    """The node with that element id and `limit` of its relationships at most; None where there is no such node, or it
    is one that the graph's shape leaves out."""
    shape = knowledge.shape
    found = knowledge.graph.read(query("neighbours_node"), id=id_, **shape.parameters)
    if not found or any(is_own(label) for label in found[0]["labels"]):
        return None
    row = found[0]
    rows = knowledge.graph.read(query("neighbours"), id=id_, limit=limit, **shape.parameters)
    return Around(
        Entity(row["name"], shape.own_labels(row["labels"]), id_),
        _shown(shape, row["labels"], dict(row["properties"])),
        tuple(
            Link(
                triple_of(link, shape),
                Entity(link["subject"], shape.own_labels(link["subject_labels"]), link["subject_id"]),
                Entity(link["object"], shape.own_labels(link["object_labels"]), link["object_id"]),
            )
            for link in rows
        ),
        row["degree"],
    )


def properties_of(knowledge: Knowledge, ids: Iterable[str]) -> dict[str, dict[str, tuple[str, ...]]]:
    """By element id, the properties of each node that the graph's shape uses, as texts; without the nodes that are not
    there, and those that the shape leaves out."""
    shape = knowledge.shape
    rows = knowledge.graph.read(query("nodes_properties"), ids=list(ids), excluded=list(shape.excluded))
    return {
        row["id"]: _shown(shape, row["labels"], dict(row["properties"]))
        for row in rows
        if not any(is_own(label) for label in row["labels"])
    }


def _shown(shape: Shape, labels: Iterable[str], properties: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Those properties of a node of these labels that the shape uses, and those that name it, as texts."""
    labels = tuple(labels)
    used = {*shape.keys_of(labels), *(key for label in labels for key in shape.display.get(label, ()))}
    visible = shape.visible(labels, properties)
    found = {key: texts(value) for key, value in visible.items() if key in used}
    return {key: value for key, value in found.items() if value}
