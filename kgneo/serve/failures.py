"""Errors as HTTP has them: a status, and one JSON object that is the same for every route.

`{"error": {"type", "message", "hint", "retry", "nearest"?, "param", "code"}}`; clients of OpenAI's API find their
fields in it, too. A status says whose fault it is: 4xx the request's, 5xx ours, the database's or the model's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from starlette.responses import JSONResponse

from kgneo.errors import (
    ContextOverflow,
    DataError,
    EncoderMismatch,
    EntityNotFound,
    GraphEmpty,
    GraphError,
    GraphTimeout,
    GraphUnavailable,
    KgneoError,
    ModelError,
    ModelUnavailable,
    NotIndexed,
    StatementError,
    UsageError,
    WorkEnded,
)

STATUS: tuple[tuple[type[KgneoError], int], ...] = (
    (EntityNotFound, 422),
    (UsageError, 422),
    (DataError, 422),
    (ContextOverflow, 422),
    (StatementError, 422),
    (NotIndexed, 409),
    (GraphEmpty, 409),
    (EncoderMismatch, 409),
    (WorkEnded, 503),
    (GraphTimeout, 504),
    (GraphUnavailable, 503),
    (GraphError, 502),
    (ModelUnavailable, 503),
    (ModelError, 502),
)
"""The first class that fits counts."""


class JsonResponse(JSONResponse):
    """JSON of what a graph may hold, dates and points among it as text."""

    def render(self, content: Any) -> bytes:
        """As JSON. What is no Unicode, such as half a surrogate pair, is replaced."""
        return json.dumps(content, ensure_ascii=False, default=str).encode("utf-8", "replace")


@dataclass(eq=False)
class Refusal(Exception):
    """A request that is not answered: status, what was found and expected, what to do next, and headers; `challenge`
    says how whoever asks may tell who they are."""

    status: int
    kind: str
    message: str
    hint: str = ""
    retry_after: int = 0
    challenge: str = "Bearer"

    def response(self) -> JsonResponse:
        """The response that says so."""
        headers = {"Retry-After": str(self.retry_after)} if self.retry_after else {}
        if self.status == 401:
            headers["WWW-Authenticate"] = self.challenge
        record = failure(self.kind, self.message, self.hint, retry=bool(self.retry_after))
        return JsonResponse(record, self.status, headers)


def status_of(error: KgneoError) -> int:
    """The status of one of kgneo's errors."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)


def record_of(error: KgneoError) -> dict[str, Any]:
    """The JSON object of one of kgneo's errors."""
    record = failure(type(error).__name__, error.message, error.hint, retry=error.retry)
    if isinstance(error, EntityNotFound):
        record["error"]["nearest"] = list(error.nearest)
    return record


def failure(kind: str, message: str, hint: str = "", *, retry: bool = False) -> dict[str, Any]:
    """The JSON object of an error."""
    return {
        "error": {"type": kind, "message": message, "hint": hint, "retry": retry, "param": None, "code": kind},
    }


def respond(error: KgneoError) -> JsonResponse:
    """The response to a request that failed with one of kgneo's errors."""
    status = status_of(error)
    headers = {"Retry-After": "5"} if status == 503 else {}
    return JsonResponse(record_of(error), status, headers)


def internal() -> dict[str, Any]:
    """What is said of an error that kgneo did not foresee: nothing of what was asked, no traceback."""
    return failure("InternalError", "The server failed at this request.", "Its log says where.")
