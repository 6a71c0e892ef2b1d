"""Questions with conditions, counts, extremes and aggregates, as query graphs over a graph's schema, in words.

A query graph grows from a variable with a label: an edge to a neighbour, which may be a named node; a condition on a
property; the first by a property, or by how many neighbours there are; and what is asked for. Each part's value is
drawn from what the parts before it give, so that something is found. The question is its wording, as kgneo tells it,
in one of several forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from kgneo.errors import GraphError
from kgneo.graph.catalogue import catalogue, is_measure
from kgneo.graph.open import Knowledge
from kgneo.graph.run import Result, run
from kgneo.graph.shape import LOADED_LABEL
from kgneo.query.catalogue import Catalogue, Key, Label, Relation
from kgneo.query.check import check
from kgneo.query.graph import (
    Aggregate,
    Condition,
    Edge,
    Function,
    Operator,
    QueryGraph,
    Selection,
    Value,
    Variable,
)
from kgneo.query.growth import Action, Ask, Begin, Join, Order, Turn, Where, apply
from kgneo.query.wording import wording
from kgneo.questions import Question
from kgneo.text import number_of
from kgneo.tuning.chains import nameable

__all__ = ["queries"]

MOST = 20
"""Answers from which on a question is left out."""
DRAWN = 200
"""Values, or nodes, that one is drawn from."""
LONGEST = 40
"""Characters of a text that may be a condition's value."""
TRIES = 8
"""Query graphs that are tried for one that is new and finds something."""
JOINED, NAMED, ABSENT, BOUNDED, FIRST, MOST_OFTEN = 0.65, 0.6, 0.1, 0.4, 0.2, 0.1
"""How often there is an edge, its neighbour is named, there must be none; a condition, an extreme, one of numbers."""
FIGURES: Sequence[Function] = ("sum", "average", "minimum", "maximum")
ARROW = "→"
"""What a wording of several steps has, and no question."""
ASKED = ("which {}?", "what is the {}?", "tell me the {}", "{}?")
LISTED = ("which {}?", "list {}", "what are the {}?", "show me all {}", "give me the {}", "find {}")
ONE = ("what is the {}?", "which is the {}?", "tell me the {}", "give the {}")
COUNTED = ("how many {} are there?", "what is the number of {}?", "count the {}")


@dataclass(frozen=True)
class _Draft:
    """A query graph, and the same with its named node given by its id, for the wording; who that is."""

    meant: QueryGraph
    told: QueryGraph
    nodes: dict[str, str] = field(default_factory=dict)

    def grown(self, action: Action) -> _Draft:
        """With what an action adds to both."""
        return replace(self, meant=apply(self.meant, action), told=apply(self.told, action))


def queries(knowledge: Knowledge, count: int, random: Random) -> Iterator[Question]:
    """At most `count` different questions with their query graphs and answers, the same ones for the same state of
    `random`. Fewer where the graph has no more."""
    maker = _Maker(knowledge, catalogue(knowledge.schema, knowledge.shape), random)
    seen: set[QueryGraph] = set()
    misses = 0
    while maker.labels and len(seen) < count and misses < TRIES * count:
        try:
            made = maker.question()
        except GraphError:  # what takes too long
            made = None
        if made is None or made.query_graph is None or made.query_graph in seen:
            misses += 1
            continue
        seen.add(made.query_graph)
        yield made


class _Maker:
    def __init__(self, knowledge: Knowledge, known: Catalogue, random: Random) -> None:
        self.labels: Sequence[Label] = [item for item in known.labels if item.name != LOADED_LABEL]
        self._knowledge = knowledge
        self._known = known
        self._random = random

    def question(self) -> Question | None:
        """A question; None where what was drawn finds nothing, or too much."""
        label = self._random.choice(self.labels)
        start = apply(None, Begin((label.name,)))
        draft = _Draft(start, start)
        if self._random.random() < JOINED:
            draft = self._joined(draft, label) or draft
        free = not draft.meant.edges
        extreme = self._random.random()
        if free or self._random.random() < BOUNDED:
            draft = self._bounded(draft, label) or draft
        if extreme < FIRST:
            draft = self._first(draft, label, often=extreme < FIRST * MOST_OFTEN) or draft
        if draft.meant == start:
            return None
        draft = self._asked(draft, label)
        return self._worded(draft) if not check(draft.meant, self._known) else None

    def _joined(self, draft: _Draft, label: Label) -> _Draft | None:
        """An edge to a neighbour, who may be named."""
        ways = list(self._ways(label))
        if not ways:
            return None
        relation, forward, other = self._random.choice(ways)
        ends = ("x0", "x1") if forward else ("x1", "x0")
        edge = Edge(ends[0], (relation.name,), ends[1])
        graph = apply(draft.meant, Join(edge, Variable("x1", (other,))))
        key = self._name_key(other)
        if not key or self._random.random() >= NAMED:
            return _Draft(graph, graph)
        nodes = [node for node in self._run(apply(graph, Ask(Value("x1")))).nodes if nameable(node.names[0])]
        if not nodes:
            return None
        node = self._random.choice(nodes)
        name = node.names[0]
        absent = self._random.random() < ABSENT
        graph = apply(graph, Turn(edge, replace(edge, absent=absent)))
        told = replace(graph, variables=(*draft.told.variables, Variable("x1", (other,), (node.id,))))
        meant = apply(graph, Where(Condition(Value("x1", key), "=", (name,))))
        return _Draft(meant, told, {node.id: name})

    def _ways(self, label: Label) -> Iterator[tuple[Relation, bool, str]]:
        """Relationship types at a label, whether they leave it, and the labels at their other ends."""
        for relation in self._known.relations:
            for subject, object_ in relation.ends:
                if subject == label.name and object_ != LOADED_LABEL:
                    yield relation, True, object_
                if object_ == label.name and subject != LOADED_LABEL:
                    yield relation, False, subject

    def _name_key(self, label: str) -> str:
        """The property that alone names the nodes of a label; empty where there is none."""
        shape = self._knowledge.shape
        keys = shape.display.get(LOADED_LABEL if shape.loaded else label, ())
        return keys[0] if len(keys) == 1 else ""

    def _bounded(self, draft: _Draft, label: Label) -> _Draft | None:
        """A condition on a property, or on the name where nothing else is given."""
        keys = [key for key in label.keys if key.kind in ("text", "truth") or is_measure(key)]
        if not keys:
            return None
        key = self._random.choice(keys)
        values = self._run(apply(draft.meant, Ask(Value("x0", key.name)))).answers
        condition = self._condition(key, values)
        return draft.grown(Where(condition)) if condition else None

    def _condition(self, key: Key, values: Sequence[str]) -> Condition | None:
        """A test of the property that one of its values passes."""
        if not values:
            return None
        text = self._random.choice(list(values))
        value = Value("x0", key.name, "date" if key.kind == "date" else "")
        compared: Operator = self._random.choice((">", "<", ">=", "<="))
        if key.kind == "truth":
            return Condition(value, "=", (text == "true",))
        if key.kind == "date":
            return Condition(value, self._random.choice(("=", compared)), (text[:4],)) if text[:4].isdigit() else None
        if key.kind == "number":
            number = number_of(text)
            return number if number is None else Condition(value, self._random.choice(("=", compared)), (number,))
        return Condition(value, "=", (text,)) if len(text) <= LONGEST and nameable(text) else None

    def _first(self, draft: _Draft, label: Label, *, often: bool) -> _Draft | None:
        """The first by a property, or by the number of neighbours where none is named."""
        descending = self._random.random() < 0.7
        if often and draft.meant.edges and not draft.meant.conditions:
            return draft.grown(Order(Selection("x0", Aggregate("count", Value("x1")), descending)))
        ordered = [key for key in label.keys if is_measure(key)]
        if not ordered:
            return None
        return draft.grown(Order(Selection("x0", Value("x0", self._random.choice(ordered).name), descending)))

    def _asked(self, draft: _Draft, label: Label) -> _Draft:
        """What is asked for: nodes, a property of theirs, their number, by a property, too, or a figure over them."""
        chance = self._random.random()
        if chance < 0.2 and label.keys:
            return draft.grown(Ask(Value("x0", self._random.choice(label.keys).name)))
        if chance < 0.4 and not draft.meant.selections:
            return draft.grown(Ask(Aggregate("count", Value("x0"))))
        numbers = [key for key in label.keys if key.kind == "number" and is_measure(key)]
        if chance < 0.5 and numbers and not draft.meant.selections:
            function = self._random.choice(FIGURES)
            return draft.grown(Ask(Aggregate(function, Value("x0", self._random.choice(numbers).name))))
        texts = [key for key in label.keys if key.kind == "text"]
        if chance < 0.6 and texts and not draft.meant.selections:
            group = Value("x0", self._random.choice(texts).name)
            return draft.grown(Ask(Aggregate("count", Value("x0"), group)))
        return draft

    def _worded(self, draft: _Draft) -> Question | None:
        """The query graph as a question, with what it finds."""
        result = self._run(draft.meant)
        if result.empty or result.more or not 0 < len(result.answers) <= MOST:
            return None
        phrase = wording(draft.told, nodes=draft.nodes, names=self._knowledge.shape.names).removeprefix("the ")
        if ARROW in phrase:
            return None
        text = self._random.choice(_forms(draft.told, phrase)).format(phrase.removeprefix("number of "))
        nodes = tuple(draft.nodes.values())
        return Question(text, text, result.answers, entities=nodes, query_graph=draft.meant)

    def _run(self, graph: QueryGraph) -> Result:
        return run(self._knowledge, graph, keys={}, naming={}, limit=DRAWN, whole=False)


def _forms(graph: QueryGraph, phrase: str) -> Sequence[str]:
    """What can be put around the phrase."""
    if phrase.startswith("number of "):
        return COUNTED
    nodes = isinstance(graph.answer, Value) and not graph.answer.key and not graph.selections
    return (LISTED if graph.conditions else ASKED) if nodes else ONE
