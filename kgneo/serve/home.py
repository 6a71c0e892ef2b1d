"""Home: what the page tells of a graph as a whole, as JSON: how the values of a property are spread, and the quality.

A value, a part of a histogram, a property that some nodes lack: each comes with the query graph that finds its nodes,
and with that in words, to be asked as any other question; without, where no query graph can say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from kgneo.context import Context
from kgneo.errors import UsageError
from kgneo.graph.quality import LabelQuality, Quality, quality, shown_keys
from kgneo.graph.schema import Property
from kgneo.graph.spread import Bin, ValueCount, spread
from kgneo.query.catalogue import Catalogue, Key
from kgneo.query.check import check
from kgneo.query.graph import Condition, Form, QueryGraph, Value, Variable
from kgneo.query.json import to_json
from kgneo.query.nearest import nearest
from kgneo.query.wording import wording

Record = dict[str, Any]
Part = TypeVar("Part")
QUALITY = "serve quality"
"""Where this stands in a context's memory, which is made anew when the graph has changed."""
VARIABLE = "x0"


@dataclass(frozen=True, slots=True)
class Home:
    """A graph, and what query graphs about it are checked against."""

    context: Context
    catalogue: Catalogue

    def values(self, label: str, key: str, limit: int) -> Record:
        """The most frequent values of a property of the nodes of a label, its least and greatest number or day, and how
        many nodes lie in which part between them. Raises UsageError for what is not shown of the graph."""
        context = self.context
        owner = _named(label, {item.name: item for item in context.knowledge.schema.labels}, "label")
        shown = shown_keys(owner, context.shape)
        item = _named(key, {each.key: each for each in owner.properties if each.key in shown}, f"property of {label}")
        found, value = spread(context.graph, context.shape, label, key, shown=limit), _value(item)
        missing = self._asked(label, Condition(Value(VARIABLE, key), "missing")) if found.missing else {}
        return {
            "label": label,
            "key": key,
            "type": item.type,
            "nodes": max(owner.nodes, found.looked_at) if found.partial else found.looked_at,
            **{name: getattr(found, name) for name in ("looked_at", "partial", "more", "least", "greatest")},
            "missing": {"number": found.missing, **missing},
            "values": [self._counted(label, value, each) for each in found.values],
            "bins": [self._bin(label, value, each) for each in found.bins],
        }

    def quality(self) -> Record:
        """What is amiss with the nodes of each label. Where all labels could be looked at, they are looked at again
        when the graph has changed."""
        memory, found = self.context.memory, self.context.memory.get(QUALITY)
        if not isinstance(found, Quality):
            found = quality(self.context.graph, self.context.knowledge.schema, self.context.shape)
            if found.complete:
                memory[QUALITY] = found
        return {"complete": found.complete, "labels": [self._of_label(item) for item in found.labels]}

    def _counted(self, label: str, value: Value, item: ValueCount) -> Record:
        asked = {} if item.value is None else self._asked(label, Condition(value, "=", (item.value,)))
        return {"text": item.text, "number": item.nodes, **asked}

    def _bin(self, label: str, value: Value, item: Bin) -> Record:
        bounds = (Condition(value, ">=", (item.low,)), Condition(value, "<", (item.high,)))
        return {"text": item.text, "number": item.nodes, **(self._asked(label, *bounds) if item.nodes else {})}

    def _of_label(self, item: LabelQuality) -> Record:
        lacking = [
            {**asdict(each), **self._asked(item.name, Condition(Value(VARIABLE, each.key), "missing"))}
            for each in item.lacking
        ]
        shared = [{"name": name, "number": number} for name, number in item.shared]
        return {**asdict(item), "lacking": lacking, "shared": shared}

    def _asked(self, label: str, *conditions: Condition) -> Record:
        """The query graph of the nodes for which conditions hold, and its words; nothing where it cannot be asked."""
        graph = QueryGraph((Variable(VARIABLE, (label,)),), Value(VARIABLE), conditions=conditions)
        if check(graph, self.catalogue):
            return {}
        return {"wording": wording(graph, names=self.context.shape.names), "graph": to_json(graph)}


def _value(item: Property) -> Value:
    """A property of the nodes, as conditions compare it."""
    forms: Mapping[str, Form] = {"list": "list", "date": "date"}
    return Value(VARIABLE, item.key, forms.get(Key(item.key, item.type).kind, ""))


def _named(name: str, known: Mapping[str, Part], what: str) -> Part:
    """The part of that name. Raises UsageError with the nearest where there is none, or none that is shown."""
    if name in known:
        return known[name]
    other = nearest(name, known)
    hint = f"Did you mean {other!r}?" if other else "The schema says what there is: /api/v1/schema."
    raise UsageError(f"There is no {what} {name[:100]!r}.", hint=hint)
