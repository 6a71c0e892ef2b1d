"""Relating: the ways English has to say one relation between two things: who manages somebody is their boss, and they
report to him.

Comes in: the words of a relationship type's name, and those of a question. Goes out: the frames that a name is of, and
the sayings of frames in the question, each with the end at which it begins. The frames are in relations.txt beside this
file, a line each: what A does, what A is to B, what B does, what B is to A.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kgneo.english.names import is_role, singular
from kgneo.english.words import BEING, FUNCTION_WORDS, LIGHT_VERBS, PREPOSITIONS

FILE = "relations.txt"
LONGEST = 4
"""Words of a saying."""
Lemmas = Callable[[str], Collection[str]]
"""What a word may be a form of, itself among it."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A way to say a frame, by its `number`: a verb with what belongs to it ("report to"), or a `noun` ("boss").
    `forward`: A does it, or is that of B."""

    frame: int
    forward: bool
    noun: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A saying where it stands in a question, from word `start` to `end` (exclusive), in the words of the frame."""

    start: int
    end: int
    words: tuple[str, ...]
    saying: Saying


@cache
def _places() -> Mapping[str, list[tuple[int, int]]]:
    """The frames and fields in which each text stands, without a copula."""
    found: dict[str, list[tuple[int, int]]] = {}
    for frame, line in enumerate(files(__package__).joinpath(FILE).read_text(encoding="utf-8").splitlines()):
        for place, field in enumerate(line.split("|")):
            for text in field.split(","):
                found.setdefault(text.strip().removeprefix("be "), []).append((frame, place))
    return found


def sayings_of(words: Sequence[str]) -> list[Saying]:
    """What words say, as they stand in frames."""
    places = dict.fromkeys(_places().get(" ".join(words), ()))
    return [Saying(frame, place < 2, noun=place % 2 == 1) for frame, place in places]


def frames_of(name: Sequence[str], lemmas: Lemmas) -> dict[int, bool]:
    """The frames that a relationship type's name says, each with whether it leads from A to B: MANAGES does,
    MANAGED_BY, HAS_MANAGER and REPORTS_TO lead from B to A."""
    words = tuple(name)
    while len(words) > 1 and words[0] in BEING:
        words = words[1:]
    if words[-1] == "by" and len(words) > 1:
        return {saying.frame: not saying.forward for saying in _of(_verbs(words[:-1], lemmas), noun=False)}
    if is_role(words):
        return {saying.frame: saying.forward for saying in _of([words[:1]], noun=True)}
    if words[0] in ("has", "have") and len(words) > 1:
        return {saying.frame: not saying.forward for saying in _of([_singular(words[1:])], noun=True)}
    verbs = {saying.frame: saying.forward for saying in _of(_verbs(words, lemmas), noun=False)}
    return verbs or {saying.frame: not saying.forward for saying in _of([_singular(words)], noun=True)}


def _singular(words: Sequence[str]) -> tuple[str, ...]:
    return (*words[:-1], singular(words[-1]))


def _verbs(words: Sequence[str], lemmas: Lemmas) -> Iterator[tuple[str, ...]]:
    """The forms in which a verb with what belongs to it may be a saying, the longest first; what follows a preposition
    is what it leads to: "plays in club"."""
    least = 2 if set(words[1:2]) & PREPOSITIONS else 1
    for length in range(len(words), least - 1, -1):
        yield tuple(words[:length])
        yield from ((verb, *words[1:length]) for verb in sorted(lemmas(words[0])) if verb != words[0])


def _of(texts: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]], *, noun: bool) -> list[Saying]:
    """The sayings of the first of the texts that is one."""
    found = ([item for item in sayings_of(text) if item.noun == noun] for text in texts)
    return next(filter(None, found), [])


def said(words: Sequence[str], lemmas: Lemmas) -> list[Said]:
    """The sayings in the words of a question, those that stand inside a longer one left out."""
    verbs = [{word, *lemmas(word)} for word in words]
    found: list[Said] = []
    for length in range(LONGEST, 0, -1):
        longer = list(found)
        for start in range(len(words) - length + 1):
            end = start + length
            if any(item.start <= start and end <= item.end for item in longer):
                continue
            texts = [((verb, *words[start + 1 : end]), False) for verb in sorted(verbs[start])]
            texts.append((_singular(words[start:end]), True))
            found += [Said(start, end, text, saying) for text, noun in texts if not _says_little(text, noun=noun)
                      for saying in sayings_of(text) if saying.noun == noun]  # fmt: skip
    return found


def _says_little(words: Sequence[str], *, noun: bool) -> bool:
    """Whether words join two things without saying how; a noun that looks like such a verb does: a PART."""
    light = FUNCTION_WORDS if noun or "part" in words else FUNCTION_WORDS | LIGHT_VERBS
    return all(word in light for word in words)
