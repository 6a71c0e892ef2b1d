"""What a graph's schema holds, as far as a query graph can speak of it: plain values, no database.

`kgneo.graph.catalogue` makes one of a schema that was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "number", "truth", "date", "list", "other"]
"""What a property's values are, as far as it decides how they can be compared."""

_NUMBERS = ("INTEGER", "FLOAT")
_DATES = ("DATE", "LOCAL DATETIME", "ZONED DATETIME")


@dataclass(frozen=True, slots=True)
class Key:
    """A property key with the `type` of its values in Cypher's words, such as "STRING"."""

    name: str
    type: str

    @property
    def kind(self) -> Kind:
        """What the values are: "text", "number", "truth" (true or false), "date", "list" or "other"."""
        if self.type.startswith("LIST"):
            return "list"
        if self.type in _NUMBERS:
            return "number"
        if self.type in _DATES:
            return "date"
        return {"STRING": "text", "BOOLEAN": "truth"}.get(self.type, "other")  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Label:
    """A label and the keys of its nodes."""

    name: str
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A relationship type, the keys of its relationships, and the pairs of a subject's and an object's label that it
    connects; no pairs: not known."""

    name: str
    keys: tuple[Key, ...] = ()
    ends: tuple[tuple[str, str], ...] = ()

    def joins(self, subject: Iterable[str], object: Iterable[str]) -> bool:  # noqa: A002
        """Whether it leads from a node with the labels `subject` to one with the labels `object`, as far as known."""
        subjects, objects = tuple(subject), tuple(object)
        return not self.ends or any(
            (not subjects or start in subjects) and (not objects or end in objects) for start, end in self.ends
        )


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The labels and relationship types of a graph."""

    labels: tuple[Label, ...] = ()
    relations: tuple[Relation, ...] = ()

    def relation(self, name: str) -> Relation | None:
        """The relationship type of that name."""
        return next((relation for relation in self.relations if relation.name == name), None)

    def keys_of_labels(self, labels: Iterable[str]) -> tuple[Key, ...]:
        """The keys of nodes with these labels; of any node, where there are none."""
        names = tuple(labels)
        return tuple(
            dict.fromkeys(key for label in self.labels if not names or label.name in names for key in label.keys)
        )

    def keys_of_relations(self, relations: Iterable[str]) -> tuple[Key, ...]:
        """The keys of relationships of these types."""
        names = tuple(relations)
        return tuple(
            dict.fromkeys(key for relation in self.relations if relation.name in names for key in relation.keys)
        )
