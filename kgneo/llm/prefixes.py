"""The beginnings of prompts that a llama.cpp model has read, kept so that each is read once.

A stage's prompts begin alike: instructions and examples first, what changes last. What the model computed for such a
beginning (the state of its sequence) is copied out after the first reading and copied in before the next prompt that
begins so. Beginning and rest are read in two steps, the first time, too: so the numbers, and with them the reply, are
the same whether the beginning was kept or not, and whatever was asked in between.
"""

from __future__ import annotations

import ctypes
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

__all__ = ["Prefixes"]

SHORTEST = 16
"""Tokens below which a beginning is not worth a step of its own."""
KEPT = 8
"""Beginnings that are kept: kgneo has fewer prompts than that."""


class Prefixes:
    """What `llama` (a llama_cpp.Llama) has read of the beginnings of prompts."""

    def __init__(self, llama: Any) -> None:
        self._llama = llama
        self._states: OrderedDict[tuple[int, ...], Any] = OrderedDict()

    def __repr__(self) -> str:
        return f"Prefixes({[len(beginning) for beginning in self._states]} tokens)"

    def begin(self, tokens: Sequence[int], fixed: int) -> int:
        """Puts the model behind the first `fixed` of `tokens`; gives how many of them it did not have to read.

        Behind none of them where they are too few; what follows is for the caller to read.
        """
        self._llama.reset()
        if fixed < SHORTEST:
            return 0
        beginning = tuple(tokens[:fixed])
        if self._restore(beginning):
            return fixed
        self._llama.eval(beginning)
        self._keep(beginning)
        return 0

    def _restore(self, beginning: tuple[int, ...]) -> bool:
        import llama_cpp

        state = self._states.get(beginning)
        if state is None or not llama_cpp.llama_state_seq_set_data(self._llama.ctx, state, len(state), 0):
            return False
        self._states.move_to_end(beginning)
        self._llama.input_ids[: len(beginning)] = beginning
        self._llama.n_tokens = len(beginning)
        return True

    def _keep(self, beginning: tuple[int, ...]) -> None:
        import llama_cpp

        size = llama_cpp.llama_state_seq_get_size(self._llama.ctx, 0)
        state = (ctypes.c_uint8 * size)()
        if llama_cpp.llama_state_seq_get_data(self._llama.ctx, state, size, 0) == size:
            self._states[beginning] = state
            if len(self._states) > KEPT:
                self._states.popitem(last=False)
