"""Files of the cache folder: made again where they are missing, and done without where they cannot be written.

Whatever is in the cache folder can be made again, so that one that is read-only or full costs a warning and time:
`in_cache` makes it elsewhere for this process then, `going_on` goes on without. `needed` is for what has no other
place. `made_once` is for what several threads or processes want at the same time: one makes it, the others wait.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from kgneo.errors import KgneoError
from kgneo.folders import alone, cache_folder

Made = TypeVar("Made")
SMALL = 2_000_000
"""Bytes of a file that is read through to see whether it is as it was."""
FAULTS = (OSError, sqlite3.OperationalError)
"""What is raised where a file cannot be written."""


class CacheWarning(UserWarning):
    """Something could not be kept in the cache folder."""


def made_once(path: Path, kept: Callable[[Path], Made | None], make: Callable[[Path], Made]) -> Made:
    """What is `kept` at `path`, a file or a folder below the cache folder; where that is nothing, `make` makes it as
    `in_cache` says, while all others who want it wait."""
    for place in places(path):
        if (found := kept(place)) is not None:
            return found

    def first(place: Path) -> Made:
        with alone(place):
            there = kept(place)
            return there if there is not None else make(place)

    return in_cache(path, first)


def in_cache(path: Path, make: Callable[[Path], Made]) -> Made:
    """What `make` makes at `path`, below the cache folder; where that cannot be written, in a folder of this process
    (`places`), with a warning. Raises KgneoError where that cannot be written either."""
    with going_on():
        return make(path)
    root = cache_folder()
    try:
        if root not in _spare:
            _spare[root] = tempfile.TemporaryDirectory(prefix="kgneo-cache-", ignore_cleanup_errors=True)
        return make(places(path)[0])
    except FAULTS as error:
        raise KgneoError(
            f"Neither the cache folder {root} nor {tempfile.gettempdir()} can be written: {_reason(error)}.",
            hint="Free some space, or name a folder on another disk in KGNEO_CACHE_DIR.",
        ) from error


def places(path: Path) -> tuple[Path, ...]:
    """Where a file or folder below the cache folder may be: in this process's own folder first, if there is one."""
    root = cache_folder()
    return (Path(_spare[root].name) / path.relative_to(root), path) if root in _spare else (path,)


@dataclass(frozen=True, slots=True)
class FilesTogether:
    """A folder of files that are of use together only, with a description as JSON that has these `keys`, and a mark of
    each of the `files` as it was written (an earlier release noted none)."""

    description_file: str
    keys: tuple[str, ...]
    files: tuple[str, ...]

    def description(self, folder: Path) -> dict[str, Any] | None:
        """What the folder says of itself; None where it says nothing that can be used."""
        try:
            found = json.loads((folder / self.description_file).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and found.keys() >= set(self.keys) else None

    def are_whole(self, folder: Path) -> bool:
        """Whether the folder has its description, and each of its files as it was written."""
        description = self.description(folder)
        if description is None:
            return False
        noted = description.get("files") or dict.fromkeys(self.files)
        return all((folder / name).is_file() and mark in (None, _mark(folder / name)) for name, mark in noted.items())

    def fill(self, folder: Path, fill: Callable[[Path], None]) -> Path:
        """The new `folder` with what `fill` writes into one, whole or not at all, in the place of one that is not
        whole; two processes may do so at once."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as scratch:
            draft = Path(scratch) / "draft"
            draft.mkdir()
            fill(draft)
            self._note_files(draft)
            if folder.exists() and not self.are_whole(folder):
                folder.rename(Path(scratch) / "broken")
            try:
                draft.rename(folder)
            except OSError:
                if not self.are_whole(folder):  # another process may have been first
                    raise
        return folder

    def _note_files(self, folder: Path) -> None:
        description = folder / self.description_file
        marks = {file.name: _mark(file) for file in folder.iterdir() if file != description and file.is_file()}
        noted = json.loads(description.read_text(encoding="utf-8")) | {"files": marks}
        description.write_text(json.dumps(noted, indent=1), encoding="utf-8")


def _mark(file: Path) -> str:
    """What tells that a file is as it was: its size, and its digest where that costs no time."""
    try:
        size = file.stat().st_size
        small = size <= SMALL
        return f"{size} {hashlib.sha256(file.read_bytes()).hexdigest()}" if small else str(size)
    except OSError:
        return ""


def is_whole_database(file: Path) -> bool:
    """Whether a file is an SQLite database as long as it says: one that was cut off, emptied or replaced is not."""
    try:
        with file.open("rb") as content:
            head = content.read(100)
        size = file.stat().st_size
    except OSError:
        return False
    page, pages = int.from_bytes(head[16:18], "big"), int.from_bytes(head[28:32], "big")
    return head.startswith(b"SQLite format 3\0") and size == (65_536 if page == 1 else page) * pages


def damaged_databases() -> list[Path]:
    """The SQLite databases of the cache folder that do not hold together; looking at all of them takes a while."""

    def holds(file: Path) -> bool:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as base:
            return bool(base.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))

    def damaged(file: Path) -> bool:
        try:
            return not holds(file)
        except sqlite3.OperationalError:  # another process writes
            return False
        except sqlite3.DatabaseError:
            return True

    return [file for file in sorted(cache_folder().rglob("*.sqlite")) if damaged(file)]


@contextmanager
def going_on() -> Iterator[None]:
    """Go on behind the block where it cannot write to the cache folder, with one warning in a process."""
    try:
        yield
    except FAULTS as error:
        folder = cache_folder()
        if folder not in _told:
            _told.add(folder)
            why = _reason(error)
            text = f"The cache folder {folder} cannot be written ({why}): what belongs there is made again each time."
            warnings.warn(f"{text} KGNEO_CACHE_DIR names another folder.", CacheWarning, stacklevel=4)


@contextmanager
def needed(folder: Path) -> Iterator[None]:
    """Raises KgneoError where the block cannot write to `folder`, below the cache folder, which it is for."""
    try:
        yield
    except FAULTS as error:
        raise KgneoError(
            f"{folder} cannot be written: {_reason(error)}.",
            hint="Free some space, or name a folder on another disk in KGNEO_CACHE_DIR.",
        ) from error


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


_told: set[Path] = set()
_spare: dict[Path, tempfile.TemporaryDirectory[str]] = {}
