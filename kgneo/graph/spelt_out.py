"""Spelt out: a schema whose short names are called in whole words: "employee" of `Emp`, "hire date" of `hire_dt`.

Comes in: a schema, and what people call its names already. Goes out: the same schema, in which each name that is short
is a `kgneo.english.names.Called`: itself wherever names are compared or written into a query, whole words wherever it
is read as English.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from kgneo.english.names import Called, called
from kgneo.english.short import long_names
from kgneo.graph.schema import Label, Property, Relation, Schema


def spelt_out(schema: Schema) -> Schema:
    """The schema with whole words for short forms, but in names that people call otherwise."""
    owners: tuple[Label | Relation, ...] = (*schema.labels, *schema.relations)
    long = long_names([*(owner.name for owner in owners), *(item.key for owner in owners for item in owner.properties)])
    if not long:
        return schema
    return replace(
        schema,
        labels=tuple(
            replace(item, name=_named(item.name, long), properties=_properties(item.properties, long))
            for item in schema.labels
        ),
        relations=tuple(_relation(item, long) for item in schema.relations),
    )


def _relation(item: Relation, long: Mapping[str, str]) -> Relation:
    connections = tuple(
        replace(each, subject=_all(each.subject, long), object=_all(each.object, long)) for each in item.connections
    )
    properties = _properties(item.properties, long)
    return replace(item, name=_named(item.name, long), properties=properties, connections=connections)


def _properties(properties: Iterable[Property], long: Mapping[str, str]) -> tuple[Property, ...]:
    return tuple(replace(item, key=_named(item.key, long)) for item in properties)


def _all(labels: Iterable[str], long: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(_named(label, long) for label in labels)


def _named(name: str, long: Mapping[str, str]) -> str:
    """A name in whole words where it is short, and nobody said what else it is called."""
    if name not in long or called(name) != name:
        return name
    return Called(name, long[name], name.description if isinstance(name, Called) else "")
