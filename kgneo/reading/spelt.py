"""Spelt: words of a question as the names of the graph have them.

Comes in: a question, and what is known of the names. Goes out: its words, of which some are spelt otherwise: "moutnain"
is a mountain, and who TRIED OUT has a tryout.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import zip_longest

from kgneo.english.names import same_whole_root
from kgneo.english.words import COMPARATIVES, EXTREMES, PARTICLES
from kgneo.reading.fits import Fits
from kgneo.reading.mentions import Word, words_of

SWAPPED = 7
"""Letters of a word in which two may stand the wrong way round, at least."""


def words_as_named(question: str, fits: Fits) -> tuple[Word, ...]:
    """The words of a question, of which those that are another spelling of a name's word are spelt as that."""
    return _as_one(_respelt(words_of(question), fits), fits)


def _respelt(words: Sequence[Word], fits: Fits) -> tuple[Word, ...]:
    """The words, of which those with two letters the wrong way round are as a name of the graph has them."""
    found = []
    for word in words:
        plain, near = word.plain, fits.own_words.get(word.plain[:1], ())
        written = len(plain) >= SWAPPED and plain.isalpha() and word.text.islower() and not _is_of(plain, near)
        if written and not _is_english(plain, fits):
            swaps = (plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :] for at in range(1, len(plain) - 1))
            plain = next((other for other in swaps if _is_of(other, near)), plain)
        found.append(replace(word, plain=plain))
    return tuple(found)


def _is_english(word: str, fits: Fits) -> bool:
    """Whether a word is one as it stands: the "priciest" is no misspelt price."""
    known = fits.likeness is not None and bool(fits.likeness.thesaurus.senses(word))
    return known or word in EXTREMES or word in COMPARATIVES


def _as_one(words: Sequence[Word], fits: Fits) -> tuple[Word, ...]:
    """The words, of which a verb with a particle behind it is the one word that a name of the graph has for both:
    "TRIED OUT" for a tryout."""
    found = []
    for word, behind in zip_longest(words, words[1:]):
        particle, said = behind.plain if behind else "", word.text.lower()
        near = fits.own_words.get(said[:1], ()) if particle in PARTICLES else ()
        verbs = {name: name.removesuffix(particle) for name in sorted(near) if name.endswith(particle)}
        one = next((name for name, verb in verbs.items() if verb and _is_form(said, verb)), word.plain)
        found.append(replace(word, plain=one))
    return tuple(found)


def _is_form(word: str, verb: str) -> bool:
    """Whether a word is a form of a verb, also of a short one with "y": "tried"."""
    return same_whole_root(word, verb) or (verb.endswith("y") and word in (f"{verb[:-1]}ied", f"{verb[:-1]}ies"))


def _is_of(word: str, names: Collection[str]) -> bool:
    return any(same_whole_root(word, name) for name in names)
