"""Loading into a store that is stopped: through files, by neo4j-admin's import, with the result of the ordinary load.

    refuse_offline(store)            raises where the store is none to load into
    load_offline(store, triples)     triples → CSV files → the import (`kgneo.server.importing`) → constraints, indexes
    load_graph_offline(store, items) the same for a property graph

neo4j-admin takes every entity and every triple once. What occurs more often is brought together in a temporary table on
disk, sorted there, so that memory does not grow with the triples.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kgneo.errors import GraphError
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.graph.import_files import CsvFile, GraphWriter, import_files, unused_character
from kgneo.graph.load import Seen, batches, labels_by_name, make_indexes
from kgneo.graph.load_graph import GraphLoadReport, finish_load
from kgneo.loader import PROGRESS_EVERY, LoadedNode, LoadedRelationship, LoadedTriple, scratch_database
from kgneo.server import RunningServer, start, stop
from kgneo.server.importing import ImportFiles, import_store, refuse_running
from kgneo.server.stores import Store
from kgneo.text import digest, fold

OnProgress = Callable[[int], None]


LEAST_BYTES = 250
"""What a triple, a node or a relationship takes on the disk at the least while it is imported."""


@dataclass(frozen=True, slots=True)
class OfflineReport:
    """`triples` read from the sources; `entities` and `relationships` of the graph that they make."""

    triples: int
    entities: int
    relationships: int


def refuse_offline(store: Path, *, report: Callable[[str], None] = lambda _: None) -> None:
    """Raises ServerError where the server of `store` runs, GraphError where its graph holds anything, which is looked
    at by starting the server for a moment."""
    place = Store(store)
    refuse_running(place)
    if not place.has_data:
        return
    report("The store was used before: looking whether it is empty.")
    running = start(store, report=report)
    try:
        with connect(running) as graph:
            holds = graph.read("MATCH (node) RETURN 1 AS one LIMIT 1")
    finally:
        stop(store)
    if holds:
        raise GraphError(
            f"The store {place.folder} holds a graph already; an offline load fills an empty store only.",
            hint="Load into another one with --store NAME, or leave --offline out, which adds to what is there.",
        )


def connect(running: RunningServer) -> Graph:
    """A connection to a local server."""
    return Graph.connect(running.uri, username=running.username, password=running.password)


def load_offline(
    store: Path,
    triples: Iterable[LoadedTriple],
    *,
    report: Callable[[str], None] = lambda _: None,
    on_progress: OnProgress = lambda _: None,
    on_percent: OnProgress = lambda _: None,
) -> OfflineReport:
    """Make `triples` the graph of a store that is empty (`refuse_offline`) and stopped, as `kgneo.graph.load` would.

    `on_progress` gets the number of triples written to files, `on_percent` how much of the import is done. An
    interruption leaves the store empty. Raises ServerError.
    """
    counts = OfflineReport(0, 0, 0)

    def write(folder: Path) -> ImportFiles:
        nonlocal counts
        counts, files = write_triples(folder, triples, on_progress=on_progress)
        report(f"Importing {counts.entities:,} entities and {counts.relationships:,} relationships with neo4j-admin.")
        return files

    def finish(running: RunningServer) -> None:
        report("Making constraints and indexes.")
        with connect(running) as graph:
            graph.schema(query("load_constraint"))
            make_indexes(graph)

    import_store(store, write, finish, report=report, on_percent=on_percent)
    return counts


def load_graph_offline(
    store: Path,
    items: Iterable[LoadedNode | LoadedRelationship],
    *,
    name: str,
    digest: str,
    report: Callable[[str], None] = lambda _: None,
    on_progress: OnProgress = lambda _: None,
    on_percent: OnProgress = lambda _: None,
) -> GraphLoadReport:
    """The same for a property graph, as `kgneo.graph.load_graph` would load it. Raises GraphError for the name of a
    property or an element of a list that neo4j-admin cannot read."""
    loaded = GraphLoadReport(0, 0)

    def write(folder: Path) -> ImportFiles:
        nonlocal loaded
        writer = GraphWriter(folder)
        for done, item in enumerate(items, start=1):
            writer.write(item)
            if done % PROGRESS_EVERY == 0:
                on_progress(done)
        loaded = GraphLoadReport(writer.nodes, writer.relationships)
        report(f"Importing {loaded.nodes:,} nodes and {loaded.relationships:,} relationships with neo4j-admin.")
        return writer.close()

    def finish(running: RunningServer) -> None:
        with connect(running) as graph:
            finish_load(graph, name=name, digest=digest, report=loaded)

    import_store(store, write, finish, report=report, on_percent=on_percent)
    return loaded


def write_triples(
    folder: Path, triples: Iterable[LoadedTriple], *, on_progress: OnProgress = lambda _: None
) -> tuple[OfflineReport, ImportFiles]:
    """Write `triples` into files of `folder` that neo4j-admin can import."""
    with closing(_Triples()) as table:
        done = 0
        for batch in batches(triples):
            table.add(batch)
            done += len(batch)
            on_progress(done)
        delimiter = unused_character(label for labels in table.label_sets for label in labels)
        nodes = CsvFile(folder / "nodes.csv", ("kgneo_key:ID", "kgneo_folded", "name", ":LABEL"))
        for key, name, labels in table.entities():
            nodes.write((key, digest(fold(name)), name, delimiter.join(("Entity", *labels))))
        relationships = CsvFile(folder / "relationships.csv", (":START_ID", ":TYPE", ":END_ID", "label"))
        for row in table.relationships():
            relationships.write(row)
    return OfflineReport(done, nodes.rows, relationships.rows), import_files([nodes], [relationships], delimiter)


class _Triples:
    """Triples in the order in which they came, given back by entity and by triple, each once."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection = scratch_database()
        self._database.execute("CREATE TABLE entities (key TEXT, name TEXT, labels INT)")
        self._database.execute("CREATE TABLE triples (subject TEXT, relation INT, object TEXT, label TEXT)")
        self._seen = Seen()
        self._relations: dict[str, int] = {}
        self._label_sets: dict[tuple[str, ...], int] = {}

    @property
    def label_sets(self) -> list[tuple[str, ...]]:
        """The sets of labels that entities were given together."""
        return list(self._label_sets)

    def add(self, batch: Sequence[LoadedTriple]) -> None:
        """Keep a batch."""
        new = self._seen.new(labels_by_name(batch))
        for labels, names in new.items():
            number = self._label_sets.setdefault(labels, len(self._label_sets))
            rows = ((digest(name), name, number) for name in names)
            self._database.executemany("INSERT INTO entities VALUES (?, ?, ?)", rows)
        self._seen.add(new)
        self._database.executemany("INSERT INTO triples VALUES (?, ?, ?, ?)", map(self._row, batch))

    def _row(self, loaded: LoadedTriple) -> tuple[str, int, str, str]:
        triple = loaded.triple
        relation = self._relations.setdefault(triple.relation, len(self._relations))
        return digest(triple.subject), relation, digest(triple.object), loaded.relation_label

    def entities(self) -> Iterator[tuple[str, str, list[str]]]:
        """Key, name and labels (sorted) of every entity."""
        sets = self.label_sets
        found = self._database.execute("SELECT key, name, group_concat(DISTINCT labels) FROM entities GROUP BY key")
        for key, name, numbers in found:
            yield key, name, sorted({label for number in numbers.split(",") for label in sets[int(number)]})

    def relationships(self) -> Iterator[tuple[str, str, str, str | None]]:
        """Key of the subject, relation, key of the object and what the relation means, as was said last, if it was."""
        names = list(self._relations)
        found = self._database.execute(
            "SELECT subject, relation, object, label, max(rowid * (label <> '')) FROM triples "
            "GROUP BY subject, relation, object"
        )
        for subject, relation, object_, label, _ in found:
            yield subject, names[relation], object_, label or None

    def close(self) -> None:
        """Remove the tables."""
        self._database.close()
