"""Form: what shape of answer a question asks for, and which of its words say only that.

Comes in: the words of a question. Goes out: whether it asks for things, a number, yes or no; where what is asked for is
named; its superlatives, comparisons, negations and groups. All of it rests on closed classes of English.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, cast

from kgneo.english.calendar import calendar_part_at
from kgneo.english.numbers import MULTIPLES, UNIT_SIZES, decade_at, is_day, is_of_time, number_at, part_of_year_at
from kgneo.english.words import (
    AMOUNTS,
    ARTICLES,
    ASKING,
    AUXILIARIES,
    BEGINNINGS,
    BOUNDS,
    COMMON,
    COMPARATIVES,
    EACH,
    ECHOING,
    ENDS,
    EXTREMES,
    FINITE,
    FREQUENTLY,
    FUNCTION_WORDS,
    GROUPING,
    MEASURES,
    NEGATIONS,
    NUMERALS,
    ONCE,
    ORDINALS,
    OWNING,
    PASSING,
    POINTING_BACK,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUMMING,
    WANTING,
)
from kgneo.query.graph import SPANS, Calculation, Function, Operator
from kgneo.query.graph import Form as ValueForm
from kgneo.reading.mentions import Word

ABOVE: dict[str, Operator] = {"above": ">", "over": ">", "exceeding": ">", "below": "<", "under": "<"}
EQUAL_OR = (("equal", "to", "or"), *((word, "or") for word in ("in", "on", "at", "during")))
OR_EQUAL = (("or", "equal", "to"), ("or", "equals"), *(("or", word) for word in ("in", "on", "at", "during", "equal")))
"""Words before and behind a bound that say that it belongs to what is within it."""
CLOSING = {"and", "or", "but", "that", "which", "who", "whose"}
OVERALL = {"overall", "all", "its", "their", "whole", "total"}
OF_ALL: dict[str, Function] = {"average": "average", "mean": "average", "maximum": "maximum", "minimum": "minimum"}
"""Words for what is made of all the values that there are."""
SAME = 5
"""Words from "same" to what ends the words for what is the same, at most."""
SHARING = ("share", "shares", "sharing")
ONE = ("a", "an", "one", "their", "common")
"""Words for having the same, with those behind them: "clients that SHARE A phone"."""
ON = ("on", "dated")
"""Words before the day on which something was."""
LASTING = ("last", "lasts", "lasted", "lasting", "take", "takes", "took", "taking")
AMOUNTING = ("of", "is", "are", "was", "were", *LASTING)
"""Words before what something amounts to: "a length OF 90 minutes"."""
ONWARDS = ("on", "onward", "onwards", "upward", "upwards")
TO = ("and", "to", "until", "till", "through")
Whole = Literal["", "sum", "average"]
Kind = Literal["things", "count", "share", "sum", "average", "exists", "choice"]


@dataclass(frozen=True, slots=True)
class Extreme:
    """A superlative at word `at`: the `descending` order, how many are kept after `offset`."""

    at: int
    descending: bool
    limit: int = 1
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison with numbers or dates, words `start` to `end` (exclusive): "after 2000", "at least 3"; with what
    a `function` makes of all there are: "above the average"; or with the days of the week or months that a `form` of
    a date has: "on weekends"; or of how `often` something is done: "more than once"."""

    start: int
    end: int
    operator: Operator
    values: tuple[str, ...]
    function: Function | None = None
    form: ValueForm = ""
    often: bool = False


@dataclass(frozen=True, slots=True)
class DateSpan:
    """How long it is to what the words `left` say from what the words `right` do."""

    unit: Calculation
    left: range
    right: range


@dataclass(frozen=True, slots=True)
class Form:
    """What is asked for. `at` is where the noun for it is looked for, `used` are words that serve the form alone."""

    kind: Kind = "things"
    at: int = 0
    word: str = ""
    used: frozenset[int] = frozenset()
    extremes: tuple[Extreme, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    negations: tuple[int, ...] = ()
    per: int = -1
    per_key: bool = False
    """The noun for what a number is asked for each of, and whether it names a property and no label; both are known
    when it is known what words name."""
    versus: tuple[int, int] | None = None
    """The word that compares and the one before the name it compares with: "older THAN X", "difference … AND X"."""
    same: tuple[int, int] | None = None
    """Where "same" stands, and what ends the words for what is the same: "the SAME town AS X"."""
    whole: Whole = ""
    """What words say is wanted of all numbers together, where a number is asked for: "in total", "on average"."""
    much: bool = False
    """Whether the number is none of things, but an amount: "how much"."""
    period: Comparison | None = None
    """By what part of a date a number is asked for each: "per MONTH", "for each DAY OF THE WEEK"."""
    span: DateSpan | None = None
    """The time between two dates that is asked for: "how many DAYS AFTER its due date was it returned"."""
    every: bool = False
    """Whether it is asked if something is so of all of a kind: "does EVERY student take Logic"."""


def form_of(words: Sequence[Word]) -> Form:
    """The form of a question."""
    plain = [word.plain for word in words]
    echo = _echo(plain)
    kind, at, asked, used = _asked(plain[:echo])
    if kind == "exists" and echo < len(plain):
        kind, asked = "things", ""
    at = plain.index("ratio") + 1 if "ratio" in plain and kind == "things" else at
    preamble = _preamble(plain)
    used |= {*range(preamble), *range(echo, len(plain))} | _in_units(plain)
    at = max(at, preamble)
    much = "much" in plain[max(at - 2, 0) : at]
    summing, averaging = _summing(plain), _averaging(plain)
    if summing and kind in ("things", "count"):
        kind, used = "sum" if kind == "things" or much else kind, used | summing
    elif averaging and kind in ("things", "count"):
        kind, used = "average" if kind == "things" else kind, used | averaging
    comparisons = [item for item in _comparisons(plain) if not {item.start, item.end - 1} <= used]
    within = {index for item in comparisons for index in range(item.start, item.end)}
    extremes = tuple(item for item in _extremes(plain) if item.at not in within)
    noun = max(used, default=at) if plain[:1] == ["of"] else at  # "of the nurses who …, which TWO"
    numeral = next(
        (index for index in range(noun, min(noun + 3, len(plain))) if plain[index] not in FUNCTION_WORDS), at
    )
    if extremes and not _small(plain[numeral : numeral + 1]):
        numeral = _counting(plain, extremes[0].at, numeral)
    several = _small(plain[numeral : numeral + 1])
    if several > 1 and len(extremes) == 1 and extremes[0].limit == 1 and not extremes[0].offset:
        extremes = (replace(extremes[0], limit=several),)  # "which three … first"
        used |= {numeral}
    used |= within | {item.at for item in extremes}
    used |= {item.at + 1 if _small(plain[item.at + 1 : item.at + 2]) else item.at - 1
             for item in extremes if item.limit > 1 or item.offset}  # fmt: skip
    used |= {index for index in range(len(plain))
             if _is_only_top(plain, index) or _lasts(plain, index) or _is_order(plain, index)}  # fmt: skip
    used |= _amounts(plain)
    used |= {
        item.at + 1
        for item in extremes
        if (
            plain[item.at] in ("most", "least")
            and set(plain[item.at + 1 :][:1]) & (MEASURES.keys() | FREQUENTLY | COMMON)
        )
        or (
            plain[item.at] in ("longest", "shortest") and any(word.endswith("ing") for word in plain[item.at + 1 :][:1])
        )
    }
    negations = tuple(index for index in range(len(plain)) if index not in within and _denies(words, index))
    if not comparisons and not extremes and "than" not in plain and "or" in plain:
        extremes = tuple(
            Extreme(index, COMPARATIVES[word]) for index, word in enumerate(plain) if word in COMPARATIVES
        )[:1]
        used |= {item.at for item in extremes}
        used |= {item.at + 1 for item in extremes if plain[item.at] in ("more", "less")
                 and set(plain[item.at + 1 :][:1]) & MEASURES.keys()}  # fmt: skip
    versus = _versus(plain, within) or _beside_named(words, within)
    used |= set(versus or ())
    whole: Whole = "sum" if summing else "average" if averaging else ""
    form = Form(kind, at, asked, frozenset(used), extremes, tuple(comparisons), negations, versus=versus, whole=whole)
    form = replace(form, same=_same(plain), much=much, every=kind == "exists" and bool(EACH & {*plain[1:2]}))
    timed = form if comparisons or (versus and plain[versus[1]] not in TIMES) else _with_span(form, plain)
    return replace(timed, versus=None) if timed.span else timed


SPAN_UNITS: dict[str, Calculation] = {word: unit for unit in SPANS for word in (unit, unit.removesuffix("s"))}
"""Words for what the time between two dates is counted in."""
_LATER, _EARLIER = ("after", "since"), ("before", "until", "till")
TIMES: dict[str, Operator] = {"before": "<", "after": ">"}
"""Words that compare a time with that of what is named behind them."""


def _with_span(form: Form, plain: Sequence[str]) -> Form:
    """The form of a question for the time between two dates, "between X and Y", "from X to Y", "before" or "after" one:
    the other one then stands before that word, or behind the verb."""
    asked = next((at + 1 for at, pair in enumerate(pairwise(plain)) if pair == ("how", "long")), -1)
    asked = next((at + 2 for at, pair in enumerate(pairwise(plain)) if pair == ("how", "many")), asked)
    unit = (SPAN_UNITS | {"long": "days"}).get(plain[asked]) if 0 < asked < len(plain) else None
    joins = ("between", "from", *_LATER, *_EARLIER)
    at = next((at for at, word in enumerate(plain) if at > asked and word in joins), -1)
    if unit is None or at < 0 or (plain[at + 1 : at + 2] in ([], ["the"]) and at + 2 >= len(plain)):
        return form
    used = form.used | {asked - 1, asked, at, *(place for place in range(asked, at) if plain[place] in PASSING)}
    if plain[at] in ("between", "from"):
        end = next((place for place in range(at + 1, len(plain)) if plain[place] in TO), -1)
        span = DateSpan(unit, range(end + 1, len(plain)), range(at + 1, end))
        return replace(form, span=span, used=used | {end}) if end > 0 else form
    before, behind = range(asked + 1, at), range(at + 1, len(plain))
    if all(plain[place] in FUNCTION_WORDS | PASSING for place in before):
        verb = next((place for place in reversed(behind) if plain[place] in AUXILIARIES), len(plain))
        before, behind = range(verb, len(plain)), range(at + 1, verb)
    ends = (before, behind) if plain[at] in _LATER else (behind, before)
    return replace(form, span=DateSpan(unit, *ends), used=used)


def _denies(words: Sequence[Word], index: int) -> bool:
    """Whether a word is one of negation, or stands before a "n't" that the apostrophe cuts off. With a capital inside a
    question it is a name."""
    word = words[index]
    if index and word.text[0].isupper() and not words[0].text.isupper():
        return False
    following = words[index + 1] if index + 1 < len(words) else None
    short = following is not None and following.plain == "t" and following.start == word.end + 1
    other = word.plain == "than" and index > 0 and words[index - 1].plain in ("other", "rather")
    return word.plain in NEGATIONS or other or (short and word.plain.endswith("n"))


TOTALLING = ("add up", "adds up", "added up", "added together", "in total", "all together")


def _summing(plain: Sequence[str]) -> set[int]:
    """The words by which a sum of what is asked for is wanted: "the COMBINED population", "what do they ADD UP to"."""
    alone = {index for index, word in enumerate(plain) if word in SUMMING}
    pairs = [index for index, pair in enumerate(pairwise(plain)) if " ".join(pair) in TOTALLING]
    return alone | {place for index in pairs for place in (index, index + 1)}


def _averaging(plain: Sequence[str]) -> set[int]:
    """The words by which a mean of what is asked for is wanted: "what does it cost ON AVERAGE"."""
    pairs = [index for index, pair in enumerate(pairwise(plain)) if pair == ("on", "average")]
    return {place for index in pairs for place in (index, index + 1)}


def _versus(plain: Sequence[str], within: Container[int]) -> tuple[int, int] | None:
    """Where something is compared with what is named behind "than", with the second of two behind "between" or "to", as
    often as "times as many as", or, for an age, with what is named behind "when"."""
    for index, word in enumerate(plain):
        if word == "old" and plain[max(index - 1, 0)] == "how" and "when" in plain[index + 1 :]:
            return index, plain.index("when", index + 1)
        if word in COMPARATIVES and index not in within and "than" in plain[index + 1 :]:
            return index, plain.index("than", index + 1)
        if word in ("difference", "differ", "ratio") and "between" in plain[index:] and "and" in plain[index:]:
            return index, len(plain) - 1 - plain[::-1].index("and")
        if word == "ratio" and "to" in plain[index:]:
            return index, len(plain) - 1 - plain[::-1].index("to")
        if plain[index : index + 2] == ["times", "as"] and "as" in plain[index + 2 :]:
            return index, plain.index("as", index + 2)
    return None


def _beside_named(words: Sequence[Word], within: Container[int]) -> tuple[int, int] | None:
    """Where a time or a size is compared with that of what is named: "hired BEFORE Ann", "AS old AS Ann"."""
    plain = [word.plain for word in words]
    for index, word in enumerate(plain[:-1]):
        name = next((other.text for other in words[index + 1 :] if other.plain not in ARTICLES), "")
        if word in TIMES and index not in within and name[:1].isupper():
            return index, index
        behind = {*plain[index + 1 : index + 2]}
        if (
            word == "as"
            and behind & (MEASURES.keys() | {"many", "much"})
            and "as" in plain[index + 2 : index + 2 + SAME]
        ):
            return index, plain.index("as", index + 2)
    return None


def operator_of(word: str) -> Operator:
    """How a word compares: "older", "more", "before", "as" (many as)."""
    if word in COMPARATIVES:
        return ">" if COMPARATIVES[word] else "<"
    return TIMES.get(word, "=")


def _same(plain: Sequence[str]) -> tuple[int, int] | None:
    """Where "same" stands, or "share a", and "as" behind it, or the end of the question, where two are asked about."""
    shared = (index + 1 for index in range(1, len(plain) - 1) if plain[index] in SHARING and plain[index + 1] in ONE)
    start = plain.index("same") if "same" in plain else next(shared, -1)
    if start < 0:
        return None
    end = next((index for index, word in enumerate(plain) if word == "as" and index > start), len(plain))
    told = any(word not in FUNCTION_WORDS for word in plain[start + 1 : end])
    return (start, end) if told and end - start <= SAME else None


def _in_units(plain: Sequence[str]) -> set[int]:
    """The words that only say in what to give a number: "IN THOUSANDS OF DOLLARS"."""
    units = UNIT_SIZES.keys() | MULTIPLES.keys() | {"of"}
    for index in (index for index, word in enumerate(plain[:-1]) if word == "in" and index):
        end = next((place for place in range(index + 1, len(plain)) if plain[place] not in units), len(plain))
        if {*plain[index + 1 : end]} & UNIT_SIZES.keys():
            return set(range(index, end))
    return set()


ASKING_BACK = (("which", "one"), ("what", "one"), ("which",), ("who",), ("and", "who"))
"""What else asks once more: "Is there one without a date? WHICH ONE?"."""


def _echo(plain: Sequence[str]) -> int:
    """Where words at the end begin that only ask once more for what was asked: "please list THEM", "if SO, which
    ones"; the number of words where there are none."""
    start = next((index + 1 for index in range(len(plain) - 1, -1, -1) if plain[index] not in ECHOING), 0)
    asked = tuple(plain[start:]) in ASKING_BACK and plain[0] in FINITE  # not "was written by WHO"
    points = len(plain) - start >= 2 and bool(POINTING_BACK & {*plain[start:]})
    return start if start > 2 and (points or asked) else len(plain)


def _preamble(plain: Sequence[str]) -> int:
    """How many words at the beginning only say that something is wanted: "I'm looking for", "I would like to know"."""
    said = (FUNCTION_WORDS - QUESTION_WORDS - NEGATIONS) | WANTING | {"m"}
    end = next((index for index, word in enumerate(plain) if word not in said), len(plain))
    return end if plain[:1] == ["i"] and WANTING & {*plain[:end]} else 0


Asked = tuple[Kind, int, str, set[int]]
"""Kind, where the noun for what is asked stands, the word that asks, and the words that are used up."""


def _asked(plain: Sequence[str]) -> Asked:
    found = next((asked for index in range(len(plain)) if (asked := _quantity(plain, index))), None)
    if found is None:
        found = next((asked for index in range(len(plain)) if (asked := _question(plain, index))), None)
    if found is not None and plain[0] == "of" and (of_these := _of_these(plain)):
        return of_these
    if found is not None:
        return found
    if plain and plain[0] in AUXILIARIES and not _request(plain):
        return "exists", 1, plain[0], {0, *(range(1, 3) if plain[1:3] == ["you", "get"] else ())}
    for index, word in enumerate(plain[:6]):
        if word in ASKING | {"know", "have"} and not (
            index and plain[index - 1] in ("the", "of", "a", "in", "each", "which", "what", "that", "who")
        ):
            return "things", index + 1, word, {index}
    return "things", 0, "", set()


def _of_these(plain: Sequence[str]) -> Asked | None:
    """What is asked for of what is named first: "OF THE NURSES who work nights, which two …"."""
    places = [index for index, word in enumerate(plain) if word in ("which", "what", "who", "whom") and index > 1]
    return ("things", 1, "which", {places[-1]}) if places else None


def _how_often(plain: Sequence[str], index: int) -> Asked | None:
    """How many, how often, or how many times as many are asked for by "how" at `index`."""
    following, behind = plain[index + 1 : index + 2], plain[index + 3 : index + 4]
    if following == ["many"] and plain[index + 2 : index + 3] == ["times"] and {*behind} & {"as", *COMPARATIVES}:
        return "count", index + (5 if behind == ["as"] else 4), "how many", set(range(index, index + 4))
    if following == ["many"] and plain[index + 2 : index + 3] == ["times"]:
        return "count", index + 3, "how often", {index, index + 1, index + 2}
    if following in (["many"], ["much"]):
        return "count", index + 2, "how many", {index, index + 1}
    return ("count", index + 2, "how often", {index, index + 1}) if following == ["often"] else None


def _is_measure_of_mean(plain: Sequence[str], index: int) -> bool:
    """Whether a word for a mean says by what something is put in an order, or compared: "the highest AVERAGE price",
    "above the AVERAGE age"."""
    compared = not {*plain[max(index - 2, 0) : index]}.isdisjoint((*ABOVE, "than"))
    return compared or (index > 0 and plain[index - 1] in EXTREMES)


def _quantity(plain: Sequence[str], index: int) -> Asked | None:
    """A number that is asked for by the words from `index`: how many there are, a sum, a mean."""
    word = plain[index]
    following = plain[index + 1] if index + 1 < len(plain) else ""
    if plain[index : index + 3] == ["how", "much", "money"]:
        return "count", index + 3, "how many", {index, index + 1, index + 2}
    if word == "how" and (often := _how_often(plain, index)):
        return often
    if word in ("average", "mean") and index <= 5 and not _is_measure_of_mean(plain, index):
        return "average", index + 1, "average", {index}
    shares = ("percentage of", "percent of", "proportion of", "share of")
    bound = index and (plain[index - 1] in EXTREMES or number_at(plain, index - 1))  # "more than 50 PERCENT OF"
    if " ".join(plain[index : index + 2]) in shares and not bound:
        return "share", index + 2, "share", {index, index + 1}
    if plain[index : index + 3] == ["per", "cent", "of"]:
        return "share", index + 3, "share", {index, index + 1, index + 2}
    if word == "sum" and following == "of":
        return "sum", index + 2, "sum", {index, index + 1}
    beginning = set(plain[:index]) <= FUNCTION_WORDS | {"total", "count", "please", "provide", "tell", "get"}
    counted = word == "count" and 0 < index <= 6 and following in PREPOSITIONS | {""} and not beginning
    if counted and set(plain[: index - 1]) <= FUNCTION_WORDS | ASKING:  # "the crime count for"
        return "count", index - 1, "count", {index}
    if word not in ("number", "count", "total", "amount", "quantity") or index > 6 or not beginning:
        return None
    if following == "of":
        return "count", index + 2, "number", set(range(index + 2))
    if word == "count" and "number of" in " ".join(plain[index + 1 : index + 4]):
        return None  # "count the NUMBER OF"
    if word == "total" and following not in ("number", "count") and plain[index + 1 : index + 3] != ["amount", "of"]:
        return "sum", index + 1, "total", {index}
    return ("count", index + 1, "count", {index}) if word == "count" else None


def _question(plain: Sequence[str], index: int) -> Asked | None:
    """What a question word at `index` asks for."""
    word = plain[index]
    if word == "how" and index + 1 < len(plain):
        return "things", index + 1, "how", {index}
    if word in ("which", "what", "who", "whom", "whose", "when", "where") and not _relative(plain, index):
        if word == "who" and _is_the(plain[index + 1 : index + 3]):
            return "things", index + 2, "which", {index, index + 1}  # "who is the oldest player"
        return ("things", index, word, set()) if word in ("who", "whom") else ("things", index + 1, word, {index})
    return None


def _is_the(words: Sequence[str]) -> bool:
    """Whether a noun follows that says who is asked for: "is the"."""
    return len(words) == 2 and words[0] in ("is", "are", "was", "were") and words[1] in {"the", *OWNING}


def _relative(plain: Sequence[str], index: int) -> bool:
    """Whether a question word only begins a relative clause: there is a verb or a request before it, or the noun that
    it says something of: "clients WHO have no phone"."""
    before = plain[:index]
    if not before:
        return False
    says = plain[index] in ("who", "whose", "where") or (
        plain[index] == "which" and set(plain[index + 1 : index + 2]) & AUXILIARIES
    )
    if says and before[-1] not in FUNCTION_WORDS and before[0] not in PREPOSITIONS and index + 1 < len(plain):
        return True
    if any(word in ASKING for word in before[:5]) and any(word not in FUNCTION_WORDS for word in before):
        return True
    return before[0] in AUXILIARIES and not _request(plain)


def _request(plain: Sequence[str]) -> bool:
    """Whether a question that begins with an auxiliary asks for something: "can you GET me", but "can you get tea"."""
    if plain[1:2] and plain[1] in ("i", "we"):
        return bool(set(plain[2:3]) & (ASKING | {"see", "have", "know"}))
    general = plain[2:3] == ["get"] and not set(plain[3:4]) & ARTICLES
    return plain[1:2] == ["you"] and not general


def _small(words: Sequence[str]) -> int:
    """A number of things in words, or in figures below 100; 0 for anything else, and for no word."""
    return next((int(word) if word.isdecimal() and len(word) < 3 else NUMERALS.get(word, 0) for word in words), 0)


def _counting(plain: Sequence[str], end: int, at: int) -> int:
    """Where a numeral says before a superlative how many are wanted, "names of THE FIVE cities with the most"; else
    `at`."""
    return next((index for index in range(1, end) if plain[index - 1] == "the" and plain[index] in NUMERALS), at)


def _amounts(plain: Sequence[str]) -> set[int]:
    """The words of "number of" where they only say that a superlative is one of numbers: "the lowest NUMBER OF"."""
    pairs = [index for index in range(1, len(plain) - 1) if plain[index] in AMOUNTS and plain[index + 1] == "of"]
    return {place for index in pairs for place in (index, index + 1) if plain[index - 1] in EXTREMES
            or "by" in plain[max(index - 2, 0) : index]}  # fmt: skip


def _is_only_top(plain: Sequence[str], index: int) -> bool:
    """Whether a "top" only says that those are asked for which the next superlative puts first: "TOP 3 most …"."""
    behind = index + 2 if _small(plain[index + 1 : index + 2]) else index + 1
    return plain[index] == "top" and behind < len(plain) and plain[behind] in EXTREMES


def _is_order(plain: Sequence[str], index: int) -> bool:
    """Whether a word is one of "CHEAPEST FIRST", which says in what order to tell what is asked for."""
    first = index if plain[index] in ("first", "last") else index + 1
    return 0 < first < len(plain) and plain[first] in ("first", "last") and (
        plain[first - 1] in EXTREMES.keys() - {"first", "last"})  # fmt: skip


def _lasts(plain: Sequence[str], index: int) -> bool:
    """Whether "last" is the verb: "how long did it LAST", "how many days did it LAST from X to Y", "talks that LAST 30
    minutes", but "in the LAST 30 minutes"."""
    number = number_at(plain, index + 1) if plain[index] == "last" and index else None
    if number and _is_measured(plain, number[1]) and plain[index - 1] not in ARTICLES | PREPOSITIONS:
        return True
    before, behind = set(plain[:index]), plain[index + 1 : index + 2]
    long = {"long", "longer", *SPAN_UNITS} & before and set(behind) <= FUNCTION_WORDS
    return plain[index] == "last" and "how" in before and bool(long)


def _extremes(plain: Sequence[str]) -> list[Extreme]:
    found = []
    for index, word in enumerate(plain):
        if word in ("first", "last") and index + 1 < len(plain) and plain[index + 1] in ("name", "names"):
            continue
        if _is_only_top(plain, index) or _lasts(plain, index) or _is_order(plain, index):
            continue
        if (word in ("most", "least") and plain[index - 1 : index] == ["at"]) or (
            word == "top" and plain[index - 1 : index + 2] == ["on", "top", "of"]
        ):
            continue
        if word in ORDINALS and index == len(plain) - 1 and plain[index - 1] not in ARTICLES | GROUPING:
            found.append(Extreme(index, descending=False, offset=ORDINALS[word] - 1))
            continue
        if word not in EXTREMES or (
            word in ("most", "least") and plain[index + 1 : index + 2] and plain[index + 1] in EXTREMES
        ):
            continue
        before = plain[index - 1] if index else ""
        number = int(before) if before.isdecimal() and len(before) < 4 else NUMERALS.get(before, 1)
        offset = ORDINALS.get(before, 1) - 1
        after = plain[index + 1] if index + 1 < len(plain) else ""
        if word in ("first", "last", "top") and (after.isdecimal() or after in NUMERALS):
            number = int(after) if after.isdecimal() else NUMERALS[after]
        found.append(Extreme(index, EXTREMES[word], max(number, 1), offset))
    return found


_BOUNDS = [(tuple(words.split()), cast(Operator, operator)) for words, operator in BOUNDS]


_TIMES_BOUNDS: list[tuple[tuple[str, ...], Operator]] = [
    *_BOUNDS, (("more", "than"), ">"), (("fewer", "than"), "<"), (("less", "than"), "<"), (("over",), ">"),
    (("only",), "="), ((), "="),
]  # fmt: skip


def _comparisons(plain: Sequence[str]) -> list[Comparison]:
    found: list[Comparison] = []
    index = 0
    while index < len(plain):
        item = (
            _often(plain, index)
            or _range(plain, index)
            or _inclusive(plain, index)
            or _bound(plain, index)
            or _against_all(plain, index)
            or _recurring(plain, index)
        )
        if item is not None:
            found.append(item := replace(item, end=item.end + (not item.form and _is_unit(plain, item.end))))
            index = item.end
        else:
            index += 1
    return found


def _often(plain: Sequence[str], index: int) -> Comparison | None:
    """A test of how often something is done: "MORE THAN ONCE", "AT LEAST 3 TIMES", "TWICE"."""
    for pattern, operator in _TIMES_BOUNDS:
        at = index + len(pattern)
        if tuple(plain[index:at]) != pattern:
            continue
        number = number_at(plain, at)
        times, end = (number[0], number[1] + 1) if number else (ONCE.get("".join(plain[at : at + 1]), ""), at + 1)
        said = plain[end - 1 : end] == ["times"] if number else bool(times) and (bool(pattern) or times != "1")
        if said and plain[end : end + 1] not in (["as"], ["more"]):
            return Comparison(index, end, operator, (times,), often=True)
    return None


def _recurring(plain: Sequence[str], index: int) -> Comparison | None:
    """A test of which day of the week, or which month of any year, a date is: "ON WEEKENDS", "IN MARCH"."""
    part = calendar_part_at(plain, index)
    return Comparison(index, part.end, "=", part.names, form=part.form) if part else None


def _against_all(plain: Sequence[str], index: int) -> Comparison | None:
    """A comparison with what there is of all: "lower THAN THE AVERAGE", "ABOVE THE OVERALL AVERAGE"."""
    word, at = plain[index], index + 1
    operator = ABOVE.get(word)
    if word in COMPARATIVES:
        at += word in ("more", "less", "fewer") and plain[at : at + 1] != ["than"]  # "more EXPENSIVE than"
        operator = (">" if COMPARATIVES[word] else "<") if plain[at : at + 1] == ["than"] else None
        at += 1
    while at < len(plain) and plain[at] in ARTICLES | OVERALL:
        at += 1
    function = OF_ALL.get(plain[at]) if at < len(plain) else None
    return Comparison(index, _all_end(plain, at + 1), operator, (), function) if operator and function else None


def _all_end(plain: Sequence[str], at: int) -> int:
    """Where the words end that say of what all a number is: "the average PRICE OF ALL PRODUCTS"."""
    of = next((place for place in range(at, min(at + 4, len(plain))) if plain[place] in ("of", "for", "among")), -1)
    if of < 0 or set(plain[at:of]) & FUNCTION_WORDS:
        return at
    noun = of + 1
    while noun < len(plain) and plain[noun] in ARTICLES | OVERALL | {"other"}:
        noun += 1
    end = next((place for place in range(noun, len(plain)) if plain[place] in FUNCTION_WORDS), len(plain))
    closed = plain[end : end + 1] == [] or plain[end] in CLOSING
    return end if closed and 0 < end - noun <= 2 else at


def _is_unit(plain: Sequence[str], index: int) -> bool:
    """Whether the word behind a number is its unit, in short: "1.95 M", "30 KG"."""
    return (
        index < len(plain) and len(plain[index]) <= 2 and plain[index].isalpha() and plain[index] not in FUNCTION_WORDS
    )


def _range(plain: Sequence[str], index: int) -> Comparison | None:
    if plain[index] in ("in", "during", "from", "of"):
        years = decade_at(plain, index + 1) or part_of_year_at(plain, index + 1)
        if years is not None:
            return Comparison(index, years[2], "between", years[:2])
    if plain[index] not in ("between", "from"):
        return None
    first = _day_at(plain, index + 1) or number_at(plain, _into(plain, index + 1, BEGINNINGS))
    if first is None or first[1] >= len(plain) or plain[first[1]] not in TO:
        return None
    second = number_at(plain, _into(plain, first[1] + 1, ENDS))
    return Comparison(index, second[1], "between", (first[0], second[0])) if second else None


def _day_at(plain: Sequence[str], index: int) -> tuple[str, int] | None:
    """A day of the year that the other end of a range says: "1 January and 30 June 2022"."""
    end = next((place for place in range(index, min(index + 4, len(plain))) if plain[place] in TO), len(plain))
    other = number_at(plain, _into(plain, end + 1, ENDS)) if end < len(plain) else None
    if other is None or len(other[0]) != len("2022-06-30"):
        return None
    first = number_at([*plain[index:end], other[0][:4]], 0)
    return (first[0], end) if first and len(first[0]) == len(other[0]) else None


def _into(plain: Sequence[str], index: int, words: Container[str]) -> int:
    """Where a year or a date begins, without the words for that end of it which is meant anyway: "the START of"."""
    place = index + (plain[index : index + 1] == ["the"])
    said = place + 1 < len(plain) and plain[place] in words and plain[place + 1] == "of"
    return place + 2 if said else index


def _inclusive(plain: Sequence[str], index: int) -> Comparison | None:
    """A bound that is said to belong to what is within it: "ON OR AFTER 1 May", "less than OR EQUAL TO 10"."""
    before = next((len(words) for words in EQUAL_OR if tuple(plain[index : index + len(words)]) == words), 0)
    if before:
        return _widened(_bound(plain, index + before), start=index)
    for place in range(index + 1, min(index + 4, len(plain))):
        behind = next((len(words) for words in OR_EQUAL if tuple(plain[place : place + len(words)]) == words), 0)
        found = _bound([*plain[:place], *plain[place + behind :]], index) if behind else None
        if found is not None and found.end > place:
            return _widened(found, start=index, longer=behind)
    return None


def _widened(found: Comparison | None, *, start: int, longer: int = 0) -> Comparison | None:
    """A strict bound as one that belongs to what is within it, with the words that say so; None for another test."""
    operator: Operator | None = {">": ">=", "<": "<="}.get(found.operator) if found else None  # type: ignore[assignment]
    return replace(found, start=start, end=found.end + longer, operator=operator) if found and operator else None


def _bound(plain: Sequence[str], index: int) -> Comparison | None:
    for pattern, operator in _BOUNDS:
        if operator == "=" and plain[index - 1 : index] == ["the"]:
            continue  # "the only one"
        if tuple(plain[index : index + len(pattern)]) == pattern:
            edge = {"<": BEGINNINGS, ">=": BEGINNINGS, "<=": ENDS, ">": ENDS}.get(operator, ())
            place = index + len(pattern)
            number = number_at(plain, _into(plain, place, edge)) or number_at(plain, _behind_noun(plain, place))
            return Comparison(index, number[1], operator, (number[0],)) if number else None
    word = plain[index]
    if word in COMPARATIVES and index + 1 < len(plain) and plain[index + 1] == "than":
        number = number_at(plain, index + 2)
        if number:
            return Comparison(index, number[1], ">" if COMPARATIVES[word] else "<", (number[0],))
    inside = word in ("in", "during", "from")
    day = word in ON
    number = number_at(plain, index + (inside or day or word in AMOUNTING))
    if number is None or (day and not is_day(number[0])):
        return None
    old = 2 * (plain[number[1] + 1 : number[1] + 2] == ["old"])
    for end in (number[1], number[1] + 1, number[1] + old):  # "8 or more", "8 stars or more", "30 years old or more"
        bound = _behind(plain, end)
        if bound is not None and plain[number[1]] not in PREPOSITIONS:
            return Comparison(index, end + 2, bound, (number[0],))
    if word in AMOUNTING and _is_measured(plain, number[1]) and (word != "last" or _lasts(plain, index)):
        return Comparison(index, number[1], "=", (number[0],))
    if word == "from" and plain[number[1] : number[1] + 1] and plain[number[1]] in ONWARDS:
        return Comparison(index, number[1] + 1, ">=", (number[0],))
    return _one_of(plain, index, number) if (inside or day) and is_of_time(number[0]) else None


def _is_measured(plain: Sequence[str], index: int) -> bool:
    """Whether a unit stands behind a number: "of 90 MINUTES"."""
    return index < len(plain) and plain[index] in UNIT_SIZES


def _one_of(plain: Sequence[str], index: int, first: tuple[str, int]) -> Comparison:
    """A comparison with one date, or with each of several: "in 2008 OR 2010"."""
    values: tuple[str, ...] = (first[0],)
    end = first[1]
    while plain[end : end + 1] == ["or"] and (other := number_at(plain, end + 1)) and len(other[0]) == len(first[0]):
        values, end = (*values, other[0]), other[1]
    return Comparison(index, end, "=", values)


def _behind_noun(plain: Sequence[str], index: int) -> int:
    """Where a number may stand behind the noun for what it is: "after SEASON 2007", "before THE YEAR OF 2006"."""
    noun = index + (plain[index : index + 1] == ["the"])
    if noun >= len(plain) or plain[noun] in FUNCTION_WORDS:
        return len(plain)
    return noun + 1 + (plain[noun + 1 : noun + 2] == ["of"])


def _behind(plain: Sequence[str], index: int) -> Operator | None:
    """The bound that two words behind a number make of it: "150 OR MORE"."""
    joining, word = (*plain[index : index + 2], "", "")[:2]
    strict = dict(BOUNDS).get(word, {True: ">", False: "<"}.get(COMPARATIVES.get(word), ""))  # type: ignore[arg-type]
    bounds = joining == "or" or (joining == "and" and word in dict(BOUNDS) and number_at(plain, index + 2) is None)
    return {">": ">=", "<": "<="}.get(strict) if bounds else None  # type: ignore[return-value]
