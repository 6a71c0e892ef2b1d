"""Candidates of a question, and the K of them that are nearest to it (KG-RAG sections 3.5.2 and 3.5.3).

The candidates are the triples within N hops of the topic entities. Walking to the nodes within N - 1 hops, each
once, and then taking their relationships, each once, is linear in what is reached; paths are never listed.

Few candidates are scored one by one in the database. Many are found the other way round: the vector index gives
the triples of the whole graph that are nearest to the question, and those are kept that touch a node within
N - 1 hops. When enough survive, no candidate outside them can be nearer, so the result is the same, up to what
the index itself misses. When too few do, the search is widened, and at last everything is scored.

Where this machine keeps a mirror of the graph as it is now (`kgneo.graph.mirror`), every candidate is scored there, and
the database is asked once, for the triples found.

Property values are candidates, too: those of the nodes within N - 1 hops.

A hub can have millions of candidates. More than `Reach.most` are never gathered or scored: `bound` walks no further
than to where there are more, and of the last hop the relationships are taken as the database has them, up to that
number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kgneo.defaults import MOST_CANDIDATES as MOST
from kgneo.errors import NotIndexed
from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import fill, query
from kgneo.graph.mirror import MIRRORED_UP_TO, Mirror
from kgneo.graph.open import Knowledge
from kgneo.graph.record import read_record
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts, triple_of
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.model import Candidate, Triple

Direction = Literal["both", "out"]

EXACT_UP_TO = 4_000
"""Candidates (upper bound) up to which scoring each is as fast as asking the index; see docs/results.md."""
FIRST_LIMIT = 1_000
LAST_LIMIT = 16_000
WIDEN = 4
SEARCHED = 4
"""How many times as many triples the index looks for as are used: asked for 1,000 alone, it missed 2 of the nearest
30 on some questions; see docs/decisions.md."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What candidates are taken from: element ids of the topic entities, hops (>= 1) and direction, and how many at
    `most` (None: MOST, or MIRRORED_UP_TO). `bounded`: `hops` is no further than that number allows (`bound`); `cut`:
    there are more candidates."""

    entities: tuple[str, ...]
    hops: int = 3
    direction: Direction = "both"
    most: int | None = None
    bounded: bool = False
    cut: bool = False

    def fill(self, name: str, /, **values: str) -> str:
        """The query `name` for this many hops in this direction."""
        return fill(name, depth=self.hops - 1, arrow=self.direction == "out", **values)

    @property
    def parameters(self) -> dict[str, Any]:
        """What those queries need that gather relationships."""
        return {"entities": list(self.entities), "most": self.most or MOST}


def bound(knowledge: Knowledge, reach: Reach) -> Reach:
    """The same reach with no more hops than it takes to have more than `reach.most` candidates.

    Candidates are counted by the degrees of the nodes within 0, 1, … hops, which are known without a look at their
    relationships; one by one only where that does not tell. A walk goes on only from nodes that have no more together,
    so that counting is bounded as well. A graph with no more triples, as it was indexed, is not counted.
    """
    if reach.bounded or not reach.entities:
        return reach
    triples = knowledge.record.triples
    mirror = fresh_mirror(knowledge) if triples > (reach.most or MOST) else None
    most = reach.most or (MIRRORED_UP_TO if mirror else MOST)
    whole = replace(reach, most=most, bounded=True)
    if triples <= most:
        return whole
    for hops in range(1, reach.hops + 1):
        nearer = replace(whole, hops=hops)
        if mirror:
            more = mirror.size(reach.entities, hops, out=reach.direction == "out") > most
        else:
            more = _has_more(knowledge.graph, nearer, most)
        if more:
            return replace(nearer, cut=True)
    return whole


def fresh_mirror(knowledge: Knowledge) -> Mirror | None:
    """The mirror, where the graph is still as it is."""
    mirror = knowledge.mirror.current()
    return mirror if mirror is not None and _shows(mirror, knowledge, knowledge.graph.last_change()) else None


def _shows(mirror: Mirror, knowledge: Knowledge, change: str) -> bool:
    """Whether it is the mirror of the graph with this mark. It may have been made after the graph was opened."""
    if mirror.change != change or mirror.seal == knowledge.record.seal:
        return mirror.change == change
    record = read_record(knowledge.graph)
    return record is not None and record.seal == mirror.seal


def _has_more(graph: Graph, reach: Reach, most: int) -> bool:
    """Whether there are more candidates than `most`."""
    degrees = _size(graph, reach)
    if degrees <= most or degrees > 2 * most:
        return degrees > most
    return len(graph.read(reach.fill("candidates_ids"), **replace(reach, most=most + 1).parameters)) > most


def count_candidates(knowledge: Knowledge, reach: Reach) -> tuple[int, ...]:
    """Number of candidates first reached at hop 1, 2, … `reach.hops`, property values included."""
    reach = bound(knowledge, reach)
    parameters: dict[str, Any] = {**reach.parameters, **knowledge.shape.parameters}
    rows = knowledge.graph.read(reach.fill("candidates_count"), **parameters)
    counts = Counter({row["hop"]: row["triples"] for row in rows})
    counts.update(value.hop for value in all_values(knowledge, reach))
    return tuple(counts[hop] for hop in range(1, reach.hops + 1))


def all_candidates(knowledge: Knowledge, reach: Reach) -> list[list[Candidate]]:
    """Every candidate, as one list a hop, breadth-first: a triple stands where it was first reached."""
    shape = knowledge.shape
    reach = bound(knowledge, reach)
    by_hop: list[list[Candidate]] = [[] for _ in range(reach.hops)]
    parameters: dict[str, Any] = {**reach.parameters, **shape.parameters}
    for row in knowledge.graph.stream(reach.fill("candidates_all"), **parameters):
        by_hop[row["hop"] - 1].append(_candidate(row, row["hop"], shape))
    for value in all_values(knowledge, reach):
        by_hop[value.hop - 1].append(value)
    return by_hop


def unembedded_candidates(knowledge: Knowledge, reach: Reach, *, limit: int) -> list[Candidate]:
    """At most `limit` relationships of the candidates that have no embedding in the graph yet, nearest hops first."""
    shape = knowledge.shape
    parameters: dict[str, Any] = {"entities": list(reach.entities), "limit": limit, **shape.parameters}
    rows = knowledge.graph.read(reach.fill("candidates_unembedded"), **parameters)
    return [_candidate(row, row["hop"], shape) for row in rows]


def top_candidates(
    knowledge: Knowledge,
    reach: Reach,
    vector: NDArray[np.float32],
    *,
    top_k: int = 30,
    exact: bool = False,
) -> list[Candidate]:
    """The `top_k` candidates whose embeddings are nearest to `vector` (dimensions,), best first, each with its
    hop and score: cosine of the angle, or dot product for encoders that use it. `exact` scores every candidate.

    Raises NotIndexed for a graph that was never indexed.
    """
    if not reach.entities or top_k < 1:
        return []
    if not knowledge.embedded:
        raise NotIndexed(
            "The graph has no embeddings yet; only strategies that need none, such as paths, can answer from it.",
            hint="Make them with `kgneo index`, or with `kgneo index --read-only` in a file on this machine.",
        )
    reach = bound(knowledge, reach)
    if knowledge.vectors is not None:
        return _on_this_machine(knowledge, knowledge.vectors, reach, vector, top_k)
    found = _in_mirror(knowledge, reach, vector, top_k)
    if found is None:
        found = _in_graph(knowledge, reach, vector, top_k, exact=exact)
    values = nearest_values(knowledge, reach, vector, top_k=top_k)
    return sorted([*found, *values], key=lambda candidate: -(candidate.score or 0.0))[:top_k] if values else found


def _in_mirror(knowledge: Knowledge, reach: Reach, vector: NDArray[np.float32], top_k: int) -> list[Candidate] | None:
    """The nearest relationships, found in the mirror and read from the graph; None where there is no mirror, or the
    graph is no longer as the mirror is."""
    mirror = knowledge.mirror.current()
    if mirror is None or mirror.vectors.shape[1] != len(vector):  # of another encoder's embeddings
        return None
    out = reach.direction == "out"
    scored = mirror.nearest(reach.entities, reach.hops, vector, top_k=top_k, out=out, most=reach.most)
    ids = [id_ for id_, _, _ in scored]
    rows, change = knowledge.graph.read_at(query("triples"), ids=ids, **knowledge.shape.parameters)
    return _candidates(rows, scored, knowledge.shape) if _shows(mirror, knowledge, change) else None


def _in_graph(
    knowledge: Knowledge, reach: Reach, vector: NDArray[np.float32], top_k: int, *, exact: bool
) -> list[Candidate]:
    graph = knowledge.graph
    scored: list[tuple[str, int, float]] | None = None
    if not exact and _size(graph, reach) > EXACT_UP_TO:
        scored = _through_index(knowledge, reach, vector, top_k)
    if scored is None:
        scored = _exact(graph, reach, vector, top_k)
    return _with_triples(graph, scored, knowledge.shape)


def _on_this_machine(
    knowledge: Knowledge, embeddings: LocalEmbeddings, reach: Reach, vector: NDArray[np.float32], top_k: int
) -> list[Candidate]:
    """The same with embeddings that are not in the graph."""
    rows = knowledge.graph.read(reach.fill("candidates_ids"), **reach.parameters)
    hops = {row["id"]: row["hop"] for row in rows}
    values = {(item.id, item.triple.relation): item for item in reversed(all_values(knowledge, reach))}
    hops |= {node: item.hop for (node, _), item in values.items()}
    scored = embeddings.nearest(hops, vector, top_k=top_k, similarity=knowledge.record.similarity)
    found = _with_triples(
        knowledge.graph, [(id_, hop, score) for id_, key, hop, score in scored if not key], knowledge.shape
    )
    found += [replace(values[id_, key], score=score) for id_, key, _, score in scored if key and (id_, key) in values]
    return sorted(found, key=lambda candidate: -(candidate.score or 0.0))


def _size(graph: Graph, reach: Reach) -> int:
    """How many candidates there are at most."""
    return int(graph.read(reach.fill("candidates_size"), entities=list(reach.entities))[0]["degrees"])


def _exact(graph: Graph, reach: Reach, vector: NDArray[np.float32], top_k: int) -> list[tuple[str, int, float]]:
    rows = graph.read(
        reach.fill("candidates_exact"),
        **reach.parameters,
        vector=vector.tolist(),
        norm=float(np.linalg.norm(vector)),
        top_k=top_k,
    )
    return [(row["id"], row["hop"], row["score"]) for row in rows]


def _through_index(
    knowledge: Knowledge, reach: Reach, vector: NDArray[np.float32], top_k: int
) -> list[tuple[str, int, float]] | None:
    """The same through the vector index; None when too few of the nearest triples are candidates."""
    limit = max(FIRST_LIMIT, top_k)
    while limit <= LAST_LIMIT:
        hits = _nearest(knowledge, vector, limit)
        nodes = list({node for _, subject, object_, _ in hits for node in (subject, object_)})
        parameters: dict[str, Any] = {"entities": list(reach.entities), "nodes": nodes}
        depths = dict(knowledge.graph.read(reach.fill("candidates_depths"), **parameters)[0]["depths"])
        if reach.direction == "out":
            survivors = [(id_, depths.get(subject), score) for id_, subject, _, score in hits]
        else:
            survivors = [
                (id_, _smaller(depths.get(subject), depths.get(object_)), score)
                for id_, subject, object_, score in hits
            ]
        kept = [(id_, depth + 1, score) for id_, depth, score in survivors if depth is not None]
        if len(kept) >= top_k:
            return sorted(kept, key=lambda hit: (-hit[2], hit[0]))[:top_k]
        if len(hits) < limit:
            return None
        limit *= WIDEN
    return None


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((depth for depth in (first, second) if depth is not None), default=None)


def _nearest(knowledge: Knowledge, vector: NDArray[np.float32], limit: int) -> list[tuple[str, str, str, float]]:
    parameters = {
        "vector": vector.tolist(),
        "norm": float(np.linalg.norm(vector)),
        "limit": limit,
        "searched": SEARCHED * limit,
    }
    graph, names = knowledge.graph, list(knowledge.vector_indexes)
    if not names:
        return []
    if graph.capabilities.search and len(names) == 1:
        rows = graph.read(fill("candidates_nearest", index=names[0]), **parameters)
    else:
        rows = graph.read(query("candidates_nearest_by_type"), indexes=names, **parameters)
    hits: list[tuple[str, str, str, float]] = rows[0]["hits"]
    return hits


def _with_triples(graph: Graph, scored: Sequence[tuple[str, int, float]], shape: Shape) -> list[Candidate]:
    rows = graph.read(query("triples"), ids=[id_ for id_, _, _ in scored], **shape.parameters)
    return _candidates(rows, scored, shape)


def _candidates(rows: Sequence[Row], scored: Sequence[tuple[str, int, float]], shape: Shape) -> list[Candidate]:
    found = {row["id"]: row for row in rows}
    return [replace(_candidate(found[id_], hop, shape), score=score) for id_, hop, score in scored if id_ in found]


def _candidate(row: Row, hop: int, shape: Shape) -> Candidate:
    return Candidate(triple_of(row, shape), hop, row["id"], row["subject_id"], row["object_id"])


def all_values(knowledge: Knowledge, reach: Reach) -> list[Candidate]:
    """Every value that is a candidate, nearest first; one triple for each element of a list."""
    shape = knowledge.shape
    if not shape.values:
        return []
    rows = knowledge.graph.stream(reach.fill("candidates_values"), **_of_values(reach, shape))
    return [
        _value(row["id"], row["subject"], key, text, row["hop"])
        for row in rows
        for key, value in row["values"]
        if key in shape.keys_of(row["labels"])
        for text in texts(value)
    ]


def nearest_values(knowledge: Knowledge, reach: Reach, vector: NDArray[np.float32], *, top_k: int) -> list[Candidate]:
    """The `top_k` values whose embeddings are nearest to `vector`, best first. The elements of a list, which have one
    embedding together, share its score."""
    shape = knowledge.shape
    if not shape.values:
        return []
    rows = knowledge.graph.read(
        reach.fill("candidates_exact_values"),
        vector=vector.tolist(),
        norm=float(np.linalg.norm(vector)),
        top_k=top_k,
        **_of_values(reach, shape),
    )
    return [
        _value(row["id"], row["subject"], row["key"], text, row["hop"], row["score"])
        for row in rows
        for text in texts(row["value"])
    ]


def _of_values(reach: Reach, shape: Shape) -> dict[str, Any]:
    return {"entities": list(reach.entities), "keys": list(shape.value_keys), **shape.parameters}


def _value(node: str, subject: str, key: str, text: str, hop: int, score: float | None = None) -> Candidate:
    return Candidate(Triple(subject, key, text), hop, node, subject_id=node, score=score)
