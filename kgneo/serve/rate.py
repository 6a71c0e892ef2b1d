"""Rate: how often an address, or a user, may do something."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

ADDRESSES = 10_000
"""Addresses whose rate is remembered."""


@dataclass
class Rate:
    """So many requests a minute from one address: each takes a token out of a bucket that fills up again. `now` is the
    time of `time.monotonic`, which all processes of a machine have alike."""

    minute: int
    _buckets: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def wait(self, address: str, now: float) -> float:
        """Seconds until the address may ask again; 0 where it may now, which counts."""
        if not self.minute:
            return 0.0
        with self._lock:
            if len(self._buckets) >= ADDRESSES and address not in self._buckets:
                self._buckets.pop(next(iter(self._buckets)))
            level = self._level(address, now)
            allowed = level >= 1
            self._buckets.pop(address, None)
            self._buckets[address] = (level - 1 if allowed else level, now)
        return 0.0 if allowed else (1 - level) * 60 / self.minute

    def ahead(self, address: str, now: float) -> float:
        """The same seconds, without counting."""
        level = self._level(address, now) if self.minute else 1.0
        return 0.0 if level >= 1 else (1 - level) * 60 / self.minute

    def give_back(self, address: str) -> None:
        """Take back what was counted last."""
        with self._lock:
            if address in self._buckets:
                level, before = self._buckets[address]
                self._buckets[address] = (level + 1, before)

    def _level(self, address: str, now: float) -> float:
        level, before = self._buckets.get(address, (float(self.minute), now))
        return min(level + (now - before) * self.minute / 60, self.minute)


UNBOUNDED = Rate(0)
