"""Property values as text that reads well, and a relationship's properties in words.

A list gives one text for each of its elements: each is an answer of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import neo4j.spatial
import neo4j.time

from kgneo.graph.shape import Shape
from kgneo.model import Triple

SHORTER = 4
"""How many digits less a number must have with 15 of them, to be meant to have that few."""
LONGEST_TEXT = 200
"""Characters up to which a text is a value; longer ones are prose, which no question has as its answer."""
PREPOSITIONS = frozenset(
    ("as", "at", "by", "for", "from", "in", "of", "on", "since", "through", "to", "under", "until", "via", "with")
)
ROLES = frozenset(("role", "roles"))


def texts(value: Any) -> tuple[str, ...]:
    """A property value as texts: one, or one for each element of a list; none for what has no text.

    Numbers stand without a trailing ".0", dates and times in ISO form, booleans as true and false, points as
    their coordinates. Texts longer than `LONGEST_TEXT`, bytes and vectors have none.
    """
    if isinstance(value, list):  # points and durations are tuples
        return tuple(text for item in value for text in texts(item))
    text = _text(value)
    return (text,) if text and len(text) <= LONGEST_TEXT else ()


def _decimal(value: float) -> str:
    """A number as people write it: 20 for 20.0, and 4.3 for what a calculation makes of 4.3."""
    text = f"{value:.15g}"
    exact = (value.is_integer() and abs(value) < 1e15) or len(text) + SHORTER < len(repr(value))
    return text if exact else repr(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return " ".join(value.split())
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, neo4j.spatial.Point):
        return _point(value)
    if isinstance(value, neo4j.time.Duration):
        return value.iso_format()
    if isinstance(value, neo4j.time.Date):
        return value.iso_format()
    if isinstance(value, neo4j.time.DateTime | neo4j.time.Time):
        return _trimmed(value.iso_format())
    return ""


def _trimmed(time: str) -> str:
    """Neo4j gives nine digits of a second; those that say nothing are left out."""
    head, dot, rest = time.partition(".")
    if not dot:
        return time
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    kept = digits.rstrip("0")
    return head + (f".{kept}" if kept else "") + rest[len(digits) :]


def _point(point: neo4j.spatial.Point) -> str:
    coordinates = [_text(float(part)) for part in point]
    if isinstance(point, neo4j.spatial.WGS84Point):
        names = ("longitude", "latitude", "height")
        return ", ".join(f"{name} {part}" for name, part in zip(names, coordinates, strict=False))
    return f"({', '.join(coordinates)})"


def detail(properties: Mapping[str, Any], keys: Iterable[str]) -> str:
    """A relationship's properties in words, those of `keys` in order: "as Neo since 1999, quantity 3"."""
    present = [(key, ", ".join(texts(properties.get(key)))) for key in sorted(keys, key=_order)]
    parts = [f"{word(key)} {text}" for key, text in present if text]
    return ", ".join(parts)


def _order(key: str) -> tuple[bool, str]:
    return key.lower() not in ROLES, key


def word(key: str) -> str:
    """A property's key as it stands before its value: "as" for a role, a preposition as it is."""
    lower = key.lower()
    if lower in ROLES:
        return "as"
    return lower if lower in PREPOSITIONS else key.replace("_", " ")


def triple_of(row: Mapping[str, Any], shape: Shape) -> Triple:
    """The triple of a relationship from a row with `subject`, `relation`, `object` and `details`: a list of keys
    and values, of which those count that `shape` uses for the type."""
    relation = row["relation"]
    keys = shape.details.get(relation, ())
    properties = {key: value for key, value in row["details"] if key in keys} if keys else {}
    return Triple(row["subject"], relation, row["object"], detail(properties, keys) if keys else "")


def property_triples(subject: str, key: str, value: Any) -> tuple[Triple, ...]:
    """The triples that a property value stands for: (subject, key, text)."""
    return tuple(Triple(subject, key, text) for text in texts(value))
