"""Announcing: where a server of a store can be asked, so that `kgneo ask` finds it.

The file STORE/serve.json is there from the moment at which the server answers until it stops, and is readable by its
owner only, since it holds the server's token. A server that was killed leaves it behind: whoever reads it looks whether
the process runs, and names the server it means (`mark`) in its request, which any other one refuses.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from kgneo.folders import write_private
from kgneo.version import __version__

HEADER = "kgneo-server"
"""The header of a request that is meant for one server: its mark."""


@dataclass(frozen=True)
class Announced:
    """A server: its `address`, its process, the `mark` that no other has, its `token` ("": none), and its language
    models with the strategy by which each answers where none is named; "" stands for answering without a model. `terms`
    is the whole path of its file of terms, there or not."""

    address: str
    pid: int
    mark: str
    strategies: Mapping[str, str]
    token: str = field(default="", repr=False)
    terms: str = ""
    version: str = __version__


@dataclass(frozen=True)
class Announcement:
    """What one server says of itself in one store's folder."""

    folder: Path
    announced: Announced

    def publish(self) -> None:
        """Write the file, in place of another server's, if there is one."""
        write_private(_file(self.folder), json.dumps(asdict(self.announced)) + "\n")

    def withdraw(self) -> None:
        """Remove the file, unless it is another server's by now."""
        there = read(self.folder)
        if there is not None and there.mark == self.announced.mark:
            _file(self.folder).unlink(missing_ok=True)


def read(folder: Path) -> Announced | None:
    """What the file says; None without one, or where it is none of this version."""
    try:
        record = json.loads(_file(folder).read_text(encoding="utf-8"))
        found = Announced(**record)
    except (OSError, ValueError, TypeError):
        return None
    return found if found.version == __version__ else None


def find(folder: Path) -> Announced | None:
    """The server of a store that was announced and whose process runs."""
    found = read(folder)
    return found if found is not None and runs(found.pid) else None


def _file(folder: Path) -> Path:
    return folder / "serve.json"


def runs(pid: int) -> bool:
    """Whether there is such a process of ours; where the system cannot be asked without harm, it is taken to be."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (OSError, OverflowError):
        return False
    return True
