"""Memory, ports, neo4j.conf and the command line of a server."""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from kgneo.errors import ServerError, UsageError
from kgneo.folders import write_private
from kgneo.server.archive import archive_options
from kgneo.server.jars import Distribution
from kgneo.server.java import Java
from kgneo.server.process import home_argument
from kgneo.server.stores import Store, StoreRecord

LOOPBACK = "127.0.0.1"
EXTRA = "neo4j.extra.conf"
_MEBIBYTE = 2**20
_SIZE = re.compile(r"[1-9]\d{0,9}[kmgKMG]?")
_JAVA_OPTIONS = (
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-OmitStackTraceInFastThrow",
    "-Dfile.encoding=UTF-8",
    "-Djava.awt.headless=true",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "-Dlog4j2.disable.jmx=true",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
)


@dataclass(frozen=True, slots=True)
class Memory:
    """The server's heap and page cache, as Java and Neo4j write sizes ("512m", "2g")."""

    heap: str
    page_cache: str


def machine_memory() -> int:
    """Bytes of memory that this machine, or the container around us, has."""
    total = int(psutil.virtual_memory().total)
    for name in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            total = min(total, int(Path(name).read_text(encoding="ascii")))
        except (OSError, ValueError):
            continue
    return total


def choose_memory(heap: str | None, page_cache: str | None, machine: int) -> Memory:
    """What was asked for, else KGNEO_HEAP and KGNEO_PAGE_CACHE, else a share of the machine's bytes.

    A quarter for the heap and an eighth for the page cache, at most 2 GiB each. Raises UsageError for a size
    that is none.
    """
    heap = heap or os.environ.get("KGNEO_HEAP") or _share(machine // 4, smallest=256)
    page_cache = page_cache or os.environ.get("KGNEO_PAGE_CACHE") or _share(machine // 8, smallest=32)
    for name, value in (("heap", heap), ("page cache", page_cache)):
        if not _SIZE.fullmatch(value):
            raise UsageError(f"{value!r} is not a size for the {name}: expected a number with k, m or g, as in 512m.")
    return Memory(heap, page_cache)


def _share(size: int, *, smallest: int) -> str:
    return f"{min(2048, max(smallest, size // _MEBIBYTE))}m"


def choose_ports(bolt: int | None, http: int | None, recorded: StoreRecord | None) -> tuple[int, int]:
    """The two ports: as given, else the store's last ones where they are free, else any free ones.

    Raises ServerError for a given port that cannot be had.
    """
    if bolt is not None and bolt == http:
        raise UsageError(f"Port {bolt} was given for both Bolt and HTTP; they need one each.")
    taken: set[int] = {port for port in (bolt, http) if port is not None}
    for port, option in ((bolt, "--bolt-port"), (http, "--http-port")):
        if port is not None and (problem := port_problem(port)):
            raise ServerError(
                f"Port {port} {problem}.",
                hint=f"Give another one with {option}, or leave it out to get a free one.",
            )
    bolt = bolt or _free_port(recorded.bolt_port if recorded else 0, taken)
    http = http or _free_port(recorded.http_port if recorded else 0, taken | {bolt})
    return bolt, http


def port_problem(port: int) -> str:
    """Why this port of 127.0.0.1 cannot be listened on, empty when it can."""
    with socket.socket() as probe:
        if os.name == "posix":
            # Java sets the same: a port in TIME_WAIT is free, one that is listened on is not.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
            probe.listen(1)
        except OverflowError:
            return "does not exist: expected 1 to 65535"
        except OSError as error:
            return "is already in use" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
    return ""


def _free_port(last: int, taken: set[int]) -> int:
    if last and last not in taken and not port_problem(last):
        return last
    while True:
        with socket.socket() as probe:
            probe.bind((LOOPBACK, 0))
            port = int(probe.getsockname()[1])
        if port not in taken:
            return port


def share_of_heap(heap: str, divisor: int) -> str:
    """A part of the heap, as Neo4j writes sizes."""
    unit = heap[-1] if heap[-1].isalpha() else ""
    kibibytes = int(heap.removesuffix(unit)) * {"": 1 / 1024, "k": 1, "m": 2**10, "g": 2**20}[unit.lower()]
    return f"{max(int(kibibytes) // divisor, 1024)}k"


def write_configuration(store: Store, record: StoreRecord, memory: Memory, *, mended: bool = False) -> None:
    """neo4j.conf: one loopback address, authentication, no telemetry, no more log, space and memory than needed.
    `mended` has the server cut off a transaction log behind its last whole transaction, where it would not start."""
    settings = {
        "server.default_listen_address": LOOPBACK,
        "server.default_advertised_address": LOOPBACK,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": f"{LOOPBACK}:{record.bolt_port}",
        "server.bolt.advertised_address": f"{LOOPBACK}:{record.bolt_port}",
        "server.http.enabled": "true",
        "server.http.listen_address": f"{LOOPBACK}:{record.http_port}",
        "server.http.advertised_address": f"{LOOPBACK}:{record.http_port}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": memory.page_cache,
        # What a query collects, sorts and groups. The server itself allows 70 % of the heap for all together, which
        # leaves too little for what it does not count: values that an expression builds, and results on their way.
        "db.memory.transaction.max": share_of_heap(memory.heap, 4),
        "dbms.memory.transaction.total.max": share_of_heap(memory.heap, 2),
        "dbms.security.auth_enabled": "true",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "dbms.fleet_manager.enabled": "false",
        # On by default in 2026.x: it would broadcast the server's presence on the local network.
        "server.fleet_discovery.enabled": "false",
        "server.http.x_forward.enabled": "false",
        # Not every version knows every setting above.
        "server.config.strict_validation.enabled": "false",
        "db.logs.query.enabled": "OFF",
        # Long after the databases are closed, Bolt would wait twice 5 s for threads that have nothing to do.
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
        # Otherwise every store begins with half a gigabyte of empty log files.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.retention_policy": "256M size",
    }
    if mended:
        settings["internal.dbms.tx_log.fail_on_corrupted_log_files"] = "false"
    settings |= _own_settings(store)
    text = "".join(f"{name}={value}\n" for name, value in settings.items())
    write_private(store.configuration_folder / "neo4j.conf", "# Written by kgneo at every start.\n" + text)


def _plugins(store: Store) -> list[Path]:
    """The user's plugins: jars in the folder `plugins` of the store's home, such as Graph Data Science. They join the
    class path, as Neo4j's own script does it, since extensions of the server are found there alone."""
    return sorted((store.home / "plugins").glob("*.jar"))


def _own_settings(store: Store) -> dict[str, str]:
    """Settings of the user's: lines NAME=VALUE in the file `neo4j.extra.conf` of the store's folder."""
    file = store.folder / EXTRA
    if not file.is_file():
        return {}
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def java_command(
    store: Store,
    java: Java,
    distribution: Distribution,
    heap: str,
    main_class: str,
    *arguments: str,
    java_options: Sequence[str] = (),
) -> list[str]:
    """The command that runs a class of Neo4j. The long class path goes through a file."""
    options = [f"-Xmx{heap}", *_JAVA_OPTIONS, *archive_options(java, distribution), *java_options]
    if java.has_vector_module:
        options.append("--add-modules=jdk.incubator.vector")
    options += ["-cp", os.pathsep.join(map(str, [*distribution.jars, *_plugins(store)]))]
    file = store.configuration_folder / "java.options"
    write_private(file, "".join(f"{_quoted(option)}\n" for option in options))
    return [str(java.path), f"@{file}", main_class, *arguments]


def server_command(
    store: Store, java: Java, distribution: Distribution, heap: str, java_options: Sequence[str] = ()
) -> list[str]:
    """The command that runs the server; `process.find_process` knows it by the home folder in it."""
    return java_command(
        store,
        java,
        distribution,
        heap,
        distribution.main_class,
        home_argument(store),
        f"--config-dir={store.configuration_folder}",
        "--console-mode",
        java_options=java_options,
    )


def _quoted(option: str) -> str:
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
