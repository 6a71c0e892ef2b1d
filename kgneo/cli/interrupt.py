"""Interrupt: Ctrl-C ends what runs in an orderly way, and a second one, by somebody who does not want to wait, at once.

What was begun is written so that it may end at any moment: the same command goes on. So the second one need not wait
for what the first one tidies up, and nothing of that is shown.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[None]:
    """Have the second Ctrl-C within the block end the process. Where others handle it, or in a thread, nothing is
    changed."""
    others = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    if others or threading.current_thread() is not threading.main_thread():
        yield
        return
    arm()
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def arm() -> None:
    """Begin to count anew: the next Ctrl-C is the first one."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _first)


def _first(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - what a handler of signals gets
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt
