"""Limits of a whole reply over HTTP: its time, with repeated requests, waits between them and all that is read, and its
bytes.

An HTTP client limits each single read, so a server that sends a sign of life now and then is never late for it, and
a library that repeats requests grants each of them the full time. Here the limit is that of the call. The client is
made with `HOOKS` and `UNPACKED`; what it does inside `with Deadline(seconds, most)`, in the same thread, is held to it:

- before each request, its own limits become what is left of the time, and TimeoutError is raised when none is;
- once a response has begun, its connection is shut down when the time is over, which ends any read at once;
- `ReplyTooLong` is raised at the first byte too many, as they come. A packed reply is not read: its size shows only
  when memory holds it.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

__all__ = ["HOOKS", "UNPACKED", "Deadline", "ReplyTooLong", "cause"]

UNPACKED = {"Accept-Encoding": "identity"}
"""Headers of each request."""


class ReplyTooLong(Exception):
    """A server sent more than a reply may have."""


class Deadline:
    """A limit of `seconds` from now on, and of `most` bytes for each reply; `left` below 0 says that a failure inside
    came from the first."""

    def __init__(self, seconds: float, most: int) -> None:
        self._most = most
        self._end = time.monotonic() + seconds
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Deadline:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._watch(None)
        _CURRENT.reset(self._token)

    @property
    def left(self) -> float:
        """Seconds until the end."""
        return self._end - time.monotonic()

    def begin(self, request: Any) -> None:
        """Limits a request of httpx to what is left. Raises TimeoutError when nothing is."""
        left = self.left
        if left <= 0:
            raise TimeoutError
        request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), left)

    def read(self, response: Any) -> None:
        """Limits the reading of a response of httpx."""
        self._watch(response.extensions["network_stream"].get_extra_info("socket"))
        if response.headers.pop("content-encoding", "identity") != "identity":
            raise ReplyTooLong("it sent a packed reply, and was asked for a plain one")
        pieces = response.iter_bytes
        response.iter_bytes = lambda *size: self._bounded(pieces(*size))

    def _bounded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        room = self._most
        for piece in pieces:
            room -= len(piece)
            if room < 0:
                raise ReplyTooLong(f"it sent more than the {self._most:,} bytes that the reply may have")
            if self.left <= 0:
                raise TimeoutError
            yield piece

    def _watch(self, connection: socket.socket | None) -> None:
        """Has `connection` shut down at the end, and no longer the one before it."""
        if self._timer:
            self._timer.cancel()
        if connection:
            self._timer = threading.Timer(max(0.0, self.left), _shut_down, (connection,))
            self._timer.daemon = True
            self._timer.start()


def _shut_down(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def cause(error: BaseException | None) -> ReplyTooLong | None:
    """The ReplyTooLong behind what a library made of it."""
    while error is not None and not isinstance(error, ReplyTooLong):
        error = error.__cause__
    return error


_CURRENT: ContextVar[Deadline] = ContextVar("deadline")
HOOKS: Mapping[str, list[Callable[[Any], None]]] = {
    "request": [lambda request: _CURRENT.get().begin(request)],
    "response": [lambda response: _CURRENT.get().read(response)],
}
"""Event hooks of an httpx client."""
