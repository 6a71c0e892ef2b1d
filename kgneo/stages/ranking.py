"""What ranking relation paths keeps between questions about the same graph, made once for each context."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgneo.context import Context
from kgneo.encoders.encoder import Vectors
from kgneo.english.names import name_words
from kgneo.graph.cache import LocalCache
from kgneo.graph.statistics import Statistics
from kgneo.model import Hop
from kgneo.ranking.vectors import HopStatistics, RankingCache, RelationStatistics
from kgneo.unit_vectors import unit

KEY = "rank_paths"


def ranking(context: Context) -> tuple[RankingCache, RelationStatistics]:
    """The vectors of the graph's relations and the statistics that they belong to."""
    kept = context.memory.get(KEY)
    if not isinstance(kept, tuple):
        file = LocalCache(context.graph).texts(context.encoder.fingerprint)
        kept = (RankingCache(context.encoder, file), relation_statistics(context.record.statistics))
        context.memory[KEY] = kept
    return kept


def unit_vectors(context: Context, texts: Sequence[str]) -> Vectors:
    """The vectors of texts by the encoder of questions, one a row, each of length 1."""
    return np.asarray(unit(context.encoder.encode(texts)), dtype=np.float32)


def relation_statistics(statistics: Statistics) -> RelationStatistics:
    """The graph's statistics in the form that the ranking takes."""
    hop_of = {str(item.hop): item.hop for item in statistics.hops}
    return RelationStatistics(
        hops={
            (item.relation, item.forward): HopStatistics(
                count=item.triples,
                sources=round(item.triples / max(item.fan_out, 1)),
                targets=round(item.triples / max(item.fan_in, 1)),
                samples=item.names,
                next={_key(hop_of[name]): share for name, share in item.onward.items() if name in hop_of},
            )
            for item in statistics.hops
        },
        names=statistics.readable_names,
        objects=_objects(statistics),
    )


def _objects(statistics: Statistics) -> dict[str, tuple[str, ...]]:
    """Types of a graph with labels are verbs whose object is the label they lead to: PLACED, an order."""
    if not any(hop.value for hop in statistics.hops):
        return {}
    return {
        hop.relation: name_words(hop.labels[0])
        for hop in statistics.hops
        if hop.forward and not hop.value and len(hop.labels) == 1 and hop.relation not in statistics.readable_names
    }


def _key(hop: Hop) -> tuple[str, bool]:
    return hop.relation, hop.forward
