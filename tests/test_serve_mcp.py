"""The tools for assistants at an address of the server: by its token, and for a team by each user's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra kgneo[mcp] is not installed")

from starlette.testclient import TestClient

from kgneo.context import Context
from kgneo.serve.application import create_application
from kgneo.serve.settings import Limits, ServeSettings
from tests.serving import running
from tests.test_outcomes import EITHER
from tests.test_team import by, digest, people, serving, team_of  # noqa: F401

ADDRESS = "http://127.0.0.1:7575"
TOKEN = "of one server"  # noqa: S105 - of a server that the test makes
QUESTION = "what is the capital of [Ethiopia]?"


def application(context: Context, **settings: Any) -> TestClient:
    app = create_application(context, ServeSettings(**settings), warm=False, mcp=True)
    return TestClient(app, ADDRESS, raise_server_exceptions=False)


@pytest.fixture
def http(sample_context: Context) -> Iterator[TestClient]:
    with application(sample_context, token=TOKEN) as talking:
        yield talking


def call(http: TestClient, tool: str, headers: dict[str, str], path: str = "/mcp", **arguments: Any) -> Any:
    """What a server says to the call of a tool."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    accepted = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    return http.post(path, json=body, headers={**accepted, **headers})


def result(reply: Any) -> Any:
    assert reply.status_code == 200, reply.text
    return json.loads(reply.json()["result"]["content"][0]["text"])


def bearer(token: str = TOKEN) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def test_an_assistant_with_the_token_is_answered_with_evidence(http: TestClient) -> None:
    found = result(call(http, "ask", bearer(), question=QUESTION))
    assert found["answers"] == ["Addis Ababa"]
    assert found["evidence"]


@pytest.mark.parametrize("headers", [{}, bearer("another")])
def test_an_assistant_without_it_is_not(http: TestClient, headers: dict[str, str]) -> None:
    assert call(http, "ask", headers, question=QUESTION).status_code == 401


def test_a_page_elsewhere_and_another_host_are_refused(http: TestClient) -> None:
    for header in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        assert call(http, "schema", {**bearer(), **header}).status_code in (403, 421)


def test_a_query_that_would_write_is_an_error_of_the_tool(http: TestClient) -> None:
    said = call(http, "cypher", bearer(), query="MATCH (n) DETACH DELETE n").json()["result"]
    assert said["isError"]
    assert "would write" in said["content"][0]["text"]


def test_an_assistant_over_http_asks_its_user_back(sample_context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    mcp = pytest.importorskip("mcp")
    monkeypatch.setattr("kgneo.doors.tools.ask", lambda *_, **__: EITHER)

    async def pick(_: object, asked: Any) -> Any:
        assert "2. ships" in asked.message
        return mcp.types.ElicitResult(action="accept", content={"number": 2})

    async def outcome(address: str) -> str:
        async with mcp.Client(f"{address}/mcp", elicitation_callback=pick) as client:
            found = await client.call_tool("ask", {"question": "who is Ada?"})
            return str(json.loads(found.content[0].text)["outcome"])

    app = create_application(sample_context, ServeSettings(), warm=False, mcp=True)
    with running(app) as (address, _):
        assert asyncio.run(outcome(address)) == "answer"


def test_prompts_say_how_the_tools_are_put_to_use(sample_context: Context) -> None:
    mcp = pytest.importorskip("mcp")
    from kgneo.doors.mcp import mcp_server
    from kgneo.doors.tools import Tools

    async def prompts() -> tuple[set[str], str]:
        async with mcp.Client(mcp_server(Tools(sample_context))) as client:
            listed = await client.list_prompts()
            given = await client.get_prompt("answer", {"question": "What is {this}?"})
            return {item.name for item in listed.prompts}, str(given.messages[0].content.text)

    names, text = asyncio.run(prompts())
    assert names == {"answer", "check", "explore"}
    assert text.startswith("Answer this question from the knowledge graph, and from nothing else: What is {this}?")


def test_what_is_no_call_is_answered_as_an_error_and_not_kept_open(http: TestClient) -> None:
    accepted = {"accept": "application/json, text/event-stream", **bearer()}
    assert http.post("/mcp", content=b"{", headers={**accepted, "content-type": "application/json"}).status_code == 400
    assert http.get("/mcp", headers={**accepted, "accept": "text/event-stream"}).status_code == 405


def test_where_it_is_not_asked_for_there_is_nothing(sample_context: Context) -> None:
    app = create_application(sample_context, ServeSettings(), warm=False)
    with TestClient(app, ADDRESS) as talking:
        assert call(talking, "schema", {}).status_code == 404


def test_one_address_may_not_call_without_end(sample_context: Context) -> None:
    with application(sample_context, limits=Limits(rate=3)) as talking:
        assert [call(talking, "schema", {}).status_code for _ in range(5)] == [200, 200, 200, 429, 429]


def test_of_a_team_each_asks_their_own_graphs(sample_context: Context, people: Context) -> None:  # noqa: F811
    with serving(team_of(), {"rivers": sample_context, "people": people}, mcp=True) as talking:
        found = call(talking, "ask", by("bob"), "/g/people/mcp", question="who does [Zelda Quist] know?")
        assert result(found)["answers"] == ["Otto Lund"]
        hidden = call(talking, "ask", by("ann"), "/g/people/mcp", question="who does [Zelda Quist] know?")
        absent = call(talking, "ask", by("ann"), "/g/nothing/mcp", question="who does [Zelda Quist] know?")
        assert hidden.status_code == absent.status_code == 404
        assert "Zelda" not in hidden.text
        assert call(talking, "schema", {}, "/g/rivers/mcp").status_code == 401


def test_what_an_assistant_asked_of_a_team_is_written_down(sample_context: Context, tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with serving(team_of(audit={"file": file}), {"rivers": sample_context}, mcp=True) as talking:
        call(talking, "ask", by("ann"), "/g/rivers/mcp", question=QUESTION)
    [record] = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert (record["user"], record["graph"], record["path"], record["question"]) == ("ann", "rivers", "/mcp", QUESTION)
    assert digest("ann-token") not in file.read_text(encoding="utf-8")
