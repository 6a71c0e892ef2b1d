"""A server for tests: the application in this process, and the same behind a real port."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.testclient import TestClient

from kgneo.asking.question import open_context
from kgneo.context import Context
from kgneo.encoders.encoder import OnnxEncoder
from kgneo.graph import Graph
from kgneo.llm import LanguageModel
from kgneo.serve.announce import Announcement
from kgneo.serve.application import create_application, create_empty_application
from kgneo.serve.loading import Loading, serve_loaded
from kgneo.serve.server import Server, configuration
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.settings import Settings

UNBOUNDED = Limits(rate=0)
ADDRESS = "http://127.0.0.1:7575"


def application(context: Context, models: Mapping[str, LanguageModel] | None = None, **settings: Any) -> FastAPI:
    """The application, by default without a bound on the rate."""
    settings.setdefault("limits", UNBOUNDED)
    return create_application(context, ServeSettings(**settings), models=models, warm=False)


@contextmanager
def client(context: Context, **settings: Any) -> Iterator[TestClient]:
    """A client that talks to the application in this process."""
    with TestClient(application(context, **settings), ADDRESS, raise_server_exceptions=False) as talking:
        yield talking


@contextmanager
def listening(context: Context, announcement: Announcement | None = None, **settings: Any) -> Iterator[str]:
    """The address of a server in a thread of this process."""
    with running(application(context, **settings), announcement) as (address, _):
        yield address


@contextmanager
def running(app: Starlette, announcement: Announcement | None = None) -> Iterator[tuple[str, Callable[[], None]]]:
    """The address of a server in a thread of this process, and what stops it before the block ends."""
    server = Server(configuration(app, ServeSettings(port=0)), app.state.threads, announcement)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)

    def stop() -> None:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()

    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", stop
    stop()


def loading_application(
    context: Context | None = None,
    encoder: OnnxEncoder | None = None,
    started_with: Settings | None = None,
    **settings: Any,
) -> FastAPI:
    """The application of a server that loads files, of a graph or without one, `started_with` the address of one."""
    settings.setdefault("limits", UNBOUNDED)
    own = ServeSettings(**settings)

    def made(name: str, context: Context) -> FastAPI:
        return create_application(context, replace(own, name=name), warm=False, loading=loading)

    def context_of(graph: Graph) -> Context:
        return open_context(graph, encoder=encoder)

    loading = Loading(started_with or Settings(), own.limits, context_of, made)
    app = made(own.name, context) if context else create_empty_application(own, loading)
    serve_loaded(app, loading)
    return app
