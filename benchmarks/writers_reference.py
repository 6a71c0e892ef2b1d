"""Writes triples with the writer of another package, in that package's own environment, and prints the seconds.

    NEO4J_URI=… NEO4J_PASSWORD=… python writers_reference.py graphrag|langchain TRIPLES.tsv

Run by `benchmarks.writers`. Each package is used as its documentation shows it, with what is fast of what it offers:
neo4j-graphrag's writer at its defaults (batches of 1,000), langchain-neo4j's with the label that it has an index for,
and a thousand triples a document.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

Triples = Sequence[tuple[str, str, str]]
DOCUMENT = 1_000
"""Triples of a document."""


def read(file: Path) -> Triples:
    """Triples from lines of three names."""
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        subject, relation, object_ = line.split("\t")
        found.append((subject, relation, object_))
    return found


def graphrag(triples: Triples) -> float:
    """Seconds of neo4j-graphrag's `Neo4jWriter`."""
    import neo4j
    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship

    names = dict.fromkeys(name for one, _, two in triples for name in (one, two))
    graph = Neo4jGraph(
        nodes=[Neo4jNode(id=name, label="Entity", properties={"name": name}) for name in names],
        relationships=[
            Neo4jRelationship(start_node_id=one, end_node_id=two, type=relation) for one, relation, two in triples
        ],
    )
    auth = ("neo4j", os.environ["NEO4J_PASSWORD"])
    with neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=auth) as driver:
        writer = Neo4jWriter(driver)
        start = time.perf_counter()
        written = asyncio.run(writer.run(graph=graph))
        taken = time.perf_counter() - start
    if written.status != "SUCCESS":
        sys.exit(str(written.metadata))
    return taken


def langchain(triples: Triples) -> float:
    """Seconds of langchain-neo4j's `Neo4jGraph.add_graph_documents`."""
    from langchain_neo4j import Neo4jGraph
    from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship

    documents = []
    for start in range(0, len(triples), DOCUMENT):
        part = triples[start : start + DOCUMENT]
        names = dict.fromkeys(name for one, _, two in part for name in (one, two))
        nodes = {name: Node(id=name, type="Entity", properties={"name": name}) for name in names}
        relationships = [Relationship(source=nodes[one], target=nodes[two], type=kind) for one, kind, two in part]
        documents.append(GraphDocument(nodes=list(nodes.values()), relationships=relationships))
    with Neo4jGraph(os.environ["NEO4J_URI"], "neo4j", os.environ["NEO4J_PASSWORD"], refresh_schema=False) as graph:
        began = time.perf_counter()
        graph.add_graph_documents(documents, baseEntityLabel=True)
        return time.perf_counter() - began


def main() -> None:
    """Write, and print how long it took."""
    way, file = sys.argv[1], Path(sys.argv[2])
    print({"graphrag": graphrag, "langchain": langchain}[way](read(file)))


if __name__ == "__main__":
    main()
