"""What of a graph is hidden: labels, relationship types and properties that a user left out, and what follows from it.

A node with a hidden label is hidden whatever other labels it has, and so is a property of a node by any of its labels:
where `Person.salary` is hidden, a node that is a Person and an Employee has no salary. A relationship is hidden by its
type, and with a node at one of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hidden:
    """`labels` are hidden, and all relationship types but `relations` (None: no type is); `keys` are hidden properties:
    `key` of all owners, `Owner.key` of one label or type. `apart` are labels of nodes that stand alone and tell of all
    this: where anything is hidden, they are, too."""

    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] | None = None
    keys: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """The labels of all nodes that are hidden."""
        return (*self.labels, *self.apart) if self else ()

    def __bool__(self) -> bool:
        return bool(self.labels or self.keys or self.relations is not None)

    def hides(self, key: str, owners: Iterable[str]) -> bool:
        """Whether a property is hidden of a node with these labels, or of a relationship of this type."""
        return key in self.keys or any(f"{owner}.{key}" in self.keys for owner in owners)

    def owners(self, key: str) -> tuple[str, ...]:
        """The labels and types of which the property is hidden by name, as `Owner.key`."""
        return tuple(name.removesuffix(f".{key}") for name in self.keys if name.endswith(f".{key}"))

    def hides_anywhere(self, key: str) -> bool:
        """Whether a property of this name is hidden of anything."""
        return key in self.keys or bool(self.owners(key))


NOTHING = Hidden()
