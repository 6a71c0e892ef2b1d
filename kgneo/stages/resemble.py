"""Resemble: what is like something, by what both are joined to.

Comes in: a question. Goes out: what was computed, where one of the constructions of `kgneo.english.central` is the
whole question and its name is one of the graph; else None. Two things are the more alike the more nodes they share,
each by the same relationship type the same way, and the rarer what they share is: a shared node counts 1 / log(1 + its
relationships) (Adamic & Adar 2003), so that a small village tells more than a country.

Where the graph has a vector index over nodes of its kind, their embeddings count, too: what comes first by both comes
first. Where something of another kind than the named thing is asked for ("which users like the village"), the words are
not about likeness. "Which customers buy what Ann buys?" is likeness by one type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgneo.context import Context
from kgneo.english.central import LIKE, LIKE_WITH, LIKED, LIKENESS, SAME_AS
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.cypher import fill, query
from kgneo.graph.passages import fused
from kgneo.graph.walks import read_triples
from kgneo.model import Evidence, Table
from kgneo.query.told import stored
from kgneo.reading.connections import with_names
from kgneo.stages.computed import Computed, Kind, kind_of, numbers_apart
from kgneo.stages.connect import Named, every_relation, names_in, relations_named
from kgneo.stages.interpret import reading
from kgneo.stages.link import unbracket
from kgneo.text import listed

TOP = 10
"""How many are answered where no number is said."""
BUSIEST = 2_000
"""Relationships of a shared node from which on it tells nothing, and takes long to look through."""
LOOKED = 50
"""Of those that share most, how many are looked through for those of an implied kind."""
SHOWN = 3
"""Shared nodes that are told of each."""
SECONDS = 5.0
"""Seconds that the search may take."""
ALIKE = 0.5
"""An embedding counts where it is at least so like that of the named thing as the likest one is."""
LEAST_COSINE = 0.2
"""Cosine below which embeddings say nothing of likeness."""
WORD = re.compile(r"[^\W_]+")
NAME = "X"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question: what it names, what kind of thing is asked for, the types that count, and of how many things."""

    given: Named
    kind: Kind
    relations: tuple[str, ...]
    number: int
    by_type: bool = False
    """Whether only what is shared by one type counts."""


def resemble(context: Context, question: str, entities: Sequence[str] = ()) -> Computed | None:
    """What is like the thing that `question` names; None where it asks for something else. Raises GraphTimeout."""
    text = with_names(question, tuple(entities))
    try:
        asked = _asked(context, text)
    except EntityNotFound:  # other stages look further, and say so
        return None
    return _found(context, asked) if asked else None


def _asked(context: Context, text: str) -> _Asked | None:
    plain = unbracket(text)[0]
    if not LIKENESS.search(plain):
        return None
    names = names_in(context, text)
    if len(names) != 1:
        return None
    given, start, end = names[0]
    masked = plain[:start] + NAME + plain[end:]
    asks = LIKE.search(masked) or LIKED.search(masked)
    if asks is None:
        return _by_one_type(context, masked, given)
    words = WORD.findall(f"{masked[:start]} {masked[start + 1 :]}".lower())
    left = [word for word in words if word not in FUNCTION_WORDS | LIKE_WITH]
    numbers, left = numbers_apart(left)
    kinds = [kind_of(context, word) for word in left]
    if len(kinds) > 1 or len(numbers) > 1 or relations_named(context, ["like", "likes"]):
        return None
    kind = kinds[0] if kinds else Kind()
    if kind is None or not kind.among(context, given.ids):
        return None
    return _Asked(given, kind, every_relation(context), numbers[0] if numbers else TOP)


def _by_one_type(context: Context, masked: str, given: Named) -> _Asked | None:
    """Things that do what the named one does: the type is the one that the verb names."""
    found = SAME_AS.match(masked)
    if found is None:
        return None
    relations = [name for name in relations_named(context, [found["verb"].lower()]) if name not in context.shape.told]
    words = [word for word in WORD.findall(found["kind"].lower()) if word not in FUNCTION_WORDS | LIKE_WITH]
    kinds = [kind_of(context, word) for word in words]
    kind = kinds[0] if kinds else Kind()
    if not relations or len(kinds) > 1 or kind is None or not kind.among(context, given.ids):
        return None
    return _Asked(given, kind, tuple(relations), TOP, by_type=True)


@dataclass(frozen=True, slots=True)
class _Alike:
    """Something that is like the named thing: by what both are joined to (a score, the rarest shared nodes, and how
    many more there are), and by their embeddings (a cosine); None where it is not alike so."""

    id: str
    score: float | None = None
    rarest: tuple[Mapping[str, Any], ...] = ()
    more: int = 0
    cosine: float | None = None


def _found(context: Context, asked: _Asked) -> Computed | None:
    labels = _labels_of(context, asked)
    every = _fused(_by_neighbours(context, asked, labels), _by_embeddings(context, asked, labels))
    nodes = {node.id: node for node in asked.kind.among(context, [item.id for item in every])}
    alike = [item for item in every if item.id in nodes][: asked.number]
    by = [
        "what both are joined to" if any(item.score is not None for item in alike) else "",
        "their embeddings" if any(item.cosine is not None for item in alike) else "",
    ]
    how = " and ".join(filter(None, by)) or "what both are joined to"
    wording = f"{asked.kind.word or ', '.join(labels) or 'things'} like {asked.given.text}, by {how}"
    topics = (asked.given.topic,)
    if not alike:
        text = f"Nothing else is joined to what {asked.given.text!r} is joined to."
        return Computed(wording, "none", topics=topics, warnings=(text,))
    names = tuple(nodes[item.id].names[0] for item in alike)
    return Computed(
        wording,
        listed(names),
        tuple(nodes[item.id] for item in alike),
        names,
        _table(context, names, alike, with_embeddings=bool(by[1])),
        _evidence(context, [item.rarest for item in alike]),
        topics,
    )


def _by_neighbours(context: Context, asked: _Asked, labels: Sequence[str]) -> list[_Alike]:
    rows = context.graph.read(
        fill("similar", relations=stored(asked.relations, context.shape.told)),
        ids=list(asked.given.ids),
        excluded=list(context.shape.excluded),
        labels=list(labels) or None,
        busiest=BUSIEST,
        limit=LOOKED if asked.kind.word and not labels else asked.number,
        timeout=SECONDS,
    )
    return [_Alike(row["id"], row["score"], tuple(_rarest(row)), max(row["number"] - SHOWN, 0)) for row in rows]


def _by_embeddings(context: Context, asked: _Asked, labels: Sequence[str]) -> list[_Alike]:
    """What is like the named thing by the vector indexes that the graph has of the nodes of its label: their embeddings
    are compared with each other, whatever encoder made them."""
    own = {label for entity in asked.given.entities for label in entity.labels}
    indexes = [
        item for item in context.knowledge.user_indexes if item.dimensions and own & {*item.labels} & {*(labels or own)}
    ]
    if asked.by_type or not indexes:
        return []
    rows = context.graph.read(
        query("user_alike"),
        index=indexes[0].name,
        embedding=indexes[0].keys[0],
        ids=list(asked.given.ids),
        excluded=list(context.shape.excluded),
        labels=list(labels) or None,
        limit=LOOKED,
        timeout=SECONDS,
    )
    least = ALIKE * max((row["likeness"] for row in rows), default=0.0)
    return [_Alike(row["id"], cosine=row["likeness"]) for row in rows if row["likeness"] >= max(least, LEAST_COSINE)]


def _fused(shared: Sequence[_Alike], near: Sequence[_Alike]) -> list[_Alike]:
    """Both lists in one, by the ranks that something has in each."""
    by_neighbours, by_embeddings = ({item.id: rank for rank, item in enumerate(items)} for items in (shared, near))
    cosines = {item.id: item.cosine for item in near}
    known = {item.id: item for item in near} | {item.id: replace(item, cosine=cosines.get(item.id)) for item in shared}
    every = dict.fromkeys(item.id for item in (*shared, *near))
    order = sorted(every, key=lambda id_: -fused(by_neighbours.get(id_), by_embeddings.get(id_)))
    return [known[id_] for id_ in order]


def _table(context: Context, names: Sequence[str], alike: Sequence[_Alike], *, with_embeddings: bool) -> Table:
    """What is alike, with the reasons."""
    ids = list({item["id"] for found in alike for item in found.rarest})
    shared = {node.id: node.names[0] for node in Kind().among(context, ids)}
    rows = []
    for name, item in zip(names, alike, strict=True):
        told = listed([shared[node["id"]] for node in item.rarest], item.more)
        score = None if item.score is None else round(item.score, 2)
        cosine = (None if item.cosine is None else round(item.cosine, 2),) if with_embeddings else ()
        rows.append((name, score, told, *cosine))
    return Table(("name", "likeness", "shares", *(("embedding",) if with_embeddings else ())), tuple(rows))


def _labels_of(context: Context, asked: _Asked) -> tuple[str, ...]:
    """The labels of which what is found has one: that of what is asked for, else those of the thing itself."""
    known = reading(context)
    if asked.kind.relation or (known and known.implied):
        return ()
    every = tuple(dict.fromkeys(label for entity in asked.given.entities for label in entity.labels))
    return (asked.kind.label,) if asked.kind.label else every


def _rarest(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return sorted(row["shared"], key=lambda item: (item["degree"], item["id"]))[:SHOWN]


def _evidence(context: Context, rarest: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[Evidence, ...]:
    """The triples that join both to the rarest of what they share."""
    ids = [id_ for part in rarest for item in part for id_ in item["relationships"]]
    triples = read_triples(context.graph, list(dict.fromkeys(ids)), context.shape)
    return tuple(dict.fromkeys(Evidence(triple, 1) for triple in triples.values()))
