"""llama_cpp, imported once, with its log led away from the terminal.

llama.cpp writes to the terminal from C. Its log goes to a list of the last lines instead, for error messages.
"""

from __future__ import annotations

import ctypes
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kgneo.errors import ModelError
from kgneo.extras import how_to_install

__all__ = ["clear_log", "last_log", "llama_library", "repacking"]

_GGML_ERROR, _GGML_CONTINUED = 4, 5
_LOG: deque[str] = deque(maxlen=3)
_callback: Any = None
_loading = threading.Lock()


def llama_library() -> Any:
    """llama_cpp. Raises ModelError where it is not installed."""
    global _callback
    try:
        import llama_cpp
    except ImportError as error:
        raise ModelError(
            f"llama: models need llama-cpp-python, which cannot be imported: {error}",
            hint=how_to_install("llama"),
        ) from error
    with _loading:
        if _callback is None:
            # Kept for the life of the process: C calls it until the very end.
            _callback = llama_cpp.llama_log_callback(_keep_errors)
            llama_cpp.llama_log_set(_callback, ctypes.c_void_p(0))
            llama_cpp.llama_backend_init()
    return llama_cpp


def clear_log() -> None:
    """Forgets the errors that llama.cpp wrote before."""
    _LOG.clear()


def last_log() -> str:
    """What llama.cpp wrote since, in brackets behind a blank; empty where it wrote nothing."""
    return f" ({'; '.join(_LOG)})" if _LOG else ""


def _keep_errors(level: int, text: bytes, _: Any) -> None:
    if level in (_GGML_ERROR, _GGML_CONTINUED):
        line = text.decode("utf-8", errors="replace").strip()
        if line and (level == _GGML_ERROR or _LOG):
            _LOG.append(line)


@contextmanager
def repacking(wanted: bool) -> Iterator[None]:
    """Models loaded inside have their weights repacked for the processor, or not.

    llama-cpp-python has no option for it: it takes the default parameters of llama.cpp and changes some.
    """
    import llama_cpp.llama_cpp as bindings

    defaults = bindings.llama_model_default_params

    def changed() -> Any:
        parameters = defaults()
        parameters.use_extra_bufts = wanted
        return parameters

    with _loading:
        bindings.llama_model_default_params = changed
        try:
            yield
        finally:
            bindings.llama_model_default_params = defaults
