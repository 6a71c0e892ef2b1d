"""Lexicon: which words of a graph's users name which of its relationship types, labels and properties.

Comes in: questions whose query graph is known. Goes out: for each word the names that it stands for, with the share of
its occurrences in which it does: "friends" for `KNOWS_SN`. A query graph says several names and a question has several
words; which word stands for which name is found by expectation maximisation (Brown et al. 1993, model 1): a name that
another word explains in all other questions, too, is explained by that one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kgneo.english.names import singular
from kgneo.english.words import FUNCTION_WORDS

ROUNDS = 12
FEWEST = 3
"""Questions in which a word must be."""
LIKELY = 0.5
"""Share of its occurrences from which on a word stands for a name."""
LEAST = 0.1
"""Share below which it does not at all."""
Kind = Literal["relation", "label", "key"]
Name = tuple[Kind, str]
"""A relationship type, a label, or a property: "Person.surname"."""
Words = Mapping[str, Mapping[str, float]]
"""Names by word, with shares."""


@dataclass(frozen=True)
class Lexicon:
    """What each word stands for, of each kind of name."""

    words: Mapping[Kind, Words] = field(default_factory=dict)

    def shares(self, kind: Kind, word: str) -> Mapping[str, float]:
        """The names that a word stands for, each with the share of its occurrences."""
        words = self.words.get(kind)
        return words.get(singular(word), {}) if words else {}

    def names(self, kind: Kind, word: str) -> frozenset[str]:
        """Those that it likely stands for."""
        return frozenset(name for name, share in self.shares(kind, word).items() if share >= LIKELY)


EMPTY = Lexicon()


def learn_words(lessons: Iterable[tuple[Iterable[str], Collection[Name], int]]) -> Lexicon:
    """The lexicon of lessons: the words of a question without its values, the names that its query graph says, and how
    many questions had that text."""
    data = [([*sorted(_telling(words)), ""], sorted(names), times) for words, names, times in lessons]
    seen: Counter[str] = Counter()
    for words, _, times in data:
        seen.update(dict.fromkeys(words, times))
    counts = _aligned(data)
    found: dict[Kind, dict[str, dict[str, float]]] = {}
    for (kind, name), by_word in counts.items():
        for word, count in by_word.items():
            share = count / seen[word]
            if word and seen[word] >= FEWEST and share >= LEAST:
                found.setdefault(kind, {}).setdefault(word, {})[name] = round(share, 3)
    return Lexicon({kind: _some(words) for kind, words in found.items()})


def _some(words: Mapping[str, Mapping[str, float]]) -> Words:
    """The words that likely stand for something."""
    return {word: dict(names) for word, names in words.items() if max(names.values()) >= LIKELY}


def _telling(words: Iterable[str]) -> set[str]:
    return {singular(word) for word in words if word not in FUNCTION_WORDS and word[0].isalpha()}


def _aligned(data: Collection[tuple[list[str], list[Name], int]]) -> dict[Name, dict[str, float]]:
    """How often each word stands for each name, as expected by probabilities under which the names are likely."""
    likely: dict[Name, dict[str, float]] = {}
    counts: dict[Name, dict[str, float]] = {}
    for _ in range(ROUNDS):
        counts = defaultdict(lambda: defaultdict(float))
        totals: dict[str, float] = defaultdict(float)
        for words, names, times in data:
            for name in names:
                known = likely.get(name)
                weights = [known.get(word, 0.0) if known else 1.0 for word in words]
                whole = sum(weights)
                for word, weight in zip(words, weights, strict=True):
                    counts[name][word] += times * weight / whole
                    totals[word] += times * weight / whole
        likely = {
            name: {word: count / totals[word] for word, count in by_word.items()} for name, by_word in counts.items()
        }
    return counts
