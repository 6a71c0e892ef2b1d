"""A grammar in GBNF as a tree: texts that it allows are drawn from it, and whether it allows a text is tried out.

Reads what kgneo writes: rules, literals, groups, `|`, `?`, `*` and `{0,n}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

TOKEN = re.compile(r'\s*("(?:\\.|[^"\\])*"|[a-z][a-z0-9-]*|\{0,\d+\}|[()|?*])')
FEW = 2
"""Times that a sample repeats what may be repeated as often as one likes."""


@dataclass(frozen=True)
class Literal:
    text: str


@dataclass(frozen=True)
class Rule:
    name: str


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Choice:
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Repeat:
    part: Part
    most: int


Part = Literal | Rule | Sequence | Choice | Repeat


def rules_of(grammar: str) -> Mapping[str, Part]:
    """The rules by their names."""
    found: dict[str, Part] = {}
    for line in grammar.splitlines():
        name, _, body = line.partition(" ::= ")
        tokens = [match[1] for match in TOKEN.finditer(body)]
        assert re.fullmatch(rf"(?:{TOKEN.pattern})+\s*", body), f"{name} has what is not read: {body}"
        found[name] = _choice(tokens)
        assert not tokens, f"{name}: {tokens}"
    return found


def _choice(tokens: list[str]) -> Part:
    parts = [_sequence(tokens)]
    while tokens and tokens[0] == "|":
        tokens.pop(0)
        parts.append(_sequence(tokens))
    return Choice(tuple(parts))


def _sequence(tokens: list[str]) -> Part:
    parts: list[Part] = []
    while tokens and tokens[0] not in ("|", ")"):
        first = tokens.pop(0)
        if first == "(":
            part = _choice(tokens)
            assert tokens.pop(0) == ")"
        elif first.startswith('"'):
            part = Literal(re.sub(r"\\(.)", r"\1", first[1:-1]))
        else:
            part = Rule(first)
        if tokens and tokens[0] in ("?", "*"):
            part = Repeat(part, 1 if tokens.pop(0) == "?" else 1_000)
        elif tokens and tokens[0].startswith("{0,"):
            part = Repeat(part, int(tokens.pop(0)[3:-1]))
        parts.append(part)
    return Sequence(tuple(parts))


def drawn(rules: Mapping[str, Part], random: Random, part: Part = Rule("root")) -> str:
    """A text that the grammar allows."""
    if isinstance(part, Literal):
        return part.text
    if isinstance(part, Rule):
        return drawn(rules, random, rules[part.name])
    if isinstance(part, Choice):
        return drawn(rules, random, random.choice(part.parts))
    if isinstance(part, Sequence):
        return "".join(drawn(rules, random, item) for item in part.parts)
    return "".join(drawn(rules, random, part.part) for _ in range(random.randint(0, min(part.most, FEW))))


def allows(rules: Mapping[str, Part], text: str) -> bool:
    """Whether the grammar has exactly this text."""
    return len(text) in _ends(rules, Rule("root"), text, 0)


def _ends(rules: Mapping[str, Part], part: Part, text: str, start: int) -> Iterator[int]:
    """Where what the part allows may end in the text."""
    if isinstance(part, Literal):
        if text.startswith(part.text, start):
            yield start + len(part.text)
    elif isinstance(part, Rule):
        yield from _ends(rules, rules[part.name], text, start)
    elif isinstance(part, Choice):
        for item in part.parts:
            yield from _ends(rules, item, text, start)
    elif isinstance(part, Sequence):
        ends = {start}
        for item in part.parts:
            ends = {end for begin in ends for end in _ends(rules, item, text, begin)}
        yield from ends
    else:
        reached = ends = {start}
        for _ in range(part.most):
            ends = {end for begin in ends for end in _ends(rules, part.part, text, begin)} - reached
            if not ends:
                break
            reached = reached | ends
        yield from reached
