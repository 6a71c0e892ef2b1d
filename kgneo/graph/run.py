"""Run: a query graph's answers and the triples that they rest on.

Comes in: a query graph and what is known of the graph. Goes out: the answers as people read them, the nodes among them
with all their names, and the query that found them. Every value in an answer is one that the graph gave.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from neo4j.time import Duration

from kgneo.errors import GraphTimeout
from kgneo.graph.about import told
from kgneo.graph.called import answer_node, names_of
from kgneo.graph.connection import Row
from kgneo.graph.counterparts import with_counterparts
from kgneo.graph.cypher import query
from kgneo.graph.open import Knowledge
from kgneo.graph.passages import Passage
from kgneo.graph.shape import Shape
from kgneo.graph.values import property_triples, texts
from kgneo.graph.walks import read_triples
from kgneo.model import AnswerNode, Evidence, Hop, Table
from kgneo.query.compile import UNNAMED, Compiled, Named, compile_query
from kgneo.query.graph import Aggregate, Arithmetic, Condition, Expression, Number, QueryGraph, Value, is_duration
from kgneo.text import listed

WALKS = 3
"""Matches that are kept as evidence of one answer, where nothing else is said."""
ALL = 2**31 - 1
"""The same where all are kept."""
LOOKED_THROUGH = 2.0
"""Seconds that looking for what there is instead may take."""
INSTEAD = 5
"""Matches that are evidence of what the graph has where nothing was found."""
MOST_EVIDENCE = 200
"""Answers whose evidence is fetched."""


@dataclass(frozen=True, slots=True)
class Way:
    """Relationships one after the other: the nodes, the hops between them, the ids of the relationships, and how many
    relationships each node has that is not an end. `str()` gives "Ann –KNOWS→ Bob ←OWNS– Cy"."""

    nodes: tuple[AnswerNode, ...]
    hops: tuple[Hop, ...]
    relationships: tuple[str, ...]
    degrees: tuple[int, ...] = ()

    def __str__(self) -> str:
        names = [node.names[0] for node in self.nodes]
        arrows = [f" –{hop.relation}→ " if hop.forward else f" ←{hop.relation}– " for hop in self.hops]
        return names[0] + "".join(arrow + name for arrow, name in zip(arrows, names[1:], strict=True))

    @property
    def busiest(self) -> tuple[str, int] | None:
        """The name of the node between the ends that has most relationships, and how many; None where none is."""
        names = [node.names[0] for node in self.nodes[1:-1]]
        return max(zip(names, self.degrees, strict=True), key=lambda pair: pair[1], default=None)


@dataclass(frozen=True, slots=True)
class Result:
    """Answers as texts, the nodes among them, how many there are beyond the limit, and the query that was run, in which
    given nodes are told by what they are `named`.

    `empty`: nothing was found; a count of 0 and a "no" are answers, and empty, too. `walks` of the matches of each
    answer are to be its evidence (0: all).
    """

    answers: tuple[str, ...]
    nodes: tuple[AnswerNode, ...]
    more: int
    empty: bool
    compiled: Compiled
    named: Named = field(default_factory=dict)
    table: Table | None = None
    walks: int = WALKS
    ways: tuple[Way, ...] = ()
    """For a query graph that asks for ways: these, in the order of `answers`."""
    written: tuple[str, ...] = ()
    """The answers as people write them, where the terms of the graph say how."""
    graph: QueryGraph | None = None
    """The query graph that was run, where that has nodes in the place of conditions on texts."""
    passages: Mapping[str, Passage] = field(default_factory=dict)
    """What texts say for which nodes were found, by the ids of these, and what is to be said of that."""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The first answers, and how many more there are; empty for none."""
        return listed(self.written or self.answers, self.more)


def run(
    knowledge: Knowledge,
    graph: QueryGraph,
    *,
    keys: Mapping[str, Sequence[str]],
    naming: Mapping[str, Sequence[str]],
    limit: int,
    timeout: float | None = None,
    named: Named = UNNAMED,
    whole: bool = True,
    walks: int = WALKS,
) -> Result:
    """The answers of `graph`; `keys` are the properties of each label that are names or values, `naming` those that
    identify its nodes; given nodes are told by what they are `named`. Where the `whole` answer will be told, it is
    found how many there are beyond the limit, and the server plans meanwhile what will be read besides: the evidence
    and what was counted. `walks` matches of each answer are to be its evidence (0: all).

    Raises GraphTimeout and GraphError.
    """
    if graph.about:
        return _run_about(
            knowledge,
            graph,
            keys=keys,
            naming=naming,
            limit=limit,
            timeout=timeout,
            named=named,
            whole=whole,
            walks=walks,
        )
    shape = knowledge.shape
    compiled = compile_query(graph, keys=keys, hidden=shape.left_out, named=named, told=shape.told)
    if whole and not _first_of(graph) and graph.way is None:
        knowledge.graph.prepare(compiled.evidence, **_of_evidence(compiled))
    if whole and (each := counted(graph)):
        names = compile_query(each, keys=keys, hidden=shape.left_out, named=named, told=shape.told)
        knowledge.graph.prepare(names.text, limit=limit + 1, **names.parameters)
    rows = knowledge.graph.read(compiled.text, limit=limit + 1, timeout=timeout, **compiled.parameters)
    shown = [_with_durations(graph, row) for row in rows[:limit]]
    if isinstance(graph.answer, Value) and graph.way is not None:
        ways = _together(_way(row, shape, naming) for row in shown)
        more = _more(knowledge, graph, keys, timeout, named) - limit if whole and len(rows) > limit else 0
        return Result(tuple(map(str, ways)), (), max(more, 0), not rows, compiled, named, ways=ways)
    nodes = with_counterparts(knowledge, [_node(row, shape, naming) for row in shown if "id" in row])
    if not graph.selections and all("walks" in row and "id" in row for row in shown):
        order = sorted(range(len(shown)), key=lambda place: (-shown[place]["walks"], nodes[place].names[0]))
        shown, nodes = [shown[place] for place in order], tuple(nodes[place] for place in order)
    empty = not rows or (_is_one_number(graph) and rows[0]["value"] in (0, False, None))
    table = _table(graph, shown, nodes, shape, naming)
    answers = tuple(map(_row_text, table.rows)) if table else tuple(dict.fromkeys(_texts(shown, nodes)))
    more = _more(knowledge, graph, keys, timeout, named) - limit if whole and len(rows) > limit else 0
    return Result(answers, nodes, max(more, 0), empty, compiled, named, table, walks)


def _run_about(knowledge: Knowledge, graph: QueryGraph, *, named: Named, timeout: float | None, **how: Any) -> Result:
    """The same for a query graph that asks what texts say: nodes whose texts say it are listed the likeliest first."""
    found = told(knowledge.texts, knowledge.graph, knowledge.shape, graph, named=named, timeout=timeout)
    result = run(knowledge, found.graph, named=named, timeout=timeout, **how)
    result = replace(result, graph=found.graph, passages=found.passages, notes=found.notes)
    places = {node: place for place, node in enumerate(found.passages)}
    ranked = [node.id in places for node in result.nodes]
    if graph.selections or not ranked or not all(ranked) or len(result.answers) != len(result.nodes):
        return result
    order = sorted(range(len(result.nodes)), key=lambda number: places[result.nodes[number].id])
    table = result.table and replace(result.table, rows=tuple(result.table.rows[number] for number in order))
    return replace(
        result,
        answers=tuple(result.answers[number] for number in order),
        nodes=tuple(result.nodes[number] for number in order),
        table=table,
    )


def counted(graph: QueryGraph) -> QueryGraph | None:
    """The nodes that a query graph counts, as its answers; None where it counts something else, or nothing."""
    answer = graph.answer
    if not isinstance(answer, Aggregate) or answer.function != "count" or graph.columns:
        return None
    if answer.per or answer.each or answer.value.key:
        return None
    nodes = any(variable.name == answer.value.of for variable in graph.variables)  # and not relationships
    return replace(graph, answer=answer.value) if nodes else None


def _of_evidence(compiled: Compiled, nodes: Sequence[AnswerNode] = (), walks: int = WALKS) -> dict[str, Any]:
    """What the query for the evidence takes."""
    most = MOST_EVIDENCE if walks else ALL
    answers = {"answers": {"ids": [node.id for node in nodes[:most]]}} if compiled.is_bounded else {}
    return {**compiled.parameters, **answers, "walks": walks or ALL, "limit": most}


def _is_one_number(graph: QueryGraph) -> bool:
    """Whether a single number, or a yes or no, is asked for: none of them is an answer, too."""
    return isinstance(graph.answer, Aggregate) and graph.answer.per is None


def _first_of(graph: QueryGraph) -> Value | None:
    """What the answers are of, where they are the groups that come first: the evidence is of these alone."""
    return graph.answer.per if isinstance(graph.answer, Aggregate) and graph.answer.top else None


def _with_durations(graph: QueryGraph, row: Row) -> Row:
    """A row with durations where these were measured in seconds."""
    measured = {"value": graph.answer, **{f"c{place}": item for place, item in enumerate(graph.columns)}}
    names = [name for name, item in measured.items() if is_duration(item) and isinstance(row.get(name), int | float)]
    return {**row, **{name: Duration(seconds=row[name]) for name in names}} if names else row


def _table(
    graph: QueryGraph,
    rows: Sequence[Row],
    nodes: Sequence[AnswerNode],
    shape: Shape,
    naming: Mapping[str, Sequence[str]],
) -> Table | None:
    """Rows of several columns; None where one thing is asked for."""
    if not graph.columns:
        return None
    answer = graph.answer
    per = answer.per if isinstance(answer, Aggregate) else None
    columns = [_head(item, graph) for item in (*([per] if per else []), answer, *graph.columns)]
    found = []
    for number, row in enumerate(rows):
        first = [nodes[number].names[0]] if "id" in row else []
        others = [row[name] for name in ("per", "value") if name in row]
        others += [row[f"c{place}"] for place in range(len(graph.columns))]
        found.append((*first, *(_cell(value, shape, naming) for value in others)))
    return Table(tuple(columns), tuple(found))


def _head(part: Expression | Number, graph: QueryGraph) -> str:
    """What a column holds, in a word or two."""
    if isinstance(part, Aggregate):
        return f"{part.function} of {_head(part.value, graph)}"
    if isinstance(part, Arithmetic):
        return f"{_head(part.left, graph)} {part.operator} {_head(part.right, graph)}"
    if not isinstance(part, Value):
        return str(part) if isinstance(part, int | float) else _head(part.graph.answer, part.graph)
    edge = next((edge for edge in graph.edges if edge.name == part.of), None)
    owner = " or ".join(edge.relations) if edge else " ".join(graph.variable(part.of).labels) or part.of
    alone = all(value.of == part.of for value in graph.values())
    return f"{'' if alone else f'{owner} '}{part.key}" if part.key else owner


def _cell(value: Any, shape: Shape, naming: Mapping[str, Sequence[str]]) -> str | int | float | bool | None:
    """A value of a row as JSON has it: a node by its name, a list and a date as texts."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, dict) and "labels" in value:
        return names_of(shape.own_labels(value["labels"]), value["properties"], shape, naming)[0]
    return ", ".join(texts(value))


def _row_text(row: Sequence[str | int | float | bool | None]) -> str:
    """ "Chai: 18, 39"."""
    first, *others = ["–" if value is None else ", ".join(texts(value)) for value in row]
    return f"{first}: {', '.join(others)}"


def _texts(rows: Sequence[Row], nodes: Sequence[AnswerNode]) -> list[str]:
    found: list[str] = []
    for number, row in enumerate(rows):
        if "per" in row or ("id" in row and "value" in row):
            owner = nodes[number].names[0] if "id" in row else ", ".join(texts(row["per"]))
            found.append(f"{owner}: {', '.join(texts(row['value']))}")
        elif "id" in row:
            found.append(nodes[number].names[0])
        elif isinstance(row["value"], bool):
            found.append("yes" if row["value"] else "no")
        else:
            found += texts(row["value"])
    return found


def _more(
    knowledge: Knowledge, graph: QueryGraph, keys: Mapping[str, Sequence[str]], timeout: float | None, named: Named
) -> int:
    """How many answers there are in all."""
    if isinstance(graph.answer, Value) and not graph.columns:
        counted = replace(graph, answer=Aggregate("count", graph.answer))
        compiled = compile_query(
            counted, keys=keys, hidden=knowledge.shape.left_out, named=named, told=knowledge.shape.told
        )
        return int(knowledge.graph.read(compiled.text, timeout=timeout, **compiled.parameters)[0]["value"])
    return 0


def _node(row: Row, shape: Shape, naming: Mapping[str, Sequence[str]]) -> AnswerNode:
    return answer_node(row["id"], shape.own_labels(row["labels"]), row["properties"], shape, naming)


def _way(row: Row, shape: Shape, naming: Mapping[str, Sequence[str]]) -> Way:
    """A way with the names of its nodes."""
    nodes = [
        answer_node(one["id"], shape.own_labels(one["labels"]), one["properties"], shape, naming)
        for one in row["nodes"]
    ]
    steps = tuple(
        Hop(step["relation"], forward=step["start"] == node.id) for node, step in zip(nodes, row["steps"], strict=False)
    )
    return Way(tuple(nodes), steps, tuple(step["id"] for step in row["steps"]), tuple(row["degrees"]))


def _together(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Ways past the same nodes as one, with all types on each step: "Ann –KNOWS, HIRED→ Bob"."""
    found: dict[tuple[str, ...], Way] = {}
    for way in ways:
        key = tuple(node.id for node in way.nodes)
        same = found.get(key)
        hops = way.hops if same is None else tuple(map(_with_type, same.hops, way.hops))
        ids = (*(same.relationships if same else ()), *way.relationships)
        found[key] = replace(way, hops=hops, relationships=tuple(dict.fromkeys(ids)))
    return tuple(found.values())


def _with_type(one: Hop, other: Hop) -> Hop:
    types = one.relation.split(", ")
    return one if other.relation in types else replace(one, relation=f"{one.relation}, {other.relation}")


def _evidence_of_ways(knowledge: Knowledge, ways: Sequence[Way]) -> tuple[Evidence, ...]:
    """The triples along ways, in their order; each says how many steps from the beginning it is."""
    hops = {id_: place for way in ways[:MOST_EVIDENCE] for place, id_ in enumerate(way.relationships, start=1)}
    triples = read_triples(knowledge.graph, list(hops), knowledge.shape) if hops else {}
    return tuple(Evidence(triples[id_], hop) for id_, hop in hops.items() if id_ in triples)


def evidence_of(knowledge: Knowledge, graph: QueryGraph, result: Result) -> tuple[Evidence, ...]:
    """The triples that the answers rest on: relationships that were matched, and properties that were compared; those
    of what comes right behind the first or the last; and where nothing was found, what the graph has in its place."""
    graph = result.graph or graph
    if result.ways:
        return _evidence_of_ways(knowledge, result.ways)
    if result.empty:
        return _instead(knowledge, graph, result)
    return tuple(dict.fromkeys([*_matched(knowledge, graph, result), *_next(knowledge, graph, result)]))


def _matched(knowledge: Knowledge, graph: QueryGraph, result: Result) -> list[Evidence]:
    """The triples of the matches of each answer that are kept, with how many more there are."""
    compiled = result.compiled
    if groups := _first_of(graph):
        graph = replace(graph, conditions=(*graph.conditions, Condition(groups, "=", result.answers)))
        compiled = compile_query(graph, hidden=knowledge.shape.left_out, named=result.named, told=knowledge.shape.told)
    rows = knowledge.graph.read(compiled.evidence, **_of_evidence(compiled, result.nodes, result.walks))
    matches = [match for row in rows for match in row["walks"]]
    found = [*_said(knowledge, result, matches), *_triples(knowledge, graph, compiled, matches)]
    left_out = sum(row["matches"] - len(row["walks"]) for row in rows)
    if compiled.is_bounded and result.walks:
        left_out += max(len(result.nodes) - MOST_EVIDENCE, 0)
    return [*found[:-1], *(replace(item, left_out=left_out) for item in found[-1:])]


def _triples(
    knowledge: Knowledge, graph: QueryGraph, compiled: Compiled, matches: Sequence[Sequence[Sequence[str]]]
) -> list[Evidence]:
    """The triples of matches: relationships, and properties that the query graph speaks of."""
    edges = list(dict.fromkeys(id_ for edges, _ in matches for id_ in edges if id_ is not None))
    triples = read_triples(knowledge.graph, edges, knowledge.shape)
    hops = {id_: len(edges) - place for edges, _ in matches for place, id_ in enumerate(edges)}
    found = [Evidence(triples[id_], hops[id_]) for id_ in edges if id_ in triples]
    asked = _compared(graph.renamed())
    wanted = {
        (id_, key): None
        for _, nodes in matches
        for name, id_ in zip(compiled.nodes, nodes, strict=True)
        for key in asked.get(name, ())
    }
    return list(dict.fromkeys([*found, *_properties(knowledge, list(wanted))]))


def _said(knowledge: Knowledge, result: Result, matches: Sequence[Sequence[Sequence[str]]]) -> tuple[Evidence, ...]:
    """The passages of the nodes in some matches, the likeliest first."""
    there = {id_ for _, nodes in matches for id_ in nodes}
    passages = [item for item in result.passages.values() if item.node in there]
    ids = [item.node for item in passages]
    rows = {row["id"]: row for row in knowledge.graph.read(query("nodes_by_ids"), ids=ids)} if ids else {}
    passages = [item for item in passages if item.node in rows]
    named = {id_: (row["labels"], _named(row, knowledge.shape)) for id_, row in rows.items()}
    return knowledge.texts.evidence(passages, named)


def _named(row: Row, shape: Shape) -> str:
    """The name of a node as it was read."""
    return names_of(row["labels"], shape.visible(row["labels"], dict(row["properties"])), shape)[0]


def _next(knowledge: Knowledge, graph: QueryGraph, result: Result) -> list[Evidence]:
    """The triples of what comes right behind those that a single order keeps."""
    if len(graph.selections) != 1 or graph.selections[0].by is None or not isinstance(graph.answer, Value):
        return []
    kept = graph.selections[0]
    behind = replace(graph, selections=(replace(kept, limit=1, offset=kept.offset + kept.limit),))
    second = run(knowledge, behind, keys={}, naming={}, limit=1, named=result.named, whole=False, walks=1)
    if second.empty or second.answers == result.answers[:1]:
        return []
    known = {item.triple for item in _matched(knowledge, graph, replace(result, walks=1))}
    found = [replace(item, role="next", left_out=0) for item in _matched(knowledge, behind, second)]
    return [item for item in found if item.triple not in known]


def _instead(knowledge: Knowledge, graph: QueryGraph, result: Result) -> tuple[Evidence, ...]:
    """The triples of what was looked through where nothing was found: what the graph has in the place of one condition,
    or of one thing that is named, the last that it has something for."""
    if graph.selections or any(edge.is_way for edge in graph.edges):
        return ()
    until = time.monotonic() + LOOKED_THROUGH
    for open_, value in _opened(graph):
        if (left := until - time.monotonic()) <= 0:
            break
        compiled = compile_query(open_, hidden=knowledge.shape.left_out, named=result.named, told=knowledge.shape.told)
        with suppress(GraphTimeout):
            parameters = {**compiled.parameters, "walks": 1, "limit": INSTEAD}
            rows = knowledge.graph.read(compiled.evidence, timeout=left, **parameters)
            asked = replace(open_, answer=value) if value else open_
            found = _triples(knowledge, asked, compiled, [match for row in rows for match in row["walks"]])
            if found:
                return tuple(replace(item, role="instead") for item in found)
    return ()


def _opened(graph: QueryGraph) -> Iterator[tuple[QueryGraph, Value | None]]:
    """A query graph without one of several things that it bounds, the last first, and the property that was bounded."""
    bounded = sum(bool(variable.ids) for variable in graph.variables)
    conditions = [item for item in graph.conditions if isinstance(item.left, Value)]
    if bounded + len(conditions) < 2:
        return
    exists = replace(graph, answer=Aggregate("exists", Value(graph.root)), columns=())
    for item in reversed(conditions):
        if isinstance(item.left, Value):
            yield replace(exists, conditions=tuple(other for other in graph.conditions if other is not item)), item.left
    for variable in reversed(graph.variables):
        if variable.ids:
            free = tuple(replace(other, ids=()) if other is variable else other for other in graph.variables)
            yield replace(exists, variables=free), None


def _compared(graph: QueryGraph) -> dict[str, tuple[str, ...]]:
    """The properties of each variable that the query graph speaks of."""
    found: dict[str, dict[str, None]] = {}
    for value in graph.values():
        if value.key:
            found.setdefault(value.of, {})[value.key] = None
    return {name: tuple(keys) for name, keys in found.items()}


def _properties(knowledge: Knowledge, wanted: Sequence[tuple[str, str]]) -> list[Evidence]:
    shape = knowledge.shape
    rows = (
        knowledge.graph.read(query("nodes_by_ids"), ids=list(dict.fromkeys(id_ for id_, _ in wanted))) if wanted else []
    )
    nodes = {row["id"]: row for row in rows}
    found = []
    for id_, key in wanted:
        if id_ not in nodes:
            continue
        row = nodes[id_]
        if key in {part for label in row["labels"] for part in shape.display.get(label, ())}:
            continue  # the name stands in every triple
        properties = shape.visible(row["labels"], dict(row["properties"]))
        name = names_of(row["labels"], properties, shape)[0]
        found += [Evidence(triple, 1) for triple in property_triples(name, key, properties.get(key))]
    return found
