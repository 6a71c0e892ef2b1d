"""How a query graph hangs together: which variable hangs below which, and what is behind an absent edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kgneo.query.graph import Aggregate, Edge, QueryGraph, matched_values


@dataclass(frozen=True, slots=True)
class Tree:
    """`parents` leads from each variable to the one that it hangs below ("" for the root); `hidden` holds the variables
    behind absent edges, `loose` those that nothing joins to the answer, `optional` those that may be missing."""

    parents: Mapping[str, str]
    hidden: frozenset[str]
    loose: tuple[str, ...]
    optional: frozenset[str] = frozenset()

    def below(self, name: str) -> frozenset[str]:
        """The variable and all that hang below it."""
        return frozenset(other for other in self.parents if name in self._upwards(other))

    def lower(self, edge: Edge) -> str:
        """The end of an edge that hangs below the other."""
        return edge.object if self.parents[edge.object] == edge.subject else edge.subject

    def top(self, name: str) -> str:
        """The variable right below the root under which one hangs; the root itself, of the root."""
        way = [*self._upwards(name)]
        return way[-2] if len(way) > 1 else name

    def _upwards(self, name: str) -> Iterable[str]:
        while name:
            yield name
            name = self.parents[name]


def tree_of(graph: QueryGraph) -> Tree:
    """The tree of a query graph whose names are all declared: from the root along present edges, then along absent
    ones. A variable that only a comparison or a calculation joins to the others hangs below the root."""
    parents = {graph.root: ""}
    present = [edge for edge in graph.edges if not edge.absent]
    _grow(parents, present)
    for name in _compared(graph):
        if name not in parents and not _behind(graph, name, parents):
            parents[name] = graph.root
            _grow(parents, present)
    seen = frozenset(parents)
    _grow(parents, graph.edges)
    apart = {*parents, *graph.avoided}
    loose = tuple(variable.name for variable in graph.variables if variable.name not in apart)
    tree = Tree(parents, frozenset(parents) - seen, loose)
    tops = [tree.lower(edge) for edge in graph.edges if edge.optional and not loose]
    return replace(tree, optional=frozenset(name for top in tops for name in tree.below(top)))


def _grow(parents: dict[str, str], edges: Iterable[Edge]) -> None:
    """Breadth first, so that the tree is as shallow as it can be."""
    order = list(parents)
    for name in order:
        for edge in edges:
            if name in (edge.subject, edge.object) and edge.other(name) not in parents:
                parents[edge.other(name)] = name
                order.append(edge.other(name))


def _compared(graph: QueryGraph) -> list[str]:
    """The variables that a comparison or a calculation joins to another one."""
    pairs = [(item.left, item.right) for item in graph.every_condition() if not isinstance(item.left, Aggregate)]
    found: dict[str, None] = {}
    for sides in (*pairs, (graph.answer,), *((item,) for item in graph.columns)):
        owners = {graph.owner(value.of): None for side in sides for value in matched_values(side)}
        found |= owners if len(owners) > 1 else {}
    return list(found)


def _behind(graph: QueryGraph, name: str, parents: Mapping[str, str]) -> bool:
    """Whether an absent edge joins a variable, or one that present edges join to it, to the tree."""
    piece = {name: ""}
    _grow(piece, [edge for edge in graph.edges if not edge.absent])
    return any(
        edge.absent
        and (edge.subject in piece or edge.object in piece)
        and (edge.subject in parents or edge.object in parents)
        for edge in graph.edges
    )


def place_of(graph: QueryGraph, tree: Tree, name: str) -> str:
    """The variable of that name, or the one that the edge of that name leads down to."""
    edge = next((edge for edge in graph.edges if edge.name == name), None)
    return name if edge is None else tree.lower(edge)
