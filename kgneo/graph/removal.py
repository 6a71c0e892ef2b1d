"""Taking everything away that kgneo wrote into a graph: properties, nodes, indexes, constraints, files.

What loading made stays: in a graph that kgneo loaded, entities keep the digests by which they are found. Everything
else goes, in batches, indexes first; the record of the index goes before the embeddings, so that a graph on which this
was interrupted counts as not indexed, and running it again goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

from kgneo.graph.attach import is_loaded
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query

LOADED_KEYS = ("kgneo_key", "kgneo_folded")
LOADED_NAMES = "kgneo_entity"
"""Indexes and constraints whose names begin so belong to loading."""


@dataclass(frozen=True, slots=True)
class Removed:
    """What was removed: names of indexes and constraints, property keys, and whether there were files."""

    indexes: tuple[str, ...]
    keys: tuple[str, ...]
    files: bool


def remove(graph: Graph) -> Removed:
    """Remove kgneo's traces; where the graph may not be written to, those on this machine."""
    files = LocalCache(graph).remove()
    if graph.refuses_writes():
        return Removed((), (), files)
    loaded = is_loaded(graph)
    constraints = [row["name"] for row in graph.read(query("own_constraints"))]
    constraints = [name for name in constraints if not (loaded and name.startswith(LOADED_NAMES))]
    for name in constraints:
        graph.schema(fill("constraint_drop", name=name))
    indexes = [row["name"] for row in graph.read(query("index_own"))]
    indexes = [name for name in indexes if not (loaded and name.startswith(LOADED_NAMES))]
    for name in indexes:
        graph.schema(fill("index_drop", name=name))
    graph.schema(query("remove_nodes"))
    keys = [row["key"] for row in graph.read(query("own_keys")) if not (loaded and row["key"] in LOADED_KEYS)]
    nothing = dict.fromkeys(keys)
    graph.schema(query("remove_from_relationships"), keys=keys, nothing=nothing)
    graph.schema(query("remove_from_nodes"), keys=keys, nothing=nothing)
    return Removed((*constraints, *indexes), tuple(keys), files)
