"""Team: several graphs behind one address, for users who may ask some of them.

Each graph is an application of its own below `/g/NAME/`, with its own page, API, chat endpoint, threads and cache. Here
it is told who asks, by a token or by the header of a proxy, whether they may ask that graph, and how often; and who
asked what is written down where the file of the team says so. A graph that somebody may not ask is to them as one that
there is not: both are answered alike.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Mapping, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgneo.errors import KgneoError
from kgneo.serve.application import page_folder, page_paths
from kgneo.serve.audit import AuditLog
from kgneo.serve.failures import Refusal, respond
from kgneo.serve.guard import GUARDED, Guard, refuse_guesses
from kgneo.serve.keeping import Keeping
from kgneo.serve.kept_routes import is_kept, route_of, told
from kgneo.serve.logins import Logins, credentials_of
from kgneo.serve.metrics import Metrics
from kgneo.serve.questions import Questions
from kgneo.serve.rate import Rate
from kgneo.serve.service import Quota
from kgneo.serve.settings import USER, ServeSettings
from kgneo.serve.shared import GONE, Shared
from kgneo.serve.signed_in import SESSION, challenge_of, check_way, source_of
from kgneo.serve.team_file import ALL, Team, UserOfTeam, name_signed_in
from kgneo.serve.threads import Together

LOG = logging.getLogger("kgneo.serve")
BELOW = "/g/"
FRONT = "team.html"
"""The page that lists the graphs."""
GRAPHS = "/api/v1/graphs"
"""Where it lists them; anybody may know them where all have the users of their databases."""
FREE = ("/api/v1/health",)
"""What may be asked of each graph, and of the server, by anybody."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sent a request, and what they may do."""

    name: str
    rights: UserOfTeam


class Gate:
    """The layer before the graphs of a team; `logins` has those whose users are of their databases."""

    def __init__(
        self, app: ASGIApp, team: Team, settings: ServeSettings, logins: Mapping[str, Logins], shared: Shared
    ) -> None:
        self._app, self._team, self._settings, self._logins = app, team, settings, logins
        usual = settings.limits.rate
        self._rates = {name: shared.rate(f"user {name}", user.rate or usual) for name, user in team.users.items()}
        self._rates_of_logins = {
            name: shared.rate(f"logins of {name}", team.graphs[name].rate or usual) for name in logins
        }
        self._wrong = shared.rate("wrong tokens", settings.limits.wrong_tokens)
        self._audit = shared.audit(team.audit) if team.audit else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            asker = await self._admit(scope)
        except Refusal as refusal:
            await self._refused(scope, refusal.response())(scope, receive, send)
            return
        except KgneoError as error:
            await self._refused(scope, respond(error))(scope, receive, send)
            return
        if asker is None or self._audit is None:
            await self._app(scope, receive, send)
        else:
            await self._audited(self._audit, asker, scope, receive, send)

    async def _admit(self, scope: MutableMapping[str, Any]) -> str | None:
        """The name of whoever asks; None for what anybody may have: files of the page, and whether the server runs.
        Raises Refusal, and KgneoError for a database that cannot be asked who it is."""
        graph, path = _graph_and_path(scope["path"])
        if not path.startswith(GUARDED) or path in FREE or self._anybody_may(graph, path):
            return None
        if graph is not None and graph in self._logins:
            return await self._signed_in(graph, scope)
        asker = self._asker(Headers(scope=scope), _address(scope))
        self._refuse_more(self._rate_of(asker.name), asker.name)
        if graph is not None and (graph not in self._team.graphs or not asker.rights.may_ask(graph)):
            raise Refusal(404, "NoGraph", f"There is no graph {graph[:64]!r} that you may ask.")
        scope[USER] = asker.name
        return asker.name

    async def _signed_in(self, graph: str, scope: MutableMapping[str, Any]) -> str:
        """The name of whoever signs in with a login of a graph's database."""
        check_way(scope, self._team.proxy, plain=self._team.graphs[graph].plain_http)
        given = credentials_of(Headers(scope=scope).get("authorization", ""))
        if given is None:
            told = "This graph is asked with a user of its Neo4j."
            hint = "Send: Authorization: Basic, with the name and the password of that user."
            raise Refusal(401, "SignIn", told, hint, challenge=challenge_of(scope))
        try:
            session = await self._logins[graph].session(given, source_of(scope, self._team.proxy))
        except Refusal as refusal:
            raise replace(refusal, challenge=challenge_of(scope)) from None
        name = name_signed_in(session.name, graph)
        self._refuse_more(self._rates_of_logins[graph], name)
        scope[SESSION], scope[USER] = session, name
        return name

    def _anybody_may(self, graph: str | None, path: str) -> bool:
        """Whether it is the list of graphs of a team without users of its own."""
        return not self._team.users and (graph, path) == (None, GRAPHS)

    def _refuse_more(self, rate: Rate, name: str) -> None:
        wait = rate.wait(name, time.monotonic())
        if wait:
            raise Refusal(429, "TooManyRequests", "You ask too often.", retry_after=int(wait) + 1)

    def _asker(self, headers: Headers, address: str) -> Asker:
        proxy = self._team.proxy
        if proxy is not None and proxy.is_from(address) and (named := headers.get(proxy.header, "").strip()):
            rights = self._team.user_named(named)
            if rights is not None:
                return Asker(named, rights)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        user = self._team.user_of_token(token.strip()) if scheme.lower() == "bearer" and token else None
        if user is None:
            refuse_guesses(self._wrong, address, wrong=bool(token))
            hint = "Send: Authorization: Bearer TOKEN."
            raise Refusal(401, "NoToken", "This server answers those whom it knows.", hint)
        return Asker(user, self._team.users[user])

    def _rate_of(self, name: str) -> Rate:
        return self._rates.get(name) or self._rates[ALL]

    def _refused(self, scope: Scope, response: JSONResponse) -> JSONResponse:
        if self._audit is not None:
            record = {"user": None, "address": _address(scope), "path": scope["path"], "status": response.status_code}
            self._write(self._audit, record, b"")
        return response

    async def _audited(self, audit: AuditLog, asker: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and write down what it was."""
        body, status, began = bytearray(), 0, time.perf_counter()

        async def heard() -> Message:
            message = await receive()
            if len(body) <= self._settings.limits.body:
                body.extend(message.get("body", b""))
            return message

        async def answered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path = scope["path"]
        try:
            await self._app(scope, heard, answered)
        finally:
            graph, route = _graph_and_path(path)
            took = round((time.perf_counter() - began) * 1000)
            record = {"user": asker, "graph": graph, "path": route_of(route), "status": status, "ms": took}
            self._write(audit, record, b"" if is_kept(route) else bytes(body))

    def _write(self, audit: AuditLog, record: Mapping[str, Any], body: bytes) -> None:
        try:
            audit.add(record, body)
        except GONE:
            LOG.error("The audit log cannot be written: the server ends.")
        except OSError as error:
            LOG.error("The audit log cannot be written: %s", error.strerror)


def _address(scope: Mapping[str, Any]) -> str:
    """Where a request comes from."""
    return str((scope.get("client") or ("",))[0])


def _graph_and_path(path: str) -> tuple[str | None, str]:
    """The graph that a path is below of, and what stands behind that."""
    if not path.startswith(BELOW):
        return None, path
    graph, _, rest = path.removeprefix(BELOW).partition("/")
    return graph, f"/{rest}"


def quota_of(team: Team) -> Quota:
    """What each user of a team may spend on a day."""

    def of(user: str) -> tuple[int | None, float | None]:
        rights = team.user_named(user)
        return (rights.day_tokens, rights.day_cost) if rights else (0, 0.0)

    return of


def create_team_application(
    team: Team,
    apps: Mapping[str, Starlette],
    settings: ServeSettings,
    keeping: Keeping | None = None,
    logins: Mapping[str, Logins] | None = None,
    shared: Shared | None = None,
) -> Starlette:
    """An ASGI application around those of the graphs, by their names; `keeping` has what users asked and saved,
    `logins` the sessions of graphs whose users are those of their databases, `shared` what other processes that serve
    the same team count with this one."""
    shared, unread = shared or Shared(), Metrics(Questions())
    threads = Together(lambda: [app.state.threads for app in apps.values()])

    async def graphs(request: Request) -> JSONResponse:
        named = request.scope.get(USER)
        user = team.user_named(named) if named is not None else None
        may = [(name, item) for name, item in team.graphs.items() if item.login or (user and user.may_ask(name))]
        told = [{"name": name, "title": item.title or name} for name, item in may]
        return JSONResponse({"graphs": told, "known": user is not None})

    async def health(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok"})

    def forget(request: Request) -> JSONResponse:
        if keeping is not None:
            told(partial(keeping.forget, request.scope[USER]))
        return JSONResponse({"removed": True})

    async def refused(_: Request, error: Any) -> JSONResponse:
        response: JSONResponse = error.response()
        return response

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for app in apps.values():
                await stack.enter_async_context(app.router.lifespan_context(app))
            yield

    page = StaticFiles(directory=page_folder(), html=True)
    front = Starlette(
        routes=[
            Route("/", lambda _: FileResponse(page_folder() / FRONT)),
            Route(GRAPHS, graphs),
            Route("/api/v1/health", health),
            Route("/api/v1/kept", forget, methods=["DELETE"]),
            *(Route(path, page) for path in page_paths() if path != "/"),
        ],
        exception_handlers={Refusal: refused},
    )
    other = Starlette(routes=[Route(path, page) for path in page_paths()])
    app = Starlette(
        routes=[
            *(Mount(f"{BELOW}{name}", app) for name, app in apps.items()),
            Mount(f"{BELOW}{{name}}", Guard(other, settings, unread)),
            Mount("/", Guard(front, settings, unread, shared)),
        ],
        middleware=[Middleware(Gate, team=team, settings=settings, logins=logins or {}, shared=shared)],
        lifespan=lifespan,
    )
    app.state.threads = threads
    return app
