"""Asked: whether what a reading asks for may be what a question's word asks for: "where" asks for no number and for no
people, "who" for no date, "how many people" for no ships, "which school" for no teacher.

Comes in: what was heard of a question, and what a reading or a relation path asks for. Goes out: whether it may.
"""

from __future__ import annotations

from collections.abc import Collection

from kgneo.english.names import name_words, same_root
from kgneo.english.words import AGES, BIRTH, FUNCTION_WORDS, PEOPLE
from kgneo.query.graph import Aggregate, QueryGraph, Value
from kgneo.reading.heard import Heard
from kgneo.reading.vocabulary import LIFELESS, MEASURED

PEOPLE_WORDS = {"who", "whom"}
OF_BIRTH = BIRTH | AGES | {"age", "ages", "aged", "old", "young", "generation", "birthdays", "birthdates", "births"}
"""Words of questions that speak of when somebody was born."""


def may_be_asked_for(heard: Heard, graph: QueryGraph, found: Collection[str] = ()) -> bool:
    """Whether what a reading asks for may be asked for by the question's word. `found` are the labels of the nodes that
    it found, where its own says none."""
    asked = graph.answer
    if not _may_be_of_birth(heard, graph):
        return False
    if not isinstance(asked, Value):
        return not _counts_others(heard, graph)
    if not asked.key:
        return _may_be_things(heard, graph.variable(graph.owner(asked.of)).labels, found)
    form, kinds = heard.form, {key.kind for key in heard.fits.keys if key.key == asked.key}
    if (form.word == "which" and kinds == {"truth"}) or _asks_people(heard, asked.key):
        return False
    if form.word == "where":
        return heard.fits.says_where(asked.key)
    if form.much:
        return kinds.isdisjoint(LIFELESS)
    return PEOPLE_WORDS.isdisjoint((form.word, *heard.plain[:1])) or kinds.isdisjoint(MEASURED)


def _may_be_of_birth(heard: Heard, graph: QueryGraph) -> bool:
    """Whether a question speaks of birth or age, if its reading does: when somebody "moved in" is no date of birth."""
    return heard.fits.births.isdisjoint(value.key for value in graph.values()) or not OF_BIRTH.isdisjoint(heard.plain)


def _counts_others(heard: Heard, graph: QueryGraph) -> bool:
    """Whether people are to be counted, and nodes are that are none."""
    asked, noun = graph.answer, heard.plain[heard.form.at : heard.form.at + 1]
    if not isinstance(asked, Aggregate) or asked.function != "count" or asked.value.key or asked.each:
        return False
    if heard.form.kind != "count" or PEOPLE.isdisjoint(noun):
        return False
    return not heard.fits.are_asked_by_who(graph.variable(graph.owner(asked.value.of)).labels)


def _may_be_things(heard: Heard, asked: Collection[str], found: Collection[str]) -> bool:
    """Whether nodes of the labels that are asked for, or that were found, may be asked for by the question's word, and
    by the noun behind it. Whom a reading's "who" asks for is told by its verb, too: outfits that lease."""
    form, fits, labels = heard.form, heard.fits, found or asked
    if fits.vocabulary.spoken:  # classes that triples imply have no names of their own
        return True
    if form.much:
        return False
    if form.word == "where":
        return fits.are_asked_by_where(labels)
    if form.word in PEOPLE_WORDS:
        return not found or fits.are_asked_by_who(found)
    noun = _noun(heard)
    return not noun or fits.may_be_called(noun, labels)


def _asks_people(heard: Heard, key: str) -> bool:
    """Whether the noun behind "which" or "what" is for people, and a property is not called so."""
    at, fits = heard.form.at, heard.fits
    noun = heard.plain[at : at + 1] if heard.form.word in ("which", "what") and not _is_named(heard, at) else []
    if not noun or fits.likeness is None:
        return False
    own = {other for known in fits.keys if known.key == key for other in name_words(known.key)}
    named = any(same_root(noun[0], other) for other in own)
    return not named and fits.likeness.are_people(noun[0])


def _noun(heard: Heard) -> str:
    """The noun behind "which" or "what", where it stands alone and names nothing: "which SCHOOL does"; "" for none."""
    form, words = heard.form, heard.plain[heard.form.at : heard.form.at + 2]
    alone = len(words) > 1 and words[0] not in FUNCTION_WORDS and words[1] in FUNCTION_WORDS
    return words[0] if form.word in ("which", "what") and alone and not _is_named(heard, form.at) else ""


def _is_named(heard: Heard, at: int) -> bool:
    """Whether a word surely names a label, or a value: the ROWERS of a graph in which that is a kind of boat."""
    there = heard.mention_at(at)
    return heard.is_label(at) or (there >= 0 and heard.mentions[there].meanings[0].kind == "value")
