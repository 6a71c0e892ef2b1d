"""Where kgneo keeps files of its own on this machine, and how it writes them: whole or not at all, alone where several
want the same, and readable by nobody else where they hold secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgneo.errors import DataError, KgneoError, UsageError
from kgneo.text import digest

_NAME = re.compile(r"\w[\w .-]{0,99}")


def cache_folder() -> Path:
    """Files that can be made again: exported encoders, read schemas. `KGNEO_CACHE_DIR` moves it."""
    given = os.environ.get("KGNEO_CACHE_DIR")
    if given:
        return Path(given).expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("kgneo", appauthor=False)


def read_text(file: Path) -> str:
    """The text of a file. Raises DataError for one that cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the file cannot be read: {error}", file=str(file)) from error


def free_bytes(folder: Path) -> int:
    """How much of the disk is free that holds a folder, or would."""
    import shutil  # not for a question that a server answers

    return shutil.disk_usage(next(place for place in (folder, *folder.parents) if place.exists())).free


def free_space(folder: Path) -> str:
    """The same in words."""
    return f"{free_bytes(folder) / 1e6:,.0f} MB are free on the disk of {folder}"


def check_room(folder: Path, size: int) -> None:
    """Raises KgneoError where the disk of a folder has no room for `size` bytes."""
    if free_bytes(folder) < size:
        raise KgneoError(
            f"{free_space(folder)}, and {size / 1e6:,.0f} MB are needed to write safely.",
            hint="Free some space, and run the same command again: what was written stays.",
        )


def reserve(file: Path) -> None:
    """Have the disk give an open file's whole size now. Of a mapped file, the page that finds no room ends the
    process; here it is an OSError."""
    if hasattr(os, "posix_fallocate"):
        with file.open("r+b") as stream:
            os.posix_fallocate(stream.fileno(), 0, file.stat().st_size)


def store_path(name: str | None = None) -> Path:
    """The folder of a store, absolute, whether it exists or not.

    `name` is a plain name ("default" where it and KGNEO_STORE are empty) below the user's data folder, or a
    path when it holds a path separator. KGNEO_DATA_DIR takes the place of the user's data folder.
    Raises UsageError for a name that cannot be a folder's.
    """
    name = name or os.environ.get("KGNEO_STORE") or "default"
    if os.sep in name or (os.altsep and os.altsep in name):
        return Path(name).expanduser().resolve()
    if not _NAME.fullmatch(name) or name.endswith((" ", ".")):
        raise UsageError(
            f"{name!r} cannot be the name of a store: expected up to 100 letters, digits, '-', '_', '.' or "
            "blanks, a letter or digit first.",
            hint=f"For a folder, write a path: .{os.sep}NAME or {os.sep}full{os.sep}path.",
        )
    return (stores_folder() / name).resolve()


def stores_folder() -> Path:
    """The folder of the stores that have a plain name."""
    return data_folder() / "stores"


def data_folder() -> Path:
    """The user's data folder, or the one of KGNEO_DATA_DIR."""
    if given := os.environ.get("KGNEO_DATA_DIR"):
        return Path(given).expanduser()
    from platformdirs import user_data_path

    return user_data_path("kgneo", appauthor=False)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A place for a draft of the file `path`, which nobody else has. The draft takes the place of `path` at the end of
    the block, and is deleted where that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        yield draft
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment on, whole or not at all."""
    with whole(path) as draft:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)


@contextmanager
def alone(path: Path, *, of_user: bool = False) -> Iterator[None]:
    """A block about `path`, a file or a folder, in which there is one thread of one process at a time; others wait. It
    ends with the process at the latest, so that one that was killed keeps nobody waiting; drafts that it left behind
    are deleted. Of a file that is the user's (`of_user`), the lock is in the cache folder, and not beside it."""
    from filelock import FileLock

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f"{path.name}.lock")
    if of_user:
        lock = cache_folder() / "locks" / f"{digest(str(path.absolute()))}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(lock):
        for left in path.parent.glob(f".{path.name}.*.*"):
            left.unlink(missing_ok=True)
        yield
