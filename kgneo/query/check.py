"""Check: whether a query graph can be asked of a graph with a given schema, before anything is run.

Comes in: any query graph, such as a language model's, and a catalogue. Goes out: its problems in words, none where it
can be compiled. Three steps, each only where the one before found nothing: the names within the query graph; how its
parts hang together; what the schema has, and whether comparisons, aggregates and calculations fit its types.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kgneo.query.catalogue import Catalogue, Key, Kind
from kgneo.query.graph import SPANS, Aggregate, Arithmetic, Condition, Edge, QueryGraph, Scalar, Selection, Value
from kgneo.query.nearest import nearest
from kgneo.query.tree import Tree, place_of, tree_of, values_of

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_DATE = re.compile(r"-?\d{4}(-\d\d(-\d\d)?)?")
_WORDS: dict[Kind, str] = {
    "text": "texts",
    "number": "numbers",
    "truth": "true or false",
    "date": "dates",
    "list": "lists",
    "other": "values of another type",
}
_DATE_FORMS = ("date", "day first", "month first")


def check(graph: QueryGraph, catalogue: Catalogue) -> tuple[str, ...]:
    """The problems of `graph` in words, each once, in the order in which they are best mended; empty where there are
    none."""
    for step in (_names, _structure, _schema):
        problems = tuple(dict.fromkeys(step(graph, catalogue)))
        if problems:
            return problems
    return ()


# Names within the query graph ----------------------------------------------------------------------------------------


def _names(graph: QueryGraph, _: Catalogue) -> Iterator[str]:
    variables = [variable.name for variable in graph.variables]
    edges = [edge.name for edge in graph.edges if edge.name]
    for name, times in Counter(variables + edges).items():
        if times > 1:
            yield f"The name {name!r} stands for {times} variables or edges: each needs a name of its own."
        if not _NAME.fullmatch(name):
            yield f"The name {name!r} cannot be used: it must be a letter, then letters, digits or underscores."
    for edge, times in Counter(graph.edges).items():
        if times > 1:
            yield f"The edge from {edge.subject!r} to {edge.object!r} stands {times} times: leave it out, or name each."
    for name in (end for edge in graph.edges for end in (edge.subject, edge.object)):
        if name not in variables:
            yield _unknown("variable", name, variables)
    for name in (value.of for value in graph.values()):
        if name not in variables and name not in edges:
            yield _unknown("variable or edge", name, variables + edges)
    for selection in graph.selections:
        if selection.variable not in variables:
            yield _unknown("variable", selection.variable, variables)


def _unknown(what: str, name: str, known: Iterable[str], of: str = "") -> str:
    other = nearest(name, known)
    hint = f" Did you mean {other!r}?" if other else ""
    return f"There is no {what} {name!r}{of}.{hint}"


# How its parts hang together -----------------------------------------------------------------------------------------


def _structure(graph: QueryGraph, _: Catalogue) -> Iterator[str]:
    tree = tree_of(graph)
    for name in tree.loose:
        yield f"The variable {name!r} is not joined to {graph.root!r}, which is asked for, by any edge or comparison."
    if tree.loose:
        return
    yield from _circles(graph, tree)
    yield from _absences(graph, tree)
    yield from _stages(graph, tree)


def _circles(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    for edge in graph.edges:
        if edge.subject == edge.object:
            yield f"An edge leads from {edge.subject!r} to itself: give the other end a variable of its own."
        elif edge.object not in (tree.parents[edge.subject], *_children(tree, edge.subject)):
            yield (
                f"The edges between {edge.subject!r} and {edge.object!r} close a circle: end one of them in a variable "
                f"of its own, and add the condition that both are the same node."
            )


def _children(tree: Tree, name: str) -> list[str]:
    return [child for child, parent in tree.parents.items() if parent == name]


def _absences(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    """What is behind an absent edge is spoken of by its own conditions alone, and holds no further absence."""
    for edge in graph.edges:
        if edge.absent and edge.subject in tree.hidden and edge.object in tree.hidden:
            yield f"The absent edge from {edge.subject!r} to {edge.object!r} hangs behind another absent edge."
    parts: list[tuple[str, object]] = [("answer", graph.answer)]
    parts += [("selection", selection.by) for selection in graph.selections]
    parts += [("test of an aggregate", item.left) for item in graph.conditions if isinstance(item.left, Aggregate)]
    for what, part in parts:
        for value in values_of(part):
            if _is_hidden(graph, tree, value.of):
                yield f"The {what} speaks of {value.of!r}, which is behind an absent edge, where nothing is."
    for selection in graph.selections:
        if selection.variable in tree.hidden:
            yield f"There is a selection at {selection.variable!r}, which is behind an absent edge, where nothing is."
    for condition in graph.conditions:
        hidden = {_behind(graph, tree, value.of) for value in (*values_of(condition.left), *values_of(condition.right))}
        if len(hidden - {None}) > 1:
            yield "A condition compares what is behind different absent edges."


def _is_hidden(graph: QueryGraph, tree: Tree, name: str) -> bool:
    return _behind(graph, tree, name) is not None


def _behind(graph: QueryGraph, tree: Tree, name: str) -> Edge | None:
    """The absent edge behind which a variable or edge is, or which it is."""
    for edge in graph.edges:
        if edge.absent and (edge.name == name or _ends(graph, name) & tree.below(tree.lower(edge)) & tree.hidden):
            return edge
    return None


def _ends(graph: QueryGraph, name: str) -> set[str]:
    edge = next((edge for edge in graph.edges if edge.name == name), None)
    return {name} if edge is None else {edge.subject, edge.object}


def _stages(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    """Selections and tests of aggregates look at what hangs below their variable; nothing else looks in there."""
    for selection in graph.selections:
        yield from _outside(graph, tree, selection.variable, selection.by, "selection")
    for condition in graph.conditions:
        if isinstance(condition.left, Aggregate):
            yield from _grouped(graph, tree, condition.left)
    closed = {selection.variable for selection in graph.selections}
    closed |= {
        item.left.per.of for item in graph.conditions if isinstance(item.left, Aggregate) and item.left.per is not None
    }
    for name in closed:
        yield from _reached_into(graph, tree, name)


def _grouped(graph: QueryGraph, tree: Tree, item: Aggregate) -> Iterator[str]:
    if item.per is None or item.per.key or item.per.of not in tree.parents:
        yield f"A test of the {item.function} of {item.value.of!r} must say per which variable, without a key."
    else:
        yield from _outside(graph, tree, item.per.of, item.value, f"test of the {item.function}")


def _outside(graph: QueryGraph, tree: Tree, variable: str, part: object, what: str) -> Iterator[str]:
    below = tree.below(variable)
    if values_of(part)[0] == Value(variable):
        yield f"The {what} at {variable!r} looks at {variable!r} itself: it needs a property, or what hangs below."
    for value in values_of(part):
        if not _ends(graph, value.of) <= below:
            yield f"The {what} at {variable!r} looks at {value.of!r}, which does not hang below {variable!r}."


def _reached_into(graph: QueryGraph, tree: Tree, name: str) -> Iterator[str]:
    """What looks from outside at what hangs below a variable that has a selection or a test."""
    inside = tree.below(name) - {name}
    if isinstance(graph.answer, Aggregate) and {value.of for value in values_of(graph.answer)} & inside:
        yield f"The answer looks at what hangs below {name!r}, which has a selection or a test of an aggregate."
    parts = [("condition", (*values_of(item.left), *values_of(item.right))) for item in graph.conditions]
    parts += [("selection", (Value(item.variable), *values_of(item.by))) for item in graph.selections]
    for what, values in parts:
        places = {place_of(graph, tree, value.of) for value in values}
        if places & inside and not places <= inside | {name}:
            yield f"A {what} looks from outside at what hangs below {name!r}, which has a selection or a test."


# What the schema has -------------------------------------------------------------------------------------------------


def _schema(graph: QueryGraph, catalogue: Catalogue) -> Iterator[str]:
    labels = [label.name for label in catalogue.labels]
    for name in (label for variable in graph.variables for label in variable.labels):
        if name not in labels:
            yield _unknown("label", name, labels)
    for edge in graph.edges:
        yield from _edge(graph, edge, catalogue)
    for value in graph.values():
        yield from _key(graph, value, catalogue)
    for condition in graph.conditions:
        yield from _condition(graph, condition, catalogue)
    for selection in graph.selections:
        yield from _selection(graph, selection, catalogue)
    yield from _answer(graph, catalogue)


def _edge(graph: QueryGraph, edge: Edge, catalogue: Catalogue) -> Iterator[str]:
    if not edge.relations:
        yield f"The edge from {edge.subject!r} to {edge.object!r} has no relationship type."
    subject, object_ = graph.variable(edge.subject).labels, graph.variable(edge.object).labels
    for name in edge.relations:
        relation = catalogue.relation(name)
        if relation is None:
            yield _unknown("relationship type", name, [item.name for item in catalogue.relations])
        elif not relation.joins(subject, object_):
            back = relation.joins(object_, subject)
            if back and edge.directed:
                yield f"{name} leads from {_named(object_)} to {_named(subject)}: the edge must be turned round."
            elif not back:
                pairs = ", ".join(f"{start} to {end}" for start, end in relation.ends[:5])
                yield f"{name} does not join {_named(subject)} and {_named(object_)}; it leads from {pairs}."


def _named(labels: Sequence[str]) -> str:
    return ":".join(labels) or "any node"


def _keys(graph: QueryGraph, value: Value, catalogue: Catalogue) -> tuple[Key, ...]:
    if any(variable.name == value.of for variable in graph.variables):
        return catalogue.keys_of_labels(graph.variable(value.of).labels)
    return catalogue.keys_of_relations(graph.edge(value.of).relations)


def _key(graph: QueryGraph, value: Value, catalogue: Catalogue) -> Iterator[str]:
    keys = [key.name for key in _keys(graph, value, catalogue)]
    if value.key and value.key not in keys:
        yield _unknown("property", value.key, keys, f" of {_owner(graph, value)}")
    elif value.form and not value.key:
        yield f"{value.of!r} without a property has no form {value.form!r}."
    elif value.form and not _as_form(_types(graph, value, catalogue), value.form):
        found = " and ".join(_WORDS[kind] for kind in sorted(_types(graph, value, catalogue)))
        yield f"The property {value.key!r} of {_owner(graph, value)} holds {found}, which have no form {value.form!r}."


def _owner(graph: QueryGraph, value: Value) -> str:
    if any(variable.name == value.of for variable in graph.variables):
        return _named(graph.variable(value.of).labels)
    return " or ".join(graph.edge(value.of).relations)


def _types(graph: QueryGraph, value: Value, catalogue: Catalogue) -> frozenset[Kind]:
    return frozenset(key.kind for key in _keys(graph, value, catalogue) if key.name == value.key)


def _as_form(kinds: frozenset[Kind], form: str) -> frozenset[Kind]:
    """What values of these kinds are compared as, in a form; empty where none has it."""
    if not form:
        return kinds
    if form == "list":
        return kinds & {"list", "other"}
    if form in ("number", "year"):
        fits: set[Kind] = {"text", "number", "other"} if form == "number" else {"text", "date", "other"}
        return frozenset({"number"}) if kinds & fits else frozenset()
    fits = {"text", "date", "other"} if form == "date" else {"text", "other"}
    return frozenset({"date"}) if kinds & fits else frozenset()


def _compared_as(graph: QueryGraph, value: Value, catalogue: Catalogue) -> frozenset[Kind]:
    return _as_form(_types(graph, value, catalogue), value.form)


def _condition(graph: QueryGraph, condition: Condition, catalogue: Catalogue) -> Iterator[str]:
    left, right, operator = condition.left, condition.right, condition.operator
    what = f"The condition {_told(left)} {operator}"
    if operator in ("present", "missing"):
        if right != () or isinstance(left, Aggregate):
            yield f"{what} is a test of a property, and compares it with nothing."
    elif isinstance(right, Value):
        yield from _both(graph, condition, right, what, catalogue)
    else:
        yield from _number_of_literals(condition, right, what)
        if any(isinstance(item, float) and not math.isfinite(item) for item in right):
            yield f"{what} compares with a number that is not finite."
        measured = left.value if isinstance(left, Aggregate) else left
        if isinstance(left, Aggregate) and (left.function == "exists" or condition.operator == "contains"):
            yield f"{what} is no test that an aggregate can have."
        elif isinstance(left, Aggregate) and left.function not in ("minimum", "maximum"):
            if any(_kind(item) != "number" for item in right):
                yield f"{what} compares a number with {right!r}."
        else:
            yield from _literals(graph, condition, measured, right, what, catalogue)


def _told(left: Value | Aggregate) -> str:
    if isinstance(left, Aggregate):
        return f"{left.function}({_told(left.value)})"
    return f"{left.of}.{left.key}" if left.key else left.of


def _number_of_literals(condition: Condition, right: tuple[Scalar, ...], what: str) -> Iterator[str]:
    if condition.operator == "between" and len(right) != 2:
        yield f"{what} needs two bounds, and has {len(right)}."
    elif condition.operator in ("=", "<>") and not right:
        yield f"{what} compares with nothing."
    elif condition.operator not in ("=", "<>", "between") and len(right) != 1:
        yield f"{what} needs one value to compare with, and has {len(right)}."


def _literals(
    graph: QueryGraph, condition: Condition, left: Value, right: tuple[Scalar, ...], what: str, catalogue: Catalogue
) -> Iterator[str]:
    if not left.key:
        yield f"{what} compares a node with {right!r}: it needs a property, or another variable."
        return
    kinds = _compared_as(graph, left, catalogue)
    if condition.operator == "contains":
        if not kinds & {"text", "date", "number", "other"} or not isinstance(right[0] if right else "", str):
            yield f"{what} looks for a text in a text; {_holds(kinds)}."
        return
    if left.form == "list":
        if condition.operator not in ("=", "<>"):
            yield f"{what} compares the elements of a list, which can only be = or <>."
        return
    if condition.operator not in ("=", "<>") and not kinds - {"truth", "list"}:
        yield f"{what} compares by size; {_holds(kinds)}."
    for item in right:
        if kinds and "other" not in kinds and not _fits(item, kinds, left.form):
            yield f"{what} compares with {item!r}; {_holds(kinds)}{_advice(kinds, item)}."


def _holds(kinds: Iterable[Kind]) -> str:
    return f"the property holds {' and '.join(_WORDS[kind] for kind in sorted(kinds))}"


def _kind(item: Scalar) -> Kind:
    if isinstance(item, bool):
        return "truth"
    return "text" if isinstance(item, str) else "number"


def _fits(item: Scalar, kinds: frozenset[Kind], form: str) -> bool:
    if form in _DATE_FORMS:
        return isinstance(item, str) and _DATE.fullmatch(item) is not None
    return _kind(item) in kinds


def _advice(kinds: frozenset[Kind], item: Scalar) -> str:
    if "date" in kinds:
        return ', which need the form "date" and a literal such as "2017", "2017-08" or "2017-08-09"'
    if "list" in kinds:
        return ', whose elements are compared with the form "list"'
    return ', which the form "number" compares as numbers' if kinds == {"text"} and _kind(item) == "number" else ""


def _both(graph: QueryGraph, condition: Condition, right: Value, what: str, catalogue: Catalogue) -> Iterator[str]:
    """A comparison of two values."""
    left = condition.left
    if isinstance(left, Aggregate):
        yield f"{what} compares an aggregate with a property: it needs a number."
    elif condition.operator in ("between", "contains"):
        yield f"{what} needs values, and has {_told(right)}."
    elif bool(left.key) != bool(right.key):
        yield f"{what} {_told(right)} compares a node with a property."
    elif not left.key:
        if condition.operator not in ("=", "<>"):
            yield f"{what} {_told(right)} compares two nodes by size."
    else:
        kinds, others = (_compared_as(graph, value, catalogue) for value in (left, right))
        if kinds and others and not (kinds & others) and "other" not in kinds | others:
            yield f"{what} {_told(right)} compares {_WORDS[min(kinds)]} with {_WORDS[min(others)]}."
        elif kinds and condition.operator not in ("=", "<>") and not kinds - {"truth", "list"}:
            yield f"{what} {_told(right)} compares by size; {_holds(kinds)}."


def _selection(graph: QueryGraph, selection: Selection, catalogue: Catalogue) -> Iterator[str]:
    what = f"The selection at {selection.variable!r}"
    if selection.limit < 1 or selection.offset < 0:
        yield f"{what} keeps {selection.limit} after {selection.offset}: the first must be at least 1, the other 0."
    by = selection.by
    if isinstance(by, Aggregate):
        if by.function == "exists" or (by.per is not None and by.per != Value(selection.variable)):
            yield f"{what} orders by an aggregate that is not measured for each {selection.variable!r}."
        yield from _aggregate(graph, by, catalogue)
    elif not by.key:
        yield f"{what} orders by a node: it needs a property or an aggregate."
    elif _compared_as(graph, by, catalogue) and not _compared_as(graph, by, catalogue) - {"truth", "list"}:
        yield f"{what} orders by {_told(by)}; {_holds(_compared_as(graph, by, catalogue))}."


def _answer(graph: QueryGraph, catalogue: Catalogue) -> Iterator[str]:
    answer = graph.answer
    if isinstance(answer, Aggregate):
        yield from _aggregate(graph, answer, catalogue)
        if answer.function == "exists" and answer.per is not None:
            yield "Whether something exists is asked once, not for each of something."
        if answer.top and (answer.per is None or not answer.per.key):
            yield "The first of groups are those by a property: `per` needs a key."
        if answer.function == "share" and (answer.per is not None or answer.value.key):
            yield "A share is one of nodes among all with their labels: no property, and not for each of something."
    elif isinstance(answer, Arithmetic):
        for value in (answer.left, answer.right):
            kinds = _compared_as(graph, value, catalogue)
            if not value.key:
                yield f"The calculation with {value.of!r} needs a property."
            elif answer.operator in SPANS and kinds and not kinds & {"date", "number", "other"}:
                yield f"The {answer.operator} to or from {_told(value)} need dates; {_holds(kinds)}."
            elif answer.operator not in SPANS and kinds and not kinds & {"number", "other"}:
                yield f"The calculation with {_told(value)} needs numbers; {_holds(kinds)}{_advice(kinds, 0)}."
    for condition in graph.conditions:
        if isinstance(condition.left, Aggregate):
            yield from _aggregate(graph, condition.left, catalogue)


def _aggregate(graph: QueryGraph, item: Aggregate, catalogue: Catalogue) -> Iterator[str]:
    what = f"The {item.function} of {_told(item.value)}"
    if item.function in ("count", "exists") or (item.function == "share" and item is graph.answer):
        return
    if item.function == "share":
        yield f"{what} can only be the answer."
        return
    kinds = _compared_as(graph, item.value, catalogue)
    if not item.value.key:
        yield f"{what} needs a property."
    elif kinds and item.function in ("sum", "average") and not kinds & {"number", "other"}:
        yield f"{what} needs numbers; {_holds(kinds)}{_advice(kinds, 0)}."
    elif kinds and not kinds - {"truth", "list"}:
        yield f"{what} needs values that have an order; {_holds(kinds)}."
