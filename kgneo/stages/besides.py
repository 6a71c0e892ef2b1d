"""Besides: what a question takes out: "Besides Ann, who …?" and "Who … apart from Ann?" ask who …, without Ann.

Comes in: a question, and the readings of the rest of it. Goes out: these, without the nodes of the names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgneo.query.graph import Condition, Value
from kgneo.reading.mentions import Lookup
from kgneo.reading.read import Interpretation
from kgneo.reading.vocabulary import Vocabulary
from kgneo.text import fold

_FRONTED = re.compile(
    r"(?:besides|apart from|aside from|other than|except(?: for)?|in addition to) (?P<names>[^,?]+), (?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_BEHIND = re.compile(
    r"(?P<rest>(?i:who|which|what)\b[^,?]+?),? (?:besides|apart from|aside from|other than|except(?: for)?) "
    r"(?P<names>[A-Z][^,?]*?)\s*\?*",
    re.DOTALL,
)
_BETWEEN = re.compile(r"\s+(?:and|or)\s+")


@dataclass(frozen=True, slots=True)
class Besides:
    """Names that are taken out, and the rest of the question."""

    names: tuple[str, ...]
    rest: str


def besides(question: str) -> Besides | None:
    """What a question takes out in front, or behind it; None where it does not."""
    found = _FRONTED.fullmatch(question.strip()) or _BEHIND.fullmatch(question.strip())
    return Besides(tuple(_BETWEEN.split(found["names"])), found["rest"]) if found else None


def without(
    items: Sequence[Interpretation], names: Sequence[str], vocabulary: Vocabulary, dictionary: Lookup
) -> list[Interpretation]:
    """The readings that ask for nodes of which some have these names, without those; none where no reading does."""
    pieces = [fold(name) for name in names]
    entries = [entry for found in dictionary.lookup(pieces).values() for entry in found]
    left = []
    for item in items:
        asked = item.graph.answer
        labels = item.graph.variable(asked.of).labels if isinstance(asked, Value) and not asked.key else ()
        told = {(entry.key, entry.value) for entry in entries
                if entry.owner in labels and entry.key in vocabulary.display.get(entry.owner, ())}  # fmt: skip
        if told and isinstance(asked, Value):
            more = [Condition(Value(asked.of, key), "<>", (value,)) for key, value in sorted(told, key=str)]
            graph = replace(item.graph, conditions=(*item.graph.conditions, *more))
            left.append(replace(item, graph=graph, bare=False))
    return left
