"""Supervisor: several processes that answer at one address, begun, counted together and ended by this one.

Comes in: what makes the application, which each worker calls for itself, and a socket that listens, which all inherit:
whichever of them is free takes the next connection. A worker that ends is begun anew. Between this process and each
worker there is a pipe. The worker says through it that it answers, or what keeps it from that; that this end is closed
tells it to end, in whichever way this process went. So no worker is left over.

uvicorn's own supervisor is not used: its workers go on when it is killed, and end no questions when they stop.
"""

from __future__ import annotations

import _thread
import itertools
import logging
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from threading import Thread
from types import FrameType
from typing import Any, Protocol, cast

from starlette.applications import Starlette

from kgneo.errors import KgneoError, UsageError
from kgneo.serve.server import STOP_SECONDS, Told, serve
from kgneo.serve.settings import ServeSettings
from kgneo.serve.shared import GONE, Shared, offered, reached

LOG = logging.getLogger("kgneo.serve")
SPAWN = multiprocessing.get_context("spawn")
"""The way of beginning a process that every system has, and that copies no threads and no connections."""
ANSWERS = "answers"
"""What a worker says when it does."""
PAUSES = (0.0, 1.0, 3.0, 10.0, 30.0)
"""Seconds until a worker is begun anew: at once, and later where one after the other ends before it answers."""


class Make(Protocol):
    """What makes an application, in a worker. Raises KgneoError."""

    def __call__(self, shared: Shared, stack: ExitStack) -> Starlette:
        """The application, with what all workers count together; the stack closes what it stands on."""


@dataclass(frozen=True)
class Post:
    """What every worker is given: it is pickled on its way."""

    make: Make
    settings: ServeSettings
    listening: socket.socket
    address: Any


@dataclass
class Worker:
    """A process that answers, and its number, which no other one ever has."""

    number: int
    process: SpawnProcess


def supervise(
    make: Make,
    settings: ServeSettings,
    listening: socket.socket,
    announcement: Told | None,
    ready: Callable[[], None],
) -> None:
    """Have as many workers answer as `settings.limits` says, until this process is told to stop. When the first one
    answers, that is announced and `ready` is called. Raises what keeps the first one from it."""
    shared = Shared()
    with _stopped_by_signals(), offered(shared) as address, ExitStack() as ending:
        crew = Crew(Post(make, settings, listening, address), shared)
        ending.callback(crew.end)
        crew.begin_first()
        if announcement is not None:
            announcement.publish()
            ending.callback(announcement.withdraw)
        ready()
        for _ in range(settings.limits.workers - 1):
            crew.begin()
        while True:
            crew.hear()


class Crew:
    """The workers that there are, by this end of their pipes."""

    def __init__(self, post: Post, shared: Shared) -> None:
        self._post, self._shared = post, shared
        self._workers: dict[Connection, Worker] = {}
        self._numbers = itertools.count(1)
        self._failed = 0

    def begin(self, *, after: float = 0.0) -> Connection:
        """Begin another worker, which waits so many seconds first."""
        ours, theirs = SPAWN.Pipe()
        number = next(self._numbers)
        process = SPAWN.Process(
            target=work, args=(self._post, theirs, number, after), name=f"kgneo-{number}", daemon=True
        )
        with _deaf():
            process.start()
        theirs.close()  # so that its end is heard
        self._workers[ours] = Worker(number, process)
        return ours

    def begin_first(self) -> None:
        """Begin a worker and wait until it answers. Raises what keeps it from that."""
        pipe = self.begin()
        said = _said(pipe)
        if isinstance(said, KgneoError):
            raise said
        if said != ANSWERS:
            raise KgneoError(f"The first worker {_end(self._workers.pop(pipe).process)} before it answered.")

    def hear(self) -> None:
        """Wait until workers say something, and begin others in the place of those that ended."""
        for pipe in cast(list[Connection], wait(list(self._workers))):
            said = _said(pipe)
            if said is None:
                self._replace(pipe)
            elif said == ANSWERS:
                self._failed = 0
            else:
                LOG.error("A worker cannot answer: %s", said)

    def _replace(self, pipe: Connection) -> None:
        worker = self._workers.pop(pipe)
        pipe.close()
        how = _end(worker.process)
        self._shared.forget(worker.number)
        LOG.warning("Worker %d (process %d) %s; another one begins.", worker.number, worker.process.pid, how)
        self.begin(after=PAUSES[self._failed])
        self._failed = min(self._failed + 1, len(PAUSES) - 1)

    def end(self) -> None:
        """Have all end: orderly, or killed where that takes too long."""
        for pipe in self._workers:
            pipe.close()
        for worker in self._workers.values():
            _end(worker.process)


def _said(pipe: Connection) -> Any:
    """What a worker says; None where it has ended."""
    with suppress(EOFError, OSError):
        return pipe.recv()
    return None


def _end(process: SpawnProcess) -> str:
    """Wait for the end of a process, not for ever, and say how it ended."""
    process.join(2 * STOP_SECONDS)
    process.kill()
    process.join()
    code = process.exitcode or 0
    return f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Have SIGTERM end the block in an orderly way, as Ctrl-C does; that, too, where a shell that began this process
    behind others had it ignored."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what a handler of signals gets
        raise SystemExit(0)

    term, interrupt = signal.signal(signal.SIGTERM, stop), signal.getsignal(signal.SIGINT)
    if interrupt is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, term)
        signal.signal(signal.SIGINT, interrupt)


@contextmanager
def _deaf() -> Iterator[None]:
    """Have a process that is begun here not hear Ctrl-C until it can end in an orderly way: a terminal sends it to all,
    and Python would show where it was while it began."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# In a worker ---------------------------------------------------------------------------------------------------------


class Answering:
    """Says to the supervisor that this worker answers."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def publish(self) -> None:
        """It does."""
        self._pipe.send(ANSWERS)

    def withdraw(self) -> None:
        """It stops, which the supervisor learns by the end of the process."""


def work(post: Post, pipe: Connection, number: int, after: float) -> None:
    """What a worker does, from its beginning to its end."""
    try:
        with suppress(KeyboardInterrupt, *GONE), ExitStack() as stack:
            _hear_signals(signal.default_int_handler)
            Thread(target=_end_with, args=(pipe,), name="supervisor", daemon=True).start()
            time.sleep(after)
            _answer(post, pipe, reached(post.address, number), stack)
    finally:
        _hear_signals(signal.SIG_IGN)  # it ends already


def _hear_signals(handler: Any) -> None:
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, handler)


def _answer(post: Post, pipe: Connection, shared: Shared, stack: ExitStack) -> None:
    try:
        app = post.make(shared, stack)
    except KgneoError as error:
        kind = UsageError if isinstance(error, UsageError) else KgneoError
        pipe.send(kind(error.message, hint=error.hint))  # others may hold what cannot be sent
        return
    serve(app, post.settings, [post.listening], Answering(pipe))


def _end_with(pipe: Connection) -> None:
    """End this process when the supervisor closes its end of the pipe, or is gone: as by SIGTERM, and if that is not
    heard, all the same."""
    with suppress(EOFError, OSError):
        pipe.recv()
    _thread.interrupt_main(signal.SIGTERM)
    time.sleep(2 * STOP_SECONDS)
    os._exit(1)
