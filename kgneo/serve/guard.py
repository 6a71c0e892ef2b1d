"""Guard: what is checked of every request before a route sees it, and what every response carries.

In this order: the name by which the server was called, the page that sent the request, the token, the rate, and the
body, which has to arrive whole, in time and not too large; a file to be loaded has bounds of its own, piece by piece
(`kgneo.serve.loading_routes`). Nothing of a request's text is written to the log.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import re
import time
import traceback
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgneo.serve.announce import HEADER
from kgneo.serve.failures import Refusal, internal
from kgneo.serve.metrics import Metrics
from kgneo.serve.rate import UNBOUNDED, Rate
from kgneo.serve.settings import ServeSettings
from kgneo.serve.shared import GONE, Shared
from kgneo.tracing import note, request_span

LOG = logging.getLogger("kgneo.serve")
OPEN = frozenset(("/api/v1/health",))
"""Routes that need no token, besides the page's files."""
FILE = re.compile(r"/api/v1/loading/[\w-]+/files")
"""Routes whose body is a file, which is not read here."""
MCP = "/mcp"
"""Where assistants find the tools, if the server has them."""
GUARDED = ("/api/", "/v1/", MCP)
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
HEADER_BYTES = 16_000


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics, shared: Shared | None = None) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        shared, limits = shared or Shared(), settings.limits
        self._rate = shared.rate("requests", limits.rate) if limits.rate else UNBOUNDED
        self._wrong = shared.rate("wrong tokens", limits.wrong_tokens) if settings.token else UNBOUNDED

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started, status = time.perf_counter(), 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message, scope)
            await send(message)

        try:
            self._check(scope)
            received = await self._received(scope, receive)
            with request_span(f"{scope['method']} request", Headers(scope=scope)):
                await self._app(scope, received, answer)
                note({"http.route": _route(scope), "http.response.status_code": status})
        except Refusal as refusal:
            await refusal.response()(scope, receive, answer)
        except TimeoutError:
            late = Refusal(408, "SlowBody", "The body of the request did not arrive in time.")
            await late.response()(scope, receive, answer)
        except Exception as error:  # the last place where one can be kept from the client
            LOG.error("%s in %s", type(error).__name__, _frames(error))
            if not status:
                await JSONResponse(internal(), 500)(scope, receive, answer)
        finally:
            self._record(scope, status, time.perf_counter() - started)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        if sum(len(name) + len(value) for name, value in headers.raw) > HEADER_BYTES:
            raise Refusal(431, "HeadersTooLarge", f"The headers of a request may have {HEADER_BYTES:,} bytes at most.")
        self._check_host(headers)
        path = path_of(scope)
        if not path.startswith(GUARDED):
            return
        _check_origin(headers)
        if headers.get(HEADER, self._settings.mark) != self._settings.mark:
            raise Refusal(421, "OtherServer", "This is not the server that was announced.")
        if path in OPEN:
            return
        address = (scope.get("client") or ("",))[0]
        self._check_token(headers, address)
        wait = self._rate.wait(address, time.monotonic())
        if wait:
            raise Refusal(
                429,
                "TooManyRequests",
                f"More than {self._settings.limits.rate} requests came from one address within a minute.",
                retry_after=int(wait) + 1,
            )

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        name = host_name(host)
        if len(headers.getlist("host")) != 1 or not name or not self._settings.allows_host(name):
            raise Refusal(
                421,
                "WrongHost",
                f"This server is not called {host[:100]!r}.",
                "Add the name with --allow-host, if it is one of this machine.",
            )

    def _check_token(self, headers: Headers, address: str) -> None:
        token = self._settings.token
        if not token:
            return
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(given.strip().encode("utf-8", "replace"), token.encode())
        if scheme.lower() != "bearer" or not same:
            refuse_guesses(self._wrong, address, wrong=bool(given))
            raise Refusal(
                401, "NoToken", "This server answers with its token only.", "Send: Authorization: Bearer TOKEN."
            )

    async def _received(self, scope: Scope, receive: Receive) -> Receive:
        """A `receive` that gives the body, which is here as a whole unless it is a file."""
        if FILE.fullmatch(path_of(scope)):
            return receive
        return _replay(await asyncio.wait_for(self._body(scope, receive), self._settings.limits.body_seconds), receive)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """The whole body. Raises Refusal for one that is too large."""
        most = self._settings.limits.body
        too_large = Refusal(413, "BodyTooLarge", f"The body of a request may have {most:,} bytes at most.")
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared[:20]) > most:
            raise too_large
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Refusal(400, "Gone", "The body of the request ended early.")
            body += message.get("body", b"")
            if len(body) > most:
                raise too_large
            if not message.get("more_body"):
                return bytes(body)

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        with suppress(*GONE):
            self._metrics.record(route, scope["method"], status, seconds)
        if self._settings.log:
            LOG.info("%s %s %s %.0f ms", scope["method"], route, status or "ended", seconds * 1000)


def refuse_guesses(rate: Rate, address: str, *, wrong: bool) -> None:
    """Raises Refusal where an address has tried too many tokens that were `wrong`."""
    wait = rate.wait(address, time.monotonic()) if wrong else 0.0
    if wait:
        raise Refusal(429, "TooManyTokens", "Too many wrong tokens were tried.", retry_after=int(wait) + 1)


def _route(scope: Scope) -> str:
    return getattr(scope.get("route"), "path", "") or "other"


def path_of(scope: Scope) -> str:
    """The path of a request below where the application stands."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _add_headers(message: Message, scope: Scope) -> None:
    headers = MutableHeaders(scope=message)
    for name, value in HEADERS.items():
        headers[name] = value
    if path_of(scope).startswith(GUARDED):
        headers["Cache-Control"] = "no-store"
    else:
        headers.setdefault("Cache-Control", "no-cache")


def _check_origin(headers: Headers) -> None:
    """Only the page that this server gave out may send requests from a browser."""
    origin = headers.get("origin")
    foreign = headers.get("sec-fetch-site") == "cross-site"
    if foreign or (origin is not None and urlsplit(origin).netloc.lower() != headers.get("host", "").lower()):
        raise Refusal(403, "WrongOrigin", "Pages of other servers may not ask here.")


def host_name(host: str) -> str:
    """The name of a Host header without its port; empty for what is none."""
    try:
        parts = urlsplit(f"//{host}")
        parts.port  # noqa: B018 - raises for what is no port
    except ValueError:
        return ""
    return (parts.hostname or "") if parts.netloc == host and "@" not in host else ""


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _frames(error: BaseException) -> str:
    """Where an error came from, without its message, which may hold what was asked."""
    return " < ".join(
        f"{frame.name} {frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[:-6:-1]
    )
