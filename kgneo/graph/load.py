"""Loading: triples into the graph, in batches that each take effect whole or not at all.

`(:Entity {name})-[relation]->(:Entity {name})`, relation names as the source has them. Two checks make loading
safe to repeat: MERGE on entities (by the digest of their name) and on relationships, and the position of the
last batch, which is written in the batch's own transaction.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import neo4j

from kgneo.errors import GraphError
from kgneo.graph.attach import is_loaded
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import fill, query
from kgneo.graph.shape import is_own
from kgneo.loader import LoadedTriple, Source
from kgneo.text import LONGEST_INDEXED, digest, fold

BATCH_TRIPLES = 10_000
BATCH_CHARACTERS = 4_000_000
"""A batch is closed at the first of the two, so that a transaction's memory is bounded for long names too."""
LEAST_BYTES = 200
"""What a triple takes on a local server's disk at the least, with its part of the log; a node or relationship, too."""
SEEN = 500_000
"""Entities that are remembered as written, so that they are not sent again; the oldest are forgotten first."""
INDEX_TIMEOUT = 3600
"""Seconds to wait for indexes on names to be built."""
BATCH_TIMEOUT = 600


@dataclass(frozen=True, slots=True)
class LoadReport:
    """`triples` read from the source, of which `resumed` were in the graph from an interrupted load;
    `entities` and `relationships` are how many are new in the graph."""

    triples: int
    resumed: int
    entities: int
    relationships: int


def source_digest(source: Source) -> str:
    """Names a source by its bytes."""
    content = hashlib.blake2b(digest_size=16)
    with source.open() as stream:
        while block := stream.read(1 << 20):
            content.update(block)
    return content.hexdigest()


def load(
    graph: Graph,
    triples: Iterable[LoadedTriple],
    *,
    name: str,
    on_progress: Callable[[int], None] = lambda _: None,
) -> LoadReport:
    """Write `triples`, going on where an interrupted load of the same `name` (`source_digest`) stopped.

    `on_progress` gets the number of triples done after each batch. Raises GraphError where the graph holds a
    property graph, and when the server refuses.
    """
    _refuse_property_graph(graph)
    graph.schema(query("load_constraint"))
    rows = graph.read(query("load_resume"), digest=name)
    resumed = int(rows[0]["position"]) if rows else 0
    remaining = iter(triples)
    done = sum(1 for _ in islice(remaining, resumed))
    on_progress(done)
    writer = _Writer(graph)
    for batch in batches(remaining):
        done += len(batch)
        writer.write(batch, name, done)
        on_progress(done)
    _finish(graph, name)
    return LoadReport(done, resumed, writer.entities, writer.relationships)


def _refuse_property_graph(graph: Graph) -> None:
    if is_loaded(graph) or not (rows := graph.read(query("load_holds"))):
        return
    shown = ":".join(label for label in rows[0]["labels"] if not is_own(label))
    raise GraphError(
        f"The graph holds a property graph{f' (nodes :{shown})' if shown else ''}, and these are triples.",
        hint="The two are asked in different ways. Load the triples into a store of their own with --store NAME.",
    )


def _finish(graph: Graph, name: str) -> None:
    graph.write(query("load_finish"), digest=name)
    make_indexes(graph)


def make_indexes(graph: Graph) -> None:
    """The indexes by which entities are found. Building them at once is faster than keeping them up to date with every
    batch."""
    graph.schema(query("load_folded_index"))
    graph.schema(query("load_fulltext_index"))
    if not graph.read(query("load_long_names"), longest=LONGEST_INDEXED):
        graph.schema(query("load_name_index"))
    graph.read(query("await_indexes"), seconds=INDEX_TIMEOUT, timeout=INDEX_TIMEOUT)


def batches(triples: Iterable[LoadedTriple]) -> Iterator[list[LoadedTriple]]:
    """The triples in lists that memory holds."""
    batch: list[LoadedTriple] = []
    characters = 0
    for loaded in triples:
        batch.append(loaded)
        characters += len(loaded.triple.subject) + len(loaded.triple.object)
        if len(batch) >= BATCH_TRIPLES or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


class Seen:
    """Remembers the last so many entities with the labels they were given."""

    def __init__(self) -> None:
        self._labels: OrderedDict[str, frozenset[str]] = OrderedDict()

    def new(self, labels_by_name: dict[str, set[str]]) -> dict[tuple[str, ...], list[str]]:
        """Names that are not known with all of these labels, grouped by set of labels (sorted)."""
        grouped: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, labels in labels_by_name.items():
            known = self._labels.get(name)
            if known is None or not labels <= known:
                grouped[tuple(sorted(labels))].append(name)
        return grouped

    def add(self, grouped: dict[tuple[str, ...], list[str]]) -> None:
        """Remember what `new` gave as written."""
        for labels, names in grouped.items():
            for name in names:
                self._labels[name] = self._labels.pop(name, frozenset()) | frozenset(labels)
        while len(self._labels) > SEEN:
            self._labels.popitem(last=False)


class _Writer:
    """Writes batches and counts what is new."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.entities = 0
        self.relationships = 0
        self.seen = Seen()
        self.indexed_names = True

    def write(self, batch: Sequence[LoadedTriple], name: str, position: int) -> None:
        """One transaction: the entities and relationships of `batch`, and the position it brings `name` to."""
        new = self.seen.new(labels_by_name(batch))
        self._make_room(new)
        entities = {labels: [_entity(text) for text in names] for labels, names in new.items()}
        rows_by_relation = _rows(batch)
        counts = [0, 0]

        def work(transaction: neo4j.ManagedTransaction) -> None:
            counts[:] = [0, 0]  # the driver calls this again after a transient fault
            for labels, rows in entities.items():
                text = fill("load_entities", labels=("Entity", *labels))
                counts[0] += transaction.run(text, entities=rows).consume().counters.nodes_created
            for (relation, label), groups in rows_by_relation.items():
                text = fill("load_relationships_labelled" if label else "load_relationships", relation=relation)
                counters = transaction.run(text, rows=groups, label=label).consume().counters
                counts[1] += counters.relationships_created
            transaction.run(query("load_position"), digest=name, position=position).consume()

        self.graph.write_all(work, timeout=max(self.graph.timeout, BATCH_TIMEOUT))
        self.entities += counts[0]
        self.relationships += counts[1]
        self.seen.add(new)

    def _make_room(self, new: dict[tuple[str, ...], list[str]]) -> None:
        longest = max((len(name) for names in new.values() for name in names), default=0)
        if self.indexed_names and longest > LONGEST_INDEXED:
            self.graph.schema(query("load_name_index_drop"))
            self.indexed_names = False


def _entity(name: str) -> dict[str, str]:
    return {"key": digest(name), "folded": digest(fold(name)), "name": name}


def labels_by_name(batch: Sequence[LoadedTriple]) -> dict[str, set[str]]:
    """The entities of a batch, each with the labels that it is given there."""
    labels: dict[str, set[str]] = defaultdict(set)
    for loaded in batch:
        labels[loaded.triple.subject].update(loaded.subject_labels)
        labels[loaded.triple.object].update(loaded.object_labels)
    return labels


def _rows(batch: Sequence[LoadedTriple]) -> dict[tuple[str, str], list[dict[str, object]]]:
    """The batch by relation and its label, each as rows of one subject with all its objects."""
    grouped: dict[tuple[str, str], dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for loaded in batch:
        triple = loaded.triple
        grouped[triple.relation, loaded.relation_label][digest(triple.subject)][digest(triple.object)] = None
    return {
        relation: [{"subject": subject, "objects": list(objects)} for subject, objects in subjects.items()]
        for relation, subjects in grouped.items()
    }
