"""Places: how far things are from one another, as the crow flies.

Comes in: a question. Goes out: what was computed, where one of the constructions of `kgneo.english.places` is the whole
question, and what it names has a place: a point, or a latitude and a longitude; else None, and the question is for
other stages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neo4j.spatial import Point, WGS84Point

from kgneo.context import Context
from kgneo.english.names import name_words, singular
from kgneo.english.places import CUES, LIKELY, SAID_WITH, Asks, metres
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.cypher import fill, query
from kgneo.graph.schema import Label
from kgneo.graph.values import property_triples
from kgneo.model import AnswerNode, Evidence, Table
from kgneo.query.graph import Value
from kgneo.stages.computed import Computed, Kind, kind_of, numbers_apart
from kgneo.stages.connect import Named, names_in
from kgneo.stages.interpret import interpret, run_query
from kgneo.stages.link import unbracket
from kgneo.text import listed

TOP, MOST = 10, 1_000
"""How many are answered where several are asked for, and at most."""
SECONDS = 10.0
"""Seconds that the search may take."""
WORD = re.compile(r"[^\W_]+")
LATITUDE, LONGITUDE = ("latitude", "lat"), ("longitude", "lon", "lng", "long")
KILOMETRE = 1_000.0
LEFT = re.compile(r"\b(?:that|which|who)?\s*\b(?:is|are|lies?|located|situated)?\s*$", re.IGNORECASE)
"""What is left before a place when that is cut off: "hotels with 5 stars THAT ARE"."""


@dataclass(frozen=True, slots=True)
class Where:
    """The properties that say where the nodes of a label are: a point, or a latitude and a longitude."""

    point: str | None = None
    latitude: str | None = None
    longitude: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """Those that there are."""
        return tuple(key for key in (self.point, self.latitude, self.longitude) if key)

    def parameters(self) -> dict[str, Any]:
        """As queries take them."""
        return {"point": self.point, "latitude": self.latitude, "longitude": self.longitude}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of one place: things of a kind, within so many metres (None: however far), and how many; where the
    question says more of them, the nodes `among` which they are."""

    given: Named
    kind: Kind
    within: float | None
    number: int
    counts: bool
    told: str
    among: tuple[str, ...] | None = None


def places(context: Context, question: str) -> Computed | None:
    """What a question asks of distances; None where it asks for something else. Raises GraphTimeout."""
    plain = unbracket(question)[0]
    if context.shape.loaded or not LIKELY.search(plain):  # triples are no coordinates
        return None
    if not any(where_of(context, label) for label in context.knowledge.schema.labels):
        return None
    try:
        names = [item for item in names_in(context, question) if _where(context, item[0])]
    except EntityNotFound:
        return None
    masked = plain
    for letter, (_, start, end) in reversed(list(zip("XY", names, strict=False))):
        masked = f"{masked[:start]}{letter}{masked[end:]}"
    for cue in CUES:
        said = cue.expression.search(masked)
        if said and cue.asks == "distance" and len(names) == 2:
            return _distance(context, names[0][0], names[1][0], said.groupdict().get("unit") or "km")
        if said and cue.asks != "distance" and len(names) == 1:
            asked = _asked(context, masked, said, cue.asks, names[0][0])
            return _found(context, asked) if asked else None
    return None


def where_of(context: Context, label: Label) -> Where | None:
    """What says where the nodes of a label are; None where nothing does, or it is hidden."""
    hidden = context.shape.left_out
    shown = [item for item in label.properties if not hidden.hides(item.key, (label.name,))]
    for item in shown:
        if item.type.startswith("POINT"):
            return Where(item.key)
    found = [
        next((item.key for item in shown if name_words(item.key)[-1] in words), None) for words in (LATITUDE, LONGITUDE)
    ]
    return Where(None, *found) if all(found) else None


def _where(context: Context, named: Named) -> Where | None:
    return _where_of_labels(context, named.entities[0].labels)


def _asked(context: Context, masked: str, said: re.Match[str], asks: Asks, given: Named) -> _Asked | None:
    """What is asked, where the graph explains each of the other words."""
    rest = f"{masked[: said.start()]} {masked[said.end() :]}"
    spoken = [word for word in WORD.findall(rest.lower()) if word not in FUNCTION_WORDS | SAID_WITH]
    numbers, words = numbers_apart(spoken)
    kinds = [kind_of(context, word) for word in words]
    if len(kinds) != 1 or len(numbers) > 1 or kinds[0] is None or not kinds[0].label:
        return _further(context, rest, said, given)
    counts = bool(re.search(r"\bhow many\b|\bnumber of\b", masked, re.IGNORECASE))
    if asks == "within":
        within, number = metres(said["number"], said["unit"]), MOST
        told = f"{words[0]} within {said['number']} {said['unit']} of {given.text}"
    else:
        several = singular(words[0]) != words[0]
        within, number = None, numbers[0] if numbers else TOP if several else 1
        told = f"{words[0]} nearest to {given.text}"
    return _Asked(given, kinds[0], within, number, counts, f"{told}, as the crow flies")


def _further(context: Context, rest: str, said: re.Match[str], given: Named) -> _Asked | None:
    """The same where the question says more of the things: what the rest of it finds, as far as all of it is read."""
    text = LEFT.sub("", rest).strip(" ?.!,")
    try:
        read = interpret(context, text)
    except EntityNotFound:
        return None
    if not read or not read[0].complete:
        return None
    best = read[0]
    graph = best.meant or best.graph
    if not isinstance(graph.answer, Value) or graph.answer.key or graph.selections:
        return None
    nodes = run_query(context, best.graph, limit=MOST, whole=False).nodes
    labels = graph.variable(graph.root).labels
    within = metres(said["number"], said["unit"]) if "number" in said.groupdict() else None
    near = f"within {said['number']} {said['unit']} of" if within is not None else "nearest to"
    return _Asked(
        given,
        Kind(best.wording, labels[0] if labels else ""),
        within,
        MOST if within is not None else TOP,
        False,
        f"{best.wording}, {near} {given.text}, as the crow flies",
        tuple(node.id for node in nodes),
    )


def _points(context: Context, named: Named) -> dict[str, Point]:
    """Where the nodes of a name are, by their ids."""
    where = _where(context, named)
    assert where is not None, named
    excluded = list(context.shape.excluded)
    rows = context.graph.read(query("places_of"), ids=list(named.ids), excluded=excluded, **where.parameters())
    return {row["id"]: row["place"] for row in rows if row["place"] is not None}


def _distance(context: Context, one: Named, other: Named, unit: str) -> Computed | None:
    """How far two things are apart."""
    here, there = _points(context, one), _points(context, other)
    if len(here) != 1 or len(there) != 1:
        return None
    [(start, first)], [(end, second)] = here.items(), there.items()
    found = context.graph.read(
        "RETURN point.distance($here, $there) AS distance", here=first, there=second, timeout=SECONDS
    )
    if found[0]["distance"] is None:  # of two systems of coordinates
        return None
    text = _told(found[0]["distance"], first, unit)
    evidence = _evidence(context, {start: one, end: other})
    wording = f"distance between {one.text} and {other.text}, as the crow flies"
    return Computed(wording, text, answers=(text,), evidence=evidence, topics=(one.topic, other.topic))


def _found(context: Context, asked: _Asked) -> Computed | None:
    where = _where_of_labels(context, [asked.kind.label])
    here = _points(context, asked.given)
    if where is None or len(here) != 1:
        return None
    [point] = here.values()
    rows = context.graph.read(
        fill("places_near", label=asked.kind.label),
        ids=list(asked.given.ids),
        excluded=list(context.shape.excluded),
        among=None if asked.among is None else list(asked.among),
        here=point,
        most=asked.within,
        limit=asked.number,
        timeout=SECONDS,
        **where.parameters(),
    )
    nodes = {node.id: node for node in asked.kind.among(context, [row["id"] for row in rows])}
    return _answered(context, asked, point, [(nodes[row["id"]], row["distance"]) for row in rows if row["id"] in nodes])


def _answered(context: Context, asked: _Asked, here: Point, found: Sequence[tuple[AnswerNode, float]]) -> Computed:
    names = tuple(node.names[0] for node, _ in found)
    answers = (str(len(names)),) if asked.counts else names
    column = "km" if isinstance(here, WGS84Point) else "distance"
    rows = tuple((node.names[0], _rounded(distance, here)) for node, distance in found)
    named = {node.id: None for node, _ in found[:TOP]}
    cut = (f"There may be more: {MOST:,} are looked at.",) if len(found) == MOST else ()
    return Computed(
        asked.told,
        f"{answers[0]} ({listed(names)})" if asked.counts and names else listed(answers) or "none",
        () if asked.counts else tuple(node for node, _ in found),
        answers,
        Table(("name", column), rows) if rows and not asked.counts else None,
        _evidence(context, {**dict.fromkeys(asked.given.ids, asked.given), **named}),
        (asked.given.topic,),
        warnings=cut,
    )


def _told(distance: float, here: Point, unit: str) -> str:
    """A distance in words: "12.4 km"; in the units of the coordinates, where these are on no globe."""
    if not isinstance(here, WGS84Point):
        return f"{distance:g}"
    return f"{_short(distance / metres('1', unit))} {unit}"


def _rounded(distance: float, here: Point) -> float:
    return float(_short(distance / KILOMETRE if isinstance(here, WGS84Point) else distance))


def _short(number: float) -> str:
    return f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def _evidence(context: Context, named: Mapping[str, Named | None]) -> tuple[Evidence, ...]:
    """The properties that say where some nodes are."""
    shape = context.shape
    rows = {row["id"]: row for row in context.graph.read(query("nodes_by_ids"), ids=list(named))}
    found: list[Evidence] = []
    for node in Kind().among(context, list(named)):
        labels, properties = rows[node.id]["labels"], dict(rows[node.id]["properties"])
        where = _where_of_labels(context, labels)
        shown = shape.visible(labels, properties)
        for key in where.keys if where else ():
            found += [Evidence(triple, 1) for triple in property_triples(node.names[0], key, shown.get(key))]
    return tuple(found)


def _where_of_labels(context: Context, names: Sequence[str]) -> Where | None:
    labels = {label.name: label for label in context.knowledge.schema.labels}
    found = (where_of(context, labels[name]) for name in names if name in labels)
    return next((where for where in found if where), None)
