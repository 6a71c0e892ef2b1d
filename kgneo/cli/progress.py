"""Progress bars on standard error, and lines for people above them."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from kgneo.cli.hints import about_this_graph
from kgneo.cli.terminal import behind, visible

if TYPE_CHECKING:
    from rich.progress import Progress


class Bar:
    """One bar. `total` may change while it runs; `n` is how far it is. Where there is no terminal, it only counts."""

    def __init__(self, total: int | None, description: str, unit: str) -> None:
        self.n = 0
        self._total = total
        shown = _display.open()
        self._task = shown.add_task(visible(description), total=total, unit=visible(unit)) if shown else None
        self._closed = False

    @property
    def total(self) -> int | None:
        """How far it goes; None where that is not known."""
        return self._total

    @total.setter
    def total(self, total: int | None) -> None:
        self._total = total
        self._show(total=total)

    def update(self, steps: int = 1) -> None:
        """Go on by some steps."""
        self.n += steps
        self._show(completed=self.n)

    def describe(self, description: str) -> None:
        """Say what it is at."""
        self._show(description=visible(description))

    def _show(self, **fields: Any) -> None:
        if self._task is not None and _display.shown is not None:
            _display.shown.update(self._task, **fields)

    def close(self) -> None:
        """Leave the bar as it is."""
        if not self._closed:
            self._closed = True
            _display.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Display:
    """What shows the bars that are open, together; there is one terminal."""

    def __init__(self) -> None:
        self.shown: Progress | None = None
        self._open = 0

    def open(self) -> Progress | None:
        """What a bar is added to; None where there is no terminal."""
        self._open += 1
        if self.shown is None and behind(sys.stderr).isatty():
            self.shown = _progress()
            self.shown.start()
        return self.shown

    def close(self) -> None:
        """A bar was closed. After the last one, the display ends."""
        self._open -= 1
        if self._open == 0 and self.shown is not None:
            self.shown.stop()
            self.shown = None


_display = _Display()


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}", markup=False),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=Console(file=behind(sys.stderr)),
    )


def progress(total: int | None, description: str, unit: str) -> Bar:
    """A progress bar with the time left on standard error; nothing where that is no terminal."""
    return Bar(total, description, unit.strip())


def say(message: str) -> None:
    """A line for people, on standard error, above the progress bars if some are shown."""
    told = about_this_graph(message)
    if _display.shown is None:
        click.echo(told, err=True)
    else:
        _display.shown.console.print(visible(told), markup=False, highlight=False, soft_wrap=True)
