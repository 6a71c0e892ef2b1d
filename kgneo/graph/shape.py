"""The shape of a graph: which property names a node, and what of the graph takes part in answering.

A graph that kgneo loaded has one shape, `LOADED`. That of a graph that was there before is derived from its schema
(`kgneo.graph.attach`), kept with the index, and can be adjusted. Queries get its parts as parameters: `$display`,
`$excluded`, `$relations`, `$details`, `$hidden`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from kgneo.model import value_relation
from kgneo.query.hidden import Hidden
from kgneo.query.told import ToldType

LOADED_LABEL = "Entity"
PREFIX = "kgneo"
"""All that kgneo writes into a graph has names that begin with this, or with `Kgneo`."""

OWN_LABELS = tuple(f"Kgneo{name}" for name in ("Example", "Index", "Learned", "Lesson", "Load", "Loading", "Scorer"))
"""Labels of kgneo's own nodes."""


@dataclass(frozen=True)
class Shape:
    """What of a graph is used, and how it is called.

    `display` maps a label to the properties whose values, with blanks between, are the name of its nodes. `values`
    maps a label to the keys of the node properties that are triples, each with the share of its nodes that have it;
    `details` the same for relationship types. `excluded` are labels and `relations` relationship types (None: all) that
    bound what is used, `hidden` properties that the user left out (`key`, or `Owner.key`). `names` has readable names
    of relations that are spelt as codes. `clashes` are keys that are names of relationship types, too. `loaded` is
    False for a graph that was there before kgneo.

    `umbrellas` are labels that say nothing of a node, since nearly all have them. `told` are relationship types that
    are not stored as such: a property of relationships of another type tells them. `facts` maps a relationship type to
    the property in which a sentence says what it means. What relationships of a type say holds between the dates of two
    properties, its `periods`, an open end by none; `supersedes`: of what no longer holds, the graph says so that way.
    `kind_key` is the property that says of nodes of one label what kind of thing each is.
    """

    display: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {LOADED_LABEL: ("name",)})
    values: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    details: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    relations: tuple[str, ...] | None = None
    excluded: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    clashes: tuple[str, ...] = ()
    umbrellas: tuple[str, ...] = (LOADED_LABEL,)
    told: Mapping[str, ToldType] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    periods: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    supersedes: bool = False
    kind_key: str = ""
    loaded: bool = True

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of every query that reads triples."""
        relations = None if self.relations is None else list(self.relations)
        return {
            "display": {label: list(keys) for label, keys in self.display.items()},
            "excluded": list(self.excluded),
            "relations": relations,
            "told": self.telling,
            "details": list(self.detail_keys),
            "hidden": list(self.hidden) or None,
        }

    @cached_property
    def telling(self) -> dict[str, str]:
        """The properties that tell the types of relationships, by the types under which these are stored."""
        places = {item.relation: item.key for item in self.told.values()}
        return {name: key for name, key in places.items() if not self.left_out.hides(key, (name,))}

    def stored(self, relation: str) -> ToldType:
        """The type under which relationships of a type are stored, and the property that tells it, if one does."""
        return self.told.get(relation, ToldType(relation, ""))

    @cached_property
    def left_out(self) -> Hidden:
        """What of the graph nobody who asks is shown."""
        return Hidden(self.excluded, self.relations, self.hidden, OWN_LABELS)

    def visible(self, labels: Iterable[str], properties: Mapping[str, Any]) -> dict[str, Any]:
        """What of a node's properties may be shown: without those that are hidden by one of its labels, and kgneo's."""
        owners = tuple(labels)
        return {
            key: value
            for key, value in properties.items()
            if not is_own(key) and not (self.hidden and self.left_out.hides(key, owners))
        }

    def names_something_hidden(self) -> bool:
        """Whether a property that names the nodes of one label is hidden of those of another, which may be the same."""
        return any(self.left_out.hides_anywhere(key) for keys in self.display.values() for key in keys)

    @cached_property
    def value_keys(self) -> tuple[str, ...]:
        """The keys of node properties that are triples, of all labels."""
        return tuple(sorted({key for keys in self.values.values() for key in keys}))

    @cached_property
    def detail_keys(self) -> tuple[str, ...]:
        """The keys of relationship properties that are used, of all types."""
        return tuple(sorted({key for keys in self.details.values() for key in keys}))

    def own_labels(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Labels that say something: without the one that every loaded entity has, and its like."""
        return tuple(label for label in labels if label not in self.umbrellas)

    def uses(self, relation: str) -> bool:
        """Whether relationships of this type take part."""
        return self.relations is None or relation in self.relations

    def speaks_of(self, relation: str) -> bool:
        """Whether questions may speak of this type: not of one whose relationships are told apart by a property."""
        return self.uses(relation) and all(item.relation != relation for item in self.told.values())

    def keys_of(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The keys that are triples for a node of these labels."""
        owners = tuple(labels)
        keys = {key for label in owners for key in self.values.get(label, ())}
        return tuple(sorted(key for key in keys if not self.left_out.hides(key, owners)))

    def value_relation(self, key: str, relation: str = "") -> str:
        """The relation of a step onto a property of a node, or of a relationship of type `relation`."""
        return value_relation(key, relation, clash=key in self.clashes)

    def to_json(self) -> str:
        """As text, for the index record."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps(fields, ensure_ascii=False, separators=(",", ":"), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Shape:
        """The inverse of `to_json`."""
        known = {item.name for item in fields(cls)}
        record: dict[str, Any] = {name: value for name, value in json.loads(text).items() if name in known}
        lists = ("relations", "excluded", "hidden", "clashes", "umbrellas")
        record |= {name: _tuple(record[name]) for name in lists if name in record}
        record["periods"] = {name: tuple(pair) for name, pair in record.get("periods", {}).items()}
        record["told"] = {name: ToldType(*item) for name, item in record.get("told", {}).items()}
        record["display"] = {label: tuple(keys) for label, keys in record["display"].items()}
        return cls(**record)


def _tuple(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


LOADED = Shape()


def is_own(name: str) -> bool:
    """Whether a label, property or index is one that kgneo made."""
    return name.lower().startswith(PREFIX)
