"""The vocabulary of a graph, made from its schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from kgneo.english.names import is_past, name_words, singular
from kgneo.english.short import short_words
from kgneo.english.words import SAID_OF, SIZES
from kgneo.graph.schema import Property, Relation, Schema
from kgneo.graph.shape import Shape
from kgneo.query.graph import Form, Scalar
from kgneo.reading.vocabulary import Key, Kind, Link, Vocabulary, Word

_NUMBER = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?|[-+]?\d+(\.\d+)?")
_ISO = re.compile(r"-?\d{4}-\d\d(-\d\d.*)?")
_NUMBER_OF = r"-?\d+(\.\d+)?"
_DURATION = re.compile(rf"-?P(?=.)({_NUMBER_OF}[YMWD])*(T({_NUMBER_OF}[HMS])+)?")
_PARTS = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")
MOSTLY = 0.8
STATES = ("ing", "able", "ible", "ive")
"""Endings of words for how something is."""
_YEAR = re.compile("1[5-9]..|20..")
FEWEST_YEARS = 4
"""Different values from which on it tells anything that all of them could be years."""
FLAGS = (("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"))
"""Texts that stand for what is true, and for what is not."""


def vocabulary(schema: Schema, shape: Shape) -> Vocabulary:
    """What questions about a graph of this schema can speak of."""
    labels = {
        label.name: label.nodes
        for label in schema.labels
        if label.name not in shape.excluded and label.name not in shape.umbrellas
    }
    relations = [relation for relation in schema.relations if shape.speaks_of(relation.name)]
    keys = [
        key
        for label in schema.labels
        if label.name in labels
        for key in _keys(label.name, label.properties, shape.values.get(label.name, {}), shape.display.get(label.name))
    ]
    keys += [
        key
        for relation in relations
        for key in _keys(relation.name, relation.properties, shape.details.get(relation.name, {}), None, of_edge=True)
    ]
    return Vocabulary(
        labels,
        tuple(keys),
        tuple(_links(relations, labels)),
        dict(shape.names),
        dict(shape.display),
        parts=_parts(relations, labels),
        words={
            singular(short): (Word(long, 1.0),) for short, long in short_words(_stored(labels, relations, keys)).items()
        },
    )


def _stored(labels: Iterable[str], relations: Iterable[Relation], keys: Iterable[Key]) -> Iterator[str]:
    """The names as the graph has them."""
    yield from map(str.__str__, (*labels, *(item.name for item in relations), *(key.key for key in keys)))


def _parts(relations: Iterable[Relation], labels: Mapping[str, int]) -> dict[str, frozenset[str]]:
    """The labels whose nodes, as far as relationships show, all have others that more nodes have, with these."""
    found: dict[str, frozenset[str]] = {}
    for connection in (each for relation in relations for each in relation.connections):
        for end in (connection.subject, connection.object):
            for label in end:
                found[label] = found.get(label, frozenset(labels)) & {*end}
    wider = {label: frozenset(other for other in others if labels[other] > labels.get(label, 0))
             for label, others in found.items()}  # fmt: skip
    return {label: others for label, others in wider.items() if others}


def _links(relations: Iterable[Relation], labels: Mapping[str, int]) -> Iterator[Link]:
    for relation in relations:
        counts: dict[tuple[str, str], int] = {}
        for connection in relation.connections:
            for subject in connection.subject:
                for target in connection.object:
                    if subject in labels and target in labels:
                        counts[subject, target] = counts.get((subject, target), 0) + connection.times
        for (subject, target), times in counts.items():
            yield Link(subject, relation.name, target, times)


def _keys(
    owner: str,
    properties: Sequence[Property],
    used: Mapping[str, float],
    display: Sequence[str] | None,
    *,
    of_edge: bool = False,
) -> Iterator[Key]:
    for item in properties:
        if item.key in used or item.key in (display or ()):
            kind, form = kind_of(item)
            flags = _flags(item, kind, form)
            yield Key(
                owner,
                item.key,
                "truth" if flags else kind,
                form,
                item.type.startswith("LIST"),
                of_edge,
                item.key,
                item.examples,
                item.unique,
                item.different or len(item.examples),
                item.share,
                flags,
                unit="seconds" if form == "seconds" else "",
            )


def kind_of(item: Property) -> tuple[Kind, Form]:
    """What kind of values a property has, and how they are to be compared."""
    inner = item.type.removeprefix("LIST<").split(" ")[0].rstrip(">")
    if item.type.startswith("LIST"):
        return "text", "list"
    if inner in ("INTEGER", "FLOAT"):
        return ("date" if inner == "INTEGER" and _is_year(item) else "number"), ""
    if inner == "BOOLEAN":
        return "truth", ""
    if inner in ("DATE", "LOCAL", "ZONED"):
        return "date", "date"
    if inner == "DURATION":
        return "number", "seconds"
    return kind_of_texts(item.examples)


def _flags(item: Property, kind: Kind, form: Form) -> tuple[Scalar, Scalar] | None:
    """What stands for true and for false where neither is stored: texts, or 1 and 0."""
    if kind == "text" and not form:
        return flags_of(item.examples)
    whole = kind == "number" and item.type.startswith("INTEGER") and {*item.examples} == {"0", "1"}
    return (1, 0) if whole and item.different <= len(item.examples) and _is_said_of(item.key) else None


def _is_said_of(key: str) -> bool:
    """Whether a name says how something is, or what it has: "is_vip", "deleted", "boarding", but not "goals"."""
    words = name_words(key)
    return words[0] in SAID_OF or is_past(words[-1]) or words[-1].endswith(STATES)


def flags_of(examples: Sequence[str]) -> tuple[str, str] | None:
    """The texts for true and for false, where all values are one of them; None for other texts."""
    for true, false in FLAGS:
        found = {text.casefold(): text for text in examples}
        whole = len(found) == 2 or (len(true) > 1 and found)
        if whole and found.keys() <= {true, false}:
            like = next(iter(found.values()))
            return found.get(true, _as(true, like)), found.get(false, _as(false, like))
    return None


def _as(word: str, like: str) -> str:
    """A word with the capitals of another."""
    return word.upper() if like.isupper() else word.title() if like.istitle() else word


def _is_year(item: Property) -> bool:
    """Whether whole numbers are years: by the name, or by the numbers, where the name is one of when something was so,
    or of nothing that has a size."""
    words = name_words(item.key)
    last = words[-1]
    if item.key.lower().endswith("year") or item.key.lower() in ("released", "founded", "born"):
        return True
    timely = is_past(last) or last in ("since", "until", "from", "to")
    counts = not SIZES.isdisjoint(words) or singular(last) != last
    told = timely or (item.different >= FEWEST_YEARS and not item.unique and not counts)
    return told and bool(item.examples) and all(_YEAR.fullmatch(text) for text in item.examples)


def kind_of_texts(examples: Sequence[str]) -> tuple[Kind, Form]:
    """What kind of values these texts are, and how they are to be compared."""

    def share(pattern: re.Pattern[str]) -> float:
        return sum(bool(pattern.fullmatch(text)) for text in examples) / max(len(examples), 1)

    if share(_PARTS) >= MOSTLY:
        firsts = [int(match[1]) for text in examples if (match := _PARTS.fullmatch(text))]
        seconds = [int(match[2]) for text in examples if (match := _PARTS.fullmatch(text))]
        return "date", "month first" if max(seconds) > 12 >= max(firsts) else "day first"
    if share(_ISO) >= MOSTLY:
        return "date", "date"
    if share(_DURATION) >= MOSTLY:
        return "number", "seconds"
    if share(_TIME) >= MOSTLY:
        return "time", ""
    if share(_NUMBER) >= MOSTLY:
        return "number", "number"
    return "text", ""
