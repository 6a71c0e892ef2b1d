"""Apply learned: the readings of a question weighed by what was learned from others.

Comes in: a question's interpretations. Goes out: interpretations, best first, among them such as the reader did not
find: templates of learned query graphs with the values of this question, and readings near the best ones. Where nothing
was learned, what came in goes out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from kgneo.context import Context
from kgneo.graph.lessons import DRAWN, read_learned, usable_lessons
from kgneo.graph.readable import readable
from kgneo.graph.shape import Shape
from kgneo.query.graph import Condition, QueryGraph, Value
from kgneo.query.json import from_json
from kgneo.reading.bind import Templates
from kgneo.reading.fits import Fits
from kgneo.reading.learned import Extra, Learned, search
from kgneo.reading.lexicon import EMPTY, Lexicon
from kgneo.reading.near import Constant, Layout, Near, identity
from kgneo.reading.parts import Asked
from kgneo.reading.read import Interpretation

MEMORY = "learned readings"
READ, KEPT = 30, 24
"""Interpretations of the reader's that are weighed, and those that are left."""
SURE = 0.5
"""Probability from which on a learned reading answers what relation paths answer otherwise: a chain from a name."""
FURTHEST = 4.0
"""Points of the reader's score beyond which it makes no difference how far behind the best one it is."""


@dataclass(frozen=True)
class Taught:
    """What was learned: weights, templates, and conditions whose value questions do not name as the graph does. Scores
    are divided by `temperature` where they tell how likely a reading is; from the first probability of `sure` on, a
    reading whose template was learned goes before the reader's, from the second on any other. The reader knows
    the words of the `lexicon`."""

    learned: Learned
    templates: Templates
    constants: tuple[Constant, ...] = ()
    temperature: float = 1.0
    sure: tuple[float, float] = (0.0, 0.0)
    lexicon: Lexicon = EMPTY


def taught(context: Context) -> Taught | None:
    """What was learned about the graph, read once; None for nothing."""
    if MEMORY not in context.memory:
        context.memory[MEMORY] = _taught(context)
    kept = context.memory[MEMORY]
    return kept if isinstance(kept, Taught) else None


def _taught(context: Context) -> Taught | None:
    record = read_learned(context.graph)
    return None if record is None else next(readable([record], partial(_taught_from, context)), None)


def _taught_from(context: Context, record: Mapping[str, Any]) -> Taught:
    constants = tuple(
        (label, condition)
        for label, graph in record["constants"]
        if _is_shown(label, condition := from_json(graph).conditions[0], context.shape)
    )
    templates: dict[object, tuple[QueryGraph, int]] = {}
    for lesson in usable_lessons(context.knowledge):
        if lesson.source == DRAWN:
            continue
        key = identity(Layout(lesson.template))
        templates[key] = (lesson.template, lesson.count + (templates[key][1] if key in templates else 0))
    known = Templates.of(list(templates.values()))
    lexicon = Lexicon(record.get("words", {}))
    return Taught(Learned(record["weights"]), known, constants, record["temperature"], tuple(record["sure"]), lexicon)


def _is_shown(label: str, condition: Condition, shape: Shape) -> bool:
    """Whether a condition on nodes of a label speaks of nothing that is left out of the graph."""
    keys = [side.key for side in (condition.left, condition.right) if isinstance(side, Value)]
    return label not in shape.excluded and not any(shape.left_out.hides(key, (label,)) for key in keys)


def weighed(known: Taught, fits: Fits, question: str, understood: Sequence[Interpretation]) -> list[Interpretation]:
    """`understood`, or other readings of `question`, best first, where learning is sure of the best one of them."""
    if not understood:
        return []
    asked = Asked(question, understood[0].mentions, fits)
    order = ranked(known, fits, asked, pool(asked, understood, known.templates))
    if not order or order[0].share < known.sure[0 if order[0].learned else 1]:
        return list(understood)
    first = {identity(Layout(item.graph)): item for item in reversed(understood)}
    found = []
    for item in order[:KEPT]:
        own = first.get(identity(Layout(item.graph))) or _new(asked, understood[0], item.graph)
        chain = own.plain_chain and item.share < SURE
        found.append(replace(own, score=item.score, likely=item.share, plain_chain=chain, bare=False))
    return found


@dataclass(frozen=True, slots=True)
class Ranked:
    """A reading with its score by what was learned, the probability that stands for, and whether it is a template that
    was learned, with the values of the question."""

    graph: QueryGraph
    score: float
    share: float
    learned: bool


def ranked(known: Taught, fits: Fits, asked: Asked, given: Sequence[tuple[QueryGraph, Extra]]) -> list[Ranked]:
    """The readings that are `given`, and those near the best of them, best first."""
    near = Near(fits.vocabulary.stored, asked.named, known.constants)
    found = search(known.learned.judge(asked), near, given)
    shares = likely([score for score, _ in found], known.temperature)
    bound = {identity(Layout(graph)) for graph, extra in given if extra.get("learned")}
    return [
        Ranked(graph, score, share, identity(Layout(graph)) in bound)
        for (score, graph), share in zip(found, shares, strict=True)
    ]


def likely(scores: Sequence[float], temperature: float) -> list[float]:
    """The probabilities that scores, the best one first, stand for."""
    powers = [math.exp((score - scores[0]) / temperature) for score in scores]
    return [power / sum(powers) for power in powers]


def pool(
    asked: Asked, understood: Sequence[Interpretation], templates: Templates, own: QueryGraph | None = None
) -> list[tuple[QueryGraph, Extra]]:
    """The reader's interpretations and bound templates, with what is known of each. The template `own` counts as
    learned once less: from the question itself."""
    extras: dict[object, tuple[QueryGraph, dict[str, float]]] = {}
    for number, item in enumerate(understood[:READ]):
        extra = dict(_of_reader(item, number, understood[0].score))
        extras.setdefault(identity(Layout(item.graph)), (item.graph, extra))
    without = None if own is None else identity(Layout(own))
    for graph, count in templates.bound(asked.named):
        key = identity(Layout(graph))
        times = count - (key == without)
        if times > 0:
            extras.setdefault(key, (graph, {}))[1]["learned"] = math.log1p(times)
    return list(extras.values())


def _of_reader(item: Interpretation, number: int, best: float) -> Iterator[tuple[str, float]]:
    yield "read", 1.0
    yield "first", float(number == 0)
    yield "rank", 1.0 / (1 + number)
    yield "behind", max(min(item.score - best, FURTHEST / 2), -FURTHEST)
    yield "ignored", float(len(item.ignored))
    yield "silent", item.silent


def _new(asked: Asked, like: Interpretation, graph: QueryGraph) -> Interpretation:
    """A reading that the reader did not find."""
    values = {condition.right for condition in graph.conditions}
    ignored = tuple(
        asked.piece(mention) for mention in asked.named
        if not any(meaning.values in values for meaning in mention.meanings)
    )  # fmt: skip
    return replace(like, graph=graph, ignored=ignored, silent=0.0)
