"""Which answers are right: what an answer lists, set against the gold answers of its question.

In come the names that an answer shows, its nodes and the gold; out goes a `Matching`. Names are compared by `key`:
case folded, white space as one blank, numbers as numbers. docs/evaluation.md says what counts as right, and why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from kgneo.model import AnswerNode
from kgneo.questions import GoldNode

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,99})?(?:e[+-]?[0-9]{1,2})?")
"""No leading zeros: "007" is a code. The bounds keep what is written out short."""


def fold(name: str) -> str:
    """`name` case folded, runs of white space as one blank, none at the ends."""
    return " ".join(name.casefold().split())


def key(name: str) -> str:
    """What `name` is compared by: folded; the same for numbers that agree in twelve digits, for whole ones in all, and
    for numbers of the same thing ("west: 0.1")."""
    folded = fold(name)
    if not _NUMBER.fullmatch(folded):
        owner, of, last = folded.rpartition(": ")
        return f"{owner}{of}{key(last)}" if of and _NUMBER.fullmatch(last) else folded
    number = Decimal(folded)
    whole = number.to_integral_value()
    return str(int(whole)) if number == whole else format(float(number), ".12g")


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that an answer lists: the keys of its names, and its labels (none: not known); `texts` are all that
    is known of a node without a name."""

    names: frozenset[str]
    labels: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Matching:
    """`right` says of each thing found whether it is right; `met` is how many of the `gold` answers were found."""

    right: tuple[bool, ...]
    met: int
    gold: int

    @property
    def exact(self) -> bool:
        """Every gold answer, and nothing else."""
        return self.met == self.gold and all(self.right)


def found_in(answers: Iterable[str], nodes: Iterable[AnswerNode]) -> list[Found]:
    """What is listed, in its order: the nodes that are shown as each of `answers`, else what has that name alone."""
    shown: dict[str, dict[object, AnswerNode]] = {}
    for node in nodes:
        if node.names:
            shown.setdefault(key(node.names[0]), {})[node.id or (node.names, node.labels)] = node
    found: list[Found] = []
    for name in dict.fromkeys(map(key, answers)):
        listed = shown.get(name, {}).values()
        found += [_of_node(node) for node in listed]
        found += [] if listed else [Found(frozenset({name}))]
    return found


def _of_node(node: AnswerNode) -> Found:
    names, labels = frozenset(map(key, node.names)), frozenset(node.labels)
    return Found(frozenset({key(node.names[0])}), labels, names) if node.described else Found(names, labels)


def match(found: Sequence[Found], answers: Iterable[str], nodes: Sequence[GoldNode] = ()) -> Matching:
    """Set what was found against gold `nodes`, or else against gold `answers` (texts)."""
    return _match_nodes(found, nodes) if nodes else _match_texts(found, list(dict.fromkeys(map(key, answers))))


def _match_texts(found: Sequence[Found], gold: Sequence[str]) -> Matching:
    """Whatever has a gold text among its names is right. Things of the same names are one."""
    place = {text: number for number, text in enumerate(gold)}
    distinct = list(dict.fromkeys(thing.names for thing in found))
    edges = [[place[name] for name in names if name in place] for names in distinct]
    return Matching(tuple(map(bool, edges)), len(_pairs(edges, len(gold))), len(gold))


def _match_nodes(found: Sequence[Found], nodes: Sequence[GoldNode]) -> Matching:
    """One node found stands for one gold node, of those with which it agrees in most names.

    Nodes of the same names and labels cannot be told apart: where one is right, all are.
    """
    gold = list(dict.fromkeys((node.label, frozenset(map(key, node.texts))) for node in nodes))
    places: dict[str, list[int]] = {}
    for number, (_, texts) in enumerate(gold):
        for text in texts:
            places.setdefault(text, []).append(number)
    edges = []
    for thing in found:
        agreeing = Counter(number for name in thing.texts or thing.names for number in places.get(name, ()))
        known = {number: count for number, count in agreeing.items() if _may_be(thing, *gold[number])}
        most = max(known.values(), default=0)
        edges.append([number for number, count in known.items() if count == most])
    pairs = _pairs(_first_of_each(found, edges), len(gold))
    met = set(pairs.values())
    left = [[place for place in row if place not in met] for row in edges]
    rest = [[] if number in pairs else row for number, row in enumerate(left)]
    pairs |= _pairs(rest, len(gold))
    right = {found[number] for number in pairs}
    return Matching(tuple(thing in right for thing in found), len(pairs), len(gold))


def _first_of_each(found: Sequence[Found], edges: Sequence[list[int]]) -> list[list[int]]:
    """Without the edges of things that cannot be told from an earlier one: these must not take another's place."""
    first: dict[Found, int] = {}
    for number, thing in enumerate(found):
        first.setdefault(thing, number)
    return [row if first[thing] == number else [] for number, (thing, row) in enumerate(zip(found, edges, strict=True))]


def _may_be(thing: Found, label: str, texts: frozenset[str]) -> bool:
    """Whether a thing can be a gold node: it has its label, and where it has no name, all that is told of that."""
    same_kind = not label or not thing.labels or label in thing.labels
    return same_kind and (not thing.texts or texts <= thing.texts)


def _pairs(edges: Sequence[Sequence[int]], columns: int) -> dict[int, int]:
    """As many pairs of a row and one of its columns as there can be, no row and no column twice."""
    if not any(edges):
        return {}
    from scipy.sparse import csr_array  # here: asking needs none of it, and would wait for it
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows = np.repeat(np.arange(len(edges)), [len(row) for row in edges])
    table = csr_array(
        (np.ones(len(rows), dtype=np.int8), (rows, [column for row in edges for column in row])),
        shape=(len(edges), columns),
    )
    matched = maximum_bipartite_matching(table, perm_type="column")
    return {row: int(column) for row, column in enumerate(matched) if column >= 0}
