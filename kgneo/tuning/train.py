"""A LoRA adapter (Hu et al. 2021) from examples, through transformers and peft.

Comes in: train.jsonl and dev.jsonl of `kgneo tune data`, or chats of one's own. Goes out, in one folder: `adapter.gguf`
for llama.cpp, the adapter as peft keeps it (`adapter/`), and the whole model with the adapter in it where asked
(`merged/`, which `--llm transformers:FOLDER` takes, and `merged.gguf` where the base is a GGUF file).

Only the replies are learnt: prompts count as context. Examples whose prompts begin alike share that beginning
(`kgneo.tuning.packing`); a step looks at one pack of them or more. The loss on dev is measured as training goes on; it
ends when that no longer falls, and the best state is kept. What is interrupted goes on at its last checkpoint.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgneo.errors import DataError, ModelError
from kgneo.llm.transformers_model import load_transformers
from kgneo.tuning.gguf_adapter import TARGETS, check_architecture, merge, write_adapter
from kgneo.tuning.packing import Encoded, Pack, collate, packs, replies_loss

__all__ = ["Report", "Training", "train"]

CHECKPOINTS = "checkpoints"
WARM_UP = 10
"""Steps until the learning rate is the highest."""
PATIENCE = 3
"""Measurements on dev without a lower loss after which training ends."""


@dataclass(frozen=True, slots=True)
class Training:
    """How to train. `steps` None: `epochs` passes over the data. `rank` is LoRA's; alpha is twice that. `longest` is in
    tokens: longer examples are left out. `every` is the number of steps between measurements on dev."""

    rank: int = 16
    epochs: float = 1.0
    steps: int | None = None
    batch: int = 4
    learning_rate: float = 5e-4
    longest: int = 1024
    every: int = 50
    seed: int = 0
    merged: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """What came out: examples learnt from, examples left out for their length, steps done, the loss on dev before and
    after (nats a token of a reply)."""

    examples: int
    left_out: int
    steps: int
    loss_before: float
    loss_after: float
    adapter: Path


def train(
    base: str, folder: Path, out: Path, training: Training, *, report: Callable[[str], None] = lambda _: None
) -> Report:
    """Tune the model `base` (what `transformers:` takes) on the examples in `folder`.

    Raises DataError for examples that cannot be read, ModelError for a model that cannot be tuned.
    """
    # What the libraries warn each other of is no concern of the user.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _trained(base, folder, out, training, report)


def _trained(base: str, folder: Path, out: Path, training: Training, report: Callable[[str], None]) -> Report:
    peft, transformers = _libraries()
    transformers.set_seed(training.seed)
    report(f"loading {base}")
    model, tokenizer = load_transformers(base)
    check_architecture(model.config)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    learnt, left_out = _encoded(folder / "train.jsonl", tokenizer, training.longest)
    dev, _ = _encoded(folder / "dev.jsonl", tokenizer, training.longest)
    report(
        f"{len(learnt):,} examples, {left_out:,} left out as longer than {training.longest} tokens, {len(dev):,} dev"
    )
    # Half the bits are worth it where the processor or the GPU multiplies them; the adapter's weights stay whole.
    halved = _multiplies_bfloat16()
    tuned = peft.get_peft_model(
        model.bfloat16() if halved else model.float(),
        peft.LoraConfig(
            r=training.rank, lora_alpha=2 * training.rank, target_modules=list(TARGETS), task_type="CAUSAL_LM"
        ),
    )
    trainer = _trainer(
        transformers, tuned, packs(learnt, training.longest), packs(dev, training.longest), out, training
    )
    trainer.remove_callback(transformers.PrinterCallback)  # it prints on standard output
    trainer.add_callback(_progress(transformers, report))
    before = float(trainer.evaluate()["eval_loss"])
    checkpoint = _last_checkpoint(out)
    if checkpoint:
        report(f"going on at {checkpoint.name}")
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    after = float(trainer.evaluate()["eval_loss"])
    adapter = _save(tuned, tokenizer, Path(base), out, training)
    return Report(len(learnt), left_out, int(trainer.state.global_step), before, after, adapter)


def _libraries() -> tuple[Any, Any]:
    try:
        import accelerate  # noqa: F401 - the trainer of transformers needs it
        import peft
        import transformers
    except ImportError as error:
        raise ModelError(
            f"tuning needs peft, accelerate and transformers, one of which cannot be imported: {error}",
            hint="Install them with: pip install 'kgneo[tune]'",
        ) from error
    return peft, transformers


def _trainer(
    transformers: Any,
    model: Any,
    learnt: Sequence[Pack],
    dev: Sequence[Pack],
    out: Path,
    training: Training,
) -> Any:
    import torch

    class Trainer(transformers.Trainer):  # type: ignore[misc,unused-ignore]
        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            loss = replies_loss(model.get_base_model(), inputs, num_items_in_batch)
            return (loss, {"loss": loss}) if return_outputs else loss

    arguments = transformers.TrainingArguments(
        output_dir=str(out / CHECKPOINTS),
        per_device_train_batch_size=training.batch,
        per_device_eval_batch_size=training.batch,
        num_train_epochs=training.epochs,
        max_steps=training.steps or -1,
        learning_rate=training.learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=WARM_UP,
        remove_unused_columns=False,
        prediction_loss_only=True,
        use_cpu=not torch.cuda.is_available(),
        eval_strategy="steps",
        eval_steps=training.every,
        save_strategy="steps",
        save_steps=training.every,
        save_total_limit=2,
        load_best_model_at_end=True,
        metric_for_best_model="eval_loss",
        logging_steps=min(10, training.every),
        report_to=[],
        seed=training.seed,
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


def _multiplies_bfloat16() -> bool:
    import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    capable = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return bool(capable())


def _encoded(path: Path, tokenizer: Any, longest: int) -> tuple[list[Encoded], int]:
    """The chats of a file as tokens, and how many were too long."""
    made, left_out = [], 0
    for number, chat in enumerate(_chats(path), start=1):
        try:
            prompt = tokenizer.apply_chat_template(chat[:-1], tokenize=False, add_generation_prompt=True)
            whole = tokenizer.apply_chat_template(chat, tokenize=False)
        except Exception as error:
            raise DataError(
                f"the chat template of the model refuses this chat: {error}", file=str(path), line=number
            ) from error
        reply = whole[len(prompt) :] if whole.startswith(prompt) else chat[-1]["content"] + tokenizer.eos_token
        first = tokenizer.encode(prompt, add_special_tokens=False)
        second = tokenizer.encode(reply.rstrip("\n"), add_special_tokens=False)
        if len(first) + len(second) > longest:
            left_out += 1
            continue
        kind = json.dumps(chat[:-2])
        made.append(Encoded(kind, tuple(first), tuple(second)))
    if not made:
        raise DataError(
            "there is no example of at most that length", file=str(path), hint="Make more, or allow longer."
        )
    return made, left_out


def _chats(path: Path) -> Iterator[list[dict[str, str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the examples cannot be read: {error}", file=str(path), hint=_MADE_BY) from error
    for number, line in enumerate(lines, start=1):
        try:
            chat = json.loads(line)["messages"]
            if chat[-1]["role"] != "assistant":
                raise ValueError(f"the last message is of {chat[-1]['role']!r}, expected 'assistant'")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"this is no chat: {error!r}", file=str(path), line=number, hint=_MADE_BY) from error
        yield chat


_MADE_BY = "Examples are made with: kgneo tune data --out FOLDER"


def _last_checkpoint(out: Path) -> Path | None:
    found = (out / CHECKPOINTS).glob("checkpoint-*")
    return max(found, key=lambda folder: int(folder.name.rpartition("-")[2]), default=None)


def _save(tuned: Any, tokenizer: Any, base: Path, out: Path, training: Training) -> Path:
    """Writes what `train` gives; the path of the adapter for llama.cpp."""
    from peft import get_peft_model_state_dict

    weights = {name: value.float().cpu().numpy() for name, value in get_peft_model_state_dict(tuned).items()}
    write_adapter(weights, tuned.config, 2.0 * training.rank, out / "adapter.gguf")
    tuned.save_pretrained(out / "adapter")
    if training.merged and base.suffix == ".gguf":
        merge(base, out / "adapter.gguf", out / "merged.gguf")
    if training.merged:
        merged = tuned.merge_and_unload()
        merged.save_pretrained(out / "merged")
        tokenizer.save_pretrained(out / "merged")
    return out / "adapter.gguf"
