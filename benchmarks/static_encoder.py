"""The static encoder (`--encoder fast`) against the full one that it is distilled from: speed, and gold triples found.

    python -m benchmarks.static_encoder [FOLDER …]

Speed: the same texts of triples by both, in turn. Recall: of the triples on a question's gold relation path, the share
among the 30 that are nearest to the question of all triples within as many hops as the path has, each scored. A folder
has a `.tsv` of triples and `questions.jsonl`; without folders, all such of benchmarks/graphs. Where
KGNEO_METAQA is set, dev questions of MetaQA, too, of one and two hops, drawn by a seed, with at most 3,000 candidates
each. Graphs are held in memory: no server takes part.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.common import Line, metaqa_folder, report, seconds, table
from kgneo.encoders.encoder import Encoder, load_encoder
from kgneo.loader import open_source, read_triples
from kgneo.model import Triple
from kgneo.questions import Question, reader

GRAPHS = Path(__file__).resolve().parent / "graphs"
FULL_TEXTS, STATIC_TEXTS = 1_024, 51_200
ROUNDS = 3
TOP = 30
DRAWN = 60
"""Questions of MetaQA for each number of hops."""
MOST = 3_000
"""Candidates that are scored for one of them."""


@dataclass(frozen=True)
class Asked:
    """A question without brackets, its candidates, and which of them are on its gold path."""

    text: str
    candidates: tuple[Triple, ...]
    gold: frozenset[Triple]


class Memory:
    """Triples by their nodes."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self.of_node: dict[str, list[Triple]] = defaultdict(list)
        for triple in dict.fromkeys(triples):
            self.of_node[triple.subject].append(triple)
            self.of_node[triple.object].append(triple)

    def candidates(self, entities: Sequence[str], hops: int) -> tuple[Triple, ...]:
        """The triples within `hops` of the entities."""
        found: dict[Triple, None] = {}
        frontier = set(entities)
        for _ in range(hops):
            here = [triple for node in frontier for triple in self.of_node.get(node, ())]
            found.update(dict.fromkeys(here))
            frontier = {node for triple in here for node in (triple.subject, triple.object)}
        return tuple(found)

    def gold(self, question: Question) -> frozenset[Triple]:
        """The triples on all walks along the question's path from its entities to its answers."""
        assert question.path is not None
        walks: list[tuple[str, tuple[Triple, ...]]] = [(name, ()) for name in question.entities]
        for hop in question.path.hops:
            walks = [
                (triple.object if hop.forward else triple.subject, (*walked, triple))
                for node, walked in walks
                for triple in self.of_node.get(node, ())
                if triple.relation == hop.relation and node == (triple.subject if hop.forward else triple.object)
            ]
        return frozenset(chain.from_iterable(walked for node, walked in walks if node in question.answers))


def asked(memory: Memory, questions: Iterable[Question]) -> Iterator[Asked]:
    """Those questions that a path of relations from one entity answers."""
    for question in questions:
        if question.path is None or len(question.entities) != 1 or not (gold := memory.gold(question)):
            continue
        text = question.text.replace("[", "").replace("]", "")
        yield Asked(text, memory.candidates(question.entities, len(question.path)), gold)


def hand_made(folders: Sequence[Path]) -> Iterator[tuple[str, list[Asked]]]:
    """The questions about each folder's graph."""
    for folder in folders:
        memory = Memory(loaded.triple for loaded in read_triples(open_source(next(folder.glob("*.tsv")))))
        questions = reader("jsonl").read(folder / "questions.jsonl", split="", variant="", question_hops=())
        yield folder.name, list(asked(memory, chain.from_iterable(questions.parts.values())))


def metaqa() -> Iterator[tuple[str, list[Asked]]]:
    """Dev questions about MetaQA, by their hops."""
    memory = Memory(loaded.triple for loaded in read_triples(open_source(metaqa_folder() / "kb.txt")))
    found = reader("metaqa").read(metaqa_folder(), split="dev", variant="vanilla", question_hops=(1, 2))
    for hops, questions in found.parts.items():
        drawn = random.Random(0).sample(questions, len(questions))  # noqa: S311 - no secret
        few = (item for item in asked(memory, drawn) if TOP < len(item.candidates) <= MOST)
        yield f"MetaQA, {hops} hops", [item for item, _ in zip(few, range(DRAWN), strict=False)]


def recall(encoder: Encoder, questions: Sequence[Asked]) -> float:
    """The mean share of gold triples among the nearest, where more than that many are candidates."""
    texts = list(dict.fromkeys(triple.text for item in questions for triple in item.candidates))
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    shares = []
    for item in questions:
        question = encoder.encode([item.text], query=True)[0]
        scores = np.stack([vectors[triple.text] for triple in item.candidates]) @ question
        nearest = {item.candidates[row] for row in np.argsort(-scores, kind="stable")[:TOP]}
        shares.append(len(nearest & item.gold) / min(TOP, len(item.gold)))
    return statistics.mean(shares)


def texts_of_triples(number: int) -> list[str]:
    """Texts of MetaQA's triples, or of made ones."""
    if "KGNEO_METAQA" in os.environ:
        source = read_triples(open_source(metaqa_folder() / "kb.txt"))
        return [loaded.triple.text for loaded, _ in zip(source, range(number), strict=False)]
    return [Triple(f"The Film Number {row}", "directed_by", f"Person {row % 977}").text for row in range(number)]


def lines(*, quick: bool) -> list[Line]:
    """Triples a second, both in turn."""
    full, static = load_encoder(report=report), load_encoder("fast", report=report)
    texts = texts_of_triples(STATIC_TEXTS)
    full.encode(texts[:64])
    static.encode(texts[:64])
    pairs = [
        (
            STATIC_TEXTS / seconds(lambda: static.encode(texts)),
            FULL_TEXTS / seconds(lambda: full.encode(texts[:FULL_TEXTS])),
        )
        for _ in range(1 if quick else ROUNDS)
    ]
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(one / two for one, two in pairs)
    return [
        Line("encoding by `fast`, triples a second", "the full encoder", ours, theirs, "/s", ratio, 50, at_least=True)
    ]


def main() -> None:
    """Measure and print."""
    folders = [Path(name) for name in sys.argv[1:]]
    folders = folders or sorted(file.parent for file in GRAPHS.glob("*/triples.tsv"))
    print(*lines(quick=False), sep="\n")
    encoders = [load_encoder(report=report), load_encoder("fast", report=report)]
    sets = [*hand_made(folders), *(metaqa() if "KGNEO_METAQA" in os.environ else ())]
    rows = []
    for name, questions in sets:
        far = [item for item in questions if len(item.candidates) > TOP]
        if far:
            report(f"{name}: {len(far)} questions …")
            middle = statistics.median(len(item.candidates) for item in far)
            rows.append((name, len(far), int(middle), *(recall(encoder, far) for encoder in encoders)))
    table(("questions about", "number", "candidates, median", "recall@30, full", "recall@30, fast"), rows)


if __name__ == "__main__":
    main()
