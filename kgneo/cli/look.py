"""A look at the whole graph, with a progress bar."""

from __future__ import annotations

from kgneo.cli.options import progress, say
from kgneo.graph import Graph
from kgneo.graph.open import known_whole
from kgneo.graph.schema import WHOLE
from kgneo.graph.shape import Shape


def look_at_all(graph: Graph, shape: Shape = WHOLE) -> None:
    """Have the schema in the cache say of everything in the graph what there is, and how many of it. Questions that are
    asked after that are all asked of one state of knowledge. Where `shape` leaves something out, so does what is known
    without that."""
    bar = progress(None, "Looking", "")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    try:
        known_whole(graph, report=say, on_progress=show)
        if shape.left_out:
            known_whole(graph, shape, report=say, on_progress=show)
    finally:
        bar.close()
