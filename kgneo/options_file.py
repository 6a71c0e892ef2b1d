"""The options file `kgneo.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgneo.errors import DataError, GraphError
from kgneo.folders import read_text

CONFIGURATION_FILE = "kgneo.toml"


def read_configuration(path: Path | None = None) -> dict[str, Any]:
    """Options from `kgneo.toml`: at its top level for every command, in a table [NAME] for one command.

    Without `path`, the file of the working folder if there is one. Raises DataError for a file that is no TOML,
    and GraphError for a password in it, since files get committed.
    """
    file = path or Path(CONFIGURATION_FILE)
    if path is None and not file.is_file():
        return {}
    options = read_toml(file, hint="See docs/configuration.md.")
    for secret in ("password", "token"):
        if secret in options:
            raise GraphError(f"{file} holds a {secret}.", hint=f"Move it to the environment: NEO4J_{secret.upper()}.")
    return options


def read_toml(file: Path, *, hint: str) -> dict[str, Any]:
    """What a file says. Raises DataError for one that cannot be read, and with the `hint` for one that is no TOML."""
    import tomllib  # most folders have no such file, and a question to a server must not wait for this

    text = read_text(file)
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"this is not TOML: {error}", file=str(file), hint=hint) from error
