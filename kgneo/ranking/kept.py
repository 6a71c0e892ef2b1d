"""Vectors of a graph's own texts (names of relations, labels, properties, some nodes), kept in a file.

Comes in: texts. Goes out: their vectors, encoded once for all processes that ask the same graph. A file that is
damaged, or cannot be written, costs time alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from kgneo.ranking.kinds import TextEncoder, Vectors

MOST = 20_000
"""Texts that a file holds: more are encoded again by each process."""
WAIT = 1.0
"""Seconds to wait for another process that writes."""


class KeptVectors:
    """An encoder of texts that are asked for again and again; without a file it keeps them for this process."""

    def __init__(self, encoder: TextEncoder, file: Path | None = None) -> None:
        self._encoder = encoder
        self._file = file
        self._known = self._read()

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Normalised vectors of shape (texts, dimensions), for at least one text."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            new = dict(zip(missing, self._encoder.encode(missing), strict=True))
            if self._file is not None and len(self._known) + len(new) <= MOST:
                self._write(self._file, new)
            self._known.update(new)
        return np.stack([self._known[text] for text in texts])

    def _read(self) -> dict[str, Vectors]:
        if self._file is None or not self._file.exists():
            return {}
        try:
            with closing(sqlite3.connect(self._file, timeout=WAIT)) as base:
                rows = base.execute("SELECT text, vector FROM vectors").fetchall()
            return {text: np.frombuffer(vector, dtype=np.float32) for text, vector in rows}
        except sqlite3.OperationalError:  # another process is just making it, or writes
            return {}
        except (sqlite3.Error, ValueError):
            with suppress(OSError):
                self._file.unlink()
            return {}

    @staticmethod
    def _write(file: Path, vectors: Mapping[str, Vectors]) -> None:
        rows = [(text, vector.astype(np.float32).tobytes()) for text, vector in vectors.items()]
        with suppress(sqlite3.Error, OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(file, timeout=WAIT)) as base, base:
                base.execute("PRAGMA synchronous = OFF")
                base.execute("CREATE TABLE IF NOT EXISTS vectors (text TEXT PRIMARY KEY, vector BLOB NOT NULL)")
                base.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
