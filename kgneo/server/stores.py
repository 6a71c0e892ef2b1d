"""A store's folder: where it is, which files it holds, and the lock around starting and stopping.

STORE/
    store.json    Neo4j's version and the ports that were last used
    server.json   the process that runs on it, while one does
    serve.json    where `kgneo serve` answers questions about it, while it does (kgneo/serve/announce.py)
    password      the password of the user neo4j, readable by its owner only
    lock          held while a command starts or stops the server, or fills the store offline
    draft-…/      a store in the making, while one does (kgneo/server/importing.py)
    neo4j/        Neo4j's home: conf/, data/, logs/
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from kgneo.errors import GraphEmpty, ServerError, UsageError
from kgneo.folders import store_path, stores_folder, write_private
from kgneo.query.nearest import nearest


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """What a store remembers between two runs: Neo4j's version and the ports last used."""

    version: str
    bolt_port: int
    http_port: int


@dataclass(frozen=True, slots=True)
class ServerRecord:
    """The process that was started on a store. `ready`: it has answered a login and is not being stopped. `folder`:
    that of the store, in which a copy of it differs; empty as older versions wrote it."""

    pid: int
    ready: bool
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Store:
    """The files of one store. `folder` is absolute, links resolved, so that one store has one spelling."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "neo4j"

    @property
    def configuration_folder(self) -> Path:
        return self.home / "conf"

    @property
    def server_file(self) -> Path:
        return self.folder / "server.json"

    @property
    def start_log(self) -> Path:
        return self.home / "logs" / "start.log"

    @property
    def debug_log(self) -> Path:
        return self.home / "logs" / "debug.log"

    @property
    def transaction_logs(self) -> Path:
        """Where Neo4j writes what it commits to the database that kgneo uses."""
        return self.home / "data" / "transactions" / "neo4j"

    @property
    def password_file(self) -> Path:
        return self.folder / "password"

    @property
    def has_data(self) -> bool:
        """Whether Neo4j has ever created its databases here."""
        return (self.home / "data" / "databases" / "system").exists()

    @property
    def is_made(self) -> bool:
        """Whether a server was ever started here."""
        return self.has_data or self.read_record() is not None

    def create(self) -> None:
        """Make the folder, readable by its owner only, or check that what is there is a store.

        Raises ServerError when the folder cannot be made or holds something else.
        """
        try:
            if self.folder.is_dir():
                self._check_is_store()
            else:
                self.folder.parent.mkdir(parents=True, exist_ok=True)
                self.folder.mkdir(mode=0o700, exist_ok=True)
            self.folder.chmod(0o700)
            for folder in (self.configuration_folder, self.start_log.parent):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ServerError(
                f"The store's folder {self.folder} cannot be used: {error.strerror or error}.",
                hint="Give another store (--store, KGNEO_STORE) or another data folder (KGNEO_DATA_DIR).",
            ) from error

    def _check_is_store(self) -> None:
        names = {entry.name for entry in self.folder.iterdir()}
        if names and not names & {"store.json", "lock", "neo4j", "neo4j.extra.conf"}:
            raise ServerError(
                f"{self.folder} holds other files ({', '.join(sorted(names)[:3])}); expected an empty folder "
                "or a store.",
                hint="Give a folder of its own with --store or KGNEO_STORE.",
            )

    def logged(self) -> int:
        """Bytes of the debug log."""
        return self.debug_log.stat().st_size if self.debug_log.is_file() else 0

    def read_record(self) -> StoreRecord | None:
        fields = _read_json(self.folder / "store.json")
        try:
            return StoreRecord(str(fields["version"]), int(fields["bolt_port"]), int(fields["http_port"]))
        except (KeyError, TypeError, ValueError):
            return None

    def write_record(self, record: StoreRecord) -> None:
        _write_json(self.folder / "store.json", asdict(record))

    def read_server(self) -> ServerRecord | None:
        fields = _read_json(self.server_file)
        try:
            return ServerRecord(int(fields["pid"]), bool(fields["ready"]), str(fields.get("folder", "")))
        except (KeyError, TypeError, ValueError):
            return None

    def write_server(self, record: ServerRecord) -> None:
        _write_json(self.server_file, asdict(replace(record, folder=str(self.folder))))

    def forget_server(self) -> None:
        self.server_file.unlink(missing_ok=True)

    def password(self) -> str:
        """The store's password, made on first use. Raises ServerError when a used store has lost it."""
        try:
            return self.password_file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            if self.has_data:
                raise ServerError(
                    f"The password file {self.password_file} is gone; the data of the store cannot be opened "
                    "without it.",
                    hint=f"Put the file back, or remove the folder {self.folder} and load again.",
                ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ServerError(f"The password file {self.password_file} cannot be read: {error}.") from error
        return self._new_password()

    def _new_password(self) -> str:
        # Digits and letters only: neo4j-admin would take a leading "-" for an option.
        password = secrets.token_hex(24)
        write_private(self.password_file, password + "\n")
        return password

    def size_on_disk(self) -> int:
        """Bytes that the store's files take up on the disk."""
        total = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                try:
                    entry = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - thousands of files
                except OSError:
                    continue
                total += getattr(entry, "st_blocks", -(-entry.st_size // 512)) * 512
        return total

    @contextmanager
    def lock(self, timeout: float, report: Callable[[str], None]) -> Iterator[None]:
        """Hold the store against every other command that starts or stops it, in this process or another.

        Raises ServerError when the other one has not finished after `timeout` seconds.
        """
        lock = FileLock(self.folder / "lock", mode=0o600)
        try:
            try:
                lock.acquire(timeout=0)
            except Timeout:
                report(
                    f"Another command is starting, stopping or filling the store {self.folder.name}; waiting for it."
                )
                lock.acquire(timeout=timeout)
        except Timeout as error:
            raise ServerError(
                f"Another command has been starting, stopping or filling the store {self.folder} for {timeout:.0f} s.",
                hint="Wait for it, or look for a kgneo process that hangs.",
            ) from error
        try:
            yield
        finally:
            lock.release()


def require_store(name: str | None) -> None:
    """Raises UsageError for a store that there is not, with the name of one that may have been meant, and GraphEmpty
    where none is named and nothing was loaded yet. `name` is as `store_path` takes it."""
    folder = store_path(name)
    if Store(folder).is_made:
        return
    there = _store_names()
    told = f"Stores there are: {', '.join(there)}." if there else "There is none on this machine yet."
    asked = name or os.environ.get("KGNEO_STORE")
    if not asked:
        raise GraphEmpty(
            f"Nothing was loaded yet: there is no store {folder.name!r}.",
            hint=f"Load something with `kgneo load PATH`, or try the sample with `kgneo demo`. {told}",
        )
    meant = nearest(folder.name, there)
    raise UsageError(
        f"There is no store {asked!r}." + (f" Did you mean {meant!r}?" if meant else ""),
        hint=f"{told} One of that name is made by `kgneo load PATH --store {shlex.quote(asked)}`.",
    )


def _store_names() -> list[str]:
    folder = stores_folder()
    return sorted(item.name for item in folder.iterdir() if Store(item).is_made) if folder.is_dir() else []


def _read_json(path: Path) -> dict[str, Any]:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return fields if isinstance(fields, dict) else {}


def _write_json(path: Path, fields: dict[str, Any]) -> None:
    write_private(path, json.dumps(fields, indent=2) + "\n")
