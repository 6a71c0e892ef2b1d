"""One reply of a server while it is read: pieces come in, cleaned text goes out, counts and the end are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kgneo.llm.cleaning import Cleaner
from kgneo.llm.protocol import Parameters

__all__ = ["Reply", "most_bytes"]

_CHARACTERS_PER_TOKEN, _MORE_CHARACTERS = 16, 256
"""A reply that is longer than this for the tokens it may have is cut."""

MOST_TOKENS = 2**53
"""More than this is no count."""
BYTES_PER_TOKEN, LEAST_BYTES = 2048, 2**20
"""A piece of a stream holds a token, and all that a server says about it."""


def most_bytes(parameters: Parameters) -> int:
    """How many bytes a reply may have, with all that is around its text."""
    return LEAST_BYTES + BYTES_PER_TOKEN * parameters.max_tokens


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
        self.usage = _mapping(event.get("usage")) or self.usage
        for choice in event["choices"][:1]:
            # A server that does not stream sends the whole as "message".
            delta = choice.get("delta") or choice.get("message")
            text = _text(delta, "content")
            thought = _text(delta, "reasoning_content") or _text(delta, "reasoning")
            self.pieces += bool(text or thought)
            self._hand_out(self.cleaner.feed(text[: max(0, self._room)]))
            self._room -= len(text) + len(thought)
            self.finish_reason = str(choice.get("finish_reason") or self.finish_reason)
        if self.finish_reason or not (self.cleaner.ended or self._room < 0):
            return True
        self.finish_reason = "stop" if self.cleaner.ended else "length"
        return False

    def count(self, *names: str) -> int | None:
        """A number of tokens that the server counted, by the names on the way to it; None where it says none."""
        *way, last = names
        record = self.usage
        for name in way:
            record = _mapping(record.get(name))
        found = record.get(last)
        return int(found) if isinstance(found, int | float) and 0 <= found <= MOST_TOKENS else None

    def finish(self) -> None:
        """Hands out what the cleaner still holds."""
        self._hand_out(self.cleaner.finish())

    def _hand_out(self, text: str) -> None:
        if text:
            self._on_text(text)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(delta: object, name: str) -> str:
    found = _mapping(delta).get(name)
    return found if isinstance(found, str) else ""
