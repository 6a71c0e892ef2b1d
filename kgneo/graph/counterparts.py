"""Counterparts: what a node without a name is called by, where it stands for one thing that has a name.

Comes in: answers. Goes out: the same with the name of its counterpart for each that has none of its own. A `Gymnast`
with points and no name, joined to one `Person` that is joined so to no other gymnast, is called as the person. A line
of an invoice is not called as its product, which has other lines, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgneo.graph.called import answer_node
from kgneo.graph.cypher import fill
from kgneo.graph.open import Knowledge
from kgneo.model import AnswerNode


def with_counterparts(knowledge: Knowledge, nodes: Sequence[AnswerNode]) -> tuple[AnswerNode, ...]:
    """The nodes; those that were only described have the name of their counterpart before what describes them."""
    nameless = [node for node in nodes if node.described and node.labels]
    if not nameless or knowledge.shape.loaded:
        return tuple(nodes)
    names: dict[str, str] = {}
    for label in dict.fromkeys(node.labels[0] for node in nameless):
        names |= _names(knowledge, label, [node.id for node in nameless if node.labels[0] == label])
    return tuple(
        replace(node, names=tuple(dict.fromkeys([names[node.id], *node.names]))) if node.id in names else node
        for node in nodes
    )


def _names(knowledge: Knowledge, label: str, ids: Sequence[str]) -> dict[str, str]:
    """The names of the counterparts of some nodes of a label; none where not each of them has one."""
    shape = knowledge.shape
    for relation, other in _standing_for(knowledge, label):
        text = fill("names_of_counterparts", relation=relation, label=other)
        rows = knowledge.graph.read(text, ids=list(ids), excluded=list(shape.excluded))
        found = [answer_node(row["id"], tuple(row["labels"]), row["properties"], shape) for row in rows]
        if len(found) == len(ids) and not any(node.described for node in found):
            return {node.id: node.names[0] for node in found}
    return {}


def _standing_for(knowledge: Knowledge, label: str) -> Iterator[tuple[str, str]]:
    """The types of which nodes of a label may have one relationship each, with the labels of their other ends."""
    shape, schema = knowledge.shape, knowledge.schema
    number = next((item.nodes for item in schema.labels if item.name == label), 0)
    for relation in schema.relations:
        for end in relation.connections if shape.uses(relation.name) else ():
            others = end.object if label in end.subject else end.subject if label in end.object else ()
            if end.times == number:
                yield from ((relation.name, other) for other in others if shape.display.get(other))
