"""Thesaurus: how the senses of two words stand to each other, by WordNet (Miller 1995).

Comes in: words or phrases of English, in lower case. Goes out: their senses, each with its share of the word's uses and
the broader senses above it, and from these the signs of how near two terms are: the same sense, a broader one, a
narrower one, one beside it, one that is derived from it. What of them counts how much is for `kgneo.reading.likeness`
to say. The file is made by `kgneo.thesaurus_data`; a lookup is one query of it, then none.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HIGHEST = 3
"""Steps to broader senses that are followed."""
DERIVED = HIGHEST + 1
"""Stands for the number of steps to a sense that is derived from a word's own: "advise" of "adviser"."""
FEWEST_LETTERS = 3
ENDINGS = (
    *((ending, instead, "nv") for ending, instead in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"),
                                                      ("ses", "s"), ("zes", "z"), ("es", "e"), ("s", ""))),
    ("men", "man", "n"),
    *((ending, instead, "v") for ending in ("ed", "ing") for instead in ("e", "")),
)  # fmt: skip
"""Endings of inflected forms with those of what they are forms of, and for which parts of speech (n: noun, v: verb)."""
ANY = "nvar"


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a term: the `share` of the term's uses that mean it (0 to 1), and `above` it the senses that it is
    one of, itself among them, each with the steps to there."""

    share: float
    own: float
    """How much the sense tells: 1 for one that has none below it, 0 for the broadest (Seco et al. 2004)."""
    above: tuple[tuple[int, int, float], ...]
    """Senses with steps, and how much each tells."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a term is to another, each from 0 to 1: the best over their senses, by how often both terms mean these.

    `same`: one sense. `narrower`: a word for one kind of what the other names ("lorry" of vehicles), `broader`: for
    more than that ("goods" of wines), `beside`: both are kinds of one thing; these three by the similarity of senses
    (Lin 1998). `derived`: one is derived from the other.
    """

    same: float = 0.0
    narrower: float = 0.0
    broader: float = 0.0
    beside: float = 0.0
    derived: float = 0.0


NONE = Nearness()


class Thesaurus:
    """The terms of one file."""

    def __init__(self, file: Path) -> None:
        self._base = sqlite3.connect(file, check_same_thread=False)
        self._base.execute("PRAGMA query_only = ON")
        self._known: dict[str, tuple[Sense, ...]] = {}
        self._known_above: dict[int, frozenset[int]] = {}

    def senses(self, term: str) -> tuple[Sense, ...]:
        """The senses of a word or phrase, and of those that it is a form of."""
        if term not in self._known:
            found: dict[int, tuple[float, str]] = {}
            for lemma, parts in self._lemmas(term):
                found |= {synset: (weight, above) for synset, part, weight, above in self._of(lemma) if part in parts}
            total = sum(weight for weight, _ in found.values())
            self._known[term] = tuple(_sense(weight / total, json.loads(above)) for weight, above in found.values())
        return self._known[term]

    def share_of(self, term: str, kind: str) -> float:
        """The share of a term's uses, 0 to 1, that mean a kind of what is mostly meant by another: "customer" of a
        "person"."""
        meant = max(self.senses(kind), key=lambda sense: sense.share, default=None)
        if meant is None:
            return 0.0
        target = {synset for synset, steps, _ in meant.above if steps == 0}
        return sum(sense.share for sense in self.senses(term) if target & self._all_above(sense))

    def _all_above(self, sense: Sense) -> set[int]:
        """The senses that a sense is one of, up to the broadest."""
        found: set[int] = set()
        left = [synset for synset, steps, _ in sense.above if steps != DERIVED]
        while left:
            found.update(left)
            left = [*(set().union(*map(self._above, left)) - found)]
        return found

    def _above(self, synset: int) -> frozenset[int]:
        """The senses up to `HIGHEST` steps above one, itself among them; most words have the broad ones in common."""
        if synset not in self._known_above:
            row = self._base.execute("SELECT above FROM synsets WHERE id = ?", [synset]).fetchone()
            above = json.loads(row[0]) if row else ()
            self._known_above[synset] = frozenset(other for other, steps, _ in above if steps != DERIVED)
        return self._known_above[synset]

    def lemmas(self, term: str) -> set[str]:
        """What a word may be a form of, itself among it."""
        return {lemma for lemma, _ in self._lemmas(term)}

    def _lemmas(self, term: str) -> Iterator[tuple[str, str]]:
        """What a term may be a form of, with the parts of speech that it is then."""
        yield term, ANY
        irregular = self._base.execute("SELECT lemma, part FROM forms WHERE form = ?", [term]).fetchall()
        yield from irregular
        for ending, instead, parts in ENDINGS if not irregular else ():
            if term.endswith(ending) and len(term) - len(ending) >= FEWEST_LETTERS:
                yield term.removesuffix(ending) + instead, parts

    def _of(self, lemma: str) -> Iterator[tuple[int, str, float, str]]:
        yield from self._base.execute(
            "SELECT synset, part, weight, above FROM senses JOIN synsets ON synsets.id = synset WHERE lemma = ?",
            [lemma],
        )


def _sense(share: float, above: Sequence[tuple[int, int, float]]) -> Sense:
    own = next((tells for _, steps, tells in above if steps == 0), 0.0)
    return Sense(share, own, tuple((synset, steps, tells) for synset, steps, tells in above))


@dataclass(frozen=True)
class Terms:
    """Terms that others are compared with, by the senses above them."""

    by_sense: Mapping[int, Sequence[tuple[str, int, float, float]]] = field(default_factory=dict)
    """For each sense the terms that it is above of: steps, the share of the term's own sense, how much that tells."""

    @classmethod
    def of(cls, terms: Sequence[str], thesaurus: Thesaurus) -> Terms:
        """An index of terms."""
        found: dict[int, list[tuple[str, int, float, float]]] = {}
        for term in dict.fromkeys(terms):
            for sense in thesaurus.senses(term):
                for synset, steps, _ in sense.above:
                    found.setdefault(synset, []).append((term, steps, sense.share, sense.own))
        return cls(found)

    def near(self, term: str, thesaurus: Thesaurus) -> dict[str, Nearness]:
        """How near a term is to those of the index; without those that it has nothing in common with."""
        best: dict[str, dict[str, float]] = {}
        for sense in thesaurus.senses(term):
            for synset, steps, tells in sense.above:
                for other, down, share, own in self.by_sense.get(synset, ()):
                    kind, likeness = _relation(steps, down, 2 * tells / max(sense.own + own, 1e-9))
                    there = best.setdefault(other, {})
                    there[kind] = max(there.get(kind, 0.0), likeness * (sense.share * share) ** 0.5)
        return {other: Nearness(**kinds) for other, kinds in best.items()}


def _relation(up: int, down: int, similarity: float) -> tuple[str, float]:
    """How two senses stand to each other that meet so many steps above the one and the other."""
    if DERIVED in (up, down):
        return "derived", 1.0
    if not up and not down:
        return "same", 1.0
    likeness = min(similarity, 1.0)
    return ("narrower" if not down else "broader" if not up else "beside"), likeness
