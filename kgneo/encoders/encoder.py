"""Sentence encoders: text in, vectors out.

`load_encoder` takes the name of one: a sentence-transformers model that runs here in full (`kgneo.encoders.onnx`),
`fast`, a table of word pieces that is distilled from the default one (`kgneo.encoders.static`), or `openai:MODEL`,
behind an address (`kgneo.encoders.remote`). The last two make embeddings of triples; questions are read by one that
runs here in full (`reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from kgneo.encoders.onnx import DEFAULT_ENCODER, PRESETS, OnnxEncoder, Similarity, Vectors, load_exported

__all__ = [
    "DEFAULT_ENCODER",
    "PRESETS",
    "Encoder",
    "OnnxEncoder",
    "Similarity",
    "Vectors",
    "full_name",
    "load_encoder",
    "reader",
]

FAST = "fast"
REMOTE = "openai:"


class Encoder(Protocol):
    """What kgneo needs of an encoder. `fingerprint` is equal for two encoders that give the same vectors; `at_once` is
    how many batches it is worth giving it side by side."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def similarity(self) -> Similarity: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def at_once(self) -> int: ...

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Vectors of shape (len(texts), dimensions). `query` applies the model's prompt for questions."""
        ...


def load_encoder(name: str = DEFAULT_ENCODER, *, report: Callable[[str], None] = lambda _: None) -> Encoder:
    """The encoder of this name: a preset, a folder or a hub name, `fast` or `openai:MODEL`.

    `report` gets a line when one is made ready for the first time. Raises EncoderError with the cause when there is no
    such encoder, and UsageError for an address that is none.
    """
    if name == FAST:
        from kgneo.encoders.static import load_static

        return load_static(load_exported(DEFAULT_ENCODER, report=report), name=FAST, report=report)
    if name.startswith(REMOTE):
        from kgneo.encoders.remote import load_remote

        return load_remote(name.removeprefix(REMOTE))
    return load_exported(full_name(name), report=report)


def full_name(name: str) -> str:
    """What a graph remembers of an encoder's name: of a folder the whole path, so that it is found from anywhere."""
    return name if name in PRESETS or not Path(name).is_dir() else str(Path(name).resolve())


def reader(encoder: Encoder, *, report: Callable[[str], None] = lambda _: None) -> Encoder:
    """The encoder that reads questions about triples whose embeddings `encoder` made: itself, where it runs here in
    full, else the default one."""
    if encoder.name == FAST or encoder.name.startswith(REMOTE):
        return load_exported(DEFAULT_ENCODER, report=report)
    return encoder
