"""Where kgneo keeps files of its own on this machine."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder() -> Path:
    """Files that can be made again: exported encoders, read schemas. `KGNEO_CACHE_DIR` moves it."""
    given = os.environ.get("KGNEO_CACHE_DIR")
    return Path(given) if given else user_cache_path("kgneo")
