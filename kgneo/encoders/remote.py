"""Encoders behind an address that speaks OpenAI's protocol for embeddings: vLLM, llama.cpp's server, Ollama, hosted.

The openai library connects and repeats what may pass by itself (429, 5xx, a broken connection). What kgneo adds: texts
go in parts, and in smaller parts where a server takes no more; what comes back is checked, so that a
vector is never kept for a text that it does not belong to; every failure is an EncoderError, and the key is shown
nowhere.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from kgneo.encoders.onnx import Similarity, Vectors
from kgneo.errors import EncoderError
from kgneo.llm.address import ENCODER, check_address, check_key, sent_on
from kgneo.llm.deadline import HOOKS, UNPACKED, Deadline, ReplyTooLong, cause

HOSTED = "https://api.openai.com/v1"
URL_VARIABLES = ("KGNEO_ENCODER_URL", "OPENAI_BASE_URL")
KEY_VARIABLES = ("KGNEO_ENCODER_KEY", "OPENAI_API_KEY")
TEXTS = 128
"""Sent in one request, unless the server takes no more than fewer."""
RETRIES = 5
TIMEOUT = 600.0
"""Seconds for one request, with those that repeat it and the waits between them."""
BYTES_PER_TEXT, LEAST_BYTES = 2**19, 2**20
"""A reply may have so many bytes: a vector of 16,384 numbers for each text."""
TOO_MUCH = (400, 413, 422)
"""Statuses with which servers refuse more texts than they take."""
SHOWN = 300
HINTS = {
    401: "Set KGNEO_ENCODER_KEY or OPENAI_API_KEY to a key of this server.",
    403: "The key may not use this model.",
    404: "Check the model's name and the address; it usually ends in /v1.",
}


def load_remote(model: str) -> RemoteEncoder:
    """The encoder `model` at the address of KGNEO_ENCODER_URL, else OPENAI_BASE_URL, else the hosted service, with the
    key of KGNEO_ENCODER_KEY, else OPENAI_API_KEY. Raises what RemoteEncoder raises."""
    url, key = (next(filter(None, map(os.environ.get, names)), None) for names in (URL_VARIABLES, KEY_VARIABLES))
    return RemoteEncoder(model, url=url or HOSTED, key=key)


class RemoteEncoder:
    """`model` as the server calls it, at the address `url` (up to and with "/v1"); nothing is sent before it is used.

    Raises UsageError for an address or a key that cannot be used, EncoderError without a model, a key for the hosted
    service, or the openai library.
    """

    similarity: ClassVar[Similarity] = "cosine"
    at_once: ClassVar[int] = 4

    def __init__(self, model: str, *, url: str = HOSTED, key: str | None = None, retries: int = RETRIES) -> None:
        check_address(url, of=ENCODER)
        self._key = check_key(key, of=ENCODER)
        if not model.strip():
            raise EncoderError("openai: names no encoder.", hint="For example openai:text-embedding-3-small.")
        if not self._key and url.rstrip("/") == HOSTED:
            raise EncoderError(
                f"no key for {HOSTED}",
                hint="Set KGNEO_ENCODER_KEY or OPENAI_API_KEY, or another address with KGNEO_ENCODER_URL.",
            )
        self.name = f"openai:{model}"
        self.url = url
        self._model = model
        self._retries = retries
        self._texts = TEXTS

    def __repr__(self) -> str:
        return f"RemoteEncoder({self._model!r}, url={self.url!r})"

    @property
    def fingerprint(self) -> str:
        """The model's name: the same model at another address gives the same vectors."""
        return self.name

    @cached_property
    def dimensions(self) -> int:
        """Numbers of a vector, from the first reply."""
        return int(self._vectors(["kgneo"]).shape[1])

    @cached_property
    def _openai(self) -> Any:
        return import_module("openai")

    @cached_property
    def _client(self) -> Any:
        return self._openai.OpenAI(
            api_key=self._key or "none",
            base_url=self.url,
            max_retries=self._retries,
            default_headers=UNPACKED,
            http_client=self._openai.DefaultHttpxClient(event_hooks=HOOKS, follow_redirects=False),
        )

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - it has no prompts
        """Vectors of length 1, shape (texts, dimensions). Raises EncoderError where the server refuses or fails."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        size = self._texts
        vectors = [self._vectors(texts[start : start + size]) for start in range(0, len(texts), size)]
        if len({found.shape[1] for found in vectors}) > 1:
            raise EncoderError(f"{self.url} sent vectors of different lengths for {self._model!r}.")
        return np.vstack(vectors)

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        """The vectors of a part, asked for in halves where the server does not take it whole."""
        openai = self._openai
        try:
            with Deadline(TIMEOUT, LEAST_BYTES + BYTES_PER_TEXT * len(texts)):
                reply = self._client.embeddings.create(
                    model=self._model,
                    # Several servers refuse an empty text.
                    input=[text or " " for text in texts],
                    encoding_format="float",
                )
        except openai.APIStatusError as error:
            if error.status_code in TOO_MUCH and len(texts) > 1:
                half = -(-len(texts) // 2)
                self._texts = min(self._texts, half)
                return np.vstack([self._vectors(texts[:half]), self._vectors(texts[half:])])
            if error.response.has_redirect_location:
                told = sent_on(self.url, error.response.headers["location"])
                raise EncoderError(f"{told}.", hint="Where that is right, name it in KGNEO_ENCODER_URL.") from None
            hint = HINTS.get(error.status_code, "Run the command again: it goes on where it stopped.")
            raise EncoderError(f"{self.url} answered {error.status_code}: {self._shown(error)}", hint=hint) from None
        except (openai.APIConnectionError, TimeoutError, ReplyTooLong) as error:
            if refused := cause(error):
                hint = "Check the address, and that the model is one for embeddings."
                raise EncoderError(f"{self.url} is no longer read: {refused}.", hint=hint) from None
            raise EncoderError(
                f"no connection to {self.url}: {self._shown(error.__cause__ or error)}",
                hint="Check KGNEO_ENCODER_URL, and that the server runs.",
            ) from None
        except (ValueError, RecursionError) as error:
            raise EncoderError(f"{self.url} sent no JSON: {self._shown(error)}") from None
        return self._checked(reply, len(texts))

    def _checked(self, reply: Any, number: int) -> Vectors:
        """The vectors of a reply in the order of the texts."""
        try:
            rows = {int(item.index): item.embedding for item in reply.data}
            vectors = np.array([rows[row] for row in range(number)], dtype=np.float32)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            whole = len(reply.data) == number and vectors.ndim == 2 and bool(np.isfinite(lengths).all())
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            whole = False
        if not whole or not lengths.all():
            raise EncoderError(
                f"{self.url} did not send one vector for each of {number} texts.",
                hint="Check the address, and that the model is one for embeddings.",
            )
        return np.asarray(vectors / lengths)

    def _shown(self, error: BaseException) -> str:
        """An error in one line, without the key."""
        text = str(getattr(error, "message", "") or error or type(error).__name__)
        text = text.replace(self._key, "…") if self._key else text
        return " ".join(text.split())[:SHOWN]
