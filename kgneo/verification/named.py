"""Named: the things that a claim names, found in the graph and placed in its text.

Comes in: a claim, and the names that were given. Goes out: its text, for each thing the nodes that it may be and what
leads away from them, and the places where it stands. A name that is given need not be spelt in the text as it is in
the graph: case, accents and signs make no difference. What stands as a name in the text and is none in the graph is a
thing as well, that is missing: no other name is taken for it but one that it is whole words of, and that nothing else
is called by.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.english.dates import date_texts
from kgneo.english.names import name_words, same_whole_root
from kgneo.errors import EntityNotFound
from kgneo.graph.walks import first_hops_of_each
from kgneo.model import Entity
from kgneo.stages.link import LinkedQuestion, Mention, not_found, readings, unbracket
from kgneo.text import fold
from kgneo.verification.unplaced import Place, unplaced

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
    steps that leave them. `text` is how the claim spells it, `called` how the graph does where that is more. One
    without `ids` is a value, or is `missing`: what is said of a name that the graph does not have, `nearest` of those
    most like it."""

    text: str
    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    hops: frozenset[str] = frozenset()
    missing: str = ""
    nearest: str = ""
    called: str = ""

    @property
    def value(self) -> bool:
        """Whether it is a value, and no node."""
        return not self.ids and not self.missing


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
    given = list(dict.fromkeys([*entities, *(mention.text for mention in bracketed)]))
    named, places = _given(context, text, given) if given else _in_text(context, text)
    beyond = _beyond(context, text, places)
    if not given:  # "Nova Berlin" is not Berlin
        kept = [item for item in places if not _overlaps(item, beyond)]
        named, places = [named[number] for *_, number in kept], [(*item[:2], at) for at, item in enumerate(kept)]
    spans = _apart([*places, *beyond, *_literals(text, places)])[len(places) :]
    things = _with_hops(context, named)
    things += found_as(context, [text[start:end].strip('"“”') for start, end in spans])
    if all(thing.value for thing in things):
        raise EntityNotFound(
            "Nothing that the claim names was found in the graph.",
            hint="Put what it names in [brackets], or give it with --entity.",
        )
    places += [(*span, number) for number, span in enumerate(spans, start=len(things) - len(spans))]
    return NamedClaim(text, tuple(things), tuple(sorted(places)))


def _given(context: Context, text: str, names: Sequence[str]) -> tuple[list[tuple[str, list[Entity]]], list[Place]]:
    """The things that were given, with their places."""
    found = readings(context.knowledge, text, entities=names, limit=MANY)
    named = [(name, _entities(found, number)) for number, name in enumerate(names)]
    return named, _with_literals(text, place(text, names), names)


def _overlaps(place: Place, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < place[1] and place[0] < end for start, end in spans)


def _apart(spans: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    """Spans without those that share characters with an earlier one."""
    found: list[tuple[int, int]] = []
    for start, end, *_ in spans:
        if all(end <= first or last <= start for first, last in found):
            found.append((start, end))
    return found


def _beyond(context: Context, text: str, places: Sequence[Place]) -> list[tuple[int, int]]:
    """Names that stand in the text where nothing of the graph was found; a month is in none of them."""
    dates = [(start, end, -1) for start, end in _literals(text, places) if not text[start:end].isdecimal()]
    return [
        (start, end)
        for start, end in unplaced(text, [*places, *dates], _said(context))
        if all(end <= first or last <= start for first, last, _ in dates)
    ]


def _said(context: Context) -> Callable[[str], bool]:
    """Whether a word is one of the graph's schema."""
    statistics = context.record.statistics
    names = {statistics.readable_names.get(hop.relation, hop.relation) for hop in statistics.hops}
    labels = {label for hop in statistics.hops for label in hop.labels}
    words = {word for name in names | labels for word in name_words(name)}
    return lambda word: any(same_whole_root(word, said) for said in words)


def _literals(text: str, places: Sequence[Place]) -> list[tuple[int, int]]:
    """Numbers, dates and what stands in quotation marks, where no thing is named."""
    return [
        match.span()
        for match in _LITERAL.finditer(text)
        if all(match.end() <= start or end <= match.start() for start, end, _ in places)
    ]


def found_as(context: Context, pieces: Sequence[str]) -> list[Named]:
    """What pieces of a claim name that were not found as it was read: things of the graph, in another spelling; values,
    where the graph has some; or nothing that it has."""
    names = context.knowledge.names
    spellings = {piece: [piece, *(form for _, form in date_texts(piece)), piece.replace(",", "")] for piece in pieces}
    known = names.by_folded_name([spelt for forms in spellings.values() for spelt in forms]) if pieces else {}
    found = [
        (piece, next(([item.entity for item in known[fold(form)]] for form in forms if fold(form) in known), []))
        for piece, forms in ((piece, spellings[piece]) for piece in pieces)
    ]
    values = bool(context.shape.values or context.shape.details)
    return [
        thing if thing.ids or (values and _LITERAL.fullmatch(thing.text)) else _missing(context, thing.text)
        for thing in _with_hops(context, found)
    ]


def _missing(context: Context, text: str) -> Named:
    error = not_found(context.knowledge, text)
    return Named(text, missing=error.message, nearest=error.hint)


def _entities(found: Sequence[LinkedQuestion], number: int) -> list[Entity]:
    return list({item.topics[number].entity.id: item.topics[number].entity for item in found}.values())


def _in_text(context: Context, text: str) -> tuple[list[tuple[str, list[Entity]]], list[Place]]:
    """Every name that is found in the text, the most certain first where several share a word."""
    try:
        found = readings(context.knowledge, text, limit=MANY)
    except EntityNotFound:
        return [], []
    rows = [
        (topic.score, mention, topic.entity)
        for item in found
        for mention, topic in zip(item.mentions, item.topics, strict=True)
        if mention is not None
    ]
    rows.sort(key=lambda row: -row[0])
    said = _said(context)
    named: dict[tuple[int, int], tuple[str, list[Entity]]] = {}
    for score, mention, entity in rows:
        span = (mention.start, mention.end)
        if not _is_called(entity, mention, rows) or (not _is_spelt(entity, mention) and said(mention.text.lower())):
            continue
        if span in named:
            known = named[span][1]
            if entity.id not in {item.id for item in known} and entity.name == known[0].name:
                known.append(entity)
        elif (score >= LEAST or not named) and all(end <= span[0] or span[1] <= start for start, end in named):
            named[span] = (mention.text, [entity])
    order = sorted(named)
    return [named[span] for span in order], [(*span, number) for number, span in enumerate(order)]


def _is_called(entity: Entity, mention: Mention, rows: Sequence[tuple[float, Mention, Entity]]) -> bool:
    """Whether a piece of a claim is an entity's name, or whole words of it that no other entity is called by there."""
    if _is_spelt(entity, mention):
        return True
    others = [other for _, place, other in rows if place == mention and other.name != entity.name]
    return _holds(entity.name, mention.text) and not any(_holds(other.name, mention.text) for other in others)


def _is_spelt(entity: Entity, mention: Mention) -> bool:
    return fold(entity.name) == fold(mention.text)


def _holds(name: str, piece: str) -> bool:
    words, part = _WORD.findall(fold(name)), _WORD.findall(fold(piece))
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))


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
            called=entities[0].name if entities and fold(entities[0].name) != fold(name) else "",
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
