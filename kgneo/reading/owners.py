"""Owners: what has a value, where the value itself is asked for as a thing: "countries that have two mountains".

Comes in: what was heard of a question, and a tree that asks for a property which several nodes share. Goes out: what
must hold of all nodes that have such a value, as further variables with the same value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kgneo.english.names import name_words, same_root
from kgneo.english.numbers import is_number
from kgneo.query.graph import Aggregate, Condition, QueryGraph, Value, Variable
from kgneo.reading.form import Comparison
from kgneo.reading.grow import Tree
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Meaning

MOST_PAIRS = 20_000_000
"""Pairs of nodes with the same value that may be looked at."""
LOWER, UPPER = (">", ">="), ("<", "<=")
DATED = ("after", "before", "since", "until", "during")
"""Words before a date, and before no number of things."""


@dataclass(frozen=True)
class Owners:
    """What one question says of all that have a value."""

    heard: Heard

    def counted(self, item: Comparison, tree: Tree) -> bool:
        """Whether a comparison is with how many nodes have the value that is asked for: "more than 2 MOUNTAINS"."""
        if (
            item.function
            or self.heard.plain[item.start] in DATED
            or not self._asks_for_shared(tree)
            or not all(map(is_number, item.values))
        ):
            return False
        there = self.heard.mention_at(item.end)
        if there >= 0 and tree.thing_of(there) is not None:
            return tree.thing_of(there) == 0
        word = self.heard.plain[item.end : item.end + 1]
        return bool(word) and any(same_root(word[0], own) for own in name_words(tree.things[0].label)[-1:])

    def with_count(self, graph: QueryGraph, item: Comparison) -> QueryGraph:
        """The query graph with a test of how many nodes have the value that is asked for, all else being equal."""
        graph, other = _another(graph, graph.conditions_of("x0"))
        numbers = tuple(float(value) if "." in value else int(value) for value in item.values)
        test = Condition(Aggregate("count", Value(other), Value("x0")), item.operator, numbers)
        return replace(graph, conditions=(*graph.conditions, test))

    def with_both(self, graph: QueryGraph, tree: Tree) -> tuple[QueryGraph, tuple[int, ...]]:
        """The query graph in which what no single node has is had by two with the same value, as "countries that have
        mountains above 5000 and mountains below 1000" asks, and the mentions that it now says."""
        if not self._asks_for_shared(tree):
            return graph, ()
        opposed = _opposed(graph)
        if opposed is not None:
            kept = tuple(item for item in graph.conditions if item != opposed)
            alike = [item for item in kept if item.left not in [opposed.left] and _is_of_root(item)]
            graph, _ = _another(replace(graph, conditions=kept), [*alike, opposed])
            return graph, ()
        said: list[int] = []
        for number, meaning in self._beside(tree):
            assert meaning.key is not None
            own = Condition(Value("x0", meaning.key.key), "=", meaning.values)
            graph, _ = _another(graph, [own])
            said.append(number)
        return graph, tuple(said)

    def _asks_for_shared(self, tree: Tree) -> bool:
        key = tree.asked
        if key is None or key.of_edge or key.unique or key.listed or self.heard.form.kind != "things":
            return False
        nodes = self.heard.fits.vocabulary.labels.get(tree.things[0].label, 0)
        return nodes * nodes / max(key.distinct, 1) <= MOST_PAIRS

    def _beside(self, tree: Tree) -> Iterator[tuple[int, Meaning]]:
        """Values that were left out since what is asked about has another one of the same property, with an "and"
        between the two."""
        known = {key for key, _ in tree.things[0].values}
        for number in tree.ignored:
            for meaning in self.heard.mentions[number].meanings:
                if meaning.kind == "value" and meaning.key in known and self._is_joined(number):
                    yield number, meaning
                    break

    def _is_joined(self, number: int) -> bool:
        other = number - 1 if number else 1
        one, two = sorted((number, other))
        if two >= len(self.heard.mentions):
            return False
        last = max(one, two)
        first = min(item.start for item in self.heard.mentions)
        return "and" in self.heard.plain[first : self.heard.mentions[last].start]


def _is_of_root(item: Condition) -> bool:
    return isinstance(item.left, Value) and item.left.of == "x0"


def _opposed(graph: QueryGraph) -> Condition | None:
    """The second of two tests of one property that no value passes: above one number and below a smaller one."""
    tests = [item for item in graph.conditions if _is_of_root(item) and isinstance(item.right, tuple)]
    tests = [item for item in tests if item.operator in LOWER + UPPER]
    for _, same in groupby(sorted(tests, key=lambda item: str(item.left)), key=lambda item: item.left):
        pair = list(same)
        if len(pair) == 2 and _excludes(pair):
            return max(pair, key=graph.conditions.index)
    return None


def _excludes(pair: Sequence[Condition]) -> bool:
    lower = next((item.right for item in pair if item.operator in LOWER), None)
    upper = next((item.right for item in pair if item.operator in UPPER), None)
    return isinstance(lower, tuple) and isinstance(upper, tuple) and bool(lower[0] > upper[0])  # type: ignore[operator]


def _another(graph: QueryGraph, known: Sequence[Condition]) -> tuple[QueryGraph, str]:
    """The query graph with one node more that has the value which is asked for, and of which `known` is said as well,
    and what that is called."""
    assert isinstance(graph.answer, Value)
    name = f"x{len(graph.variables)}"
    said = [
        replace(item, left=replace(item.left, of=name))
        for item in known
        if isinstance(item.left, Value) and isinstance(item.right, tuple)
    ]
    same = Condition(graph.answer, "=", Value(name, graph.answer.key))
    variable = Variable(name, graph.variable(graph.root).labels)
    return replace(graph, variables=(*graph.variables, variable), conditions=(*graph.conditions, *said, same)), name
