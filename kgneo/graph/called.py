"""What a node is called: by the properties that name nodes of its labels, else by what describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgneo.graph.schema import LONGEST_LIST
from kgneo.graph.shape import Shape
from kgneo.graph.values import texts
from kgneo.model import AnswerNode

DESCRIBED = 4
"""Properties that describe a node without a name."""
NO_NAMING: Mapping[str, Sequence[str]] = {}


def answer_node(
    node: str,
    labels: tuple[str, ...],
    properties: Mapping[str, Any],
    shape: Shape,
    naming: Mapping[str, Sequence[str]] = NO_NAMING,
) -> AnswerNode:
    """A node (by the database's id) with all texts that name it; without a name, with what describes it and all of its
    properties' texts."""
    names = names_of(labels, properties, shape, naming)
    every = _texts_of(shape.visible(labels, properties))
    if _name(labels, every, shape):
        return AnswerNode(node, labels, names)
    whole = dict.fromkeys([*names, *(text for found in every.values() for text in found)])
    return AnswerNode(node, labels, tuple(whole), described=True)


def names_of(
    labels: Sequence[str],
    properties: Mapping[str, Any],
    shape: Shape,
    naming: Mapping[str, Sequence[str]] = NO_NAMING,
) -> tuple[str, ...]:
    """All texts that name a node, the one that is shown first; of a node without a name, what describes it."""
    every = _texts_of(shape.visible(labels, properties))
    identifying = dict.fromkeys(key for label in labels for key in naming.get(label, ()))
    others = [text for key in identifying for text in every.get(key, ())]
    shown = _name(labels, every, shape)
    if not shown:
        described = [f"{key.replace('_', ' ')} {', '.join(found)}" for key, found in every.items() if found]
        shown = ", ".join(described[:DESCRIBED]) or "a node without properties"
    return tuple(dict.fromkeys([shown, *others]))


def _texts_of(properties: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The texts of properties, without vectors and documents."""
    long = {key for key, value in properties.items() if isinstance(value, list) and len(value) > LONGEST_LIST}
    return {key: texts(value) for key, value in properties.items() if key not in long}


def _name(labels: Sequence[str], every: Mapping[str, Sequence[str]], shape: Shape) -> str:
    """The name that is shown of a node; empty where it has none."""
    for label in (*labels, *(shape.display if shape.loaded else ())):
        parts = [", ".join(every[key]) for key in shape.display.get(label, ()) if every.get(key)]
        if parts:
            return " ".join(parts)
    return ""
