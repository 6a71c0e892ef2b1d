"""Interpret: a question as query graphs over a graph with labels, best first.

Comes in: a question. Goes out: interpretations, none where the graph has no labels to read by. What reading needs of a
graph (its vocabulary, its dictionary of values, vectors of its names) is made once and kept in the context.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.english.question import MaskedQuestion
from kgneo.graph.cache import LocalCache
from kgneo.graph.dictionary import Dictionary
from kgneo.graph.value_walks import explained
from kgneo.graph.vocabulary import vocabulary
from kgneo.graph.walks import leaving
from kgneo.model import Hop
from kgneo.ranking.rank import RankedPath, rank_paths
from kgneo.ranking.value_steps import corrections
from kgneo.ranking.vectors import MAX_HOPS
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import Meaning
from kgneo.reading.read import Interpretation, read
from kgneo.stages.ranking import ranking

KEY = "interpret"


@dataclass(frozen=True)
class Reading:
    """What reading keeps between questions about one graph; `keys` are the properties of each label's nodes."""

    fits: Fits
    dictionary: Dictionary
    keys: dict[str, tuple[str, ...]]


def reading(context: Context) -> Reading | None:
    """What reading needs of the graph, made once; None for a graph without labels of its own."""
    if KEY not in context.memory:
        context.memory[KEY] = _reading(context)
    kept = context.memory[KEY]
    return kept if isinstance(kept, Reading) else None


def _reading(context: Context) -> Reading | None:
    if context.shape.loaded:
        return None
    known = vocabulary(context.knowledge.schema, context.shape)
    if not known.labels:
        return None
    cache, _ = ranking(context)
    dictionary = LocalCache(context.graph).dictionary(context.shape, known)
    keys = {label: tuple(key.key for key in known.keys_of(label)) for label in known.labels}
    return Reading(Fits(known, cache), dictionary, keys)


def interpret(context: Context, question: str) -> list[Interpretation]:
    """The ways to understand `question`, best first."""
    known = reading(context)
    if known is None:
        return []

    def chains(masked: MaskedQuestion, meaning: Meaning) -> Sequence[RankedPath]:
        return _chains(context, known, masked, meaning)

    return read(question, known.fits, known.dictionary.lookup, chains)


def _chains(context: Context, known: Reading, masked: MaskedQuestion, meaning: Meaning) -> Sequence[RankedPath]:
    """The relation paths that can leave nodes of a label, ranked."""
    label, shape = meaning.owner, context.shape
    statistics = context.record.statistics
    first = [Hop(step.relation, step.forward) for step in known.fits.vocabulary.leaving.get(label, ())]
    first = list(dict.fromkeys(first))
    first += [
        Hop(shape.value_relation(key, hop.relation), hop.forward, value=True)
        for hop in list(first)
        for key in shape.details.get(hop.relation, ())
    ]
    first += [Hop(shape.value_relation(key), value=True) for key in shape.keys_of((label,))]
    paths = leaving(first, statistics, hops=context.options.hops, direction=context.options.direction)
    given = {explained(path): path for path in paths}
    given = {short: path for short, path in given.items() if len(short) <= MAX_HOPS}
    cache, figures = ranking(context)
    correction = corrections(masked, statistics, ())
    ranked = rank_paths(
        masked,
        list(given),
        encoder=context.encoder,
        statistics=figures,
        cache=cache,
        correction=lambda path: correction(given[path]),
    )
    return [
        RankedPath(given[item.path], item.score, item.confidence, item.wording, item.parts, item.evidence)
        for item in ranked[:20]
    ]
