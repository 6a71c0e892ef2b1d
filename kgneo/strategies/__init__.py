"""Strategies: named compositions of stages that turn a question into an answer, see `protocol`.

Each stands in a file of its own and is found by name through the entry-point group `kgneo.strategies`, so that any
package can add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, cast

from kgneo.errors import UsageError
from kgneo.strategies.protocol import Needs, NoOptions, Strategy

__all__ = ["Needs", "NoOptions", "Strategy", "find_strategy", "strategy_names"]

ENTRY_POINTS = "kgneo.strategies"


@cache
def _registered() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)}


def strategy_names() -> tuple[str, ...]:
    """The names of all strategies that are installed, sorted."""
    return tuple(_registered())


def find_strategy(name: str, **options: object) -> Strategy:
    """The strategy of that name, with those of `options` that it has and that are not None.

    Raises UsageError with the names there are.
    """
    try:
        made = _registered()[name].load()
    except KeyError:
        raise UsageError(
            f"There is no strategy {name!r}.", hint=f"Expected one of: {', '.join(strategy_names())}."
        ) from None
    plain = cast(Strategy, made())
    own: Any = plain.options
    known = {field.name for field in fields(own)}
    given = {key: value for key, value in options.items() if key in known and value is not None}
    return cast(Strategy, made(options=replace(own, **given))) if given else plain
