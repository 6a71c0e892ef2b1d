"""One reply of a server while it is read: pieces come in, cleaned text goes out, counts and the end are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kgneo.llm.cleaning import Cleaner
from kgneo.llm.protocol import Parameters

__all__ = ["Reply"]

_CHARACTERS_PER_TOKEN, _MORE_CHARACTERS = 16, 256
"""A reply that is longer than this for the tokens it may have is cut."""

MOST_TOKENS = 2**53
"""A number of tokens from which on it is none."""


class Reply:
    """The reply to a request with `parameters`. `hidden` are secrets that must not be in it, `on_text` gets its text.

    `finish_reason` is empty until the reply has ended, `pieces` counts those that held text or thought.
    """

    def __init__(self, parameters: Parameters, hidden: Sequence[str], on_text: Callable[[str], None]) -> None:
        self.cleaner = Cleaner(parameters.stop, secrets=hidden)
        self.finish_reason = ""
        self.usage: Mapping[str, Any] = {}
        self.pieces = 0
        self._on_text = on_text
        self._room = _CHARACTERS_PER_TOKEN * parameters.max_tokens + _MORE_CHARACTERS

    def take(self, event: Mapping[str, Any]) -> bool:
        """Takes one piece; False when nothing more is wanted from the server."""
        usage = event.get("usage")
        self.usage = usage if isinstance(usage, dict) else self.usage
        for choice in event["choices"][:1]:
            # A server that does not stream sends the whole as "message".
            delta = choice.get("delta") or choice.get("message") or {}
            text = delta.get("content") or ""
            thought = delta.get("reasoning_content") or delta.get("reasoning") or ""
            self.pieces += bool(text or thought)
            self._room -= len(text) + len(thought)
            self._hand_out(self.cleaner.feed(text))
            self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)
        if self.finish_reason or not (self.cleaner.ended or self._room < 0):
            return True
        self.finish_reason = "stop" if self.cleaner.ended else "length"
        return False

    def counted(self, name: str, *, of: str = "") -> int | None:
        """A number of tokens that the server tells, in its `usage` or an object `of` it; None for what is no number."""
        found = self.usage.get(of) if of else self.usage
        value = found.get(name) if isinstance(found, dict) else None
        told = isinstance(value, int | float) and 0 <= value < MOST_TOKENS
        return int(value) if told and value is not None else None

    def finish(self) -> None:
        """Hands out what the cleaner still holds."""
        self._hand_out(self.cleaner.finish())

    def _hand_out(self, text: str) -> None:
        if text:
            self._on_text(text)
