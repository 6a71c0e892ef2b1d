"""Logins: users of Neo4j's own who ask a graph with their own rights.

Comes in: a name and a password with each request. Goes out: a session, which is an application of its own around a
connection of that user, and all that it has read with it; nobody else is ever served by it. The database is asked at
each sign-in, and again every half a minute, whether the login is right and has the rights that it had; where it is not,
the session ends. Passwords are in memory only: of a session a keyed digest, to compare, and what its driver holds.

How often somebody may be wrong is bounded before the database is asked, by the address, and by the address with the
name; where the latter is spent, a right password is refused as well, since else it could be found by trying.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from kgneo.context import Context
from kgneo.encoders.encoder import Encoder
from kgneo.errors import GraphError, LoginRefused
from kgneo.graph import Graph
from kgneo.graph.apart import keep_apart, rights
from kgneo.graph.record import read_record
from kgneo.graph.work import Work
from kgneo.serve.failures import Refusal
from kgneo.serve.shared import Shared
from kgneo.settings import Settings, open_graph

LOG = logging.getLogger("kgneo.serve")
LONGEST = 500
"""Characters of a name and of a password."""
VERIFIED = 30.0
"""Seconds for which a login that the database took is taken again without asking it."""
IDLE = 600.0
"""Seconds without a request after which a session ends."""
LIFE = 3600.0
"""Seconds after which a session is begun anew, and all that it knows of the graph is read again."""
LOOK = 5.0
"""Seconds between looks for sessions that are over."""
OPENING = 1800.0
"""Seconds that reading a graph for somebody may take."""
SESSIONS = 32
"""Sessions of one graph at a time."""
COMING = 32
"""Sign-ins that are worked on at a time."""
THREADS = 4
WRONG, NOT_TAKEN = "WrongLogin", "LoginNotTaken"
WRONG_BY_ADDRESS, WRONG_BY_NAME = 20, 10
"""Wrong logins a minute from one address, and of one name from it."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What somebody signs in with."""

    name: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """By which name the database knows somebody, and what tells their rights from others."""

    name: str
    rights: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A graph as one user sees it, and what gives back all that belongs to it."""

    context: Context
    close: Callable[[], None]


class Door(Protocol):
    """A database with users of its own; both methods take time, and raise what `Graph.connect` raises."""

    def known(self, given: Credentials) -> Known:
        """Who it is, by a connection made for this. Raises LoginRefused."""

    def opened(self, given: Credentials) -> Opened:
        """The graph as they see it."""


class DatabaseDoor:
    """The database of these `settings`, without the login in them; `make` makes a context of a graph, with an encoder
    that is there already, or with its own (None)."""

    def __init__(self, settings: Settings, make: Callable[[Graph, Encoder | None], Context]) -> None:
        self._settings, self._make = settings, make
        self._encoder: Encoder | None = None

    def known(self, given: Credentials) -> Known:
        """As `Door.known`. Raises GraphError for a database that asks for no login."""
        with open_graph(self._of(given)) as graph:
            if not graph.login:
                raise GraphError("This database asks for no login, so that it does not tell users apart.")
            return Known(graph.login, rights(graph))

    def opened(self, given: Credentials) -> Opened:
        """As `Door.opened`; what is read is kept in files of its own."""
        with ExitStack() as opening:
            graph = opening.enter_context(open_graph(self._of(given)))
            files = ExitStack()
            files.callback(keep_apart(graph))
            files.push(opening.pop_all())  # closed first: what still reads may write
        try:
            return Opened(self._context(graph), files.close)
        except BaseException:
            files.close()
            raise

    def _context(self, graph: Graph) -> Context:
        """An encoder is loaded once for all who need it."""
        record, encoder = read_record(graph), self._encoder
        shared = encoder if encoder is not None and (record is None or record.encoder == encoder.name) else None
        context = self._make(graph, shared)
        self._encoder = self._encoder or context.triple_encoder
        return context

    def _of(self, given: Credentials) -> Settings:
        return replace(self._settings, username=given.name, password=given.password, read_only=True)


@dataclass(eq=False)
class Session:
    """One user's application; `name` is that by which the database knows them. Belongs to the event loop."""

    name: str
    digest: bytes = field(repr=False)
    rights: str
    app: FastAPI
    opened: float
    verified: float
    used: float
    busy: int = 0
    over: bool = False
    left: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    holding: asyncio.Task[None] | None = field(default=None, repr=False)

    def end(self, *, at_once: bool = False) -> None:
        """Take no more requests, and close when those that are worked on are answered; `at_once` ends these, too."""
        self.over = True
        if at_once:
            self.app.state.threads.end_all()
        if not self.busy:
            self.left.set()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of this user."""
        self.busy += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.busy -= 1
            self.used = time.monotonic()
            if self.over and not self.busy:
                self.left.set()


class Logins:
    """The sessions of one graph. `make` makes the application of a user by the context and the user's name; `wait` is
    how many seconds a request waits until the graph is read for its user. Other workers have sessions of their own, and
    count wrong logins with this one in what is `shared`, at the same `place`, by digests under the same `key`."""

    def __init__(
        self,
        door: Door,
        make: Callable[[Context, str], FastAPI],
        *,
        wait: float = 60.0,
        shared: Shared | None = None,
        place: str = "",
        key: bytes = b"",
    ) -> None:
        self._door, self._make, self._wait = door, make, wait
        self._key, shared = key or secrets.token_bytes(32), shared or Shared()
        self._by_address = shared.rate(f"wrong logins {place} by address", WRONG_BY_ADDRESS)
        self._by_name = shared.rate(f"wrong logins {place} by name", WRONG_BY_NAME)
        self._sessions: dict[str, Session] = {}
        self._coming: dict[tuple[str, bytes], asyncio.Task[Session]] = {}
        self._opening = 0
        self._works: set[Work] = set()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="login")

    @property
    def sessions(self) -> list[Session]:
        """Those that take requests."""
        return list(self._sessions.values())

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Sessions that are over end while this is entered, and all of them at its end."""
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            looking.cancel()
            for work in list(self._works):
                work.end()
            for coming in list(self._coming.values()):
                coming.cancel()
            held = [session.holding for session in self.sessions if session.holding is not None]
            for session in self.sessions:
                self._end(session, at_once=True)
                session.left.set()
            await asyncio.gather(*held, return_exceptions=True)
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def session(self, given: Credentials, address: str) -> Session:
        """The session of somebody who asks from an address, begun where there is none. Raises Refusal for a login that
        the database does not take, and for too many; GraphError where it cannot be asked."""
        digest = self._digest(given)
        _refuse(self._by_name.ahead(self._source(given, address), time.monotonic()))
        there = self._of(given.name, digest)
        if there is not None and _is_fresh(there):
            return there
        task = self._coming.get((given.name, digest)) or self._begin(given, digest, address)
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._wait)
        except TimeoutError:
            again = "Ask again in a moment."
            raise Refusal(503, "Opening", "The graph is still being read for you.", again, retry_after=5) from None

    def _begin(self, given: Credentials, digest: bytes, address: str) -> asyncio.Task[Session]:
        """Begin a sign-in, which counts as wrong until it was right."""
        if len(self._coming) >= COMING:
            raise Refusal(503, "Busy", "Too many sign in at the moment.", "Ask again later.", retry_after=5)
        now, counted = time.monotonic(), [(self._by_name, self._source(given, address))]
        if self._of(given.name, digest) is None:  # whoever is signed in is not kept out by others of an address
            counted.append((self._by_address, address))
        for rate, source in counted:
            _refuse(rate.wait(source, now))
        task = asyncio.create_task(self._signed_in(given, digest))
        self._coming[given.name, digest] = task

        def done(_: asyncio.Task[Session]) -> None:
            del self._coming[given.name, digest]
            if task.cancelled() or not _is_wrong(task.exception()):
                for rate, source in counted:
                    rate.give_back(source)

        task.add_done_callback(done)
        return task

    async def _signed_in(self, given: Credentials, digest: bytes) -> Session:
        """The session of a login that the database takes now."""
        now = time.monotonic()
        known = await self._known(given, digest)
        there = self._of(given.name, digest)
        if there is not None and there.rights == known.rights and now < there.opened + LIFE:
            there.verified = now
            return there
        self._end_of(given.name)
        self._make_room()
        self._opening += 1
        try:
            app, close = await self._in_thread(partial(self._opened, known.name), given)
            session = Session(known.name, digest, known.rights, app, now, now, now)
            await self._hold(session, close)
        finally:
            self._opening -= 1
        self._end_of(given.name)  # of another password that was right meanwhile
        self._sessions[given.name] = session
        return session

    def _of(self, name: str, digest: bytes) -> Session | None:
        """The session of a login, where there is one of this password."""
        there = self._sessions.get(name)
        return there if there is not None and hmac.compare_digest(there.digest, digest) else None

    def _end_of(self, name: str) -> None:
        if (there := self._sessions.get(name)) is not None:
            self._end(there)

    def _opened(self, name: str, given: Credentials) -> tuple[FastAPI, Callable[[], None]]:
        """The application of somebody, and what closes all it stands on. Reading the graph ends with the server."""
        work = Work(OPENING)
        self._works.add(work)
        try:
            with work.begun():
                return self._made(name, self._door.opened(given))
        finally:
            self._works.discard(work)

    def _made(self, name: str, opened: Opened) -> tuple[FastAPI, Callable[[], None]]:
        try:
            return self._make(opened.context, name), opened.close
        except BaseException:
            opened.close()
            raise

    async def _known(self, given: Credentials, digest: bytes) -> Known:
        """Who it is. Where the database takes no more what it took, the session of that ends."""
        try:
            found: Known = await self._in_thread(self._door.known, given)
        except LoginRefused as error:
            there = self._of(given.name, digest)
            if error.wrong and there is not None:
                self._end(there, at_once=True)
            raise _refusal(error) from None
        return found

    async def _hold(self, session: Session, close: Callable[[], None]) -> None:
        """Begin a session's application, which runs in a task of its own until the session has ended."""
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def hold() -> None:
            try:
                async with session.app.router.lifespan_context(session.app):
                    begun.set_result(None)
                    await session.left.wait()
            except Exception as error:
                if begun.done():
                    LOG.error("%s at the end of a session", type(error).__name__)
                else:
                    begun.set_exception(error)
            finally:
                await self._in_thread(_quietly, close)

        session.holding = asyncio.create_task(hold())
        await begun

    def _make_room(self) -> None:
        """End the session that was not used for longest, where there are too many. Raises Refusal where all are."""
        if len(self._sessions) + self._opening < SESSIONS:
            return
        unused = [session for session in self.sessions if not session.busy]
        if not unused:
            message = f"{SESSIONS} users ask at the moment, which is the most."
            raise Refusal(503, "Busy", message, "Ask again later.", retry_after=5)
        self._end(min(unused, key=lambda session: session.used))

    def _end(self, session: Session, *, at_once: bool = False) -> None:
        for name in [name for name, other in self._sessions.items() if other is session]:
            del self._sessions[name]
        session.end(at_once=at_once)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            now = time.monotonic()
            for session in self.sessions:
                if not session.busy and now > min(session.used + IDLE, session.opened + LIFE):
                    self._end(session)

    def _source(self, given: Credentials, address: str) -> str:
        """An address with a name, which may be a password that was typed in the wrong place."""
        return f"{address} {hmac.digest(self._key, given.name.encode(), 'sha256').hex()}"

    def _digest(self, given: Credentials) -> bytes:
        text = f"{len(given.name)} {given.name} {given.password}"
        return hmac.digest(self._key, text.encode(), "sha256")

    async def _in_thread(self, work: Callable[[Any], Any], given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, given)


def credentials_of(header: str) -> Credentials | None:
    """The name and the password in a header `Authorization: Basic …`; None where it has none, or what cannot be one."""
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        name, _, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    fits = 0 < len(name) <= LONGEST and 0 < len(password) <= LONGEST
    return Credentials(name, password) if fits else None


def _is_fresh(session: Session) -> bool:
    now = time.monotonic()
    return now < min(session.verified + VERIFIED, session.opened + LIFE)


def _refuse(wait: float) -> None:
    """Raises Refusal where somebody has to wait."""
    if wait:
        raise Refusal(429, "TooManyLogins", "Too many wrong logins were tried.", retry_after=int(wait) + 1)


def _refusal(error: LoginRefused) -> Refusal:
    """What is said of a login that the database does not take: of a wrong one, the same whoever it was."""
    if error.retry:
        return Refusal(429, NOT_TAKEN, error.message, error.hint, retry_after=5)
    if not error.wrong:
        return Refusal(403, NOT_TAKEN, error.message, error.hint)
    return Refusal(401, WRONG, "Neo4j does not know this user with this password.", "Sign in again.")


def _is_wrong(error: BaseException | None) -> bool:
    """Whether a sign-in failed by its login. Also where the database does not say so any more, after several wrong
    ones: else one that is right could be told from others."""
    return isinstance(error, Refusal) and error.kind in (WRONG, NOT_TAKEN)


def _quietly(close: Callable[[], None]) -> None:
    with suppress(Exception):  # nobody is left to be told
        close()
