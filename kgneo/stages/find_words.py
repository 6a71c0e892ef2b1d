"""Find words: what of a question is in the graph, for a model that writes a query.

Comes in: a question and its entities. Goes out: values as the graph has them, with their label or relationship type and
key; what words that were learned stand for; and what of the schema the question speaks of at all, by which a long
schema is cut. All are found as reading finds them, in the graph's dictionary and by the fits of words to names.

A wrong hint is worse than none, since a model follows it. So a value is told where the question has it word for word,
or is like it in what is quoted, has a capital letter or a digit; never for a word that is a name in the schema, nor for
a mere number. And no name of the schema is told for a word that is only like it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kgneo.context import Context
from kgneo.english.names import name_words, same_whole_root
from kgneo.english.numbers import is_number
from kgneo.errors import EntityNotFound
from kgneo.graph.implied import NAME
from kgneo.graph.shape import LOADED_LABEL
from kgneo.model import TopicEntity
from kgneo.reading.fits import Fits, key_name
from kgneo.reading.heard import Heard
from kgneo.reading.lexicon import EMPTY
from kgneo.reading.mentions import Meaning, Mention
from kgneo.stages.apply_learned import taught
from kgneo.stages.facts import one_line
from kgneo.stages.interpret import Reading, reading
from kgneo.stages.told_terms import told_terms
from kgneo.text import fold

NEAR = 0.8
"""What a meaning must be worth of the best one's score to be given beside it."""
MEANINGS = 3
"""Meanings of one piece of the question, and values of one property for it."""
SPOKEN = 0.3
"""How well the words of a question must fit a name of the schema together for it to be among what is spoken of."""
QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’|(?<!\w)'([^']+)'(?!\w)")
WORD = re.compile(r"[^\W_]+")
CHOICE = re.compile(r",? (?:or|and) |, ")
"""What stands between values of one property."""


@dataclass(frozen=True, slots=True)
class GraphValue:
    """A text that nodes with the label `owner`, or relationships of that type, have in their property `key`; `like`:
    the words of the question that it is only like."""

    text: str
    owner: str
    key: str
    of_edge: bool = False
    like: str = ""

    @property
    def told(self) -> str:
        """Where it stands, in words."""
        return _place(self.owner, self.key, self.of_edge)


@dataclass(frozen=True, slots=True)
class FoundWords:
    """What of a question is in a graph: `values`, each once, in the question's order, then names of entities besides;
    `names` of the schema, as a prompt tells them, by the words that were learned to name them; `spoken`, the labels and
    relationship types that the question speaks of, the likeliest first; what the graph's `terms` say of its words, a
    line for each."""

    values: tuple[GraphValue, ...] = ()
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spoken: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The values and the names as a prompt tells them, a line for each."""
        places: dict[tuple[str, str], list[str]] = defaultdict(list)
        for value in self.values:
            places[value.text, value.like].append(value.told)
        lines = [f"{_said(text, like)} in the graph: {'; '.join(where)}." for (text, like), where in places.items()]
        lines += [f'"{one_line(text)}" may mean {", or ".join(meanings)}.' for text, meanings in self.names]
        return "\n".join([*lines, *self.terms])


def _said(text: str, like: str) -> str:
    return f'"{one_line(text)}"' + (f' (the question has "{one_line(like)}") is' if like else " is")


def find_words(question: str, topics: Sequence[TopicEntity], context: Context, *, roots: bool = False) -> FoundWords:
    """What of `question` is in the graph's values and in its schema. With `roots`, words that share one with a name of
    the schema are among its `names`: a large model sees that by itself, a small one does not."""
    known = reading(context)
    heard = _heard(question, known) if known else None
    if known is None or heard is None:
        return FoundWords(tuple(value for topic in topics for value in named(topic, context)))
    # A graph of plain triples has the classes that reading knows in no schema, and names are all its values.
    classes = known.implied is None
    marks = _Marks(question, heard)
    mentions = sorted([*heard.mentions, *heard.compared, *heard.alike], key=lambda item: item.start) if classes else []
    values = [value for mention in mentions for value in _values(mention, marks)]
    values += [value for topic in topics for value in _of_topic(topic, values, marks, context)]
    found: dict[tuple[str, str, str], GraphValue] = {}
    for value in values:
        found.setdefault((value.text, value.owner, value.key), value)
    names = dict(_rooted(heard, classes=classes)) if roots else {}
    names |= dict(_learned(heard, context, classes=classes))
    terms = tuple(told_terms(question, context, known.fits.vocabulary))
    return FoundWords(tuple(found.values()), tuple(names.items()), _spoken(heard, values), terms)


def _heard(question: str, known: Reading) -> Heard | None:
    try:
        return Heard(question, known.fits, known.dictionary)
    except EntityNotFound:
        return None


class _Marks:
    """What in a question's text marks a name: quotes, capital letters, digits."""

    def __init__(self, question: str, heard: Heard) -> None:
        self.heard = heard
        self.quoted = [match.span() for match in QUOTED.finditer(question)]
        telling = [word for word in heard.words[1:] if len(word.text) > 1]
        self._capitals = 2 * sum(word.text[:1].isupper() for word in telling) <= len(telling)
        """Whether capitals say something: not where most words have one."""

    def span_of(self, text: str) -> tuple[int, int]:
        """Where a piece of the question stands."""
        start = max(self.heard.text.find(text), 0)
        return start, start + len(text)

    def is_quoted(self, span: tuple[int, int]) -> bool:
        return any(start <= span[0] and span[1] <= end for start, end in self.quoted)

    def is_marked(self, span: tuple[int, int]) -> bool:
        """Whether a piece says that it is a name: a capital at the question's begin says nothing."""
        if self.is_quoted(span):
            return True
        inside = [word for word in self.heard.words if span[0] <= word.start < span[1]]
        return any(
            any(map(str.isdigit, word.text)) or (self._capitals and word.text[:1].isupper() and word.start > 0)
            for word in inside
        )


def _values(mention: Mention, marks: _Marks) -> Iterator[GraphValue]:
    """The values that a piece of the question surely speaks of."""
    meanings = [meaning for meaning in mention.meanings if meaning.kind == "value" and meaning.key is not None]
    said = marks.heard.words_of(mention)
    span = marks.heard.words[mention.start].start, marks.heard.words[mention.end - 1].end
    quoted = marks.is_quoted(span)
    if not meanings or (not quoted and _says_no_value(said, marks.heard.fits)):
        return
    found = [value for meaning in meanings for value in _of_meaning(meaning)]
    parts = [said, *CHOICE.split(said)]
    exact = [value for value in found if any(is_same(value.text, part) for part in parts) or _is_date(value, meanings)]
    if exact:
        yield from exact[: MEANINGS * MEANINGS]
    elif quoted or marks.is_marked(span):
        best = [item for item in meanings[:MEANINGS] if item.score >= NEAR * meanings[0].score]
        for value in (value for meaning in best for value in _of_meaning(meaning)):
            yield replace(value, like=said)


def _of_meaning(meaning: Meaning) -> Iterator[GraphValue]:
    texts = [value for value in meaning.values if isinstance(value, str)]
    for text in texts[:MEANINGS] if meaning.key else ():
        assert meaning.key is not None
        yield GraphValue(text, meaning.owner, meaning.key.key, meaning.key.of_edge)


def _is_date(value: GraphValue, meanings: Sequence[Meaning]) -> bool:
    """Whether a value is a date: one is found only where the question says the same one."""
    keys = (item.key for item in meanings if item.key and item.owner == value.owner)
    return any(key.key == value.key and key.kind == "date" for key in keys)


def _says_no_value(said: str, fits: Fits) -> bool:
    """Whether a piece is a name in the schema, or a mere number, which many properties have, and a model can spell."""
    words = [word.lower() for word in WORD.findall(said)]
    if is_number(said.replace(",", "")) or not words:
        return True
    keys = [name for key in fits.keys for name in (key.key, key_name(key))]
    names = {*fits.labels, *map(fits.vocabulary.readable, fits.relations), *keys}
    return any(_are_same(words, name_words(name)) for name in names)


def _are_same(words: Sequence[str], name: Sequence[str]) -> bool:
    return len(words) == len(name) and all(map(same_whole_root, words, name))


def is_same(value: str, said: str) -> bool:
    """Whether a value is what was said, but for capitals, accents, punctuation and number, or all before its first
    comma or bracket is."""
    words = WORD.findall(fold(said))
    for text in (value, value.split(" (")[0], value.split(", ")[0]):
        own = WORD.findall(fold(text))
        if own == words or _are_same(words, own):
            return bool(own)
    return False


def _of_topic(
    topic: TopicEntity, values: Collection[GraphValue], marks: _Marks, context: Context
) -> Iterator[GraphValue]:
    """The name of an entity where it says more than `values` do."""
    words = set(WORD.findall(fold(topic.matched)))
    told = {word for value in values if not value.like for word in WORD.findall(fold(value.text))}
    if words <= told:
        return
    same = is_same(topic.entity.name, topic.matched)
    span = marks.span_of(topic.matched)
    if not marks.is_quoted(span) and _says_no_value(topic.matched, marks.heard.fits):
        return
    if same:
        yield from named(topic, context)
    elif marks.is_marked(span) and not words & told:
        yield from (replace(value, like=topic.matched) for value in named(topic, context))


def named(topic: TopicEntity, context: Context) -> Iterator[GraphValue]:
    """The name of an entity, for each of its labels with the property that holds it; without any where none does."""
    name, labels = topic.entity.name, topic.entity.labels
    if context.shape.loaded:
        yield from (GraphValue(name, label, NAME) for label in (LOADED_LABEL, *labels))
        return
    display = {label: keys[0] for label, keys in context.shape.display.items() if len(keys) == 1}
    found = [GraphValue(name, label, display[label]) for label in labels if label in display]
    yield from found or [GraphValue(name, "", "")]


def _learned(heard: Heard, context: Context, *, classes: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words that were learned to name something in the schema, in the question's order, with what that is; without
    `classes`, relationship types alone."""
    lessons = taught(context)
    lexicon = lessons.lexicon if lessons else EMPTY
    for index in heard.telling:
        word = heard.plain[index]
        found = [_place(name) for name in sorted(lexicon.names("label", word))] if classes else []
        found += [f"relationship type {name}" for name in sorted(lexicon.names("relation", word))]
        keys = {f"{key.owner}.{key.key}": key for key in heard.fits.keys} if classes else {}
        known = [keys[name] for name in sorted(lexicon.names("key", word)) if name in keys]
        found += [_place(key.owner, key.key, key.of_edge) for key in known]
        if found and index not in heard.taken:
            yield heard.words[index].text, tuple(dict.fromkeys(found))[:MEANINGS]


def _rooted(heard: Heard, *, classes: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words that share a root with a name in the schema, with what that names."""
    fits = heard.fits
    for index in heard.telling:
        word = heard.plain[index]
        found = [_place(label) for label in fits.labels if _shares_root(word, label)] if classes else []
        keys = [key for key in fits.keys if _shares_root(word, key_name(key))] if classes else []
        found += [_place(key.owner, key.key, key.of_edge) for key in keys]
        found += [f"relationship type {name}" for at, name in enumerate(fits.relations) if fits.has_root(word, at)]
        if found and index not in heard.taken:
            yield heard.words[index].text, tuple(dict.fromkeys(found))[:MEANINGS]


def _shares_root(word: str, name: str) -> bool:
    return any(same_whole_root(word, own) for own in name_words(name))


def _spoken(heard: Heard, values: Sequence[GraphValue]) -> tuple[str, ...]:
    """The labels and relationship types that the words of a question fit, the best first. A word that fits many of
    them says little of each."""
    scores: dict[str, float] = defaultdict(float)
    for value in values:
        scores[value.owner] += 1.0
    for index in heard.telling:
        for owner, score in _fitting(heard.plain[index], heard.fits).items():
            scores[owner] += score
    found = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(name for name, score in found if name and score >= SPOKEN)


def _fitting(word: str, fits: Fits) -> Mapping[str, float]:
    """How well a word fits each label and relationship type, or a property of one."""
    found: dict[str, float] = defaultdict(float)
    for label, fit in fits.label(word).items():
        found[label] = max(found[label], fit)
    for relation, fit in zip(fits.relations, map(float, fits.of(word)[1]), strict=True):
        found[relation] = max(found[relation], fit)
    for key, fit in fits.key(word).items():
        found[key.owner] = max(found[key.owner], NEAR * fit)
    best = max(found.values(), default=0.0)
    many = sum(fit >= NEAR * best for fit in found.values())
    return {owner: fit / many**0.5 for owner, fit in found.items() if fit >= max(SPOKEN, NEAR * best)}


def _place(owner: str, key: str = "", of_edge: bool = False) -> str:
    """A label or relationship type, or a property of its, in words."""
    where = f"{'relationship type' if of_edge else 'label'} {owner}" if owner else "any node"
    return f"{where}, property {key}" if key else where
