"""A LoRA adapter of peft as the GGUF file that llama.cpp puts on top of a model.

llama.cpp knows tensors under names of its own, and keeps the rows of the query and key projections of llama models in
another order (each head's halves interleaved): the adapter's rows are put into that order, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgneo.errors import ModelError

__all__ = ["Adapter", "check_architecture", "merge", "read_adapter", "write_adapter"]

ARCHITECTURES = {"llama": True, "mistral": True, "qwen2": False}
"""Kinds of model that an adapter can be written for, and whether their query and key rows are reordered."""
_NAME = re.compile(r"model\.layers\.(\d+)\.(?:self_attn|mlp)\.(\w+)\.lora_([AB])\.")
_PARTS = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
TARGETS = tuple(_PARTS)
"""The linear layers that are tuned: all of a layer."""
_WRITTEN = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])")
_MODULES = {name: f"{'mlp' if name.startswith('ffn') else 'self_attn'}.{part}" for part, name in _PARTS.items()}


@dataclass(frozen=True, slots=True)
class Adapter:
    """Weights by peft's names, LoRA's rank, and its alpha."""

    weights: Mapping[str, NDArray[np.float32]]
    rank: int
    alpha: float


def check_architecture(config: Any) -> None:
    """Raises ModelError for a model whose adapter cannot be written."""
    if config.model_type not in ARCHITECTURES:
        raise ModelError(
            f"an adapter for a model of the kind {config.model_type!r} cannot be written as GGUF",
            hint=f"Expected one of {', '.join(ARCHITECTURES)}.",
        )


def write_adapter(weights: Mapping[str, NDArray[np.float32]], config: Any, alpha: float, path: Path) -> None:
    """Writes the weights, by peft's names, for a model of that configuration of transformers, in 16 bits each."""
    import gguf

    check_architecture(config)
    architecture = "qwen2" if config.model_type == "qwen2" else "llama"
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, values in _renamed(weights.items(), config):
        writer.add_tensor(name, np.ascontiguousarray(values, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read_adapter(path: Path, config: Any) -> Adapter:
    """An adapter that `write_adapter` wrote, for a model of that configuration. Raises ModelError for another file."""
    import gguf

    try:
        found = gguf.GGUFReader(path)
        alpha = float(found.fields["adapter.lora.alpha"].contents())
        weights = dict(_as_in_peft(found.tensors, config))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{path} is no LoRA adapter that training could go on from: {error}",
            hint="Expected the adapter.gguf of an earlier `kgneo tune train` on the same base.",
        ) from error
    rank = next(values.shape[0] for name, values in weights.items() if ".lora_A." in name)
    return Adapter(weights, rank, alpha)


def merge(base: Path, adapter: Path, path: Path) -> None:
    """Writes the model of the file `base` with the adapter in its weights, as one GGUF file.

    Weights that the adapter changes are written in 16 bits, others as they are.
    """
    import gguf

    model, change = gguf.GGUFReader(base), gguf.GGUFReader(adapter)
    parts = {tensor.name: gguf.dequantize(tensor.data, tensor.tensor_type) for tensor in change.tensors}
    alpha = float(change.fields["adapter.lora.alpha"].contents())
    writer = gguf.GGUFWriter(str(path), str(model.fields["general.architecture"].contents()))
    for name, found in model.fields.items():
        if name != "general.architecture" and not name.startswith("GGUF."):
            inner = found.types[-1] if found.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, found.contents(), found.types[0], sub_type=inner)
    for tensor in model.tensors:
        first, second = (parts.get(f"{tensor.name}.lora_{side}") for side in "ab")
        if first is None or second is None:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
            continue
        values = gguf.dequantize(tensor.data, tensor.tensor_type) + alpha / len(first) * (second @ first)
        writer.add_tensor(tensor.name, values.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _renamed(
    weights: Iterable[tuple[str, NDArray[np.float32]]], config: Any
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for name, values in weights:
        found = _NAME.search(name)
        if found is None:
            raise ModelError(f"the adapter has a tensor {name!r} that llama.cpp has no place for")
        layer, part, side = found.groups()
        if side == "B" and part in heads and ARCHITECTURES[config.model_type]:
            values = _interleaved(values, heads[part])
        yield f"blk.{layer}.{_PARTS[part]}.weight.lora_{side.lower()}", values


def _as_in_peft(tensors: Iterable[Any], config: Any) -> Iterator[tuple[str, NDArray[np.float32]]]:
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    for tensor in tensors:
        found = _WRITTEN.fullmatch(tensor.name)
        if found is None:
            raise ValueError(f"its tensor {tensor.name!r} is none of a linear layer")
        layer, part, side = found.groups()
        values = np.array(tensor.data, dtype=np.float32)
        if side == "b" and part in heads and ARCHITECTURES[config.model_type]:
            values = _apart(values, heads[part])
        yield f"base_model.model.model.layers.{layer}.{_MODULES[part]}.lora_{side.upper()}.weight", values


def _apart(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """The rows that `_interleaved` was given."""
    size = rows.shape[0] // heads // 2
    return rows.reshape(heads, size, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


def _interleaved(rows: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Rows in the order of llama.cpp: of each head the first of its first half, the first of its second half, …"""
    size = rows.shape[0] // heads // 2
    return rows.reshape(heads, 2, size, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
