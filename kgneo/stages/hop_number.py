"""Hop number: how many hops lie between a question's topic entities and its answer (KnowledgeNavigator section 3.1).

The paper trains a classifier for it. Here the ranking of relation paths tells: each length gets the confidence of all
readings of that length. Where `kgneo learn` has kept examples, their trained scorer has weighed the ranking.
"""

from __future__ import annotations

from collections import defaultdict

from kgneo.context import Context
from kgneo.graph.value_walks import explained
from kgneo.stages.choose_reading import rank_readings
from kgneo.stages.link import LinkedQuestion


def predict_hops(context: Context, linked: LinkedQuestion) -> int:
    """The likeliest number of hops, 1 to the context's `hops`; that bound where nothing could be ranked."""
    lengths: defaultdict[int, float] = defaultdict(float)
    for ranked in rank_readings(context, [linked]):
        lengths[len(explained(ranked.path))] += ranked.confidence
    if not lengths:
        return context.options.hops
    return min(max(lengths, key=lambda length: (lengths[length], -length)), context.options.hops)
