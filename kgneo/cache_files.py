"""Files of the cache folder: made again where they are missing, and done without where they cannot be written.

Whatever is in the cache folder can be made again, so that one that is read-only or full costs a warning and time:
`in_cache` makes it elsewhere for this process then, `going_on` goes on without. `needed` is for what has no other
place. `made_once` is for what several threads or processes want at the same time: one makes it, the others wait.
"""

from __future__ import annotations

import sqlite3
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from kgneo.errors import KgneoError
from kgneo.folders import alone, cache_folder

Made = TypeVar("Made")
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
