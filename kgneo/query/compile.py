"""Compile: a query graph as one parametrised read query, and as the query that fetches its evidence.

Comes in: a query graph that was checked. Goes out: Cypher text and parameters. This is the only place that writes the
Cypher of an answer, so what is shown, what is run and what is explained are the same, and none of it can write: labels,
types and keys are quoted, everything else is a parameter.

Selections and tests of aggregates are stages of their own, those furthest from the answer first: each matches what
hangs below its variable, and leaves a list of nodes. The last stage matches what is left, with these lists in place.
Numbers over all of something else are subqueries that stand before all stages, and what may be missing is matched after
what must be there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kgneo.query.graph import (
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
    Selection,
    Value,
    Variable,
    Whole,
    aggregates_of,
    matched_values,
    values_of,
)
from kgneo.query.hidden import NOTHING, Hidden
from kgneo.query.nested import compares_wholes, nested
from kgneo.query.quoting import plain
from kgneo.query.told import NONE_TOLD, Told, stored

MOST_WAYS = 2_000
"""Shortest ways between two ends that are compared with one another."""
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
    told: Told = NONE_TOLD,
) -> Compiled:
    """The query of `graph`. `keys` are the properties of a label's nodes that are wanted with an answer that is a node
    ("" has those of nodes of any label); nodes with a label that is `hidden` take no part, and hidden properties have
    no value; given nodes are told by what they are `named` instead of by their ids; of relationship types that are
    `told`, the property is tested that tells them.

    Columns: for nodes `id`, `labels`, `properties` and `walks`, the number of matches, most first; for values `value`
    and `walks`; for an aggregate `value`, with `per` before it where there is one (its node's `id`, `labels` and
    `properties`, or the value). What stands beside an answer is in the columns `c0`, `c1`, … (nodes as maps). Nodes and
    values take the parameter `limit`.
    """
    graph = graph.renamed()
    edges = tuple(replace(edge, name=edge.name or f"r{number}") for number, edge in enumerate(graph.edges))
    return _Compiler(nested(replace(graph, edges=edges)), keys, hidden, named, told).compiled()


def parameters_to_show(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters without the labels that are left out: whoever asks is not to know them."""
    return {name: value for name, value in parameters.items() if name != EXCLUDED}


@dataclass
class _Compiler:
    graph: QueryGraph
    keys: Mapping[str, Sequence[str]]
    hidden: Hidden
    named: Named
    told: Told
    parameters: dict[str, Any] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)
    _wholes: dict[Whole, str] = field(default_factory=dict)
    _measured: dict[Expression, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.root = self.graph.root
        self.tree = _Tree(self.graph)
        self.names = {edge.name: edge for edge in self.graph.edges}
        self.name_of = {edge: name for name, edge in self.names.items()}
        self.ways = [edge for edge in self.tree.present if edge.is_way]
        if self.hidden.nodes:
            self.parameters[EXCLUDED] = list(self.hidden.nodes)
        sides = [side for item in self.graph.every_condition() for side in (item.left, item.right)]
        orders = [item.by for item in self.graph.selections]
        for whole in (
            found for part in (self.graph.answer, *self.graph.columns, *sides, *orders) for found in _wholes_of(part)
        ):
            self._wholes.setdefault(whole, f"{self.root}a{len(self._wholes)}")

    def compiled(self) -> Compiled:
        main = self._main()
        stages, collapsed = self._stages(all_lists=True)
        stages = [*self._over_all(), *stages]
        edges = tuple(self.name_of[edge] for edge in self.tree.present if not edge.is_way)
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

    def _main(self) -> list[str]:
        """The query for the answers; numbers over all that are the whole answer look at no match."""
        if self._is_told() or (isinstance(self.graph.answer, Arithmetic) and not values_of(self.graph.answer)):
            return [*self._over_all(), *self._last([], below=False)]
        below = self._asks_below()
        stages, top = self._stages(all_lists=below or self._has_groups())
        last = self._last(top, below=below or self._has_groups())
        return [*self._over_all(), *_joined([*stages, *last])]

    def _gives_nodes(self) -> bool:
        """Whether each answer is, or stands by, one node that the root can be."""
        answer = self.graph.answer
        of = answer if isinstance(answer, Value) else answer.per if isinstance(answer, Aggregate) else None
        return of is not None and not of.key and of.of == self.root

    # Numbers over all of something else ------------------------------------------------------------------------------

    def _over_all(self) -> list[str]:
        """A subquery for each number over all, and the tests that compare nothing else."""
        lines = [
            line
            for whole, name in self._wholes.items()
            for line in ("CALL () {", *_indented(self._beside(whole.graph).subquery(name)), "}")
        ]
        tests = [self._test(item) for item in self.graph.conditions if compares_wholes(item)]
        return [*lines, *([f"WITH *{_where(tests)}"] if tests and not self._is_told() else ())]

    def _beside(self, graph: QueryGraph) -> _Compiler:
        return _Compiler(graph, self.keys, self.hidden, self.named, self.told, self.parameters, self._known)

    def subquery(self, name: str) -> list[str]:
        """Lines that return the one number that is asked for as `name`."""
        lines = self._main()
        assert lines[-1].endswith(" AS value"), lines[-1]
        return [*lines[:-1], f"{lines[-1].removesuffix('value')}{name}"]

    def _is_told(self) -> bool:
        """Whether the tests of numbers over all are the "yes" or "no" itself."""
        answer = self.graph.answer
        if not isinstance(answer, Aggregate) or answer.function != "exists":
            return False
        tests = [item for item in self.graph.conditions if compares_wholes(item)]
        return any(
            item.graph.root in (self.root, *self.tree.order)
            for test in tests
            for side in (test.left, test.right)
            for item in _wholes_of(side)
        )

    # Stages ------------------------------------------------------------------------------------------------------

    def _stages(self, *, all_lists: bool) -> tuple[list[str], list[str]]:
        """The text of all stages before the last, and the variables that they leave as lists: `all_lists`, or those
        that hang below no other."""
        lines: list[str] = []
        collapsed: list[str] = []
        for variable in reversed(self.tree.order):
            for group in self._groups(variable):
                others = [name for name in collapsed if name != variable]
                below = self._topmost(others, variable)
                if not all_lists:
                    others = [name for name in others if name not in below]
                lines += self._stage(group, others, below, again=variable in collapsed)
                collapsed = [*others, variable]
        return lines, collapsed

    def _groups(self, variable: str) -> list[Value]:
        """What something is measured for at a variable: its nodes first, then its nodes in groups by a property."""
        groups = [_group_of(item) for item in self.graph.conditions]
        groups += [_group_selected(item) for item in self.graph.selections]
        found = {group: None for group in groups if group is not None and group.of == variable}
        return sorted(found, key=lambda group: bool(group.key))

    def _has_groups(self) -> bool:
        return any(len(self._groups(name)) > 1 for name in self.tree.order)

    def _topmost(self, collapsed: Sequence[str], top: str = "") -> list[str]:
        """Those of the variables below `top` that hang below no other of them."""
        below = [name for name in collapsed if name in self.tree.below(top or self.root)]
        hidden = {name for other in below for name in self.tree.below(other) if name != other}
        return [name for name in below if name not in hidden]

    def _stage(self, group: Value, carried: Sequence[str], below: Sequence[str], *, again: bool) -> list[str]:
        """Match what hangs below a variable, measure it for each of its nodes or groups of them, and keep those that
        pass. `again`: what can be the variable is a list already."""
        variable = group.of
        tests = [item for item in self.graph.conditions if _group_of(item) == group]
        selections = [item for item in self.graph.selections if _group_selected(item) == group]
        lists = [*self._wholes.values(), *(_list(name) for name in carried)]
        row = "members" if group.key else variable
        lines = [f"UNWIND {_list(name)} AS {name}" for name in ([variable, *below] if again else below)]
        lines += self._match(self.tree.below(variable), below, carried=[variable] if again else [])
        self._measured = {group: "kind"} if group.key else {}
        measured, ordered = self._measures(tests, selections)
        grouping = f"{self._raw(group)} AS kind, collect(DISTINCT {variable}) AS members" if group.key else row
        told = [*(["kind IS NOT NULL"] if group.key else []), *(self._test(item) for item in tests)]
        lines.append(f"WITH {', '.join([*lists, grouping, *(f'{text} AS {name}' for name, text in measured)])}")
        if told and not ordered:
            lines[-1] += _where(told)
        if any(text != name for name, text in ordered):
            lines[-1] += _where(told) if told else ""
            lines.append(f"WITH {', '.join([*lists, row, *(f'{text} AS {name}' for name, text in ordered)])}")
            told = []
        for number, (item, (name, _)) in enumerate(zip(selections, ordered, strict=True)):
            there = _where([*([] if number else told), f"{name} IS NOT NULL"])
            lines.append(f"ORDER BY {name}{' DESC' if item.descending else ''}{there}")
            lines += self._select(row, name, item, lists, [name for name, _ in ordered])
        self._measured = {}
        lines += [f"UNWIND members AS {variable}"] if group.key else []
        lines.append(f"WITH {', '.join([*lists, f'collect({variable}) AS {_list(variable)}'])}")
        return lines

    def _measures(
        self, tests: Sequence[Condition], selections: Sequence[Selection]
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Names of what is measured with its texts, and names of what is ordered by with texts over these."""
        measured: list[tuple[str, str]] = []
        ordered: list[tuple[str, str]] = []
        sides = [side for item in tests for side in (item.left, item.right)]
        for aggregate in dict.fromkeys(part for side in sides for part in aggregates_of(side)):
            self._measured[aggregate] = f"m{len(measured)}"
            measured.append((f"m{len(measured)}", self._aggregate(aggregate)))
        for number, item in enumerate(selections):
            parts = dict.fromkeys(aggregates_of(item.by))
            if item.by is None or not parts or item.by in parts:
                measured.append((f"m{len(measured)}", self._measure(item)))
                ordered.append((measured[-1][0], measured[-1][0]))
                continue
            for part in parts:
                self._measured[part] = f"m{len(measured)}"
                measured.append((f"m{len(measured)}", self._aggregate(part)))
            ordered.append((f"s{number}", self._expression(item.by)))
        return measured, ordered

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

    def _measure(self, item: Selection) -> str:
        """What a node is ranked by."""
        if item.by is None:
            return f"min(elementId({item.variable}))"
        if isinstance(item.by, Aggregate):
            return self._aggregate(item.by)
        return f"{'max' if item.descending else 'min'}({self._expression(item.by)})"

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
        answer = self.graph.answer
        if isinstance(answer, Arithmetic) and not values_of(answer):
            return [f"WITH {self._expression(answer)} AS value, 1 AS walks", *_VALUES]
        if self._is_told():
            tests = [self._test(item) for item in self.graph.conditions if compares_wholes(item)]
            return [f"RETURN coalesce({' AND '.join(tests)}, false) AS value"]
        if below:
            lines = self._anew(collapsed)
        else:
            lines = [f"UNWIND {_list(name)} AS {name}" for name in collapsed]
            lines += self._match(self.tree.order, collapsed, carried=())
        if self.graph.columns:
            return [*lines, *self._table()]
        if isinstance(answer, Aggregate):
            return [*lines, *self._number(answer)]
        if self.graph.way is not None:
            return [*lines, *self._routes()]
        if isinstance(answer, Value) and not answer.key and answer.of == self.root:
            if self.root in collapsed:  # in the order of the selection
                return [*lines, self._nodes(self.root, "1 AS walks"), "LIMIT $limit"]
            return [*lines, self._nodes(self.root), "ORDER BY walks DESC, id", "LIMIT $limit"]
        return [*lines, f"WITH {self._shown(answer)} AS value, count(*) AS walks", *_VALUES]

    def _number(self, answer: Aggregate) -> list[str]:
        """An aggregate, for all or for each of something."""
        if answer.function == "share":
            return self._share(self.root)
        if answer.each is not None:
            return [
                f"WITH {self._raw(answer.each)} AS kind, count(DISTINCT {self._value(answer.value)}) AS number",
                "WHERE kind IS NOT NULL",
                f"RETURN {_OF_NUMBERS[answer.function]}(number) AS value",
            ]
        if answer.per is None:
            return [f"RETURN {self._aggregate(answer)} AS value"]
        measured = f"{self._aggregate(answer)} AS value"
        if answer.per.key:
            rest = self._first_groups(answer.top) if answer.top else _GROUPS
            return [f"WITH {self._raw(answer.per)} AS per, {measured}", *rest]
        return [f"{self._nodes(answer.per.of, measured)}", "ORDER BY value DESC, id", "LIMIT $limit"]

    # Several columns -------------------------------------------------------------------------------------------------

    def _table(self) -> list[str]:
        """Each answer with what stands beside it, in the order of the selection that has one of the columns."""
        answer = self.graph.answer
        per = answer.per if isinstance(answer, Aggregate) else None
        first = per or answer
        columns = [f"{self._shown(item)} AS c{number}" for number, item in enumerate(self.graph.columns)]
        if isinstance(answer, Aggregate) and per is None:
            return [f"RETURN {', '.join([f'{self._aggregate(answer)} AS value', *columns])}"]
        kept = ["value", *(f"c{number}" for number in range(len(columns)))]
        is_node = isinstance(first, Value) and not first.key
        name = "node" if is_node else "per" if per else "value"
        measured = [f"{self._aggregate(answer)} AS value"] if isinstance(answer, Aggregate) else []
        told = self._raw(per) if per and per.key else self._shown(first)
        lines = [f"WITH {', '.join([f'{told} AS {name}', *measured, *columns, 'count(*) AS walks'])}"]
        lines.append(f"WHERE {name} IS NOT NULL")
        shown = [f"node.{key} AS {key}" for key in ("id", "labels", "properties")] if is_node else [name]
        shown += kept if measured else kept[1:]
        lines.append(f"RETURN {', '.join(dict.fromkeys([*shown, 'walks']))}")
        order = [*self._column_order(), "walks DESC", shown[0].split()[-1]]
        return [*lines, f"ORDER BY {', '.join(order)}", "LIMIT $limit"]

    def _column_order(self) -> list[str]:
        """By what is selected, where it is a column."""
        answer = self.graph.answer
        per = answer.per if isinstance(answer, Aggregate) else None
        told = {_for_all(item): f"c{number}" for number, item in enumerate(self.graph.columns)}
        told |= {per: "per"} if per and per.key else {}
        told |= {_for_all(answer): "value"} if per or (isinstance(answer, Value) and answer.key) else {}
        orders = [(_for_all(item.by), item.descending) for item in self.graph.selections if item.by is not None]
        return [f"{told[by]}{' DESC' if descending else ''}" for by, descending in orders if by in told]

    def _shown(self, item: Expression) -> str:
        """What stands in a column."""
        if isinstance(item, Aggregate):
            return self._aggregate(item)
        if not isinstance(item, Value):
            return self._expression(item)
        is_node = not item.key and item.of in {variable.name for variable in self.graph.variables}
        return self._of_node(item.of) if is_node else self._raw(item)

    def _of_node(self, variable: str) -> str:
        """A node as a map, null where it is missing."""
        record = f"{{id: elementId({variable}), labels: labels({variable}), properties: {self._wanted(variable)}}}"
        return f"CASE WHEN {variable} IS NULL THEN null ELSE {record} END"

    def _asks_below(self) -> bool:
        """Whether something is asked for of what hangs below a variable that a stage selects."""
        top = self._topmost([name for name in self.tree.order if self._groups(name)])
        gone = {name for done in top for name in self.tree.below(done)}
        for value in (value for part in (self.graph.answer, *self.graph.columns) for value in values_of(part)):
            edge = self.names.get(value.of)
            if {edge.subject, edge.object} <= gone if edge is not None else value.of in gone - {*top}:
                return True
        return False

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
        return (
            f"RETURN elementId({variable}) AS id, labels({variable}) AS labels, "
            f"{self._wanted(variable)} AS properties, {measured}"
        )

    def _wanted(self, variable: str) -> str:
        """The properties of a node that are wanted, as a map."""
        labels = self.graph.variable(variable).labels
        keys = [key for label in labels for key in self.keys.get(label, ())] or list(self.keys.get("", ()))
        return f"{variable} {{{', '.join(f'.{plain(key)}' for key in dict.fromkeys(keys)) or '.*'}}}"

    def _expression(self, part: Expression | Number) -> str:
        """A part as it is compared: what a stage measured has a name there."""
        if isinstance(part, int | float):
            return self._parameter(part)
        if part in self._measured:
            return self._measured[part]
        if isinstance(part, Whole):
            return self._wholes[part]
        if isinstance(part, Arithmetic):
            return f"({self._calculated(part)})"
        return self._aggregate(part) if isinstance(part, Aggregate) else self._value(part)

    def _calculated(self, item: Arithmetic) -> str:
        left, right = self._expression(item.left), self._expression(item.right)
        if item.operator in SPANS:
            whole = _time if item.operator == "hours" else _date
            dates = ", ".join(whole(self._dated(side)) for side in (item.right, item.left))
            return _SPANS[item.operator].format(dates)
        if item.operator == "difference":
            return f"abs({left} - {right})"
        if item.operator == "per cent":
            return f"100.0 * {left} / {right}"
        if item.operator == "%":
            return f"CASE {right} WHEN 0 THEN null ELSE {left} % {right} END"
        return f"{left} {item.operator} {right}" if item.operator != "/" else f"1.0 * {left} / {right}"

    def _dated(self, side: Expression | Number) -> str:
        """A date as the graph has it, but for texts that do not begin with the year."""
        is_raw = isinstance(side, Value) and not side.form.endswith("first")
        return self._raw(side) if is_raw and isinstance(side, Value) else self._expression(side)

    def _evidence(self, collapsed: Sequence[str]) -> list[str]:
        """The matches as ids, those of some answers."""
        root = self.root
        ways = [f"[step IN relationships({self.name_of[edge]}) | elementId(step)]" for edge in self.ways]
        single = [edge for edge in self.tree.present if edge not in self.ways]
        edges = f"[{', '.join(f'elementId({self.name_of[edge]})' for edge in single)}]"
        nodes = ", ".join(f"elementId({name})" for name in self.tree.order)
        return [
            *self._anew(collapsed, bounded=root if self._gives_nodes() else ""),
            f"WITH {root}, collect(DISTINCT [{' + '.join([edges, *ways])}, [{nodes}]]) AS every",
            f"RETURN elementId({root}) AS answer, every[..$walks] AS walks, size(every) AS matches",
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
        regions = sorted((edge for edge in edges if edge.optional), key=self._height)
        missing = {name for edge in regions for name in self._region(edge)}
        late, tests = self._row_tests(there, edges, collapsed, missing)
        if bounded:
            # In a map, since the server plans anew for every order of magnitude of a list's length.
            tests.append(({bounded}, f"elementId({bounded}) IN $answers.ids"))
        sure = [name for name in there if name not in missing]
        there_ = [edge for edge in edges if self.name_of[edge] not in missing]
        first = [(names, text) for names, text in tests if not names & missing]
        if any(edge.is_way for edge in there_):
            lines = self._in_turn(sure, there_, bound, first)
        else:
            lines = self._matched(sure, there_, bound, [text for _, text in first])
        for edge in regions:
            own = self._region(edge)
            missing -= own
            inner = [text for names, text in tests if names & own and not names & missing]
            within = [other for other in edges if self.name_of[other] in own]
            lines += self._matched([], within, {*there} - own, inner, match="OPTIONAL MATCH")
        return [*lines, f"WITH * WHERE {' AND '.join(late)}"] if late else lines

    def _matched(
        self, names: Sequence[str], edges: Sequence[Edge], bound: set[str], tests: Sequence[str], match: str = "MATCH"
    ) -> list[str]:
        alone = [name for name in names if name not in bound and not any(name in (e.subject, e.object) for e in edges)]
        together, *apart = self._apart(edges) if match == "MATCH" else [list(edges)]
        patterns = [*self._patterns(together, set(bound)), *(self._node(name) for name in alone)]
        if not patterns:
            return [f"WITH * WHERE {' AND '.join(tests)}"] if tests else []
        where = [f"WHERE {' AND '.join(tests)}"] if tests else []
        return [f"{match} {', '.join(patterns)}", *self._matches_of(apart, {*bound, *names}), *where]

    def _matches_of(self, branches: Sequence[Sequence[Edge]], bound: set[str]) -> list[str]:
        """A MATCH for each branch below a variable that is bound."""
        below = {name for branch in branches for edge in branch for name in self.tree.below(self._lower(edge))}
        return [f"MATCH {', '.join(self._patterns(branch, bound - below))}" for branch in branches]

    def _apart(self, edges: Sequence[Edge]) -> list[list[Edge]]:
        """The edges that are matched together, then branches that begin as another one does, at the same variable: who
        ordered A and ordered B may have done so with one order, of which one MATCH would not find the relationship
        twice."""
        seen: set[tuple[object, ...]] = set()
        branches: list[list[Edge]] = []
        for edge in edges:
            lower = self._lower(edge)
            begins = (edge.other(lower), edge.relations, edge.subject == lower, edge.directed, edge.steps)
            below = {*self.tree.below(lower)}
            if begins in seen and all(edge not in branch for branch in branches):
                branches.append([other for other in edges if {other.subject, other.object} & below])
            seen.add(begins)
        gone = [edge for branch in branches for edge in branch]
        return [[edge for edge in edges if edge not in gone], *branches]

    # Ways ------------------------------------------------------------------------------------------------------------

    def _in_turn(
        self, names: Sequence[str], edges: Sequence[Edge], bound: set[str], tests: Sequence[tuple[set[str], str]]
    ) -> list[str]:
        """A MATCH for each way, and for what plain edges join, beginning at given nodes: a way is looked for from an
        end that is known."""
        known, left, lines = set(bound), list(tests), list[str]()
        ways, others = [edge for edge in edges if edge.is_way], [edge for edge in edges if not edge.is_way]
        pieces = sorted(_pieces(names, others), key=lambda piece: not self._is_given(piece))

        def now(pattern: str, new: Iterable[str]) -> None:
            """Add a MATCH with the tests that can be made from there on."""
            known.update(new)
            told = [text for names, text in left if names <= known]
            left[:] = [item for item in left if not item[0] <= known]
            lines.extend([*([f"MATCH {pattern}"] if pattern else []), *([_tested(told, pattern)] if told else [])])

        def join(piece: list[str]) -> None:
            joined = [edge for edge in others if edge.subject in piece]
            alone = [self._node(name) for name in piece if name not in known and not joined]
            now(
                ", ".join([*self._patterns(joined, set(known)), *alone]),
                [*piece, *map(self.name_of.__getitem__, joined)],
            )

        while pieces or ways:
            way = next((edge for edge in ways if known & {edge.subject, edge.object}), None)
            if way is None or (pieces and self._is_given(pieces[0])):
                join(pieces.pop(0))
                continue
            ways.remove(way)
            new = [name for name in (way.subject, way.object) if name not in known]
            now(self._way(way, known), [self.name_of[way], *new])
            for piece in [piece for piece in pieces if {*piece} & {*new}]:
                pieces.remove(piece)
                join(piece)
        return lines

    def _is_given(self, piece: Iterable[str]) -> bool:
        """Whether what one of these variables can be is told by what it is, or by a value of its own."""
        return any(
            self.graph.variable(name).ids
            or any(item.operator == "=" and isinstance(item.right, tuple) for item in self.graph.conditions_of(name))
            for name in piece
        )

    def _way(self, edge: Edge, known: set[str]) -> str:
        """The pattern of a way, named: of the relationships from end to end."""
        name, (least, most) = self.name_of[edge], edge.steps
        arrow = self._arrow(edge, edge.subject, called=f"{name}s" if {*edge.relations} & {*self.told} else "")
        node, tests = f"{name}n", [_is_visible(f"{name}n")] if self.hidden.nodes else []
        within = [f"NOT ({self._can_be(other, node)})" for other in edge.avoiding]
        within += [f"COUNT {{ ({node})--() }} <= {self._parameter(edge.busiest)}"] if edge.busiest else []
        ends = [self._once(end, set(known)) for end in (edge.subject, edge.object)]
        where = f" WHERE {' AND '.join([*tests, *within])}" if tests or within else ""
        last = f"(){arrow}" if within else ""
        times = f"{{{least - bool(within)},{most - bool(within) if most else ''}}}"
        inner = f"((){arrow}({node}){where}){times}"
        selector = "ALL SHORTEST" if edge == self.graph.way else "SHORTEST 1"
        return f"{name} = {selector} {ends[0]}{inner}{last}{ends[1]}"

    def _can_be(self, name: str, node: str) -> str:
        """Whether a node is one that a variable can be, by its labels and what it is."""
        variable = self.graph.variable(name)
        tests = [f"{node}:{plain(label)}" for label in variable.labels]
        identity = self._identity(variable)
        for (label, key), values in identity.items():
            tests.append(f"{node}:{plain(label)} AND {node}.{plain(key)} IN {self._parameter(values)}")
        if variable.ids and not identity:
            tests.append(f"elementId({node}) IN {self._parameter(list(variable.ids))}")
        return " AND ".join(tests) or "true"

    def _routes(self) -> list[str]:
        """Each way with its nodes, how many relationships these have, and its relationships; the rarest first."""
        name = self.name_of[self.graph.way] if self.graph.way else ""
        nodes = f"[node IN nodes({name}) | {{id: elementId(node), labels: labels(node), properties: {self._every()}}}]"
        steps = f"[step IN relationships({name}) | {{id: elementId(step), relation: {self._type('step')}, " \
                "start: elementId(startNode(step))}]"  # fmt: skip
        return [
            f"WITH {name} LIMIT {self._parameter(MOST_WAYS)}",
            f"WITH {name}, [node IN nodes({name})[1..-1] | COUNT {{ (node)--() }}] AS degrees",
            f"WITH {name}, degrees, reduce(total = 0.0, degree IN degrees | total + log(degree)) AS weight",
            f"RETURN {nodes} AS nodes, {steps} AS steps, degrees",
            f"ORDER BY weight, [step IN relationships({name}) | elementId(step)]",
            "LIMIT $limit",
        ]

    def _every(self) -> str:
        """The properties of a node of any label, as a map."""
        keys = dict.fromkeys(key for label, keys in self.keys.items() for key in keys)
        return f"node {{{', '.join(f'.{plain(key)}' for key in keys) or '.*'}}}"

    def _height(self, edge: Edge) -> int:
        return min(self.tree.depth(edge.subject), self.tree.depth(edge.object))

    def _lower(self, edge: Edge) -> str:
        return edge.object if self.tree.is_below(edge.object, edge.subject) else edge.subject

    def _region(self, edge: Edge) -> set[str]:
        """The variables and edges that are missing where an optional edge is, but for those behind further ones."""
        names = {*self.tree.below(self._lower(edge))}
        further = [self._lower(other) for other in self.tree.present if other.optional and other != edge]
        names -= {name for top in further if top in names for name in self.tree.below(top)}
        within = {self.name_of[other] for other in self.tree.present if {other.subject, other.object} <= names}
        return {*names, *within, self.name_of[edge]}

    def _row_tests(
        self, there: Sequence[str], edges: Sequence[Edge], collapsed: Sequence[str], missing: set[str]
    ) -> tuple[list[str], list[tuple[set[str], str]]]:
        """Tests of each match: those that come when it is known what is missing, and the others with the names that
        they speak of."""
        named = {*there, *(self.name_of[edge] for edge in edges)}
        tests = [({name}, test) for name in there if name not in collapsed for test in self._tests_of(name)]
        late: list[str] = []
        for item in self.graph.conditions:
            names = self._sides(item)
            if not names or not names <= named or names <= {*collapsed}:
                continue
            if names & missing and isinstance(item.left, Value) and not item.left.key and item.right == ():
                late.append(self._test(item))
            else:
                tests.append((names, self._test(item)))
        for options in self.graph.alternatives:
            names = {name for option in options for item in option for name in self._sides(item)}
            if names <= named and not names <= {*collapsed}:
                text = " OR ".join(" AND ".join(self._test(item) for item in option) for option in options)
                late.append(f"({text})") if names & missing else tests.append((names, f"({text})"))
        for edge in self.tree.absent:
            ends = {edge.subject, edge.object} & {*self.tree.order}
            if ends <= {*there} and not ends <= {*collapsed}:
                spoken = {name for item in self._conditions_behind(edge) for name in self._sides(item)}
                tests.append((ends | (spoken & named), self._absence(edge)))
        return late, tests

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

    def _arrow(self, edge: Edge, start: str, *, called: str | None = None) -> str:
        shown = self.hidden.relations
        every = () if edge.relations else tuple(shown or ())
        used = [relation for relation in edge.relations or every if shown is None or relation in shown]
        types = map(plain, stored(used, self.told))
        of_type = "" if not edge.relations and shown is None else f":{'|'.join(types) or '!%'}"
        name = self.name_of[edge] if called is None else called
        inner = f"[{name}{of_type}{self._told_of(edge.relations, name)}]"
        if not edge.directed:
            return f"-{inner}-"
        return f"-{inner}->" if edge.subject == start else f"<-{inner}-"

    def _told_of(self, relations: Sequence[str], name: str) -> str:
        """The test that a relationship is of one of the types, of which some are told by a property."""
        tests = []
        for place in dict.fromkeys(self.told[item] for item in relations if item in self.told):
            names = [item for item in relations if self.told.get(item) == place]
            test = f"{self._owned(name, place.key, [place.relation])} IN {self._parameter(names)}"
            alone = stored(relations, self.told) == (place.relation,)
            tests.append(test if alone else f"(type({name}) <> {self._parameter(place.relation)} OR {test})")
        return f" WHERE {' AND '.join(tests)}" if tests else ""

    def _type(self, name: str) -> str:
        """The type of a relationship, as it is told."""
        places = dict.fromkeys(self.told.values())
        cases = [f"WHEN {self._parameter(item.relation)} THEN {name}.{plain(item.key)}" for item in places]
        return f"CASE type({name}) {' '.join(cases)} ELSE type({name}) END" if cases else f"type({name})"

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
        if _group_of(item) is not None:
            return set()
        sides = (item.left, item.right)
        if any(aggregates_of(side) for side in sides):
            raise ValueError("A condition on an aggregate says for what it is measured.")
        return {value.of for side in sides for value in matched_values(side)}

    def _test(self, item: Condition) -> str:
        left = self._expression(item.left)
        if item.operator in ("present", "missing"):
            return f"{left} IS {'NOT ' if item.operator == 'present' else ''}NULL"
        if not isinstance(item.right, tuple):
            return f"{left} {item.operator} {self._expression(item.right)}"
        form = item.left.form if isinstance(item.left, Value) else ""
        return _COMPARISONS.get(form, _compare_plain)(left, item, self._parameter)

    def _edges_behind(self, edge: Edge) -> list[Edge]:
        """An absent edge, and those behind it."""
        inside = self.tree.behind(edge)
        return [edge, *(other for other in self.graph.edges if other.subject in inside and other.object in inside)]

    def _conditions_behind(self, edge: Edge) -> list[Condition]:
        """The conditions that speak of an absent edge, or of what is behind it."""
        named = {*self.tree.behind(edge), *(self.name_of[other] for other in self._edges_behind(edge))}
        return [item for item in self.graph.conditions if self._sides(item) & named]

    def _absence(self, edge: Edge) -> str:
        """That what hangs below an absent edge is not there."""
        patterns = self._patterns(self._edges_behind(edge), {self.tree.parent(edge)})
        tests = [test for name in self.tree.behind(edge) for test in self._tests_of(name)]
        tests += [self._test(item) for item in self._conditions_behind(edge)]
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        return f"NOT EXISTS {{ MATCH {', '.join(patterns)}{where} }}"

    def _raw(self, value: Value) -> str:
        """A value as the graph has it; the length of a text, and a part of a date, are one, too."""
        if value.form in ("length", "year") or value.form in NAMED_FORMS:
            return self._value(value)
        return self._property(value.of, value.key) if value.key else value.of

    def _value(self, value: Value, of: str = "") -> str:
        """A value as it is compared."""
        if not value.key and value.form == "length":
            return f"length({of or value.of})"
        if not value.key:
            return of or value.of
        return _FORMS[value.form](self._property(value.of, value.key, called=of))

    def _property(self, of: str, key: str, *, called: str = "") -> str:
        """A property of a variable or an edge, which is `called` otherwise here; null where it is hidden."""
        edge = self.names.get(of)
        return self._owned(called or of, key, stored(edge.relations, self.told) if edge else None)

    def _owned(self, name: str, key: str, types: Sequence[str] | None) -> str:
        """A property of a relationship of some `types`, or of a node; null where it is hidden."""
        if key in self.hidden.keys:
            return "null"
        text = f"{name}.{plain(key)}"
        owners = [owner for owner in self.hidden.owners(key) if owner not in self.hidden.labels]
        if types is not None:
            owners = [owner for owner in owners if owner in types]
        if not owners:
            return text
        others = self._parameter(owners)
        of_node = f"any(label IN labels({name}) WHERE label IN {others})"
        test = of_node if types is None else f"type({name}) IN {others}"
        return f"CASE WHEN {test} THEN null ELSE {text} END"

    def _parameter(self, value: Any) -> str:
        name = self._known.setdefault(repr(value), f"p{len(self._known)}")
        self.parameters[name] = value
        return f"${name}"


def _tested(tests: Sequence[str], pattern: str) -> str:
    return f"{'WHERE' if pattern else 'WITH * WHERE'} {' AND '.join(tests)}"


def _pieces(names: Sequence[str], edges: Sequence[Edge]) -> list[list[str]]:
    """The variables in pieces that edges join."""
    pieces = [[name] for name in names]
    for edge in edges:
        joined = [piece for piece in pieces if edge.subject in piece or edge.object in piece]
        rest = [piece for piece in pieces if piece not in joined]
        pieces = [[name for piece in joined for name in piece], *rest]
    return pieces


def _is_visible(name: str) -> str:
    return f"none(label IN labels({name}) WHERE label IN ${EXCLUDED})"


def _where(tests: Sequence[str]) -> str:
    return f"\nWHERE {' AND '.join(tests)}"


_VALUES = ("WHERE value IS NOT NULL", "RETURN value, walks", "ORDER BY walks DESC, value", "LIMIT $limit")
_GROUPS = ("WHERE per IS NOT NULL", "RETURN per, value", "ORDER BY value DESC, per", "LIMIT $limit")


_OF_NUMBERS = {"sum": "sum", "average": "avg", "minimum": "min", "maximum": "max"}


def _list(variable: str) -> str:
    return f"{variable}s"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {part}" for line in lines for part in line.split("\n")]


def _wholes_of(part: object) -> Iterator[Whole]:
    if isinstance(part, Whole):
        yield part
    elif isinstance(part, Arithmetic):
        yield from _wholes_of(part.left)
        yield from _wholes_of(part.right)


def _group_of(item: Condition) -> Value | None:
    """What the aggregates of a condition are measured for; None where it has none."""
    found = [part.per for side in (item.left, item.right) for part in aggregates_of(side)]
    return found[0] if found else None


def _for_all(part: Expression) -> Expression:
    """An aggregate without what it is measured for."""
    return replace(part, per=None) if isinstance(part, Aggregate) else part


def _group_selected(item: Selection) -> Value:
    """What the order of a selection is measured for."""
    found = [part.per for part in aggregates_of(item.by) if part.per is not None]
    return found[0] if found else Value(item.variable)


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


MONTH = 2_629_746
"""Seconds of a month, as Neo4j orders durations: a year of 365.2425 days by twelve."""


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


def _named_part(text: str, form: Form, part: str, begins: str) -> str:
    """A part of a date by its name; null for what is no date that goes so far."""
    names = ", ".join(f"'{name}'" for name in NAMED_FORMS[form])
    number = f"CASE WHEN part =~ '{begins}' THEN date(left(part, 10)).{part} END"
    return f"[part IN [toStringOrNull({text})] | [{names}][{number} - 1]][0]"


def _seconds(text: str) -> str:
    """A duration, or a text that writes one, in seconds; null for all else."""
    number = "-?[0-9]+([.][0-9]+)?"
    written = f"'-?P(?=.)({number}[YMWD])*(T({number}[HMS])+)?'"
    months, days = f"{MONTH} * length.months", "86400 * length.days"
    whole = f"{months} + {days} + length.seconds + length.nanosecondsOfSecond / 1e9"
    counted = f"[length IN [duration(part)] | {whole}][0]"
    return f"[part IN [toStringOrNull({text})] | CASE WHEN part =~ {written} THEN {counted} END][0]"


_FORMS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "list": str,
    "number": _number,
    "length": lambda text: f"size(toStringOrNull({text}))",
    "seconds": _seconds,
    "date": lambda text: f"toStringOrNull({text})",
    "year": lambda text: f"toIntegerOrNull(left(toStringOrNull({text}), 4))",
    "month": lambda text: _named_part(text, "month", "month", "-?[0-9]{4}-[0-9]{2}(-[0-9]{2}.*)?"),
    "weekday": lambda text: _named_part(text, "weekday", "dayOfWeek", "-?[0-9]{4}-[0-9]{2}-[0-9]{2}.*"),
    "day first": lambda text: _turned(text, 2, 1, 0),
    "month first": lambda text: _turned(text, 2, 0, 1),
}

Parameter = Callable[[Any], str]


def _compare_plain(left: str, item: Condition, parameter: Parameter) -> str:
    values = list(item.right) if isinstance(item.right, tuple) else []
    if item.operator in TEXTUAL:
        text, change = f"toStringOrNull({left})", "{}" if item.capitals else "toLower({})"
        word = item.operator.upper()
        tests = [f"{change.format(text)} {word} {change.format(parameter(value))}" for value in values]
        return f"({' OR '.join(tests)})" if len(tests) > 1 else tests[0]
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
    if item.operator in TEXTUAL:
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
            apart = variable.name in graph.avoided
            if variable.name not in self._parents and variable.name not in hidden and not apart:
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
        return [other for other in self.order if self.is_below(other, name)]

    def is_below(self, name: str, top: str) -> bool:
        """Whether a variable is, or hangs below, another one."""
        while name and name != top:
            name = self._parents[name]
        return name == top
