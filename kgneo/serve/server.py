"""The server that runs the application: uvicorn, which ends what is asked before it stops."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from fastapi import FastAPI

from kgneo.serve.announce import Announcement
from kgneo.serve.settings import ServeSettings
from kgneo.serve.workers import Workers

STOP_SECONDS = 5
"""How long open connections may last once the server stops."""
CONNECTIONS = 1_000


class Server(uvicorn.Server):
    """Ends the questions that are worked on when it is told to stop, so that nobody waits for them."""

    def __init__(self, config: uvicorn.Config, workers: Workers, announcement: Announcement | None = None) -> None:
        super().__init__(config)
        self._workers = workers
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
        self._workers.end_all()
        await super().shutdown(sockets)


def serve(
    app: FastAPI,
    settings: ServeSettings,
    sockets: list[socket.socket] | None = None,
    announcement: Announcement | None = None,
) -> None:
    """Listen until the process is told to stop."""
    Server(configuration(app, settings), app.state.workers, announcement).run(sockets)


def configuration(app: Any, settings: ServeSettings) -> uvicorn.Config:
    """How uvicorn is to run the application."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
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
