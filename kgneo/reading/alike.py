"""Alike: "customers in the same town as X": what shares something with a named thing of its kind, or with any.

Comes in: what was heard of a question, and a tree of its mentions. Goes out: the tree with the named thing in it, which
has the same value of a property, or from which the same way leads to the same node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.names import is_doer, name_words, same_root
from kgneo.english.words import FUNCTION_WORDS, LIGHT_VERBS, UNITS
from kgneo.query.graph import Form, Scalar
from kgneo.reading.grow import Join, Same, Thing, Tree
from kgneo.reading.heard import Heard
from kgneo.reading.mentions import Mention
from kgneo.reading.vocabulary import Key, Step

LEAST = 0.45
"""Fit from which a noun tells what is the same."""
VERB = 0.4
"""What it is worth that a verb before names it, too."""
FURTHER = 0.45
"""What it costs that a property is not one of the things themselves."""
AWAY = 0.1
"""What it costs to speak of a thing that was not named last."""
REST = 0.35
"""What a relationship loses for the part of its name that is not said."""
NEAR = 4
"""Words from a negation to "same", at most."""
Known = tuple[tuple[Key, tuple[Scalar, ...]], ...]


@dataclass(frozen=True, slots=True)
class Common:
    """What two things of a label may share: a property, the node that a step leads to, or the property of that."""

    step: Step | None
    key: Key | None
    fit: float
    verb: float
    form: Form = ""

    @property
    def score(self) -> float:
        """How likely it is meant."""
        return self.fit + VERB * self.verb - (FURTHER if self.step and self.key else 0.0)


@dataclass(frozen=True)
class Alike:
    """What one question says is the same."""

    heard: Heard

    def put_on(self, tree: Tree) -> Tree | None:
        """A tree with what shares something with one of its things; None where nothing of it can."""
        best: tuple[float, int, Thing, tuple[Common, ...]] | None = None
        for away, index in enumerate(self._order(tree)):
            label = tree.things[index].label
            commons = self._commons(label)
            other = self._other(label, commons)
            score = sum(item.score for item in commons) / max(len(commons), 1) - AWAY * away
            if self._is_denied and not (len(commons) == 1 and commons[0].key):
                continue  # none that is the same is a query of its own
            if other and commons and (best is None or score > best[0]):
                best = (score, index, other, commons)
        return self._grown(tree, *best) if best else None

    def _other(self, label: str, commons: Sequence[Common]) -> Thing | None:
        """The named thing that one of a label has something in common with: another of the label, or of a label that
        has properties of the same names; None where the names name none. Any other, where no name is given."""
        if not self.heard.alike:
            return Thing(label, -1, False)
        labels = dict.fromkeys([label, *(one.owner for item in self.heard.alike for one in item.meanings)])
        for other in labels:
            own = {key.key for key in self.heard.fits.vocabulary.keys_of(other)}
            shared = all(item.key and not item.step and item.key.key in own for item in commons)
            known = self._known_of(other) if other == label or shared else ()
            if known:
                return Thing(other, -1, False, known)
        return None

    @property
    def _is_denied(self) -> bool:
        """Whether it is said that something is not the same."""
        assert self.heard.form.same is not None
        at = self.heard.form.same[0]
        return any(at - NEAR <= index < at for index in self.heard.form.negations)

    def _order(self, tree: Tree) -> list[int]:
        """The things of a tree, those first that were named last before the words for what is the same."""
        assert self.heard.form.same is not None
        at = self.heard.form.same[0]

        def place(index: int) -> int:
            last = tree.things[index].last
            start = self.heard.mentions[last].start if last >= 0 else 0
            return start if start < at else -1

        return sorted(range(len(tree.things)), key=lambda index: (-place(index), index))

    def _known_of(self, label: str) -> Known:
        """What the names say of a node of a label; nothing where one of them is no name of it."""
        found: list[tuple[Key, tuple[Scalar, ...]]] = []
        for item in self.heard.alike:
            meaning = next((one for one in item.meanings if one.owner == label and one.key), None)
            if meaning is None or meaning.key is None:
                return ()
            found.append((meaning.key, meaning.values))
        return tuple(found)

    def _commons(self, label: str) -> tuple[Common, ...]:
        """What each noun behind "same" names best of nodes of a label; nothing where one names nothing."""
        found = [max(self._named(label, noun), key=lambda item: item.score, default=None) for noun in self._nouns]
        return tuple(item for item in found if item) if all(found) else ()

    def _named(self, label: str, noun: str) -> Iterator[Common]:
        """What a noun may name that nodes of a label have, or that a step leads to from them."""
        vocabulary = self.heard.fits.vocabulary
        for key in vocabulary.keys_of(label):
            yield from self._property(None, key, noun)
        for step in vocabulary.leaving.get(label, ()):
            if step.label != label:
                for key in vocabulary.keys_of(step.label):
                    yield from self._property(step, key, noun)
            kind = self.heard.fits.label(noun).get(step.label, 0.0) if step.label != label else 0.0
            fit = max(self._relation(step, noun), kind)
            if fit >= LEAST:
                yield Common(step, None, fit, self._verb(step))

    def _property(self, step: Step | None, key: Key, noun: str) -> Iterator[Common]:
        if key.listed:
            return
        fits = self.heard.fits.key
        fit = fits(noun)[key]
        verb = max((fits(word)[key] for word in self._verbs), default=0.0)
        year = noun == "year" and key.kind == "date"
        if noun in UNITS and key.kind in ("date", "number"):
            fit = max(fit, 0.9 * verb)
        if fit >= LEAST:
            yield Common(step, key, fit, verb, "year" if year else "")

    def _relation(self, step: Step, noun: str) -> float:
        """How well a noun names what a step leads to, by the step's relationship: "supervisor"."""
        fits = self.heard.fits
        if not fits.named(noun, fits.relations.index(step.relation)):
            return 0.0
        acts = any(is_doer(noun, word) for word in name_words(fits.vocabulary.readable(step.relation)))
        return 1.0 if acts != step.forward else 0.5

    def _verb(self, step: Step) -> float:
        """How well the words before name a step: more where they say all of its relationship's name."""
        fits, verbs = self.heard.fits, self._verbs
        number = fits.relations.index(step.relation)
        own = fits.name_of(number)
        said = sum(any(same_root(word, part) for word in verbs) for part in own)
        if said:
            return 1.0 - REST * (1.0 - said / len(own))
        return max((0.75 * float(fits.similarity(word)[number]) for word in verbs), default=0.0)

    @property
    def nouns(self) -> list[int]:
        """Where the telling words behind "same" stand."""
        assert self.heard.form.same is not None
        start, end = self.heard.form.same
        return [index for index in range(start + 1, end) if self.heard.plain[index] not in FUNCTION_WORDS]

    @property
    def _nouns(self) -> list[str]:
        """The nouns for what is the same: the last one of those side by side."""
        return [self.heard.plain[index] for index in self.nouns if index + 1 not in self.nouns]

    @property
    def _before(self) -> list[int]:
        """Where the telling words before "same" stand, back to a name or a noun."""
        assert self.heard.form.same is not None
        found: list[int] = []
        for index in range(self.heard.form.same[0] - 1, self.heard.form.at - 1, -1):
            there = self.heard.mention_at(index)
            if there >= 0 and not self._is_verb(self.heard.mentions[there]):
                break
            if self.heard.plain[index] not in FUNCTION_WORDS:
                found.append(index)
        return found

    def _is_verb(self, item: Mention) -> bool:
        """Whether what was taken for a noun ("plays" for those who play) stands before a preposition."""
        assert self.heard.form.same is not None
        behind = self.heard.plain[item.end : self.heard.form.same[0]]
        return item.start > self.heard.form.at and len(behind) > 1 and set(behind) <= FUNCTION_WORDS

    @property
    def _verbs(self) -> list[str]:
        return [self.heard.plain[index] for index in self._before]

    def _grown(self, tree: Tree, score: float, index: int, named: Thing, commons: Sequence[Common]) -> Tree:
        """The tree with the other thing."""
        things, joins, same = list(tree.things), list(tree.joins), list(tree.same)
        other = len(things)
        things.append(named)
        for common in commons:
            one = _stepped(things, joins, index, common.step)
            two = _stepped(things, joins, other, common.step, -1 if common.key else one)
            same += [Same(one, two, common.key, common.form, self._is_denied)] if common.key else []
        said = any(common.verb >= LEAST for common in commons)
        spoken = {at for at in self._before if said or self.heard.plain[at] in LIGHT_VERBS}
        return replace(
            tree,
            things=tuple(things),
            joins=tuple(joins),
            score=tree.score + score,
            used=tree.used | spoken,
            same=(*same, *([Same(index, other)] if named.label == things[index].label else [])),
        )


def _stepped(things: list[Thing], joins: list[Join], start: int, step: Step | None, end: int = -1) -> int:
    """The thing that a step from a thing leads to, which is put there, unless it is the thing `end`."""
    if step is None:
        return start
    if end < 0:
        things.append(Thing(step.label, -1, False))
        end = len(things) - 1
    joins.append(Join(start, step.relation, step.forward, end))
    return end
