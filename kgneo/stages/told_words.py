"""Told words: what the words of a question were taken for, for whoever looks at it beside its answer.

Comes in: a question, what was heard of it, and the query graph that answers it. Goes out: pieces of the question, each
a name, a condition ("before 2010", "largest", "not"), or a word for a relationship or a property. All other words say
how it is asked, or what kind of thing is asked for, or are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from kgneo.context import Context
from kgneo.query.graph import QueryGraph
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.silent import silent
from kgneo.stages.unused import hear

Kind = Literal["name", "condition", "relation"]
Told = tuple[str, Kind]


def told_words(context: Context, question: str, graph: QueryGraph) -> tuple[Told, ...]:
    """The pieces of a question with what they were taken for, in their order; none where the graph is not read."""
    heard = hear(context, question)
    if heard is None:
        return ()
    found = {start: (end, kind) for start, end, kind in reversed([*_spans(heard, graph)])}
    return tuple((heard.text_between(start, found[start][0]), found[start][1]) for start in sorted(found))


def _spans(heard: Heard, graph: QueryGraph) -> Iterator[tuple[int, int, Kind]]:
    """Where each piece begins and ends (exclusive), names first."""
    names = [(item.start, item.end) for item in heard.values]
    inside = {index for start, end in names for index in range(start, end)}
    form = heard.form
    tests = [(item.start, item.end) for item in form.comparisons]
    tests += [(at, at + 1) for at in (*(item.at for item in form.extremes), *form.negations)]
    tests = [(start, end) for start, end in tests if inside.isdisjoint(range(start, end))]
    said = inside | {index for start, end in tests for index in range(start, end)}
    relations = [relation for edge in graph.edges for relation in edge.relations]
    keys = {value.key for value in graph.values()}
    spoken = [key for key in heard.fits.vocabulary.keys if key.key in keys]
    yield from ((start, end, "name") for start, end in names)
    yield from ((start, end, "condition") for start, end in tests)
    yield from ((at, at + 1, "relation") for at, like in silent(heard, said, (), relations, spoken) if like >= NAMED)
