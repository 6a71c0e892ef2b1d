"""Exceptions out of callbacks that C calls, raised after all.

What is raised in a Python function that C has called, Ctrl-C among it, is written to the terminal and forgotten. While
a reply is held by a grammar, most of a small model's time is spent in such functions: nothing would interrupt it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["Lost", "kept_exceptions"]


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
    """Keeps what callbacks raise inside, which `Lost.raise_again` raises; at the end that happens by itself."""
    lost, before = Lost(), sys.unraisablehook

    def keep(found: Any) -> None:
        if lost.error is None:
            lost.error = found.exc_value

    sys.unraisablehook = keep
    try:
        yield lost
    finally:
        sys.unraisablehook = before
    lost.raise_again()
