"""How a server is set up: where it listens, who may ask, and how much."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field

DEFAULT_PORT = 7575
EVERYWHERE = frozenset(("0.0.0.0", "::", ""))  # noqa: S104 - compared with, not listened on
USER = "kgneo.user"
"""Where the scope of a request says who sent it, where that is known (`kgneo.serve.team`)."""
LOOPBACK_NAMES = frozenset(("localhost", "127.0.0.1", "::1"))


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds for one request and for all of them.

    `body` in bytes, `question` in characters, `body_seconds` for a body to arrive, `seconds` for one question.
    Each of the `workers`, which are processes, works on `running` questions at a time, and `waiting` more are kept by
    all of them. `rate` requests a minute are taken from one address (0: any number), of which `wrong_tokens` may carry
    a wrong token. `answers` bounds what one request may list, `hops` how far it may reach. `files` are the bytes of all
    files that are loaded together, `look_seconds` for a preview of them.
    """

    body: int = 64_000
    question: int = 2_000
    body_seconds: float = 10.0
    seconds: float = 60.0
    workers: int = 1
    running: int = 4
    waiting: int = 100
    rate: int = 600
    wrong_tokens: int = 20
    answers: int = 1_000
    hops: int = 6
    files: int = 50_000_000
    look_seconds: float = 120.0

    @property
    def kept(self) -> int:
        """Questions that all workers may have together."""
        return self.workers * self.running + self.waiting


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where to listen and who may ask.

    With a `token`, every request but those for the page's files and for health must carry it. `hosts` are names by
    which the server may be called, besides its own address. `mark` is what the server announced itself with: a request
    that names another one is not for it. `log` prints each request's route and status, never its
    text. `name` is what the page calls the graph. By the `key`, workers digest what must not be seen alike.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str = field(default="", repr=False)
    hosts: tuple[str, ...] = ()
    strategy: str | None = None
    mark: str = ""
    limits: Limits = field(default_factory=Limits)
    log: bool = False
    name: str = ""
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    def allows_host(self, name: str) -> bool:
        """Whether a request may call the server by this name (without a port).

        A page elsewhere that makes a name of its own point here (DNS rebinding) sends that name; it cannot send an
        address. So where the server listens on all addresses, any address will do.
        """
        lower = name.lower().rstrip(".")
        if lower in {self.host.lower(), *(host.lower() for host in self.hosts)}:
            return True
        if lower in LOOPBACK_NAMES:
            return self.loopback or self.host in EVERYWHERE
        return self.host in EVERYWHERE and _is_address(lower)


def is_loopback(host: str) -> bool:
    """Whether a host to listen on is one that only this machine reaches."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ipaddress.ip_address(host).is_loopback


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
