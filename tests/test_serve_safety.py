"""What a server refuses, how it bounds what one client can take, and that nothing hostile gets through."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from kgneo.context import Context
from kgneo.errors import GraphTimeout, WorkEnded
from kgneo.graph import Graph
from kgneo.serve.questions import Questions
from kgneo.serve.rate import Rate
from kgneo.serve.settings import Limits, ServeSettings
from kgneo.serve.threads import Threads
from tests.serving import application, client, listening

CAPITAL = {"question": "what is the capital of [Ethiopia]?"}
MINE = f"of process {os.getpid()}"
"""Other threads ask the same server."""
ENDLESS = f"/* {MINE} */ UNWIND range(1, 1000000000) AS a UNWIND range(1, 1000000000) AS b RETURN count(a + b)"


def status(http: TestClient, **headers: str) -> int:
    """Of a request with these headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return http.get("/api/v1/strategies", headers=named).status_code


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:7575", "127.0.0.1.evil.example", "x@127.0.0.1", "", "a b"]
)
def test_a_server_that_is_called_by_another_name_refuses(http: TestClient, host: str) -> None:
    assert status(http, host=host) == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:7575", "[::1]:7575", "LOCALHOST"])
def test_a_server_knows_the_names_of_its_machine(http: TestClient, host: str) -> None:
    assert status(http, host=host) == 200


def test_a_server_on_all_addresses_takes_addresses_and_the_names_it_was_given() -> None:
    everywhere = ServeSettings("0.0.0.0", hosts=("graph.example.org",))  # noqa: S104
    assert [everywhere.allows_host(name) for name in ("10.0.0.7", "graph.example.org", "evil.example")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:9999"])
def test_a_page_of_another_server_may_not_ask(http: TestClient, origin: str) -> None:
    assert status(http, origin=origin) == 403
    assert status(http, origin="http://127.0.0.1:7575") == 200
    assert status(http, sec_fetch_site="cross-site") == 403


def test_no_response_allows_other_origins(http: TestClient) -> None:
    response = http.options(
        "/api/v1/ask", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}
    )
    assert response.status_code == 403
    assert not [name for name in response.headers if name.startswith("access-control")]


def test_a_token_is_asked_of_the_api_and_the_chat_and_not_of_the_page(sample_context: Context) -> None:
    with client(sample_context, token="sesame") as talking:  # noqa: S106
        assert [talking.get(path).status_code for path in ("/", "/api/v1/health")] == [200, 200]
        assert [talking.get(path).status_code for path in ("/api/v1/strategies", "/v1/models", "/api/v1/metrics")] == [
            401
        ] * 3
        for wrong in ("Bearer sesam", "Basic sesame", "sesame", "Bearer sésame"):
            assert talking.get("/api/v1/strategies", headers={b"authorization": wrong.encode()}).status_code == 401
        right = talking.get("/api/v1/strategies", headers={"authorization": "Bearer sesame"})
        assert right.status_code == 200


def test_a_token_is_not_shown() -> None:
    assert "sesame" not in repr(ServeSettings(token="sesame"))  # noqa: S106


@pytest.mark.parametrize("path", ["/", "/api/v1/health", "/api/v1/nothing", "/nothing"])
def test_every_response_forbids_foreign_content(http: TestClient, path: str) -> None:
    headers = http.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["content-security-policy"]
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", 400),
        (b"[" * 60_000, 400),
        (b"\xff\xfe", 400),
        (b"{}", 422),
        (b"[]", 422),
        (b'{"question": 1}', 422),
        (b'{"question": ""}', 422),
        (b'{"question": "\\ud800"}', 422),
        (b'{"question": "x", "hops": 7}', 422),
        (b'{"question": "x", "hops": 1e400}', 422),
        (b'{"question": "x", "query": "MATCH (n) DETACH DELETE n"}', 422),
        (b'{"question": "' + b"x" * 2_001 + b'"}', 422),
        (b'{"question": "' + b"x" * 70_000 + b'"}', 413),
    ],
)
def test_a_wrong_body_is_refused_with_its_status(http: TestClient, body: bytes, code: int) -> None:
    response = http.post("/api/v1/ask", content=body, headers={"content-type": "application/json"})
    assert response.status_code == code
    assert response.json()["error"]["message"]


def test_a_form_of_another_page_cannot_ask(http: TestClient) -> None:
    assert (
        http.post("/api/v1/ask", content=b'{"question": "x"}', headers={"content-type": "text/plain"}).status_code
        == 422
    )


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/..%2f..%2fguard.py", "/%2e%2e/guard.py", "/page/../../guard.py", "//etc/passwd"],
)
def test_no_file_but_the_page_s_is_given(http: TestClient, path: str) -> None:
    assert http.get(path).status_code == 404


def test_a_route_has_its_methods_only(http: TestClient) -> None:
    assert http.get("/api/v1/ask").status_code == 405
    assert http.delete("/api/v1/schema").status_code == 405


def test_a_bucket_gives_a_minute_s_requests_and_fills_up_again() -> None:
    rate = Rate(2)
    assert [rate.wait("a", 0.0) for _ in range(3)] == [0, 0, 30]
    assert rate.wait("b", 0.0) == 0
    assert rate.wait("a", 29.0) == pytest.approx(1)
    assert rate.wait("a", 30.0) == 0


def test_one_address_may_ask_so_often_a_minute(sample_context: Context) -> None:
    with client(sample_context, limits=Limits(rate=2)) as talking:
        responses = [talking.get("/api/v1/strategies") for _ in range(3)]
        assert [response.status_code for response in responses] == [200, 200, 429]
        assert int(responses[-1].headers["retry-after"]) > 0
        assert talking.get("/").status_code == 200


def test_more_questions_than_can_wait_are_refused(sample_context: Context) -> None:
    with client(sample_context, limits=Limits(running=1, waiting=-1)) as talking:
        response = talking.post("/api/v1/ask", json=CAPITAL)
        assert (response.status_code, response.headers["retry-after"]) == (503, "5")


def test_a_body_that_does_not_arrive_is_given_up(sample_context: Context) -> None:
    app = application(sample_context, limits=Limits(body_seconds=0.05))
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/v1/ask",
        "headers": [(b"host", b"localhost")],
        "query_string": b"",
    }
    asyncio.run(app(scope, never, send))
    assert sent[0]["status"] == 408


def running(graph: Graph) -> int:
    """Endless transactions of these tests that are marked as a question's."""
    rows = graph.read(
        "SHOW TRANSACTIONS YIELD metaData AS about, currentQuery AS query "
        "WHERE about.kgneo_work IS NOT NULL AND query CONTAINS $mine AND NOT query CONTAINS 'SHOW' "
        "RETURN count(*) AS n",
        mine=MINE,
    )
    return int(rows[0]["n"])


def wait_for(graph: Graph, number: int) -> None:
    """Until so many questions have a transaction."""
    until = time.monotonic() + 20
    while running(graph) != number:
        assert time.monotonic() < until
        time.sleep(0.02)


async def _stay() -> None:
    await asyncio.sleep(60)


def test_the_database_work_of_a_client_that_leaves_is_ended(graph: Graph) -> None:
    async def leave() -> None:
        await asyncio.to_thread(wait_for, graph, 1)

    async def ask() -> None:
        questions = Questions()
        threads = Threads(graph, Limits(), questions)
        with pytest.raises(WorkEnded):
            await threads.run(lambda: graph.read(ENDLESS), leave)
        await asyncio.to_thread(wait_for, graph, 0)
        assert questions.ended == 1
        threads.close()

    asyncio.run(ask())


def test_the_database_work_of_a_stream_that_is_closed_is_ended(sample_context: Context) -> None:
    graph = sample_context.graph

    def work(tell: Any) -> None:
        tell("begun")
        graph.read(ENDLESS)

    async def ask() -> None:
        threads = Threads(graph, Limits())
        stream = threads.stream(work)
        assert await anext(stream) == "begun"
        await asyncio.to_thread(wait_for, graph, 1)
        await stream.aclose()  # type: ignore[attr-defined]
        await asyncio.to_thread(wait_for, graph, 0)
        threads.close()

    asyncio.run(ask())


def test_a_question_that_takes_too_long_is_ended_and_blocks_no_other(sample_context: Context) -> None:
    graph = sample_context.graph

    async def ask() -> None:
        threads = Threads(graph, Limits(running=2, seconds=0.5))
        slow = asyncio.ensure_future(threads.run(lambda: graph.read(ENDLESS), _stay))
        assert await threads.run(lambda: graph.read("RETURN 1 AS one"), _stay) == [{"one": 1}]
        with pytest.raises(GraphTimeout):
            await slow
        await asyncio.to_thread(wait_for, graph, 0)
        threads.close()

    asyncio.run(ask())


def test_questions_end_when_the_server_stops(sample_context: Context) -> None:
    graph = sample_context.graph

    async def ask() -> None:
        threads = Threads(graph, Limits())
        slow = asyncio.ensure_future(threads.run(lambda: graph.read(ENDLESS), _stay))
        await asyncio.to_thread(wait_for, graph, 1)
        threads.end_all()
        with pytest.raises(WorkEnded):
            await slow
        assert running(graph) == 0
        threads.close()

    asyncio.run(ask())


HOST = b"Host: 127.0.0.1\r\nConnection: close\r\n"
RAW = (
    (b"GARBAGE\r\n\r\n", (400,)),
    (b"GET / HTTP/1.1\r\n\r\n", (400,)),
    (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", (400, 421)),
    (b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 40_000 + b"\r\n\r\n", (431,)),
    (b"GET /%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\n" + HOST + b"\r\n", (404,)),
    (b"GET /\x00 HTTP/1.1\r\n" + HOST + b"\r\n", (400, 404)),
    (b"GET / HTTP/1.1\r\n" + HOST + b"Name : x\r\n\r\n", (400,)),
    (b"POST /api/v1/ask HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n", (400,)),
    (b"POST /api/v1/ask HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nz\r\n", (400,)),
    (b"POST /api/v1/ask HTTP/1.1\r\n" + HOST + b"Content-Length: 999999999999\r\n\r\n", (413,)),
)


def test_no_bytes_on_the_wire_break_the_server(sample_context: Context) -> None:
    with listening(sample_context) as address:
        port = urlsplit(address).port
        for sent, codes in RAW:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(sent)
                received = connection.recv(100_000)
            assert int(received.split()[1]) in codes, (sent[:80], received[:200])
            assert b"set-cookie" not in received.lower()
            assert b"Traceback" not in received
        with urlopen(f"{address}/api/v1/health", timeout=10) as response:  # noqa: S310
            assert response.status == 200


# Free-form input -----------------------------------------------------------------------------------------------------

HOSTILE = st.sampled_from(
    [
        "<script>alert(1)</script>",
        "' OR 1=1 //",
        "`}) DETACH DELETE n //",
        "$entity",
        "../../etc/passwd",
        "a\r\nSet-Cookie: x=1",
        "\u202e\u0000\ufeff",
        "[" * 50,
        "[[a]] ]b[",
        "{{7*7}}",
        "-1",
        "\U0001f600" * 20,
    ]
)
TEXT = st.one_of(HOSTILE, st.text(max_size=60))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)
NAMES = st.sampled_from(["x0", "x1", "r0"])
VALUE = st.fixed_dictionaries({"of": NAMES}, optional={"key": TEXT | st.just("name"), "form": TEXT | st.just("year")})
VARIABLE = st.fixed_dictionaries({"name": NAMES}, optional={"labels": st.lists(TEXT, max_size=2)})
EDGE = st.fixed_dictionaries({"subject": NAMES, "relations": st.just(["has_capital"]), "object": NAMES})
RIGHT = st.lists(TEXT | st.integers() | st.floats(), max_size=2) | VALUE
SELECTION = st.fixed_dictionaries({"variable": NAMES, "by": VALUE, "limit": st.integers()})
GRAPH = st.fixed_dictionaries(
    {"variables": st.lists(VARIABLE, max_size=3), "answer": VALUE | JSON},
    optional={
        "edges": st.lists(EDGE, max_size=2),
        "conditions": st.lists(st.fixed_dictionaries({"left": VALUE, "right": RIGHT}), max_size=2),
        "selections": st.lists(SELECTION, max_size=1),
    },
)
QUESTION = {"question": TEXT}
ASKED = {"strategy": TEXT, "entities": st.lists(TEXT, max_size=2), "stream": st.booleans(), "hops": st.integers()}
MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant", "x"]), "content": TEXT})
BODIES = {
    "/api/v1/ask": st.fixed_dictionaries(QUESTION, optional=ASKED),
    "/api/v1/retrieve": st.fixed_dictionaries(QUESTION, optional={"top_k": st.integers()}),
    "/api/v1/interpret": st.fixed_dictionaries(QUESTION),
    "/api/v1/run": st.fixed_dictionaries({"graph": GRAPH | JSON}, optional={"limit": st.integers()}),
    "/api/v1/next": st.fixed_dictionaries({"graph": GRAPH | JSON}, optional={"several": st.booleans()}),
    "/api/v1/nodes": st.fixed_dictionaries({"ids": st.lists(TEXT, max_size=3)}),
    "/v1/chat/completions": st.fixed_dictionaries(
        {"messages": st.lists(MESSAGE, max_size=3)}, optional={"model": TEXT, "stream": st.booleans()}
    ),
}
REQUESTS = st.sampled_from(sorted(BODIES)).flatmap(lambda route: st.tuples(st.just(route), BODIES[route] | JSON))


def check(response: Any) -> None:
    assert response.status_code in (200, 400, 404, 422), response.text
    assert "Traceback" not in response.text
    if response.status_code != 200:
        assert response.headers["content-type"] == "application/json"
        assert response.json()["error"]["message"]


WORDLESS = ("?", ":", " ", "[]", "[ ]", "()", "\u0000", "\U0001f600", "_", "what?", "how many", "how many are there?")
ROUTES: dict[str, Callable[[str], dict[str, Any]]] = {
    "/api/v1/ask": lambda text: {"question": text},
    "/api/v1/retrieve": lambda text: {"question": text},
    "/api/v1/interpret": lambda text: {"question": text},
    "/api/v1/verify": lambda text: {"claim": text},
    "/v1/chat/completions": lambda text: {"messages": [{"role": "user", "content": text}]},
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("route", ROUTES)
def test_a_question_without_words_is_refused_in_one_line(http: TestClient, route: str, stream: bool) -> None:
    streams = stream and route in ("/api/v1/ask", "/v1/chat/completions")
    for text in WORDLESS:
        response = http.post(route, json=ROUTES[route](text) | ({"stream": True} if streams else {}))
        assert response.status_code == 422, (text, response.text)
        message = response.json()["error"]["message"]
        assert "no words" in message or "no question" in message
        assert "\n" not in message


@pytest.mark.parametrize("route", ROUTES)
def test_half_of_a_character_is_refused_and_is_no_error_of_the_server(http: TestClient, route: str) -> None:
    content = json.dumps(ROUTES[route]("what is the capital of \ud800?"))
    response = http.post(route, content=content, headers={"content-type": "application/json"})
    check(response)
    assert response.status_code == 422


NODE = {"variables": [{"name": "x0"}], "answer": {"of": "x0", "key": "name"}}
UNSENDABLE = (
    '{"of": "x0", "key": "name"}, "operator": "=", "right": ["\\ud800"]',
    '{"of": "x0", "key": "name"}, "operator": "=", "right": [1e400]',
    '{"of": "x0", "key": "name"}, "operator": "=", "right": [NaN]',
    '{"of": "x0", "key": "name"}, "operator": "=", "right": [1180591620717411303424]',
    '{"of": "x0", "key": "\\ud800"}, "operator": "=", "right": ["a"]',
)


@pytest.mark.parametrize("condition", UNSENDABLE)
def test_a_value_that_no_database_takes_is_refused(http: TestClient, condition: str) -> None:
    content = f'{{"graph": {json.dumps(NODE)[:-1]}, "conditions": [{{"left": {condition}}}]}}}}'
    response = http.post("/api/v1/run", content=content, headers={"content-type": "application/json"})
    check(response)
    assert response.status_code in (400, 422)


def test_an_id_that_is_half_of_a_character_is_refused(http: TestClient) -> None:
    graph = {"variables": [{"name": "x0", "ids": ["\ud800"]}], "answer": {"of": "x0"}}
    check(http.post("/api/v1/run", content=json.dumps({"graph": graph})))


@settings(max_examples=300, deadline=None)
@example(request=("/api/v1/ask", {"question": ":"}))
@example(request=("/api/v1/interpret", {"question": "how many"}))
@example(request=("/api/v1/ask", {"question": "a", "hops": 2**70}))
@given(request=REQUESTS)
def test_no_body_breaks_the_server(http: TestClient, request: tuple[str, Any]) -> None:
    route, body = request
    content = json.dumps(body).encode("utf-8", "replace")
    check(http.post(route, content=content, headers={"content-type": "application/json"}))


@settings(max_examples=100, deadline=None)
@given(text=TEXT, route=st.sampled_from(["entities", "neighbours", "values"]), limit=TEXT | st.integers(-1, 101))
def test_no_query_breaks_the_server(http: TestClient, text: str, route: str, limit: Any) -> None:
    named = {"text": text, "name": text, "id": text[::-1], "label": text, "key": text, "limit": str(limit)}
    check(http.get(f"/api/v1/{route}", params={key: value.encode("utf-8", "replace") for key, value in named.items()}))


def test_what_was_asked_changed_nothing(http: TestClient, sample_context: Context) -> None:
    rows = sample_context.graph.read("MATCH ()-[r]->() RETURN count(r) AS n")
    assert rows[0]["n"] == 327
    assert http.get("/api/v1/ready").status_code == 200
