"""Any server that speaks the chat protocol of OpenAI: vLLM, llama.cpp's server, Ollama, hosted services.

One call is a small loop. A request goes out; what comes back is

- a stream of pieces: cleaned, handed on, and cut off when it grows past what was asked for;
- a refusal that names fields (400, 422): what the server does not know is left out from then on;
- 429, 5xx or a broken connection: waited for and tried again, as long as no text was handed on;
- anything else: one error.

The stream is read here from the bytes up, because the time limit must also hold for a server that sends blank
lines for ever, and the size limit for one that sends a line without end.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable, UsageError
from kgneo.llm.cleaning import SECRET_MARK, Cleaner, defuse
from kgneo.llm.protocol import Completion, Message, Parameters, merge_system

__all__ = ["HOSTED", "OpenAICompatibleModel"]

HOSTED = "https://api.openai.com/v1"
RETRIES = 3
LONGEST_WAIT = 60.0
_SHORTEST_SECRET = 8
_NO_KEY = "none"
_MESSAGE_LENGTH = 300
_BYTES_PER_TOKEN = 3.5
_TRANSPORTS = {"httpx", "httpcore", "httpx2", "httpcore2"}
"""Packages whose errors come through the openai library while a reply is read; versions differ."""


class OpenAICompatibleModel:
    """`model` as the server calls it, at the address `url` (up to and with "/v1").

    `key` is sent to that address and never shown; `context` is the context in tokens where it is known;
    `retries` bounds the repeated requests, `sleep` waits between them (seconds). Raises UsageError for an
    address or a key that cannot be used, ModelError when the openai library is missing.
    """

    supports_grammar = False
    supports_json_schema = True

    def __init__(
        self,
        model: str,
        *,
        url: str = HOSTED,
        key: str | None = None,
        context: int | None = None,
        retries: int = RETRIES,
        sleep: Callable[[float], None] = time.sleep,
        report: Callable[[str], None] | None = None,
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise ModelError(
                f"openai: models need the openai library, which cannot be imported: {error}",
                hint="Install it with: pip install 'kgneo[openai]'",
            ) from error
        check_address(url)
        key = check_key(key)
        if not key and url.rstrip("/") == HOSTED:
            raise ModelError(
                f"no key for {HOSTED}",
                hint="Set OPENAI_API_KEY (or KGNEO_LLM_KEY), or name another address with --llm-url.",
            )
        self.name = f"openai:{model}"
        self.url = url
        self.context_tokens = context
        self.fingerprint = f"{self.name} at {url.rstrip('/')}"
        self._model = model
        self._retries = retries
        self._sleep = sleep
        self._report = report or _silent
        self._secrets = (key,) if key and len(key) >= _SHORTEST_SECRET else ()
        self._openai = openai
        self._client = openai.OpenAI(api_key=key or _NO_KEY, base_url=url, max_retries=0)
        self._dialect = Dialect()

    def __repr__(self) -> str:
        return f"OpenAICompatibleModel({self._model!r}, url={self.url!r})"

    def close(self) -> None:
        """Closes the connections that are kept open."""
        self._client.close()

    def complete(
        self,
        messages: Sequence[Message],
        parameters: Parameters,
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        """The reply to `messages`.

        Raises ModelUnavailable when the server cannot be reached, stays overloaded or takes longer than the
        timeout, ContextOverflow for a prompt that it finds too long, ModelError for any other refusal.
        """
        harmless = [Message(message.role, defuse(message.content)) for message in messages]
        attempt = 0
        stream = True
        while True:
            reply = _Reply(parameters, self._secrets, on_text or _silent)
            request = self._dialect.request(self._model, harmless, parameters, stream=stream)
            try:
                self._attempt(request, parameters, reply)
            except _Adapted:
                continue
            except _Passing as failure:
                if attempt >= self._retries or reply.handed_out:
                    raise failure.error from None
                # Some servers can tell what is wrong only when they do not stream.
                stream = not failure.silent
                self._wait(failure, attempt)
                attempt += 1
            else:
                return self._completion(harmless, reply)

    def count_tokens(self, text: str) -> int:
        """An estimate, rather too high than too low: the server's tokenizer is not known."""
        return math.ceil(len(text.encode()) / _BYTES_PER_TOKEN)

    def _attempt(self, request: dict[str, Any], parameters: Parameters, reply: _Reply) -> None:
        """Sends one request and reads the answer into `reply`."""
        openai = self._openai
        deadline = time.monotonic() + parameters.timeout
        try:
            with self._client.chat.completions.with_streaming_response.create(
                **request, timeout=parameters.timeout
            ) as response:
                self._check_type(response.headers)
                for data in _events(response.iter_bytes(), deadline, _most_bytes(parameters)):
                    if not reply.take(data):
                        break
        except openai.APIStatusError as error:
            self._refused(error, request)
        except (openai.APITimeoutError, _Late):
            if not reply.whole:
                raise self._too_slow(parameters) from None
        except _ServerSaid as error:
            self._broke_off(error.text)
        except Exception as error:
            self._connection_failed(error, parameters)
        if not reply.whole:
            failure = ModelUnavailable(f"{self.url} ended the connection inside its reply")
            raise _Passing(failure, silent=reply.pieces == 0)
        if self._ended_in_thought(reply, request):
            raise _Adapted

    def _wait(self, failure: _Passing, attempt: int) -> None:
        delay = failure.delay_before(attempt)
        message = failure.error.message
        if delay > LONGEST_WAIT:
            raise ModelUnavailable(f"{message}; it asks to wait for {delay:.0f} s") from None
        self._report(f"{message}; trying again in {delay:.1f} s")
        self._sleep(delay)

    def _check_type(self, headers: Mapping[str, str]) -> None:
        if "html" in headers.get("content-type", ""):
            raise ModelError(
                f"{self.url} answered with a web page, expected a reply of a language model",
                hint="Check the address; it usually ends in /v1.",
            )

    def _broke_off(self, text: str) -> None:
        text = self._redacted(text)
        if overflow := self._overflow(text):
            raise overflow from None
        raise _Passing(ModelUnavailable(f"{self.url} broke off: {_shortened(text)}")) from None

    def _connection_failed(self, error: Exception, parameters: Parameters) -> None:
        """Raises what a failed connection means; anything else goes on as it is."""
        cause: BaseException = error
        if isinstance(error, self._openai.APIConnectionError):
            cause = error.__cause__ or error
        elif type(error).__module__.partition(".")[0] not in _TRANSPORTS:
            raise error
        elif type(error).__name__.endswith("Timeout"):
            raise self._too_slow(parameters) from None
        reason = _shortened(self._redacted(str(cause) or type(cause).__name__))
        failure = ModelUnavailable(
            f"no connection to {self.url}: {reason}", hint="Check --llm-url, and that the server runs."
        )
        raise _Passing(failure, silent=type(cause).__name__ != "ConnectError") from None

    def _refused(self, error: Any, request: Mapping[str, Any]) -> None:
        """Raises what an HTTP status means."""
        status = int(error.status_code)
        text = self._redacted(_said(error))
        message = f"{self.url} answered {status}: {_shortened(text)}"
        if overflow := self._overflow(text):
            raise overflow from None
        # llama-cpp-python's server answers 500 to a field that it cannot take.
        about_fields = status in (400, 422) or (status == 500 and "validation error" in text)
        if about_fields and (change := self._dialect.adapt(text, request)):
            self._report(f"{self.url} {change}")
            raise _Adapted from None
        if status == 429 or status >= 500:
            failure = ModelUnavailable(message, hint="Try again later.")
            raise _Passing(failure, retry_after=_retry_after(error.response.headers)) from None
        hints = {
            401: "Set OPENAI_API_KEY or KGNEO_LLM_KEY to a key of this server.",
            403: "The key may not use this model.",
            404: f"Check the model name ({self._model}) and the address; it usually ends in /v1.",
        }
        raise ModelError(message, hint=hints.get(status, "")) from None

    def _overflow(self, text: str) -> ContextOverflow | None:
        numbers = overflow_numbers(text)
        if numbers is None:
            return None
        tokens, limit = numbers
        lengths = f"has {tokens} tokens with its reply, and {limit} fit into" if limit else "is longer than"
        return ContextOverflow(
            f"the prompt {lengths} the context of {self.name}",
            tokens=tokens,
            limit=limit,
            hint="Give fewer triples, or run the server with a longer context.",
        )

    def _ended_in_thought(self, reply: _Reply, request: Mapping[str, Any]) -> bool:
        """Whether the server met a stop string inside a think block; it is not sent any from then on."""
        if reply.finish_reason != "stop" or not reply.cleaner.thinking or "stop" not in request:
            return False
        self._dialect.left_out.add("stop")
        return True

    def _completion(self, messages: Sequence[Message], reply: _Reply) -> Completion:
        reply.finish()
        counted = sum(self.count_tokens(message.content) for message in messages)
        return Completion(
            reply.cleaner.text,
            int(reply.usage.get("prompt_tokens") or counted),
            int(reply.usage.get("completion_tokens") or reply.pieces),
            reply.finish_reason or "stop",
        )

    def _too_slow(self, parameters: Parameters) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self.url} did not finish within {parameters.timeout:g} s",
            hint="Allow more time, or check that the server is not overloaded.",
        )

    def _redacted(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, SECRET_MARK)
        return " ".join(text.split())


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
        standard: dict[str, Any] = {
            self.length_field: parameters.max_tokens,
            "temperature": parameters.temperature,
        }
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
        if self._wants_other_length(refusal):
            self.length_field = "max_completion_tokens"
            return "takes max_completion_tokens in place of max_tokens"
        roles = any(message["role"] == "system" for message in request["messages"])
        if roles and not self.merged_system and _ROLE_REFUSED.search(refusal):
            self.merged_system = True
            return "takes no system messages: they go in front of the question"
        if "response_format" in request and self.schema_form == "json_schema" and _FORMAT.search(refusal):
            self.schema_form = "json_object"
            return "takes JSON schemas in another form"
        named = {name for name in request["extra_body"] if name != "grammar" and _names(refusal, name)}
        if _UNKNOWN.search(refusal):
            optional = [name for name in _OPTIONAL if name in request or name in request["extra_body"]]
            named |= {name for name in optional if _names(refusal, name)}
        self.left_out |= named
        return f"does not take {', '.join(sorted(named))}: left out from now on" if named else ""

    def _wants_other_length(self, refusal: str) -> bool:
        return self.length_field == "max_tokens" and "max_completion_tokens" in refusal

    def _format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if self.schema_form == "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
        return {"type": "json_object", "schema": schema}


_OPTIONAL = ("temperature", "stream_options", "stop", "seed", "response_format", "grammar")
_UNKNOWN = re.compile(
    r"unknown|unrecogni[sz]ed|unexpected|unsupported|not support|not permitted|not allowed|extra|invalid"
    r"|input should be|only the default",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"response_format|json_schema|json_object")
_ROLE_REFUSED = re.compile(r"\broles?\b.*(alternate|support)|system (role|message)", re.IGNORECASE | re.DOTALL)


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


class _Reply:
    """One reply while it is read: cleaned text, counts and how it ended."""

    def __init__(self, parameters: Parameters, hidden: Sequence[str], on_text: Callable[[str], None]) -> None:
        self.cleaner = Cleaner(parameters.stop, secrets=hidden)
        self.finish_reason = ""
        self.usage: dict[str, Any] = {}
        self.pieces = 0
        self.handed_out = False
        self.whole = False
        self._on_text = on_text
        self._characters = 0
        self._most_pieces = 2 * parameters.max_tokens + 16
        self._most_characters = 32 * parameters.max_tokens + 256

    def take(self, data: str) -> bool:
        """Takes one event; False when nothing more is wanted from the server."""
        if data == "[DONE]":
            self.whole = True
            return False
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            raise _ServerSaid(f"expected JSON, found {data[:80]!r}") from None
        if not isinstance(event, Mapping):
            raise _ServerSaid(f"expected a JSON object, found {data[:80]!r}")
        if event.get("error") or "choices" not in event:
            raise _ServerSaid(_message_in(event))
        usage = event.get("usage")
        self.usage = dict(usage) if isinstance(usage, Mapping) else self.usage
        for choice in (event["choices"] or ())[:1]:
            self._take_choice(choice)
        return self._wants_more()

    def finish(self) -> None:
        """Hands out what the cleaner still holds."""
        self._hand_out(self.cleaner.finish())

    def _take_choice(self, choice: Mapping[str, Any]) -> None:
        # A server that does not stream sends the whole as "message".
        delta = choice.get("delta") or choice.get("message") or {}
        text = delta.get("content") or ""
        thought = delta.get("reasoning_content") or delta.get("reasoning") or ""
        if text or thought:
            self.pieces += 1
            self._characters += len(text) + len(thought)
        self._hand_out(self.cleaner.feed(text))
        if reason := choice.get("finish_reason"):
            self.finish_reason = str(reason)
            self.whole = True

    def _wants_more(self) -> bool:
        if self.cleaner.ended and not self.whole:
            self.finish_reason = "stop"
            self.whole = True
            return False
        if self.pieces > self._most_pieces or self._characters > self._most_characters:
            self.finish_reason = "length"
            self.whole = True
            return False
        return True

    def _hand_out(self, text: str) -> None:
        if text:
            self.handed_out = True
            self._on_text(text)


class _Adapted(Exception):
    """No error: the dialect has changed, and the request is sent again."""


class _Passing(Exception):
    """A failure that may pass by itself; `retry_after` is the wait in seconds that the server asks for,
    `silent` says that it broke off a stream before the first piece."""

    def __init__(self, error: ModelUnavailable, *, retry_after: float | None = None, silent: bool = False) -> None:
        super().__init__(error.message)
        self.error = error
        self.silent = silent
        self.retry_after = retry_after

    def delay_before(self, attempt: int) -> float:
        """Seconds to wait before repeating attempt number `attempt` (from 0)."""
        if self.retry_after is not None:
            return self.retry_after
        return min(8.0, 0.5 * 2.0**attempt) * random.uniform(0.5, 1.0)  # noqa: S311 - only spreads the load


class _Late(Exception):
    """The deadline has passed."""


class _ServerSaid(Exception):
    """An error inside a stream."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


def _events(pieces: Iterator[bytes], deadline: float, most_bytes: int) -> Iterator[str]:
    """The data of each server-sent event; of a body that is one JSON object, the whole as one."""
    total = 0
    body = False
    kept: list[bytes] = []
    for piece in pieces:
        total += len(piece)
        if time.monotonic() > deadline:
            raise _Late
        if total > most_bytes:
            raise _ServerSaid(f"sent {total} bytes, more than such a reply can have")
        body = body or (not b"".join(kept).strip() and piece.lstrip().startswith(b"{"))
        kept.append(piece)
        if b"\n" in piece and not body:
            *lines, rest = b"".join(kept).split(b"\n")
            kept = [rest]
            yield from filter(None, map(_data_of, lines))
    last = b"".join(kept)
    if data := last.decode("utf-8", errors="replace") if body else _data_of(last):
        yield data


def _data_of(line: bytes) -> str:
    return line[5:].strip().decode("utf-8", errors="replace") if line.startswith(b"data:") else ""


def _most_bytes(parameters: Parameters) -> int:
    return 1_000_000 + 2_000 * parameters.max_tokens


def check_address(url: str) -> None:
    """Raises UsageError for what is no http(s) address, or has a password inside."""
    try:
        parts = urlsplit(url)
        host, port_is_number = parts.hostname, parts.port is None or parts.port > 0
    except ValueError:
        host, port_is_number = None, False
    if not host or not port_is_number or parts.scheme not in ("http", "https"):
        raise UsageError(
            f"{url!r} is no address of a language model",
            hint="Expected something like http://127.0.0.1:8000/v1",
        )
    if parts.username or parts.password:
        raise UsageError(
            f"the address of the language model at {host} holds a user name or password",
            hint="Put the key into KGNEO_LLM_KEY or OPENAI_API_KEY.",
        )


def check_key(key: str | None) -> str:
    """The key without blanks around it. Raises UsageError, without showing it, when it cannot be sent."""
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise UsageError(
            "the key of the language model holds blanks or characters that no key has",
            hint="Check OPENAI_API_KEY or KGNEO_LLM_KEY.",
        )
    return key


_LIMITS = (
    (r"maximum context length (?:is|of) (?P<limit>\d+)\D.*?requested (?:about )?(?P<tokens>\d+)", re.DOTALL),
    (
        r"maximum context length (?:is|of) (?P<limit>\d+)\D.*?(?:resulted in|has|contains) (?P<tokens>\d+)",
        re.DOTALL,
    ),
    (r"\((?P<tokens>\d+)(?: tokens)?\)\D*?(?:exceeds?|larger)\D*?context\D*?\(?(?P<limit>\d+)", re.DOTALL),
)
_OVERFLOW = re.compile(r"context_length_exceeded|exceed_context_size|exceeds? (?:the )?(?:available )?context")


def overflow_numbers(text: str) -> tuple[int, int] | None:
    """Tokens of the prompt and of the context, from a refusal for that reason (0 where it does not say)."""
    for pattern, flags in _LIMITS:
        if found := re.search(pattern, text, flags | re.IGNORECASE):
            return int(found["tokens"]), int(found["limit"])
    if found := re.search(r"n_prompt_tokens\D*(\d+).*?n_ctx\D*(\d+)", text, re.DOTALL):
        return int(found[1]), int(found[2])
    return (0, 0) if _OVERFLOW.search(text) else None


def _said(error: Any) -> str:
    """The server's own words on a refusal."""
    if isinstance(error.body, Mapping):
        return _message_in(error.body)
    return str(error.message)


def _message_in(body: Mapping[str, Any]) -> str:
    inner = body.get("error", body)
    if isinstance(inner, Mapping):
        parts = [inner.get("message") or inner.get("detail"), inner.get("code"), inner.get("param")]
        extra = {name: inner[name] for name in ("n_prompt_tokens", "n_ctx") if name in inner}
        words = [str(part) for part in (*parts, extra or None) if part is not None]
        return ", ".join(words) or json.dumps(inner)
    return str(inner)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from the header Retry-After (seconds or a date)."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value)) if math.isfinite(float(value)) else None
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _shortened(text: str) -> str:
    return text if len(text) <= _MESSAGE_LENGTH else text[:_MESSAGE_LENGTH] + "…"


def _silent(_: str) -> None:
    return None
