"""Signs: what tells whether a reading of a question is right, in numbers without a word or a name of any graph.

Comes in: the readings of a question, and what those that were run found. Goes out: numbers by name, which
`benchmarks.choice_fit` weighs. Each is 0 to 1 where nothing else is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.query.graph import Aggregate, Arithmetic, Edge, QueryGraph, Value
from kgneo.reading.read import Interpretation

FAR = 2.0
"""Points of score beyond which it makes no difference how many more they are."""
NEAR = 0.1
"""Points of score within which two readings are about as good."""
MEASURED = 0.3
"""How surely a word speaks of what is compared, from which it does."""
MOST = 3
"""Things of one kind beyond which it makes no difference how many more they are."""

Signs = dict[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """What a reading found: its answers as texts, and how many there are; `empty`: nothing, a count of 0 or a "no"."""

    answers: tuple[str, ...]
    number: int
    empty: bool


def signs_of(readings: Sequence[Interpretation], number: int) -> Signs:
    """The signs of the reading of that `number` (from 0) among all, before it is run."""
    item = readings[number]
    others = [other.score for other in readings if other.graph != item.graph]
    ahead = item.score - max(others, default=item.score - FAR)
    return _of_words(item) | _of_graph(item) | {
        "first": float(number == 0),
        "place": 1.0 / (1 + number),
        "score": item.score,
        "ahead": _within(ahead, FAR),
        "behind": _within(item.score - readings[0].score, FAR),
        "rivals": _few(sum(abs(item.score - score) <= NEAR for score in others)),
        "alone": float(len(readings) == 1),
    }  # fmt: skip


def _of_words(item: Interpretation) -> Signs:
    """What of the question a reading says, and how surely."""
    return {
        "silent": item.silent,
        "unsaid": _few(len(item.unsaid)),
        "nouns": _few(item.nouns),
        "ignored": _few(len(item.ignored)),
        "named": item.named,
        "loose": _few(item.loose),
        "unmeasured": 1.0 - min(item.measured / MEASURED, 1.0),
        "vacuous": float(item.vacuous),
        "whole": float(item.complete),
        "chain": float(item.plain_chain),
        "kind": float(item.kind),
        "spelt": float(item.spelt),
    }


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
        "reckons": float(isinstance(asked, Arithmetic | Aggregate) and not _is_count(asked)),
        "property": float(isinstance(asked, Value) and bool(asked.key)),
        "denies": float(graph.denies),
    }


def signs_of_found(readings: Sequence[Interpretation], ran: Sequence[Found | None], number: int) -> Signs:
    """The signs that running adds: `ran` is what each of the readings found that were run; None for one that took too
    long. None of them where this one was not run, or took too long."""
    found = ran[number] if number < len(ran) else None
    if found is None:
        return {"late": float(number < len(ran))}
    item = readings[number]
    whole = not (item.ignored or item.unsaid or item.vacuous)
    others = [other for place, other in enumerate(ran) if other is not None and place != number]
    same = sum(not found.empty and other.answers == found.answers for other in others)
    return {
        "empty": float(found.empty),
        "empty though whole": float(found.empty and whole),
        "nothing": float(not found.answers),
        "many": math.log10(1 + found.number),
        "one": float(found.number == 1),
        "tried": _few(sum(other is None or other.empty for other in ran[:number])),
        "alike": _few(same),
        "unlike": float(bool(others) and not same),
        "only": float(not found.empty and all(other.empty for other in others)),
    }


def _few(number: int) -> float:
    return float(min(number, MOST))


def _within(number: float, most: float) -> float:
    return max(min(number, most), -most)


def _is_count(asked: Aggregate | Arithmetic) -> bool:
    return isinstance(asked, Aggregate) and asked.function == "count"


def _either_way(graph: QueryGraph, edge: Edge) -> bool:
    """Whether a relationship with a direction joins nodes of one label."""
    return edge.directed and graph.variable(edge.subject).labels == graph.variable(edge.object).labels
