"""Work: what is done for one asker, so that it can be bounded in time and ended from outside.

A server that answers many at once puts each question into a `Work`. All queries that run within it carry its mark, take
no longer than what is left of its time, and are not begun once it was ended. Outside of any work nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from threading import Lock, Thread, Timer
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


class Behind:
    """What runs in the background, behind the work that somebody waits for: one thing at a time, each a `Work` of its
    own. Nothing of it keeps the process from ending."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._timer: Timer | None = None
        self.work: Work | None = None

    def begin(self, run: Callable[[], object], *, after: float, seconds: float) -> None:
        """Do `run` when `after` seconds are over, unless something is to be done already. Its errors end it; nobody
        hears of them."""
        with self._lock:
            if self._timer is not None and self._timer.is_alive():
                return
            self._timer = Timer(after, self._do, (run, seconds))
            self._timer.daemon = True
            self._timer.name = "kgneo-behind"
            self._timer.start()

    def _do(self, run: Callable[[], object], seconds: float) -> None:
        self.work = Work(seconds)
        with suppress(Exception), self.work.begun():
            run()
        self.work = None

    def stop(self, end: Callable[[Work], None], *, wait: float) -> None:
        """Begin nothing more, have `end` end what runs, and wait for that."""
        with self._lock:
            timer = self._timer
        if timer is None:
            return
        timer.cancel()
        if (work := self.work) is not None:
            end(work)
        timer.join(wait)


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
