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
from dataclasses import replace
from pathlib import Path

import pytest

from kgneo.cli.main import main
from kgneo.cli.remote import ELSEWHERE, ask_server, remote, verify_server
from kgneo.context import Context
from kgneo.graph import Graph
from kgneo.serve.announce import Announced, Announcement, find
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
def address(sample_context: Context) -> Iterator[str]:
    with listening(sample_context, token="sesame") as found:  # noqa: S106
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


@pytest.fixture
def announced(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Announcement:
    """A server that announced itself in the folder of the default store."""
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    folder = tmp_path / "stores" / "default"
    folder.mkdir(parents=True)
    told = Announcement(folder, Announced(address, os.getpid(), "", {"": "paths"}, "sesame"))
    told.publish()
    return told


@pytest.mark.usefixtures("announced")
def test_a_server_of_the_same_store_is_asked_without_being_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what is the capital of [Ethiopia]?", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["answers"] == ["Addis Ababa"]
    assert record["browser"]  # which only a server adds


def test_a_server_with_other_terms_is_not_asked(
    announced: Announcement, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "kgneo.terms.toml"
    file.write_text("", encoding="utf-8")
    question = ["ask", "what is the capital of [Ethiopia]?", "--json"]
    assert main(question) == 1
    assert "there is no store 'default'" in capsys.readouterr().err, "it looked for the graph by itself"
    replace(announced, announced=replace(announced.announced, terms=str(file))).publish()
    assert main(question) == 0


def test_an_answer_looks_the_same_from_a_server_and_from_here(
    announced: Announcement, sample_graph: Graph, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sample_graph
    question = "which seas do the rivers of [Germany] flow into?"
    assert main(["ask", question]) == 0  # its address is in the environment, so that this is answered here
    here = capsys.readouterr().out
    monkeypatch.delenv("NEO4J_URI")
    assert main(["ask", question]) == 0
    assert capsys.readouterr().out == here
    assert announced.folder.is_dir()


def test_what_was_announced_is_for_its_owner_and_hides_the_token(announced: Announcement) -> None:
    file = announced.folder / "serve.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "sesame" not in repr(announced)
    announced.withdraw()
    assert list(announced.folder.iterdir()) == []


def test_a_server_is_announced_while_it_listens(sample_context: Context, tmp_path: Path) -> None:
    announced = Announced("http://127.0.0.1:1", os.getpid(), "this", {"": "paths"})
    with listening(sample_context, Announcement(tmp_path, announced)):
        assert find(tmp_path) == announced
    assert find(tmp_path) is None


def test_an_announcement_of_another_server_stays(announced: Announcement) -> None:
    other = replace(announced, announced=replace(announced.announced, mark="other"))
    other.withdraw()
    assert find(announced.folder) == announced.announced


def test_a_server_that_is_gone_is_not_found(announced: Announcement) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    replace(announced, announced=replace(announced.announced, pid=gone.pid)).publish()
    assert find(announced.folder) is None


def test_a_server_of_another_version_is_not_found(announced: Announcement) -> None:
    replace(announced, announced=replace(announced.announced, version="0.0.9")).publish()
    assert find(announced.folder) is None


CAPITAL = "what is the capital of [Ethiopia]?"


@pytest.mark.usefixtures("announced")
@pytest.mark.parametrize(
    "options",
    [["--here"], ["--min-confidence", "0.1"], ["--llm", "smollm2"], ["--store", "other"], ["--direction=out"]],
)
def test_options_that_the_server_does_not_have_are_for_this_process(options: list[str]) -> None:
    assert not ask_server([CAPITAL, *options], {})


@pytest.mark.usefixtures("announced")
def test_a_claim_is_judged_by_the_server_and_with_a_model_by_this_process(capsys: pytest.CaptureFixture[str]) -> None:
    claim = "The [Danube] flows through [Austria]."
    assert verify_server([claim, "--quiet"], {})
    assert capsys.readouterr().out == "supported\n"
    assert not verify_server([claim, "--llm", "smollm2"], {})
    assert not verify_server([claim], {"llm": "smollm2"})


@pytest.mark.usefixtures("announced")
def test_options_of_the_environment_and_of_the_file_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask_server([CAPITAL], {"hops": 2})
    assert not ask_server([CAPITAL], {"direction": "out"})
    monkeypatch.setenv("KGNEO_LLM_CACHE", "replies")
    assert not ask_server([CAPITAL], {})


@pytest.mark.parametrize("field", [{"mark": "another"}, {"token": "wrong"}, {"address": "http://127.0.0.1:1"}])
def test_a_server_that_does_not_answer_leaves_the_question_to_this_process(
    announced: Announcement, field: dict[str, str]
) -> None:
    replace(announced, announced=replace(announced.announced, **field)).publish()  # type: ignore[arg-type]
    assert not ask_server([CAPITAL], {})


@pytest.mark.usefixtures("announced")
def test_what_would_go_wrong_here_too_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "what is the capital of [Ethopia]?"]) == 1
    assert "no entity named 'Ethopia'" in capsys.readouterr().err


def test_every_option_of_asking_is_known_to_be_for_a_server_or_not() -> None:
    from kgneo.cli.ask import ask

    theirs = {parameter.name for parameter in remote.params} | set(ELSEWHERE)
    of_an_address = {"username", "password", "token"}
    assert {parameter.name for parameter in ask.params} - {"help"} - of_an_address == theirs


def test_asking_a_server_imports_neither_driver_nor_encoder() -> None:
    script = "import sys, kgneo.cli.main as main; main.main(['ask', 'who?', '--server', 'http://127.0.0.1:1'])"
    script += "; print([name for name in ('neo4j', 'numpy', 'onnxruntime', 'tqdm') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
