"""Constrain: entities that were reached, narrowed to those that meet the question's constraints (Mindful-RAG step 6).

The model says each constraint as a condition on a property of the entities, or of the relationship that reached them;
over triples that were loaded, as a relation to a named node. Conditions are checked against what there is, become
parts of a query graph, and are decided in Cypher, never by the model. A condition that nothing meets is not applied,
with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from kgneo.context import Context
from kgneo.errors import ContextOverflow, GraphError
from kgneo.graph.run import run
from kgneo.graph.walks import counted_hops
from kgneo.model import Hop
from kgneo.query.graph import Condition, Edge, Operator, QueryGraph, Scalar, Selection, Value, Variable
from kgneo.reading.vocabulary import Key
from kgneo.stages.facts import one_line
from kgneo.stages.generate import TABLE_2, ModelCalls
from kgneo.stages.interpret import reading
from kgneo.stages.reached import Reached

PARAMETERS = replace(TABLE_2, temperature=0.0, max_tokens=128)
ENTITY, BEFORE, EDGE, OTHER = "x", "before", "r", "other"
"""Names of the parts of the query graph: the entities, those before them, the relationship between, a named node."""
EXAMPLES = 3
TIMEOUT = 5.0
MOST = 4
"""Conditions that are read from one reply."""

_KEY = r"(?P<key>[\w@. -]*\w)"
_OPERATOR = r"(?P<operator><>|<=|>=|=|<|>|\bcontains\b|\bpresent\b|\bmissing\b)"
_CONDITION = re.compile(rf"^\W*{_KEY}\s*{_OPERATOR}\s*(?P<value>.*?)\s*$", re.IGNORECASE)
_EXTREME = re.compile(rf"^\W*(?P<which>lowest|highest)\s+{_KEY}\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Property:
    """What a condition may speak of: a property of the entities or of their relationship (`key`, with its kind and
    form), or a relation to a named node (`hop`)."""

    name: str
    of: str
    key: Key | None = None
    hop: Hop | None = None

    @property
    def line(self) -> str:
        """As a prompt shows it."""
        shown = ", ".join(map(one_line, self.key.examples[:EXAMPLES])) if self.key else "the name of a node"
        return f"{one_line(self.name)}: {shown}"


@dataclass(frozen=True, slots=True)
class Constrained:
    """The entities that are left, the constraints that were checked, in words, and the query that checked them."""

    entities: tuple[Reached, ...]
    checked: tuple[str, ...] = ()
    cypher: str = ""
    parameters: Mapping[str, object] | None = None


def properties_of(entities: Sequence[Reached], context: Context, hops: Sequence[Hop] = ()) -> tuple[Property, ...]:
    """What conditions on these entities may speak of; `hops` are those by which they were reached."""
    known = reading(context)
    if known is None:
        found = counted_hops(context.knowledge, [entity.id for entity in entities if not entity.value])
        return tuple(Property(hop.relation, OTHER, hop=hop) for hop in found if hop.forward and not hop.value)
    vocabulary = known.fits.vocabulary
    labels = {label for entity in entities for label in entity.labels}
    relations = {hop.relation for hop in hops[:1] if not hop.value}  # an edge of the query graph has one type
    keys = [Property(key.key, ENTITY, key) for label in sorted(labels) for key in vocabulary.keys_of(label)]
    keys += [
        Property(f"{relation}@{key.key}", EDGE, key)
        for relation in sorted(relations)
        for key in vocabulary.keys_of(relation)
    ]
    return tuple({item.name: item for item in keys}.values())


def constrain(
    question: str,
    constraints: Sequence[str],
    entities: Sequence[Reached],
    calls: ModelCalls,
    context: Context,
    *,
    before: Sequence[Reached] = (),
    hops: Sequence[Hop] = (),
) -> Constrained:
    """Narrow `entities`, reached from `before` along `hops`, to those that meet `constraints`. Raises ModelError."""
    nodes = [entity for entity in entities if not entity.value]
    properties = properties_of(nodes, context, hops) if constraints and nodes else ()
    if not properties:
        return Constrained(tuple(entities))
    try:
        reply = calls.complete(
            "constrain",
            PARAMETERS,
            question=one_line(question),
            constraints="; ".join(map(one_line, constraints)),
            properties="\n".join(item.line for item in properties),
        ).text
    except ContextOverflow as error:
        calls.warn(f"Constraints were not checked: {error.message}.")
        return Constrained(tuple(entities))
    graph, said = read_conditions(reply, properties, entities=nodes, before=before, hops=hops, context=context)
    if not said:
        listed = "; ".join(constraints)
        calls.warn(f"Constraints were not checked, since no property of the graph holds them: {listed}.")
        return Constrained(tuple(entities))
    return _checked(graph, said, entities, calls, context)


def _checked(
    graph: QueryGraph, said: tuple[str, ...], entities: Sequence[Reached], calls: ModelCalls, context: Context
) -> Constrained:
    known = reading(context)
    keys = known.keys if known else {}
    try:
        result = run(context.knowledge, graph, keys=keys, naming={}, limit=len(entities), timeout=TIMEOUT)
    except GraphError as error:
        calls.warn(f"Constraints were not checked: {error.message}")
        return Constrained(tuple(entities))
    left = {node.id for node in result.nodes}
    if not left:
        calls.warn(f"Nothing that was reached meets: {'; '.join(said)}. The constraint was not applied.")
        return Constrained(tuple(entities))
    kept = tuple(entity for entity in entities if entity.id in left)
    return Constrained(kept, said, result.compiled.text, {"limit": len(entities), **result.compiled.parameters})


def read_conditions(
    reply: str,
    properties: Sequence[Property],
    *,
    entities: Sequence[Reached],
    before: Sequence[Reached] = (),
    hops: Sequence[Hop] = (),
    context: Context | None = None,
) -> tuple[QueryGraph, tuple[str, ...]]:
    """The query graph of the entities that meet the conditions of a reply, and these in words; lines that are no
    condition on one of `properties` are left out."""
    named = {item.name.casefold(): item for item in properties}
    variables = [Variable(ENTITY, ids=tuple(entity.id for entity in entities))]
    edges: list[Edge] = []
    conditions: list[Condition] = []
    selections: list[Selection] = []
    said: list[str] = []
    for line in reply.splitlines()[:MOST]:
        extreme, compared = _EXTREME.match(line), _CONDITION.match(line)
        match = extreme or compared
        item = named.get(match["key"].strip().casefold()) if match else None
        if match is None or item is None:
            continue
        if item.hop is not None:
            node = _named_node(match["value"], context) if compared and compared["operator"] == "=" else ()
            if not node:
                continue
            name = f"{OTHER}{len(variables)}"
            variables.append(Variable(name, ids=node))
            edges.append(Edge(ENTITY, (item.hop.relation,), name))
        elif item.key is not None:
            value = Value(item.of, item.key.key, item.key.form)
            if extreme:
                selections.append(Selection(ENTITY, value, descending=extreme["which"].lower() == "highest"))
            elif (condition := _condition(value, item.key, compared)) is not None:
                conditions.append(condition)
            else:
                continue
        said.append(one_line(line.strip()))
    if any(part.of == EDGE for part in _values(conditions, selections)):
        variables.append(Variable(BEFORE, ids=tuple(entity.id for entity in before)))
        ends = (BEFORE, ENTITY) if hops[0].forward else (ENTITY, BEFORE)
        edges.append(Edge(ends[0], (hops[0].relation,), ends[1], name=EDGE))
    graph = QueryGraph(tuple(variables), Value(ENTITY), tuple(edges), tuple(conditions), tuple(selections))
    return graph, tuple(said)


def _values(conditions: Sequence[Condition], selections: Sequence[Selection]) -> list[Value]:
    found = [condition.left for condition in conditions] + [selection.by for selection in selections]
    return [value for value in found if isinstance(value, Value)]


def _condition(value: Value, key: Key, match: re.Match[str] | None) -> Condition | None:
    """A condition with a literal of the property's kind; None where the text is none."""
    if match is None:
        return None
    operator = match["operator"].lower()
    assert operator in get_args(Operator)
    if operator in ("present", "missing"):
        return Condition(value, operator)  # type: ignore[arg-type]
    literal = _literal(match["value"].strip(" \"'."), key)
    return None if literal is None else Condition(value, operator, (literal,))  # type: ignore[arg-type]


def _literal(text: str, key: Key) -> Scalar | None:
    if not text:
        return None
    if key.kind == "truth":
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.lower())
    if key.kind != "number" and (key.kind != "date" or key.form):  # a year that is a number has no form
        return text
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


def _named_node(text: str, context: Context | None) -> tuple[str, ...]:
    """The ids of the nodes of that name."""
    name = text.strip(" \"'")
    if context is None or not name:
        return ()
    found = context.knowledge.names.by_name([name])
    return tuple(named.entity.id for named in found.values())
