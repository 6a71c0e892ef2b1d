"""Near: the readings of a question that differ from one of them in one place.

Comes in: a query graph, the vocabulary of its graph, and the values that the question names. Goes out: query graphs
with another relationship, one hop more or less, a branch in another place, a value on another thing, another answer.
Learning looks among them for the one that gives the answers; asking for the one that what was learned speaks for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kgneo.query.graph import Aggregate, Condition, Edge, QueryGraph, Selection, Value, Variable
from kgneo.query.growth import Ask, Cut, Join, Order, Turn, Where, apply, fresh, grown
from kgneo.reading.conditions import equal
from kgneo.reading.mentions import Meaning, Mention
from kgneo.reading.vocabulary import MEASURED, Step, Vocabulary

MOST_EDGES = 5
Constant = tuple[str, Condition]
"""A label and a condition on its nodes whose value questions do not name as the graph does."""


@dataclass(frozen=True)
class Near:
    """Finds near readings for one question; `named` are its values, `constants` conditions that may hold unnamed."""

    vocabulary: Vocabulary
    named: Sequence[Mention] = ()
    constants: Sequence[Constant] = ()
    _meanings: dict[tuple[object, ...], Mention] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for mention in self.named:
            for meaning in mention.meanings:
                if meaning.key is not None:
                    self._meanings[meaning.owner, meaning.key.key, meaning.values] = mention

    def of(self, graph: QueryGraph) -> Iterator[QueryGraph]:
        """Every reading one step away, some of them twice."""
        view = _View(graph)
        yield from self._swapped(view)
        yield from self._longer(view)
        yield from self._shorter(view)
        yield from self._moved(view)
        yield from self._valued(view)
        yield from self._answering(view)
        yield from self._ordered(view)

    def _steps(self, source: str, target: str) -> Iterator[Step]:
        return (step for step in self.vocabulary.leaving.get(source, ()) if step.label == target)

    # Relationships -----------------------------------------------------------------------------------------------

    def _swapped(self, view: _View) -> Iterator[QueryGraph]:
        """Another relationship between the same two things, or the same one in another direction."""
        graph = view.graph
        for edge in graph.edges:
            if edge.name in view.spoken:
                continue
            parent, child = view.ends(edge)
            same = view.label(parent) == view.label(child)
            for step in self._steps(view.label(parent), view.label(child)):
                for directed in (True, False) if same else (True,):
                    other = _edge(parent, step, child, directed=directed, like=edge)
                    if other != edge:
                        yield apply(graph, Turn(edge, other))

    def _longer(self, view: _View) -> Iterator[QueryGraph]:
        """One hop more: a thing of the same kind in between."""
        graph = view.graph
        if len(graph.edges) >= MOST_EDGES:
            return
        new = fresh(graph)
        for edge in graph.edges:
            if edge.name in view.spoken or edge.absent:
                continue
            parent, child = view.ends(edge)
            for end, rest in ((child, parent), (parent, child)):
                for step in self._steps(view.label(end), view.label(end)):
                    moved = _with_end(edge, end, new)
                    added = _edge(new, step, end, directed=True) if rest is parent else _edge(end, step, new)
                    between = Variable(new, (view.label(end),))
                    yield grown(graph, (Turn(edge, moved), Join(added, between)))

    def _shorter(self, view: _View) -> Iterator[QueryGraph]:
        """One hop less: a thing of which nothing is said goes."""
        graph = view.graph
        for variable in graph.variables:
            name = variable.name
            edges = graph.edges_of(name)
            if name in view.spoken or variable.ids or any(edge.name in view.spoken for edge in edges):
                continue
            if len(edges) == 1:
                yield apply(graph, Cut(variable))
            elif len(edges) == 2:
                one, two = (edge.other(name) for edge in edges)
                for step in self._steps(view.label(one), view.label(two)):
                    yield grown(graph, (Cut(variable), Join(_edge(one, step, two))))

    def _moved(self, view: _View) -> Iterator[QueryGraph]:
        """A branch that hangs on another thing."""
        graph = view.graph
        for edge in graph.edges:
            if edge.name in view.spoken:
                continue
            parent, child = view.ends(edge)
            below = view.below(child)
            for variable in graph.variables:
                if variable.name == parent or variable.name in below:
                    continue
                for step in self._steps(view.label(variable.name), view.label(child)):
                    other = _edge(variable.name, step, child, like=edge)
                    yield apply(graph, Turn(edge, other))

    # Values ------------------------------------------------------------------------------------------------------

    def _valued(self, view: _View) -> Iterator[QueryGraph]:
        """A value on another thing or of another property, one that the question does not name, or one less."""
        graph = view.graph
        said: set[int] = set()
        for condition in graph.conditions:
            left = condition.left
            if not isinstance(left, Value) or isinstance(condition.right, Value) or left.of not in view.labels:
                continue
            rest = apply(graph, Cut(condition))
            mention = self._meanings.get((view.label(left.of), left.key, condition.right))
            if mention is not None:
                said.add(mention.start)
            yield from self._elsewhere(view, condition, rest, mention)
            if mention is None:
                yield rest
        for mention in self.named:
            if mention.start not in said:
                for meaning in mention.meanings[:3]:
                    yield from self._placed(view, meaning, graph)
        for label, constant in self.constants:
            for variable in graph.variables:
                assert isinstance(constant.left, Value)
                if label == view.label(variable.name) and not _bound(graph, variable.name, constant.left.key):
                    moved = replace(constant, left=Value(variable.name, constant.left.key, constant.left.form))
                    yield apply(graph, Where(moved))

    def _elsewhere(
        self, view: _View, condition: Condition, rest: QueryGraph, mention: Mention | None
    ) -> Iterator[QueryGraph]:
        left = condition.left
        assert isinstance(left, Value)
        for variable in view.graph.variables:
            if variable.name != left.of and view.label(variable.name) == view.label(left.of):
                moved = replace(condition, left=replace(left, of=variable.name))
                yield apply(rest, Where(moved))
        for meaning in mention.meanings[:4] if mention else ():
            if meaning.key is not None and (meaning.owner, meaning.key.key) != (view.label(left.of), left.key):
                yield from self._placed(view, meaning, rest)

    def _placed(self, view: _View, meaning: Meaning, rest: QueryGraph) -> Iterator[QueryGraph]:
        if meaning.key is None or meaning.key.of_edge:
            return
        for variable in view.graph.variables:
            if view.label(variable.name) == meaning.owner:
                yield apply(rest, Where(equal(variable.name, meaning.key, meaning.values)))

    # What is asked for -------------------------------------------------------------------------------------------

    def _answering(self, view: _View) -> Iterator[QueryGraph]:
        """Another thing or property as the answer, or how many there are."""
        graph = view.graph
        if isinstance(graph.answer, Aggregate) and graph.answer.per is None and graph.answer.function == "count":
            for variable in graph.variables:
                if variable.name != graph.answer.value.of:
                    yield apply(graph, Ask(Aggregate("count", Value(variable.name))))
            yield apply(graph, Ask(graph.answer.value))
        if not isinstance(graph.answer, Value):
            return
        yield apply(graph, Ask(Aggregate("count", Value(graph.answer.of))))
        for variable in graph.variables:
            options = [Value(variable.name)]
            if variable.name == graph.root:
                options += [Value(variable.name, key.key) for key in self.vocabulary.keys_of(view.label(variable.name))]
            yield from (apply(graph, Ask(option)) for option in options if option != graph.answer)

    def _ordered(self, view: _View) -> Iterator[QueryGraph]:
        """All, the first by another property, or the first of other things."""
        graph = view.graph
        if not graph.selections:
            for key in self.vocabulary.keys_of(view.label(graph.root)):
                if key.kind in MEASURED:
                    by = Value(graph.root, key.key, key.form)
                    yield apply(graph, Order(Selection(graph.root, by)))
                    yield apply(graph, Order(Selection(graph.root, by, True)))
        for selection in graph.selections:
            yield apply(graph, Cut(selection))
            if isinstance(selection.by, Aggregate):
                continue
            for variable in graph.variables:
                for key in self.vocabulary.keys_of(view.label(variable.name)):
                    by = Value(variable.name, key.key, key.form)
                    if key.kind in MEASURED and by != selection.by:
                        yield apply(graph, Turn(selection, replace(selection, variable=variable.name, by=by)))
            yield apply(graph, Turn(selection, replace(selection, descending=not selection.descending)))


def _bound(graph: QueryGraph, name: str, key: str) -> bool:
    return any(isinstance(item.left, Value) and item.left.key == key for item in graph.conditions_of(name))


def _edge(source: str, step: Step, target: str, *, directed: bool = True, like: Edge | None = None) -> Edge:
    ends = (source, target) if step.forward else (target, source)
    name, absent = (like.name, like.absent) if like else ("", False)
    return Edge(ends[0], (step.relation,), ends[1], name, directed, absent)


def _with_end(edge: Edge, old: str, new: str) -> Edge:
    return replace(edge, subject=new) if edge.subject == old else replace(edge, object=new)


class Layout:
    """A query graph as a tree: label, depth and conditions of each variable, and its edges from the root outwards."""

    __slots__ = ("conditions", "depth", "graph", "labels", "order")

    def __init__(self, graph: QueryGraph) -> None:
        self.graph = graph
        self.labels = {variable.name: variable.labels[0] if variable.labels else "" for variable in graph.variables}
        self.conditions: dict[str, list[Condition]] = {}
        for condition in graph.conditions:
            if isinstance(condition.left, Value):
                self.conditions.setdefault(condition.left.of, []).append(condition)
        root = graph.root
        self.depth = {root: 0}
        self.order: list[tuple[str, str, Edge]] = []
        left, grown = list(graph.edges), True
        while left and grown:
            grown = False
            for edge in list(left):
                for parent, child in ((edge.subject, edge.object), (edge.object, edge.subject)):
                    if parent in self.depth and child not in self.depth:
                        self.depth[child] = self.depth[parent] + 1
                        self.order.append((parent, child, edge))
                        left.remove(edge)
                        grown = True
                        break
        self.order.sort(key=lambda item: self.depth[item[1]])

    def label(self, name: str) -> str:
        """The label of a variable."""
        return self.labels[name]


def identity(layout: Layout) -> Hashable:
    """Equal for query graphs that differ in names and order alone."""
    graph = layout.graph
    names: dict[str, str] = {}
    for variable in graph.variables:
        own = [f"{item.left.key}{item.operator}{item.right}" for item in layout.conditions.get(variable.name, ())]  # type: ignore[union-attr]
        if len(own) > 1:
            own.sort()
        names[variable.name] = f"{layout.labels[variable.name]}{own}{variable.ids}"
    for item in graph.selections:
        by = item.by.key if isinstance(item.by, Value) else repr(item.by)
        names[item.variable] += f"{by}{item.descending}{item.limit}{item.offset}"
    behind: dict[str, list[str]] = {}
    for parent, child, edge in reversed(layout.order):
        way = "-" if not edge.directed else ">" if edge.subject == parent else "<"
        tests = layout.conditions.get(edge.name, "") if edge.name else ""
        told = f"{edge.relations}{way}{edge.absent}{tests}({names[child]}{sorted(behind.get(child, ()))})"
        behind.setdefault(parent, []).append(told)
    rest = [repr(item) for item in graph.conditions if not isinstance(item.left, Value)]
    answer, asked = graph.answer, ""
    if isinstance(answer, Value):
        asked = answer.key
    elif isinstance(answer, Aggregate):
        asked = f"{answer.function}{answer.value.key}{answer.per}"
    else:
        asked = repr(answer)
    root = graph.root
    return (asked, names[root], *sorted(behind.get(root, ())), *rest, len(graph.variables) - len(layout.depth))


class _View(Layout):
    """The same, with what looking for near readings needs."""

    def __init__(self, graph: QueryGraph) -> None:
        super().__init__(graph)
        self.spoken = {value.of for value in graph.values()} | {item.variable for item in graph.selections}

    def ends(self, edge: Edge) -> tuple[str, str]:
        """The variables of an edge, the one nearer to the root first."""
        one, two = edge.subject, edge.object
        return (one, two) if self.depth.get(one, 0) <= self.depth.get(two, 0) else (two, one)

    def below(self, name: str) -> set[str]:
        """A variable and those behind it."""
        found = {name}
        for parent, child, _ in self.order:
            if parent in found:
                found.add(child)
        return found
