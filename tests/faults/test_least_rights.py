"""Least rights: nothing is written where nothing may be, and no secret is left anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from kgneo.graph import Graph
from kgneo.server import RunningServer
from tests.conftest import on_one_version
from tests.faults import drawn

pytestmark = on_one_version
FILL = """
UNWIND range(0, 30) AS n
CREATE (:Person {name: 'Person ' + n + 'x', age: 20 + n})-[:WROTE]->(:Review {stars: n % 5, text:
  'The soup in number ' + n + ' was cold, and nobody came to ask whether anything was wrong with it.'})
"""
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ask", "who wrote about cold soup?"),
    ("ask", "how many people are there?"),
    ("ask", "--strategy", "kaping", "--llm", "scripted:{script}", "who is [Person 3x]?"),
    ("verify", "Person 3x is 23 years old."),
    ("schema",),
    ("index",),
    ("index", "--texts"),
    ("index", "--dry-run"),
    ("retrieve", "what did [Person 3x] write?"),
    ("terms", "draft"),
    ("learn", "{questions}"),
    ("index", "--remove"),
)
FEW = 4
"""Commands of which the quick run has some."""
SECRETS = {"KGNEO_ACCESS_TOKEN": "token-9a41c7", "OPENAI_API_KEY": "key-77d0e2"}


@pytest.fixture
def folder(graph: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with data and cache folders of its own, beside a graph with texts."""
    graph.write(FILL)
    for name, place in (("KGNEO_CACHE_DIR", "cache"), ("KGNEO_DATA_DIR", "data"), ("TMPDIR", "tmp")):
        (tmp_path / place).mkdir()
        monkeypatch.setenv(name, str(tmp_path / place))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.jsonl").write_text('{"match": ".", "reply": "Person 3x"}\n', encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(
        '{"question": "the age of Person 4x?", "answers": ["24"]}\n', encoding="utf-8"
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    names = {"script": folder / "script.jsonl", "questions": folder / "questions.jsonl"}
    command = [sys.executable, "-m", "kgneo", *(text.format(**names) for text in arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=folder)


def transaction_logs(server: RunningServer) -> dict[str, int]:
    """The transaction logs of the database, and how long each is."""
    found = server.store.rglob("transactions/neo4j/neostore.transaction.db.*") if server.store.name else []
    return {file.name: file.stat().st_size for file in found}


def test_nothing_is_written_with_read_only(graph: Graph, server: RunningServer, folder: Path) -> None:
    before, logs = graph.last_change(), transaction_logs(server)
    for command in drawn(COMMANDS, FEW):
        result = run(folder, command[0], "--read-only", *command[1:]) if command[0] != "terms" else run(
            folder, "terms", command[1], "--read-only"
        )  # fmt: skip
        assert "Traceback" not in result.stderr, result.stderr
        assert graph.last_change() == before, command
    if logs:
        assert transaction_logs(server) == logs


def test_no_secret_is_left_in_what_a_run_writes_and_says(
    graph: Graph, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    said = [run(folder, *command) for command in drawn(COMMANDS, FEW)]
    said += [run(folder, "ask", "who?", "--uri", graph.address, "--username", "nobody")]
    said += [run(folder, "ask", "--llm", "openai:none", "--llm-url", "http://127.0.0.1:9/v1", "who is like Person 3x?")]
    told = serve_and_ask(folder)
    secrets = [*SECRETS.values(), os.environ["NEO4J_PASSWORD"]]
    texts = [*(result.stdout + result.stderr for result in said), told]
    assert not any(secret in text for secret in secrets for text in texts)
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    assert len(files) > 5
    for file in files:
        content = file.read_bytes()
        assert not any(secret.encode() in content for secret in secrets), file


def serve_and_ask(folder: Path) -> str:
    """What a server says that is asked with and without its token, and what its command line shows."""
    log = folder / "serve.log"
    with log.open("w") as file:
        command = [sys.executable, "-m", "kgneo", "serve", "--port", "0", "--log-requests"]
        process = subprocess.Popen(command, stdout=file, stderr=file, cwd=folder)
    try:
        until = time.monotonic() + 120
        while "Page: " not in log.read_text() and time.monotonic() < until:
            assert process.poll() is None, log.read_text()
            time.sleep(0.2)
        address = log.read_text().partition("Page: ")[2].split()[0]
        token = {"Authorization": f"Bearer {SECRETS['KGNEO_ACCESS_TOKEN']}"}
        body = {"question": "how many people are there?"}
        answers = [
            httpx.post(f"{address}api/v1/ask", json=body, headers=headers, timeout=60).text for headers in (token, {})
        ]
        shown = Path(f"/proc/{process.pid}/cmdline").read_text() if sys.platform == "linux" else ""
        return "\n".join([*answers, shown])
    finally:
        process.terminate()
        process.wait(30)
