"""Providers: each command of the documentation, asked of a small server that speaks the provider's dialect."""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kgneo.errors import ModelError
from kgneo.llm import Message as Turn
from kgneo.llm import Parameters, load_model

pytest.importorskip("openai", reason="the openai library is not installed (extra: test)")

KEY = "key-0123456789abcdef"
DOCUMENTATION = Path(__file__).parent.parent / "docs" / "language-models.md"
ROW = re.compile(r"^\| ([^|]+) \| `kgneo ask --llm openai:(\S+)(?: --llm-url [\"']?([^ \"']+)[\"']?)? ")
COMMANDS = {
    match[1]: (match[2], match[3] or "https://api.openai.com/v1")
    for line in DOCUMENTATION.read_text(encoding="utf-8").splitlines()
    if (match := ROW.match(line))
}
"""The model and the address of each provider's command."""
Body = dict[str, Any]
Refusal = tuple[int, object] | None
PARAMETERS = Parameters(
    max_tokens=20, temperature=0.0, stop=("END",), seed=1, json_schema={"type": "object"}, timeout=30
)
CHAT = [Turn("system", "Answer in JSON."), Turn("user", "Who?")]


class Provider(http.server.ThreadingHTTPServer):
    """Refuses what `refuse` gives a status and a body for, and else says {}; keeps paths, headers and bodies."""

    daemon_threads = True

    def __init__(self, refuse: Callable[[Body], Refusal]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.refuse = refuse
        self.asked: list[tuple[str, Message[str, str], Body]] = []


class Handler(http.server.BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers, body))
        refusal = self.server.refuse(body)
        self.send_response(refusal[0] if refusal else 200)
        self.send_header("Content-Type", "application/json" if refusal else "text/event-stream")
        self.end_headers()
        piece = {"choices": [{"index": 0, "delta": {"content": "{}"}, "finish_reason": "stop"}]}
        said = json.dumps(refusal[1]) if refusal else f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n"
        self.wfile.write(said.encode())
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        return None


def one_of(body: Body, *names: str) -> str:
    """The first of the fields that a request has."""
    return next((name for name in names if name in body), "")


def openai(body: Body) -> Refusal:
    if "max_tokens" in body:
        text = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    elif name := one_of(body, "top_k", "min_p"):
        text = f"Unknown parameter: '{name}'."
    elif "temperature" in body:
        text = "Unsupported value: 'temperature' does not support 0. Only the default (1) value is supported."
    elif "stop" in body:
        text = "Unsupported parameter: 'stop' is not supported with this model."
    else:
        return None
    return 400, {"error": {"message": text, "type": "invalid_request_error", "param": None, "code": "unsupported"}}


def anthropic(body: Body) -> Refusal:
    if "stop" not in body:
        return None
    text = "stop_sequences: each stop sequence must contain non-whitespace: invalid"
    return 400, {"error": {"code": "invalid_request_error", "message": text, "type": "invalid_request_error"}}


def gemini(body: Body) -> Refusal:
    form = body.get("response_format", {})
    if name := one_of(body, "top_k", "min_p", "seed"):
        text = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
    elif "json_schema" in form or "schema" in form:
        text = "Invalid JSON payload received. Unknown name \"$schema\" at 'generation_config.response_schema'"
    else:
        return None
    return 400, [{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}]


def mistral(body: Body) -> Refusal:
    extra = [name for name in ("top_k", "min_p", "seed", "stream_options") if name in body]
    told = [
        {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"} for name in extra
    ]
    return (422, {"object": "error", "message": {"detail": told}, "type": "invalid_request_error"}) if extra else None


def groq(body: Body) -> Refusal:
    if name := one_of(body, "top_k", "min_p"):
        text = f"property '{name}' is unsupported"
    elif body.get("response_format", {}).get("type") == "json_schema":
        text = "This model does not support response format `json_schema`. See supported models"
    else:
        return None
    return 400, {"error": {"message": text, "type": "invalid_request_error"}}


def openrouter(body: Body) -> Refusal:
    name = one_of(body, "min_p")
    raw = json.dumps({"error": {"message": f"Unrecognized request argument supplied: {name}"}})
    told = {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw, "provider_name": "Else"}}
    return (400, {"error": told}) if name else None


def lm_studio(body: Body) -> Refusal:
    form = body.get("response_format", {}).get("type", "text")
    told = {"error": "'response_format.type' must be 'json_schema' or 'text'"}
    return None if form in ("json_schema", "text") else (400, told)


def anything(_: Body) -> Refusal:
    return None


DIALECTS: dict[str, Callable[[Body], Refusal]] = {
    "OpenAI": openai, "Anthropic": anthropic, "Gemini": gemini, "Mistral": mistral, "Azure": openai,
    "Azure, version 1": openai, "Bedrock": openai, "Groq": groq, "OpenRouter": openrouter, "Ollama": anything,
    "vLLM": anything, "LM Studio": lm_studio, "llama.cpp": anything,
}  # fmt: skip


@pytest.fixture
def provider(request: pytest.FixtureRequest) -> Iterator[Provider]:
    """A server of the dialect that the test names."""
    server = Provider(request.param)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def here(address: str, provider: Provider) -> str:
    """The address with this machine's server in place of the provider's."""
    return urlsplit(address)._replace(scheme="http", netloc=f"127.0.0.1:{provider.server_address[1]}").geturl()


def test_every_provider_of_the_documentation_has_a_dialect() -> None:
    assert COMMANDS.keys() == DIALECTS.keys()


@pytest.mark.parametrize(("name", "provider"), DIALECTS.items(), ids=DIALECTS, indirect=["provider"])
def test_the_command_of_a_provider_gets_a_reply(name: str, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_LLM_KEY", KEY)
    spec, address = COMMANDS[name]
    lines: list[str] = []
    model = load_model(f"openai:{spec}", url=here(address, provider), report=lines.append)
    assert model.complete(CHAT, PARAMETERS).text == "{}"
    tries = len(provider.asked)
    assert model.complete(CHAT, PARAMETERS).text == "{}"
    assert len(provider.asked) == tries + 1, "what was learned is kept"
    assert len(lines) == tries - 1, "each change is told"
    path, headers, body = provider.asked[-1]
    assert path.startswith(urlsplit(address).path.rstrip("/"))
    assert "/chat/completions" in path
    assert body["messages"][-1]["content"] == "Who?"
    assert KEY in (headers.get("api-key", "") if name == "Azure" else headers.get("Authorization", ""))


@pytest.mark.parametrize("provider", [anything], indirect=True)
def test_azure_gets_its_version_its_header_and_the_deployment_in_the_address(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_LLM_KEY", KEY)
    model = load_model("openai:mine", url=here(COMMANDS["Azure"][1], provider))
    model.complete(CHAT, PARAMETERS)
    path, headers, _ = provider.asked[0]
    assert path == "/openai/deployments/mine/chat/completions?api-version=2024-10-21"
    assert headers["api-key"] == KEY
    assert "Authorization" not in headers
    assert KEY not in repr(model) + model.fingerprint


@pytest.mark.parametrize("provider", [lambda _: (400, [{"error": {"message": "no such model"}}])], indirect=True)
def test_an_error_in_a_list_is_told_in_its_words(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_LLM_KEY", KEY)
    model = load_model("openai:m", url=here("https://x/v1", provider))
    with pytest.raises(ModelError, match="answered 400: no such model"):
        model.complete(CHAT, PARAMETERS)
