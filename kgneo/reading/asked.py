"""Asked: whether what a reading asks for may be what a question's word asks for: "where" asks for no number, "who" for
no date, "how many people" for no ships.

Comes in: what was heard of a question, and what a reading of it asks for. Goes out: whether it may.
"""

from __future__ import annotations

from kgneo.english.words import PEOPLE
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.reading.heard import Heard
from kgneo.reading.vocabulary import LIFELESS, MEASURED

PEOPLE_WORDS = {"who", "whom"}


def may_be_asked_for(heard: Heard, graph: QueryGraph) -> bool:
    """Whether what a reading asks for may be asked for by the question's word. Things may, but no others for people,
    and so may what is counted."""
    asked = graph.answer
    if not isinstance(asked, Value) or not asked.key:
        return not _counts_others(heard, graph)
    form, kinds = heard.form, {key.kind for key in heard.fits.keys if key.key == asked.key}
    if form.word == "where":
        return heard.fits.says_where(asked.key)
    if form.much:
        return kinds.isdisjoint(LIFELESS)
    return PEOPLE_WORDS.isdisjoint((form.word, *heard.plain[:1])) or kinds.isdisjoint(MEASURED)


def _counts_others(heard: Heard, graph: QueryGraph) -> bool:
    """Whether people are to be counted, and nodes are that are none."""
    asked, noun = graph.answer, heard.plain[heard.form.at : heard.form.at + 1]
    if not isinstance(asked, Aggregate) or asked.function != "count" or asked.value.key or asked.each:
        return False
    if heard.form.kind != "count" or PEOPLE.isdisjoint(noun):
        return False
    return not heard.fits.are_asked_by_who(graph.variable(graph.owner(asked.value.of)).labels)
