"""A GGUF file before its weights are touched: is it one, what does its header say, does it fit into the memory."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from kgneo.errors import ModelError
from kgneo.llm.llama_library import clear_log, last_log
from kgneo.llm.memory import available_memory

__all__ = [
    "BROKEN_HINT",
    "DEFAULT_CONTEXT",
    "GIB",
    "cache_bytes",
    "check_gguf",
    "check_memory",
    "file_fingerprint",
    "read_header",
    "trained_context",
]

DEFAULT_CONTEXT = 8192
"""Tokens of context where neither the user nor the file asks for fewer."""
GIB = 1 << 30
BROKEN_HINT = "The file may be cut off, or newer than the installed llama-cpp-python."
_MAGIC = b"GGUF"
_EDGE = 1 << 20


def check_gguf(path: Path) -> int:
    """The size of the file in bytes, once it is known to be a GGUF file. Raises ModelError otherwise."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
        size = path.stat().st_size
    except IsADirectoryError:
        raise ModelError(f"{path} is a folder, expected a GGUF file") from None
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror}", hint="Expected llama: and the path of a GGUF file."
        ) from error
    if magic != _MAGIC:
        raise ModelError(
            f"{path} is not a GGUF file: it begins with {magic!r}, expected {_MAGIC!r}",
            hint="Models for llama.cpp are files that end in .gguf.",
        )
    return size


def check_memory(path: Path, needed: int, *, on_gpu: bool) -> None:
    """Raises ModelError when `needed` bytes are more than the memory that is free.

    With layers on a GPU, how much stays in memory is not known beforehand; then llama.cpp has to say it.
    """
    available = available_memory()
    if on_gpu or available is None or needed <= available:
        return
    raise ModelError(
        f"{path} needs about {needed / GIB:.1f} GiB of memory, and {available / GIB:.1f} GiB are free",
        hint="Use a smaller model or stronger quantisation, or a shorter context.",
    )


def read_header(library: Any, path: Path) -> dict[str, str]:
    """The metadata of the file, read without its weights. Raises ModelError for one that llama.cpp refuses."""
    parameters = library.llama_model_default_params()
    parameters.vocab_only = True
    clear_log()
    model = library.llama_model_load_from_file(os.fsencode(path), parameters)
    if not model:
        raise ModelError(f"{path} cannot be loaded as a model{last_log()}", hint=BROKEN_HINT)
    try:
        return dict(_metadata(library, model))
    finally:
        library.llama_model_free(model)


def _metadata(library: Any, model: Any) -> Iterator[tuple[str, str]]:
    buffer = ctypes.create_string_buffer(256)
    for index in range(library.llama_model_meta_count(model)):
        library.llama_model_meta_key_by_index(model, index, buffer, len(buffer))
        key = buffer.value.decode("utf-8", errors="replace")
        library.llama_model_meta_val_str_by_index(model, index, buffer, len(buffer))
        yield key, buffer.value.decode("utf-8", errors="replace")


def trained_context(header: Mapping[str, str]) -> int:
    """Tokens that the model was trained to read."""
    return _number(header, "context_length", DEFAULT_CONTEXT)


def cache_bytes(header: Mapping[str, str], context: int) -> int:
    """Bytes of the key-value cache, in 16 bits."""
    heads = _number(header, "attention.head_count", 1)
    head_size = _number(header, "attention.key_length", _number(header, "embedding_length", 0) // max(heads, 1))
    width = head_size * _number(header, "attention.head_count_kv", heads)
    return context * _number(header, "block_count", 0) * width * 2 * 2


def _number(header: Mapping[str, str], key: str, default: int) -> int:
    value = header.get(f"{header.get('general.architecture')}.{key}", "")
    return int(value) if value.isdecimal() else default


def file_fingerprint(path: Path) -> str:
    """Of the size and both ends of the file: enough to tell models apart, and quick for one of many GiB."""
    size = path.stat().st_size
    digest = sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(_EDGE))
        file.seek(max(0, size - _EDGE))
        digest.update(file.read(_EDGE))
    return digest.hexdigest()
