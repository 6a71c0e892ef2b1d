"""What models that run in this process share: how a chat becomes a prompt, what of it stays the same, whether it fits.

Comes in: messages, and what a backend's own template and tokenizer make of them. Goes out: texts, counts and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kgneo.errors import ContextOverflow, ModelError
from kgneo.llm.cleaning import defuse
from kgneo.llm.protocol import Message, merge_system

REPLY_ROOM = 32
"""Tokens that are left free for a reply, at most."""
OTHER_TEXT = "#"
"""Stands in for the last message, to see how much of a prompt does not depend on it."""


def rendered(name: str, messages: Sequence[Message], render: Callable[[Sequence[Message]], str]) -> tuple[str, bool]:
    """The prompt of a chat by a model's template, and whether the template has opened a think block.

    Raises ModelError for a chat that the template refuses.
    """
    harmless = [Message(message.role, defuse(message.content)) for message in messages]
    try:
        text = render(harmless)
    except Exception as error:
        # The template is a program of the model's maker; some refuse the role "system".
        try:
            text = render(merge_system(harmless))
        except Exception:
            raise ModelError(f"the chat template of {name} refuses this chat: {error}") from error
    return text, text.rstrip().endswith(("<think>", "[THINK]"))


def with_other_end(messages: Sequence[Message]) -> list[Message]:
    """The chat with another last message."""
    return [*messages[:-1], Message(messages[-1].role, OTHER_TEXT)]


def shared_tokens(prompt: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens a prompt begins with that another one begins with, too; not all of them."""
    pairs = enumerate(zip(prompt[:-1], other, strict=False))
    return next((index for index, (token, another) in pairs if token != another), min(len(prompt) - 1, len(other)))


def check_room(name: str, tokens: int, wanted: int, context: int) -> None:
    """Raises ContextOverflow for a prompt of so many tokens that leaves no room for a reply in the context."""
    limit = context - min(wanted, REPLY_ROOM, context // 4)
    if tokens > limit:
        raise ContextOverflow(
            f"the prompt has {tokens} tokens, and {limit} fit into the context of {name} ({context}) beside a reply",
            tokens=tokens,
            limit=limit,
            hint="Give fewer triples, or load the model with a longer context.",
        )
