"""Figures before and after training, drawn: two bars for each task, as SVG. Nothing is drawn without matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

__all__ = ["draw"]

COLOURS = {"before": "#bbbbbb", "after": "#0072B2"}
WIDTH = 0.4


def draw(file: Path, title: str, before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Write the figure of one number for each task. The same bytes for the same numbers. Raises OSError."""
    if find_spec("matplotlib") is None:
        return
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2.5 + 0.9 * len(before), 3.6), layout="constrained")
    axes = figure.subplots()
    for number, (name, values) in enumerate((("before", before), ("after", after))):
        places = [place + (number - 0.5) * WIDTH for place in range(len(before))]
        bars = axes.bar(places, [values[task] for task in before], WIDTH * 0.92, color=COLOURS[name], label=name)
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks(range(len(before)), list(before), rotation=30, ha="right")
    axes.set_ylabel(title)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    with rc_context({"svg.hashsalt": "kgneo", "svg.fonttype": "path"}):
        figure.savefig(file, metadata={"Date": None})
