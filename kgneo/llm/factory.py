"""From the text that names a language model to the model."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from kgneo.errors import UsageError
from kgneo.llm.cache import CachedModel, ReplyCache
from kgneo.llm.protocol import LanguageModel
from kgneo.llm.scripted import ScriptedModel, read_script

__all__ = ["PRESETS", "load_model"]

PRESETS = {
    "mistral-7b": "llama:TheBloke/Mistral-7B-Instruct-v0.2-GGUF/mistral-7b-instruct-v0.2.Q4_K_M.gguf",
}
"""Short names for models; `mistral-7b` is the model of the KG-RAG paper, in 4 bits."""

KINDS = "llama:PATH.gguf, llama:OWNER/REPOSITORY/FILE.gguf, openai:MODEL, scripted:FILE or " + ", ".join(PRESETS)
KEY_VARIABLES = ("KGNEO_LLM_KEY", "OPENAI_API_KEY")


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

    `url` is the address for `openai:` (None: OPENAI_BASE_URL, or the hosted service). `cache` is a file that
    keeps replies. `gpu_layers` is how many layers of a local model go to the GPU (-1: all), `context` its
    length in tokens (None: the model's own, at most 8192), `threads` the number of processor threads (None:
    one for each core). `report` gets lines about progress. A key comes from KGNEO_LLM_KEY or OPENAI_API_KEY
    alone.

    Raises UsageError for a text that names no model, DataError for a script that cannot be read, ModelError
    (ModelUnavailable) for a model that cannot be had.
    """
    kind, _, rest = PRESETS.get(spec.removeprefix("llama:"), spec).partition(":")
    if kind not in ("llama", "openai", "scripted") or not rest.strip():
        raise UsageError(f"{spec!r} names no language model", hint=f"Expected {KINDS}.")
    if url and kind != "openai":
        raise UsageError(f"an address is given for {spec!r}", hint="An address goes with openai:MODEL only.")
    # Before the model: a file that is no cache shows at once, not after minutes of loading.
    replies = ReplyCache(cache) if cache else None
    model: LanguageModel
    if kind == "scripted":
        model = ScriptedModel(read_script(Path(rest)), name=spec, context_tokens=context)
    elif kind == "openai":
        model = _openai(rest, url, context, report)
    else:
        model = _llama(rest, gpu_layers, context, threads, report)
    return CachedModel(model, replies) if replies else model


def _openai(model: str, url: str | None, context: int | None, report: Callable[[str], None] | None) -> LanguageModel:
    from kgneo.llm.openai_compatible import HOSTED, OpenAICompatibleModel

    address = url or os.environ.get("OPENAI_BASE_URL") or HOSTED
    key = next(filter(None, map(os.environ.get, KEY_VARIABLES)), None)
    return OpenAICompatibleModel(model, url=address, key=key, context=context, report=report)


def _llama(
    name: str,
    gpu_layers: int,
    context: int | None,
    threads: int | None,
    report: Callable[[str], None] | None,
) -> LanguageModel:
    from kgneo.llm.hub import fetch, hub_endpoint, split_hub_name
    from kgneo.llm.llama import LlamaModel

    path = Path(name).expanduser()
    hub_name = split_hub_name(name)
    # "models/small/a.gguf" looks like a name on the hub; a folder "models" here says that it is a path.
    if hub_name and not path.exists() and not Path(path.parts[0]).is_dir():
        path = fetch(*hub_name, report=report or _silent, endpoint=hub_endpoint())
    return LlamaModel(path, gpu_layers=gpu_layers, context=context, threads=threads, report=report)


def _silent(_: str) -> None:
    return None
