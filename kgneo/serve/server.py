"""The server that runs the application: uvicorn, which ends what is asked before it stops."""

from __future__ import annotations

import socket
from typing import Any, Protocol

import uvicorn
from starlette.applications import Starlette

from kgneo.serve.settings import ServeSettings
from kgneo.serve.threads import Working

STOP_SECONDS = 5
"""How long open connections may last once the server stops."""
CONNECTIONS = 1_000


class Told(Protocol):
    """Whoever is to know that a server answers."""

    def publish(self) -> None: ...
    def withdraw(self) -> None: ...


class Server(uvicorn.Server):
    """Ends the questions that are worked on when it is told to stop, so that nobody waits for them."""

    def __init__(self, config: uvicorn.Config, threads: Working, announcement: Told | None = None) -> None:
        super().__init__(config)
        self._threads = threads
        self._announcement = announcement

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; from then on the server can be found."""
        await super().startup(sockets)
        if self._announcement and self.started:
            self._announcement.publish()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, after the work was ended."""
        if self._announcement:
            self._announcement.withdraw()
        self._threads.end_all()
        await super().shutdown(sockets)


def serve(
    app: Starlette,
    settings: ServeSettings,
    sockets: list[socket.socket] | None = None,
    announcement: Told | None = None,
) -> None:
    """Listen until the process is told to stop."""
    Server(configuration(app, settings), app.state.threads, announcement).run(sockets)


def configuration(app: Any, settings: ServeSettings) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        workers=settings.limits.workers,  # of Windows, whose sockets are not simply inherited
        access_log=False,
        log_config=None,
        server_header=False,
        lifespan="on",
        ws="none",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=32_000,
    )
