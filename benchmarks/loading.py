"""The structure of MetaQA through Bolt: kgneo's loading against three MERGEs a triple in batches of 1,000.

    KGNEO_METAQA=… python -m benchmarks.loading

Both are idempotent. The reference takes the lines in the file's order, as a plain loader would, with the relation
as a dynamic type. One run of each warms the server up and is not counted.
"""

from __future__ import annotations

from itertools import islice

from benchmarks.common import empty, metaqa_folder, paired, report, scratch_graph, table
from kgneo.graph import Graph
from kgneo.graph.load import load
from kgneo.loader import LoadedTriple, open_source, read_triples

ROUNDS = 5
THREE_MERGES = """
UNWIND $rows AS row
MERGE (s:Entity {name: row[0]})
MERGE (o:Entity {name: row[2]})
MERGE (s)-[:$(row[1])]->(o)
"""


def reference(graph: Graph, triples: list[LoadedTriple]) -> None:
    """Three MERGEs a triple, 1,000 triples a transaction."""
    empty(graph)
    graph.schema("CREATE CONSTRAINT reference FOR (n:Entity) REQUIRE n.name IS UNIQUE")
    rows = iter([loaded.triple.subject, loaded.triple.relation, loaded.triple.object] for loaded in triples)
    while batch := list(islice(rows, 1000)):
        graph.write(THREE_MERGES, rows=batch)


def ours(graph: Graph, triples: list[LoadedTriple]) -> None:
    """kgneo's loading, indexes on names included."""
    empty(graph)
    load(graph, triples, name="benchmark")


def main() -> None:
    """Measure and print."""
    triples = list(read_triples(open_source(metaqa_folder() / "kb.txt")))
    with scratch_graph("loading") as graph:
        report("warming up …")
        ours(graph, triples)
        reference(graph, triples)
        one, two, ratio = paired(lambda: ours(graph, triples), lambda: reference(graph, triples), rounds=ROUNDS)
    table(("triples", "kgneo, s", "three MERGEs, s", "ratio"), [(len(triples), one, two, ratio)])


if __name__ == "__main__":
    main()
