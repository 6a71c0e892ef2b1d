"""Figures of a running server, in Prometheus' text format."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from kgneo.serve.questions import Questions

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class Metrics:
    """Requests by route and status, questions that run, wait and were ended. Nothing of their text."""

    def __init__(self, questions: Questions) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "kgneo_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "kgneo_request_seconds", "Seconds from a request to the end of its response.", ("route",),
            buckets=SECONDS, registry=self._registry,
        )  # fmt: skip
        for name, about, figure in (
            ("running", "Questions that are worked on.", lambda: questions.running),
            ("waiting", "Questions that wait for a thread.", lambda: questions.waiting),
            ("ended", "Questions that were ended before they were answered.", lambda: questions.ended),
        ):
            Gauge(f"kgneo_questions_{name}", about, registry=self._registry).set_function(figure)

    def record(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request that was dealt with; status 0 for one whose sender had gone."""
        method = method if method in ("GET", "POST", "HEAD", "OPTIONS") else "other"
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """All figures."""
        return generate_latest(self._registry)
