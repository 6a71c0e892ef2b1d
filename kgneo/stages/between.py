"""Between: which of two named things has more of something: "which one is older, Ann or Bob?" asks which person is.

Comes in: a question, and what the graph has under names. Goes out: the question with the kind of the two for the word
that stands for them, and the two behind ("Which person is older, Ann or Bob?"), and those of its readings that ask for
one of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgneo.english.names import is_past, is_present, name_words
from kgneo.english.words import COMPARATIVES, EXTREMES, FINITE
from kgneo.query.graph import QueryGraph, Value
from kgneo.reading.mentions import Lookup
from kgneo.reading.read import Interpretation
from kgneo.reading.vocabulary import Vocabulary
from kgneo.text import fold

_ASKING = r"(?:which|what|who|where)(?P<one> ones?| of (?:them|these|those|the two))?\b"
_BEHIND = re.compile(
    rf"{_ASKING} (?P<rest>[^,;:?]+?)(?:\s*[,;:]\s*|\s+[–-]\s+)(?P<names>.+ or .+?)\s*\?*", re.IGNORECASE
)
_BEFORE = re.compile(rf"between (?P<names>.+ and .+?),? {_ASKING} (?P<rest>[^?]+?)\s*\?*", re.IGNORECASE)
_OF = re.compile(r"(?:which|who|what)(?: one)? of (?P<all>.+? (?:and|or) [^?]+?)\s*\?*", re.IGNORECASE)
_BE = re.compile(r"(?:is|was|are|were) (?P<all>.+? or [^?]+?)\s*\?*", re.IGNORECASE)
_AND = re.compile(r"\s*,?\s+(?:and|or)\s+", re.IGNORECASE)
_MORE = COMPARATIVES.keys() | EXTREMES.keys()
"""Words of what one of two is; "is Ann or Bob a coach" asks for yes or no."""
ARTICLE = re.compile(r"(?:the|a|an) ", re.IGNORECASE)
LONGEST = 8
"""Words of a name, at most."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two names, and what is asked of them: "is older", "enrolled more people"."""

    one: str
    other: str
    rest: str


def between(question: str, vocabulary: Vocabulary, dictionary: Lookup) -> str | None:
    """The question with the kind of the two things that it asks one of; None where it asks for something else."""
    for pair in _pairs(" ".join(question.split())):
        labels = _labels(pair.one, vocabulary, dictionary) & _labels(pair.other, vocabulary, dictionary)
        kind = " ".join(name_words(min(labels, default="")))
        if len(labels) == 1 and not pair.rest.lower().startswith(kind):
            return f"Which {kind} {pair.rest}, {pair.one} or {pair.other}?"
    return None


def of_the_two(items: Sequence[Interpretation]) -> list[Interpretation]:
    """The readings that ask for one of two named nodes; all where none does."""
    return [item for item in items if _is_of_two(item.graph)] or list(items)


def _is_of_two(graph: QueryGraph) -> bool:
    asked = graph.answer
    return isinstance(asked, Value) and not asked.key and any(
        item.operator == "=" and isinstance(item.right, tuple) and len(item.right) > 1 and isinstance(item.left, Value)
        and item.left.of == asked.of
        for item in graph.conditions
    )  # fmt: skip


def _pairs(question: str) -> Iterator[Pair]:
    """The two names that a question may ask one of, and what it asks of them."""
    for pattern in (_BEHIND, _BEFORE):
        found = pattern.fullmatch(question)
        if found and (found["one"] or _is_verb(found["rest"].split()[0].lower())):
            names = _AND.split(found["names"])
            yield from [Pair(_bare(names[0]), _bare(names[1]), found["rest"])] if len(names) == 2 else []
    if found := _OF.fullmatch(question):
        yield from _split(found["all"], "")
    if (found := _BE.fullmatch(question)) and not _MORE.isdisjoint(question.lower().rstrip("?. ").split()):
        yield from _split(found["all"], question.split()[0].lower().replace("are", "is").replace("were", "was"))


def _split(text: str, verb: str) -> Iterator[Pair]:
    """Two names with what is asked of them behind, wherever the second ends: of the longest names first."""
    one, other = _AND.split(text, maxsplit=1)
    words = other.split()
    for end in range(min(len(words) - 1, LONGEST), 0, -1):
        yield Pair(_bare(one), _bare(" ".join(words[:end])), " ".join([verb, *words[end:]]).strip())


def _is_verb(word: str) -> bool:
    return word in FINITE or is_past(word) or is_present(word)


def _bare(name: str) -> str:
    """A name without its article."""
    return ARTICLE.sub("", name.strip(), count=1) if ARTICLE.match(name.strip()) else name.strip()


def _labels(name: str, vocabulary: Vocabulary, dictionary: Lookup) -> set[str]:
    """The labels of the nodes that have a name."""
    piece = fold(name)
    entries = dictionary.lookup([piece]).get(piece, ())
    return {entry.owner for entry in entries if entry.key in vocabulary.display.get(entry.owner, ())}
