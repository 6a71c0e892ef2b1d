"""Mentions: the pieces of a question with what each may name.

Comes in: a question, and what the graph's dictionary holds of its pieces. Goes out: mentions in the order of the text:
values of properties (names of nodes among them), labels, properties. A class word is never a value that merely holds
it, and of pieces inside one another the longest counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Literal, Protocol

from rapidfuzz.distance import OSA

from kgneo.english.dates import MONTHS, date_texts
from kgneo.english.names import denies, is_doer, is_noun, is_past, name_words, same_root, singular
from kgneo.english.numbers import FIGURES, is_number
from kgneo.english.words import (
    ANYBODY,
    ARTICLES,
    ASKING,
    AUXILIARIES,
    EXTREMES,
    FELLOWS,
    FUNCTION_WORDS,
    IDENTIFYING,
    JOINING,
    MEASURES,
    MEMBERS,
    MISTYPED,
    NUMERALS,
    OFTEN_MISTYPED,
    PEOPLE,
    PERFECT,
    PHRASAL,
    PREPOSITIONS,
    QUESTION_WORDS,
    SAME_NAMES,
    SEXES,
)
from kgneo.query.graph import Form, Scalar
from kgneo.reading.fits import LEAST_PEOPLE, LIKE, Fits, key_name
from kgneo.reading.flags import Flag
from kgneo.reading.vocabulary import Key, Step
from kgneo.text import fold

LONGEST = 12
TOKEN = re.compile(rf"{FIGURES}|\w+(?:['’]s\b)?")
POSSESSIVE = re.compile(r"'s\b")
FEW = 60
"""Different values up to which a property is one of kinds or states, whose values people write in lower case."""
MOST_KINDS = 40
OF_LABEL = 0.4
"""What it is worth that a number stands behind the noun for what it tells from others."""
MOST_KEYS = 6
"""Properties that a word may name, but for those that it names as well."""
WITH_KIND = 0.95
"""Score of a name that has the word for its kind in the graph and not in the question."""
BESIDE_EXACT = 0.8
"""What such a name is worth where what the question says is a name, too: "Colorado" is rather the state."""
SURE = 0.9
"""Fit of a word to a label from which on it surely names it."""
THE_KIND = 1.1
"""The same behind "the", which stands before no name that has no noun: "the Mississippi" is no state."""
LIKELY = 0.6
"""Fit from which a word may name a label."""
SPELT = 0.78
"""Share of letters that are the same from which another spelling is a typing error."""


class Found(Protocol):
    """A value of the graph's dictionary."""

    @property
    def owner(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def of_edge(self) -> bool: ...
    @property
    def value(self) -> Scalar: ...
    @property
    def text(self) -> str: ...
    @property
    def times(self) -> int: ...


LETTER = 0.4
"""What a single capital letter is worth as a value: "risk rating D"."""
DOER = 0.9
"""How surely a noun for those who do what a relationship says names the label that it leaves."""
DETERMINERS = NUMERALS.keys() | {"a", "an", "each", "every", "any", "many", "no", "other", "another"}
"""Words behind which a noun stands."""
GIVEN = 1.1
"""Score of a name that the user marked as one."""
RELATION = 0.3
"""How much better a word fits a relationship type, from which on it is no property that it fits, too."""


SEX = "sex"
"""Stands in the place of a kind for a word that says the sex of people."""
MOST_HYPHENS = 4
"""Words of a value that may have hyphens between them, or none, at most."""


class Lookup(Protocol):
    """The graph's dictionary: entries by folded text, those whose text is like another, those of several words, and
    those of some properties (owner and name) whose text holds another."""

    def lookup(self, pieces: Iterable[str]) -> Mapping[str, Sequence[Found]]: ...
    def similar(self, text: str, *, limit: int = 40) -> Sequence[Found]: ...
    def phrases(self) -> Sequence[Found]: ...
    def holding(self, text: str, keys: Collection[tuple[str, str]], *, limit: int) -> Sequence[Found]: ...


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place in the text; `plain` is in lower case and without a possessive."""

    text: str
    plain: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a mention may name: a value of a property, a label (without `key`), or a property (without `values`)."""

    kind: Literal["value", "label", "key"]
    owner: str
    score: float
    key: Key | None = None
    values: tuple[Scalar, ...] = ()
    text: str = ""
    times: int = 0
    """How many nodes have the value."""
    role: Step | None = None
    """The relationship by whose noun a label is named: a capital is a city that is the capital of some state."""
    edge: bool = False
    """Whether the relationships themselves are meant, each with both of its ends: "a ROUTE from A to B"."""
    owned: float = 0.0
    """What more it is worth since it is a property of what the question is about; it names it no more surely."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words `start` to `end` (exclusive), with what they may name, best first. `words` of others that say the same
    (the property's name before its value) are in `also`."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]
    also: tuple[int, ...] = field(default=())
    fellow: bool = False
    """Whether it names what stands in a relation to another of its kind: "friends"."""


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a question."""
    found: list[Word] = []
    for match in TOKEN.finditer(text):
        plain = match[0].lower().replace("’", "'").removesuffix("'s")
        plain = plain.replace(",", "")
        plain = _meant(plain) if match[0].islower() or not found else plain
        found.append(Word(match[0], plain, match.start(), match.end()))
    # "where does it COME FROM" asks for more than what it is
    open_ = found[-1:] if found and found[-1].plain == "from" else []
    pairs = pairwise([*found, Word("", "", -1, -1)])
    return tuple(
        replace(one, plain=PHRASAL.get((one.plain, other.plain), one.plain)) if other not in open_ else one
        for one, other in pairs
    )


@cache
def _meant(word: str) -> str:
    """The word of a question's form that a word is which has a letter wrong, "betwen", or no apostrophe, "whats"; else
    the word itself."""
    if word in MISTYPED:
        return MISTYPED[word]
    if word[:-1] in QUESTION_WORDS and word[-1] == "s":
        return word[:-1]  # "whats the"
    if len(word) < min(map(len, OFTEN_MISTYPED)) - 1 or word in OFTEN_MISTYPED:
        return word
    near = (known for known in sorted(OFTEN_MISTYPED) if known[0] == word[0] and not word.startswith(known))
    return next((known for known in near if OSA.distance(word, known, score_cutoff=1) == 1), word)


Span = tuple[int, int]
"""Where in a text a name stands: its first character, and the one behind its last."""


def is_part(span: Span, whole: Span) -> bool:
    """Whether something stands within something longer."""
    return whole[0] <= span[0] and span[1] <= whole[1] and span[1] - span[0] < whole[1] - whole[0]


def value_mentions(
    text: str, words: Sequence[Word], dictionary: Lookup, fits: Fits, given: Sequence[Span] = ()
) -> list[Mention]:
    """The pieces that are values, without those inside longer ones; `given` ones are names, whatever else they say."""
    named = [item for span in given if (item := _given(text, words, span, dictionary, fits)) is not None]
    found = _found(text, words, dictionary, fits)
    free = [item for item in found if all(item.end <= other.start or other.end <= item.start for other in named)]
    return sorted([*named, *free], key=lambda item: item.start)


def _given(text: str, words: Sequence[Word], span: Span, dictionary: Lookup, fits: Fits) -> Mention | None:
    """What the name at `span` can mean; None where the dictionary does not have it."""
    inside = [number for number, word in enumerate(words) if word.start < span[1] and span[0] < word.end]
    keys = {(key.owner, key.key): key for key in fits.keys}
    piece = fold(text[slice(*span)])
    meanings: dict[Key, Meaning] = {}
    for entry in dictionary.lookup([piece]).get(piece, ()):
        key = keys.get((entry.owner, entry.key))
        if key is not None:
            names = key.key in fits.vocabulary.display.get(key.owner, ())
            _add(meanings, key, entry, GIVEN + (0.1 if names else 0.0))
    best = sorted(meanings.values(), key=lambda item: -item.score)
    return Mention(inside[0], inside[-1] + 1, tuple(best)) if best and inside else None


def _found(text: str, words: Sequence[Word], dictionary: Lookup, fits: Fits) -> list[Mention]:
    spellings: dict[str, list[tuple[int, int, float, Form, str]]] = {}
    kinds = {label: " ".join(name_words(label)) for label in fits.labels[:MOST_KINDS]}
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            for piece, score, form, kind in _spellings(text, words, start, end, kinds):
                spellings.setdefault(piece, []).append((start, end, score, form, kind))
    found = dictionary.lookup(spellings)
    keys = {(key.owner, key.key): key for key in fits.keys}
    hits: dict[tuple[int, int], dict[Key, Meaning]] = {}
    exact = {(start, end) for piece in found for start, end, score, *_ in spellings[piece] if score == 1.0}
    capitals = any(word.text[:1].isupper() for word in words[1:])
    alone = _capital_function_words(words)
    for piece, entries in found.items():
        for start, end, said, form, kind in spellings[piece]:
            if (said < WITH_KIND and (start, end) in exact) or (end == start + 1 and _asks_for(words, start, fits)):
                continue
            score = said * (BESIDE_EXACT if kind and said < 1.0 and (start, end) in exact else 1.0)
            for entry in entries:
                key = keys.get((entry.owner, entry.key))
                if key is None or (form and form != key.form) or (kind and not _is_named(key, kind, fits)):
                    continue
                _add(
                    hits.setdefault((start, end), {}),
                    key,
                    entry,
                    _score(words[start:end], key, score, fits, capitals, start in alone),
                )
    mentions = [
        Mention(start, end, tuple(sorted(there.values(), key=lambda item: -item.score)))
        for (start, end), there in hits.items()
    ]
    return _longest([item for item in mentions if item.meanings[0].score > 0.25])


def _add(there: dict[Key, Meaning], key: Key, entry: Found, score: float) -> None:
    known = there.get(key)
    if known is None or score > known.score + 0.05:
        there[key] = Meaning("value", key.owner, score, key, (entry.value,), entry.text, entry.times)
    elif abs(score - known.score) <= 0.005 and entry.value not in known.values:
        there[key] = replace(known, values=(*known.values, entry.value), times=known.times + entry.times)


def _spellings(
    text: str, words: Sequence[Word], start: int, end: int, kinds: Mapping[str, str]
) -> list[tuple[str, float, Form, str]]:
    """The ways in which a piece may stand in the dictionary, with how sure that is, and for which form of date."""
    raw = text[words[start].start : words[end - 1].end]
    base = fold(raw)
    found: dict[str, tuple[float, Form]] = {base: (1.0, "")}
    longer: list[tuple[str, float, Form, str]] = []
    after = text[words[end - 1].end : words[end - 1].end + 1]
    if after in (".", ")", "!", "?", "+"):
        found.setdefault(fold(raw + after), (1.0, ""))
    if is_number(base) and (after == "%" or [word.plain for word in words[end : end + 1]] == ["percent"]):
        found.setdefault(f"{float(base) / 100:g}", (1.0, ""))
    if "'s" in base:  # also "Hodgkin's lymphoma" of a graph that has "Hodgkin lymphoma"
        found.setdefault(POSSESSIVE.sub("", base), (0.98, ""))
    for piece, sure in _hyphened(base, words[start:end]):
        found.setdefault(piece, (sure, ""))
    if end == start + 1 and base in NUMERALS:
        found.setdefault(str(NUMERALS[base]), (0.7, ""))
    for piece in (*_other_number(base), *_of_adverb(base)):
        found.setdefault(piece, (0.9, ""))
    if end == start + 1 and base in SEXES:
        longer += [(piece, 0.95, "", SEX) for piece in SEXES[base]]
    if end - start <= 3 and raw[:1].isupper() and start:
        sure = THE_KIND if words[start - 1].plain == "the" else WITH_KIND
        for label, kind in kinds.items():
            longer += [(f"{base} {kind}", sure, "", label), (f"{kind} {base}", sure, "", label)]
    for form, written in date_texts(raw):
        found.setdefault(written, (1.0, form))
    return [*((piece, score, form, "") for piece, (score, form) in found.items()), *longer]


def _other_number(base: str) -> Iterator[str]:
    """A piece in the singular if it may be a plural, else in the plural."""
    if len(base) <= 3:
        return
    if not base.endswith("s"):
        yield base + "s"
        return
    for ending, instead in (("ies", "y"), ("ves", "f"), ("ves", "fe"), ("es", ""), ("s", "")):
        if base.endswith(ending):
            yield base.removesuffix(ending) + instead


def _of_adverb(base: str) -> Iterator[str]:
    """The adjective of an adverb: "SEVERELY allergic" of a severity that is severe."""
    if len(base) > 5 and base.endswith("ly"):
        yield base[:-3] + "y" if base.endswith("ily") else base[:-2]


def _hyphened(base: str, words: Sequence[Word]) -> Iterator[tuple[str, float]]:
    """The piece with its words apart, or joined by hyphens ("part-time" of a graph that has PART_TIME), and without a
    participle that a hyphen ties to it: "COAL-fired"."""
    if not 1 < len(words) <= MOST_HYPHENS or not base.replace("-", "").replace(" ", "").isalpha():
        return
    yield base.replace("-", " "), 0.98
    yield base.replace(" ", "-"), 0.98
    if len(words) == 2 and "-" in base and is_past(words[1].plain):
        yield words[0].plain, 0.95


def _is_named(key: Key, label: str, fits: Fits) -> bool:
    """Whether a property names the nodes of a label, or says the sex of people."""
    if label == SEX:
        return bool({"sex", "gender"} & {*name_words(key.key)})
    return key.owner == label and key.key in fits.vocabulary.display.get(label, ())


def _score(words: Sequence[Word], key: Key, score: float, fits: Fits, capitals: bool, alone: bool) -> float:
    """How likely a piece is this value, by its words; `alone`: it is a function word that only a name has a capital
    for."""
    plain = [word.plain for word in words]
    telling = [word for word in plain if word not in FUNCTION_WORDS and len(word) > 1]
    capital = any(word.text[:1].isupper() or word.text[:1].isdecimal() for word in words)
    if not telling and not any(map(is_number, plain)):
        letter = len(words) == 1 and words[0].text.isupper() and plain[0] not in ("i", "a")
        return score * (LETTER if letter else 0.5 if capital and (len(words) > 1 or alone) else 0.1)
    if len(words) == 1 and not capital:
        word = plain[0]
        labels = fits.label(word)
        if any(is_noun(word, own) for label in labels for own in name_words(label)[-1:]):
            return score * 0.2
        if any(same_root(word, own) for own in name_words(key_name(key))):
            score *= 0.6
        # who has no LIFT, where somebody's trade is lifts
        if (key.unique and _heads_other(word, key, fits)) or (score < 1.0 and singular(word) in fits.flags.values()):
            return score * 0.2
        few = key.distinct <= FEW
        if not few and (score < WITH_KIND or word in MEASURES or (capitals and _says_kind(word, fits))):
            return score * 0.2
        score *= 0.9 if few else 0.5 if capitals else 0.8
    if capitals and not capital and len(telling) > 1 and _says_relation(telling, fits):
        return score * 0.2
    if key.kind == "number" and not key.listed:
        score *= 0.8 if plain[0].isdecimal() and len(plain[0]) == 4 else 0.7
    shown = key.unique and key.key in fits.vocabulary.display.get(key.owner, ())
    return score + 0.02 * min(len(words) - 1, 5) + (0.1 if shown else 0.0)


def _heads_other(word: str, key: Key, fits: Fits) -> bool:
    """Whether a word is the noun of another property's name: "states" of `bornState`, of departments one of which is
    called State."""
    return any(
        fit >= SURE and other != key and is_noun(word, name_words(other.name or other.key)[-1])
        for other, fit in fits.key(word).items()
    )


def _capital_function_words(words: Sequence[Word]) -> set[int]:
    """Where function words have a capital inside a question in which others have none, and are no months."""
    places = [index for index in range(1, len(words)) if words[index].plain in FUNCTION_WORDS - {"i"}]
    capital = {index for index in places if words[index].text.istitle()}
    return set() if 2 * len(capital) > len(places) else {index for index in capital if not _is_month(words, index)}


def _is_month(words: Sequence[Word], index: int) -> bool:
    """Whether a word is a month by its neighbours: "in MAY", "MAY 2020"."""
    behind = words[index + 1].plain if index + 1 < len(words) else ""
    return words[index].plain in MONTHS and (words[index - 1].plain in PREPOSITIONS or is_number(behind))


def _asks_for(words: Sequence[Word], index: int, fits: Fits) -> bool:
    """Whether a word is all of a property's name and stands as what is asked for, whatever else has it as a value: "the
    PHONE number of"."""
    word = words[index]
    owned = index > 0 and words[index - 1].text.endswith(("'s", "’s"))
    behind = words[index + 1].plain if index + 1 < len(words) else ""
    stands = word.text.islower() and (owned or behind in ("of", "number", "numbers"))
    return stands and any(key_name(key) == word.plain for key, fit in fits.key(word.plain).items() if fit == 1.0)


def _says_kind(word: str, fits: Fits) -> bool:
    """Whether a word in lower case, among names with capitals, speaks of a kind of things, or of a relation: "film"."""
    kinds = max(fits.label(word).values(), default=0.0)
    return kinds >= LIKELY or fits.names_any(word)


def _says_relation(telling: Sequence[str], fits: Fits) -> bool:
    """Whether several words in lower case are those of a relation: "high points" of `highest point`."""

    def said(word: str, name: Sequence[str]) -> bool:
        return any(same_root(word, own) or (own in EXTREMES and own.startswith(word)) for own in name)

    names = map(fits.name_of, range(len(fits.relations)))
    return any(all(said(word, name) for word in telling) for name in names)


def _longest(mentions: Sequence[Mention]) -> list[Mention]:
    """Mentions without those inside, or across the edge of, one that is longer or better."""
    order = sorted(mentions, key=lambda item: (-(item.end - item.start) * min(item.meanings[0].score, 0.9), item.start))
    kept: list[Mention] = []
    for item in order:
        if all(item.end <= other.start or other.end <= item.start for other in kept):
            kept.append(item)
    return sorted(kept, key=lambda item: item.start)


def with_choices(words: Sequence[Word], mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions, with two values of one property that "or" stands between as one that has both."""
    kept: list[Mention] = []
    for item in mentions:
        between = [word.plain for word in words[kept[-1].end : item.start]] if kept else []
        choice = "or" in between and set(between) <= ARTICLES | PREPOSITIONS | {"or"}
        shared = _shared(kept[-1], item) if choice or (kept and _are_kinds(words, kept, item)) else ()
        if shared:
            kept[-1] = Mention(kept[-1].start, item.end, shared, kept[-1].also)
        else:
            kept.append(item)
    return kept


def _are_kinds(words: Sequence[Word], before: Sequence[Mention], item: Mention) -> bool:
    """Whether a mention goes on with the kinds of what is asked for: "the APPLES and PEARS", of which each is one."""
    first = before[0]
    behind = [word.plain for word in words[before[-1].end : item.start]]
    comma = not behind and words[item.start].start - words[before[-1].end - 1].end > 1
    asked = [word.plain for word in words[: first.start]]
    alone = set(asked) <= FUNCTION_WORDS | ASKING or "of" in asked[-2:]
    return (
        alone and len(before) == 1 and (behind == ["and"] or comma) and _is_kind(words, first) and _is_kind(words, item)
    )


def _is_kind(words: Sequence[Word], item: Mention) -> bool:
    """Whether a mention is the plural of a value of which a node has but one."""
    best, last = item.meanings[0], words[item.end - 1].plain
    own = fold(best.text).split()[-1:]
    return best.key is not None and not best.key.listed and singular(last) != last and own != [fold(last)]


def _shared(first: Mention, second: Mention) -> tuple[Meaning, ...]:
    others = {meaning.key: meaning for meaning in second.meanings}
    return tuple(
        replace(meaning, values=(*meaning.values, *others[meaning.key].values))
        for meaning in first.meanings
        if meaning.key in others and meaning.kind == "value"
    )


def open_names(
    words: Sequence[Word], taken: Container[int], fits: Fits, *, alike: bool = False
) -> list[tuple[int, int]]:
    """Where words stand that must be a name, by a capital or by figures in them, and that are not `taken` yet: start
    and end (exclusive) of each. A question in which most words have a capital tells nothing by them. `alike`: also
    those that are only like the name of something, as "Everest" is like that of mountains."""
    telling = has_telling_capitals(words)
    found: list[tuple[int, int]] = []
    for index, word in enumerate(words):
        named = (telling and index > 0 and word.text[0].isupper() and word.text != "I") or _is_code(word.text)
        said = has_root(word.plain, fits) if alike else says_something(word.plain, fits)
        if not named or index in taken or word.plain in FUNCTION_WORDS or said:
            continue
        if found and found[-1][1] == index:
            found[-1] = (found[-1][0], index + 1)
        else:
            found.append((index, index + 1))
    return found


def has_telling_capitals(words: Sequence[Word]) -> bool:
    """Whether capitals tell names: not where most words have one."""
    later = [word for word in words[1:] if word.text != "I"]
    return sum(word.text[0].isupper() for word in later) <= 0.6 * len(later)


def _is_code(text: str) -> bool:
    return len(text) > 3 and any(sign.isdecimal() for sign in text) and not (text.isdecimal() and len(text) < 5)


def says_something(word: str, fits: Fits) -> bool:
    """Whether a word names a label, a relationship type or a property."""
    return any(bool((scores >= 0.5).any()) for scores in fits.of(word)) or _begins_month(word)


def has_root(word: str, fits: Fits) -> bool:
    """Whether a word shares its root with one in the name of a label, a relationship type or a property."""
    return fits.is_own(word) or _begins_month(word) or fits.is_any_other_end(word)


def _begins_month(word: str) -> bool:
    return len(word) > 2 and any(month.startswith(word) for month in MONTHS)


def misspelt(text: str, words: Sequence[Word], start: int, end: int, dictionary: Lookup, fits: Fits) -> Mention | None:
    """The value that is spelt like a piece of the question but for a typing error or two; None where there is none."""
    keys = {(key.owner, key.key): key for key in fits.keys}
    piece = fold(text[words[start].start : words[end - 1].end])
    hits: dict[Key, Meaning] = {}
    for entry in dictionary.similar(piece):
        likeness = OSA.normalized_similarity(piece, fold(entry.text))
        key = keys.get((entry.owner, entry.key))
        if key is not None and likeness >= SPELT and likeness > (hits[key].score if key in hits else 0.0):
            hits[key] = Meaning("value", key.owner, likeness, key, (entry.value,), entry.text, entry.times)
    best = sorted(hits.values(), key=lambda item: -item.score)
    return Mention(start, end, tuple(best)) if best else None


def with_keys(words: Sequence[Word], mentions: Sequence[Mention], fits: Fits) -> list[Mention]:
    """The mentions of values with those meanings first whose property is named beside them: "surname Walker"."""
    taken = {index for item in mentions for index in range(item.start, item.end)}
    return [_with_key(words, item, taken, fits) for item in mentions]


def _with_key(words: Sequence[Word], mention: Mention, taken: set[int], fits: Fits) -> Mention:
    before = _near(range(mention.start - 1, max(mention.start - 6, -1), -1), taken)
    after = _near(range(mention.end, min(mention.end + 2, len(words))), taken)
    best: list[tuple[Meaning, tuple[int, ...]]] = []
    for meaning in mention.meanings:
        assert meaning.key is not None
        bonus, used = _named(words, before, after, meaning.key, fits)
        bonus += OF_LABEL * _is_number_of(words, mention.start, meaning.key)
        best.append((replace(meaning, score=meaning.score + bonus), used))
    best.sort(key=lambda pair: -pair[0].score)
    return replace(mention, meanings=tuple(meaning for meaning, _ in best), also=best[0][1])


def _is_number_of(words: Sequence[Word], start: int, key: Key) -> bool:
    """Whether a number by which nodes are told apart stands behind the noun for these: "customer 10", "supplier with
    the id 2"."""
    said = FUNCTION_WORDS | IDENTIFYING | {"ids"}
    before = next((word.plain for word in reversed(words[max(start - 5, 0) : start]) if word.plain not in said), "")
    identifies = name_words(key.name or key.key)[-1] in IDENTIFYING
    return identifies and bool(before) and any(same_root(before, own) for own in name_words(key.owner)[-1:])


def _near(indices: Iterable[int], taken: set[int]) -> list[int]:
    found = []
    for index in indices:
        if index in taken:
            break
        found.append(index)
    return found


def _named(
    words: Sequence[Word], before: Sequence[int], after: Sequence[int], key: Key, fits: Fits
) -> tuple[float, tuple[int, ...]]:
    """What it is worth that words beside a value name its property, and which do."""
    own = set(name_words(key_name(key)))
    hits = [index for index in (*before[:4], *after) if any(same_root(_said(words, index), part) for part in own)]
    hits = [index for index in hits if not _names_another(words[index].plain, own, key, fits)]
    if hits:
        named = sum(any(same_root(_said(words, index), part) for index in hits) for part in own)
        return 0.3 + 0.4 * named / len(own), tuple(hits)
    best = 0.0
    for place, index in enumerate(before[:3]):
        if words[index].plain not in FUNCTION_WORDS:
            best = max(best, fits.key(words[index].plain)[key] * (0.4 - 0.1 * place))
    return best, ()


def _names_another(word: str, name: Collection[str], key: Key, fits: Fits) -> bool:
    """Whether a word surely names a label that does not have the property, and is not all of the property's name."""
    if len(name) == 1 and any(is_noun(word, part) for part in name):
        return False
    return any(score >= SURE and label != key.owner for label, score in fits.label(word).items())


def _said(words: Sequence[Word], index: int) -> str:
    """A word, or what it stands for together with the next or the one before: "last name" is a surname."""
    for first in (index, index - 1):
        if 0 <= first < len(words) - 1 and _pair(words, first) in SAME_NAMES:
            return SAME_NAMES[_pair(words, first)]
    return SAME_NAMES.get(words[index].plain, words[index].plain)


def _pair(words: Sequence[Word], index: int) -> str:
    """A word and the next one, which is in the singular."""
    return " ".join(word.plain for word in words[index : index + 2]).rstrip("s")


def label_mentions(words: Sequence[Word], free: Sequence[int], fits: Fits, *, asked: int, head: int) -> list[Mention]:
    """The words (of those that are `free`) that name labels. The word `asked` asks the question; `head` is the noun
    for what it asks, which names something, even if it is less like a label."""
    found = _whole_labels(words, free, fits)
    named = {index for item in found for index in range(item.start, item.end)}
    for index in free:
        if index in named:
            continue
        word = words[index].plain
        if (word in QUESTION_WORDS and index != asked) or _is_anybody(words, index):
            continue
        if word in PEOPLE or _is_whoever(words, index) or _are_members(word, fits):
            meanings = [Meaning("label", label, 0.75 * share) for label, share in people(fits) if share > LEAST_PEOPLE]
            if meanings:
                found.append(Mention(index, index + 1, tuple(meanings)))
            continue
        if word in FUNCTION_WORDS or is_number(word) or (is_past(word) and words[index - 1].plain in PERFECT):
            continue
        said_of = {words[other].plain for other in range(max(index - 2, 0), index)} & {"is", "are", "was", "were", "be"}
        if singular(word) in FELLOWS and not said_of and (fellows := _fellows(word, fits)):
            found.append(Mention(index, index + 1, fellows, fellow=True))
            continue
        scores = {label: score for label, score in fits.label(word).items() if not _does(word, label)}
        best, before = max(scores.values(), default=0.0), words[index - 1].plain if index else ""
        doers = fits.doers(word, said=bool(said_of)) if best <= LIKE else ()
        if doers:
            found.append(
                Mention(index, index + 1, tuple(Meaning("label", end, DOER, role=role) for end, role in doers))
            )
            continue
        several = (
            index == head and singular(word) != word and not fits.vocabulary.spoken
        )  # there, relations name labels
        sure = several or before in DETERMINERS or before in PREPOSITIONS - {"to"}
        if best <= LIKE and _names_more(word, fits, verb=index != head, label=best if sure else 0.0):
            continue
        noun = before in ARTICLES or before in PREPOSITIONS or words[index - 1].text.endswith("'s")
        least = 0.2 if index == head else LIKELY - 0.1 * noun
        meanings = [
            Meaning("label", label, score * (1.0 if score >= 0.7 else 0.9))
            for label, score in sorted(scores.items(), key=lambda item: -item[1])
            if score >= least
        ][:3]
        if meanings:
            found.append(Mention(index, index + 1, tuple(meanings)))
    return _kinds_of(words, _compounds(words, _without_modifiers(sorted(found, key=lambda item: item.start))), fits)


def _is_anybody(words: Sequence[Word], index: int) -> bool:
    """Whether a word stands for anybody at all, of whom nothing more is said: "patrolled by ANYONE"."""
    following = words[index + 1].plain if index + 1 < len(words) else "and"
    ends = JOINING | AUXILIARIES | {"else", "yet", "or", "ever"}
    return words[index].plain in ANYBODY - {"people", "persons"} and following in ends


def _is_whoever(words: Sequence[Word], index: int) -> bool:
    """Whether a word stands for people of whom something is said: "those working at", but not "all blocked cards"."""
    plain = [word.plain for word in words[index : index + 3]]
    if plain[0] not in ("those", "others", "all") or len(plain) < 2:
        return False
    said = plain[1].endswith("ing") or (plain[1].endswith("ed") and set(plain[2:]) <= FUNCTION_WORDS)
    return said or plain[1] in ("who", "whom", "whose")


def _are_members(word: str, fits: Fits) -> bool:
    """Whether a word stands for whichever people a graph is about: its "members", where nothing is called so."""
    if word not in MEMBERS or max(fits.label(word).values(), default=0.0) >= SURE:
        return False
    return not fits.names_any(word) and max(fits.key(word).values(), default=0.0) < SURE


def _does(word: str, label: str) -> bool:
    """Whether a word is the verb for what the nodes of a label do: "play" of a Player."""
    return any(is_doer(own, word) for own in name_words(label)[-1:])


def _whole_labels(words: Sequence[Word], free: Sequence[int], fits: Fits) -> list[Mention]:
    """Where all words of a label's name stand side by side: "power plants"."""
    names = {label: own for label in fits.labels if len(own := name_words(label)) > 1}
    found: list[Mention] = []
    for start in free:
        there = [label for label, own in names.items() if stands(words[start : start + len(own)], own)]
        if there and (not found or found[-1].end <= start):
            end = start + max(len(names[label]) for label in there)
            if all(index in free for index in range(start, end)):
                whole = [label for label in there if start + len(names[label]) == end]
                found.append(Mention(start, end, tuple(Meaning("label", label, 1.0) for label in whole)))
    return found


def stands(words: Sequence[Word], name: Sequence[str]) -> bool:
    """Whether words are those of a name, but for their endings."""
    return len(words) == len(name) and all(same_root(word.plain, own) for word, own in zip(words, name, strict=True))


def _fellows(word: str, fits: Fits) -> tuple[Meaning, ...]:
    """The labels whose nodes have fellows of their own kind, by the relationship that a noun is most like."""
    similar = fits.similarity(word)
    best: dict[str, float] = {}
    for link in fits.vocabulary.links:
        number = fits.relations.index(link.relation)
        if link.subject == link.object and fits.vocabulary.is_symmetric(link.relation):
            best[link.subject] = max(best.get(link.subject, 0.0), float(similar[number]))
    return tuple(Meaning("label", label, 1.0) for label in sorted(best, key=lambda label: -best[label])[:3])


def _names_more(word: str, fits: Fits, *, verb: bool, label: float) -> bool:
    """Whether a word that is only like a label can be a `verb`, or names a relationship or a property; what is surely
    a noun only where it does so better than it names its `label` (0 for others)."""
    if verb and word.endswith(("ing", "ed")):
        return True
    return any(bool((scores > label).any() if label >= 0.7 else (scores >= 0.7).any()) for scores in fits.of(word)[1:])


def _without_modifiers(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions of labels without those that are only like the label which the noun behind them surely names:
    "EMAIL address"."""
    kept: list[Mention] = []
    for item in mentions:
        sure = {meaning.owner for meaning in item.meanings if meaning.score >= SURE}
        if kept and kept[-1].end == item.start:
            others = tuple(
                meaning for meaning in kept[-1].meanings
                if meaning.owner not in sure or meaning.score >= SURE or len(name_words(meaning.owner)) > 1
            )  # fmt: skip
            before = kept.pop()
            kept += [replace(before, meanings=others)] if others else []
        kept.append(item)
    return kept


def _compounds(words: Sequence[Word], mentions: Sequence[Mention]) -> list[Mention]:
    """Two words side by side that name one label together: "phone calls", "visitor centre" of a VisitorCenter."""
    kept: list[Mention] = []
    for item in mentions:
        if kept and kept[-1].end == item.start:
            before = {meaning.owner: meaning for meaning in kept[-1].meanings}
            both = [
                replace(meaning, score=1.0)
                for meaning in item.meanings
                if len(name_words(meaning.owner)) > 1 and meaning.owner in before
                and meaning.score >= 0.7
                and (before[meaning.owner].score >= 0.7
                     or same_root(words[kept[-1].start].plain, name_words(meaning.owner)[0]))
            ]  # fmt: skip
            if both:
                kept[-1] = Mention(kept[-1].start, item.end, tuple(both))
                continue
        kept.append(item)
    return kept


def _kinds_of(words: Sequence[Word], mentions: Sequence[Mention], fits: Fits) -> list[Mention]:
    """Two labels side by side after which together a relationship between them is called: a "train station" is a
    station, whether or not a train is joined to it by TRAIN_STATION."""
    kept: list[Mention] = []
    for item in mentions:
        owner = item.meanings[0].owner
        if kept and kept[-1].end == item.start and singular(words[item.start - 1].plain) == words[item.start - 1].plain:
            together = {(kept[-1].meanings[0].owner, owner), (owner, kept[-1].meanings[0].owner)}
            called = (*name_words(kept[-1].meanings[0].owner), *name_words(owner))
            if any(
                (link.subject, link.object) in together and name_words(link.relation) == called
                for link in fits.vocabulary.links
            ):
                kept[-1] = Mention(kept[-1].start, item.end, item.meanings[:1])
                continue
        kept.append(item)
    return kept


def people(fits: Fits) -> list[tuple[str, float]]:
    """Labels of people, with how surely they are that; of labels of which one is a part of another, the whole."""
    likely = {label for label, share in fits.people.items() if share > LEAST_PEOPLE}
    wholes = {label: share for label, share in fits.people.items()
              if likely.isdisjoint(fits.vocabulary.parts.get(label, ()))}  # fmt: skip
    return sorted(wholes.items(), key=lambda pair: -pair[1])[:3]


def key_mentions(words: Sequence[Word], free: Sequence[int], fits: Fits, flags: Sequence[Flag] = ()) -> list[Mention]:
    """The words that name properties: all of a name's words side by side, or one that fits well; or that say one of the
    `flags`."""
    found: list[Mention] = []
    for index in free:
        word = words[index].plain
        if found and index < found[-1].end:
            continue
        if said_by := [flag for flag in flags if flag.start == index and {*range(index, flag.end)}.issubset(free)]:
            meant = tuple(Meaning("key", flag.key.owner, SURE, flag.key) for flag in said_by)
            found.append(Mention(index, said_by[0].end, meant))
            continue
        if word in FUNCTION_WORDS or is_number(word):
            continue
        meanings = []
        before = words[index - 1].plain if index else ""
        said, count = _said(words, index), 2 if _pair(words, index) in SAME_NAMES else 1
        scores = fits.key(said)
        if max(scores.values(), default=0.0) < SURE:
            scores = {key: max(score, scores[key]) for key, score in fits.key(word).items()}
        relation = float(max(fits.of(word)[1], default=0.0))
        for key, fit in scores.items():
            itself = word in name_words(key.key)  # "have retired"
            if key.kind == "truth" and is_past(word) and before in PERFECT and not itself:
                continue  # "have acted" is not "active"
            opposite = key.kind == "truth" and denies(word, name_words(key.key)[-1])
            score = SURE if opposite else fit
            if score < 0.45 or score < relation - RELATION:
                continue
            own = name_words(key_name(key))
            beside = [words[other].plain for other in (index - 1, index + 1) if 0 <= other < len(words)]
            near = (word, said, *beside, *([word.removesuffix("ly")] if key.kind == "truth" else []))
            whole = opposite or fits.bounds(word, key) or fits.names(word, key)
            together = sum(whole or any(same_root(one, part) for one in near) for part in own) / len(own)
            meanings.append(Meaning("key", key.owner, score * (0.6 + 0.4 * together), key))
        if meanings:
            meanings = _of_owner(meanings, _owner_behind(words, index + count, fits))
            meanings.sort(key=lambda item: -item.score)
            least = meanings[:MOST_KEYS][-1].score  # many labels have an "id"
            found.append(Mention(index, index + count, tuple(item for item in meanings if item.score >= least)))
    return found


def _owner_behind(words: Sequence[Word], at: int, fits: Fits) -> str:
    """The label that a word surely names whose property stands before it: "the date OF EACH ORDER"; "" for none."""
    if at >= len(words) or words[at].plain not in ("of", "for"):
        return ""
    while at < len(words) and words[at].plain in FUNCTION_WORDS:
        at += 1
    named = fits.label(words[at].plain) if at < len(words) else {}
    best = max(named, key=named.__getitem__, default="")
    return best if named.get(best, 0.0) >= SURE else ""


def _of_owner(meanings: Sequence[Meaning], owner: str) -> list[Meaning]:
    """The meanings of a word for a property, those of its `owner` as likely as any."""
    best = max(item.score for item in meanings)
    return [replace(item, score=best) if item.owner == owner else item for item in meanings]
