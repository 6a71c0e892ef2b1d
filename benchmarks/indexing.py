"""What indexing adds to encoding: `kgneo index` against the encoder alone on the same texts.

    KGNEO_METAQA=… python -m benchmarks.indexing

The first 8,000 triples of MetaQA, in a store of its own; reading, digests, writing, statistics and the vector index
are what is added. The vector index and the embeddings are taken away before each round.
"""

from __future__ import annotations

from itertools import islice

from benchmarks.common import metaqa_folder, paired, report, scratch_graph, table
from kgneo.encoders.encoder import load_encoder
from kgneo.graph import Graph
from kgneo.graph.index import BATCH, build
from kgneo.graph.load import load
from kgneo.graph.shape import LOADED
from kgneo.loader import open_source, read_triples

TRIPLES = 8_000
ROUNDS = 3


def forget(graph: Graph) -> None:
    """Take the embeddings and the vector index away."""
    graph.schema("DROP INDEX kgneo_triples IF EXISTS")
    graph.write("MATCH ()-[r]->() SET r.kgneo_embedding = null, r.kgneo_digest = null")


def main() -> None:
    """Measure and print."""
    encoder = load_encoder(report=report)
    triples = list(islice(read_triples(open_source(metaqa_folder() / "kb.txt")), TRIPLES))
    texts = [loaded.triple.text for loaded in triples]

    def encode() -> None:
        for start in range(0, len(texts), BATCH):
            encoder.encode(texts[start : start + BATCH])

    with scratch_graph("indexing") as graph:
        load(graph, triples, name="benchmark")
        build(graph, encoder, shape=LOADED)

        def index() -> None:
            forget(graph)
            build(graph, encoder, shape=LOADED)

        one, two, ratio = paired(index, encode, rounds=ROUNDS)
    table(("triples", "indexing, s", "encoding alone, s", "ratio"), [(len(texts), one, two, ratio)])


if __name__ == "__main__":
    main()
