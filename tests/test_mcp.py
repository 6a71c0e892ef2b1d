"""`kgneo mcp` as an assistant meets it: a process of its own, spoken to with the SDK's client."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

mcp = pytest.importorskip("mcp", reason="the extra kgneo[mcp] is not installed")

from anyio.from_thread import start_blocking_portal  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from kgneo.cli.main import main  # noqa: E402
from kgneo.doors.tools import fitted  # noqa: E402
from kgneo.feedback.said import pending  # noqa: E402
from kgneo.folders import cache_folder  # noqa: E402
from kgneo.graph.schema_text import CHARACTERS  # noqa: E402
from kgneo.server import RunningServer  # noqa: E402
from kgneo.text import is_unicode  # noqa: E402
from tests.conftest import connect, wipe  # noqa: E402
from tests.hostile_queries import HOSTILE  # noqa: E402
from tests.test_attached import FILMS  # noqa: E402

TOOLS = {"ask", "cypher", "entities", "interpret", "neighbours", "retrieve", "schema", "verify"}


class Assistant:
    """An MCP client that is called without `await`."""

    def __init__(self, portal: Any, client: Any) -> None:
        self.portal, self.client = portal, client

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool as a record, or as text."""
        found = self.raw(tool, **arguments)
        assert not found.is_error, found.content
        text = found.content[0].text
        return json.loads(text) if text.startswith("{") else text

    def error(self, tool: str, **arguments: Any) -> str:
        """The error of a tool."""
        found = self.raw(tool, **arguments)
        assert found.is_error, found.content
        return str(found.content[0].text)

    def raw(self, tool: str, **arguments: Any) -> Any:
        """What the client gives."""
        return self.portal.call(self.client.call_tool, tool, arguments)


@contextmanager
def talking_to(transport: Any) -> Iterator[Assistant]:
    """A client of an address, or of a process."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(mcp.Client(transport)) as client:
        yield Assistant(portal, client)


@pytest.fixture(scope="module")
def films_server(newest_server: RunningServer) -> RunningServer:
    server = newest_server
    with connect(server) as graph:
        wipe(graph)
        graph.write(FILMS)
    return server


@pytest.fixture(scope="module")
def environment(films_server: RunningServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment in which `kgneo mcp` finds the graph of films."""
    cache = tmp_path_factory.mktemp("cache")
    (cache / "encoders").symlink_to(cache_folder() / "encoders")
    return {
        **os.environ,
        "NEO4J_URI": films_server.uri,
        "NEO4J_USERNAME": films_server.username,
        "NEO4J_PASSWORD": films_server.password,
        "KGNEO_CACHE_DIR": str(cache),
    }


@pytest.fixture(scope="module")
def assistant(environment: dict[str, str]) -> Iterator[Assistant]:
    """A client of `kgneo mcp` over standard input and output."""
    arguments = ["-m", "kgneo", "mcp", "--tokens", "1000"]
    process = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    with talking_to(mcp.stdio_client(process)) as found:
        yield found


def test_the_tools_are_listed_and_said_to_read_only(assistant: Assistant) -> None:
    tools = assistant.portal.call(assistant.client.list_tools).tools
    assert {tool.name for tool in tools} == TOOLS
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)


def test_what_a_user_says_is_kept_with_the_switch_alone(environment: dict[str, str], tmp_path: Path) -> None:
    arguments = ["-m", "kgneo", "mcp", "--feedback", "--terms", str(tmp_path / "films.toml")]
    (tmp_path / "films.toml").write_text("", encoding="utf-8")
    process = mcp.StdioServerParameters(command=sys.executable, args=arguments, env=environment)
    with talking_to(mcp.stdio_client(process)) as found:
        tools = {tool.name: tool for tool in found.portal.call(found.client.list_tools).tools}
        assert not tools["feedback"].annotations.read_only_hint
        kept = found.call("feedback", question="who directed [Harvest Moon]?", right=True)
    assert kept["verdict"] == "right"
    assert kept["key"] in [item.key for item in pending(tmp_path / "films.feedback.jsonl")]


def test_a_question_is_answered_with_its_evidence(assistant: Assistant) -> None:
    found = assistant.call("ask", question="who directed [Harvest Moon]?")
    assert found["answers"] == ["Tom Okello"]
    assert found["evidence"] == [{"subject": "Tom Okello", "relation": "DIRECTED", "object": "Harvest Moon"}]


def test_a_name_that_is_not_there_is_an_error_with_a_hint(assistant: Assistant) -> None:
    assert "EntityNotFound" in assistant.error("ask", question="who directed [Harvest Mooon]?", strategy="paths")


def test_a_question_is_interpreted_as_a_query_graph_with_its_cypher(assistant: Assistant) -> None:
    found = assistant.call("interpret", question="Which movies were released after 2000?")
    first = found["interpretations"][0]
    assert first["query_graph"]["variables"][0]["labels"] == ["Movie"]
    assert "MATCH" in first["cypher"]
    named = assistant.call("interpret", question="who directed [Harvest Moon]?")
    assert named["interpretations"][0]["entities"] == ["Harvest Moon"]


@pytest.mark.parametrize("text", ["", "?", "[]", "\U0001f600", "how many are there?"])
def test_a_question_without_words_is_an_error_that_says_so(assistant: Assistant, text: str) -> None:
    for tool in ("ask", "interpret", "retrieve"):
        assert "has no words" in assistant.error(tool, question=text)
    assert "The claim" in assistant.error("verify", claim=text)


@pytest.mark.parametrize("value", [2**70, -(2**70)])
def test_a_number_that_no_database_takes_is_an_error_that_says_so(assistant: Assistant, value: int) -> None:
    told = assistant.error(
        "cypher", query="MATCH (n:Person) WHERE n.fullName = $age RETURN n", parameters={"age": value}
    )
    assert "more than 64 bits" in told


def test_the_schema_is_a_tool_and_a_resource(assistant: Assistant) -> None:
    text = assistant.call("schema")
    assert "(:Person)-[:DIRECTED]->(:Movie)" in text
    resource = assistant.portal.call(assistant.client.read_resource, "kgneo://schema")
    assert resource.contents[0].text == text


def test_names_are_found_by_what_is_like_them(assistant: Assistant) -> None:
    found = assistant.call("entities", text="harvest")["entities"]
    assert found[0] == {"name": "Harvest Moon", "labels": ["Movie"], "relationships": 2}


def test_a_claim_is_verified_with_its_evidence(assistant: Assistant) -> None:
    found = assistant.call("verify", claim="[Harvest Moon] was directed by [Tom Okello].")
    assert found["verdict"] == "supported"
    assert found["evidence"][0]["subject"] == "Tom Okello"


def test_neighbours_are_triples(assistant: Assistant) -> None:
    found = assistant.call("neighbours", name="Tom Okello")
    assert {triple["object"] for triple in found["triples"]} == {"Harvest Moon", "Rosalind", "1965-11-30"}


def test_retrieval_without_embeddings_says_what_to_do(assistant: Assistant) -> None:
    assert "kgneo index" in assistant.error("retrieve", question="who directed [Harvest Moon]?")


def test_cypher_that_reads_is_run_with_its_evidence(assistant: Assistant) -> None:
    query = "MATCH (p:Person {fullName: $name})-[:ACTED_IN]->(m) RETURN m.title AS title, m ORDER BY title"
    found = assistant.call("cypher", query=query, parameters={"name": "Ida Brandt"})
    assert [row[0] for row in found["rows"]] == ["Harvest Moon", "North Pier"]
    assert found["rows"][0][1]["properties"]["released"] == 1999


def test_evidence_of_cypher_with_parameters_is_found(assistant: Assistant) -> None:
    query = "MATCH (p:Person {fullName: $name})-[:ACTED_IN]->(m) RETURN count(m) AS n"
    found = assistant.call("cypher", query=query, parameters={"name": "Ida Brandt"})
    assert {triple["object"] for triple in found["evidence"]} == {"Harvest Moon", "North Pier"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_cypher_is_refused(assistant: Assistant, films_server: RunningServer, kind: str) -> None:
    with connect(films_server) as graph:
        before = graph.last_change()
        for query in filter(is_unicode, HOSTILE[kind][::11]):  # no client can send anything else
            assert assistant.error("cypher", query=query)
        assert graph.last_change() == before


def test_an_unknown_name_comes_back_with_the_nearest(assistant: Assistant) -> None:
    assert "Did you mean 'title'" in assistant.error("cypher", query="MATCH (m:Movie) RETURN m.titel")


def test_a_long_result_is_cut_to_the_budget(assistant: Assistant) -> None:
    query = "UNWIND split('" + ",".join(map(str, range(900))) + "', ',') AS x MATCH (m:Movie) RETURN x, m.title"
    found = assistant.call("cypher", query=query)
    assert found["left_out"]["rows"] > 0
    assert len(json.dumps(found)) <= 1000 * CHARACTERS


def test_the_server_says_on_standard_error_what_it_does_and_leaves_standard_output_alone(
    environment: dict[str, str],
) -> None:
    command = [sys.executable, "-m", "kgneo", "mcp"]
    done = subprocess.run(command, env=environment, input="", capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == ""
    assert "Read-only" in done.stderr


def test_it_is_served_by_http_to_this_machine_alone(environment: dict[str, str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kgneo", "mcp", "--http", "--port", str(port)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port)
            with talking_to(f"http://127.0.0.1:{port}/mcp") as found:
                assert found.call("ask", question="who directed [Rosalind]?", entities=[])["answers"]
                assert "would write" in found.error("cypher", query="MATCH (n) DETACH DELETE n")
            for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
                assert _status(port, header) in (403, 421)
        finally:
            process.terminate()


def _wait(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(port)


def _status(port: int, headers: dict[str, str]) -> int:
    sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/mcp", data=b"{}", headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:  # noqa: S310
            return int(reply.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_an_address_that_others_can_reach_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--http", "--host", "0.0.0.0"]) == 2  # noqa: S104 - it is refused
    assert "other machines" in capsys.readouterr().err


def test_without_the_sdk_the_command_says_what_to_install(tmp_path: Path) -> None:
    program = "import sys; sys.modules['mcp'] = None; from kgneo.cli.main import main; sys.exit(main(['mcp']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "[mcp]" in done.stderr


records = st.dictionaries(
    st.sampled_from(["rows", "evidence", "answer", "cypher", "more"]),
    st.one_of(st.lists(st.text(max_size=80), max_size=60), st.text(max_size=900), st.integers(0, 9)),
    min_size=1,
)


@settings(max_examples=50)
@given(record=records, tokens=st.integers(100, 400))
def test_a_result_fits_and_says_what_was_left_out(record: dict[str, Any], tokens: int) -> None:
    found = fitted(record, tokens)
    assert len(json.dumps(found, ensure_ascii=False)) <= tokens * CHARACTERS + 8 * len(record) + 60
    left_out = found.get("left_out", {})
    for key, value in record.items():
        if isinstance(value, list) and isinstance(found[key], list):
            assert len(found[key]) + left_out.get(key, 0) == len(value)
            assert found[key] == value[: len(found[key])]
