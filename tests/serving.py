"""A server for tests: the application in this process, and the same behind a real port."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from kgneo.context import Context
from kgneo.llm import LanguageModel
from kgneo.serve.announce import Announcement
from kgneo.serve.application import create_application
from kgneo.serve.server import Server, configuration
from kgneo.serve.settings import Limits, ServeSettings

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
    app = application(context, **settings)
    server = Server(configuration(app, ServeSettings(port=0)), app.state.workers, announcement)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(30)
    assert not thread.is_alive()
