"""Work: what is done for one asker, so that it can be bounded in time and ended from outside.

A server that answers many at once puts each question into a `Work`. All queries that run within it carry its mark, take
no longer than what is left of its time, and are not begun once it was ended. Outside of any work nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from threading import Thread
from typing import TypeVar
from uuid import uuid4

from kgneo.errors import GraphTimeout, WorkEnded

MARK = "kgneo_work"
"""The key of a transaction's metadata under which the mark of its work stands."""
_current: ContextVar[Work | None] = ContextVar("work", default=None)
T = TypeVar("T")


@dataclass(eq=False)
class Work:
    """One question, `seconds` long at most, from now on."""

    seconds: float
    mark: str = field(default_factory=lambda: uuid4().hex)
    started: float = field(default_factory=time.monotonic)
    ended: bool = False

    @property
    def left(self) -> float:
        """Seconds that are left; not below 0."""
        return max(self.started + self.seconds - time.monotonic(), 0.0)

    def end(self) -> None:
        """From now on, no further query begins. Those that run are ended by `Graph.end`."""
        self.ended = True

    def check(self) -> None:
        """Raises WorkEnded for work that was ended, GraphTimeout for work whose time is over."""
        if self.ended:
            raise WorkEnded("The question was ended before it was answered.")
        if not self.left:
            raise GraphTimeout(
                f"The question was not answered within {self.seconds:g} s.",
                hint="Ask for fewer hops, or let the server take longer with --question-seconds.",
            )

    @contextmanager
    def begun(self) -> Iterator[None]:
        """The block, and all that it calls in this thread, belongs to this work."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)


def current_work() -> Work | None:
    """The work that is being done in this thread, if any."""
    return _current.get()


def bounds(timeout: float) -> tuple[float, dict[str, str]]:
    """How long a transaction may take, of `timeout` seconds at most, and its metadata. Raises as `Work.check`."""
    work = current_work()
    if work is None:
        return timeout, {}
    work.check()
    return min(timeout, max(work.left, 0.001)), {MARK: work.mark}


class NotEnded(GraphTimeout):
    """A query that the server had not ended some time after its timeout, and that nobody waits for any more."""


def not_after(seconds: float, run: Callable[[], T], give_up: Callable[[], str] = str) -> T:
    """What `run` gives or raises. Raises NotEnded where that is not there after `seconds`: it is then left to itself,
    in a thread that does not keep the process from ending. `give_up` is called before, and says what became of it. For
    queries that the server does not end at their timeout.
    """
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(run())
        except BaseException as error:
            outcome.set_exception(error)

    Thread(target=copy_context().run, args=(work,), name="kgneo-query", daemon=True).start()
    try:
        return outcome.result(seconds)
    except TimeoutError:
        if outcome.done():
            raise
        raise NotEnded(f"Neo4j did not end a query within {seconds:g} s.", hint=give_up()) from None
