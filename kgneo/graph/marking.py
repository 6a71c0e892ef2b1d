"""Marking: the words of a passage that say what was looked for.

Comes in: what was looked for and passages. Goes out: for each passage the places of these words: those that share a
root with a telling word of it, and those that the encoder takes for like one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from kgneo.encoders.encoder import Encoder
from kgneo.english.names import same_root
from kgneo.english.words import FUNCTION_WORDS
from kgneo.graph.passages import telling_words
from kgneo.unit_vectors import unit

Places = tuple[tuple[int, int], ...]
"""Where words stand in a text, each from a character to the one behind it."""
LIKE = 0.5
"""Cosine from which a word says what was looked for: "sluggish" of "slow service", "garage" of "parking"."""
MOST = 10
"""Passages whose words are compared by meaning: the first."""
_WORD = re.compile(r"[^\W\d_]+")


def marks(text: str, passages: Sequence[str], encoder: Encoder | None) -> list[Places]:
    """Where the words stand in each of `passages` that say what is meant by `text`; without an encoder, by roots."""
    telling = list(dict.fromkeys(telling_words(text)))
    words = [_words_of(item) for item in passages]
    said = {word for own in words for word in own if any(same_root(word, other) for other in telling)}
    if encoder is not None:
        said |= _like([*telling, text], sorted(set().union(*words[:MOST]) - said), encoder)
    return [tuple(match.span() for match in _WORD.finditer(item) if match[0].lower() in said) for item in passages]


def _words_of(text: str) -> set[str]:
    """The words of a passage that say anything, in lower case."""
    return {word for match in _WORD.finditer(text) if (word := match[0].lower()) not in FUNCTION_WORDS}


def _like(wanted: Sequence[str], words: Sequence[str], encoder: Encoder) -> set[str]:
    """The words that are like one of the texts that are wanted."""
    if not words:
        return set()
    vectors = unit(np.asarray(encoder.encode([*wanted, *words]), dtype=np.float32))
    likest = (vectors[len(wanted) :] @ vectors[: len(wanted)].T).max(axis=1)
    return {word for word, like in zip(words, likest, strict=True) if like >= LIKE}
