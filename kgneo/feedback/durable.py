"""Durable: a query graph that means the same when the graph is loaded anew.

Comes in: a query graph, which may begin at nodes by the ids that the database has given them. Goes out: one that names
them as people do, and that other names can take the place of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.context import Context
from kgneo.graph.around import around
from kgneo.graph.shape import LOADED_LABEL
from kgneo.query.graph import Condition, QueryGraph, Value, Variable

MOST = 20
"""Nodes of one variable that are named; more are not said by anybody."""


def durable(context: Context, graph: QueryGraph) -> QueryGraph:
    """The query graph with names for ids; a node that no text names keeps its id."""
    for variable in graph.variables:
        named = _named(context, variable) if 0 < len(variable.ids) <= MOST else None
        if named is not None:
            label, conditions = named
            own = replace(variable, ids=(), labels=variable.labels or (label,))
            variables = tuple(own if item == variable else item for item in graph.variables)
            graph = replace(graph, variables=variables, conditions=(*graph.conditions, *conditions))
    return graph


def _named(context: Context, variable: Variable) -> tuple[str, Sequence[Condition]] | None:
    """A label of a variable's nodes, and the conditions that name them."""
    found = [around(context.knowledge, id_, limit=0) for id_ in variable.ids]
    nodes = [item for item in found if item is not None]
    if not nodes or len(nodes) < len(found):
        return None
    shape = context.shape
    if shape.loaded:
        names = tuple(dict.fromkeys(item.node.name for item in nodes))
        return LOADED_LABEL, [Condition(Value(variable.name, "name"), "=", names)]
    label = next((label for label in nodes[0].node.labels if shape.display.get(label)), "")
    if not label or any(label not in item.node.labels for item in nodes):
        return None
    conditions = []
    for key in shape.display[label]:
        values = dict.fromkeys(text for item in nodes for text in item.properties.get(key, ()))
        if values:
            conditions.append(Condition(Value(variable.name, key), "=", tuple(values)))
    return (label, conditions) if conditions else None
