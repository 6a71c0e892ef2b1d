"""A catalogue of a graph: what of its schema a query graph may speak of."""

from __future__ import annotations

from collections.abc import Iterable

from kgneo.english.names import name_words
from kgneo.english.words import IDENTIFYING
from kgneo.graph.schema import Property, Schema
from kgneo.graph.shape import Shape, is_own
from kgneo.query.catalogue import Catalogue, Key, Label, Relation


def catalogue(schema: Schema, shape: Shape) -> Catalogue:
    """The labels, relationship types and keys of `schema`, without those that `shape` leaves out and kgneo's own.

    Of a large graph that was not looked at as a whole, a rare pair of labels that are both joined with others may be
    missing.
    """
    labels = tuple(
        Label(label.name, _keys(label.name, label.properties, shape))
        for label in schema.labels
        if not is_own(label.name) and label.name not in shape.excluded
    )
    known = {label.name for label in labels}
    relations = tuple(
        Relation(
            relation.name,
            _keys(relation.name, relation.properties, shape),
            tuple(
                dict.fromkeys(
                    (subject, object_)
                    for connection in relation.connections
                    for subject in connection.subject
                    for object_ in connection.object
                    if subject in known and object_ in known
                )
            ),
        )
        for relation in schema.relations
        if not is_own(relation.name) and shape.uses(relation.name)
    )
    return Catalogue(labels, relations)


def _keys(owner: str, properties: Iterable[Property], shape: Shape) -> tuple[Key, ...]:
    return tuple(
        Key(item.key, item.type)
        for item in properties
        if not is_own(item.key) and not shape.left_out.hides(item.key, (owner,))
    )


def is_measure(key: Key) -> bool:
    """Whether things are compared by a property: a number that tells one from the other is no amount."""
    return key.kind in ("number", "date") and name_words(key.name)[-1] not in IDENTIFYING
