"""The processor that a local model runs on: how many threads it is worth, and what tells it from another one."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import psutil

__all__ = ["processor_fingerprint", "usable_cores"]

_CGROUP = Path("/sys/fs/cgroup")
_CPU_INFO = Path("/proc/cpuinfo")


def usable_cores() -> int:
    """Threads for a model: the physical cores, as far as this process may use them and the container's quota reaches.

    A second thread on the same core shares the units that multiply, so it gains nothing.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    known = [count for count in (allowed, psutil.cpu_count(logical=False), _quota()) if count]
    return max(1, min(known, default=1))


def _quota() -> int | None:
    """Whole cores that the container may use; None where it has no limit."""
    with suppress(OSError, ValueError):
        quota, period = (_CGROUP / "cpu.max").read_text().split()  # "max 100000" where there is no limit
        return max(1, round(int(quota) / int(period)))
    return None


def processor_fingerprint() -> str:
    """Short text that differs between processors of different instruction sets, in hexadecimal."""
    known = [platform.system(), platform.machine(), platform.processor()]
    with suppress(OSError):
        lines = _CPU_INFO.read_text(errors="replace").split("\n\n")[0].splitlines()
        known += [line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))]
    return sha256("\n".join(known).encode()).hexdigest()[:16]
