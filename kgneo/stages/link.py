"""Link: the topic entities of a question.

In this order: names that were given, names in [brackets], names found in the text. A name is looked up as it is
written, then without regard to case and accents; in the text, every run of words is looked up at once. What that
leaves open (no name, or only common words) is searched for by similar words, which finds typing errors and parts
of names.

In free text several readings are possible: a name inside a longer one, a common word that is a name, one name
for several things. `readings` gives them, each with a score; which of them makes sense shows when the rest of the
question is compared with what leads away from the entity. `link` gives the best by its score alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from kgneo.english.names import is_noun, name_words
from kgneo.english.words import FUNCTION_WORDS
from kgneo.errors import EntityNotFound
from kgneo.graph.names import NamedEntity, names_of
from kgneo.graph.open import Knowledge
from kgneo.model import Entity, TopicEntity
from kgneo.stages.similar_names import best_alignments
from kgneo.text import fold

LONGEST_NAME = 12
"""Words in a name that is looked for in a question."""
WORD = re.compile(r"\S+")
PLAIN_WORD = re.compile(r"\w+")
EDGES = " \t\n.,;:!?\"'()[]{}<>«»“”„‘’"
READINGS = 6
NEAREST = 5
SIMILAR = 30
"""Entities with similar words that are compared with the question."""

OTHER_KIND = 0.5
"""What is left of the score of a reading for each entity that another reading has by the noun before its name."""
FOLDED = 0.98
"""Score of a name that differs in case or accents, where the exact one has 1."""
OTHER_CASE = 0.9
"""The same in a question that is written with capitals."""
INSIDE = 0.65
"""Factor for a name inside a longer name that is at least as good."""
MISSPELT = 0.85
"""Share of its score that a misspelt longer name needs for the same."""
WITHOUT_CAPITAL = 0.6
"""Factor for a piece without a capital, in a question that has some."""
FUNCTION_WORDS_ONLY = 0.4
"""Factor for a piece of function words alone."""
SHORT = 0.35
"""What a name without meaningful words lacks; a name of many words lacks next to nothing."""
COMPARING = frozenset(("before", "after", "since", "until", "till", "than", "between", "and"))
CERTAIN = 0.85
"""Score from which similar names are not searched for: more than one word, or one with a capital."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A piece of the question that names an entity: characters `start` to `end`."""

    text: str
    start: int
    end: int

    def overlaps(self, other: Mention) -> bool:
        """Whether the two share a character."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """One reading of a question: the text without its brackets, its topic entities, and where they are mentioned
    (same order; a given entity that the text does not name has no mention). `score` (0..1) is how likely the
    pieces are these entities' names, whatever the rest of the question says."""

    text: str
    topics: tuple[TopicEntity, ...] = ()
    mentions: tuple[Mention | None, ...] = field(default=())
    score: float = 1.0

    @property
    def entity_ids(self) -> tuple[str, ...]:
        """The database's ids of the topic entities."""
        return tuple(topic.entity.id for topic in self.topics)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the topic entities."""
        return tuple(topic.entity.name for topic in self.topics)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A mention with an entity that it may name, and how well the names agree (0..1).
    `looked_up` is False for one that was found by its similarity."""

    mention: Mention
    named: NamedEntity
    similarity: float
    looked_up: bool = True


def link(knowledge: Knowledge, question: str, *, entities: Sequence[str] = ()) -> LinkedQuestion:
    """Find the topic entities of `question`; `entities` names them where the user did.

    Raises EntityNotFound, with the nearest names, when a given or bracketed name is not in the graph or nothing
    in the text is.
    """
    return readings(knowledge, question, entities=entities)[0]


def readings(
    knowledge: Knowledge, question: str, *, entities: Sequence[str] = (), limit: int = READINGS
) -> tuple[LinkedQuestion, ...]:
    """The ways to understand which entities `question` is about, best first; at least one. Raises as `link`."""
    text, mentions = unbracket(question)
    if entities or mentions:
        named = [_mention_of(name, text) or name for name in entities] or list(mentions)
        return _of_said_kinds(_namesakes(knowledge, _linked(knowledge, text, named), limit))
    found = _in_text(knowledge, text)[:limit]
    if not found:
        raise _nothing_found(knowledge, text)
    return _of_said_kinds(found)


def _of_said_kinds(found: Sequence[LinkedQuestion]) -> tuple[LinkedQuestion, ...]:
    """The readings, those the likeliest whose entities are of the kinds that the words before their names say: "ORDER
    15" is no order item."""
    said = [_kinds_said(item) for item in found]
    most = max(said)
    weighed = [
        replace(item, score=item.score * OTHER_KIND ** (most - number))
        for item, number in zip(found, said, strict=True)
    ]
    return tuple(sorted(weighed, key=lambda item: -item.score))


def _kinds_said(linked: LinkedQuestion) -> int:
    """How many of the entities have the noun for their label right before their name."""
    pairs = zip(linked.topics, linked.mentions, strict=True)
    return sum(mention is not None and _says_kind(linked.text, mention, topic.entity) for topic, mention in pairs)


def word_before(text: str, mention: Mention) -> re.Match[str] | None:
    """The word right before a mention, as the first group of a match; None where there is none."""
    return re.search(r"(\w+)\s+$", text[: mention.start])


def _says_kind(text: str, mention: Mention, entity: Entity) -> bool:
    before = word_before(text, mention)
    return before is not None and any(is_noun(before[1].lower(), name_words(label)[-1]) for label in entity.labels)


def hinted_topics(knowledge: Knowledge, question: str, *, entities: Sequence[str] = ()) -> tuple[TopicEntity, ...]:
    """The topic entities of `question` where any are found: a name that is found in the text by its likeness alone is a
    hint, no condition. Raises EntityNotFound for one that was given or stands in brackets, and is not in the graph."""
    try:
        return link(knowledge, question, entities=entities).topics
    except EntityNotFound:
        if entities or "[" in question:
            raise
        return ()


def with_topics(question: str, topics: Sequence[TopicEntity]) -> LinkedQuestion:
    """A question whose topic entities are known already; they are looked for in its brackets, then in its text."""
    text, bracketed = unbracket(question)
    known = {mention.text: mention for mention in bracketed}
    names = [topic.entity.name for topic in topics]
    return LinkedQuestion(text, tuple(topics), tuple(known.get(name) or _mention_of(name, text) for name in names))


def unbracket(question: str) -> tuple[str, tuple[Mention, ...]]:
    """The question without its outermost brackets, and what stood in them. A bracket without its partner stays."""
    text = ""
    mentions: list[Mention] = []
    position = 0
    for start, end in bracketed(question):
        text += question[position:start]
        name = question[start + 1 : end]
        mentions.append(Mention(name, len(text), len(text) + len(name)))
        text += name
        position = end + 1
    return text + question[position:], tuple(mentions)


def bracketed(question: str) -> list[tuple[int, int]]:
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


def _linked(knowledge: Knowledge, text: str, named: Sequence[Mention | str]) -> LinkedQuestion:
    names = [item.text if isinstance(item, Mention) else item for item in named]
    exact = knowledge.names.by_name(names)
    folded = knowledge.names.by_folded_name([name for name in names if name not in exact])
    topics: list[TopicEntity] = []
    for name in names:
        found = [exact[name]] if name in exact else folded.get(fold(name), [])
        if not found:
            raise not_found(knowledge, name)
        score = 1.0 if name in exact else FOLDED
        topics.append(TopicEntity(found[0].entity, name, score))
    mentions = tuple(item if isinstance(item, Mention) else None for item in named)
    return LinkedQuestion(text, tuple(topics), mentions)


def _namesakes(knowledge: Knowledge, linked: LinkedQuestion, limit: int) -> tuple[LinkedQuestion, ...]:
    """The reading and those with other entities of the same names, which a graph kgneo did not load can have."""
    if knowledge.names.unique:
        return (linked,)
    found = knowledge.names.by_folded_name(linked.names)
    choices = [
        [
            replace(topic, entity=named.entity)
            for named in found.get(fold(topic.entity.name), ())
            if named.entity.name == topic.entity.name
        ]
        or [topic]
        for topic in linked.topics
    ]
    return tuple(replace(linked, topics=topics) for topics in islice(product(*choices), limit))


def not_found(knowledge: Knowledge, name: str) -> EntityNotFound:
    """The error for a name that the graph does not hold, with the names most like it."""
    nearest = names_of(knowledge.names.by_words(name, limit=NEAREST))
    hint = f"Nearest names: {', '.join(nearest)}." if nearest else "No name in the graph is like it."
    return EntityNotFound(f"The graph has no entity named {name!r}.", nearest=nearest, hint=hint)


def _nothing_found(knowledge: Knowledge, text: str) -> EntityNotFound:
    nearest = names_of(knowledge.names.by_words(text, limit=NEAREST))
    hint = "Put the entity's name in [brackets], or give it with --entity."
    if nearest:
        hint += f" Names in the graph like words of the question: {', '.join(nearest)}."
    return EntityNotFound("No entity of the graph was found in the question.", nearest=nearest, hint=hint)


def _in_text(knowledge: Knowledge, text: str) -> tuple[LinkedQuestion, ...]:
    spans = _spans(text)
    found = knowledge.names.by_folded_name({mention.text for mention in spans})
    hits = [
        _Hit(mention, named, 1.0 if named.entity.name == mention.text else FOLDED)
        for mention in spans
        for named in found.get(fold(mention.text), ())
    ]
    scored = _scored(text, hits)
    left = _left_open(text, scored)
    if left:
        hits += _similar(knowledge, text, spans, left)
        scored = _scored(text, hits)
    if not scored:
        scored = _scored(text, _similar(knowledge, text, spans, _meaningful(text)))
    return _combined(text, scored)


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


def _scored(text: str, hits: Sequence[_Hit]) -> list[tuple[float, _Hit]]:
    """The best hit of every entity at every place with its score, best first."""
    capitals = _has_capitals(text)
    alone = [(_score(hit, capitals), hit) for hit in hits]
    rows = [(INSIDE * score if _is_inside(score, hit, alone) else score, hit) for score, hit in alone]
    rows.sort(key=lambda row: (-row[0], -row[1].named.degree, row[1].mention.start))
    return rows


def _is_inside(score: float, hit: _Hit, rows: Sequence[tuple[float, _Hit]]) -> bool:
    start, end = hit.mention.start, hit.mention.end
    for other, longer in rows:
        mention = longer.mention
        contains = mention.start <= start and end <= mention.end and mention.end - mention.start > end - start
        if contains and (other >= score if longer.looked_up else other >= MISSPELT * score):
            return True
    return False


def _score(hit: _Hit, capitals: bool) -> float:
    words = [word.lower() for word in PLAIN_WORD.findall(hit.mention.text)]
    meaningful = [word for word in words if word not in FUNCTION_WORDS and len(word) > 1]
    named = _is_capitalised(hit.mention)
    score = hit.similarity
    if capitals and hit.similarity == FOLDED and not _differs_in_accents(hit):
        score = OTHER_CASE
    if capitals and not named:
        score *= WITHOUT_CAPITAL
    if not meaningful and not (capitals and named):
        score *= FUNCTION_WORDS_ONLY
    extent = len(meaningful) + 0.5 * (len(words) - len(meaningful)) + (1.0 if capitals and named else 0.2 * named)
    return score * (1.0 - SHORT * math.pow(0.5, extent))


def _differs_in_accents(hit: _Hit) -> bool:
    return hit.mention.text.casefold() != hit.named.entity.name.casefold()


def _has_capitals(text: str) -> bool:
    """Whether the question is written with capitals: some word after the first has one."""
    later = [word for word in PLAIN_WORD.findall(text)[1:] if word != "I"]
    return any(word[0].isupper() for word in later) and not all(word.isupper() for word in later if word.isalpha())


def _is_capitalised(mention: Mention) -> bool:
    """Whether it has a capital that does not merely begin the question, or a number."""
    words = PLAIN_WORD.findall(mention.text)
    if mention.start == 0 and len(words) > 1:
        words = words[1:]
    return any(word[0].isupper() or word[0].isdecimal() for word in words)


def _left_open(text: str, scored: Sequence[tuple[float, _Hit]]) -> list[Mention]:
    """The words that may belong to a misspelt name: those with a capital that are in no certain name; in a question
    without capitals, or with no certain name, all that mean something."""
    certain = [hit.mention for score, hit in scored if score >= CERTAIN]
    words = [Mention(match[0], match.start(), match.end()) for match in PLAIN_WORD.finditer(text)]
    if _has_capitals(text):
        capital = [word for word in words[1:] if word.text != word.text.lower() and word.text != "I"]
        return [word for word in capital if not any(word.overlaps(mention) for mention in certain)]
    return [] if certain else _meaningful(text)


def _meaningful(text: str) -> list[Mention]:
    words = (Mention(match[0], match.start(), match.end()) for match in PLAIN_WORD.finditer(text))
    return [word for word in words if word.text.lower() not in FUNCTION_WORDS]


def _similar(knowledge: Knowledge, text: str, spans: Sequence[Mention], left: Sequence[Mention]) -> list[_Hit]:
    """Entities whose names are like a piece of the text that has one of the words `left` open."""
    searched = _with_neighbours(text, left) if _has_capitals(text) else left
    candidates = knowledge.names.by_words(" ".join(dict.fromkeys(word.text for word in searched)), limit=SIMILAR)
    open_spans = [span for span in spans if any(span.overlaps(word) for word in left)]
    alignments = best_alignments([span.text for span in open_spans], [named.entity.name for named in candidates])
    return [_Hit(open_spans[item.span], candidates[item.name], item.similarity, looked_up=False) for item in alignments]


def _with_neighbours(text: str, left: Sequence[Mention]) -> list[Mention]:
    """The open words with those of the same name: words with capitals and numbers, function words between them."""
    words = [Mention(match[0], match.start(), match.end()) for match in PLAIN_WORD.finditer(text)]
    open_ = [number for number, word in enumerate(words) if any(word.overlaps(other) for other in left)]
    chosen = set(open_)
    for step in (1, -1):
        for start in open_:
            number = start + step
            while 0 <= number < len(words) and (_named(words[number]) or _joins(words, number, step)):
                chosen.add(number)
                number += step
    return [words[number] for number in sorted(chosen)]


def _named(word: Mention) -> bool:
    return (word.start > 0 and word.text != word.text.lower()) or word.text[0].isdecimal()


def _joins(words: Sequence[Mention], number: int, step: int) -> bool:
    """Whether it is one of at most two function words before the next word with a capital."""
    ahead = words[number : number + 3] if step > 0 else words[max(number - 2, 0) : number + 1][::-1]
    for word in ahead:
        if _named(word):
            return True
        if word.text.lower() not in FUNCTION_WORDS:
            return False
    return False


def _combined(text: str, scored: Sequence[tuple[float, _Hit]]) -> tuple[LinkedQuestion, ...]:
    """Readings: all certain names together, then each entity alone."""
    alone = [_reading(text, [row]) for row in _distinct(scored)]
    together: list[tuple[float, _Hit]] = []
    for score, hit in scored:
        free = all(not hit.mention.overlaps(other.mention) for _, other in together)
        if score >= CERTAIN and free and not _is_compared(text, hit.mention):
            together.append((score, hit))
    if len(together) > 1:
        return (_reading(text, sorted(together, key=lambda row: row[1].mention.start)), *alone)
    return tuple(alone)


def _distinct(scored: Sequence[tuple[float, _Hit]]) -> list[tuple[float, _Hit]]:
    """The best row of each entity."""
    best: dict[str, tuple[float, _Hit]] = {}
    for row in scored:
        best.setdefault(row[1].named.entity.id, row)
    return list(best.values())


def _is_compared(text: str, mention: Mention) -> bool:
    """Whether it is a value that something is compared with, as in "before 1990"."""
    before = PLAIN_WORD.findall(text[: mention.start].lower())
    return bool(before) and before[-1] in COMPARING


def _reading(text: str, rows: Sequence[tuple[float, _Hit]]) -> LinkedQuestion:
    topics = tuple(TopicEntity(hit.named.entity, hit.mention.text, round(score, 4)) for score, hit in rows)
    mentions = tuple(hit.mention for _, hit in rows)
    return LinkedQuestion(text, topics, mentions, min(score for score, _ in rows))
