"""The life of a real server: started, raced for, killed, adopted, stopped. Five full starts in all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import neo4j
import psutil
import pytest
from click.testing import CliRunner

from kgneo.cli.main import main
from kgneo.cli.server import server as server_commands
from kgneo.errors import ServerError
from kgneo.server import RunningServer, start, status, stop
from kgneo.server.jars import find_distribution
from kgneo.server.process import find_process, kill
from kgneo.server.stores import ServerRecord, Store
from tests.conftest import VERSIONS

start_small = partial(start, heap="512m", page_cache="64m")
START_SCRIPT = """
import json, sys
from pathlib import Path
from kgneo.server import start
running = start(Path(sys.argv[1]), version=sys.argv[2], heap="512m", page_cache="64m")
print(json.dumps([running.pid, running.started, running.uri]))
"""


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KGNEO_NEO4J_VERSION", "KGNEO_HEAP", "KGNEO_PAGE_CACHE", "KGNEO_STORE", "KGNEO_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A running server of the pinned line, in a folder with a blank and an accent in its path."""
    folder = tmp_path_factory.mktemp("stores") / "un été"
    yield start_small(folder, version="2026")
    stop(folder)


@pytest.fixture(scope="module")
def raced_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("stores") / "raced"
    yield folder
    stop(folder)


@pytest.fixture(scope="module")
def older_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("stores") / "older"
    yield folder
    stop(folder)


def start_elsewhere(folder: Path, version: str) -> subprocess.Popen[str]:
    """A process in a session of its own that starts the store's server."""
    return subprocess.Popen(
        [sys.executable, "-c", START_SCRIPT, str(folder), version],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def wait_for_server_process(folder: Path, starter: subprocess.Popen[str]) -> ServerRecord:
    """The record of the server that `starter` has launched and that does not answer yet."""
    while (record := Store(folder).read_server()) is None:
        assert starter.poll() is None, "the starting process ended before it launched a server"
        time.sleep(0.02)
    assert not record.ready
    return record


def query(running: RunningServer, text: str) -> list[list[Any]]:
    with neo4j.GraphDatabase.driver(running.uri, auth=(running.username, running.password)) as driver:
        return [record.values() for record in driver.execute_query(text).records]


def test_a_started_server_answers_queries_at_its_address(server: RunningServer) -> None:
    assert server.started
    assert query(
        server, "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions[0]"
    ) == [[server.version]]


def test_status_finds_the_running_server(server: RunningServer) -> None:
    found = status(server.store)
    assert found is not None
    assert (found.uri, found.http_url, found.pid) == (server.uri, server.http_url, server.pid)
    assert found.password == server.password
    assert not found.started


def test_a_second_start_returns_the_running_server(server: RunningServer) -> None:
    again = start(server.store)
    assert (again.pid, again.uri, again.started) == (server.pid, server.uri, False)


def test_a_second_start_with_another_port_says_that_the_server_keeps_its_own(server: RunningServer) -> None:
    messages: list[str] = []
    again = start(server.store, bolt_port=1, report=messages.append)
    assert again.uri == server.uri
    assert [server.uri in message and "stop it first" in message for message in messages] == [True]


def test_the_server_listens_on_loopback_only(server: RunningServer) -> None:
    listening = {
        (connection.laddr.ip.removeprefix("::ffff:"), connection.laddr.port)
        for connection in psutil.Process(server.pid).net_connections("inet")
        if connection.status == psutil.CONN_LISTEN or connection.type == socket.SOCK_DGRAM
    }
    ports = {int(address.rsplit(":", 1)[1]) for address in (server.uri, server.http_url)}
    assert listening == {("127.0.0.1", port) for port in ports}


def test_a_login_without_the_password_is_refused(server: RunningServer) -> None:
    with (
        neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", "neo4j")) as driver,
        pytest.raises(neo4j.exceptions.AuthError),
    ):
        driver.verify_connectivity()


def test_neo4j_browser_is_served(server: RunningServer) -> None:
    with urllib.request.urlopen(f"{server.http_url}/browser/") as page:  # noqa: S310 - our own http address
        assert b"<title>Neo4j Browser" in page.read()


def test_nothing_is_sent_to_neo4j_or_broadcast(server: RunningServer) -> None:
    names = [
        "client.allow_telemetry",
        "dbms.fleet_manager.enabled",
        "dbms.usage_report.enabled",
        "server.bolt.telemetry.enabled",
        "server.fleet_discovery.enabled",
    ]
    rows = query(server, f"SHOW SETTINGS YIELD name, value WHERE name IN {names} RETURN name, value ORDER BY name")
    assert rows == [[name, "false"] for name in names]


def test_only_the_owner_can_read_the_password_and_the_store(server: RunningServer) -> None:
    assert stat.S_IMODE((server.store / "password").stat().st_mode) == 0o600
    assert stat.S_IMODE(server.store.stat().st_mode) == 0o700


def test_the_password_is_in_no_command_line_no_configuration_and_no_repr(server: RunningServer) -> None:
    assert server.password not in repr(server)
    assert server.password not in " ".join(psutil.Process(server.pid).cmdline())
    holders = [path for path in server.store.rglob("*") if path.is_file() and path.name != "password"]
    assert [path for path in holders if server.password.encode() in path.read_bytes()] == []


def test_the_server_runs_in_a_session_of_its_own(server: RunningServer) -> None:
    assert os.getsid(server.pid) == server.pid


def test_an_installed_version_is_found_again_without_jgo(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jgo", None)
    messages: list[str] = []
    assert find_distribution(server.version, messages.append).version == server.version
    assert messages == []


def test_a_store_is_not_opened_by_another_line_of_versions(server: RunningServer) -> None:
    with pytest.raises(ServerError, match=r"made with Neo4j 2026\.08\.1; version 5\.26\.19"):
        start(server.store, version="5.26")


def test_status_prints_everything_but_the_password(server: RunningServer) -> None:
    result = CliRunner().invoke(server_commands, ["status", "--store", str(server.store)])
    assert result.exit_code == 0
    for expected in (server.uri, f"{server.http_url}/browser/", str(server.pid), server.version, "/password"):
        assert expected in result.stdout
    assert server.password not in result.output


def test_status_prints_the_password_when_asked(server: RunningServer) -> None:
    result = CliRunner().invoke(server_commands, ["status", "--store", str(server.store), "--show-password"])
    assert server.password in result.stdout


def test_status_as_json_is_one_object_without_the_password(server: RunningServer) -> None:
    result = CliRunner().invoke(server_commands, ["status", "--store", str(server.store), "--json"])
    fields = json.loads(result.stdout)
    assert (fields["running"], fields["uri"], fields["pid"]) == (True, server.uri, server.pid)
    assert fields["size_bytes"] > 100_000
    assert "password" not in fields
    assert server.password not in result.stdout


def test_the_start_command_names_the_next_command(server: RunningServer) -> None:
    result = CliRunner().invoke(server_commands, ["start", "--store", str(server.store)])
    assert f"Already running: Neo4j {server.version} at {server.uri}" in result.stdout
    assert "Next: kgneo load" in result.stdout


def test_two_racing_starts_give_one_server_to_both(raced_store: Path) -> None:
    starters = [start_elsewhere(raced_store, "2026") for _ in range(2)]
    results = [json.loads(starter.communicate()[0]) for starter in starters]
    (first_pid, first_started, first_uri), (second_pid, second_started, second_uri) = results
    assert (first_pid, first_uri) == (second_pid, second_uri)
    assert sorted([first_started, second_started]) == [False, True]


def test_a_killed_server_is_started_again_with_everything_committed(raced_store: Path) -> None:
    running = start_small(raced_store, version="2026")
    query(running, "CREATE (:Entity {name: 'committed before the kill'})")
    killed = psutil.Process(running.pid)
    killed.kill()
    killed.wait(10)
    assert status(raced_store) is None
    again = start_small(raced_store)
    assert again.started
    assert again.pid != running.pid
    assert again.uri == running.uri, "the ports are free, so they are kept"
    assert query(again, "MATCH (e:Entity) RETURN e.name") == [["committed before the kill"]]


def test_interrupting_a_start_leaves_no_server(older_store: Path) -> None:
    starter = start_elsewhere(older_store, "5.26")
    record = wait_for_server_process(older_store, starter)
    os.killpg(starter.pid, signal.SIGINT)
    starter.communicate()
    assert starter.returncode in (-signal.SIGINT, 130)
    assert not psutil.pid_exists(record.pid)
    assert find_process(Store(older_store)) is None
    assert status(older_store) is None


def test_a_server_whose_starter_was_killed_is_taken_over(older_store: Path) -> None:
    starter = start_elsewhere(older_store, "5.26")
    record = wait_for_server_process(older_store, starter)
    starter.kill()
    starter.communicate()
    running = start_small(older_store, version="5.26")
    assert (running.pid, running.started, running.version) == (record.pid, False, "5.26.19")
    assert query(running, "RETURN 1") == [[1]]


def test_a_stopped_server_has_everything_when_started_again(older_store: Path) -> None:
    running = start_small(older_store, version="5.26")
    query(running, "UNWIND range(1, 1000) AS number CREATE (:Entity {name: toString(number)})")
    assert stop(older_store)
    assert not psutil.pid_exists(running.pid)
    assert status(older_store) is None
    assert not stop(older_store)
    again = start_small(older_store)
    assert again.version == "5.26.19", "a store keeps the version that it was made with"
    assert query(again, "MATCH (e:Entity) RETURN count(e)") == [[1000]]


def test_the_stop_command_ends_the_server(older_store: Path) -> None:
    result = CliRunner().invoke(server_commands, ["stop", "--store", str(older_store), "--json"])
    assert json.loads(result.stdout) == {"store": str(older_store), "running": False, "stopped": True}
    assert find_process(Store(older_store)) is None


def test_a_given_port_that_is_taken_is_an_error_that_names_it(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ServerError, match=f"Port {port} is already in use") as raised:
            start_small(tmp_path / "store", bolt_port=port)
    assert "--bolt-port" in raised.value.hint
    assert find_process(Store(tmp_path / "store")) is None


def test_a_store_of_5_26_is_opened_by_2026_where_that_is_asked_for_and_never_back(
    older_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNEO_NEO4J_VERSION", "2026")
    with pytest.raises(ServerError, match="of the next line") as raised:
        start_small(older_store)
    assert "kgneo server start --version 2026" in raised.value.hint
    said: list[str] = []
    running = start_small(older_store, version="2026", report=said.append)
    assert "cannot open it any more" in said[0]  # before it is touched
    assert query(running, "MATCH (e:Entity) RETURN count(e)") == [[1000]]
    stop(older_store)
    with pytest.raises(ServerError, match="is older"):
        start_small(older_store, version="5.26")


def test_a_copy_of_a_store_is_opened_unless_its_server_ran(older_store: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(older_store, tmp_path / "stopped")
    start_small(older_store)
    shutil.copytree(older_store, tmp_path / "running", ignore=shutil.ignore_patterns("*.lock", "store_lock"))
    stop(older_store)
    with pytest.raises(ServerError, match="made while the server of that ran") as raised:
        start_small(tmp_path / "running")
    assert "server.json" in raised.value.hint
    running = start_small(copy)
    assert query(running, "MATCH (e:Entity) RETURN count(e)") == [[1000]]
    stop(copy)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_log_that_ends_inside_a_transaction_costs_nothing_that_was_committed(tmp_path: Path, version: str) -> None:
    folder = tmp_path / "store"
    running = start_small(folder, version=version)
    log = max(Store(folder).transaction_logs.glob("neostore.transaction.db.*"))
    for number in range(4):
        begun = log.stat().st_size
        query(running, f"UNWIND range(1, 1000) AS one CREATE (:Entity {{name: {number} + ' ' + one}})")
    kill(psutil.Process(running.pid))
    written = log.read_bytes()
    log.write_bytes(written[: begun + (len(written) - begun) // 2])
    try:
        again = start_small(folder)
        assert query(again, "MATCH (e:Entity) RETURN count(e)") == [[3000]]
    finally:
        stop(folder)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 100 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", str(disk)]
    if subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_whose_disk_was_full_has_all_that_was_committed(
    small_disk: Path, version: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, committed = small_disk / "store", 0
    running = start_small(folder, version=version)
    try:
        filler = small_disk / "filler"
        filler.write_bytes(b"x" * max(0, shutil.disk_usage(small_disk).free - 20 * 2**20))
        with (
            neo4j.GraphDatabase.driver(running.uri, auth=(running.username, running.password)) as driver,
            driver.session() as session,
            suppress(neo4j.exceptions.Neo4jError),
        ):
            while True:
                session.run("UNWIND range(1, 2000) AS one CREATE (:Entity {name: 'name ' + one})").consume()
                committed += 2000
        filler.unlink()
        assert committed
        assert main(["server", "start", "--store", str(folder), "--heap", "512m"]) == 0
        error = capsys.readouterr().err
        assert "starting it again" in error
        found = status(folder)
        assert found is not None
        counted = query(found, "MATCH (e:Entity) RETURN count(e)")[0][0]
        assert counted in (committed, committed + 2000)  # of the last one nobody heard
    finally:
        stop(folder)


def test_a_start_that_fails_says_why_in_a_line_and_where_its_log_is(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with pytest.raises(ServerError, match=r"did not start: .*heap") as raised:
        start(folder, version="2026", heap="1k", page_cache="64m")
    assert "\n" not in raised.value.message
    assert str(folder / "neo4j" / "logs" / "start.log") in raised.value.hint
    assert len(raised.value.hint.splitlines()) > 1
    assert status(folder) is None
