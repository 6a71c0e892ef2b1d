"""Written: values as the terms say that people write them: in a format, with a unit, a code with its meaning.

Comes in: a query graph, and the texts that it found. Goes out: the texts for people. Programs get them as the graph
has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from kgneo.query.graph import Aggregate, Expression, QueryGraph, Value
from kgneo.terms.file import PropertyTerms, Terms, is_for_dates
from kgneo.text import number_of

SAME_UNIT = ("sum", "average", "minimum", "maximum")
"""Functions whose number is measured as the values are."""


def as_written(graph: QueryGraph, answers: Sequence[str], terms: Terms) -> tuple[str, ...]:
    """The answers to a query graph, as people write them; none where the terms say nothing of them."""
    said = next(_asked(graph, graph.answer, terms), None)
    if said is None or not (said.format or said.unit or said.values):
        return ()
    return tuple(written(answer, said) for answer in answers)


def _asked(graph: QueryGraph, part: Expression, terms: Terms) -> Iterator[PropertyTerms]:
    """What terms say of the property that is asked for."""
    if isinstance(part, Aggregate) and part.function in SAME_UNIT and part.per is None:
        part = part.value
    if not isinstance(part, Value) or part.form:
        return
    labels = {label for item in graph.variables if item.name == part.of for label in item.labels or terms.labels}
    owners = [item for label, item in terms.labels.items() if label in labels]
    types = [terms.relations.get(name) for edge in graph.edges if edge.name == part.of for name in edge.relations]
    for owner in (*owners, *types):
        if owner is not None and part.key in owner.properties:
            yield owner.properties[part.key]


def written(text: str, said: PropertyTerms) -> str:
    """A value as people write it: 1234.5 as "1,234.50 EUR", 2024-05-01 as "1 May 2024", A as "A (active)"."""
    if said.values.get(text):
        return f"{text} ({said.values[text][0]})"
    told = formatted(text, said.format) if said.format else text
    return f"{told} {said.unit}" if said.unit and number_of(text) is not None else told


def formatted(text: str, form: str) -> str:
    """A number or a date in a format; as it is, where the format is not for it."""
    if not is_for_dates(form):
        number = number_of(text)
        return text if number is None else format(number, form)
    try:
        return date.fromisoformat(text[:10]).strftime(form)
    except ValueError:
        return text
