"""The seam between kgneo and any language model: messages and parameters in, one completion out.

A model has one call, `complete`, that always works on a chat (a prompt alone is a chat of one user message),
and a way to count tokens for budgets. All backends clean their replies in the same way (`kgneo.llm.cleaning`)
and raise only `kgneo.errors.ModelError` and its subclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

__all__ = ["Completion", "LanguageModel", "Message", "Parameters", "merge_system"]

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """How a reply is drawn.

    `max_tokens` bounds the reply; `stop` strings end it and are not part of it. `temperature` 0 is greedy,
    `top_k` 0 keeps all tokens, `repeat_penalty` 1.0 is none. `seed` None draws a new one for each call.
    `grammar` (GBNF) or `json_schema`, at most one of them, hold the reply to a form where the model
    supports that. `timeout` is in seconds, for the whole call: from the first request, through any that repeat it
    and the waits between them, to the last piece of the reply.
    `stage` names who asks ("decompose"); it never reaches the model, scripts can tell stages apart by it.
    """

    max_tokens: int = 256
    temperature: float = 0.3
    top_k: int = 40
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int | None = None
    grammar: str | None = None
    json_schema: Mapping[str, Any] | None = None
    timeout: float = 120.0
    stage: str = ""

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}, expected at least 1")
        if not self.timeout > 0:
            raise ValueError(f"timeout is {self.timeout}, expected more than 0 seconds")
        if self.grammar is not None and self.json_schema is not None:
            raise ValueError("grammar and json_schema are both set, expected at most one of them")
        if "" in self.stop:
            raise ValueError("stop holds an empty string, which would end every reply at once")


@dataclass(frozen=True, slots=True)
class Completion:
    """A cleaned reply and its cost. `text` may be empty.

    `finish_reason` is "stop" (the model ended, or a stop string came), "length" (cut at the bound) or what a
    server said. Token counts are the model's own where it gives them, estimates otherwise. `cached` marks a
    reply from the disk; its other counts are those of the call that once produced it. `evaluated_tokens` are those
    of the prompt that the model read anew, the others being kept from earlier prompts that began alike; None where
    not known.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    cached: bool = False
    evaluated_tokens: int | None = None


@runtime_checkable
class LanguageModel(Protocol):
    """Anything that completes a chat.

    `name` is shown to people and recorded in results; `fingerprint` tells models apart in a cache and never
    holds a secret. `context_tokens` is the length of prompt and reply together, None when not known.
    Where `supports_grammar` or `supports_json_schema` is false, the form may be ignored: parse tolerantly.
    """

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def context_tokens(self) -> int | None: ...

    @property
    def supports_grammar(self) -> bool: ...

    @property
    def supports_json_schema(self) -> bool: ...

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The reply to `messages`; `on_text` gets its cleaned pieces as they come.

        Raises ModelError, ModelUnavailable (trying again can help) or ContextOverflow (shorten the prompt).
        """
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens `text` has, without special tokens; an estimate where there is no tokenizer."""
        ...


def merge_system(messages: Sequence[Message]) -> list[Message]:
    """The same chat without system messages: their text is put in front of the next user message.

    Chat templates such as that of Mistral-7B-Instruct-v0.2 refuse the role "system".
    """
    merged: list[Message] = []
    pending: list[str] = []
    for message in messages:
        if message.role == "system":
            pending.append(message.content)
        elif message.role == "user" and pending:
            merged.append(Message("user", "\n\n".join([*pending, message.content])))
            pending = []
        else:
            merged.append(message)
    if pending:
        merged.append(Message("user", "\n\n".join(pending)))
    return merged
