"""Warned: what a command shows of warnings and logs that are not its own."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from kgneo.cache_files import CacheWarning
from kgneo.errors import LessonWarning


@contextmanager
def warned(*, debug: bool = False) -> Iterator[None]:
    """Have kgneo's own warnings shown in one line each for as long as the block lasts, and what the driver logs left
    out, unless for `debug`: a lost connection comes out as an error, too."""
    logging.getLogger("neo4j").setLevel(logging.DEBUG if debug else logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        warnings.simplefilter("always", LessonWarning)
        warnings.showwarning = _shown_by(warnings.showwarning)
        yield


def _shown_by(other: Callable[..., None]) -> Callable[..., None]:
    """Shows kgneo's own warnings in one line; the `other` shows those of libraries."""

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:
        if category.__module__.partition(".")[0] == "kgneo":
            click.echo(f"Warning: {message}", err=True)
        else:
            other(message, category, *place)

    return show
