"""Suggest: what may be asked next, run beforehand, so that no suggestion leads nowhere.

Comes in: the query graph of an answer, and what the graph has. Goes out: up to three query graphs, each grown from that
query graph by a few actions of `kgneo.query.growth`, each with what it found. For "rivers that flow through Germany":
the seas that they flow into (one step further), the river that flows through most countries (the first by an order),
how many cities lie on each (a group).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from kgneo.context import Context
from kgneo.english.names import name_words, plural
from kgneo.errors import GraphTimeout
from kgneo.graph.catalogue import is_measure
from kgneo.graph.run import Result
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.graph import Aggregate, Edge, QueryGraph, Selection, Value, Variable
from kgneo.query.growth import Action, Ask, Join, Order, fresh, grown
from kgneo.query.wording import wording
from kgneo.stages.interpret import run_query

GIVEN = 3
TRIED = 12
"""Query graphs that are run at most."""
SECONDS = 1.5
"""For all of them together."""
THESE = "these"
"""What stands for the id of the nodes that were asked for, where an action is put into words."""
MOST_ANSWERS = 100
"""More than this nobody reads: what finds so many is suggested only where nothing else is."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """A query graph, its meaning in English, and what it found. `further` is what it says of what was asked before:
    "seas that these rivers flow into"."""

    graph: QueryGraph
    wording: str
    further: str
    result: Result


def suggest(
    context: Context, graph: QueryGraph, catalogue: Catalogue, *, nodes: dict[str, str], several: bool = True
) -> tuple[Suggested, ...]:
    """Up to three query graphs that go on from `graph`, of different forms where it has `several` answers. `nodes`
    names its nodes by element id. Raises GraphError; what takes too long is left out."""
    asked = _asked(context, graph)
    if asked is None:
        return ()
    several = several or isinstance(graph.answer, Aggregate)
    ended = time.monotonic() + SECONDS
    found: list[Suggested] = []
    broad: list[Suggested] = []
    names = context.shape.names
    for actions in _in_turn(context, *asked, catalogue, several=several):
        if len(found) == GIVEN or time.monotonic() > ended:
            break
        next_ = grown(asked[0], actions)
        further = _of_these(asked[1], actions, several, names)
        result = _run(context, next_)
        if result is None or further in {item.further for item in (*found, *broad)}:
            continue
        if isinstance(next_.answer, Aggregate) and len(result.answers) == 1:
            continue  # a single group
        many = len(result.answers) + result.more > MOST_ANSWERS
        said = wording(next_, nodes=nodes, names=names)
        (broad if many else found).append(Suggested(next_, said, further, result))
    return tuple([*found, *broad][:GIVEN])


def _of_these(variable: Variable, actions: Sequence[Action], several: bool, names: Mapping[str, str]) -> str:
    """What actions ask of the nodes that were asked for, told as if these were one given node."""
    given = QueryGraph((replace(variable, ids=(THESE,)),), Value(variable.name))
    noun = " ".join(name_words(names.get(variable.labels[0], variable.labels[0])))
    these = f"these {plural(noun)}" if several else f"this {noun}"
    return wording(grown(given, actions), nodes={THESE: these}, names=names)


def _asked(context: Context, graph: QueryGraph) -> tuple[QueryGraph, Variable] | None:
    """The variable whose nodes are asked for, with the labels that the nodes found have; None where no nodes are."""
    answer = graph.answer
    if isinstance(answer, Aggregate) and answer.function == "count" and answer.per is None:
        answer = answer.value
    if not isinstance(answer, Value) or all(answer.of != item.name for item in graph.variables):
        return None
    variable = graph.variable(answer.of)
    graph = replace(graph, answer=Value(variable.name), columns=())
    if not variable.labels:
        variable = replace(variable, labels=_labels(context, graph))
        every = (variable if item.name == variable.name else item for item in graph.variables)
        graph = replace(graph, variables=tuple(every))
    return (graph, variable) if variable.labels else None


def _labels(context: Context, graph: QueryGraph) -> tuple[str, ...]:
    """The rarest label that all of the first nodes have."""
    result = _run(context, graph)
    nodes = result.nodes if result else ()
    counted = Counter(label for node in nodes for label in node.labels)
    rarest = _rarest(_sizes(context), [label for label, number in counted.items() if number == len(nodes)])
    return (rarest,) if rarest else ()


def _in_turn(
    context: Context, graph: QueryGraph, variable: Variable, catalogue: Catalogue, *, several: bool
) -> Iterator[tuple[Action, ...]]:
    """Actions of each form in turn, so that the first few differ in form. Of a single node there is no first one,
    and no group."""
    joins = list(_joins(context, graph, variable))
    forms: tuple[Iterable[tuple[Action, ...]], ...] = (_further(joins),)
    if several and not graph.selections:
        firsts = chain(_by_property(variable, catalogue), _by_number(variable, joins))
        groups = chain(_each(variable, joins), _by_value(variable, catalogue))
        forms = (*forms, firsts, groups)
    every = (item for turn in zip_longest(*forms) for item in turn if item is not None)
    for number, item in enumerate(item for item in every if not check(grown(graph, item), catalogue)):
        if number == TRIED:
            return
        yield item


def _joins(context: Context, graph: QueryGraph, variable: Variable) -> Iterator[Join]:
    """What relationships lead to from the variable, one of each type and way: first those of the plainest ends (a film
    and a person before a film that is a person, too), that the query graph does not have, to labels that are new."""
    there = {(name, edge.subject == variable.name) for edge in graph.edges_of(variable.name) for name in edge.relations}
    known = {label for item in graph.variables for label in item.labels}
    found: dict[tuple[str, bool], tuple[tuple[int, bool, bool], str]] = {}
    sizes = _sizes(context)
    for relation, leaving, near, far in _connections(context):
        if not set(variable.labels) & set(near):
            continue
        label = _rarest(sizes, far)
        rank = (len(near) + len(far), (relation, leaving) in there, label in known)
        found[relation, leaving] = min(found.get((relation, leaving), (rank, label)), (rank, label))
    for (relation, leaving), (_, label) in sorted(found.items(), key=lambda item: item[1]):
        name, edge = fresh(graph), fresh(graph, "r")
        ends = (variable.name, name) if leaving else (name, variable.name)
        yield Join(Edge(ends[0], (relation,), ends[1], edge), Variable(name, (label,)))


def _connections(context: Context) -> Iterator[tuple[str, bool, tuple[str, ...], tuple[str, ...]]]:
    """Each relationship type that is used, from either end: whether it leaves that, the labels there and beyond."""
    shape = context.shape
    for relation in context.knowledge.schema.relations:
        for item in relation.connections if shape.uses(relation.name) else ():
            yield relation.name, True, item.subject, item.object
            yield relation.name, False, item.object, item.subject


def _sizes(context: Context) -> dict[str, int]:
    """How many nodes each label has."""
    return {item.name: item.nodes for item in context.knowledge.schema.labels}


def _rarest(sizes: Mapping[str, int], labels: Iterable[str]) -> str:
    """The one of some labels that says most: of a city City, not Entity."""
    return min(labels, key=lambda label: sizes.get(label, 0), default="")


def _reached(join: Join) -> str:
    assert join.variable is not None
    return join.variable.name


def _further(joins: Iterable[Join]) -> Iterator[tuple[Action, ...]]:
    for join in joins:
        yield join, Ask(Value(_reached(join)))


def _by_property(variable: Variable, catalogue: Catalogue) -> Iterator[tuple[Action, ...]]:
    for key in catalogue.keys_of_labels(variable.labels):
        if is_measure(key):
            value = Value(variable.name, key.name, "date" if key.kind == "date" else "")
            yield (Order(Selection(variable.name, value, descending=True)),)


def _by_number(variable: Variable, joins: Iterable[Join]) -> Iterator[tuple[Action, ...]]:
    for join in joins:
        number = Aggregate("count", Value(_reached(join)), Value(variable.name))
        yield join, Order(Selection(variable.name, number, descending=True))


def _each(variable: Variable, joins: Iterable[Join]) -> Iterator[tuple[Action, ...]]:
    for join in joins:
        yield join, Ask(Aggregate("count", Value(_reached(join)), Value(variable.name)))


def _by_value(variable: Variable, catalogue: Catalogue) -> Iterator[tuple[Action, ...]]:
    for key in catalogue.keys_of_labels(variable.labels):
        if key.kind == "text":
            yield (Ask(Aggregate("count", Value(variable.name), Value(variable.name, key.name))),)


def _run(context: Context, graph: QueryGraph) -> Result | None:
    try:
        result = run_query(context, graph, limit=MOST_ANSWERS)
    except GraphTimeout:
        return None
    return None if result.empty else result
