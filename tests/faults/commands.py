"""Commands as processes of their own, and what can happen to one while it runs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgneo.server import start
from kgneo.server.process import find_process
from kgneo.server.stores import Store
from tests.faults import SEED

LONGEST = 300.0
"""Seconds after which a command is taken to have no end."""
BETWEEN = 0.2
"""Seconds between two times of Ctrl-C."""
Process = subprocess.Popen[bytes]
Fault = Callable[["Run"], None]
"""Something that happens to a command, or to its server, which is there again behind it."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command that runs, and the store of the server that it asks."""

    process: Process
    store: Path


def kgneo(arguments: Sequence[str], folder: Path | None = None) -> Process:
    """A command that runs, in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "kgneo", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder
    )


def done(arguments: Sequence[str], folder: Path | None = None) -> float:
    """Seconds that a command took, which did what it should, in a folder."""
    started = time.monotonic()
    process = kgneo(arguments, folder)
    _, told = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, told.decode()
    return time.monotonic() - started


def disturbed(arguments: Sequence[str], after: float, fault: Fault, store: Path, folder: Path | None = None) -> bool:
    """Whether the fault came to a command so many seconds after it began, and not when it was done. However it ends
    then, it does so in time, and without a traceback."""
    process = kgneo(arguments, folder)
    try:
        process.communicate(timeout=after)
    except subprocess.TimeoutExpired:
        fault(Run(process, store))
        _, told = process.communicate(timeout=LONGEST)
        assert b"Traceback" not in told, told.decode()
        return True
    return False


def moments(number: int, seconds: float) -> list[float]:
    """When something happens to a command that takes so long: from when it has been imported to its end."""
    chosen = random.Random(SEED)  # noqa: S311
    return [chosen.uniform(0.3, max(0.35, seconds)) for _ in range(number)]


# Faults --------------------------------------------------------------------------------------------------------------


def command_killed(run: Run) -> None:
    """SIGKILL to the command."""
    run.process.kill()


def interrupted_twice(run: Run) -> None:
    """Ctrl-C, and again at once, by somebody who does not want to wait."""
    run.process.send_signal(signal.SIGINT)
    time.sleep(BETWEEN)
    run.process.send_signal(signal.SIGINT)


def server_killed(run: Run) -> None:
    """SIGKILL to Neo4j, which is started again."""
    running = find_process(Store(run.store.resolve()))
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    running.wait(30)
    start(run.store, heap="600m", page_cache="100m")


def both_killed(run: Run) -> None:
    """SIGKILL to the command, and to Neo4j."""
    run.process.kill()
    server_killed(run)


FAULTS: dict[str, Fault] = {
    "killed": command_killed,
    "server killed": server_killed,
    "both killed": both_killed,
    "interrupted twice": interrupted_twice,
}
