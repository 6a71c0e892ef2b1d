"""Retrieve: the triples around the entities of a (sub-)question, and those of them that are nearest to it (KG-RAG
sections 3.5.2 and 3.5.3).

Comes in: a text, and the element ids of the entities that candidates are taken around. Goes out: what the candidates
are taken from, and the K that are nearest to the text. While the graph's embeddings are being made, a few that the
candidates lack are made here, for this text alone. Numbers and lists of all candidates are read from
`kgneo.graph.candidates` where somebody wants to see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.encoders.encoder import Vectors
from kgneo.graph.candidates import Reach, bound, top_candidates, unembedded_candidates
from kgneo.graph.embeddings import text_of
from kgneo.graph.record import check_dimensions
from kgneo.model import Candidate
from kgneo.unit_vectors import unit

GO_ON = "Unless they are being made just now, `kgneo index` makes them."
MADE_HERE = 256
"""Candidates without an embedding that are encoded for one text, nearest hops first: about a second on two cores."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`reach` says which triples are candidates; `nearest` are those nearest to the text, best first, with scores;
    `warnings` say where candidates were left out, or not compared with it."""

    reach: Reach
    nearest: tuple[Candidate, ...] = ()
    warnings: tuple[str, ...] = ()


def retrieve(text: str, entities: Sequence[str], context: Context) -> Retrieval:
    """The triples nearest to `text` of those around `entities`: as many, as far and in the direction that the
    context's options say; none where they ask for none.

    Raises NotIndexed for a graph without embeddings.
    """
    options = context.options
    reach = Reach(tuple(entities), options.hops, options.direction, options.max_candidates)
    if not options.top_k:
        return Retrieval(reach)
    reach = bound(context.knowledge, reach)
    vector = context.triple_encoder.encode([text], query=True)[0]
    check_dimensions(context.record, len(vector))
    nearest = top_candidates(context.knowledge, reach, vector, top_k=options.top_k, exact=options.exact)
    if context.record.unfinished and context.knowledge.vectors is None:
        nearest = [*nearest, *_made_here(context, reach, vector)]
        nearest.sort(key=lambda candidate: -(candidate.score or 0.0))
    told = (_told(reach, options.hops) if reach.cut else "", partly_compared(context))
    return Retrieval(reach, tuple(nearest[: options.top_k]), tuple(filter(None, told)))


def _told(reach: Reach, asked: int) -> str:
    """What a user is told of candidates that were left out."""
    further = f" of {asked}" if reach.hops < asked else ""
    return (
        f"There are more than {reach.most:,} candidates: only the nearest of them, to hop {reach.hops}{further}, were "
        "looked at. Allow more with --max-candidates."
    )


def partly_compared(context: Context) -> str:
    """What to tell where not all triples have an embedding yet, else ""."""
    state = context.knowledge.unfinished()
    return (
        f"{state}; of the others, only some around an entity were compared with the question. {GO_ON}" if state else ""
    )


def _made_here(context: Context, reach: Reach, vector: Vectors) -> list[Candidate]:
    """Candidates that have no embedding yet, with the scores that they will have."""
    candidates = unembedded_candidates(context.knowledge, reach, limit=MADE_HERE)
    if not candidates:
        return []
    vectors = context.triple_encoder.encode([text_of(candidate.triple, context.shape) for candidate in candidates])
    if context.record.similarity != "dot":
        vectors = unit(vectors)
    scores = vectors @ vector
    return [replace(candidate, score=float(score)) for candidate, score in zip(candidates, scores, strict=True)]
