"""Embeddings on this machine, for a graph that is only read: vectors in one file, what each belongs to in SQLite.

Candidates are scored here: the database gives their ids, the file their vectors.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kgneo.encoders.encoder import Vectors
from kgneo.errors import IndexUnreadable
from kgneo.folders import whole
from kgneo.graph.embeddings import Pending
from kgneo.graph.record import IndexRecord, record_from, record_properties

VECTORS = "vectors.f32"
TABLE = "embeddings.sqlite"
RECORD = "index.json"
CHUNK = 500


class LocalEmbeddings:
    """The embeddings of one graph in `folder`. A sink for `kgneo.graph.index.encode_all`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._seen: set[tuple[str, str]] = set()

    def read_record(self) -> IndexRecord | None:
        """What the embeddings were made with; None where there are none."""
        try:
            return record_from(json.loads((self.folder / RECORD).read_text(encoding="utf-8")))
        except (OSError, ValueError, AttributeError, IndexUnreadable):
            return None

    def keep(self, record: IndexRecord) -> None:
        """Keep `record`, whole or not at all."""
        with whole(self.folder / RECORD) as draft:
            draft.write_text(json.dumps(record_properties(record), ensure_ascii=False), encoding="utf-8")

    def clear(self) -> None:
        """Delete the embeddings: those of another encoder are of no use."""
        for name in (RECORD, TABLE, VECTORS):
            (self.folder / name).unlink(missing_ok=True)

    def changed(self, batch: Sequence[Pending]) -> list[Pending]:
        """Those that have no embedding of their present text."""
        self._seen.update((pending.id, pending.key) for pending in batch)
        digests = {
            (id_, key): digest for id_, key, digest, _ in self._rows(list(dict.fromkeys(item.id for item in batch)))
        }
        return [pending for pending in batch if digests.get((pending.id, pending.key)) != pending.digest]

    def write(self, batch: Sequence[Pending], vectors: Vectors) -> None:
        """Append the vectors, then say where they are. What is cut off in between is never read."""
        width = vectors.shape[1] * 4
        with (self.folder / VECTORS).open("ab") as stream:
            first = -(-stream.tell() // width)
            stream.truncate(first * width)
            stream.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
            stream.flush()
            os.fsync(stream.fileno())
        rows = [(pending.id, pending.key, pending.digest, first + number) for number, pending in enumerate(batch)]
        with self._table() as table, table:
            table.executemany("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)", rows)

    def forget_unseen(self) -> int:
        """Forget what no pass over the graph has seen since this object was made; how many were forgotten."""
        with self._table() as table, table:
            gone = [row for row in table.execute("SELECT id, key FROM embeddings") if tuple(row) not in self._seen]
            table.executemany("DELETE FROM embeddings WHERE id = ? AND key = ?", gone)
        return len(gone)

    def nearest(
        self, hops: Mapping[str, int], vector: NDArray[np.float32], *, top_k: int, similarity: str
    ) -> list[tuple[str, str, int, float]]:
        """Of the triples of the relationships and nodes in `hops` (id to hop) the `top_k` nearest to `vector`: id, key
        (empty for a relationship), hop and score, best first."""
        rows = [(id_, key, row) for id_, key, _, row in self._rows(list(hops))]
        if not rows:
            return []
        file = self.folder / VECTORS
        whole = file.stat().st_size // (4 * len(vector))  # more may be in the writing
        vectors = np.memmap(file, dtype=np.float32, mode="r", shape=(whole, len(vector)))
        chosen = np.asarray(vectors[[row for _, _, row in rows]])
        scores = chosen @ vector
        if similarity != "dot":
            scores = scores / np.maximum(np.linalg.norm(chosen, axis=1), 1e-12)
        best = np.argsort(-scores, kind="stable")[:top_k]
        return [(rows[number][0], rows[number][1], hops[rows[number][0]], float(scores[number])) for number in best]

    def _rows(self, ids: Sequence[str]) -> Iterator[tuple[str, str, int, int]]:
        with self._table() as table:
            for start in range(0, len(ids), CHUNK):
                part = ids[start : start + CHUNK]
                places = ", ".join("?" * len(part))
                yield from table.execute(
                    f"SELECT id, key, digest, row FROM embeddings WHERE id IN ({places})",  # noqa: S608
                    part,
                )

    @contextmanager
    def _table(self) -> Iterator[sqlite3.Connection]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self.folder / TABLE)) as table:
            table.execute(
                "CREATE TABLE IF NOT EXISTS embeddings (id TEXT, key TEXT, digest INTEGER, row INTEGER, "
                "PRIMARY KEY (id, key)) WITHOUT ROWID"
            )
            yield table
