"""Start, stop and status of the server of a store."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from kgneo.cache_files import needed
from kgneo.errors import ServerError
from kgneo.folders import free_space, write_private
from kgneo.server.archive import FROM_JAVA, archive_of, training_options
from kgneo.server.configuration import (
    LOOPBACK,
    Memory,
    choose_memory,
    choose_ports,
    java_command,
    machine_memory,
    server_command,
    write_configuration,
)
from kgneo.server.jars import Distribution, find_distribution
from kgneo.server.java import Java, find_java
from kgneo.server.login import DatabaseFailed, answers, train
from kgneo.server.logs import CUT_OFF, PORT_IN_USE, cause_of, errors_since, last_lines, read_tail
from kgneo.server.process import child_environment, end, find_process, kill, launch, process_of
from kgneo.server.stores import ServerRecord, Store, StoreRecord
from kgneo.server.versions import choose_version, line_of, minimum_java

USERNAME = "neo4j"
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that answers on Bolt. Neo4j Browser is at `http_url` + "/browser/"."""

    store: Path
    uri: str
    http_url: str
    username: str
    password: str = field(repr=False)
    pid: int
    version: str
    started: bool


@dataclass(frozen=True, slots=True)
class _Start:
    """What one start works with."""

    store: Store
    memory: Memory
    bolt_port: int | None
    http_port: int | None
    report: Callable[[str], None]
    timeout: float
    java_options: tuple[str, ...] = ()


def _silent(message: str) -> None:
    """Report nothing."""


def start(
    store: Path,
    *,
    version: str | None = None,
    heap: str | None = None,
    page_cache: str | None = None,
    bolt_port: int | None = None,
    http_port: int | None = None,
    report: Callable[[str], None] = _silent,
    timeout: float = 180,
) -> RunningServer:
    """The server of a store: the one that runs already, else a new one, once a login succeeds.

    `version` is a line ("5.26", "2026") or an exact version, by default KGNEO_NEO4J_VERSION, the store's own
    or the pinned one. `heap` and `page_cache` are sizes ("1g"), by default KGNEO_HEAP and KGNEO_PAGE_CACHE or
    a share of the machine's memory. `timeout` is how long, in seconds, the server may take to answer (a
    download comes on top). The server outlives this process. Whatever ends this call early, Ctrl-C included,
    ends the server that it started.

    Raises UsageError for options that cannot be, ServerError when there is no server to be had.
    """
    place = Store(store.expanduser().resolve())
    asked = version or os.environ.get("KGNEO_NEO4J_VERSION") or None
    upgrade = version is not None
    choose_version(asked, version_of(place), upgrade=upgrade)
    _check_whole(place)
    memory = choose_memory(heap, page_cache, machine_memory())
    running = status(store)
    if running is None:
        place.create()
        with place.lock(timeout + 120, report), _on_its_disk(place):
            task = _Start(place, memory, bolt_port, http_port, report, timeout)
            running = _adopt(task) or _start_new(task, choose_version(asked, version_of(place), upgrade=upgrade))
    _report_other_ports(running, bolt_port, http_port, report)
    return running


def _check_whole(store: Store) -> None:
    """Raises ServerError where the store is a copy that was made while its server wrote into it."""
    server = store.read_server()
    if server is not None and server.folder and Path(server.folder) != store.folder and store.has_data:
        raise ServerError(
            f"The store {store.folder} is a copy of {server.folder}, made while the server of that ran: it may lack "
            "what was being written.",
            hint=f"Stop that server, and copy again. Where the server was killed and the folder moved since, remove "
            f"{store.server_file}: Neo4j then mends what the last write left.",
        )


@contextmanager
def _on_its_disk(store: Store) -> Iterator[None]:
    """Raises ServerError where a file of the store cannot be written."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        raise ServerError(
            f"The store {store.folder} cannot be written: {error.strerror or error} ({free_space(store.folder)}).",
            hint="Free some space on its disk, and run `kgneo server start` again.",
        ) from error


def status(store: Path) -> RunningServer | None:
    """The server that runs on a store and has answered a login; None when there is none (yet)."""
    place = Store(store.expanduser().resolve())
    server = place.read_server()
    if server is None or not server.ready or process_of(place, server.pid) is None:
        return None
    record = place.read_record()
    return _running(place, record, server.pid) if record else None


def healthy(store: Path) -> bool:
    """False where the server that runs on a store says that its database has stopped, as it does when its disk is full:
    it has to be started again."""
    running = status(store)
    if running is not None:
        try:
            answers(running.uri, running.http_url, running.username, running.password)
        except DatabaseFailed:
            return False
    return True


def stop(store: Path, *, timeout: float = 120) -> bool:
    """End the server of a store and wait until it has written everything; False when none was running.

    Raises ServerError when it has not ended after `timeout` seconds.
    """
    place = Store(store.expanduser().resolve())
    if not place.folder.is_dir() or (place.read_server() is None and find_process(place) is None):
        return False
    with place.lock(timeout + 180, _silent):
        process = find_process(place)
        if process is not None:
            # From here on nobody takes it for a server that can be used.
            try:
                place.write_server(ServerRecord(process.pid, ready=False))
            except OSError:  # a full disk is a reason to stop it
                place.forget_server()
            if not end(process, timeout):
                raise ServerError(
                    f"The server of the store {place.folder} (process {process.pid}) has not ended after "
                    f"{timeout:.0f} s.",
                    hint="It may be writing a lot to the disk: run the same command again to wait longer.",
                )
        place.forget_server()
        return process is not None


def prepare(*, version: str | None = None, report: Callable[[str], None] = _silent) -> Path | None:
    """Make the archive from which servers of `version` start in about half of the time (`archive`); None where the
    Java that is found cannot. One that is there is kept.

    Takes a minute, on a store of its own that is deleted afterwards. Raises UsageError and ServerError as `start`.
    """
    distribution, java = fetch(version=version, report=report)
    if java.version < FROM_JAVA:
        return None
    archive = archive_of(java, distribution)
    with needed(archive.parent):
        archive.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(archive.with_suffix(".lock")):
            if not archive.is_file():
                with TemporaryDirectory(prefix="kgneo-prepare-") as folder:
                    _make_archive(Path(folder), distribution.version, java, archive, report)
    return archive


def fetch(*, version: str | None = None, report: Callable[[str], None] = _silent) -> tuple[Distribution, Java]:
    """Neo4j's jars of `version`, downloaded where they are not here, and the Java that would run them.

    Raises UsageError and ServerError as `start`.
    """
    chosen = choose_version(version or os.environ.get("KGNEO_NEO4J_VERSION") or None, None)
    return find_distribution(chosen, report), find_java(minimum_java(chosen))


def _make_archive(folder: Path, version: str, java: Java, archive: Path, report: Callable[[str], None]) -> None:
    draft, store = folder / archive.name, Store((folder / "store").resolve())
    store.create()
    task = _Start(store, Memory("512m", "64m"), None, None, report, 180, tuple(training_options(java, draft)))
    running = _start_new(task, version)
    try:
        train(running.uri, running.username, running.password)
    finally:
        report("Writing the archive, half a minute or more …")
        stop(store.folder, timeout=600)
    if not draft.is_file():
        raise _failure(store, f"Java wrote no archive of Neo4j {version}", read_tail(store.start_log))
    whole = archive.with_suffix(".draft")
    shutil.move(draft, whole)
    whole.replace(archive)


def version_of(store: Store) -> str | None:
    """The version that wrote the store, None for a store without data, which any can have.

    Raises ServerError where data do not say which wrote them.
    """
    if not store.has_data:
        return None
    record = store.read_record()
    if record is None:
        raise ServerError(
            f"The store {store.folder} has data, and its store.json does not say which version of Neo4j made it.",
            hint='Write it down there: {"version": "2026.08.1", "bolt_port": 0, "http_port": 0}.',
        )
    return record.version


def _running(store: Store, record: StoreRecord, pid: int, *, started: bool = False) -> RunningServer:
    return RunningServer(
        store=store.folder,
        uri=f"bolt://{LOOPBACK}:{record.bolt_port}",
        http_url=f"http://{LOOPBACK}:{record.http_port}",
        username=USERNAME,
        password=store.password(),
        pid=pid,
        version=record.version,
        started=started,
    )


def _report_other_ports(
    running: RunningServer, bolt_port: int | None, http_port: int | None, report: Callable[[str], None]
) -> None:
    asked_elsewhere = (bolt_port and not running.uri.endswith(f":{bolt_port}")) or (
        http_port and not running.http_url.endswith(f":{http_port}")
    )
    if asked_elsewhere:
        report(
            f"The store's server already runs at {running.uri} and {running.http_url}; "
            "stop it first to change its ports."
        )


def _adopt(task: _Start) -> RunningServer | None:
    """A server that another command left running on the store, once it answers; None when there is none."""
    process, record = find_process(task.store), task.store.read_record()
    if process is None or record is None:
        return None
    task.report(f"A server that an earlier command left starting is process {process.pid}; waiting for it.")
    running = _running(task.store, record, process.pid)
    try:
        if not _wait_until_ready(task, running):
            return None
    except DatabaseFailed:
        _clear_away(task.store, process.pid)
        return None
    task.store.write_server(ServerRecord(process.pid, ready=True))
    return running


def _start_new(task: _Start, version: str) -> RunningServer:
    java = find_java(minimum_java(version))
    # A given port that is taken is said before anything is downloaded.
    choose_ports(task.bolt_port, task.http_port, task.store.read_record())
    distribution = find_distribution(version, task.report)
    _report_upgrade(task, version)
    task.report(f"Starting Neo4j {version} on the store {task.store.folder} (Java {java.version}, {java.path}).")
    tried: list[str] = []
    while True:
        ports = choose_ports(task.bolt_port, task.http_port, task.store.read_record())
        record = StoreRecord(version, *ports)
        task.store.write_record(record)
        write_configuration(task.store, record, task.memory, mended=CUT_OFF in tried)
        if not task.store.has_data:
            _set_initial_password(task, java, distribution)
        began, logged = time.monotonic(), task.store.logged()
        running = _launch_and_wait(task, java, distribution, record)
        if isinstance(running, RunningServer):
            task.report(f"Neo4j answers at {running.uri} after {time.monotonic() - began:.1f} s.")
            return running
        log = read_tail(task.store.start_log)
        cause = cause_of("\n".join(filter(None, (log, running, errors_since(task.store.debug_log, logged)))))
        if cause in tried or cause not in (PORT_IN_USE, CUT_OFF):
            raise _failure(task.store, f"Neo4j {version} did not start: {cause}", log)
        if cause == CUT_OFF:
            task.report(
                f"Neo4j did not start: {cause}, as a full disk leaves it. Starting again without that transaction; all "
                f"that was committed before it stays. The log as it was is in {_put_aside(task.store)}."
            )
        tried.append(cause)


def _report_upgrade(task: _Start, version: str) -> None:
    recorded = version_of(task.store)
    if recorded is not None and line_of(recorded) != line_of(version):
        task.report(
            f"The store was made with Neo4j {recorded}. From now on it belongs to Neo4j {version}, and {recorded} "
            "cannot open it any more; indexes may take a while to be online."
        )


def _put_aside(store: Store) -> Path:
    """Where the transaction log is copied to, before Neo4j cuts it off. Raises ServerError where that has no room."""
    place = store.folder / f"transactions-{time.strftime('%Y%m%d-%H%M%S')}"
    try:
        shutil.copytree(store.transaction_logs, place)
    except (OSError, shutil.Error) as error:
        shutil.rmtree(place, ignore_errors=True)
        raise ServerError(
            f"The store {store.folder} has a transaction log to be mended, which cannot be copied first: {error}.",
            hint=f"Free some space on its disk ({free_space(store.folder)}), and run `kgneo server start` again.",
        ) from error
    return place


def _launch_and_wait(task: _Start, java: Java, distribution: Distribution, record: StoreRecord) -> RunningServer | str:
    """Start the server and wait for it. What it says, perhaps nothing, when it ended by itself or has no database; any
    other failure ends it here."""
    store = task.store
    command = server_command(store, java, distribution, task.memory.heap, task.java_options)
    pid = launch(command, store.home, store.start_log)
    ready = False
    try:
        store.write_server(ServerRecord(pid, ready=False))
        running = _running(store, record, pid, started=True)
        ready = _wait_until_ready(task, running)
        if ready:
            store.write_server(ServerRecord(pid, ready=True))
            return running
        return ""
    except DatabaseFailed as failed:
        return str(failed)
    finally:
        if not ready:
            _clear_away(store, pid)


def _clear_away(store: Store, pid: int) -> None:
    process = process_of(store, pid)
    try:
        if process is not None:
            end(process, timeout=20)
    finally:
        if process is not None and process_of(store, pid) is not None:
            kill(process)
        store.forget_server()


def _wait_until_ready(task: _Start, server: RunningServer) -> bool:
    """True once a login succeeds, False when the process has ended. Raises DatabaseFailed, and ServerError after the
    timeout."""
    logged = task.store.logged()
    deadline = time.monotonic() + task.timeout
    while process_of(task.store, server.pid) is not None:
        if answers(server.uri, server.http_url, server.username, server.password):
            return True
        if time.monotonic() > deadline:
            message = f"Neo4j did not answer at {server.uri} within {task.timeout:.0f} s"
            if errors := errors_since(task.store.debug_log, logged):
                message += f": {cause_of(errors)}"
            raise _failure(task.store, f"{message}.", read_tail(task.store.start_log))
        time.sleep(_POLL_SECONDS)
    return False


def _set_initial_password(task: _Start, java: Java, distribution: Distribution) -> None:
    """Give the new store its password before its first start, through a file: a command line is public."""
    store = task.store
    with TemporaryDirectory(prefix="password-", dir=store.folder) as name:
        folder = Path(name)
        # neo4j-admin does not know all of the server's settings, and needs none of them.
        (folder / "neo4j.conf").touch()
        arguments = folder / "arguments"
        write_private(arguments, f"dbms\nset-initial-password\n{store.password()}\n")
        done = subprocess.run(
            java_command(store, java, distribution, "256m", "org.neo4j.cli.AdminTool", f"@{arguments}"),
            cwd=store.home,
            env=child_environment() | {"NEO4J_HOME": str(store.home), "NEO4J_CONF": name},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode != 0:
        log = done.stdout + done.stderr
        store.start_log.write_text(log, encoding="utf-8")
        raise _failure(store, f"Neo4j could not be given a password: {cause_of(log)}", log)


def _failure(store: Store, message: str, log: str) -> ServerError:
    hint = f"The full log is {store.start_log}"
    return ServerError(message, hint=f"{hint}; its last lines:\n{last_lines(log)}" if log.strip() else f"{hint}.")
