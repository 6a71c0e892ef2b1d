"""A LoRA adapter (Hu et al. 2021) from examples, through transformers and peft.

Comes in: train.jsonl and dev.jsonl of `kgneo tune data`, or chats of one's own. Goes out, in one folder: `adapter.gguf`
for llama.cpp, the adapter as peft keeps it (`adapter/`), and the whole model with the adapter in it where asked
(`merged/`, which `--llm transformers:FOLDER` takes, and `merged.gguf` where the base is a GGUF file). `figures.json`
has the loss on dev by task, before and after; `figures.svg` is drawn of it where matplotlib is installed.

Only the replies are learnt: prompts count as context. Examples whose prompts begin alike share that beginning
(`kgneo.tuning.packing`); a step looks at one pack of them or more. How training goes on, ends, and is resumed is in
`kgneo.tuning.trainer`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kgneo.errors import DataError
from kgneo.llm.transformers_model import load_transformers
from kgneo.tuning.draw import draw
from kgneo.tuning.gguf_adapter import TARGETS, check_architecture, merge, read_adapter, write_adapter
from kgneo.tuning.packing import Encoded, collate, packs, replies_loss
from kgneo.tuning.trainer import ALL, Schedule, libraries, run

__all__ = ["Report", "Training", "train"]


@dataclass(frozen=True, slots=True)
class Training:
    """How to train. `steps` None: `epochs` passes over the data. `adapter` is a GGUF file to go on from; its rank and
    alpha hold then, else `rank` is LoRA's, and alpha twice that. `longest` is in tokens: longer examples are left out.
    `every` is the number of steps between measurements on dev. `light` learns nothing from how the beginnings that
    prompts share are read, which takes less memory and time."""

    rank: int = 16
    adapter: Path | None = None
    epochs: float = 1.0
    steps: int | None = None
    batch: int = 4
    learning_rate: float = 5e-4
    longest: int = 1024
    every: int = 50
    seed: int = 0
    merged: bool = False
    light: bool = False

    @property
    def schedule(self) -> Schedule:
        """What of it any training has."""
        return Schedule(self.epochs, self.steps, self.batch, self.learning_rate, self.every, self.seed)


@dataclass(frozen=True, slots=True)
class Report:
    """What came out: examples learnt from, examples left out for their length, steps done, the loss on dev before and
    after (nats a token of a reply), also by task."""

    examples: int
    left_out: int
    steps: int
    loss_before: float
    loss_after: float
    adapter: Path
    before: Mapping[str, float]
    after: Mapping[str, float]


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
    transformers = libraries()
    transformers.set_seed(training.seed)
    report(f"loading {base}")
    model, tokenizer = load_transformers(base)
    check_architecture(model.config)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    learnt, left_out = _encoded(folder / "train.jsonl", tokenizer, training.longest)
    dev, _ = _encoded(folder / "dev.jsonl", tokenizer, training.longest)
    examples, exam = (sum(map(len, part.values())) for part in (learnt, dev))
    report(f"{examples:,} examples, {left_out:,} left out as longer than {training.longest} tokens, {exam:,} dev")
    # Half the bits are worth it where the processor or the GPU multiplies them; the adapter's weights stay whole.
    halved = _multiplies_bfloat16()
    tuned = _with_adapter(model.bfloat16() if halved else model.float(), training)
    done = run(
        tuned,
        packs([example for part in learnt.values() for example in part], training.longest),
        {task: packs(part, training.longest) for task, part in dev.items()},
        out,
        training.schedule,
        collate=collate,
        loss=lambda model, inputs, replies: replies_loss(model.get_base_model(), inputs, replies, light=training.light),
        report=report,
    )
    adapter = _save(tuned, tokenizer, Path(base), out, training)
    found = Report(examples, left_out, done.steps, done.before[ALL], done.after[ALL], adapter, done.before, done.after)
    record = {**asdict(found), "adapter": adapter.name, "base": base, "training": asdict(training)}
    (out / "figures.json").write_text(json.dumps(record, indent=1, default=str), encoding="utf-8")
    draw(out / "figures.svg", "loss on dev", done.before, done.after)
    return found


def _with_adapter(model: Any, training: Training) -> Any:
    """The model with an adapter on all linear layers: a new one, or the one to go on from."""
    import peft
    import torch

    begun = read_adapter(training.adapter, model.config) if training.adapter else None
    rank, alpha = (begun.rank, begun.alpha) if begun else (training.rank, 2 * training.rank)
    kind = peft.LoraConfig(r=rank, lora_alpha=alpha, target_modules=list(TARGETS), task_type="CAUSAL_LM")  # type: ignore[arg-type,unused-ignore]
    tuned = peft.get_peft_model(model, kind)
    if begun:
        weights = {name: torch.from_numpy(values) for name, values in begun.weights.items()}
        peft.set_peft_model_state_dict(tuned, weights)
    return tuned


def _multiplies_bfloat16() -> bool:
    import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    capable = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return bool(capable())


def _encoded(path: Path, tokenizer: Any, longest: int) -> tuple[dict[str, list[Encoded]], int]:
    """The chats of a file as tokens, by task, and how many were too long."""
    made, left_out = dict[str, list[Encoded]](), 0
    for number, (task, chat) in enumerate(_chats(path), start=1):
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
        made.setdefault(task, []).append(Encoded(kind, tuple(first), tuple(second)))
    if not made:
        raise DataError(
            "there is no example of at most that length", file=str(path), hint="Make more, or allow longer."
        )
    return made, left_out


def _chats(path: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Each chat with its task."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the examples cannot be read: {error}", file=str(path), hint=_MADE_BY) from error
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            chat = record["messages"]
            if chat[-1]["role"] != "assistant":
                raise ValueError(f"the last message is of {chat[-1]['role']!r}, expected 'assistant'")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise DataError(f"this is no chat: {error!r}", file=str(path), line=number, hint=_MADE_BY) from error
        yield str(record.get("task", "chat")), chat


_MADE_BY = "Examples are made with: kgneo tune data --out FOLDER"


def _save(tuned: Any, tokenizer: Any, base: Path, out: Path, training: Training) -> Path:
    """Writes what `train` gives; the path of the adapter for llama.cpp."""
    from peft import get_peft_model_state_dict

    weights = {name: value.float().cpu().numpy() for name, value in get_peft_model_state_dict(tuned).items()}
    alpha = float(tuned.peft_config["default"].lora_alpha)
    write_adapter(weights, tuned.config, alpha, out / "adapter.gguf")
    tuned.save_pretrained(out / "adapter")
    if training.merged and base.suffix == ".gguf":
        merge(base, out / "adapter.gguf", out / "merged.gguf")
    if training.merged:
        merged = tuned.merge_and_unload()
        merged.save_pretrained(out / "merged")
        tokenizer.save_pretrained(out / "merged")
    return out / "adapter.gguf"
