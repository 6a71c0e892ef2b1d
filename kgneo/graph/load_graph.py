"""Loading a property graph: its nodes and relationships, in batches that each take effect whole or not at all.

Nodes and relationships are created as the files have them. The position reached is written in the transaction of each
batch, so that an interrupted load goes on where it stopped and nothing is there twice; the record of a finished load
(`:KgneoLoad`) stays, and the same files are not loaded again. Until the end, nodes bear a label and the digest of their
id, by which relationships find their ends; then both are taken away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import neo4j

from kgneo.errors import GraphError
from kgneo.graph.attach import is_loaded
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.load import BATCH_CHARACTERS, BATCH_TIMEOUT, INDEX_TIMEOUT
from kgneo.loader import LoadedNode, LoadedRelationship, NodeKey
from kgneo.text import digest

BATCH_ITEMS = 10_000
LABEL = "KgneoLoading"
OTHER_STORE = "Load it into a store of its own with --store NAME."


@dataclass(frozen=True, slots=True)
class GraphLoadReport:
    """`nodes` and `relationships` of the files, of which `resumed` were in the graph from an interrupted load;
    `loaded_before`: all were, and nothing was written."""

    nodes: int
    relationships: int
    resumed: int = 0
    loaded_before: bool = False


def load_graph(
    graph: Graph,
    items: Iterable[LoadedNode | LoadedRelationship],
    *,
    name: str,
    digest: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> GraphLoadReport:
    """Write nodes, then relationships, going on where an interrupted load of the same files stopped.

    `name` is what the files are called, `digest` their bytes (`GraphFiles.digest`). `on_progress` gets the number of
    nodes and relationships done after each batch. Raises GraphError where the graph holds triples that kgneo loaded,
    other files of the same name, or a load that was interrupted, and where the server refuses.
    """
    records = {row["digest"]: row for row in graph.read(query("load_graph_begin"))}
    record = records.pop(digest, None)
    if record and record["finished"]:
        if graph.read(query("load_holds")):
            return GraphLoadReport(record["nodes"], record["relationships"], 0, loaded_before=True)
        record = None  # somebody emptied the graph
    _refuse(graph, name, records.values())
    graph.schema(query("load_graph_constraint"))
    graph.read(query("await_indexes"), seconds=INDEX_TIMEOUT, timeout=INDEX_TIMEOUT)
    counts = {LoadedNode: 0, LoadedRelationship: 0}

    def counted() -> Iterator[LoadedNode | LoadedRelationship]:
        for item in items:
            counts[type(item)] += 1
            yield item

    remaining = counted()
    resumed = int(record["position"]) if record else 0
    done = sum(1 for _ in islice(remaining, resumed))
    on_progress(done)
    for batch in _batches(remaining):
        done += len(batch)
        _write(graph, batch, {"digest": digest, "name": name, "position": done})
        on_progress(done)
    graph.schema(query("load_graph_finish"))
    graph.schema(query("load_graph_drop"))
    report = GraphLoadReport(counts[LoadedNode], counts[LoadedRelationship], resumed)
    finish_load(graph, name=name, digest=digest, report=report)
    return report


def _refuse(graph: Graph, name: str, others: Iterable[Mapping[str, Any]]) -> None:
    """Raises GraphError where the graph is none to load these files into."""
    for other in others:
        if not other["finished"]:
            hint = f"Load {other['name'] or 'it'} again, which goes on where it stopped; or use another store: --store."
            raise GraphError(f"Loading {other['name'] or 'triples'} into this graph was interrupted.", hint=hint)
        if other["name"] == name:
            message = f"The graph holds {name} already, and the file has changed since it was loaded."
            hint = f"Its nodes would be there twice. {OTHER_STORE} To add it all the same, give it another name."
            raise GraphError(message, hint=hint)
    if is_loaded(graph):
        if graph.read(query("load_holds")):
            message = f"The graph holds triples that kgneo loaded, and {name} is a property graph."
            raise GraphError(message, hint=f"The two are asked in different ways. {OTHER_STORE}")
        graph.schema(fill("constraint_drop", name="kgneo_entity_key"))  # of triples that are gone


def finish_load(graph: Graph, *, name: str, digest: str, report: GraphLoadReport) -> None:
    """Write down that the files of this digest are in the graph to their end."""
    position = report.nodes + report.relationships
    graph.write(query("load_graph_position"), digest=digest, name=name, position=position)
    graph.write(query("load_graph_finished"), digest=digest, nodes=report.nodes, relationships=report.relationships)


def _batches(
    items: Iterator[LoadedNode | LoadedRelationship],
) -> Iterator[list[LoadedNode | LoadedRelationship]]:
    batch: list[LoadedNode | LoadedRelationship] = []
    characters = 0
    for item in items:
        if batch and type(item) is not type(batch[0]):  # ends must be there before what joins them
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += sum(len(value) for value in item.properties.values() if isinstance(value, str | list))
        if len(batch) >= BATCH_ITEMS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _write(graph: Graph, batch: list[LoadedNode | LoadedRelationship], position: Mapping[str, Any]) -> None:
    """One transaction: nodes or relationships, and the position that they bring the load to."""
    grouped: dict[str, list[dict[str, Any]]] = defaultdict(list)
    expected = 0
    for item in batch:
        if isinstance(item, LoadedNode):
            row = {"id": None if item.key is None else key_digest(item.key), "properties": item.properties}
            grouped[fill("load_graph_nodes", labels=(LABEL, *item.labels))].append(row)
        else:
            row = {"start": key_digest(item.start), "end": key_digest(item.end), "properties": item.properties}
            grouped[fill("load_graph_relationships", relation=item.relation)].append(row)
            expected += 1

    def work(transaction: neo4j.ManagedTransaction) -> None:
        created = 0
        for text, rows in grouped.items():
            created += transaction.run(text, rows=rows).consume().counters.relationships_created
        if created != expected:
            message = f"{expected - created:,} of {expected:,} relationships found no ends: the graph was changed."
            raise GraphError(message, hint=f"Begin again with an empty graph. {OTHER_STORE}")
        transaction.run(query("load_graph_position"), **position).consume()

    graph.write_all(work, timeout=max(graph.timeout, BATCH_TIMEOUT))


def key_digest(key: NodeKey) -> str:
    """What stands for the key of a node while its graph is loaded."""
    return digest(f"{key.space}\0{key.id}")
