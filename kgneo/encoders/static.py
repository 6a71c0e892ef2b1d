"""A static encoder: one vector for each word piece, and a text is the mean of its pieces'.

Comes in: an encoder that runs here in full. `load_static` takes it apart once: each piece of its vocabulary is encoded
alone, the vectors are turned to their principal axes and cut to the first, and each is made as long as its piece is
telling: frequent pieces count less (smooth inverse frequency; how frequent a piece is, its place in the vocabulary
says, as Zipf's law has it). The table is kept in the user's cache folder. A text then costs a look-up for each piece
and no network: what words mean in each other's company is lost.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from kgneo.cache_files import FilesTogether, made_once
from kgneo.encoders.onnx import OnnxEncoder, Similarity, Vectors
from kgneo.errors import EncoderError
from kgneo.folders import cache_folder

DIMENSIONS = 256
"""Principal axes that are kept."""
TELLING = 1e-4
"""The share of all text from which on a piece counts less than half."""
PIECES = 512
"""Encoded at a time, when a table is made."""
CHUNK = 2_048
"""Texts whose pieces are looked up at a time."""
UNUSED = re.compile(r"\[unused\d+\]")
VERSION = 1
"""Of how a table is made."""
FILES = FilesTogether("static.json", ("dimensions", "fingerprint", "unknown"), ("table.npy", "tokenizer.json"))


@dataclass(frozen=True)
class StaticEncoder:
    """The table in `folder`, read on first use."""

    name: str
    folder: Path
    similarity: ClassVar[Similarity] = "cosine"
    at_once: ClassVar[int] = 1

    @cached_property
    def description(self) -> dict[str, Any]:
        """How the table was made."""
        found = FILES.description(self.folder)
        if found is None:
            hint = "Remove that folder: it is made again when it is needed."
            raise EncoderError(f"{self.folder} is no folder of an encoder.", hint=hint)
        return found

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return int(self.description["dimensions"])

    @property
    def fingerprint(self) -> str:
        """Equal for tables that were made in the same way from the same encoder."""
        return str(self.description["fingerprint"])

    @cached_property
    def _table(self) -> Vectors:
        return np.asarray(np.load(self.folder / "table.npy"))

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self.folder / "tokenizer.json"))

    def encode(self, texts: Sequence[str], *, query: bool = False) -> Vectors:  # noqa: ARG002 - it knows no prompts
        """Vectors of length 1, shape (texts, dimensions)."""
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), CHUNK):
            vectors[start : start + CHUNK] = self._encode(texts[start : start + CHUNK])
        return vectors

    def _encode(self, texts: Sequence[str]) -> Vectors:
        unknown = [self.description["unknown"]]
        pieces = [
            encoding.ids or unknown
            for encoding in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        ]
        lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        ids = np.fromiter(chain.from_iterable(pieces), dtype=np.int64, count=int(lengths.sum()))
        sums = np.add.reduceat(self._table[ids], np.cumsum(lengths) - lengths, axis=0)
        sums[~sums.any(axis=1)] = self._table[unknown[0]]
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12))


def load_static(full: OnnxEncoder, *, name: str, report: Callable[[str], None] = lambda _: None) -> StaticEncoder:
    """The static encoder made from `full`. `report` gets a line when it is made, the first time."""
    fingerprint = hashlib.sha256(f"{VERSION} {DIMENSIONS} {TELLING} {full.fingerprint}".encode()).hexdigest()[:16]
    folder = cache_folder() / "encoders" / f"{name}-{fingerprint}"

    def kept(place: Path) -> StaticEncoder | None:
        return StaticEncoder(name, place) if FILES.are_whole(place) else None

    def make(place: Path) -> StaticEncoder:
        report(f"Making the encoder {name} from {full.name} (once, about a minute) …")
        return StaticEncoder(name, FILES.fill(place, lambda draft: _distil(full, draft, fingerprint)))

    return made_once(folder, kept, make)


def _distil(full: OnnxEncoder, folder: Path, fingerprint: str) -> None:
    """Write the table of `full`'s word pieces into `folder`."""
    pieces = {id_: piece for piece, id_ in full.tokenizer.get_vocab().items()}
    frame, special = _frame(full)
    ids = np.array(sorted(id_ for id_, piece in pieces.items() if id_ not in special and not UNUSED.fullmatch(piece)))
    axes = _principal(_encoded(full, ids, frame))
    table = np.zeros((max(pieces) + 1, axes.shape[1]), dtype=np.float32)
    table[ids] = axes * _telling(len(ids))[:, None]
    np.save(folder / "table.npy", table)
    tokenizer = json.loads(full.tokenizer.to_str()) | {"truncation": None, "padding": None}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    record = {"dimensions": table.shape[1], "fingerprint": fingerprint, "unknown": int(ids[0])}
    (folder / "static.json").write_text(json.dumps(record, indent=1), encoding="utf-8")


def _frame(full: OnnxEncoder) -> tuple[tuple[list[int], list[int]], frozenset[int]]:
    """The special tokens that the model wants before a text and behind it, and all that it has."""
    encoding = full.tokenizer.encode("a")
    first = list(encoding.special_tokens_mask).index(0)
    frame = (encoding.ids[:first], [id_ for id_ in encoding.ids[first:] if id_ != encoding.ids[first]])
    return frame, frozenset(id_ for id_, token in full.tokenizer.get_added_tokens_decoder().items() if token.special)


def _encoded(full: OnnxEncoder, ids: NDArray[np.int64], frame: tuple[list[int], list[int]]) -> Vectors:
    """Each piece encoded as a text of its own."""
    before, behind = (np.tile(np.array(part, dtype=np.int64), (len(ids), 1)) for part in frame)
    texts = np.hstack([before, ids[:, None], behind])
    parts = [texts[start : start + PIECES] for start in range(0, len(texts), PIECES)]
    return np.vstack([full.encode_tokens(part, np.ones_like(part)) for part in parts])


def _principal(vectors: Vectors) -> Vectors:
    """The vectors without their mean, on the axes along which they differ most."""
    centred = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ axes[:, ::-1][:, :DIMENSIONS], dtype=np.float32)


def _telling(number: int) -> NDArray[np.float64]:
    """What the pieces of a vocabulary count, the most frequent first."""
    shares = 1 / np.arange(2, number + 2)
    shares /= shares.sum()
    return np.asarray(TELLING / (TELLING + shares))
