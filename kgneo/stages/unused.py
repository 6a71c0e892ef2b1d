"""Unused: the words of a question that an answer does not use, and those that nothing in the graph accounts for.

Comes in: a question and the query graph that answers it. Goes out: words as the question has them. A word is accounted
for by a cue: the name of something or a value that it stands in, a word of the question's form ("how many", "before"),
or a label, relationship type or property that it is like, by its letters or for the encoder.
"""

from __future__ import annotations

from collections.abc import Collection

from kgneo.context import Context
from kgneo.english.words import LIGHT_VERBS, PLAIN_VERBS
from kgneo.errors import EntityNotFound
from kgneo.query.graph import QueryGraph
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.silent import LIKE_ANY, asks_for_unknown, silent
from kgneo.stages.interpret import as_told, fits_of, reading
from kgneo.stages.link import unbracket

PRESENTING = frozenset(
    ("alphabetical", "alphabetically", "ascending", "descending", "different", "distinct", "exist", "exists",
     "existing", "number", "order", "ordered", "sorted", "unique", "various")
)  # fmt: skip
"""Words that say how answers are to be presented, and nothing of what they are."""
LIKE = 0.3
"""How like a word must be to something in the schema to be accounted for."""


def hear(context: Context, question: str) -> Heard | None:
    """What is heard of a question; None over a graph that is not read, and for a name that the graph does not have."""
    known = reading(context)
    if known is None:
        return None
    try:
        return Heard(unbracket(as_told(context, question))[0], fits_of(context, known), known.dictionary)
    except EntityNotFound:
        return None


def unused_words(heard: Heard, graph: QueryGraph) -> tuple[str, ...]:
    """The telling words of a question that are like nothing that `graph` speaks of."""
    relations = [relation for edge in graph.edges for relation in edge.relations]
    vocabulary = heard.fits.vocabulary
    links = [link for link in vocabulary.links if link.relation in relations]
    labels = {label for item in graph.variables for label in item.labels}
    labels |= {label for link in links for label in (link.subject, link.object)}
    keys = {value.key for value in graph.values()}
    spoken = [key for key in vocabulary.keys if key.key in keys]
    named = {word for text in _texts(graph) for word in text.casefold().split()}
    said = {index for index, word in enumerate(heard.plain) if word in named} | heard.form.used | heard.happening
    said |= {index for index, like in silent(heard, said, labels, relations, spoken) if like >= NAMED}
    left = [index for index, like in silent(heard, said, labels, relations, spoken) if like < LIKE_ANY]
    return _words(heard, [index for index in left if heard.plain[index] not in PLAIN_VERBS | LIGHT_VERBS])


def _texts(graph: QueryGraph) -> list[str]:
    """The texts that a query graph compares with."""
    right = [item.right for item in graph.conditions if isinstance(item.right, tuple)]
    return [str(value) for values in right for value in values]


def unaccounted(heard: Heard) -> tuple[str, ...]:
    """The telling words of a question that no cue accounts for."""
    said = heard.taken | heard.form.used | heard.happening | heard.supposing
    said |= {index for index, word in enumerate(heard.plain) if word in PLAIN_VERBS | LIGHT_VERBS | PRESENTING}
    left = [index for index in heard.telling if index not in said]
    return _words(heard, [index for index in left if likeness(heard, index) < LIKE])


def unmeant(heard: Heard) -> tuple[str, ...]:
    """The noun for what is asked for, where it hardly means anything that the graph has: "which FUEL"."""
    if heard.fits.vocabulary.spoken:  # classes that are only implied have no names to compare
        return ()
    return _words(heard, [at for at in heard.telling if at not in heard.taken and asks_for_unknown(heard, at)])


def likeness(heard: Heard, index: int) -> float:
    """How like a word is to what it is most like in the schema: 0 to 1."""
    word = heard.plain[index]
    mentions = [*heard.mentions, *heard.key_mentions]
    found = [meaning.score for item in mentions if item.start <= index < item.end for meaning in item.meanings]
    found += [*heard.fits.label(word).values(), *heard.fits.key(word).values(), *map(float, heard.fits.of(word)[1])]
    return max(found, default=0.0)


def _words(heard: Heard, indices: Collection[int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(heard.words[index].text for index in indices))
