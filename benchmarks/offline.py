"""The structure of MetaQA through Bolt, against neo4j-admin's offline import of the same triples.

    KGNEO_METAQA=… python -m benchmarks.offline

Ours checks, folds and digests names, and makes the indexes by which they are found; the reference imports nodes and
relationships into a stopped store from CSV files that are there, and makes no index. Its Java starts anew each time.
"""

from __future__ import annotations

import csv
import statistics
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import Line, empty, metaqa_folder, scratch_graph, seconds
from kgneo.graph.load import load
from kgneo.loader import LoadedTriple, open_source, read_triples
from kgneo.server import start, stop
from kgneo.server.importing import ImportFiles, run_import
from kgneo.server.stores import Store

ROUNDS = 3
WARMING = 20_000
"""Triples of a first load, which does not count."""
FILES = ImportFiles(("nodes.csv",), ("relationships.csv",))


def write_csv(folder: Path, triples: Iterable[LoadedTriple]) -> None:
    """Nodes and relationships, as neo4j-admin reads them."""
    numbers: dict[str, int] = {}
    with (folder / "relationships.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([":START_ID", ":TYPE", ":END_ID"])
        for loaded in triples:
            one, relation, two = loaded.triple.subject, loaded.triple.relation, loaded.triple.object
            ends = [numbers.setdefault(name, len(numbers)) for name in (one, two)]
            writer.writerow([ends[0], relation, ends[1]])
    with (folder / "nodes.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([":ID", "name", ":LABEL"])
        writer.writerows([number, name, "Entity"] for name, number in numbers.items())


def lines(*, quick: bool) -> list[Line]:
    """Both ways in turn."""
    triples = list(read_triples(open_source(metaqa_folder() / "kb.txt")))
    with TemporaryDirectory(prefix="kgneo-offline-") as name, scratch_graph("offline") as graph:
        folder, store = Path(name), Store((Path(name) / "store").resolve())
        write_csv(folder, triples)
        version = start(store.folder, heap="512m", page_cache="64m").version
        stop(store.folder)

        def ours(part: Sequence[LoadedTriple] = triples) -> float:
            empty(graph)
            return seconds(lambda: load(graph, part, name="benchmark"))

        ours(triples[:WARMING])
        rounds = range(1 if quick else ROUNDS)
        pairs = [(ours(), seconds(lambda: run_import(store, version, folder, FILES))) for _ in rounds]
    one, two = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(first / second for first, second in pairs)
    what = f"structure of {len(triples):,} triples through Bolt"
    return [Line(what, "neo4j-admin's offline import", one, two, "s", ratio, 1.3)]


if __name__ == "__main__":
    print(*lines(quick="--quick" in sys.argv[1:]), sep="\n")
