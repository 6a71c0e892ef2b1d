"""Parts of dates: query graphs that ask for the month, the weekday or the year of a date.

Comes in: a question, and how the question for the date is read. Goes out: the same with the part of the date that was
asked for, in the answer and in what that is grouped and ordered by.
"""

from __future__ import annotations

from dataclasses import replace

from kgneo.english.names import name_words, singular
from kgneo.query.graph import Aggregate, Form, QueryGraph, Value, with_values
from kgneo.reading.read import Interpretation
from kgneo.reading.vocabulary import Vocabulary


def names_part(vocabulary: Vocabulary, form: Form) -> bool:
    """Whether a name of the graph has the word for a part of a date: `birthYear`."""
    names = (*vocabulary.labels, *(key.name or key.key for key in vocabulary.keys))
    return any(singular(word) == form for name in names for word in name_words(name))


def with_part(item: Interpretation, form: Form, vocabulary: Vocabulary) -> Interpretation:
    """An interpretation that asks for a part of the date which it asks for; itself where that is no date."""
    graph, answer = item.graph, item.graph.answer
    asked = answer.per if isinstance(answer, Aggregate) and answer.top else answer
    if not isinstance(asked, Value) or not _is_date(vocabulary, graph, asked):
        return item
    found = with_values(replace(graph, conditions=()), lambda value: _of(value, asked, form))
    return replace(item, graph=replace(found, conditions=graph.conditions), meant=None, plain_chain=False)


def _of(value: Value, asked: Value, form: Form) -> Value:
    """The part of a value that is asked for; others as they are."""
    return replace(value, form=form) if (value.of, value.key) == (asked.of, asked.key) else value


def _is_date(vocabulary: Vocabulary, graph: QueryGraph, asked: Value) -> bool:
    """Whether a value is a date that says its month and day, year first."""
    edges = {edge.name: edge.relations for edge in graph.edges if edge.name}
    owners = edges[asked.of] if asked.of in edges else graph.variable(asked.of).labels
    return any(
        key.key == asked.key and key.kind == "date" and key.form == "date"
        for owner in owners
        for key in vocabulary.keys_of(owner)
    )
