"""The quality of a graph: nodes without a name, names that several nodes share, properties that some nodes lack, nodes
without any relationship.

Comes in: a graph, its schema, its shape. Goes out: for each label what was found among its nodes, without what the
shape leaves out. Of a large label the first nodes are looked at, and what there was no time for is told as such.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from kgneo.errors import GraphTimeout
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.schema import Label, Schema
from kgneo.graph.shape import LOADED_LABEL, Shape
from kgneo.graph.spread import FEWER_LOOKED_AT, MOST_LOOKED_AT, SECONDS, bounded

DEADLINE = 20.0
"""Seconds after which the labels that are left are not looked at."""
EXAMPLES = 5
ALL = 2**31 - 1
Rows = list[dict[str, Any]]
NOTHING = {"looked": 0, "unnamed": 0, "islands": 0, "names": 0, "sharing": 0, "first": ()}
"""What is said of a label that no node has any more."""


@dataclass(frozen=True, slots=True)
class Lack:
    """A property that some nodes lack: how many, and their share (0..1) of those that were looked at."""

    key: str
    nodes: int
    share: float


@dataclass(frozen=True, slots=True)
class LabelQuality:
    """A label with about so many `nodes`, of which `looked_at` were looked at (0: none, in the time there was).

    `named_by` are the properties that name its nodes. So many are `unnamed`; `shared_names` names are each that of
    several nodes, of `sharing_nodes` together, and `shared` has those of most nodes with their number. `islands` have
    no relationship. `partial`: there are more nodes than were looked at."""

    name: str
    nodes: int
    named_by: tuple[str, ...] = ()
    looked_at: int = 0
    unnamed: int = 0
    shared_names: int = 0
    sharing_nodes: int = 0
    shared: tuple[tuple[str, int], ...] = ()
    lacking: tuple[Lack, ...] = ()
    islands: int = 0
    partial: bool = False

    @property
    def flawless(self) -> bool:
        """Whether there is nothing to tell of it."""
        return bool(self.looked_at) and not (self.unnamed or self.shared_names or self.lacking or self.islands)


@dataclass(frozen=True, slots=True)
class Quality:
    """What was found of each label, the largest first."""

    labels: tuple[LabelQuality, ...]

    @property
    def complete(self) -> bool:
        """Whether every label was looked at."""
        return all(item.looked_at or not item.nodes for item in self.labels)

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts and lists, as `kgneo schema --quality --json` prints them."""
        return asdict(self)


def quality(graph: Graph, schema: Schema, shape: Shape, *, deadline: float = DEADLINE) -> Quality:
    """The quality of what `shape` uses of a graph; `schema` is without what it leaves out. A graph that is not large is
    looked at by two queries that are the same for every graph: planning some for each label takes longer. Of a large
    one the small labels come first, so that a large label takes no time away from them."""
    labels, ends_at = telling_labels(schema, shape), time.monotonic() + deadline
    if schema.nodes <= MOST_LOOKED_AT:
        with suppress(GraphTimeout):  # a server that has much else to do
            return Quality(tuple(_whole(graph, labels, shape, ends_at)))
    found = [_looked_at(graph, label, shape, ends_at) for label in reversed(labels)]
    return Quality(tuple(reversed(found)))


def telling_labels(schema: Schema, shape: Shape) -> list[Label]:
    """The labels, the largest first; without the one that every node has that kgneo loaded, where there are others."""
    every = sorted(schema.labels, key=lambda item: (-item.nodes, item.name))
    others = [label for label in every if not (shape.loaded and label.name == LOADED_LABEL)]
    return others or every


def naming_keys(shape: Shape, label: str) -> tuple[str, ...]:
    """The properties that name the nodes of a label."""
    return shape.display[LOADED_LABEL] if shape.loaded else shape.display.get(label, ())


def shown_keys(label: Label, shape: Shape) -> tuple[str, ...]:
    """The properties of a label that people are shown: those that questions are answered with, and those that name."""
    shown = {*shape.values.get(label.name, ()), *naming_keys(shape, label.name)}
    return tuple(item.key for item in label.properties if item.key in shown)


def _whole(graph: Graph, labels: Sequence[Label], shape: Shape, ends_at: float) -> list[LabelQuality]:
    """The labels after a look at all nodes. Raises GraphTimeout."""

    def read(file: str, **more: Any) -> dict[str, Rows]:
        found: dict[str, Rows] = {}
        for row in graph.read(query(file), timeout=_left(ends_at), **more, **shape.parameters):
            found.setdefault(row["label"], []).append(row)
        return found

    names = read("quality_names_whole", shown=EXAMPLES)
    lacking = read("quality_missing_whole", keys={label.name: list(shown_keys(label, shape)) for label in labels})
    return [_found(label, shape, names.get(label.name, [NOTHING]), lacking.get(label.name, [])) for label in labels]


def _looked_at(graph: Graph, label: Label, shape: Shape, ends_at: float) -> LabelQuality:
    """A label after a look at its first nodes."""
    keys = list(shown_keys(label, shape))

    def look(most: int) -> LabelQuality:
        def read(file: str, **more: Any) -> Rows:
            text = fill(file, label=label.name)
            return graph.read(text, timeout=_left(ends_at) / tries, most=most, **more, **shape.parameters)

        tries = 1 if most == FEWER_LOOKED_AT else 2
        names = read("quality_names", shown=EXAMPLES)
        return _found(label, shape, names, read("quality_missing", keys=keys) if keys else [], most)

    try:
        return bounded(look)
    except GraphTimeout:
        return LabelQuality(label.name, label.nodes, naming_keys(shape, label.name))


def _left(ends_at: float) -> float:
    """The seconds that one look may still take. Raises GraphTimeout where there are none."""
    left = min(SECONDS, ends_at - time.monotonic())
    if left <= 0:
        raise GraphTimeout("There is no time left to look at more of the graph.")
    return left


def _found(label: Label, shape: Shape, names: Rows, lacking: Rows, most: int = ALL) -> LabelQuality:
    """What rows say of a label, of which `most` nodes were looked at."""
    [seen] = names
    looked_at, partial = seen["looked"], seen["looked"] >= most
    return LabelQuality(
        label.name,
        max(label.nodes, looked_at) if partial else looked_at,
        naming_keys(shape, label.name),
        looked_at,
        seen["unnamed"],
        seen["names"],
        seen["sharing"],
        tuple((name, number) for name, number in seen["first"]),
        tuple(_lacking(lacking, looked_at)),
        seen["islands"],
        partial,
    )


def _lacking(rows: Rows, looked_at: int) -> Iterator[Lack]:
    for row in sorted(rows, key=lambda row: (-row["missing"], row["key"])):
        yield Lack(row["key"], row["missing"], row["missing"] / looked_at)


def quality_text(found: Quality) -> str:
    """What was found, in lines for a terminal."""
    lines = ["Quality"]
    for label in found.labels:
        part = f", of which the first {label.looked_at:,} were looked at" if label.partial else ""
        lines.append(f"  {label.name}  {label.nodes:,}{part}")
        lines += [f"    {text}" for text in _told(label)]
    if not found.complete:
        lines.append("Not every label could be looked at in time.")
    return "\n".join(lines)


def _told(label: LabelQuality) -> Sequence[str]:
    if not label.looked_at:
        return ["not looked at"]
    if label.flawless:
        return ["every node has a name of its own, all properties and a relationship"]
    keys = " and ".join(label.named_by) or "no property names them; --display says one"
    shared = ", ".join(f"{name} ({number:,})" for name, number in label.shared)
    more = ", …" if label.shared_names > len(label.shared) else ""
    lacking = ", ".join(f"{item.key} {item.nodes:,} ({percentage(item.share)})" for item in label.lacking)
    lines = (
        (label.unnamed, f"without a name: {label.unnamed:,} ({keys})"),
        (label.shared_names, f"names of several: {label.shared_names:,}, of {label.sharing_nodes:,}: {shared}{more}"),
        (len(label.lacking), f"missing: {lacking}"),
        (label.islands, f"without a relationship: {label.islands:,}"),
    )
    return [text for number, text in lines if number]


def percentage(share: float) -> str:
    """A share in per cent, of which none that is there says 0, and none but all says 100."""
    whole = round(100 * share)
    if share and not whole:
        return "less than 1 %"
    return "more than 99 %" if share < 1 and whole == 100 else f"{whole} %"
