"""What kgneo keeps on this machine about a graph: its schema, its names and, where the graph may not be written to, the
embeddings of its triples. All of it can be made again; `kgneo index --remove` deletes it.

Each database has a folder of its own under the cache folder, named by the database's id.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgneo.errors import GraphError, GraphUnavailable
from kgneo.folders import cache_folder
from kgneo.graph.attach import Choices
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.dictionary import VERSION as DICTIONARY
from kgneo.graph.dictionary import Dictionary
from kgneo.graph.mirror import MirrorFolder
from kgneo.graph.names import LocalNames
from kgneo.graph.schema import OnScan, Schema, read_schema, read_signature, scan
from kgneo.graph.shape import Shape
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.reading.vocabulary import Vocabulary
from kgneo.text import digest

FRESH = 600.0
"""Seconds for which a schema is taken as it was read although the graph changed, while its labels, types and sizes stay
the same."""


VERSION = 2
"""Of the schema's file: one that an older kgneo wrote is made anew."""
SCANNED_AGAIN = 10.0
"""So many times as long as looking at the whole graph took, it is not looked at again when it has changed."""


class LocalCache:
    """The files about one database."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.folder = cache_folder() / "graphs" / identity(graph)

    def schema(self, *, refresh: bool = False, report: Callable[[str], None] = lambda _: None) -> Schema:
        """The graph's schema; read again when labels, types or sizes are no longer what they were, or when it is not
        fresh and the graph has changed."""
        signature = json.loads(json.dumps(read_signature(self._graph)))
        change = self._graph.last_change()
        kept = self._read("schema.json")
        known = kept.get("version") == VERSION
        same = known and kept.get("signature") == signature
        unchanged = kept.get("change") == change
        if not refresh and same and (unchanged or time.time() - kept.get("read", 0.0) < FRESH):
            return Schema.from_json(kept["schema"])
        before = Schema.from_json(kept["schema"]) if known and not refresh else None
        schema = read_schema(self._graph, before=before, report=report)
        self._keep_schema(schema, signature, change, scanned=kept.get("scanned", (0.0, 0.0)))
        return schema

    def scan(self, *, on_progress: OnScan = lambda *_: None, again: bool = True) -> Schema:
        """The schema after a look at everything there is, which is kept. Not `again`, where one of a state before is
        recent for the time it took."""
        signature = json.loads(json.dumps(read_signature(self._graph)))
        change, started = self._graph.last_change(), time.time()
        schema = self.schema()
        ended, took = self._read("schema.json").get("scanned", (0.0, 0.0))
        if schema.whole or (not again and started < ended + SCANNED_AGAIN * took):
            return schema
        schema = scan(self._graph, schema, on_progress=on_progress)
        self._keep_schema(schema, signature, change, scanned=(time.time(), time.time() - started))
        return schema

    def _keep_schema(self, schema: Schema, signature: Any, change: str, *, scanned: tuple[float, float]) -> None:
        record = {
            "version": VERSION,
            "signature": signature,
            "change": change,
            "read": time.time(),
            "scanned": scanned,
            "schema": schema.to_json(),
        }
        self._write("schema.json", record)

    def choices(self, given: Choices | None = None, *, keep: bool = True) -> Choices:
        """What the user chose for this graph; `given` is kept from now on where it says something (and `keep`)."""
        kept = self._read("choices.json")
        before = Choices(kept.get("display", {}), tuple(kept.get("include", ())), tuple(kept.get("exclude", ())))
        if not given:
            return before
        chosen = Choices(
            {**before.display, **given.display}, given.include or before.include, given.exclude or before.exclude
        )
        if keep:
            self._write("choices.json", asdict(chosen))
        return chosen

    def embeddings(self) -> LocalEmbeddings:
        """The embeddings of a graph that is only read."""
        return LocalEmbeddings(self.folder)

    def mirror(self) -> MirrorFolder:
        """Where the mirror of the graph's structure and embeddings is, or would be."""
        return MirrorFolder(self.folder / "mirror")

    def names(self, shape: Shape, *, refresh: bool = False) -> LocalNames:
        """The graph's names, read again when the graph has changed, or when asked to."""
        file = self.folder / "names.sqlite"
        wanted = {"shape": shape.to_json(), "change": self._graph.last_change()}
        if not refresh and self._read("names.json") == wanted and file.exists():
            return LocalNames(file)
        names = LocalNames.build(self._graph, shape, file)
        self._write("names.json", wanted)
        return names

    def dictionary(self, shape: Shape, known: Vocabulary) -> Dictionary:
        """The graph's values, read again when the graph has changed."""
        file = self.folder / "values.sqlite"
        wanted = {"shape": shape.to_json(), "change": self._graph.last_change(), "version": DICTIONARY}
        if self._read("values.json") == wanted and file.exists():
            return Dictionary(file)
        dictionary = Dictionary.build(self._graph, known, file)
        self._write("values.json", wanted)
        return dictionary

    def texts(self, fingerprint: str) -> Path:
        """The file for vectors of the graph's own texts, by an encoder of this fingerprint."""
        return self.folder / f"texts-{digest(fingerprint)}.sqlite"

    def remove(self) -> bool:
        """Delete the files; whether there were any."""
        there = self.folder.exists()
        shutil.rmtree(self.folder, ignore_errors=True)
        return there

    def _read(self, name: str) -> dict[str, Any]:
        try:
            record = json.loads((self.folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return record if isinstance(record, dict) else {}

    def _write(self, name: str, record: dict[str, Any]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f"{name}.draft"
        draft.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
        draft.replace(self.folder / name)


def identity(graph: Graph) -> str:
    """What names a database: its own id, else its address and name."""
    try:
        text = str(graph.read(query("database_id"))[0]["id"])
    except GraphUnavailable:
        raise
    except (GraphError, LookupError):
        text = f"{graph.address} {graph.database}"
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
