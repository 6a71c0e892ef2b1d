"""What words mean that a schema does not have: the model of `kgneo.reading.likeness`, fitted and measured by graphs.

    KGNEO_SPIDER=… python -m benchmarks.other_words [--fit] [--folds 6] [DATABASE …]

The pairs are made from questions that people wrote twice, once in the schema's words and once in others (the folder of
`benchmarks.databases`): a word that stands in the place of another means the terms of the schema that the other one
shares its root with, and none else; a word that stands in both and shares its root with none means none. Needs no
Neo4j. Prints, by folds of databases, how often the likeliest term is the right one, and how often a word that means
none is taken for one; `--fit` prints the weights that kgneo/reading/likeness.py holds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.common import report, table
from benchmarks.databases import VARIABLE
from kgneo.encoders.encoder import load_encoder
from kgneo.english.names import same_root, same_whole_root, singular
from kgneo.english.synonyms import groups_of
from kgneo.loader import LoadedNode
from kgneo.property_graph import GraphFiles, open_graph_files, read_graph
from kgneo.ranking.vectors import RankingCache
from kgneo.reading.likeness import Likeness, Signs
from kgneo.reading.otherwise import CLOSED
from kgneo.reading.vocabulary import Key, Link, Vocabulary
from kgneo.thesaurus_data import make_thesaurus

TOKEN = re.compile(r"\w+|[^\w\s]")
PENALTY = 0.3
"""What the weights' squares cost, of signs of unit variance."""
HEADER = ("least probability", "right term", "wrong term", "words that mean none, taken for one")


@dataclass(frozen=True)
class Pair:
    """A word of a question and a term of the schema; whether the word means it."""

    database: str
    word: str
    term: str
    signs: Signs
    right: bool


def vocabulary(folder: Path) -> Vocabulary:
    """The names in the files of a graph."""
    files = open_graph_files([str(folder / "graph")])
    assert isinstance(files, GraphFiles)
    labels: dict[str, int] = {}
    links: dict[str, None] = {}
    keys: dict[tuple[str, str], None] = {}
    for item in read_graph(files):
        owners = item.labels if isinstance(item, LoadedNode) else (item.relation,)
        if isinstance(item, LoadedNode):
            labels |= dict.fromkeys(owners, 1)
        else:
            links[item.relation] = None
        keys |= {(owner, key): None for owner in owners for key in item.properties}
    return Vocabulary(labels, tuple(Key(*key) for key in keys), tuple(Link("", name, "") for name in links))


def words(folder: Path) -> dict[str, set[str]]:
    """The words of a database's questions in other words, each with those in whose place it stands."""
    found: dict[str, set[str]] = {}
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        first = TOKEN.findall(record["question"].lower())
        second = TOKEN.findall((record.get("other_words") or record["question"]).lower())
        for kind, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
            before, after = first[a:b], second[c:d]
            if kind == "equal":
                for word in after:
                    found.setdefault(word, set())
            elif kind == "replace":
                for old, new in _aligned(before, after):
                    found.setdefault(new, set()).add(old)
    return found


def _aligned(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Words with those in whose place they stand; of unlike numbers the last ones, and both as phrases."""
    if len(before) == len(after):
        yield from zip(before, after, strict=True)
    else:
        yield before[-1], " ".join(after)
    if len(before) == 2:
        yield " ".join(before), " ".join(after)


def pairs(folder: Path, cache: RankingCache) -> Iterator[Pair]:
    """The pairs of a database."""
    likeness = Likeness(vocabulary(folder), cache, make_thesaurus(report))
    for word, instead in words(folder).items():
        parts = word.split()
        if not all(part.isalpha() and len(part) > 2 and part not in CLOSED for part in (parts[0], parts[-1])):
            continue
        if len(parts) > 1 and not (likeness.thesaurus.senses(word) or groups_of(word)):
            continue
        if any(same_root(word, term) for term in likeness.terms):
            continue
        right = {term for term in likeness.terms for old in instead
                 if same_whole_root(old, term) or singular(old) == term}  # fmt: skip
        if instead and not right:
            continue  # of a name of several words, or of something else
        for term, signs in likeness.signs(word).items():
            yield Pair(folder.name, word, term, signs, term in right)


Numbers = NDArray[np.float64]


def fitted(signs: Numbers, right: Numbers) -> tuple[Numbers, float]:
    """Weights and constant of a logistic regression."""
    mean, spread = signs.mean(axis=0), signs.std(axis=0) + 1e-9
    design = np.column_stack([(signs - mean) / spread, np.ones(len(signs))])

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        likely = 1 / (1 + np.exp(-design @ weights))
        cost = -np.log(np.where(right > 0, likely, 1 - likely) + 1e-12).sum() + PENALTY * (weights[:-1] ** 2).sum()
        return float(cost), design.T @ (likely - right) + 2 * PENALTY * np.append(weights[:-1], 0.0)

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B").x
    return found[:-1] / spread, float(found[-1] - (found[:-1] / spread * mean).sum())


def by_folds(data: Sequence[Pair], folds: int) -> Numbers:
    """The probability of each pair by a fit to the other folds of databases."""
    signs, right = _numbers(data)
    names = sorted({pair.database for pair in data})
    found = np.zeros(len(data))
    for fold in range(folds):
        held = np.array([pair.database in names[fold::folds] for pair in data])
        weights, constant = fitted(signs[~held], right[~held])
        found[held] = 1 / (1 + np.exp(-(signs[held] @ weights + constant)))
    return found


def _numbers(data: Sequence[Pair]) -> tuple[Numbers, Numbers]:
    return np.array([astuple(pair.signs) for pair in data]), np.array([float(pair.right) for pair in data])


def told(data: Sequence[Pair], probabilities: Numbers) -> Iterator[tuple[object, ...]]:
    """Rows of the table: the likeliest term of each word, by the least probability at which it is taken."""
    best: dict[tuple[str, str], tuple[float, bool]] = {}
    means: dict[tuple[str, str], bool] = {}
    for pair, probability in zip(data, map(float, probabilities), strict=True):
        word = pair.database, pair.word
        means[word] = means.get(word, False) or pair.right
        best[word] = max(best.get(word, (0.0, False)), (probability, pair.right))
    some, none = [word for word in best if means[word]], [word for word in best if not means[word]]
    for least in (0.0, 0.15, 0.3, 0.5, 0.7, 0.9):
        taken = [best[word] for word in some if best[word][0] >= least]
        right = sum(is_right for _, is_right in taken)
        others = sum(best[word][0] >= least for word in none)
        yield (f"{least:.2f}", f"{right / len(some):.3f} of {len(some)}",
               f"{(len(taken) - right) / len(some):.3f}", f"{others / len(none):.3f} of {len(none)}")  # fmt: skip


def main() -> None:
    """Measure, and fit where asked."""
    parser = argparse.ArgumentParser(description="What words mean that a schema does not have.")
    parser.add_argument("databases", nargs="*", metavar="DATABASE", help="all of them where none is given")
    parser.add_argument("--folds", type=int, default=6, metavar="N", help="parts of the databases, each left out once")
    parser.add_argument("--fit", action="store_true", help="print the weights that all of them give")
    options = parser.parse_args()
    if VARIABLE not in os.environ:
        sys.exit(f"Set {VARIABLE} to the folder of the databases.")
    folders = [folder for folder in sorted(Path(os.environ[VARIABLE]).iterdir()) if (folder / "graph").is_dir()]
    cache = RankingCache(load_encoder(report=report))
    chosen = [folder for folder in folders if not options.databases or folder.name in options.databases]
    data = [pair for folder in chosen for pair in pairs(folder, cache)]
    table(HEADER, list(told(data, by_folds(data, options.folds))))
    if options.fit:
        weights, constant = fitted(*_numbers(data))
        named = ", ".join(f"{field.name}={weight:.2f}" for field, weight in zip(fields(Signs), weights, strict=True))
        print(f"WEIGHTS = Signs({named})\nCONSTANT = {constant:.2f}")


if __name__ == "__main__":
    main()
