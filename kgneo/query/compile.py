"""Compile: a query graph as one parametrised read query, and as the query that fetches its evidence.

Comes in: a query graph that was checked. Goes out: Cypher text and parameters. This is the only place that writes the
Cypher of an answer, so what is shown, what is run and what is explained are the same, and none of it can write: labels,
types and keys are quoted, everything else is a parameter.

Selections and tests of aggregates are stages of their own, those furthest from the answer first: each matches what
hangs below its variable, and leaves a list of nodes. The last stage matches what is left, with these lists in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgneo.query.graph import SPANS, Aggregate, Arithmetic, Condition, Edge, QueryGraph, Selection, Value, Variable
from kgneo.query.hidden import NOTHING, Hidden
from kgneo.query.quoting import plain

EXCLUDED = "excluded"
"""The parameter that has the labels of nodes that take no part."""
KEYS_ALL: Mapping[str, Sequence[str]] = {}
Named = Mapping[str, tuple[str, str, str]]
"""Nodes (by element id) that a label, a key and its value tell from all others."""
UNNAMED: Named = {}


@dataclass(frozen=True, slots=True)
class Compiled:
    """`text` gives the answers (columns: see `compile_query`); `picture` nodes and relationships of the matches behind
    them, for Neo4j Browser to draw; `evidence` these matches as columns `answer` (element id of the root) and `walks`:
    of each match the element ids of relationships and of nodes, in the order of `edges` and `nodes`. All take
    `parameters` and `limit`; `evidence` also `walks` (matches of each answer) and, where it `is_bounded` by what was
    answered, `answers`: a map with the element ids as `ids`."""

    text: str
    parameters: Mapping[str, Any]
    picture: str
    evidence: str
    edges: tuple[str, ...]
    nodes: tuple[str, ...]
    is_bounded: bool


def compile_query(
    graph: QueryGraph,
    *,
    keys: Mapping[str, Sequence[str]] = KEYS_ALL,
    hidden: Hidden = NOTHING,
    named: Named = UNNAMED,
) -> Compiled:
    """The query of `graph`. `keys` are the properties of a label's nodes that are wanted with an answer that is a node
    ("" has those of nodes of any label); nodes with a label that is `hidden` take no part, and hidden properties have
    no value; given nodes are told by what they are `named` instead of by their ids.

    Columns: for nodes `id`, `labels`, `properties` and `walks`, the number of matches, most first; for values `value`
    and `walks`; for an aggregate `value`, with `per` before it where there is one (its node's `id`, `labels` and
    `properties`, or the value). Nodes and values take the parameter `limit`.
    """
    return _Compiler(graph.renamed(), keys, hidden, named).compiled()


def parameters_to_show(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without the labels that are left out: whoever asks is not to know them."""
    return {name: value for name, value in parameters.items() if name != EXCLUDED}


@dataclass
class _Compiler:
    graph: QueryGraph
    keys: Mapping[str, Sequence[str]]
    hidden: Hidden
    named: Named
    parameters: dict[str, Any] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)

    def compiled(self) -> Compiled:
        self.tree = _Tree(self.graph)
        self.names = {edge.name or f"r{number}": edge for number, edge in enumerate(self.graph.edges)}
        self.name_of = {edge: name for name, edge in self.names.items()}
        if self.hidden.nodes:
            self.parameters[EXCLUDED] = list(self.hidden.nodes)
        below = self._asks_below()
        stages, top = self._stages(all_lists=below)
        main = _joined([*stages, *self._last(top, below=below)])
        stages, collapsed = self._stages(all_lists=True)
        edges = tuple(self.name_of[edge] for edge in self.tree.present)
        nodes = tuple(self.tree.order)
        return Compiled(
            "\n".join(main),
            dict(self.parameters),
            "\n".join(_joined([*stages, *self._picture(collapsed)])),
            "\n".join(_joined([*stages, *self._evidence(collapsed)])),
            edges,
            nodes,
            self._gives_nodes(),
        )

    def _gives_nodes(self) -> bool:
        """Whether each answer is, or stands by, one node that the root can be."""
        answer = self.graph.answer
        of = answer if isinstance(answer, Value) else answer.per if isinstance(answer, Aggregate) else None
        return of is not None and not of.key and of.of == self.graph.root

    # Stages ------------------------------------------------------------------------------------------------------

    def _stages(self, *, all_lists: bool) -> tuple[list[str], list[str]]:
        """The text of all stages before the last, and the variables that they leave as lists: `all_lists`, or those
        that hang below no other."""
        lines: list[str] = []
        collapsed: list[str] = []
        for variable in reversed(self.tree.order):
            tests = [item for item in self.graph.conditions if self._per(item.left) == variable]
            selections = [item for item in self.graph.selections if item.variable == variable]
            if tests or selections:
                below = self._topmost(collapsed, variable)
                if not all_lists:
                    collapsed = [name for name in collapsed if name not in below]
                lines += self._stage(variable, tests, selections, collapsed, below)
                collapsed.append(variable)
        return lines, collapsed

    def _topmost(self, collapsed: Sequence[str], top: str = "") -> list[str]:
        """Those of the variables below `top` that hang below no other of them."""
        below = [name for name in collapsed if name in self.tree.below(top or self.graph.root)]
        hidden = {name for other in below for name in self.tree.below(other) if name != other}
        return [name for name in below if name not in hidden]

    def _per(self, left: Value | Aggregate) -> str:
        return left.per.of if isinstance(left, Aggregate) and left.per is not None else ""

    def _stage(
        self,
        variable: str,
        tests: Sequence[Condition],
        selections: Sequence[Selection],
        carried: Sequence[str],
        below: Sequence[str],
    ) -> list[str]:
        """Match what hangs below `variable`, measure it for each of its nodes, and keep those that pass."""
        lists = [_list(name) for name in carried]
        lines = [f"UNWIND {_list(name)} AS {name}" for name in below]
        lines += self._match(self.tree.below(variable), below, carried=())
        measures = [self._measure(item.left) for item in tests]
        measures += [self._measure(item.by, descending=item.descending) for item in selections]
        names = [f"m{number}" for number in range(len(measures))]
        ordered = names[len(tests) :]
        kept = [self._compare(name, item) for name, item in zip(names, tests, strict=False)]
        measured = [f"{text} AS {name}" for text, name in zip(measures, names, strict=True)]
        lines.append(f"WITH {', '.join([*lists, variable, *measured])}{'' if ordered else _where(kept)}")
        for number, (name, item) in enumerate(zip(ordered, selections, strict=True)):
            there = _where([*([] if number else kept), f"{name} IS NOT NULL"])
            lines.append(f"ORDER BY {name}{' DESC' if item.descending else ''}{there}")
            lines += self._select(variable, name, item, lists, ordered)
        lines.append(f"WITH {', '.join([*lists, f'collect({variable}) AS {_list(variable)}'])}")
        return lines

    def _select(
        self, variable: str, name: str, item: Selection, lists: Sequence[str], ordered: Sequence[str]
    ) -> list[str]:
        row = ", ".join([variable, *ordered])
        lines = [f"WITH {', '.join([*lists, f'collect([{row}]) AS ranked'])}"]
        column = ordered.index(name) + 1
        if (item.offset, item.limit) == (0, 1):
            lines.append(f"UNWIND [row IN ranked WHERE row[{column}] = ranked[0][{column}]] AS kept")
        else:
            first, last = self._parameter(item.offset), self._parameter(item.offset + item.limit)
            tied = [f"ranked[place][{column}] = ranked[{one}][{column}]" for one in (first, f"{last} - 1")]
            lines += [
                f"UNWIND [place IN range(0, size(ranked) - 1) WHERE (place >= {first} OR {tied[0]})",
                f"  AND (place < {last} OR {tied[1]}) | ranked[place]] AS kept",
            ]
        unpacked = [f"kept[{number}] AS {part}" for number, part in enumerate([variable, *ordered])]
        return [*lines, f"WITH {', '.join([*lists, *unpacked])}"]

    def _measure(self, by: Value | Aggregate, *, descending: bool = False) -> str:
        """What a node is ranked or tested by."""
        if isinstance(by, Aggregate):
            return self._aggregate(by)
        return f"{'max' if descending else 'min'}({self._value(by)})"

    def _aggregate(self, item: Aggregate) -> str:
        """A function over different nodes (or relationships), or over what these have as a property."""
        of, value = item.value.of, self._value(item.value)
        if item.function == "exists":
            return "count(*) > 0"
        if item.function == "count":
            return f"count(DISTINCT {value})"
        if item.function in ("minimum", "maximum"):
            return f"{item.function[:3]}({value})"
        different = f"collect(DISTINCT {of})"
        if item.over is not None:
            different = f"[pair IN collect(DISTINCT [{item.over.of}, {of}]) | pair[1]]"
        owners = f"[owner IN {different} WHERE {self._value(item.value, of='owner')} IS NOT NULL]"
        total = f"reduce(total = 0.0, owner IN {owners} | total + {self._value(item.value, of='owner')})"
        if item.function == "sum":
            return total
        return f"CASE size({owners}) WHEN 0 THEN null ELSE {total} / size({owners}) END"

    # The last stage ----------------------------------------------------------------------------------------------

    def _last(self, collapsed: Sequence[str], *, below: bool) -> list[str]:
        """`below`: with what hangs below the variables that the stages selected."""
        root = self.graph.root
        answer = self.graph.answer
        if below:
            lines = self._anew(collapsed)
        else:
            lines = [f"UNWIND {_list(name)} AS {name}" for name in collapsed]
            lines += self._match(self.tree.order, collapsed, carried=())
        if isinstance(answer, Arithmetic):
            return [*lines, f"WITH {self._calculated(answer)} AS value, count(*) AS walks", *_VALUES]
        if isinstance(answer, Value) and not answer.key and answer.of == root:
            if root in collapsed:  # in the order of the selection
                return [*lines, self._nodes(root, "1 AS walks"), "LIMIT $limit"]
            return [*lines, self._nodes(root), "ORDER BY walks DESC, id", "LIMIT $limit"]
        if isinstance(answer, Value):
            return [*lines, f"WITH {self._raw(answer)} AS value, count(*) AS walks", *_VALUES]
        if answer.function == "share":
            return [*lines, *self._share(root)]
        if answer.per is None:
            return [*lines, f"RETURN {self._aggregate(answer)} AS value"]
        measured = f"{self._aggregate(answer)} AS value"
        if answer.per.key and answer.top:
            return [*lines, f"WITH {self._raw(answer.per)} AS per, {measured}", *self._first_groups(answer.top)]
        if answer.per.key:
            return [*lines, f"WITH {self._raw(answer.per)} AS per, {measured}", *_GROUPS]
        return [*lines, f"{self._nodes(answer.per.of, measured)}", "ORDER BY value DESC, id", "LIMIT $limit"]

    def _asks_below(self) -> bool:
        """Whether something is asked for of what hangs below a variable that a stage selects: of a relationship, or of
        the other thing of a difference."""
        answer = self.graph.answer
        asked = (answer.left, answer.right) if isinstance(answer, Arithmetic) else (answer,)
        top = self._topmost([name for name in self.tree.order if self._has_stage(name)])
        gone = {name for done in top for name in self.tree.below(done)}
        for part in asked:
            of = part.value.of if isinstance(part, Aggregate) else part.of
            edge = self.names.get(of)
            if {edge.subject, edge.object} <= gone if edge is not None else of in gone - {*top}:
                return True
        return False

    def _has_stage(self, variable: str) -> bool:
        tested = any(self._per(item.left) == variable for item in self.graph.conditions)
        return tested or any(item.variable == variable for item in self.graph.selections)

    def _first_groups(self, top: int) -> list[str]:
        """The groups with the greatest or the least numbers, as values."""
        number = self._parameter(abs(top))
        last = f"groups[CASE WHEN size(groups) < {number} THEN size(groups) ELSE {number} END - 1][1]"
        return [
            "WHERE per IS NOT NULL AND value IS NOT NULL",
            f"WITH per, value ORDER BY value{' DESC' if top > 0 else ''}",
            "WITH collect([per, value]) AS groups",
            f"UNWIND [group IN groups WHERE group[1] {'>=' if top > 0 else '<='} {last}] AS kept",
            f"RETURN kept[0] AS value, kept[1] AS measure ORDER BY measure{' DESC' if top > 0 else ''}, value",
            "LIMIT $limit",
        ]

    def _share(self, root: str) -> list[str]:
        """What per cent of all nodes with the root's labels were matched; null where there are none."""
        labels = "".join(f":{plain(label)}" for label in self.graph.variable(root).labels)
        tests = f" WHERE {_is_visible('every')}" if self.hidden.nodes else ""
        return [
            f"WITH count(DISTINCT {root}) AS part",
            f"WITH part, COUNT {{ MATCH (every{labels}){tests} }} AS whole",
            "RETURN CASE whole WHEN 0 THEN null ELSE 100.0 * part / whole END AS value",
        ]

    def _nodes(self, variable: str, measured: str = "count(*) AS walks") -> str:
        labels = self.graph.variable(variable).labels
        keys = [key for label in labels for key in self.keys.get(label, ())] or list(self.keys.get("", ()))
        wanted = ", ".join(f".{plain(key)}" for key in dict.fromkeys(keys)) or ".*"
        return (
            f"RETURN elementId({variable}) AS id, labels({variable}) AS labels, "
            f"{variable} {{{wanted}}} AS properties, {measured}"
        )

    def _calculated(self, item: Arithmetic) -> str:
        left, right = self._value(item.left), self._value(item.right)
        if item.operator in SPANS:
            whole = _time if item.operator == "hours" else _date
            dates = ", ".join(whole(self._value(value) if value.form.endswith("first") else self._raw(value))
                              for value in (item.right, item.left))  # fmt: skip
            return _SPANS[item.operator].format(dates)
        if item.operator == "difference":
            return f"abs({left} - {right})"
        if item.operator == "per cent":
            return f"100.0 * {left} / {right}"
        return f"{left} {item.operator} {right}" if item.operator != "/" else f"1.0 * {left} / {right}"

    def _evidence(self, collapsed: Sequence[str]) -> list[str]:
        """The matches as ids, those of some answers."""
        root = self.graph.root
        edges = ", ".join(f"elementId({self.name_of[edge]})" for edge in self.tree.present)
        nodes = ", ".join(f"elementId({name})" for name in self.tree.order)
        return [
            *self._anew(collapsed, bounded=root if self._gives_nodes() else ""),
            f"WITH {root}, collect(DISTINCT [[{edges}], [{nodes}]])[..$walks] AS walks",
            f"RETURN elementId({root}) AS answer, walks",
            "LIMIT $limit",
        ]

    def _picture(self, collapsed: Sequence[str]) -> list[str]:
        """The same, as nodes and relationships."""
        shown = [*self.tree.order, *(self.name_of[edge] for edge in self.tree.present)]
        return [*self._anew(collapsed), f"RETURN {', '.join(shown)}", "LIMIT $limit"]

    def _anew(self, collapsed: Sequence[str], *, bounded: str = "") -> list[str]:
        """All of the tree matched anew, with the lists that the stages left as bounds: what each stage matched on its
        own again on its own, since no relationship is twice in one match."""
        lines = [f"UNWIND {_list(name)} AS {name}" for name in collapsed]
        for name in collapsed:
            inner = self._topmost([other for other in collapsed if other != name], name)
            lines += self._match(self.tree.below(name), inner, carried=collapsed)
        return [*lines, *self._match(self.tree.order, self._topmost(collapsed), carried=collapsed, bounded=bounded)]

    # Patterns and tests ------------------------------------------------------------------------------------------

    def _match(
        self, variables: Iterable[str], collapsed: Sequence[str], *, carried: Sequence[str], bounded: str = ""
    ) -> list[str]:
        """MATCH and WHERE for the variables, without what hangs below those that are `collapsed`; nothing where all
        is. `carried` ones have been bound, too, but what hangs below them is matched again."""
        gone = {name for done in collapsed for name in self.tree.below(done)}
        there = [name for name in variables if name not in gone or name in collapsed]
        bound = {*collapsed, *carried}
        edges = [
            edge
            for edge in self.tree.present
            if edge.subject in there and edge.object in there and not (edge.subject in gone and edge.object in gone)
        ]
        alone = [name for name in there if name not in bound and not any(name in (e.subject, e.object) for e in edges)]
        patterns = [*self._patterns(edges, set(bound)), *(self._node(name) for name in alone)]
        tests = [test for name in there if name not in collapsed for test in self._tests_of(name)]
        named = {*there, *(self.name_of[edge] for edge in edges)}
        sides = [(item, self._sides(item)) for item in self.graph.conditions]
        tests += [self._test(item) for item, names in sides if names and names <= named and not names <= {*collapsed}]
        for edge in self.tree.absent:
            ends = {edge.subject, edge.object} & {*self.tree.order}
            if ends <= {*there} and not ends <= {*collapsed}:
                tests.append(self._absence(edge))
        if bounded:
            # In a map, since the server plans anew for every order of magnitude of a list's length.
            tests.append(f"elementId({bounded}) IN $answers.ids")
        if not patterns:
            return [f"WITH * WHERE {' AND '.join(tests)}"] if tests else []
        where = [f"WHERE {' AND '.join(tests)}"] if tests else []
        return [f"MATCH {', '.join(patterns)}", *where]

    def _patterns(self, edges: Sequence[Edge], bound: set[str]) -> list[str]:
        """The edges as chains, each as long as it goes on without turning back."""
        left = list(edges)
        texts: list[str] = []
        named: set[str] = set(bound)
        while left:
            edge = left.pop(0)
            at = edge.subject if self.tree.depth(edge.subject) <= self.tree.depth(edge.object) else edge.object
            text = self._once(at, named)
            while True:
                text += self._arrow(edge, at) + self._once(edge.other(at), named)
                at = edge.other(at)
                following = [other for other in left if at in (other.subject, other.object)]
                if not following:
                    break
                edge = following[0]
                left.remove(edge)
            texts.append(text)
        return texts

    def _once(self, name: str, named: set[str]) -> str:
        """A node with its labels where it stands first."""
        if name in named:
            return f"({name})"
        named.add(name)
        return self._node(name)

    def _node(self, name: str) -> str:
        variable = self.graph.variable(name)
        labels = dict.fromkeys([*variable.labels, *(label for label, _ in self._identity(variable))])
        return f"({name}{''.join(f':{plain(label)}' for label in labels)})"

    def _identity(self, variable: Variable) -> dict[tuple[str, str], list[str]]:
        """Label and key that tell the nodes which a variable can be, with their values; nothing where there is no
        one such pair for all."""
        known: dict[tuple[str, str], list[str]] = {}
        for id_ in variable.ids:
            label, key, value = self.named.get(id_, ("", "", ""))
            known.setdefault((label, key), []).append(value)
        return known if len(known) == 1 and ("", "") not in known else {}

    def _arrow(self, edge: Edge, start: str) -> str:
        shown = self.hidden.relations
        types = [plain(relation) for relation in edge.relations if shown is None or relation in shown]
        inner = f"[{self.name_of[edge]}:{'|'.join(types) or '!%'}]"
        if not edge.directed:
            return f"-{inner}-"
        return f"-{inner}->" if edge.subject == start else f"<-{inner}-"

    def _tests_of(self, name: str) -> list[str]:
        variable = self.graph.variable(name)
        tests = []
        for (_, key), values in self._identity(variable).items():
            test = f"= {self._parameter(values[0])}" if len(values) == 1 else f"IN {self._parameter(values)}"
            tests.append(f"{self._property(name, key)} {test}")
        if variable.ids and not tests:
            tests.append(f"elementId({name}) IN {self._parameter(list(variable.ids))}")
        if self.hidden.nodes:
            tests.append(_is_visible(name))
        return tests

    def _sides(self, item: Condition) -> set[str]:
        """The variables and edges whose values a condition compares; none where it is a test of an aggregate."""
        if not isinstance(item.left, Value):
            if item.left.per is None:
                raise ValueError("A condition on an aggregate says for what it is measured.")
            return set()
        return {item.left.of, item.right.of} if isinstance(item.right, Value) else {item.left.of}

    def _test(self, item: Condition) -> str:
        assert isinstance(item.left, Value)
        return self._compare(self._value(item.left), item)

    def _compare(self, left: str, item: Condition) -> str:
        form = item.left.form if isinstance(item.left, Value) else ""
        if item.operator in ("present", "missing"):
            return f"{left} IS {'NOT ' if item.operator == 'present' else ''}NULL"
        if isinstance(item.right, Value):
            return f"{left} {item.operator} {self._value(item.right)}"
        return _COMPARISONS.get(form, _compare_plain)(left, item, self._parameter)

    def _absence(self, edge: Edge) -> str:
        """That what hangs below an absent edge is not there."""
        start = self.tree.parent(edge)
        inside = self.tree.behind(edge)
        edges = [edge, *(other for other in self.graph.edges if other.subject in inside and other.object in inside)]
        patterns = self._patterns(edges, {start})
        tests = [test for name in inside for test in self._tests_of(name)]
        named = {*inside, *(self.name_of[other] for other in edges)}
        tests += [self._test(item) for item in self.graph.conditions if self._sides(item) & named]
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"NOT EXISTS {{ MATCH {', '.join(patterns)}{where} }}"

    def _raw(self, value: Value) -> str:
        """A value as the graph has it."""
        return self._property(value.of, value.key) if value.key else value.of

    def _value(self, value: Value, of: str = "") -> str:
        """A value as it is compared."""
        if not value.key:
            return of or value.of
        return _FORMS[value.form](self._property(value.of, value.key, called=of))

    def _property(self, of: str, key: str, *, called: str = "") -> str:
        """A property of a variable or an edge, which is `called` otherwise here; null where it is hidden."""
        if key in self.hidden.keys:
            return "null"
        name = called or of
        text = f"{name}.{plain(key)}"
        owners = [owner for owner in self.hidden.owners(key) if owner not in self.hidden.labels]
        edge = self.names.get(of)
        if edge is not None:
            owners = [owner for owner in owners if owner in edge.relations]
        if not owners:
            return text
        others = self._parameter(owners)
        test = f"type({name}) IN {others}" if edge else f"any(label IN labels({name}) WHERE label IN {others})"
        return f"CASE WHEN {test} THEN null ELSE {text} END"

    def _parameter(self, value: Any) -> str:
        name = self._known.setdefault(repr(value), f"p{len(self._known)}")
        self.parameters[name] = value
        return f"${name}"


def _is_visible(name: str) -> str:
    return f"none(label IN labels({name}) WHERE label IN ${EXCLUDED})"


def _where(tests: Sequence[str]) -> str:
    return f"\nWHERE {' AND '.join(tests)}"


_VALUES = ("WHERE value IS NOT NULL", "RETURN value, walks", "ORDER BY walks DESC, value", "LIMIT $limit")
_GROUPS = ("WHERE per IS NOT NULL", "RETURN per, value", "ORDER BY value DESC, per", "LIMIT $limit")


def _list(variable: str) -> str:
    return f"{variable}s"


def _joined(lines: Sequence[str]) -> list[str]:
    """The lines without a list that is taken apart as soon as it was made."""
    kept: list[str] = []
    for number, line in enumerate(lines):
        made = re.fullmatch(r"WITH collect\((x\d+)\) AS x\d+s", kept[-1]) if kept else None
        used = made and any(re.search(rf"\b{_list(made[1])}\b", later) for later in lines[number + 1 :])
        if made and not used and line == f"UNWIND {_list(made[1])} AS {made[1]}":
            kept.pop()
        else:
            kept.append(line)
    return kept


def _number(text: str) -> str:
    return f"toFloatOrNull(replace(toStringOrNull({text}), ',', ''))"


def _date(text: str) -> str:
    """A value that is a date or begins with one, as far as it goes, as a date; null for all else."""
    begins = "'-?[0-9]{4}(-[0-9]{2}(-[0-9]{2}.*)?)?'"
    return f"[part IN [toStringOrNull({text})] | CASE WHEN part =~ {begins} THEN date(left(part, 10)) END][0]"


def _time(text: str) -> str:
    """A value that is a date or a time on one, as a time; null for all else."""
    begins = "'-?[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?'"
    whole = "datetime(part + CASE WHEN size(part) < 12 THEN 'T00:00' ELSE '' END)"
    return f"[part IN [toStringOrNull({text})] | CASE WHEN part =~ {begins} THEN {whole} END][0]"


_SPANS = {
    "years": "duration.between({}).years",
    "months": "duration.inMonths({}).months",
    "days": "duration.inDays({}).days",
    "hours": "duration.inSeconds({}).seconds / 3600.0",
}


def _turned(text: str, *places: int) -> str:
    """A date text whose year, month and day stand at `places`, as year-month-day."""
    pieces = f"split(replace(replace(toStringOrNull({text}), '.', '/'), '-', '/'), '/')"
    year, month, day = (f"part[{place}]" for place in places)
    date = f"right('000' + {year}, 4) + '-' + right('0' + {month}, 2) + '-' + right('0' + {day}, 2)"
    return f"[part IN [{pieces}] | {date}][0]"


_FORMS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "list": str,
    "number": _number,
    "date": lambda text: f"toStringOrNull({text})",
    "year": lambda text: f"toIntegerOrNull(left(toStringOrNull({text}), 4))",
    "day first": lambda text: _turned(text, 2, 1, 0),
    "month first": lambda text: _turned(text, 2, 0, 1),
}

Parameter = Callable[[Any], str]


def _compare_plain(left: str, item: Condition, parameter: Parameter) -> str:
    values = list(item.right) if isinstance(item.right, tuple) else []
    if item.operator == "contains":
        return f"toLower(toStringOrNull({left})) CONTAINS toLower({parameter(values[0])})"
    if item.operator == "between":
        return f"{parameter(values[0])} <= {left} <= {parameter(values[-1])}"
    if item.operator in ("=", "<>") and len(values) != 1:
        return f"{'NOT ' if item.operator == '<>' else ''}{left} IN {parameter(values)}"
    return f"{left} {item.operator} {parameter(values[0])}"


def _compare_list(left: str, item: Condition, parameter: Parameter) -> str:
    values = parameter(list(item.right) if isinstance(item.right, tuple) else [])
    if item.operator not in ("=", "<>"):
        raise ValueError(f"The elements of a list cannot be compared by {item.operator!r}.")
    test = f"any(element IN {left} WHERE element IN {values})"
    return test if item.operator == "=" else f"NOT {test}"


def _compare_date(left: str, item: Condition, parameter: Parameter) -> str:
    """As far as a literal says: with "2017", every day of that year is equal to it."""
    values = list(item.right) if isinstance(item.right, tuple) else []
    if item.operator == "contains":
        return _compare_plain(left, item, parameter)

    def one(operator: str, value: Any) -> str:
        return f"left({left}, {parameter(len(str(value)))}) {operator} {parameter(str(value))}"

    if item.operator == "between":
        return f"{one('>=', values[0])} AND {one('<=', values[-1])}"
    tests = [one(item.operator, value) for value in values]
    together = (" AND " if item.operator == "<>" else " OR ").join(tests)
    return f"({together})" if len(tests) > 1 else together


_COMPARISONS: Mapping[str, Callable[[str, Condition, Parameter], str]] = {
    "list": _compare_list,
    "date": _compare_date,
    "day first": _compare_date,
    "month first": _compare_date,
}


class _Tree:
    """The variables of a query graph as a tree that begins at the root; what is behind absent edges stands apart."""

    def __init__(self, graph: QueryGraph) -> None:
        self._parents: dict[str, str] = {graph.root: ""}
        self.order: list[str] = [graph.root]
        self.absent = [edge for edge in graph.edges if edge.absent]
        self._behind: dict[Edge, list[str]] = {}
        present = [edge for edge in graph.edges if not edge.absent]
        self._grow(self.order, present, self._parents)
        for edge in self.absent:
            self._behind[edge] = self._hidden(edge, present)
        hidden = {name for names in self._behind.values() for name in names}
        self.present = [edge for edge in present if edge.subject not in hidden]
        for variable in graph.variables:
            if variable.name not in self._parents and variable.name not in hidden:
                self._parents[variable.name] = graph.root  # joined by a condition alone
                self.order.append(variable.name)
                self._grow(self.order, present, self._parents)

    def _grow(self, order: list[str], edges: Sequence[Edge], parents: dict[str, str]) -> None:
        """Breadth first, so that the tree is as shallow as it can be."""
        for name in order:
            for edge in edges:
                if name in (edge.subject, edge.object) and edge.other(name) not in parents:
                    parents[edge.other(name)] = name
                    order.append(edge.other(name))

    def _hidden(self, edge: Edge, present: Sequence[Edge]) -> list[str]:
        far = edge.object if edge.subject in self._parents else edge.subject
        if far in self._parents:
            return []
        order = [far]
        self._grow(order, present, {far: "", **self._parents})
        return order

    def parent(self, edge: Edge) -> str:
        """The end of an absent edge that is in the tree."""
        return edge.subject if edge.subject in self._parents else edge.object

    def behind(self, edge: Edge) -> list[str]:
        """The variables behind an absent edge."""
        return self._behind[edge]

    def depth(self, name: str) -> int:
        """Steps from the root."""
        return self.order.index(name) if name in self.order else len(self.order)

    def below(self, name: str) -> list[str]:
        """The variable and all that hang below it."""
        return [other for other in self.order if self._is_below(other, name)]

    def _is_below(self, name: str, top: str) -> bool:
        while name and name != top:
            name = self._parents[name]
        return name == top
