"""Computed: what a stage found by computing on the graph, where no query graph can say it; and kinds of things by the
words for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.context import Context
from kgneo.english.names import is_noun, name_words, singular
from kgneo.english.words import NUMERALS
from kgneo.model import AnswerNode, Evidence, Table, TopicEntity
from kgneo.query.graph import Edge, QueryGraph, Value, Variable
from kgneo.stages.connect import SURE, label_of, relations_named
from kgneo.stages.interpret import reading, run_query


@dataclass(frozen=True, slots=True)
class Computed:
    """What was computed, and not found by a query graph: the answers with the nodes among them, a table of both with
    what was computed, the words for it, the triples, and what is to be said besides."""

    wording: str
    text: str
    nodes: tuple[AnswerNode, ...] = ()
    answers: tuple[str, ...] = ()
    table: Table | None = None
    evidence: tuple[Evidence, ...] = ()
    topics: tuple[TopicEntity, ...] = ()
    confidence: float = SURE
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of things: those of a `label`, or class of plain triples, and those at one end of a `relation`: directors
    are the objects of "directed by", or the subjects of "directed". Without either: all."""

    word: str = ""
    label: str = ""
    relation: str = ""
    is_object: bool = True

    def graph(self, context: Context, ids: Sequence[str]) -> QueryGraph:
        """The query graph for those of the nodes `ids` that are of this kind."""
        known = reading(context)
        implied = known.implied if known else None
        labels = (self.label,) if self.label and not implied else ()
        edges: tuple[Edge, ...] = ()
        variables: tuple[Variable, ...] = (Variable("x", labels, ids=tuple(ids)),)
        if self.relation:
            ends = ("y", "x") if self.is_object else ("x", "y")
            edges, variables = (Edge(ends[0], (self.relation,), ends[1]),), (*variables, Variable("y"))
        graph = QueryGraph(variables, Value("x"), edges)
        return implied.of_kind(graph, "x", self.label) if implied and self.label else graph

    def among(self, context: Context, ids: Sequence[str]) -> list[AnswerNode]:
        """Those of the nodes `ids` that are of this kind, in their order."""
        if not ids:
            return []
        places = {id_: place for place, id_ in enumerate(ids)}
        found = run_query(context, self.graph(context, ids), limit=len(ids), whole=False).nodes
        return sorted(found, key=lambda node: places[node.id])


def numbers_apart(words: Sequence[str]) -> tuple[list[int], list[str]]:
    """The numbers among some words, in digits or spelt, and the other words."""
    numbers = [int(NUMERALS.get(word, word)) for word in words if word in NUMERALS or word.isdecimal()]
    return numbers, [word for word in words if word not in NUMERALS and not word.isdecimal()]


def kind_of(context: Context, word: str) -> Kind | None:
    """The kind of things that a word is for: a label by its own name, what is at one end of a relationship type
    ("directors"), a label by a like name; None where it is for none."""
    label = label_of(context, word)
    if label and any(is_noun(word, part) for part in name_words(label)):
        return Kind(word, label)
    relations = relations_named(context, [word])
    if len(relations) == 1:
        parts = name_words(relations[0])
        own = any(singular(word) == singular(part) for part in parts)
        return Kind(word, "", relations[0], own or parts[-1] == "by")
    return Kind(word, label) if label else None
