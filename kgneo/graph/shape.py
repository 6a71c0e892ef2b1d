"""The shape of a graph: which property names a node, and which labels are the graph's own.

A loaded graph has one shape, `LOADED`. Queries get it as the parameter `$display`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

LOADED_LABEL = "Entity"


@dataclass(frozen=True, slots=True)
class Shape:
    """`display` maps a label to the property that holds the name of its nodes."""

    display: Mapping[str, str] = field(default_factory=lambda: {LOADED_LABEL: "name"})


LOADED = Shape()


def own_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Labels that say something: without the one that every loaded entity has."""
    return tuple(label for label in labels if label != LOADED_LABEL)
