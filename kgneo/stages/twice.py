"""Twice: a relation that a question says two times over: "Ann's boss's boss", "the mentor of Ann's mentor".

Comes in: a question, and the readings of it with the noun said once. Goes out: these, with the relationship that leads
to what is asked for walked twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from kgneo.query.graph import Edge, QueryGraph, Variable
from kgneo.reading.read import Interpretation

_REPEATED = re.compile(r"\b(?P<noun>[a-z]+)['’]s (?P=noun)\b", re.IGNORECASE)
BETWEEN, STEP = "between", "step"
"""The names of the node in between, and of the relationship to it."""


def once(question: str) -> str | None:
    """A question with a noun once that it says twice over; None where it does not."""
    return _REPEATED.sub(r"\g<noun>", question) if _REPEATED.search(question) else None


def twice(items: Iterable[Interpretation]) -> list[Interpretation]:
    """The readings that reach what is asked for from something of its kind, by one relationship more of the same."""
    pairs = [(item, doubled(item.graph)) for item in items]
    return [replace(item, graph=graph, plain_chain=False) for item, graph in pairs if graph is not None]


def doubled(graph: QueryGraph) -> QueryGraph | None:
    """A query graph with the relationship between what is asked for and another of its kind walked twice; None where
    there is no such relationship."""
    root = graph.variable(graph.root)
    for edge in graph.edges_of(root.name):
        other = graph.variable(edge.other(root.name))
        labels = root.labels or other.labels
        if not (edge.absent or edge.is_way) and edge.directed and labels == (other.labels or labels):
            first, second = _walked(edge, root.name)
            edges = [*(item for item in graph.edges if item is not edge), first, second]
            return replace(graph, variables=(*graph.variables, Variable(BETWEEN, labels)), edges=tuple(edges))
    return None


def _walked(edge: Edge, root: str) -> tuple[Edge, Edge]:
    """The relationship to the node in between, and that from there."""
    if edge.subject == root:
        return replace(edge, object=BETWEEN), replace(edge, subject=BETWEEN, name=STEP)
    return replace(edge, subject=BETWEEN), replace(edge, object=BETWEEN, name=STEP)
