"""An encoder tuned on hand-made graphs, measured on some that it did not see, beside the default one.

    python -m benchmarks.tune_encoder FOLDER [--kept-out GRAPH …] [--steps N]

Pairs are made of each hand-made graph, its questions.jsonl and generated questions; those of the kept-out graphs, of
their own questions alone, are for measuring. FOLDER keeps all of it, so that what was done is not done again. Two
tables: how well right texts are found among those of the same entities, and how many questions `paths` answers rightly.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from sentence_transformers import SentenceTransformer

from benchmarks.common import empty, scratch_graph, table
from benchmarks.hand_made import FILES, GRAPHS, fill, rows_of
from kgneo.asking import open_context
from kgneo.embedding_onnx import source_of
from kgneo.errors import DataError
from kgneo.questions import Question, read_labelled
from kgneo.tuning.data import split, write_jsonl
from kgneo.tuning.encoder import EncoderTraining, figures, train_encoder
from kgneo.tuning.from_graph import pairs_from_graph
from kgneo.tuning.invented import invented_split
from kgneo.tuning.pairs import Pair, read_pairs

SEED = 0
KEPT_OUT = ("library", "museum")


def main() -> None:
    """Make pairs, train, measure, print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kept-out", nargs="*", default=list(KEPT_OUT))
    parser.add_argument("--questions", type=int, default=20, help="generated ones of each graph")
    parser.add_argument("--invented", type=int, default=400, help="questions of invented graphs beside them")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--learning-rate", type=float, default=2e-5)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if not (given.folder / "pairs-dev.jsonl").exists():
        make(given.folder, given.kept_out, given.questions, given.invented)
    tuned = given.folder / f"tuned-{given.steps}-{given.learning_rate:g}"
    if not (tuned / "figures.json").exists():
        training = EncoderTraining(steps=given.steps, learning_rate=given.learning_rate, every=50, seed=SEED)
        train_encoder(given.folder, tuned, training, report=print)
    measure(given.folder, tuned, given.kept_out)
    ask(tuned, given.kept_out)


def make(folder: Path, kept_out: Sequence[str], questions: int, invented: int) -> None:
    """The pairs of all graphs, of invented ones, too, into `folder`."""
    found: list[Pair] = []
    with scratch_graph("tune-encoder") as graph:
        for place in sorted(path for graphs in GRAPHS for path in graphs.iterdir() if (path / FILES[0]).exists()):
            empty(graph)
            fill(graph, place)
            own = own_questions(place / FILES[0])
            out = place.name in kept_out
            made = pairs_from_graph(open_context(graph), questions=0 if out else questions, seed=SEED, own=own)
            print(place.name, len(own), len(made), flush=True)
            if out:
                write_jsonl(made, folder / f"{place.name}.jsonl")
            else:
                found += made
    train, dev = split(found, SEED)
    write_jsonl([*train, *(invented_split(invented, SEED)[1][0] if invented else ())], folder / "pairs-train.jsonl")
    write_jsonl(dev, folder / "pairs-dev.jsonl")


def own_questions(file: Path) -> tuple[Question, ...]:
    """The questions of a file; none where it is not in the form that users write (paths of a form of their own)."""
    try:
        return read_labelled(file)
    except DataError as error:
        print(f"left out: {error}", file=sys.stderr)
        return ()


def measure(folder: Path, tuned: Path, kept_out: Sequence[str]) -> None:
    """How both encoders find the right texts of the kept-out graphs."""
    rows = []
    for name, source in (("default", source_of("minilm")), ("tuned", str(tuned / "model"))):
        model = SentenceTransformer(source)
        for place in kept_out:
            for task, found in figures(model, read_pairs(folder / f"{place}.jsonl")).items():
                rows.append((place, task, found.pairs, name, found.first, found.reciprocal_rank, found.recall))
    table(("graph", "pairs", "number", "encoder", "first right", "1 / rank", "recall@30"), sorted(rows))


def ask(tuned: Path, kept_out: Sequence[str]) -> None:
    """How many questions of the kept-out graphs `paths` answers rightly with both."""
    rows = []
    with scratch_graph("tune-encoder") as graph:
        for place in sorted(path for graphs in GRAPHS for path in graphs.iterdir() if path.name in kept_out):
            for name, encoder in (("default", "minilm"), ("tuned", str(tuned / "encoder"))):
                empty(graph)
                fill(graph, place, encoder)
                context = open_context(graph, encoder=encoder)
                for file in FILES:
                    kinds = [row for row in rows_of(context, place, file, "") if row[2] == "all"]
                    rows += [(place.name, file, row[3], name, row[4]) for row in kinds]
    table(("graph", "questions", "number", "encoder", "right"), rows)


if __name__ == "__main__":
    main()
