"""What a user asked and saved, by HTTP: `/api/v1/kept`, `/api/v1/history` and `/api/v1/saved` of a graph.

Where nobody knows who asks (a server without users), nothing is kept, and the page is told to keep it in the browser.
What is another user's is answered as what there is not. None of these requests is a question: no log has their texts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Request
from pydantic import Field

from kgneo.errors import DataError
from kgneo.serve.api import NAME, Closed
from kgneo.serve.failures import JsonResponse, Refusal
from kgneo.serve.keeping import Keeping, Kept
from kgneo.serve.settings import USER

LOG = logging.getLogger("kgneo.serve")
PATHS = ("/api/v1/kept", "/api/v1/history", "/api/v1/saved")
QUESTION, ADDRESS = 10_000, 40_000
"""Characters of a question and of the address of its card that are kept."""
Question = Annotated[str, Field(min_length=1, max_length=QUESTION)]
Address = Annotated[str, Field(pattern="^#", max_length=ADDRESS, description="That of its card on the page.")]
Name = Annotated[str, Field(min_length=1, max_length=NAME)]
Result = TypeVar("Result")


class AskedBody(Closed):
    """A question that was asked."""

    question: Question
    address: Address


class SavedBody(Closed):
    """A question to be saved under a name."""

    name: Name
    question: Question
    address: Address


class NameBody(Closed):
    """Another name for what was saved."""

    name: Name


@dataclass(frozen=True, slots=True)
class Keeper:
    """Where what users asked of one graph is kept, and which of them are to have a history (`wanted`)."""

    keeping: Keeping
    graph: str
    wanted: Callable[[str], bool]


class KeptRoutes:
    """The handlers around what is kept of one graph; without a `keeper`, nothing is. They run in threads."""

    def __init__(self, keeper: Keeper | None) -> None:
        self._keeper = keeper

    def router(self) -> APIRouter:
        """The routes."""
        router = APIRouter(prefix="/api/v1", tags=["kept"])
        router.get("/kept")(self.kept)
        router.delete("/kept")(self.clear)
        router.post("/history")(self.add_asked)
        router.delete("/history")(self.clear_asked)
        router.delete("/history/{key}")(self.remove_asked)
        router.post("/saved")(self.add_saved)
        router.patch("/saved/{key}")(self.rename)
        router.delete("/saved/{key}")(self.remove_saved)
        return router

    def kept(self, request: Request) -> JsonResponse:
        """Your history and saved questions of this graph, the newest first; null for what is not kept here."""
        if self._user(request) is None:
            return JsonResponse({"history": None, "saved": None})

        def found(kept: Kept) -> dict[str, Any]:
            history = [asdict(item) for item in kept.asked()] if self._has_history(kept.user) else None
            return {"history": history, "saved": [asdict(item) for item in kept.saved()]}

        return JsonResponse(self._done(request, found))

    def clear(self, request: Request) -> JsonResponse:
        """Delete your history and saved questions of this graph."""
        self._done(request, Kept.clear)
        return JsonResponse({"removed": True})

    def add_asked(self, body: AskedBody, request: Request) -> JsonResponse:
        """Put a question at the head of your history."""
        if not self._has_history(self._user(request)):
            raise Refusal(409, "NoHistory", "This server keeps no history of yours.", "The file of its team says so.")
        return JsonResponse(asdict(self._done(request, lambda kept: kept.add_asked(body.question, body.address))))

    def clear_asked(self, request: Request) -> JsonResponse:
        """Delete your history of this graph."""
        self._done(request, Kept.clear_asked)
        return JsonResponse({"removed": True})

    def remove_asked(self, key: str, request: Request) -> JsonResponse:
        """Take a question out of your history."""
        return self._removed(self._done(request, lambda kept: kept.remove_asked(key)))

    def add_saved(self, body: SavedBody, request: Request) -> JsonResponse:
        """Save a question; one of the same address takes its place."""
        item = self._done(request, lambda kept: kept.add_saved(body.name, body.question, body.address))
        return JsonResponse(asdict(item))

    def rename(self, key: str, body: NameBody, request: Request) -> JsonResponse:
        """Give a saved question another name."""
        item = self._done(request, lambda kept: kept.rename(key, body.name))
        if item is None:
            raise _missing()
        return JsonResponse(asdict(item))

    def remove_saved(self, key: str, request: Request) -> JsonResponse:
        """Take a question out of what you saved."""
        return self._removed(self._done(request, lambda kept: kept.remove_saved(key)))

    def _removed(self, there: bool) -> JsonResponse:
        if not there:
            raise _missing()
        return JsonResponse({"removed": True})

    def _user(self, request: Request) -> str | None:
        """Who asks; None where that is not known, or nothing is kept."""
        return request.scope.get(USER) if self._keeper else None

    def _has_history(self, user: str | None) -> bool:
        return user is not None and self._keeper is not None and self._keeper.wanted(user)

    def _done(self, request: Request, do: Callable[[Kept], Result]) -> Result:
        """What `do` gives of what is kept of whoever asks. Raises Refusal where nothing is, or cannot be."""
        user, keeper = self._user(request), self._keeper
        if user is None or keeper is None:
            hint = "The page keeps them in the browser."
            raise Refusal(409, "NotKept", "This server does not know who asks, and keeps no questions.", hint)
        return told(lambda: do(keeper.keeping.of(user, keeper.graph)))


def told(do: Callable[[], Result]) -> Result:
    """What `do` gives. Raises Refusal where the file cannot be used: the server's log says why."""
    try:
        return do()
    except DataError as error:
        LOG.error("%s", error)
        message = "What you asked and saved cannot be kept at the moment."
        raise Refusal(503, "NotKept", message, "The server's log says why.", retry_after=5) from None


def _missing() -> Refusal:
    return Refusal(404, "NoQuestion", "There is no such question of yours.", "Keys are those of /api/v1/kept.")


def route_of(path: str) -> str:
    """The path of one of these requests without the key of a question; any other one as it is."""
    return next((own for own in PATHS if path.startswith(f"{own}/")), path)


def is_kept(path: str) -> bool:
    """Whether a path is one of these."""
    return route_of(path) in PATHS
