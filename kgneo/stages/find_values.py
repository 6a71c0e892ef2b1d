"""Find values: what of a question is in the graph, and in which properties, for a model that writes a query.

Comes in: a question and its entities. Goes out: values as the graph has them, with their label or relationship type and
key. They are found as reading finds them, in the graph's dictionary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.errors import EntityNotFound
from kgneo.graph.implied import NAME
from kgneo.model import TopicEntity
from kgneo.reading.heard import Heard
from kgneo.stages.interpret import reading

NEAR = 0.8
"""What a meaning must be worth of the best one's score to be given beside it."""
MEANINGS = 3
"""Meanings of one piece of the question."""


@dataclass(frozen=True, slots=True)
class GraphValue:
    """A text that nodes with the label `owner`, or relationships of that type, have in their property `key`."""

    text: str
    owner: str
    key: str
    of_edge: bool = False

    @property
    def told(self) -> str:
        """Where it stands, in words."""
        kind = "relationship type" if self.of_edge else "label"
        where = f"{kind} {self.owner}" if self.owner else "any node"
        return f"{where}, property {self.key}" if self.key else where


def values_in(question: str, topics: Sequence[TopicEntity], context: Context) -> list[GraphValue]:
    """The values of the graph that `question` names, each once, in its order; then names of entities besides."""
    found = list(dict.fromkeys(_read(question, context)))
    known = {value.text for value in found}
    return found + [value for topic in topics for value in _named(topic, context) if value.text not in known]


def _read(question: str, context: Context) -> Iterator[GraphValue]:
    known = reading(context)
    if known is None or known.implied is not None:
        return
    try:
        mentions = Heard(question, known.fits, known.dictionary).mentions
    except EntityNotFound:
        return
    for mention in mentions:
        best = [meaning for meaning in mention.meanings if meaning.kind == "value" and meaning.key is not None]
        for meaning in best[:MEANINGS]:
            if meaning.score >= NEAR * best[0].score and meaning.key is not None:
                texts = (value for value in meaning.values if isinstance(value, str))
                yield from (GraphValue(text, meaning.owner, meaning.key.key, meaning.key.of_edge) for text in texts)


def _named(topic: TopicEntity, context: Context) -> Iterator[GraphValue]:
    """The name of an entity, for each of its labels with the property that holds it; without any where none does."""
    shape = context.shape
    display = {label: keys[0] for label, keys in shape.display.items() if len(keys) == 1}
    own = [label for label in topic.entity.labels if label in display or shape.loaded]
    named = [GraphValue(topic.entity.name, label, display.get(label, NAME)) for label in own]
    yield from named or [GraphValue(topic.entity.name, "", "")]
