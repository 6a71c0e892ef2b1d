"""Spending: what language models cost, by day and user, kept in a file on this machine.

Comes in: what each call cost, as soon as it was made. Goes out: what was spent today, by which a further call is
bounded before it is made. A price is a number of money for a million tokens, read and written; without one, calls and
tokens are kept alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kgneo.errors import BudgetSpent, DataError
from kgneo.folders import data_folder
from kgneo.model import ModelUse

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost: those that the model reads, and those that it writes."""

    read: float
    written: float

    def of(self, read: int, written: int) -> float:
        """What so many tokens cost."""
        return (read * self.read + written * self.written) / MILLION


@dataclass(frozen=True, slots=True)
class Spent:
    """What a user spent on a day with a model."""

    day: str
    user: str
    model: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Call:
    """A call before it is made: the tokens that it reads, and what it may cost at most."""

    read: int
    cost: float


@dataclass(frozen=True, slots=True)
class Spending:
    """The file; made when something is kept. Several processes may use it at once."""

    file: Path

    @classmethod
    def of_this_machine(cls) -> Spending:
        """The one in the data folder."""
        return cls(data_folder() / "spending.sqlite")

    def add(self, user: str, use: ModelUse) -> None:
        """Keep what a call cost. Raises DataError where the file cannot be written."""
        row = (today(), user, use.model, use.calls, use.prompt_tokens, use.completion_tokens, use.cost or 0.0)
        with self._open() as base:
            base.execute("INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def rows(self, *, day: str = "", user: str = "") -> list[Spent]:
        """What was spent, the latest day first; of one day or user alone where one is given."""
        if not self.file.exists():
            return []
        with self._open() as base:
            found = base.execute(
                "SELECT day, user, model, sum(calls), sum(prompt), sum(completion), sum(cost) FROM spent "
                "WHERE (?1 = '' OR day = ?1) AND (?2 = '' OR user = ?2) "
                "GROUP BY day, user, model ORDER BY day DESC, user, model",
                (day, user),
            )
            return [Spent(*row) for row in found]

    def check(self, user: str, call: Call, *, tokens: int | None, cost: float | None) -> None:
        """Nothing where a call stays within the `tokens` and the `cost` that a user may spend on a day. Raises
        BudgetSpent."""
        if tokens is None and cost is None:
            return
        rows = self.rows(day=today(), user=user)
        read = sum(row.prompt_tokens + row.completion_tokens for row in rows)
        if tokens is not None and read + call.read > tokens:
            raise BudgetSpent(
                f"{tokens:,} tokens a day are allowed: {read:,} were spent today, the next call reads {call.read:,}.",
                hint="Days are those of UTC; --day-tokens allows more.",
            )
        paid = sum(row.cost for row in rows)
        if cost is not None and paid + call.cost > cost:
            raise BudgetSpent(
                f"{cost:g} a day is allowed: {paid:.4f} was spent today, and the next call may cost {call.cost:.4f}.",
                hint="Days are those of UTC; --day-cost allows more.",
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.file, timeout=10)) as base, base:
                base.execute(
                    "CREATE TABLE IF NOT EXISTS spent (day TEXT, user TEXT, model TEXT, calls INTEGER, prompt INTEGER, "
                    "completion INTEGER, cost REAL)"
                )
                yield base
        except (OSError, sqlite3.Error) as error:
            raise DataError(
                f"what language models cost cannot be kept: {error}",
                file=str(self.file),
                hint="Expected a file that can be written; KGNEO_DATA_DIR names another folder.",
            ) from error


def today() -> str:
    """The day in UTC."""
    return datetime.now(UTC).date().isoformat()
