"""Shared: what all workers of a server count and write together, so that its bounds hold for the server as a whole.

A server of one process has these objects itself (`Shared`). Of one with several, the process that began the workers has
them, and offers them (`offered`); each worker reaches them by a local connection (`reached`), under the same names and
with the same methods. So a bound is the same object, however many processes it is for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.managers import BaseManager
from threading import RLock, Thread
from typing import Any, TypeVar, cast

from kgneo.serve.audit import AuditLog
from kgneo.serve.metrics import Metrics
from kgneo.serve.questions import Questions
from kgneo.serve.rate import Rate
from kgneo.serve.team_file import Audit

GONE = (ConnectionError, EOFError)
"""What is raised where the process that has what is shared is gone. The workers end with it."""
KINDS = ("rate", "questions", "metrics", "audit")
Kind = TypeVar("Kind")


class Shared:
    """One object of each kind and name, made when it is first asked for. `worker` is the number of the process that
    asks; 0 where there is no other."""

    worker = 0

    def __init__(self) -> None:
        self._there: dict[str, Any] = {}
        self._lock = RLock()

    def rate(self, name: str, minute: int) -> Rate:
        """How often somebody may do what is called so."""
        return self._once(f"rate {name}", partial(Rate, minute))

    def questions(self, place: str) -> Questions:
        """The questions of the application at a place."""
        return self._once(f"questions {place}", Questions)

    def metrics(self, place: str) -> Metrics:
        """Its figures."""
        return self._once(f"metrics {place}", lambda: Metrics(self.questions(place)))

    def audit(self, audit: Audit) -> AuditLog:
        """The log of who asked what."""
        return self._once("audit", partial(AuditLog, audit))

    def forget(self, worker: int) -> None:
        """Count no questions any more of a worker that has gone."""
        with self._lock:
            for there in self._there.values():
                if isinstance(there, Questions):
                    there.forget(worker)

    def _once(self, name: str, make: Callable[[], Kind]) -> Kind:
        with self._lock:
            if name not in self._there:
                self._there[name] = make()
            return cast(Kind, self._there[name])


class Reached(BaseManager):
    """What another process has, as `Shared`."""

    worker: int


for _kind in KINDS:
    Reached.register(_kind)


@contextmanager
def offered(shared: Shared) -> Iterator[Any]:
    """The address at which processes that this one began find what is shared. Nobody else has their key."""

    class Offered(BaseManager):
        pass

    for kind in KINDS:
        Offered.register(kind, getattr(shared, kind))
    server = Offered().get_server()
    Thread(target=server.serve_forever, name="shared", daemon=True).start()
    yield server.address


def reached(address: Any, worker: int) -> Shared:
    """What the process that began this worker offers at an address. Raises ConnectionError where it is gone."""
    manager = Reached(address)
    manager.connect()
    manager.worker = worker
    return cast(Shared, manager)
