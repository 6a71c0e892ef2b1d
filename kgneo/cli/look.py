"""A look at the whole graph, with a progress bar."""

from __future__ import annotations

from kgneo.cli.options import progress, say
from kgneo.graph import Graph
from kgneo.graph.open import known_whole


def look_at_all(graph: Graph) -> None:
    """Have the schema in the cache say of everything in the graph what there is, and how many of it. Questions that are
    asked after that are all asked of one state of knowledge."""
    bar = progress(None, "Looking", "")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        known_whole(graph, report=say, on_progress=show)
    finally:
        bar.close()
