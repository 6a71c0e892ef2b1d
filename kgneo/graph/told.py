"""Told types of a graph: found where the type of relationships says only that something is joined.

Comes in: a schema as it was read. Goes out: the same with a relationship type for each name that such relationships
have in a property, `(:Entity)-[:RELATES_TO {name: "WORKS_AT"}]->(:Entity)`. Graphs that were made from texts are of
that kind, and all that is asked of them is asked by these names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

from kgneo.english.names import name_words
from kgneo.english.words import word_set
from kgneo.errors import GraphTimeout
from kgneo.graph.connection import Graph
from kgneo.graph.connections import Pair, kept, own_labels
from kgneo.graph.cypher import fill, query
from kgneo.graph.schema import Property, Relation, Schema
from kgneo.graph.shape import Shape
from kgneo.query.told import ToldType

JOINED = word_set(
    "association associated connected connection connects edge fact has is link linked links predicate rel related "
    "relates relation relationship rels statement to triple with"
)
"""Words of types that say only that something is joined."""
NAMING = (
    "name",
    "type",
    "relation",
    "relationship",
    "relation_type",
    "relationship_type",
    "predicate",
    "rel_type",
    "label",
)
"""Properties that tell a type, the likeliest first."""
LONGEST_NAME = 40
"""Characters that such names have at most, on average."""
TYPE_NAME = re.compile(r"[A-Z]{2,}(?:_[A-Z0-9]+)*")
REPEATED = 2
"""Relationships of each name, on average, from which on it is a type's that is not spelt like one: roads between towns
have names, too."""
NEARLY_ALL = 0.95
"""Share of the relationships that must have one."""
WALKED, MOST_NAMES, MOST_ROWS = 200_000, 300, 5_000
"""Relationships that are looked at; names, and names with what they join, that are kept."""
SECONDS = 20.0
"""How long that may take."""


def with_told(graph: Graph, schema: Schema, shape: Shape) -> Schema:
    """A schema with the types that properties tell, behind those that are stored; triples that kgneo loaded have
    their relations as types."""
    telling = [(relation, key) for relation in schema.relations if (key := telling_key(relation))]
    if not telling or graph.read(query("load_check")):
        return schema
    names = {relation.name for relation in schema.relations}
    found: dict[str, Relation] = {}
    for relation, key in telling:
        for told in _told(graph, relation, key, shape):
            if told.name not in names:
                found.setdefault(told.name, told)
    return replace(schema, relations=(*schema.relations, *found.values()))


def telling_key(relation: Relation) -> str:
    """The property that tells the types of relationships of a type; empty where the type tells them itself."""
    if not {*name_words(relation.name)} <= JOINED or relation.stands_in:
        return ""
    properties = {item.key: item for item in relation.properties}
    return next((key for key in NAMING if key in properties and _tells(properties[key])), "")


def _tells(item: Property) -> bool:
    """Whether the values of a property are names of types: spelt as such, or each of several relationships."""
    short = item.type == "STRING" and item.share >= NEARLY_ALL and item.length <= LONGEST_NAME
    spelt = all(TYPE_NAME.fullmatch(text) for text in item.examples)
    return short and item.different > 1 and (spelt or item.times >= REPEATED * item.different)


def told_types(schema: Schema) -> dict[str, ToldType]:
    """Where the types stand that are not stored as such."""
    return {item.name: ToldType(*item.stands_in) for item in schema.relations if item.stands_in}


def _told(graph: Graph, relation: Relation, key: str, shape: Shape) -> list[Relation]:
    """The types that a property tells, the most frequent first."""
    if shape.left_out.hides(key, (relation.name,)):
        return []
    try:
        rows = graph.read(
            fill("schema_told", relation=relation.name), key=key, walked=WALKED, most=MOST_ROWS, timeout=SECONDS
        )
    except GraphTimeout:
        return []
    pairs: dict[str, Counter[Pair]] = defaultdict(Counter)
    for row in rows:
        if row["told"].strip() and not {*row["subject"], *row["object"]} & {*shape.excluded}:
            pairs[row["told"]][own_labels(row["subject"]), own_labels(row["object"])] += row["found"]
    properties = tuple(item for item in relation.properties if item.key != key)
    ranked = sorted(pairs, key=lambda name: (-pairs[name].total(), name))[:MOST_NAMES]
    return [
        Relation(name, pairs[name].total(), properties, kept(pairs[name], exact=True), stands_in=(relation.name, key))
        for name in ranked
    ]
