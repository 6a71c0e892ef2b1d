"""Traces: the parts of a question for whoever listens, nothing of its text, nothing where nobody does."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from kgneo import tracing
from kgneo.asking.question import ask
from kgneo.context import Context
from kgneo.llm.scripted import ScriptedModel
from tests.serving import client

QUESTION = "what is the capital of [Ethiopia]?"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Where spans arrive."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(tracing, "_tracers", [provider.get_tracer("kgneo")])
    return exporter


def parents(spans: tuple[ReadableSpan, ...]) -> dict[str, set[str]]:
    """The names of the spans that those of a name are within, at any depth."""
    by_id = {span.context.span_id: span for span in spans if span.context}
    found: dict[str, set[str]] = {}
    for span in spans:
        above = span.parent
        while above is not None and above.span_id in by_id:
            found.setdefault(span.name, set()).add(by_id[above.span_id].name)
            above = by_id[above.span_id].parent
    return found


def test_a_trace_leads_from_the_request_to_the_queries(sample_context: Context, heard: InMemorySpanExporter) -> None:
    with client(sample_context) as http:
        assert http.post("/api/v1/ask", json={"question": QUESTION}).status_code == 200
    spans = heard.get_finished_spans()
    within = parents(spans)
    assert within["ask"] == {"POST request"}
    assert {"POST request", "ask", "link"} <= within["query"]
    request = next(span for span in spans if span.name == "POST request")
    assert dict(request.attributes or {}) == {"http.route": "/api/v1/ask", "http.response.status_code": 200}


def test_a_request_goes_on_with_the_trace_of_whoever_sent_it(
    sample_context: Context, heard: InMemorySpanExporter
) -> None:
    with client(sample_context) as http:
        http.post("/api/v1/ask", json={"question": QUESTION}, headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    spans = [span for span in heard.get_finished_spans() if span.name in ("POST request", "ask", "link", "interpret")]
    assert spans
    assert {f"{span.context.trace_id:032x}" for span in spans if span.context} == {TRACE}


def test_nothing_of_the_question_stands_in_a_trace(sample_context: Context, heard: InMemorySpanExporter) -> None:
    ask(sample_context, QUESTION)
    assert heard.get_finished_spans()
    assert not any("Ethiopia" in span.to_json() for span in heard.get_finished_spans())


def test_a_call_of_a_model_tells_its_tokens(sample_context: Context, heard: InMemorySpanExporter) -> None:
    context = replace(sample_context, model=ScriptedModel(["Addis Ababa"]))
    ask(context, QUESTION, strategy="llm")
    model = next(span for span in heard.get_finished_spans() if span.name == "model")
    figures = dict(model.attributes or {})
    assert figures["gen_ai.request.model"] == "scripted"
    assert figures["gen_ai.usage.output_tokens"] == 2


def test_what_failed_is_told_as_such(sample_context: Context, heard: InMemorySpanExporter) -> None:
    with client(sample_context) as http:
        http.post("/api/v1/ask", json={"question": "what is the capital of [Atlantis]?"})
    asked = next(span for span in heard.get_finished_spans() if span.name == "ask")
    assert (asked.status.is_ok, asked.status.description) == (False, "EntityNotFound")
    assert not any("Atlantis" in span.to_json() for span in heard.get_finished_spans())


def test_who_does_not_listen_loads_nothing_of_it() -> None:
    code = (
        "import sys; import kgneo.asking.question; from kgneo.tracing import span\n"
        "with span('nothing'): pass\n"
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
