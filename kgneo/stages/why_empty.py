"""Why empty: which part of a query graph makes it find nothing, for a model that wrote it.

Comes in: a query graph that finds nothing. Goes out: a sentence for each part that is to blame, none where no single
one is. First each condition is asked alone: a value that no node has is told with those like it. Then the query is
asked without one part at a time, and with each edge either way. Every query is bounded, as is their number.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgneo.context import Context
from kgneo.errors import GraphError
from kgneo.graph.catalogue import catalogue
from kgneo.graph.run import run
from kgneo.query.check import check
from kgneo.query.graph import Aggregate, Arithmetic, Condition, Edge, QueryGraph, Selection, Value, values_of
from kgneo.query.tree import tree_of
from kgneo.stages.interpret import reading

EACH = 2.0
"""Seconds that one query may take."""
ALL = 6.0
"""Seconds after which nothing more is asked."""
MOST = 16
"""Queries that are asked."""
LIKE = 3
"""Values of the graph that are told for one that no node has."""
TOLD = 3
"""Parts that are told."""


def why_empty(graph: QueryGraph, context: Context) -> str:
    """What makes `graph` find nothing, in words; empty where that is not one part alone, or was not found in time."""
    trial = _Trial(context)
    unmet = [condition for condition in graph.conditions if trial.is_unmet(graph, condition)]
    if unmet:
        return " ".join(_nowhere(graph, condition, context) for condition in unmet[:TOLD])
    told = [f"Without {what} it finds something." for what, other in _without(graph) if trial.finds(other)]
    turned = [
        f"With {_edge(edge)} either way (directed: false) it finds something."
        for edge in graph.edges
        if edge.directed and not edge.absent and trial.finds(_with_edge(graph, edge, replace(edge, directed=False)))
    ]
    return " ".join([*turned[:TOLD], *told[:TOLD]])


class _Trial:
    """Asks whether query graphs find anything, as long as there is time."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._catalogue = catalogue(context.knowledge.schema, context.shape)
        self._ends_at = time.monotonic() + ALL
        self._left = MOST

    def is_unmet(self, graph: QueryGraph, condition: Condition) -> bool:
        """Whether no node, and no relationship, meets a condition on a value even if nothing else is asked of it."""
        alone = _alone(graph, condition)
        return alone is not None and self._asked(alone) is False

    def finds(self, graph: QueryGraph) -> bool:
        """Whether a query graph finds something; no where it cannot be asked, or takes too long."""
        return self._asked(graph) is True

    def _asked(self, graph: QueryGraph) -> bool | None:
        if not self._left or time.monotonic() > self._ends_at or check(graph, self._catalogue):
            return None
        self._left -= 1
        known = reading(self._context)
        keys = known.keys if known else {}
        try:
            found = run(self._context.knowledge, graph, keys=keys, naming={}, limit=1, timeout=EACH, whole=False)
        except GraphError:
            return None
        return not found.empty


def _alone(graph: QueryGraph, condition: Condition) -> QueryGraph | None:
    """Only what a condition on a property's values speaks of, with that condition."""
    left = condition.left
    if not isinstance(left, Value) or not isinstance(condition.right, tuple) or not left.key:
        return None
    edges = tuple(replace(edge, absent=False) for edge in graph.edges if edge.name == left.of)
    names = {end for edge in edges for end in (edge.subject, edge.object)} or {left.of}
    variables = tuple(variable for variable in graph.variables if variable.name in names)
    return QueryGraph(variables, Value(variables[0].name), edges, (condition,))


def _without(graph: QueryGraph) -> Iterator[tuple[str, QueryGraph]]:
    """The query graph without each of its parts, with that part in words."""
    apart = set(tree_of(graph).loose)
    for condition in graph.conditions:
        yield f"the condition {_condition(condition)}", _joined(_less(graph, conditions=condition), apart)
    for edge in graph.edges:
        yield _edge(edge), _joined(_less(graph, edges=edge), apart)
    for selection in graph.selections:
        yield f"the selection at {selection.variable}", _joined(_less(graph, selections=selection), apart)


def _less(
    graph: QueryGraph,
    *,
    conditions: Condition | None = None,
    edges: Edge | None = None,
    selections: Selection | None = None,
) -> QueryGraph:
    return replace(
        graph,
        conditions=tuple(item for item in graph.conditions if item is not conditions),
        edges=tuple(item for item in graph.edges if item is not edges),
        selections=tuple(item for item in graph.selections if item is not selections),
    )


def _with_edge(graph: QueryGraph, edge: Edge, other: Edge) -> QueryGraph:
    return replace(graph, edges=tuple(other if item is edge else item for item in graph.edges))


def _joined(graph: QueryGraph, apart: set[str]) -> QueryGraph:
    """What is still joined to the answer, with what speaks of that alone; and the variables `apart`, which never were
    joined: something is counted over all that they can be."""
    edges = {edge.name for edge in graph.edges if edge.name}
    names = {variable.name for variable in graph.variables}
    kept = names - (set(tree_of(graph).loose) - apart) if _is_whole(graph) else set()
    known = kept | edges
    return replace(
        graph,
        variables=tuple(item for item in graph.variables if item.name in kept),
        edges=tuple(item for item in graph.edges if {item.subject, item.object} <= kept),
        conditions=tuple(item for item in graph.conditions if _speaks_of([item.left, item.right], known)),
        selections=tuple(item for item in graph.selections if item.variable in kept and _speaks_of([item.by], known)),
        columns=tuple(item for item in graph.columns if _speaks_of([item], known)),
        different=graph.different if kept.issuperset(graph.different) else (),
    )


def _is_whole(graph: QueryGraph) -> bool:
    """Whether every name that is spoken of is still there."""
    known = [*(variable.name for variable in graph.variables), *(edge.name for edge in graph.edges)]
    return all(value.of in known for value in graph.values())


def _speaks_of(parts: Sequence[object], known: set[str]) -> bool:
    return all(value.of in known for part in parts for value in values_of(part))


def _nowhere(graph: QueryGraph, condition: Condition, context: Context) -> str:
    owners = [label for item in graph.variables if item.name == _of(condition) for label in item.labels]
    owners += [name for edge in graph.edges if edge.name == _of(condition) for name in edge.relations]
    told = f"Nothing in the graph has {_condition(condition)}, whatever else is asked"
    like = _like(condition, owners, context)
    return f"{told}; values like it there: {', '.join(like)}." if like else f"{told}."


def _of(condition: Condition) -> str:
    return values_of(condition.left)[0].of


def _like(condition: Condition, owners: Sequence[str], context: Context) -> list[str]:
    """Values of the same property, of these `owners`, that are like those of a condition."""
    known = reading(context)
    texts = [item for item in condition.right if isinstance(item, str)] if isinstance(condition.right, tuple) else []
    key = values_of(condition.left)[0].key
    found = (entry for text in texts for entry in known.dictionary.similar(text)) if known else ()
    return list(dict.fromkeys(
        f'"{entry.text}"' for entry in found if entry.key == key and (not owners or entry.owner in owners)
    ))[:LIKE]  # fmt: skip


def _condition(condition: Condition) -> str:
    right = condition.right
    literals = ", ".join(_text(item) for item in right) if isinstance(right, tuple) else _text(right)
    return f"{_text(condition.left)} {condition.operator} {literals}".rstrip()


def _edge(edge: Edge) -> str:
    between = f"{edge.subject} -[{'|'.join(edge.relations)}]-{'>' if edge.directed else ''} {edge.object}"
    return f"the {'absent ' if edge.absent else ''}edge {between}"


def _text(item: object) -> str:
    if isinstance(item, Value):
        return f"{item.of}.{item.key}" if item.key else item.of
    if isinstance(item, Aggregate):
        return f"{item.function}({_text(item.value)})"
    if isinstance(item, Arithmetic):
        return f"{_text(item.left)} {item.operator} {_text(item.right)}"
    return f'"{item}"' if isinstance(item, str) else str(item)
