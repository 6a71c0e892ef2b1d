"""Where kgneo keeps files of its own on this machine, and how it writes those that are nobody else's."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kgneo.errors import UsageError

_NAME = re.compile(r"\w[\w .-]{0,99}")


def cache_folder() -> Path:
    """Files that can be made again: exported encoders, read schemas. `KGNEO_CACHE_DIR` moves it."""
    given = os.environ.get("KGNEO_CACHE_DIR")
    if given:
        return Path(given)
    from platformdirs import user_cache_path

    return user_cache_path("kgneo")


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
    return _data_folder() / "stores"


def _data_folder() -> Path:
    if given := os.environ.get("KGNEO_DATA_DIR"):
        return Path(given).expanduser()
    from platformdirs import user_data_path

    return user_data_path("kgneo", appauthor=False)


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, from its first moment on, whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
