"""Workers: questions in threads, so many at a time, each for so long, and none for someone who has gone.

A question's database work carries its mark (`kgneo.graph.work`). When its time is over, or whoever asked has gone, or
the server stops, its transactions are ended on the database and no further one begins.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol, TypeVar

from kgneo.errors import GraphTimeout, KgneoError, WorkEnded
from kgneo.graph import Graph
from kgneo.graph.work import Work, current_work
from kgneo.serve.failures import Refusal
from kgneo.serve.settings import Limits

Result = TypeVar("Result")
Tell = Callable[[Any], None]
END = object()


class Working(Protocol):
    """What works on questions, and how many."""

    @property
    def ended(self) -> int: ...
    @property
    def running(self) -> int: ...
    @property
    def waiting(self) -> int: ...
    def end_all(self) -> None: ...


class Together:
    """What several work on; `parts` says who they are now."""

    def __init__(self, parts: Callable[[], Sequence[Working]]) -> None:
        self._parts = parts

    @property
    def ended(self) -> int:
        """Questions that were ended before they were answered."""
        return sum(part.ended for part in self._parts())

    @property
    def running(self) -> int:
        """Questions that are worked on."""
        return sum(part.running for part in self._parts())

    @property
    def waiting(self) -> int:
        """Questions that wait for a thread."""
        return sum(part.waiting for part in self._parts())

    def end_all(self) -> None:
        """End every question; for a server that stops."""
        for part in self._parts():
            part.end_all()


class Workers:
    """Threads for questions about one graph."""

    def __init__(self, graph: Graph, limits: Limits) -> None:
        self._graph = graph
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.running, thread_name_prefix="question")
        self._enders = ThreadPoolExecutor(2, thread_name_prefix="end")
        self._works: set[Work] = set()
        self._busy: set[Work] = set()
        self._ended = 0

    @property
    def ended(self) -> int:
        """Questions that were ended before they were answered."""
        return self._ended

    @property
    def running(self) -> int:
        """Questions that are worked on."""
        return len(self._busy)

    @property
    def waiting(self) -> int:
        """Questions that wait for a thread."""
        return len(self._works - self._busy)

    async def run(self, function: Callable[[], Result], gone: Callable[[], Awaitable[None]]) -> Result:
        """The result of `function`, which runs in a thread; `gone` returns when whoever asked has gone.

        Raises what it raises, Refusal where too many wait, GraphTimeout and WorkEnded.
        """
        work, task = self._begin(function)
        left = asyncio.ensure_future(gone())
        try:
            both: set[asyncio.Future[Any]] = {task, left}
            await asyncio.wait(both, timeout=work.left, return_when=asyncio.FIRST_COMPLETED)
            return self._result(work, task)
        finally:
            left.cancel()
            self._leave(work, task)

    async def stream(self, function: Callable[[Tell], Result]) -> AsyncIterator[Any]:
        """What `function` tells while it runs, then its result. To be closed when whoever asked has gone.

        Raises as `run`.
        """
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Any] = asyncio.Queue()

        def tell(item: Any) -> None:
            if (doing := current_work()) is not None:
                doing.check()
            loop.call_soon_threadsafe(queue.put_nowait, item)

        work, task = self._begin(lambda: function(tell))
        task.add_done_callback(lambda _: queue.put_nowait(END))
        try:
            with contextlib.suppress(TimeoutError):
                while (item := await asyncio.wait_for(queue.get(), work.left)) is not END:
                    yield item
            yield self._result(work, task)
        finally:
            self._leave(work, task)

    def end_all(self) -> None:
        """End every question; for a server that stops."""
        for work in list(self._works):
            work.end()
            self._enders.submit(self._end, work)

    def close(self) -> None:
        """Give the threads back, once nothing is asked any more."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._enders.shutdown(wait=True)

    def _begin(self, function: Callable[[], Result]) -> tuple[Work, asyncio.Future[Result]]:
        if len(self._works) >= self._limits.running + self._limits.waiting:
            raise Refusal(503, "Busy", "Too many questions wait to be answered.", "Ask again later.", retry_after=5)
        work = Work(self._limits.seconds)
        self._works.add(work)
        within = copy_context()  # of a trace, if there is one
        task = asyncio.get_running_loop().run_in_executor(self._pool, within.run, self._done_in, work, function)
        task.add_done_callback(lambda _: self._works.discard(work))
        return work, task

    def _done_in(self, work: Work, function: Callable[[], Result]) -> Result:
        self._busy.add(work)
        try:
            with work.begun():
                work.check()
                return function()
        finally:
            self._busy.discard(work)

    def _result(self, work: Work, task: asyncio.Future[Result]) -> Result:
        if task.done():
            return task.result()
        if not work.left:
            raise GraphTimeout(
                f"The question was not answered within {self._limits.seconds:g} s.",
                hint="Ask for fewer hops, or let the server take longer with --question-seconds.",
            )
        raise WorkEnded("Whoever asked has gone.")

    def _leave(self, work: Work, task: asyncio.Future[Any]) -> None:
        """What is not done by now is of no use to anyone. Its thread is taken until it notices."""
        if task.done():
            return
        self._ended += 1
        task.add_done_callback(_forget)
        work.end()
        self._enders.submit(self._end, work)

    def _end(self, work: Work) -> None:
        with contextlib.suppress(KgneoError):
            self._graph.end(work)


def _forget(task: asyncio.Future[Any]) -> None:
    """Nobody waits for this result, be it an error."""
    if not task.cancelled():
        task.exception()
