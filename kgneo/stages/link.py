"""Link: the topic entities of a question.

In this order: names that were given, names in [brackets], names found in the text. A name is looked up as it is
written, then without regard to case and accents. In the text, every run of words is looked up at once; a name
inside a longer name that was found too is not a topic of its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kgneo.errors import EntityNotFound
from kgneo.graph import Graph
from kgneo.graph.names import NamedEntity, by_folded_name, by_name, by_words, names_of
from kgneo.model import TopicEntity
from kgneo.names import fold

LONGEST_NAME = 12
"""Words in a name that is looked for in a question."""
WORD = re.compile(r"\S+")
EDGES = " \t\n.,;:!?\"'()[]{}<>«»“”„‘’"
CONFIDENT = 0.9
NEAREST = 5


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question that names an entity: characters `start` to `end`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A question without its brackets, its topic entities, and where they are mentioned (same order; a given
    entity that the text does not name has no mention)."""

    text: str
    topics: tuple[TopicEntity, ...] = ()
    mentions: tuple[Mention | None, ...] = field(default=())

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """The database's ids of the topic entities."""
        return tuple(topic.entity.id for topic in self.topics)


def link(graph: Graph, question: str, *, entities: Sequence[str] = ()) -> LinkedQuestion:
    """Find the topic entities of `question`; `entities` names them where the user did.

    Raises EntityNotFound, with the nearest names, when a given or bracketed name is not in the graph or nothing
    in the text is.
    """
    text, mentions = unbracket(question)
    if entities:
        return _linked(graph, text, [_mention_of(name, text) or name for name in entities])
    if mentions:
        return _linked(graph, text, list(mentions))
    return _in_text(graph, text)


def unbracket(question: str) -> tuple[str, tuple[Mention, ...]]:
    """The question without its outermost brackets, and what stood in them. A bracket without its partner stays."""
    text = ""
    mentions: list[Mention] = []
    position = 0
    for start, end in _bracketed(question):
        text += question[position:start]
        name = question[start + 1 : end]
        mentions.append(Mention(name, len(text), len(text) + len(name)))
        text += name
        position = end + 1
    return text + question[position:], tuple(mentions)


def _bracketed(question: str) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    open_at: list[int] = []
    for index, character in enumerate(question):
        if character == "[":
            open_at.append(index)
        elif character == "]" and open_at:
            start = open_at.pop()
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            if question[start + 1 : index].strip():
                pairs.append((start, index))
    return pairs


def _mention_of(name: str, text: str) -> Mention | None:
    start = text.casefold().find(name.casefold())
    return Mention(name, start, start + len(name)) if start >= 0 else None


def _linked(graph: Graph, text: str, named: Sequence[Mention | str]) -> LinkedQuestion:
    names = [item.text if isinstance(item, Mention) else item for item in named]
    exact = by_name(graph, names)
    folded = by_folded_name(graph, [name for name in names if name not in exact])
    topics: list[TopicEntity] = []
    for name in names:
        found = [exact[name]] if name in exact else folded.get(fold(name), [])
        if not found:
            raise not_found(graph, name)
        score = 1.0 if name in exact else 0.95
        topics.append(TopicEntity(found[0].entity, name, score))
    mentions = tuple(item if isinstance(item, Mention) else None for item in named)
    return LinkedQuestion(text, tuple(topics), mentions)


def not_found(graph: Graph, name: str) -> EntityNotFound:
    """The error for a name that the graph does not hold, with the names most like it."""
    nearest = names_of(by_words(graph, name, limit=NEAREST))
    hint = f"Nearest names: {', '.join(nearest)}." if nearest else "No name in the graph is like it."
    return EntityNotFound(f"The graph has no entity named {name!r}.", nearest=nearest, hint=hint)


def _in_text(graph: Graph, text: str) -> LinkedQuestion:
    spans = _spans(text)
    found = by_folded_name(graph, {mention.text for mention in spans})
    hits = [(mention, found[fold(mention.text)]) for mention in spans if fold(mention.text) in found]
    chosen = _longest(hits)
    if chosen:
        topics = tuple(TopicEntity(entities[0].entity, mention.text, CONFIDENT) for mention, entities in chosen)
        return LinkedQuestion(text, topics, tuple(mention for mention, _ in chosen))
    nearest = names_of(by_words(graph, text, limit=NEAREST))
    hint = "Put the entity's name in [brackets], or give it with --entity."
    if nearest:
        hint += f" Names in the graph like words of the question: {', '.join(nearest)}."
    raise EntityNotFound("No entity of the graph was found in the question.", nearest=nearest, hint=hint)


def _spans(text: str) -> list[Mention]:
    """Every run of up to twelve words, without the punctuation around it."""
    words = list(WORD.finditer(text))
    spans: dict[tuple[int, int], Mention] = {}
    for first in range(len(words)):
        for last in range(first, min(first + LONGEST_NAME, len(words))):
            raw = text[words[first].start() : words[last].end()]
            for piece in (raw, raw.strip(EDGES), raw.strip(EDGES).removesuffix("'s").removesuffix("’s")):
                start = words[first].start() + raw.find(piece)
                if piece:
                    spans[start, start + len(piece)] = Mention(piece, start, start + len(piece))
    return list(spans.values())


def _longest(hits: Sequence[tuple[Mention, list[NamedEntity]]]) -> list[tuple[Mention, list[NamedEntity]]]:
    """Hits that do not overlap, longest first; all of those with a capital, else the longest alone."""
    chosen: list[tuple[Mention, list[NamedEntity]]] = []
    for mention, entities in sorted(hits, key=lambda hit: (hit[0].start - hit[0].end, -hit[1][0].degree)):
        if all(mention.end <= other.start or mention.start >= other.end for other, _ in chosen):
            chosen.append((mention, entities))
    named = [hit for hit in chosen if _looks_like_a_name(hit[0], hit[1])]
    return sorted(named or chosen[:1], key=lambda hit: hit[0].start)


def _looks_like_a_name(mention: Mention, entities: Sequence[NamedEntity]) -> bool:
    """Written as the graph writes it, with a capital that does not merely begin the question, or a number."""
    written = any(named.entity.name == mention.text for named in entities)
    capital = any(character.isupper() for character in mention.text[1 if mention.start == 0 else 0 :])
    return written and (capital or any(character.isdigit() for character in mention.text))
