"""One JSON object a question, appended to a file that survives what interrupts it.

`RecordFile` opens such a file for going on with: a torn last line (the process or the machine died while
writing) is cut off, and `done` says which questions are already there. Every record is flushed at once, so
a killed process loses nothing; it is forced to the disk at most once a second and at the end, so that a
power cut loses a second of work and the disk does not slow the run.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from kgneo.errors import DataError

Record = dict[str, Any]

SYNC_SECONDS = 1.0


class RecordFile:
    """Append-only records of one configuration; a context manager.

    `done` holds the identifiers that the file has, `failed` how many of them are errors. `repaired` is the
    number of bytes of a torn last line that were cut off. Records that `drop` accepts are taken out first, so
    that their questions are done again. Raises DataError for a line in the middle that is not a record.
    """

    def __init__(self, path: Path, *, drop: Callable[[Record], bool] | None = None) -> None:
        self.path = path
        self.done: set[str] = set()
        self.hits = 0.0
        self.failed = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self.repaired = repair(path)
        if drop is not None and path.exists():
            rewrite(path, drop)
        for record in read_records(path):
            self.done.add(record["id"])
            self.failed += bool(record.get("error"))
            self.hits += record.get("scores", {}).get("hit_at_1", 0.0)
        self._file: BinaryIO = path.open("ab")
        self._synced = time.monotonic()

    def __repr__(self) -> str:
        return f"RecordFile({str(self.path)!r}, {len(self.done)} done)"

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, record: Mapping[str, Any]) -> None:
        """Write `record` (which has an `id`) and hand it to the operating system."""
        self._file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        self.done.add(record["id"])
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """Force what is written to the disk."""
        os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def close(self) -> None:
        """Force everything to the disk and close; a second call does nothing."""
        if not self._file.closed:
            self.sync()
            self._file.close()


def read_records(path: Path) -> Iterator[Record]:
    """The records of `path` one by one; none where the file is missing.

    A last line without its end is left out (it is being written, or torn). Raises DataError for any other
    line that is not a record.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            yield _parse(line, path, number)


def _parse(line: bytes, path: Path, number: int) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        raise DataError(
            "not a record of a run; expected a JSON object with an id",
            file=str(path),
            line=number,
            hint="Delete this line, and the same command asks its question again.",
        )
    return record


def repair(path: Path) -> int:
    """Cut a torn last line off `path`; returns how many bytes that were.

    Torn is a line without its end, or a last line that is not JSON (blocks that a crash left unwritten).
    """
    if not path.exists() or not path.stat().st_size:
        return 0
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        start = _start_of_last_line(file, size)
        file.seek(start)
        line = file.read()
        if line.endswith(b"\n") and _is_json(line):
            return 0
        file.truncate(start)
        os.fsync(file.fileno())
    return size - start


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _start_of_last_line(file: BinaryIO, size: int, *, block: int = 65536) -> int:
    """Offset after the last line end before the final byte, 0 where there is none."""
    end = size - 1
    while end > 0:
        start = max(0, end - block)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def rewrite(path: Path, drop: Callable[[Record], bool]) -> None:
    """Take out the records that `drop` accepts; the file is replaced in one step."""
    kept = path.with_suffix(".new")
    with kept.open("wb") as file:
        for record in read_records(path):
            if not drop(record):
                file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
    kept.replace(path)
