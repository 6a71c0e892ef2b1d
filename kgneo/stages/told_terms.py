"""Told terms: what the graph's terms say of the words of a question, for a model that writes a query.

Comes in: a question, and a vocabulary with terms. Goes out: lines such as `"clients" means customer (label T0042).`
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from kgneo.context import Context
from kgneo.english.names import called, in_singular, name_words
from kgneo.query.json import to_json
from kgneo.reading.mentions import words_of
from kgneo.reading.vocabulary import Key, Vocabulary
from kgneo.text import fold


def told_terms(question: str, context: Context, vocabulary: Vocabulary) -> Iterator[str]:
    """The lines, each once, in the order of the terms: other words for names, words for values, and terms with a
    meaning of their own, each where the question has it."""
    if context.graph.terms is None:
        return
    said = f" {in_singular(fold(word.plain) for word in words_of(question))} "
    yield from dict.fromkeys(_lines(said, vocabulary))


def _lines(said: str, vocabulary: Vocabulary) -> Iterator[str]:
    for phrase, words in vocabulary.words.items():
        if f" {phrase} " in said:
            yield f'"{phrase}" means {" or ".join(word.instead for word in words)}.'
    for item in vocabulary.said:
        if f" {in_singular(item.folded.split())} " in said:
            kind = "relationship type" if item.key.of_edge else "label"
            where = f"{kind} {item.key.owner}, property {item.key.key}"
            yield f'"{item.folded}" means the value {json.dumps(item.value, ensure_ascii=False)} of {where}.'
    for key in vocabulary.keys:
        if key.meaning is not None and _is_said(key, said):
            graph = json.dumps(to_json(key.meaning), ensure_ascii=False)
            yield f'"{key.key}" of a {" ".join(name_words(key.owner))} means what this query graph says: {graph}'


def _is_said(key: Key, said: str) -> bool:
    return f" {in_singular(called(key.key).split())} " in said
