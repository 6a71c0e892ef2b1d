"""Threads: questions in threads, so many at a time, each for so long, and none for someone who has gone.

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
from kgneo.serve.questions import Questions
from kgneo.serve.settings import Limits
from kgneo.serve.shared import GONE

Result = TypeVar("Result")
Tell = Callable[[Any], None]
END = object()


class Working(Protocol):
    """What works on questions."""

    def end_all(self) -> None: ...


class Together:
    """What several work on; `parts` says who they are now."""

    def __init__(self, parts: Callable[[], Sequence[Working]]) -> None:
        self._parts = parts

    def end_all(self) -> None:
        """End every question; for a server that stops."""
        for part in self._parts():
            part.end_all()


class Threads:
    """Threads for questions about one graph. They are counted in `questions`, as those of the worker of a number."""

    def __init__(self, graph: Graph, limits: Limits, questions: Questions | None = None, worker: int = 0) -> None:
        self._graph = graph
        self._limits = limits
        self._questions = questions or Questions()
        self._worker = worker
        self._pool = ThreadPoolExecutor(limits.running, thread_name_prefix="question")
        self._enders = ThreadPoolExecutor(2, thread_name_prefix="end")
        self._works: set[Work] = set()

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
        if not self._questions.begin(self._worker, self._limits.kept):
            raise Refusal(503, "Busy", "Too many questions wait to be answered.", "Ask again later.", retry_after=5)
        work = Work(self._limits.seconds)
        self._works.add(work)
        within = copy_context()  # of a trace, if there is one
        task = asyncio.get_running_loop().run_in_executor(self._pool, within.run, self._done_in, work, function)
        task.add_done_callback(lambda _: self._left(work))
        return work, task

    def _done_in(self, work: Work, function: Callable[[], Result]) -> Result:
        self._tell(self._questions.take)
        try:
            with work.begun():
                work.check()
                return function()
        finally:
            self._tell(self._questions.put)

    def _left(self, work: Work) -> None:
        self._works.discard(work)
        self._tell(self._questions.leave)

    def _tell(self, count: Callable[[int], None]) -> None:
        """Have something counted; where nobody counts any more, this process is about to end, too."""
        with contextlib.suppress(*GONE):
            count(self._worker)

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
        self._tell(self._questions.end)
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
