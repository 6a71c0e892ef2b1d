"""Reasons: whether a question asks why something is so, of a graph that tells no reasons.

Comes in: a question. Goes out: whether it does. What relationships hold is never why: "why was A-2 cancelled?" is not
answered by "cancelled".
"""

from __future__ import annotations

import re

from kgneo.context import Context
from kgneo.english.names import name_words
from kgneo.english.words import REASONS
from kgneo.stages.interpret import reading

WHY = re.compile(
    r"^\W*(?:(?:and|so|but|please|tell me|do you know|explain) )*(?:why|how come|for what reason)\b", re.IGNORECASE
)


def asks_untold_reason(context: Context, question: str) -> bool:
    """Whether a question asks why, and nothing in the graph is called a reason or a cause."""
    known = reading(context) if WHY.search(question) else None
    if known is None:
        return WHY.search(question) is not None
    vocabulary = known.fits.vocabulary
    names = [*vocabulary.labels, *map(vocabulary.readable, vocabulary.relations)]
    names += [key.name or key.key for key in vocabulary.keys]
    return not any(REASONS.intersection(name_words(name)) for name in names)
