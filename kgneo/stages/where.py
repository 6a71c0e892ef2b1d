"""Where: what says where things are, their own properties or those of what they are joined to.

Comes in: labels, and nodes. Goes out: the point of each node, the properties and relationships that say so, and the
nodes near a point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from neo4j.spatial import Point

from kgneo.context import Context
from kgneo.english.names import name_words
from kgneo.english.places import JOINED_BY
from kgneo.graph.cypher import fill, query
from kgneo.graph.schema import Label

MOST = 1_000
"""Nodes that are looked at."""
SECONDS = 10.0
"""Seconds that a search may take."""
LATITUDE, LONGITUDE = ("latitude", "lat"), ("longitude", "lon", "lng", "long")


@dataclass(frozen=True, slots=True)
class Joined:
    """What has the place of something: a node of `label`, which a relationship of type `relation` leads to (`forward`)
    or comes from."""

    relation: str
    forward: bool
    label: str


@dataclass(frozen=True, slots=True)
class Where:
    """The properties that say where the nodes of a label are: a point, or a latitude and a longitude; of what they are
    `joined` to, where that is said."""

    point: str | None = None
    latitude: str | None = None
    longitude: str | None = None
    joined: Joined | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Those that there are."""
        return tuple(key for key in (self.point, self.latitude, self.longitude) if key)

    def parameters(self) -> dict[str, Any]:
        """As queries take them."""
        return {"point": self.point, "latitude": self.latitude, "longitude": self.longitude}


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node is: the node that has the place (`at`), and the relationship (`way`) that leads there, where that is
    another one."""

    place: Point
    at: str
    way: str = ""


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a node is away, in metres, or in the units of coordinates that are on no globe; `at` and `way` as
    above."""

    metres: float
    at: str
    way: str = ""


@dataclass(frozen=True, slots=True)
class Near:
    """What is looked for: up to `most` metres from a point (None: however far), of the nodes `among` some (None: of
    all), and `without` some, so many."""

    here: Point
    most: float | None
    among: Sequence[str] | None
    without: Sequence[str]
    limit: int


def where_of_labels(context: Context, names: Iterable[str]) -> Where | None:
    """What says where the nodes with some labels are; None where nothing does."""
    labels = {label.name: label for label in context.knowledge.schema.labels}
    found = [labels[name] for name in names if name in labels]
    own = next((where for label in found if (where := _own(context, label))), None)
    return own or next((where for label in found if (where := _joined(context, label, labels))), None)


def _own(context: Context, label: Label) -> Where | None:
    """The properties of a label's nodes that say where these are."""
    hidden = context.shape.left_out
    shown = [item for item in label.properties if not hidden.hides(item.key, (label.name,))]
    for item in shown:
        if item.type.startswith("POINT"):
            return Where(item.key)
    latitude, longitude = (
        next((item.key for item in shown if name_words(item.key)[-1] in words), None) for words in (LATITUDE, LONGITUDE)
    )
    return Where(None, latitude, longitude) if latitude and longitude else None


def _joined(context: Context, label: Label, labels: Mapping[str, Label]) -> Where | None:
    """What has the place of a label's nodes: the only thing with a place that they are joined to, or the only one by a
    relationship that says so."""
    found: dict[Joined, Where] = {}
    for relation in context.knowledge.schema.relations:
        if relation.stands_in or not context.shape.speaks_of(relation.name):
            continue
        for item in relation.connections:
            for start, ends, forward in ((item.subject, item.object, True), (item.object, item.subject, False)):
                for end in ends if label.name in start else ():
                    where = _own(context, labels[end]) if end in labels else None
                    found |= {Joined(relation.name, forward, end): where} if where else {}
    said = {
        item: where
        for item, where in found.items()
        if JOINED_BY & {*name_words(context.shape.names.get(item.relation, item.relation)), *name_words(item.label)}
    }
    only = found if len(found) == 1 else said
    return next((replace(where, joined=item) for item, where in only.items()), None) if len(only) == 1 else None


def positions(context: Context, where: Where, ids: Sequence[str]) -> dict[str, Position]:
    """Where nodes are, by their ids; those without a place, or with several, are left out. Raises GraphTimeout."""
    excluded = list(context.shape.excluded)
    ways = _ways(context, where.joined, ids) if where.joined else []
    at = [row["there"] for row in ways] if where.joined else list(ids)
    rows = context.graph.read(query("places_of"), ids=at, excluded=excluded, **where.parameters(), timeout=SECONDS)
    places = {row["id"]: row["place"] for row in rows if row["place"] is not None}
    if where.joined is None:
        return {id_: Position(place, id_) for id_, place in places.items()}
    found: dict[str, list[Position]] = {}
    for row in ways:
        if row["there"] in places:
            found.setdefault(row["id"], []).append(Position(places[row["there"]], row["there"], row["way"]))
    return {id_: several[0] for id_, several in found.items() if len({str(item.place) for item in several}) == 1}


def near(context: Context, where: Where, label: str, wanted: Near) -> list[tuple[str, Distance]]:
    """The nodes of a label with how far they are from a point in metres, the nearest first. Raises GraphTimeout."""
    joined = where.joined
    rows = context.graph.read(
        fill("places_near", label=joined.label if joined else label),
        ids=[] if joined else list(wanted.without),
        excluded=list(context.shape.excluded),
        among=None if joined or wanted.among is None else list(wanted.among),
        here=wanted.here,
        most=wanted.most,
        limit=MOST if joined else wanted.limit,
        timeout=SECONDS,
        **where.parameters(),
    )
    if joined is None:
        return [(row["id"], Distance(row["distance"], row["id"])) for row in rows]
    distances = {row["id"]: row["distance"] for row in rows}
    back = replace(joined, forward=not joined.forward)
    found: dict[str, Distance] = {}
    ways = _ways(context, back, list(distances), wanted.among)
    ways = [row for row in ways if row["there"] not in wanted.without]
    for row in sorted(ways, key=lambda row: distances[row["id"]]):
        found.setdefault(row["there"], Distance(distances[row["id"]], row["id"], row["way"]))
    return list(found.items())[: wanted.limit]


def _ways(
    context: Context, joined: Joined, ids: Sequence[str], there: Sequence[str] | None = None
) -> Sequence[Mapping[str, Any]]:
    """The relationships from nodes to what they are joined to."""
    return context.graph.read(
        fill("joined_to", type=joined.relation),
        ids=list(ids),
        forward=joined.forward,
        there=there,
        excluded=list(context.shape.excluded),
        timeout=SECONDS,
    )
