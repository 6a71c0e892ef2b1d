"""Draft: a first file of terms, made from the graph, each entry marked as a guess.

Comes in: a schema, and a language model where there is one. Goes out: entries for what the file does not have yet: a
name where the graph's is short or a code, values that look like codes, and, by the model, a description and other
words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tomlkit
from pydantic import ValidationError

from kgneo.english.names import called, is_code, name_words
from kgneo.english.short import long_name
from kgneo.errors import BudgetSpent, ModelError
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.graph.schema_text import few_values, prompt_text
from kgneo.graph.shape import Shape
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.terms.edit import table
from kgneo.terms.file import LabelTerms, PropertyTerms, RelationTerms, Terms

Owner = Label | Relation
WRITTEN = replace(TABLE_2, temperature=0.0, max_tokens=900)
LONGEST_CODE = 3
"""Characters of a value that may stand for something that people say otherwise."""
SCHEMA_TOKENS = 700
SAMPLES = 3


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a draft says of a label or a relationship type; `samples` are values of its properties by their key."""

    kind: str
    name: str
    record: Mapping[str, Any]
    samples: Mapping[str, Sequence[str]]


def drafts(
    schema: Schema,
    shape: Shape,
    calls: ModelCalls | None = None,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
    warn: Callable[[str], None] = lambda _: None,
) -> Iterator[Drafted]:
    """A draft of each label and relationship type that questions may speak of, the largest first. What the model says
    of one that cannot be used, or is not answered, is told by `warn`, and drafted without it."""
    labels = sorted((item for item in schema.labels if item.name not in shape.excluded), key=lambda item: -item.nodes)
    types = sorted((item for item in schema.relations if shape.uses(item.name)), key=lambda item: -item.relationships)
    owners: list[tuple[str, Owner]] = [("labels", item) for item in labels]
    owners += [("relations", item) for item in types]
    for done, (kind, owner) in enumerate(owners, start=1):
        record = _by_names(owner)
        if calls is not None:
            told = _by_model(schema, shape, owner, calls, warn)
            record = _joined(record, told, {item.key for item in owner.properties})
        yield Drafted(kind, owner.name, record, {item.key: item.examples[:SAMPLES] for item in owner.properties})
        on_progress(done, len(owners))


# From names and samples ----------------------------------------------------------------------------------------------


def _by_names(owner: Owner) -> dict[str, Any]:
    """What names and samples say: whole words for short forms, and values that may be codes."""
    properties = {item.key: found for item in owner.properties if (found := _of_property(item))}
    name = _whole(owner.name)
    return {**({"name": name} if name else {}), **({"properties": properties} if properties else {})}


def _of_property(item: Property) -> dict[str, Any]:
    name = _whole(item.key)
    codes = [value for value in few_values(item) if _may_be_code(value)]
    values: dict[str, list[str]] = {value: [] for value in codes} if len(codes) == len(few_values(item)) else {}
    return {**({"name": name} if name else {}), **({"values": values} if values else {})}


def _whole(name: str) -> str:
    """A name in whole words, where it is short; empty where it is not."""
    said = called(name)
    return long_name(said) or (said if said != name else "")


def _may_be_code(value: str) -> bool:
    """Whether a value may stand for something that people say otherwise: "A", "01", "RTL"."""
    return len(value) <= LONGEST_CODE or (value.isupper() and is_code(value))


# By a model ----------------------------------------------------------------------------------------------------------


def _by_model(
    schema: Schema, shape: Shape, owner: Owner, calls: ModelCalls, warn: Callable[[str], None]
) -> LabelTerms | RelationTerms | None:
    """What a language model says of a label or a type that it sees in the schema, with values."""
    kind = LabelTerms if isinstance(owner, Label) else RelationTerms
    text = prompt_text(schema, shape, tokens=SCHEMA_TOKENS, spoken=(owner.name,))
    told = "label" if kind is LabelTerms else "relationship type"
    try:
        reply = calls.complete("draft_terms", WRITTEN, schema=text, kind=told, owner=owner.name).text
        record = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
        return kind.model_validate(record)
    except (ValueError, ValidationError):
        warn(f"What the model said of {owner.name} was no entry, and is left out.")
    except BudgetSpent as error:
        warn(f"{owner.name} is drafted without the model: {error.message}")
    except ModelError as error:
        warn(f"The model did not answer about {owner.name}: {error.message}")
    return None


def _joined(record: dict[str, Any], told: LabelTerms | RelationTerms | None, keys: set[str]) -> dict[str, Any]:
    """What names say, and what the model says of names that the graph has."""
    if told is None:
        return record
    properties = dict(record.get("properties", {}))
    for key, item in told.properties.items():
        if key in keys:
            properties[key] = properties.get(key, {}) | _plain(item)
    return record | _plain(told) | ({"properties": properties} if properties else {})


def _plain(item: LabelTerms | RelationTerms | PropertyTerms) -> dict[str, Any]:
    """The fields that a model may say."""
    found: dict[str, Any] = {"name": item.name, "words": list(item.words), "description": item.description}
    if isinstance(item, PropertyTerms):
        found |= {"unit": item.unit, "values": {value: list(words) for value, words in item.values.items() if words}}
    return {key: value for key, value in found.items() if value}


# Into the file -------------------------------------------------------------------------------------------------------


def write_draft(document: tomlkit.TOMLDocument, drafted: Drafted, known: Terms) -> int:
    """Put a draft into the file, but for what is said there already; the number of entries that are new."""
    there = (known.labels if drafted.kind == "labels" else known.relations).get(drafted.name)
    new = 0
    own = {key: value for key, value in drafted.record.items() if key != "properties"}
    if there is None:
        at = table(document, drafted.kind, drafted.name)
        if not own:
            at.add(tomlkit.comment("What do people call it?" if _is_unreadable(drafted.name) else 'words = ["…"]'))
        new += _filled(at, own)
    for key, record in drafted.record.get("properties", {}).items():
        if there is None or key not in there.properties:
            at = table(document, drafted.kind, drafted.name, "properties", key)
            samples = "; ".join(drafted.samples.get(key, ()))
            if samples:
                at.add(tomlkit.comment(f"such as {' '.join(samples.split())}"))
            new += _filled(at, record)
    return new


def _is_unreadable(name: str) -> bool:
    return is_code(name) or all(any(map(str.isdigit, word)) or len(word) == 1 for word in name_words(name))


def _filled(at: Any, record: Mapping[str, Any]) -> int:
    for key, value in record.items():
        if key == "values":
            inner = tomlkit.table()
            for name, words in value.items():
                inner.add(name, words)
            continue
        at.add(key, value)
    if record:
        at.add("guess", True)
    if record.get("values"):
        at.add("values", inner)
    return int(bool(record))
