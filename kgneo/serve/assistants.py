"""Assistants: the tools of `kgneo mcp` at an address of the server, for assistants elsewhere.

Comes in: the context of a graph. Goes out: an ASGI endpoint for `/mcp`, by streamable HTTP without sessions. Tokens,
hosts and rates are the guard's affair; so many tools run at a time as questions do. Language models are left out, since
the assistant is one.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from threading import Semaphore

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Receive, Scope, Send

from kgneo.context import Context
from kgneo.doors.mcp import mcp_server
from kgneo.doors.tools import Tools


class Assistants:
    """The endpoint."""

    def __init__(self, context: Context, running: int) -> None:
        server = mcp_server(Tools(replace(context, model=None)), turns=Semaphore(running))
        hosts_are_checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the guard
        server.streamable_http_app(json_response=True, stateless_http=True, transport_security=hosts_are_checked)
        self._sessions: StreamableHTTPSessionManager = server.session_manager

    def run(self) -> AbstractAsyncContextManager[None]:
        """Answer while this is entered."""
        return self._sessions.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._sessions.handle_request(scope, receive, send)
