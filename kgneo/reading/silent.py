"""Silent: the words of a question that a reading of it says nothing about.

Comes in: what was heard of a question, and the labels, relationship types and properties that a reading speaks of. Goes
out: the telling words that it leaves out, with how much each is like what it speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kgneo.english.names import is_past, name_words, same_root
from kgneo.english.numbers import UNIT_SIZES
from kgneo.english.words import ARTICLES, FUNCTION_WORDS, LIGHT_VERBS, PLAIN_VERBS, UNITS
from kgneo.query.graph import QueryGraph
from kgneo.reading.fits import key_name
from kgneo.reading.heard import NAMED, Heard
from kgneo.reading.vocabulary import Key

DETERMINING = ARTICLES | {"which", "what", "whose", "much", "many"}
"""Words right behind which a noun stands."""
LIKE_ANY = 0.25
"""Likeness to what a reading says below which a word is not said."""

OF_ANOTHER = 0.2
"""The most that a word is like what a reading speaks of, where it surely names something else."""


def silent(
    heard: Heard, said: Collection[int], labels: Collection[str], relations: Sequence[str], keys: Collection[Key]
) -> list[tuple[int, float]]:
    """The telling words but for those that are `said`, each with how much it is like the labels, relationship types and
    properties that a reading speaks of: 0 to 1."""
    left = [index for index in heard.telling if index not in said]
    known = heard.fits.relations  # of plain triples, chains also walk relations that are properties here
    numbers = [known.index(relation) for relation in relations if relation in known]
    found = []
    for index in left:
        word, head = heard.plain[index], _head_behind(heard, index, left)
        of_labels, of_keys = heard.fits.label(word), heard.fits.key(word)
        likes = [of_labels[label] for label in labels if label in of_labels and not _is_of_head(word, head, label)]
        likes += [of_keys[key] for key in keys if not _is_of_head(word, head, key_name(key))]
        likes += [float(heard.fits.similarity(word)[number]) for number in numbers]
        like = max(likes, default=0.0)
        found.append((index, min(like, OF_ANOTHER) if _names_another(heard, word, labels, numbers) else like))
    return found


def _names_another(heard: Heard, word: str, labels: Collection[str], relations: Sequence[int]) -> bool:
    """Whether a word has the root of a label or a relationship type, and of none that a reading speaks of: "answered"
    says nothing of what was asked."""
    own = any(_has_root(word, name) for name in labels) or any(heard.fits.named(word, at) for at in relations)
    others = heard.fits.names_any(word) or any(_has_root(word, label) for label in heard.fits.labels)
    return others and not own


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The places of the words of a question that a reading says nothing of, and those of them that are nouns."""

    places: tuple[int, ...]
    nouns: tuple[int, ...]


def left_out(heard: Heard, graph: QueryGraph, names: Collection[str]) -> Unsaid:
    """The telling words that are like nothing of a query graph whose variables have no labels, and in none of the
    `names` of what it begins at."""
    vocabulary = heard.fits.vocabulary
    relations = [relation for edge in graph.edges for relation in edge.relations]
    links = [link for link in vocabulary.links if link.relation in relations]
    labels = {label for link in links for label in (link.subject, link.object)}
    values = {value.key for value in graph.values()}
    keys = [key for key in vocabulary.keys if key.key in values]
    named = {word for name in names for word in name.casefold().split()}
    said = {index for index, word in enumerate(heard.plain) if word in named} | heard.taken | heard.form.used
    said |= {index for index, like in silent(heard, said, labels, relations, keys) if like >= NAMED}
    left = [index for index, like in silent(heard, said, labels, relations, keys)
            if like < LIKE_ANY or asks_for_unknown(heard, index)]  # fmt: skip
    nouns = [index for index in left if is_noun(heard, index, said)]
    places = tuple(index for index in left if index in nouns or heard.plain[index] not in PLAIN_VERBS)
    return Unsaid(places, tuple(nouns))


def asks_for_unknown(heard: Heard, index: int) -> bool:
    """Whether a word is the noun for what is asked for, and hardly means anything that the graph has: "which FUEL"."""
    if heard.form.word not in ("which", "what") or index != head_of(heard):
        return False
    if heard.form.extremes or heard.plain[index] in UNIT_SIZES or heard.is_label(index + 1):  # "the HAPPY child"
        return False
    return is_unknown(heard, index)


def head_of(heard: Heard) -> int:
    """The place of the first telling word behind the one that asks: "which FUEL", "who BUILT"; -1 for none."""
    return next((at for at in heard.telling if at >= heard.form.at), -1)


def is_unknown(heard: Heard, index: int) -> bool:
    """Whether a word hardly means anything that the graph has, by its letters and by what is like it."""
    likeness, word = heard.fits.likeness, heard.plain[index]
    if likeness is None or heard.fits.names_any(word):
        return False
    names = (*heard.fits.labels, *heard.fits.relations, *map(key_name, heard.fits.keys))
    return not (likeness.may_mean(word) or any(_has_root(word, name) for name in names))


def is_noun(heard: Heard, index: int, said: Collection[int]) -> bool:
    """Whether a word is a noun by where it stands: behind a determiner, or before a noun that is said ("EMAIL
    address") and not behind another ("suppliers DELIVER products"); or as telling as one: the verb of a "when"."""
    if heard.form.word == "when" and heard.plain[index] not in LIGHT_VERBS:
        return True
    before = heard.words[index - 1] if index else None
    if before is not None and (before.plain in DETERMINING or before.text.endswith(("'s", "’s"))):
        return True
    behind = heard.plain[index + 1] if index + 1 in said and index + 1 not in heard.taken else ""
    verb = index - 1 in said or is_past(heard.plain[index]) or is_past(behind)
    return bool(behind) and not verb


def _head_behind(heard: Heard, index: int, left: Sequence[int]) -> str:
    """The noun that a word stands right before, which says something itself: "email ADDRESS". What bears its name is no
    reason to take the word before it for said."""
    behind = heard.plain[index + 1] if index + 1 < len(heard.plain) else ""
    telling = behind and index + 1 not in left and behind not in FUNCTION_WORDS | UNITS
    return behind if telling and not is_past(heard.plain[index]) else ""


def _is_of_head(word: str, head: str, name: str) -> bool:
    """Whether a name is said by the noun behind a word, and not by the word."""
    return _has_root(head, name) and not _has_root(word, name)


def _has_root(word: str, name: str) -> bool:
    """Whether a word is one of a name's."""
    return bool(word) and any(same_root(word, own) for own in name_words(name))
