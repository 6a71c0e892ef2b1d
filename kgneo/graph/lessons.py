"""Lessons: questions with the templates of the query graphs that they mean, kept in the graph.

Each is a node `(:KgneoLesson {text, template, graph, question, count, source})`, tied to nothing of the user's graph:
`text` is the question with its values cut out, `template` and `graph` are the query graph without and with them, as
JSON, `count` is how many questions had this text and template. `source` is empty where somebody asked, and "schema"
where kgneo drew the query graph from the graph itself. What was learned from all of them together, the weights of parts
and words, is the one node `:KgneoLearned`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgneo.graph.catalogue import catalogue
from kgneo.graph.connection import Graph, Row
from kgneo.graph.cypher import query
from kgneo.graph.open import Knowledge
from kgneo.graph.readable import readable
from kgneo.query.check import check
from kgneo.query.graph import QueryGraph
from kgneo.query.json import from_json, to_json
from kgneo.text import digest

BATCH = 500
DRAWN = "schema"
"""The source of lessons that were drawn from the graph itself."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question with the query graph that it means, and both without the values that the question names."""

    text: str
    template: QueryGraph
    question: str
    graph: QueryGraph
    count: int = 1
    source: str = ""

    @property
    def key(self) -> str:
        """The same for the same text and template."""
        return digest(json.dumps([self.text.casefold(), to_json(self.template)]))


def store_lessons(graph: Graph, lessons: Sequence[Lesson]) -> None:
    """Write `lessons`. One of a text and template that is there already replaces it; the larger count stays, and what
    somebody asked stays such."""
    graph.schema(query("lessons_constraint"))
    for start in range(0, len(lessons), BATCH):
        rows = [{"key": item.key, "fields": _fields(item)} for item in lessons[start : start + BATCH]]
        graph.write(query("lessons_write"), rows=rows)


def _fields(item: Lesson) -> dict[str, object]:
    return {
        "text": item.text,
        "template": json.dumps(to_json(item.template)),
        "question": item.question,
        "graph": json.dumps(to_json(item.graph)),
        "count": item.count,
        "source": item.source,
    }


def all_lessons(graph: Graph) -> list[Lesson]:
    """Every lesson: what somebody asked before what was drawn, those of most questions first. Those that cannot be read
    are passed over, with a warning."""
    return list(readable((row["lesson"] for row in graph.read(query("lessons_all"))), _lesson))


def _lesson(row: Row) -> Lesson:
    template, meant = (from_json(json.loads(row[name])) for name in ("template", "graph"))
    return Lesson(str(row["text"]), template, str(row["question"]), meant, int(row["count"]), str(row["source"]))


def usable_lessons(knowledge: Knowledge) -> list[Lesson]:
    """The same without those that speak of what is left out of the graph."""
    lessons = all_lessons(knowledge.graph)
    if not knowledge.shape.left_out:
        return lessons
    known = catalogue(knowledge.schema, knowledge.shape)
    return [lesson for lesson in lessons if not check(lesson.graph, known)]


def remove_lessons(graph: Graph, keys: Sequence[str] | None = None, *, source: str | None = None) -> int:
    """Remove the lessons of these keys (None: all), and of this source (None: any); how many there were. With all of
    them goes what was learned from them."""
    removed = int(graph.write(query("lessons_remove"), keys=keys, source=source)[0]["removed"])
    if keys is None and source is None:
        graph.write(query("lessons_learned_remove"))
        graph.schema(query("lessons_constraint_drop"))
    return removed


def write_learned(graph: Graph, learned: Mapping[str, Any] | None) -> None:
    """Keep what was learned from all lessons (None: nothing)."""
    graph.write(query("lessons_learned_remove"))
    if learned is not None:
        graph.write(query("lessons_learned_write"), learned=json.dumps(learned))


def read_learned(graph: Graph) -> dict[str, Any] | None:
    """What `write_learned` kept; None, too, where that cannot be read, with a warning."""
    rows = graph.read(query("lessons_learned_read"))
    return next(readable(rows[:1], lambda row: dict(json.loads(row["learned"]))), None)
