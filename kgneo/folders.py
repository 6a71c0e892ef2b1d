"""Where kgneo keeps files of its own on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path


def cache_folder() -> Path:
    """Files that can be made again: exported encoders, read schemas. `KGNEO_CACHE_DIR` moves it."""
    given = os.environ.get("KGNEO_CACHE_DIR")
    return Path(given) if given else user_cache_path("kgneo")


def data_folder() -> Path:
    """Files that cannot: the stores of the local Neo4j. `KGNEO_DATA_DIR` moves it."""
    given = os.environ.get("KGNEO_DATA_DIR")
    return Path(given) if given else user_data_path("kgneo")
