"""The way in which a model is trained, whatever it learns: checkpoints, the loss on dev, and what the user hears.

The loss on dev is measured as training goes on; it ends when that no longer falls, and the best state is kept. What
was interrupted goes on at its last checkpoint. A GPU is used where PyTorch sees one, else the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgneo.errors import ModelError
from kgneo.extras import how_to_install

__all__ = ["ALL", "Schedule", "Trained", "libraries", "run"]

CHECKPOINTS = "checkpoints"
WARM_UP = 10
"""Steps until the learning rate is the highest."""
ALL = "all"
PATIENCE = 3
"""Measurements on dev without a lower loss after which training ends."""
Loss = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast. `steps` None: `epochs` passes over the data. `batch` items a step; `every` is the number
    of steps between measurements on dev."""

    epochs: float
    steps: int | None
    batch: int
    learning_rate: float
    every: int
    seed: int


@dataclass(frozen=True, slots=True)
class Trained:
    """Steps done, and the loss on dev by task, before and after."""

    steps: int
    before: Mapping[str, float]
    after: Mapping[str, float]


def libraries() -> Any:
    """The module transformers. Raises ModelError where it, peft or accelerate is missing."""
    try:
        import accelerate  # noqa: F401 - the trainer of transformers needs it
        import peft  # noqa: F401
        import transformers
    except ImportError as error:
        raise ModelError(
            f"tuning needs peft, accelerate and transformers, one of which cannot be imported: {error}",
            hint=how_to_install("tune"),
        ) from error
    return transformers


def run(
    model: Any,
    learnt: Sequence[Any],
    dev: Mapping[str, Sequence[Any]],
    out: Path,
    schedule: Schedule,
    *,
    collate: Callable[[Sequence[Any]], dict[str, Any]],
    loss: Loss,
    report: Callable[[str], None],
) -> Trained:
    """Train `model`, with the checkpoints in a folder of `out`; in the end it is in its best state.

    `dev` is by task. `collate` makes tensors of some items, among them `labels`; `loss` gets the model, these, and what
    the sum is to be divided by (None: their own number of labels).
    """
    transformers = libraries()
    exam = [item for part in dev.values() for item in part]
    trainer = _trainer(transformers, model, learnt, exam, out, schedule, collate, loss)
    trainer.remove_callback(transformers.PrinterCallback)  # it prints on standard output
    trainer.add_callback(_progress(transformers, report))
    before = _losses(trainer, dev)
    checkpoint = _last_checkpoint(out)
    if checkpoint:
        report(f"going on at {checkpoint.name}")
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    return Trained(int(trainer.state.global_step), before, _losses(trainer, dev))


def _losses(trainer: Any, dev: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    """The loss on each part of dev, and on all of it under ALL."""
    found = {
        task: float(
            trainer.evaluation_loop(trainer.get_eval_dataloader(list(part)), description=task).metrics["eval_loss"]
        )
        for task, part in sorted(dev.items())
    }
    return {**found, ALL: sum(found[task] * len(part) for task, part in dev.items()) / sum(map(len, dev.values()))}


def _trainer(
    transformers: Any,
    model: Any,
    learnt: Sequence[Any],
    dev: Sequence[Any],
    out: Path,
    schedule: Schedule,
    collate: Callable[[Sequence[Any]], dict[str, Any]],
    loss_of: Loss,
) -> Any:
    import torch

    class Trainer(transformers.Trainer):  # type: ignore[misc,unused-ignore]
        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            loss = loss_of(model, inputs, num_items_in_batch)
            return (loss, {"loss": loss}) if return_outputs else loss

    arguments = transformers.TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        per_device_train_batch_size=schedule.batch,
        per_device_eval_batch_size=schedule.batch,
        num_train_epochs=schedule.epochs,
        max_steps=schedule.steps or -1,
        learning_rate=schedule.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=WARM_UP,
        remove_unused_columns=False,
        label_names=["labels"],
        prediction_loss_only=True,
        use_cpu=not torch.cuda.is_available(),
        eval_strategy="steps",
        eval_steps=schedule.every,
        save_strategy="steps",
        save_steps=schedule.every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=min(10, schedule.every),
        report_to=[],
        seed=schedule.seed,
        dataloader_pin_memory=False,
        disable_tqdm=True,
    )
    return Trainer(
        model=model,
        args=arguments,
        train_dataset=list(learnt),
        eval_dataset=list(dev),
        data_collator=collate,
        callbacks=[transformers.EarlyStoppingCallback(early_stopping_patience=PATIENCE)],
    )


def _progress(transformers: Any, report: Callable[[str], None]) -> Any:
    """A callback of the trainer that says the step, the losses and the time left."""
    begun, first = time.monotonic(), 0

    class Progress(transformers.TrainerCallback):  # type: ignore[misc,unused-ignore]
        def on_train_begin(self, _arguments: Any, state: Any, _control: Any, **_: Any) -> None:
            # What an earlier run did took no time of this one.
            nonlocal begun, first
            begun, first = time.monotonic(), state.global_step

        def on_log(self, _arguments: Any, state: Any, _control: Any, logs: dict[str, float], **_: Any) -> None:
            losses = {"loss": "loss", "eval_loss": "loss on dev"}
            said = [f"{words} {logs[key]:.3f}" for key, words in losses.items() if key in logs]
            done = state.global_step - first
            if said and done:
                left = (time.monotonic() - begun) / done * (state.max_steps - state.global_step)
                report(f"step {state.global_step} of {state.max_steps}: {', '.join(said)}, {left / 60:.0f} min left")

    return Progress()


def _last_checkpoint(out: Path) -> Path | None:
    found = (out / CHECKPOINTS).glob("checkpoint-*")
    return max(found, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)
