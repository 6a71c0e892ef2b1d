"""Layouts: graphs that others' tools make from documents, and what in them is a name, a fact, or plumbing.

Comes in: a schema. Goes out: the layout that it has the marks of, if any. What a layout says holds where the user says
nothing else (`--display`, `--include`, terms). A layout is data: another tool's is one more entry of `LAYOUTS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kgneo.graph.schema import Label, Relation, Schema


@dataclass(frozen=True, slots=True)
class Marks:
    """What a graph has that a tool made: labels and relationship types with the properties that these have, where
    `keys` names some; "*" stands for any name."""

    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a tool stores what it finds in documents.

    `umbrellas` are labels of nearly all nodes, which say nothing of what these are. `display` are properties that name
    the nodes of any label that has one, the first of them that it has. `plumbing` are properties that only the tool
    needs. `names` says what labels and relationship types are called. `facts` maps a relationship type to the property
    in which a sentence says what it means. `supersedes`: what no longer holds stays there, with the date of its end.
    `kind_key` is the property of nodes that says what kind of thing each is.
    """

    name: str
    marks: Marks
    umbrellas: tuple[str, ...] = ()
    display: tuple[str, ...] = ("name",)
    plumbing: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    supersedes: bool = False
    kind_key: str = ""


LAYOUTS = (
    Layout(
        "neo4j-graphrag",
        Marks({"__KGBuilder__": (), "Chunk": ("text",)}, {"FROM_CHUNK": ()}),
        umbrellas=("__KGBuilder__", "__Entity__"),
        display=("name", "source", "path"),
        plumbing=("createdAt", "document_type", "index", "embedding", "__tmp_internal_id"),
        names={"FROM_CHUNK": "mentioned in", "FROM_DOCUMENT": "part of"},
    ),
    Layout(
        "llm-graph-builder",
        Marks({"__Entity__": ("id",), "Chunk": ("text",), "Document": ("fileName",)}, {"HAS_ENTITY": ()}),
        umbrellas=("__Entity__",),
        display=("title", "fileName", "name", "id"),
        plumbing=(
            *(
                "awsAccessKeyId",
                "communityRankCalculated",
                "community_rank",
                "content_offset",
                "createdAt",
                "embedding",
            ),
            *("errorMessage", "fileSize", "fileSource", "fileType", "is_cancelled", "length", "level", "model"),
            *("nodeCount", "position", "processed_chunk", "processingTime", "relationshipCount", "retry_condition"),
            *("status", "total_chunks", "updatedAt", "url", "weight"),
        ),
        names={"HAS_ENTITY": "mentions", "__Community__": "community", "id": "name"},
    ),
    Layout(
        "LightRAG",
        Marks({"*": ("entity_id", "entity_type")}, {"DIRECTED": ("description", "keywords")}),
        display=("entity_id",),
        plumbing=("created_at", "description", "file_path", "keywords", "source_id", "truncate", "weight"),
        names={"DIRECTED": "related to", "entity_type": "type", "base": "entity"},
        facts={"DIRECTED": "description"},
        kind_key="entity_type",
    ),
    Layout(
        "graphiti",
        Marks({"Entity": ("uuid", "name"), "Episodic": ("content",)}, {"RELATES_TO": ("fact", "name")}),
        display=("name",),
        plumbing=(
            *("created_at", "entity_edges", "episodes", "expired_at", "fact", "group_id", "labels", "name_embedding"),
            *("fact_embedding", "reference_time", "source", "source_description", "source_node_uuid", "summary"),
            *("target_node_uuid", "uuid"),
        ),
        names={"RELATES_TO": "related to", "Episodic": "episode", "valid_at": "since", "invalid_at": "until"},
        facts={"RELATES_TO": "fact"},
        umbrellas=("Entity",),
        supersedes=True,
    ),
)


def layout_of(schema: Schema) -> Layout | None:
    """The layout that a schema has all marks of; None for a graph that was not made so."""
    return next((layout for layout in LAYOUTS if _has(schema, layout.marks)), None)


def _has(schema: Schema, marks: Marks) -> bool:
    return _all_there(schema.labels, marks.labels) and _all_there(schema.relations, marks.relations)


def _all_there(owners: Iterable[Label | Relation], marks: Mapping[str, tuple[str, ...]]) -> bool:
    there = [(owner.name, {item.key for item in owner.properties}) for owner in owners]
    return all(any(mark in ("*", name) and keys >= {*wanted} for name, keys in there) for mark, wanted in marks.items())


def umbrellas_of(labels: Sequence[str], schema: Schema) -> tuple[str, ...]:
    """Those of some labels that say nothing in this graph: every node that has one has another label, too."""
    ends = [
        end for relation in schema.relations for item in relation.connections for end in (item.subject, item.object)
    ]
    return tuple(
        label
        for label in labels
        if any(label in end for end in ends) and all({*end} - {*labels} for end in ends if label in end)
    )


def named_by(layout: Layout, label: Label) -> str:
    """The property that names the nodes of a label; empty where the layout has none for it."""
    keys = {item.key for item in label.properties}
    return next((key for key in layout.display if key in keys), "")
