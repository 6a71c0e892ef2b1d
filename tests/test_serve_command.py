"""`kgneo serve` as a process: where it listens, what it refuses, how it stops."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgneo.asking import open_context
from kgneo.cli.main import main
from kgneo.embedding import OnnxEncoder
from kgneo.graph import Graph
from kgneo.server import RunningServer
from tests.conftest import connect
from tests.serving import listening


def test_it_does_not_listen_beyond_this_machine_without_a_token(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--host", "0.0.0.0"]) == 2  # noqa: S104
    error = capsys.readouterr().err
    assert "KGNEO_ACCESS_TOKEN" in error
    assert "--without-token" in error


def test_a_port_that_is_taken_is_told_before_anything_is_loaded(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port, "--uri", "bolt://127.0.0.1:1"]) == 2
    assert f"port {port}" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_it_answers_until_it_is_told_to_stop_and_ends_what_is_asked(sample_graph: Graph, tmp_path: Path) -> None:
    assert sample_graph
    log = tmp_path / "log"
    with log.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "kgneo", "serve", "--port", "0", "--log-requests"], stderr=file, env=os.environ
        )
    try:
        address = _address(log, process)
        body = json.dumps({"question": "what is the capital of [Ethiopia]?"}).encode()
        request = urllib.request.Request(f"{address}api/v1/ask", body, {"Content-Type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            assert json.load(response)["answers"] == ["Addis Ababa"]
        process.send_signal(signal.SIGTERM)
        process.wait(20)
    finally:
        process.kill()
        process.wait()
    said = log.read_text()
    assert "POST /api/v1/ask 200" in said
    assert "Ethiopia" not in said
    assert "Traceback" not in said
    assert process.returncode in (0, -signal.SIGTERM)


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    """The address that the server says, once it answers."""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text()
        said = log.read_text()
        if "Page: " in said:
            address = said.partition("Page: ")[2].split()[0]
            try:
                with urllib.request.urlopen(f"{address}api/v1/health", timeout=60):  # noqa: S310
                    return address
            except OSError:
                pass
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def address(_sample_server: RunningServer, encoder: OnnxEncoder) -> Iterator[str]:
    with connect(_sample_server) as graph, listening(open_context(graph, encoder=encoder), token="sesame") as found:  # noqa: S106
        yield found


@pytest.fixture
def _token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_ACCESS_TOKEN", "sesame")


@pytest.mark.usefixtures("_token")
def test_a_running_server_is_asked(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what is the capital of [Ethiopia]?", "--server", address]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[0] == "Addis Ababa"
    assert "(Ethiopia, has_capital, Addis Ababa)" in said
    assert main(["ask", "what is the capital?", f"--server={address}", "-e", "Ethiopia", "--quiet"]) == 0
    assert capsys.readouterr().out == "Addis Ababa\n"


@pytest.mark.usefixtures("_token")
def test_a_server_s_refusal_is_told_in_its_words(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what is the capital of [Ethopia]?", "--server", address, "--json"]) == 1
    assert "Error: The graph has no entity named 'Ethopia'." in capsys.readouterr().err


def test_a_server_that_wants_a_token_is_told_to_be_given_one(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "who?", "--server", address]) == 1
    assert "KGNEO_ACCESS_TOKEN" in capsys.readouterr().err


@pytest.mark.parametrize(("server", "code"), [("127.0.0.1:1", 2), ("http://127.0.0.1:x", 2), ("http://127.0.0.1:1", 1)])
def test_what_is_no_server_is_an_error(server: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "who?", "--server", server]) == code
    assert server in capsys.readouterr().err


def test_asking_a_server_imports_neither_driver_nor_encoder() -> None:
    script = "import sys, kgneo.cli.main as main; main.main(['ask', 'who?', '--server', 'http://127.0.0.1:1'])"
    script += "; print([name for name in ('neo4j', 'numpy', 'onnxruntime', 'tqdm') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
