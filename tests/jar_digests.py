"""Writes kgneo/server/jars.sha256: the digests of what kgneo gets from Maven Central, for the pinned versions.

    python -m tests.jar_digests

Run it on a machine whose jars are trusted, after a pinned version has changed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from kgneo.server import jars
from kgneo.server.jars import find_distribution, find_jar
from kgneo.server.versions import LINES
from kgneo.thesaurus_data import ARTIFACT


def main() -> None:
    """Write the file."""
    found = {jar for version in LINES.values() for jar in find_distribution(version, print).jars}
    found.add(find_jar(ARTIFACT, timeout=60))
    named = {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in found}
    file = Path(jars.__file__).with_name(jars.DIGESTS)
    file.write_text("".join(f"{named[name]}  {name}\n" for name in sorted(named)), encoding="ascii")


if __name__ == "__main__":
    main()
