"""Rows of a guarded statement as people read them: answers, the nodes among them, the triples behind them.

The triples come from the relationships and paths that the statement returns, and from a second query: the same patterns
with their relationships returned, so that an answer that is a number or a name has evidence, too. A statement that has
more than patterns before its RETURN (WITH, CALL, UNION) has none but what it returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import neo4j.graph

from kgneo.errors import GraphError
from kgneo.graph.called import answer_node, names_of
from kgneo.graph.open import Knowledge
from kgneo.graph.shape import is_own
from kgneo.graph.statement import Guard, Rows
from kgneo.graph.values import property_triples, texts
from kgneo.graph.walks import read_triples
from kgneo.model import AnswerNode, Evidence
from kgneo.query.statement import Statement, evidence_query

MOST = 200
"""Triples of evidence at most."""


@dataclass(frozen=True, slots=True)
class Told:
    """`answers` are the rows as texts, each once; `nodes` those among them that are nodes; `evidence` the triples."""

    answers: tuple[str, ...]
    nodes: tuple[AnswerNode, ...]
    evidence: tuple[Evidence, ...]


def tell(
    knowledge: Knowledge,
    guard: Guard,
    statement: Statement,
    rows: Rows,
    parameters: Mapping[str, Any] | None = None,
) -> Told:
    """`rows` of `statement` as answers with their evidence."""
    answers: dict[str, None] = {}
    nodes: dict[str, AnswerNode] = {}
    for row in rows.rows:
        values = [", ".join(_texts(value, knowledge, nodes)) for value in row.values()]
        answers[f"{values[0]}: {', '.join(values[1:])}" if len(values) > 1 else values[0]] = None
    answers.pop("", None)
    return Told(tuple(answers), tuple(nodes.values()), _evidence(knowledge, guard, statement, rows, parameters))


def plain(value: Any, knowledge: Knowledge) -> Any:
    """A value of a row as JSON has it: nodes by their names, labels and properties, relationships and paths as triples
    in text; without what kgneo wrote."""
    if isinstance(value, neo4j.graph.Node):
        record = knowledge.shape.visible(value.labels, dict(value))
        properties = {key: shown for key, item in record.items() if (shown := plain(item, knowledge)) not in ("", [])}
        return {
            "name": _name(value, knowledge),
            "labels": list(knowledge.shape.own_labels(value.labels)),
            "properties": properties,
        }
    if isinstance(value, neo4j.graph.Relationship):
        return _arrow(value, knowledge)
    if isinstance(value, neo4j.graph.Path):
        return [_arrow(item, knowledge) for item in value.relationships]
    if isinstance(value, dict):
        return {key: plain(item, knowledge) for key, item in value.items() if not is_own(key)}
    if isinstance(value, list):
        return [plain(item, knowledge) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return ", ".join(texts(value))


def _texts(value: Any, knowledge: Knowledge, nodes: dict[str, AnswerNode]) -> Iterator[str]:
    if isinstance(value, neo4j.graph.Node):
        labels = knowledge.shape.own_labels(value.labels)
        node = answer_node(value.element_id, labels, dict(value), knowledge.shape)
        nodes[node.id] = node
        yield node.names[0]
    elif isinstance(value, neo4j.graph.Relationship):
        yield _arrow(value, knowledge)
    elif isinstance(value, neo4j.graph.Path):
        yield from (_arrow(item, knowledge) for item in value.relationships)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, knowledge, nodes)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{key} {', '.join(_texts(item, knowledge, nodes))}"
    elif isinstance(value, bool):
        yield "yes" if value else "no"
    else:
        yield from texts(value)


def _name(node: neo4j.graph.Node, knowledge: Knowledge) -> str:
    return names_of(knowledge.shape.own_labels(node.labels), dict(node), knowledge.shape)[0]


def _arrow(item: neo4j.graph.Relationship, knowledge: Knowledge) -> str:
    start, end = item.nodes
    ends = [_name(node, knowledge) if node is not None and node.labels else "…" for node in (start, end)]
    return f"({ends[0]}, {item.type}, {ends[1]})"


def _evidence(
    knowledge: Knowledge, guard: Guard, statement: Statement, rows: Rows, parameters: Mapping[str, Any] | None
) -> tuple[Evidence, ...]:
    found = dict.fromkeys(id_ for row in rows.rows for value in row.values() for id_ in _relationships(value))
    properties: dict[Evidence, None] = {}
    second = evidence_query(statement, limit=MOST)
    if second is not None:
        text, keys = second
        try:
            behind: Sequence[dict[str, Any]] = guard.rows(text, parameters).rows
        except GraphError:
            behind = ()  # a statement that was just in time may be too slow with its relationships
        for row in behind:
            found |= dict.fromkeys(id_ for value in row.values() for id_ in _relationships(value))
            properties |= dict.fromkeys(_properties(row, keys, knowledge))
    ids = list(found)[:MOST]
    triples = read_triples(knowledge.graph, ids, knowledge.shape)
    return tuple([*(Evidence(triples[id_], 1) for id_ in ids if id_ in triples), *properties][:MOST])


def _relationships(value: Any) -> Iterator[str]:
    if isinstance(value, neo4j.graph.Relationship):
        yield value.element_id
    elif isinstance(value, neo4j.graph.Path):
        yield from (item.element_id for item in value.relationships)
    elif isinstance(value, list):
        for item in value:
            yield from _relationships(item)


def _properties(row: dict[str, Any], keys: Sequence[tuple[str, str]], knowledge: Knowledge) -> Iterator[Evidence]:
    """The property values that the statement returns, but for those that are names."""
    for variable, key in keys:
        node = row.get(variable)
        if isinstance(node, neo4j.graph.Node) and key not in {
            part for label in node.labels for part in knowledge.shape.display.get(label, ())
        }:
            for triple in property_triples(_name(node, knowledge), key, node.get(key)):
                yield Evidence(triple, 1)
