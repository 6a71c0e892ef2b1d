"""The first reading of a question, best first, that leads anywhere in the graph.

Comes in: ranked readings. Goes out: the reading, where its path ends, and the readings without those before it. What
ends nowhere cannot be meant, so its probability goes to the others in proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.graph.walks import Followed, follow
from kgneo.stages.choose_reading import RankedReading


@dataclass(frozen=True, slots=True)
class FirstReading:
    """A reading with where its path ends, and `alive`: it and the readings behind it."""

    reading: RankedReading
    followed: Followed
    alive: tuple[RankedReading, ...]


def first_that_leads(
    context: Context,
    ranked: Sequence[RankedReading],
    *,
    tries: int,
    limit: int,
    accept: Callable[[Followed], bool] = lambda _: True,
) -> FirstReading | None:
    """The first of the `tries` best readings whose end holds something that is accepted; of an end, at most `limit`
    entities are listed."""
    dead = 0.0
    for number, candidate in enumerate(ranked[:tries]):
        followed = follow(context.knowledge, candidate.linked.entity_ids, candidate.path, limit=limit)
        if followed.total and accept(followed):
            confidence = min(candidate.confidence / max(1.0 - dead, 1e-6), 1.0)
            return FirstReading(replace(candidate, confidence=confidence), followed, tuple(ranked[number:]))
        dead += candidate.confidence
    return None
