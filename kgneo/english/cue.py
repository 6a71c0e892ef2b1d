"""Cues: constructions of English as data, each with an example, which is its test."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

Asks = TypeVar("Asks", bound=str)
"""What cues of one kind may ask for: a `Literal`."""


@dataclass(frozen=True)
class Cue(Generic[Asks]):
    """What words ask for, with an example. A blank in the pattern is any number of blanks or hyphens; a `fewest` one
    asks for the other end."""

    asks: Asks
    pattern: str
    example: str
    fewest: bool = False

    @cached_property
    def expression(self) -> re.Pattern[str]:
        """The pattern as a regular expression."""
        return re.compile(rf"\b(?:{self.pattern.replace(' ', r'[ -]+')})\b", re.IGNORECASE)
