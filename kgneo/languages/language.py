"""Language: the words of a language that say how something is asked, read once from the data beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

READ = ("german", "spanish")


@dataclass(frozen=True)
class Language:
    """What stands for English `words` and phrases: alone, where a noun stands before it (`after_noun`), at the
    beginning of a clause (`after_comma`), as an adjective `behind` its noun. `nouns` are written with a capital letter;
    `verbs` end a clause about a noun."""

    name: str
    words: Mapping[str, str]
    nouns: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    after_noun: Mapping[str, str] = field(default_factory=dict)
    after_comma: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def longest(self) -> int:
        """Words of its longest phrase."""
        return max(len(phrase.split()) for phrase in (*self.words, *self.behind, *self.after_comma))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Its single words."""
        return frozenset(word for phrase in (*self.words, *self.behind) for word in phrase.split())


@cache
def languages() -> tuple[Language, ...]:
    """The languages in which questions are read."""
    return tuple(_read(name) for name in READ)


def _read(name: str) -> Language:
    record: dict[str, Any] = tomllib.loads(_text(name))
    nouns, verbs = tuple(record.pop("nouns")), tuple(record.pop("verbs"))
    return Language(nouns=nouns, verbs=verbs, **record)


@cache
def others() -> Mapping[str, frozenset[str]]:
    """Words of languages in which no question is read, by the language's name."""
    return {name: frozenset(words) for name, words in tomllib.loads(_text("others")).items()}


def _text(name: str) -> str:
    return files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
