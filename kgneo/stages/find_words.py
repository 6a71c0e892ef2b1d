"""Find words: what of a question is in the graph, for a model that writes a query.

Comes in: a question and its entities. Goes out: values as the graph has them, with their label or relationship type and
key; and what the other words may name in the schema (schema linking, as the field calls it). Both are found as reading
finds them, in the graph's dictionary and by the fits of words to names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.errors import EntityNotFound
from kgneo.graph.implied import NAME
from kgneo.graph.shape import LOADED_LABEL
from kgneo.model import TopicEntity
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning, Mention
from kgneo.stages.interpret import Reading, reading

NEAR = 0.8
"""What a meaning must be worth of the best one's score to be given beside it."""
LIKELY = 0.5
"""How well a word must fit a name of the schema."""
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
        return _place(self.owner, self.key, self.of_edge)


@dataclass(frozen=True, slots=True)
class FoundWords:
    """What of a question is in a graph: `values`, each once, in the question's order, then names of entities besides;
    `names` of the schema, as a prompt tells them, by the words that may name them."""

    values: tuple[GraphValue, ...] = ()
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()


def find_words(question: str, topics: Sequence[TopicEntity], context: Context) -> FoundWords:
    """What of `question` is in the graph's values and in its schema."""
    known = reading(context)
    heard = _heard(question, known) if known else None
    if known is None or heard is None:
        return FoundWords(tuple(value for topic in topics for value in named(topic, context)))
    # A graph of plain triples has the classes that reading knows in no schema, and names are all its values.
    classes = known.implied is None
    found = tuple(dict.fromkeys(_values(heard))) if classes else ()
    texts = {value.text for value in found}
    besides = (value for topic in topics for value in named(topic, context) if value.text not in texts)
    return FoundWords((*found, *besides), tuple(_names(heard, classes=classes)))


def _heard(question: str, known: Reading) -> Heard | None:
    try:
        return Heard(question, known.fits, known.dictionary)
    except EntityNotFound:
        return None


def _values(heard: Heard) -> Iterator[GraphValue]:
    for mention in heard.mentions:
        best = [meaning for meaning in mention.meanings if meaning.kind == "value" and meaning.key is not None]
        for meaning in best[:MEANINGS]:
            if meaning.score >= NEAR * best[0].score and meaning.key is not None:
                texts = (value for value in meaning.values if isinstance(value, str))
                yield from (GraphValue(text, meaning.owner, meaning.key.key, meaning.key.of_edge) for text in texts)


def named(topic: TopicEntity, context: Context) -> Iterator[GraphValue]:
    """The name of an entity, for each of its labels with the property that holds it; without any where none does."""
    name, labels = topic.entity.name, topic.entity.labels
    if context.shape.loaded:
        yield from (GraphValue(name, label, NAME) for label in (LOADED_LABEL, *labels))
        return
    display = {label: keys[0] for label, keys in context.shape.display.items() if len(keys) == 1}
    found = [GraphValue(name, label, display[label]) for label in labels if label in display]
    yield from found or [GraphValue(name, "", "")]


def _names(heard: Heard, *, classes: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words beside values that may name something in the schema, in the question's order, with what that is;
    without `classes`, relationship types alone."""
    kinds = [item for item in heard.mentions if item.meanings[0].kind == "label"]
    mentions = (*heard.key_mentions, *kinds) if classes else ()
    said = {index: item for item in mentions for index in range(item.start, item.end)}
    for index in heard.telling:
        mentioned = said.get(index)
        if index not in heard.taken and (mentioned is None or mentioned.start == index):
            fitting = sorted(_fitting(heard, index, mentioned), key=lambda item: -item[0])
            best = [told for score, told in fitting if score >= max(LIKELY, NEAR * fitting[0][0])]
            if best:
                text = heard.words_of(mentioned) if mentioned else heard.words[index].text
                yield text, tuple(dict.fromkeys(best))[:MEANINGS]


def _fitting(heard: Heard, index: int, mentioned: Mention | None) -> Iterator[tuple[float, str]]:
    """What a word may name in the schema, with how well it fits."""
    for meaning in mentioned.meanings if mentioned else ():
        yield meaning.score, _meant(meaning)
    fits = heard.fits.of(heard.plain[index])[1]
    yield from ((float(fit), f"relationship type {name}") for name, fit in zip(heard.fits.relations, fits, strict=True))


def _meant(meaning: Meaning) -> str:
    key = meaning.key
    return _place(meaning.owner, key.key, key.of_edge) if key else _place(meaning.owner)


def _place(owner: str, key: str = "", of_edge: bool = False) -> str:
    """A label or relationship type, or a property of its, in words."""
    where = f"{'relationship type' if of_edge else 'label'} {owner}" if owner else "any node"
    return f"{where}, property {key}" if key else where
