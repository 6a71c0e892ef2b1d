"""Ask kind: what a relation path leads to, without what is not of the kind that the question asks for.

Comes in: a question with its topic entities, a relation path and its query graph. Goes out: the query graph with the
kind at its end, where the path leads to several kinds of things, and the noun that the question asks with surely names
one of them: rivers flow into seas and into rivers, and "which seas" are the seas among them.
"""

from __future__ import annotations

from dataclasses import replace

from kgneo.context import Context
from kgneo.english.question import question_parts
from kgneo.model import Hop, RelationPath
from kgneo.query.graph import QueryGraph
from kgneo.reading.along import END
from kgneo.reading.mentions import SURE
from kgneo.stages.choose_reading import masked
from kgneo.stages.interpret import Reading, reading
from kgneo.stages.link import LinkedQuestion


def with_kind(
    context: Context, linked: LinkedQuestion, path: RelationPath, graph: QueryGraph, *, end: str = END
) -> QueryGraph:
    """The query graph of a path from the topic entities to the variable `end`, of the kind that is asked for where that
    tells anything."""
    known = reading(context)
    kind = _kind(known, linked, _kinds(context, known, path.hops[-1])) if known else ""
    if known is None or not kind:
        return graph
    if known.implied is not None:
        return known.implied.of_kind(graph, end, kind)
    ends = [replace(item, labels=(kind,)) if item.name == end else item for item in graph.variables]
    return replace(graph, variables=tuple(ends))


def _kinds(context: Context, known: Reading, last: Hop) -> tuple[str, ...]:
    """The kinds of things that a step leads to."""
    if last.value:
        return ()
    if known.implied is not None:
        return known.implied.classes.get((last.relation, last.forward), ())
    hops = context.record.statistics.hops
    return next((item.labels for item in hops if (item.relation, item.forward) == (last.relation, last.forward)), ())


def _kind(known: Reading, linked: LinkedQuestion, kinds: tuple[str, ...]) -> str:
    """The one of several kinds that the noun of a question names; "" for none."""
    parts = question_parts(masked(linked))
    if len(kinds) < 2 or not parts.head:
        return ""
    fits = [known.fits.label(parts.words[index]) for index in parts.head]
    named = [kind for kind in kinds if max(fit.get(kind, 0.0) for fit in fits) >= SURE]
    return named[0] if len(named) == 1 else ""
