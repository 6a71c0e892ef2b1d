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
from itertools import combinations

from kgneo.query.catalogue import Catalogue, Key, Kind, Relation
from kgneo.query.graph import (
    ANY_DEPTH,
    MOST_STEPS,
    NAMED_FORMS,
    SPANS,
    TEXTUAL,
    Aggregate,
    Arithmetic,
    Condition,
    Edge,
    Expression,
    Form,
    Number,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Whole,
    aggregates_of,
    matched_values,
    values_of,
)
from kgneo.query.nearest import nearest
from kgneo.query.nested import nested
from kgneo.query.tree import Tree, place_of, tree_of

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
_FORMS: dict[str, tuple[frozenset[Kind], Kind]] = {
    "length": (frozenset({"text", "number", "date", "other"}), "number"),
    "number": (frozenset({"text", "number", "other"}), "number"),
    "seconds": (frozenset({"text", "other"}), "number"),
    "year": (frozenset({"text", "date", "other"}), "number"),
    **dict.fromkeys(("month", "weekday"), (frozenset[Kind]({"text", "date", "other"}), "text")),
    "date": (frozenset({"text", "date", "other"}), "date"),
    **dict.fromkeys(("day first", "month first"), (frozenset[Kind]({"text", "other"}), "date")),
}
"""Which kinds of values have a form, and what they are compared as."""
_DATE_FORMS = ("date", "day first", "month first")


def check(graph: QueryGraph, catalogue: Catalogue) -> tuple[str, ...]:
    """The problems of `graph` in words, each once, in the order in which they are best mended; empty where there are
    none."""
    problems = check_structure(graph)
    return problems or tuple(dict.fromkeys(p for part in _parts(nested(graph)) for p in _schema(part, catalogue)))


def check_structure(graph: QueryGraph) -> tuple[str, ...]:
    """The problems of `graph` in any schema: names that nothing has, parts that do not hang together, and what is
    measured of something that does not hang below its place."""
    problems = tuple(dict.fromkeys(_names(graph)))
    if problems:
        return problems
    parts = tuple(_parts(nested(graph)))
    joined = tuple(dict.fromkeys(_joined(graph, parts)))
    return joined or tuple(dict.fromkeys(problem for part in parts for problem in _structure(part)))


def _parts(graph: QueryGraph) -> Iterator[QueryGraph]:
    """A query graph and those that its numbers over all are asked of."""
    yield graph
    sides = [side for item in graph.every_condition() for side in (item.left, item.right)]
    for part in (graph.answer, *graph.columns, *sides, *(item.by for item in graph.selections)):
        for whole in _wholes(part):
            yield from _parts(whole.graph)


def _wholes(part: object) -> tuple[Whole, ...]:
    if isinstance(part, Arithmetic):
        return (*_wholes(part.left), *_wholes(part.right))
    return (part,) if isinstance(part, Whole) else ()


# Names within the query graph ----------------------------------------------------------------------------------------


def _names(graph: QueryGraph) -> Iterator[str]:
    if not _speaks(graph.answer):
        yield "The answer is a calculation over numbers alone: it needs a property or an aggregate."
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
    for name in (end for edge in graph.edges for end in (edge.subject, edge.object, *edge.avoiding)):
        if name not in variables:
            yield _unknown("variable", name, variables)
    yield from _spoken_of(graph, variables, edges)


def _spoken_of(graph: QueryGraph, variables: Sequence[str], edges: Sequence[str]) -> Iterator[str]:
    for name in (value.of for value in graph.values()):
        if name not in variables and name not in edges:
            yield _unknown("variable or edge", name, [*variables, *edges])
    for name in (*(selection.variable for selection in graph.selections), *graph.different):
        if name in edges:
            yield from _first_edge(graph, name)
        elif name not in variables:
            yield _unknown("variable", name, variables)


def _first_edge(graph: QueryGraph, name: str) -> Iterator[str]:
    """Of an edge, a selection keeps what comes first by a property of its own, and nothing else."""
    for item in (item for item in graph.selections if item.variable == name):
        own = isinstance(item.by, Value) and item.by.of == name and bool(item.by.key)
        if not own or (item.limit, item.offset) != (1, 0):
            yield (
                f"The selection at the edge {name!r} can only keep the first by a property of its own, with limit 1: "
                f"for more, order a variable at one of its ends."
            )
    if name in graph.different:
        yield f"{name!r} is an edge: only variables can be told to be different."


def _speaks(part: Expression) -> bool:
    """Whether a part speaks of anything of the graph."""
    return bool(values_of(part))


def _unknown(what: str, name: str, known: Iterable[str], of: str = "") -> str:
    other = nearest(name, known)
    hint = f" Did you mean {other!r}?" if other else ""
    return f"There is no {what} {name!r}{of}.{hint}"


# How its parts hang together -----------------------------------------------------------------------------------------


def _joined(graph: QueryGraph, parts: Sequence[QueryGraph]) -> Iterator[str]:
    """Variables that neither the answer nor a number over all of something reaches."""
    trees = [tree_of(part) for part in parts]
    reached = {name for tree in trees for name in tree.parents}
    loose = {name for tree in trees for name in tree.loose}
    for variable in graph.variables:
        if variable.name in loose or variable.name not in {*reached, *graph.avoided}:
            yield (
                f"The variable {variable.name!r} is not joined to {graph.root!r}, which is asked for, by any edge or "
                f"comparison."
            )


def _structure(graph: QueryGraph) -> Iterator[str]:
    tree = tree_of(graph)
    yield from _ways(graph)
    yield from _circles(graph, tree)
    yield from _absences(graph, tree)
    yield from _told_by_texts(graph, tree)
    yield from _optionals(graph, tree)
    yield from _measured_once(graph, tree)
    yield from _stages(graph, tree)


def _told_by_texts(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    """What texts say is asked of what is there, and must hold."""
    if any(item.operator == "about" for options in graph.alternatives for option in options for item in option):
        yield "One of the alternatives asks what a text is about: that stands among the conditions."
    for item in graph.about:
        if isinstance(item.left, Value) and _is_hidden(graph, tree, item.left.of):
            yield f"What {item.left.of!r} is about is asked behind an absent edge, where nothing says anything."


def _ways(graph: QueryGraph) -> Iterator[str]:
    """How many steps a way has, and what is said of it."""
    for edge in graph.edges:
        what = f"The edge from {edge.subject!r} to {edge.object!r}"
        least, most = edge.steps
        if edge.steps != ANY_DEPTH and not 1 <= least <= most <= MOST_STEPS:
            yield f"{what} has {least} to {most} steps: it needs 1 to {MOST_STEPS}, or [1, 0], which is any number."
        elif edge.is_way and (edge.absent or edge.optional):
            yield f"{what} has several steps: it can be neither absent nor optional."
        elif not edge.is_way and (edge.avoiding or edge.busiest):
            yield f"{what} is one relationship: only one of several steps can avoid something on the way."
        elif edge.busiest < 0:
            yield f"{what} allows {edge.busiest} relationships at nodes on the way: 0 is no bound."
    for name in graph.avoided:
        variable = graph.variable(name)
        spoken = any(value.of == name for value in graph.values()) or name in graph.different
        if spoken or not (variable.labels or variable.ids):
            yield f"The variable {name!r}, which a way avoids, is told by labels or ids, and by nothing else."
    for value in graph.values():
        edge_ = next((edge for edge in graph.edges if edge.name == value.of), None)
        if edge_ is not None and edge_.is_way and value.key:
            yield f"{value.of!r} may be several relationships, and has no property {value.key!r}; its length is known."
    if isinstance(graph.answer, Value) and graph.way is not None and (graph.columns or graph.selections):
        yield "Where ways are asked for, there are no columns beside them, and none are chosen by an order."


def _optionals(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    """What may be missing is behind one edge, and nothing is chosen there."""
    for edge in graph.edges:
        if not edge.optional:
            continue
        what = f"The optional edge from {edge.subject!r} to {edge.object!r}"
        if edge.absent or {edge.subject, edge.object} & tree.hidden:
            yield f"{what} is absent, too, or hangs behind an absent edge."
        if any(
            other is not edge and {other.subject, other.object} == {edge.subject, edge.object} for other in graph.edges
        ):
            yield f"{what} stands beside another edge between the two: give that a variable of its own."
    stages = [(item.variable, "selection") for item in graph.selections]
    stages += [(place_of(graph, tree, per.of), "test of an aggregate") for per in _tested(graph)]
    for name, what in stages:
        if name in tree.optional:
            yield f"There is a {what} at {name!r}, which is behind an optional edge: make what is before it the answer."


def _tested(graph: QueryGraph) -> list[Value]:
    """What the aggregates of conditions are measured for."""
    sides = [side for item in graph.every_condition() for side in (item.left, item.right)]
    return [item.per for side in sides for item in aggregates_of(side) if item.per is not None]


def _measured_once(graph: QueryGraph, tree: Tree) -> Iterator[str]:
    """Aggregates stand in tests of one thing for each of which they are measured, and not among alternatives."""
    for options in graph.alternatives:
        items = [item for option in options for item in option]
        if not items or not all(options):
            yield "One of the alternatives has no conditions."
        if any(aggregates_of(side) for item in items for side in (item.left, item.right)):
            yield "One of the alternatives tests an aggregate: that stands among the conditions."
        if any(
            _is_hidden(graph, tree, v.of) for item in items for side in (item.left, item.right) for v in values_of(side)
        ):
            yield "One of the alternatives speaks of what is behind an absent edge, where nothing is."


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
    parts: list[tuple[str, object]] = [("answer", item) for item in (graph.answer, *graph.columns)]
    parts += [("selection", selection.by) for selection in graph.selections]
    sides = [side for item in graph.conditions for side in (item.left, item.right)]
    parts += [("test of an aggregate", part) for side in sides for part in aggregates_of(side)]
    for what, part in parts:
        for value in values_of(part):
            if _is_hidden(graph, tree, value.of):
                yield f"The {what} speaks of {value.of!r}, which is behind an absent edge, where nothing is."
    for selection in graph.selections:
        if selection.variable in tree.hidden:
            yield f"There is a selection at {selection.variable!r}, which is behind an absent edge, where nothing is."
    spoken = [[value.of for side in (item.left, item.right) for value in values_of(side)] for item in graph.conditions]
    for names in (*spoken, *map(list, combinations(graph.different, 2))):
        hidden = {_behind(graph, tree, name) for name in names}
        if len(hidden - {None}) > 1:
            yield "A condition compares what is behind different absent edges."
        elif hidden - {None}:
            yield from _from_behind(graph, tree, names)


def _from_behind(graph: QueryGraph, tree: Tree, names: Sequence[str]) -> Iterator[str]:
    """Whether what is behind an absent edge is compared with what is surely there when that edge is looked for: nothing
    that may be missing, and nothing of which the first few are chosen apart from what is asked for."""
    chosen = {selection.variable for selection in graph.selections}
    for name in names:
        place = place_of(graph, tree, name)
        top = tree.top(place)
        apart = top != graph.root and not any(edge.other(top) == graph.root for edge in graph.edges_of(top))
        if place in tree.optional or (apart and chosen & tree.below(top)):
            yield f"What is behind an absent edge is compared with {name!r}, which may be missing, or is chosen apart."


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
        yield from _ordered(graph, tree, selection)
    for condition in graph.conditions:
        if aggregates_of(condition.left) or aggregates_of(condition.right):
            yield from _grouped(graph, tree, condition)
    closed = {selection.variable for selection in graph.selections}
    closed |= {per.of for per in _tested(graph)}
    for name in sorted(closed & {*tree.parents}):
        yield from _reached_into(graph, tree, name)


def _ordered(graph: QueryGraph, tree: Tree, selection: Selection) -> Iterator[str]:
    groups = {item.per for item in aggregates_of(selection.by) if item.per is not None}
    if any(edge.name == per.of for per in groups for edge in graph.edges):
        yield f"The selection at {selection.variable!r} orders groups by an edge's property: use `per` and `top`."
    elif len(groups) > 1 or any(per.of != selection.variable for per in groups):
        yield f"The selection at {selection.variable!r} orders by an aggregate that is measured for something else."
    elif selection.by is not None and _speaks(selection.by):
        key = next(iter(groups)).key if groups else ""
        yield from _outside(graph, tree, Value(selection.variable, key), (selection.by,), "selection")


def _grouped(graph: QueryGraph, tree: Tree, item: Condition) -> Iterator[str]:
    found = [*aggregates_of(item.left), *aggregates_of(item.right)]
    groups = dict.fromkeys(part.per for part in found)
    per = found[0].per
    if per is not None and any(edge.name == per.of for edge in graph.edges):
        yield (
            f"A test of groups is by a property of a variable, and {_told(per)} is an edge's: ask for the number for "
            f"each as the answer, with `per`, or for the most with `top`."
        )
        return
    if per is None or len(groups) > 1 or per.of not in tree.parents:
        yield (
            f"A test of the {found[0].function} of {found[0].value.of!r} must say per which variable, the same for all "
            f"that it compares; what is measured over all has a variable of its own, with no edge to the others."
        )
        return
    yield from _outside(graph, tree, per, (item.left, item.right), f"test of the {found[0].function}")


def _outside(graph: QueryGraph, tree: Tree, group: Value, parts: Sequence[object], what: str) -> Iterator[str]:
    """What is measured at a variable hangs below it; beside it, a test compares its own properties alone."""
    variable, below = group.of, tree.below(group.of)
    for part in parts:
        for item in aggregates_of(part):
            if item.value == Value(variable) and not group.key:
                yield (
                    f"The {what} at {variable!r} looks at {variable!r} itself: "
                    "it needs a property, or what hangs below."
                )
        for value in values_of(part):
            if not _ends(graph, value.of) <= below:
                yield f"The {what} at {variable!r} looks at {value.of!r}, which does not hang below {variable!r}."
    measured = any(aggregates_of(part) for part in parts)
    for value in (found for part in parts for found in _beside(part)):
        if measured and (value != group if group.key else value.of != variable):
            yield f"The {what} at {variable!r} compares an aggregate with {_told(value)}: there may be several of it."


def _beside(part: object) -> tuple[Value, ...]:
    """The values of a part that are in no aggregate."""
    return matched_values(part) if not isinstance(part, Aggregate) else ()


def _reached_into(graph: QueryGraph, tree: Tree, name: str) -> Iterator[str]:
    """What looks from outside at what hangs below a variable that has a selection or a test."""
    inside = tree.below(name) - {name}
    parts = [("condition", (*values_of(item.left), *values_of(item.right))) for item in graph.conditions]
    parts += [
        (
            "condition",
            tuple(v for option in options for item in option for v in (*values_of(item.left), *values_of(item.right))),
        )
        for options in graph.alternatives
    ]
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
    for condition in graph.every_condition():
        yield from _condition(graph, condition, catalogue)
    for selection in graph.selections:
        yield from _selection(graph, selection, catalogue)
    yield from _answer(graph, catalogue)


def _edge(graph: QueryGraph, edge: Edge, catalogue: Catalogue) -> Iterator[str]:
    if not edge.relations and not edge.is_way:
        yield f"The edge from {edge.subject!r} to {edge.object!r} has no relationship type."
    subject, object_ = graph.variable(edge.subject).labels, graph.variable(edge.object).labels
    for name in edge.relations:
        relation = catalogue.relation(name)
        if relation is None:
            yield _unknown("relationship type", name, [item.name for item in catalogue.relations])
        elif edge.is_way:
            yield from _ends_of_way(edge, relation, subject, object_)
        elif not relation.joins(subject, object_):
            back = relation.joins(object_, subject)
            if back and edge.directed:
                yield f"{name} leads from {_named(object_)} to {_named(subject)}: the edge must be turned round."
            elif not back:
                pairs = ", ".join(f"{start} to {end}" for start, end in relation.ends[:5])
                yield f"{name} does not join {_named(subject)} and {_named(object_)}; it leads from {pairs}."


def _ends_of_way(edge: Edge, relation: Relation, subject: Sequence[str], object_: Sequence[str]) -> Iterator[str]:
    """Of several types, each may be any part of a way; one type alone begins and ends it."""
    alone = len(edge.relations) == 1
    turned = ((object_, subject),) if not edge.directed else ()
    pairs = ((subject, object_), *turned)
    if alone and not any(relation.joins(one, ()) and relation.joins((), other) for one, other in pairs):
        known = ", ".join(f"{start} to {end}" for start, end in relation.ends[:5])
        yield (f"No way along {relation.name} leads from {_named(subject)} to {_named(object_)}; it joins {known}.")


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
    elif value.form and not value.key and not graph.is_distance(value):
        yield f"{value.of!r} without a property has no form {value.form!r}."
    elif value.key and value.form and not _as_form(_types(graph, value, catalogue), value.form):
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
    having, compared = _FORMS[form]
    return frozenset({compared}) if kinds & having else frozenset()


def _compared_as(graph: QueryGraph, value: Value, catalogue: Catalogue) -> frozenset[Kind]:
    if graph.is_distance(value):
        return frozenset({"number"})
    return _as_form(_types(graph, value, catalogue), value.form)


def _condition(graph: QueryGraph, condition: Condition, catalogue: Catalogue) -> Iterator[str]:
    left, right, operator = condition.left, condition.right, condition.operator
    what = f"The condition {_told(left)} {operator}"
    if operator == "about":
        yield from _about(graph, condition, what, catalogue)
        return
    for side in (left, right):
        yield from _fitting(graph, side, catalogue)
    if operator in ("present", "missing"):
        if right != () or not isinstance(left, Value):
            yield f"{what} is a test of a property, and compares it with nothing."
    elif not isinstance(right, tuple):
        yield from _both(graph, condition, right, what, catalogue)
    else:
        yield from _number_of_literals(condition, right, what)
        if any(isinstance(item, float) and not math.isfinite(item) for item in right):
            yield f"{what} compares with a number that is not finite."
        if isinstance(left, Value):
            yield from _literals(graph, condition, left, right, what, catalogue)
        elif operator in TEXTUAL or any(item.function == "exists" for item in aggregates_of(left)):
            yield f"{what} is no test that an aggregate or a calculation can have."
        elif isinstance(left, Aggregate) and left.function in ("minimum", "maximum") and not left.each:
            yield from _literals(graph, condition, left.value, right, what, catalogue)
        elif any(_kind(item) != "number" for item in right):
            yield f"{what} compares a number with {right!r}."


def _about(graph: QueryGraph, condition: Condition, what: str, catalogue: Catalogue) -> Iterator[str]:
    """What a text says is asked of a node by one text."""
    left, right = condition.left, condition.right
    nodes = {variable.name for variable in graph.variables}
    if not isinstance(left, Value) or left.of not in nodes or left.form:
        yield f"{what} is asked of what a node's texts say: it needs a variable, or one of its properties."
    elif left.key and not _types(graph, left, catalogue) & {"text", "other"}:
        yield f"{what} is asked of a text; {_holds(_types(graph, left, catalogue))}."
    if not (isinstance(right, tuple) and len(right) == 1 and isinstance(right[0], str) and right[0].strip()):
        yield f"{what} needs one text: what it is to say."


def _fitting(graph: QueryGraph, part: object, catalogue: Catalogue) -> Iterator[str]:
    """Whether what an expression is made of fits."""
    if isinstance(part, Arithmetic):
        yield from _calculation(graph, part, catalogue)
    elif isinstance(part, Aggregate):
        yield from _aggregate(graph, part, catalogue)


def _told(left: object) -> str:
    if isinstance(left, Whole):
        return _told(left.graph.answer)
    if isinstance(left, Aggregate):
        return f"{left.function}({_told(left.value)})"
    if isinstance(left, Arithmetic):
        return f"({_told(left.left)} {left.operator} {_told(left.right)})"
    if isinstance(left, Value):
        return f"{left.of}.{left.key}" if left.key else left.of
    return str(left)


def _number_of_literals(condition: Condition, right: tuple[Scalar, ...], what: str) -> Iterator[str]:
    if condition.operator == "between" and len(right) != 2:
        yield f"{what} needs two bounds, and has {len(right)}."
    elif condition.operator in ("=", "<>", *TEXTUAL) and not right:
        yield f"{what} compares with nothing."
    elif condition.operator not in ("=", "<>", "between", *TEXTUAL) and len(right) != 1:
        yield f"{what} needs one value to compare with, and has {len(right)}."


def _literals(
    graph: QueryGraph, condition: Condition, left: Value, right: tuple[Scalar, ...], what: str, catalogue: Catalogue
) -> Iterator[str]:
    if not left.key and not graph.is_distance(left):
        yield f"{what} compares a node with {right!r}: it needs a property, or another variable."
        return
    kinds = _compared_as(graph, left, catalogue)
    if condition.operator in TEXTUAL:
        if not kinds & {"text", "date", "number", "other"} or not all(isinstance(item, str) for item in right):
            yield f"{what} looks for a text in a text; {_holds(kinds)}."
        return
    if left.form == "list":
        if condition.operator not in ("=", "<>"):
            yield f"{what} compares the elements of a list, which can only be = or <>."
        return
    if left.form in NAMED_FORMS:
        yield from _by_name(left.form, condition, right, what)
        return
    if condition.operator not in ("=", "<>") and not kinds - {"truth", "list"}:
        yield f"{what} compares by size; {_holds(kinds)}."
    for item in right:
        if kinds and "other" not in kinds and not _fits(item, kinds, left.form):
            yield f"{what} compares with {item!r}; {_holds(kinds)}{_advice(kinds, item)}."


def _by_name(form: Form, condition: Condition, right: tuple[Scalar, ...], what: str) -> Iterator[str]:
    """Whether a date is compared with names of months, or of days of the week."""
    names = NAMED_FORMS[form]
    if condition.operator not in ("=", "<>"):
        yield f"{what} compares the {form} of a date, which can only be = or <>."
    for item in right:
        if item not in names:
            yield f"{what} compares with {item!r}, which is no {form}: these are {', '.join(names)}."


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


def _both(graph: QueryGraph, condition: Condition, right: Expression, what: str, catalogue: Catalogue) -> Iterator[str]:
    """A comparison of two expressions."""
    left, by_size = condition.left, condition.operator not in ("=", "<>")
    if condition.operator in ("between", *TEXTUAL):
        yield f"{what} needs values, and has {_told(right)}."
        return
    nodes = [isinstance(side, Value) and not side.key and not side.form for side in (left, right)]
    if nodes[0] != nodes[1]:
        yield f"{what} {_told(right)} compares a node with a property."
    elif nodes[0]:
        if by_size:
            yield f"{what} {_told(right)} compares two nodes by size."
    else:
        kinds, others = (_kinds(graph, side, catalogue) for side in (left, right))
        if kinds and others and not (kinds & others) and "other" not in kinds | others:
            yield f"{what} {_told(right)} compares {_WORDS[min(kinds)]} with {_WORDS[min(others)]}."
        elif kinds and by_size and not kinds - {"truth", "list"}:
            yield f"{what} {_told(right)} compares by size; {_holds(kinds)}."
        elif by_size and any(isinstance(side, Value) and side.form in NAMED_FORMS for side in (left, right)):
            yield f"{what} {_told(right)} compares months or weekdays by size: they can only be = or <>."


def _kinds(graph: QueryGraph, part: Expression, catalogue: Catalogue) -> frozenset[Kind]:
    """What an expression is compared as; empty where that is not known."""
    if isinstance(part, Whole):
        return _kinds(part.graph, part.graph.answer, catalogue)
    if isinstance(part, Value):
        return _compared_as(graph, part, catalogue)
    if isinstance(part, Aggregate) and part.function in ("minimum", "maximum") and not part.each:
        return _compared_as(graph, part.value, catalogue)
    return frozenset({"number"})


def _selection(graph: QueryGraph, selection: Selection, catalogue: Catalogue) -> Iterator[str]:
    what = f"The selection at {selection.variable!r}"
    if selection.limit < 1 or selection.offset < 0:
        yield f"{what} keeps {selection.limit} after {selection.offset}: the first must be at least 1, the other 0."
    by = selection.by
    yield from _fitting(graph, by, catalogue)
    if any(item.function == "exists" for item in aggregates_of(by)):
        yield f"{what} orders by whether there is something: it needs a number."
    elif isinstance(by, Value) and not by.key and not graph.is_distance(by):
        yield f"{what} orders by a node: it needs a property or an aggregate."
    elif isinstance(by, Value) and (kinds := _compared_as(graph, by, catalogue)) and not kinds - {"truth", "list"}:
        yield f"{what} orders by {_told(by)}; {_holds(kinds)}."
    elif isinstance(by, Value) and by.form in NAMED_FORMS:
        yield f"{what} orders by the name of a {by.form}: it needs the date, or a number for each {by.form}."


def _answer(graph: QueryGraph, catalogue: Catalogue) -> Iterator[str]:
    answer = graph.answer
    for part in (answer, *graph.columns):
        yield from _fitting(graph, part, catalogue)
    yield from _columns(graph)
    if isinstance(answer, Arithmetic) and values_of(answer) and aggregates_of(answer):
        yield "The answer calculates with an aggregate for each of something: put that into columns."
    if not isinstance(answer, Aggregate):
        return
    if answer.function == "exists" and answer.per is not None:
        yield "Whether something exists is asked once, not for each of something."
    if answer.top and (answer.per is None or not answer.per.key):
        yield "The first of groups are those by a property: `per` needs a key."
    if answer.function == "share" and (answer.per is not None or answer.value.key):
        yield "A share is one of nodes among all with their labels: no property, and not for each of something."


def _columns(graph: QueryGraph) -> Iterator[str]:
    """What can stand beside an answer."""
    answer = graph.answer
    alone = isinstance(answer, Aggregate) and answer.per is None
    if not graph.columns:
        return
    if isinstance(answer, Aggregate) and (answer.top or answer.each or answer.function in ("share", "exists")):
        yield f"No columns can stand beside a {answer.function} of this kind: ask for it alone."
    if not values_of(answer):
        yield "No columns can stand beside a calculation with numbers over all: ask for each of them in a column."
    for item in graph.columns:
        found = aggregates_of(item)
        if alone and not isinstance(item, Aggregate):
            yield f"Beside one number for all, the column {_told(item)} needs to be one, too: give the answer a `per`."
        if found and not isinstance(item, Aggregate):
            yield f"The column {_told(item)} calculates with an aggregate: it can only have the aggregate itself."
        if any(part.per or part.each or part.top or part.function in ("share", "exists") for part in found):
            yield f"The column {_told(item)} is measured for each answer: it has no `per`, `each` or `top`."


def _calculation(graph: QueryGraph, item: Arithmetic, catalogue: Catalogue) -> Iterator[str]:
    for side in (item.left, item.right):
        if isinstance(side, int | float):
            yield from _number(item, side)
            continue
        yield from _fitting(graph, side, catalogue)
        kinds = _kinds(graph, side, catalogue)
        if isinstance(side, Value) and not side.key and not graph.is_distance(side):
            yield f"The calculation with {side.of!r} needs a property."
        elif item.operator in SPANS and kinds and not kinds & {"date", "number", "other"}:
            yield f"The {item.operator} to or from {_told(side)} need dates; {_holds(kinds)}."
        elif item.operator not in SPANS and kinds and not kinds & {"number", "other"}:
            yield f"The calculation with {_told(side)} needs numbers; {_holds(kinds)}{_advice(kinds, 0)}."


def _number(item: Arithmetic, number: Number) -> Iterator[str]:
    if item.operator in SPANS:
        yield f"The {item.operator} are between two dates, and {number} is none: compare with a condition."
    elif not math.isfinite(number) or (number == 0 and item.operator in ("/", "%", "per cent")):
        yield f"The calculation {item.operator} cannot have the number {number}."


def _aggregate(graph: QueryGraph, item: Aggregate, catalogue: Catalogue) -> Iterator[str]:
    what = f"The {item.function} of {_told(item.value)}"
    if item.each is not None:
        if item.function not in ("sum", "average", "minimum", "maximum") or item.per or item.over or item.top:
            yield f"{what} is over the numbers for each {_told(item.each)}: no count, and no `per`, `over` or `top`."
        elif item is not graph.answer:
            yield f"{what} for each {_told(item.each)} is one number for all: give it variables of its own."
        return
    if item.function in ("count", "exists") or (item.function == "share" and item is graph.answer):
        return
    if item.function == "share":
        yield f"{what} can only be the answer."
        return
    kinds = _compared_as(graph, item.value, catalogue)
    if not item.value.key and not graph.is_distance(item.value):
        yield f"{what} needs a property."
    elif kinds and item.function in ("sum", "average") and not kinds & {"number", "other"}:
        yield f"{what} needs numbers; {_holds(kinds)}{_advice(kinds, 0)}."
    elif kinds and not kinds - {"truth", "list"}:
        yield f"{what} needs values that have an order; {_holds(kinds)}."
