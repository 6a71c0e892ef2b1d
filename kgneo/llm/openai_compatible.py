"""Any server that speaks the chat protocol of OpenAI: vLLM, llama.cpp's server, Ollama, hosted services.

The openai library connects, repeats what may pass by itself (429, 5xx, a broken connection), waits for as long as a
server asks, and takes the stream apart. What kgneo adds:

- one time limit for the whole call, and a bound of its bytes (`kgneo.llm.deadline`); a reply that grows past what was
  asked for is cut;
- what is asked is sent to the given address alone: where a server sends on to another one, both are told;
- what a server does not know is left out from then on, or written as it wants it (`kgneo.llm.dialect`);
- a stream that ends before its first piece is asked for once more in one piece: some servers do not stream, and some
  can tell what is wrong only then;
- replies are cleaned, the key is shown nowhere, and every failure is one of kgneo's errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable
from kgneo.llm.address import check_address, check_key, sent_on
from kgneo.llm.cleaning import SECRET_MARK, defuse
from kgneo.llm.deadline import HOOKS, UNPACKED, Deadline, ReplyTooLong, cause
from kgneo.llm.dialect import Dialect, message_in, overflow_numbers
from kgneo.llm.protocol import Completion, Message, Parameters
from kgneo.llm.reply import Reply, most_bytes

__all__ = ["HOSTED", "OpenAICompatibleModel"]

AZURE_VERSION = "api-version"
"""The part of an address by which Azure's own form of the protocol is told: the key goes in a header of its own, and
the model may stand in the address."""
HOSTED = "https://api.openai.com/v1"
RETRIES = 3
_SHORTEST_SECRET = 8
_NO_KEY = "none"
_MESSAGE_LENGTH = 300
_BYTES_PER_TOKEN = 3.5
_HINTS = {
    401: "Set OPENAI_API_KEY or KGNEO_LLM_KEY to a key of this server.",
    403: "The key may not use this model.",
    404: "Check the model's name ({model}) and the address; it usually ends in /v1.",
}


class OpenAICompatibleModel:
    """`model` as the server calls it, at the address `url` (up to and with "/v1"; Azure's may end in "?api-version=…").

    `key` is sent to that address and never shown; `context` is the context in tokens where it is known; `retries`
    bounds the repeated requests. Raises UsageError for an address or a key that cannot be used, ModelError when the
    openai library is missing.
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
        report: Callable[[str], None] | None = None,
    ) -> None:
        import openai

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
        self._report = report or _silent
        self._secrets = (key,) if key and len(key) >= _SHORTEST_SECRET else ()
        self._openai = openai
        self._client = self._connected(key or _NO_KEY, retries)
        self._dialect = Dialect()

    def _connected(self, key: str, retries: int) -> Any:
        """The library's client. What stands behind "?" in the address goes with every request; an address with a
        version of Azure's API is asked as Azure wants it."""
        base, _, rest = self.url.partition("?")
        fields = dict(parse_qsl(rest))
        client = partial(
            self._openai.AzureOpenAI if AZURE_VERSION in fields else self._openai.OpenAI,
            api_key=key,
            base_url=base,
            max_retries=retries,
            default_headers=UNPACKED,
            http_client=self._openai.DefaultHttpxClient(
                event_hooks={**HOOKS, "request": [*HOOKS["request"], self._tell_repeated]}, follow_redirects=False
            ),
        )
        version = {"api_version": fields.pop(AZURE_VERSION)} if AZURE_VERSION in fields else {}
        return client(default_query=fields or None, **version)

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
        chat = [Message(message.role, defuse(message.content)) for message in messages]
        stream = True
        with Deadline(parameters.timeout, most_bytes(parameters)) as deadline:
            while True:
                reply = Reply(parameters, self._secrets, on_text or _silent)
                request = self._dialect.request(self._model, chat, parameters, stream=stream)
                try:
                    self._read(request, reply)
                except _Adapted:
                    continue
                except ModelUnavailable as failure:
                    if deadline.left <= 0:
                        raise ModelUnavailable(
                            f"{self.url} did not finish within {parameters.timeout:g} s",
                            hint="Allow more time, or check that the server is not overloaded.",
                        ) from None
                    if reply.pieces or not stream or not isinstance(failure, _BrokenOff):
                        raise
                    stream = False
                else:
                    return self._completion(chat, reply)

    def count_tokens(self, text: str) -> int:
        """An estimate, rather too high than too low: the server's tokenizer is not known."""
        return math.ceil(len(text.encode()) / _BYTES_PER_TOKEN)

    def _tell_repeated(self, request: Any) -> None:
        """Says that the library sends a request again; it counts them in a header."""
        if (count := request.headers.get("x-stainless-retry-count", "0")) != "0":
            self._report(f"{self.url} failed and is asked again ({count} of {self._client.max_retries})")

    def _read(self, request: Mapping[str, Any], reply: Reply) -> None:
        """Sends one request and reads the answer into `reply`, to its end or as far as it is wanted."""
        with closing(self._events(request)) as events:
            for event in events:
                if not reply.take(event):
                    break
        if not reply.finish_reason:
            raise _BrokenOff(f"{self.url} ended the connection inside its reply")
        if reply.finish_reason == "stop" and reply.cleaner.thinking and "stop" in request:
            # The server met a stop string inside a think block; it is not sent any from then on.
            self._dialect.left_out.add("stop")
            raise _Adapted

    def _events(self, request: Mapping[str, Any]) -> Generator[Mapping[str, Any]]:
        """What the server answers, piece by piece, or the whole at once where no stream was asked for.

        The library's errors become kgneo's here; those of whoever takes the pieces pass through.
        """
        openai = self._openai
        try:
            answer = self._client.chat.completions.create(**request)
            if not request["stream"]:
                yield _as_mapping(answer)
                return
        except openai.APIStatusError as error:
            raise self._refused(error, request) from None
        except (openai.APIConnectionError, TimeoutError, ReplyTooLong) as error:
            if refused := cause(error):
                raise self._unbounded(refused) from None
            raise ModelUnavailable(
                f"no connection to {self.url}: {self._reason(error)}",
                hint="Check --llm-url, and that the server runs.",
            ) from None
        except (ValueError, RecursionError) as error:
            raise ModelUnavailable(f"{self.url} sent no JSON: {self._reason(error)}") from None
        try:
            if "html" in answer.response.headers.get("content-type", ""):
                raise ModelError(
                    f"{self.url} answered with a web page, expected a reply of a language model",
                    hint="Check the address; it usually ends in /v1.",
                )
            yield from map(_as_mapping, answer)
        except ModelError:
            raise
        except ReplyTooLong as error:
            raise self._unbounded(error) from None
        except openai.APIConnectionError as error:
            raise _BrokenOff(f"{self.url} broke off: {self._reason(error)}") from None
        except openai.APIError as error:
            raise self._said(self._redacted(message_in(error.body))) from None
        except Exception as error:  # what the library reads with, and what it finds to be no JSON
            raise _BrokenOff(f"{self.url} broke off: {self._reason(error)}") from None
        finally:
            answer.close()

    def _refused(self, error: Any, request: Mapping[str, Any]) -> Exception:
        """What an HTTP status means: `_Adapted` where the dialect has learned from it, else one of kgneo's errors."""
        status = int(error.status_code)
        if error.response.has_redirect_location:
            elsewhere = self._redacted(error.response.headers["location"])
            return ModelError(sent_on(self.url, elsewhere), hint="Where that is right, name it with --llm-url.")
        text = self._redacted(message_in(error.body) if isinstance(error.body, Mapping | list) else str(error.message))
        if overflow := self._overflow(text):
            return overflow
        # llama-cpp-python's server answers 500 to a field that it cannot take.
        about_fields = status in (400, 422) or (status == 500 and "validation error" in text)
        if about_fields and (change := self._dialect.adapt(text, request)):
            self._report(f"{self.url} {change}")
            return _Adapted()
        message = f"{self.url} answered {status}: {_shortened(text)}"
        if status in (408, 409, 429) or status >= 500:
            wait = error.response.headers.get("retry-after")
            return ModelUnavailable(message, hint=f"It asks to wait for {wait} s." if wait else "Try again later.")
        return ModelError(message, hint=_HINTS.get(status, "").format(model=self._model))

    def _said(self, text: str) -> ModelError:
        """What an error inside a stream means."""
        return self._overflow(text) or ModelUnavailable(f"{self.url} broke off: {_shortened(text)}")

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

    def _completion(self, messages: Sequence[Message], reply: Reply) -> Completion:
        reply.finish()
        read = reply.count("prompt_tokens") or sum(self.count_tokens(message.content) for message in messages)
        kept = reply.count("prompt_tokens_details", "cached_tokens")
        return Completion(
            reply.cleaner.text,
            read,
            reply.count("completion_tokens") or reply.pieces,
            reply.finish_reason,
            evaluated_tokens=None if kept is None else read - min(kept, read),
        )

    def _unbounded(self, error: ReplyTooLong) -> ModelError:
        return ModelError(f"{self.url} is no longer read: {error}", hint="Check the address, and what answers there.")

    def _reason(self, error: Exception) -> str:
        """One line on a failed connection, from what the library wraps."""
        cause = error.__cause__ or error
        return _shortened(self._redacted(str(cause) or type(cause).__name__))

    def _redacted(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, SECRET_MARK)
        return " ".join(text.split())


class _Adapted(Exception):
    """No error: the dialect has changed, and the request is sent again."""


class _BrokenOff(ModelUnavailable):
    """A stream ended before the reply was whole."""


def _as_mapping(event: Any) -> Mapping[str, Any]:
    """A piece of a reply as the server sent it. Raises ModelUnavailable for what is none."""
    record = event.to_dict(warnings=False) if hasattr(event, "to_dict") else event
    choices = record.get("choices") if isinstance(record, Mapping) else None
    if not isinstance(choices, list) or not all(isinstance(choice, Mapping) for choice in choices):
        raise ModelUnavailable(f"the language model's server sent {str(record)[:80]!r}, expected a piece of a reply")
    return dict(record)


def _shortened(text: str) -> str:
    return text if len(text) <= _MESSAGE_LENGTH else text[:_MESSAGE_LENGTH] + "…"


def _silent(_: str) -> None:
    return None
