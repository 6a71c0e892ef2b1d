"""Fit: what of the terms does not fit the graph, or themselves, so that it says nothing.

Comes in: terms, and the graph with its schema. Goes out: problems, each with its place in the file, and notes of what
works but is worth a look: words that mean several things, guesses of a draft that nobody has looked at.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgneo.english.names import in_singular
from kgneo.graph.connection import Graph
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.nearest import nearest
from kgneo.query.quoting import quote
from kgneo.query.told import ToldType, owning
from kgneo.terms.file import LabelTerms, PropertyTerms, RelationTerms, Terms
from kgneo.terms.said import is_said_everywhere, owner_of
from kgneo.text import fold, plain_question

SECONDS = 10.0
"""How long it may take to look whether the graph has a value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is said at a place of the file, and what is wrong with it; one that is not `wrong` is a note."""

    place: str
    text: str
    wrong: bool = True

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def findings(terms: Terms, graph: Graph, whole: Schema, shown: Catalogue) -> list[Finding]:
    """What is wrong with the terms of a graph, whose schema is `whole`, in the order of the file, then notes. `shown`
    is what questions may speak of: what terms and questions mean must be among that.

    Raises GraphError where the graph cannot be asked for a value.
    """
    labels = {item.name: item for item in whole.labels}
    relations = {item.name: item for item in whole.relations}
    found: list[Finding] = []
    for name, item in terms.labels.items():
        found += _of_owner(f"labels.{name}", name, item, labels, graph, "label")
    for name, each in terms.relations.items():
        found += _of_owner(f"relations.{name}", name, each, relations, graph, "relationship type")
    found += _of_meanings(terms, shown)
    return [*(item for item in found if item.wrong), *(item for item in found if not item.wrong), *_notes(terms)]


def _of_owner(
    place: str,
    name: str,
    said: LabelTerms | RelationTerms,
    known: Mapping[str, Label] | Mapping[str, Relation],
    graph: Graph,
    kind: str,
) -> Iterator[Finding]:
    owner = known.get(name)
    if owner is None:
        yield Finding(place, f"the graph has no {kind} {name!r}.{_meant(name, list(known))}")
        return
    keys = {item.key: item for item in owner.properties}
    for key in said.display if isinstance(said, LabelTerms) else ():
        if key not in keys:
            yield Finding(f"{place}.display", f"{name} has no property {key!r}.{_meant(key, list(keys))}")
    for key, item in said.properties.items():
        there = f"{place}.properties.{key}"
        if key not in keys:
            yield Finding(there, f"{name} has no property {key!r}.{_meant(key, list(keys))}")
            continue
        yield from _of_values(there, owner, keys[key], item, graph)


def _of_values(
    place: str, owner: Label | Relation, key: Property, said: PropertyTerms, graph: Graph
) -> Iterator[Finding]:
    """Values that no node or relationship has."""
    asked = [value for value in said.values if value not in key.examples]
    if not asked:
        return
    pattern = f"(owner:{quote(owner.name)})"
    if isinstance(owner, Relation):
        told = ToldType(*owner.stands_in) if owner.stands_in else None
        pattern = f"()-{owning(owner.name, told)}->()"
    rows = graph.read(
        f"MATCH {pattern} WITH toString(owner.{quote(key.key)}) AS value WHERE value IN $values RETURN DISTINCT value",
        values=asked,
        owner=owner.name,
        timeout=SECONDS,
    )
    there = {row["value"] for row in rows}
    for value in asked:
        if value not in there:
            yield Finding(f"{place}.values", f"no {owner.name} has the value {value!r} of {key.key}.")


def _of_meanings(terms: Terms, shown: Catalogue) -> Iterator[Finding]:
    """Terms and verified questions whose query graphs cannot be asked of the graph."""
    for name, item in terms.terms.items():
        problems = check(item.graph, shown)
        if problems:
            yield Finding(f"terms.{name}", problems[0])
        elif not owner_of(item.graph):
            yield Finding(f"terms.{name}", "expected a query graph that asks for nodes of one label, or for a number.")
    for number, question in enumerate(terms.questions):
        if problems := check(question.graph, shown):
            yield Finding(f"questions.{number} ({question.question})", problems[0])


def _notes(terms: Terms) -> Iterator[Finding]:
    meant: dict[str, list[str]] = defaultdict(list)
    guesses = 0
    for owner, item in terms.owners():
        guesses += item.guess + sum(each.guess for each in item.properties.values())
        for phrase in (item.name, *item.words):
            meant[_plain(phrase)].append(owner)
        for key, each in item.properties.items():
            for phrase in each.words:
                meant[_plain(phrase)].append(f"{owner}.{key}")
    for phrase, names in meant.items():
        owners = list(dict.fromkeys(names))
        if phrase and len(owners) > 1:
            yield Finding(phrase, f"means {' and '.join(owners)}; each is read as likely as the other.", wrong=False)
        if phrase and is_said_everywhere(phrase):
            yield Finding(phrase, "is a word of every sentence, and is not read as another word.", wrong=False)
    asked: dict[str, int] = defaultdict(int)
    for question in terms.questions:
        asked[plain_question(question.question)] += 1
    for text, times in asked.items():
        if times > 1:
            yield Finding("questions", f"{text!r} is verified {times} times; the last one counts.", wrong=False)
    if guesses:
        yield Finding(
            "guess", f"{guesses} guess{'es' if guesses > 1 else ''} of a draft, not looked at yet.", wrong=False
        )


def _plain(phrase: str) -> str:
    return in_singular(fold(phrase).split())


def _meant(name: str, known: list[str]) -> str:
    found = nearest(name, known)
    return f" Did you mean {found}?" if found else ""
