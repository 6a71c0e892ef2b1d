"""User indexes: full-text and vector indexes that a graph has of its own, for what its texts say and for what is alike.

Comes in: a graph, its schema, and an encoder. Goes out: the texts that say something, found by the words of a full-text
index and by the embeddings of a vector index, without anything being indexed first. Which encoder made embeddings that
stand in a graph is written nowhere: it is tried. Where the encoder makes of a few texts what stands beside them, it is
the one; else a full-text index is asked alone, and what it finds is put in order by this encoder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import Any

import numpy as np

from kgneo.encoders.encoder import Encoder
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.passages import LIKE, Passage, TextKey, fused, passages_of, telling_words, text_keys
from kgneo.graph.schema import Schema
from kgneo.graph.shape import Shape

TRIED = 5
"""Texts of which it is tried whether the encoder makes the embeddings that stand beside them."""
SAME = 0.97
"""Cosine from which an embedding is taken to be the encoder's of a text: roundings differ, encoders much more."""
MOST = 200
"""Nodes that an index is asked for."""
ENCODED = 40
"""Texts that are encoded for one question, where a graph has no embeddings of theirs that are of use."""


@dataclass(frozen=True, slots=True)
class UserIndex:
    """An index over nodes: of which labels and properties, and, of a vector index, how long its vectors are."""

    name: str
    labels: tuple[str, ...]
    keys: tuple[str, ...]
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class IndexedText:
    """A property with texts, the full-text index that has its words, and the vector index that has its embeddings with
    the property where these stand; empty where there is none."""

    text: TextKey
    words: str = ""
    meanings: str = ""
    embedding: str = ""


@dataclass(frozen=True, slots=True)
class _Hit:
    """A text of a node, with its rank by words and by meaning, from 0; None where it was not found so."""

    node: str
    text: TextKey
    content: str
    likeness: float | None = None
    by_words: int | None = None
    by_meaning: int | None = None

    @property
    def score(self) -> float:
        return fused(self.by_words, self.by_meaning)


def user_indexes(graph: Graph) -> tuple[UserIndex, ...]:
    """The indexes over nodes that are not kgneo's own. Raises GraphError."""
    return tuple(
        UserIndex(row["name"], tuple(row["labels"] or ()), tuple(row["keys"] or ()), int(row["dimensions"] or 0))
        for row in graph.read(query("user_indexes"))
    )


class UserTexts:
    """The texts of a graph that indexes of its own have."""

    def __init__(self, graph: Graph, schema: Schema, shape: Shape, indexes: Sequence[UserIndex]) -> None:
        self._graph, self._schema, self._shape, self._indexes = graph, schema, shape, indexes
        self.encoder: Encoder | None = None
        """The encoder that is there already, if any."""

    def use(self, encoder: Encoder) -> None:
        """Take an encoder that is there already."""
        if self.encoder is None or self.encoder.fingerprint != encoder.fingerprint:
            self.encoder = encoder
            self.__dict__.pop("_embedded", None)

    @cached_property
    def keys(self) -> tuple[TextKey, ...]:
        """The properties whose texts an index has."""
        every = text_keys(self._schema, self._shape)
        return tuple(key for key in every if self._words_of(key) or self._vectors_of(key.label))

    def _words_of(self, key: TextKey) -> str:
        """The name of the full-text index that has the words of a text; empty for none."""
        over = (item for item in self._indexes if not item.dimensions and key.label in item.labels)
        return next((item.name for item in over if key.key in item.keys), "")

    def _vectors_of(self, label: str) -> list[UserIndex]:
        return [item for item in self._indexes if item.dimensions and label in item.labels]

    @cached_property
    def _embedded(self) -> tuple[IndexedText, ...]:
        """The texts, each with the indexes that can be asked with this encoder."""
        meanings = dict(self._meanings())
        found = [IndexedText(key, self._words_of(key), *meanings.get(key, ("", ""))) for key in self.keys]
        return tuple(item for item in found if item.words or item.meanings)

    def _meanings(self) -> Iterator[tuple[TextKey, tuple[str, str]]]:
        """Texts whose embeddings the encoder makes, with the vector index and the property that has them."""
        for label in dict.fromkeys(key.label for key in self.keys):
            for index in self._vectors_of(label):
                likeness, key = max(
                    ((self._likeness(key, index), key) for key in self.keys if key.label == label),
                    key=lambda pair: pair[0],
                )
                if likeness >= SAME:
                    yield key, (index.name, index.keys[0])

    def _likeness(self, key: TextKey, index: UserIndex) -> float:
        """How like the embeddings in an index are to those that the encoder makes of a text, in the middle of some."""
        if self.encoder is None or index.dimensions != self.encoder.dimensions:
            return 0.0
        read = fill("user_embedded", label=key.label, embedding=index.keys[0], key=key.key)
        rows = [row for row in self._graph.read(read, limit=TRIED) if isinstance(row["text"], str)]
        made = self.encoder.encode([row["text"] for row in rows])
        found = [_cosine(one, _numbers(row["embedding"])) for one, row in zip(made, rows, strict=True)]
        return median(found) if found else 0.0

    def nearest(self, text: str, *, among: Sequence[str] | None = None, key: str = "") -> list[Passage]:
        """One passage of each node that says something like `text`, best first: by their ranks by words and by meaning.
        `among` are the nodes that are looked at, `key` the property whose texts are."""
        if self.encoder is None:
            return []
        vector = np.asarray(self.encoder.encode([text], query=True)[0], dtype=np.float32)
        words = list(dict.fromkeys(telling_words(text)))
        hits = [
            hit
            for item in self._embedded
            if key in ("", item.text.key)
            for hit in self._hits(item, words, vector, among)
        ]
        least = LIKE * max((hit.likeness or 0.0 for hit in hits), default=0.0)
        best: dict[str, Passage] = {}
        for hit in sorted(hits, key=lambda hit: (-hit.score, hit.node)):
            literal = all(word in telling_words(hit.content) for word in words)
            if literal or (hit.likeness or 0.0) >= least:
                best.setdefault(hit.node, _passage(hit, words, literal=literal))
        return list(best.values())

    def _hits(
        self, item: IndexedText, words: Sequence[str], vector: np.ndarray[Any, Any], among: Sequence[str] | None
    ) -> Iterable[_Hit]:
        """The texts of a property that are found by words, or by meaning."""
        found: dict[str, _Hit] = {}
        ids = None if among is None else list(among)
        for rank, row in enumerate(self._by_meaning(item, vector, ids)):
            found[row["id"]] = _Hit(row["id"], item.text, row["text"], float(row["likeness"]), None, rank)
        for rank, row in enumerate(self._by_words(item, words, ids)):
            there = found.get(row["id"], _Hit(row["id"], item.text, row["text"]))
            found[row["id"]] = replace(there, by_words=rank)
        return self._put_in_order([hit for hit in found.values() if isinstance(hit.content, str)], vector)

    def _by_meaning(
        self, item: IndexedText, vector: np.ndarray[Any, Any], ids: list[str] | None
    ) -> Sequence[Mapping[str, Any]]:
        if not item.meanings:
            return []
        told = {"embedding": item.embedding, "vector": vector.tolist(), "key": item.text.key, "label": item.text.label}
        if ids is not None:
            return self._graph.read(query("user_meanings_of"), ids=ids, **told)
        return self._graph.read(query("user_meanings"), index=item.meanings, limit=MOST, **told)

    def _by_words(self, item: IndexedText, words: Sequence[str], ids: list[str] | None) -> Sequence[Mapping[str, Any]]:
        if not item.words or not words:
            return []
        return self._graph.read(
            query("user_words"),
            index=item.words,
            words=" ".join(f'"{word}"' for word in words),
            limit=MOST if ids is None else MOST * 10,
            ids=ids,
            key=item.text.key,
            label=item.text.label,
        )

    def _put_in_order(self, hits: Sequence[_Hit], vector: np.ndarray[Any, Any]) -> list[_Hit]:
        """Texts of which no embedding is of use, by what this encoder makes of the first of them."""
        assert self.encoder is not None
        known = [hit for hit in hits if hit.likeness is not None]
        first = sorted((hit for hit in hits if hit.likeness is None), key=lambda hit: hit.by_words or 0)[:ENCODED]
        if not first:
            return known
        made = self.encoder.encode([hit.content for hit in first])
        likest = [replace(hit, likeness=_cosine(one, vector)) for hit, one in zip(first, made, strict=True)]
        if known:  # found by words alone, beside others that the vector index has
            return [*known, *likest]
        order = sorted(likest, key=lambda hit: -(hit.likeness or 0.0))
        return [replace(hit, by_meaning=rank) for rank, hit in enumerate(order)]

    def notes(self) -> tuple[str, ...]:
        """By which indexes texts are found."""
        names = [name for item in self._embedded for name in (item.words, item.meanings) if name]
        return (f"By indexes of the graph's own: {', '.join(dict.fromkeys(names))}.",) if names else ()

    def first(self, nodes: Sequence[str]) -> list[Passage]:
        """The first passage of each of some nodes that have one, in their order."""
        found: dict[str, Passage] = {}
        for row in self._graph.read(query("nodes_by_ids"), ids=list(nodes)):
            own = dict(row["properties"])
            for key in self.keys:
                text = own.get(key.key) if key.label in row["labels"] else None
                if isinstance(text, str) and text.strip():
                    found.setdefault(row["id"], Passage(row["id"], key.key, passages_of(text)[0]))
        return [found[node] for node in nodes if node in found]


def _passage(hit: _Hit, words: Sequence[str], *, literal: bool) -> Passage:
    """The part of a text that has most of the words."""
    parts = passages_of(hit.content)
    part = max(parts, key=lambda part: len({*telling_words(part)} & {*words}))
    return Passage(hit.node, hit.text.key, part, round(hit.likeness or 0.0, 3), literal)


def _numbers(embedding: Any) -> Sequence[float]:
    """The numbers of an embedding: of a list, or of what the driver makes of a VECTOR."""
    return embedding if isinstance(embedding, list) else embedding.to_native()


def _cosine(one: Any, other: Any) -> float:
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / size if size else 0.0
