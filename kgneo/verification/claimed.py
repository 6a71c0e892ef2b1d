"""Claimed: what a statement about one thing claims in words that name nothing of the graph.

Comes in: a statement about one named thing, and the names of what it can mean. Goes out: the same as a statement about
two things, of which the other one stands in its words: "granite" in "the medium of X is granite". Words of the
relation's own name, and closed classes, claim nothing; a statement that has only such words says that there is
something ("X has a director").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgneo.english.claims import SOURCE, TARGET, Statement, Thing
from kgneo.english.names import is_past, name_words, same_root
from kgneo.english.words import ARTICLES, COPULAS, FUNCTION_WORDS, LIGHT_VERBS
from kgneo.verification.named import Named
from kgneo.verification.parts import Part


def telling(words: Sequence[str]) -> list[int]:
    """Where words stand that are of no closed class."""
    return [at for at, word in enumerate(words) if word[0].isalnum() and word not in FUNCTION_WORDS | LIGHT_VERBS]


def own_words(words: Sequence[str], name: str) -> list[int]:
    """Where words stand that are of a relation's or a property's name."""
    return [at for at in telling(words) if any(same_root(words[at], part) for part in name_words(name))]


def claimed_words(words: Sequence[str], name: str, *, value: bool) -> tuple[int, int] | None:
    """From where to where a statement's words say what `SOURCE` has by the relation `name`, or by the property, for a
    `value`; None where they say only that there is something."""
    own, others = own_words(words, name), [at for at in telling(words) if not words[at].endswith("ly")]
    if not own:
        return _complement(words) if value else None
    behind = [at for at in others if at > own[-1]]
    if behind:
        return behind[0], behind[-1] + 1
    before = [at for at in others if at < own[0]] if words[-1] == SOURCE else []
    return (before[0], before[-1] + 1) if before else None


def _complement(words: Sequence[str]) -> tuple[int, int] | None:
    """What stands behind "is"."""
    start = next((at + 1 for at, word in enumerate(words) if word in COPULAS), len(words))
    found = [at for at in telling(words) if at >= start]
    if not found or is_past(words[found[0]]):
        return None
    return found[0], found[-1] + 1


def kind_said(words: Sequence[str]) -> str:
    """The noun that says what something is, "film" in "is a film" and in "is a film by"; empty where there is none."""
    for at, word in enumerate(words[:-2]):
        if word in COPULAS and words[at + 1] in ("a", "an"):
            said = [words[place] for place in telling(words) if place > at]
            return said[0] if said else ""
    rest = [words[at] for at in telling(words)]
    return rest[0] if len(rest) == 1 and set(words) & COPULAS else ""


def is_kind_alone(words: Sequence[str]) -> bool:
    """Whether a statement says what kind of thing something is, and nothing else: "is a volcano"."""
    following = [word for word in words if word != SOURCE and word not in ARTICLES - {"a", "an"}]
    return len(following) > 2 and following[0] in COPULAS and following[1] in ("a", "an")


def with_thing(part: Part, statement: Statement, where: tuple[int, int], named: Named) -> Part:
    """The part with one more thing, that stands in the words of its statement."""
    start, end = where
    words = (*statement.words[:start], TARGET, *statement.words[end:])
    thing = Thing(mention=len(part.named))
    said = replace(statement, target=len(part.things), words=words, others=())
    return replace(part, statements=(said,), things=(*part.things, thing), named=(*part.named, named))


def tells_the_only(words: Sequence[str], mark: str) -> bool:
    """Whether a statement speaks of the only thing that the one at `mark` has by a relation: "the capital of X is"."""
    at = words.index(mark) if mark in words else 0
    before = list(words[:at])
    while before[-1:] == ["the"]:
        before.pop()
    return "'s" in words[at + 1 : at + 2] or (before[-1:] == ["of"] and "the" in before)
