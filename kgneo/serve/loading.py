"""Loading: from files that a user sent to a graph that this server answers about, one load at a time.

Each load makes a new local store (`kgneo.serve.new_store`), whose graph is then served below `/g/NAME/` of the same
address, with an application of its own, until this server ends. Until all is loaded, whoever leaves or cancels ends it,
and nothing of it stays. From then on the store stays; its embeddings are made behind the questions.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from shlex import quote
from typing import Any

from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kgneo.context import Context
from kgneo.errors import KgneoError, WorkEnded
from kgneo.graph import Graph
from kgneo.graph.work import Work
from kgneo.serve.drafts import Draft, Drafts
from kgneo.serve.failures import Refusal
from kgneo.serve.new_store import Reading, check_name, checked_files, index_store, make_store, open_store_of
from kgneo.serve.settings import Limits
from kgneo.serve.threads import Together, Working
from kgneo.settings import Settings

LOG = logging.getLogger("kgneo.serve")
BELOW = "/g/"
GRAPHS = 3
"""Graphs that one server may load: each has a Neo4j of its own."""
TOLD_EVERY = 0.2
"""Seconds between two events of the same stage."""
FOREVER = float("inf")
END = object()

Event = tuple[str, dict[str, Any]]
"""A server-sent event: its name and its data."""


@dataclass
class Job:
    """A load. `work` ends it; `loaded` from when on the store stays; `queue` gets what is told of it."""

    name: str
    draft: Draft
    reading: Reading
    work: Work
    loop: asyncio.AbstractEventLoop
    queue: asyncio.Queue[Any]
    loaded: bool = False
    told: tuple[str, float] = ("", 0.0)

    def tell(self, stage: str, done: int, total: int | None) -> None:
        """Tell how far it is, from its thread. Raises WorkEnded where it was ended."""
        self.work.check()
        now = time.monotonic()
        if self.told[0] != stage or now - self.told[1] >= TOLD_EVERY:
            self.told = stage, now
            self.put("progress", {"stage": stage, "done": done, "total": total})

    def put(self, event: str, data: dict[str, Any]) -> None:
        """Tell something, from its thread."""
        self.loop.call_soon_threadsafe(self.queue.put_nowait, (event, data))


class Loading:
    """What a server loads, and has loaded. `context_of` makes what questions about a graph are answered with,
    `application_of` what serves them; `settings` are those of the graph that the server was started with."""

    def __init__(
        self,
        settings: Settings,
        limits: Limits,
        context_of: Callable[[Graph], Context],
        application_of: Callable[[str, Context], Starlette],
    ) -> None:
        self.drafts = Drafts(limits.files)
        self._settings, self._context_of, self._application_of = settings, context_of, application_of
        self._apps: dict[str, Starlette] = {}
        self._job: Job | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="load")
        self._graphs = ExitStack()
        self._running = AsyncExitStack()

    @property
    def names(self) -> list[str]:
        """The graphs that were loaded, in this order."""
        return list(self._apps)

    @property
    def parts(self) -> list[Working]:
        """What works on questions about them, and this."""
        return [self, *(app.state.threads for app in self._apps.values())]

    def application(self, name: str) -> Starlette | None:
        """The application of a graph that was loaded."""
        return self._apps.get(name)

    def begin(self, name: str, draft: Draft, reading: Reading) -> AsyncGenerator[Event]:
        """Load the files of a draft into a new store; gives what is told of it. To be closed when whoever asked has
        gone. Raises Refusal and UsageError where it cannot begin.

        Events are `progress` (stage, done, total), one `loaded` (name) when it can be asked, one `indexed` when triples
        have their embeddings, or else one `error`.
        """
        if self._job is not None:
            message = "Other files are being loaded by this server."
            raise Refusal(409, "LoadUnderWay", message, "Wait until that is done.", retry_after=30)
        if len(self._apps) >= GRAPHS:
            message = f"This server has loaded {GRAPHS} graphs, which is the most: each has a Neo4j of its own."
            raise Refusal(409, "TooManyGraphs", message, "Load in the shell, with `kgneo load FILE --store NAME`.")
        check_name(name)
        loop = asyncio.get_running_loop()
        job = self._job = Job(name, draft, reading, Work(FOREVER), loop, asyncio.Queue())
        self.drafts.held = draft.key
        task = loop.run_in_executor(self._pool, self._load, job)
        task.add_done_callback(partial(self._done, job))
        return self._events(job, task)

    async def _events(self, job: Job, task: asyncio.Future[None]) -> AsyncGenerator[Event]:
        try:
            while (item := await job.queue.get()) is not END:
                yield item
            task.result()
        finally:
            if not job.loaded:
                job.work.end()

    def _done(self, job: Job, task: asyncio.Future[None]) -> None:
        if not task.cancelled():
            task.exception()  # whoever would be told may have gone
        self._job, self.drafts.held = None, ""
        if job.loaded:
            self.drafts.forget(job.draft.key)
        job.queue.put_nowait(END)

    def cancel(self, draft: Draft) -> bool:
        """End the load of a draft, where all is not loaded yet; whether there was one."""
        job = self._job
        if job is None or job.draft is not draft or job.loaded:
            return False
        job.work.end()
        return True

    def _load(self, job: Job) -> None:
        """The whole load, in a thread."""
        with job.work.begun():
            triples = self._made(job)
            try:
                context = self._served(job)
                job.put("loaded", {"name": job.name})
                if triples:
                    index_store(context, job.tell)
                job.put("indexed", {"name": job.name})
            except KgneoError as error:
                again = f"kgneo {'index' if job.name in self._apps else 'serve'} --store {quote(job.name)}"
                raise KgneoError(error.message, hint=f"The store is there: {again}") from error

    def _made(self, job: Job) -> bool:
        """Make the store of a job; whether it has triples, and no property graph."""
        LOG.info("Loading files into the new store %r.", job.name)
        try:
            checked = checked_files(job.draft.paths, job.reading, job.tell)
            make_store(job.name, checked, self._settings, job.tell)
        except BaseException as error:
            LOG.info("Nothing was loaded into %r: %s.", job.name, type(error).__name__)
            if isinstance(error, WorkEnded):
                raise WorkEnded("Loading was cancelled.", hint="Nothing of it was kept.") from None
            raise
        job.loaded = True
        LOG.info("Loaded the store %r. Its Neo4j runs until `kgneo server stop --store %s`.", job.name, quote(job.name))
        return checked.triples

    def _served(self, job: Job) -> Context:
        """Have the graph of a job's store served, and what it is answered with."""
        graph = self._graphs.enter_context(open_store_of(job.name, self._settings, job.tell))
        context = self._context_of(graph)
        app = self._application_of(job.name, context)
        asyncio.run_coroutine_threadsafe(self._add(job.name, app), job.loop).result()
        return context

    async def _add(self, name: str, app: Starlette) -> None:
        await self._running.enter_async_context(app.router.lifespan_context(app))
        self._apps[name] = app

    def end_all(self) -> None:
        """End the load under way, for a server that stops."""
        if (job := self._job) is not None:
            job.work.end()

    async def close(self) -> None:
        """End everything, and wait for it."""
        self.end_all()
        await asyncio.to_thread(self._pool.shutdown)
        await self._running.aclose()
        await asyncio.to_thread(self._graphs.close)
        await asyncio.to_thread(self.drafts.close)


class LoadedGraphs:
    """The layer that gives requests below `/g/NAME/` to the graph of that name, each guarded as all others are."""

    def __init__(self, app: ASGIApp, loading: Loading) -> None:
        self._app, self._loading = app, loading

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = _graph_of(scope)
        app = self._loading.application(name) if name else None
        if app is None:
            await self._app(scope, receive, send)
        elif scope["path"] == f"{BELOW}{name}":
            await RedirectResponse(f"{name}/")(scope, receive, send)
        else:
            await app({**scope, "root_path": f"{BELOW}{name}"}, receive, send)


def serve_loaded(app: Starlette, loading: Loading) -> None:
    """Have an application serve what was loaded, too, and end that with itself."""
    threads, lifespan_before = app.state.threads, app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(within: Starlette) -> AsyncIterator[None]:
        async with lifespan_before(within):
            try:
                yield
            finally:
                await loading.close()

    app.router.lifespan_context = lifespan
    app.state.threads = Together(lambda: [threads, *loading.parts])
    app.state.loading = loading
    app.add_middleware(LoadedGraphs, loading=loading)


def _graph_of(scope: Scope) -> str:
    """The name that a path is below of; empty where it is below of none."""
    path = scope.get("path", "") if scope["type"] == "http" else ""
    return path.removeprefix(BELOW).partition("/")[0] if path.startswith(BELOW) else ""
