"""A proxy that speaks Bolt before one server, and answers one query as a member of a cluster does that leads no more.

Nothing of the query is done, the code is Neo.ClientError.Cluster.NotALeader, and the connection can be used again after
a reset. It is what a driver sees of a change of leader; there is no cluster behind it.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from tests.faults.proxy import relayed

RUN, RESET, RECORD, GOODBYE = 0x10, 0x0F, 0x71, 0x02
HANDSHAKE = 20
IGNORED = b"\xb0\x7e"
NOT_A_LEADER = {
    "code": "Neo.ClientError.Cluster.NotALeader",
    "neo4j_code": "Neo.ClientError.Cluster.NotALeader",
    "message": "No write operations are allowed directly on this database.",
    "gql_status": "50N42",
    "description": "error: general processing exception - unexpected error.",
}


def _packed(text: str) -> bytes:
    data = text.encode()
    return b"\xd0" + bytes([len(data)]) + data


def _failure() -> bytes:
    """The message FAILURE, with the fields of older and newer versions of Bolt."""
    fields = b"".join(_packed(key) + _packed(value) for key, value in NOT_A_LEADER.items())
    record = _packed("diagnostic_record") + b"\xa0"
    return b"\xb1\x7f" + bytes([0xA0 + len(NOT_A_LEADER) + 1]) + fields + record


def _message(source: BinaryIO) -> tuple[int, bytes]:
    """The next message: its tag, and its bytes as they came. Raises EOFError at the end."""
    whole, content = b"", b""
    while True:
        size = source.read(2)
        if len(size) < 2:
            raise EOFError
        whole += size
        length = int.from_bytes(size)
        if length == 0 and content:
            return content[1], whole
        piece = source.read(length)
        whole, content = whole + piece, content + piece


def _framed(content: bytes) -> bytes:
    return len(content).to_bytes(2) + content + b"\x00\x00"


@dataclass
class Cluster:
    """A server that is no leader when the query with the number `at` comes, counted over all connections."""

    target: tuple[str, int]
    at: int = 0
    runs: int = 0
    refused: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def is_refused(self) -> bool:
        """Whether the next query is refused."""
        with self._lock:
            self.runs += 1
            self.refused += self.runs == self.at
            return self.runs == self.at


@dataclass
class _Connection:
    """One client's connection. Every message but the last is answered by one that is no record."""

    cluster: Cluster
    near: socket.socket
    far: socket.socket
    waiting: int = 0
    _answered: threading.Condition = field(default_factory=threading.Condition)

    def from_client(self) -> None:
        with suppress(OSError, EOFError), self.near.makefile("rb") as source:
            shake = source.read(HANDSHAKE)
            self.far.sendall(shake[:4] + b"\x00" * 4 + shake[8:])  # without the longer handshake of newer versions
            failed = False
            while True:
                tag, whole = _message(source)
                if not failed and tag == RUN and self.cluster.is_refused():
                    failed = True
                    self._refuse()
                elif failed and tag not in (RESET, GOODBYE):
                    self.near.sendall(_framed(IGNORED))
                else:
                    failed = False
                    with self._answered:
                        self.waiting += 1
                    self.far.sendall(whole)
        self._close()

    def _refuse(self) -> None:
        """Say that this is no leader, behind all that the server has still to say."""
        with self._answered:
            self._answered.wait_for(lambda: self.waiting == 0, timeout=60)
        self.near.sendall(_framed(_failure()))

    def from_server(self) -> None:
        with suppress(OSError, EOFError), self.far.makefile("rb") as source:
            self.near.sendall(source.read(4))
            while True:
                tag, whole = _message(source)
                self.near.sendall(whole)
                if tag != RECORD:
                    with self._answered:
                        self.waiting -= 1
                        self._answered.notify_all()
        self._close()

    def _close(self) -> None:
        for side in (self.near, self.far):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)


@contextmanager
def no_leader(host: str, port: int, at: int = 0) -> Iterator[tuple[Cluster, int]]:
    """Such a proxy before that address, and the port at which it listens."""
    cluster = Cluster((host, port), at)

    def pumps(near: socket.socket, far: socket.socket) -> tuple[Callable[[], None], Callable[[], None]]:
        connection = _Connection(cluster, near, far)
        return connection.from_client, connection.from_server

    with relayed(cluster.target, pumps) as listens:
        yield cluster, listens
