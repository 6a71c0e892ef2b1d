"""Signed in: the application of a graph whose users are those of its database.

Whoever signed in (the gate of the team has found that out) is served by the application of their session; to others
there are the page's files, and whether the server runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send

from kgneo.serve.application import page_folder, page_paths
from kgneo.serve.failures import Refusal
from kgneo.serve.guard import Guard, host_name
from kgneo.serve.logins import Logins, Session
from kgneo.serve.metrics import Metrics
from kgneo.serve.questions import Questions
from kgneo.serve.settings import ServeSettings, is_loopback
from kgneo.serve.team_file import Proxy
from kgneo.serve.threads import Together, Working

SESSION = "kgneo.session"
"""Where the scope of a request has the session of whoever sent it."""
BROWSER = "sec-fetch-mode"
"""A header that browsers send with what a page asks for."""


def signed_in_application(logins: Logins, settings: ServeSettings) -> Starlette:
    """An ASGI application around the sessions of a graph."""

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    def works() -> list[Working]:
        return [session.app.state.threads for session in logins.sessions]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with logins.run():
            yield

    threads = Together(works)
    files = StaticFiles(directory=page_folder(), html=True)
    pages = [Route(path, files) for path in page_paths()]
    free = Guard(Starlette(routes=[Route("/api/v1/health", health), *pages]), settings, Metrics(Questions()))

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        session: Session | None = scope.get(SESSION)
        await (free(scope, receive, send) if session is None else session.serve(scope, receive, send))

    app = Starlette(routes=[Mount("/", serve)], lifespan=lifespan)
    app.state.threads = threads
    return app


def check_way(scope: Any, proxy: Proxy | None, *, plain: bool) -> None:
    """Raises Refusal for a request that may not carry a password, since others could read it on its way. `plain`: it
    may all the same."""
    if plain or _is_private(scope, proxy):
        return
    raise Refusal(
        403,
        "NotEncrypted",
        "This graph is asked with a password of its database, and this request came without encryption.",
        "Expected https, or a request from the server's own machine. A proxy with TLS has to send X-Forwarded-Proto.",
    )


def _is_private(scope: Any, proxy: Proxy | None) -> bool:
    """Whether nobody on the way can read a request: its sender is on this machine and means this machine, or the way to
    the server, or to the proxy before it, is encrypted."""
    headers, address = Headers(scope=scope), (scope.get("client") or ("",))[0]
    if scope["scheme"] == "https":
        return True
    if proxy is not None and proxy.is_from(address):
        return headers.get("x-forwarded-proto", "").strip() == "https"
    return is_loopback(address) and is_loopback(host_name(headers.get("host", "")))


def source_of(scope: Any, proxy: Proxy | None) -> str:
    """Where a request comes from: what the proxy says, where it came through that."""
    address = str((scope.get("client") or ("",))[0])
    if proxy is None or not proxy.is_from(address):
        return address
    return Headers(scope=scope).get("x-forwarded-for", "").rpartition(",")[2].strip() or address


def challenge_of(scope: Any) -> str:
    """How somebody may sign in: for a page, in words that no browser answers with a form of its own, since what is
    given there stays until the browser is closed."""
    return "Neo4j" if BROWSER in Headers(scope=scope) else 'Basic realm="Neo4j", charset="UTF-8"'
