"""The application: routes, the page's files, errors as JSON, and the guard around all of it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from kgneo.context import Context
from kgneo.errors import GraphEmpty, KgneoError
from kgneo.llm import LanguageModel
from kgneo.serve.api import Routes, health
from kgneo.serve.chat import ChatRoutes
from kgneo.serve.failures import JsonResponse, Refusal, failure, respond
from kgneo.serve.guard import MCP, Guard
from kgneo.serve.kept_routes import Keeper, KeptRoutes
from kgneo.serve.loading import Loading
from kgneo.serve.loading_routes import LoadingRoutes
from kgneo.serve.metrics import Metrics
from kgneo.serve.service import Quota, Service
from kgneo.serve.settings import ServeSettings
from kgneo.serve.shared import Shared
from kgneo.serve.threads import Threads, Together
from kgneo.tracing import listen
from kgneo.version import __version__

if TYPE_CHECKING:
    from kgneo.serve.assistants import Assistants

ABOUT = "Questions answered from a knowledge graph in Neo4j, with the triples that each answer rests on."


def create_application(
    context: Context,
    settings: ServeSettings | None = None,
    *,
    models: Mapping[str, LanguageModel] | None = None,
    browser_user: str = "neo4j",
    warm: bool = True,
    quota: Quota | None = None,
    mcp: bool = False,
    keeper: Keeper | None = None,
    loading: Loading | None = None,
    shared: Shared | None = None,
    place: str = "",
) -> FastAPI:
    """An ASGI application that answers questions about the graph of `context`, with its language model where a request
    does not name one of `models`; `quota` says what each user may spend on a day. `mcp`: its tools for assistants are
    at /mcp, too, which needs the extra `mcp`. `keeper` keeps what users asked and saved. `loading` loads files into new
    stores (`serve_loaded` has them served). `shared` is what other processes that answer at the same address count with
    this one; several applications have a `place` each.

    `app.state.threads` are its threads: end their work before the server that runs the application waits for its
    connections to close.
    """
    settings = settings or ServeSettings()
    listen()
    service = Service(
        context,
        strategy=settings.strategy,
        models=models,
        browser_user=browser_user,
        name=settings.name,
        quota=quota,
    )
    shared = shared or Shared()
    threads = Threads(context.graph, settings.limits, shared.questions(place), shared.worker)
    metrics = shared.metrics(place)
    routes = Routes(service, threads, metrics, settings.limits)

    assistants = _assistants(context, settings) if mcp else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if warm:
            service.warm()
        async with assistants.run() if assistants else nullcontext():
            yield
        threads.end_all()
        await to_thread(threads.close)  # it waits for the database, and others may be served by this thread

    app = _guarded(settings, metrics, lifespan, shared)
    app.state.threads = threads
    app.include_router(routes.router())
    app.include_router(ChatRoutes(service, threads, routes).router())
    app.include_router(KeptRoutes(keeper).router())
    app.include_router(LoadingRoutes(loading, settings.limits).router())
    if assistants:
        app.router.routes.append(Route(MCP, assistants, methods=["POST"]))  # GET would wait for ever
    return app


def create_empty_application(settings: ServeSettings, loading: Loading) -> FastAPI:
    """An ASGI application without a graph, whose page loads files. Whatever else it is asked, it answers that nothing
    was loaded yet."""
    shared = Shared()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield

    async def empty(rest: str) -> None:  # noqa: ARG001 - what a route is given
        raise GraphEmpty("Nothing was loaded yet.", hint="Load a file on the page, or with `kgneo load PATH`.")

    app = _guarded(settings, shared.metrics(""), lifespan, shared)
    app.state.threads, app.state.empty = Together(list), True
    app.get("/api/v1/health", tags=["server"])(health)
    app.include_router(LoadingRoutes(loading, settings.limits).router())
    app.api_route("/api/v1/{rest:path}", methods=["GET", "POST"], include_in_schema=False)(empty)
    return app


def _guarded(
    settings: ServeSettings,
    metrics: Metrics,
    lifespan: Callable[[FastAPI], AbstractAsyncContextManager[None]],
    shared: Shared,
) -> FastAPI:
    """An application with the page's files, errors as JSON, and the guard around all of it."""
    app = FastAPI(
        title="kgneo",
        description=ABOUT,
        version=__version__,
        lifespan=lifespan,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    page = StaticFiles(directory=page_folder(), html=True)
    app.router.routes.extend(Route(path, page) for path in page_paths())
    app.add_exception_handler(KgneoError, _kgneo_error)
    app.add_exception_handler(Refusal, _refusal)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(GZipMiddleware, minimum_size=2_000)
    app.add_middleware(Guard, settings=settings, metrics=metrics, shared=shared)
    return app


def _assistants(context: Context, settings: ServeSettings) -> Assistants:
    from kgneo.serve.assistants import Assistants  # and with it the SDK, for which no other server must wait

    return Assistants(context, settings.limits.running)


def page_folder() -> Path:
    """Where the files of the page are."""
    return Path(str(files("kgneo.serve"))) / "page"


def page_paths() -> list[str]:
    """The paths of the page's files, one each: no other file is given."""
    return ["/", *(f"/{file.name}" for file in sorted(page_folder().iterdir()))]


async def _kgneo_error(_: Request, error: Any) -> JSONResponse:
    return respond(error)


async def _refusal(_: Request, error: Any) -> JSONResponse:
    response: JSONResponse = error.response()
    return response


async def _invalid(_: Request, error: Any) -> JSONResponse:
    """Where a body is wrong, without giving back what it holds."""
    problems = [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5]]
    status = 400 if any(item["type"] == "json_invalid" for item in error.errors()) else 422
    return JsonResponse(failure("BadRequest", "; ".join(problems), "See /api/v1/openapi.json."), status)


async def _http_error(_: Request, error: Any) -> JSONResponse:
    return JSONResponse(failure("HttpError", str(error.detail)), error.status_code, error.headers)
