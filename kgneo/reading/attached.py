"""Attached: readings beside one that differ from it in where a part of the question attaches, or in how far it reaches.

Comes in: what was heard of a question, and a reading of it. Goes out: readings near it, each by the actions of one edit,
with the words that it says and the reading left unsaid. A word licenses an edit: "or" between two conditions makes them
alternatives, "average" measures what a comparison tests, "both" asks for one way for each of two values. An edit that
says no more than the reading does costs something, so that it stands behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from kgneo.english.names import name_words, same_root
from kgneo.english.words import FUNCTION_WORDS
from kgneo.query.check import check
from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Function,
    QueryGraph,
    Selection,
    Value,
    Variable,
)
from kgneo.query.growth import Action, Ask, Cut, Either, Join, Turn, Where, fresh, grown
from kgneo.query.tree import Tree, tree_of
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.vocabulary import Key

SAID = 0.15
"""What it is worth that a word is said which the reading leaves unsaid."""
LICENSED = 0.3
"""What it is worth that a word surely asks for an edit."""
MOVED, TURNED, ASKED, BARE = 0.2, 0.3, 0.35, 0.7
"""What it costs to attach a part elsewhere, to turn what it says, to ask for something else that words name, and for
something that none does."""
OF_EACH: dict[str, Function] = {
    **dict.fromkeys(("average", "mean"), "average"), **dict.fromkeys(("total", "cumulative", "combined"), "sum"),
}  # fmt: skip
"""Words for what is made of the numbers of each."""
LACKING = frozenset(("free", "without", "lack", "lacks", "lacking", "never", "no", "not", "n't", "nor", "neither"))


@dataclass(frozen=True, slots=True)
class Edit:
    """Actions, what they are worth besides the words that they say, and these words."""

    actions: tuple[Action, ...]
    worth: float
    said: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Attached:
    """The edits that one question licenses."""

    heard: Heard

    def of(self, graph: QueryGraph, left: Sequence[int]) -> Iterator[tuple[QueryGraph, Edit]]:
        """The query graphs one edit away from `graph`, which leaves the words `left` unsaid, each once, with the edit."""
        seen = {graph}
        view = _View(self.heard, graph, frozenset(left))
        for edits in EDITS:
            for edit in edits(view):
                other = grown(graph, edit.actions)
                if other not in seen and not check(other, self.heard.fits.vocabulary.catalogue):
                    seen.add(other)
                    yield other, edit


@dataclass(frozen=True)
class _View:
    """A query graph with the words of its question."""

    heard: Heard
    graph: QueryGraph
    left: frozenset[int]

    @cached_property
    def tree(self) -> Tree:
        """How it hangs together."""
        return tree_of(self.graph)

    @property
    def plain(self) -> Sequence[str]:
        """The words, folded."""
        return self.heard.plain

    def label(self, name: str) -> str:
        """The label of a variable, or the type of an edge."""
        if any(edge.name == name for edge in self.graph.edges):
            return self.graph.edge(name).relations[0]
        return next(iter(self.graph.variable(name).labels), "")

    def keys_of(self, name: str) -> Sequence[Key]:
        """The properties of a variable or an edge."""
        return self.heard.fits.vocabulary.keys_of(self.label(name))

    def span_of(self, item: Condition) -> tuple[int, int] | None:
        """The words that say what a condition compares with."""
        if not isinstance(item.right, tuple):
            return None
        for bound in self.heard.form.comparisons:
            if bound.operator == item.operator and [*map(_number, bound.values)] == [*map(_number, item.right)]:
                return bound.start, bound.end
        for mention in self.heard.values:
            if any(meaning.values == item.right for meaning in mention.meanings):
                return mention.start, mention.end
        return None

    def upwards(self, name: str) -> Iterator[str]:
        """The variables above one, the nearest first."""
        name = self.tree.parents[self.graph.owner(name)]
        while name:
            yield name
            name = self.tree.parents[name]

    def named(self, key: Key) -> frozenset[int]:
        """The words that surely name a property."""
        return frozenset(
            index
            for item in self.heard.key_mentions
            for meaning in item.meanings
            if meaning.key == key and meaning.score >= NAMED
            for index in range(item.start, item.end)
        )

    def naming(self, label: str) -> frozenset[int]:
        """The words that surely name a label."""
        last = name_words(label)[-1:]
        return frozenset(
            index
            for index, word in enumerate(self.plain)
            if word not in FUNCTION_WORDS and any(same_root(word, own) for own in last)
        )


def either(view: _View) -> Iterator[Edit]:
    """Two conditions with an "or" between them: "higher than 5000 OR with a prominence above 1000"."""
    placed = [(span, item) for item in view.graph.conditions if (span := view.span_of(item))]
    placed.sort(key=lambda pair: pair[0])
    for (one, first), (two, second) in pairwise(placed):
        between = view.plain[one[1] : two[0]]
        if "or" in between and "and" not in between:
            yield Edit((Cut(first), Cut(second), Either(((first,), (second,)))), LICENSED)


def of_each(view: _View) -> Iterator[Edit]:
    """A comparison or an order of what is made of all numbers of each: "items whose AVERAGE rating is above 5"."""
    for index in view.left:
        function = OF_EACH.get(view.plain[index])
        parts = [*view.graph.conditions, *view.graph.selections] if function else []
        for part in parts:
            value = part.left if isinstance(part, Condition) else part.by
            if not isinstance(value, Value) or not value.key or view.graph.owner(value.of) not in view.tree.parents:
                continue
            for above in view.upwards(value.of):
                assert function is not None
                measured = Aggregate(function, value, Value(above))
                yield Edit((Turn(part, _measuring(part, measured)),), LICENSED, frozenset({index}))


def _measuring(part: Condition | Selection, measured: Aggregate) -> Condition | Selection:
    if isinstance(part, Condition):
        return Condition(measured, part.operator, part.right)
    assert measured.per is not None
    return Selection(measured.per.of, measured, part.descending, part.limit, part.offset)


def counted_for(view: _View) -> Iterator[Edit]:
    """A number that is counted for something further up: "products that at least two customers bought" counts the
    customers of a product, and not those of an order."""
    for item in view.graph.conditions:
        number = item.left
        if isinstance(number, Aggregate) and number.per and not number.per.key:
            for above in view.upwards(number.per.of):
                other = Aggregate(number.function, number.value, Value(above))
                yield Edit((Turn(item, Condition(other, item.operator, item.right)),), -MOVED)
    for order in view.graph.selections:
        if isinstance(order.by, Aggregate) and not (order.by.per and order.by.per.key):
            for above in view.upwards(order.variable):
                by = Aggregate(order.by.function, order.by.value)
                moved = Selection(above, by, order.descending, order.limit, order.offset)
                yield Edit((Turn(order, moved),), -MOVED)


def asking(view: _View) -> Iterator[Edit]:
    """Another thing or property as what is asked for, with what is made of it."""
    answer = view.graph.answer
    if not isinstance(answer, Value | Aggregate):
        return
    value = answer.value if isinstance(answer, Aggregate) else answer
    for variable in view.graph.variables:
        if variable.name not in view.tree.parents or variable.name in view.tree.hidden:
            continue
        words = view.naming(view.label(variable.name))
        if not isinstance(answer, Aggregate) or answer.function in ("count", "exists"):
            yield _asked(view, Value(variable.name), words)
        for key in view.keys_of(variable.name):
            named = view.named(key)
            if named and Value(variable.name, key.key) != value:
                yield _asked(view, Value(variable.name, key.key), named & view.left or named)


def _asked(view: _View, value: Value, words: frozenset[int]) -> Edit:
    answer = view.graph.answer
    if isinstance(answer, Aggregate):
        asked: Value | Aggregate = Aggregate(answer.function, value, answer.per, top=answer.top)
    else:
        asked = value
    return Edit((Ask(asked),), -ASKED if words else -BARE, words & view.left)


def different(view: _View) -> Iterator[Edit]:
    """The number of different values: "how many KINDS OF INJURIES happened"."""
    answer = view.graph.answer
    if not isinstance(answer, Aggregate) or answer.function != "count" or answer.per:
        return
    for variable in view.graph.variables:
        for key in view.keys_of(variable.name) if variable.name not in view.tree.hidden else ():
            words = view.named(key)
            if words:
                yield Edit((Ask(Aggregate("count", Value(variable.name, key.key))),), -TURNED, words & view.left)


def denied(view: _View) -> Iterator[Edit]:
    """A step that is not there, or a value that is another: "games that are FREE OF accidents"."""
    negations = {*view.heard.form.negations, *(index for index in view.left if view.plain[index] in LACKING)}
    if not negations or view.graph.denies:
        return
    said = frozenset(negations)
    for edge in view.graph.edges:
        yield Edit((Turn(edge, _absent(edge)),), SAID - TURNED, said)
    for item in view.graph.conditions:
        if item.operator == "=" and isinstance(item.left, Value) and isinstance(item.right, tuple):
            yield Edit((Turn(item, Condition(item.left, "<>", item.right)),), SAID - TURNED, said)
    yield from _never(view, said)


def _never(view: _View, said: frozenset[int]) -> Iterator[Edit]:
    """Values of which no node passes a test: "countries that do NOT have a stadium opened after 2006" are those whose
    latest one is of 2006."""
    asked = view.graph.answer
    if not isinstance(asked, Value) or not asked.key:
        return
    for item in view.graph.conditions:
        if isinstance(item.left, Value) and item.left.of == asked.of and item.operator in _LATEST:
            function, operator = _LATEST[item.operator]
            test = Condition(Aggregate(function, item.left, Value(asked.of, asked.key)), operator, item.right)
            yield Edit((Turn(item, test),), LICENSED, said)


_LATEST: dict[str, tuple[Function, object]] = {
    ">": ("maximum", "<="), ">=": ("maximum", "<"), "<": ("minimum", ">="), "<=": ("minimum", ">"),
}  # fmt: skip


def _absent(edge: Edge) -> Edge:
    return Edge(edge.subject, edge.relations, edge.object, edge.name, edge.directed, absent=not edge.absent)


def both(view: _View) -> Iterator[Edit]:
    """One way for each of two values: "swimmers with BOTH a win and a loss"."""
    for item in view.graph.conditions:
        if not isinstance(item.left, Value) or not isinstance(item.right, tuple) or item.operator != "=":
            continue
        if len(item.right) != 2 or item.left.of in (view.graph.root, *_edge_names(view.graph)):
            continue
        if not {"both", "and"} & {*view.plain}:
            continue
        first, second = (Condition(item.left, "=", (value,)) for value in item.right)
        worth = LICENSED if "both" in view.plain else -MOVED
        yield Edit((Turn(item, first), *_another_way(view, item.left.of, second)), worth)


def _another_way(view: _View, name: str, known: Condition) -> Iterator[Action]:
    """The way from the root to a variable once more, with what is known of its other end."""
    graph, names = view.graph, {view.graph.root: view.graph.root}
    path = [name, *view.upwards(name)][::-1]
    for number, (above, below) in enumerate(pairwise(path)):
        edge = next(item for item in graph.edges if {item.subject, item.object} == {above, below})
        names[below] = f"{fresh(graph)}n{number}"
        ends = names[edge.subject] if edge.subject in names else below, names.get(edge.object, edge.object)
        added = Edge(ends[0], edge.relations, ends[1], f"{fresh(graph, 'r')}n{number}", edge.directed)
        yield Join(added, Variable(names[below], graph.variable(below).labels))
    assert isinstance(known.left, Value)
    yield Where(Condition(Value(names[name], known.left.key, known.left.form), "=", known.right))


def _edge_names(graph: QueryGraph) -> tuple[str, ...]:
    return tuple(edge.name for edge in graph.edges)


def _number(value: object) -> object:
    try:
        return float(str(value))
    except ValueError:
        return str(value)


EDITS: tuple[Callable[[_View], Iterator[Edit]], ...] = (
    either, of_each, counted_for, asking, different, denied, both
)  # fmt: skip
"""What may be attached otherwise, each an edit with an example in its docstring and in its test."""
