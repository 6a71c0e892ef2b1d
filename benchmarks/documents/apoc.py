"""APOC for a store: neo4j-graphrag writes with it. kgneo itself needs none."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from kgneo.server.jars import find_jar

VERSION = "5.26.19"
"""Of APOC, and of the Neo4j that it is for."""
JARS = {
    f"org.neo4j.procedure:apoc-core:{VERSION}": "63b942deda37996932bbada7a4ed1c163c9f82bca35696c569ef33d3eaa3bde4",
    f"org.neo4j.procedure:apoc-common:{VERSION}": "b1ea58a4cf9509181fdb0130151f9b84be4169250b6fd91b998f9d0534e64096",
    "com.opencsv:opencsv:5.7.1": "d05a7bd25fd62bf27803d71b80f98ad2d929420072648c09a26d45344d25d6b8",
    "org.roaringbitmap:RoaringBitmap:0.7.17": "60f25f5eb24852fff3b9a5c5f3793aa4f1eb5d0424d3cdaaf90cdfdd0619dcac",
}
"""Its jars with their SHA-256."""


def add_apoc(store: Path) -> None:
    """Put APOC into the plugins of a store whose server does not run. Raises ServerError where it cannot be had, and
    ValueError for a jar that is another than it should be."""
    plugins = store / "neo4j" / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    for coordinate, digest in JARS.items():
        jar = find_jar(coordinate, timeout=60)
        if hashlib.sha256(jar.read_bytes()).hexdigest() != digest:
            raise ValueError(f"{coordinate} is not the file that it should be: {jar}")
        shutil.copy(jar, plugins / jar.name)
