"""Parts: the statements of a claim that are checked together.

Comes in: a parsed claim and what it names. Goes out: parts, each one or several statements. Statements that share a
thing without a name belong together ("directed by somebody who was born in X" speaks of one person), and so do those
under one negated verb ("not built by X in Y").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kgneo.english.claims import SOURCE, TARGET, ParsedClaim, Statement, Thing
from kgneo.verification.named import Named, NamedClaim


@dataclass(frozen=True, slots=True)
class Part:
    """Statements about `things` (those of the whole claim, by their numbers), of which `named` tells the named ones;
    `negated`: that they hold together is denied."""

    statements: tuple[Statement, ...]
    things: tuple[Thing, ...]
    named: tuple[Named, ...]
    negated: bool = False

    def end(self, thing: int) -> Named | None:
        """What a thing names; None for one without a name, and for none."""
        return self.named[self.things[thing].mention] if thing >= 0 and self.things[thing].named else None

    def noun(self, *things: int) -> str:
        """The word for the first of several things that has no name."""
        return next((self.things[thing].noun for thing in things if thing >= 0 and not self.things[thing].named), "")

    @property
    def text(self) -> str:
        """What the part says, in its words."""
        said = " and ".join(self._said(item) for item in self.statements)
        return f"it is not so that {said}" if self.negated else said

    def _said(self, item: Statement) -> str:
        names = {SOURCE: self._name(item.source), TARGET: self._name(item.target) if item.target >= 0 else ""}
        words = " ".join(names.get(word, word) for word in item.words).replace(" 's", "'s")
        return f"not: {' '.join(words.split())}" if item.negated else " ".join(words.split())

    def _name(self, thing: int) -> str:
        named = self.end(thing)
        if named is not None:
            return named.text
        noun = self.things[thing].noun
        return f"some {noun}" if noun else "something"


def parts_of(claim: ParsedClaim, named: NamedClaim) -> list[Part]:
    """The parts of a claim, in the order of its words."""
    numbers = [number for _, _, number in named.places]
    things = tuple(replace(thing, mention=numbers[thing.mention]) if thing.named else thing for thing in claim.things)
    return [_part(group, things, named.things) for group in _groups(claim.statements, things)]


def _part(statements: Sequence[Statement], things: tuple[Thing, ...], named: tuple[Named, ...]) -> Part:
    """A part; the negation of its first verb denies the whole of it, others their own statement."""
    first = statements[0]
    if not first.negated:
        return Part(tuple(statements), things, named)
    plain = [replace(item, negated=False) if item.predicate == first.predicate else item for item in statements]
    return Part(tuple(plain), things, named, negated=True)


def _groups(statements: Sequence[Statement], things: Sequence[Thing]) -> Iterator[list[Statement]]:
    groups: list[list[Statement]] = []
    for statement in statements:
        touching = [group for group in groups if any(_together(statement, other, things) for other in group)]
        groups = [group for group in groups if group not in touching]
        groups.append([*(item for group in touching for item in group), statement])
    return iter(sorted(groups, key=lambda group: min(statements.index(item) for item in group)))


def _together(first: Statement, second: Statement, things: Sequence[Thing]) -> bool:
    if first.negated and second.negated and first.predicate == second.predicate and first.source == second.source:
        return first.words != second.words
    shared = {first.source, first.target} & {second.source, second.target}
    return any(thing >= 0 and not things[thing].named for thing in shared)
