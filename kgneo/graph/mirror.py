"""A mirror of a graph's structure and embeddings on this machine: candidates found and scored without the database.

Files in the cache that are read where they lie (memory-mapped): which relationship leads from where to where, in order
of their subjects, and their vectors in the same order. The graph stays the truth. A mirror belongs to one version of
the graph, told by the driver's bookmark (`Graph.last_change`); what it finds is read from the graph by its ids, in a
query whose bookmark says whether the graph is still that version. If it is not, the mirror is passed over, until
`renew` reads what changed. Bookmarks hold numbers, which come round again where a store is put back from a backup and
changed: so a mirror also has a seal, drawn by lot, that is in the graph. Nothing needs a mirror, and deleting its
folder costs nothing but time.

A mirror takes 4 bytes a number of each embedding, and about 150 bytes a relationship beside them.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from neo4j.vector import Vector
from numpy.typing import NDArray

from kgneo.defaults import MIRRORED_UP_TO as MIRRORED_UP_TO
from kgneo.folders import alone, reserve, whole
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.embeddings import SCAN_TIMEOUT
from kgneo.graph.record import count_triples, read_record

BATCH = 2_000
"""Vectors read from the graph in one query."""
CHUNK = 512
"""Vectors gathered and scored at a time: 0.8 MB of 384 numbers stay in a processor's cache. See docs/decisions.md."""
RECORD = "mirror.json"
Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Mirror:
    """One version (`change`, `seal`) of a graph. `nodes` are element ids in their order; relationship number i has the
    element id `ids[i]`, leads from node `subjects[i]` to node `objects[i]` and has `vectors[i]`, where `digests[i]` is
    not 0.

    Relationships are in the order of their subjects: those from node n are `out_from[n]` to `out_from[n + 1]`, and
    those to it `arriving[in_from[n]]` to `arriving[in_from[n + 1]]`.
    """

    change: str
    seal: str
    nodes: NDArray[np.bytes_]
    ids: NDArray[np.bytes_]
    subjects: Numbers
    objects: Numbers
    out_from: NDArray[np.int64]
    in_from: NDArray[np.int64]
    arriving: Numbers
    digests: NDArray[np.int64]
    vectors: NDArray[np.float32]

    @classmethod
    def load(cls, folder: Path) -> Mirror | None:
        """The mirror in `folder`; None where there is none that is whole."""
        try:
            record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            files = folder / record["folder"]
            arrays = {name: np.asarray(np.load(files / f"{name}.npy", mmap_mode="r")) for name in ARRAYS}
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return cls(change=record["change"], seal=record.get("seal", ""), **arrays)

    def numbers_of(self, element_ids: Sequence[str]) -> Numbers:
        """The numbers of the nodes of these element ids; those that are not there are left out."""
        wanted = np.array([id_.encode() for id_ in element_ids], dtype=np.bytes_)
        if not len(self.nodes) or not len(wanted):
            return np.empty(0, dtype=np.int32)
        places = np.minimum(np.searchsorted(self.nodes, wanted), len(self.nodes) - 1)
        return np.unique(places[self.nodes[places] == wanted]).astype(np.int32)

    def candidates(
        self, entities: Sequence[str], hops: int, *, out: bool, most: int | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
        """The numbers of the relationships within `hops` (>= 1) of the `entities`, and the hop at which each is first
        reached; against their direction as well, unless `out`. Where there are more than `most`, those of the nearest
        hops."""
        hop_of = self._hops(entities, hops, out=out)
        found = np.flatnonzero(hop_of > 0)
        if most is not None and len(found) > most:
            found = found[np.sort(np.argsort(hop_of[found], kind="stable")[:most])]
        found = found[self.digests[found] != 0]
        return found, hop_of[found]

    def size(self, entities: Sequence[str], hops: int, *, out: bool) -> int:
        """How many relationships there are within `hops`, those without an embedding as well."""
        return int(np.count_nonzero(self._hops(entities, hops, out=out)))

    def _hops(self, entities: Sequence[str], hops: int, *, out: bool) -> NDArray[np.int8]:
        """Of every relationship the hop at which it is reached, 0 for none."""
        hop_of = np.zeros(len(self.ids), dtype=np.int8)
        for hop, frontier in enumerate(self._frontiers(entities, hops, out=out), start=1):
            for numbers in self._at(frontier, out=out):
                hop_of[numbers[hop_of[numbers] == 0]] = hop
        return hop_of

    def _frontiers(self, entities: Sequence[str], hops: int, *, out: bool) -> Iterator[Numbers]:
        """The nodes that are 0, 1, … `hops` - 1 away from the `entities`."""
        frontier = self.numbers_of(entities)
        seen = np.zeros(len(self.nodes), dtype=bool)
        for hop in range(hops):
            if hop:
                leaving, arriving = self._at(frontier, out=out)
                reached = np.zeros(len(self.nodes), dtype=bool)
                reached[self.objects[leaving]] = True
                reached[self.subjects[arriving]] = True
                frontier = np.flatnonzero(reached & ~seen).astype(np.int32)
            seen[frontier] = True
            yield frontier

    def _at(self, nodes: Numbers, *, out: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers of the relationships that leave nodes, and of those that arrive at them, none where `out`."""
        leaving = _ranges(self.out_from, nodes)
        return leaving, np.empty(0, dtype=np.int32) if out else self.arriving[_ranges(self.in_from, nodes)]

    def nearest(
        self,
        entities: Sequence[str],
        hops: int,
        vector: NDArray[np.float32],
        *,
        top_k: int,
        out: bool = False,
        most: int | None = None,
    ) -> list[tuple[str, int, float]]:
        """Of those candidates the `top_k` nearest to `vector`: element id, hop and score, best first."""
        found, hop_of = self.candidates(entities, hops, out=out, most=most)
        scores = self._scores(found, vector)
        best = np.argpartition(-scores, top_k - 1)[:top_k] if len(found) > top_k else np.arange(len(found))
        ids = self.ids[found[best]]
        order = np.lexsort((ids, -scores[best]))
        return [(ids[place].decode(), int(hop_of[best[place]]), float(scores[best[place]])) for place in order]

    def _scores(self, numbers: NDArray[np.intp], vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The dot products of these relationships' vectors with `vector`."""
        if 2 * len(numbers) > len(self.vectors):  # reading on is faster than picking out
            return np.asarray((self.vectors @ vector)[numbers])
        scores = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), CHUNK):
            scores[start : start + CHUNK] = self.vectors[numbers[start : start + CHUNK]] @ vector
        return scores


ARRAYS = [name for name in Mirror.__slots__ if name not in ("change", "seal")]


def _ranges(starts: NDArray[np.int64], numbers: Numbers) -> NDArray[np.int64]:
    """`starts[n]` to `starts[n + 1]` for each n of `numbers`, one after another."""
    first, counts = starts[numbers], starts[numbers + 1] - starts[numbers]
    before = np.cumsum(counts) - counts
    return np.repeat(first - before, counts) + np.arange(counts.sum())


class MirrorFolder:
    """Where the mirror of one graph is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read_at = 0
        self._mirror: Mirror | None = None

    def current(self) -> Mirror | None:
        """The mirror as it was last written, by whichever process."""
        try:
            written = (self.folder / RECORD).stat().st_mtime_ns
        except OSError:
            written = 0
        if written != self._read_at:
            self._mirror, self._read_at = Mirror.load(self.folder) if written else None, written
        return self._mirror

    def renew(self, graph: Graph, dimensions: int, on_progress: Callable[[int, int], None] = lambda *_: None) -> bool:
        """Bring the mirror up to the graph as it is now, reading the embeddings that changed only; `on_progress` gets
        how many are read, and of how many. False where the graph was changed meanwhile: what is there is kept. An empty
        graph has no mirror. Where another process does the same, it is waited for."""
        with alone(self.folder):
            return self._renew(graph, dimensions, on_progress)

    def _renew(self, graph: Graph, dimensions: int, on_progress: Callable[[int, int], None]) -> bool:
        before, record = self.current(), read_record(graph)
        if before and record and (before.change, before.seal) == (graph.last_change(), record.seal):
            return True
        if not count_triples(graph):
            self._remove()
            return True
        seal = secrets.token_hex(8)
        graph.write(query("index_seal"), seal=seal)
        change, files = graph.last_change(), self.folder / seal
        try:
            _write(graph, dimensions, before, files, on_progress)
            if graph.last_change() != change:
                return False
            with whole(self.folder / RECORD) as draft:
                draft.write_text(json.dumps({"change": change, "seal": seal, "folder": files.name}), encoding="utf-8")
        finally:
            self._clear_away()
        return True

    def _clear_away(self) -> None:
        """Delete what belongs to no mirror any more; processes that have it open keep it until they close it."""
        try:
            used = json.loads((self.folder / RECORD).read_text(encoding="utf-8"))["folder"]
        except (OSError, ValueError, KeyError):
            used = ""
        for other in self.folder.iterdir() if self.folder.is_dir() else ():
            if other.is_dir() and other.name != used:
                shutil.rmtree(other, ignore_errors=True)

    def remove(self) -> None:
        """Delete the mirror."""
        with alone(self.folder):
            self._remove()

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self._read_at, self._mirror = 0, None


@dataclass(frozen=True, slots=True)
class _Structure:
    """What is read of every relationship; digest 0 for one without an embedding."""

    ids: NDArray[np.bytes_]
    subjects: NDArray[np.bytes_]
    objects: NDArray[np.bytes_]
    digests: NDArray[np.int64]


def _read_structure(graph: Graph) -> _Structure:
    rows = list(graph.stream(query("mirror_structure"), timeout=SCAN_TIMEOUT))
    ids, subjects, objects = (
        np.array([row[name].encode() for row in rows], dtype=np.bytes_) for name in ("id", "subject", "object")
    )
    return _Structure(ids, subjects, objects, np.array([row["digest"] for row in rows], dtype=np.int64))


def _write(
    graph: Graph, dimensions: int, before: Mirror | None, files: Path, on_progress: Callable[[int, int], None]
) -> None:
    """Write the arrays of a new mirror into `files`."""
    read = _read_structure(graph)
    nodes = np.unique(np.concatenate([read.subjects, read.objects]))
    subjects = np.searchsorted(nodes, read.subjects).astype(np.int32)
    order = np.argsort(subjects, kind="stable")
    subjects, objects = subjects[order], np.searchsorted(nodes, read.objects).astype(np.int32)[order]
    arrays = {
        "nodes": nodes,
        "ids": read.ids[order],
        "subjects": subjects,
        "objects": objects,
        "out_from": _starts(subjects, len(nodes)),
        "in_from": _starts(objects, len(nodes)),
        "arriving": np.argsort(objects, kind="stable").astype(np.int32),
        "digests": read.digests[order],
    }
    files.mkdir(parents=True)
    for name, array in arrays.items():
        np.save(files / f"{name}.npy", array)
    shape = (len(order), dimensions)
    vectors = np.lib.format.open_memmap(files / "vectors.npy", mode="w+", dtype=np.float32, shape=shape)
    reserve(files / "vectors.npy")
    missing = _copy(before, arrays["ids"], arrays["digests"], vectors)
    for start in range(0, len(missing), BATCH):
        rows = missing[start : start + BATCH]
        vectors[rows] = _read_vectors(graph, [id_.decode() for id_ in arrays["ids"][rows]], dimensions)
        on_progress(min(start + BATCH, len(missing)), len(missing))
    vectors.flush()


def _starts(sorted_or_not: Numbers, nodes: int) -> NDArray[np.int64]:
    """Where the relationships of each node begin, among those in the order of these nodes."""
    return np.concatenate([[0], np.cumsum(np.bincount(sorted_or_not, minlength=nodes))]).astype(np.int64)


def _copy(
    before: Mirror | None, ids: NDArray[np.bytes_], digests: NDArray[np.int64], vectors: NDArray[np.float32]
) -> NDArray[np.intp]:
    """Take over the vectors that are as they were; the numbers of those that are still to be read."""
    wanted = np.flatnonzero(digests != 0)
    if before is None or not len(before.ids) or before.vectors.shape[1] != vectors.shape[1]:
        return wanted
    order = np.argsort(before.ids)
    places = order[np.minimum(np.searchsorted(before.ids, ids[wanted], sorter=order), len(order) - 1)]
    same = (before.ids[places] == ids[wanted]) & (before.digests[places] == digests[wanted])
    there, kept = wanted[same], places[same]
    for start in range(0, len(there), CHUNK):
        vectors[there[start : start + CHUNK]] = before.vectors[kept[start : start + CHUNK]]
    return np.asarray(wanted[~same])


def _read_vectors(graph: Graph, ids: list[str], dimensions: int) -> NDArray[np.float32]:
    """The embeddings of relationships, each as long as dot products need it: its norm where that is kept, else 1."""
    if graph.capabilities.packed_vectors:
        rows = graph.read(query("mirror_vectors_packed"), timeout=SCAN_TIMEOUT, ids=ids, dimensions=dimensions)
    else:
        rows = graph.read(query("mirror_vectors"), timeout=SCAN_TIMEOUT, ids=ids)
    vectors = np.zeros((len(ids), dimensions), dtype=np.float32)
    norms = np.ones(len(ids), dtype=np.float32)
    for row in rows:
        vectors[row["row"]] = _numbers(row["vector"])
        norms[row["row"]] = 1.0 if row["norm"] is None else row["norm"]
    lengths = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors * (norms / np.maximum(lengths, 1e-12))[:, None])


def _numbers(vector: Any) -> NDArray[Any]:
    """A vector as the server gave it: a list, or packed numbers, which are big-endian."""
    return np.frombuffer(vector.raw(), dtype=">f4") if isinstance(vector, Vector) else np.array(vector)
