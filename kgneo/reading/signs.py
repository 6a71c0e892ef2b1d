"""Signs: what tells whether a reading of a question is right, in numbers without a word or a name of any graph.

Comes in: the readings of a question, and what those that were run found. Goes out: numbers by name, which
`kgneo.reading.confidence` weighs. Each is 0 to 1 where nothing else is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from kgneo.english.lacking import may_lack
from kgneo.english.single import asks_for_one
from kgneo.english.words import (
    AMOUNTS,
    ASKING,
    COMPARATIVES,
    EXTREMES,
    FUNCTION_WORDS,
    GROUPING,
    NEGATIONS,
    QUESTION_WORDS,
)
from kgneo.query.graph import Aggregate, Arithmetic, Condition, Edge, Expression, QueryGraph, Value, aggregates
from kgneo.reading.read import Interpretation

FAR = 2.0
"""Points of score beyond which it makes no difference how many more they are."""
NEAR = 0.1
"""Points of score within which two readings are about as good."""
MEASURED = 0.3
"""How surely a word speaks of what is compared, from which it does."""
MOST = 3
"""Things of one kind beyond which it makes no difference how many more they are."""
LEAST_MEANT = 0.02
"""Probability that words mean what they are read as, below which it makes no difference how much less."""
ODDS = 4.0
"""Logarithm of the odds beyond which the ranking of relation paths is not more, or less, sure."""
WORD = re.compile(r"[a-z]+")
AVERAGES = {"average", "mean", "typical", "typically"}
SILENT = FUNCTION_WORDS | QUESTION_WORDS | ASKING | AMOUNTS | {"many", "much", "name", "names"}
"""Words that tell nothing of what is asked for."""
BOUNDING = {"than", "above", "below", "over", "under", "before", "after", "between", "least", "most", "exceeds"}
NUMBER = re.compile(r"-?[\d,]+(\.\d+)?")
ASKS_NUMBER = re.compile(
    r"\bhow (many|much)\b|\b(number|count|average|mean|total|sum) of\b|^\W*what (is|was) the (average|mean)\b",
    re.IGNORECASE,
)
ASKS_PERSON = re.compile(r"^\W*(who|whom|whose)\b", re.IGNORECASE)
ASKS_PLACE = re.compile(r"^\W*where\b", re.IGNORECASE)
ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d.*")
STRICT = {"than", "before", "after", "over", "above", "under", "below", "exceed", "exceeds", "exceeding"}
"""Words of bounds that are not met by what they name."""
ASKS_TIME = re.compile(r"^\W*(when|what year|which year|in (what|which) year)\b", re.IGNORECASE)
ASKS_TRUTH = re.compile(r"^\W*(is|are|was|were|do|does|did|has|have|had|can|could|will)\b", re.IGNORECASE)

Signs = dict[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """What a reading found: its answers as texts, and how many there are; `empty`: nothing, a count of 0 or a "no".
    `likeness` is the encoder's of the question and of the reading in words, -1 to 1; 0 where it was not measured."""

    answers: tuple[str, ...]
    number: int
    empty: bool
    likeness: float = 0.0


def signs_of(question: str, readings: Sequence[Interpretation], number: int) -> Signs:
    """The signs of the reading of that `number` (from 0) among all, before it is run."""
    item = readings[number]
    if item.along is not None:
        return _of_path(item) | _of_graph(item) | of_form(question, item.meant or item.graph)
    read = [other for other in readings if other.along is None]
    others = [other.score for other in read if other.graph != item.graph]
    ahead = item.score - max(others, default=item.score - FAR)
    place = read.index(item)
    known = _of_words(item) | _of_meanings(question, item) | _of_graph(item)
    return known | of_form(question, item.meant or item.graph) | {
        "first": float(place == 0),
        "place": 1.0 / (1 + place),
        "score": item.score,
        "ahead": _within(ahead, FAR),
        "behind": _within(item.score - read[0].score, FAR),
        "rivals": _few(sum(abs(item.score - score) <= NEAR for score in others)),
        "alone": float(len(read) == 1),
        "beside path": float(len(read) < len(readings)),
    }  # fmt: skip


def _of_path(item: Interpretation) -> Signs:
    """What the ranking of relation paths says of its own."""
    likely = min(max(item.along or 0.0, 1e-6), 1 - 1e-6)
    return {
        "path": 1.0,
        "path odds": _within(math.log(likely / (1 - likely)), ODDS),
        "path unsaid": _few(len(item.unsaid)),
        "path nouns": _few(item.nouns),
        "path headless": float(item.headless),
        "path spelt": float(item.spelt),
        "path open": _few(len(item.open_names)),
    }


def _of_words(item: Interpretation) -> Signs:
    """What of the question a reading says, and how surely."""
    return {
        "silent": item.silent,
        "unsaid": _few(len(item.unsaid)),
        "all said": float(not item.unsaid),
        "nouns": _few(item.nouns),
        "headless": float(item.headless),
        "ignored": _few(len(item.ignored)),
        "named": item.named,
        "loose": _few(item.loose),
        "unmeasured": 1.0 - min(item.measured / MEASURED, 1.0),
        "vacuous": float(item.vacuous),
        "whole": float(item.complete),
        "chain": float(item.plain_chain),
        "kind": float(item.kind),
        "spelt": float(item.spelt),
        "unordered": float(bool(item.order)),
        "open": _few(len(item.open_names)),
        "mentions": _few(len(item.mentions)),
        "against": _few(item.against),
    }


def _of_meanings(question: str, item: Interpretation) -> Signs:
    """How surely words that the schema does not have mean what they are read as, and whether no other word of the
    question tells anything: "how many glaciers are there" of a graph of mountains."""
    doubt = math.log(max(item.means, LEAST_MEANT)) / math.log(LEAST_MEANT)
    words = _own_words(question, item.meant or item.graph) - SILENT
    return {
        "reworded": float(item.means < 1.0),
        "doubtful words": doubt,
        "doubtful alone": doubt * (len(words) <= 1),
    }


def of_form(question: str, graph: QueryGraph) -> Signs:
    """Which closed classes of words of the question no part of the query graph answers to ("unsaid"), and the other way
    round ("unasked"). Several values may also be those that one name has."""
    words = _own_words(question, graph)
    asked = graph.answer
    aggregate = asked if isinstance(asked, Aggregate) else None
    denies = bool(words & NEGATIONS) or (graph.denies and may_lack(question))
    pairs = {
        "negation": (denies, graph.denies or (denies and _is_denied_bound(words, graph))),
        "extreme": (
            bool(words & EXTREMES.keys()),
            bool(graph.selections or (aggregate and aggregate.top) or _puts_first(graph)),
        ),
        "test": (
            bool(words & (COMPARATIVES.keys() | BOUNDING)),
            any(_is_test(item) for item in graph.every_condition()),
        ),
        "group": (bool(words & GROUPING), bool(graph.columns or (aggregate and (aggregate.per or aggregate.each)))),
        "average": (bool(words & AVERAGES), "average" in str(asked)),
        "or": ("or" in words, _has_either(graph)),
        "number": (bool(ASKS_NUMBER.search(question)), _is_number(asked)),
    }
    return {
        "words": math.log(1 + len(words)),
        **{f"{name} unsaid": float(said and not meant) for name, (said, meant) in pairs.items()},
        **{f"{name} unasked": float(meant and not said) for name, (said, meant) in pairs.items() if name != "or"},
    }


def _own_words(question: str, graph: QueryGraph) -> set[str]:
    """The words of a question that are in none of the values of its reading."""
    return set(WORD.findall(question.lower())) - _words_of_values(graph)


def _words_of_values(graph: QueryGraph) -> set[str]:
    """The words of the texts that a graph compares with, which say nothing of its form: "Closed, NO suspect"."""
    values = [value for item in graph.every_condition() if isinstance(item.right, tuple) for value in item.right]
    return {word for value in values if isinstance(value, str) for word in WORD.findall(value.lower())}


def _is_denied_bound(words: Set[str], graph: QueryGraph) -> bool:
    """Whether a comparison is what a negation makes of a strict one: "NOT more than 20" is at most 20."""
    return bool(words & STRICT) and any(item.operator in ("<=", ">=") for item in graph.every_condition())


def _puts_first(graph: QueryGraph) -> bool:
    """Whether a greatest or least value is asked for or compared with, or nothing is to come before something."""
    behind = {name for edge in graph.edges if edge.absent for name in (edge.subject, edge.object)}
    ahead = any(isinstance(item.left, Value) and isinstance(item.right, Value) and item.left.of in behind
                for item in graph.conditions)  # fmt: skip
    return ahead or any(part.function in ("maximum", "minimum") for part in aggregates(graph))


def _is_test(item: Condition) -> bool:
    return item.operator not in ("=", "<>", "present", "missing") or isinstance(item.left, Aggregate)


def _has_either(graph: QueryGraph) -> bool:
    """Whether one of several conditions, values or relationships is enough."""
    several = any(_has_several(item) for item in graph.conditions) or any(
        len(edge.relations) > 1 for edge in graph.edges
    )
    return several or bool(graph.alternatives) or _is_of_named(graph)


def _is_of_named(graph: QueryGraph) -> bool:
    """Whether the answer is one of several nodes that the question names: "who is taller, A or B?"."""
    asked = graph.answer
    return isinstance(asked, Value) and any(item.name == asked.of and len(item.ids) > 1 for item in graph.variables)


def _has_several(item: Condition) -> bool:
    return isinstance(item.right, tuple) and len(item.right) > 1


def _of_graph(item: Interpretation) -> Signs:
    """What form a reading has."""
    graph = item.meant or item.graph
    asked, bound = graph.answer, bool(graph.conditions or graph.selections)
    equal = sum(condition.operator == "=" for condition in graph.conditions)
    return {
        "bare": 0.0 if bound else item.silent,
        "unbound": float(not bound),
        "edges": _few(len(graph.edges)),
        "either": _few(sum(_either_way(graph, edge) for edge in graph.edges)),
        "equal": _few(equal),
        "tests": _few(len(graph.conditions) - equal),
        "selects": _few(len(graph.selections)),
        "groups": float(isinstance(asked, Aggregate) and asked.per is not None),
        "counts": float(isinstance(asked, Aggregate) and asked.function == "count"),
        "reckons": float(_is_number(asked) and not _is_count(asked)),
        "property": float(isinstance(asked, Value) and bool(asked.key)),
        "denies": float(graph.denies),
    }


def signs_of_found(
    question: str, readings: Sequence[Interpretation], ran: Sequence[Found | None], number: int
) -> Signs:
    """The signs that running adds: `ran` is what each of the readings found that were run; None for one that took too
    long. None of them where this one was not run, or took too long."""
    found = ran[number] if number < len(ran) else None
    if found is None:
        return {"late": float(number < len(ran))}
    item = readings[number]
    denied = is_truth(item.graph.answer) and bool(ASKS_TRUTH.search(question))  # "no" is an answer as good as "yes"
    empty = found.empty and not denied
    whole = not (item.ignored or item.unsaid or item.vacuous)
    others = [other for place, other in enumerate(ran) if other is not None and place != number]
    same = sum(not found.empty and other.answers == found.answers for other in others)
    return {
        "empty": float(empty),
        "empty though whole": float(empty and whole),
        "nothing": float(not found.answers),
        "many": math.log10(1 + found.number),
        "one": float(found.number == 1),
        "several for one": float(found.number > 1 and asks_for_one(question)),
        "tried": _few(sum(other is None or other.empty for other in ran[:number])),
        "alike": _few(same),
        "unlike": float(bool(others) and not same),
        "only": float(not found.empty and all(other.empty for other in others)),
        "odd": _odd(question, found),
        "likeness" if item.along is None else "path likeness": found.likeness,
    }


def _odd(question: str, found: Found) -> float:
    """Whether what was found is of another kind than what the question's first words ask for."""
    if not found.answers:
        return 0.0
    numbers = all(NUMBER.fullmatch(text) for text in found.answers)
    truth = set(found.answers) <= {"yes", "no", "true", "false"}
    if ASKS_TRUTH.search(question):
        return float(not truth)
    if truth:
        return 1.0
    if ASKS_PERSON.search(question) or ASKS_PLACE.search(question):
        return float(numbers or all(ISO_DAY.fullmatch(text) for text in found.answers))
    if ASKS_NUMBER.search(question):
        return float(not numbers)
    if ASKS_TIME.search(question):
        return float(not any(character.isdigit() for character in found.answers[0]))
    return 0.0


def _few(number: int) -> float:
    return float(min(number, MOST))


def _within(number: float, most: float) -> float:
    return max(min(number, most), -most)


def _is_count(asked: Expression) -> bool:
    return isinstance(asked, Aggregate) and asked.function == "count"


def is_truth(asked: Expression) -> bool:
    """Whether yes or no is asked for."""
    return isinstance(asked, Aggregate) and asked.function == "exists"


def _is_number(asked: Expression) -> bool:
    return isinstance(asked, Arithmetic | Aggregate) and not is_truth(asked)


def _either_way(graph: QueryGraph, edge: Edge) -> bool:
    """Whether a relationship with a direction joins nodes of one label."""
    return edge.directed and graph.variable(edge.subject).labels == graph.variable(edge.object).labels
