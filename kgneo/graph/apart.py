"""Apart: what a connection keeps on this machine for itself, and what tells its rights from others.

For connections of users who sign in with their own login: what was read with one of them is in a folder of its own,
which nobody else ever reads, and which goes with the connection. Folders of processes that were killed are deleted by
the next.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress

from kgneo.errors import GraphError, GraphUnavailable
from kgneo.folders import cache_folder
from kgneo.graph.cache import LocalCache
from kgneo.graph.connection import Graph
from kgneo.graph.cypher import query
from kgneo.text import digest

_NAME = re.compile(r".*-apart-(\d+)-[0-9a-f]+")


def keep_apart(graph: Graph) -> Callable[[], object]:
    """Have a connection keep its files for itself, in a folder that only the owner of this process can read; what is
    given deletes them."""
    graph.apart = f"-apart-{os.getpid()}-{secrets.token_hex(8)}"
    cache = LocalCache(graph)
    with suppress(OSError):  # then they are kept for this process alone
        cache.folder.parent.mkdir(parents=True, exist_ok=True)
        cache.folder.mkdir(mode=0o700)
    return cache.remove


def remove_left(runs: Callable[[int], bool]) -> None:
    """Delete the folders of processes that do not run any more."""
    for folder in (cache_folder() / "graphs").glob("*-apart-*"):
        made = _NAME.fullmatch(folder.name)
        if made is not None and not runs(int(made[1])):
            shutil.rmtree(folder, ignore_errors=True)


def rights(graph: Graph) -> str:
    """What tells the rights of a connection's login from others; empty where the server has none to tell (Neo4j
    Community). Raises GraphUnavailable."""
    try:
        rows = graph.read(query("own_privileges"))
    except GraphUnavailable:
        raise
    except GraphError:
        return ""
    return digest("\n".join(sorted(str(row["command"]) for row in rows)))
