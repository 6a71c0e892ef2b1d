"""Property values among the candidates of a question: those of nodes within N - 1 hops of the topic entities."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kgneo.graph.open import Knowledge
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts
from kgneo.model import Candidate, Triple


class Reaching(Protocol):
    """What candidates are taken from; see `kgneo.graph.retrieval.Reach`."""

    @property
    def entities(self) -> tuple[str, ...]: ...

    def fill(self, name: str, /, **values: str) -> str: ...


def all_values(knowledge: Knowledge, reach: Reaching) -> list[Candidate]:
    """Every value that is a candidate, nearest first; one triple for each element of a list."""
    shape = knowledge.shape
    if not shape.values:
        return []
    rows = knowledge.graph.stream(reach.fill("candidates_values"), **_parameters(reach, shape))
    return [
        _candidate(row["id"], row["subject"], key, text, row["hop"])
        for row in rows
        for key, value in row["values"]
        if key in shape.keys_of(row["labels"])
        for text in texts(value)
    ]


def nearest_values(
    knowledge: Knowledge, reach: Reaching, vector: NDArray[np.float32], *, top_k: int
) -> list[Candidate]:
    """The `top_k` values whose embeddings are nearest to `vector`, best first. The elements of a list, which have one
    embedding together, share its score."""
    shape = knowledge.shape
    if not shape.values:
        return []
    rows = knowledge.graph.read(
        reach.fill("candidates_exact_values"),
        vector=vector.tolist(),
        norm=float(np.linalg.norm(vector)),
        top_k=top_k,
        **_parameters(reach, shape),
    )
    return [
        _candidate(row["id"], row["subject"], row["key"], text, row["hop"], row["score"])
        for row in rows
        for text in texts(row["value"])
    ]


def _parameters(reach: Reaching, shape: Shape) -> dict[str, Any]:
    return {"entities": list(reach.entities), "keys": list(shape.value_keys), **shape.parameters}


def _candidate(node: str, subject: str, key: str, text: str, hop: int, score: float | None = None) -> Candidate:
    return Candidate(Triple(subject, key, text), hop, node, subject_id=node, score=score)
