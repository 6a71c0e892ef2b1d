"""Places: how far things are from one another, as the crow flies.

Comes in: a question. Goes out: what was computed, where one of the constructions of `kgneo.english.places` is the whole
question, and what it names has a place: a point, or a latitude and a longitude; else None, and the question is for
other stages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from neo4j.spatial import Point, WGS84Point

from kgneo.context import Context
from kgneo.english.names import name_words, singular
from kgneo.english.places import CUES, LIKELY, SAID_WITH, Asks, metres
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.cypher import query
from kgneo.graph.run import evidence_of
from kgneo.graph.values import property_triples
from kgneo.graph.walks import read_triples
from kgneo.model import AnswerNode, Evidence, Table
from kgneo.query.graph import Value
from kgneo.reading.read import Interpretation
from kgneo.stages.computed import Computed, Kind, kind_of, numbers_apart
from kgneo.stages.connect import Named, names_in
from kgneo.stages.interpret import interpret, run_query
from kgneo.stages.link import unbracket
from kgneo.stages.where import MOST, SECONDS, Distance, Near, Position, Where, near, positions, where_of_labels
from kgneo.text import listed

TOP = 10
"""How many are answered where several are asked for."""
WORD = re.compile(r"[^\W_]+")
KILOMETRE = 1_000.0
BEELINE = "as the crow flies"
LEFT = re.compile(r"\b(?:that|which|who)?\s*\b(?:is|are|lies?|located|situated)?\s*$", re.IGNORECASE)
"""What is left before a place when that is cut off: "hotels with 5 stars THAT ARE"."""


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
    if not any(where_of_labels(context, [label.name]) for label in context.knowledge.schema.labels):
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
            given = names[0][0]
            asked = _asked(context, masked, said, cue.asks, given)
            return (_found(context, asked) if asked else None) or _beside(context, masked, said, given)
    return None


def _where(context: Context, named: Named) -> Where | None:
    return where_of_labels(context, named.entities[0].labels)


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
    return _Asked(given, kinds[0], within, number, counts, f"{told}, {BEELINE}")


def _further(context: Context, rest: str, said: re.Match[str], given: Named) -> _Asked | None:
    """The same where the question says more of the things: what the rest of it finds, as far as all of it is read."""
    text = LEFT.sub("", rest).strip(" ?.!,")
    best = _read_whole(context, text)
    if best is None:
        return None
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
        f"{best.wording}, {near} {given.text}, {BEELINE}",
        tuple(node.id for node in nodes),
    )


def _read_whole(context: Context, text: str) -> Interpretation | None:
    """The best interpretation of a text; None where that does not say all of it."""
    try:
        read = interpret(context, text)
    except EntityNotFound:
        return None
    return read[0] if read and read[0].complete else None


def _beside(context: Context, masked: str, said: re.Match[str], given: Named) -> Computed | None:
    """What is joined to things within so many metres: "films shown in CINEMAS within 5 km of X"."""
    left = LEFT.sub("", masked[: said.start()])
    noun = next(iter(WORD.findall(left.lower())[::-1]), "")
    kind = kind_of(context, noun) if noun and "number" in said.groupdict() else None
    here = _position(context, given) if kind and kind.label and where_of_labels(context, [kind.label]) else None
    best = _read_whole(context, f"{left} {masked[said.end() :]}".strip()) if here else None
    if kind is None or here is None or best is None:
        return None
    there = [item for item in best.graph.variables if item.labels == (kind.label,)]
    wanted = Near(here.place, metres(said["number"], said["unit"]), None, given.ids, MOST)
    found = _near(context, kind, wanted) if len(there) == 1 else {}
    if not found:
        return None
    bound = {there[0].name: replace(there[0], ids=tuple(found))}
    graph = replace(best.graph, variables=tuple(bound.get(item.name, item) for item in best.graph.variables))
    result = run_query(context, graph)
    evidence = evidence_of(context.knowledge, graph, result)
    return Computed(
        f"{best.wording}, of {noun} within {said['number']} {said['unit']} of {given.text}, {BEELINE}",
        result.text or "none",
        result.nodes,
        result.answers,
        result.table,
        (*evidence, *_evidence(context, [here, *list(found.values())[:TOP]])),
        (given.topic,),
    )


def _near(context: Context, kind: Kind, wanted: Near) -> dict[str, Distance]:
    """The nodes of a kind that are near a point, by their ids, the nearest first; none where they have no place."""
    where = where_of_labels(context, [kind.label])
    return dict(near(context, where, kind.label, wanted)) if where else {}


def _position(context: Context, named: Named) -> Position | None:
    """Where the only node of a name is that has a place; None where none has, or several have."""
    where = _where(context, named)
    found = positions(context, where, named.ids) if where else {}
    return next(iter(found.values())) if len(found) == 1 else None


def _distance(context: Context, one: Named, other: Named, unit: str) -> Computed | None:
    """How far two things are apart."""
    here, there = _position(context, one), _position(context, other)
    if here is None or there is None:
        return None
    found = context.graph.read(
        "RETURN point.distance($here, $there) AS distance", here=here.place, there=there.place, timeout=SECONDS
    )
    if found[0]["distance"] is None:  # of two systems of coordinates
        return None
    text = _told(found[0]["distance"], here.place, unit)
    wording = f"distance between {one.text} and {other.text}, {BEELINE}{_by_place_of(context, one, other)}"
    return Computed(
        wording, text, answers=(text,), evidence=_evidence(context, [here, there]), topics=(one.topic, other.topic)
    )


def _by_place_of(context: Context, *named: Named) -> str:
    """What has the places, where that is not the things themselves: ", by the place of their address"."""
    found = [where.joined for item in named if (where := _where(context, item)) and where.joined]
    labels = dict.fromkeys(" ".join(name_words(item.label)) for item in found)
    return f", by the place of their {' and '.join(labels)}" if labels else ""


def _found(context: Context, asked: _Asked) -> Computed | None:
    here = _position(context, asked.given)
    if here is None or where_of_labels(context, [asked.kind.label]) is None:
        return None
    wanted = Near(here.place, asked.within, asked.among, asked.given.ids, asked.number)
    found = _near(context, asked.kind, wanted)
    nodes = {node.id: node for node in asked.kind.among(context, list(found))}
    return _answered(context, asked, here, [(nodes[id_], item) for id_, item in found.items() if id_ in nodes])


def _answered(
    context: Context, asked: _Asked, here: Position, found: Sequence[tuple[AnswerNode, Distance]]
) -> Computed:
    names = tuple(node.names[0] for node, _ in found)
    answers = (str(len(names)),) if asked.counts else names
    column = "km" if isinstance(here.place, WGS84Point) else "distance"
    rows = tuple((node.names[0], _rounded(item.metres, here.place)) for node, item in found)
    cut = (f"There may be more: {MOST:,} are looked at.",) if len(found) == MOST else ()
    joined = next((where.joined for node, _ in found if (where := where_of_labels(context, node.labels))), None)
    by = f", by the place of their {' '.join(name_words(joined.label))}" if joined else ""
    return Computed(
        f"{asked.told}{by}",
        f"{answers[0]} ({listed(names)})" if asked.counts and names else listed(answers) or "none",
        () if asked.counts else tuple(node for node, _ in found),
        answers,
        Table(("name", column), rows) if rows and not asked.counts else None,
        _evidence(context, [here, *(item for _, item in found[:TOP])]),
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


def _evidence(context: Context, found: Sequence[Position | Distance]) -> tuple[Evidence, ...]:
    """The properties that say where some nodes are, each behind the relationship that leads there from others."""
    shape = context.shape
    ways = read_triples(context.graph, [item.way for item in found if item.way], shape)
    at = list(dict.fromkeys(item.at for item in found))
    rows = {row["id"]: row for row in context.graph.read(query("nodes_by_ids"), ids=at)}
    names = {node.id: node.names[0] for node in Kind().among(context, at)}
    told: list[Evidence] = []
    for item in found:
        told += [Evidence(ways[item.way], 1)] if item.way in ways else []
        labels, properties = rows[item.at]["labels"], dict(rows[item.at]["properties"])
        where = where_of_labels(context, labels)
        shown = shape.visible(labels, properties)
        for key in where.keys if where and item.at in names else ():
            told += [Evidence(triple, 1) for triple in property_triples(names[item.at], key, shown.get(key))]
    return tuple(told)
