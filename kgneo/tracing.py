"""Traces: which parts a question had and how long each took, for whoever listens with OpenTelemetry.

A trace leads from the request to the question, its stages, the queries that these ran and the calls of a language
model. No question, no name and no value stands in it. Until `listen` is called, a span is a context that does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

NAME = "kgneo"
Figures = Mapping[str, str | int | float | bool]
_NOTHING = nullcontext()
_tracers: list[Tracer] = []


def listen() -> bool:
    """Make spans from now on; whether OpenTelemetry's API is there. What becomes of them is for its SDK to say, as
    `opentelemetry-instrument` sets it up: without one they cost some microseconds, and go nowhere."""
    try:
        from opentelemetry import trace
    except ImportError:
        return False
    if not _tracers:
        _tracers.append(trace.get_tracer(NAME))
    return True


def span(name: str, figures: Figures | None = None) -> AbstractContextManager[Any]:
    """The block as a part of what is traced, with some figures by their names in OpenTelemetry's conventions."""
    return _part(name, attributes=figures) if _tracers else _NOTHING


@contextmanager
def _part(name: str, **how: Any) -> Iterator[None]:
    """A part; of what went wrong in it the kind alone is told, since messages may hold what was asked."""
    from opentelemetry.trace import Status, StatusCode

    with _tracers[0].start_as_current_span(name, record_exception=False, set_status_on_exception=False, **how) as made:
        try:
            yield
        except BaseException as error:
            made.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


def note(figures: Figures) -> None:
    """Add figures to the part that is being traced, once they are known."""
    if not _tracers:
        return
    from opentelemetry import trace

    trace.get_current_span().set_attributes(figures)


def request_span(name: str, headers: Mapping[str, str]) -> AbstractContextManager[Any]:
    """The block as the answer to a request, which may belong to a trace of whoever sent it (W3C trace context)."""
    if not _tracers:
        return _NOTHING
    from opentelemetry import propagate, trace

    context = propagate.extract(headers)
    return _part(name, context=context, kind=trace.SpanKind.SERVER)
