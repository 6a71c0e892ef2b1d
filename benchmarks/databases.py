"""Questions about many relational databases as graphs, without a language model: exact answers by database.

    KGNEO_SPIDER=… python -m benchmarks.databases [DATABASE …] [--each 12] [--seed 0] [--other-words]
        [--terms FOLDER] [--json FILE]

KGNEO_SPIDER names a folder with a folder a database: `graph/`, CSV files with neo4j-admin's headers, and
`questions.jsonl`, of which `each` are drawn (0: all). `--other-words` asks those that have `other_words` in these
words, which the schema does not have. `--terms benchmarks/terms` asks with the file of terms that the folder has for a
database: these were written from the schemas alone (`benchmarks/terms/README.md`). Every graph is loaded anew into one
store, so that nothing is known of it before. What went wrong is told on standard error. Nothing in kgneo may be mended
on single questions of these: their worth is that nobody looked at them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.common import empty, report, scratch_graph, table
from benchmarks.reading import HEADER, Asked, asked, questions_of, rows_of, tell
from kgneo.asking.question import open_context
from kgneo.graph import Graph
from kgneo.graph.load_graph import load_graph
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph
from kgneo.questions import Question, sample
from kgneo.terms.file import read_terms

VARIABLE = "KGNEO_SPIDER"


def fill(graph: Graph, folder: Path) -> None:
    """A database in place of what is there, as `kgneo load` loads it."""
    empty(graph)
    files = open_graph_files([str(folder / "graph")])
    assert isinstance(files, GraphFiles)
    load_graph(graph, read_graph(files), name=folder.name, digest=files.digest())


def questions(folder: Path, *, each: int, seed: int, other_words: bool) -> tuple[Question, ...]:
    """The questions of a database, `each` of them drawn by `seed`; in other words only those that have them."""
    file = folder / "questions.jsonl"
    found = questions_of(file, limit=each or None, seed=seed)
    if not other_words:
        return found
    records = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    words = {str(record.get("id", number)): record.get("other_words") for number, record in enumerate(records, start=1)}
    return sample(
        [replace(item, text=words[item.id]) for item in questions_of(file, limit=None, seed=seed) if words[item.id]],
        each or None,
        seed=seed,
    )


def measure(graph: Graph, folder: Path, drawn: Sequence[Question], terms: Path | None = None) -> Iterator[Asked]:
    """Load a database and ask its questions, with its `terms`; what is wrong is told."""
    fill(graph, folder)
    graph.terms = read_terms(terms) if terms else None
    for item in asked(open_context(graph, report=report), drawn):
        if not item.scores.exact:
            tell(folder.name, item)
        yield item


def terms_of(folder: Path | None, name: str) -> Path | None:
    """The file of terms for a database, where there is one."""
    file = folder / f"{name}.toml" if folder else None
    return file if file and file.is_file() else None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Questions about databases as graphs, without a language model.")
    parser.add_argument("databases", nargs="*", metavar="DATABASE", help="all of them where none is given")
    parser.add_argument("--each", type=int, default=12, metavar="N", help="questions of each database; 0: all")
    parser.add_argument("--seed", type=int, default=0, help="draws the questions")
    parser.add_argument("--other-words", action="store_true", help="ask in words that the schema does not have")
    parser.add_argument("--terms", type=Path, metavar="FOLDER", help="ask with DATABASE.toml of this folder")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the exact answers by database into a file")
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        sys.exit(f"Set {VARIABLE} to the folder of the databases.")
    folders = [folder for folder in sorted(Path(os.environ[VARIABLE]).iterdir()) if (folder / "graph").is_dir()]
    if unknown := set(options.databases) - {folder.name for folder in folders}:
        parser.error(f"there is no database called {', '.join(sorted(unknown))} in {os.environ[VARIABLE]}")
    by_database: dict[str, list[Asked]] = {}
    with scratch_graph("databases") as graph:
        for number, folder in enumerate(folders, start=1):
            if options.databases and folder.name not in options.databases:
                continue
            drawn = questions(folder, each=options.each, seed=options.seed, other_words=options.other_words)
            if not drawn:
                continue
            found = by_database[folder.name] = list(measure(graph, folder, drawn, terms_of(options.terms, folder.name)))
            right = sum(item.scores.exact for item in found)
            report(f"{number}/{len(folders)} {folder.name}: {right:.0f} of {len(found)}")
    everything = [item for found in by_database.values() for item in found]
    table(HEADER, list(rows_of(f"{len(by_database)} databases", everything)))
    if options.json:
        record = {
            name: {item.question.id: bool(item.scores.exact) for item in found} for name, found in by_database.items()
        }
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
