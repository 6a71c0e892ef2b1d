"""Recall: the learned questions that are most like a new one, with the relations that answered them.

`kgneo learn` keeps them in the graph. As text they are examples in a prompt (IR-LLM section 3.1, "few-shot"); the path
that most of them have is an answer without any call (IR-LLM section 4.2, "majority query path").
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kgneo.context import Context
from kgneo.graph.examples import SimilarExample, count_examples, nearest_examples
from kgneo.model import HopKeys, RelationPath, path_keys
from kgneo.stages.choose_reading import masked_text
from kgneo.stages.facts import one_line
from kgneo.stages.link import LinkedQuestion

MEMORY = "recall"


def similar_examples(context: Context, linked: LinkedQuestion, *, limit: int) -> tuple[SimilarExample, ...]:
    """At most `limit` learned questions, those most like `linked` first, topic entities masked."""
    fingerprint = context.encoder.fingerprint
    if limit < 1 or not _learned(context, fingerprint):
        return ()
    vectors = context.encoder.encode([masked_text(linked)])
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return tuple(nearest_examples(context.graph, vectors, fingerprint=fingerprint, limit=limit)[0])


def _learned(context: Context, fingerprint: str) -> bool:
    if MEMORY not in context.memory:
        context.memory[MEMORY] = count_examples(context.graph, fingerprint=fingerprint)
    return bool(context.memory[MEMORY])


def write_examples(examples: Sequence[SimilarExample]) -> str:
    """Examples as a prompt holds them: the question and, hop by hop, the relations that answered it."""
    lines = [
        f"- {one_line(item.example.question)} → {', then '.join(str(hop) for hop in item.example.path.hops)}"
        for item in examples
    ]
    return "\n".join(["Questions that were answered before, with their relations:", *lines]) if lines else ""


def majority_path(examples: Sequence[SimilarExample]) -> RelationPath | None:
    """The path of most of `examples`; of paths that as many have, that of the nearest example."""
    votes: Counter[HopKeys] = Counter()
    paths: dict[HopKeys, RelationPath] = {}
    for item in examples:
        votes[path_keys(item.example.path)] += 1
        paths.setdefault(path_keys(item.example.path), item.example.path)
    return paths[votes.most_common(1)[0][0]] if votes else None
