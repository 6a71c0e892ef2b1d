"""The first tokens of a GGUF model on a machine, drawn in a process of its own.

llama.cpp ends the process that it lives in when something goes wrong in it: on some processors the weights that it
repacks for them crash at the first token (llama.cpp#20824), a damaged header can break a check of its own, and too
large a context meets the kernel's out-of-memory killer. So the first time that a file is used here, a child process
(`kgneo.llm.try_model`) does it before this one: with repacked weights, and where these crash, without.
What worked is kept in the cache folder, under the file, the way it is loaded, the processor and the version of
llama-cpp-python; what did not is tried again each time, since memory may be free by then.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from kgneo.cache_files import going_on
from kgneo.errors import ModelError, ModelUnavailable
from kgneo.folders import cache_folder
from kgneo.llm.gguf import file_fingerprint
from kgneo.llm.processor import processor_fingerprint

__all__ = ["Trial", "can_repack"]

_PROGRAM = "kgneo.llm.try_model"


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model is loaded: what `LlamaModel` takes. A `context` of None is the file's own."""

    path: str
    adapter: str | None = None
    gpu_layers: int = 0
    context: int | None = None
    repacked: bool = True


def can_repack(trial: Trial, report: Callable[[str], None]) -> bool:
    """Whether the model runs with repacked weights; False where it runs only without them.

    Raises ModelError for a model that cannot be loaded, and for one that crashes either way.
    """
    kept = cache_folder() / "models" / f"{_key(trial)}.json"
    with suppress(OSError, ValueError, KeyError):
        return bool(json.loads(kept.read_text(encoding="utf-8"))["repacked"])
    name = Path(trial.path).name
    report(f"trying {name} in a process of its own, once on this machine")
    crash = _crash(trial)
    if crash:
        second = _crash(replace(trial, repacked=False))
        if second:
            raise _hopeless(trial, second)
        report(f"{name} crashes llama.cpp on this processor ({crash}): it is used without repacked weights")
    _keep(kept, {"repacked": not crash, "model": name})
    return not crash


def _key(trial: Trial) -> str:
    files = [file_fingerprint(Path(path)) for path in (trial.path, trial.adapter) if path]
    way = [trial.gpu_layers, trial.context, version("llama-cpp-python"), processor_fingerprint()]
    return sha256(json.dumps([files, way]).encode()).hexdigest()[:32]


def _crash(trial: Trial) -> str:
    """How the child ended, in a few words; empty where it drew its tokens. Raises the child's own ModelError."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", _PROGRAM, json.dumps(asdict(trial))]
    done = subprocess.run(command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        error = json.loads(done.stdout or b"null")
        if error:
            kind = ModelUnavailable if error["retry"] else ModelError
            raise kind(error["message"], hint=error["hint"])
        return ""
    if done.returncode == -signal.SIGINT:
        raise KeyboardInterrupt
    last = done.stderr.decode("utf-8", errors="replace").strip().rpartition("\n")[2][:200]
    return f"{_ending(done.returncode)}{': ' if last else ''}{last}"


def _ending(status: int) -> str:
    with suppress(ValueError):
        return signal.Signals(-status).name
    return f"status {status}"


def _hopeless(trial: Trial, crash: str) -> ModelError:
    tried = f"{trial.path} with the adapter {trial.adapter}" if trial.adapter else trial.path
    if crash.startswith("SIGKILL"):
        return ModelError(
            f"{tried} was ended by the system while it was tried in a process of its own",
            hint="Most often the memory was full: use a smaller model, stronger quantisation or a shorter context.",
        )
    return ModelError(
        f"{tried} crashes llama.cpp on this machine ({crash}); it was tried in a process of its own",
        hint="Expected a LoRA adapter (GGUF) that was made for this model."
        if trial.adapter
        else "The file may be damaged, or need another version of llama-cpp-python. Another file of the same model "
        "(unquantised, or of another quantisation) may run.",
    )


def _keep(path: Path, outcome: dict[str, object]) -> None:
    """Writes the outcome in one step; where it cannot be written, the model is tried again the next time."""
    with going_on():
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(outcome), encoding="utf-8")
        new.replace(path)
