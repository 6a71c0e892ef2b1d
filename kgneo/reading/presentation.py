"""Presentation: the words of a question that only say how its answer is to be shown: "in ascending order of age".

Comes in: a question, and the names of a graph. Goes out: where such words stand, and the question without them, in
which all else stays at its place. Whether they are a name's after all is for who looks names up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgneo.english.names import name_words, singular
from kgneo.english.presentation import CLASSES, CONSTRUCTIONS, Construction
from kgneo.english.words import ARTICLES, AUXILIARIES, PREPOSITIONS, SAME_NAMES
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import SURE, Span

SORTING = re.compile(rf"\s*(?:{'|'.join(CLASSES['sorted'].split())})\s+(?=(?:the|all|every|these|those)\b)", re.I)
"""A verb at the beginning that asks for an order, which is told behind it: "SORT the parks by size"."""
LIMITED = re.compile(r"\b(?:top|first|last)\b", re.IGNORECASE)
"""Words that keep some of an order: it is no mere presentation then."""


@dataclass(frozen=True, slots=True)
class Presented:
    """A question without the words of presentation at `spans`; `order` are those that ask for an order."""

    text: str
    spans: tuple[Span, ...]
    order: str = ""
    different: bool = False
    """Whether each value is to be counted once."""


def presented(question: str, fits: Fits, given: Sequence[Span] = ()) -> Presented | None:
    """The question without its words of presentation, but for those at `given` places; None where it has none."""
    spans: list[tuple[Span, Construction]] = []
    for item in CONSTRUCTIONS:
        taken = [*(span for span, _ in spans), *given]
        spans += [
            (found.span(), item)
            for found in item.expression.finditer(question)
            if not any(_meet(found.span(), span) for span in taken) and _shows(item, found, question, fits)
        ]
    order = next((span for span, item in spans if item.kind == "order"), None)
    verb = SORTING.match(question) if order else None
    cut = [span for span, _ in spans] + ([verb.span()] if verb else [])
    if not cut:
        return None
    different = any(item.kind == "different" for _, item in spans)
    return Presented(_blank(question, cut), tuple(cut), question[slice(*order)].strip(" .") if order else "", different)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _shows(item: Construction, found: re.Match[str], question: str, fits: Fits) -> bool:
    """Whether what a construction takes says nothing of what is asked for: an order of which the first are kept does,
    and so does a word that names something of the graph."""
    if not question[: found.start()].strip() and item.kind == "order":
        return False
    if item.kind == "order" and LIMITED.search(question[: found.start()]):
        return False
    if item.kind == "different" and _is_said_of_two(question[: found.start()].lower().split()):
        return False
    if item.kind == "kinds":
        return _has_no_kinds(found["noun"], fits)
    if item.kind == "whole" and fits.likeness and fits.likeness.may_mean(found[0].lower().split()[-1]):
        return False
    if item.kind == "names":
        return _is_nameless(found["noun"], fits)
    return item.certain or not _is_name(item, found[0].lower().split(), fits)


def _is_said_of_two(before: Sequence[str]) -> bool:
    """Whether "different" says that two are not the same: "DO they live in different towns", "people FROM different
    towns"."""
    last = next((word for word in reversed(before) if word not in ARTICLES), "")
    return bool(set(before[:1]) & AUXILIARIES) or last in PREPOSITIONS - {"of", "for"}


def _is_nameless(noun: str, fits: Fits) -> bool:
    """Whether a noun surely names a label whose nodes have no property that a "name" is, and are joined to none that
    have: they are asked for themselves then."""
    best = _label_named(noun, fits)
    if not best:
        return False
    near = [best, *(step.label for step in fits.vocabulary.leaving.get(best, ()))]
    keys = [key for label in near for key in fits.vocabulary.keys_of(label)]
    words = {word for key in keys for word in name_words(key.name or key.key)}
    return not {SAME_NAMES.get(word, word) for word in words} & {"name", "surname", "title"}


def _label_named(noun: str, fits: Fits) -> str:
    """The label that a noun surely names; "" for none."""
    labels = fits.label(singular(noun.lower()))
    best = max(labels, key=lambda label: labels[label], default="")
    return best if best and labels[best] >= SURE else ""


def _has_no_kinds(noun: str, fits: Fits) -> bool:
    """Whether a noun surely names a label whose nodes have no property for their kind: they are the kinds then."""
    if fits.vocabulary.spoken or fits.vocabulary.doers:  # classes that triples imply: a kind is a relation of theirs
        return False
    best = _label_named(noun, fits)
    keys = fits.vocabulary.keys_of(best) if best else ()
    words = {word for key in keys for word in name_words(key.name or key.key)}
    return bool(keys) and not words & {"kind", "type", "sort", "category", "class"}


def _is_name(item: Construction, words: Sequence[str], fits: Fits) -> bool:
    """Whether words name something of the graph: of an order, what does the ordering."""
    if item.kind != "order":
        return any(map(fits.is_own, words))
    verb = next((word for word in words if word in CLASSES["sorted"].split()), "")
    return fits.is_own(verb) and verb not in ("sorted", "sort")


def _blank(text: str, spans: Sequence[Span]) -> str:
    """The text with white space at some places, and in place of a comma before them."""
    for start, end in spans:
        before = len(text[:start].rstrip(" ,;"))
        text = text[:before] + " " * (end - before) + text[end:]
    return text
