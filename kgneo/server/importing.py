"""The graph of a store from files, by neo4j-admin's import: made in a draft beside it, put in its place whole.

1. `write` puts CSV files into a draft, a store of its own inside the folder of the store.
2. neo4j-admin imports them into the draft.
3. The draft's server is started, `finish` makes constraints and indexes, and the server is stopped.
4. The draft's data take the place of the store's by a rename.

Whatever ends this before the last step leaves the store as it was: empty. What a killed run left behind is ended and
deleted by the next one.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kgneo.errors import ServerError
from kgneo.folders import write_private
from kgneo.server.configuration import EXTRA, choose_memory, java_command, machine_memory
from kgneo.server.jars import find_distribution
from kgneo.server.java import find_java
from kgneo.server.lifecycle import RunningServer, start, stop, version_of
from kgneo.server.logs import cause_of, last_lines
from kgneo.server.process import child_environment, find_by_argument, find_process, kill
from kgneo.server.stores import Store
from kgneo.server.versions import choose_version, minimum_java

DRAFT = "draft-"
LOCK_SECONDS = 300
READ_BUFFER = 4 * 2**20
"""Bytes of neo4j-admin's buffer, which holds the largest field; more where a field is larger."""
_STEP = re.compile(r"^\((\d)/(\d)\)")
_PERCENT = re.compile(r"(\d+)%")
OnPercent = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class ImportFiles:
    """CSV files with neo4j-admin's headers, by their names in the folder of the import. `array_delimiter` separates
    labels and elements of lists, `longest` is the bytes of the longest row, `multiline` whether a field holds the end
    of a line."""

    nodes: tuple[str, ...]
    relationships: tuple[str, ...]
    array_delimiter: str = ";"
    longest: int = 0
    multiline: bool = False


def import_store(
    store: Path,
    write: Callable[[Path], ImportFiles],
    finish: Callable[[RunningServer], None],
    *,
    report: Callable[[str], None] = lambda _: None,
    on_percent: OnPercent = lambda _: None,
) -> None:
    """Give a store that is stopped and empty the graph of the files that `write` puts into a folder.

    `finish` gets the server of the draft, which nobody else knows. `on_percent` gets how much neo4j-admin has imported.
    The caller has looked that nothing is lost: what the store holds is deleted. Raises ServerError where its server
    runs, or where neo4j-admin fails.
    """
    place = Store(store.expanduser().resolve())
    place.create()
    with place.lock(LOCK_SECONDS, report):
        refuse_running(place)
        version = choose_version(os.environ.get("KGNEO_NEO4J_VERSION") or None, version_of(place))
        with _draft(place) as draft:
            run_import(draft, version, draft.folder, write(draft.folder), report=report, on_percent=on_percent)
            running = start(draft.folder, version=version, report=report)
            finish(running)
            stop(draft.folder)
            _put_in_place(place, draft)


def refuse_running(place: Store) -> None:
    """Raises ServerError where the store's server runs, whoever started it."""
    if process := find_process(place):
        raise ServerError(
            f"The server of the store {place.folder} is running (process {process.pid}); an offline load needs it "
            "stopped.",
            hint=f"Stop it with `kgneo server stop --store {place.folder}`, or leave --offline out.",
        )


@contextmanager
def _draft(place: Store) -> Iterator[Store]:
    """An empty store in the folder of another, with the same password and settings; deleted at the end."""
    for left in place.folder.glob(f"{DRAFT}*"):
        _discard(Store(left))
    draft = Store(place.folder / f"{DRAFT}{secrets.token_hex(4)}")
    try:
        draft.create()
        write_private(draft.password_file, f"{place.password()}\n")
        if (place.folder / EXTRA).is_file():
            shutil.copy(place.folder / EXTRA, draft.folder)
        yield draft
    finally:
        _discard(draft)


def _discard(draft: Store) -> None:
    """Delete a draft, and end what still works on it."""
    for process in find_by_argument(_options_argument(draft)):
        kill(process)
    shutil.rmtree(draft.folder, ignore_errors=True)


def _options_argument(store: Store) -> str:
    """The argument by which every Java of a store is known, that of neo4j-admin as well."""
    return f"@{store.configuration_folder / 'java.options'}"


def _put_in_place(place: Store, draft: Store) -> None:
    made = draft.read_record()
    assert made is not None  # its server was started
    place.write_record(replace(place.read_record() or made, version=made.version))
    data = place.home / "data"
    if data.exists():
        data.rename(draft.folder / "before")
    (draft.home / "data").rename(data)


def run_import(
    store: Store,
    version: str,
    folder: Path,
    files: ImportFiles,
    *,
    report: Callable[[str], None] = lambda _: None,
    on_percent: OnPercent = lambda _: None,
) -> None:
    """Have neo4j-admin import the files in `folder` into a store that is stopped, in place of the graph there.

    Raises ServerError, with what neo4j-admin said.
    """
    memory = choose_memory(None, None, machine_memory())
    java, distribution = find_java(minimum_java(version)), find_distribution(version, report)
    # neo4j-admin does not know all of the server's settings, and needs one of them.
    (store.configuration_folder / "neo4j.conf").write_text("db.tx_log.preallocate=false\n", encoding="utf-8")
    command = java_command(store, java, distribution, memory.heap, "org.neo4j.cli.AdminTool", *_arguments(files))
    environment = {"NEO4J_HOME": str(store.home), "NEO4J_CONF": str(store.configuration_folder)}
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=child_environment() | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    with process:
        try:
            log = _follow(process, on_percent)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        message = f"neo4j-admin could not import the graph: {cause_of(log)}"
        raise ServerError(message, hint=f"Its last lines:\n{last_lines(log)}")


def _arguments(files: ImportFiles) -> list[str]:
    arguments = [
        *("database", "import", "full", "neo4j", "--overwrite-destination=true"),
        f"--array-delimiter=U+{ord(files.array_delimiter):04X}",
        f"--read-buffer-size={max(READ_BUFFER, 2 * files.longest)}",
    ]
    if files.multiline:
        arguments.append("--multiline-fields=true")
    # neo4j-admin takes a path for a pattern; names of kgneo's own are plain, and that of a folder need not be.
    arguments += [f"--nodes=./{name}" for name in files.nodes]
    return arguments + [f"--relationships=./{name}" for name in files.relationships]


def _follow(process: subprocess.Popen[str], on_percent: OnPercent) -> str:
    """What a process says, to its end; how far it is on the way."""
    lines: list[str] = []
    step, steps = 0, 4
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if found := _STEP.match(line):
            step, steps = int(found[1]) - 1, int(found[2])
        elif found := _PERCENT.search(line):
            on_percent((100 * step + int(found[1])) // steps)
    return "".join(lines)
