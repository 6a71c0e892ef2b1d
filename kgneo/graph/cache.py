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
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from kgneo.cache_files import in_cache, is_whole_database, made_once, places
from kgneo.errors import GraphError, GraphUnavailable
from kgneo.folders import cache_folder, whole
from kgneo.graph.attach import Choices
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.dictionary import VERSION as DICTIONARY
from kgneo.graph.dictionary import Dictionary
from kgneo.graph.mirror import MirrorFolder
from kgneo.graph.names import LocalNames
from kgneo.graph.schema import WHOLE, OnScan, Schema, read_schema, read_signature, scan
from kgneo.graph.shape import Shape
from kgneo.graph.spelt_out import spelt_out
from kgneo.graph.told import with_told
from kgneo.graph.vectors import LocalEmbeddings
from kgneo.reading.vocabulary import Vocabulary
from kgneo.text import digest

Table = TypeVar("Table", LocalNames, Dictionary)
FRESH = 600.0
"""Seconds for which a schema is taken as it was read although the graph changed, while its labels, types and sizes stay
the same."""


ADMINISTRATOR = "neo4j"
VERSION = 4
"""Of the schema's file: one that an older kgneo wrote is made anew."""
SCANNED_AGAIN = 10.0
"""So many times as long as looking at the whole graph took, it is not looked at again when it has changed."""


class LocalCache:
    """The files about one database."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.folder = cache_folder() / "graphs" / (identity(graph) + graph.apart)

    def schema(
        self, shape: Shape = WHOLE, *, refresh: bool = False, report: Callable[[str], None] = lambda _: None
    ) -> Schema:
        """The graph's schema without what `shape` leaves out, with what people call its names; read again when labels,
        types or sizes are no longer what they were, or when it is not fresh and the graph has changed."""
        return self._called(self._stored(shape, refresh=refresh, report=report))

    def _stored(self, shape: Shape, *, refresh: bool = False, report: Callable[[str], None] = lambda _: None) -> Schema:
        left_out = _plain(asdict(shape.left_out))

        def kept(file: Path) -> Schema | None:
            now, before = self._state(), _read(file)
            fresh = time.time() - before.get("read", 0.0) < FRESH or before.get("change") == now["change"]
            same = before.get("signature") == now["signature"] and _is_of(before, left_out)
            return Schema.from_json(before["schema"]) if same and fresh and not refresh else None

        def make(file: Path) -> Schema:
            now, before = self._state(), _read(file)
            earlier = Schema.from_json(before["schema"]) if _is_of(before, left_out) and not refresh else None
            schema = read_schema(self._graph, shape=shape, before=earlier, report=report)
            schema = with_told(self._graph, schema, shape)
            _write(file, _schema_record(schema, now, left_out, scanned=before.get("scanned", (0.0, 0.0))))
            return schema

        return made_once(self._schema_file(shape), kept, make)

    def _called(self, schema: Schema) -> Schema:
        """A schema whose names are those that people say, by its terms, or in whole words for short forms."""
        if self._graph.terms is None:
            return spelt_out(schema)
        from kgneo.terms.said import called_schema  # and with it pydantic, for which no other graph must wait

        return spelt_out(called_schema(schema, self._graph.terms))

    def scan(self, shape: Shape = WHOLE, *, on_progress: OnScan = lambda *_: None, again: bool = True) -> Schema:
        """The schema after a look at everything there is, which is kept. Not `again`, where one of a state before is
        recent for the time it took."""
        file, left_out = self._schema_file(shape), _plain(asdict(shape.left_out))
        now, started = self._state(), time.time()
        schema = self._stored(shape)
        ended, took = self._read(file.name).get("scanned", (0.0, 0.0))
        if schema.whole or (not again and started < ended + SCANNED_AGAIN * took):
            return self._called(schema)
        schema = scan(self._graph, schema, shape=shape, on_progress=on_progress)
        record = _schema_record(schema, now, left_out, scanned=(time.time(), time.time() - started))
        in_cache(file, lambda place: _write(place, record))
        return self._called(schema)

    def _schema_file(self, shape: Shape) -> Path:
        return self.folder / ("schema-shown.json" if shape.left_out else "schema.json")

    def _state(self) -> dict[str, Any]:
        """What a schema belongs to."""
        return {"signature": _plain(read_signature(self._graph)), "change": self._graph.last_change()}

    def choices(self, given: Choices | None = None, *, keep: bool = True) -> Choices:
        """What the user chose for this graph; `given` is kept from now on where it says something (and `keep`)."""
        record = self._read("choices.json")
        before = Choices(record.get("display", {}), tuple(record.get("include", ())), tuple(record.get("exclude", ())))
        if not given:
            return before
        chosen = Choices(
            {**before.display, **given.display}, given.include or before.include, given.exclude or before.exclude
        )
        if keep:
            in_cache(self.folder / "choices.json", lambda file: _write(file, asdict(chosen)))
        return chosen

    def embeddings(self) -> LocalEmbeddings:
        """The embeddings of a graph that is only read."""
        return LocalEmbeddings(self.folder)

    def mirror(self) -> MirrorFolder:
        """Where the mirror of the graph's structure and embeddings is, or would be."""
        return MirrorFolder(self.folder / "mirror")

    def passages(self) -> Path:
        """The file for what the long texts of the graph say."""
        return self.folder / "passages.sqlite"

    def names(self, shape: Shape, *, refresh: bool = False) -> LocalNames:
        """The graph's names, read again when the graph has changed, or when asked to."""

        def wanted() -> dict[str, Any]:
            stored = replace(shape, names={})
            return {"shape": stored.to_json(), "change": self._graph.last_change()}

        def build(file: Path) -> LocalNames:
            return LocalNames.build(self._graph, shape, file)

        return self._table("names", wanted, LocalNames, build, refresh=refresh)

    def dictionary(self, shape: Shape, known: Vocabulary) -> Dictionary:
        """The graph's values, read again when the graph has changed."""

        def wanted() -> dict[str, Any]:
            stored = replace(shape, names={})  # what people call it changes nothing of what it holds
            return {"shape": stored.to_json(), "change": self._graph.last_change(), "version": DICTIONARY}

        def build(file: Path) -> Dictionary:
            return Dictionary.build(self._graph, known, file, shape)

        return self._table("values", wanted, Dictionary, build)

    def _table(
        self,
        name: str,
        wanted: Callable[[], dict[str, Any]],
        read: Callable[[Path], Table],
        build: Callable[[Path], Table],
        *,
        refresh: bool = False,
    ) -> Table:
        """What `read` makes of a table; it is built anew where the record beside it is not what is `wanted`."""

        def kept(file: Path) -> Table | None:
            same = not refresh and is_whole_database(file) and _read(file.with_suffix(".json")) == wanted()
            return read(file) if same else None

        def make(file: Path) -> Table:
            now, table = wanted(), build(file)
            _write(file.with_suffix(".json"), now)
            return table

        return made_once(self.folder / f"{name}.sqlite", kept, make)

    def texts(self, fingerprint: str) -> Path:
        """The file for vectors of the graph's own texts, by an encoder of this fingerprint."""
        return self.folder / f"texts-{digest(fingerprint)}.sqlite"

    def remove(self) -> bool:
        """Delete the files; whether there were any."""
        there = self.folder.exists()
        shutil.rmtree(self.folder, ignore_errors=True)
        return there

    def _read(self, name: str) -> dict[str, Any]:
        return next(filter(None, map(_read, places(self.folder / name))), {})


def _schema_record(
    schema: Schema, state: dict[str, Any], left_out: Any, *, scanned: tuple[float, float]
) -> dict[str, Any]:
    """`scanned`: when a look at the whole graph ended, and how long it took, in seconds."""
    about = {"version": VERSION, "left_out": left_out, "read": time.time(), "scanned": scanned}
    return {**state, **about, "schema": schema.to_json()}


def _is_of(record: dict[str, Any], left_out: Any) -> bool:
    """Whether a record of this version holds a schema without this."""
    return record.get("version") == VERSION and record.get("left_out") == left_out


def _plain(value: Any) -> Any:
    """As it is read from JSON."""
    return json.loads(json.dumps(value))


def _read(file: Path) -> dict[str, Any]:
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _write(file: Path, record: dict[str, Any]) -> None:
    with whole(file) as draft:
        draft.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")


def identity(graph: Graph) -> str:
    """What names a database as a login sees it: its own id, else its address and name, and the login, unless that is
    the one that every server has. What one login may see is nothing for another, so they share no files."""
    try:
        text = str(graph.read(query("database_id"))[0]["id"])
    except GraphUnavailable:
        raise
    except (GraphError, LookupError):
        text = f"{graph.address} {graph.database}"
    text += "" if graph.login in ("", ADMINISTRATOR) else f" {graph.login}"
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
