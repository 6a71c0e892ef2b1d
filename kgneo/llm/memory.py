"""How much memory a new model may take on this machine."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["available_memory"]

_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes that can be had without swapping, within the limit of the container; None where not known."""
    known = [amount for amount in (_of_machine(), _of_container()) if amount is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError, AttributeError):
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _of_container() -> int | None:
    with suppress(OSError, ValueError):
        limit = int((_CGROUP / "memory.max").read_text())  # "max" where there is no limit
        used = int((_CGROUP / "memory.current").read_text())
        # Pages of files can be dropped by the kernel, the model's own among them.
        pages = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        return max(0, limit - used + int(pages.get("inactive_file", 0)) + int(pages.get("active_file", 0)))
    return None
