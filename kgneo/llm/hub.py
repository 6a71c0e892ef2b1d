"""A model file from the Hugging Face hub, fetched once.

huggingface_hub resumes a download that was cut off and checks its size; what it stores under the SHA-256 of a
file is checked against it here, once, after the download. A file that is there already needs no network.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgneo.errors import ModelError, ModelUnavailable
from kgneo.extras import how_to_install

__all__ = ["fetch", "split_hub_name"]

_SHA256 = re.compile(r"[0-9a-f]{64}")
_HUB_NAME = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)/(?P<file>[\w.\-/ ]+\.gguf)", re.IGNORECASE)
_SECONDS_BETWEEN_REPORTS = 2.0


def split_hub_name(text: str) -> tuple[str, str] | None:
    """Repository ("owner/name") and file of "owner/name/file.gguf"; None for anything else."""
    found = _HUB_NAME.fullmatch(text)
    return (found["repository"], found["file"]) if found else None


def fetch(
    repository: str,
    file: str,
    *,
    report: Callable[[str], None],
    endpoint: str | None = None,
    folder: Path | None = None,
) -> Path:
    """The path of the file on this machine, after a download if need be.

    `endpoint` and `folder` stand in for the hub and its usual cache folder (HF_ENDPOINT, HF_HOME). Raises
    ModelUnavailable when the hub cannot be reached, ModelError when it has no such file or a broken one came.
    """
    try:
        import huggingface_hub
        from huggingface_hub import errors
    except ImportError as error:
        raise ModelError(
            f"models from the hub need huggingface-hub, which cannot be imported: {error}",
            hint=how_to_install("llama"),
        ) from error
    kept = huggingface_hub.try_to_load_from_cache(repository, file, cache_dir=folder)
    if isinstance(kept, str):
        return Path(kept)
    report(f"fetching {file} of {repository}")
    try:
        path = Path(
            huggingface_hub.hf_hub_download(
                repository, file, endpoint=endpoint, cache_dir=folder, tqdm_class=_reporting_bar(report)
            )
        )
    except errors.LocalEntryNotFoundError:
        raise ModelUnavailable(
            f"the hub cannot be reached for {repository}/{file}",
            hint="Check the network, or fetch the file elsewhere and name its path: llama:PATH.gguf",
        ) from None
    except (errors.RepositoryNotFoundError, errors.EntryNotFoundError) as error:
        raise ModelError(
            f"the hub has no file {file} in {repository}: {type(error).__name__}",
            hint="Expected llama:OWNER/REPOSITORY/FILE.gguf; gated models need HF_TOKEN.",
        ) from None
    except (errors.HfHubHTTPError, OSError, ValueError) as error:
        raise ModelUnavailable(
            f"{repository}/{file} could not be fetched: {_first_line(error)}",
            hint="The same command goes on where the download stopped.",
        ) from None
    check_digest(path, report)
    return path


def check_digest(path: Path, report: Callable[[str], None]) -> None:
    """Raises ModelError, and removes the file, when its content is not of the SHA-256 it is stored as."""
    stored = path.resolve()
    if not _SHA256.fullmatch(stored.name):
        return
    report(f"checking {path.name}")
    with stored.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != stored.name:
        path.unlink()
        stored.unlink(missing_ok=True)
        raise ModelError(
            f"{path.name} came broken: its SHA-256 is {found}, expected {stored.name}",
            hint="It was removed; the same command fetches it again.",
        )


def _reporting_bar(report: Callable[[str], None]) -> type[Any]:
    """A progress bar that writes to `report` in place of the terminal."""
    from tqdm import tqdm

    class Sink:
        def write(self, text: str) -> None:
            if line := text.strip():
                report(line)

        def flush(self) -> None:
            return None

    class Bar(tqdm):  # type: ignore[misc,unused-ignore]
        def __init__(self, *arguments: Any, **options: Any) -> None:
            options.pop("name", None)
            options |= {"file": Sink(), "mininterval": _SECONDS_BETWEEN_REPORTS, "disable": False}
            super().__init__(*arguments, **options)

    return Bar


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def hub_endpoint() -> str | None:
    """The address that HF_ENDPOINT names, read at the time of the call."""
    return os.environ.get("HF_ENDPOINT") or None
