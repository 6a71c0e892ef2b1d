"""The file of terms, `kgneo.terms.toml`: what it may say, and how it is read.

Comes in: TOML. Goes out: `Terms`, frozen, or a DataError that names the place, what was found and what was expected.
The parts are pydantic models, of which `json_schema` is the JSON schema that editors complete the file by.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator

from kgneo.errors import DataError
from kgneo.options_file import read_toml
from kgneo.query.from_cypher import from_cypher
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json
from kgneo.terms import FILE
from kgneo.text import plain_question

HINT = "See docs/terms.md."


def _listed(value: object) -> object:
    """One word stands for a list of one."""
    return [value] if isinstance(value, str) else value


Words = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_listed)]


def is_for_dates(form: str) -> bool:
    """Whether a format is for dates: "%d %B %Y", but not the ".0%" of shares."""
    return "%" in form.rstrip("%")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Named(_Part):
    """What labels, relationship types and properties have in common."""

    name: str = Field("", description="What people call it, where the graph's own name says little: customer.")
    words: Words = Field((), description="Other words for it: client, buyer.")
    description: str = Field("", description="What it is, in a sentence; models and people read it.")
    hidden: bool = Field(False, description="Nobody who asks is shown it.")
    guess: bool = Field(False, description="A draft wrote this, and nobody has looked at it yet.")


class PropertyTerms(_Named):
    """A property of the nodes of a label, or of the relationships of a type."""

    unit: str = Field("", description="The unit in which its numbers are given: km, USD.")
    format: str = Field("", description="How its numbers or dates are written: ,.2f, or %d %B %Y.")
    values: dict[str, Words] = Field(
        default_factory=dict, description="Words for values, by the value as the graph has it: A = active, current."
    )

    @field_validator("format")
    @classmethod
    def _can_be_used(cls, form: str) -> str:
        if not is_for_dates(form):
            format(1.5, form)  # its own error says what is wrong
        return form


class LabelTerms(_Named):
    """The nodes of a label."""

    display: Words = Field((), description="The property that names a node, or several of them together.")
    properties: dict[str, PropertyTerms] = Field(default_factory=dict, description="Its properties by their key.")


class RelationTerms(_Named):
    """The relationships of a type."""

    symmetric: bool = Field(False, description="It means the same both ways: married to.")
    hierarchy: Literal["up", "down", "none", ""] = Field(
        "", description="Where it leads, step by step: up (is a part of, reports to), down (contains), or to no level."
    )
    properties: dict[str, PropertyTerms] = Field(default_factory=dict, description="Its properties by their key.")


class _Meant(_Part):
    """Something that stands for a query graph."""

    cypher: str = Field("", description="A simple Cypher query that says the same.")
    query_graph: str = Field("", description="The query graph as JSON, where Cypher is not given.")

    @model_validator(mode="after")
    def _says_one(self) -> _Meant:
        if bool(self.cypher) == bool(self.query_graph):
            raise ValueError("expected either cypher or query_graph")
        self.graph  # noqa: B018 - it is read here, so that a wrong one is told with its place
        return self

    @cached_property
    def graph(self) -> QueryGraph:
        """The query graph."""
        try:
            return from_cypher(self.cypher) if self.cypher else from_json(json.loads(self.query_graph))
        except DataError as error:
            raise ValueError(error.message) from error


class Term(_Meant):
    """A word with a meaning of its own: an "active customer" is a node that a query graph finds, "revenue" a sum."""

    words: Words = Field((), description="Other words for it.")
    description: str = Field("", description="What it is, in a sentence.")


class VerifiedQuestion(_Meant):
    """A question whose query graph somebody has looked at."""

    question: str = Field(min_length=1, description="The question, word for word.")
    by: str = Field("", description="Who verified it.")
    on: date | None = Field(None, description="When.")

    @cached_property
    def plain(self) -> str:
        """The question without what may differ where it is the same word for word."""
        return plain_question(self.question)


class Terms(_Part):
    """All of the file."""

    labels: dict[str, LabelTerms] = Field(default_factory=dict, description="Labels by their name.")
    relations: dict[str, RelationTerms] = Field(default_factory=dict, description="Relationship types by their name.")
    terms: dict[str, Term] = Field(default_factory=dict, description="Words with a meaning of their own.")
    questions: tuple[VerifiedQuestion, ...] = Field((), description="Questions that somebody verified.")

    def owners(self) -> Iterator[tuple[str, LabelTerms | RelationTerms]]:
        """Labels and relationship types by their name."""
        yield from self.labels.items()
        yield from self.relations.items()

    @property
    def hidden(self) -> tuple[str, ...]:
        """What is shown to nobody: names, and properties as `Owner.key`."""
        names = [owner for owner, item in self.owners() if item.hidden]
        keys = [
            f"{owner}.{key}" for owner, item in self.owners() for key, each in item.properties.items() if each.hidden
        ]
        return tuple(dict.fromkeys([*names, *keys]))


def read_terms(file: Path) -> Terms:
    """The terms of a file. Raises DataError for one that cannot be read, or says what no such file can."""
    return terms_of(read_toml(file, hint=HINT), str(file))


def terms_of(record: Mapping[str, Any], file: str = FILE) -> Terms:
    """The terms that plain values say. Raises DataError."""
    try:
        return Terms.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        more = error.error_count() - 1
        told = f"{place}: {_problem(first)}" + (f" ({more} more like this)" if more else "")
        raise DataError(told, file=file, hint=_meant(first["loc"]) or HINT) from None


def _problem(error: Mapping[str, Any]) -> str:
    """What pydantic found, as a clause; what it found it in is not told, since it may be long."""
    if error["type"] == "extra_forbidden":
        return "there is no such field"
    text = str(error["msg"]).removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _meant(place: tuple[int | str, ...]) -> str:
    """A hint with the field that a wrong one is like."""
    parts: tuple[type[BaseModel], ...] = (Terms, LabelTerms, RelationTerms, PropertyTerms, Term, VerifiedQuestion)
    fields = sorted({name for part in parts for name in part.model_fields})
    found = get_close_matches(str(place[-1]), fields, n=1) if place else []
    return f"Did you mean {found[0]!r}?" if found and found[0] != place[-1] else ""


def json_schema() -> dict[str, Any]:
    """The JSON schema of the file, for editors."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Terms.model_json_schema(), "title": FILE}
