"""Property graphs as JSON lines: one node or relationship a line, as `apoc.export.json` writes them.

    {"type": "node", "id": "0", "labels": ["Person"], "properties": {"name": "Ada"}}
    {"type": "relationship", "label": "KNOWS", "start": {"id": "0"}, "end": {"id": "1"}, "properties": {}}

Values have JSON's types; an object with coordinates is a point, null is no value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from kgneo.loader import (
    BadLine,
    Head,
    LoadedNode,
    LoadedRelationship,
    LoadOptions,
    NodeKey,
    OnBadLine,
    Source,
    text_lines,
)

from .csv_values import point

__all__ = ["GraphJsonlLoader"]

TYPES = ("node", "relationship")
Item = TypeVar("Item", LoadedNode, LoadedRelationship)


class GraphJsonlLoader:
    """Reads one JSON object a line, told apart by its `type`."""

    name = "graph-jsonl"
    aliases = ("graph-json", "apoc")

    def recognises(self, head: Head) -> float:
        """0.97 where the first line is an object of type node or relationship."""
        try:
            first = json.loads(head.lines[0]) if head.lines else None
        except (ValueError, RecursionError):
            return 0.0
        return 0.97 if isinstance(first, dict) and first.get("type") in TYPES else 0.0

    def takes(self, sources: Sequence[Source]) -> tuple[Source, ...]:
        """The files whose first line says what it is."""
        return tuple(source for source in sources if self.recognises(source.head))

    def read_nodes(
        self,
        sources: Sequence[Source],
        *,
        options: LoadOptions,  # noqa: ARG002
        on_bad_line: OnBadLine,
    ) -> Iterator[LoadedNode]:
        """The lines of type node. Lines that are neither are reported here."""
        return _read(sources, "node", _node, on_bad_line)

    def read_relationships(
        self,
        sources: Sequence[Source],
        *,
        options: LoadOptions,  # noqa: ARG002
        on_bad_line: OnBadLine,
    ) -> Iterator[LoadedRelationship]:
        """The lines of type relationship."""
        return _read(sources, "relationship", _relationship, on_bad_line)


def _read(
    sources: Sequence[Source], wanted: str, make: Callable[[Mapping[str, Any], int, str], Item], on_bad_line: OnBadLine
) -> Iterator[Item]:
    """Both kinds may come in any order, so that each is read in a pass of its own; lines that are of neither kind, or
    no JSON, are reported in the first."""
    for source in sources:
        report = _reporter(source.name, on_bad_line) if wanted == TYPES[0] else _pass_over
        for number, line in text_lines(source, report):
            if not line.strip():
                continue
            try:
                record = _record(line)
            except ValueError as error:
                report(BadLine(number, str(error), line))
                continue
            if record["type"] != wanted:
                continue
            try:
                item = make(record, number, source.name)
            except ValueError as error:
                on_bad_line(BadLine(number, str(error), line, file=source.name))
                continue
            yield item


def _reporter(file: str, on_bad_line: OnBadLine) -> OnBadLine:
    return lambda bad: on_bad_line(replace(bad, file=file))


def _pass_over(bad: BadLine) -> None:
    """A line that was reported when the nodes were read."""


def _record(line: str) -> Mapping[str, Any]:
    try:
        record = json.loads(line)
    except RecursionError as error:
        raise ValueError("the JSON is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(record, dict) or record.get("type") not in TYPES:
        raise ValueError('found no object of type "node" or "relationship"')
    return record


def _node(record: Mapping[str, Any], line: int, file: str) -> LoadedNode:
    labels = record.get("labels") or []
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        raise ValueError(f"the labels are {labels!r}, expected a list of texts")
    return LoadedNode(_key(record, "the node"), tuple(dict.fromkeys(labels)), _properties(record), line, file)


def _relationship(record: Mapping[str, Any], line: int, file: str) -> LoadedRelationship:
    relation = record.get("label")
    if not isinstance(relation, str):
        raise ValueError(f"the label is {relation!r}, expected the relationship's type")
    start, end = (_key(record.get(role), f"the {role}") for role in ("start", "end"))
    return LoadedRelationship(start, relation, end, _properties(record), line, file)


def _key(record: Any, what: str) -> NodeKey:
    found = record.get("id") if isinstance(record, dict) else None
    if isinstance(found, bool) or not isinstance(found, str | int) or found == "":
        raise ValueError(f"{what} has no id (found {found!r})")
    return NodeKey(str(found))


def _properties(record: Mapping[str, Any]) -> dict[str, Any]:
    properties = record.get("properties") or {}
    if not isinstance(properties, dict):
        raise ValueError(f"the properties are {properties!r}, expected an object")
    return {key: _value(key, value) for key, value in properties.items() if value is not None}


def _value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        try:
            return point(value)
        except (TypeError, ValueError, KeyError) as error:
            message = f"the property {key!r} is an object, expected a value, or a point with its coordinates"
            raise ValueError(message) from error
    if isinstance(value, list):
        items = [_value(key, item) for item in value]
        numbers = {type(item) for item in items} == {int, float}  # JSON writes 1.0 as 1
        return [float(item) for item in items] if numbers else items
    return value
