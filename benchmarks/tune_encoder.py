"""An encoder tuned on hand-made graphs and invented ones, measured on graphs that it did not see.

    python -m benchmarks.tune_encoder FOLDER [--steps N] [--learning-rate R]

Graphs of triples in memory, without a server: TRAINED are learnt from beside invented graphs, DEV says when to stop,
KEPT_OUT are measured, with the default encoder and the tuned one. Two tables: how well right texts are found among
those of the same entities, by the encoder alone; and where the gold path stands in the ranking of relation paths, which
knows much besides. FOLDER keeps what was made, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer

from benchmarks.common import table
from kgneo.encoders.encoder import load_encoder
from kgneo.encoders.onnx import source_of
from kgneo.english.question import MaskedQuestion
from kgneo.model import RelationPath, Triple
from kgneo.ranking.rank import as_sentences, rank_paths
from kgneo.ranking.vectors import RankingCache
from kgneo.tuning.data import write_jsonl
from kgneo.tuning.encoder import EncoderTraining, figures, train_encoder
from kgneo.tuning.invented import invented_split
from kgneo.tuning.pairs import WRONG, Pair
from tests.path_questions import MemoryGraph, masked

HERE = Path(__file__).resolve().parent
FOLDERS = (HERE.parent / "tests" / "graphs", HERE / "graphs")
TRAINED, DEV, KEPT_OUT = ("music", "science", "codes"), ("recipes",), ("geography", "museum")
INVENTED = 200
HOPS = 3
SEED = 0


def main() -> None:
    """Make pairs, train, measure, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--learning-rate", type=float, default=2e-5)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    learnt = [pair for name in TRAINED for pair in pairs(name)] + invented_split(INVENTED, SEED)[1][0]
    write_jsonl(learnt, given.folder / "pairs-train.jsonl")
    write_jsonl([pair for name in DEV for pair in pairs(name)], given.folder / "pairs-dev.jsonl")
    tuned = given.folder / f"tuned-{given.steps}-{given.batch}-{given.learning_rate:g}"
    if not (tuned / "figures.json").exists():
        start = time.process_time()
        training = EncoderTraining(steps=given.steps, batch=given.batch, learning_rate=given.learning_rate, seed=SEED)
        train_encoder(given.folder, tuned, training, report=lambda line: print(line, flush=True))
        print(f"{(time.process_time() - start) / 60:.1f} minutes of processor time")
    by_encoder(tuned, {name: list(pairs(name, hops=HOPS)) for name in (*KEPT_OUT, *DEV)})
    by_ranking(tuned)


def pairs(name: str, hops: int = 0) -> Iterator[Pair]:
    """The pairs of a graph's own questions about one entity: of paths and of triples. With `hops`, wrong triples are
    all that are so near to the entity, as `retrieve` has them, and none is left out."""
    graph = load(name)
    for question, entity, gold in asked(name):
        paths = {str(path): path for path in leaving(graph, entity)}
        if gold not in paths:
            continue
        others = [path for text, path in paths.items() if text != gold]
        text, right, *wrong = as_sentences(question, [paths[gold], *others], graph.names)
        most = None if hops else WRONG
        yield from pair("path", text, {right}, set(wrong), most)
        along, around = triples(graph, entity, paths[gold])
        around |= candidates(graph, entity, hops)
        yield from pair("triples", question.text, along, around, most)


def pair(task: str, question: str, right: set[str], wrong: set[str], most: int | None) -> Iterator[Pair]:
    """A pair with at most so many wrong texts, the first by their order; none where nothing is wrong."""
    if wrong - right:
        yield Pair(task, question, tuple(sorted(right)), tuple(sorted(wrong - right))[:most])


def candidates(graph: MemoryGraph, entity: str, hops: int) -> set[str]:
    """All triples within so many hops of an entity."""
    found: set[str] = set()
    seen, at_hand = {entity}, {entity}
    for _ in range(hops):
        steps = [(node, hop, end) for node in at_hand for hop, ends in graph.edges[node].items() for end in ends]
        found |= {text_of(graph, node, hop[0], end, forward=hop[1]) for node, hop, end in steps}
        at_hand = {end for _, _, end in steps} - seen
        seen |= at_hand
    return found


def triples(graph: MemoryGraph, entity: str, path: RelationPath) -> tuple[set[str], set[str]]:
    """The triples along a path, and all of the entities on the way."""
    right: set[str] = set()
    around: set[str] = set()
    at_hand = [entity]
    for hop in path.hops:
        for node in at_hand:
            for (relation, forward), ends in graph.edges[node].items():
                texts = {text_of(graph, node, relation, end, forward=forward) for end in ends}
                around |= texts
                right |= texts if (relation, forward) == (hop.relation, hop.forward) else set()
        at_hand = sorted({end for node in at_hand for end in graph.edges[node].get((hop.relation, hop.forward), ())})
    return right, around


def text_of(graph: MemoryGraph, node: str, relation: str, end: str, *, forward: bool) -> str:
    """A triple as it is encoded."""
    subject, object_ = (node, end) if forward else (end, node)
    return Triple(subject, graph.names.get(relation, relation), object_).text


@cache
def load(name: str) -> MemoryGraph:
    """A hand-made graph of triples."""
    file = next(file for folder in FOLDERS for file in (folder / name).glob("*.tsv"))
    found, labels, names = [], dict[str, str](), dict[str, str]()
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            found.append((row["subject"], row["relation"], row["object"]))
            labels |= {row[end]: row[f"{end}_label"] for end in ("subject", "object") if row.get(f"{end}_label")}
            if row.get("label"):
                names[row["relation"]] = row["label"]
    return MemoryGraph(found, labels, names)


@cache
def asked(name: str) -> Sequence[tuple[MaskedQuestion, str, str]]:
    """The questions of a graph about one entity that a path answers, each with the entity and the gold path."""
    graph = load(name)
    file = next(folder / name / "questions.jsonl" for folder in FOLDERS if (folder / name).exists())
    records = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    found = []
    for record in records:
        if len(record["entities"]) == 1 and record["entities"][0] in graph.edges:
            entity, question = record["entities"][0], masked(record["question"])
            labels = (graph.labels[entity],) if entity in graph.labels else ()
            found.append((MaskedQuestion(question.text, question.spans, labels), entity, record["path"]))
    return found


def leaving(graph: MemoryGraph, entity: str) -> list[RelationPath]:
    """The relation paths of up to three hops that leave an entity."""
    return [graph.relation_path(keys, labelled=bool(graph.labels)) for keys in graph.walk(entity)]


def by_encoder(tuned: Path, found: dict[str, list[Pair]]) -> None:
    """How both encoders find right texts, by the cosine alone."""
    rows = []
    for encoder, source in (("default", source_of("minilm")), ("tuned", str(tuned / "model"))):
        model = SentenceTransformer(source)
        for name, made in found.items():
            rows += [
                (name, task, item.pairs, encoder, item.first, item.reciprocal_rank, item.recall)
                for task, item in figures(model, made).items()
            ]
    table(("graph", "pairs", "number", "encoder", "first right", "1 / rank", "recall@30"), sorted(rows))


def by_ranking(tuned: Path) -> None:
    """Where the gold path stands in the ranking of relation paths with both encoders."""
    rows = []
    for encoder, folder in (("default", "minilm"), ("tuned", str(tuned / "encoder"))):
        loaded = load_encoder(folder)
        for name in (*KEPT_OUT, *DEV):
            graph = load(name)
            statistics, kept = graph.statistics(), RankingCache(loaded)
            ranks = []
            for question, entity, gold in asked(name):
                paths = leaving(graph, entity)
                ranked = rank_paths(question, paths, encoder=loaded, statistics=statistics, cache=kept)
                ranks.append(next((n for n, item in enumerate(ranked, start=1) if str(item.path) == gold), len(paths)))
            first, reciprocal = np.mean(np.array(ranks) == 1), np.mean(1 / np.array(ranks))
            rows.append((name, len(ranks), encoder, float(first), float(reciprocal), float(np.mean(ranks))))
    table(("graph", "questions", "encoder", "gold path first", "1 / rank", "mean rank"), sorted(rows))


if __name__ == "__main__":
    main()
