"""The figures of a report, as PNG and SVG.

In come groups of summaries; out go files. Colours are those of Okabe and Ito, which people of every kind of
colour vision tell apart; shades of one colour stand for an ordered quantity. Numbers published elsewhere are
hollow diamonds, never bars. Nothing is drawn in a window.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kgneo.errors import UsageError
from kgneo.evaluation.published import Published, PublishedValue
from kgneo.evaluation.summary import Group, RetrievalSummary
from kgneo.extras import how_to_install

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#000000", "#F0E442")
SHADES = ("#d3e5f2", "#9fc8e3", "#62a6d2", "#2b83bd", "#0b5f96")

TITLES = {
    "hit_at_1": "Hit@1 (first answer entity)",
    "hit_at_1_text": "Hit@1 (a gold answer in the text)",
}

Bar = tuple[float, float, float]
"""Height, and lower and upper end of the error bar."""


def require_matplotlib() -> None:
    """Raises UsageError where figures cannot be drawn, before a long run rather than after it."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UsageError(
            "figures need matplotlib, which is not installed",
            hint=f"{how_to_install('eval')}, or leave the figures out with --no-figures.",
        )


def new_figure(width: float, height: float, panels: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure with `panels` side by side that share their vertical axis. Sizes in inches."""
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, panels, sharey=True, squeeze=False)
    return figure, list(axes[0])


def save(figure: Figure, folder: Path, name: str) -> str:
    """Write `folder/name.png` and `folder/name.svg`, the same bytes for the same figure; returns `name`."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": "kgneo", "svg.fonttype": "path"}):
        figure.savefig(folder / f"{name}.png", dpi=150)
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return name


def error_bar_words(groups: Sequence[Group], *, published: bool) -> str:
    """What the error bars and markers of a figure over `groups` mean."""
    seeds = groups[0].seeds
    sizes = sorted({summary.n for group in groups for summary in group.summaries})
    each = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
    if seeds > 1:
        words = f"Bars: mean over {seeds} samples of {each} questions; error bars: ± 1 standard deviation."
    else:
        words = f"Bars: {each} questions each; error bars: 95 % bootstrap interval over the questions."
    if published:
        words += " Diamonds: published values (± 1 standard deviation where known)."
    return words


def part_title(part: int | None) -> str:
    """What a panel says of its questions."""
    return "all questions" if part is None else f"{part}-hop questions"


def _style(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)


def _share_axis(axes: Axes, label: str) -> None:
    axes.set_ylim(0, 1.05)
    axes.set_yticks(np.arange(0, 1.01, 0.2))
    axes.set_ylabel(label)


def _caption(figure: Figure, text: str) -> None:
    figure.supxlabel(text, fontsize=8, color="#444444")


def _bars(axes: Axes, x: Sequence[float], bars: Sequence[Bar], width: float, colour: str, label: str) -> None:
    heights = np.asarray([bar[0] for bar in bars])
    ends = np.asarray([bar[1:] for bar in bars]).reshape(len(bars), 2)
    errors = np.clip(np.stack([heights - ends[:, 0], ends[:, 1] - heights]), 0, None)
    axes.bar(x, heights, width * 0.92, color=colour, label=label, edgecolor="white", linewidth=0.5)
    axes.errorbar(x, heights, yerr=errors, fmt="none", ecolor="#222222", elinewidth=1.1, capsize=2.5)


def _diamonds(axes: Axes, points: Sequence[tuple[float, PublishedValue]]) -> None:
    if not points:
        return
    x = [place for place, _ in points]
    y = [value.value for _, value in points]
    spread = [value.deviation or 0.0 for _, value in points]
    axes.errorbar(
        x,
        y,
        yerr=spread if any(spread) else None,
        fmt="D",
        markersize=5.5,
        markerfacecolor="white",
        markeredgecolor="#B00020",
        markeredgewidth=1.4,
        ecolor="#B00020",
        elinewidth=1,
        label="published",
        zorder=5,
        clip_on=False,
    )


def _legend(figure: Figure, axes: Sequence[Axes], title: str = "") -> None:
    found: dict[str, Any] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(list(found.values()), list(found), loc="outside right upper", frameon=False, title=title or None)


def _parts(groups: Sequence[Group]) -> list[int | None]:
    return list(dict.fromkeys(group.configuration.question_hops for group in groups))


def _offsets(count: int, total: float = 0.84) -> list[float]:
    width = total / count
    return [(index - (count - 1) / 2) * width for index in range(count)]


def accuracy_by_hops_and_top_k(groups: Sequence[Group], published: Published, *, metric: str) -> Figure:
    """KG-RAG's Figure 5, for the groups of one strategy: a panel a number of question hops, N across, a bar
    a K."""
    parts = _parts(groups)
    reaches = sorted({group.configuration.hops for group in groups})
    kept = sorted({group.configuration.top_k for group in groups})
    figure, axes = new_figure(2.2 + 2.9 * len(parts), 3.9, len(parts))
    offsets, shown = _offsets(len(kept)), False
    for panel, part in zip(axes, parts, strict=True):
        points: list[tuple[float, PublishedValue]] = []
        for number, k in enumerate(kept):
            places, bars = [], []
            for place, reach in enumerate(reaches):
                chosen = _find(groups, part, hops=reach, top_k=k)
                if chosen is None:
                    continue
                x = place + offsets[number]
                places.append(x)
                bars.append((chosen.mean(metric), *chosen.bar(metric)))
                value = published.find(part, chosen.configuration.strategy, hops=reach, top_k=k)
                beside = x + 0.2 * 0.84 / len(kept)
                points += [(beside, value)] if value and metric == "hit_at_1_text" else []
            shade = SHADES[min(number + (len(kept) < len(SHADES) - 1), len(SHADES) - 1)]
            _bars(panel, places, bars, 0.84 / len(kept), shade, f"K = {k}")
        _diamonds(panel, points)
        shown = shown or bool(points)
        _style(panel)
        panel.set_title(part_title(part), fontsize=11)
        panel.set_xticks(range(len(reaches)), [str(reach) for reach in reaches])
        panel.set_xlabel("N, hops of candidate retrieval")
    _share_axis(axes[0], TITLES[metric])
    _legend(figure, axes)
    _caption(figure, error_bar_words(groups, published=shown))
    return figure


def _find(groups: Sequence[Group], part: int | None, **wanted: Any) -> Group | None:
    for group in groups:
        cell = group.configuration
        if cell.question_hops == part and all(getattr(cell, key) == value for key, value in wanted.items()):
            return group
    return None


def strategies_by_question_hops(groups: Sequence[Group], published: Published, *, metric: str) -> Figure:
    """KG-RAG's Figure 6, for the groups of one N and K: question hops across, a bar a strategy."""
    parts = _parts(groups)
    strategies = list(dict.fromkeys(group.configuration.strategy for group in groups))
    figure, [axes] = new_figure(3.4 + max(1.0, 0.45 * len(strategies)) * len(parts), 3.9)
    points: list[tuple[float, PublishedValue]] = []
    offsets = _offsets(len(strategies))
    for number, strategy in enumerate(strategies):
        places, bars = [], []
        for place, part in enumerate(parts):
            chosen = _find(groups, part, strategy=strategy)
            if chosen is None:
                continue
            x = place + offsets[number]
            places.append(x)
            bars.append((chosen.mean(metric), *chosen.bar(metric)))
            cell = chosen.configuration
            value = published.find(part, strategy, hops=cell.hops, top_k=cell.top_k)
            beside = x + 0.2 * 0.84 / len(strategies)
            points += [(beside, value)] if value and metric == "hit_at_1_text" else []
        _bars(axes, places, bars, 0.84 / len(strategies), COLOURS[number % len(COLOURS)], strategy)
    _diamonds(axes, points)
    _style(axes)
    axes.set_xticks(range(len(parts)), [part_title(part) for part in parts])
    _share_axis(axes, TITLES[metric])
    _legend(figure, [axes])
    _caption(figure, _wrapped(error_bar_words(groups, published=bool(points)), figure))
    return figure


def _wrapped(text: str, figure: Figure) -> str:
    import textwrap

    return textwrap.fill(text, int(figure.get_figwidth() * 17))


def sub_questions(groups: Sequence[Group], published: Published) -> Figure:
    """KG-RAG's Figure 8, for the groups of one configuration: how many sub-questions were made, in per cent
    of the questions, a panel a number of question hops."""
    parts = _parts(groups)
    figure, axes = new_figure(2.0 + 2.7 * len(parts), 3.6, len(parts))
    most = max([*(max(group.steps, default=0) for group in groups), 4])
    shown = False
    for panel, part in zip(axes, parts, strict=True):
        chosen = _find(groups, part)
        steps = chosen.steps if chosen else {}
        total = sum(steps.values()) or 1
        panel.bar(list(steps), [100 * n / total for n in steps.values()], 0.8, color=COLOURS[0], label="here")
        values = published.sub_questions.get(part, {})
        if values:
            shown = True
            _diamonds(panel, [(float(steps), value) for steps, value in values.items()])
            most = max(most, *values)
        _style(panel)
        panel.set_title(part_title(part), fontsize=11)
        panel.set_xlabel("sub-questions")
    for panel in axes:
        panel.set_xticks(range(most + 1))
        panel.set_xlim(-0.6, most + 0.6)
    axes[0].set_ylabel("share of the questions (%)")
    axes[0].set_ylim(0, 105)
    _legend(figure, axes)
    seeds = groups[0].seeds
    words = f"Bars: {groups[0].n} questions a panel" + (f" ({seeds} samples together)." if seeds > 1 else ".")
    if shown:
        words += " Diamonds: published, read off the paper's figure (100 questions a panel)."
    _caption(figure, _wrapped(words, figure))
    return figure


def accuracy_by_type(groups: Sequence[Group]) -> Figure:
    """Hit@1 by question type, for the groups of one part of the data set and one N and K."""
    tables = [(group.configuration.strategy, group.by_type) for group in groups]
    types = sorted({name for _, table in tables for name in table})
    mean = {name: np.mean([table[name].hit_at_1 for _, table in tables if name in table]) for name in types}
    types.sort(key=lambda name: mean[name])
    figure, [axes] = new_figure(8.2, 1.6 + 0.22 * len(types) * max(1.0, 0.6 * len(tables)))
    offsets = _offsets(len(tables), 0.6)[::-1]  # the first strategy on top, as in the legend
    for number, (strategy, table) in enumerate(tables):
        rows = [(place, table[name]) for place, name in enumerate(types) if name in table]
        hits = np.asarray([part.hit_at_1 for _, part in rows])
        ends = np.asarray([part.interval for _, part in rows]).reshape(len(rows), 2)
        axes.errorbar(
            hits,
            [place + offsets[number] for place, _ in rows],
            xerr=np.clip(np.stack([hits - ends[:, 0], ends[:, 1] - hits]), 0, None),
            fmt="osD^v"[number % 5],
            color=COLOURS[number % len(COLOURS)],
            markersize=4.5,
            elinewidth=1.1,
            capsize=2,
            label=strategy,
        )
    counts = {name: max(table[name].n for _, table in tables if name in table) for name in types}
    axes.set_yticks(range(len(types)), [f"{name} ({counts[name]})" for name in types], fontsize=8)
    axes.set_ylim(-0.7, len(types) - 0.3)
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel(TITLES["hit_at_1"])
    axes.set_title(part_title(groups[0].configuration.question_hops), fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    _legend(figure, [axes])
    _caption(figure, "Question types (questions asked); error bars: 95 % Wilson interval.")
    return figure


def latency_by_candidates(points: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """Milliseconds a question against the number of candidate triples, both logarithmic, with the median in
    bins. `points` has (candidates, milliseconds) by strategy."""
    figure, [axes] = new_figure(6.6, 4.0)
    for number, (strategy, pairs) in enumerate(points.items()):
        colour = COLOURS[number % len(COLOURS)]
        data = np.asarray([pair for pair in pairs if pair[0] > 0 and pair[1] > 0], dtype=float).reshape(-1, 2)
        axes.scatter(data[:, 0], data[:, 1], s=10, alpha=0.35, color=colour, linewidths=0, label=strategy)
        middles, medians = _binned_median(data)
        axes.plot(
            middles, medians, "osD^v"[number % 5] + "-", color=colour, linewidth=2, markersize=5,
            markeredgecolor="white", label=f"{strategy}, median",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("candidate triples within N hops of the topic entities")
    axes.set_ylabel("time a question (ms)")
    axes.yaxis.set_major_formatter("{x:g}")
    _style(axes)
    _legend(figure, [axes])
    total = max((len(pairs) for pairs in points.values()), default=0)
    _caption(figure, f"Dots: {total} questions of the sample; lines: median in half decades of candidates.")
    return figure


def _binned_median(data: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[list[float], list[float]]:
    if not len(data):
        return [], []
    bins = np.floor(np.log10(data[:, 0]) * 2).astype(int)
    kept = [number for number in np.unique(bins) if (bins == number).sum() >= 3]
    return (
        [float(10 ** (np.log10(data[bins == number, 0]).mean())) for number in kept],
        [float(np.median(data[bins == number, 1])) for number in kept],
    )


def retrieval_recall(summaries: Sequence[RetrievalSummary]) -> Figure:
    """Recall of the gold path's triples among the top K (bars) and among all candidates (lines), in the form
    of Figure 5."""
    parts = list(dict.fromkeys(item.configuration.question_hops for item in summaries))
    reaches = sorted({item.configuration.hops for item in summaries})
    kept = sorted({item.configuration.top_k for item in summaries})
    figure, axes = new_figure(2.4 + 2.9 * len(parts), 3.9, len(parts))
    offsets = _offsets(len(kept))
    for panel, part in zip(axes, parts, strict=True):
        for number, k in enumerate(kept):
            chosen = [
                (reaches.index(item.configuration.hops) + offsets[number], item)
                for item in summaries
                if item.configuration.question_hops == part and item.configuration.top_k == k
            ]
            bars = [(item.recall_top_k, *item.interval_top_k) for _, item in chosen]
            shade = SHADES[min(number + (len(kept) < len(SHADES) - 1), len(SHADES) - 1)]
            _bars(panel, [x for x, _ in chosen], bars, 0.84 / len(kept), shade, f"top K, K = {k}")
        _candidate_lines(panel, summaries, part, reaches)
        _style(panel)
        panel.set_title(part_title(part), fontsize=11)
        panel.set_xticks(range(len(reaches)), [str(reach) for reach in reaches])
        panel.set_xlabel("N, hops of candidate retrieval")
    _share_axis(axes[0], "recall of the gold path's triples")
    _legend(figure, axes)
    first = summaries[0]
    spread = "± 1 standard deviation over the samples" if first.seeds > 1 else "95 % bootstrap interval"
    _caption(figure, f"Means over {first.n} questions a panel, samples: {first.seeds}; error bars: {spread}.")
    return figure


def _candidate_lines(
    axes: Axes, summaries: Sequence[RetrievalSummary], part: int | None, reaches: Sequence[int]
) -> None:
    for place, reach in enumerate(reaches):
        for item in summaries:
            if item.configuration.question_hops == part and item.configuration.hops == reach:
                axes.hlines(
                    item.recall_candidates, place - 0.46, place + 0.46, colors="#D55E00", linewidth=2,
                    label="all candidates",
                )  # fmt: skip
                break


Drawing = tuple[str, str, "Figure"]
"""A file name without ending, a title, and the figure."""

TEXT_AND_FIRST = (("hit_at_1_text", ""), ("hit_at_1", "-first-answer"))
"""Both ways to count Hit@1, and what the second adds to a file name."""


def draw_all(
    folder: Path,
    groups: Sequence[Group],
    published: Published,
    latency: Mapping[str, Sequence[tuple[int, float]]],
    *,
    splitting: frozenset[str],
) -> list[tuple[str, str]]:
    """Every figure that the groups have data for; returns (file name without ending, title). `splitting` are the
    strategies that may ask sub-questions."""
    drawings = itertools.chain(
        _figures_5(groups, published),
        _figures_6(groups, published),
        _others(groups, published, splitting),
        [("latency", "Time a question by number of candidates", latency_by_candidates(latency))]
        if any(latency.values())
        else [],
    )
    return [(save(figure, folder, name), title) for name, title, figure in drawings]


def _figures_5(groups: Sequence[Group], published: Published) -> Iterator[Drawing]:
    for strategy, members in _split(groups, lambda cell: cell.strategy).items():
        if len({(member.configuration.hops, member.configuration.top_k) for member in members}) < 2:
            continue
        for metric, ending in TEXT_AND_FIRST:
            if not members[0].applies(metric):
                continue
            title = f"Accuracy by N and K, {strategy} (the paper's Figure 5); {TITLES[metric]}"
            figure = accuracy_by_hops_and_top_k(members, published, metric=metric)
            yield f"figure-5-{strategy}{ending}", title, figure


def _figures_6(groups: Sequence[Group], published: Published) -> Iterator[Drawing]:
    cells = _split(groups, lambda cell: (cell.hops, cell.top_k))
    for (hops, top_k), members in cells.items():
        if len(cells) > 1 and len({member.configuration.strategy for member in members}) == 1:
            continue  # Figure 5 shows it
        suffix = f"-N{hops}-K{top_k}" if len(cells) > 1 else ""
        for metric, ending in TEXT_AND_FIRST:
            having = [member for member in members if member.applies(metric)]
            if not having:
                continue
            where = f"N = {hops}, K = {top_k} (the paper's Figure 6)"
            title = f"Strategies by question hops, {where}; {TITLES[metric]}"
            figure = strategies_by_question_hops(having, published, metric=metric)
            yield f"figure-6{suffix}{ending}", title, figure


def _others(groups: Sequence[Group], published: Published, splitting: frozenset[str]) -> Iterator[Drawing]:
    """Figure 8 and accuracy by type, for the largest N and K."""
    cells = _split(groups, lambda cell: (cell.hops, cell.top_k))
    widest = cells[max(cells)]
    for strategy, members in _split(widest, lambda cell: cell.strategy).items():
        if strategy in splitting:
            title = f"Number of sub-questions, {strategy} (the paper's Figure 8)"
            yield f"figure-8-{strategy}", title, sub_questions(members, published)
    for part, members in _split(widest, lambda cell: cell.question_hops).items():
        if any(member.by_type for member in members):
            name = f"types-{part}-hop" if part is not None else "types"
            yield name, f"Accuracy by question type, {part_title(part)}", accuracy_by_type(members)


def _split(groups: Sequence[Group], key: Callable[[Any], Any]) -> dict[Any, list[Group]]:
    found: dict[Any, list[Group]] = {}
    for group in groups:
        found.setdefault(key(group.configuration), []).append(group)
    return found
