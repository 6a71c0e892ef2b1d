"""Prune: of the relations that were taken for a sub-query, those that an expert finds relevant (RefKG section 3.2,
"evidence subgraph refinement").

The paper's expert is a language model with a trained head that gives a triple path a score from 0 to 1, kept from a
threshold of 0.6. An `Expert` here scores a relation's wording against the sub-query; without one that was trained, the
encoder's similarity does, as a share of the best of the hop, since a cosine is no probability.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgneo.embedding import Encoder
from kgneo.english.names import hop_wording
from kgneo.model import Hop
from kgneo.stages.relations import similarities

THRESHOLD = 0.6
"""RefKG section 4.2."""


class Expert(Protocol):
    """Scores how relevant texts are to a sub-query."""

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A number from 0 to 1 for each of `texts`."""
        ...


@dataclass(frozen=True, slots=True)
class EncoderExpert:
    """Similarity by the encoder, the best of the texts being 1."""

    encoder: Encoder

    def scores(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Expert`."""
        found = np.clip(similarities(query, texts, self.encoder), 0.0, None)
        best = float(found.max(initial=0.0))
        return found / best if best > 0 else np.ones_like(found)


@dataclass(frozen=True, slots=True)
class Pruned:
    """The hops that are kept, best first, and those that are not."""

    kept: tuple[Hop, ...]
    dropped: tuple[Hop, ...] = ()


def prune(query: str, entities: Iterable[str], hops: Sequence[Hop], expert: Expert, *, threshold: float) -> Pruned:
    """The hops whose score reaches `threshold`, best first; the best one always. `entities` are the names in `query`,
    which say nothing about relations."""
    if len(hops) < 2 or threshold <= 0:
        return Pruned(tuple(hops))
    text = query
    for name in sorted(entities, key=len, reverse=True):
        text = re.sub(re.escape(name), "X", text, flags=re.IGNORECASE)
    scores = expert.scores(text, [hop_wording(hop, "X") for hop in hops])
    order = [int(index) for index in np.argsort(-scores, kind="stable")]
    kept = [index for position, index in enumerate(order) if position == 0 or scores[index] >= threshold]
    return Pruned(tuple(hops[index] for index in kept), tuple(hop for n, hop in enumerate(hops) if n not in kept))
