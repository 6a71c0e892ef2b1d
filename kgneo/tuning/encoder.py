"""A sentence encoder tuned on pairs of questions and texts of a graph (`kgneo.tuning.pairs`), by contrast.

Comes in: pairs-train.jsonl and pairs-dev.jsonl of `kgneo tune data`. Goes out, in one folder: `encoder/`, the tuned
encoder as ONNX, which `--encoder` takes on any machine, `model/`, the same for sentence-transformers, and
`figures.json`, how well it finds the right texts of dev, before and after (drawn in `figures.svg`).

A question is drawn to one of its right texts and away from wrong ones of the same entities: the right text's share of
the softmax over cosines divided by TEMPERATURE is to grow (InfoNCE, van den Oord et al. 2018). Of the wrong texts those
count that are nearest to the question before training. How training goes on, ends, and is resumed is in
`kgneo.tuning.trainer`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgneo.encoders.encoder import DEFAULT_ENCODER
from kgneo.encoders.export import export
from kgneo.encoders.onnx import source_of
from kgneo.errors import ModelError
from kgneo.stages.prune import TEMPERATURE
from kgneo.tuning.draw import draw
from kgneo.tuning.pairs import TASKS, Pair, read_pairs
from kgneo.tuning.trainer import ALL, Schedule, libraries, run

__all__ = ["EncoderReport", "EncoderTraining", "Figures", "train_encoder"]

RIGHT = 4
"""Right texts of one question that are learnt at most."""
K = 30
"""Texts among which right ones are looked for: K of KG-RAG."""


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """How to train; see `Schedule`. `negatives` is the number of wrong texts that a question is set against."""

    base: str = DEFAULT_ENCODER
    epochs: float = 1.0
    steps: int | None = None
    batch: int = 16
    learning_rate: float = 2e-5
    negatives: int = 8
    every: int = 50
    seed: int = 0

    @property
    def schedule(self) -> Schedule:
        """What of it any training has."""
        return Schedule(self.epochs, self.steps, self.batch, self.learning_rate, self.every, self.seed)


@dataclass(frozen=True, slots=True)
class Figures:
    """How `pairs` questions find their right texts among the others: the share whose nearest text is right (`first`),
    the mean of 1 / the rank of the first right one (`reciprocal_rank`), and the share of all right texts that are
    among the `K` nearest (`recall`)."""

    pairs: int
    first: float
    reciprocal_rank: float
    recall: float


@dataclass(frozen=True, slots=True)
class EncoderReport:
    """What came out: the folder for `--encoder`, questions learnt, steps done, the loss on dev, and by task the
    figures on dev, before and after."""

    encoder: Path
    pairs: int
    steps: int
    loss_before: float
    loss_after: float
    before: Mapping[str, Figures]
    after: Mapping[str, Figures]


def train_encoder(
    folder: Path, out: Path, training: EncoderTraining, *, report: Callable[[str], None] = lambda _: None
) -> EncoderReport:
    """Tune the encoder `training.base` (a preset, a folder or a hub name) on the pairs in `folder`.

    Raises DataError for pairs that cannot be read, ModelError for an encoder that cannot be tuned.
    """
    learnt, dev = (read_pairs(folder / f"pairs-{part}.jsonl") for part in ("train", "dev"))
    # What the libraries warn each other of is no concern of the user.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        libraries().set_seed(training.seed)
        report(f"loading {training.base}")
        model = _loaded(training.base)
        report(f"{len(learnt):,} pairs, {len(dev):,} dev; looking for hard negatives")
        before = figures(model, dev)
        lessons = [lesson for _, lesson in _lessons(model, learnt, training.negatives)]
        exam: dict[str, list[Lesson]] = {}
        for task, lesson in _lessons(model, dev, training.negatives):
            exam.setdefault(task, []).append(lesson)
        collator = _Collator(model.tokenizer, model.max_seq_length)
        done = run(model, lessons, exam, out, training.schedule, collate=collator, loss=contrastive_loss, report=report)
        after = figures(model, dev)
        model.cpu().eval().save_pretrained(str(out / "model"))
        export(str(out / "model"), out / "encoder")
    found = EncoderReport(out / "encoder", len(learnt), done.steps, done.before[ALL], done.after[ALL], before, after)
    record = {**asdict(found), "encoder": "encoder", "training": asdict(training)}
    (out / "figures.json").write_text(json.dumps(record, indent=1), encoding="utf-8")
    first = ({task: item.first for task, item in measured.items()} for measured in (before, after))
    draw(out / "figures.svg", "nearest text is right", *first)
    return found


def _loaded(base: str) -> Any:
    from sentence_transformers import SentenceTransformer

    source = source_of(base)
    try:
        return SentenceTransformer(source)
    except Exception as error:
        raise ModelError(
            f"the encoder {base!r} cannot be loaded by sentence-transformers: {error}",
            hint="Expected minilm, mpnet, a folder or a hub name of a sentence-transformers model.",
        ) from error


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question with one right text and wrong ones, the nearest first."""

    question: str
    right: str
    wrong: tuple[str, ...]


def _lessons(model: Any, found: Sequence[Pair], negatives: int) -> Iterator[tuple[str, Lesson]]:
    """One for each of the first right texts, with its task, beside the wrong texts that the model as it is takes for
    most like the question."""
    prompts = dict(model.prompts)
    for pair, similarities in zip(found, _similarities(model, found), strict=True):
        order = np.argsort(-similarities[len(pair.right) :], kind="stable")[:negatives]
        wrong = tuple(_text(prompts, pair.wrong[index]) for index in order)
        for right in pair.right[:RIGHT]:
            yield pair.task, Lesson(_question(prompts, pair), _text(prompts, right), wrong)


def _question(prompts: Mapping[str, str], pair: Pair) -> str:
    """As it is encoded: only where triples are looked for, as a query."""
    return prompts.get("query", "") + pair.question if pair.task == "triples" else _text(prompts, pair.question)


def _text(prompts: Mapping[str, str], text: str) -> str:
    return prompts.get("document", "") + text


def figures(model: Any, found: Sequence[Pair]) -> dict[str, Figures]:
    """The figures of pairs, by task."""
    measured: dict[str, list[tuple[float, float, float]]] = {}
    for pair, similarities in zip(found, _similarities(model, found), strict=True):
        # Of equal texts the right one comes last, so that nothing is found by chance.
        order = np.lexsort((np.arange(len(similarities)) < len(pair.right), -similarities))
        ranks = np.sort(np.flatnonzero(order < len(pair.right))) + 1
        measured.setdefault(pair.task, []).append(
            (float(ranks[0] == 1), 1.0 / float(ranks[0]), float((ranks <= K).mean()))
        )
    return {
        task: Figures(len(measured[task]), *(float(value) for value in np.mean(measured[task], axis=0)))
        for task in TASKS
        if task in measured
    }


def _similarities(model: Any, found: Sequence[Pair]) -> Iterator[NDArray[np.float32]]:
    """For each pair how like the question its right and its wrong texts are: the cosine. Each text is encoded once."""
    prompts = dict(model.prompts)
    texts = {
        text
        for pair in found
        for text in (_question(prompts, pair), *(_text(prompts, other) for other in (*pair.right, *pair.wrong)))
    }
    order = {text: row for row, text in enumerate(sorted(texts))}
    vectors = model.encode(list(order), prompt="", normalize_embeddings=True, show_progress_bar=False)
    for pair in found:
        rows = [order[_text(prompts, text)] for text in (*pair.right, *pair.wrong)]
        yield vectors[rows] @ vectors[order[_question(prompts, pair)]]


@dataclass(frozen=True, slots=True)
class _Collator:
    """Makes tensors of lessons: each text once, and which texts each question is compared with, the right one first."""

    tokenizer: Any
    longest: int | None

    def __call__(self, batch: Sequence[Lesson]) -> dict[str, Any]:
        import torch

        texts: dict[str, int] = {}
        for lesson in batch:
            for text in (lesson.question, lesson.right, *lesson.wrong):
                texts.setdefault(text, len(texts))
        tokens = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.longest, return_tensors="pt"
        )
        width = 1 + max(len(lesson.wrong) for lesson in batch)
        compared = torch.full((len(batch), width), -1)
        for row, lesson in enumerate(batch):
            for column, text in enumerate((lesson.right, *lesson.wrong)):
                compared[row, column] = texts[text]
        return {
            "tokens": {key: tokens[key] for key in ("input_ids", "attention_mask")},
            "questions": torch.tensor([texts[lesson.question] for lesson in batch]),
            "compared": compared,
            "labels": torch.zeros(len(batch), dtype=torch.long),
        }


def contrastive_loss(model: Any, inputs: Any, questions: Any) -> Any:
    """The cross entropy of the right text among those that a question is compared with: the sum divided by
    `questions` or, where that is None, by their number."""
    import torch

    vectors = torch.nn.functional.normalize(model(dict(inputs["tokens"]))["sentence_embedding"], dim=-1)
    compared = inputs["compared"]
    cosines = torch.einsum("qd,qtd->qt", vectors[inputs["questions"]], vectors[compared.clamp(min=0)])
    scores = (cosines / TEMPERATURE).masked_fill(compared < 0, float("-inf"))
    summed = torch.nn.functional.cross_entropy(scores, inputs["labels"], reduction="sum")
    return summed / (len(inputs["labels"]) if questions is None else questions)
