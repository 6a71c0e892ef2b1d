"""Decouple: a question into sub-queries of one hop each, every one with the entities that it is about (RefKG 3.1).

The model names entities of the question, or earlier sub-queries by number where one asks about their answers. What it
names is checked: an entity that the question does not have, or a later number, is left out; entities that no sub-query
has go to the first. What cannot be read leaves the question whole, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.errors import ContextOverflow
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.text import fold

PARAMETERS = replace(TABLE_2, temperature=0.0)
LIMIT = 6
"""Sub-queries that are kept."""

_ITEM = re.compile(r"^\s*\(?(\d{1,2})\s*[.):]\s*(?P<text>[^|]*\w[^|]*?)\s*(?:\|\s*(?P<about>.*))?$")
_NUMBER = re.compile(r"\(\s*(\d{1,2})\s*\)")


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One hop: its text, the names of the question's entities that it is about, and the numbers (0-based) of earlier
    sub-queries whose answers it is about."""

    text: str
    entities: tuple[str, ...] = ()
    earlier: tuple[int, ...] = ()


def decouple(question: str, entities: Sequence[str], calls: ModelCalls) -> tuple[SubQuery, ...]:
    """The sub-queries of `question`, at least one. Raises ModelError."""
    listed = "; ".join(map(one_line, entities))
    try:
        reply = calls.complete("decouple", PARAMETERS, question=one_line(question), entities=listed).text
    except ContextOverflow as error:
        calls.warn(f"The question was not decoupled: {error.message}.")
        return (SubQuery(question, tuple(entities)),)
    found = read_sub_queries(reply, entities)
    if not found:
        calls.warn("The question was not decoupled: the model's reply could not be read as sub-queries.")
        return (SubQuery(question, tuple(entities)),)
    return found


def read_sub_queries(reply: str, entities: Sequence[str]) -> tuple[SubQuery, ...]:
    """The sub-queries that a reply lists, checked against the question's `entities`; none where there is no list."""
    items = [match for line in reply.splitlines() if (match := _ITEM.match(line))][:LIMIT]
    known = {fold(name): name for name in entities}
    found: list[SubQuery] = []
    for number, item in enumerate(items):
        about = item["about"] or ""
        earlier = tuple(dict.fromkeys(int(found) - 1 for found in _NUMBER.findall(about) if 1 <= int(found) <= number))
        names = [known.get(fold(name.strip(" \"'[]"))) for name in about.split(";")]
        named = tuple(dict.fromkeys(name for name in names if name is not None))
        if not (named or earlier):
            named = tuple(name for name in entities if fold(name) in fold(item["text"]))
            earlier = (number - 1,) if number and not named else ()
        found.append(SubQuery(item["text"].strip(), named, earlier))
    if found:
        left = [name for name in entities if not any(name in query.entities for query in found)]
        found[0] = replace(found[0], entities=(*found[0].entities, *left))
    return tuple(found)
