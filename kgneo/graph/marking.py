"""Marking: the words of a passage that say what was looked for.

Comes in: what was looked for and passages, best first. Goes out: the passages with the places of these words: those
that share a root with a telling word of it, and those that the encoder takes for like one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kgneo.embedding import Encoder
from kgneo.english.names import same_root
from kgneo.english.words import FUNCTION_WORDS
from kgneo.graph.passages import Passage, telling_words

LIKE = 0.5
"""Cosine from which a word says what was looked for: "sluggish" of "slow service", "garage" of "parking"."""
MOST = 10
"""Passages whose words are compared by meaning."""
_WORD = re.compile(r"[^\W\d_]+")


def marked(text: str, passages: Sequence[Passage], encoder: Encoder | None) -> list[Passage]:
    """The passages with the places of the words that say what is meant by `text`; without an encoder, by roots."""
    telling = list(dict.fromkeys(telling_words(text)))
    words = {word for item in passages for word in _words_of(item.text)}
    said = {word for word in words if any(same_root(word, own) for own in telling)}
    if encoder is not None:
        near = {word for item in passages[:MOST] for word in _words_of(item.text)} - said
        said |= _like(telling, text, sorted(near), encoder)
    return [replace(item, marked=_places(item.text, said)) for item in passages]


def _words_of(text: str) -> set[str]:
    """The words of a passage that say anything, in lower case."""
    return {word for match in _WORD.finditer(text) if (word := match[0].lower()) not in FUNCTION_WORDS}


def _like(telling: Sequence[str], text: str, words: Sequence[str], encoder: Encoder) -> set[str]:
    """The words that are like one of the telling ones, or like all of a text."""
    if not words:
        return set()
    vectors = np.asarray(encoder.encode([*telling, text, *words]), dtype=np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    wanted, found = vectors[: len(telling) + 1], vectors[len(telling) + 1 :]
    likest = (found @ wanted.T).max(axis=1)
    return {word for word, like in zip(words, likest, strict=True) if like >= LIKE}


def _places(text: str, words: set[str]) -> tuple[tuple[int, int], ...]:
    return tuple(match.span() for match in _WORD.finditer(text) if match[0].lower() in words)
