"""What one server makes of OpenAI's chat protocol: the request as it takes it, and its refusals in kgneo's terms.

Servers differ in the fields that they know, and say so in words. A `Dialect` writes requests, and learns from a
refusal that names a field to leave it out, or to write it otherwise, from then on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgneo.llm.protocol import Message, Parameters, merge_system

__all__ = ["Dialect", "message_in", "overflow_numbers"]

_OPTIONAL = ("temperature", "stream_options", "stop", "seed", "response_format", "grammar")
_UNKNOWN = re.compile(
    r"unknown|unrecogni[sz]ed|unexpected|unsupported|not support|not permitted|not allowed|extra|invalid"
    r"|input should be|only the default",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"response[_ .]?(?:format|schema)|json[_ ]?schema|json_object", re.IGNORECASE)
_OTHER_NAMES = {"stop": ("stop", "stop_sequences"), "seed": ("seed", "random_seed")}
"""Fields by what servers call them that pass requests on to a protocol of their own."""
_ROLE_REFUSED = re.compile(r"\broles?\b.*(alternate|support)|system (role|message)", re.IGNORECASE | re.DOTALL)
_OVERFLOW = re.compile(r"context_length_exceeded|exceed_context_size|exceeds? (?:the )?(?:available )?context")
_LIMITS = (
    r"maximum context length (?:is|of) (?P<limit>\d+)\D.*?requested (?:about )?(?P<tokens>\d+)",
    r"maximum context length (?:is|of) (?P<limit>\d+)\D.*?(?:resulted in|has|contains) (?P<tokens>\d+)",
    r"\((?P<tokens>\d+)(?: tokens)?\)\D*?(?:exceeds?|larger)\D*?context\D*?\(?(?P<limit>\d+)",
    r"n_prompt_tokens\D*(?P<tokens>\d+).*?n_ctx\D*(?P<limit>\d+)",
)


@dataclass(slots=True)
class Dialect:
    """What one server understands, learned from its refusals."""

    left_out: set[str] = field(default_factory=set)
    length_field: str = "max_tokens"
    merged_system: bool = False
    schema_form: str = "json_schema"

    def request(
        self, model: str, messages: Sequence[Message], parameters: Parameters, *, stream: bool
    ) -> dict[str, Any]:
        """The arguments of the library's call: the protocol's own fields, and the others in `extra_body`."""
        chat = merge_system(messages) if self.merged_system else messages
        standard: dict[str, Any] = {self.length_field: parameters.max_tokens, "temperature": parameters.temperature}
        if stream:
            standard["stream_options"] = {"include_usage": True}
        if parameters.stop:
            standard["stop"] = list(parameters.stop[:4])  # more are refused by some; the rest is cut off here
        if parameters.seed is not None:
            standard["seed"] = parameters.seed
        if parameters.json_schema is not None:
            standard["response_format"] = self._format(dict(parameters.json_schema))
        extra: dict[str, Any] = {"top_k": parameters.top_k, "min_p": parameters.min_p}
        if parameters.repeat_penalty != 1.0:
            # llama.cpp and Ollama know the first name, vLLM the second.
            extra["repeat_penalty"] = extra["repetition_penalty"] = parameters.repeat_penalty
        if parameters.grammar is not None:
            extra["grammar"] = parameters.grammar
        return {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in chat],
            "stream": stream,
            **{name: value for name, value in standard.items() if name not in self.left_out},
            "extra_body": {name: value for name, value in extra.items() if name not in self.left_out},
        }

    def adapt(self, refusal: str, request: Mapping[str, Any]) -> str:
        """Learns from a refusal; gives what changes in words, "" when it is about something else."""
        if self.length_field == "max_tokens" and "max_completion_tokens" in refusal:
            self.length_field = "max_completion_tokens"
            return "takes max_completion_tokens in place of max_tokens"
        roles = any(message["role"] == "system" for message in request["messages"])
        if roles and not self.merged_system and _ROLE_REFUSED.search(refusal):
            self.merged_system = True
            return "takes no system messages: they go in front of the question"
        if "response_format" in request and _FORMAT.search(refusal):
            return self._other_format()
        named = {name for name in request["extra_body"] if name != "grammar" and _names(refusal, name)}
        if _UNKNOWN.search(refusal):
            sent = request.keys() | request["extra_body"].keys()
            named |= {name for name in _OPTIONAL if name in sent and _names(refusal, name)}
        self.left_out |= named
        return f"does not take {', '.join(sorted(named))}: left out from now on" if named else ""

    def _other_format(self) -> str:
        """The next form in which a server may take a JSON schema, at last none."""
        if self.schema_form == "json_schema":
            self.schema_form = "json_object"
            return "takes JSON schemas in another form"
        self.left_out.add("response_format")
        return "takes no JSON schemas: left out from now on"

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.schema_form == "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        return {"type": "json_object", "schema": schema}


def _names(text: str, name: str) -> bool:
    names = "|".join(map(re.escape, _OTHER_NAMES.get(name, (name,))))
    return re.search(rf"(?<!\w)(?:{names})(?!\w)", text) is not None


def overflow_numbers(text: str) -> tuple[int, int] | None:
    """Tokens of the prompt and of the context, from a refusal for that reason (0 where it does not say)."""
    for pattern in _LIMITS:
        if found := re.search(pattern, text, re.IGNORECASE | re.DOTALL):
            return int(found["tokens"]), int(found["limit"])
    return (0, 0) if _OVERFLOW.search(text) else None


def message_in(body: object) -> str:
    """The server's own words in the body of a refusal, which may be a list of one (Gemini), and may hold those of
    another server to which it passed the request on (OpenRouter)."""
    if isinstance(body, Sequence) and not isinstance(body, str | bytes) and body:
        return message_in(body[0])
    inner = body.get("error", body) if isinstance(body, Mapping) else body
    if not isinstance(inner, Mapping):
        return str(inner)
    metadata = inner.get("metadata")
    passed = metadata.get("raw") if isinstance(metadata, Mapping) else None
    parts = [inner.get("message") or inner.get("detail"), inner.get("code"), inner.get("param"), passed]
    numbers = {name: inner[name] for name in ("n_prompt_tokens", "n_ctx") if name in inner}
    return ", ".join(str(part) for part in (*parts, numbers or None) if part is not None) or json.dumps(inner)
