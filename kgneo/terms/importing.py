"""Importing: terms from files in which others keep such knowledge.

Comes in: a manifest of WrenAI's modelling language (JSON), a schema file of dbt (YAML) or a graph schema of
neo4j-graphrag (JSON or YAML), told apart by what they hold, and the schema of the graph. Goes out: descriptions and
readable names for the labels, relationship types and properties of the graph that are called as theirs are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgneo.english.names import name_words, singular
from kgneo.errors import DataError
from kgneo.folders import read_text
from kgneo.graph.schema import Label, Relation, Schema
from kgneo.terms.draft import Drafted

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says of a table, a label or a relationship type: a readable name, a description, and the same of its
    properties."""

    name: str
    called: str = ""
    description: str = ""
    properties: tuple[Told, ...] = ()
    relation: bool = False

    def record(self) -> dict[str, Any]:
        """As the file of terms has it."""
        own = {"name": self.called if _alike(self.called) != _alike(self.name) else "", "description": self.description}
        return {key: value for key, value in own.items() if value}


def told_by(file: Path) -> tuple[Told, ...]:
    """What a file says. Raises DataError for one of none of these kinds, or that cannot be read."""
    record = _read(file)
    if isinstance(record, Mapping) and isinstance(record.get("models"), list):
        models = [item for item in record["models"] if isinstance(item, Mapping) and item.get("name")]
        return tuple(map(_of_model, models))
    if isinstance(record, Mapping) and isinstance(record.get("node_types"), list):
        nodes = [_of_type(item, relation=False) for item in record["node_types"]]
        return (*nodes, *(_of_type(item, relation=True) for item in record.get("relationship_types") or ()))
    raise DataError(
        "this is no manifest of WrenAI (models), no schema file of dbt (models) and no graph schema of neo4j-graphrag "
        "(node_types).",
        file=str(file),
    )


def _read(file: Path) -> Any:
    text = read_text(file)
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text)
        except ValueError as error:
            raise DataError(f"this is not JSON: {error}", file=str(file)) from error
    import yaml  # for these files alone

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DataError(f"this is neither JSON nor YAML: {error}", file=str(file)) from error


def _of_model(item: Record) -> Told:
    """A model of WrenAI, whose descriptions are among its properties, or of dbt, whose are fields."""
    return Told(str(item["name"]), *_said(item), tuple(_of_column(each) for each in _columns(item)))


def _columns(item: Record) -> Iterator[Record]:
    yield from (each for each in item.get("columns") or () if isinstance(each, Mapping) and each.get("name"))


def _of_column(item: Record) -> Told:
    return Told(str(item["name"]), *_said(item))


def _said(item: Record) -> tuple[str, str]:
    """The readable name and the description."""
    places = [item, item.get("properties") or {}, item.get("meta") or {}, (item.get("config") or {}).get("meta") or {}]
    records = [place for place in places if isinstance(place, Mapping)]
    names = (place.get(key) for place in records for key in ("displayName", "display_name", "label"))
    texts = (place.get("description") for place in records)
    return _text(names), _text(texts)


def _text(values: Iterable[object]) -> str:
    return next((" ".join(value.split()) for value in values if isinstance(value, str) and value.strip()), "")


def _of_type(item: Any, *, relation: bool) -> Told:
    """A node type or relationship type of neo4j-graphrag; a bare text is its label."""
    if isinstance(item, str):
        return Told(item, relation=relation)
    keys = tuple(Told(str(each["name"]), "", _text([each.get("description")])) for each in item.get("properties") or ())
    return Told(str(item.get("label", "")), "", _text([item.get("description")]), keys, relation)


# For a graph ---------------------------------------------------------------------------------------------------------


def drafts_of(told: Iterable[Told], schema: Schema) -> Iterator[Drafted]:
    """What is told of the labels, relationship types and properties that the graph has."""
    labels = {_alike(item.name): item for item in schema.labels}
    types = {_alike(item.name): item for item in schema.relations}
    for item in told:
        owner: Label | Relation | None = (types if item.relation else labels).get(_alike(item.name))
        if owner is None:
            continue
        keys = {_alike(key.key): key.key for key in owner.properties}
        properties = {keys[_alike(each.name)]: record for each in item.properties
                      if _alike(each.name) in keys and (record := each.record())}  # fmt: skip
        record = item.record() | ({"properties": properties} if properties else {})
        if record:
            yield Drafted("relations" if item.relation else "labels", owner.name, record, {})


def _alike(name: str) -> str:
    """A name without what two tools write otherwise: capitals, underscores, the plural."""
    words = name_words(name) if name else ()
    return "".join((*words[:-1], *(singular(word) for word in words[-1:])))
