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

SURE = 0.8
"""Confidence from which one hop is taken for certain."""


def predict_hops(context: Context, linked: LinkedQuestion) -> int:
    """The likeliest number of hops, 1 to the context's `hops`; that bound where nothing could be ranked."""
    lengths = _lengths(context, linked)
    if not lengths:
        return context.options.hops
    return min(max(lengths, key=lambda length: (lengths[length], -length)), context.options.hops)


def is_one_hop(context: Context, linked: LinkedQuestion) -> bool:
    """Whether a question about one thing surely asks for what one hop leads to."""
    return len(linked.topics) == 1 and _lengths(context, linked)[1] >= SURE


def _lengths(context: Context, linked: LinkedQuestion) -> defaultdict[int, float]:
    """The confidence of all readings of each number of hops."""
    lengths: defaultdict[int, float] = defaultdict(float)
    for ranked in rank_readings(context, [linked]):
        lengths[len(explained(ranked.path))] += ranked.confidence
    return lengths
