"""Examples: questions with the relation path that answers them, kept in the graph.

Each is a node `(:KgneoExample {text, question, path, hops, answers, count, fingerprint, kgneo_embedding})`, tied to
nothing of the user's graph: `text` is the question with its topic entity masked, `count` how many questions had this
text and path. A vector index over them finds those that are like a new question. What was learned from all of them
together, the weights of the scorer, is the one node `:KgneoScorer`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgneo.encoders.encoder import Vectors
from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import query
from kgneo.graph.embeddings import pack
from kgneo.graph.readable import readable
from kgneo.model import Hop, RelationPath, path_keys
from kgneo.text import digest

INDEX_NAME = "kgneo_examples"
BATCH = 500
INDEX_TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Example:
    """A masked question with the path that answers it. `question` and `entity` are one question of that text as it
    was given, `answers` how many answers it has, `count` how many questions of this text and path were learned."""

    text: str
    path: RelationPath
    question: str
    entity: str
    answers: int
    count: int = 1

    @property
    def key(self) -> str:
        """The same for the same text and path."""
        return digest(json.dumps([self.text.casefold(), path_keys(self.path)]))


@dataclass(frozen=True, slots=True)
class SimilarExample:
    """An example with its similarity (cosine, -1..1) to a question."""

    example: Example
    similarity: float


def store(graph: Graph, examples: Sequence[Example], vectors: Vectors, *, fingerprint: str) -> None:
    """Write `examples` with their `vectors` (n × dimensions) and make sure that the index covers them.

    An example of a text and path that is there already replaces it; the larger count stays.
    """
    graph.schema(query("examples_constraint"))
    _create_index(graph, vectors.shape[1])
    packed = pack(graph, vectors)
    for start in range(0, len(examples), BATCH):
        pairs = zip(examples[start : start + BATCH], packed[start : start + BATCH], strict=True)
        rows = [{"key": example.key, "vector": vector, "fields": _fields(example)} for example, vector in pairs]
        graph.write(query("examples_write"), rows=rows, fingerprint=fingerprint)
    graph.read(query("await_indexes"), seconds=INDEX_TIMEOUT, timeout=INDEX_TIMEOUT)


def _create_index(graph: Graph, dimensions: int) -> None:
    """An index made for vectors of other dimensions is made anew."""
    rows = graph.schema(query("examples_index_list"), name=INDEX_NAME)
    if any(row["dimensions"] != dimensions for row in rows):
        graph.schema(query("examples_index_drop"))
    config = {"vector.dimensions": dimensions, "vector.similarity_function": "cosine"}
    graph.schema(query("examples_index"), options={"indexConfig": config})


def _fields(example: Example) -> dict[str, object]:
    return {
        "text": example.text,
        "path": str(example.path),
        "hops": json.dumps([[hop.relation, hop.forward, hop.value, hop.labels] for hop in example.path.hops]),
        "question": example.question,
        "entity": example.entity,
        "answers": example.answers,
        "count": example.count,
    }


def _example(row: Row) -> Example:
    hops = (
        Hop(relation, forward, tuple(labels), value) for relation, forward, value, labels in json.loads(row["hops"])
    )
    path = RelationPath(tuple(hops))
    texts = str(row["text"]), path, str(row["question"]), str(row["entity"])
    return Example(*texts, int(row["answers"]), int(row["count"]))


def all_examples(graph: Graph, *, fingerprint: str | None = None) -> list[Example]:
    """Every example, those of most questions first; with `fingerprint` only those encoded by that encoder."""
    rows = graph.read(query("examples_all"), fingerprint=fingerprint)
    return list(readable((row["example"] for row in rows), _example))


def count_examples(graph: Graph, *, fingerprint: str) -> int:
    """How many examples were encoded by the encoder of that fingerprint."""
    return int(graph.read(query("examples_count"), fingerprint=fingerprint)[0]["examples"])


def nearest_examples(
    graph: Graph, vectors: Vectors, *, fingerprint: str, limit: int = 30
) -> list[list[SimilarExample]]:
    """For each of `vectors` (n × dimensions, of length 1) the examples most like it, best first."""
    rows = graph.read(
        query("examples_nearest"),
        vectors=pack(graph, vectors),
        index=INDEX_NAME,
        limit=limit,
        fingerprint=fingerprint,
    )
    found: list[list[SimilarExample]] = [[] for _ in vectors]
    for number, similar in readable(rows, _similar):
        found[number].append(similar)
    return found


def _similar(row: Row) -> tuple[int, SimilarExample]:
    return row["number"], SimilarExample(_example(row["example"]), 2 * row["score"] - 1)


def remove_examples(graph: Graph, keys: Sequence[str] | None = None) -> int:
    """Remove the examples of these keys (None: all, with their index and the scorer); how many there were."""
    removed = int(graph.write(query("examples_remove"), keys=keys)[0]["removed"])
    if keys is None:
        graph.write(query("examples_scorer_remove"))
        graph.schema(query("examples_index_drop"))
        graph.schema(query("examples_constraint_drop"))
    return removed


def write_scorer(graph: Graph, scorer: Mapping[str, object] | None) -> None:
    """Keep what was learned from all examples (None: nothing)."""
    graph.write(query("examples_scorer_remove"))
    if scorer is not None:
        graph.write(query("examples_scorer_write"), scorer=json.dumps(scorer))


def read_scorer(graph: Graph) -> dict[str, object] | None:
    """What `write_scorer` kept."""
    rows = graph.read(query("examples_scorer_read"))
    return next(readable(rows[:1], lambda row: dict(json.loads(row["scorer"]))), None)
