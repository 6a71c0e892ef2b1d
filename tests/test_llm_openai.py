"""OpenAI-compatible servers: llama-cpp-python's own as the real peer, and a small one that misbehaves."""

from __future__ import annotations

import gzip
import http.server
import importlib.util
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kgneo.errors import ContextOverflow, ModelError, ModelUnavailable, UsageError
from kgneo.llm import LanguageModel, Message, Parameters, load_model
from tests.tiny_gguf import CONTEXT, make_tiny_gguf

pytest.importorskip("openai", reason="the openai library is not installed (extra: test)")

from kgneo.llm.dialect import overflow_numbers
from kgneo.llm.openai_compatible import HOSTED, OpenAICompatibleModel

KEY = "key-0123456789abcdef"
QUESTION = [Message("user", "Which films did the director also direct?")]
PLAIN = Parameters(max_tokens=20, seed=1, timeout=30)


# The real peer


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama-cpp-python's server on the tiny model, which asks for KEY."""
    for module in ("llama_cpp", "gguf", "uvicorn", "sse_starlette"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed (extra: test)")
    folder = tmp_path_factory.mktemp("peer")
    path = make_tiny_gguf(folder / "tiny.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"model": path, "host": "127.0.0.1", "port": port, "n_ctx": CONTEXT, "n_threads": 1}
    arguments = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *arguments, "--n_threads_batch", "1"],
            stdout=log,
            stderr=log,
            env={**os.environ, "API_KEY": KEY},
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/v1/models", process, folder / "log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {KEY}"})  # noqa: S310
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        with suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(request):  # noqa: S310
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def model(peer: str) -> Iterator[OpenAICompatibleModel]:
    client = OpenAICompatibleModel("tiny", url=peer, key=KEY)
    yield client
    client.close()


def test_a_real_server_answers_with_streamed_pieces(model: OpenAICompatibleModel) -> None:
    pieces: list[str] = []
    completion = model.complete(QUESTION, PLAIN, on_text=pieces.append)
    assert completion.text
    assert len(pieces) > 1
    assert "".join(pieces) == completion.text
    assert completion.finish_reason == "length"
    assert completion.completion_tokens >= 10


def test_a_real_server_gives_the_same_reply_for_the_same_seed(model: OpenAICompatibleModel) -> None:
    assert model.complete(QUESTION, PLAIN).text == model.complete(QUESTION, PLAIN).text


def test_a_real_server_keeps_to_a_grammar(model: OpenAICompatibleModel) -> None:
    parameters = Parameters(grammar='root ::= ("yes" | "no") " indeed"', seed=1)
    assert model.complete(QUESTION, parameters).text in {"yes indeed", "no indeed"}


def test_a_real_server_that_wants_schemas_in_another_form_gets_them(peer: str) -> None:
    lines: list[str] = []
    client = OpenAICompatibleModel("tiny", url=peer, key=KEY, report=lines.append)
    schema = {"type": "object", "properties": {"split": {"type": "boolean"}}, "required": ["split"]}
    parameters = Parameters(json_schema=schema, max_tokens=200, seed=1)
    assert isinstance(json.loads(client.complete(QUESTION, parameters).text)["split"], bool)
    client.complete(QUESTION, parameters)
    client.close()
    assert lines.count(f"{peer} takes JSON schemas in another form") == 1


def test_a_real_server_stops_at_a_stop_string(model: OpenAICompatibleModel) -> None:
    parameters = Parameters(grammar='root ::= "one <END> two"', stop=("<END>",), seed=1)
    completion = model.complete(QUESTION, parameters)
    assert (completion.text, completion.finish_reason) == ("one", "stop")


def test_a_stop_string_in_thought_is_kept_from_a_real_server(model: OpenAICompatibleModel) -> None:
    parameters = Parameters(grammar='root ::= "<think>who?</think>Keanu?!"', stop=("?",), seed=1)
    assert model.complete(QUESTION, parameters).text == "Keanu"


def test_a_prompt_that_is_too_long_for_a_real_server_tells_both_numbers(model: OpenAICompatibleModel) -> None:
    with pytest.raises(ContextOverflow) as caught:
        model.complete([Message("user", "films " * 2000)], PLAIN)
    assert caught.value.limit == CONTEXT
    assert caught.value.tokens > CONTEXT


def test_a_wrong_key_is_one_error_without_the_key(peer: str) -> None:
    client = OpenAICompatibleModel("tiny", url=peer, key="wrong-key-987654")
    with pytest.raises(ModelError, match="401: Invalid API key") as caught:
        client.complete(QUESTION, PLAIN)
    client.close()
    assert "wrong-key" not in str(caught.value)
    assert "KGNEO_LLM_KEY" in caught.value.hint


def test_address_and_key_come_from_the_environment(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", peer)
    monkeypatch.setenv("OPENAI_API_KEY", "of-another-server")
    monkeypatch.setenv("KGNEO_LLM_KEY", KEY)
    loaded = load_model("openai:tiny")
    assert isinstance(loaded, LanguageModel)
    assert loaded.complete(QUESTION, PLAIN).text
    assert isinstance(loaded, OpenAICompatibleModel)
    loaded.close()


def test_an_interrupt_ends_a_streamed_reply_and_the_server_goes_on(peer: str, model: OpenAICompatibleModel) -> None:
    program = (
        "import os, sys\n"
        "from kgneo.llm import Message, Parameters, load_model\n"
        "model = load_model('openai:tiny', url=sys.argv[1])\n"
        "forever = Parameters(max_tokens=480, grammar='root ::= \"a\"+', seed=1)\n"
        "try:\n"
        "    while True:\n"
        "        model.complete([Message('user', 'x')], forever, on_text=lambda t: print(t, flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, peer],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "KGNEO_LLM_KEY": KEY},
    ) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert out.endswith("interrupted\n")
    assert (errors, process.returncode) == ("", 0)
    assert model.complete(QUESTION, PLAIN).text


# A server that misbehaves


class Faulty(http.server.ThreadingHTTPServer):
    """Answers each request with the next of `answers`, a function of the handler; keeps the bodies."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), FaultyHandler)
        self.answers: list[Callable[[FaultyHandler], None]] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.released = threading.Event()
        self.sent_pieces = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        return None


class FaultyHandler(http.server.BaseHTTPRequestHandler):
    server: Faulty
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(self.body)
        self.server.keys.append(self.headers["Authorization"])
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        return None

    def begin(self, status: int, kind: str, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def event(self, record: object) -> None:
        self.wfile.write(b"data: " + json.dumps(record).encode() + b"\n\n")
        self.wfile.flush()


def piece(text: str, reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": reason}]}


def streams(*texts: str, done: bool = True, usage: dict[str, int] | None = None) -> Callable[[FaultyHandler], None]:
    def answer(handler: FaultyHandler) -> None:
        handler.begin(200, "text/event-stream")
        for text in texts:
            handler.event(piece(text))
        if done:
            handler.event(piece("", "stop"))
            if usage:
                handler.event({"choices": [], "usage": usage})
            handler.wfile.write(b"data: [DONE]\n\n")

    return answer


def refuses(status: int, message: object, **headers: str) -> Callable[[FaultyHandler], None]:
    def answer(handler: FaultyHandler) -> None:
        handler.begin(status, "application/json", **headers)
        handler.wfile.write(json.dumps({"error": {"message": message}}).encode())

    return answer


def says(kind: str, body: bytes) -> Callable[[FaultyHandler], None]:
    def answer(handler: FaultyHandler) -> None:
        handler.begin(200, kind)
        handler.wfile.write(body)

    return answer


@pytest.fixture
def faulty() -> Iterator[Faulty]:
    server = Faulty()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def client(faulty: Faulty) -> Iterator[OpenAICompatibleModel]:
    made = OpenAICompatibleModel("m", url=faulty.url, key=KEY, retries=1)
    yield made
    made.close()


@pytest.mark.parametrize("told", ["1e400", "NaN", "-3", '"many"', "null", "[1]", "1180591620717411303424"])
def test_usage_that_is_no_number_of_tokens_is_counted_here(
    faulty: Faulty, client: OpenAICompatibleModel, told: str
) -> None:
    usage = json.loads(f'{{"prompt_tokens": {told}, "completion_tokens": {told}, "prompt_tokens_details": {told}}}')
    faulty.answers = [streams("Keanu ", "Reeves", usage=usage)]
    found = client.complete(QUESTION, PLAIN)
    assert 0 < found.prompt_tokens < 1000
    assert found.completion_tokens == 2


def test_usage_is_taken_from_the_server(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [streams("Keanu ", "Reeves", usage={"prompt_tokens": 11, "completion_tokens": 7})]
    completion = client.complete(QUESTION, PLAIN)
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == (
        "Keanu Reeves",
        11,
        7,
    )


def test_the_request_holds_the_parameters(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [streams("yes")]
    client.complete(QUESTION, Parameters(seed=3, stop=("?",), repeat_penalty=1.1, stage="answer"))
    assert faulty.bodies[0] == {
        "model": "m",
        "messages": [{"role": "user", "content": QUESTION[0].content}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 256,
        "temperature": 0.3,
        "seed": 3,
        "stop": ["?"],
        "top_k": 40,
        "min_p": 0.05,
        "repeat_penalty": 1.1,
        "repetition_penalty": 1.1,
    }
    assert faulty.keys == [f"Bearer {KEY}"]


def test_an_overloaded_server_is_asked_again_after_the_wait_that_it_names(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [refuses(429, "slow down", Retry_After="2"), streams("yes")]
    begun = time.monotonic()
    assert client.complete(QUESTION, PLAIN).text == "yes"
    assert 2 <= time.monotonic() - begun < 10


def test_asking_again_is_told(faulty: Faulty) -> None:
    lines: list[str] = []
    client = OpenAICompatibleModel("m", url=faulty.url, key=KEY, report=lines.append)
    faulty.answers = [refuses(503, "busy"), streams("yes")]
    assert client.complete(QUESTION, PLAIN).text == "yes"
    client.close()
    assert lines == [f"{faulty.url} failed and is asked again (1 of 3)"]


def test_a_server_that_stays_overloaded_is_given_up(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [refuses(500, "broken")]
    with pytest.raises(ModelUnavailable, match="answered 500: broken"):
        client.complete(QUESTION, PLAIN)
    assert len(faulty.bodies) == 2


def test_a_wait_that_is_too_long_is_told_and_not_waited(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [refuses(429, "quota", Retry_After="3600")]
    begun = time.monotonic()
    with pytest.raises(ModelUnavailable, match="answered 429: quota") as caught:
        client.complete(QUESTION, PLAIN)
    assert "wait for 3600 s" in caught.value.hint
    assert time.monotonic() - begun < 10


def test_a_wait_beyond_the_timeout_is_no_reason_to_ask_again(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [refuses(429, "slow down", Retry_After="1"), streams("late")]
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.3 s"):
        client.complete(QUESTION, Parameters(timeout=0.3))
    assert len(faulty.bodies) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 418])
def test_other_refusals_are_not_repeated(faulty: Faulty, client: OpenAICompatibleModel, status: int) -> None:
    faulty.answers = [refuses(status, "no such thing")]
    with pytest.raises(ModelError, match=f"answered {status}: no such thing"):
        client.complete(QUESTION, PLAIN)
    assert len(faulty.bodies) == 1


def test_a_key_that_a_server_echoes_is_not_shown(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [
        refuses(401, f"Incorrect API key provided: {KEY}."),
        streams("your ", KEY[:6], KEY[6:], "!"),
    ]
    with pytest.raises(ModelError) as caught:
        client.complete(QUESTION, PLAIN)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert client.complete(QUESTION, PLAIN).text == "your [secret]!"


def test_the_key_is_in_no_repr_fingerprint_or_log(
    faulty: Faulty, client: OpenAICompatibleModel, caplog: pytest.LogCaptureFixture
) -> None:
    faulty.answers = [refuses(500, KEY), streams("yes")]
    with caplog.at_level(logging.DEBUG):
        client.complete(QUESTION, PLAIN)
    assert KEY not in repr(client) + client.fingerprint + client.name
    assert KEY not in caplog.text


def test_a_hanging_server_is_left_at_the_timeout(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    def hangs(handler: FaultyHandler) -> None:
        handler.server.released.wait(30)

    faulty.answers = [hangs]
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.3 s"):
        client.complete(QUESTION, Parameters(timeout=0.3))
    assert len(faulty.bodies) == 1


def test_a_server_that_only_sends_signs_of_life_is_left_at_the_timeout(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    def alive(handler: FaultyHandler) -> None:
        handler.begin(200, "text/event-stream")
        while not handler.server.released.wait(0.02):
            handler.wfile.write(b": ping\n\n")

    faulty.answers = [alive]
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.3 s"):
        client.complete(QUESTION, Parameters(timeout=0.3))


def test_a_server_that_falls_silent_inside_its_reply_is_left_at_the_timeout(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    def falls_silent(handler: FaultyHandler) -> None:
        handler.begin(200, "text/event-stream")
        time.sleep(0.3)
        handler.event(piece("half"))
        handler.server.released.wait(30)

    faulty.answers = [falls_silent]
    begun = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.5 s"):
        client.complete(QUESTION, Parameters(timeout=0.5))
    assert time.monotonic() - begun < 0.75


def test_a_line_without_end_is_left_at_the_timeout(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    def endless_line(handler: FaultyHandler) -> None:
        handler.begin(200, "text/event-stream")
        while not handler.server.released.wait(0.02):
            handler.wfile.write(b"data: " + b"x" * 1000)

    faulty.answers = [endless_line]
    with pytest.raises(ModelUnavailable, match=r"did not finish within 0\.3 s"):
        client.complete(QUESTION, Parameters(timeout=0.3))


def endless(handler: FaultyHandler) -> None:
    handler.begin(200, "text/event-stream")
    for _ in range(100_000):
        handler.event(piece("word "))
        handler.server.sent_pieces += 1
    handler.event(piece("", "stop"))


def test_a_reply_of_100000_tokens_is_cut_and_the_connection_closed(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [endless]
    completion = client.complete(QUESTION, PLAIN)
    assert completion.finish_reason == "length"
    assert len(completion.text) < 20 * 32
    faulty.shutdown()
    assert faulty.sent_pieces < 100_000


def floods(handler: FaultyHandler) -> None:
    """One line without an end, as fast as it is taken."""
    handler.begin(200, "text/event-stream" if handler.body["stream"] else "application/json")
    while not handler.server.released.is_set():
        handler.wfile.write(b'data: {"choices": [{"delta": {"content": "' + b"x" * 2**16)
        handler.server.sent_pieces += 1


def test_a_line_without_end_is_left_at_the_bytes_that_a_reply_may_have(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [floods]
    begun = time.monotonic()
    with pytest.raises(ModelError, match="sent more than the 1,089,536 bytes"):
        client.complete(QUESTION, PLAIN)
    assert time.monotonic() - begun < PLAIN.timeout / 2
    assert len(faulty.bodies) == 1
    assert faulty.sent_pieces * 2**16 < 16 * 2**20  # what was on the way


def test_a_reply_without_a_stream_and_without_an_end_is_left_at_its_bytes(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [streams(done=False), floods]
    with pytest.raises(ModelError, match="sent more than the 1,089,536 bytes"):
        client.complete(QUESTION, PLAIN)


def test_a_packed_reply_is_not_unpacked(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    def packed(handler: FaultyHandler) -> None:
        handler.begin(200, "text/event-stream", Content_Encoding="gzip")
        handler.wfile.write(gzip.compress(b"data: " + b"x" * 2**24))

    faulty.answers = [packed]
    with pytest.raises(ModelError, match="sent a packed reply"):
        client.complete(QUESTION, PLAIN)


def test_one_long_piece_is_cut_at_what_was_asked_for(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [streams("word " * 10_000)]
    assert len(client.complete(QUESTION, PLAIN).text) < 20 * 32


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_prompt_does_not_follow_to_another_address(
    faulty: Faulty, client: OpenAICompatibleModel, status: int
) -> None:
    def sends_on(handler: FaultyHandler) -> None:
        handler.begin(status, "text/plain", Location="http://elsewhere.invalid/v1/chat/completions")

    faulty.answers = [sends_on]
    with pytest.raises(ModelError) as caught:
        client.complete(QUESTION, PLAIN)
    assert faulty.url in caught.value.message
    assert "http://elsewhere.invalid/v1/chat/completions" in caught.value.message
    assert "--llm-url" in caught.value.hint
    assert len(faulty.bodies) == 1


@pytest.mark.parametrize(
    "usage", [b"1e400", b"-1", b'"many"', b"[]", b"null", b'{"prompt_tokens": 1e400, "prompt_tokens_details": [1]}']
)
def test_counts_that_are_none_are_counted_here(faulty: Faulty, client: OpenAICompatibleModel, usage: bytes) -> None:
    body = b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], "usage": '
    counts = (
        usage if usage.startswith(b"{") else b'{"prompt_tokens": ' + usage + b', "completion_tokens": ' + usage + b"}"
    )
    faulty.answers = [streams(done=False), says("application/json", body + counts + b"}")]
    completion = client.complete(QUESTION, PLAIN)
    assert completion.text == "yes"
    assert completion.prompt_tokens == client.count_tokens(QUESTION[0].content)
    assert completion.completion_tokens == 1


def test_texts_that_are_none_are_an_empty_reply(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    body = b'data: {"choices": [{"delta": {"content": 5, "reasoning": [1]}, "finish_reason": "stop"}]}\n\n'
    faulty.answers = [says("text/event-stream", body)]
    assert client.complete(QUESTION, PLAIN).text == ""


def test_halves_of_characters_are_no_part_of_a_reply(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [streams("a\ud83d", "\ude00b", "\ude00", "c\ud83d")]
    assert client.complete(QUESTION, PLAIN).text == "a😀b\ufffdc\ufffd"


def test_an_empty_reply_is_an_empty_text(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [streams()]
    completion = client.complete(QUESTION, PLAIN)
    assert (completion.text, completion.finish_reason) == ("", "stop")


def test_a_connection_that_breaks_before_any_text_is_tried_again(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [lambda handler: handler.connection.close(), streams("yes")]
    assert client.complete(QUESTION, PLAIN).text == "yes"


def test_a_connection_that_breaks_inside_the_text_is_not_tried_again(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [streams("half ", "a", done=False)]
    pieces: list[str] = []
    with pytest.raises(ModelUnavailable, match="inside its reply"):
        client.complete(QUESTION, PLAIN, on_text=pieces.append)
    assert pieces == ["half", " a"]
    assert len(faulty.bodies) == 1


def test_an_address_that_nobody_listens_at_is_one_error() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    client = OpenAICompatibleModel("m", url=url, retries=1)
    with pytest.raises(ModelUnavailable, match="no connection to") as caught:
        client.complete(QUESTION, PLAIN)
    client.close()
    assert "\n" not in caught.value.message


def test_fields_that_a_server_refuses_are_left_out_from_then_on(faulty: Faulty) -> None:
    lines: list[str] = []
    client = OpenAICompatibleModel("m", url=faulty.url, key=KEY, report=lines.append)
    faulty.answers = [refuses(400, "Unrecognized request arguments supplied: min_p, top_k"), streams("yes")]
    assert client.complete(QUESTION, PLAIN).text == "yes"
    assert client.complete(QUESTION, PLAIN).text == "yes"
    client.close()
    assert ["top_k" in body for body in faulty.bodies] == [True, False, False]
    assert lines == [f"{faulty.url} does not take min_p, top_k: left out from now on"]


@pytest.mark.parametrize(
    ("refusal", "before", "after"),
    [
        ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens", None),
        ("Unsupported value: 'temperature' does not support 0.3, only the default (1)", "temperature", None),
        ([{"type": "extra_forbidden", "loc": ["body", "min_p"], "msg": "Extra inputs"}], "min_p", None),
        ("Unknown field: stream_options", "stream_options", None),
    ],
)
def test_a_refusal_that_names_a_field_is_learned_from(
    faulty: Faulty, client: OpenAICompatibleModel, refusal: object, before: str, after: None
) -> None:
    faulty.answers = [refuses(422, refusal), streams("yes")]
    assert client.complete(QUESTION, PLAIN).text == "yes"
    assert before in faulty.bodies[0]
    assert faulty.bodies[1].get(before) is after


def test_a_server_that_refuses_system_messages_gets_them_in_front_of_the_question(
    faulty: Faulty, client: OpenAICompatibleModel
) -> None:
    faulty.answers = [refuses(400, "Conversation roles must alternate user/assistant/..."), streams("yes")]
    client.complete([Message("system", "Be brief."), Message("user", "Who?")], PLAIN)
    assert faulty.bodies[1]["messages"] == [{"role": "user", "content": "Be brief.\n\nWho?"}]


def test_a_refusal_of_a_bad_grammar_is_not_hidden(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [refuses(400, "failed to parse grammar")]
    with pytest.raises(ModelError, match="failed to parse grammar"):
        client.complete(QUESTION, Parameters(grammar="root ::="))


def test_a_server_that_does_not_stream_is_understood(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    body = {"choices": [{"message": {"content": "<think>hm</think> yes"}, "finish_reason": "stop"}]}
    faulty.answers = [says("application/json", json.dumps(body, indent=1).encode())]
    assert client.complete(QUESTION, PLAIN).text == "yes"
    assert [body["stream"] for body in faulty.bodies] == [True, False]


def test_a_web_page_is_one_error_that_speaks_of_the_address(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    faulty.answers = [says("text/html", b"<html>Welcome</html>")]
    with pytest.raises(ModelError, match="web page") as caught:
        client.complete(QUESTION, PLAIN)
    assert "/v1" in caught.value.hint


@pytest.mark.parametrize(
    "body",
    [b"data: {\n\n", b"data: [1]\n\n", b'data: {"x": 1}\n\n', b'data: {"choices": [1]}\n\n', b"{", b"nonsense", b""],
)
def test_a_garbled_reply_is_one_error(faulty: Faulty, client: OpenAICompatibleModel, body: bytes) -> None:
    faulty.answers = [says("text/event-stream", body)]
    with pytest.raises(ModelUnavailable):
        client.complete(QUESTION, PLAIN)


@pytest.mark.parametrize("body", [b"{", b"[]", b'"yes"', b'{"choices": 1}'])
def test_a_garbled_reply_without_a_stream_is_one_error(
    faulty: Faulty, client: OpenAICompatibleModel, body: bytes
) -> None:
    faulty.answers = [streams(done=False), says("application/json", body)]
    with pytest.raises(ModelUnavailable):
        client.complete(QUESTION, PLAIN)


def test_what_the_receiver_of_the_text_raises_passes_through(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    def stops(_: str) -> None:
        raise ZeroDivisionError

    faulty.answers = [streams("yes ", "and no")]
    with pytest.raises(ZeroDivisionError):
        client.complete(QUESTION, PLAIN, on_text=stops)
    assert len(faulty.bodies) == 1


def test_an_error_inside_a_stream_is_told(faulty: Faulty, client: OpenAICompatibleModel) -> None:
    event = {"error": {"message": "CUDA out of memory", "code": 500}}
    faulty.answers = [says("text/event-stream", b"data: " + json.dumps(event).encode() + b"\n\n")]
    with pytest.raises(ModelUnavailable, match="broke off: CUDA out of memory"):
        client.complete(QUESTION, PLAIN)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4900 in"
            " the messages, 100 in the completion).",
            (5000, 4096),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
            (9000, 8192),
        ),
        ("the request exceeds the available context size {'n_prompt_tokens': 700, 'n_ctx': 512}", (700, 512)),
        ("Requested tokens (4000) exceed context window of 512", (4000, 512)),
        ("context_length_exceeded", (0, 0)),
        ("max_tokens must be positive", None),
    ],
)
def test_refusals_of_long_prompts_are_read(text: str, numbers: tuple[int, int] | None) -> None:
    assert overflow_numbers(text) == numbers


# What is refused before anything is sent


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://host:99999/v1", "http://[::1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="no address"):
        OpenAICompatibleModel("m", url=url, key=KEY)


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(UsageError) as caught:
        OpenAICompatibleModel("m", url="http://me:hunter2@host/v1")
    assert "hunter2" not in str(caught.value)


def test_a_key_that_cannot_be_sent_is_refused_without_showing_it() -> None:
    with pytest.raises(UsageError) as caught:
        OpenAICompatibleModel("m", url="http://host/v1", key="bad\nkey")
    assert "bad" not in str(caught.value)


def test_the_hosted_service_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "KGNEO_LLM_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ModelError, match=f"no key for {HOSTED}"):
        load_model("openai:gpt")


def test_tokens_are_estimated_rather_too_high() -> None:
    client = OpenAICompatibleModel("m", url="http://host/v1")
    assert client.count_tokens("") == 0
    assert client.count_tokens("Which films did the director also direct?") >= 9
    client.close()
