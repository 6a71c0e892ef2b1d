"""Said: what the terms of a graph add to what is known of it.

Comes in: terms, and the graph's schema or vocabulary. Goes out: the schema whose names are those that people say
(`kgneo.english.names.Called`), the choices that the terms make, and a vocabulary with other words for its names, words
for values, and properties that are not stored but stand for a query graph ("active" of customers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from kgneo.english.names import Called, called, in_singular, name_words, singular
from kgneo.english.words import FUNCTION_WORDS
from kgneo.graph.attach import Choices
from kgneo.graph.schema import Label, Property, Relation, Schema
from kgneo.query.catalogue import Catalogue
from kgneo.query.check import check
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.reading.fits import key_name
from kgneo.reading.vocabulary import Key, Kind, Said, Vocabulary, Word
from kgneo.terms.file import LabelTerms, PropertyTerms, RelationTerms, Term, Terms
from kgneo.text import fold, number_of

SURE, GUESSED, VERB = 1.0, 0.8, 0.7
"""Probability that a word means what somebody says it does, what a draft has guessed, and that a word for a
relationship type means it: "belongs to" is said of many things."""


# The schema ----------------------------------------------------------------------------------------------------------


def called_schema(schema: Schema, terms: Terms) -> Schema:
    """The schema with what the terms say of its names, values and units."""
    return replace(
        schema,
        labels=tuple(_called_label(item, terms.labels.get(item.name)) for item in schema.labels),
        relations=tuple(_called_relation(item, terms) for item in schema.relations),
    )


def _called_label(item: Label, said: LabelTerms | None) -> Label:
    if said is None:
        return item
    return replace(item, name=_called(item.name, said), properties=_called_properties(item.properties, said))


def _called_relation(item: Relation, terms: Terms) -> Relation:
    said = terms.relations.get(item.name)
    connections = tuple(
        replace(each, subject=_ends(each.subject, terms), object=_ends(each.object, terms)) for each in item.connections
    )
    if said is None:
        return replace(item, connections=connections)
    properties = _called_properties(item.properties, said)
    return replace(item, name=_called(item.name, said), properties=properties, connections=connections)


def _ends(labels: tuple[str, ...], terms: Terms) -> tuple[str, ...]:
    return tuple(_called(label, terms.labels[label]) if label in terms.labels else label for label in labels)


def _called(name: str, said: LabelTerms | RelationTerms | PropertyTerms) -> str:
    return Called(name, said.name, said.description) if said.name or said.description else name


def _called_properties(properties: tuple[Property, ...], owner: LabelTerms | RelationTerms) -> tuple[Property, ...]:
    found = []
    for item in properties:
        said = owner.properties.get(item.key)
        if said is not None:
            item = replace(item, key=_called(item.key, said), said=tuple(said.values.items()), unit=said.unit)
        found.append(item)
    return tuple(found)


def with_choices(chosen: Choices, terms: Terms, schema: Schema) -> Choices:
    """What the user chose, and the terms: what is hidden, and which properties name nodes. A choice of the user's own
    goes before the terms'; what the graph does not have is left to `kgneo terms check`."""
    keys = {label.name: {item.key for item in label.properties} for label in schema.labels}
    display = {
        label: "+".join(item.display)
        for label, item in terms.labels.items()
        if item.display and not item.hidden and {*item.display} <= keys.get(label, set())
    }
    owners: list[Label | Relation] = [*schema.labels, *schema.relations]
    every = {owner.name: {item.key for item in owner.properties} for owner in owners}
    known = {*every, *(f"{owner}.{key}" for owner, own in every.items() for key in own)}
    hidden = tuple(name for name in terms.hidden if name in known)
    return Choices({**display, **chosen.display}, chosen.include, tuple(dict.fromkeys([*chosen.exclude, *hidden])))


# The vocabulary ------------------------------------------------------------------------------------------------------


def with_terms(vocabulary: Vocabulary, terms: Terms, shown: Catalogue) -> Vocabulary:
    """The vocabulary with other words for its names, words for values, and properties that stand for query graphs, as
    far as these speak of nothing but what is `shown` of the graph."""
    meant = {name: item for name, item in terms.terms.items() if not check(item.graph, shown)}
    derived = {name: key for name, item in meant.items() if (key := _derived(name, item, vocabulary))}
    words: dict[str, list[Word]] = {}
    for phrase, word in (*_words(vocabulary, terms), *_words_of_terms(terms, derived)):
        if is_said_everywhere(phrase):
            continue
        known = words.setdefault(in_singular(fold(phrase).split()), [])
        if word.instead not in [item.instead for item in known]:
            known.append(word)
    names = [*vocabulary.labels, *map(vocabulary.readable, vocabulary.relations), *map(key_name, vocabulary.keys)]
    own = {in_singular(name_words(name)) for name in names}
    return replace(
        vocabulary,
        keys=(*(_with_unit(key, terms) for key in vocabulary.keys), *derived.values()),
        words={**vocabulary.words, **{phrase: _shared(found, phrase in own) for phrase, found in words.items()}},
        said=tuple(_said(vocabulary, terms)),
        symmetric=frozenset(name for name, item in terms.relations.items() if item.symmetric),
    )


def is_said_everywhere(phrase: str) -> bool:
    """Whether all words of a phrase are such as every sentence has: "by", "in the"."""
    return all(word in FUNCTION_WORDS for word in fold(phrase).split())


def _shared(words: list[Word], own: bool) -> tuple[Word, ...]:
    """What one phrase may mean, one as likely as another, and as itself where it is a name's `own` word."""
    return tuple(replace(word, probability=word.probability / (len(words) + own)) for word in words)


def _of_key(key: Key, terms: Terms) -> PropertyTerms | None:
    """What the terms say of a property."""
    owner = (terms.relations if key.of_edge else terms.labels).get(key.owner)
    return owner.properties.get(key.key) if owner else None


def _with_unit(key: Key, terms: Terms) -> Key:
    said = _of_key(key, terms)
    return replace(key, unit=said.unit) if said and said.unit else key


def _words(vocabulary: Vocabulary, terms: Terms) -> Iterator[tuple[str, Word]]:
    """Other words for names, each with the name's own."""
    own: Mapping[str, str] = {label: label for label in vocabulary.labels}
    relations = {relation: relation for relation in vocabulary.relations}
    for label, item in terms.labels.items():
        if label in own:
            yield from _each(item, label, " ".join(name_words(own[label])))
    for name, each in terms.relations.items():
        if name in relations:
            yield from _each(each, name, " ".join(name_words(vocabulary.readable(relations[name]))), verb=True)
    for key in vocabulary.keys:
        said = _of_key(key, terms)
        if said is not None:
            yield from _each(said, str(key.key), " ".join(name_words(key_name(key))))


def _each(
    item: LabelTerms | RelationTerms | PropertyTerms, name: str, instead: str, *, verb: bool = False
) -> Iterator[tuple[str, Word]]:
    """Its words; the graph's own name, too, where people call it otherwise."""
    own = " ".join(name_words(name))
    otherwise = item.name and own not in (instead, fold(item.name))
    for phrase in (*item.words, *([own] if otherwise else [])):
        yield phrase, Word(instead, min(GUESSED if item.guess else SURE, VERB if verb else SURE), verb=verb)


def _said(vocabulary: Vocabulary, terms: Terms) -> Iterator[Said]:
    """Words for values."""
    for key in vocabulary.keys:
        said = _of_key(key, terms)
        for value, phrases in (said.values if said else {}).items():
            number = (key.kind == "number" and key.form == "") or key.flags == (1, 0)
            typed = _number_or_text(value) if number else (value.lower() == "true") if _is_truth(key) else value
            yield from (Said(fold(phrase), key, typed, value) for phrase in phrases)


def _is_truth(key: Key) -> bool:
    return key.kind == "truth" and key.flags is None


def _number_or_text(value: str) -> int | float | str:
    found = number_of(value)
    return value if found is None else found


# Terms with a meaning ------------------------------------------------------------------------------------------------


def _derived(name: str, item: Term, vocabulary: Vocabulary) -> Key | None:
    """A property that is not stored: true of the nodes that a term's query graph finds, or the number that it asks for.
    None for one whose nodes have no label that the graph has."""
    graph = item.graph
    own = owner_of(graph)
    label = next((label for label in vocabulary.labels if label == own), None)
    if label is None:
        return None
    nouns = {singular(word) for word in name_words(label)}
    words = [word for word in fold(name).split() if singular(word) not in nouns] or fold(name).split()
    said = " ".join(words)
    kind: Kind = "number" if isinstance(graph.answer, Aggregate) else "truth"
    return Key(label, Called(name, said), kind, name=said, meaning=graph)


def owner_of(graph: QueryGraph) -> str:
    """The label of what a term's query graph asks for; empty where it has none, or another number of them."""
    asked = graph.answer.value if isinstance(graph.answer, Aggregate) else graph.answer
    if not isinstance(asked, Value) or (isinstance(graph.answer, Value) and asked.key):
        return ""
    try:
        labels = graph.variable(asked.of).labels
    except KeyError:
        return ""
    return labels[0] if len(labels) == 1 else ""


def _words_of_terms(terms: Terms, derived: Mapping[str, Key]) -> Iterator[tuple[str, Word]]:
    """What is read in the place of terms, and of other words for them: their own words before the noun for what they
    are said of, as in "vip customer"."""
    for name, key in derived.items():
        noun = " ".join(name_words(key.owner)) if key.kind == "truth" else ""
        said = called(key.key)
        whole = f"{said} {noun}".strip()
        phrases = list(terms.terms[name].words)
        if noun and not {singular(word) for word in fold(name).split()} & {singular(word) for word in noun.split()}:
            phrases.insert(0, name)
        yield from ((phrase, Word(whole, SURE, noun=noun)) for phrase in phrases)
