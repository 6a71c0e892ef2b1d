"""Dry run: a language model that is not asked, to see what would be sent to it.

Comes in: a chat. Goes out: never a reply; PromptNotSent, with the chat, in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgneo.errors import KgneoError
from kgneo.llm.protocol import Completion, Message, Parameters

LETTERS = 4
"""Letters that a token has, about."""


class PromptNotSent(KgneoError):
    """What would have been sent to a language model: `messages`."""

    def __init__(self, stage: str, messages: Sequence[Message]) -> None:
        super().__init__(f"The prompt {stage!r} was not sent: this is a dry run.")
        self.stage = stage
        self.messages = tuple(messages)


class DryRun:
    """In the place of the model that is called `name`."""

    supports_grammar = False
    supports_json_schema = True
    context_tokens: int | None = None

    def __init__(self, name: str, context_tokens: int | None = None) -> None:
        self.name = name
        self.context_tokens = context_tokens

    @property
    def fingerprint(self) -> str:
        """No reply of it is ever kept."""
        return f"dry run of {self.name}"

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,  # noqa: ARG002 - there is no text
    ) -> Completion:
        """Raises PromptNotSent."""
        raise PromptNotSent(parameters.stage, messages)

    def count_tokens(self, text: str) -> int:
        """About how many there are."""
        return -(-len(text) // LETTERS)
