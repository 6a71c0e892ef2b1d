"""Retrieve: the triples around the entities of a (sub-)question, and those of them that are nearest to it (KG-RAG
sections 3.5.2 and 3.5.3).

Comes in: a text, and the element ids of the entities that candidates are taken around. Goes out: what the candidates
are taken from, and the K that are nearest to the text. Numbers and lists of all candidates are read from
`kgneo.graph.candidates` where somebody wants to see them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.graph.candidates import Reach, top_candidates
from kgneo.model import Candidate


@dataclass(frozen=True, slots=True)
class Retrieval:
    """`reach` says which triples are candidates; `nearest` are those nearest to the text, best first, with scores."""

    reach: Reach
    nearest: tuple[Candidate, ...] = ()


def retrieve(text: str, entities: Sequence[str], context: Context) -> Retrieval:
    """The triples nearest to `text` of those around `entities`: as many, as far and in the direction that the
    context's options say; none where they ask for none.

    Raises NotIndexed for a graph without embeddings.
    """
    options = context.options
    reach = Reach(tuple(entities), options.hops, options.direction)
    if not options.top_k:
        return Retrieval(reach)
    vector = context.encoder.encode([text], query=True)[0]
    nearest = top_candidates(context.knowledge, reach, vector, top_k=options.top_k, exact=options.exact)
    return Retrieval(reach, tuple(nearest))
