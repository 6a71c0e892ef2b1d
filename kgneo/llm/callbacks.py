"""Exceptions out of callbacks that C calls, raised after all.

What is raised in a Python function that C has called, Ctrl-C among it, is written to the terminal and forgotten. While
a reply is held by a grammar, most of a small model's time is spent in such functions: nothing would interrupt it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Lost", "kept_exceptions"]

IN_CALLBACK = "ctypes callback"
"""What Python says of an exception that left one."""


@dataclass
class Lost:
    """The first exception that was lost so far."""

    error: BaseException | None = None

    def raise_again(self) -> None:
        """Raises it, once."""
        error, self.error = self.error, None
        if error is not None:
            raise error


@contextmanager
def kept_exceptions() -> Iterator[Lost]:
    """Keeps what callbacks raise inside, which `Lost.raise_again` raises; at the end that happens by itself. Only in
    the main thread, the one that Ctrl-C interrupts: what Python calls there is shared by all threads."""
    lost, before = Lost(), sys.unraisablehook
    if not _in_main_thread():
        yield lost
        return

    def keep(found: Any) -> None:
        interrupted = isinstance(found.exc_value, KeyboardInterrupt)
        if _in_main_thread() and lost.error is None and (interrupted or IN_CALLBACK in (found.err_msg or "")):
            lost.error = found.exc_value
        else:
            before(found)

    sys.unraisablehook = keep
    try:
        yield lost
    finally:
        sys.unraisablehook = before
    lost.raise_again()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
