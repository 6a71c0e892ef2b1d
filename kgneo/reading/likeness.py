"""Likeness: the probability that a word or phrase of a question means a term of the schema that it shares no root with.

Comes in: the terms of a vocabulary's names, a thesaurus and an encoder. Goes out: for a word the terms that it may
mean, each with a probability by a logistic model over signs of both: how the senses of the two stand to each other,
whether people call one thing by both, how similar the encoder finds them, and how far that is behind the most similar
term. The signs name no word and no schema;
the weights are fitted on pairs of many graphs (`python -m benchmarks.other_words --fit`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np

from kgneo.english.names import name_words, singular, telling_words
from kgneo.english.short import is_short_of, is_spoken
from kgneo.english.synonyms import groups_of
from kgneo.english.thesaurus import NONE, Nearness, Terms, Thesaurus
from kgneo.english.words import PEOPLE
from kgneo.ranking.vectors import RankingCache, Scores
from kgneo.reading.vocabulary import LIFELESS, Vocabulary

FARTHEST = 0.4
"""How far behind the most similar term a term's similarity counts."""
LEAST = 0.01
"""Probability below which a term is not told."""
LEAST_MEANT = 0.15
"""Probability from which on a word may mean a term."""
FOR_PEOPLE = 0.3
"""Share of its uses in which a noun is for people, from which on it is one for them."""
SHORT = 0.9
"""Probability that a word means a term that is no word of English and may be a short form of it."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells whether a word means a term: the five of `Nearness`, the encoder's similarity less how similar the
    term is to any noun, how far that is behind the most similar term, and whether it is that."""

    same: float
    narrower: float
    broader: float
    beside: float
    derived: float
    similar: float
    behind: float
    most: float
    called: float
    """Whether people call one thing by both."""
    elsewhere: float
    """Whether they call another term of the schema by the word, and not this one."""


def signs(near: Nearness, similar: float, most: float, called: float = 0.0, elsewhere: float = 0.0) -> Signs:
    """The signs of a term, by its similarity and that of the most similar one."""
    behind = min(most - similar, FARTHEST)
    return Signs(near.same, near.narrower, near.broader, near.beside, near.derived, similar, behind, float(not behind),
                 called, elsewhere)  # fmt: skip


WEIGHTS = Signs(
    same=3.53,
    narrower=3.98,
    broader=2.8,
    beside=2.38,
    derived=-0.81,
    similar=6.18,
    behind=-7.55,
    most=-0.16,
    called=3.89,
    elsewhere=0.3,
)
CONSTANT = -5.37


def probability(found: Signs) -> float:
    """0 to 1."""
    total = CONSTANT + sum(weight * sign for weight, sign in zip(astuple(WEIGHTS), astuple(found), strict=True))
    return 1.0 / (1.0 + math.exp(-total))


@dataclass(frozen=True, slots=True)
class Meant:
    """A term of the schema that a word may mean, with the probability that it does."""

    term: str
    probability: float


class Likeness:
    """What words mean among the terms of one vocabulary; keeps what it found."""

    def __init__(self, vocabulary: Vocabulary, cache: RankingCache, thesaurus: Thesaurus) -> None:
        self.cache = cache
        self.thesaurus = thesaurus
        self.terms = terms_of(vocabulary, thesaurus)
        self._unknown = [term for term in self.terms if " " not in term and self._is_unknown(term)]
        self._lifeless = _lifeless(vocabulary)
        self._near = Terms.of(self.terms, thesaurus)
        self._groups = [groups_of(*self._lemmas(term)) for term in self.terms]
        self._vectors = cache.of_graph(self.terms)
        self._bias = cache.bias(self._vectors)
        self._known: dict[str, tuple[Meant, ...]] = {}

    def of(self, word: str) -> tuple[Meant, ...]:
        """The terms that a word or phrase may mean, the likeliest first."""
        if word not in self._known:
            found = {term: probability(item) for term, item in self.signs(word).items()}
            found |= dict.fromkeys(self._short_of(word), SHORT)
            without = self._lifeless if self.are_people(word) else frozenset[str]()
            likely = (Meant(term, each) for term, each in found.items() if each >= LEAST and term not in without)
            told = sorted(likely, key=lambda item: -item.probability)
            self._known[word] = tuple(told)
        return self._known[word]

    def are_people(self, word: str) -> bool:
        """Whether a noun is for people."""
        return self.share_of_people(word) >= FOR_PEOPLE

    def share_of_people(self, word: str) -> float:
        """The share of its uses, 0 to 1, in which a noun is for people."""
        return 1.0 if word in PEOPLE else self.thesaurus.share_of(singular(word), "person")

    def may_mean(self, word: str) -> bool:
        """Whether a word may mean any of the terms."""
        return any(item.probability >= LEAST_MEANT for item in self.of(word))

    def _is_unknown(self, term: str) -> bool:
        return not is_spoken(term) or not self.thesaurus.senses(term)

    def _short_of(self, word: str) -> list[str]:
        """The terms that are short forms of a word, where they can be nothing else."""
        forms = _forms(word)
        return [term for term in self._unknown if any(is_short_of(term, form) for form in forms)]

    def prepare(self, words: Sequence[str]) -> None:
        """Encode several words at once."""
        self.cache.vectors([form for word in words if word not in self._known for form in _forms(word)])

    def signs(self, word: str) -> dict[str, Signs]:
        """The signs of a word for each term."""
        if not self.terms:
            return {}
        near, similar = self._near.near(word, self.thesaurus), self._similar(word)
        most, groups = float(similar.max()), groups_of(*self._lemmas(word))
        called = [float(not groups.isdisjoint(own)) for own in self._groups]
        elsewhere = float(any(called))
        return {
            term: signs(near.get(term, NONE), float(own), most, same, 0.0 if same else elsewhere)
            for term, own, same in zip(self.terms, similar, called, strict=True)
        }

    def _lemmas(self, word: str) -> set[str]:
        """A word or phrase, and what it may be a form of."""
        *before, last = word.split()
        start = "".join(f"{item} " for item in before)
        return {word, *_forms(word), *(start + lemma for lemma in self.thesaurus.lemmas(last))}

    def _similar(self, word: str) -> Scores:
        """How similar each term is to a word, in the singular or as it stands: "goods" are no good."""
        both = self._vectors @ self.cache.vectors(_forms(word)).T
        return np.asarray(both.max(axis=1) - self._bias, dtype=np.float64)


def _lifeless(vocabulary: Vocabulary) -> frozenset[str]:
    """The words that only name dates and what is true or false, which no people are: "members" are no `joinedOn`."""
    alive = {key.name or key.key for key in vocabulary.keys if key.kind not in LIFELESS}
    names = [*vocabulary.labels, *map(vocabulary.readable, vocabulary.relations), *alive]
    others = {word for name in names for word in telling_words(name)}
    lifeless = [key.name or key.key for key in vocabulary.keys if key.kind in LIFELESS]
    return frozenset(word for name in lifeless for word in telling_words(name)) - others


def _forms(word: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((singular(word), word)))


def terms_of(vocabulary: Vocabulary, thesaurus: Thesaurus) -> tuple[str, ...]:
    """The words of all names of a vocabulary, and the names of several words that the thesaurus has as phrases."""
    names = [*vocabulary.labels, *map(vocabulary.readable, vocabulary.relations)]
    names += [key.name or key.key for key in vocabulary.keys]
    words = [telling_words(name) for name in names]
    found = dict.fromkeys(part for name in words for part in name if len(part) > 1 and part.isalpha())
    pairs = dict.fromkeys(" ".join(name[at : at + 2]) for name in words for at in range(len(name) - 1))
    whole = {text for name in names if groups_of(text := " ".join(name_words(name)))}
    return tuple(found | {pair: None for pair in pairs if thesaurus.senses(pair)} | dict.fromkeys(sorted(whole)))
