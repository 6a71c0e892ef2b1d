"""Questions: how many a server has at a time, counted over all its workers, and how many it ended."""

from __future__ import annotations

from collections import Counter
from threading import Lock


class Questions:
    """Counts of one application's questions. Each worker has a number; what one left when it was killed is taken back
    by `forget`."""

    def __init__(self) -> None:
        self.ended = 0
        self._begun: Counter[int] = Counter()
        self._busy: Counter[int] = Counter()
        self._gone: set[int] = set()
        self._lock = Lock()

    @property
    def running(self) -> int:
        """Questions that are worked on."""
        return self._busy.total()

    @property
    def waiting(self) -> int:
        """Questions that wait for a thread."""
        return self._begun.total() - self._busy.total()

    def begin(self, worker: int, most: int) -> bool:
        """Count a question that has come; not, where there are `most` already. Whether it was counted."""
        with self._lock:
            free = self._begun.total() < most
            self._count(self._begun, worker, int(free))
        return free

    def take(self, worker: int) -> None:
        """A thread has begun to work on one."""
        with self._lock:
            self._count(self._busy, worker, 1)

    def put(self, worker: int) -> None:
        """A thread is done with one."""
        with self._lock:
            self._count(self._busy, worker, -1)

    def leave(self, worker: int) -> None:
        """One is over."""
        with self._lock:
            self._count(self._begun, worker, -1)

    def end(self, worker: int) -> None:  # noqa: ARG002 - as the others
        """One was ended before it was answered."""
        with self._lock:
            self.ended += 1

    def forget(self, worker: int) -> None:
        """Count nothing more of a worker that has gone."""
        with self._lock:
            self._gone.add(worker)
            del self._begun[worker], self._busy[worker]

    def _count(self, counts: Counter[int], worker: int, change: int) -> None:
        if worker not in self._gone:  # what it said last may be heard behind its end
            counts[worker] += change
