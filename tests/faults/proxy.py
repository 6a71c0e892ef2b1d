"""A proxy before a server that cuts connections, holds bytes back, or loses some, at a byte that is given."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

Fault = Literal["none", "cut", "hold", "lose"]
PIECE = 4096


@dataclass
class Proxy:
    """Passes on what two sides say until `at` bytes went through; then the fault, once for all connections.

    "cut": both sides are closed. "hold": nothing goes on for a while. "lose": the bytes of one piece are left out, and
    the connection is closed behind it, as when a machine goes down in the middle of a packet.
    """

    target: tuple[str, int]
    fault: Fault = "none"
    at: int = 0
    hold_seconds: float = 1.0
    passed: int = 0
    struck: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Pass on what `source` says until one side is closed."""
        with suppress(OSError):
            while piece := source.recv(PIECE):
                kept = self._strike(piece)
                sink.sendall(kept)
                if len(kept) < len(piece):
                    break
        for side in (source, sink):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _strike(self, piece: bytes) -> bytes:
        """What of a piece goes on."""
        with self._lock:
            self.passed += len(piece)
            now = self.fault != "none" and not self.struck and self.passed >= self.at
            self.struck = self.struck or now
        if not now:
            return piece
        if self.fault == "hold":
            threading.Event().wait(self.hold_seconds)
            return piece
        return piece[: len(piece) // 2] if self.fault == "lose" else b""


Pumps = Callable[[socket.socket, socket.socket], Iterable[Callable[[], None]]]
"""What passes on what two sides, a client and a server, say to each other: each is run in a thread of its own."""


@contextmanager
def proxied(host: str, port: int, fault: Fault = "none", at: int = 0) -> Iterator[tuple[Proxy, int]]:
    """A proxy before that address, and the port at which it listens."""
    proxy = Proxy((host, port), fault, at)
    with relayed(
        proxy.target, lambda near, far: (partial(proxy.pump, near, far), partial(proxy.pump, far, near))
    ) as listens:
        yield proxy, listens


@contextmanager
def relayed(target: tuple[str, int], pumps: Pumps) -> Iterator[int]:
    """The port at which clients are connected with a server, each by pumps of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        open_sockets: list[socket.socket] = []

        def accept() -> None:
            with suppress(OSError):
                while True:
                    near, _ = listening.accept()
                    far = socket.create_connection(target)
                    open_sockets.extend((near, far))
                    for pump in pumps(near, far):
                        threading.Thread(target=pump, daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield listening.getsockname()[1]
        finally:
            with suppress(OSError):
                listening.shutdown(socket.SHUT_RDWR)
            for each in open_sockets:
                each.close()
