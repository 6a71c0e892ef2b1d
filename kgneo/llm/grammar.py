"""A grammar that holds a reply, tried on the likeliest tokens first.

llama-cpp-python tries every token of the vocabulary against the grammar before each draw. With the names of a graph in
the grammar that takes longer than the model itself. Here the likeliest tokens are tried, and all of them only where
none of those fits: what is drawn is the same, but for tokens that are less likely than these.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgneo.errors import ModelError
from kgneo.llm.llama_library import last_log

LIKELIEST = 256
"""Tokens that are tried before the others."""
_DRAWN = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)
"""As `llama_token_data` lies in memory."""


class Grammar:
    """GBNF over the tokens of a `llama_cpp.Llama`, for one reply: a logits processor, to be closed after it.

    Raises ModelError for a grammar that llama.cpp cannot parse; it would crash on it later.
    """

    def __init__(self, llama: Any, text: str) -> None:
        import llama_cpp

        self._library = llama_cpp
        self._end = llama.token_eos()
        self._seen: int | None = None
        vocabulary = llama_cpp.llama_model_get_vocab(llama.model)
        with _c_errors_hidden():
            self._sampler = llama_cpp.llama_sampler_init_grammar(vocabulary, text.encode(), b"root")
        if not self._sampler:
            raise ModelError(
                f"the grammar cannot be parsed{last_log()}: {' '.join(text.split())[:120]!r}",
                hint="Expected GBNF with a rule named root.",
            )

    def __call__(self, tokens: NDArray[np.int32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """The scores of the next token, shape (vocabulary,), where it fits and minus infinity elsewhere. `tokens` are
        the prompt's, and those drawn since, shape (length,)."""
        self._accept(tokens)
        likeliest = np.argpartition(scores, -LIKELIEST)[-LIKELIEST:] if len(scores) > LIKELIEST else ()
        fitting = self._fitting(np.asarray(likeliest, dtype=np.int32), scores)
        if not len(fitting):
            fitting = self._fitting(np.arange(len(scores), dtype=np.int32), scores)
        held = np.full_like(scores, -np.inf)
        held[fitting if len(fitting) else self._end] = scores[fitting] if len(fitting) else 0.0
        return held

    def close(self) -> None:
        """Frees what llama.cpp keeps for it."""
        if self._sampler:
            self._library.llama_sampler_free(self._sampler)
            self._sampler = None

    def _accept(self, tokens: NDArray[np.int32]) -> None:
        """Take in what was drawn since the last call; before the first one there is only the prompt."""
        for token in () if self._seen is None else tokens[self._seen :]:
            self._library.llama_sampler_accept(self._sampler, int(token))
        self._seen = len(tokens)

    def _fitting(self, tokens: NDArray[np.int32], scores: NDArray[np.float32]) -> NDArray[np.int32]:
        """Those of the tokens that may come next."""
        drawn = np.zeros(len(tokens), dtype=_DRAWN)
        drawn["id"], drawn["logit"] = tokens, scores[tokens]
        pointer = drawn.ctypes.data_as(ctypes.POINTER(self._library.llama_token_data))
        array = self._library.llama_token_data_array(data=pointer, size=len(tokens), selected=-1, sorted=False)
        self._library.llama_sampler_apply(self._sampler, ctypes.byref(array))
        fitting: NDArray[np.int32] = tokens[np.isfinite(drawn["logit"])]
        return fitting


@contextmanager
def _c_errors_hidden() -> Iterator[None]:
    """Leads file descriptor 2 away for a moment: the grammar parser writes there and not to the log."""
    saved = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
