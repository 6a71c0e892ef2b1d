"""Recall: the learned questions that are most like a new one, with the relations, or the query graphs, that answered
them.

`kgneo learn` keeps them in the graph. As text they are examples in a prompt (IR-LLM section 3.1, "few-shot"); the path
that most of them have is an answer without any call (IR-LLM section 4.2, "majority query path").
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from kgneo.context import Context
from kgneo.graph.examples import SimilarExample, count_examples, nearest_examples
from kgneo.graph.lessons import Lesson, usable_lessons
from kgneo.model import Hop, HopKeys, RelationPath, path_keys, split_value_relation
from kgneo.query.json import to_json
from kgneo.stages.choose_reading import masked_text
from kgneo.stages.facts import one_line
from kgneo.stages.interpret import is_shown
from kgneo.stages.link import LinkedQuestion
from kgneo.stages.ranking import unit_vectors

MEMORY = "recall"
LESSONS = "recalled lessons"
MOST_LESSONS = 1_000
"""Lessons that are looked at, those of most questions."""
When = Literal["failure", "always", "never"]
"""When examples are shown: after a reply that could not be used, always, never."""


def similar_examples(context: Context, linked: LinkedQuestion, *, limit: int) -> tuple[SimilarExample, ...]:
    """At most `limit` learned questions, those most like `linked` first, topic entities masked."""
    fingerprint = context.encoder.fingerprint
    if limit < 1 or not _learned(context, fingerprint):
        return ()
    vectors = unit_vectors(context, [masked_text(linked)])
    found = nearest_examples(context.graph, vectors, fingerprint=fingerprint, limit=limit)[0]
    return tuple(item for item in found if all(_is_shown(hop, context) for hop in item.example.path.hops))


def _is_shown(hop: Hop, context: Context) -> bool:
    """Whether a hop of a learned path goes by nothing that is left out of the graph."""
    relation, key = split_value_relation(hop.relation) if hop.value else (hop.relation, "")
    hidden = key and context.shape.left_out.hides_anywhere(key)
    return not hidden and (not relation or context.shape.uses(relation))


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


def similar_lessons(context: Context, question: str, *, limit: int) -> tuple[Lesson, ...]:
    """At most `limit` learned questions with their query graphs, those most like `question` first, each of another
    template. Their vectors are made once, and kept in the context."""
    if limit < 1:
        return ()
    if LESSONS not in context.memory:
        lessons = [*_verified(context), *usable_lessons(context.knowledge)][:MOST_LESSONS]
        context.memory[LESSONS] = (
            lessons,
            unit_vectors(context, [lesson.question for lesson in lessons]) if lessons else None,
        )
    known: Any = context.memory[LESSONS]
    lessons, vectors = known
    if not lessons:
        return ()
    likeness = vectors @ unit_vectors(context, [question])[0]
    found: dict[str, Lesson] = {}
    for place in np.argsort(-likeness, kind="stable"):
        found.setdefault(json.dumps(to_json(lessons[place].template)), lessons[place])
        if len(found) == limit:
            break
    return tuple(found.values())


def _verified(context: Context) -> list[Lesson]:
    """The questions of the terms that somebody verified."""
    told = context.graph.terms.questions if context.graph.terms else ()
    return [
        Lesson(item.question, item.graph, item.question, item.graph) for item in told if is_shown(context, item.graph)
    ]


def write_lessons(lessons: Sequence[Lesson]) -> str:
    """Lessons as a prompt holds them: the question, and its query graph in JSON."""
    lines = [
        f"Question: {one_line(item.question)}\n{json.dumps(to_json(item.graph), ensure_ascii=False)}"
        for item in lessons
    ]
    return "\n".join(["Questions about this graph that were answered before:", *lines]) if lines else ""
