"""Relation paths whose last step is a property value, of a node or of a relationship.

The steps before it run as one Cypher pattern; the values at the end are answers, each element of a list one of its
own. With two topic entities, a relationship's property is that of a relationship between them, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import not_hidden, query, shown_name
from kgneo.graph.open import Knowledge
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts, word
from kgneo.model import Evidence, Hop, RelationPath, Triple, split_value_relation
from kgneo.query.told import Told, step


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value at the end of a path, as text, and how many walks lead to it."""

    text: str
    walks: int


@dataclass(frozen=True, slots=True)
class FollowedValues:
    """Values (most walks first, then by text), how many in all, the relationships walked to them by hop, and the
    triples of the last step."""

    found: tuple[FoundValue, ...]
    total: int
    walked: dict[str, int]
    evidence: tuple[Evidence, ...]


def value_hops(graph: Graph, entities: Sequence[str], shape: Shape) -> dict[str, list[Hop]]:
    """The steps from each of the entities (element ids) onto its own property values."""
    if not shape.values:
        return {}
    found: dict[str, list[Hop]] = {}
    for row in graph.read(query("paths_first_values"), entities=list(entities), keys=list(shape.value_keys)):
        keys = set(row["keys"]) & set(shape.keys_of(row["labels"]))
        found[row["topic"]] = [Hop(shape.value_relation(key), value=True) for key in sorted(keys)]
    return found


def detail_hops(hops: Iterable[Hop], shape: Shape) -> list[Hop]:
    """The steps onto properties of the relationships that `hops` walk."""
    return [
        Hop(shape.value_relation(key, hop.relation), hop.forward, value=True)
        for hop in hops
        if not hop.value
        for key in sorted(shape.details.get(hop.relation, ()))
    ]


def explained(path: RelationPath) -> RelationPath:
    """The path as English explains it: onto a relationship's property in two steps, "worked at X, as what role"."""
    last = path.hops[-1]
    relation, _ = split_value_relation(last.relation) if last.value else ("", "")
    if not relation:
        return path
    value = Hop(last.relation, value=True)
    return RelationPath((*path.hops[:-1], Hop(relation, last.forward, last.labels), value))


def joining(knowledge: Knowledge, entities: Sequence[str]) -> set[tuple[str, bool]]:
    """The relations of relationships between any two of the entities (element ids), in both directions."""
    if len(entities) < 2 or not knowledge.shape.details:
        return set()
    rows = knowledge.graph.read(query("paths_between"), entities=list(entities), told=knowledge.shape.telling)
    return {(row["relation"], forward) for row in rows for forward in (True, False)}


def follow_values(
    knowledge: Knowledge, entities: Sequence[str], path: RelationPath, *, limit: int, walks: int
) -> FollowedValues:
    """Walk `path`, whose last step is onto a value, from the entities (element ids)."""
    relation, key = split_value_relation(path.hops[-1].relation)
    parameters: dict[str, Any] = {"entities": list(entities), "key": key, "limit": limit, "walks": walks}
    parameters |= knowledge.shape.parameters
    hidden, told = bool(knowledge.shape.hidden), knowledge.shape.told
    parameters["hops"] = [*(hop.relation for hop in path.hops[:-1]), *([relation] if relation else ())]
    rows: list[Row] = []
    if relation and len(entities) > 1:
        rows = knowledge.graph.read(_query(path, relation, told, hidden=hidden, between=True), **parameters)
    if not rows or not rows[0]["total"]:
        rows = knowledge.graph.read(_query(path, relation, told, hidden=hidden), **parameters)
    return _followed(rows[0], path, relation, key)


def _query(path: RelationPath, relation: str, told: Told, *, hidden: bool, between: bool = False) -> str:
    """`hidden`: some property is, and may be this one for some of the nodes."""
    steps = [*path.hops[:-1], Hop(relation, path.hops[-1].forward)] if relation else list(path.hops[:-1])
    relationships = [f"r{number}" for number in range(1, len(steps) + 1)]
    nodes = ["topic", *(f"n{number}" for number in range(1, len(steps) + 1))]
    owner = relationships[-1] if relation else nodes[-1]
    ends = f"startNode({owner})" if relation else owner
    conditions = ["elementId(topic) IN $entities", f"{owner}[$key] IS NOT NULL"]
    conditions += [f"none(label IN labels({node}) WHERE label IN $excluded)" for node in nodes]
    if hidden and not relation:
        conditions.append(not_hidden(owner, "$key"))
    if between:
        conditions.append(f"elementId({nodes[-1]}) IN $entities")
    value = f"{owner}[$key]"
    target = shown_name("object") if relation else "null"
    return (
        f"MATCH {steps_pattern(steps, told)}\n"
        f"WHERE {' AND '.join(conditions)}\n"
        f"WITH {value} AS value, {ends} AS subject, {f'endNode({owner})' if relation else 'null'} AS object,\n"
        f"     [r IN [{', '.join(relationships)}] | elementId(r)] AS walk\n"
        "WITH value, count(*) AS walks,\n"
        f"     collect({{subject: {shown_name('subject')}, object: {target}, walk: walk}})[..$walks] AS evidence\n"
        "ORDER BY walks DESC, value\n"
        "WITH collect({value: value, walks: walks, evidence: evidence}) AS rows\n"
        "RETURN rows[..$limit] AS found, size(rows) AS total"
    )


def _followed(row: Row, path: RelationPath, relation: str, key: str) -> FollowedValues:
    walks: dict[str, int] = {}
    walked: dict[str, int] = {}
    evidence: dict[Triple, None] = {}
    for item in row["found"]:
        for text in texts(item["value"]):
            walks[text] = walks.get(text, 0) + item["walks"]
            for end in item["evidence"]:
                evidence.setdefault(_triple(end, relation, key, text))
        for end in item["evidence"]:
            # The relationship whose property is the answer stands in the last step's own triple.
            for hop, id_ in enumerate(end["walk"][: len(path) - 1], start=1):
                walked.setdefault(id_, hop)
    ordered = sorted(walks.items(), key=lambda entry: (-entry[1], entry[0]))
    found = tuple(FoundValue(text, number) for text, number in ordered)
    unseen = max(row["total"] - len(row["found"]), 0)
    last = tuple(Evidence(triple, len(path)) for triple in evidence)
    return FollowedValues(found, len(found) + unseen, walked, last)


def _triple(end: Row, relation: str, key: str, text: str) -> Triple:
    if relation:
        return Triple(end["subject"], relation, end["object"], f"{word(key)} {text}")
    return Triple(end["subject"], key, text)


def steps_pattern(steps: Sequence[Hop], told: Told) -> str:
    """Steps between nodes as a Cypher pattern with the relationships r1, r2, … and the nodes n1, n2, …; the parameter
    `$hops` has their relations."""
    text = "(topic)"
    for number, hop in enumerate(steps, start=1):
        relationship = step(number, hop.relation, told)
        text += f"-{relationship}->(n{number})" if hop.forward else f"<-{relationship}-(n{number})"
    return text
