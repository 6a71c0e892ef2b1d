"""The server's process: found by its command line, started so that it outlives us, and ended gently."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import psutil

from kgneo.server.stores import Store

_started: dict[int, subprocess.Popen[bytes]] = {}
"""Servers that this process started. They outlive it on purpose; kept here so that an ended one is reaped."""


def home_argument(store: Store) -> str:
    """The argument by which a server's process is known to be this store's."""
    return f"--home-dir={store.home}"


def find_process(store: Store) -> psutil.Process | None:
    """The process of this store's server, by the recorded id, else by its command line; None without one."""
    record = store.read_server()
    if record is not None and (process := process_of(store, record.pid)):
        return process
    return next(find_by_argument(home_argument(store)), None)


def find_by_argument(argument: str) -> Iterator[psutil.Process]:
    """The processes of this machine that have `argument` in their command line."""
    return (process for process in psutil.process_iter() if argument in _command_line(process))


def process_of(store: Store, pid: int) -> psutil.Process | None:
    """The process of that id when it is this store's server; a recycled id or a dead process gives None."""
    child = _started.get(pid)
    alive = child is not None and child.poll() is None
    try:
        process = psutil.Process(pid)
    except (psutil.Error, ValueError):
        return None
    # For a moment after its launch the system shows no command line of a process.
    command = _arguments(child) if child is not None and alive else _command_line(process)
    return process if home_argument(store) in command else None


def _arguments(child: subprocess.Popen[bytes]) -> list[str]:
    return [str(argument) for argument in child.args] if isinstance(child.args, list | tuple) else []


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except (psutil.Error, OSError):
        return []


def child_environment() -> dict[str, str]:
    """Our environment without the user's settings for Neo4j, in a locale that can spell any path."""
    environment = {name: value for name, value in os.environ.items() if not name.upper().startswith("NEO4J_")}
    if os.name == "posix" and "utf" not in environment.get("LC_ALL", environment.get("LANG", "")).lower():
        environment["LC_ALL"] = "C.UTF-8"
    return environment


def launch(command: Sequence[str], folder: Path, log: Path) -> int:
    """Start a command in a session of its own, its output in `log`; gives the id of its process."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=child_environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _started[process.pid] = process
    return process.pid


def end(process: psutil.Process, timeout: float) -> bool:
    """Ask a process to end and wait for it; False when it is still there after `timeout` seconds."""
    try:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout)
    except psutil.NoSuchProcess:
        pass
    except psutil.TimeoutExpired:
        return False
    if child := _started.pop(process.pid, None):
        child.poll()
    return True


def kill(process: psutil.Process) -> None:
    """End a process that has not become a server yet, or that does not end when asked."""
    try:
        process.kill()
        process.wait(10)
    except (psutil.NoSuchProcess, psutil.TimeoutExpired):
        pass
    if child := _started.pop(process.pid, None):
        child.poll()
