"""A time limit for a whole reply over HTTP: repeated requests, waits between them and all that is read, together.

An HTTP client limits each single read, so a server that sends a sign of life now and then is never late for it, and
a library that repeats requests grants each of them the full time. Here the limit is that of the call. The client is
made with `HOOKS`; what it does inside `with Deadline(seconds)`, in the same thread, is held to it:

- before each request, its own limits become what is left of the time, and TimeoutError is raised when none is;
- once a response has begun, its connection is shut down when the time is over, which ends any read at once.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

__all__ = ["HOOKS", "Deadline"]


class Deadline:
    """A limit of `seconds` from now on; `left` below 0 says that a failure inside came from it."""

    def __init__(self, seconds: float) -> None:
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


_CURRENT: ContextVar[Deadline] = ContextVar("deadline")
HOOKS: Mapping[str, list[Callable[[Any], None]]] = {
    "request": [lambda request: _CURRENT.get().begin(request)],
    "response": [lambda response: _CURRENT.get().read(response)],
}
"""Event hooks of an httpx client."""
