"""Graphs whose names are codes, without a language model: exact answers by readable names, by codes, and with terms.

    KGNEO_SPIDER=… python -m benchmarks.codes [DATABASE …] [--each 40] [--seed 0]

Each database is loaded as it is, and asked. Then its names are made codes, as such databases have: labels `T0042`,
relationship types `R17`, properties their consonants, `CSTMR_NM`. It is asked again, first as it is, then with a file
of terms that says of each code what it was called before, and what names the nodes of a label. Of the databases with
enough questions and eight kinds of nodes and relationships, four are drawn where none is named.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common import report, scratch_graph, table
from benchmarks.databases import VARIABLE, fill, questions
from benchmarks.reading import Asked, asked, tell
from kgneo.asking.question import open_context
from kgneo.english.names import name_words
from kgneo.graph import Graph
from kgneo.graph.cache import LocalCache
from kgneo.graph.open import known_shape
from kgneo.query.quoting import quote
from kgneo.questions import Question
from kgneo.terms.file import Terms, terms_of

GRAPHS, KINDS = 4, 8


@dataclass(frozen=True)
class Coded:
    """The codes of a graph: of labels, of relationship types, and of the properties of each."""

    labels: dict[str, str]
    relations: dict[str, str]
    keys: dict[str, dict[str, str]]


def code_of(name: str, taken: set[str]) -> str:
    """The first letter and consonants of each word, CSTMR_NM for customerName; with a number where that is taken."""
    words = [word[0] + re.sub(r"[aeiou]", "", word[1:]) for word in name_words(name)]
    code = first = "_".join(word[:5] for word in words).upper()
    number = 2
    while code in taken:
        code, number = f"{first}_{number}", number + 1
    taken.add(code)
    return code


def coded(graph: Graph) -> Coded:
    """Codes for all names of a graph."""
    schema = LocalCache(graph).schema()
    owners: dict[str, set[str]] = {item.name: {key.key for key in item.properties} for item in schema.labels}
    owners |= {item.name: {key.key for key in item.properties} for item in schema.relations}
    return Coded(
        {item.name: f"T{42 + 7 * number:04}" for number, item in enumerate(schema.labels)},
        {item.name: f"R{17 + 3 * number}" for number, item in enumerate(schema.relations)},
        {owner: _codes(sorted(keys)) for owner, keys in owners.items()},
    )


def _codes(keys: Sequence[str]) -> dict[str, str]:
    taken: set[str] = set()
    return {key: code_of(key, taken) for key in keys}


def rename(graph: Graph, codes: Coded) -> None:
    """Give everything in a graph its code."""
    for label, code in codes.labels.items():
        _rename_keys(graph, f"(x:{quote(label)})", codes.keys[label])
        graph.write(f"MATCH (x:{quote(label)}) REMOVE x:{quote(label)} SET x:{quote(code)}")
    for relation, code in codes.relations.items():
        _rename_keys(graph, f"()-[x:{quote(relation)}]->()", codes.keys[relation])
        graph.write(
            f"MATCH (a)-[x:{quote(relation)}]->(b) CREATE (a)-[y:{quote(code)}]->(b) SET y = properties(x) DELETE x"
        )


def _rename_keys(graph: Graph, pattern: str, codes: dict[str, str]) -> None:
    for key, code in codes.items():
        if key != code:
            graph.write(
                f"MATCH {pattern} WHERE x.{quote(key)} IS NOT NULL "
                f"SET x.{quote(code)} = x.{quote(key)} REMOVE x.{quote(key)}"
            )


def terms(codes: Coded, display: dict[str, tuple[str, ...]]) -> Terms:
    """A file that says of each code what it was called before, and what names the nodes of a label."""

    def owner(name: str) -> dict[str, Any]:
        keys = {code: {"name": _words(key)} for key, code in codes.keys[name].items()}
        return {"name": _words(name), "properties": keys}

    labels = {
        code: owner(label) | {"display": [codes.keys[label][key] for key in display.get(label, ())]}
        for label, code in codes.labels.items()
    }
    return terms_of({"labels": labels, "relations": {code: owner(name) for name, code in codes.relations.items()}})


def _words(name: str) -> str:
    return " ".join(name_words(name))


def measure(graph: Graph, folder: Path, drawn: Sequence[Question]) -> Iterator[list[Asked]]:
    """A database asked three times: as it is, in codes, and in codes with terms."""
    graph.terms = None
    fill(graph, folder)
    yield list(asked(open_context(graph), drawn))
    display = dict(known_shape(graph)[1].display)
    codes = coded(graph)
    rename(graph, codes)
    yield list(asked(open_context(graph), drawn))
    graph.terms = terms(codes, display)
    found = list(asked(open_context(graph), drawn))
    for item in found:
        if not item.scores.exact:
            tell(folder.name, item)
    yield found


def fitting(folders: Sequence[Path], each: int) -> list[Path]:
    """Databases with enough questions and kinds of nodes and relationships."""
    found = []
    for folder in folders:
        number = len(questions(folder, each=each, seed=0, other_words=False))
        if number == each and len(list((folder / "graph").iterdir())) >= KINDS:
            found.append(folder)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Graphs whose names are codes, without a language model.")
    parser.add_argument("databases", nargs="*", metavar="DATABASE", help="four are drawn where none is given")
    parser.add_argument("--each", type=int, default=40, metavar="N", help="questions of each database")
    parser.add_argument("--seed", type=int, default=0, help="draws databases and questions")
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        sys.exit(f"Set {VARIABLE} to the folder of the databases.")
    folders = [folder for folder in sorted(Path(os.environ[VARIABLE]).iterdir()) if (folder / "graph").is_dir()]
    chosen = [folder for folder in folders if folder.name in options.databases]
    if not chosen:
        found = fitting(folders, options.each)
        chosen = random.Random(options.seed).sample(found, min(GRAPHS, len(found)))  # noqa: S311 - no secret
    rows: list[list[object]] = []
    with scratch_graph("codes") as graph:
        for folder in chosen:
            drawn = questions(folder, each=options.each, seed=options.seed, other_words=False)
            right = [sum(item.scores.exact for item in found) for found in measure(graph, folder, drawn)]
            rows.append([folder.name, len(drawn), *right])
            report(f"{folder.name}: {right}")
    sums = [sum(float(str(row[at])) for row in rows) for at in range(1, 5)]
    rows.append(["all", *sums])
    rows.append(["of the readable", "", 1.0, *(value / sums[1] for value in sums[2:])])
    table(["database", "questions", "readable", "codes", "codes with terms"], rows)


if __name__ == "__main__":
    main()
