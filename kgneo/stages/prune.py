"""Prune: of the ways that were taken for a sub-query, those that an expert finds relevant (RefKG section 3.2, "evidence
subgraph refinement").

The paper's expert is a language model with a trained head that gives a triple path a score from 0 to 1, kept from a
threshold of 0.6. An `Expert` here scores the relations of a hop against the sub-query, and a way is worth the product
of its hops. One that was trained is an encoder of `kgneo tune encoder`. Without one, the ranking of relation paths is
the expert. Either's shares are taken of the best of the hop. Ways are compared with the best one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from kgneo.context import Context
from kgneo.encoders.encoder import Encoder
from kgneo.model import Hop, RelationPath
from kgneo.ranking.rank import as_sentences, rank_paths
from kgneo.stages.ranking import ranking
from kgneo.stages.reached import Reached, mask
from kgneo.unit_vectors import unit

THRESHOLD = 0.6
"""RefKG section 4.2."""
TEMPERATURE = 0.05
"""Difference in cosine that makes a relation e times as relevant to an encoder; it is tuned with this one."""


class Expert(Protocol):
    """Scores how relevant relations are to a sub-query about some entities. One that was `trained` may overrule what
    the model named first."""

    @property
    def trained(self) -> bool: ...
    def scores(self, query: str, entities: Sequence[Reached], hops: Sequence[Hop]) -> Mapping[Hop, float]:
        """A number from 0 to 1 for each of `hops`."""
        ...


@dataclass(frozen=True, slots=True)
class RankingExpert:
    """The ranking of relation paths, the best of the hops being 1."""

    context: Context
    trained: ClassVar[bool] = False

    def scores(self, query: str, entities: Sequence[Reached], hops: Sequence[Hop]) -> Mapping[Hop, float]:
        """See `Expert`."""
        cache, statistics = ranking(self.context)
        ranked = rank_paths(
            mask(query, entities),
            [RelationPath((hop,)) for hop in hops],
            encoder=self.context.encoder,
            statistics=statistics,
            cache=cache,
        )
        best = max((item.confidence for item in ranked), default=1.0)
        found = {item.path.hops[0]: item.confidence / best for item in ranked}
        return {hop: found.get(hop, 0.0) for hop in hops}


@dataclass(frozen=True, slots=True)
class EncoderExpert:
    """An encoder that was tuned on questions and relations (`kgneo tune encoder`), the best of the hops being 1.
    `names` are readable names of relations."""

    encoder: Encoder
    names: Mapping[str, str]
    trained: ClassVar[bool] = True

    def scores(self, query: str, entities: Sequence[Reached], hops: Sequence[Hop]) -> Mapping[Hop, float]:
        """See `Expert`."""
        if not hops:
            return {}
        texts = as_sentences(mask(query, entities), [RelationPath((hop,)) for hop in hops], self.names)
        vectors = unit(np.asarray(self.encoder.encode(texts), dtype=np.float64))
        similarity = vectors[1:] @ vectors[0]
        return dict(zip(hops, np.exp((similarity - similarity.max()) / TEMPERATURE).tolist(), strict=True))


def prune(
    scores: Mapping[Hop, float], frontier: Sequence[Reached], so_far: Mapping[str, float], *, threshold: float
) -> dict[Hop, tuple[Reached, ...]]:
    """The entities from which each hop is followed, the best hop first: those whose way, the product of its hops'
    scores (`so_far` by the entity's id), is worth at least `threshold` of the best way's; a hop that no way is left
    to is not followed at all."""
    if not frontier or not scores:
        return {}
    best = max(so_far.get(entity.id, 1.0) for entity in frontier) * max(scores.values())
    kept = {
        hop: tuple(entity for entity in frontier if so_far.get(entity.id, 1.0) * score >= threshold * best)
        for hop, score in sorted(scores.items(), key=lambda item: -item[1])
    }
    return {hop: entities for hop, entities in kept.items() if entities}
