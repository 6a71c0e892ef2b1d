"""Named: the things that a claim names, found in the graph and placed in its text.

Comes in: a claim, and the names that were given. Goes out: its text, for each thing the nodes that it may be and what
leads away from them, and the places where it stands. A name that is given need not be spelt in the text as it is in
the graph: case, accents and signs make no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.english.dates import date_texts
from kgneo.graph.walks import first_hops_of_each
from kgneo.model import Entity
from kgneo.stages.link import LinkedQuestion, readings, unbracket
from kgneo.text import fold

LEAST = 0.5
"""Score of linking from which a piece of a claim without brackets is taken for a name."""
MANY = 40
"""Readings of a claim that are asked for: each thing that it names is one of its own."""
_WORD = re.compile(r"[^\W_]+")
_LITERAL = re.compile(
    r"\"[^\"]+\"|“[^”]+”"
    r"|\b(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:January|February|March|April|May|June|July|August|September|October|"
    r"November|December)\s+(?:\d{1,2}(?:st|nd|rd|th)?\s*,?\s+)?\d{4}\b"
    r"|-?\b\d[\d,./:-]*\d\b|\b\d+\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Named:
    """A thing that a claim names: the nodes that it may be, of which there are several where they share a name, and the
    steps that leave them. `text` is how the claim spells it; one without `ids` is a value."""

    text: str
    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    hops: frozenset[str] = frozenset()

    @property
    def value(self) -> bool:
        """Whether it is a value, and no node."""
        return not self.ids


@dataclass(frozen=True, slots=True)
class NamedClaim:
    """A claim's text without brackets, the things that it names, and the places where they stand: characters `start` to
    `end` with the number of the thing. `unplaced` are the numbers of those that were given and stand nowhere."""

    text: str
    things: tuple[Named, ...]
    places: tuple[tuple[int, int, int], ...]

    @property
    def unplaced(self) -> tuple[int, ...]:
        """The things that have no place in the text."""
        placed = {number for _, _, number in self.places}
        return tuple(number for number in range(len(self.things)) if number not in placed)


def named_claim(context: Context, claim: str, *, entities: Sequence[str] = ()) -> NamedClaim:
    """The things that a claim names. Raises EntityNotFound, with the nearest names, for a name that was given or stands
    in brackets and is not in the graph, or where the text names nothing."""
    text, bracketed = unbracket(claim)
    if entities or bracketed:
        names = list(dict.fromkeys([*entities, *(mention.text for mention in bracketed)]))
        found = readings(context.knowledge, text, entities=names, limit=MANY)
        named = [(name, _entities(found, number)) for number, name in enumerate(names)]
        places = _with_literals(text, place(text, names), names)
    else:
        named, places = _in_text(context, text)
    things = _with_hops(context, named)
    literals = _literals(text, places, len(things)) if context.shape.values or context.shape.details else []
    things += [Named(piece) for piece, _ in literals]
    return NamedClaim(text, tuple(things), tuple(sorted([*places, *(where for _, where in literals)])))


def _entities(found: Sequence[LinkedQuestion], number: int) -> list[Entity]:
    return list({item.topics[number].entity.id: item.topics[number].entity for item in found}.values())


def _in_text(context: Context, text: str) -> tuple[list[tuple[str, list[Entity]]], list[tuple[int, int, int]]]:
    """Every name that is found in the text, the most certain first where several share a word."""
    rows = [
        (topic.score, mention, topic.entity)
        for item in readings(context.knowledge, text, limit=MANY)
        for mention, topic in zip(item.mentions, item.topics, strict=True)
        if mention is not None
    ]
    rows.sort(key=lambda row: -row[0])
    named: dict[tuple[int, int], tuple[str, list[Entity]]] = {}
    for score, mention, entity in rows:
        span = (mention.start, mention.end)
        if span in named:
            known = named[span][1]
            if entity.id not in {item.id for item in known} and entity.name == known[0].name:
                known.append(entity)
        elif (score >= LEAST or not named) and all(end <= span[0] or span[1] <= start for start, end in named):
            named[span] = (mention.text, [entity])
    order = sorted(named)
    return [named[span] for span in order], [(*span, number) for number, span in enumerate(order)]


def _with_hops(context: Context, named: Iterable[tuple[str, list[Entity]]]) -> list[Named]:
    named = list(named)
    ids = [entity.id for _, entities in named for entity in entities]
    hops = first_hops_of_each(context.knowledge, ids) if ids else {}
    return [
        Named(
            name,
            tuple(entity.id for entity in entities),
            tuple(dict.fromkeys(label for entity in entities for label in entity.labels)),
            frozenset(str(hop) for entity in entities for hop in hops.get(entity.id, ())),
        )
        for name, entities in named
    ]


def place(text: str, names: Sequence[str]) -> list[tuple[int, int, int]]:
    """Where names stand in a text as whole words, the longest first: start, end and the number of the name. A name that
    is spelt as it is goes before one that is spelt alike."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    folded = [(fold(word), start, end) for word, start, end in words]
    taken: set[int] = set()
    found: list[tuple[int, int, int]] = []
    order = sorted(range(len(names)), key=lambda number: -len(names[number]))
    for number in order:
        _take(words, tuple(_WORD.findall(names[number])), number, taken, found)
    for number in order:
        for spelling in _spellings(names[number]):
            if all(placed != number for _, _, placed in found):
                _take(folded, spelling, number, taken, found)
    return sorted(found)


def _take(
    words: Sequence[tuple[str, int, int]],
    spelling: Sequence[str],
    number: int,
    taken: set[int],
    found: list[tuple[int, int, int]],
) -> None:
    """Add the places where a name is spelt so, and take their words."""
    for first, last in _places(words, spelling, taken) if spelling else ():
        taken.update(range(first, last))
        found.append((words[first][1], words[last - 1][2], number))


def _with_literals(text: str, places: list[tuple[int, int, int]], names: Sequence[str]) -> list[tuple[int, int, int]]:
    """The places with those of dates and numbers that the text writes in another way."""
    placed = {number for _, _, number in places}
    found = list(places)
    for number, name in enumerate(names):
        for match in _LITERAL.finditer(text) if number not in placed else ():
            free = all(match.end() <= start or end <= match.start() for start, end, _ in found)
            if free and same_value(match[0].strip('"“”'), name.strip('"')):
                found.append((match.start(), match.end(), number))
    return found


def _spellings(name: str) -> list[tuple[str, ...]]:
    """The folded words of a name, then those of what it can be called, too."""
    words = tuple(fold(word) for word in _WORD.findall(name))
    plain = tuple(fold(word) for word in _WORD.findall(re.sub(r"\([^)]*\)|,.*$", " ", name)))
    return [spelling for spelling in dict.fromkeys((words, plain)) if spelling]


def _places(words: Sequence[tuple[str, int, int]], spelling: Sequence[str], taken: set[int]) -> list[tuple[int, int]]:
    size = len(spelling)
    found: list[tuple[int, int]] = []
    for first in range(len(words) - size + 1):
        span = range(first, first + size)
        free = not taken.intersection(span) and (not found or found[-1][1] <= first)
        if free and all(words[at][0] == part for at, part in zip(span, spelling, strict=True)):
            found.append((first, first + size))
    return found


def _literals(text: str, places: Sequence[tuple[int, int, int]], first: int) -> list[tuple[str, tuple[int, int, int]]]:
    """Numbers, dates and what stands in quotation marks, where no thing is named, numbered from `first`."""
    free = [
        match
        for match in _LITERAL.finditer(text)
        if all(match.end() <= start or end <= match.start() for start, end, _ in places)
    ]
    return [
        (match[0].strip('"“”'), (match.start(), match.end(), number)) for number, match in enumerate(free, start=first)
    ]


def same_value(first: str, second: str) -> bool:
    """Whether two texts are the same value: as words, as a number, as a date, or as the year of a date."""
    if fold(first).strip(" .") == fold(second).strip(" ."):
        return True
    dates = {form for _, form in date_texts(first)} | {first}
    if second in dates or (re.fullmatch(r"\d{4}", first) and re.match(rf"{first}-\d\d", second)):
        return True
    try:
        return float(first.replace(",", "")) == float(second.replace(",", ""))
    except ValueError:
        return False
