"""From the text that names a language model to the model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kgneo.errors import UsageError
from kgneo.llm.protocol import LanguageModel
from kgneo.llm.scripted import ScriptedModel, read_script

__all__ = ["PRESETS", "load_model"]

PRESETS = {
    "mistral-7b": "llama:TheBloke/Mistral-7B-Instruct-v0.2-GGUF/mistral-7b-instruct-v0.2.Q4_K_M.gguf",
}
"""Short names for models; `mistral-7b` is the model of the KG-RAG paper, in 4 bits."""

KINDS = "llama:PATH.gguf, llama:REPO/FILE.gguf, openai:MODEL, scripted:FILE or " + ", ".join(PRESETS)


def load_model(
    spec: str,
    *,
    url: str | None = None,
    cache: Path | None = None,
    gpu_layers: int = 0,
    context: int | None = None,
    threads: int | None = None,
    report: Callable[[str], None] | None = None,
) -> LanguageModel:
    """The language model that `spec` names.

    `url` is the address for `openai:`. `cache` is a file that keeps replies. `gpu_layers` is how many layers of
    a local model go to the GPU (-1: all that a GPU takes), `context` its length in tokens (None: the model's own,
    at most 8192), `threads` the number of processor threads (None: the number of cores). `report` gets lines
    about progress.

    Raises UsageError for a text that names no model, DataError for a script that cannot be read and ModelError
    (ModelUnavailable) for a model that cannot be had.
    """
    kind, _, rest = PRESETS.get(spec.removeprefix("llama:"), spec).partition(":")
    if not rest.strip():
        raise UsageError(f"{spec!r} names no language model", hint=f"Expected {KINDS}.")
    if url and kind != "openai":
        raise UsageError(
            f"an address ({url}) is given for {spec!r}", hint="An address goes with openai:MODEL only."
        )
    model: LanguageModel
    if kind == "scripted":
        model = ScriptedModel(read_script(Path(rest)), name=spec)
    else:
        raise UsageError(f"{spec!r} names no language model", hint=f"Expected {KINDS}.")
    return model
