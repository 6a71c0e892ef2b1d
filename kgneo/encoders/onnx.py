"""Encoders that run on this machine in full, through ONNX, without torch in the process.

`load_exported` takes a preset ("minilm", "mpnet"), a folder or a hub name of a sentence-transformers model. Of the
default, "minilm", the published weights are fetched (`kgneo.encoders.weights`); any other is exported to ONNX in a
process of its own (`kgneo.encoders.export`, which needs the extra `encoders`). Either happens once and is kept in the
user's cache folder; `onnxruntime` and `tokenizers` run it, which start in under a second where torch takes twenty. The
vectors agree with sentence-transformers to 1e-4 (a test compares them).
"""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from kgneo.cache_files import FilesTogether, made_once
from kgneo.defaults import ENCODER
from kgneo.encoders.weights import edition, for_sentence_transformers, write_encoder
from kgneo.errors import EncoderError
from kgneo.extras import how_to_install
from kgneo.folders import cache_folder

Vectors = NDArray[np.float32]
Similarity = Literal["cosine", "dot"]

PRESETS = {
    "minilm": "all-MiniLM-L6-v2, 384 numbers, cosine; its weights are fetched once (91 MB)",
    "mpnet": "multi-qa-mpnet-base-dot-v1, 768 numbers, dot product; the encoder of the KG-RAG paper, from the hub",
}
DEFAULT_ENCODER = ENCODER
BATCH = 64
DESCRIPTION = "encoder.json"
"""The file of an export that is written last."""
_DESCRIBED = ("dimensions", "similarity", "max_tokens", "padding_id", "padding_token", "prompts", "fingerprint")
FILES = FilesTogether(DESCRIPTION, _DESCRIBED, ("model.onnx", "tokenizer.json"))


@dataclass(frozen=True)
class OnnxEncoder:
    """An exported encoder in `folder`. Loads on first use."""

    name: str
    folder: Path
    threads: int = 0
    """Of this process; 0: one for each core."""
    at_once: ClassVar[int] = 1

    @cached_property
    def description(self) -> dict[str, Any]:
        found = FILES.description(self.folder)
        if found is None:
            raise EncoderError(f"{self.folder / DESCRIPTION} is no description of an encoder.", hint=self._again)
        return found

    @property
    def _again(self) -> str:
        return f"Remove the folder {self.folder}: it is made again when it is needed."

    @contextmanager
    def _readable(self, file: str) -> Iterator[None]:
        """Raises EncoderError where the block cannot read `file`: libraries raise a plain Exception then."""
        try:
            yield
        except Exception as error:
            why = str(error).splitlines()[0][:300] if str(error) else type(error).__name__
            if isinstance(error, MemoryError) or "bad_alloc" in why:
                hint = "Give this process more: the default encoder takes about 200 MB."
                raise EncoderError("There is not enough memory to load the encoder.", hint=hint) from error
            raise EncoderError(f"{self.folder / file} cannot be read: {why}", hint=self._again) from error

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
    def tokenizer(self) -> Any:
        """Takes texts apart as the model wants them."""
        from tokenizers import Tokenizer

        with self._readable("tokenizer.json"):
            tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        tokenizer.enable_truncation(max_length=self.description["max_tokens"])
        tokenizer.enable_padding(pad_id=self.description["padding_id"], pad_token=self.description["padding_token"])
        return tokenizer

    @cached_property
    def _session(self) -> Any:
        onnxruntime = _onnxruntime()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = self.threads
        # Spinning threads would burn the cores that the database on the same machine needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = str(self.folder / "model.onnx")
        with self._readable("model.onnx"):
            return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def begin(self) -> None:
        """Load the model in a thread, while the caller goes on. What is wrong with it shows when it is used."""

        def load() -> None:
            with suppress(Exception):
                _ = self._session

        if "_session" not in self.__dict__:
            Thread(target=load, name="kgneo-encoder").start()

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        prefix = self.description["prompts"].get("query" if query else "document", "")
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for rows, batch in _by_length([prefix + text for text in texts]):
            encodings = self.tokenizer.encode_batch(list(batch))
            ids = np.array([encoding.ids for encoding in encodings], dtype=np.int64)
            mask = np.array([encoding.attention_mask for encoding in encodings], dtype=np.int64)
            vectors[rows] = self.encode_tokens(ids, mask)
        return vectors

    def encode_tokens(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> Vectors:
        """Vectors of texts that are taken apart already: the ids of their tokens with the special ones, and 1 where
        they are no padding, both of shape (texts, tokens)."""
        found: list[Vectors] = self._session.run(["sentence_embedding"], {"input_ids": ids, "attention_mask": mask})
        return found[0]


def _onnxruntime() -> Any:
    """The library, told before it is loaded to report nothing to its makers: from 1.32 on it would keep an id of this
    machine and send what it sees to them."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def _by_length(texts: Sequence[str]) -> Iterator[tuple[list[int], list[str]]]:
    """Batches of texts of like length, with their row numbers: padding is work that nobody reads."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        yield rows, [texts[row] for row in rows]


def load_exported(name: str, *, report: Callable[[str], None] = lambda _: None) -> OnnxEncoder:
    """The encoder of a preset, a folder or a hub name, exported first where it has not been; a folder that an export
    made is taken as it is.

    `report` gets a line when an export begins. Raises EncoderError with the cause when there is no such encoder.
    """
    if (Path(name) / DESCRIPTION).is_file():
        return OnnxEncoder(name, Path(name))
    source = "" if name == DEFAULT_ENCODER else source_of(name)
    folder = cache_folder() / "encoders" / f"{Path(name).name or 'encoder'}-{_edition(name, source)}"

    def kept(place: Path) -> OnnxEncoder | None:
        return OnnxEncoder(name, place) if FILES.are_whole(place) else None

    def fill(scratch: Path) -> None:
        if name == DEFAULT_ENCODER:
            write_encoder(scratch, report=report)
        else:
            report(f"Preparing the encoder {name} (once, about half a minute) …")
            _export(name, source, scratch)

    return made_once(folder, kept, lambda place: OnnxEncoder(name, FILES.fill(place, fill)))


def source_of(name: str) -> str:
    """The folder or the hub name of a preset for sentence-transformers, or what else was given."""
    if name == DEFAULT_ENCODER:
        return for_sentence_transformers()
    if name == "mpnet":
        return "sentence-transformers/multi-qa-mpnet-base-dot-v1"
    return name


def _edition(name: str, source: str) -> str:
    return edition() if name == DEFAULT_ENCODER else _source_digest(source)


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
    if missing := [package for package in ("sentence_transformers", "onnx") if find_spec(package) is None]:
        raise EncoderError(
            f"The encoder {name!r} needs what is not installed here: {', '.join(missing)}.",
            hint=f"{how_to_install('encoders')}\n{DEFAULT_ENCODER}, fast and openai:MODEL need none of it.",
        )
    result = subprocess.run(
        [sys.executable, "-m", "kgneo.encoders.export", source, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "false"},
    )
    if os.strerror(errno.ENOSPC) in result.stderr:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    if result.returncode != 0:
        raise EncoderError(_cause(name, result.stderr), hint=_hint(source))


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
