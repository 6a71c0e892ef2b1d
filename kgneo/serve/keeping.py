"""Keeping: what users of a team asked and saved, by user and graph, in a file of this machine.

Comes in: who it is, which graph it is about, a question with the address of its card on the page. Goes out: the same,
the newest first, to nobody else: every statement names the user and the graph, so that a key of another's is a key that
there is not. Answers are not kept. The file is SQLite's, readable by its owner only; what was answered for as kept
survives a process that is killed, and several threads and processes may use it at once.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kgneo.errors import DataError, UsageError
from kgneo.folders import data_folder
from kgneo.text import digest

MOST_ASKED = 500
"""Questions of one user's history of one graph; the oldest make room."""
MOST_SAVED = 500
"""Questions that one user may save of one graph."""
WAIT = 10.0
"""Seconds to wait for another thread or process that writes."""
TABLES = (
    "CREATE TABLE IF NOT EXISTS asked (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, user TEXT, "
    "graph TEXT, question TEXT, address TEXT, at TEXT)",
    "CREATE INDEX IF NOT EXISTS asked_by ON asked (user, graph, number)",
    "CREATE TABLE IF NOT EXISTS saved (number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT UNIQUE, user TEXT, "
    "graph TEXT, name TEXT, question TEXT, address TEXT, at TEXT)",
    "CREATE INDEX IF NOT EXISTS saved_by ON saved (user, graph, number)",
)


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of the history: its words, the address of its card on the page, and when it was asked (ISO 8601)."""

    key: str
    question: str
    address: str
    at: str


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A question that somebody saved under a name; names in [brackets] in it are slots for others."""

    key: str
    name: str
    question: str
    address: str
    at: str


@dataclass(frozen=True, slots=True)
class Keeping:
    """The file; made, with its folder, when something is kept. All methods raise DataError where it cannot be used."""

    file: Path

    @classmethod
    def of_team(cls, team_file: Path) -> Keeping:
        """The one in the data folder for the team of a file: the same name in another file may be another person."""
        return cls(data_folder() / "teams" / f"{digest(str(team_file.absolute()))}.sqlite")

    def of(self, user: str, graph: str) -> Kept:
        """What is kept of one user and one graph."""
        return Kept(self, user, graph)

    def forget(self, user: str) -> None:
        """Delete all that is kept of a user, of every graph."""
        with self.changing() as base:
            for table in ("asked", "saved"):
                base.execute(f"DELETE FROM {table} WHERE user = ?", (user,))  # noqa: S608 - a name of ours

    def end_histories(self, wanted: Callable[[str], bool]) -> None:
        """Delete the histories of users who are not to have one any more."""
        if not self.file.exists():
            return
        with self.changing() as base:
            users = [user for (user,) in base.execute("SELECT DISTINCT user FROM asked")]
            base.executemany("DELETE FROM asked WHERE user = ?", [(user,) for user in users if not wanted(user)])

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The database, to read from."""
        with self._errors():
            self._make()
            with closing(sqlite3.connect(self.file, timeout=WAIT)) as base:
                base.execute("PRAGMA secure_delete = ON")  # what is deleted is not to be found in the file
                for statement in TABLES:
                    base.execute(statement)
                yield base

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """The same for a change, which takes effect at the end of the block as a whole, or not at all."""
        with self.reading() as base, base:
            base.execute("BEGIN IMMEDIATE")
            yield base

    def _make(self) -> None:
        """Make the file readable by its owner alone from its first moment on; SQLite's journal takes this over."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(self.file, os.O_CREAT | os.O_RDWR, 0o600))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"what users asked and saved cannot be kept: {error}",
                file=str(self.file),
                hint="Expected a file that can be written; KGNEO_DATA_DIR names another folder.",
            ) from error


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of one user and one graph."""

    keeping: Keeping
    user: str
    graph: str

    def asked(self) -> list[AskedQuestion]:
        """The history, the newest first."""
        with self.keeping.reading() as base:
            return [AskedQuestion(*row) for row in self._rows(base, "key, question, address, at", "asked")]

    def saved(self) -> list[SavedQuestion]:
        """What was saved, the newest first."""
        with self.keeping.reading() as base:
            return [SavedQuestion(*row) for row in self._rows(base, "key, name, question, address, at", "saved")]

    def add_asked(self, question: str, address: str) -> AskedQuestion:
        """Put a question at the head of the history; the same one before it, and the oldest above the bound, go."""
        item = AskedQuestion(_key(), question, address, _now())
        with self.keeping.changing() as base:
            base.execute("DELETE FROM asked WHERE user = ? AND graph = ? AND question = ?", (*self._whose, question))
            base.execute(
                "INSERT INTO asked (key, user, graph, question, address, at) VALUES (?, ?, ?, ?, ?, ?)",
                (item.key, *self._whose, item.question, item.address, item.at),
            )
            base.execute(
                "DELETE FROM asked WHERE user = ?1 AND graph = ?2 AND number NOT IN "
                "(SELECT number FROM asked WHERE user = ?1 AND graph = ?2 ORDER BY number DESC LIMIT ?3)",
                (*self._whose, MOST_ASKED),
            )
        return item

    def add_saved(self, name: str, question: str, address: str) -> SavedQuestion:
        """Save a question; one of the same address takes its place. Raises UsageError where there are too many."""
        item = SavedQuestion(_key(), name, question, address, _now())
        with self.keeping.changing() as base:
            base.execute("DELETE FROM saved WHERE user = ? AND graph = ? AND address = ?", (*self._whose, address))
            ((number,),) = self._rows(base, "count(*)", "saved")
            if number >= MOST_SAVED:
                raise UsageError(f"{number:,} questions are saved, which is the most.", hint="Remove one of them.")
            base.execute(
                "INSERT INTO saved (key, user, graph, name, question, address, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (item.key, *self._whose, item.name, item.question, item.address, item.at),
            )
        return item

    def rename(self, key: str, name: str) -> SavedQuestion | None:
        """Give a saved question another name; None where there is none of this key."""
        with self.keeping.changing() as base:
            base.execute(
                "UPDATE saved SET name = ? WHERE user = ? AND graph = ? AND key = ?", (name, *self._whose, key)
            )
        return next((item for item in self.saved() if item.key == key), None)

    def remove_asked(self, key: str) -> bool:
        """Take one question out of the history; whether it was there."""
        with self.keeping.changing() as base:
            found = base.execute("DELETE FROM asked WHERE user = ? AND graph = ? AND key = ?", (*self._whose, key))
            return found.rowcount > 0

    def remove_saved(self, key: str) -> bool:
        """Take one question out of what was saved; whether it was there."""
        with self.keeping.changing() as base:
            found = base.execute("DELETE FROM saved WHERE user = ? AND graph = ? AND key = ?", (*self._whose, key))
            return found.rowcount > 0

    def clear_asked(self) -> None:
        """Delete the history."""
        with self.keeping.changing() as base:
            base.execute("DELETE FROM asked WHERE user = ? AND graph = ?", self._whose)

    def clear(self) -> None:
        """Delete all that is kept of this user and graph."""
        with self.keeping.changing() as base:
            base.execute("DELETE FROM asked WHERE user = ? AND graph = ?", self._whose)
            base.execute("DELETE FROM saved WHERE user = ? AND graph = ?", self._whose)

    @property
    def _whose(self) -> tuple[str, str]:
        return self.user, self.graph

    def _rows(self, base: sqlite3.Connection, columns: str, table: str) -> list[Any]:
        """The columns of a table's own rows, the newest first; columns and table are names of ours."""
        statement = f"SELECT {columns} FROM {table} WHERE user = ? AND graph = ? ORDER BY number DESC"  # noqa: S608
        return base.execute(statement, self._whose).fetchall()


def _key() -> str:
    """A key that nobody can guess."""
    return secrets.token_urlsafe(12)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
