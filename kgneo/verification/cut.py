"""Cut: a sentence that says two things, as two sentences that say one each.

Comes in: what was heard of a sentence. Goes out: the pairs of sentences that it may be cut into, the surest first. Each
is whole: what the second leaves out (its subject, its verb) it has from the first, and a pronoun stands for the subject
of the first. All of it rests on closed classes of English and on where names stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from kgneo.english.names import is_past
from kgneo.english.numbers import is_number
from kgneo.english.words import (
    ARTICLES,
    AUXILIARIES,
    COPULAS,
    FUNCTION_WORDS,
    NEGATIONS,
    NUMERALS,
    OWNING,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    RETURNING,
)
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Mention

JOINING = frozenset(("and", "but", "while", "whereas", "though", "although", "yet"))
"""Words that join clauses."""
MARKS = frozenset(";.!?:")
"""Marks that part sentences."""
LIKEWISE = frozenset(("so", "neither", "nor"))
"""Words by which the same is said of something else: "and SO is Y"."""
SLIGHT = frozenset(("also", "already", "even", "still", "then", "only", "just", "one"))
"""Words that the second of two clauses may begin with, or have in the place of its noun, and that say nothing."""
ANY = frozenset(
    ("some", "any", "every", "each", "all", "there", "one", "none", "both", "somebody", "someone", "nobody")
)
"""Words for things without a name: what is said of one of them twice is not said of two."""
Pair = tuple[str, str]


def cuts(heard: Heard) -> Iterator[Pair]:
    """The pairs of sentences that a sentence may be cut into."""
    yield from _same_of_both(heard)
    clauses = _Clauses(heard)
    yield from clauses.in_passing()
    for joint in clauses.joints():
        second = clauses.completed(joint)
        if second:
            yield clauses.text(0, joint.left), f"{second}{clauses.behind_number(joint.left)}"


def subject_of(heard: Heard) -> str:
    """What stands before the verb of a sentence; empty where it has none."""
    clauses = _Clauses(heard)
    return clauses.text(0, clauses.verb)


def is_verb(word: str) -> bool:
    """Whether a word is a verb, as far as closed classes and endings tell without its neighbours."""
    return (word in COPULAS | AUXILIARIES and word != "as") or is_past(word)


def _same_of_both(heard: Heard) -> Iterator[Pair]:
    """The sentence for each of two things side by side that the same is said of, "X and Y are both in Z"."""
    words = heard.words
    for first, second in pairwise(heard.values):
        joined = heard.plain[first.end : second.start] == ["and"]
        if joined and _same_kind(first, second) and "between" not in heard.plain[: first.start]:
            both = heard.plain[first.start - 1 : first.start] == ["both"]
            start, end = words[first.start - both].start, words[second.end - 1].end
            one, other = (
                f"{heard.text[:start]}{heard.words_of(item)}{heard.text[end:]}".replace(" both ", " ")
                for item in (first, second)
            )
            yield one, other


def _same_kind(first: Mention, second: Mention) -> bool:
    keys = [{meaning.key for meaning in item.meanings if meaning.kind == "value"} for item in (first, second)]
    return bool(keys[0] & keys[1])


@dataclass(frozen=True, slots=True)
class _Joint:
    """Where two clauses meet: the first ends before word `left`, the second begins at word `right`; `marked` where only
    a comma stands between them."""

    left: int
    right: int
    marked: bool = False


class _Clauses:
    """The clauses of a sentence."""

    def __init__(self, heard: Heard) -> None:
        self.heard = heard
        self.plain = heard.plain
        self.text = heard.text_between
        self.ends = {item.end for item in heard.values}
        self.verbs = [index for index in range(len(self.plain)) if self._is_verb(index)]
        self.verb = self.verbs[0] if self.verbs else 0

    def joints(self) -> Iterator[_Joint]:
        """Where clauses may meet, behind the first verb."""
        if not self.verb:
            return
        for index in range(self.verb + 1, len(self.plain)):
            word, before = self.plain[index], self._between(index)
            if any(item.start < index < item.end for item in self.heard.values):
                continue
            if word in JOINING and index + 1 < len(self.plain):
                yield _Joint(index, index + 1)
            elif word not in RELATIVES and self.plain[index - 1] not in JOINING and before & (MARKS | {","}):
                yield _Joint(index, index, marked=not before & MARKS)

    def completed(self, joint: _Joint) -> str:
        """The second clause with what it leaves out; empty where that is not known."""
        at = joint.right
        if self.plain[at] in LIKEWISE:
            return self._likewise(at)
        pronoun = self.plain[at] in RETURNING
        at += pronoun
        while self.plain[at : at + 1] and self.plain[at] in SLIGHT - {"one"}:
            at += 1
        if at >= len(self.plain):
            return ""
        if not pronoun and self.plain[at] in OWNING | {"her"}:
            return self._of_subject("'s ", at + 1)
        if pronoun or at in self.verbs or self._is_bare_verb(at):
            return self._of_subject(" ", at)
        if any(verb > at for verb in self.verbs) and (not joint.marked or at in self.heard.taken):
            return self.text(at, len(self.plain))
        return self._gapped(joint.left, at)

    def behind_number(self, left: int) -> str:
        """What stands behind the number of the first clause, where the second one ends in a number: "has 5 seats, and Y
        has 7"; empty otherwise."""
        at = next((index for index in range(self.verb, left) if is_number(self.plain[index])), left)
        return f" {self.text(at + 1, left)}" if at + 1 < left and is_number(self.plain[-1]) else ""

    def in_passing(self) -> Iterator[Pair]:
        """A subject with what is said of it in passing, "X, which is in Y, is Z"."""
        words = self.plain
        start = next((at for at, word in enumerate(words) if word in ("which", "who") and "," in self._between(at)), 0)
        end = next((at for at in range(start + 1, len(words)) if "," in self._between(at)), 0)
        if start and end and start in self.ends and end in self.verbs:
            subject = self.text(0, start)
            yield f"{subject} {self.text(start + 1, end)}", f"{subject} {self.text(end, len(words))}"

    def _of_subject(self, joined: str, at: int) -> str:
        """What is said from word `at`, of the subject of the first clause; empty where that has no name."""
        subject = self.text(0, self.verb)
        if not self._is_definite() or at >= len(self.plain):
            return ""
        return f"{subject}{joined}{self.text(at, len(self.plain))}"

    def _is_definite(self) -> bool:
        """Whether the subject of the first clause is one thing, so that more can be said of it."""
        if self.plain[0] in ANY | NEGATIONS | ARTICLES - {"the"}:
            return False
        named = any(word.text[:1].isupper() for word in self.heard.words[1 : self.verb])
        return named or self.plain[0] == "the" or self.heard.words[0].text[:1].isupper()

    def _likewise(self, at: int) -> str:
        """What the first clause says, of what stands behind "so is"."""
        other = self.text(at + 2, len(self.plain)) if at + 1 in self.verbs else ""
        said = self.text(self.verb, at - 1 if self.plain[at - 1] in JOINING else at)
        return f"{other} {said}" if other else ""

    def _gapped(self, left: int, at: int) -> str:
        """The second clause with the verb of the first, "X comes from A, Y from B"; or a second thing of which the
        same is said, "won round 3 and round 4"."""
        if self.plain[at] in PREPOSITIONS:
            same = [index for index in range(self.verb, left) if self.plain[index] == self.plain[at]]
            return f"{self.text(0, same[-1])} {self.text(at, len(self.plain))}" if same else ""
        first = at + (self.plain[at] == "the")
        name = next((item for item in self.heard.values if item.start <= first < item.end), None)
        if name is None or name.end >= len(self.plain):
            return ""
        rest = name.end
        while rest + 1 < len(self.plain) and self.plain[rest] in SLIGHT:
            rest += 1
        same = [index for index in range(self.verb + 1, left) if self.plain[index] == self.plain[rest]]
        verb = self.text(self.verb, same[0] if same else self.verb + 1)
        return f"{self.text(at, name.end)} {verb} {self.text(rest, len(self.plain))}"

    def _between(self, index: int) -> set[str]:
        """The marks before a word."""
        words = self.heard.words
        return set(self.heard.text[words[index - 1].end : words[index].start]) if index else set()

    def _is_verb(self, index: int) -> bool:
        word = self.plain[index]
        return index not in self.heard.taken and (is_verb(word) or (self._is_bare_verb(index) and index in self.ends))

    def _is_bare_verb(self, index: int) -> bool:
        """Whether a word is a verb of the present by its ending and by what stands behind it: "WORKS in", "HAS the"."""
        word, behind = self.plain[index], self.plain[index + 1 : index + 2]
        if index in self.heard.taken or not word.endswith("s") or word.endswith(("ss", "us", "'s")) or not behind:
            return False
        follows = behind[0] in (FUNCTION_WORDS | NUMERALS.keys()) - {"of", "and", "or"} or index + 1 in self.heard.taken
        return word not in PREPOSITIONS | ARTICLES | PRONOUNS and (follows or behind[0][:1].isdigit())
