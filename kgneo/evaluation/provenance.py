"""What a published number needs beside it: versions, encoder, model, parameters, seeds, hashes.

Nothing that is secret or belongs to one person's machine (paths, host and user names) is gathered.
"""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kgneo.model import Triple

PACKAGES = (
    "kgneo",
    "llama-cpp-python",
    "neo4j",
    "numpy",
    "onnxruntime",
    "sentence-transformers",
    "tokenizers",
)


def gather(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Versions and machine, with `facts` (what the backend and the command line know) on top."""
    return {"versions": versions(), "machine": machine(), **facts}


def versions() -> dict[str, str]:
    """Python's version and those of the packages that can change a result; absent ones are left out."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """What times depend on."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count() or 1}


def hash_triples(triples: Iterable[Triple]) -> str:
    """A hash of a graph's triples that does not depend on their order: the sum of each one's SHA-256.

    A triple that occurs twice counts twice. Streams; 133,582 triples take about half a second.
    """
    total = 0
    for triple in triples:
        text = "\x1f".join((triple.subject, triple.relation, triple.object, triple.detail))
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return f"{total % (1 << 256):064x}"
