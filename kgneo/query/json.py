"""JSON: a query graph as plain dicts and lists, read back with errors that name the field, and the JSON schema of it.

Fields are named as in `kgneo.query.graph`; those with their default value are left out. An answer, a left side or an
order is told by its fields: `function` is an aggregate's, `operator` a calculation's, else it is a value. A number in a
calculation stands for itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from kgneo.errors import DataError
from kgneo.query.catalogue import Catalogue, Label, Relation
from kgneo.query.graph import (
    MOST_STEPS,
    ONE_STEP,
    Aggregate,
    Arithmetic,
    Calculation,
    Condition,
    Edge,
    Expression,
    Form,
    Function,
    Number,
    Operator,
    QueryGraph,
    Scalar,
    Selection,
    Value,
    Variable,
    Whole,
)

Part = TypeVar("Part")
LARGEST = 2**63
"""Neo4j's whole numbers have 64 bits."""
MOST_PARTS = 8
"""Variables, edges, conditions and selections, each, that a model may write."""
DEEPEST = 8
"""Calculations that may stand in one another."""
LONGEST_NAME = 16
"""Characters of a variable's name that a model may write."""

# Writing -------------------------------------------------------------------------------------------------------------


def to_json(graph: QueryGraph) -> dict[str, Any]:
    """`graph` as dicts, lists and scalars; `from_json` gives an equal one."""
    return _without_defaults(
        {
            "variables": [_variable(item) for item in graph.variables],
            "edges": [_edge(item) for item in graph.edges],
            "conditions": [_condition(item) for item in graph.conditions],
            "alternatives": [
                [[_condition(item) for item in option] for option in options] for options in graph.alternatives
            ],
            "different": list(graph.different),
            "selections": [_selection(item) for item in graph.selections],
            "answer": _part(graph.answer),
            "columns": [_part(item) for item in graph.columns],
        }
    )


def _without_defaults(record: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    """Without what is empty, or given as a default; zero and False are not empty."""
    return {
        name: value
        for name, value in record.items()
        if value is not None and value not in ("", []) and not (name in defaults and value == defaults[name])
    }


def _variable(item: Variable) -> dict[str, Any]:
    return _without_defaults({"name": item.name, "labels": list(item.labels), "ids": list(item.ids)})


def _edge(item: Edge) -> dict[str, Any]:
    record = {
        "subject": item.subject,
        "relations": list(item.relations),
        "object": item.object,
        "name": item.name,
        "directed": item.directed,
        "absent": item.absent,
        "optional": item.optional,
        "steps": list(item.steps),
        "avoiding": list(item.avoiding),
        "busiest": item.busiest,
    }
    return _without_defaults(record, directed=True, absent=False, optional=False, steps=list(ONE_STEP), busiest=0)


def _part(item: Expression | Number) -> Any:
    if isinstance(item, Whole):
        raise ValueError("A query graph is written as it was before its numbers over all were told apart.")
    if isinstance(item, Value):
        return _without_defaults({"of": item.of, "key": item.key, "form": item.form})
    if isinstance(item, Aggregate):
        others = {name: getattr(item, name) for name in ("per", "over", "each")}
        told = {name: None if other is None else _part(other) for name, other in others.items()}
        record = {"function": item.function, "value": _part(item.value), **told, "top": item.top}
        return _without_defaults(record, top=0)
    if isinstance(item, Arithmetic):
        return {"operator": item.operator, "left": _part(item.left), "right": _part(item.right)}
    return item


def _condition(item: Condition) -> dict[str, Any]:
    right = list(item.right) if isinstance(item.right, tuple) else _part(item.right)
    record = {"left": _part(item.left), "operator": item.operator, "right": right, "capitals": item.capitals}
    return _without_defaults(record, capitals=False)


def _selection(item: Selection) -> dict[str, Any]:
    record = {
        "variable": item.variable,
        "by": None if item.by is None else _part(item.by),
        "descending": item.descending,
        "limit": item.limit,
        "offset": item.offset,
    }
    return _without_defaults(record, descending=False, limit=1, offset=0)


# Reading -------------------------------------------------------------------------------------------------------------


def from_json(record: object) -> QueryGraph:
    """The inverse of `to_json`. Raises DataError, saying which field, what was found and what was expected."""
    field = _Field("the query graph", record)
    field.only("variables", "edges", "conditions", "alternatives", "different", "selections", "answer", "columns")
    return QueryGraph(
        variables=field.get("variables").items(_read_variable),
        answer=_read_part(field.get("answer")),
        edges=field.get("edges", []).items(_read_edge),
        conditions=field.get("conditions", []).items(_read_condition),
        selections=field.get("selections", []).items(_read_selection),
        columns=field.get("columns", []).items(_read_part),
        alternatives=field.get("alternatives", []).items(_read_options),
        different=field.get("different", []).items(_Field.text),
    )


@dataclass(frozen=True, slots=True)
class _Field:
    """A piece of JSON and where it stands."""

    path: str
    value: object

    def wrong(self, expected: str) -> DataError:
        found = repr(self.value)
        found = found if len(found) <= 80 else found[:77] + "..."
        return DataError(f"{self.path}: found {found}, expected {expected}.")

    def mapping(self) -> Mapping[str, object]:
        if not isinstance(self.value, dict):
            raise self.wrong("an object with named fields")
        return self.value

    def only(self, *names: str) -> None:
        for name in self.mapping():
            if name not in names:
                raise DataError(f"{self.path}: found a field {name!r}, expected one of {', '.join(names)}.")

    def get(self, name: str, default: object = None) -> _Field:
        record = self.mapping()
        if name not in record and default is None:
            found = ", ".join(map(repr, record)) or "nothing"
            raise DataError(f"{self.path}: found {found}, expected a field {name!r}.")
        return _Field(name if self.path == "the query graph" else f"{self.path}.{name}", record.get(name, default))

    def items(self, read: Callable[[_Field], Part]) -> tuple[Part, ...]:
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return tuple(read(_Field(f"{self.path}[{number}]", item)) for number, item in enumerate(self.value))

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value

    def truth(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def whole(self) -> int:
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong("a whole number")
        if not -LARGEST <= self.value < LARGEST:
            raise self.wrong("a whole number of 64 bits")
        return self.value

    def scalar(self) -> Scalar:
        finite = not isinstance(self.value, float) or math.isfinite(self.value)
        if not isinstance(self.value, str | int | float) or not finite:
            raise self.wrong("a text, a number, true or false")
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return self.whole()
        return self.value

    def one_of(self, words: Any) -> Any:
        known = get_args(words)
        if self.value not in known or not isinstance(self.value, str):
            raise self.wrong("one of " + ", ".join(map(repr, known)))
        return self.value


def _read_variable(field: _Field) -> Variable:
    field.only("name", "labels", "ids")
    return Variable(
        field.get("name").text(),
        field.get("labels", []).items(_Field.text),
        field.get("ids", []).items(_Field.text),
    )


def _read_edge(field: _Field) -> Edge:
    names = ("subject", "relations", "object", "name", "directed", "absent", "optional", "steps", "avoiding", "busiest")
    field.only(*names)
    return Edge(
        field.get("subject").text(),
        field.get("relations", [] if "steps" in field.mapping() else None).items(_Field.text),
        field.get("object").text(),
        name=field.get("name", "").text(),
        directed=field.get("directed", True).truth(),
        absent=field.get("absent", False).truth(),
        optional=field.get("optional", False).truth(),
        steps=_read_steps(field.get("steps", list(ONE_STEP))),
        avoiding=field.get("avoiding", []).items(_Field.text),
        busiest=field.get("busiest", 0).whole(),
    )


def _read_steps(field: _Field) -> tuple[int, int]:
    found = field.items(_Field.whole)
    if len(found) != 2:
        raise field.wrong("two whole numbers, the least and the most steps")
    return found[0], found[1]


def _read_value(field: _Field) -> Value:
    field.only("of", "key", "form")
    return Value(field.get("of").text(), field.get("key", "").text(), field.get("form", "").one_of(Form))


def _read_part(field: _Field, depth: int = 0) -> Expression:
    if "operator" in field.mapping():
        return _read_calculation(field, depth)
    if "function" not in field.mapping():
        return _read_value(field)
    field.only("function", "value", "per", "over", "each", "top")
    others = ("per", "over", "each")
    per, over, each = (_read_value(field.get(name)) if name in field.mapping() else None for name in others)
    top = field.get("top", 0).whole()
    return Aggregate(field.get("function").one_of(Function), _read_value(field.get("value")), per, over, top, each)


def _read_calculation(field: _Field, depth: int) -> Arithmetic:
    field.only("operator", "left", "right")
    if depth >= DEEPEST:
        raise field.wrong(f"calculations at most {DEEPEST} deep in one another")
    left, right = (_read_operand(field.get(name), depth + 1) for name in ("left", "right"))
    return Arithmetic(field.get("operator").one_of(Calculation), left, right)


def _read_operand(field: _Field, depth: int) -> Expression | Number:
    if isinstance(field.value, dict):
        return _read_part(field, depth)
    number = field.scalar()
    if isinstance(number, str | bool):
        raise field.wrong("a property, an aggregate, a calculation or a number")
    return number


def _read_condition(field: _Field) -> Condition:
    field.only("left", "operator", "right", "capitals")
    right = field.get("right", [])
    return Condition(
        _read_part(field.get("left")),
        field.get("operator", "=").one_of(Operator),
        _read_part(right) if isinstance(right.value, dict) else right.items(_Field.scalar),
        field.get("capitals", False).truth(),
    )


def _read_options(field: _Field) -> tuple[tuple[Condition, ...], ...]:
    return field.items(lambda option: option.items(_read_condition))


def _read_selection(field: _Field) -> Selection:
    field.only("variable", "by", "descending", "limit", "offset")
    return Selection(
        field.get("variable").text(),
        _read_part(field.get("by")) if "by" in field.mapping() else None,
        descending=field.get("descending", False).truth(),
        limit=field.get("limit", 1).whole(),
        offset=field.get("offset", 0).whole(),
    )


# The schema ----------------------------------------------------------------------------------------------------------


def json_schema(catalogue: Catalogue, *, ids: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON schema (2020-12) of what a model may write and `from_json` reads, with the names of `catalogue` and no
    others, at most MOST_PARTS of each part, since small models do not end by themselves; `ids` are the element ids that
    variables may have (none: no variable may have any)."""
    labels = _words(label.name for label in catalogue.labels)
    relations = _words(relation.name for relation in catalogue.relations)
    owners: tuple[Label | Relation, ...] = (*catalogue.labels, *catalogue.relations)
    keys = _words(sorted({key.name for owner in owners for key in owner.keys}))
    name = {"type": "string", "pattern": f"^[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}$"}
    value, aggregate = {"$ref": "#/$defs/value"}, {"$ref": "#/$defs/aggregate"}
    variable = {"name": name, "labels": _list(labels), **({"ids": _list(_words(ids))} if ids else {})}
    edge = {"subject": name, "relations": _list(relations, least=1), "object": name, "name": name}
    edge |= {word: {"type": "boolean"} for word in ("directed", "absent", "optional")}
    steps = {"type": "integer", "minimum": 0, "maximum": MOST_STEPS}
    way = {**edge, "relations": _list(relations), "steps": _list(steps, least=2, most=2)}
    way |= {"avoiding": _list(name, most=MOST_PARTS), "busiest": {"type": "integer", "minimum": 0}}
    edges = {"anyOf": [_object(edge, "subject", "relations", "object"), _object(way, "subject", "object", "steps")]}
    literals = _list({"type": ["string", "number", "boolean"]})
    part = {"anyOf": [value, aggregate, {"$ref": "#/$defs/calculation"}]}
    operand = {"anyOf": [*part["anyOf"], {"type": "number"}]}
    condition = {"left": part, "operator": _words(get_args(Operator)), "right": {"anyOf": [literals, *part["anyOf"]]}}
    condition |= {"capitals": {"type": "boolean"}}
    selection = {"variable": name, "by": part, "descending": {"type": "boolean"}}
    selection |= {"limit": {"type": "integer", "minimum": 1}, "offset": {"type": "integer", "minimum": 0}}
    calculation: dict[str, Any] = {"operator": _words(get_args(Calculation)), "left": operand, "right": operand}
    conditions = _list({"$ref": "#/$defs/condition"}, most=MOST_PARTS)
    graph: dict[str, Any] = {
        "variables": _list(_object(variable, "name"), least=1, most=MOST_PARTS),
        "edges": _list(edges, most=MOST_PARTS),
        "conditions": conditions,
        "alternatives": _list(_list({**conditions, "minItems": 1}, least=1, most=MOST_PARTS), most=MOST_PARTS),
        "different": _list(name, most=MOST_PARTS),
        "selections": _list(_object(selection, "variable"), most=MOST_PARTS),
        "answer": part,
        "columns": _list(part, most=MOST_PARTS),
    }
    parts = {
        "value": _object({"of": name, "key": keys, "form": _words(get_args(Form))}, "of"),
        "aggregate": _object(
            {"function": _words(get_args(Function)), "value": value, "per": value, "over": value, "each": value}
            | {"top": {"type": "integer"}},
            "function",
            "value",
        ),
        "calculation": _object(calculation, *calculation),
        "condition": _object(condition, "left", "operator"),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_object(graph, "variables", "answer"),
        "$defs": parts,
    }


def _words(words: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(words)}


def _list(items: Mapping[str, Any], *, least: int = 0, most: int = 0) -> dict[str, Any]:
    bounds = {"minItems": least, "maxItems": most}
    return {"type": "array", "items": dict(items), **{word: number for word, number in bounds.items() if number}}


def _object(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
